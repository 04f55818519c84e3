//! Matches and measurements continue after they were killed: nothing is lost, nothing is done twice, and the
//! result is that of a run without interruption.

#![cfg(unix)]

use crate::common;

use common::{Folder, json, millstone, own_engine, plain, stderr_text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Returns the complete lines of a file; none if it does not exist.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    text[..whole].lines().map(str::to_owned).collect()
}

/// Runs the program until `file` has `count` lines, kills it with SIGKILL and returns the lines it left.
fn kill_at(arguments: &[&str], file: &Path, count: usize) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let begin = Instant::now();
    while lines(file).len() < count && child.try_wait().expect("it can be waited for").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(60), "no progress in {}", file.display());
        std::thread::sleep(Duration::from_millis(1));
    }
    // The program may have ended before; the caller checks that work is left.
    let _ = child.kill();
    child.wait().expect("it can be waited for");
    lines(file)
}

/// Kills a run at each of `counts` lines of its file, then lets it end. Returns its result and the lines of
/// the file, and checks that there are `all` and that no kill changed an earlier line.
fn killed_and_resumed(arguments: &[&str], file: &Path, counts: &[usize], all: usize) -> (Value, Vec<String>) {
    for &count in counts {
        let before = lines(file);
        let left = kill_at(arguments, file, count);
        assert!((count..all).contains(&left.len()), "killed at {count} to {all} lines: {}", left.len());
        assert_eq!(left[..before.len()], before);
    }
    let before = lines(file);
    let result = json(&millstone(arguments));
    let after = lines(file);
    assert_eq!(after[..before.len()], before);
    assert_eq!(after.len(), all);
    (result, after)
}

/// Returns the numbers that the lines after the first have under a key, each with its count.
fn numbers(lines: &[String], key: &str) -> BTreeMap<u64, u32> {
    let mut counts = BTreeMap::new();
    for line in &lines[1..] {
        let line: Value = serde_json::from_str(line).expect("JSON");
        *counts.entry(line[key].as_u64().expect("a number")).or_default() += 1;
    }
    counts
}

/// Returns a result without the parts that depend on the clock and on the number of runs.
fn timeless(mut result: Value) -> Value {
    let fields = result.as_object_mut().expect("an object");
    for key in ["seconds", "played"] {
        fields.remove(key);
    }
    result
}

#[test]
fn a_killed_match_loses_no_game_and_plays_none_twice() {
    let folder = Folder::new("resume match");
    let options = serde_json::json!({ "Shuffling": false, "TablebaseEmbedded": false });
    let engine = own_engine(&folder, serde_json::json!({ "options": options }));
    let [log, records] = ["games.jsonl", "games.pgn"].map(|name| folder.file(name));
    let alone = ["match", "--a", plain(&engine), "--opponent", "random", "--json", "--go", "nodes 300"];
    let alone = [&alone[..], &["--games", "60", "--concurrency", "2"]].concat();
    let arguments = [&alone[..], &["--resume", plain(&log), "--records", plain(&records)]].concat();
    let (result, kept) = killed_and_resumed(&arguments, &log, &[6, 16, 31], 61);
    assert!(result["played"].as_u64().is_some_and(|played| (1..=30).contains(&played)), "{result}");
    assert_eq!(numbers(&kept, "game"), (1..=60).map(|game| (game, 1)).collect());
    let points = kept[1..].iter().map(|line| {
        let game: Value = serde_json::from_str(line).expect("JSON");
        game["points"].as_u64().expect("half points of A")
    });
    let of = |key: &str| result[key].as_u64().expect("a number");
    assert_eq!((of("games"), of("wins") + of("draws") + of("losses")), (60, 60));
    assert_eq!(2 * of("wins") + of("draws"), points.sum::<u64>());
    let text = fs::read_to_string(&records).expect("records");
    assert_eq!(text.matches("[Round ").count(), 60);
    assert_eq!(timeless(result), timeless(json(&millstone(&alone))), "as without interruption");
}

/// A short measurement. The tablebase is off, because its cache depends on earlier positions.
const MEASUREMENT: [&str; 10] = [
    "accuracy",
    "--json",
    "--nodes",
    "20000",
    "--sample",
    "80",
    "--option",
    "Shuffling=false",
    "--option",
    "TablebaseEmbedded=false",
];

