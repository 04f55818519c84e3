//! The common arguments and output of all subcommands: refused arguments, positions, closed outputs, counts
//! with their nouns.

use crate::common::{Engine, Folder, millstone, plain, skip, stderr_text};
use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// Both sides fly; the built-in tablebase holds it.
const ENDING: &str = "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, stderr_text(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Checks that a command was refused with exit code 2 and a message that contains `expected`.
fn refused(arguments: &[&str], expected: &str) {
    let output = millstone(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(stderr_text(&output).contains(expected), "{}", stderr_text(&output));
}

#[test]
fn the_command_line_refuses_bad_arguments_with_status_2() {
    for arguments in [
        &["--no-such-switch"][..],
        &["nonsense"],
        &["--protocol", "chess"],
        &["bench", "--depth", "0"],
        &["bench", "--threads", "513"],
        &["bench", "--hash", "lots"],
        &["bench", "--rules", "nine,MayFly=perhaps"],
        &["perft"],
        &["perft", "-1"],
        &["perft", "3", "--fen", "nonsense"],
        &["perft", "3", "--rules", "ten"],
        &["mill"],
    ] {
        let output = millstone(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_closed_output_ends_every_command_quietly() {
    let folder = Folder::new("closed output");
    let games = folder.write("games.txt", "d6 f4\n".repeat(2_000));
    let list: &[&[&str]] = &[
        &[],
        &["uci"],
        &["--help"],
        &["bench", "--depth", "2"],
        &["perft", "3", "--divide"],
        &["tb", "plan"],
        &["tb", "probe", "--stdin"],
        &["tb", "probe", ENDING],
        &["diagram", "startpos"],
        &["convert", plain(&games)],
        &["openings", "--count", "3", "--depth", "1"],
        &["play", "--no-autosave", "--movetime", "1"],
        &["match", "--opponent", "random", "--games", "1", "--go", "nodes 5"],
        &["accuracy", "--sample", "2", "--nodes", "5"],
    ];
    for arguments in list {
        let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
            .args(*arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let mut input = child.stdin.take().expect("a pipe");
        // Fails if the program has already ended.
        let _ = input.write_all(format!("uci\n{ENDING}\n").repeat(50).as_bytes());
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{arguments:?}: {}", output.status);
        assert!(!stderr_text(&output).contains("pipe"), "{arguments:?}: {}", stderr_text(&output));
    }
}

#[test]
fn a_position_is_an_argument_of_one_or_several_words_everywhere() {
    let first = |arguments: &[&str]| text(&millstone(arguments)).lines().next().expect("a line").to_owned();
    let words: Vec<&str> = ENDING.split(' ').collect();
    let split = |before: &[&'static str]| first(&[before, &words[..]].concat());
    let all = first(&["perft", "2"]);
    assert_eq!(first(&["perft", "2", "startpos"]), all);
    let one = first(&["perft", "2", ENDING]);
    assert_ne!(one, all);
    assert_eq!(first(&["perft", "2", "--fen", ENDING]), one);
    assert_eq!(split(&["perft", "2"]), one);
    assert_eq!(split(&["tb", "probe"]), first(&["tb", "probe", ENDING]));
    assert_eq!(split(&["tb", "line"]), first(&["tb", "line", ENDING]));
    assert_eq!(split(&["diagram"]), first(&["diagram", ENDING]));
    let start = "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    assert_eq!(first(&["diagram", "startpos"]), first(&["diagram", start]));
    for command in ["probe", "line"] {
        // The tablebase may not hold the position, but it is a valid one.
        let [word, text] = ["StartPos", start].map(|position| millstone(&["tb", command, position]));
        assert_eq!((word.status, &word.stdout, &word.stderr), (text.status, &text.stdout, &text.stderr));
        assert!(!stderr_text(&word).contains("expected 17 fields"), "{}", stderr_text(&word));
    }
    refused(&["perft", "2", "x"], "millstone: position: position text: found 'x'");
    for command in [&["perft", "2"][..], &["diagram"], &["tb", "probe"], &["tb", "line"]] {
        let with = |words: &[&'static str]| [command, words].concat();
        refused(&with(&["startpos moves d6"]), "found 'startpos moves d6', expected startpos alone");
        refused(&with(&["startpos", "moves", "d6"]), "found 'startpos moves d6', expected startpos alone");
        // An argument without a word is no missing argument.
        refused(&with(&[""]), "expected 17 fields");
    }
    refused(&["perft", "2", "--fen", ""], "position text: found nothing, expected 17 fields");
    refused(&["perft", "2", "a b"], "found 'a b', expected 17 fields; the first missing is phase");
    refused(&["perft", "2", "startpos", "--fen", ENDING], "cannot be used with");
}

#[test]
fn experience_takes_positions_and_tells_swapped_arguments() {
    let folder = Folder::new("experience arguments");
    let records = folder.write("games.txt", "d6\n");
    let file = folder.file("known.exp");
    let save = |file: &std::path::Path, record: &std::path::Path| {
        vec!["experience", "save", "--depth", "8", plain(file), plain(record)]
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let words = save(&file, &records);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let summary = text(&millstone(&words));
    let first = "1 position searched, 0 broken games left out\n1 position of at most 100000\n";
    assert!(summary.starts_with(first), "{summary}");
    let load = |more: &[&str]| text(&millstone(&[&["experience", "load", plain(&file)], more].concat()));
    assert!(load(&[]).starts_with("position: depth "), "{}", load(&[]));
    assert_eq!(load(&["startpos"]), load(&[]));
    assert_eq!(load(&[ENDING]), load(&["--fen", ENDING]));
    refused(&["experience", "load", plain(&file), ""], "expected 17 fields");
    let known = fs::read(&file).expect("the file");
    let new = folder.file("new.exp");
    for (first, second) in [(&records, &file), (&new, &file), (&records, &new)] {
        let words = save(first, second);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        refused(&words, "the arguments are swapped, expected: experience save EXPERIENCE-FILE RECORD...");
    }
    // The file is checked before a record is read.
    let words = save(&folder.file("missing/new.exp"), &folder.file("missing.txt"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    refused(&words, "new.exp: its folder: ");
    assert_eq!(
        (fs::read(&file).expect("the file"), fs::read(&records).expect("it")),
        (known, b"d6\n".to_vec())
    );
}

#[test]
fn a_diagram_shows_legal_moves_only() {
    let show =
        |moves: &str, show: &str| millstone(&["diagram", "startpos", "--moves", moves, "--show", show]);
    let mill = "d7 a1 g7 d1";
    // Two choices, a turn in one word or two, and a line.
    for words in ["a7 f4", "a7xd1", "a7 xd1", "a7xd1 a4 b4"] {
        let picture = text(&show(mill, words));
        assert!(picture.contains("mb-proposed"), "{words}");
    }
    for (words, why) in [
        ("d7", "--show: illegal move 'd7', expected one of"),
        ("xd1", "--show: illegal move 'xd1'"),
        ("a1-a4", "--show: illegal move 'a1-a4'"),
        ("a7xd6", "--show: illegal move 'xd6'"),
        ("nonsense", "--show: found 'nonsense', expected a move"),
    ] {
        let output = show(mill, words);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(stderr_text(&output).contains(why), "{}", stderr_text(&output));
    }
    let output = show("d7 a1xd7", "");
    let why = "--moves: found 'xd7' after a complete turn";
    assert!(
        output.status.code() == Some(2) && stderr_text(&output).contains(why),
        "{}",
        stderr_text(&output)
    );
}

#[test]
fn numbers_agree_with_their_nouns_and_people_get_no_json() {
    let folder = Folder::new("numbers");
    let log = folder.file("games.jsonl");
    let words = ["match", "--opponent", "random", "--games", "1", "--go", "nodes 5", "--resume", plain(&log)];
    let first = millstone(&words);
    let again = millstone(&words);
    assert!(stderr_text(&first).contains("1/1 game  +"), "{}", stderr_text(&first));
    assert!(stderr_text(&again).contains("1 game finished before"), "{}", stderr_text(&again));
    let other = [&words[..8], &[plain(&log), "--a", env!("CARGO_BIN_EXE_millstone")]].concat();
    let other = millstone(&other);
    assert!(stderr_text(&other).contains("player A: found millstone ("), "{}", stderr_text(&other));
    let accuracy = millstone(&["accuracy", "--sample", "8", "--nodes", "1"]);
    for output in [&first, &again, &other, &accuracy] {
        let both = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr_text(output);
        assert!(!both.contains(['{', '}']), "{both}");
    }
    let games = folder.write("games.txt", "d6 f4\n");
    assert!(stderr_text(&millstone(&["convert", plain(&games)])).starts_with("1 game written, 0 broken"));
}

#[test]
fn a_page_and_the_games_need_two_files() {
    let folder = Folder::new("one name");
    let game = folder.write("games.txt", "d6 f4\n");
    let output = folder.file("out");
    let [game, output] = [&game, &output].map(|path| plain(path));
    let found = millstone(&["annotate", game, "--nodes", "100", "--output", output, "--html", output]);
    assert_eq!(found.status.code(), Some(2));
    assert!(stderr_text(&found).contains("another file for the page"), "{}", stderr_text(&found));
    assert!(!std::path::Path::new(output).exists());
}

#[test]
fn a_hyphen_is_no_file_to_write() {
    let folder = Folder::new("hyphen");
    let game = folder.write("games.txt", "d6 f4\n");
    let game = plain(&game);
    for command in [
        &["convert", game][..],
        &["annotate", game],
        &["diagram", "startpos"],
        &["openings"],
        &["chart", "elo", game],
        &["completions", "bash"],
    ] {
        let expected = "expected a file; leave out --output for standard output";
        refused(&[command, &["--output", "-"]].concat(), expected);
    }
    // These write files alone.
    let random = ["match", "--opponent", "random", "--games", "1", "--go", "nodes 5"];
    let measure = ["accuracy", "--sample", "1", "--nodes", "1"];
    for command in [
        &[&random[..], &["--records", "-"]].concat()[..],
        &[&random[..], &["--resume", "-"]].concat(),
        &[&measure[..], &["--resume", "-"]].concat(),
        &["annotate", game, "--html", "-"],
        &["experience", "save", "-", game],
        &["suite", "--tablebase", ".", "--output", "-"],
        &["tune", "--rules", "dooz", "--output", "-"],
        &["tune", "--rules", "dooz", "--samples", "-", "--output", "new.bin"],
        &["proof", "build", "--side", "black", "--output", "-"],
        &["tb", "embed", "3_3_0_0.dist", "--output", "-"],
    ] {
        refused(command, "-: found the sign for a standard stream, expected a file");
    }
    refused(&["tb", "build", "--path", "-"], "-: found the sign for a standard stream, expected a folder");
}

#[test]
fn an_option_that_is_refused_is_named_as_the_argument() {
    let measure = ["accuracy", "--sample", "1", "--nodes", "1", "--option"];
    let found = millstone(&[&measure[..], &["EvalFile=nope"]].concat());
    let errors = stderr_text(&found);
    assert!(errors.starts_with("millstone: --option EvalFile: EvalFile nope: "), "{errors}");
    assert!(!errors.contains("engine"), "{errors}");
    let twice = [&measure[..], &["Threads=2", "--option", "threads=1"]].concat();
    refused(&twice, "--option: found Threads twice, expected each option once");
    let twice = [&measure[..], &["Move Overhead=2", "--option", "MoveOverhead=1"]].concat();
    refused(&twice, "--option: found Move Overhead twice, expected each option once");
    refused(&[&measure[..], &["OwnBook=true"]].concat(), "expected an option that the handshake lists");
    // By the protocol too, letter case and blanks do not count.
    for option in ["moveoverhead=2", "multi pv=1", "clearhash="] {
        let found = millstone(&[&measure[..], &[option]].concat());
        assert!(found.status.success(), "{option}: {}", stderr_text(&found));
    }
}

#[cfg(unix)]
#[test]
fn a_suite_may_come_from_standard_input() {
    let measured = redirected("accuracy --sample 1 --nodes 1 --suite - <data/accuracy/dooz.txt.zst");
    assert_eq!(measured.status.code(), Some(0), "{}", stderr_text(&measured));
    let wrong = redirected("accuracy --sample 1 --suite - </dev/null");
    assert!(stderr_text(&wrong).starts_with("millstone: standard input: line 1: found nothing"), "{wrong:?}");
}

/// The shell has emptied the file. A report on top of it would leave half of each.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_is_no_file_to_resume_from() {
    let folder = Folder::new("resume stream");
    let file = folder.file("out");
    let redirected = format!("accuracy --sample 1 --nodes 1 --resume /dev/stdout >'{}'", plain(&file));
    let found = self::redirected(&redirected);
    assert_eq!(found.status.code(), Some(2));
    let errors = stderr_text(&found);
    assert!(errors.contains("millstone: /dev/stdout: it is not a regular file"), "{errors}");
    assert_eq!(std::fs::read(&file).expect("a file"), b"");
}

/// Runs the program in a shell, with `arguments` that contain redirections.
#[cfg(unix)]
fn redirected(arguments: &str) -> std::process::Output {
    let script = format!("exec '{}' {arguments}", env!("CARGO_BIN_EXE_millstone"));
    Command::new("sh").args(["-c", &script]).output().expect("a shell")
}

/// Closed streams are no end of input and no reader that has ended.
#[cfg(unix)]
#[test]
fn closed_streams_are_errors() {
    for (arguments, status, message) in [
        ("<&-", 2, "millstone: the input cannot be read: it is closed\n"),
        (">&- </dev/null", 1, "millstone: the output cannot be written: it is closed\n"),
        ("</dev/null >/dev/null", 0, ""),
        ("<>/dev/null 1<>/dev/null", 0, ""),
        ("0>/dev/null", 2, "millstone: the input cannot be read: it is open for writing only\n"),
        (
            "</dev/null 1</dev/null",
            1,
            "millstone: the output cannot be written: it is open for reading only\n",
        ),
        ("play <&-", 2, "millstone: standard input: it is closed\n"),
        ("play </", 2, "millstone: standard input: Is a directory (os error 21)\n"),
        ("tb probe --json --stdin <&-", 2, "millstone: standard input: it is closed\n"),
        ("convert --to pgn - <&-", 2, "millstone: standard input: it is closed\n"),
        ("annotate - <&-", 2, "millstone: standard input: it is closed\n"),
        // A command that does not read.
        ("perft 2 <&- >/dev/null", 0, ""),
    ] {
        let ended = redirected(arguments);
        assert_eq!(ended.status.code(), Some(status), "{arguments}: {}", stderr_text(&ended));
        assert_eq!(stderr_text(&ended), message, "{arguments}");
    }
}

#[cfg(unix)]
#[test]
fn messages_call_a_hyphen_standard_input() {
    let folder = Folder::new("hyphen as input");
    let games = folder.write("games.txt", "d6 d6\n");
    for (command, message) in [
        ("convert -", "error: standard input:1: game 1: illegal move 'd6'"),
        ("annotate -", "error: standard input:1: game 1: illegal move 'd6'"),
        ("match --opponent random --openings -", "millstone: standard input:1: game 1: illegal move 'd6'"),
        ("chart elo -", "millstone: standard input: expected JSON"),
    ] {
        let ended = redirected(&format!("{command} <'{}'", plain(&games)));
        assert_eq!(ended.status.code(), Some(2), "{command}");
        assert!(stderr_text(&ended).starts_with(message), "{command}: {}", stderr_text(&ended));
    }
}

/// Every command says that its result cannot be written, and fails; a reader that has ended is no failure.
#[cfg(unix)]
#[test]
fn output_that_cannot_be_written_is_an_error_of_every_command() {
    let folder = Folder::new("lost output");
    let game = folder.write("game.txt", "d6 f4 d2 b4\n");
    let experience = folder.file("experience");
    let [game, experience] = [&game, &experience].map(|path| plain(path));
    text(&millstone(&["experience", "save", experience, game, "--depth", "8"]));
    let commands = [
        "--version".to_owned(),
        "--help".to_owned(),
        "help tb".to_owned(),
        "bench --depth 2".to_owned(),
        "perft 2".to_owned(),
        "play".to_owned(),
        "match --json --opponent random --games 2 --go 'nodes 50'".to_owned(),
        "accuracy --sample 1 --depth 1".to_owned(),
        "openings --count 1 --depth 1".to_owned(),
        "diagram startpos".to_owned(),
        format!("annotate --nodes 100 '{game}'"),
        format!("convert --to pgn '{game}'"),
        format!("experience stat '{experience}'"),
        format!("experience load '{experience}'"),
        "tb probe startpos".to_owned(),
        "tb plan --scope 6-men".to_owned(),
        "completions bash".to_owned(),
        "man".to_owned(),
    ];
    let picture = folder.file("board.svg");
    let quiet = redirected(&format!("diagram startpos --output '{}' >&-", plain(&picture)));
    assert!(quiet.status.success() && picture.exists(), "nothing was to be printed: {}", stderr_text(&quiet));
    for command in &commands {
        let written = redirected(&format!("{command} </dev/null"));
        assert!(!written.stdout.is_empty(), "{command} prints nothing: {}", stderr_text(&written));
        assert_eq!(written.status.code(), Some(0), "{command}: {}", stderr_text(&written));
        for (output, message) in [("&-", "it is closed"), ("/dev/full", "No space left on device")] {
            if output == "/dev/full" && !std::path::Path::new(output).exists() {
                skip("there is no /dev/full");
                continue;
            }
            let ended = redirected(&format!("{command} </dev/null >{output}"));
            let err = stderr_text(&ended);
            assert_eq!(ended.status.code(), Some(2), "{command} >{output}: {err}");
            let last = err.lines().last().unwrap_or_default();
            let begin = format!("millstone: standard output: {message}");
            assert!(last.starts_with(&begin), "{command} >{output}: {err}");
        }
    }
}

#[cfg(unix)]
#[test]
fn records_of_a_match_are_kept_if_its_result_cannot_be_written() {
    if !std::path::Path::new("/dev/full").exists() {
        skip("there is no /dev/full");
        return;
    }
    let folder = Folder::new("kept records");
    let records = folder.file("games.pgn");
    let words = "match --opponent random --games 2 --go 'nodes 5' --records";
    let ended = redirected(&format!("{words} '{}' >/dev/full", plain(&records)));
    assert_eq!(ended.status.code(), Some(2), "{}", stderr_text(&ended));
    assert!(stderr_text(&ended).contains("standard output: No space left"), "{}", stderr_text(&ended));
    assert_eq!(fs::read_to_string(&records).expect("records").matches("[Round ").count(), 2);
}

#[test]
fn rules_without_a_suite_need_a_file() {
    let answer = millstone(&["accuracy", "--rules", "russian", "--sample", "1"]);
    assert_eq!(answer.status.code(), Some(2));
    let text = stderr_text(&answer);
    assert!(text.contains("russian, which have no built-in suite, expected --suite FILE"), "{text}");
    assert!(text.contains("FILE, which names its rules, in place of --rules"), "{text}");
    refused(&["accuracy", "--rules", "russian", "--suite", "suite.txt"], "cannot be used with");
}

#[test]
fn options_that_would_have_no_effect_are_refused() {
    let folder = Folder::new("no effect");
    let network = folder.file("network.bin");
    for (words, expected) in [
        (&["match", "--alpha", "0.1"][..], "--sprt"),
        (
            &["tune", "--state", "s.json", "--params", "futility_margin", "--output", plain(&network)],
            "expected --spsa with --state",
        ),
        (&["tune", "--state", "s.json"], "not provided:\n  --params <NAMES>\n  --spsa\n\n"),
        (
            &["tune", "--params", "futility_margin", "--nodes", "9"],
            "not provided:\n  --state <FILE>\n  --spsa\n\n",
        ),
        (&["tb", "build", "--only", "3-3", "--scope", "6-men"], "cannot be used with"),
        (&["openings", "--tablebase", "x", "--depth", "9"], "cannot be used with"),
        (&["openings", "--tablebase", "x", "--balance", "9"], "cannot be used with"),
        (&["perft", "1", "--rules", "nine,MayFly=no,mayfly=yes"], "option MayFly: found twice"),
        (&["match", "--go", "nodes 5 nodes 9"], "found 'nodes' twice, expected it once"),
    ] {
        refused(words, expected);
    }
    assert!(folder.names().is_empty());
    let result = folder.write("result.json", "{}");
    refused(
        &["chart", "elo", plain(&result), "--output", plain(&result)],
        "expected another file for --output",
    );
}

#[test]
fn limits_that_limit_nothing_are_refused() {
    for limit in ["movetime", "nodes", "depth"] {
        refused(&["match", "--go", &format!("{limit} 0")], &format!("--go: {limit}: found '0', expected"));
        refused(&["accuracy", &format!("--{limit}"), "0"], "invalid value '0'");
    }
}

#[test]
fn numbers_out_of_range_are_told_the_range() {
    let all = "from 0 to 18446744073709551615";
    for (words, range) in [
        (&["perft", "-1"][..], "from 0 to 200"),
        (&["perft", "3", "--threads", "-1"], "from 1 to 512"),
        (&["bench", "--depth", "-3"], "from 1 to 200"),
        (&["bench", "--hash", "lots"], "from 1 to 1048576"),
        (&["play", "--level", "31"], "from 0 to 30"),
        (&["play", "--level", "-1"], "from 0 to 30"),
        (&["match", "--games", "99999999999999999999"], "from 1 to 4294967295"),
        (&["match", "--margin", "99999999999999999999"], all),
        (&["match", "--seed", "-1"], all),
        (&["match", "--timeout", "-0.5"], "seconds from 0.01 to 86400"),
        (&["accuracy", "--nodes", "18446744073709551616"], "from 1 to 18446744073709551615"),
        (&["accuracy", "--worst", "-1"], "expected a whole number from 0 to "),
        (&["openings", "--balance", "-1"], "from 0 to 1000"),
        (&["openings", "--plies", "-2-3"], "two numbers from 1 on such as 2-10"),
        (&["openings", "--plies", "5-3"], "such as 2-10, the smaller one first"),
        (&["tb", "repack", "--from", "a", "--to", "b", "--level", "-1"], "from 1 to 22"),
    ] {
        let value = words.last().expect("a value");
        refused(words, &format!("invalid value '{value}' for '"));
        refused(words, range);
    }
}

#[test]
fn the_protocol_is_an_option_of_uci_alone() {
    let uci = |arguments: &[&str]| millstone(arguments).status.code();
    for words in [&["--protocol", "tgf"][..], &["--protocol", "tgf", "uci"], &["uci", "--protocol", "tgf"]] {
        assert_eq!(uci(words), Some(0), "{words:?}");
    }
    assert_eq!(uci(&["--protocol", "tgf", "mill", "uci"]), Some(0));
    // It is the default that clients see, also after a change of the option.
    for protocol in ["standard", "sanmill7", "tgf"] {
        let mut engine = Engine::start_with(&["--protocol", protocol]);
        for other in ["standard", "tgf"] {
            engine.send("uci");
            let greeting = engine.until("uciok");
            let announced = format!("option name Protocol type combo default {protocol} var ");
            assert!(greeting.iter().any(|line| line.starts_with(&announced)), "{greeting:#?}");
            engine.send("help");
            let line = engine.until("option Protocol").pop().expect("a line");
            assert!(line.contains(&format!("; default {protocol})")), "{line}");
            engine.send(&format!("setoption name Protocol value {other}"));
        }
    }
    for words in [&["perft", "1"][..], &["tb", "plan"], &["man"]] {
        refused(&[&["--protocol", "tgf"], words].concat(), "--protocol works only with uci");
    }
}

#[test]
fn help_states_limits() {
    for (command, limit) in [("bench", "in MiB, from 1 to 1048576"), ("play", "from 1 to 600000")] {
        let help = text(&millstone(&[command, "--help"]));
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(limit), "{help}");
    }
}
