//! Positions: undoing moves, keys, position texts, legal moves.

use super::drawn::{games, rule_sets, texts};
use super::{check, same, walk};
use millstone::internals::{self, inner_state};
use millstone::notation;
use millstone::position::{Phase, Position};
use millstone::rules::Rules;
use millstone::types::{Color, Move};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::HashMap;

/// The rules do not define a position in which a side has takes of its own men due and also has a capture
/// record. Such a position must do no harm.
#[test]
fn takes_due_of_own_men_together_with_a_capture_record_does_no_harm() {
    let rules = Rules::by_name("mul-mulan").expect("a rule set");
    let text = "********/*******O/***@@*@* b p r 1 0 3 0 0 -1 -1 -1 -1 -1 0 0 1 ids:nodes c:b-1-15";
    let mut pos = Position::from_fen(&rules, text).expect("a legal text");
    let m = notation::parse(&pos, "xb6").expect("a target of the record");
    pos.do_move(m);
    assert_eq!(internals::check(&pos), Ok(()));
    assert_eq!((pos.men(Color::White).count(), pos.men(Color::Black).count()), (0, 3));
}

#[test]
fn undoing_moves_restores_everything() {
    /// Returns all visible state of a position, as texts and values.
    fn snapshot(pos: &Position) -> impl PartialEq + std::fmt::Debug + use<> {
        let legal = pos.playable_moves().to_vec();
        let counts = [pos.move_counter(), pos.ply(), pos.repetitions()];
        (pos.fen(), pos.key(), inner_state(pos), pos.outcome(), legal, counts, pos.moves_played())
    }
    let result = check(256, &games(220), |(raw, choices)| {
        let start = Position::new(&raw.rules());
        let mut snapshots = Vec::new();
        let mut last = start.clone();
        walk(&start, &choices, |pos, _| {
            snapshots.push(snapshot(pos));
            // Play and undo every move from here.
            for &m in pos.playable_moves().iter() {
                pos.do_move(m);
                pos.undo_move();
                same(&format!("{m} undone"), &snapshot(pos), &snapshots[snapshots.len() - 1])?;
            }
            last = pos.clone();
            Ok(())
        })?;
        while let Some(before) = snapshots.pop() {
            same("after undoing", &snapshot(&last), &before)?;
            if !snapshots.is_empty() {
                last.undo_move();
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// A text holds all of a position but two things: the history, and the flag that says that the takes due
/// come from a mill (`docs/rules.md`, "Corner cases"). So a position that is read back has the same key if
/// and only if it has the same flag. Two positions of one game share a key only if their texts differ in
/// nothing but the counters.
#[test]
fn keys_follow_from_the_position_and_from_nothing_else() {
    /// Returns the text without the counters of the draw rules and the move number.
    fn identity(pos: &Position) -> (String, bool) {
        let fen = pos.fen();
        let fields: Vec<&str> = fen.split(' ').collect();
        ([&fields[..15], &fields[17..]].concat().join(" "), inner_state(pos).1.mill_due)
    }
    let result = check(256, &games(200), |(raw, choices)| {
        let start = Position::new(&raw.rules());
        let mut known: HashMap<u64, (String, bool)> = HashMap::new();
        walk(&start, &choices, |pos, _| {
            let back = Position::from_fen(pos.rules(), &pos.fen()).map_err(|error| error.to_string())?;
            if !pos.outcome().is_over() && back.fen() == pos.fen() {
                same("instance of the text", inner_state(&back).0, inner_state(pos).0)?;
                same("key of the text", back.key() == pos.key(), identity(&back) == identity(pos))?;
            }
            let mut meet = |pos: &Position| {
                // The text shows a draw, but the draw is not part of the position.
                if pos.outcome().is_over() {
                    return Ok(());
                }
                let identity = identity(pos);
                let first = known.entry(pos.key()).or_insert_with(|| identity.clone());
                same("two positions with one key", &identity, first)
            };
            meet(pos)?;
            for &m in pos.legal_moves().iter() {
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
        (8, "128", "field 9 (white takes due)", "from -128 to 127"),
        (9, "-129", "field 10 (black takes due)", "from -128 to 127"),
        (10, "24", "field 11 (white last mill, from)", "from 0 to 23, or -1 for none"),
        (11, "-2", "field 12 (white last mill, to)", "from 0 to 23, or -1 for none"),
        (12, "", "field 13 (black last mill, from)", "from 0 to 23, or -1 for none"),
        (13, "x", "field 14 (black last mill, to)", "from 0 to 23, or -1 for none"),
        (14, "16777216", "field 15 (used mills)", "24 bits each"),
        (14, "-1", "field 15 (used mills)", "from 0 to"),
        (15, "65536", "field 16 (move counter)", "from 0 to 65535"),
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
        let found = if count == 0 { "found nothing" } else { "found '@" };
        assert!(
            error.contains(found) && error.contains("expected 17 fields; the first missing is "),
            "{error}"
        );
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
    // The counters of the draw rules do not count in the key.
    for at in [15, 16] {
        let pos = Position::from_fen(&rules, &field(at, "9")).expect("a legal text");
        assert_eq!(known.get(&pos.key()), Some(&base));
    }
}

/// A position that is read back has the same text, with three exceptions. In a finished game the text may
/// state a take that is no longer due; after reading it is due again (`docs/rules.md`, "After reading").
/// Reading may end a game that goes on, since it checks counters and men even if a take is due ("Order of
/// checks", "Corner cases"). Reading applies the stalemate rule where play skips it, after a passed turn
/// ("Blocked sides and stalemate").
#[test]
fn position_texts_are_the_same_after_reading() {
    let returned = Cell::new(0_u32);
    let result = check(256, &games(220), |(raw, choices)| {
        let start = Position::new(&raw.rules());
        walk(&start, &choices, |pos, _| {
            let fen = pos.fen();
            let back = Position::from_fen(pos.rules(), &fen).map_err(|error| error.to_string())?;
            internals::check(&back).map_err(|error| error.to_string())?;
            if back.fen() == fen {
                returned.set(returned.get() + 1);
                if !pos.outcome().is_over() {
                    let moves = |pos: &Position| pos.legal_moves().to_vec();
                    same("legal moves of the text", moves(&back), moves(pos))?;
                }
                return Ok(());
            }
            let us = pos.side_to_move();
            let passed = pos.rules().stalemate_action == 1 && pos.takes_due(us) == 0 && pos.is_blocked(us);
            let ended = back.outcome().is_over() && pos.phase() != Phase::Over;
            if pos.outcome().is_over() {
                let text = back.fen();
                let settled: Vec<&str> = text
                    .split(' ')
                    .enumerate()
                    .map(|(i, f)| if i == 8 || i == 9 { "0" } else { f })
                    .collect();
                let stated =
                    pos.takes_due(Color::White) + pos.takes_due(Color::Black) == 0 && fen.contains(" o r ");
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
            // About three plies of a game are checked with every encoding, the others with every 61st.
            let sampled = played.len() % 67 == usize::from(choices.first().unwrap_or(&0) % 67);
            let list = pos.playable_moves();
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
