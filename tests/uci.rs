//! The built program in the standard dialect: every command gets the right answer.

use crate::common;

use common::{Engine, field, move_of};

const MILL_NEXT: &str = "position startpos moves d6 a1 f4 g1 d2 d1";

#[test]
fn the_handshake_names_engine_and_options() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name Millstone "));
    assert!(lines[1].starts_with("id author "));
    assert_eq!(lines.last().unwrap(), "uciok");
    engine.send("uci");
    assert_eq!(engine.until("uciok"), lines, "it may be asked for again");
    assert!(engine.quit().success());
}

#[test]
fn isready_and_stop_are_answered_while_searching() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.until("info depth 3");
    for _ in 0..3 {
        engine.send("isready");
        engine.until("readyok");
    }
    engine.send("stop");
    assert!(engine.until("bestmove").pop().unwrap().starts_with("bestmove "));
    assert!(engine.ask("stop").is_empty(), "a stray stop is ignored");
    assert!(engine.quit().success());
}

#[test]
fn a_long_search_names_the_root_move_that_it_searches() {
    let mut engine = Engine::start();
    engine.send("setoption name TablebaseEmbedded value false");
    engine.send("go infinite");
    let lines = engine.until(" currmove ");
    let line = lines.last().unwrap();
    let number = |name: &str| field(line, name).and_then(|word| word.parse::<u32>().ok());
    assert!((1..=24).contains(&number("currmovenumber").unwrap()), "{line}");
    let depths = lines.iter().filter(|line| line.contains(" seldepth "));
    let last = depths.filter_map(|line| field(line, "depth")).next_back().unwrap();
    assert!(number("depth").unwrap() >= last.parse().unwrap(), "{lines:#?}");
    let current = field(line, "currmove").unwrap().to_owned();
    engine.send("stop");
    engine.until("bestmove");
    assert!(engine.ask(&format!("position startpos moves {current}")).is_empty(), "{line}");
    assert!(engine.fen().contains(" b p p 1 8 0 9 "), "{line}");
    assert!(engine.quit().success());
}

#[test]
fn nonsense_is_answered_and_not_fatal() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value lots");
    assert!(engine.read().starts_with("info string option Hash: found 'lots', expected a number from 1 to"));
    engine.send_bytes(b"\xff\xfe\0\x1b[2J\n");
    assert!(engine.read().starts_with("info string unknown command: "));
    for silent in
        ["", "   \t ", "debug on", "debug maybe", "debug off", "register later", "ponderhit", "stop"]
    {
        assert!(engine.ask(silent).is_empty(), "{silent}");
    }
    assert_eq!(engine.best("depth 2").len(), 2);
}

#[test]
fn input_that_ends_lets_a_limited_search_finish_and_stops_an_endless_one() {
    for go in ["go depth 6", "go infinite", "go ponder wtime 60000 btime 60000", "go nodes 5000"] {
        let mut engine = Engine::start();
        engine.send(go);
        let (status, lines) = engine.close();
        assert!(status.success(), "{go}");
        assert!(lines.last().unwrap().starts_with("bestmove "), "{go}: {lines:?}");
    }
    let mut engine = Engine::start();
    engine.send_bytes(b"go perft 4\nquit\n");
    let (status, lines) = engine.close();
    assert!(status.success());
    assert_eq!(lines.last().unwrap(), "Nodes searched: 255024");
    let mut engine = Engine::start();
    engine.send_bytes(b"isready");
    assert_eq!(engine.close().1, ["readyok"], "a last line may lack its end");
}

#[test]
fn a_new_game_forgets_so_that_node_counts_are_equal() {
    let mut engine = Engine::start();
    engine.send("setoption name Shuffling value false");
    let mut counts = Vec::new();
    for _ in 0..2 {
        engine.send("ucinewgame");
        engine.send("position startpos moves d6 f4 d2 b4");
        let lines = engine.go("depth 8");
        let last = lines.iter().rev().find_map(|line| field(line, "nodes").map(str::to_owned));
        counts.push((last, lines.last().cloned()));
    }
    assert_eq!(counts[0], counts[1]);
    let fen = engine.fen();
    assert!(fen.contains(" 2 7 2 7 "), "{fen}");
    engine.send("ucinewgame");
    assert!(engine.fen().contains(" 0 9 0 9 "));
}

