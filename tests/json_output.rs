//! The keys of `--json`: `docs/json.md` names all of them, and no others.

#![cfg(unix)]

use crate::common;

use crate::match_faults::engine;
use common::{Folder, json, millstone, own_engine, plain, tablebase_files};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Output};

/// A loss in 26 plies.
const LOST: &str = "@*******/********/OO@O**@* b m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
/// Three men against three, drawn by exact value.
const DRAWN: &str = "@*****@O/*O******/******@O w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";

/// Returns the keys that the page names, by command.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let page = include_str!("../docs/json.md");
    let mut commands = BTreeMap::<String, BTreeSet<String>>::new();
    let mut command = "";
    for line in page.lines() {
        command = line.strip_prefix("## ").unwrap_or(command);
        let Some(cell) = line.strip_prefix("| `").and_then(|row| row.split(" |").next()) else { continue };
        let keys = cell.split('`').step_by(2).map(str::to_owned);
        commands.entry(command.to_owned()).or_default().extend(keys);
    }
    commands
}

/// Adds the paths of all values that are no objects or lists.
fn add_paths(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                add_paths(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, paths);
            }
        }
        Value::Array(entries) => {
            for value in entries {
                add_paths(value, &format!("{path}[]"), paths);
            }
        }
        _ => {
            paths.insert(path.to_owned());
        }
    }
}

/// Returns true if a documented path stands for this one.
fn stands_for(documented: &str, path: &str) -> bool {
    let (mut known, mut found) = (documented.split('.'), path.split('.'));
    loop {
        match (known.next(), found.next()) {
            (None, None) => return true,
            (Some(known), Some(found)) if known.starts_with('<') || known == found => {}
            _ => return false,
        }
    }
}

/// Returns the objects that a command has written, one a line.
fn objects(run: &Output) -> Vec<Value> {
    let text = str::from_utf8(&run.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
}

/// Runs a command and returns the objects that it writes.
fn lines(arguments: &[&str]) -> Vec<Value> {
    objects(&millstone(arguments))
}

/// Results of a match with all kinds of entries.
fn matches(folder: &Folder, tables: &str) -> Vec<Value> {
    let openings = folder.write("openings.txt", format!("fen {DRAWN}\n"));
    let random = serde_json::json!({ "name": "random", "options": { "Algorithm": "4" } });
    let liar = engine(folder, "liar", "standard", "echo 'bestmove e2e4'");
    let play = |a: &str, more: &[&str]| {
        let words = ["match", "--a", a, "--opponent", "random", "--go", "nodes 10", "--json"];
        json(&millstone(&[&words[..], more].concat()))
    };
    let judged = ["--games", "40", "--openings", plain(&openings), "--tablebase", tables];
    vec![
        play(plain(&own_engine(folder, random)), &[&judged[..], &["--sprt", "0,5"]].concat()),
        play(plain(&liar), &["--games", "2"]),
    ]
}

#[test]
fn every_key_of_json_is_documented_and_every_documented_key_is_written() {
    let folder = Folder::new("json");
    let tables = tablebase_files("json tables", &["build", "--quiet", "--scope", "6-men"]);
    let tables = plain(tables.path());
    let copy = folder.file("copy");
    let damaged = tablebase_files("json damaged", &["repack", "--from", tables]);
    damaged.write("3_3_0_0.wdl", "no tablebase");
    let games = folder.write("games.txt", "1. d6 d2 2. f4 b4 *\n\n1. d6 d6 *\n");
    let (games, output) = (plain(&games), folder.file("games.pgn"));
    let annotated = ["annotate", games, "--output", plain(&output), "--nodes", "50", "--json"];
    let positions = folder.write("positions.txt", format!("{LOST}\n{DRAWN}\nnonsense\n"));
    let probed = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(["tb", "probe", "--stdin", "--json", "--path", tables])
        .stdin(std::fs::File::open(positions).expect("a file"))
        .output()
        .expect("it runs");
    let written: [(&str, Vec<Value>); 10] = [
        ("match", matches(&folder, tables)),
        // Random moves make errors.
        ("accuracy", {
            let random = own_engine(&folder, serde_json::json!({ "options": { "Algorithm": "4" } }));
            let words =
                ["accuracy", "--engine", plain(&random), "--nodes", "1", "--sample", "2000", "--json"];
            vec![json(&millstone(&words))]
        }),
        ("annotate", lines(&annotated)),
        ("convert", lines(&["convert", games, "--output", plain(&output), "--json", "--force"])),
        ("tb stats", vec![json(&millstone(&["tb", "stats", "--path", tables, "--json"]))]),
        ("tb verify", {
            let verify = |path: &str| lines(&["tb", "verify", "--path", path, "--json"]);
            [verify(tables), verify(plain(damaged.path()))].concat()
        }),
        ("tb probe", objects(&probed)),
        ("tb line", vec![json(&millstone(&["tb", "line", LOST, "--path", tables, "--json"]))]),
        ("tb repack", lines(&["tb", "repack", "--from", tables, "--to", plain(&copy), "--json"])),
        ("tb plan", vec![json(&millstone(&["tb", "plan", "--scope", "7-men", "--json"]))]),
    ];
    let documented = documented();
    assert!(documented.keys().eq(written.iter().map(|(command, _)| *command).collect::<BTreeSet<_>>()));
    for (command, values) in written {
        let mut paths = BTreeSet::new();
        values.iter().for_each(|value| add_paths(value, "", &mut paths));
        let known = &documented[command];
        for path in &paths {
            assert!(known.iter().any(|known| stands_for(known, path)), "{command} writes {path}");
        }
        for known in known {
            // The key of an object whose own keys are found.
            let is_parent = paths.iter().any(|path| path.starts_with(&format!("{known}.")));
            assert!(is_parent || paths.iter().any(|path| stands_for(known, path)), "{command}: {known}");
        }
    }
}
