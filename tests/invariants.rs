//! What holds in every game under every combination of the rule options: taking back restores, keys follow from
//! the position, texts return, the symmetries of the board are symmetries of the game, `is_legal` and the list
//! agree, and the naive model agrees at every ply.
//!
//! Seeds are fixed, so that every run checks the same games. `PROPTEST_RNG_SEED` chooses others and
//! `PROPTEST_CASES` (256 where unset) scales their number; `docs/testing.md` names the runs made so far. A failure
//! prints rules, position text and moves of the shortest game found.

use crate::naive;
use crate::subject;

use millstone::bitboard::{Bitboard, SYMMETRIES, transform_square};
use millstone::movegen;
use millstone::notation;
use millstone::position::{Phase, Position};
use millstone::rules::{RULE_OPTIONS, RuleKind, Rules};
use millstone::types::{Color, Move, MoveKind, Square};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use std::cell::Cell;
use std::collections::HashMap;
use subject::{EngineGame, Subject};

/// The seed of runs without another one.
const SEED: u64 = 0x004d_696c_6c73_746f;

/// Runs `property` on values of `strategy`; `share` in 256 of the cases asked for.
fn check<S: Strategy>(
    share: u32,
    strategy: &S,
    property: impl Fn(S::Value) -> Result<(), String>,
) -> Result<(), String> {
    let mut config = Config { failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    config.cases = (config.cases.saturating_mul(share) / 256).max(1);
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    TestRunner::new(config).run(strategy, |value| property(value).map_err(TestCaseError::fail)).map_err(
        |error| match error {
            // The message tells the game; what it was made from would only bury it.
            TestError::Fail(why, _) => why.to_string(),
            TestError::Abort(why) => why.to_string(),
        },
    )
}

/// Fails with both answers if they differ.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}\n  found    {found:?}\n  expected {expected:?}"))
    }
}

/// A rule set as a name and changes of options, each an index and a number that is brought into range.
#[derive(Clone, Debug)]
struct RawRules {
    base: usize,
    changes: Vec<(usize, u16)>,
}

impl RawRules {
    fn rules(&self) -> Rules {
        let names: Vec<String> = Rules::names().collect();
        let mut rules = Rules::by_name(&names[self.base % names.len()]).expect("a name of the list");
        for &(option, value) in &self.changes {
            let option = &RULE_OPTIONS[option];
            let number = match option.kind {
                RuleKind::Check => value % 2,
                // Long counts are hardly ever reached in play: most values lie near the lower end.
                RuleKind::Spin { min, max } if max - min > 20 && value % 4 != 0 => min + value / 4 % 20,
                RuleKind::Spin { min, max } => min + value % (max - min + 1),
            };
            rules.set_option(option.name, &number.to_string()).expect("a value in range");
        }
        rules
    }
}

fn rule_sets() -> impl Strategy<Value = RawRules> {
    let changes = prop_oneof![
        1 => prop::collection::vec((0..RULE_OPTIONS.len(), any::<u16>()), 0..6),
        3 => prop::collection::vec((0..RULE_OPTIONS.len(), any::<u16>()), 0..80),
    ];
    (0..24_usize, changes).prop_map(|(base, changes)| RawRules { base, changes })
}

/// A game: rules, whether draws are played past, and a number for each ply that [`pick`] turns into a move.
type RawGame = (RawRules, Vec<u16>);

fn games(longest: usize) -> impl Strategy<Value = RawGame> {
    (rule_sets(), prop::collection::vec(any::<u16>(), 0..longest))
}

/// Turns a number into a playable move. Small numbers choose by index; the others prefer what random games
/// seldom see: closed mills and captures, a man going back where it came from, blocked opponents, moves while
/// there is still something to place.
fn pick(pos: &Position, played: &[Move], choice: u16) -> Option<Move> {
    let list = movegen::playable(pos);
    let index = usize::from(choice / 8);
    let any_of = |moves: &[Move]| (!moves.is_empty()).then(|| moves[index % moves.len()]);
    let those = |wanted: &dyn Fn(Move) -> bool| {
        let moves: Vec<Move> = list.iter().copied().filter(|&m| wanted(m)).collect();
        any_of(&moves)
    };
    let after = |m: Move| {
        let mut next = pos.clone();
        next.do_move(m);
        next
    };
    let us = pos.side_to_move();
    let preferred = match choice % 8 {
        3 | 4 => those(&|m| {
            let next = after(m);
            !m.is_take() && next.is_removal_due() && next.side_to_move() == us
                || next.hand(!us) < pos.hand(!us)
        }),
        5 => {
            let back = played.iter().rev().nth(1).filter(|m| m.kind() == MoveKind::Slide);
            back.and_then(|m| those(&|other| other == Move::slide(m.to(), m.from())))
        }
        6 => {
            let mobility = |m: Move| movegen::playable(&after(m)).len();
            list.iter().copied().min_by_key(|&m| mobility(m))
        }
        7 => those(&|m| m.kind() == MoveKind::Slide),
        _ => None,
    };
    preferred.or_else(|| any_of(&list))
}