#[test]
fn a_second_go_and_a_position_end_the_search_before() {
    let mut engine = Engine::start();
    engine.send_bytes(b"go infinite\ngo infinite\nposition startpos moves d6\ngo depth 1\n");
    for _ in 0..3 {
        engine.until("bestmove");
    }
    assert!(engine.ask("fen").iter().all(|line| !line.contains("bestmove")));
}

#[test]
fn options_act_when_the_search_has_ended() {
    let mut engine = Engine::start();
    engine.send("setoption name Shuffling value false");
    for limits in ["depth 7", "infinite"] {
        engine.send("setoption name UCI_Variant value nine");
        engine.send("setoption name MultiPV value 1");
        engine.ask("");
        engine.send_bytes(
            format!(
                "go {limits}\nsetoption name MultiPV value 3\nsetoption name PiecesCount value 12\n\
                 setoption name Threads value many\n"
            )
            .as_bytes(),
        );
        let lines = engine.until("option Threads");
        let at = lines.iter().position(|line| line.starts_with("bestmove ")).expect("the search has ended");
        assert!(!lines[..at].iter().any(|line| line.contains(" multipv ")), "{limits}: {lines:?}");
        assert!(engine.fen().contains(" 0 12 0 12 "));
        let lines = engine.go("depth 2");
        assert!(lines.iter().any(|line| line.contains(" multipv 3 ")));
    }
}

#[test]
fn long_commands_let_isready_through_and_stop_ends_them() {
    for command in ["perft 40", "go perft 40", "bench 60"] {
        let mut engine = Engine::start();
        engine.send(command);
        engine.send("fen");
        engine.send("isready");
        engine.until("readyok");
        assert!(!engine.seen.iter().any(|line| line.starts_with("fen ")), "{command} comes first");
        engine.send("stop");
        engine.until("stopped before the end");
        engine.until("fen ");
        assert!(engine.quit().success());
    }
}

#[test]
fn perft_prints_each_move_and_the_sum() {
    let mut engine = Engine::start();
    engine.send("go perft 3");
    let lines = engine.until("Nodes searched");
    assert_eq!(lines.len(), 26);
    assert!(lines.contains(&"d6: 506".to_owned()));
    assert_eq!((lines[24].as_str(), lines[25].as_str()), ("", "Nodes searched: 12144"));
    engine.send("perft 0");
    assert_eq!(engine.until("Nodes searched").last().unwrap(), "Nodes searched: 1");
}

#[test]
fn a_refused_position_changes_nothing_and_is_not_searched() {
    let mut engine = Engine::start();
    engine.send("position startpos moves d6 f4");
    let before = engine.fen();
    for (bad, names) in [
        ("position startpos moves d6 d6", "move 2 (d6)"),
        ("position startpos moves d6 f4xd6", "move 2 (f4xd6): found 'xd6' after a complete turn"),
        ("position fen ********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0", "17 fields"),
        ("position fen ********/********/******** q p p 0 9 0 9 0 0 0 0 0 0 0 0 1", "field 2 (side)"),
        ("position", "found nothing, expected startpos"),
        ("position foo", "found 'foo', expected startpos"),
        ("position startpos foo", "found 'foo' after startpos"),
    ] {
        let answer = engine.ask_one(bad);
        assert!(answer.starts_with("info string position refused: "), "{answer}");
        assert!(answer.contains(names), "{answer}");
        assert_eq!(engine.fen(), before);
        let lines = engine.go("depth 3");
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("info string ") && lines[1] == "bestmove (none)", "{lines:?}");
        assert_eq!(engine.ask("go perft 2").len(), 1);
    }
    engine.send("position startpos moves d6");
    assert_ne!(engine.best("depth 2"), "(none)");
    engine.send("position nowhere");
    engine.send("ucinewgame");
    assert_ne!(engine.best("depth 2"), "(none)");
}

