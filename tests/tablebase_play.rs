//! The tablebase in play: notes on files that cannot be used, moves at the root, and the move counter.

use crate::common;
use crate::fuzzed::chance::fresh;

use common::{
    Engine, Folder, add_tablebase_files, field, millstone, move_of, plain, stderr_text, tablebase_files,
};
use millstone::internals::{despite_damage, root_moves};
use millstone::notation;
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::search::{Limits, SearchNote, SearchSettings};
use millstone::tablebase::{Found, RankedMove, Tablebase, TbValue, Wdl};
use millstone::types::{Color, Move, mate_in};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use std::fs;
use std::path::Path;

/// Inverts the last byte of every `step`-th block of a file.
fn spoil(path: &Path, step: usize) {
    let mut bytes = fs::read(path).expect("a tablebase file");
    let number =
        |at: usize, bytes: &[u8]| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes")) as usize;
    let blocks = number(36, &bytes) & 0xFFFF_FFFF;
    for block in (0..blocks).step_by(step) {
        let end = number(144 + 8 * (block + 1), &bytes);
        bytes[end - 1] ^= 0xFF;
    }
    fs::write(path, bytes).expect("written");
}

/// Returns an engine with only the files of a folder, which it probes at every depth.
fn engine(folder: &Folder) -> Engine {
    let mut engine = Engine::start();
    for setting in
        ["TablebaseEmbedded value false", "TablebaseProbeDepth value 0", "SearchShuffleSeed value 1"]
    {
        engine.send(&format!("setoption name {setting}"));
    }
    engine.send(&format!("setoption name TablebasePath value {}", folder.path().display()));
    engine
}

/// Returns the notes about tablebases. The certificate has one of its own.
fn notes(lines: &[String]) -> Vec<&String> {
    let is_note = |line: &&String| line.starts_with("info string ") && *line != "info string certified";
    lines.iter().filter(is_note).collect()
}

fn hits(lines: &[String]) -> u64 {
    let last = lines.iter().rev().find_map(|line| field(line, "tbhits"));
    last.and_then(|hits| hits.parse().ok()).unwrap_or_else(|| panic!("no hits in {lines:#?}"))
}

/// Below a root that the tablebase knows, the search follows the evaluation.
#[test]
fn a_line_of_a_known_mate_ends_in_it_or_is_one_turn() {
    let mut engine = Engine::start();
    let (mut whole, mut cut) = (0, 0);
    for fen in [
        "*******@/****O@*@/**O*O**@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 60 ids:nodes",
        "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes",
    ] {
        engine.send("ucinewgame");
        engine.send(&format!("position fen {fen}"));
        for line in engine.go("depth 10").iter().filter(|line| line.contains(" score mate ")) {
            let mut pos = Position::from_fen(&Rules::NINE, fen).expect("a position");
            let moves = line.split_once(" pv ").expect("a line").1.split(' ');
            for text in moves.clone() {
                pos.play(text.parse().expect("a move")).expect("a legal move");
            }
            let is_whole = pos.outcome().is_over();
            let is_turn = moves.clone().skip(1).all(|text| text.starts_with('x')) && !pos.is_take_due();
            assert!(is_whole || is_turn, "{line}");
            (whole, cut) = (whole + u32::from(is_whole), cut + u32::from(!is_whole));
        }
    }
    assert!(whole > 0 && cut > 0, "{whole} lines end in the mate, {cut} are cut");
}

/// White wins at once by closing a mill; the tablebase does not know the positions after quiet moves.
/// A score of 30000 says that a line to another win has been found.
#[test]
fn a_win_that_has_not_been_searched_yet_is_no_line_found() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Variant value twelve");
    for (moves, score) in [("", "29400"), (" moves f2", "-29400")] {
        engine.send(&format!("position startpos{moves}"));
        for nodes in [1, 2] {
            let lines = engine.go(&format!("nodes {nodes}"));
            let shown = lines.iter().filter_map(|line| field(line, "cp")).collect::<Vec<_>>();
            assert!(!shown.is_empty() && shown.iter().all(|shown| *shown == score), "{lines:?}");
        }
    }
}

