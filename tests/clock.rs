//! Time: clocks that count nodes, moves played without a search, and limits that end a search early.
//! Deadlines only guard against hanging.

use crate::common;

use common::{Engine, field, largest};
use millstone::search::Limits;
use millstone::{Position, Rules};
use std::time::{Duration, Instant};

/// One move is legal: a take, and a slide.
const FORCED: [(&str, &str); 2] = [
    ("@@O****@/**O**OOO/O*O@*@** b m r 7 0 5 0 0 1 -1 -1 -1 -1 0 3 18 ids:nodes", "xd7"),
    ("*****OO*/**OO**@O/*O@@OO@O b m s 9 0 4 0 0 0 -1 -1 -1 -1 0 24 55 ids:nodes", "b4-b2"),
];

fn nodes(lines: &[String]) -> u64 {
    largest(lines, "nodes")
}

fn depth(lines: &[String]) -> u64 {
    largest(lines, "depth")
}

#[test]
fn nodestime_puts_nodes_in_place_of_the_clock() {
    let run_at = |rate: u32, limits: &str| {
        let mut engine = Engine::start();
        engine.send("setoption name SearchShuffleSeed value 1");
        engine.send(&format!("setoption name nodestime value {rate}"));
        nodes(&engine.go(limits))
    };
    for (rate, milliseconds, expected) in [(1, 100, 100), (10, 10, 100), (100, 500, 50_000)] {
        let used = run_at(rate, &format!("movetime {milliseconds}"));
        assert!((expected..expected + 10).contains(&used), "{used}");
    }
    let used = run_at(1, "wtime 200 btime 200 movestogo 1");
    assert!(used < 200, "{used}");
    let run = |limits: &str| run_at(100, limits);
    let used = run("movetime 500");
    assert_eq!(run("movetime 500"), used);
    // With ten seconds left a move takes a fraction of a second, at a hundred nodes per millisecond.
    let used = run("wtime 10000 btime 10000");
    assert!((5_000..250_000).contains(&used), "{used}");
    assert_eq!(run("wtime 10000 btime 10000"), used);
}

#[test]
fn nodes_count_from_the_ponderhit_on() {
    for (rate, limits, due) in [(0, "nodes 20000", 20_000), (100, "movetime 200", 20_000)] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name nodestime value {rate}"));
        engine.send(&format!("go ponder {limits}"));
        // By now the search has passed the limit of nodes.
        let pondered = nodes(&engine.until("info depth 13"));
        assert!(pondered > due, "{pondered}");
        engine.send("ponderhit");
        let used = nodes(&engine.until("bestmove"));
        // A thread adds its nodes to the shared count once in 1,024.
        assert!(used + 1_024 >= pondered + due, "{limits}: {used} after {pondered}");
    }
}

#[test]
fn time_and_speed_are_those_of_the_whole_search_pondering_included() {
    let number = |lines: &[String], name: &str| -> f64 {
        let line = lines.iter().rev().find(|line| line.contains(" nps ")).expect("a line of the search");
        field(line, name).expect("a field").parse().expect("a number")
    };
    let mut engine = Engine::start();
    engine.send("go ponder movetime 1");
    let began = Instant::now();
    let before = number(&engine.until("info depth 16"), "time");
    let pondered = began.elapsed();
    engine.send("ponderhit");
    let lines = engine.until("bestmove");
    assert!(before > 1.0 && number(&lines, "time") >= before, "{before} ms, then {lines:#?}");
    // The speed must not be all nodes divided by one millisecond. The client sees the search begin late on a
    // loaded machine, so the bound is wide.
    let (reported, most) = (number(&lines, "nps"), number(&lines, "nodes") / pondered.as_secs_f64());
    assert!(reported <= 4.0 * most, "{reported} in place of at most {most}: {lines:#?}");
}

#[test]
fn a_forced_move_is_played_at_once_but_not_in_analysis() {
    for algorithm in [2, 3] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Algorithm value {algorithm}"));
        for (fen, only) in FORCED {
            engine.send(&format!("position fen {fen}"));
            for limits in ["movetime 600000", "wtime 600000000 btime 600000000"] {
                assert_eq!(engine.best(limits), only);
            }
            engine.send("setoption name MultiPV value 3");
            assert_eq!(engine.best("movetime 600000"), only);
            engine.send("setoption name MultiPV value 1");
            assert_eq!(engine.best("movetime 600000 topn 2"), only);
            engine.send("setoption name UCI_AnalyseMode value true");
            assert!(depth(&engine.go("nodes 20000")) > 1);
            assert_eq!(depth(&engine.go("depth 2 movetime 600000")), 2);
            engine.send("setoption name UCI_AnalyseMode value false");
            engine.send("go infinite");
            assert!(!engine.ask("").iter().any(|line| line.contains("bestmove")));
            engine.send("stop");
            engine.until("bestmove");
        }
    }
}

#[test]
fn an_only_move_is_searched_for_analysis() {
    let mut engine = millstone::Engine::new().expect("an engine");
    for (fen, only) in FORCED {
        let pos = Position::from_fen(&Rules::NINE, fen).expect("sound");
        for analysis in [false, true] {
            let (depth, movetime) = (Some(2), Some(Duration::from_secs(600)));
            let best = engine.search(&pos, Limits { depth, movetime, analysis, ..Limits::default() });
            let best = best.expect("a result");
            assert_eq!(best.best.expect("a move").to_string(), only);
            assert_eq!(best.depth > 1, analysis, "{best:?}");
        }
    }
}

/// The certificate allows two placings; the exchange of the outer and the inner ring swaps them.
#[test]
fn symmetric_placings_are_no_choice() {
    let mut engine = Engine::start();
    engine.send("position startpos moves d6");
    for limits in ["movetime 600000", "wtime 600000000 btime 600000000"] {
        assert!(["d5", "d7"].contains(&&*engine.best(limits)));
    }
}

#[test]
fn a_depth_ends_a_search_before_its_time_is_used_up() {
    let mut engine = Engine::start();
    assert_eq!(depth(&engine.go("depth 3 movetime 600000")), 3);
    assert!(depth(&engine.go("depth 100 movetime 50")) < 100);
}

/// Returns the processor time of a process, in hundredths of a second.
#[cfg(target_os = "linux")]
fn processor_time(id: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("a running process");
    // The name of the program, in brackets, may have blanks.
    let (_, fields) = stat.rsplit_once(')').expect("a name in brackets");
    let number = |at: usize| fields.split_whitespace().nth(at)?.parse::<u64>().ok();
    number(11).zip(number(12)).map(|(user, system)| user + system).expect("two times")
}

#[cfg(target_os = "linux")]
#[test]
fn a_search_that_ends_before_its_time_waits_without_work() {
    let mut engine = Engine::start();
    engine.send("setoption name SkillLevel value 0");
    engine.go("movetime 10");
    let before = processor_time(engine.id());
    engine.go("movetime 1500");
    let used = processor_time(engine.id()) - before;
    assert!(used < 75, "{used} hundredths of a second for a search of depth 1");
}