#[test]
fn a_turn_may_be_glued_together() {
    let mut engine = Engine::start();
    engine.send(&format!("{MILL_NEXT} xd2"));
    let separate = engine.fen();
    engine.send("position startpos moves D6 a1 f4 G1 d2 d1Xd2");
    assert_eq!(engine.fen(), separate);
}

#[test]
fn searchmoves_limit_the_search_and_illegal_ones_are_skipped() {
    let mut engine = Engine::start();
    assert_eq!(engine.best("depth 4 searchmoves a1"), "a1");
    assert_eq!(engine.best("searchmoves A1 xd6 d4 depth 4"), "a1");
    assert!(engine.seen.iter().any(|line| line.starts_with("info string searchmoves (")));
    assert_ne!(engine.best("depth 2 searchmoves xd6"), "(none)");
    // Whole turns; a7 closes no mill.
    engine.send(MILL_NEXT.strip_suffix(" d1").expect("a move that closes a mill"));
    assert_eq!(engine.best("depth 4 searchmoves a7xf4 d1xf4"), "d1");
    let mut notes = engine.seen.iter().filter(|line| line.starts_with("info string searchmoves ("));
    assert!(notes.next_back().expect("a note").contains("'xf4'"), "{:?}", engine.seen);
    let mut gbgp = Engine::start();
    gbgp.send("gbgp");
    gbgp.send("position startpos moves d6 a1 f4 g1 d2");
    assert!(gbgp.best("depth 4 searchmoves d1xf4").starts_with("d1x"));
    engine.send("setoption name StrictFailurePolicy value true");
    engine.send("go depth 1 searchmoves d1xf4");
    assert!(engine.until("bestmove").iter().any(|line| line.contains("'d1xf4'")), "a word is a move");
}

#[test]
fn pondering_waits_for_ponderhit_or_stop() {
    let mut engine = Engine::start();
    for end in ["ponderhit", "stop"] {
        engine.send("go ponder depth 3 movetime 100");
        engine.send("isready");
        engine.until("readyok");
        engine.send("isready");
        let meanwhile = engine.until("readyok");
        assert!(!meanwhile.iter().any(|line| line.contains("bestmove")));
        engine.send(end);
        engine.until("bestmove");
    }
}

#[test]
fn a_ponder_move_is_the_opponents() {
    let mut engine = Engine::start();
    engine.send("position startpos moves d6 a1 f4 g1 d2");
    let answer = engine.go("depth 4 searchmoves d1").pop().unwrap();
    assert_eq!(answer, "bestmove d1", "after a mill the next move is a take by the same side");
    engine.send(MILL_NEXT);
    let answer = engine.go("depth 4").pop().unwrap();
    assert!(move_of(&answer).starts_with('x'));
    assert!(field(&answer, "ponder").is_some(), "{answer}");
}

