//! Probing: values, ranked moves, and lines of best play.

use super::{SMALL, build, fen, job, job_of, open_tablebase, random_position, replace_values};
use crate::common::Folder;
use crate::fuzzed::chance::fresh;
use millstone::internals::build::Distances;
use millstone::internals::tb::build::BuildJob;
use millstone::internals::tb::probe;
use millstone::internals::tb::scope::Scope;
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::tablebase::{Found, Sector, Tablebase, TbValue, Wdl};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

#[test]
fn ranked_moves_agree_with_the_value_of_the_position() {
    let folder = build("ranked", 8, 2);
    let tablebase = open_tablebase(folder.path());
    let mut random = StdRng::seed_from_u64(fresh(11));
    for _ in 0..2000 {
        let mut pos =
            random_position(&mut random, &Rules::NINE, &[(3, 3), (4, 3), (3, 4), (5, 3), (3, 5), (4, 4)]);
        loop {
            let value = tablebase.probe_distance(&pos).expect("sound").expect("known");
            assert_eq!(tablebase.probe(&pos).expect("sound"), Some(value.wdl));
            let ranked = tablebase.rank_moves(&pos).expect("sound").expect("known");
            assert_eq!(ranked.len(), pos.playable_moves().len());
            assert_eq!(ranked[0].value, value, "{}", pos.fen());
            assert!(ranked.windows(2).all(|two| two[0].value.preference() >= two[1].value.preference()));
            assert!(Tablebase::best_moves(&ranked).iter().all(|ranked| ranked.value.wdl == value.wdl));
            // Also enter positions with a take due.
            let close = ranked.iter().find(|ranked| {
                let mut after = pos.clone();
                after.do_move(ranked.m);
                after.is_take_due()
            });
            match close {
                Some(ranked) if !pos.is_take_due() => pos.do_move(ranked.m),
                _ => break,
            }
        }
    }
}

/// If only results are stored, a win that ends the game at once must rank above other wins.
#[test]
fn a_win_at_once_comes_before_wins_of_unknown_length() {
    let folder = Folder::new("results-only");
    BuildJob { distances: Distances::None, ..job(folder.path(), 7, 2) }.run().expect("a build");
    let tablebase = open_tablebase(folder.path());
    let mut random = StdRng::seed_from_u64(fresh(21));
    let (mut at_once, mut later) = (0, 0);
    while at_once < 50 || later < 50 {
        let pos = random_position(&mut random, &Rules::NINE, &[(3, 3), (4, 3), (3, 4)]);
        let Some(ranked) = tablebase.rank_moves(&pos).expect("sound") else { continue };
        let wins_now = ranked.iter().any(|r| r.value == Found::exact(TbValue::WIN_NOW));
        let wins = ranked.iter().filter(|r| r.value.wdl == Wdl::Win).count();
        if wins_now {
            assert_eq!(ranked[0].value.plies, Some(1), "{}", pos.fen());
            at_once += usize::from(wins > 1);
        } else if wins > 0 {
            assert_eq!(ranked[0].value, Found { wdl: Wdl::Win, plies: None }, "{}", pos.fen());
            later += 1;
        }
    }
}

/// The built-in files lack sectors such as six men against four, to which quiet replies lead.
#[test]
fn drawing_replies_are_given_only_if_the_value_of_each_reply_is_known() {
    let mut tablebase = Tablebase::new(&Rules::NINE).expect("the standard game");
    tablebase.add_embedded().expect("sound files");
    let mut random = StdRng::seed_from_u64(fresh(23));
    let (mut counted, mut open) = (0, 0);
    while counted < 50 || open < 50 {
        let mut pos = random_position(&mut random, &Rules::NINE, &[(6, 4), (4, 4), (5, 3)]);
        let Ok((known, _)) = tablebase.known_moves(&pos) else { continue };
        for ranked in known.iter().filter(|ranked| ranked.value.wdl == Wdl::Draw) {
            pos.do_move(ranked.m);
            if !pos.is_take_due() {
                let after = |m| {
                    let mut after = pos.clone();
                    after.do_move(m);
                    match after.outcome() {
                        end if end.is_over() => Some(end.winner.is_none()),
                        _ => tablebase.probe(&after).expect("sound").map(|wdl| wdl == Wdl::Draw),
                    }
                };
                let replies: Option<Vec<bool>> = pos.legal_moves().iter().map(|&m| after(m)).collect();
                let expected =
                    replies.map(|replies| replies.iter().filter(|&&is_draw| is_draw).count() as u32);
                assert_eq!(ranked.drawing_replies, expected, "{}", pos.fen());
                *if expected.is_some() { &mut counted } else { &mut open } += 1;
            }
            pos.undo_move();
        }
    }
}