#[test]
fn a_win_that_is_not_searched_leaves_the_tablebase_to_the_search() {
    let mut engine = Engine::start();
    engine.send("position fen ***OO***/@@@*O*O*/OO****O* w m s 7 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes");
    assert!(["a4-a7", "d3-d2"].contains(&engine.best("depth 6").as_str()));
    let lines = engine.go("depth 8 searchmoves g7-g4");
    assert!(hits(&lines) > 1, "{lines:#?}");
}

/// No two men of White share a line, so that a mill, and three against three after it, appear only below the
/// root.
const BEFORE_A_MILL: &str =
    "position fen O****@**/*@O*****/***@*O*@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

#[test]
fn damage_found_in_the_search_is_told_once_and_the_other_file_stands_in() {
    let folder = tablebase_files("play damage", &["build", "--quiet", "--scope", "6-men"]);
    let search = |engine: &mut Engine| {
        engine.send("ucinewgame");
        engine.send(BEFORE_A_MILL);
        engine.go("depth 6")
    };
    let sound = search(&mut engine(&folder));
    assert!(hits(&sound) > 0 && notes(&sound).is_empty(), "{sound:#?}");

    spoil(&folder.file("3_3_0_0.wdl"), 1);
    let mut damaged = engine(&folder);
    let lines = search(&mut damaged);
    let [note] = notes(&lines).try_into().expect("one note");
    assert!(note.contains("3_3_0_0.wdl is damaged: block "), "{note}");
    assert_eq!(hits(&lines), hits(&sound), "distances tell results as well");
    assert_eq!(notes(&search(&mut damaged)), [""; 0]);

    spoil(&folder.file("3_3_0_0.dist"), 1);
    let mut damaged = engine(&folder);
    damaged.send("setoption name Threads value 3");
    let lines = search(&mut damaged);
    let mut reported: Vec<&str> =
        notes(&lines).iter().filter_map(|note| note.split(" is damaged").next()).collect();
    reported.sort_unstable();
    assert!(
        reported.len() == 2 && reported[0].ends_with(".dist") && reported[1].ends_with(".wdl"),
        "{lines:#?}"
    );
    assert_eq!(hits(&lines), 0);
    assert_eq!(notes(&search(&mut damaged)), [""; 0]);
}

#[test]
fn what_is_wrong_with_folders_is_told_once_until_it_changes() {
    let other =
        tablebase_files("play foreign", &["build", "--quiet", "--scope", "7-men", "--rules", "preset6"]);
    let empty = Folder::new("play empty");
    let mut engine = Engine::start();
    let mut set = |option: &str, value: &str| engine.ask(&format!("setoption name {option} value {value}"));
    let one = |lines: Vec<String>, text: &str| {
        assert!(lines.len() == 1 && lines[0].contains(text), "{lines:#?}");
    };
    one(
        set("TablebasePath", plain(other.path())),
        "3_3_0_0.dist does not fit: made for cheng-san-qi, expected nine or lasker",
    );
    assert_eq!(set("TablebaseCache", "10"), [""; 0]);
    assert_eq!(set("TablebaseEmbedded", "false"), [""; 0]);
    let both = format!("{0}:{1}:{1}", plain(other.path()), plain(empty.path()));
    if cfg!(unix) {
        one(set("TablebasePath", &both), "play empty");
    }
    one(set("TablebasePath", "/nowhere"), "/nowhere");
    one(set("TablebasePath", plain(empty.path())), "holds no tablebase files");
    assert_eq!(set("TablebaseCache", "11"), [""; 0]);
    // Probing does not need the manifest.
    let sound = tablebase_files("play manifest", &["build", "--quiet", "--scope", "6-men"]);
    assert_eq!(set("TablebasePath", plain(sound.path())), [""; 0]);
    for text in ["", "{\"a\":1"] {
        assert_eq!(set("TablebasePath", ""), [""; 0]);
        sound.write("manifest.json", text);
        one(set("TablebasePath", plain(sound.path())), "manifest.json is damaged: ");
        assert_eq!(set("TablebaseCache", &(20 + text.len()).to_string()), [""; 0]);
        let rows = "O*O*****/*@******/O**@*@**";
        let probed = millstone(&[
            "tb",
            "probe",
            &format!("{rows} w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes"),
            "--path",
            plain(sound.path()),
        ]);
        assert!(
            probed.status.success() && stderr_text(&probed).matches("manifest.json is damaged").count() == 1
        );
    }
    // A fault that was repaired in the meantime is reported again if it returns.
    assert_eq!(set("TablebasePath", ""), [""; 0]);
    one(set("TablebasePath", plain(empty.path())), "holds no tablebase files");
}

