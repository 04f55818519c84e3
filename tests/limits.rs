//! The first limit of a `go` that is reached ends the search, for every pair of limits.

use crate::common::{Engine, field};
use millstone::engine::EngineError;
use millstone::{Limits, Position, Rules};
use std::time::{Duration, Instant};

/// A limit that is reached soon, and one of the same kind that no test reaches.
const LIMITS: [(&str, &str); 5] = [
    ("depth 2", "depth 200"),
    ("nodes 500", "nodes 1000000000000"),
    ("mate 1", "mate 60"),
    ("movetime 30", "movetime 3600000"),
    ("wtime 200 btime 200", "wtime 36000000 btime 36000000"),
];

/// White has many moves and one that wins, by closing a mill.
const MATE_IN_ONE: &str =
    "position fen O*O*****/*@******/O**@*@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

/// Calls `check` with every pair of a limit that is reached soon and one that is not.
fn each_pair(mut check: impl FnMut(&str, &str)) {
    for (index, (soon, _)) in LIMITS.into_iter().enumerate() {
        for (other, (_, late)) in LIMITS.into_iter().enumerate() {
            if index != other {
                check(&format!("{soon} {late}"), soon);
                check(&format!("{late} {soon}"), soon);
            }
        }
    }
}

fn set_up(engine: &mut Engine, soon: &str) {
    engine.send(if soon.starts_with("mate") { MATE_IN_ONE } else { "position startpos moves d6" });
}

#[test]
fn of_two_limits_the_first_ends_the_search() {
    for algorithm in [0, 1, 2, 3] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Algorithm value {algorithm}"));
        engine.send("setoption name TablebaseEmbedded value false");
        each_pair(|limits, soon| {
            set_up(&mut engine, soon);
            assert_ne!(engine.best(limits), "(none)", "algorithm {algorithm}, go {limits}");
        });
    }
}

#[test]
fn a_proved_win_ends_the_search_before_its_time() {
    let mut engine = Engine::start();
    engine.send("setoption name TablebaseEmbedded value false");
    engine.send(MATE_IN_ONE);
    for limits in ["wtime 36000000 btime 36000000", "movetime 3600000"] {
        assert_ne!(engine.best(limits), "(none)", "{limits}");
    }
}

#[test]
fn of_two_limits_the_first_ends_the_search_after_pondering() {
    let mut engine = Engine::start();
    engine.send("setoption name TablebaseEmbedded value false");
    each_pair(|limits, soon| {
        set_up(&mut engine, soon);
        engine.send(&format!("go ponder {limits}"));
        engine.send("ponderhit");
        engine.until("bestmove");
    });
}

#[test]
fn with_infinite_no_other_limit_brings_the_move_before_stop() {
    let mut engine = Engine::start();
    engine.send("setoption name TablebaseEmbedded value false");
    for (soon, _) in LIMITS {
        set_up(&mut engine, soon);
        engine.send(&format!("go {soon} infinite"));
        engine.until("info depth 2 ");
        for _ in 0..20 {
            let lines = engine.ask("");
            assert!(!lines.iter().any(|line| line.contains("bestmove")), "{soon}: {lines:?}");
        }
        engine.send("stop");
        engine.until("bestmove");
    }
}