/// A drawn move that closes a mill leaves as many drawing replies as the best take after it.
#[test]
fn drawing_replies_are_counted_after_the_take() {
    let folder = build("drawing-replies", 8, 2);
    let tablebase = open_tablebase(folder.path());
    let mut random = StdRng::seed_from_u64(fresh(22));
    let mut mills = 0;
    while mills < 20 {
        let mut pos = random_position(&mut random, &Rules::NINE, &[(4, 4)]);
        let Some(ranked) = tablebase.rank_moves(&pos).expect("sound") else { continue };
        for ranked in ranked.iter().filter(|r| r.value.wdl == Wdl::Draw) {
            let us = pos.side_to_move();
            pos.do_move(ranked.m);
            if pos.is_take_due() {
                mills += 1;
                assert!(ranked.takes);
                let takes = tablebase.rank_moves(&pos).expect("sound").expect("known");
                let fewest =
                    takes.iter().filter(|r| r.value.wdl == Wdl::Draw).map(|r| r.drawing_replies).min();
                assert_eq!(Some(ranked.drawing_replies), fewest, "{}", pos.fen());
                assert!(ranked.drawing_replies > Some(0) && pos.side_to_move() == us, "{}", pos.fen());
            }
            pos.undo_move();
        }
    }
}

#[test]
fn lines_of_best_play_last_as_long_as_the_value_says() {
    let folder = build("lines", 7, 2);
    let tablebase = open_tablebase(folder.path());
    let mut random = StdRng::seed_from_u64(fresh(13));
    let mut decided = 0;
    for _ in 0..200 {
        let pos = random_position(&mut random, &Rules::NINE, &SMALL);
        let value = tablebase.probe_distance(&pos).expect("sound").expect("known");
        let line = tablebase.line(&pos).expect("sound");
        let turns = line.iter().filter(|m| !m.is_take()).count();
        assert_eq!(turns as u32, value.plies.unwrap_or(0), "{}", pos.fen());
        let mut end = pos.clone();
        line.iter().for_each(|&m| end.do_move(m));
        let winner = match value.wdl {
            Wdl::Win => Some(pos.side_to_move()),
            Wdl::Draw => continue,
            Wdl::Loss => Some(!pos.side_to_move()),
        };
        assert_eq!(end.outcome().winner, winner);
        decided += 1;
    }
    assert!(decided > 10);
}

