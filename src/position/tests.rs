//! Repetition and move counters, keys, texts, and moves that are refused.

use super::{CountPolicy, Position, PositionError, Reason};
use crate::bitboard::SYMMETRIES;
use crate::notation;
use crate::platform::mixing::{mix, scatter};
use crate::rules::{CompiledRules, RepetitionProfile, Rules};
use crate::types::{Move, MoveKind, Square};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use std::sync::Arc;

const SHUTTLE: &str = "********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";

fn read(rules: &str, text: &str) -> Position {
    Position::from_fen(&Rules::parse(rules).unwrap(), text).unwrap()
}

fn play(pos: &mut Position, moves: &str) {
    for text in moves.split_whitespace() {
        let m = notation::parse(pos, text).unwrap();
        pos.do_move(m);
    }
}

#[test]
fn a_position_repeats_once_below_the_root_or_twice_above_it() {
    // The second set carries extras, whose repetition key is kept apart.
    for rules in ["nine", "nine,OneTimeUseMill=true"] {
        let mut pos = read(rules, SHUTTLE);
        // The position read is not counted, so the first return is that of the position after one move.
        for (text, once) in
            [("g1-g4", false), ("f4-f2", false), ("g4-g1", false), ("f2-f4", false), ("g1-g4", true)]
        {
            play(&mut pos, text);
            assert_eq!(pos.has_repeated(100), once, "{text} under {rules}");
            assert_eq!(pos.has_repeated(4), once, "{text} under {rules}");
            assert!(!pos.has_repeated(3), "{text} under {rules}");
        }
        play(&mut pos, "f4-f2 g4-g1 f2-f4");
        assert!(pos.has_repeated(4) && !pos.has_repeated(3));
        play(&mut pos, "g1-g4");
        assert!(pos.has_repeated(0), "twice before, however long ago");
        assert_eq!(pos.outcome().reason, Reason::DrawThreefoldRepetition);
        play(&mut pos, "f4-e4");
        assert!(!pos.has_repeated(100));
    }
    let mut pos = read("nine,ThreefoldRepetitionRule=false", SHUTTLE);
    play(&mut pos, "g1-g4 f4-f2 g4-g1 f2-f4 g1-g4 f4-f2 g4-g1 f2-f4 g1-g4");
    assert!(!pos.has_repeated(100) && pos.outcome().reason == Reason::Ongoing);
}

#[test]
fn forgotten_history_neither_repeats_nor_counts() {
    for rules in ["nine", "nine,OneTimeUseMill=true"] {
        let mut pos = read(rules, SHUTTLE);
        play(&mut pos, "g1-g4 f4-f2 g4-g1 f2-f4 g1-g4 f4-f2 g4-g1 f2-f4");
        pos.forget_history();
        assert_eq!((pos.move_counter(), pos.repetitions(), pos.repetition_window()), (0, 0, 0));
        assert_eq!(pos.check(), Ok(()));
        play(&mut pos, "g1-g4");
        assert_eq!((pos.outcome().reason, pos.move_counter()), (Reason::Ongoing, 1));
        assert!(!pos.has_repeated(100));
        pos.undo_move();
        pos.undo_move();
        assert_eq!((pos.move_counter(), pos.repetition_window()), (7, 7));
    }
    let mut pos = read("nine,NMoveRule=10", &SHUTTLE.replace(" 0 0 1 ids", " 0 10 1 ids"));
    assert_eq!(pos.outcome().reason, Reason::DrawFiftyMove);
    pos.forget_history();
    assert_eq!(pos.outcome().reason, Reason::Ongoing);
    // Drawn and blocked: without the draw, the rule about blocked sides shows in the text.
    let blocked = "********/********/O@O*O@O@ b m s 4 0 3 0 0 0 -1 -1 -1 -1 0 10 1 ids:nodes";
    let mut pos = read("nine,MayFly=false,StalemateAction=2,NMoveRule=10", blocked);
    assert!(pos.outcome().is_draw() && !pos.fen().contains("s:1"));
    pos.forget_history();
    assert!(!pos.outcome().is_over() && pos.fen().contains(" b m r ") && pos.fen().contains("s:1"));
}