/// A random position of the moving phase, White to move. The whole game has about a thousand files, more than
/// the default limit of open files on many systems.
#[cfg(unix)]
#[test]
fn more_files_than_may_be_open_are_told_of_in_one_note() {
    use std::process::Command;
    let folder = tablebase_files("many-files", &["build", "--quiet", "--scope", "8-men"]);
    let position = "O*O*****/*@******/O**@*@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
    let probe = |limit: &str| {
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit {limit}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_millstone")])
            .args(["tb", "probe", position, "--path", plain(folder.path())])
            .output()
            .expect("it runs");
        assert!(output.status.success(), "{}", stderr_text(&output));
        stderr_text(&output)
    };
    // Twelve files. The program raises the limit as far as the system allows.
    assert_eq!(probe("-Sn 8"), "");
    let note = probe("-n 8");
    assert_eq!(note.lines().count(), 1, "{note}");
    assert!(note.contains("cannot open ") && note.contains("; the same for "), "{note}");
}

fn random_position(random: &mut StdRng, own: usize, theirs: usize, move_counter: u32) -> Position {
    loop {
        let mut board = ['*'; 24];
        let mut points: Vec<usize> = (0..24).collect();
        points.shuffle(random);
        points[..own].iter().for_each(|&point| board[point] = 'O');
        points[own..own + theirs].iter().for_each(|&point| board[point] = '@');
        let rings: Vec<String> = board.chunks(8).map(|ring| ring.iter().collect()).collect();
        let text = format!(
            "{} w m s {own} 0 {theirs} 0 0 0 -1 -1 -1 -1 0 {move_counter} 50 ids:nodes",
            rings.join("/")
        );
        let pos = Position::from_fen(&Rules::NINE, &text).expect("a sound text");
        if !pos.outcome().is_over() {
            return pos;
        }
    }
}

fn open(folder: &Folder) -> Tablebase {
    let mut tablebase = Tablebase::new(&Rules::NINE).expect("nine");
    assert!(tablebase.add_folder(folder.path(), 1 << 22).expect("a folder").is_empty());
    tablebase
}

fn value_of(ranked: &[RankedMove], m: Move) -> Option<Wdl> {
    ranked.iter().find(|ranked| ranked.m == m).map(|ranked| ranked.value.wdl)
}

