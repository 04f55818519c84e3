//! Text of files, names, arguments and other programs, as it reaches a terminal or a client: without control
//! characters, and short.

use crate::common;

use common::{Engine, Folder, millstone, own_engine, plain, stderr_text, tablebase_files};
use std::fs;
use std::process::Output;

/// Escape sequences of both sets of control characters, changes of direction, and a line that names itself.
const EVIL: &str = "\x1b[2J\x1b]0;owned\x07\u{9b}31m\u{7f}\u{202e}gpj\u{202c}\u{2066}x\u{2069}";

/// The most characters of a line that quotes foreign text.
const LONGEST: usize = 5_000;

#[track_caller]
fn check(what: &str, bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let is_control = |c: char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if let Some(at) = text.find(is_control) {
        let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
        panic!("{what}: {:?}", text[line..].lines().next().unwrap_or_default());
    }
    for line in text.lines() {
        assert!(line.chars().count() <= LONGEST, "{what}: a line of {} bytes", line.len());
    }
    text
}

/// Runs the program and checks both of its outputs. Returns them.
#[track_caller]
fn run(arguments: &[&str]) -> (Output, String, String) {
    let output = millstone(arguments);
    let what = arguments.first().copied().unwrap_or_default();
    let (out, err) = (check(what, &output.stdout), check(what, &output.stderr));
    (output, out, err)
}

#[test]
fn arguments_are_quoted_without_control_characters() {
    let long = format!("{EVIL}{}", "x".repeat(100_000));
    for arguments in [
        &[EVIL][..],
        &[&long],
        &["bench", "--rules", &long],
        &["bench", "--depth", &long],
        &["perft", "3", "--fen", &long],
        &["convert", &long],
        &["diagram", &long],
        &["diagram", "startpos", "--moves", &long],
        &["diagram", "startpos", "--show", &long],
        &["diagram", "startpos", "--mark", &long],
        &["chart", "elo", &long],
        &["annotate", &long],
        &["accuracy", "--suite", &long],
        &["match", "--a", &long, "--b", &long],
        &["match", "--a", &long, "--opponent", "random"],
        &["match", "--a", &long, "--opponent", &long],
        &["experience", "stat", &long],
        &["experience", "load", &long, "--fen", &long],
        &["tb", "stats", "--path", &long],
        &["tb", "verify", "--path", &long],
        &["tb", "verify", "--path", &long, "--json"],
        &["tb", "build", "--path", &long, "--only", &long],
        &["tb", "probe", &long],
        &["tb", "line", &long, "--json"],
        &["play", "--rules", &long],
    ] {
        let (output, _, err) = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:.200?}: {err}");
        assert!(!err.is_empty(), "{arguments:.200?}");
    }
}

#[test]
fn records_are_shown_and_written_without_control_characters() {
    let folder = Folder::new("foreign records");
    let name = if cfg!(windows) { "games.pgn".to_owned() } else { format!("games{EVIL}.pgn") };
    let long = "y".repeat(3_000_000);
    let tags = format!("[White \"{EVIL}\"]\n[Black \"B\"]\n[Annotator \"{EVIL}\"]\n");
    let text = format!(
        "{tags}[Result \"{EVIL}{long}\"]\n\n{{{EVIL}}} 1. d6 {{{EVIL}}} f4 2. d2 b4 *\n\n\
         {tags}\n1. d6 f4 2. {EVIL}{long} b4 *\n\n[Variant \"{EVIL}{long}\"]\n\n1. d6 *\n\n\
         [Variant \"Custom\"]\n[Rules \"{EVIL}{long}=1\"]\n\n1. d6 *\n\n[FEN \"{EVIL}{long}\"]\n\n1. d6 *\n\n"
    );
    let record = folder.write(&name, text);
    let (output, pgn, err) = run(&["convert", plain(&record)]);
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("note: ") && err.contains("error: ") && err.contains("\\u001b[2J"), "{err}");
    assert!(pgn.contains("[White \" [2J ]0;owned  31m") && pgn.contains("{[2J ]0;owned 31m"), "{pgn}");

    let written = folder.file("out.pgn");
    let arguments = ["convert", plain(&record), "--json", "--output", plain(&written)];
    let (_, json, _) = run(&arguments);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["broken"][0]["file"], plain(&record), "JSON has the name itself");
    check("the file", &fs::read(&written).expect("it was written"));

    let (_, pgn, _) = run(&["annotate", plain(&record), "--nodes", "1"]);
    assert!(pgn.contains("[White \" [2J"), "{pgn}");
    let page = folder.file("page.html");
    run(&["annotate", plain(&record), "--nodes", "1", "--html", plain(&page)]);
    check("the page", &fs::read(&page).expect("it was written"));
    run(&["experience", "save", plain(&folder.file(format!("{name}.exp"))), plain(&record), "--depth", "1"]);
    let own = own_engine(&folder, serde_json::json!({}));
    let arguments = ["match", "--a", plain(&own), "--opponent", "random", "--openings", plain(&record)];
    assert_eq!(run(&arguments).0.status.code(), Some(2));
    let arguments =
        ["match", "--a", plain(&own), "--opponent", "random", "--go", &format!("{EVIL}{long:.60000}")];
    assert_eq!(run(&arguments).0.status.code(), Some(2));
}