#[test]
fn finished_games_are_told_with_a_reason() {
    let mut engine = Engine::start();
    engine.send("position fen **OOO***/***@@***/******** b m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes");
    let lines = engine.go("depth 5");
    assert_eq!(lines, ["info string game over: loseFewerThanThree", "bestmove (none)"]);
    assert_eq!(engine.ask_one("moves"), "moves");
    // No answer comes before those of a search would.
    for (go, ends) in [
        ("infinite", &["stop"][..]),
        ("infinite ponder depth 5", &["ponderhit", "stop"]),
        ("ponder depth 5", &["ponderhit"]),
        ("ponder depth 5", &["stop"]),
        ("infinite", &["fen"]),
    ] {
        let lines = engine.ask(&format!("go {go}"));
        assert_eq!(lines, ["info string game over: loseFewerThanThree"], "{go}");
        assert!(engine.ask("xyzzy").iter().all(|line| line.starts_with("info string unknown")), "{go}");
        let (last, early) = ends.split_last().expect("an end");
        early.iter().for_each(|line| assert!(engine.ask(line).is_empty(), "{go} {line}"));
        assert_eq!(engine.ask(last)[0], "bestmove (none)", "{go} {last}");
    }
    // The game can continue past a draw by repetition: the client decides.
    let shuttle = " g1-g4 f4-f2 g4-g1 f2-f4".repeat(3);
    let start = "position fen ********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    engine.send(&format!("{start} moves{shuttle}"));
    assert_eq!(engine.ask_one("moves"), "moves");
    assert!(engine.fen().contains(" w o ? "));
    assert_ne!(engine.best("depth 4"), "(none)");
}

#[test]
fn a_game_of_ten_thousand_moves_is_read() {
    let mut engine = Engine::start();
    let start = "position fen ********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes moves";
    engine.send(&format!("{start}{}", " g1-g4 f4-f2 g4-g1 f2-f4".repeat(2500)));
    assert!(engine.fen().starts_with("********/**@**@*O/O**O@@*O "));
    assert_ne!(engine.best("nodes 1000"), "(none)");
}

#[test]
fn bare_go_ends_by_itself() {
    let mut engine = Engine::start();
    engine.send("setoption name MoveTimeMs value 30");
    engine.best("");
    engine.best("depth 0");
    engine.best("btime 10 binc 5");
    engine.send("setoption name SkillLevel value 3");
    engine.best("");
}

#[test]
fn the_log_holds_both_sides_of_the_talk() {
    let folder = common::Folder::new("log");
    let path = folder.file("log.txt");
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Debug Log File value {}", path.display()));
    engine.send("isready");
    engine.until("readyok");
    engine.send("setoption name Debug Log File value <empty>");
    engine.ask("fen");
    assert!(engine.quit().success());
    let log = std::fs::read_to_string(&path).unwrap();
    assert_eq!(log, ">> isready\n<< readyok\n>> setoption name Debug Log File value <empty>\n");
    let mut engine = Engine::start();
    let answer = engine.ask_one("setoption name Debug Log File value /no/such/folder/log");
    assert!(answer.contains("Debug Log File") && answer.contains("/no/such/folder/log"), "{answer}");
}

#[test]
fn show_wdl_adds_rates_that_sum_to_a_thousand() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_ShowWDL value true");
    let lines = engine.go("depth 3");
    let line = lines.iter().find(|line| line.contains(" score ")).unwrap();
    let rates: Vec<u32> = line
        .split_whitespace()
        .skip_while(|w| *w != "wdl")
        .skip(1)
        .take(3)
        .map(|w| w.parse().unwrap())
        .collect();
    assert_eq!(rates.iter().sum::<u32>(), 1000, "{line}");
}

#[test]
fn options_of_other_engines_are_checked_and_ignored() {
    let mut engine = Engine::start();
    for silent in [
        "setoption name UseLazySmp value true",
        "setoption name PatchAvoidTraps value 1",
        "setoption name PerfectDatabasePath value /some/where else",
        "setoption name PerfectDatabaseCacheSectors value 2000",
        "setoption name custodian capture on square edges value yes",
        "setoption name Clear Hash",
    ] {
        assert!(engine.ask(silent).is_empty(), "{silent}");
    }
    for loud in
        ["setoption name PerfectDatabaseCacheSectors value -1", "setoption name UseLazySmp value perhaps"]
    {
        assert_eq!(engine.ask(loud).len(), 1, "{loud}");
    }
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(!lines.iter().any(|line| line.contains("UseLazySmp") || line.contains("TwelveMensMorris")));
}

