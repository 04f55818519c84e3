//! Whole games of the search against itself under every named rule set, every preset and two hundred random
//! combinations of the rule options, at 2 ms a move, until the rules end them or 300 moves are played. The
//! naive model follows every game and has to agree about each position and to accept each move. Builds with
//! the checks of debug builds play a few moves of a few games.

use crate::fuzzed::chance::fresh;
use crate::naive;
use crate::subject;

use crossbeam_channel::unbounded;
use millstone::internals::TranspositionTable;
use millstone::internals::{Pool, wait};
use millstone::rules::{RULE_OPTIONS, RuleKind, Rules};
use millstone::search::{Algorithm, Limits, SearchSettings};
use millstone::types::Move;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;
use std::time::Duration;
use subject::{EngineGame, Subject};

const MOVE_TIME: Duration = Duration::from_millis(2);
const RANDOM_RULE_SETS: u64 = if cfg!(debug_assertions) { 8 } else { 200 };
const LONGEST: usize = if cfg!(debug_assertions) { 40 } else { 300 };

/// A searcher with its own transposition table, used for many games.
struct Player {
    pool: Pool,
    table: Arc<TranspositionTable>,
}

impl Player {
    fn new() -> Self {
        let table = Arc::new(TranspositionTable::new(4).expect("4 MiB"));
        Self { pool: Pool::new(1).expect("a thread"), table }
    }

    fn best_move(&mut self, game: &EngineGame, settings: &SearchSettings) -> Option<Move> {
        let limits = Limits { movetime: Some(MOVE_TIME), ..Limits::default() };
        let (sender, reports) = unbounded();
        self.pool.go(
            game.position().clone(),
            limits,
            settings.clone(),
            Arc::clone(&self.table),
            None,
            sender,
        );
        wait(&reports).expect("every search ends with a result").best
    }
}

/// Plays one game; an error names rules and moves. Returns the number of moves and the outcome.
fn play(player: &mut Player, rules: &Rules, seed: u64) -> Result<(usize, &'static str), String> {
    let changes: Vec<(String, String)> =
        RULE_OPTIONS.iter().map(|o| (o.name.to_owned(), rules.value_text(o))).collect();
    let mut engine = EngineGame::new(rules);
    let mut naive = naive::Game::new(&<naive::Game as Subject>::rules(&changes)?);
    let algorithm =
        [Algorithm::Pvs, Algorithm::AlphaBeta, Algorithm::Mtdf, Algorithm::Mcts][seed as usize % 4];
    let settings = SearchSettings { algorithm, seed: Some(seed), ..SearchSettings::default() };
    let mut moves = Vec::new();
    player.pool.clear();
    player.table.clear();
    while moves.len() < LONGEST {
        let story = || format!("\nrules {}\nmoves {}", rules.describe(), moves.join(" "));
        let (found, expected) = (engine.fen(), Subject::fen(&naive));
        if found != expected || engine.legal() != Subject::legal(&naive) {
            return Err(format!("engine {found}, naive model {expected}{}", story()));
        }
        // The search could continue past a draw; here the game has ended.
        if Subject::terminal(&naive) || engine.legal().is_empty() {
            break;
        }
        match player.best_move(&engine, &settings) {
            None => return Err(format!("no move at {found}{}", story())),
            Some(m) if !engine.play(&m.to_string()) || !naive.play(&m.to_string()) => {
                return Err(format!("illegal move {m} at {found}{}", story()));
            }
            Some(m) => moves.push(m.to_string()),
        }
    }
    if engine.reason() != Subject::reason(&naive) || engine.winner() != Subject::winner(&naive) {
        return Err(format!("{} by one, {} by the other", engine.reason(), Subject::reason(&naive)));
    }
    Ok((moves.len(), engine.reason()))
}

fn play_all(rule_sets: impl Iterator<Item = (u64, Rules)>) {
    let mut player = Player::new();
    let (mut games, mut moves, mut ended) = (0, 0, 0);
    for (seed, rules) in rule_sets {
        let (length, reason) = play(&mut player, &rules, seed).unwrap_or_else(|error| panic!("{error}"));
        games += 1;
        moves += length;
        ended += usize::from(reason != "ongoing");
    }
    eprintln!("{games} games, {ended} ended by the rules, {moves} moves");
    assert!(games > 0);
    // In release builds all end. A slow machine plays other moves, so half are enough.
    assert!(cfg!(debug_assertions) || ended > games / 2, "{ended} of {games} games ended");
}

/// A random combination of all rule options; half of them keep their defaults.
fn random_rules(seed: u64) -> Rules {
    let mut random = StdRng::seed_from_u64(fresh(seed));
    let mut rules = Rules::NINE;
    for option in RULE_OPTIONS {
        let value = match option.kind {
            RuleKind::Check => random.random_range(0..=1),
            RuleKind::Spin { min, max } => random.random_range(min..=max),
        };
        if random.random_bool(0.5) {
            rules.set_option(option.name, &value.to_string()).expect("a value in range");
        }
    }
    rules
}

#[test]
fn named_rule_sets_and_presets_are_played_to_the_end() {
    let sets = Rules::names().map(|name| Rules::by_name(&name).expect("a name of the list"));
    play_all((0..).zip(sets));
}

#[test]
fn random_rule_sets_are_played_to_the_end() {
    play_all((0..RANDOM_RULE_SETS / 2).map(|seed| (seed, random_rules(seed))));
}

#[test]
fn more_random_rule_sets_are_played_to_the_end() {
    play_all((RANDOM_RULE_SETS / 2..RANDOM_RULE_SETS).map(|seed| (seed, random_rules(seed))));
}