/// The text of a game for messages.
fn told(rules: &Rules, start: &str, played: &[Move]) -> String {
    let moves: Vec<String> = played.iter().map(ToString::to_string).collect();
    format!("\nrules {}\nstart {start}\nmoves {}", rules.describe(), moves.join(" "))
}

/// Plays a game by `pick`, calling `visit` before the first move and after each one.
fn walk(
    start: &Position,
    choices: &[u16],
    mut visit: impl FnMut(&mut Position, &[Move]) -> Result<(), String>,
) -> Result<(), String> {
    let mut pos = start.clone();
    let mut played = Vec::new();
    let rules = *start.rules();
    let fail = |error: String, played: &[Move]| error + &told(&rules, &start.fen(), played);
    visit(&mut pos, &played).map_err(|error| fail(error, &played))?;
    for &choice in choices {
        let Some(m) = pick(&pos, &played, choice) else { break };
        pos.do_move(m);
        played.push(m);
        pos.is_ok().and_then(|()| visit(&mut pos, &played)).map_err(|error| fail(error, &played))?;
    }
    Ok(())
}

/// All that can be seen of a game.
#[derive(PartialEq, Eq, Debug)]
struct Face {
    fen: String,
    side: Option<&'static str>,
    terminal: bool,
    winner: Option<&'static str>,
    reason: &'static str,
    repetitions: usize,
    legal: Vec<String>,
    playable: Vec<String>,
}

impl Face {
    fn of<S: Subject>(game: &S) -> Self {
        Self {
            fen: game.fen(),
            side: game.side(),
            terminal: game.terminal(),
            winner: game.winner(),
            reason: game.reason(),
            repetitions: game.repetition_count(),
            legal: game.legal(),
            playable: game.playable(),
        }
    }
}

/// Plays a game with engine and naive model side by side and compares all that can be seen, and now and then
/// perft. Returns the number of plies.
fn play_both(
    mut engine: EngineGame,
    mut naive: naive::Game,
    past_draws: bool,
    choices: &[u16],
) -> Result<u64, String> {
    if past_draws {
        engine.play_past_draws();
        Subject::play_past_draws(&mut naive);
    }
    let rules = *engine.position().rules();
    let start = engine.fen();
    let mut played = Vec::new();
    let compare = |engine: &EngineGame, naive: &naive::Game, played: &[Move]| {
        let found = Face::of(engine);
        engine
            .position()
            .is_ok()
            .and_then(|()| same("engine, then naive model", &found, &Face::of(naive)))
            .map_err(|error| format!("{error}{}", told(&rules, &start, played)))?;
        Ok::<_, String>(found.playable.is_empty())
    };
    let mut over = compare(&engine, &naive, &played)?;
    for (ply, &choice) in choices.iter().enumerate() {
        if over {
            break;
        }
        let m = pick(engine.position(), &played, choice).ok_or("a list that is empty after all")?;
        let text = m.to_string();
        if !engine.play(&text) || !naive.play(&text) {
            return Err(format!("{text} is refused after{}", told(&rules, &start, &played)));
        }
        played.push(m);
        over = compare(&engine, &naive, &played)?;
        if (usize::from(choice) + ply) % 64 == 0 {
            same("perft 2", engine.perft(2), Subject::perft(&naive, 2))
                .map_err(|error| error + &told(&rules, &start, &played))?;
        }
    }
    Ok(played.len() as u64)
}

fn naive_rules(rules: &Rules) -> naive::Options {
    let changes: Vec<(String, String)> =
        RULE_OPTIONS.iter().map(|o| (o.name.to_owned(), rules.value_text(o))).collect();
    <naive::Game as Subject>::rules(&changes).expect("the same options with the same values")
}

