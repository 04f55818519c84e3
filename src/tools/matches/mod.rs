//! `match`: games between two engines, or an engine and a built-in opponent, with error bars.
//!
//! `engine_file.rs` describes an engine, `client.rs` runs its process, `builtin.rs` plays without one,
//! `game.rs` plays one game, `identity.rs` identifies a match to resume, `stats.rs` holds the statistics and
//! `report.rs` the result.

pub mod builtin;
pub mod client;
pub mod engine_file;
pub mod game;
pub mod identity;
pub mod limits;
pub mod perfect;
pub mod report;
pub mod stats;

pub use builtin::{Builtin, BuiltinStyle};
pub use engine_file::{EngineFile, Protocol};
pub use game::{FinishedGame, Opening, Side};
pub use limits::GoLimits;
pub use report::Standings;
pub use stats::{Interval, Pairs, Sprt, SprtVerdict, Tally, elo, expected_score, interval};

use super::exact::Exact;
use super::files::{Failure, check_writable, read_text, tell, write_out, write_whole};
use super::openings;
use super::progress::Bar;
use super::resume::ResumeFile;
use crate::record::{self, ReadOptions};
use crate::rules::Rules;
use client::Client;
use game::{Player, Terms};
use identity::MatchIdentity;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The settings of a match.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// Engine file of player A.
    pub a: PathBuf,
    /// Engine file of player B; `None` for a built-in opponent.
    pub b: Option<PathBuf>,
    /// Built-in opponent in place of player B.
    pub opponent: Option<BuiltinStyle>,
    /// The number of games; two in a row share an opening with colours exchanged.
    pub games: u32,
    /// Limits of each search as words of `go`, used where an engine file has none.
    pub go: String,
    /// File with openings, or `startpos`; `None` uses those built in for the rules.
    pub openings: Option<PathBuf>,
    /// Games played at the same time.
    pub concurrency: u32,
    /// Elo differences of the two hypotheses of a sequential test that ends the match.
    pub sprt: Option<(f64, f64)>,
    /// Chance that the test accepts a change without effect.
    pub alpha: f64,
    /// Chance that the test rejects a change that works.
    pub beta: f64,
    /// File that keeps finished games, and from which an earlier run is continued.
    pub resume: Option<PathBuf>,
    /// Rules of all games.
    pub rules: Rules,
    /// Seconds without a reply, beyond the limit, after which an engine counts as hung.
    pub timeout: f64,
    /// Milliseconds beyond its limit after which a reply is late.
    pub margin: u64,
    /// Seed of the order of the openings and of the built-in opponents.
    pub seed: u64,
    /// File for the games, written at the end of the match.
    pub records: Option<PathBuf>,
    /// Tablebase folders that judge the moves of A and serve a perfect opponent.
    pub tables: Vec<PathBuf>,
    /// True to end a game in the moving phase that a tablebase knows as won; the built-in one without
    /// `tables`.
    pub adjudicate: bool,
    /// True if the report is JSON.
    pub json: bool,
}

/// Player B before the first game.
enum Contestant {
    Engine(EngineFile),
    Builtin(BuiltinStyle),
}

/// A match that is ready to start.
struct Plan<'a> {
    args: &'a MatchSettings,
    a: EngineFile,
    b: Contestant,
    limits: [GoLimits; 2],
    openings: Vec<Opening>,
    exact: Option<Arc<Exact>>,
}

impl Plan<'_> {
    fn player(&self, side: Side, game: u32) -> Player {
        let timeout = Duration::from_secs_f64(self.args.timeout);
        let engine =
            |file: &EngineFile| Player::Engine(Box::new(Client::new(file.clone(), self.args.rules, timeout)));
        match (side, &self.b) {
            (Side::A, _) => engine(&self.a),
            (Side::B, Contestant::Engine(file)) => engine(file),
            (Side::B, &Contestant::Builtin(style)) => Player::Builtin(Box::new(Builtin::new(
                style,
                self.exact.clone(),
                self.args.seed.wrapping_mul(1_000_003) ^ u64::from(game),
            ))),
        }
    }

    /// Returns the opening of a game, the same for both games of a pair.
    fn opening(&self, game: u32) -> &Opening {
        &self.openings[(game as usize - 1) / 2 % self.openings.len()]
    }

    fn names(&self) -> [String; 2] {
        let b = match &self.b {
            Contestant::Engine(file) => file.name.clone(),
            Contestant::Builtin(style) => style.name().to_owned(),
        };
        [self.a.name.clone(), b]
    }

    /// Returns the limits of A, and those of B if they differ; a built-in opponent has none.
    fn time_control(&self) -> String {
        let [a, b] = self.go();
        if a == b || b.is_empty() { a } else { format!("{a} against {b}") }
    }

    /// Returns the limits of both players as words of `go`.
    fn go(&self) -> [String; 2] {
        let words = |file: &EngineFile| file.go.as_ref().unwrap_or(&self.args.go).clone();
        [words(&self.a), if let Contestant::Engine(file) = &self.b { words(file) } else { String::new() }]
    }

    fn identity(&self) -> MatchIdentity {
        let describe = |file: &EngineFile| serde_json::to_string(file).unwrap_or_else(|_| file.name.clone());
        let [_, b_name] = self.names();
        let b = match &self.b {
            Contestant::Engine(file) => describe(file),
            Contestant::Builtin(_) => format!("opponent {b_name}"),
        };
        MatchIdentity {
            players: [describe(&self.a), b],
            go: self.go(),
            rules: self.args.rules.describe(),
            openings: format!("{} with checksum {:016x}", self.openings.len(), checksum(&self.openings)),
            seed: self.args.seed,
            adjudicate: self.args.adjudicate,
        }
    }
}

