//! Compares the keys of `statejson` with games recorded from Sanmill's engine, finished ones included. Keys
//! that the recorded games do not determine are left out. Skipped with a note if `../shared/oracle` is
//! absent.

use crate::common::{Engine, shared};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader};

/// Positions between two that are compared; the end of each game always is.
const STEP: usize = 9;

/// The keys of every answer to `statejson`.
const KEYS: [&str; 24] = [
    "action",
    "action_token_count",
    "fen",
    "history_origin",
    "legal_actions",
    "logical_plies_by_side",
    "logical_ply_count",
    "no_capture_count",
    "outcome_reason",
    "outcome_reason_code",
    "pending_removal",
    "pending_removal_count",
    "pending_removals",
    "phase",
    "protocol_version",
    "repetition_current_count",
    "repetition_history_length",
    "rules_options",
    "ruleset_id",
    "side_to_move",
    "status",
    "terminal",
    "winner",
    "winner_code",
];

/// The state of a game after these moves, according to the record of that position.
fn recorded(record: &Value, moves: &[&str], sides: &[&str]) -> Vec<(&'static str, Value)> {
    let fen = record["fen"].as_str().expect("a text");
    let fields: Vec<&str> = fen.split(' ').collect();
    let is_over = record["terminal"] == json!(true);
    let side = match record["stm"].as_str() {
        Some("w") => Some(0),
        Some("b") => Some(1),
        _ => None,
    };
    let takes_due: Vec<i64> =
        fields[8..10].iter().map(|due| due.parse::<i64>().expect("a number").abs()).collect();
    let pending = side.map_or(0, |side: usize| takes_due[side]);
    let plies = |side: &str| {
        moves.iter().zip(sides).filter(|(text, mover)| !text.starts_with('x') && **mover == side).count()
    };
    let mut legal: Vec<&str> =
        record["legal"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    legal.sort_unstable();
    let reason = record["reason"].as_str().unwrap_or("ongoing");
    vec![
        ("protocol_version", json!(1)),
        ("status", json!(if is_over { "terminal" } else { "ok" })),
        ("history_origin", json!("game_start")),
        ("fen", json!(fen)),
        ("side_to_move", side.map_or(Value::Null, |side| json!(["white", "black"][side]))),
        (
            "phase",
            json!(match fields[2] {
                "p" => "placing",
                "m" => "moving",
                _ => "game_over",
            }),
        ),
        (
            "action",
            json!(match fields[3] {
                "p" => "place",
                "s" => "select",
                "r" => "remove",
                _ => "game_over",
            }),
        ),
        ("pending_removals", json!(takes_due)),
        ("pending_removal", json!(pending > 0)),
        ("pending_removal_count", json!(pending)),
        ("legal_actions", json!(legal)),
        ("action_token_count", json!(moves.len())),
        ("logical_plies_by_side", json!([plies("w"), plies("b")])),
        ("logical_ply_count", json!(plies("w") + plies("b"))),
        ("no_capture_count", json!(fields[15].parse::<u32>().expect("a number"))),
        ("repetition_current_count", json!(record["rep"].as_u64().unwrap_or(0))),
        ("terminal", json!(is_over)),
        (
            "winner",
            match record["winner"].as_str() {
                Some(winner @ ("white" | "black")) => json!(winner),
                _ => Value::Null,
            },
        ),
        ("outcome_reason", json!(reason)),
        ("outcome_reason_code", json!(record["reason_code"].as_str().unwrap_or("ongoing"))),
    ]
}

/// Compares one position; returns the first key that differs.
fn difference(engine: &mut Engine, expected: Vec<(&'static str, Value)>) -> Option<String> {
    let answer = engine.until("sanmill_state").pop().expect("a line");
    let object = answer.strip_prefix("info string sanmill_state ").expect("a state");
    let mut state: Value = serde_json::from_str(object).expect("an object");
    for key in KEYS {
        assert!(state.get(key).is_some(), "no {key} in {answer}");
    }
    let legal = state["legal_actions"].as_array_mut().expect("a list");
    legal.sort_by_key(|text| text.as_str().map(str::to_owned));
    expected.into_iter().find_map(|(key, wanted)| {
        let found = &state[key];
        (*found != wanted).then(|| format!("{key}: found {found}, expected {wanted} for {}", state["fen"]))
    })
}

/// Compares the games of one file. Returns the number of games and of finished ones.
fn compare_file(name: &str) -> [usize; 2] {
    let file = File::open(shared("oracle").expect("the folder").join(name)).expect(name);
    let (mut games, mut finished) = (0, 0);
    for line in BufReader::new(GzDecoder::new(file)).lines() {
        let game: Value = serde_json::from_str(&line.expect("readable")).expect("a line is a JSON object");
        let mut engine = Engine::start_with(&["--protocol", "tgf"]);
        engine.send("setoption name StrictFailurePolicy value true");
        for (option, value) in game["options"].as_object().expect("an object") {
            engine.send(&format!("setoption name {option} value {value}"));
        }
        let plies = game["plies"].as_array().expect("a list");
        let moves: Vec<&str> = plies.iter().filter_map(|ply| ply["move"].as_str()).collect();
        let sides: Vec<&str> = plies.iter().filter_map(|ply| ply["stm"].as_str()).collect();
        let first = games % STEP;
        let chosen: Vec<usize> = (first..plies.len()).step_by(STEP).chain([plies.len()]).collect();
        for &at in &chosen {
            engine.send(&format!("position startpos moves {}", moves[..at].join(" ")));
            engine.send("statejson");
        }
        for &at in &chosen {
            let record = plies.get(at).unwrap_or(&game["end"]);
            if let Some(difference) = difference(&mut engine, recorded(record, &moves[..at], &sides)) {
                panic!("{} {} ply {at}: {difference}", game["id"], game["options"]);
            }
        }
        games += 1;
        finished += usize::from(game["end"]["terminal"] == json!(true));
        assert!(engine.quit().success());
    }
    [games, finished]
}

#[test]
fn statejson_tells_what_the_recorded_games_of_the_presets_tell() {
    if shared("oracle").is_none() {
        return;
    }
    let counts: Vec<[usize; 2]> =
        (0..11).map(|preset| compare_file(&format!("preset_{preset:02}.jsonl.gz"))).collect();
    assert!(counts.iter().all(|[games, finished]| *games == 40 && *finished > 0), "{counts:?}");
}

#[test]
fn statejson_tells_what_the_recorded_games_under_random_options_tell() {
    if shared("oracle").is_none() {
        return;
    }
    let [games, finished] = compare_file("random_options.jsonl.gz");
    assert!(games == 400 && finished > 300, "{finished} of {games} games are finished");
}
