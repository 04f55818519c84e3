//! Every announced option has an effect: each is tested by a change that a client can see.

use crate::common;

use common::{Engine, Folder, field, move_of, skip, tablebase_files};
use millstone::engine::options::{self, OptionKind, Shown};
use millstone::rules::{RULE_OPTIONS, RuleKind, Rules};
use std::collections::HashSet;
use std::path::Path;

/// An engine with these options set, each as `Name value X`.
fn with(settings: &[&str]) -> Engine {
    let mut engine = Engine::start();
    for setting in ["SearchShuffleSeed value 1"].iter().chain(settings) {
        let answer = engine.ask(&format!("setoption name {setting}"));
        assert!(answer.is_empty(), "{setting}: {answer:?}");
    }
    engine
}

/// The lines of one search from the initial position.
fn lines(settings: &[&str], go: &str) -> Vec<String> {
    with(settings).go(go)
}

/// The last value of a field in the lines of a search.
fn last(lines: &[String], name: &str) -> u64 {
    let found = lines.iter().rev().find_map(|line| field(line, name));
    found.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no {name} in {lines:#?}"))
}

fn nodes(settings: &[&str], go: &str) -> u64 {
    last(&lines(settings, go), "nodes")
}

/// With `nodestime` a clock counts nodes, so that its effect is visible without measuring time.
const CLOCK: &str = "wtime 2000 btime 2000";

const THREE_AGAINST_THREE: &str =
    "position fen O*O*****/*@******/O**@*@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
const THREE_AGAINST_FIVE: &str =
    "position fen O*O*@***/@**@****/***@O*@* w m s 3 0 5 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
/// The built-in tablebase holds the position after the first take.
const FIVE_AGAINST_SIX: &str =
    "position fen OO*O****/*@*@@***/O**@O@*@ w m s 5 0 6 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

/// Returns the tablebase hits of a search to a depth.
fn hits(settings: &[&str], position: &str, depth: u32) -> u64 {
    let mut engine = with(settings);
    engine.send(position);
    last(&engine.go(&format!("depth {depth}")), "tbhits")
}

fn best_moves(setting: &str, seeds: &[&str]) -> HashSet<String> {
    let mut engine = with(&[setting]);
    seeds
        .iter()
        .map(|seed| {
            engine.send("ucinewgame");
            engine.send(&format!("setoption name SearchShuffleSeed value {seed}"));
            move_of(engine.go("depth 2").last().unwrap())
        })
        .collect()
}

fn threads_of(engine: &Engine) -> Option<usize> {
    let tasks = std::fs::read_dir(Path::new("/proc").join(engine.id().to_string()).join("task")).ok()?;
    let name =
        |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).unwrap_or_default();
    Some(tasks.flatten().map(name).filter(|name| name.starts_with("search ")).count())
}

/// The tests of play, of the network and of learning, which name the options they set.
const SHOWN_BY_OTHERS: &[&str] = &[
    include_str!("effects.rs"),
    include_str!("eval_file.rs"),
    include_str!("experience.rs"),
    include_str!("never_lose.rs"),
];