#[test]
fn rules_change_the_game_at_once_and_only_when_they_change() {
    let mut engine = Engine::start();
    engine.send("position startpos moves d6 f4");
    let before = engine.fen();
    engine.send("setoption name PiecesCount value 9");
    engine.send("setoption name UCI_Variant value nine");
    assert_eq!(engine.fen(), before, "a value it has is no event");
    engine.send("setoption name PiecesCount value 10");
    engine.send("setoption name PiecesCount value 9");
    assert!(engine.fen().starts_with("********/********/********"), "a change taken back is one too");
    engine.send("setoption name UCI_Variant value lasker");
    assert!(engine.fen().contains(" 0 10 0 10 "));
    engine.send("setoption name PiecesCount value 11");
    let state = engine.ask_one("statejson");
    assert!(state.contains("\"ruleset_id\":\"custom\""), "{state}");
    engine.send("setoption name UCI_Variant value lasker");
    assert!(engine.fen().contains(" 0 10 0 10 "));
}

#[test]
fn a_search_that_waits_for_a_long_command_is_stopped_too() {
    let mut engine = Engine::start();
    engine.send_bytes(b"perft 40\ngo infinite\nisready\n");
    engine.until("readyok");
    engine.send("stop");
    engine.until("stopped before the end");
    engine.until("bestmove");
    let mut engine = Engine::start();
    engine.send_bytes(b"perft 5\ngo infinite\n");
    let (status, lines) = engine.close();
    assert!(status.success() && lines.last().unwrap().starts_with("bestmove "));
}

#[test]
fn analyze_tells_what_the_tablebase_knows_and_changes_nothing() {
    let mut engine = Engine::start();
    engine.send("position startpos moves d6");
    let before = engine.fen();
    // White closes d5-d6-d7 and wins, or Black is next.
    let fen = "O*O*****/*@******/O**@*@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
    let line = engine.ask_one(&format!("analyze fen {fen}"));
    let pieces: Vec<&str> = line.strip_prefix("info analysis ").unwrap().split_inclusive(')').collect();
    // The mill ends the game with the take that follows it, in the same turn.
    assert_eq!(pieces[0], "e4-d6=win(80 in 1 steps)", "{line}");
    assert!(pieces[1..].iter().all(|piece| piece.contains("=loss(-80 in ")), "{line}");
    // After the mill each of the three men may be taken, and the game is over.
    let line = engine.ask_one(&format!("analyze fen {fen} moves e4-d6"));
    assert_eq!(line.matches("=win(80 in 0 steps)").count(), 3, "{line}");
    // The counter is near its end: after this move Black may draw at once.
    let near = "***@O**@/***@O***/OO***OO* w m s 6 0 3 0 0 0 0 0 0 0 0 98 70 ids:nodes";
    let line = engine.ask_one(&format!("analyze fen {near}"));
    assert!(line.contains(" g7-g4=draw(0)"), "{line}");
    // Without a tablebase for these rules the search answers.
    engine.send("setoption name TablebaseEmbedded value false");
    engine.send("setoption name MoveTimeMs value 20");
    engine.send(&format!("analyze fen {fen}"));
    let line = engine.until("info analysis").pop().unwrap();
    assert!(line.contains("=advantage(") && !line.contains("=win("), "{line}");
    assert_eq!(engine.fen(), before);
}

#[test]
fn stop_ends_a_whole_turn_of_two_searches() {
    let mut engine = Engine::start_with(&["--protocol", "tgf"]);
    engine.send("setoption name StrictFailurePolicy value true");
    // The only move to search closes a mill, so the take is searched next.
    engine.send("position startpos moves d6 a1 f4 g1 d2");
    engine.send("go logical nodes 1000000000000 searchmoves d1");
    engine.send("stop");
    let answer = engine.until("sanmill_logical_turn").pop().unwrap();
    assert!(answer.contains("\"search_calls\":2"), "{answer}");
}

