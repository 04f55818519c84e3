//! Sessions written in advance, as scripts pipe them into the program: commands come before the search ahead
//! of them has ended.

use crate::common::{self, Engine, Folder, end_of, field, plain};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};

/// Sends a script, ends the input, and returns the exit status and the lines.
fn play(arguments: &[&str], script: &str) -> (ExitStatus, Vec<String>) {
    let mut engine = Engine::start_with(arguments);
    engine.send_bytes(script.as_bytes());
    engine.close()
}

fn place_of(lines: &[String], begin: &str) -> usize {
    let place = lines.iter().position(|line| line.starts_with(begin));
    place.unwrap_or_else(|| panic!("no '{begin}' in {lines:#?}"))
}

#[test]
fn quit_ends_a_search_with_its_best_move_in_every_dialect() {
    for (hello, arguments) in [
        ("uci", &[][..]),
        ("ugi", &[]),
        ("gbgp", &[]),
        ("uci", &["--protocol", "sanmill7"]),
        ("uci", &["--protocol", "tgf"]),
    ] {
        for go in ["go depth 60", "go infinite", "go ponder depth 3", "go movetime 3600000", "go nodes 1000"]
        {
            let (status, lines) = play(arguments, &format!("{hello}\nposition startpos\n{go}\nquit\n"));
            assert!(status.success());
            let answers: Vec<&String> = lines.iter().filter(|line| line.contains("bestmove ")).collect();
            assert!(
                answers.len() == 1 && !answers[0].contains("none"),
                "{hello} {arguments:?} {go}: {lines:?}"
            );
        }
    }
    // Of the moves of a turn that is searched in two parts, none is missing.
    let (_, lines) = play(&[], "gbgp\nposition startpos moves d6 a1 f4 g1 d2\ngo searchmoves d1\nquit\n");
    assert!(lines.last().unwrap().starts_with("bestmove d1x"), "{lines:?}");
}

#[test]
fn a_search_with_a_limit_ends_before_the_next_command() {
    let followers = [
        ("position startpos moves d6\nfen", "fen "),
        ("position nowhere", "info string position refused: "),
        ("ucinewgame\nfen", "fen "),
        ("setoption name Hash value lots", "info string option Hash"),
        ("setoption name UCI_Variant value lasker\nfen", "fen "),
        ("go depth 1\nfen", "fen "),
        ("go perft 1", "d6: 1"),
        ("perft x", "info string perft: "),
        ("analyze startpos moves d6", "info analysis "),
        ("bench 1", "position 1/"),
        ("experience stat", "info string experience: "),
        ("d", "Fen: "),
        ("fen", "fen "),
        ("moves", "moves "),
        ("eval", "info string eval "),
        ("statejson", "info string sanmill_state "),
        ("key", "key "),
        ("hist", "hist "),
        ("compiler", "info string compiler "),
        ("help", "info string uci: "),
    ];
    for (follower, answer) in followers {
        let script = format!("setoption name MoveTimeMs value 20\ngo depth 7\n{follower}\n");
        let (status, lines) = play(&[], &script);
        assert!(status.success());
        let best = place_of(&lines, "bestmove ");
        assert!(place_of(&lines, "info depth 7 ") < best, "{follower}: {lines:#?}");
        let after = lines[best..].iter().any(|line| line.starts_with(answer));
        assert!(
            after && !lines[..best].iter().any(|line| line.starts_with(answer)),
            "{follower}: {lines:#?}"
        );
    }
    // The queries of UGI wait too.
    let (_, lines) = play(&[], "ugi\ngo depth 7\nquery p1turn\n");
    assert!(place_of(&lines, "info depth 7 ") < place_of(&lines, "bestmove "));
    assert_eq!(lines.last().unwrap(), "response true");
}

#[test]
fn a_search_without_a_limit_is_stopped_by_the_next_command_but_not_by_what_is_none() {
    for go in ["infinite", "ponder", "ponder depth 2", "ponder movetime 5", "infinite depth 2"] {
        for follower in [
            "position startpos",
            "go depth 1",
            "setoption name Ponder value true",
            "ucinewgame",
            "fen",
            "perft 1",
        ] {
            let mut engine = Engine::start();
            engine.send(&format!("go {go}"));
            engine.until("info depth 2 ");
            for harmless in
                ["", "debug on", "debug off", "register later", "isready", "nonsense", "uci", "match"]
            {
                let lines = engine.ask(harmless);
                assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "go {go}, {harmless}");
            }
            engine.send(follower);
            engine.until("bestmove ");
            assert!(engine.quit().success());
        }
    }
    // Pondering that has become a search has a limit.
    let mut engine = Engine::start();
    engine.send_bytes(b"go ponder depth 7\nponderhit\nfen\n");
    let lines = engine.until("fen ");
    assert!(place_of(&lines, "info depth 7 ") < place_of(&lines, "bestmove "), "{lines:#?}");
}