/// Returns the FNV-1a hash (Fowler, Noll, Vo) of the openings. It only has to differ between suites.
fn checksum(openings: &[Opening]) -> u64 {
    let texts = openings.iter().map(|o| format!("{:?} {:?}\n", o.start, o.moves));
    texts
        .flat_map(String::into_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Returns the openings of a match in the order in which they are played.
fn read_openings(args: &MatchSettings) -> Result<Vec<Opening>, Failure> {
    if args.openings.as_deref() == Some(Path::new("startpos")) {
        return Ok(vec![Opening::default()]);
    }
    let (path, text) = match (&args.openings, openings::built_in(&args.rules)) {
        (Some(path), _) => (path.as_path(), read_text(path)?),
        (None, Some(text)) => (Path::new("built-in openings"), text.to_owned()),
        (None, None) => {
            let rules = args.rules.describe();
            tell(format_args!(
                "note: no openings are built in for the rules {rules}; all games begin with the initial position"
            ));
            return Ok(vec![Opening::default()]);
        }
    };
    let options = ReadOptions { rules: Some(args.rules), ..ReadOptions::default() };
    let reading = record::read(&path.display().to_string(), &text, &options);
    if let Some(error) = reading.errors.first() {
        return Err(Failure(error.to_string()));
    }
    let mut openings: Vec<Opening> = Vec::new();
    for (number, game) in reading.games.iter().enumerate() {
        if game.rules != args.rules {
            let (found, expected) = (game.rules.describe(), args.rules.describe());
            return Err(Failure::at(
                path,
                format!("game {}: found rules {found}, expected {expected}", number + 1),
            ));
        }
        if game.result != record::GameResult::Unknown {
            return Err(Failure::at(path, format!("game {}: is over, expected an opening", number + 1)));
        }
        openings.push(Opening { start: game.start.clone(), moves: game.moves().collect() });
    }
    if openings.is_empty() {
        return Err(Failure::at(path, "found no game, expected openings"));
    }
    openings.shuffle(&mut StdRng::seed_from_u64(args.seed));
    Ok(openings)
}

fn plan(args: &MatchSettings) -> Result<Plan<'_>, Failure> {
    let a = EngineFile::read(&args.a)?;
    let b = match (&args.b, args.opponent) {
        (Some(path), _) => Contestant::Engine(EngineFile::read(path)?),
        (None, opponent) => Contestant::Builtin(opponent.unwrap_or(BuiltinStyle::Random)),
    };
    let exact = match Exact::open(&args.tables, &args.rules)? {
        None if args.adjudicate => {
            let rules = args.rules.describe();
            let none = || {
                Failure(format!(
                    "--adjudicate: no table is built in for the rules {rules}; expected --tables"
                ))
            };
            Some(Exact::built_in(&args.rules)?.ok_or_else(none)?)
        }
        given => given,
    };
    let exact = exact.map(Arc::new);
    if matches!(b, Contestant::Builtin(BuiltinStyle::Perfect | BuiltinStyle::Tricky))
        && args.tables.is_empty()
    {
        return Err(Failure("a perfect opponent needs --tables with a folder of tables".to_owned()));
    }
    let go = |own: Option<&String>| GoLimits::parse(own.unwrap_or(&args.go)).map_err(Failure);
    let b_go = match &b {
        Contestant::Engine(file) => go(file.go.as_ref())?,
        Contestant::Builtin(_) => GoLimits::default(),
    };
    let limits = [go(a.go.as_ref())?, b_go];
    Ok(Plan { args, a, b, limits, openings: read_openings(args)?, exact })
}

/// Plays a match and prints its result.
///
/// # Errors
/// As [`play`].
pub fn run(args: &MatchSettings) -> Result<(), Failure> {
    let standings = play(args)?;
    let text = if args.json { format!("{}\n", standings.json()) } else { standings.table() };
    write_out(None, &text)
}

/// Plays a match and shows progress on standard error.
///
/// # Errors
/// If a file cannot be read or written, an engine cannot be started at all, or the file to resume from
/// belongs to another match.
pub fn play(args: &MatchSettings) -> Result<Standings, Failure> {
    let plan = plan(args)?;
    args.records.as_deref().map_or(Ok(()), check_writable)?;
    // An engine that never starts is a mistake in its file, not a lost game.
    for side in [Side::A, Side::B] {
        if let Player::Engine(mut client) = plan.player(side, 0) {
            client.start().map_err(|why| Failure(format!("engine {}: {why}", plan.names()[side.index()])))?;
        }
    }
    let (mut log, done) = match &args.resume {
        Some(path) => {
            let (log, done) = ResumeFile::open::<_, FinishedGame>(path, &plan.identity())?;
            (Some(log), done)
        }
        None => (None, Vec::new()),
    };
    let sprt = args.sprt.map(|(elo0, elo1)| Sprt { elo0, elo1, alpha: args.alpha, beta: args.beta });
    let mut standings = Standings::new(plan.names(), plan.time_control(), sprt);
    let mut games: BTreeMap<u32, FinishedGame> = BTreeMap::new();
    for game in done.into_iter().filter(|game| (1..=args.games).contains(&game.game)) {
        if games.insert(game.game, game.clone()).is_none() {
            standings.add(&game);
        }
    }
    if !games.is_empty() {
        tell(format_args!("{} games finished before", games.len()));
    }
    let begun = Instant::now();
    let pending: Vec<u32> = (1..=args.games).filter(|game| !games.contains_key(game)).collect();
    let played = play_all(&plan, &pending, &mut standings, &mut |game| {
        if let Some(log) = &mut log {
            log.append(&game)?;
        }
        games.insert(game.game, game);
        Ok(())
    })?;
    standings.seconds = begun.elapsed().as_secs_f64();
    standings.played = played;
    if let Some(path) = &args.records {
        let text: String = games.values().map(|game| record_of(&plan, game)).collect();
        write_whole(path, text.as_bytes())?;
    }
    Ok(standings)
}

/// Plays the games of a list, calls `keep` with each finished game, and stops when the sequential test is
/// decided. Returns the number of games played.
fn play_all(
    plan: &Plan<'_>,
    pending: &[u32],
    standings: &mut Standings,
    keep: &mut dyn FnMut(FinishedGame) -> Result<(), Failure>,
) -> Result<u32, Failure> {
    if pending.is_empty() || standings.is_decided() {
        return Ok(0);
    }
    let next = AtomicUsize::new(0);
    let cancelled = AtomicBool::new(false);
    let terms = Terms {
        rules: &plan.args.rules,
        limits: &plan.limits,
        margin: Duration::from_millis(plan.args.margin),
        exact: plan.exact.as_deref(),
        adjudicate: plan.args.adjudicate,
        cancelled: &cancelled,
    };
    let (sender, results) = crossbeam_channel::unbounded();
    std::thread::scope(|scope| {
        for _ in 0..plan.args.concurrency.min(pending.len() as u32) {
            let sender = sender.clone();
            let (next, cancelled, terms) = (&next, &cancelled, &terms);
            scope.spawn(move || {
                let mut players = [Side::A, Side::B].map(|side| plan.player(side, 0));
                while let Some(&number) = pending.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if cancelled.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Player::Builtin(_) = players[1] {
                        // A new one for each game, so that its moves do not depend on the worker.
                        players[1] = plan.player(Side::B, number);
                    }
                    let white = if number % 2 == 1 { Side::A } else { Side::B };
                    let result = game::play(&mut players, white, plan.opening(number), terms);
                    let result = result.map(|game| game.map(|game| FinishedGame { game: number, ..game }));
                    if sender.send(result).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let bar = Bar::new(pending.len());
        let mut shown = Instant::now();
        let mut played = 0;
        for result in &results {
            let handled = result.map_err(Failure).and_then(|game| {
                if let Some(game) = game.filter(|_| !standings.is_decided()) {
                    standings.add(&game);
                    played += 1;
                    if let Some(fault) = game.fault {
                        let name = &standings.names[fault.index()];
                        bar.note(format_args!("game {}: {name} {}", game.game, game.reason));
                    }
                    keep(game)?;
                    let is_due = shown.elapsed() >= Duration::from_secs(10);
                    if is_due {
                        shown = Instant::now();
                    }
                    bar.show(played as usize, is_due, || standings.line(plan.args.games));
                }
                Ok(())
            });
            if handled.is_err() || standings.is_decided() {
                cancelled.store(true, Ordering::Relaxed);
            }
            handled?;
        }
        bar.note(standings.line(plan.args.games));
        Ok(played)
    })
}

/// Returns a finished game as a PGN record.
fn record_of(plan: &Plan<'_>, game: &FinishedGame) -> String {
    let rules = Some(plan.args.rules);
    let start = game.start.as_ref().map_or("startpos".to_owned(), |text| format!("fen {text}"));
    let moves = if game.moves.is_empty() { String::new() } else { format!(" moves {}", game.moves) };
    let options = ReadOptions { form: Some(record::Form::Tokens), rules, keep_partial: true };
    let reading = record::read("game", &format!("{start}{moves}"), &options);
    let Some(mut record) = reading.games.into_iter().next() else { return String::new() };
    record.result = game.result();
    let [a, b] = plan.names();
    let (white, black) = if game.white == Side::A { (a, b) } else { (b, a) };
    for (name, value) in [
        ("Event", "match"),
        ("Round", &game.game.to_string()),
        ("White", &white),
        ("Black", &black),
        ("TimeControl", &plan.time_control()),
        ("Termination", &game.reason),
    ] {
        record.set_tag(name, value);
    }
    record.to_pgn()
}