#[test]
fn a_burst_of_options_opens_tablebases_once_and_only_when_something_changes() {
    let mut engine = Engine::start();
    let burst = [
        "setoption name UsePerfectDatabase value true",
        "setoption name PiecesCount value 9",
        "setoption name PerfectDatabasePath value /no/such/folder",
        "setoption name TablebaseCache value 32",
    ];
    burst.iter().for_each(|line| engine.send(line));
    assert_eq!(engine.ask("").len(), 1, "one note on what is missing, before the next search");
    for line in burst {
        assert!(engine.ask(line).is_empty(), "{line} has that value already");
    }
    assert_eq!(engine.ask("setoption name PerfectDatabasePath value /nor/this").len(), 1);
}

#[test]
fn a_search_for_a_mate_ends_where_there_is_none() {
    let mut engine = Engine::start();
    for algorithm in 0..5 {
        engine.send(&format!("setoption name Algorithm value {algorithm}"));
        for position in ["position startpos", MILL_NEXT] {
            engine.send(position);
            assert_ne!(move_of(engine.go("mate 1").last().unwrap()), "(none)");
        }
    }
}

#[test]
fn a_turn_that_the_other_side_leaves_out_counts_before_a_mate() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Variant value nerenchi");
    let ask = |engine: &mut Engine, fen: &str, go: &str| {
        engine.send(&format!("position fen {fen}"));
        let lines = engine.go(go);
        let best = lines.last().map(|line| move_of(line)).unwrap();
        let score = lines.iter().rev().find_map(|line| Some(line.split_once(" mate ")?.1.to_owned()));
        (best, score.map(|rest| rest.split(' ').next().unwrap().to_owned()))
    };
    // Black places its last man, opens the moving phase and wins with that second turn.
    let won = "OO@*@OO@/@@OOO@@O/@OO@@@*O b p p 11 0 11 1 0 0 -1 -1 -1 -1 0 0 12 ids:nodes";
    for algorithm in 0..4 {
        engine.send(&format!("setoption name Algorithm value {algorithm}"));
        let found = ask(&mut engine, won, "nodes 20000");
        assert_eq!(found, ("e3".to_owned(), Some("2".to_owned())), "algorithm {algorithm}");
    }
    let later = format!("{won} moves e3");
    assert_eq!(ask(&mut engine, &later, "nodes 20000"), ("a1-a4".to_owned(), Some("1".to_owned())));
}