#[test]
fn a_damaged_file_takes_no_more_from_the_root_than_it_has_to() {
    let whole = tablebase_files("play root", &["build", "--quiet", "--scope", "7-men"]);
    let truth = open(&whole);
    let mut random = StdRng::seed_from_u64(fresh(31));

    // The root probes distances first, then results.
    let without = tablebase_files("play root distances", &["repack", "--from", plain(whole.path())]);
    spoil(&without.file("3_4_0_0.dist"), 1);
    let (tables_left, mut notes) = (open(&without), 0);
    for _ in 0..100 {
        let pos = random_position(&mut random, 4, 3, 0);
        let found = despite_damage(|| tables_left.rank_moves(&pos), |_| notes += 1).expect("all are known");
        let exact = truth.rank_moves(&pos).expect("sound").expect("all are known");
        assert!(
            found.iter().all(|ranked| value_of(&exact, ranked.m) == Some(ranked.value.wdl)),
            "{}",
            pos.fen()
        );
    }
    assert_eq!(notes, 1);

    // Without results, the values in sound blocks are still found.
    let results =
        ["repack", "--block", "64", "--level", "1", "--distances", "none", "--from", plain(whole.path())];
    let part = tablebase_files("play root blocks", &results);
    spoil(&part.file("3_4_0_0.wdl"), 2);
    let tables_left = open(&part);
    let (mut reported, mut wins, mut open_ends) = (Vec::new(), 0, 0);
    for _ in 0..300 {
        let pos = random_position(&mut random, 4, 3, 0);
        let (root, notes) =
            root_moves(&pos, &Limits::default(), &SearchSettings::default(), Some(&tables_left), || false);
        reported.extend(notes);
        let exact = truth.rank_moves(&pos).expect("sound").expect("all are known");
        let (found, unknown) = tables_left.known_moves(&pos).expect("it was reported before");
        assert_eq!(found.len() + unknown.len(), pos.playable_moves().len());
        assert!(
            found.iter().all(|ranked| value_of(&exact, ranked.m) == Some(ranked.value.wdl)),
            "{}",
            pos.fen()
        );
        let best = root.moves[0].1.rank;
        let first: Vec<Move> =
            root.moves.iter().filter(|(_, known)| known.rank == best).map(|(m, _)| *m).collect();
        if found.iter().any(|ranked| ranked.value.wdl == Wdl::Win) {
            wins += usize::from(!unknown.is_empty());
            assert!(
                root.is_known && first.iter().all(|&m| value_of(&exact, m) == Some(Wdl::Win)),
                "{}",
                pos.fen()
            );
        } else if !unknown.is_empty() {
            // A loss is never played while another move may be better, and a draw does not end the search for
            // a win.
            open_ends += usize::from(!found.is_empty());
            assert!(!root.is_known);
            assert!(unknown.iter().all(|m| first.contains(m)), "{}", pos.fen());
            assert!(first.iter().all(|&m| value_of(&found, m) != Some(Wdl::Loss)), "{}", pos.fen());
        }
    }
    let [note]: [SearchNote; 1] = reported.try_into().expect("one note");
    let note = note.to_string();
    assert!(note.contains("3_4_0_0.wdl is damaged: block "), "{note}");
    assert!(wins > 10 && open_ends > 10, "{wins} wins beside unknown moves, {open_ends} without");
}

/// Other placings win too, but later. No file can represent the take that the best one earns.
#[test]
fn a_take_that_wins_at_once_comes_before_wins_that_are_stored() {
    let marks = "nine,MillFormationActionInPlacingPhase=4";
    let leaps = "nine,PiecesCount=12,StopPlacingWhenTwoEmptySquares=true,LeapCaptureEnabled=true,\
                 LeapCaptureInMovingPhase=false";
    let captures = "nine,CustodianCaptureEnabled=true,CustodianCaptureInMovingPhase=false";
    for (rules, best, board, men) in [
        (marks, "c5", "@@******/OO******/O*******", "b p p 3 0 2 1"),
        (marks, "c5", "@@******/OO******/O*X*****", "b p p 3 0 2 1"),
        ("lasker,IsDefenderMoveFirst=true", "e5", "**@@****/@**O****/*OO*****", "b p p 3 0 3 1"),
        (captures, "e5", "O******@/***O**O*/*****@**", "b p p 3 0 2 1"),
        (leaps, "d1", "***O@***/****@***/O******O", "b p p 3 0 2 1"),
        ("nine", "c5", "OO******/@@******/@*******", "w p p 2 1 3 0"),
    ] {
        let rules: Rules = rules.parse().unwrap_or_else(|error| panic!("{rules}: {error}"));
        let text = format!("{board} {men} 0 0 -1 -1 -1 -1 0 0 9 ids:nodes");
        let pos = Position::from_fen(&rules, &text).expect("a sound text");
        let mut tablebase = Tablebase::new(&rules).expect("the moving phase is supported");
        tablebase.add_embedded().expect("sound files");
        let settings = SearchSettings::default();
        let (root, _) = root_moves(&pos, &Limits::default(), &settings, Some(&tablebase), || false);
        let (first, known) = root.moves[0];
        assert_eq!((first.to_string().as_str(), known.value), (best, Some(mate_in(1))), "{text}");
        let wins_now = Some(Found::exact(TbValue::WIN_NOW));
        let mut after = pos.clone();
        after.do_move(first);
        let values = [tablebase.after(&pos, first), tablebase.probe_distance(&after)];
        assert_eq!(values.map(|value| value.expect("sound")), [wins_now; 2], "{text}");
        assert_eq!(tablebase.probe(&after).expect("sound"), Some(Wdl::Win), "{text}");
    }
}

