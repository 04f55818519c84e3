//! The setup of a match: engine files and programs, options that engines lack or refuse, and the check of a
//! file to resume from.

#![cfg(unix)]

use crate::common::{self, Folder, json, own_engine, plain, stderr_text};
use crate::match_faults::{against_random, engine, settings};
use millstone::internals::matches::play;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// An engine that has the options Hash and Style, and refuses the style Wild although it announces it.
const PICKY: &str = "#!/bin/sh\n\
    while read -r line; do case \"$line\" in\n\
    uci) echo 'option name Hash type spin default 16 min 1 max 64'\n\
      echo 'option name Style type combo default Calm var Calm var Wild'\n\
      echo 'option name UCI_Variant type combo default nine var nine'; echo uciok;;\n\
    *Wild*) echo 'info string No such option value: Wild';;\n\
    fuss*) echo 'Unknown command: fuss';;\n\
    isready) echo readyok;;\n go*) echo bestmove a1;;\n quit) exit 0;;\nesac; done\n";

/// Writes an engine file of the picky engine with additional keys.
fn picky(folder: &Folder, more: &Value) -> PathBuf {
    let program = folder.write("picky.sh", PICKY);
    let mut file = json!({ "name": "picky", "cmd": ["sh", program], "protocol": "standard" });
    for (key, value) in more.as_object().expect("an object") {
        file[key] = value.clone();
    }
    folder.write("picky.json", file.to_string())
}

#[test]
fn an_engine_that_refuses_the_rules_does_not_play_even_if_it_is_lenient() {
    let folder = Folder::new("match rules refused");
    let program = folder.write(
        "stubborn.sh",
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\n\
         uci) echo 'option name UCI_Variant type combo default nine var nine var twelve'; echo uciok;;\n\
         *twelve) echo 'info string No such option value: twelve';;\n\
         isready) echo readyok;;\n go*) echo bestmove a1;;\n quit) exit 0;;\nesac; done\n",
    );
    for lenient in [false, true] {
        let engine = json!({
            "name": "stubborn", "cmd": ["sh", &program], "protocol": "standard", "lenient": lenient,
        });
        let file = folder.write("stubborn.json", engine.to_string());
        let refused = settings(&file, &["--opponent", "random", "--rules", "twelve"]);
        let why = play(&refused).map(|_| ()).expect_err("it is refused").to_string();
        let refusal = "it refuses 'setoption name UCI_Variant value twelve': ";
        let answer = "info string No such option value: twelve";
        let not_started = "engine stubborn: not started: it cannot be told the rules: ";
        assert_eq!(why, format!("{not_started}{refusal}{answer}"));
    }
}

#[test]
fn an_option_that_an_engine_lacks_or_refuses_ends_the_match_before_the_first_game() {
    let folder = Folder::new("match options");
    let log = folder.file("games.jsonl");
    for (more, problem) in [
        (json!({ "options": { "Hsh": 32 } }), "it has no option Hsh"),
        (json!({ "options": { "Hash": 65 } }), "option Hash: found '65', expected a number from 1 to 64"),
        (json!({ "options": { "Style": "Bold" } }), "option Style: found 'Bold', expected one of Calm, Wild"),
        (
            json!({ "options": { "Style": "Wild" } }),
            "it refuses 'setoption name Style value Wild': info string No such option value: Wild",
        ),
        (json!({ "options": { "UCI_Variant": "nine" } }), "option UCI_Variant: found a rule, expected none"),
        (json!({ "setup": ["fuss"] }), "it refuses 'fuss': Unknown command: fuss"),
        (json!({ "setup": ["isready"], "options": { "Style": "Wild" } }), "it refuses 'setoption name Style"),
    ] {
        let file = picky(&folder, &more);
        let refused = settings(&file, &["--opponent", "random", "--resume", plain(&log)]);
        let why = play(&refused).map(|_| ()).expect_err("it is refused").to_string();
        assert!(why.starts_with(&format!("engine picky: not started: {problem}")), "{why}");
        assert!(why.contains("\"lenient\": true"), "{why}");
        assert!(!log.exists(), "nothing was played");
        let mut lenient = more.clone();
        lenient["lenient"] = json!(true);
        let standings = against_random(&picky(&folder, &lenient), &["--games", "1"]);
        assert_eq!(standings.all.games(), 1);
    }
    for (more, problem) in [
        (json!({ "setup": ["ucinewgame", "isready\nfuss"] }), "setup: found 'isready\\nfuss'"),
        (json!({ "options": { "Style": "Calm\rfuss" } }), "options: found 'Calm\\rfuss'"),
        (json!({ "options": { "Style\n": "Calm" } }), "options: found 'Style\\n'"),
    ] {
        let file = picky(&folder, &more);
        let why = play(&settings(&file, &["--opponent", "random"])).map(|_| ()).expect_err("refused");
        assert!(
            why.to_string().contains(&format!("picky.json: {problem}, expected a text without")),
            "{why}"
        );
    }
    let good = picky(&folder, &json!({ "options": { "hash": 64, "Style": "calm" } }));
    assert_eq!(against_random(&good, &["--games", "1"]).all.games(), 1);
}