#[test]
fn the_line_of_a_mate_is_not_longer_than_the_mate() {
    let mut engine = Engine::start();
    for option in ["UCI_Variant value twelve", "TablebaseEmbedded value false", "Shuffling value false"] {
        engine.send(&format!("setoption name {option}"));
    }
    // The transposition table has other lines too.
    for fen in [
        "O@OOO*O*/OO@O@@O@/O@@O*@O@ w m s 12 0 9 0",
        "O@O@O@@O/@O@@O@OO/@OOO@O** w m s 12 0 10 0",
        "OOOO@**@/@@@OO@O@/*@@OOOO@ w m s 11 0 10 0",
        "@@O*OO*O/@**O*O*@/O@O@OOO* w m s 11 0 6 0",
        "O@OO@@*@/OOO@O@O@/@@OOOO@@ w m s 12 0 11 0",
    ] {
        engine.send("ucinewgame");
        engine.send(&format!("position fen {fen} 0 0 -1 -1 -1 -1 0 0 20 ids:nodes"));
        let lines = engine.go("depth 12");
        let (line, moves) = lines.iter().rev().find_map(|line| line.split_once(" pv ")).unwrap();
        let mate: i32 = line.split_once(" mate ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
        let turns = moves.split(' ').filter(|m| !m.starts_with('x')).count() as i32;
        let most = if mate > 0 { 2 * mate - 1 } else { -2 * mate };
        assert!(turns <= most, "mate {mate}: {moves}");
    }
}

#[test]
fn the_line_is_not_that_of_an_earlier_iteration() {
    let mut engine = Engine::start();
    for option in ["NeverLose", "TablebaseEmbedded", "Shuffling"] {
        engine.send(&format!("setoption name {option} value false"));
    }
    let last =
        |lines: &[String]| lines.iter().rev().find_map(|line| Some(line.split_once(" pv ")?.1.to_owned()));
    // Alpha-beta collects its line, and the table goes on from there.
    engine.send("setoption name Algorithm value 0\nposition startpos moves d6 f4 d2 b4");
    let line = last(&engine.go("depth 9")).unwrap();
    assert!(line.split(' ').count() > 5, "{line}");
    engine.send("setoption name Algorithm value 2");
    for moves in ["e3 d2 b2 c3 f6 b6 c4 e5", "d6 f4 d2 b4", "g4 d5 e4 c4"] {
        engine.send("ucinewgame");
        engine.send(&format!("position startpos moves {moves}"));
        let lines = engine.go("depth 13");
        let line = last(&lines).unwrap();
        // So short a search stores nothing here: its line is that of the transposition table.
        let stored =
            last(&engine.go(&format!("depth 1 searchmoves {}", move_of(&lines[lines.len() - 1])))).unwrap();
        assert!(line.starts_with(&stored), "{line}, stored: {stored}");
    }
}

#[test]
fn threads_agree_on_the_expected_answer_and_the_line() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 2");
    engine.send("position startpos moves d6 f4 d2 b4");
    for n in 0..60 {
        engine.send("ucinewgame");
        engine.send("position startpos moves d6 f4 d2 b4");
        let lines = engine.go(&format!("nodes {}", 300 + 37 * n));
        let answer: Vec<&str> = lines.last().unwrap().split(' ').collect();
        let line = lines.iter().rev().find_map(|line| line.split_once(" pv ")).unwrap().1;
        let line: Vec<&str> = line.split(' ').collect();
        assert_eq!(answer[1], line[0], "{lines:#?}");
        // The first move earns no take, so the second move is the opponent's.
        assert_eq!(answer.get(3), line.get(1), "{lines:#?}");
    }
}

#[test]
#[cfg(unix)]
fn a_pipe_is_no_file_to_read_or_write() {
    let folder = common::Folder::new("pipe");
    let path = folder.file("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo").success());
    let mut engine = Engine::start();
    engine.send("setoption name LearnEndgame value true");
    for option in ["ExperienceFile", "Debug Log File"] {
        let answer = engine.ask(&format!("setoption name {option} value {}", path.display()));
        assert!(answer.len() == 1 && answer[0].contains("regular file"), "{answer:?}");
    }
    assert!(engine.quit().success());
}

#[test]
fn the_log_is_not_appended_to_files_that_are_no_log() {
    let folder = common::Folder::new("foreign log");
    let diary = folder.write("diary.txt", "dear diary\n");
    let earlier = folder.write("earlier.log", ">> uci\n<< uciok\n");
    let empty = folder.write("empty.log", "");
    let new = folder.file("new.log");
    let mut engine = Engine::start();
    let set = |path: &std::path::Path| format!("setoption name Debug Log File value {}", path.display());
    for log in [&earlier, &empty, &new] {
        assert_eq!(engine.ask(&set(log)), [""; 0]);
        // After a refused file the earlier log stays open.
        let answer = engine.ask_one(&set(&diary));
        let why = "expected a new or empty file, or an earlier log: it begins with 'dear diary\\n'";
        assert!(
            answer.starts_with("info string option Debug Log File: found ") && answer.contains(why),
            "{answer}"
        );
        engine.ask("eval");
    }
    engine.send("setoption name Debug Log File value");
    assert!(engine.quit().success());
    assert_eq!(std::fs::read_to_string(&diary).expect("it is there"), "dear diary\n");
    let read = |path| std::fs::read_to_string(path).expect("a log");
    assert!(read(&earlier).starts_with(">> uci\n<< uciok\n>> isready\n"), "{}", read(&earlier));
    for log in [&earlier, &empty, &new] {
        assert!(read(log).contains("\n>> eval\n"), "{}", read(log));
    }
}