#[test]
fn images_of_a_position_share_the_canonical_key_and_nothing_else_does() {
    let mut pos = Position::new(&Rules::NINE);
    let mut keys = Vec::new();
    for text in "d6 f4 d7 b2 d5 xf4 g1 a1 a4 e3 b6 c4 f6 e4 g7 c5".split_whitespace() {
        play(&mut pos, text);
        let (key, symmetry) = pos.canonical_tt_key();
        assert_eq!(key, scatter(pos.state.core.transform(symmetry).0));
        for symmetry in 0..SYMMETRIES {
            let mut image = pos.clone();
            image.state.core = pos.state.core.transform(symmetry);
            assert_eq!(image.canonical_tt_key().0, key, "symmetry {symmetry} of {pos:?}");
            // Side, hands, phase, action and due stay.
            let rest = |pos: &Position| pos.fen().split_once(' ').map(|(_, rest)| rest.to_owned());
            assert_eq!(rest(&image), rest(&pos));
            assert_eq!(image.playable_moves().len(), pos.playable_moves().len());
        }
        assert!(!keys.contains(&key));
        keys.push(key);
    }
}

#[test]
fn the_key_after_a_move_is_known_without_playing_it() {
    let mut random = StdRng::seed_from_u64(11);
    let mut known = [0; 4];
    let mut mills = 0;
    for game in 0..100 {
        let rules = [Rules::NINE, Rules::TWELVE, Rules::NERENCHI, Rules::PRESETS[3]];
        let mut pos = Position::new(&rules[game % rules.len()]);
        while !pos.outcome().is_over() {
            for &m in pos.legal_moves().iter() {
                let closes = pos.closes_mill(m);
                let mut after = pos.clone();
                after.do_move(m);
                let is_single = pos.state.core.due() <= 1 && after.state.core.due() <= 1;
                if is_single && after.phase() == pos.phase() {
                    assert_eq!(pos.key_after(m, closes), after.tt_key_as::<false>(), "{m} in {pos:?}");
                    known[m.kind() as usize] += 1;
                    mills += u32::from(closes);
                }
            }
            let legal = pos.legal_moves();
            pos.do_move(legal[random.random_range(0..legal.len())]);
        }
    }
    assert!(mills > 100 && known[1..].iter().all(|&count| count > 100), "{known:?}");
}

#[test]
fn move_counts_draw_after_quiet_moves_only() {
    let text = "**@*****/OO*****O/*O*@@@*O w m s 5 0 4 0 0 0 -1 -1 -1 -1 0 9 1 ids:nodes";
    let mut pos = read("nine,NMoveRule=10,EndgameNMoveRule=10", text);
    assert!(!pos.is_move_count_draw());
    play(&mut pos, "d6-d5");
    assert!(pos.is_move_count_draw());
    pos.undo_move();
    // The mill of d7 earns a take first.
    play(&mut pos, "d6-d7");
    assert!(pos.move_counter() == 10 && !pos.is_move_count_draw());
    play(&mut pos, "xe4");
    assert!(!pos.is_move_count_draw());
}

#[test]
fn on_a_full_board_that_is_read_no_draw_can_be_claimed() {
    let text = "@@O@O@@O/OO@O@OO@/@O@OO@@O w m s 12 0 12 0 0 0 -1 -1 -1 -1 0 100 13 ids:nodes";
    for (rules, reason) in
        [("twelve", Reason::LoseFullBoard), ("twelve,BoardFullAction=4", Reason::DrawFullBoard)]
    {
        let pos = read(rules, text);
        assert_eq!((pos.outcome().reason, pos.claimable_draw()), (reason, None), "{rules}");
    }
}

#[test]
fn contradicting_counts_are_repaired_on_request() {
    let compiled = Position::new(&Rules::NINE).shared_compiled();
    let read = |text: &str| {
        Position::from_fen_with(compiled.clone(), text, CountPolicy::Repair).map(|pos| pos.fen())
    };
    let text = "********/********/OO**@@*O w p z 7 200 0 3 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    let repaired = "********/********/OO**@@*O w p ? 3 6 2 3 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    assert_eq!(read(text).as_deref(), Ok(repaired));
    let men = "OOOOOOOO/OO******/******** w p p 10 0 0 9 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    assert!(read(men).is_err_and(|error| error.to_string().contains("at most 9 men of one side")));
}

