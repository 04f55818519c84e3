//! Replays the recorded session of a whole game in each dialect, and plays matches between dialects.

use crate::common;

use common::{Engine, Folder, json, millstone, own_engine, plain};
use std::fs;

const GAMES: [(&str, &str); 5] = [
    ("standard", include_str!("data/dialects/standard.txt")),
    ("sanmill7", include_str!("data/dialects/sanmill7.txt")),
    ("tgf", include_str!("data/dialects/tgf.txt")),
    ("gbgp", include_str!("data/dialects/gbgp.txt")),
    ("ugi", include_str!("data/dialects/ugi.txt")),
];

#[test]
fn a_recorded_game_of_each_dialect_is_talked_again() {
    for (name, log) in GAMES {
        assert!(log.matches("\n< ").count() > 20, "{name} is a whole game");
        common::replay_session(log);
    }
}

/// For each dialect: the start of a game, the form of the answer to `go`, and the rule sets.
const TALKS: [(&str, &str, &str, &[&str]); 5] = [
    ("standard", "ucinewgame", "bestmove …", &["nine", "twelve", "el-filja"]),
    ("sanmill7", "position startpos…", "info score … bestmove …", &["nine", "twelve", "el-filja"]),
    ("tgf", "ucinewgame", "info depth … score … nodes … bestmove …", &["nine", "twelve", "el-filja"]),
    ("gbgp", "newgame", "info depth … score eval …", &["nine", "twelve"]),
    ("ugi", "uginewgame", "bestmove …", &["nine", "twelve", "el-filja"]),
];

#[test]
fn each_dialect_plays_whole_games_against_the_standard_one() {
    let folder = Folder::new("match dialects");
    let engine = |name: &str, protocol: &str, options: serde_json::Value| {
        own_engine(&folder, serde_json::json!({ "name": name, "protocol": protocol, "options": options }))
    };
    let standard = engine("other", "standard", serde_json::json!({}));
    for (protocol, begun, answered, rules) in TALKS {
        let talk = folder.file(format!("{protocol}.log"));
        let own = engine(protocol, protocol, serde_json::json!({ "Debug Log File": plain(&talk) }));
        for rules in rules {
            let limits = ["--games", "2", "--go", "nodes 50", "--rules", rules, "--json"];
            let players = ["match", "--a", plain(&own), "--b", plain(&standard)];
            let result = json(&millstone(&[&players[..], &limits].concat()));
            assert_eq!(result["failures"], serde_json::json!([]), "{protocol} {rules}");
            assert_eq!(result["games"], 2);
            let endings = result["endings"].as_object().expect("reasons");
            let is_rule = |reason: &String| reason.starts_with("lose") || reason.starts_with("draw");
            assert!(endings.keys().all(is_rule), "{protocol} {rules}: {endings:?}");
        }
        let talk = fs::read_to_string(&talk).expect("the talk");
        let said = |who| talk.lines().filter_map(move |line: &str| line.strip_prefix(who));
        // Before the first game there is only the handshake.
        let first = said(">> ").find(|line| !["isready", "quit"].contains(line)).expect("a game");
        assert!(common::matches(first, begun), "{protocol}: {first}");
        assert!(said("<< ").any(|line| common::matches(line, answered)), "{protocol}: {talk}");
    }
}