#[test]
fn searches_wait_for_each_other_and_none_is_lost() {
    let (_, lines) =
        play(&[], "go depth 7\ngo depth 6\ngo infinite\ngo ponder depth 5\nponderhit\ngo depth 4\n");
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 5);
    let mut searches = lines.split(|line| line.starts_with("bestmove "));
    for depth in ["7", "6", "", "5", "4"] {
        let lines = searches.next().expect("five searches");
        let reached = lines.iter().any(|line| field(line, "depth") == Some(depth));
        assert!(depth.is_empty() || reached, "depth {depth}: {lines:#?}");
    }
}

#[test]
fn stop_ends_everything_that_came_before_it() {
    let mut engine = Engine::start();
    engine.send_bytes(
        b"perft 40\nbench 60\ngo infinite\ngo depth 60\ngo ponder\nanalyze startpos\nstop\nfen\n",
    );
    let lines = engine.until("fen ");
    let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
    assert_eq!((count("stopped before the end"), count("bestmove "), count("info analysis")), (2, 3, 1));
    assert!(engine.quit().success());
}

#[test]
fn quit_waits_for_long_commands_unless_they_are_stopped() {
    let (status, lines) = play(&[], "go perft 3\nperft 2\nquit\n");
    assert!(status.success());
    assert_eq!(lines.iter().filter(|line| line.starts_with("Nodes searched: ")).count(), 2);
    let (status, lines) = play(&[], "perft 40\nbench 60\nstop\nquit\n");
    assert!(status.success());
    assert_eq!(lines.iter().filter(|line| line.contains("stopped before the end")).count(), 2);
    // A query behind a search is answered too; another search would be ended at once, and is not begun.
    let (status, lines) = play(&[], "go depth 60\ngo depth 60\nfen\nquit\nfen\n");
    assert!(status.success() && lines.last().unwrap().starts_with("fen "), "{lines:?}");
    let count = |text: &str| lines.iter().filter(|line| line.starts_with(text)).count();
    assert_eq!((count("bestmove "), count("fen ")), (1, 1));
}

#[test]
fn quit_lets_no_search_behind_a_long_command_go_unanswered() {
    for (script, answers) in [
        ("position startpos\ngo perft 4\ngo depth 6\nquit\n", 1),
        ("bench 2\ngo infinite\nperft 3\nposition startpos moves d6\ngo movetime 3600000\nquit\n", 2),
        ("perft 4\ngo depth 60\ngo ponder\ngo depth 60\nquit\n", 3),
        // The second of three waits behind a search.
        ("go depth 60\ngo depth 60\nperft 4\ngo depth 60\nquit\n", 2),
        ("gbgp\nperft 4\nposition startpos moves d6 a1 f4 g1 d2\ngo depth 60\nquit\n", 1),
    ] {
        let (status, lines) = play(&[], script);
        assert!(status.success(), "{script}: {lines:#?}");
        let found: Vec<&String> = lines.iter().filter(|line| line.starts_with("bestmove ")).collect();
        assert!(
            found.len() == answers && !found.iter().any(|line| line.contains("none")),
            "{script}: {found:?}"
        );
    }
    let (_, lines) = play(&[], "perft 4\nanalyze startpos\nquit\n");
    assert!(lines.last().unwrap().starts_with("info analysis d5="), "{lines:#?}");
}

/// Starts the program, sends a script, and reads the answers up to a line with this beginning. Then sends
/// questions whose answers fill any pipe, and `quit`.
fn ask_much(script: &str, until: &str) -> (Child, impl Read + Send + use<>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    input.write_all(script.as_bytes()).expect("it reads");
    let mut line = String::new();
    while !line.starts_with(until) {
        line.clear();
        assert!(output.read_line(&mut line).expect("text") > 0, "no {until}");
    }
    input.write_all(format!("{}quit\n", "d\n".repeat(4_000)).as_bytes()).expect("it reads");
    (child, output)
}