#[test]
fn positions_are_answered_a_line_each() {
    let folder = build("stdin", 6, 2);
    let tablebase = open_tablebase(folder.path());
    // The longest loss of 3-3 (`docs/malom.md`), the same with colours exchanged, and lines without a value.
    let lost = "@*******/********/OO@O**@* b m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let turned = "O*******/********/@@O@**O* w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let over = "********/********/OOO***@@ b m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let larger = "OOO****@/@@*****O/*O****@O w m s 6 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let input = format!("\u{feff}{lost}\n{turned}\nrubbish\n{over}\n\n{larger}\n");
    let mut output = Vec::new();
    let mut ask = |input: &str| {
        probe::probe_lines(&tablebase, &Rules::NINE, false, input.as_bytes(), &mut output, |_| ())
    };
    assert!(matches!(ask(&input), Ok(false)), "a line is no position");
    assert!(matches!(ask(&format!("{over}\n \t\n")), Ok(true)), "a position without a value is one");
    let output = String::from_utf8(output).expect("text");
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 6, "lines of blanks are not answered");
    assert_eq!(lines[0], format!("{lost}\tL\t26"));
    assert_eq!(lines[1], format!("{turned}\tL\t26"));
    assert!(lines[2].starts_with("rubbish\t?\t") && lines[3] == lines[5]);
    assert_eq!(lines[3], format!("{over}\t?\tthe game is over: loseFewerThanThree"));
    assert_eq!(lines[4], format!("{larger}\t?\tno tablebase file holds it"));
}

#[test]
fn tables_of_other_rules_are_refused_by_name_and_reason() {
    let folder = build("foreign", 6, 2);
    // Of the placing phase, whose files are those of the standard game alone.
    let start = Sector { own: 0, theirs: 0, own_hand: 9, their_hand: 9 };
    replace_values(&Rules::NINE, &folder, start, &[TbValue::DRAW.0]);
    let other = Rules { may_fly: false, ..Rules::NINE };
    let mut tablebase = Tablebase::new(&other).expect("supported");
    let refused = tablebase.add_folder(folder.path(), 1 << 20).expect("the folder can be read");
    assert!(tablebase.is_empty());
    let [refused] = refused.as_slice() else { panic!("one note for all files: {refused:?}") };
    let refused = refused.to_string();
    assert!(refused.contains("0_0_9_9.dist does not fit: made for nine, expected "), "{refused}");
    assert!(refused.ends_with("; the same for 3 more files there"), "{refused}");
    for name in ["0_0_9_9.dist", "0_0_9_9.wdl"] {
        std::fs::remove_file(folder.file(name)).expect("removed");
    }
    // Rules that differ only in draws of the live game and before the moving phase share the files.
    let mut lasker = Tablebase::new(&Rules::by_name("lasker").expect("lasker")).expect("supported");
    assert!(lasker.add_folder(folder.path(), 1 << 20).expect("folder").is_empty());
    for (name, why) in [
        ("russian", "OneTimeUseMill"),
        ("morabaraba,MayRemoveMultiple=true", "RestrictRepeatedMillsFormation"),
        ("mul-mulan,InterventionCaptureOnlyWhenOwnPiecesLeq3=true", "intervention"),
        ("preset8", "StalemateAction"),
    ] {
        let error = Tablebase::new(&Rules::parse(name).expect(name)).expect_err("refused").to_string();
        assert!(error.contains(why), "{name}: {error}");
    }
}

#[test]
fn files_that_are_refused_for_other_reasons_have_notes_of_their_own() {
    let (folder, foreign) = (build("misnamed", 6, 1), Folder::new("misnamed-foreign"));
    job_of(&Rules::TWELVE, Scope::Men(6), foreign.path(), 1).run().expect("a build");
    for name in ["4_3_0_0.wdl", "5_3_0_0.wdl"] {
        std::fs::copy(folder.file("3_3_0_0.wdl"), folder.file(name)).expect("copied");
    }
    for name in ["3_4_0_0.wdl", "3_5_0_0.wdl"] {
        std::fs::copy(foreign.file("3_3_0_0.wdl"), folder.file(name)).expect("copied");
    }
    let mut tablebase = Tablebase::new(&Rules::NINE).expect("supported");
    let refused = tablebase.add_folder(folder.path(), 1 << 20).expect("the folder can be read");
    let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
    let [foreign, misnamed @ ..] = refused.as_slice() else { panic!("no note") };
    assert!(foreign.contains("3_4_0_0.wdl does not fit: made for twelve"), "{foreign}");
    assert!(foreign.ends_with("; the same for 1 more file there"), "{foreign}");
    for (note, name) in misnamed.iter().zip(["4_3_0_0.wdl", "5_3_0_0.wdl"]) {
        let why = format!("{name} does not fit: holds what should be named 3_3_0_0.wdl; tb build ");
        assert!(note.contains(&why), "{note}");
    }
    assert_eq!(misnamed.len(), 2, "{misnamed:?}");
}

#[test]
fn a_larger_cache_keeps_more_blocks() {
    let folder = build("cache", 7, 1);
    let kept = |bytes: usize| {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("nine");
        assert!(tablebase.add_folder(folder.path(), bytes).expect("folder").is_empty());
        let mut random = StdRng::seed_from_u64(fresh(1));
        let positions: Vec<Position> = (0..2_000)
            .map(|_| {
                let points: Vec<u32> = (0..24).collect();
                let men: Vec<u32> = points.choose_multiple(&mut random, 7).copied().collect();
                let set = |men: &[u32]| men.iter().fold(0, |set, point| set | 1 << point);
                Position::from_fen(&Rules::NINE, &fen(set(&men[..4]), set(&men[4..]), 'w'))
                    .expect("a legal text")
            })
            .collect();
        for pos in &positions {
            tablebase.probe(pos).expect("sound files");
        }
        positions.iter().filter(|pos| tablebase.probe_cached(pos).expect("sound files").is_some()).count()
    };
    let (small, large) = (kept(1 << 10), kept(1 << 24));
    assert!(small < large && large > 1_900, "{small} and {large} of 2000 are still in memory");
    // A folder without files allocates no cache, whatever its size limit.
    let empty = Folder::new("no-tables");
    let mut none = Tablebase::new(&Rules::NINE).expect("nine");
    let notes = none.add_folder(empty.path(), 1 << 40).expect("the folder can be read");
    assert!(
        none.is_empty() && notes.len() == 1 && notes[0].to_string().ends_with("holds no tablebase files"),
        "{notes:?}"
    );
}
