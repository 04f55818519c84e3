//! Move lists that continue past a draw by repetition or by a move counter (`docs/protocol.md`, "Finished
//! games"): the draw is reported where the list ends, and has no effect on later positions.

use crate::fuzzed::chance::{Dice, fresh};
use crate::naive;
use crate::subject;

use subject::Subject;

const REPEATING: &str = "********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";

fn a_third_repetition_is_told_and_can_be_played_on<S: Subject>() {
    let rules = S::rules_from("").expect("the defaults");
    let mut game = S::from_fen(&rules, REPEATING).expect("a legal text");
    game.play_past_draws();
    let cycle = ["g1-g4", "f4-f2", "g4-g1", "f2-f4"];
    for action in cycle.iter().cycle().take(9) {
        assert_eq!(game.reason(), "ongoing");
        assert!(game.play(action), "{action} at {}", game.fen());
    }
    assert_eq!(game.reason(), "drawThreefoldRepetition");
    assert_eq!(game.winner(), Some("draw"));
    assert_eq!(game.fen(), "********/**@**@*O/O*O*@@*O w o ? 4 0 4 0 0 0 -1 -1 -1 -1 0 9 5 ids:nodes");
    assert!(game.terminal() && game.legal().is_empty() && game.side().is_none());
    assert!(!game.play("g4-g1"), "the side to move is Black");

    // A position that has not occurred three times is not a draw, even if the position before it was.
    assert!(game.play("f4-e4"));
    assert_eq!(game.reason(), "ongoing");
    assert_eq!(game.fen(), "**@*****/*****@*O/O*O*@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 10 6 ids:nodes");
    // The fourth occurrence of a position is a draw again.
    for action in ["g4-g1", "e4-f4", "g1-g4"] {
        assert!(game.play(action), "{action} at {}", game.fen());
    }
    assert_eq!(game.reason(), "drawThreefoldRepetition");
    assert_eq!(game.repetition_count(), 4);
}

fn an_imported_draw_can_be_played_on<S: Subject>() {
    let rules = S::rules_from("").expect("the defaults");
    let drawn = REPEATING.replace(" 0 0 1 ids", " 0 100 1 ids");
    let mut game = S::from_fen(&rules, &drawn).expect("a legal text");
    assert_eq!((game.reason(), game.legal().len()), ("drawFiftyMove", 0));
    assert!(!game.play("g1-g4"), "without the permission a draw is final");
    game.play_past_draws();
    assert!(game.play("g1-g4"));
    assert_eq!(game.fen(), "********/**@**@*O/O*O*@@*O w o ? 4 0 4 0 0 0 -1 -1 -1 -1 0 101 1 ids:nodes");
    assert_eq!(game.reason(), "drawFiftyMove");
}

fn other_endings_stay_final<S: Subject>() {
    let rules = S::rules_from("MayFly=false").expect("a rule set");
    // The move blocks Black and completes the count of quiet moves at once.
    let fen = "********/****O***/O@O**@O@ w m s 4 0 3 0 0 0 -1 -1 -1 -1 0 99 1 ids:nodes";
    let mut game = S::from_fen(&rules, fen).expect("a legal text");
    game.play_past_draws();
    assert!(game.play("d2-d1"));
    assert_eq!(game.reason(), "drawFiftyMove");
    for action in ["a1-a4", "a1-b2", "g7-g4", "xd1", "d2"] {
        assert!(!game.play(action), "{action} after a stalemate that is a loss");
    }
}

/// Games played past every draw, under rules that draw early, are the same as under rules without these
/// draws.
fn a_draw_played_past_leaves_no_trace<S: Subject>() {
    const RULES: [&str; 6] = [
        "",
        "MayFly=false StalemateAction=2",
        "MayFly=false StalemateAction=5 HasDiagonalLines=true",
        "PiecesCount=10 MayMoveInPlacingPhase=true StalemateAction=1",
        "PiecesCount=12 HasDiagonalLines=true RestrictRepeatedMillsFormation=true OneTimeUseMill=true",
        "CustodianCaptureEnabled=true InterventionCaptureEnabled=true LeapCaptureEnabled=true \
            StalemateAction=3",
    ];
    let mut drawn = [0, 0];
    for (i, text) in RULES.iter().enumerate() {
        let early = S::rules_from(&format!("{text} NMoveRule=10 EndgameNMoveRule=5")).expect("a rule set");
        let late =
            S::rules_from(&format!("{text} NMoveRule=200 EndgameNMoveRule=200 ThreefoldRepetitionRule=0"))
                .expect("a rule set");
        for seed in 1..=40 {
            let mut dice = Dice(fresh(seed * 64 + i as u64));
            let mut game = S::new(&early);
            let mut twin = S::new(&late);
            game.play_past_draws();
            let mut played = Vec::new();
            for ply in 0..180 {
                let context = format!("rules `{text}` seed {seed} ply {ply} at {}", twin.fen());
                match game.reason() {
                    "drawThreefoldRepetition" => drawn[0] += 1,
                    "drawFiftyMove" | "drawEndgameFiftyMove" => drawn[1] += 1,
                    _ => {
                        assert_eq!(game.fen(), twin.fen(), "{context}");
                        assert_eq!(game.legal(), twin.legal(), "{context}");
                        assert_eq!(game.reason(), twin.reason(), "{context}");
                    }
                }
                let legal = twin.legal();
                if legal.is_empty() {
                    break;
                }
                // Half of the moves go back where a man came from: men that shuttle repeat positions.
                let back = played.iter().rev().nth(1).and_then(|action: &String| action.split_once('-'));
                let back = back.map(|(from, to)| format!("{to}-{from}")).filter(|back| legal.contains(back));
                let action = match back {
                    Some(back) if dice.below(2) == 0 => back,
                    _ => legal[dice.below(legal.len())].clone(),
                };
                assert!(twin.play(&action) && game.play(&action), "{action}, {context}");
                played.push(action);
            }
        }
    }
    assert!(drawn.iter().all(|&plies| plies > 100), "plies drawn by repetition and by moves: {drawn:?}");
}

#[test]
fn naive_model_tells_a_third_repetition_and_plays_on() {
    a_third_repetition_is_told_and_can_be_played_on::<naive::Game>();
}

#[test]
fn naive_model_plays_on_from_an_imported_draw() {
    an_imported_draw_can_be_played_on::<naive::Game>();
}

#[test]
fn naive_model_keeps_other_endings_final() {
    other_endings_stay_final::<naive::Game>();
}

#[test]
fn naive_model_forgets_a_draw_it_plays_past() {
    a_draw_played_past_leaves_no_trace::<naive::Game>();
}

#[test]
fn engine_tells_a_third_repetition_and_plays_on() {
    a_third_repetition_is_told_and_can_be_played_on::<subject::EngineGame>();
}

#[test]
fn engine_plays_on_from_an_imported_draw() {
    an_imported_draw_can_be_played_on::<subject::EngineGame>();
}

#[test]
fn engine_keeps_other_endings_final() {
    other_endings_stay_final::<subject::EngineGame>();
}

#[test]
fn engine_forgets_a_draw_it_plays_past() {
    a_draw_played_past_leaves_no_trace::<subject::EngineGame>();
}