/// Each side has one man in hand.
const LAST_PLACINGS: &str = "O*******/***@****/***O**@* w p p 2 1 2 1 0 0 -1 -1 -1 -1 0 0 7 ids:nodes";

#[test]
fn placing_files_choose_at_the_root_and_can_be_left_out() {
    // Each side places one more man; then it is three men against three.
    let folder = tablebase_files("play placing", &["build", "--quiet", "--scope", "6-men"]);
    for unit in ["2_3_1_0", "2_2_1_1"] {
        add_tablebase_files(&folder, &["build", "--quiet", "--distances", "all", "--only", unit]);
    }
    let pos = Position::from_fen(&Rules::NINE, LAST_PLACINGS).expect("a sound text");
    let tablebase = open(&folder);
    let ranked = tablebase.rank_moves(&pos).expect("sound").expect("all are known");
    let best: Vec<String> =
        Tablebase::best_moves(&ranked).iter().map(|ranked| ranked.m.to_string()).collect();
    assert!(best.len() < ranked.len(), "there is something to choose");
    let go = |on: &str| {
        let mut engine = engine(&folder);
        engine.send(&format!("setoption name TablebasePlacing value {on}"));
        engine.send(&format!("position fen {LAST_PLACINGS}"));
        engine.go("depth 1")
    };
    let lines = go("true");
    assert_eq!(hits(&lines), ranked.len() as u64, "every move of the root was asked about");
    assert!(best.contains(&move_of(lines.last().expect("an answer"))), "{lines:#?}");
    assert_eq!(hits(&go("false")), 0);
}

/// The last placing of all ends the phase, and a take within it does not.
#[test]
fn without_the_placing_phase_the_search_asks_about_moving_only() {
    let mut engine = Engine::start();
    engine.send("setoption name NeverLose value false");
    engine.send("setoption name TablebasePlacing value false");
    engine.send("position startpos moves d6 a1 f4 g1 d2");
    assert_eq!(hits(&engine.go("depth 10")), 0, "after a mill of Black, values are built in");
    engine.send(&format!("position fen {LAST_PLACINGS}"));
    assert!(hits(&engine.go("depth 8")) > 0);
}