#[test]
fn a_text_with_the_last_move_number_can_be_read_again() {
    let mut pos = read("nine", &SHUTTLE.replace(" 1 ids", " 32767 ids"));
    play(&mut pos, "g1-g4 f4-f2");
    let text = pos.fen();
    assert!(text.ends_with(" 2 32767 ids:nodes"), "{text}");
    assert_eq!(read("nine", &text).fen(), text);
}

#[test]
fn a_refused_board_letter_is_answered_with_the_four_letters() {
    let text = "Y*******/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let error = Position::from_fen(&Rules::NINE, text).unwrap_err().to_string();
    assert!(error.ends_with("expected O, @, X or * for each point, not 'Y'"), "{error}");
}

#[test]
fn a_point_number_out_of_all_range_is_refused() {
    let text = "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1";
    assert!(Position::from_fen(&Rules::NINE, text).is_ok());
    for number in [i64::MIN, -1, 7, 32, i64::MAX] {
        let with_mill = text.replacen(" 0 0 0 0 0 0 1", &format!(" 0 {number} 0 0 0 0 1"), 1);
        let with_token = format!("{text} p:{number}");
        for text in [with_mill, with_token] {
            assert!(Position::from_fen(&Rules::NINE, &text).is_err(), "{text}");
        }
    }
}

#[test]
fn play_refuses_exactly_the_illegal_moves_and_changes_nothing_then() {
    for (rules, moves) in
        [("nine", "d6 f4 d7 b2 d5"), ("nine", "d6 f4"), ("lasker,LeapCaptureEnabled=true", "")]
    {
        let mut pos = Position::new(&Rules::parse(rules).unwrap());
        play(&mut pos, moves);
        let legal = pos.legal_moves().to_vec();
        let all = Square::all().flat_map(|to| {
            let slides = Square::all().filter(move |&from| from != to).map(move |from| Move::slide(from, to));
            slides.chain([Move::place(to), Move::take(to)])
        });
        let (mut refused, before) = (0, format!("{pos:?}"));
        for m in all.chain([Move::NONE]).filter(|m| !legal.contains(m)) {
            let error = pos.play(m).unwrap_err();
            assert!(matches!(error, PositionError::IllegalMove(other) if other == m), "{m} in {pos:?}");
            refused += 1;
        }
        assert_eq!((format!("{pos:?}"), pos.legal_moves().to_vec()), (before, legal.clone()));
        assert_eq!(refused + legal.len(), 24 * 23 + 24 + 24 + 1, "each legal move is among all moves");
        for &m in &legal {
            pos.play(m).unwrap();
            pos.undo_move();
        }
    }
}

#[test]
fn a_position_to_which_a_blocked_side_has_passed_returns_under_both_profiles() {
    // Black is blocked while a white man goes to and fro. The position read counts under the second profile.
    let read = "*******O/********/O@O@O@O* b m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let taken = "@******O/********/O@O@O@O* w m r 5 0 4 0 1 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let rules = Rules::parse("nine,StalemateAction=1,MayFly=false").unwrap();
    for (fen, before) in [(read, ""), (taken, "xd5")] {
        for (profile, counts) in [
            (RepetitionProfile::AfterSlides, [0, 1, 1, 2, 2, 3]),
            (RepetitionProfile::StableMoving, [1, 1, 2, 2, 3, 3]),
        ] {
            let compiled = Arc::new(CompiledRules::with_profile(&rules, profile));
            let mut pos = Position::from_fen_with(compiled, fen, CountPolicy::Refuse).unwrap();
            play(&mut pos, before);
            let mut found = vec![pos.repetitions()];
            for slide in ["c5-c4", "c4-c5", "c5-c4", "c4-c5", "c5-c4"] {
                play(&mut pos, slide);
                found.push(pos.repetitions());
            }
            assert_eq!(found, counts, "{fen} {profile:?}");
        }
    }
}