#[test]
fn records_replace_no_file_that_the_match_reads() {
    let folder = Folder::new("match records");
    let log = folder.write("games", "kept");
    for option in ["--resume", "--openings"] {
        let words = ["match", "--opponent", "random", "--records", plain(&log), option, plain(&log)];
        let refused = common::millstone(&words);
        assert_eq!(refused.status.code(), Some(2), "{}", stderr_text(&refused));
        assert!(stderr_text(&refused).contains("expected another file for --records"), "{option}");
        assert_eq!(std::fs::read(&log).expect("it is still there"), b"kept");
    }
    let engine = json!({ "name": "own", "cmd": [env!("CARGO_BIN_EXE_millstone")], "go": "nodes 5" });
    let file = folder.write("own.json", format!("\u{feff}{engine}"));
    let words = ["match", "--a", plain(&file), "--games", "1", "--opponent", "random", "--records"];
    let refused = common::millstone(&[&words[..], &[plain(&file)]].concat());
    assert!(stderr_text(&refused).contains("found an engine, expected another file"), "{refused:?}");
    // Nor a file that does not exist yet, by another name.
    let (games, again) = (folder.file("new"), format!("{}/./new", plain(folder.path())));
    let refused = common::millstone(&[&words[..], &[plain(&games), "--resume", &again]].concat());
    assert!(stderr_text(&refused).contains("found the file of --resume"), "{refused:?}");
    assert!(!games.exists());
    assert!(common::millstone(&[&words[..], &[plain(&games)]].concat()).status.success());
}

#[test]
fn this_program_takes_options_and_refuses_wrong_ones() {
    let folder = Folder::new("match own options");
    let run = |options: Value| {
        let file = own_engine(&folder, json!({ "options": options, "go": "nodes 5" }));
        common::millstone(&["match", "--a", plain(&file), "--opponent", "random", "--games", "1"])
    };
    let good = run(json!({ "Hash": 4, "Threads": 1, "Shuffling": false, "Clear Hash": null }));
    assert!(good.status.success(), "{}", stderr_text(&good));
    let bad = run(json!({ "Hsah": 4 }));
    assert_eq!(bad.status.code(), Some(2));
    assert!(stderr_text(&bad).contains("it has no option Hsah"), "{}", stderr_text(&bad));
}