/// The shortest win takes 21 plies and the first man in the third; closing a mill at once takes 25. With two
/// plies left on the counter the second is the one that wins the game.
#[test]
fn a_win_that_the_counter_would_take_away_is_won_by_taking_in_time() {
    let folder = tablebase_files("play counter", &["build", "--quiet", "--scope", "7-men"]);
    let text = |move_counter: u32| {
        format!("**@*****/**@*O***/*O***@@O w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 {move_counter} 50 ids:nodes")
    };
    let tablebase = open(&folder);
    let pos = Position::from_fen(&Rules::NINE, &text(0)).expect("a sound text");
    let ranked = tablebase.rank_moves(&pos).expect("sound").expect("all are known");
    assert_eq!((ranked[0].value.plies, ranked[0].takes), (Some(21), false));
    let takes: Vec<String> = ranked
        .iter()
        .filter(|ranked| ranked.takes && ranked.value.wdl == Wdl::Win)
        .map(|ranked| ranked.m.to_string())
        .collect();
    assert!(!takes.is_empty());

    let mut engine = engine(&folder);
    engine.send(&format!("position fen {}", text(0)));
    let lines = engine.go("depth 2");
    assert_eq!(move_of(lines.last().expect("an answer")), ranked[0].m.to_string());
    assert_eq!(notes(&lines), [""; 0]);

    // Both sides play by tablebase, and White wins although 98 plies were quiet.
    let mut moves: Vec<String> = Vec::new();
    let mut game = Position::from_fen(&Rules::NINE, &text(98)).expect("a sound text");
    while !game.outcome().is_over() {
        engine.send(&format!("position fen {} moves {}", text(98), moves.join(" ")));
        moves.push(engine.best("depth 2"));
        let last = notation::parse(&game, &moves[moves.len() - 1]).expect("a legal move");
        game.do_move(last);
    }
    assert!(takes.contains(&moves[0]), "{moves:?}");
    assert_eq!(game.outcome().winner, Some(Color::White), "{moves:?}");
}

/// Returns true if the side to move, which wins by tablebase, can force a take or the win within `left` plies
/// and still win. A mill and its take count as one ply.
fn takes_in_time(pos: &mut Position, tablebase: &Tablebase, left: u32) -> bool {
    left > 0 && pos.legal_moves().iter().any(|&m| keeps_time(pos, m, tablebase, left))
}

/// Returns the same for the position after one of its moves.
fn keeps_time(pos: &mut Position, m: Move, tablebase: &Tablebase, left: u32) -> bool {
    let us = pos.side_to_move();
    pos.do_move(m);
    let is_good = if pos.is_take_due() {
        pos.legal_moves().iter().any(|&taken| keeps_time(pos, taken, tablebase, left))
    } else if pos.outcome().is_over() {
        pos.outcome().winner == Some(us)
    } else if tablebase.probe(pos).expect("sound") != Some(Wdl::Loss) {
        false
    } else if m.is_take() {
        true
    } else {
        left > 1
            && pos.legal_moves().iter().all(|&reply| {
                pos.do_move(reply);
                // A take by the other side resets the counter too.
                let is_good = pos.is_take_due() || takes_in_time(pos, tablebase, left - 2);
                pos.undo_move();
                is_good
            })
    };
    pos.undo_move();
    is_good
}

#[test]
fn a_man_is_taken_before_the_counter_draws_wherever_that_is_possible() {
    const LEFT: u32 = 3;
    let folder = tablebase_files("play late take", &["build", "--quiet", "--scope", "7-men"]);
    let tablebase = open(&folder);
    let mut random = StdRng::seed_from_u64(fresh(7));
    let mut engine = engine(&folder);
    let mut found = 0;
    while found < 8 {
        let pos = random_position(&mut random, 3, 4, 100 - LEFT);
        let ranked = tablebase.rank_moves(&pos).expect("sound").expect("all are known");
        let mut fresh = pos.clone();
        fresh.forget_history();
        let is_late = ranked[0].value.plies.is_some_and(|plies| plies > LEFT) && !ranked[0].takes;
        if ranked[0].value.wdl != Wdl::Win || !is_late || !takes_in_time(&mut fresh, &tablebase, LEFT) {
            continue;
        }
        let wins: Vec<&RankedMove> = ranked.iter().filter(|ranked| ranked.value.wdl == Wdl::Win).collect();
        let good: Vec<String> = wins
            .iter()
            .filter(|ranked| keeps_time(&mut fresh, ranked.m, &tablebase, LEFT))
            .map(|ranked| ranked.m.to_string())
            .collect();
        // A move has to be chosen.
        if good.len() == wins.len() {
            continue;
        }
        engine.send(&format!("position fen {}", pos.fen()));
        let best = engine.best("nodes 50000");
        assert!(good.contains(&best), "{}: {best}, expected one of {good:?}", pos.fen());
        found += 1;
    }
}