#[test]
fn reports_of_a_match_quote_engines_without_control_characters() {
    let folder = Folder::new("foreign engines");
    let long = "z".repeat(1_000_000);
    let missing = serde_json::json!({ "name": EVIL, "cmd": [format!("/missing{EVIL}{long}")] });
    let own =
        serde_json::json!({ "name": format!("B{EVIL}{long}"), "cmd": [env!("CARGO_BIN_EXE_millstone")] });
    let [a, b] =
        [("a.json", missing), ("b.json", own)].map(|(name, json)| folder.write(name, json.to_string()));
    let common = ["match", "--a", plain(&a), "--b", plain(&b), "--games", "2", "--go", "nodes 1"];
    let (_, table, err) = run(&common);
    assert!(table.contains("B\\u001b[2J") || err.contains("\\u001b[2J"), "{table}{err}");
    run(&[&common[..], &["--json"]].concat());
    let bad = folder.write("bad.json", serde_json::json!({ EVIL: long }).to_string());
    run(&["match", "--a", plain(&bad), "--b", plain(&b)]);
    if cfg!(unix) {
        let script = format!(
            "while read word rest; do case $word in uci) echo uciok;; isready) echo readyok;; \
             go) printf 'bestmove %s\\n' '{EVIL}{}';; quit) exit;; esac; done",
            "q".repeat(10_000)
        );
        let odd = serde_json::json!({ "name": "odd", "cmd": ["sh", "-c", script], "protocol": "standard" });
        let odd = folder.write("odd.json", odd.to_string());
        let (_, table, err) = run(&["match", "--a", plain(&odd), "--b", plain(&b), "--games", "2"]);
        assert!(format!("{table}{err}").contains("illegal"), "{table}{err}");
    }
}

#[test]
fn tablebase_folders_are_shown_without_control_characters() {
    let folder = Folder::new("foreign tablebase");
    let long = "w".repeat(1_000_000);
    // Files of rules without a name: what the manifest says about them is quoted.
    let unnamed = ["build", "--quiet", "--scope", "6-men", "--rules", "nine,MayFly=false,StalemateAction=4"];
    let built = tablebase_files("foreign rules", &unnamed);
    let text = fs::read(built.file("manifest.json")).expect("it was built");
    let mut manifest: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    manifest["version"] = EVIL.into();
    manifest["game"] = format!("{EVIL}{long}").into();
    manifest.as_object_mut().expect("an object").remove("checksum");
    built.write("manifest.json", manifest.to_string());
    for arguments in [&["stats"][..], &["stats", "--json"], &["verify"], &["verify", "--json"]] {
        let (output, _, err) = run(&[&["tb"], arguments, &["--path", plain(built.path())]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.contains("made for other rules than nine: \\u001b[2J"), "{arguments:?}: {err}");
    }
    folder.write("manifest.json", serde_json::json!({ format!("{EVIL}{long}"): 1 }).to_string());
    let (output, _, err) = run(&["tb", "verify", "--path", plain(folder.path())]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err.contains("is damaged"), "{err}");
    if cfg!(unix) {
        let odd = format!("{EVIL}.wdl");
        folder.write(&odd, "rubbish");
        run(&["tb", "verify", "--path", plain(folder.path())]);
        run(&["tb", "probe", "--path", plain(folder.path()), "startpos"]);
        let two_lines = folder.file("two\nlines");
        let build = ["tb", "build", "--threads", "2", "--scope", "6-men", "--path", plain(&two_lines)];
        run(&build);
        let (_, _, err) = run(&build);
        let is_one =
            err.starts_with("nothing to build: ") && err.contains("two\\nlines") && err.lines().count() == 1;
        assert!(is_one, "{err}");
    }
}

#[test]
fn the_engine_quotes_a_client_shortly() {
    let long = format!("{EVIL}{}", "x".repeat(20_000_000));
    let mut engine = Engine::start();
    for line in [
        format!("setoption name Debug Log File value /missing/{long}"),
        format!("setoption name ExperienceFile value /missing/{long}"),
        format!("setoption name TablebasePath value /missing/{long}"),
        format!("setoption name {long} value 1"),
        format!("setoption name UCI_Variant value {long}"),
        format!("experience load {long}"),
        format!("go searchmoves {long} depth 1"),
        format!("analyze fen {long}"),
        format!("position fen {long}"),
        format!("position startpos moves {long}"),
        long.clone(),
    ] {
        for answer in engine.ask(&line) {
            let what: String = line.chars().take(40).collect();
            check(&what, answer.as_bytes());
            assert!(answer.len() < 4_000, "{what}: {} bytes", answer.len());
        }
    }
    assert!(engine.quit().success());
}

#[test]
fn play_answers_lines_without_control_characters() {
    use std::io::Write as _;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(["play", "--side", "both"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it runs");
    let long = format!("{EVIL}{}", "x".repeat(100_000));
    let mut input = child.stdin.take().expect("a pipe");
    for word in ["", "rules ", "fen ", "side ", "level ", "moves "] {
        writeln!(input, "{word}{long}").expect("it reads");
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = check("play", &output.stdout);
    assert!(text.contains("\\u001b"), "{text}");
    check("play", &output.stderr);
    assert!(output.status.success(), "{}", stderr_text(&output));
}