/// The positions that count for repetition since the last placing or take, found by comparing texts.
struct Counted {
    seen: Vec<String>,
    counts_origin: bool,
}

impl Counted {
    /// Adds the position that a move has led to, or the first one.
    fn add(&mut self, pos: &Position, is_slide: bool) {
        let fen = pos.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        let is_stable = fields[2] == "m" && fields[3] == "s" && fields[8] == "0" && fields[9] == "0";
        // While the side to move has men in hand, the second profile counts nothing.
        let is_early = self.counts_origin && fields[2] == "p";
        if !is_slide || is_early {
            self.seen.clear();
        }
        // A slide that earns a take is not quiet.
        let counts = if is_slide { fields[3] != "r" && !is_early } else { self.counts_origin && is_stable };
        if counts {
            self.seen.push(format!("{} {}", fields[0], pos.side_to_move()));
        }
    }

    fn latest(&self) -> usize {
        self.seen.iter().filter(|text| Some(*text) == self.seen.last()).count()
    }
}

#[test]
fn move_counters_draw_under_both_profiles_where_only_one_counts_repetition() {
    let cases = [
        // A slide while men are in hand.
        ("lasker", "O***O***/@***@***/O***@*** w p p 3 5 3 5 0 0 -1 -1 -1 -1 0 99 60 ids:nodes", "d5-e5"),
        // A slide that blocks a side, which would take a man.
        (
            "nine,StalemateAction=2",
            "********/O*******/*@O@O@O@ w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 99 60 ids:nodes",
            "d6-d7",
        ),
    ];
    for (name, fen, slide) in cases {
        let rules = Rules::parse(name).unwrap();
        for profile in RepetitionProfile::ALL {
            let compiled = Arc::new(CompiledRules::with_profile(&rules, profile));
            let mut pos = Position::from_fen_with(compiled, fen, CountPolicy::Refuse).unwrap();
            play(&mut pos, slide);
            assert_eq!(pos.outcome().reason, Reason::DrawFiftyMove, "{name} {profile:?}");
        }
    }
}

#[test]
fn both_profiles_count_the_positions_they_say_in_random_games() {
    for (rules, profile) in ["nine", "lasker", "russian", "morabaraba", "nine,MayMoveInPlacingPhase=true"]
        .into_iter()
        .flat_map(|rules| RepetitionProfile::ALL.map(|profile| (Rules::parse(rules).unwrap(), profile)))
        // A blocked side takes a man.
        .chain([(Rules::PRESETS[8], RepetitionProfile::StableMoving)])
        // A blocked side passes.
        .chain(
            RepetitionProfile::ALL.map(|profile| (Rules { stalemate_action: 1, ..Rules::EL_FILJA }, profile)),
        )
    {
        let compiled = Arc::new(CompiledRules::with_profile(&rules, profile));
        let mut most = 0;
        for seed in 0..60_u64 {
            let mut pos = Position::with_compiled(Arc::clone(&compiled));
            let mut counted =
                Counted { seen: Vec::new(), counts_origin: profile == RepetitionProfile::StableMoving };
            for n in 0..150 {
                let moves = pos.legal_moves();
                if moves.is_empty() {
                    break;
                }
                // Few choices, so that positions return.
                let m = moves[(mix(seed << 32 | n) as usize % moves.len().min(3)).min(moves.len() - 1)];
                pos.do_move(m);
                let is_slide = m.kind() == MoveKind::Slide;
                counted.add(&pos, is_slide);
                let found = (pos.repetitions() as usize, pos.repetition_window() as usize);
                assert_eq!(found, (counted.latest(), counted.seen.len()), "{rules} {profile:?} {pos:?}");
                assert_eq!(pos.check(), Ok(()));
                let is_drawn = pos.outcome().reason == Reason::DrawThreefoldRepetition;
                assert_eq!(is_drawn, is_slide && !pos.is_take_due() && found.0 >= 3, "{pos:?}");
                most = most.max(found.0);
            }
        }
        assert!(most >= 3, "{rules} {profile:?}: no position returned often enough");
    }
}