/// Checks that an option has an effect.
const SHOWN: &[(&str, fn())] = &[
    ("Threads", || {
        let mut engine = with(&["Threads value 3"]);
        // A thread takes its name when it first runs.
        engine.go("depth 2");
        match threads_of(&engine) {
            Some(number) => assert_eq!(number, 3),
            None => skip("this system does not show the threads of a process"),
        }
    }),
    ("Hash", || {
        let full = |mib: &str| last(&lines(&[&format!("Hash value {mib}")], "nodes 60000"), "hashfull");
        assert!(full("1") > full("64"));
    }),
    ("Clear Hash", || {
        let mut engine = with(&["Shuffling value false"]);
        engine.go("depth 12");
        let remembered = last(&engine.go("depth 12"), "nodes");
        engine.send("setoption name Clear Hash");
        assert!(last(&engine.go("depth 12"), "nodes") > 2 * remembered);
    }),
    ("Ponder", || {
        let more = |wtime: u32| {
            let count = |on: &str| nodes(&["nodestime value 20", on], &format!("wtime {wtime} btime 1"));
            count("Ponder value true") > count("Ponder value false")
        };
        assert!((4..16).any(|n| more(500 * n)));
    }),
    ("MultiPV", || {
        let lines = lines(&["MultiPV value 4"], "depth 3");
        assert!(lines.iter().any(|line| field(line, "multipv") == Some("4")));
    }),
    ("Move Overhead", || {
        let count = |ms: u32| nodes(&["nodestime value 50", &format!("Move Overhead value {ms}")], CLOCK);
        assert!(count(0) > count(1900));
    }),
    ("Slow Mover", || {
        let count =
            |percent: u32| nodes(&["nodestime value 50", &format!("Slow Mover value {percent}")], CLOCK);
        assert!(count(500) > count(10));
    }),
    ("nodestime", || {
        let count = |per_ms: u32| nodes(&[&format!("nodestime value {per_ms}")], CLOCK);
        assert!(count(100) > count(1));
    }),
    ("MoveTime", || {
        let count = |settings: &[&str]| nodes(&[&["nodestime value 50"], settings].concat(), "");
        let short = count(&["MoveTime value 1", "MoveTimeMs value 40"]);
        assert!(count(&["MoveTimeMs value 40", "MoveTime value 1"]) > short, "the later one counts");
    }),
    ("MoveTimeMs", || {
        let count = |ms: u32| nodes(&["nodestime value 50", &format!("MoveTimeMs value {ms}")], "");
        assert!(count(1000) > count(40));
    }),
    ("SkillLevel", || {
        let depth = |level: u32| {
            last(&lines(&["nodestime value 50", &format!("SkillLevel value {level}")], ""), "depth")
        };
        assert!(depth(0) < depth(30));
    }),
    ("Algorithm", || {
        let counts: HashSet<u64> =
            (0..3).map(|number| nodes(&[&format!("Algorithm value {number}")], "depth 8")).collect();
        assert_eq!(counts.len(), 3, "three searches, three trees: {counts:?}");
    }),
    ("Shuffling", || {
        let seeds = ["1", "2", "3", "4", "5", "6", "7", "8"];
        assert_eq!(best_moves("Shuffling value false", &seeds).len(), 1);
        assert!(best_moves("Shuffling value true", &seeds).len() > 1);
    }),
    ("SearchShuffleSeed", || {
        assert_eq!(best_moves("Shuffling value true", &["7"; 5]).len(), 1);
        assert!(best_moves("Shuffling value true", &["auto"; 12]).len() > 1);
    }),
    ("UCI_AnalyseMode", || {
        let depth = |on: &str| {
            let mut engine = with(&["nodestime value 50", on]);
            // White closed a mill, and Black has one man outside its own.
            engine.send(
                "position fen OO*****O/********/@@****@@ w m r 3 0 4 0 1 0 -1 -1 -1 -1 0 0 20 ids:nodes",
            );
            assert_eq!(engine.ask_one("moves"), "moves xa4");
            last(&engine.go(CLOCK), "depth")
        };
        assert_eq!(depth("UCI_AnalyseMode value false"), 1);
        assert!(depth("UCI_AnalyseMode value true") > 1);
    }),
    ("UCI_ShowWDL", || {
        let shows = |on: &str| lines(&[on], "depth 2").iter().any(|line| line.contains(" wdl "));
        assert!(shows("UCI_ShowWDL value true") && !shows("UCI_ShowWDL value false"));
    }),
    ("UCI_EngineAbout", || {
        let mut engine = Engine::start();
        engine.send("uci");
        let about = engine.until("UCI_EngineAbout").pop().unwrap();
        assert!(about.contains("Millstone") && about.contains("licence"), "{about}");
    }),
    ("Debug Log File", || {
        let folder = Folder::new("option log");
        let path = folder.file("log.txt");
        with(&[&format!("Debug Log File value {}", path.display())]).quit();
        let log = std::fs::read_to_string(&path).unwrap();
        assert!(log.ends_with(">> quit\n"), "{log}");
    }),
    ("Protocol", || {
        let answer = |name: &str| lines(&[&format!("Protocol value {name}")], "depth 2").pop().unwrap();
        assert!(answer("standard").starts_with("bestmove "));
        assert!(answer("sanmill7").starts_with("info score "));
        assert!(answer("tgf").starts_with("info depth "));
    }),
    ("StrictFailurePolicy", || {
        let answer = |on: &str| with(&[on]).ask_one("position startpos moves d6 d6");
        assert!(answer("StrictFailurePolicy value true").starts_with("info string sanmill_error {"));
        assert!(!answer("StrictFailurePolicy value false").contains("sanmill_error"));
    }),
    ("StrictRefereeProfile", || {
        let count = |profile: &str| {
            let mut engine = with(&[&format!("StrictRefereeProfile value {profile}")]);
            engine.send(THREE_AGAINST_THREE);
            let state = engine.ask_one("statejson");
            let (_, rest) = state.split_once("\"repetition_current_count\":").expect("a count");
            rest.split(',').next().expect("a number").to_owned()
        };
        assert_eq!(
            (count("sanmill-live-v1"), count("mif-stable-moving-v1")),
            ("0".to_owned(), "1".to_owned())
        );
    }),
    ("TwelveMensMorris", || {
        let mut engine = Engine::start();
        engine.send("gbgp");
        engine.until("gbgpok");
        for (on, men) in [("true", " 0 12 0 12 "), ("false", " 0 9 0 9 ")] {
            engine.send(&format!("setoption name TwelveMensMorris value {on}"));
            assert!(engine.fen().contains(men));
            // The game is still that of the option.
            engine.send("setoption name NMoveRule value 50");
        }
    }),
    ("TablebasePath", || {
        let folder = tablebase_files("option TablebasePath", &["build", "--quiet", "--scope", "6-men"]);
        let path = format!("TablebasePath value {}", folder.path().display());
        let score = |settings: &[&str]| {
            let mut engine = with(&[&["TablebaseEmbedded value false"], settings].concat());
            // Black wins, but not at once.
            engine.send(&format!("{THREE_AGAINST_THREE} moves e4-d1"));
            engine.go("depth 1").iter().any(|line| field(line, "score") == Some("mate"))
        };
        assert!(score(&[&path]) && !score(&[]));
    }),
    ("TablebaseEmbedded", || {
        let count = |on: &str| {
            let settings = ["TablebaseProbeDepth value 0", &format!("TablebaseEmbedded value {on}")];
            hits(&settings, FIVE_AGAINST_SIX, 6)
        };
        assert!(count("true") > 0 && count("false") == 0);
    }),
    ("TablebaseCache", || {
        let folder = tablebase_files("option TablebaseCache", &["build", "--quiet", "--scope", "7-men"]);
        // What is left are the distances, 2 MB unpacked; the results would fit in the least cache.
        for name in folder.names().iter().filter(|name| name.ends_with(".wdl")) {
            std::fs::remove_file(folder.file(name)).expect("it was built");
        }
        let path = format!("TablebasePath value {}", folder.path().display());
        // The search reads blocks at a depth of two or more; nearer to the leaves it uses those in memory.
        let count = |size: &str| {
            let cache = format!("TablebaseCache value {size}");
            let settings = ["TablebaseEmbedded value false", "TablebaseProbeDepth value 2", &path, &cache];
            hits(&settings, THREE_AGAINST_FIVE, 12)
        };
        let large = count("64");
        assert_eq!(count("64"), large, "the search is reproducible");
        assert_ne!(count("1"), large);
    }),
    ("TablebaseProbeDepth", || {
        let count = |depth: u32| hits(&[&format!("TablebaseProbeDepth value {depth}")], FIVE_AGAINST_SIX, 6);
        assert!(count(0) > count(64));
    }),
    ("TablebasePlacing", || {
        // Black can close a mill.
        let early = "position startpos moves d6 a1 f4 g1 d2";
        let count = |on: &str| hits(&[&format!("TablebasePlacing value {on}")], early, 10);
        assert!(count("true") > 0 && count("false") == 0);
    }),
    ("TrapAwareness", || {
        let analysis = |on: &str| {
            let mut engine = with(&[&format!("TrapAwareness value {on}")]);
            engine.send(&THREE_AGAINST_THREE.replace("position", "analyze"));
            engine.until("info analysis").pop().unwrap()
        };
        // If White stops Black on d1 instead of closing d5-d6-d7, it loses.
        assert!(analysis("true").contains(" trap "), "{}", analysis("true"));
        assert!(!analysis("false").contains(" trap "));
    }),
    ("UsePerfectDatabase", || {
        let notes = |on: &str| {
            let mut engine = with(&["PerfectDatabasePath value /no/such/folder"]);
            engine.ask(&format!("setoption name UsePerfectDatabase value {on}")).len()
        };
        assert_eq!((notes("true"), notes("false")), (1, 0));
    }),
    ("PerfectDatabasePath", || {
        let mut engine = with(&[]);
        let unnamed = engine.ask("setoption name UsePerfectDatabase value true");
        assert!(unnamed.last().unwrap().contains("PerfectDatabasePath is empty"), "{unnamed:?}");
        let answer = engine.ask("setoption name PerfectDatabasePath value /no/such/folder");
        assert!(answer.last().unwrap().contains("/no/such/folder"), "{answer:?}");
    }),
    ("UCI_Variant", || {
        assert!(with(&["UCI_Variant value lasker"]).fen().contains(" 0 10 0 10 "));
    }),
];