#[test]
fn players_are_this_program_a_program_or_an_engine_file() {
    let folder = Folder::new("match players");
    let few = ["match", "--games", "2", "--go", "nodes 5", "--json"];
    let run = |more: &[&str]| common::millstone(&[&few[..], more].concat());
    let both = json(&run(&[]));
    assert_eq!((&both["a"], &both["b"]), (&json!("millstone (A)"), &json!("millstone (B)")));
    assert_eq!(both["failures"], json!([]));
    let script = folder.write("bare engine.sh", PICKY);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let bare = json(&run(&["--a", plain(&script), "--opponent", "random"]));
    assert_eq!((&bare["a"], &bare["b"]), (&json!("bare engine"), &json!("random")));
    let one = json(&run(&["--b", env!("CARGO_BIN_EXE_millstone")]));
    assert_eq!((&one["games"], &one["failures"]), (&json!(2), &json!([])));
    let mut named = Command::new(env!("CARGO_BIN_EXE_millstone"));
    named.args(few).args(["--a", "bare engine.sh", "--opponent", "random"]).env("PATH", folder.path());
    let named = named.output().expect("it runs");
    // The script itself needs no other program.
    assert_eq!(json(&named)["a"], json!("bare engine"), "{}", stderr_text(&named));
    let missing = run(&["--a", "no such engine"]);
    assert_eq!(missing.status.code(), Some(2));
    let why = "no such engine: found no such file, expected an engine file in JSON, or a program";
    assert!(stderr_text(&missing).contains(why), "{}", stderr_text(&missing));
    let empty = stderr_text(&run(&["--a", plain(&folder.write("empty", ""))]));
    assert!(empty.contains("empty: expected an engine file: EOF while parsing"), "{empty}");
    let idle = own_engine(&folder, json!({ "name": "idle", "go": "nodes" }));
    let refused = stderr_text(&run(&["--b", plain(&idle)]));
    assert!(refused.contains("idle.json: go: nodes: found nothing, expected a whole number"), "{refused}");
    let text = folder.write("notes.txt", "neither the one nor the other");
    let refused = run(&["--a", plain(&text)]);
    assert_eq!(refused.status.code(), Some(2));
    let why = stderr_text(&refused);
    assert!(why.contains("expected an engine file in JSON, or a program that can be started"), "{why}");
}

#[test]
fn players_of_the_same_name_are_told_apart() {
    let (one, two) = (Folder::new("match twin one"), Folder::new("match twin two"));
    let a = engine(&one, "twin", "standard", "echo bestmove a1");
    let b = engine(&two, "twin", "standard", "exit 3");
    let [log, records] = ["games.jsonl", "games.pgn"].map(|name| one.file(name));
    let words = ["match", "--a", plain(&a), "--b", plain(&b), "--games", "2", "--openings", "startpos"];
    let files = ["--resume", plain(&log), "--records", plain(&records)];
    // Played and then resumed: the names in the file to resume from are those of the engine files.
    for _ in 0..2 {
        let output = common::millstone(&[&words[..], &files].concat());
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(text.starts_with("A: twin (A)\nB: twin (B)\n"), "{text}");
        for game in 1..=2 {
            assert!(text.contains(&format!("failure   game {game}: twin (B) crashed: ")), "{text}");
        }
        let games = fs::read_to_string(&records).expect("records");
        for tags in
            ["[White \"twin (A)\"]\n[Black \"twin (B)\"]", "[White \"twin (B)\"]\n[Black \"twin (A)\"]"]
        {
            assert!(games.contains(tags), "{games}");
        }
        assert!(!fs::read_to_string(&log).expect("a log").contains("(A)"));
    }
}

/// The usual limit of open files is too low for the engines that `--concurrency` allows.
#[test]
fn more_engines_run_than_the_first_limit_of_open_files_allows() {
    let output = Command::new("sh")
        .args(["-c", "ulimit -Sn 24; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_millstone"), "match"])
        .args(["--opponent", "random", "--games", "8", "--concurrency", "8", "--go", "nodes 5"])
        .args(["--openings", "startpos", "--timeout", "60", "--json"])
        .output()
        .expect("a shell");
    assert_eq!(json(&output)["games"], 8, "{}", stderr_text(&output));
}

/// Other systems refuse such names of files.
#[cfg(target_os = "linux")]
#[test]
fn a_program_whose_path_is_not_utf8_is_refused_with_this_reason() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new("match not UTF-8");
    let path = folder.file(std::ffi::OsStr::from_bytes(b"engine\xFF"));
    fs::write(&path, PICKY).expect("a script");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode can be set");
    let error = play(&settings(&path, &["--opponent", "random"])).map(|_| ()).expect_err("no such text");
    let error = error.to_string();
    assert!(error.ends_with(": found a path that is not UTF-8, expected one in UTF-8"), "{error}");
}