#[test]
fn after_quit_a_client_that_does_not_read_is_told_of_by_the_status_and_learning_is_saved() {
    let folder = Folder::new("quit unread");
    let file = folder.file("learned.mex");
    let learn = "setoption name LearnEndgame value true\nsetoption name ExperienceFile value";
    let search = "position startpos moves d6 f4 d2 b4 d7 g4 d1 a4\ngo depth 11\n";
    // The pipe stays open but is not read any more.
    let (mut child, _unread) = ask_much(&format!("{learn} {}\n{search}", plain(&file)), "bestmove ");
    assert_eq!(end_of(&mut child, |_| ()).code(), Some(1));
    let mut message = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut message).expect("text");
    assert!(message.contains("no longer reads"), "{message}");
    assert!(file.exists(), "what was learned is saved");
}

#[test]
fn after_quit_a_client_that_reads_gets_all_answers() {
    let (mut child, mut output) = ask_much("isready\n", "readyok");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        output.read_to_end(&mut text).expect("the answers");
        text
    });
    assert!(end_of(&mut child, |_| ()).success());
    let text = String::from_utf8(reader.join().expect("the reader")).expect("text");
    assert_eq!(text.matches("\nFen: ").count(), 4_000);
}

#[test]
#[cfg(unix)]
fn input_that_cannot_be_read_is_an_error() {
    let folder = std::fs::File::open("/").expect("the root");
    let output = Command::new(env!("CARGO_BIN_EXE_millstone")).stdin(folder).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("the input cannot be read"), "{message}");
}

/// With little memory the threads fail at one place or another; wherever it is, the program ends or answers.
#[test]
#[cfg(target_os = "linux")]
fn without_memory_a_go_is_answered_or_the_program_ends() {
    let answers = |kib: u64| {
        let shell = format!("ulimit -v {kib}; exec \"$0\"");
        let mut child = Command::new("sh")
            .args(["-c", &shell, env!("CARGO_BIN_EXE_millstone")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let mut input = child.stdin.take().expect("a pipe");
        // It may have ended already.
        let _ = input.write_all(b"go depth 3\nposition startpos moves d6\ngo depth 3\n");
        drop(input);
        let status = end_of(&mut child, |_| ());
        let mut text = String::new();
        child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
        let answers = text.lines().filter(|line| line.starts_with("bestmove ")).count();
        assert!(!status.success() || answers == 2, "{kib} KiB: {status}, {text}");
        assert!(!text.contains("(none)"), "{kib} KiB: {text}");
        status.success()
    };
    let enough = common::least(20_000, 1_000_000, 500, answers);
    (enough - 10_000..enough + 20_000).step_by(1_000).for_each(|kib| _ = answers(kib));
}

/// The most memory that the program has held, in bytes.
#[cfg(target_os = "linux")]
fn peak(engine: &Engine) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", engine.id())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
    let kib: usize = line.split_whitespace().next().expect("a number").parse().expect("a number");
    kib << 10
}

#[test]
#[cfg(target_os = "linux")]
fn a_long_line_takes_a_small_multiple_of_its_length() {
    const LENGTH: usize = 8 << 20;
    let cycle = "g1-g4 f4-f2 g4-g1 f2-f4 ";
    let start = "fen ********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let slides = format!("position {start} moves ");
    for (head, word) in [
        ("position startpos moves ", "d6 "),
        ("position startpos moves ", "x"),
        (slides.as_str(), cycle),
        ("position fen ", "a "),
        ("position fen ", ":"),
        ("position ", "a"),
        ("analyze startpos moves ", "d6 "),
        ("go depth 1 searchmoves ", "d6 "),
        ("go depth 1 searchmoves ", "a1-a4 "),
        ("go depth 1 ", "a "),
        ("go depth ", "9"),
        ("perft ", "a "),
        ("setoption name ", "a "),
        ("setoption name Hash value ", "9"),
        ("experience load ", "a "),
        ("", "a "),
        ("", "a"),
        ("", "\u{1}\u{ff}"),
    ] {
        let mut engine = Engine::start();
        engine.send("isready");
        engine.until("readyok");
        let before = peak(&engine);
        engine.send(&format!("{head}{}", word.repeat(LENGTH / word.len())));
        engine.send("stop");
        engine.send("fen");
        engine.until("fen ");
        let multiple = (peak(&engine) - before) as f64 / LENGTH as f64;
        println!("{head}{word}…: {multiple:.1} times its length");
        assert!(multiple < 12.0, "{head}{word}…: {multiple:.1} times its length");
    }
}