#[test]
fn no_mate_is_searched_where_the_tablebase_excludes_one() {
    let folder = tablebase_files("play mate", &["build", "--quiet", "--scope", "6-men"]);
    let tablebase = open(&folder);
    let mut random = StdRng::seed_from_u64(fresh(3));
    let mut engine = engine(&folder);
    let is_lost = |pos: &Position| tablebase.probe(pos).expect("sound") == Some(Wdl::Loss);
    let lost =
        std::iter::repeat_with(|| random_position(&mut random, 3, 3, 0)).find(is_lost).expect("endless");
    engine.send(&format!("position fen {}", lost.fen()));
    let lines = engine.go("mate 40");
    assert!(lines.iter().any(|line| line.contains("score mate -")), "{lines:#?}");
}

#[test]
fn a_win_is_not_let_go_by_a_repetition_that_the_opponent_completes() {
    // After the shortest win Black could come back to a position that has occurred twice; other wins are
    // longer.
    let start = "********/******O*/*O@O@**@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let played = "g7-e4 a7-a4 e4-g7 a4-a7 g7-e4 a7-a4 e4-g7 a4-a7 g7-d6 g4-b2";
    let mut pos = Position::from_fen(&Rules::NINE, start).expect("a position");
    for word in played.split(' ') {
        let list = pos.legal_moves();
        let m = list.iter().find(|m| m.to_string() == word);
        pos.do_move(*m.expect("a legal move"));
    }
    let mut tablebase = Tablebase::new(&Rules::NINE).expect("the standard game");
    tablebase.add_embedded().expect("sound files");
    let ranked = tablebase.rank_moves(&pos).expect("sound files").expect("known moves");
    let shortest = ranked.iter().find(|ranked| ranked.m.to_string() == "d6-g7").expect("a legal move");
    assert_eq!(shortest.value.wdl, Wdl::Draw);
    assert_eq!(ranked[0].value.wdl, Wdl::Win);
    let mut engine = Engine::start();
    engine.send(&format!("position fen {start} moves {played}"));
    let best = move_of(engine.go("depth 8").last().expect("an answer")).to_owned();
    let best = ranked.iter().find(|ranked| ranked.m.to_string() == best).expect("a legal move");
    assert_eq!(best.value.wdl, Wdl::Win);
}

/// One move delays the loss, by a mill whose distance is built in. The others lose at once, and of the sector
/// that they stay in only results are.
#[test]
fn losses_of_unknown_distance_are_not_preferred_to_long_ones() {
    let mut engine = Engine::start();
    engine.send("setoption name NeverLose value false");
    engine.send("position fen *@**O***/@*@@***@/**@*O*O* w m s 3 0 6 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes");
    let lines = engine.go("depth 8");
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove a4-d2")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("score mate -2")), "{lines:?}");
}

/// The only delay is a mill whose take leads into the tables. The other moves have no value there, and lose
/// at once.
#[test]
fn losses_of_known_distance_are_preferred_to_shorter_ones_without_a_value() {
    let mut engine = Engine::start();
    engine.send("setoption name NeverLose value false");
    engine.send("position fen *O****@O/*O***@**/*@*@@*@@ w m s 3 0 7 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes");
    for algorithm in 0..4 {
        engine.send(&format!("setoption name Algorithm value {algorithm}"));
        // The second time only one move has no value.
        for limits in ["depth 8", "movetime 500 searchmoves f6-d5 f6-a1"] {
            let lines = engine.go(limits);
            let best = lines.last().expect("an answer");
            assert!(best.starts_with("bestmove f6-d5"), "{algorithm}, {limits}: {lines:?}");
        }
    }
}