#[test]
fn the_help_explains_engine_files_and_names_needs_and_limits() {
    let help = |command: &str| {
        let output = common::millstone(&[command, "--help"]);
        String::from_utf8(output.stdout).expect("text").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let of_match = help("match");
    for part in ["\"cmd\":", "\"lenient\":", "[default: this program]", "perfect ones need --tablebase"] {
        assert!(of_match.contains(part), "{part}");
    }
    assert!(help("suite").contains("--tablebase <FOLDER> --output <FILE>"));
    assert!(help("tune").contains("from 40000 to"));
}

/// Plays a short match and returns its file.
fn played(folder: &Folder, log: &Path) -> (PathBuf, Vec<Value>) {
    let file = engine(folder, "cheat", "standard", "echo bestmove a1");
    against_random(&file, &["--games", "4", "--resume", plain(log)]);
    let text = fs::read_to_string(log).expect("a log");
    (file, text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

#[test]
fn a_file_to_resume_from_is_checked_line_by_line() {
    let folder = Folder::new("match checked");
    let log = folder.file("games.jsonl");
    let (file, lines) = played(&folder, &log);
    let resume = |lines: &[Value]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&log, &text).expect("a log");
        let result =
            play(&settings(&file, &["--opponent", "random", "--games", "4", "--resume", plain(&log)]));
        (result, text)
    };
    let (same, _) = resume(&lines);
    assert_eq!(same.expect("nothing is wrong").0.all.games(), 4);
    type Change = fn(&mut Vec<Value>);
    let changes: [(Change, &str); 15] = [
        (|lines| lines[2]["points"] = json!(2), "line 3: found 2 half points for A, expected 0"),
        (|lines| lines[2]["white"] = json!("a"), "line 3: found A as White of game 2, expected B"),
        (|lines| lines[2]["game"] = json!(0), "line 3: found game 0"),
        (|lines| lines[3] = lines[2].clone(), "line 4: found game 2 again"),
        (|lines| lines[4]["moves"] = json!("d6 d6"), "line 5: found 'd6', expected"),
        (|lines| lines[4]["moves"] = json!("a1 d6 nonsense"), "line 5: found 'nonsense', expected"),
        (|lines| lines[4]["opening"] = json!(0), "line 5: found another opening"),
        (|lines| lines[4]["fault"] = Value::Null, "line 5: found the end of a game at"),
        (|lines| lines[4]["start"] = json!("x"), "line 5: found start x, expected start startpos"),
        (|lines| lines[2]["reason"] = json!("crash"), "line 3: found a fault of A and the reason 'crash'"),
        (|lines| lines[2]["falt"] = json!("b"), "expected a game: unknown field `falt`"),
        (|lines| lines[2]["seconds"] = json!(-1), "line 3: found -1 seconds"),
        (|lines| lines[2]["points"] = json!(256), "expected a game: invalid value: integer `256`"),
        (
            |lines| (lines[2]["fault"], lines[2]["points"]) = (json!("b"), json!(2)),
            "line 3: found a fault of B at ",
        ),
        (
            |lines| {
                let lost = json!({ "ply": 0, "fen": "x", "move": "a1", "before": "W", "after": "D" });
                lines[2]["value_lost"] = json!([lost]);
                lines[2]["value_lost"][0]["better"] = json!([]);
            },
            "line 3: found lost value by a1 at x",
        ),
    ];
    for (change, expected) in changes {
        let mut wrong = lines.clone();
        change(&mut wrong);
        let (result, text) = resume(&wrong);
        let why = result.map(|_| ()).expect_err(expected).to_string();
        assert!(why.contains(expected), "'{why}' is not '{expected}'");
        assert_eq!(fs::read_to_string(&log).expect("a log"), text, "it stays as it is");
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    for (wrong, expected) in [
        (format!("\u{feff}{text}"), "expected the first line of a match"),
        (text.replacen("cheat", "chat", 1), "belongs to another match; player A: found "),
        (
            text.replacen("\"margin\":100", "\"margin\":50", 1),
            "belongs to another match; the margin: found 50 ms, expected 100 ms",
        ),
        (text.replacen(",\"margin\":100", "", 1), "missing field `margin`"),
        (text.trim_end().to_owned() + "x", "expected a game: trailing characters in column "),
        (text.clone() + "\n", "line 6: found nothing, expected a game"),
    ] {
        fs::write(&log, &wrong).expect("a log");
        let more = ["--opponent", "random", "--games", "4", "--resume", plain(&log)];
        let why = play(&settings(&file, &more)).map(|_| ()).expect_err(expected).to_string();
        assert!(why.contains(expected), "'{why}' is not '{expected}'");
        assert_eq!(fs::read_to_string(&log).expect("a log"), wrong, "it stays as it is");
    }
    // Line ends of Windows are no damage, nor is the missing end of the last line.
    for sound in [text.replace('\n', "\r\n"), text.trim_end().to_owned()] {
        fs::write(&log, &sound).expect("a log");
        let standings = against_random(&file, &["--games", "4", "--resume", plain(&log)]);
        assert_eq!((standings.played, standings.all.games()), (0, 4));
        let kept = fs::read_to_string(&log).expect("a log");
        assert_eq!(kept.trim_end(), sound.trim_end());
    }
}

#[test]
fn a_fault_after_the_end_of_a_game_is_refused() {
    let folder = Folder::new("match checked fault");
    let log = folder.file("games.jsonl");
    let words = ["match", "--opponent", "greedy", "--games", "1", "--go", "nodes 50", "--json", "--resume"];
    let run = || common::millstone(&[&words[..], &[plain(&log)]].concat());
    assert_eq!(json(&run())["failures"], json!([]));
    let text = fs::read_to_string(&log).expect("a log");
    let (first, game) = text.split_once('\n').expect("two lines");
    let mut game: Value = serde_json::from_str(game).expect("JSON");
    (game["fault"], game["points"], game["reason"]) = (json!("b"), json!(2), json!("crashed: signal: 9"));
    fs::write(&log, format!("{first}\n{game}\n")).expect("a log");
    let refused = run();
    assert_eq!(refused.status.code(), Some(2));
    let why = "line 2: found a fault of B after the end of the game, expected the end by ";
    assert!(stderr_text(&refused).contains(why), "{}", stderr_text(&refused));
}

#[test]
fn a_second_run_on_the_same_file_is_refused() {
    let folder = Folder::new("match twice at once");
    let log = folder.file("games.jsonl");
    let hang = engine(&folder, "hang", "standard", "sleep 1000");
    let words = ["match", "--a", plain(&hang), "--opponent", "random", "--timeout", "1000", "--resume"];
    let words = [&words[..], &[plain(&log)]].concat();
    let mut first = Command::new(env!("CARGO_BIN_EXE_millstone")).args(&words).spawn().expect("it starts");
    let begin = Instant::now();
    while !fs::read(&log).is_ok_and(|text| text.ends_with(b"\n")) {
        assert!(begin.elapsed() < Duration::from_secs(60), "no log");
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = common::millstone(&words);
    let why = stderr_text(&second);
    first.kill().and_then(|()| first.wait()).expect("it runs");
    assert_eq!(second.status.code(), Some(2));
    assert!(why.contains("games.jsonl: another run is writing it"), "{why}");
}

#[test]
fn games_that_end_by_the_rules_are_checked_too() {
    let folder = Folder::new("match checked ends");
    let log = folder.file("games.jsonl");
    let words = ["match", "--opponent", "greedy", "--games", "2", "--go", "nodes 200", "--json", "--resume"];
    let run = || common::millstone(&[&words[..], &[plain(&log)]].concat());
    let result = json(&run());
    assert_eq!(result["failures"], json!([]));
    assert_eq!(json(&run())["games"], 2);
    let text = fs::read_to_string(&log).expect("a log");
    let points = |line: &str| serde_json::from_str::<Value>(line).expect("JSON")["points"].clone();
    let found = points(text.lines().nth(1).expect("a game"));
    let other = if found == json!(2) { "\"points\":1" } else { "\"points\":2" };
    fs::write(&log, text.replacen(&format!("\"points\":{found}"), other, 1)).expect("a log");
    let refused = run();
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr_text(&refused).contains("line 2: found "), "{}", stderr_text(&refused));
}
