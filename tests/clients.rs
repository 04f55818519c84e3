//! Runs the example clients unchanged, if the programs they need are installed.

use crate::common::skip;
use std::process::{Command, Stdio};

const ENGINE: &str = env!("CARGO_BIN_EXE_millstone");

/// Returns true if a program starts and ends with success; prints a note if not.
fn is_there(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = status.is_ok_and(|status| status.success());
    if !is_there {
        skip(format_args!("{program} {} does not work here", arguments.join(" ")));
    }
    is_there
}

/// Returns the output of an example.
fn run(interpreter: &str, name: &str) -> String {
    let example = format!("{}/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(interpreter).args([&example, ENGINE]).output().expect("it was there just now");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn the_python_client_plays_a_game_to_its_end() {
    if !is_there("python3", &["--version"]) {
        return;
    }
    let text = run("python3", "client.py");
    assert!(text.contains(" moves: ") && text.contains("the end: ") && text.contains(" o "), "{text}");
}

#[test]
fn the_shell_session_gets_its_answers() {
    if cfg!(windows) || !is_there("sh", &["-c", "command -v mkfifo"]) {
        return;
    }
    let text = run("sh", "session.sh");
    let heads = [
        "after d6 f4: bestmove ",
        "Nodes searched: 13552",
        "uciok",
        "readyok",
        "info depth 5 ",
        "bestmove ",
        "fen ********/O*O*****/***@@@** w p p 2 6 3 6 ",
        "the engine ended with status 0",
    ];
    assert_eq!(text.lines().count(), heads.len(), "{text}");
    assert!(text.lines().zip(heads).all(|(line, head)| line.starts_with(head)), "{text}");
}

#[test]
fn python_chess_finds_no_fault() {
    if !is_there("python3", &["-c", "import chess.engine"]) {
        return;
    }
    let text = run("python3", "python_chess_client.py");
    assert!(text.starts_with("connected to Millstone "), "{text}");
    assert_eq!(text.matches("\nline ").count(), 3, "{text}");
    let hits = text.split("pondering was right ").nth(1).and_then(|rest| rest.split(' ').next());
    assert!(hits.is_some_and(|hits| hits != "0"), "{text}");
    assert!(text.ends_with("faults found by python-chess: 0\n"), "{text}");
}