#[test]
fn every_announced_option_of_the_engine_acts() {
    let announced: Vec<&str> = options::all()
        .filter(|option| option.shown != Shown::Never && !matches!(option.kind, OptionKind::Rule(_)))
        .map(|option| option.name)
        .collect();
    let mut here = 0;
    for name in &announced {
        match SHOWN.iter().find(|(shown, _)| shown == name) {
            Some((_, show)) => {
                eprintln!("{name}");
                show();
                here += 1;
            }
            None => assert!(
                SHOWN_BY_OTHERS.iter().any(|tests| tests.contains(name)),
                "nothing shows that {name} acts"
            ),
        }
    }
    assert_eq!(here, SHOWN.len(), "all that is shown here is announced");
}

#[test]
fn every_rule_option_changes_the_rules_in_force() {
    for option in RULE_OPTIONS {
        let usual = (option.get)(&Rules::NINE);
        let value = match option.kind {
            RuleKind::Check => (usual == 0).to_string(),
            RuleKind::Spin { min, .. } if usual != min => min.to_string(),
            RuleKind::Spin { max, .. } => max.to_string(),
        };
        let mut engine = Engine::start();
        assert!(engine.ask(&format!("setoption name {} value {value}", option.name)).is_empty());
        let state = engine.ask_one("statejson");
        assert!(state.contains(&format!("\"{}\":{value}", option.name)), "{}: {state}", option.name);
        assert!(state.contains("\"ruleset_id\":\"") && !state.contains("\"ruleset_id\":\"nine\""), "{state}");
    }
}