/// A lower bound that ends a search is what an earlier pass over the moves has proved.
#[test]
fn the_last_score_is_no_worse_than_the_bound_reported_before() {
    let mut seen = 0;
    for nodes in (1_000..40_000).step_by(500) {
        let mut engine = Engine::start();
        engine.send("setoption name TablebaseEmbedded value false");
        engine.send("setoption name SearchShuffleSeed value 1");
        engine.send("position fen *@*OOO**/*@@*@***/*@*@OO*O w m s 6 0 6 0 0 0 -1 -1 -1 -1 0 3 14 ids:nodes");
        let lines = engine.go(&format!("nodes {nodes}"));
        let infos: Vec<&String> = lines.iter().filter(|line| line.contains(" pv ")).collect();
        if let [.., before, last] = infos[..]
            && [before, last].iter().all(|line| line.contains("lowerbound"))
        {
            let number = |line| field(line, "cp").expect("a score").parse::<i32>().expect("a number");
            assert!(number(last) >= number(before), "{nodes} nodes: {lines:#?}");
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn a_depth_that_options_limit_leaves_the_time_of_the_line() {
    let mut engine = Engine::start();
    engine.send("setoption name SkillLevel value 1");
    engine.send("position startpos moves d6");
    for limits in ["depth 200 movetime 200", "movetime 200"] {
        let begin = Instant::now();
        engine.best(limits);
        assert!(begin.elapsed().as_millis() >= 200, "{limits}");
    }
}

#[test]
fn a_search_for_a_win_goes_on_until_it_is_found_or_input_ends() {
    let mut engine = Engine::start();
    engine.send("setoption name TablebaseEmbedded value false");
    engine.send("setoption name Shuffling value false");
    // A win in four turns, which a search that prunes finds only beyond seven plies with their takes.
    engine.send("position fen **@O*@*O/*@******/***O**** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes");
    let lines = engine.go("mate 4");
    let last = lines.iter().rfind(|line| line.contains(" pv ")).expect("a line");
    assert!(field(last, "mate").and_then(|turns| turns.parse().ok()).is_some_and(|turns: u32| turns <= 4));
    engine.send("position startpos");
    engine.send("go mate 20");
    // The command after it needs the result, as after `go infinite`.
    engine.send("fen");
    let note = "info string go mate is cut off by the next command or the end of the input";
    let notes = |lines: &[String]| lines.iter().filter(|line| *line == note).count();
    assert_eq!(notes(&engine.until("bestmove")), 1);
    assert_eq!(engine.read(), format!("fen {}", Position::new(&Rules::NINE).fen()));
    for (go, expected) in [("go mate 20", 1), ("go mate 20 infinite", 0)] {
        engine.send(go);
        engine.send("fen");
        assert_eq!(notes(&engine.until("bestmove")), expected, "{go}");
        engine.until("fen");
    }
    engine.send("go mate 20");
    engine.send("stop");
    assert_eq!(notes(&engine.until("bestmove")), 0);
    engine.send("go mate 20");
    let (status, lines) = engine.close();
    assert!(status.success() && lines.iter().any(|line| line.starts_with("bestmove ")));
    assert_eq!(notes(&lines), 1);
}

#[test]
fn the_last_line_of_an_aborted_search_has_no_smaller_depth_than_the_one_before() {
    let mut engine = Engine::start();
    engine.send("setoption name Shuffling value false");
    engine.send("setoption name NeverLose value false");
    let mut bounds = 0;
    for nodes in 30..150 {
        engine.send("ucinewgame");
        let lines = engine.go(&format!("nodes {nodes}"));
        let depth = |line: &String| field(line, "depth").and_then(|depth| depth.parse::<u32>().ok());
        let depths: Vec<u32> = lines.iter().filter_map(depth).collect();
        assert!(depths.is_sorted(), "{nodes} nodes: {lines:?}");
        bounds += usize::from(lines.iter().any(|line| line.contains("bound ")));
    }
    assert!(bounds > 0, "no search ended within an iteration");
}

#[test]
fn ponderhit_without_pondering_gives_no_more_time() {
    let mut engine = Engine::start();
    engine.send("position startpos moves d6");
    engine.send("go movetime 300");
    let begin = Instant::now();
    // If each of them restarted the clock, the search would not end.
    let mut lines = Vec::new();
    while !lines.iter().any(|line: &String| line.starts_with("bestmove ")) {
        lines.extend(engine.ask("ponderhit"));
        std::thread::sleep(std::time::Duration::from_millis(10));
        assert!(begin.elapsed().as_secs() < 30, "the search does not end");
    }
}

#[test]
fn the_library_refuses_a_search_that_would_not_end() {
    let mut engine = millstone::Engine::new().expect("an engine");
    let pos = Position::new(&Rules::NINE);
    let (depth, movetime) = (Some(1), Some(Duration::from_millis(1)));
    for limits in [
        Limits::default(),
        Limits { mate: Some(3), ..Limits::default() },
        Limits { depth, infinite: true, ..Limits::default() },
        Limits { depth, ponder: true, ..Limits::default() },
        Limits { movetime, reproducible: true, ..Limits::default() },
    ] {
        let refusal = engine.search(&pos, limits.clone()).err();
        assert!(matches!(refusal, Some(EngineError::Endless)), "{limits:?}: {refusal:?}");
    }
    assert!(engine.search(&pos, Limits { movetime, ..Limits::default() }).is_ok());
}

#[test]
fn the_library_tells_every_option_that_is_not_in_force_once() {
    let mut engine = millstone::Engine::new().expect("an engine");
    let pos = Position::new(&Rules::NINE);
    engine.set_option("EvalFile", Some("/no/network")).expect("taken");
    engine.set_option("CertificateFile", Some("/no/certificate")).expect("taken");
    let limits = Limits { depth: Some(1), ..Limits::default() };
    let error = engine.search(&pos, limits.clone()).expect_err("two errors").to_string();
    assert!(error.starts_with("EvalFile /no/network: "), "{error}");
    assert!(error.contains("; also: CertificateFile /no/certificate"), "{error}");
    assert!(engine.search(&pos, limits.clone()).is_ok());
    engine.set_option("CertificateFile", Some("/no/certificate")).expect("taken");
    let error = engine.search(&pos, limits.clone()).expect_err("the file is tried again");
    assert!(matches!(error, EngineError::Certificate(_)), "{error}");
    engine.set_option("EvalFile", Some("/no/other")).expect("taken");
    let error = engine.search(&pos, limits.clone()).expect_err("one error");
    assert!(matches!(error, EngineError::EvalFile { .. }), "{error}");
    assert!(engine.search(&pos, limits).is_ok());
}

#[test]
fn the_time_before_a_search_counts() {
    let mut engine = millstone::Engine::new().expect("an engine");
    let pos = Position::new(&Rules::NINE);
    let mut depth_in = |seconds, began| {
        let movetime = Some(Duration::from_secs(seconds));
        let limits = Limits { movetime, began, depth: Some(9), ..Limits::default() };
        engine.search(&pos, limits).expect("a move").depth
    };
    // As if memory had been allocated for two seconds.
    let ago = Instant::now().checked_sub(Duration::from_secs(2)).expect("the machine runs for so long");
    assert!(depth_in(1, Some(ago)) < 9);
    assert_eq!(depth_in(600, None), 9);
}