#[test]
fn the_naive_model_agrees_at_every_ply_of_random_games() {
    let plies = Cell::new(0);
    let result = check(512, &(games(220), any::<bool>()), |((raw, choices), past_draws)| {
        let rules = raw.rules();
        let naive = naive::Game::new(&naive_rules(&rules));
        let played = play_both(EngineGame::new(&rules), naive, past_draws, &choices)?;
        plies.set(plies.get() + played);
        Ok(())
    });
    eprintln!("{} plies compared", plies.get());
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_naive_model_agrees_about_odd_position_texts_and_what_follows() {
    let (plies, refused) = (Cell::new(0), Cell::new(0));
    let strategy = (rule_sets(), texts(), prop::collection::vec(any::<u16>(), 0..40), any::<bool>());
    let result = check(2048, &strategy, |(raw, text, choices, past_draws)| {
        let rules = raw.rules();
        let text = text.write(&rules);
        let engine = <EngineGame as Subject>::from_fen(&rules, &text);
        let naive = <naive::Game as Subject>::from_fen(&naive_rules(&rules), &text);
        match (engine, naive) {
            (Ok(engine), Ok(naive)) => {
                let played = play_both(engine, naive, past_draws, &choices)
                    .map_err(|error| format!("{error}\ntext  {text}"))?;
                plies.set(plies.get() + played);
                Ok(())
            }
            (Err(error), Err(_)) => {
                refused.set(refused.get() + 1);
                same("the message is one line", error.lines().count(), 1)
            }
            (Err(error), Ok(_)) => Err(format!("only the engine refuses `{text}`: {error}")),
            (Ok(_), Err(error)) => Err(format!("only the naive model refuses `{text}`: {error}")),
        }
    });
    eprintln!("{} plies compared, {} texts refused by both", plies.get(), refused.get());
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// Games in which engine and model differed before, or that random games miss: rules, text, moves.
const ONCE_DIFFERENT: [(&str, &str, &str); 20] = [
    // After the last removal of a lost game nothing may be played.
    ("nine", "****@***/********/OO***@@O w m r 3 0 3 0 1 0 -1 -1 -1 -1 0 0 9 ids:nodes", "xd3"),
    // A text that asks for a placing although two removals are owed: after the first, a removal is asked for.
    ("nine", "********/********/*O*@@@** b p p 1 8 3 0 0 2 -1 -1 -1 -1 0 0 1 ids:nodes", "xg7"),
    // Drawn by the counter and lost at once when read: a draw that cannot be played past.
    ("nine,NMoveRule=10", "********/********/*******@ w m p 0 0 1 0 1 0 0 0 0 0 0 10 1", ""),
    // Drawn by the counter and blocked at once when read: past the draw, the rule about blocked sides holds.
    (
        "nine,MayFly=false,StalemateAction=2,NMoveRule=10",
        "********/********/O@O*O@O@ b m s 4 0 3 0 0 0 -1 -1 -1 -1 0 10 1 ids:nodes",
        "xd1 a1-d1",
    ),
    (
        "nine,MayFly=false,StalemateAction=1,NMoveRule=10",
        "********/********/O@O*O@O@ b m s 4 0 3 0 0 0 -1 -1 -1 -1 0 10 1 ids:nodes",
        "d1-d2",
    ),
    (
        "nine,PiecesCount=12,StalemateAction=1",
        "X*@XOXOX/OOXOOOXX/@OXOOO@O w m p 12 0 3 0 0 -1 -1 -1 -1 -1 0 100 1 ids:nodes",
        "",
    ),
    (
        "nine,PiecesCount=10,StalemateAction=1",
        "@O@*@*O@/OO@*@OO@/OOO@@*@O w m p 10 0 10 0 0 0 -1 -1 -1 -1 0 95 1 ids:nodes s:1",
        "c4-c3 e4-e3 e5-e4 c5-c4 e4-e5 e3-e4",
    ),
    // A side that could only leap is blocked, also where the text asks for a placing.
    (
        "nine,PiecesCount=11,LeapCaptureEnabled=true",
        "X**XXXX*/X**OX*O@/@O**O@X@ b m p 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "",
    ),
    // A side that has neither men nor a hand, where nobody flies, is blocked.
    ("cham-gonu", "********/********/******** w p p 0 12 0 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes", "d5"),
    // A record of more than one line: after the first man only the other end of its line is left.
    (
        "nine,InterventionCaptureEnabled=true",
        "@*@***@@/O*O*****/@**O*OO* w p r 5 4 5 4 2 0 -1 -1 -1 -1 0 0 3 ids:nodes i:w-2-0.2.16",
        "xd5 xd7",
    ),
    (
        "nine,InterventionCaptureEnabled=true",
        "@*@***@@/O*O*****/@**O*OO* w p r 5 4 5 4 2 0 -1 -1 -1 -1 0 0 3 ids:nodes i:w-2-2.6.16",
        "xe4 xd7",
    ),
    // A blocked side takes a man next to its own: d5 is safe.
    (
        "nine,MayFly=false,StalemateAction=3",
        "O*******/****O***/O@O**@O@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "d2-d1 xd7",
    ),
    (
        "nine,MayFly=false,StalemateAction=5",
        "O*******/****O***/O@O**@O@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "d2-d1 xd7 xg7",
    ),
    // The rule about a blocked side drops the records of both sides.
    (
        "nine,MayFly=false,StalemateAction=2",
        "********/********/O@O*O@O@ b m s 4 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes c:w-1-17|b-1-16",
        "xd1",
    ),
    // With one-time mills, a return between two unused mills is forbidden, one to a used mill is not.
    (
        "nine,RestrictRepeatedMillsFormation=true,OneTimeUseMill=true",
        "********/*O*****O/OO*@@*@O w m s 5 0 3 0 0 0 8 16 -1 -1 0 1 2 ids:nodes",
        "",
    ),
    (
        "nine,RestrictRepeatedMillsFormation=true,OneTimeUseMill=true",
        "********/*O*****O/OO*@@*@O w m s 5 0 3 0 0 0 8 16 -1 -1 36873221949095936 1 2 ids:nodes",
        "d7-d6",
    ),
    // A full board that ends the game when read keeps the action that was read.
    (
        "nine,PiecesCount=12,HasDiagonalLines=true",
        "@@O@O@@O/OO@O@OO@/@O@OO@@O w m s 12 0 12 0 0 0 -1 -1 -1 -1 0 0 13 ids:nodes",
        "",
    ),
    // A text of the placing phase without a hand: there the other switch decides about leaps.
    (
        "lasker,LeapCaptureEnabled=true,LeapCaptureInPlacingPhase=false",
        "***O*O**/@**@**O*/@*****@O w p p 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "c3-c4",
    ),
    (
        "lasker,LeapCaptureEnabled=true,LeapCaptureInMovingPhase=false",
        "***O*O**/@**@**O*/@*****@* w p p 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "c3-c4",
    ),
    // More removals than men.
    ("nine", "********/********/*O*@@@** b p r 1 8 3 0 -128 100 -1 -1 -1 -1 0 0 1 ids:nodes", "xg7"),
];

#[test]
fn games_that_once_differed_agree() {
    for (rules, text, moves) in ONCE_DIFFERENT {
        let rules = Rules::parse(rules).expect("a rule set");
        let mut engine = <EngineGame as Subject>::from_fen(&rules, text).expect("a legal text");
        let mut naive = <naive::Game as Subject>::from_fen(&naive_rules(&rules), text).expect("a legal text");
        engine.play_past_draws();
        Subject::play_past_draws(&mut naive);
        assert_eq!(Face::of(&engine), Face::of(&naive), "{text}");
        for action in moves.split_whitespace() {
            assert!(engine.play(action) && naive.play(action), "{action} after {text}");
            assert_eq!(Face::of(&engine), Face::of(&naive), "{action} after {text}");
        }
        assert_eq!(engine.position().is_ok(), Ok(()));
    }
}

/// A debt of own men together with a capture record has no meaning laid down; it must do no harm all the same.
#[test]
fn a_debt_of_own_men_with_a_record_takes_the_man_that_stands_there() {
    let rules = Rules::by_name("mul-mulan").expect("a rule set");
    let text = "********/*******O/***@@*@* b p r 1 0 3 0 0 -1 -1 -1 -1 -1 0 0 1 ids:nodes c:b-1-15";
    let mut pos = Position::from_fen(&rules, text).expect("a legal text");
    let m = notation::parse(&pos, "xb6").expect("a target of the record");
    pos.do_move(m);
    assert_eq!(pos.is_ok(), Ok(()));
    assert_eq!((pos.men(Color::White).count(), pos.men(Color::Black).count()), (0, 3));
}

#[test]
fn taking_back_restores_everything() {
    /// All that a position tells and keeps, as text or value.
    fn snapshot(pos: &Position) -> impl PartialEq + std::fmt::Debug + use<> {
        let legal = movegen::playable(pos).to_vec();
        let counts = [pos.quiet(), pos.ply(), pos.repetitions(), pos.repetition_window()];
        (pos.fen(), pos.key(), *pos.extras(), pos.outcome(), legal, counts, pos.moves_played())
    }
    let result = check(256, &games(220), |(raw, choices)| {
        let start = Position::new(&raw.rules());
        let mut snapshots = Vec::new();
        let mut last = start.clone();
        walk(&start, &choices, |pos, _| {
            snapshots.push(snapshot(pos));
            // Every move from here, there and back.
            for &m in movegen::playable(pos).iter() {
                pos.do_move(m);
                pos.undo_move();
                same(&format!("{m} taken back"), &snapshot(pos), &snapshots[snapshots.len() - 1])?;
            }
            last = pos.clone();
            Ok(())
        })?;
        while let Some(before) = snapshots.pop() {
            same("after taking back", &snapshot(&last), &before)?;
            if !snapshots.is_empty() {
                last.undo_move();
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// A text holds a position but for two things: whether the debt comes from a mill (rules.md 14.4), and the
/// history. So the key of a position read back is the same unless that flag differs, and then it is another one;
/// and positions of one game whose texts differ in more than the counters never share a key.
#[test]
fn keys_follow_from_the_position_and_from_nothing_else() {
    /// The text without the counters of the draw rules and the move number.
    fn identity(pos: &Position) -> (String, bool) {
        let fen = pos.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        ([&fields[..15], &fields[17..]].concat().join(" "), pos.extras().mill_debt)
    }
    let result = check(256, &games(200), |(raw, choices)| {
        let start = Position::new(&raw.rules());
        let mut known: HashMap<u64, (String, bool)> = HashMap::new();
        walk(&start, &choices, |pos, _| {
            let back = Position::from_fen(pos.rules(), &pos.fen()).map_err(|error| error.to_string())?;
            if !pos.outcome().is_over() && back.fen() == pos.fen() {
                same("instance of the text", back.has_extras(), pos.has_extras())?;
                same("key of the text", back.key() == pos.key(), identity(&back) == identity(pos))?;
            }
            let mut meet = |pos: &Position| {
                // A draw is no part of the position, but the text tells it.
                if pos.outcome().is_over() {
                    return Ok(());
                }
                let identity = identity(pos);
                let first = known.entry(pos.key()).or_insert_with(|| identity.clone());
                same("two positions with one key", &identity, first)
            };
            meet(pos)?;
            for &m in movegen::legal(pos).iter() {
                pos.do_move(m);
                meet(pos)?;
                pos.undo_move();
            }
            Ok(())
        })
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_refused_text_names_the_field_and_what_was_found_and_expected() {
    let base = "@*******/O*******/O**@O*** w p p 3 6 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    let refusals = [
        (0, "@*******/O*******", "field 1 (board)", "three groups"),
        (0, "@*******/O*******/O**@O**", "field 1 (board)", "eight points in each group, not 7 in group 3"),
        (0, "@*******/O*******/O**@O**o", "field 1 (board)", "not 'o'"),
        (1, "x", "field 2 (side)", "w or b"),
        (2, "q", "field 3 (phase)", "p, m, o"),
        (3, "x", "field 4 (action)", "p, s, r, ?"),
        (4, "4", "field 5 (white men on board)", "3, the men on the board"),
        (5, "7", "field 6 (white men in hand)", "at most 9"),
        (5, "256", "field 6 (white men in hand)", "from 0 to 255"),
        (6, "3", "field 7 (black men on board)", "2, the men on the board"),
        (7, "8", "field 8 (black men in hand)", "at most 9"),
        (8, "128", "field 9 (white removals)", "from -128 to 127"),
        (9, "-129", "field 10 (black removals)", "from -128 to 127"),
        (10, "24", "field 11 (white last mill, from)", "from 0 to 23, or -1 for none"),
        (11, "-2", "field 12 (white last mill, to)", "from 0 to 23, or -1 for none"),
        (12, "", "field 13 (black last mill, from)", "from 0 to 23, or -1 for none"),
        (13, "x", "field 14 (black last mill, to)", "from 0 to 23, or -1 for none"),
        (14, "16777216", "field 15 (used mills)", "24 bits each"),
        (14, "-1", "field 15 (used mills)", "from 0 to"),
        (15, "65536", "field 16 (quiet moves)", "from 0 to 65535"),
        (17, "ids:nodes c:w-1-24|b-0-", "extension token", "w-1-16|b-0-"),
        (17, "ids:nodes i:", "extension token", "w-1-16|b-0-"),
        (17, "ids:nodes p:24", "extension token", "from 0 to 23, or -1 for none"),
        (17, "ids:nodes s:x", "extension token", "a whole number"),
        (17, "s:0", "field 11 (white last mill, from)", "from 8 to 31, or 0 for none"),
    ];
    for (at, value, field, expected) in refusals {
        let mut fields: Vec<&str> = base.split(' ').collect();
        fields[at] = if value.is_empty() { "none" } else { value };
        let error = Position::from_fen(&Rules::NINE, &fields.join(" ")).expect_err(value).to_string();
        let found = format!("found '{}'", fields[at].rsplit(' ').next().unwrap_or_default());
        let names_it = error.starts_with(field) && error.contains(expected);
        assert!(names_it && (error.contains(&found) || at == 17), "{value}: {error}");
    }
    for count in 0..17 {
        let text = base.split(' ').take(count).collect::<Vec<_>>().join(" ");
        let error = Position::from_fen(&Rules::NINE, &text).expect_err("too short").to_string();
        assert!(error.contains(&format!("found '{count} fields', expected 17")), "{error}");
    }
}

#[test]
fn every_part_of_a_position_counts_in_its_key() {
    let rules = Rules::parse("nine,OneTimeUseMill=true,RestrictRepeatedMillsFormation=true").expect("rules");
    let base = "@*******/O*******/OX*@O*** w p r 3 5 2 6 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    let field = |at: usize, value: &str| {
        let mut fields: Vec<&str> = base.split(' ').collect();
        fields[at] = value;
        fields.join(" ")
    };
    let mut texts = vec![
        base.to_owned(),
        field(0, "@*******/O*******/O**@O***"),
        field(0, "@*******/O*******/O*X@O***"),
        field(1, "b"),
        field(2, "m"),
        field(3, "p"),
        field(5, "4"),
        field(7, "7"),
        field(8, "2"),
        field(8, "-1"),
        field(9, "1"),
        field(9, "-1"),
        field(14, "1"),
        field(14, "4294967296"),
        field(14, "4294967297"),
    ];
    texts.extend((10..14).map(|at| field(at, "0")));
    texts.extend((10..14).map(|at| field(at, "7")));
    for token in ["p:0", "p:1", "s:1", "s:2"] {
        texts.push(format!("{base} {token}"));
    }
    for kind in ["c", "i", "l"] {
        for record in ["w-1-0", "w-1-19", "w-2-0", "b-1-0", "b-0-0"] {
            texts.push(format!("{base} {kind}:{record}"));
        }
    }
    let mut known: HashMap<u64, &str> = HashMap::new();
    for text in &texts {
        let pos = Position::from_fen(&rules, text).expect("a legal text");
        if let Some(other) = known.insert(pos.key(), text) {
            panic!("one key for\n{text}\n{other}");
        }
    }
    // The counters of the draw rules do not.
    for at in [15, 16] {
        let pos = Position::from_fen(&rules, &field(at, "9")).expect("a legal text");
        assert_eq!(known.get(&pos.key()), Some(&base));
    }
}

/// A text read back is the same text; of finished games only a removal that is stated and no longer owed counts as
/// owed again (rules.md 9.3). Texts of games that go on are the same unless reading ends the game (the
/// counters and the number of men are looked at while a removal is owed, rules.md 8.1 and 14.3) or applies the
/// rule about a blocked side, which a passed turn leaves out in play (8.3).
#[test]
fn position_texts_return() {
    let returned = Cell::new(0_u32);
    let result = check(256, &games(220), |(raw, choices)| {
        let start = Position::new(&raw.rules());
        walk(&start, &choices, |pos, _| {
            let fen = pos.fen();
            let back = Position::from_fen(pos.rules(), &fen).map_err(|error| error.to_string())?;
            back.is_ok()?;
            if back.fen() == fen {
                returned.set(returned.get() + 1);
                if !pos.outcome().is_over() {
                    let moves = |pos: &Position| movegen::legal(pos).to_vec();
                    same("legal moves of the text", moves(&back), moves(pos))?;
                }
                return Ok(());
            }
            let us = pos.side_to_move();
            let passed = pos.rules().stalemate_action == 1 && pos.debt(us) == 0 && pos.is_surrounded(us);
            let ended = back.outcome().is_over() && pos.phase() != Phase::Over;
            if pos.outcome().is_over() {
                let text = back.fen();
                let settled: Vec<&str> = text
                    .split(' ')
                    .enumerate()
                    .map(|(i, f)| if i == 8 || i == 9 { "0" } else { f })
                    .collect();
                let stated = pos.debt(Color::White) + pos.debt(Color::Black) == 0 && fen.contains(" o r ");
                return same("text of a finished game", (settled.join(" "), stated), (fen, true));
            }
            if passed || ended { Ok(()) } else { same("text read back", back.fen(), fen) }
        })
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(returned.get() > 1000, "{} texts", returned.get());
}

#[test]
fn a_move_is_legal_exactly_if_the_list_has_it_for_every_encoding() {
    let strategy = (rule_sets(), texts(), any::<bool>(), prop::collection::vec(any::<u16>(), 0..200));
    let result = check(128, &strategy, |(raw, text, odd, choices)| {
        let rules = raw.rules();
        let start = if odd { Position::from_fen(&rules, &text.write(&rules)).ok() } else { None };
        let start = start.unwrap_or_else(|| Position::new(&rules));
        walk(&start, &choices, |pos, played| {
            // Three plies of a game in full, the points of the board at all others.
            let sampled = played.len() % 67 == usize::from(choices.first().unwrap_or(&0) % 67);
            let list = movegen::playable(pos);
            let step = if sampled { 1 } else { 61 };
            for bits in (0..=u16::MAX).step_by(step) {
                let m = Move::from_bits(bits);
                if pos.is_legal(m) != list.contains(&m) {
                    return Err(format!("{bits:#06x} ({m}): legal {}, list {list:?}", pos.is_legal(m)));
                }
            }
            for (i, &m) in list.iter().enumerate() {
                let once = !list[..i].contains(&m) && pos.is_legal(m) && Move::from_bits(m.bits()) == m;
                same(&format!("{m} is listed once and legal"), once, true)?;
            }
            Ok(())
        })
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// The image of a move under a symmetry of the board.
fn image(m: Move, symmetry: usize) -> Move {
    let square = |s: Square| transform_square(s, symmetry);
    match m.kind() {
        MoveKind::Place => Move::place(square(m.to())),
        MoveKind::Slide => Move::slide(square(m.from()), square(m.to())),
        MoveKind::Take => Move::take(square(m.to())),
        MoveKind::None => m,
    }
}

/// The image of a text with new numbers of points (`ids:nodes`).
fn image_of_text(fen: &str, symmetry: usize) -> String {
    let moved = |n: usize| transform_square(Square::new(n), symmetry).index();
    let number = |text: &str| text.parse::<usize>().map_or(text.to_owned(), |n| moved(n).to_string());
    let points = |text: &str| {
        let mut points: Vec<usize> = text.split('.').filter_map(|n| n.parse().ok()).map(moved).collect();
        points.sort_unstable();
        points.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
    };
    let fields = fen.split(' ').enumerate().map(|(i, field)| match (i, field.split_once(':')) {
        (0, _) => {
            let letters: Vec<char> = field.chars().filter(|&c| c != '/').collect();
            let mut board = ['*'; 24];
            for (n, &letter) in letters.iter().enumerate() {
                board[moved(n)] = letter;
            }
            board.chunks(8).map(|ring| ring.iter().collect::<String>()).collect::<Vec<_>>().join("/")
        }
        (10..=13, _) => number(field),
        (14, _) => {
            let used: u64 = field.parse().expect("a number");
            let set = |half: u64| u64::from(Bitboard(half as u32).transform(symmetry).0);
            (set(used >> 32) << 32 | set(used & 0xffff_ffff)).to_string()
        }
        (_, Some((letter @ ("c" | "i" | "l"), segments))) => {
            let segment = |text: &str| {
                let parts: Vec<&str> = text.splitn(3, '-').collect();
                format!("{}-{}-{}", parts[0], parts[1], points(parts[2]))
            };
            let segments: Vec<String> = segments.split('|').map(segment).collect();
            format!("{letter}:{}", segments.join("|"))
        }
        (_, Some(("p", point))) => format!("p:{}", number(point)),
        _ => field.to_owned(),
    });
    fields.collect::<Vec<_>>().join(" ")
}

/// The 16 symmetries of the board keep neighbours and the three families of lines, and no point is the middle of
/// two lines of one family, so the order in which interventions choose a line is symmetric too: whole games have
/// images, text for text, once the point of `p:`, marks, used mills, latest mills and records are moved along.
/// (Colours are not symmetric, and neither are imported intervention records with more than two targets.)
#[test]
fn symmetric_positions_have_symmetric_moves_and_equal_perft() {
    let strategy =
        (rule_sets(), prop::collection::vec(any::<u16>(), 0..160), 0..SYMMETRIES, prop::option::of(texts()));
    let result = check(256, &strategy, |(raw, choices, symmetry, text)| {
        let rules = raw.rules();
        let text = text.map(|text| text.write(&rules)).and_then(|t| Position::from_fen(&rules, &t).ok());
        let start = text.unwrap_or_else(|| Position::new(&rules));
        // Only the text of an ongoing game is as good as the position itself.
        let start = if start.outcome().is_over() { Position::new(&rules) } else { start };
        let Ok(mut start_again) = Position::from_fen(&rules, &start.fen()) else {
            return Err(format!("{} is refused", start.fen()));
        };
        if start_again.fen() != start.fen() {
            start_again = Position::new(&rules);
        }
        let mut twin = Position::from_fen(&rules, &image_of_text(&start_again.fen(), symmetry))
            .map_err(|error| error.to_string())?;
        walk(&start_again, &choices, |pos, played| {
            if let Some(&m) = played.last() {
                twin.do_move(image(m, symmetry));
            }
            let context = format!("symmetry {symmetry}");
            same(&context, &twin.fen(), &image_of_text(&pos.fen(), symmetry))?;
            same(&context, twin.outcome(), pos.outcome())?;
            same(&context, twin.repetitions(), pos.repetitions())?;
            let mut images: Vec<Move> = movegen::playable(pos).iter().map(|&m| image(m, symmetry)).collect();
            let mut moves = movegen::playable(&twin).to_vec();
            images.sort_unstable();
            moves.sort_unstable();
            same(&context, moves, images)?;
            if played.len() % 8 == 0 {
                for depth in 1..=2 {
                    let counts = (movegen::perft(&mut twin, depth), movegen::perft(pos, depth));
                    same(&context, counts.0, counts.1)?;
                }
            }
            Ok(())
        })
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// The parts of a position text as random numbers; [`RawText::write`] fits them to the rules, so that most texts
/// are accepted, and spoils some of them.
#[derive(Clone, Debug)]
struct RawText {
    cells: Vec<u8>,
    density: u8,
    black_to_move: bool,
    phase: u8,
    action: u8,
    hands: (u8, u8),
    debts: (i8, i8),
    mills: Vec<u8>,
    used: Option<(u32, u32)>,
    quiet: u16,
    number: u16,
    records: Vec<(u8, u8, u8, Vec<u8>)>,
    preferred: Option<u8>,
    stale: Option<u8>,
    old_ids: bool,
    spoilt: Option<(u8, u8)>,
}

fn texts() -> impl Strategy<Value = RawText> {
    let men = (prop::collection::vec(any::<u8>(), 24), any::<u8>(), any::<bool>(), 0..16_u8, 0..16_u8);
    let counts = (
        (any::<u8>(), any::<u8>()),
        prop_oneof![4 => Just((0_i8, 0_i8)), 3 => (-3..4_i8, -3..4_i8), 1 => (any::<i8>(), any::<i8>())],
        prop::collection::vec(0..60_u8, 4),
        prop::option::weighted(0.3, (any::<u32>(), any::<u32>())),
        prop_oneof![Just(0_u16), 0..30_u16, 95..210_u16],
        prop_oneof![0..40_u16, 0..16_000_u16],
    );
    let record = (0..3_u8, 0..2_u8, prop_oneof![0..4_u8, any::<u8>()], prop::collection::vec(0..24_u8, 0..3));
    let tokens = (
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(record, 1..4)],
        prop::option::weighted(0.2, 0..25_u8),
        prop::option::weighted(0.1, 0..4_u8),
        prop::bool::weighted(0.3),
        prop::option::weighted(0.15, (0..24_u8, any::<u8>())),
    );
    (men, counts, tokens).prop_map(|(men, counts, tokens)| {
        let (cells, density, black_to_move, phase, action) = men;
        let (hands, debts, mills, used, quiet, number) = counts;
        let (records, preferred, stale, old_ids, spoilt) = tokens;
        RawText {
            cells,
            density,
            black_to_move,
            phase,
            action,
            hands,
            debts,
            mills,
            used,
            quiet,
            number,
            records,
            preferred,
            stale,
            old_ids,
            spoilt,
        }
    })
}

impl RawText {
    fn write(&self, rules: &Rules) -> String {
        let pieces = usize::from(rules.pieces_count);
        let marks = if rules.mill_formation_action_in_placing_phase == 4 { 24 } else { 2 };
        let mut men = [0; 2];
        let mut board = String::new();
        for (n, &cell) in self.cells.iter().enumerate() {
            if n % 8 == 0 && n > 0 {
                board.push('/');
            }
            let empty = self.density / 2 + 20;
            board.push(match cell.checked_sub(empty) {
                None => '*',
                Some(rest) if rest < marks => 'X',
                Some(rest) => {
                    let color = usize::from(rest % 2);
                    if men[color] < pieces {
                        men[color] += 1;
                        ['O', '@'][color]
                    } else {
                        '*'
                    }
                }
            });
        }
        let us = usize::from(self.black_to_move);
        let side = ["w", "b"][us];
        // Often no hand at all, often just what is missing.
        let hand = |raw: u8, men: usize| match raw % 4 {
            0 | 1 => 0,
            2 => pieces - men,
            _ => usize::from(raw / 4) % (pieces - men + 1),
        };
        let hands = [hand(self.hands.0, men[0]), hand(self.hands.1, men[1])];
        let regular_phase = if hands[us] > 0 { "p" } else { "m" };
        let phase = ["p", "m", "o", "r", "n"].get(usize::from(self.phase)).unwrap_or(&regular_phase);
        let mut debts = [i32::from(self.debts.0), i32::from(self.debts.1)];
        let regular_action = match (debts[us], hands[us]) {
            (0, 0) => "s",
            (0, _) => "p",
            _ => "r",
        };
        let mut action = *["p", "s", "r", "?"].get(usize::from(self.action)).unwrap_or(&regular_action);
        // What a debt of own men together with a record or with another action means is not laid down.
        let mut records = self.records.clone();
        if rules.mill_formation_action_in_placing_phase == 5 {
            // The settlement may ask for own men while the other side still has a record.
            records.clear();
        }
        if debts.iter().any(|&debt| debt < 0) {
            if records.is_empty() {
                action = if matches!(action, "p" | "r") { action } else { "r" };
            } else {
                debts = debts.map(i32::abs).map(|debt| debt.min(127));
            }
        }
        // Nor is which of several partners on different lines is kept: one intervention record of two for each.
        let mut seen = [false; 2];
        records.retain(|&(kind, color, ..)| {
            kind != 1 || !std::mem::replace(&mut seen[usize::from(color)], true)
        });

        let shift = if self.old_ids { 8 } else { 0 };
        let none = if self.old_ids { 0 } else { -1 };
        let mill = |raw: u8| if raw < 24 { i32::from(raw) + shift } else { none };
        let mills: Vec<String> = self.mills.iter().map(|&raw| mill(raw).to_string()).collect();
        let used = self.used.map_or(0, |(white, black)| {
            let half = |bits: u32| u64::from(bits & Bitboard::FULL.0) << shift;
            half(white) << 32 | half(black)
        });
        let mut fields = vec![board, side.into(), (*phase).into(), action.into()];
        for color in Color::ALL.map(Color::index) {
            fields.extend([men[color].to_string(), hands[color].to_string()]);
        }
        fields.extend(debts.map(|debt| debt.to_string()));
        fields.extend(mills);
        fields.extend([used.to_string(), self.quiet.to_string(), self.number.to_string()]);
        if !self.old_ids {
            fields.push("ids:nodes".to_owned());
        }
        for (kind, color, count, points) in &records {
            let points: Vec<String> = points.iter().map(|&p| (i32::from(p) + shift).to_string()).collect();
            let kind = ['c', 'i', 'l'][usize::from(*kind)];
            fields.push(format!("{kind}:{}-{count}-{}", ['w', 'b'][usize::from(*color)], points.join(".")));
        }
        if let Some(point) = self.preferred {
            fields.push(format!("p:{}", if point < 24 { i32::from(point) + shift } else { none }));
        }
        if let Some(kind) = self.stale {
            fields.push(format!("s:{kind}"));
        }
        if let Some((field, with)) = self.spoilt {
            const STRANGE: [&str; 26] = [
                "-1", "0", "+0", "-0", "1", "007", "8", "24", "31", "32", "-128", "-129", "127", "128",
                "255", "256", "65535", "65536", "x", "q", "r", "é", "w-1-", "c:", "i:w-1", "l:b-1-99",
            ];
            let field = usize::from(field) % fields.len();
            let spoilt = STRANGE[usize::from(with) % STRANGE.len()];
            let whole = fields.join(" ");
            // Counters near the end of their range are not laid down.
            if with >= 240 {
                fields.remove(field);
            } else if !matches!(field, 15 | 16) || !spoilt.starts_with("655") {
                fields[field] = spoilt.to_owned();
            }
            let own_debt = fields[8..10].iter().any(|debt| debt.parse().is_ok_and(|debt: i32| debt < 0));
            let has_records = fields.iter().any(|field| matches!(field.get(..2), Some("c:" | "i:" | "l:")));
            if own_debt && (has_records || !matches!(&*fields[3], "p" | "r")) {
                return whole;
            }
        }
        fields.join(" ")
    }
}