#[test]
fn positions_that_gbgp_cannot_express_are_no_faults_of_an_engine() {
    let folder = Folder::new("match inexpressible");
    let engine = own_engine(&folder, serde_json::json!({ "name": "g", "protocol": "gbgp" }));
    let words = ["accuracy", "--engine", plain(&engine), "--nodes", "1", "--sample", "60", "--json"];
    let result = json(&millstone(&words));
    let of = |key: &str| result[key].as_u64().expect("a number");
    assert!(of("left_out") > 0 && of("positions") > 0, "{result}");
    assert_eq!((of("positions") + of("left_out"), of("failures")), (60, 0), "{result}");
    assert!(result["by_phase"]["taking"].is_null(), "a take is never due");
    // Black has to take a man.
    let taking = "fen ********/O*O*O***/***@@@** b p r 3 6 3 6 0 1 -1 -1 -1 -1 0 0 3 ids:nodes";
    let openings = folder.write("openings", format!("startpos\n{taking}\n"));
    let words = ["match", "--opponent", "random", "--games", "4", "--go", "nodes 1"];
    let refused = millstone(&[&words[..], &["--a", plain(&engine), "--openings", plain(&openings)]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let why = common::stderr_text(&refused);
    let expected = "engine g: not started: this dialect cannot express the position *";
    assert!(why.contains(expected), "{why}");
}

#[test]
fn gbgp_ends_a_drawn_game_where_its_clients_ask_once_more() {
    // Each side has four men that slide back and forth; nobody can close a mill.
    let position = "position pos w:wb6,d7,g1,a7:bf4,b2,d1,a1:20";
    let cycle = ["g1-g4", "f4-f2", "g4-g1", "f2-f4"];
    for (option, reason) in [
        ("setoption name NMoveRule value 100", "drawThreefoldRepetition"),
        (
            "setoption name NMoveRule value 10\nsetoption name ThreefoldRepetitionRule value false",
            "drawFifty",
        ),
    ] {
        let mut engine = Engine::start();
        engine.send("gbgp");
        engine.until("gbgpok");
        engine.send(option);
        let mut moves = String::new();
        let mut turns = cycle.iter().cycle();
        while !engine.ask_one("statejson").contains(reason) {
            assert_ne!(engine.best("nodes 200"), "none", "{moves}");
            moves.push_str(&format!(" {}", turns.next().expect("it has no end")));
            assert!(moves.len() < 200, "no draw after{moves}");
            assert!(engine.ask(&format!("{position} moves{moves}")).is_empty());
        }
        let lines = engine.go("nodes 200");
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(
            lines[0].starts_with("info string game over: draw") && lines[1] == "bestmove none",
            "{lines:?}"
        );
        // A move list does not continue past the draw either.
        moves.push_str(&format!(" {}", turns.next().expect("it has no end")));
        assert!(engine.ask_one(&format!("{position} moves{moves}")).contains(reason));
        assert_eq!(engine.best("nodes 200"), "none");
    }
}

#[test]
fn gbgp_takes_the_clock_of_the_opponent_alone_for_no_endless_search() {
    let mut engine = Engine::start();
    engine.send("gbgp");
    engine.until("gbgpok");
    engine.send("setoption name MoveTimeMs value 50");
    engine.send("position startpos moves d6");
    assert_ne!(engine.best("wtime 100 winc 0"), "none");
}

#[test]
fn a_first_handshake_waits_for_the_search_before_it() {
    let mut engine = Engine::start();
    engine.send("go nodes 300000");
    engine.send("gbgp");
    let lines = engine.until("gbgpok");
    assert!(lines.iter().any(|line| line.starts_with("bestmove ")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("score eval")), "{lines:?}");
}

#[test]
fn a_command_behind_a_handshake_belongs_to_its_dialect() {
    let mut engine = Engine::start();
    // UCI has no `newgame`, and unknown commands need not wait for a search.
    ["go nodes 300000", "gbgp", "go", "newgame", "isready"].iter().for_each(|line| engine.send(line));
    engine.until("gbgpok");
    engine.until("bestmove");
    engine.send("isready");
    engine.until("readyok");
}

#[test]
fn gbgp_plays_at_its_level_without_limits() {
    let mut engine = Engine::start();
    engine.send("gbgp");
    engine.until("gbgpok");
    engine.send("setoption name SkillLevel value 0");
    engine.ask("newgame");
    engine.send("go");
    engine.until("info depth");
    // An analysis would reach several depths in this time.
    std::thread::sleep(std::time::Duration::from_millis(200));
    engine.send("stop");
    let lines = engine.until("bestmove");
    let deepest = lines.iter().filter_map(|line| common::field(line, "depth")?.parse::<u32>().ok()).max();
    assert!(deepest.is_none_or(|depth| depth == 1), "level 0 searches to depth 1: {lines:#?}");
}
