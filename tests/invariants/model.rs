//! Engine and naive model, ply by ply.

use super::drawn::{games, pick, rule_sets, texts};
use super::{check, replay_text, same};
use crate::naive;
use crate::subject::{EngineGame, Subject};
use millstone::rules::{RULE_OPTIONS, Rules};
use millstone::types::Move;
use proptest::prelude::*;
use std::cell::Cell;

/// The visible state of a game.
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

/// Plays a game with engine and naive model side by side and compares the visible state, and at intervals
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
        let sound = millstone::internals::check(engine.position()).map_err(|error| error.to_string());
        sound
            .and_then(|()| same("engine, then naive model", &found, &Face::of(naive)))
            .map_err(|error| format!("{error}{}", replay_text(&rules, &start, played)))?;
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
            return Err(format!("{text} is refused after{}", replay_text(&rules, &start, &played)));
        }
        played.push(m);
        over = compare(&engine, &naive, &played)?;
        if (usize::from(choice) + ply) % 64 == 0 {
            same("perft 2", engine.perft(2), Subject::perft(&naive, 2))
                .map_err(|error| error + &replay_text(&rules, &start, &played))?;
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
    let (cases, plies) = (Cell::new(0), Cell::new(0));
    let result = check(512, &(games(220), any::<bool>()), |((raw, choices), past_draws)| {
        cases.set(cases.get() + 1);
        let rules = raw.rules();
        let naive = naive::Game::new(&naive_rules(&rules));
        let played = play_both(EngineGame::new(&rules), naive, past_draws, &choices)?;
        plies.set(plies.get() + played);
        Ok(())
    });
    eprintln!("{} plies compared", plies.get());
    result.unwrap_or_else(|error| panic!("{error}"));
    // 64 plies a game with the usual seed; the mean of a few games says nothing.
    let (cases, plies) = (cases.get(), plies.get());
    assert!(cases < 256 || plies > 32 * cases, "{plies} plies in {cases} games");
}

#[test]
fn the_naive_model_agrees_about_odd_position_texts_and_what_follows() {
    let (cases, plies, refused) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let strategy = (rule_sets(), texts(), prop::collection::vec(any::<u16>(), 0..40), any::<bool>());
    let result = check(2048, &strategy, |(raw, text, choices, past_draws)| {
        cases.set(cases.get() + 1);
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
    // 8 plies a text with the usual seed.
    let (cases, plies) = (cases.get(), plies.get());
    assert!(cases < 256 || plies > 4 * cases, "{plies} plies after {cases} texts");
}

/// Games in which engine and model differed before, or that random games miss: rules, text, moves.
const ONCE_DIFFERENT: [(&str, &str, &str); 20] = [
    // After the last take of a lost game nothing may be played.
    ("nine", "****@***/********/OO***@@O w m r 3 0 3 0 1 0 -1 -1 -1 -1 0 0 9 ids:nodes", "xd3"),
    // A text that asks for a placing although two takes are due: after the first, one is still due.
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
    // More takes than men.
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
        assert_eq!(millstone::internals::check(engine.position()), Ok(()));
    }
}