#[test]
fn a_killed_measurement_goes_on_to_the_same_result() {
    let folder = Folder::new("resume accuracy");
    let log = folder.file("answers.jsonl");
    let arguments = [&MEASUREMENT[..], &["--resume", plain(&log)]].concat();
    let (result, kept) = killed_and_resumed(&arguments, &log, &[6, 21], 81);
    let positions = numbers(&kept, "position");
    assert!(positions.len() == 80 && positions.values().all(|&times| times == 1), "{positions:?}");
    assert_eq!((&result["positions"], &result["failures"]), (&80.into(), &0.into()));
    assert_eq!(timeless(result.clone()), timeless(json(&millstone(&MEASUREMENT))), "as without interruption");
    // If no work is left, the whole result comes from the file, including the time.
    assert_eq!(json(&millstone(&arguments)), result);
    assert_eq!(lines(&log), kept);
}

#[test]
fn a_file_of_another_measurement_or_a_damaged_one_is_refused() {
    let folder = Folder::new("resume damaged");
    let log = folder.file("answers.jsonl");
    let run = |limit: &str, file: &Path| {
        let words = ["accuracy", "--nodes", limit, "--sample", "5", "--json", "--resume", plain(file)];
        millstone(&words)
    };
    assert!(run("50", &log).status.success());
    let kept = fs::read_to_string(&log).expect("answers");
    let refused = |name: &str, limit: &str, text: &[u8], expected: &str| {
        let file = folder.write(name, text);
        let output = run(limit, &file);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let why = stderr_text(&output);
        assert!(why.starts_with(&format!("millstone: {}: ", plain(&file))), "{why}");
        assert!(why.contains(expected), "{why}");
        assert_eq!(fs::read(&file).expect("it is there"), text, "it stays as it is");
    };
    let damage = |from: &str, to: &str| {
        let third = kept.lines().nth(2).expect("an answer");
        kept.replace(third, &third.replace(from, to)).into_bytes()
    };
    refused(
        "foreign",
        "60",
        kept.as_bytes(),
        "another measurement; the limits: found nodes 50, expected nodes 60",
    );
    refused("other", "50", b"milk and bread\n", "line 1: found 'milk and bread', expected the first line");
    refused("short", "50", b"milk", "line 1: found 'milk', expected the first line of a measurement");
    refused("blank", "50", format!("{kept}\n").as_bytes(), "line 7: found nothing, expected an answer\n");
    let other = millstone(&["match", "--opponent", "random", "--games", "1", "--resume", plain(&log)]);
    let why = stderr_text(&other);
    assert!(why.contains("found the file of a measurement, expected that of a match\n"), "{why}");
    refused("bytes", "50", b"\xff\xfe\n", "UTF-8");
    refused("key", "50", &damage("\"move\"", "\"mvoe\""), "line 3: ");
    refused("cut", "50", &damage("}", ""), "line 3: ");
    let twice = format!("{kept}{}\n", kept.lines().nth(2).expect("an answer"));
    refused("again", "50", twice.as_bytes(), "again, expected another position");
    refused("time", "50", &damage("\"seconds\":", "\"seconds\":-"), "seconds, expected a time");
    refused("move", "50", &damage("\"move\":\"", "\"move\":\"crashed "), "line 3: found 'crashed ");
    refused("beyond", "50", &damage("\"position\":", "\"position\":9"), "line 3: found position 9");
    // A failed start leaves no file that would refuse the mended engine file.
    for wrong in [serde_json::json!({ "go": "nodes" }), serde_json::json!({ "options": { "Hsah": 4 } })] {
        let (engine, file) = (own_engine(&folder, wrong), folder.file("new"));
        let words = ["accuracy", "--sample", "5", "--engine", plain(&engine), "--resume", plain(&file)];
        assert_eq!(millstone(&words).status.code(), Some(2));
        assert!(!file.exists());
    }
    // A kill may leave an incomplete last line. Its part is done again.
    let cut = folder.write("last", &kept[..kept.len() - 9]);
    assert!(run("50", &cut).status.success());
    assert_eq!(lines(&cut).len(), 6);
}