#[test]
fn rules_that_come_back_begin_a_new_game_but_keep_what_was_searched() {
    // Returns the position after the options, and the nodes of a search of it after one of the same position.
    let searched = |options: &[&str]| {
        let mut engine = with(&["Shuffling value false", "TablebaseEmbedded value false"]);
        engine.go("depth 10");
        if !options.is_empty() {
            engine.send("position startpos moves d6 f4");
        }
        options.iter().for_each(|option| engine.send(&format!("setoption name {option}")));
        (engine.fen(), last(&engine.go("depth 10"), "nodes"))
    };
    let changed_back = ["UCI_Variant value lasker", "MayFly value false", "UCI_Variant value nine"];
    assert_eq!(searched(&changed_back), searched(&[]), "as by a client that sends all its options");
    assert!(searched(&["MayFly value false"]).0.starts_with("********/********/********"));
}

#[test]
fn an_option_set_to_what_it_is_costs_nothing() {
    // Returns the nodes of the second of two searches: few if the entries of the first are still there.
    let second = |between: &str| {
        let mut engine = with(&["Shuffling value false", "TablebaseEmbedded value false"]);
        engine.go("depth 10");
        engine.send(between);
        last(&engine.go("depth 10"), "nodes")
    };
    let warm = second("isready");
    assert!(second("setoption name Clear Hash") > warm);
    for option in ["ConsiderMobility value true", "FocusOnBlockingPaths value false", "Contempt value 0"]
        .into_iter()
        .chain(["MaxQuiescenceDepth value 4", "Hash value 16", "Threads value 1", "MayFly value true"])
    {
        assert_eq!(second(&format!("setoption name {option}")), warm, "{option}");
    }
}
