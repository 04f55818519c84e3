//! Matches against engines that stall the program that runs them or flood it with output, and a check that no
//! engine process survives its match.

#![cfg(unix)]

use crate::common::{self, Folder, end_of, plain, stderr_text};
use crate::match_faults::{against_random, all_lost, engine, fault_of_move, settings};
use millstone::internals::matches::play;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A deadline against hanging; it measures nothing.
const DEADLINE: Duration = Duration::from_secs(60);

/// Starts the program.
fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millstone"));
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

#[test]
fn time_counts_from_the_question_whatever_is_printed() {
    let folder = Folder::new("match chatter");
    let flood = engine(&folder, "flood", "standard", "yes info depth 1");
    let trickle = "while :; do echo info string still here; sleep 0.2; done";
    let trickle = engine(&folder, "trickle", "standard", trickle);
    for program in [&flood, &trickle] {
        for go in ["nodes 10", "depth 3", "movetime 10", "wtime 10 btime 10"] {
            let why = fault_of_move(program, go, Duration::from_millis(700));
            assert!(why.starts_with("hung: no answer to 'go "), "{why}");
            assert!(why.contains("lines printed: "), "{why}");
        }
    }
}

#[test]
fn an_engine_that_reads_nothing_holds_nobody_up() {
    let folder = Folder::new("match deaf");
    let script = folder.write("deaf.sh", "#!/bin/sh\nread -r line\necho uciok\nsleep 1000\n");
    let setup = vec!["x".repeat(100); 5_000];
    let mut file =
        serde_json::json!({ "name": "deaf", "cmd": ["sh", script], "setup": setup, "lenient": true });
    file["protocol"] = "standard".into();
    let file = folder.write("deaf.json", file.to_string());
    let why = play(&settings(&file, &["--opponent", "random", "--timeout", "3"])).map(|_| ());
    let why = why.expect_err("it cannot be set up").to_string();
    assert!(why.starts_with("engine deaf: not started: hung: does not read its input"), "{why}");
}

#[test]
fn lines_that_are_cut_are_told() {
    let folder = Folder::new("match long lines");
    let long = "head -c 100000 /dev/zero | tr '\\0' x; echo; echo bestmove d6";
    let file = engine(&folder, "long", "standard", long);
    let words = ["match", "--a", plain(&file), "--opponent", "random", "--games", "1", "--timeout", "20"];
    let output = common::millstone(&words);
    assert!(output.status.success());
    let why = stderr_text(&output);
    assert!(why.contains("long: lines longer than 16384 bytes, which were cut: "), "{why}");
}

#[test]
#[cfg(target_os = "linux")]
fn output_does_not_fill_the_memory() {
    let folder = Folder::new("match memory");
    let lines = engine(&folder, "lines", "standard", "yes info depth 1");
    let line = engine(&folder, "line", "standard", "head -c 500000000 /dev/zero | tr '\\0' x; sleep 30");
    for file in [&lines, &line] {
        let words = ["match", "--a", plain(file), "--opponent", "random", "--games", "1", "--timeout", "3"];
        let mut most = 0;
        let status = end_of(&mut start(&words), |id| {
            // It is gone once the process has ended.
            let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let size = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
            most = most.max(size.unwrap_or_default());
        });
        assert!(status.success(), "{status}");
        assert!((1..200_000).contains(&most), "{most} KiB");
    }
}

/// Returns the processes that an engine of [`family`] has noted, of which there are three in each start.
fn family_of(notes: &Path) -> Vec<u32> {
    let text = fs::read_to_string(notes).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Returns true if a process runs. A zombie counts as ended.
fn is_running(id: u32) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", &id.to_string()]).output().expect("ps runs");
    let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// Checks that no process of an engine is left.
fn is_gone(notes: &Path) {
    let family = family_of(notes);
    assert!(family.len() >= 3, "{family:?}");
    let begin = Instant::now();
    for id in family {
        while is_running(id) {
            assert!(begin.elapsed() < DEADLINE, "process {id} outlives its match");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// An engine that starts a process, which starts another one; all three note their numbers. In the program
/// nothing of it survives, so there two more leave its group on Linux, one of them without its environment.
fn family(folder: &Folder, on_go: &str, on_quit: &str, is_strayed: bool) -> (PathBuf, PathBuf) {
    let notes = folder.file("processes");
    let child = folder.write("child.sh", format!("echo $$ >> '{}'; exec sleep 1000", notes.display()));
    let strays = format!("(setsid sh '{0}' &); (env -i setsid sh '{0}' &)\n", child.display());
    let script = format!(
        "#!/bin/sh\nexec 2>&1\n\
         {{ sh -c 'sh \"$0\" & echo $$ >> \"$1\"; wait' \"{1}\" \"{0}\" & {2} }} > /dev/null\n\
         echo $$ >> \"{0}\"\n\
         while read -r word rest; do case \"$word\" in\n\
         uci) echo uciok;;\n isready) echo readyok;;\n go) {on_go};;\n quit) {on_quit};;\nesac; done\n",
        notes.display(),
        child.display(),
        if is_strayed { &strays } else { "" }
    );
    let program = folder.write("family.sh", script);
    let file = serde_json::json!({ "name": "family", "cmd": ["sh", program], "protocol": "standard" });
    (folder.write("family.json", file.to_string()), notes)
}

#[test]
fn nothing_of_an_engine_outlives_its_match() {
    for (name, on_go, on_quit) in [
        ("ends", "echo bestmove a1", "exit 0"),
        ("stays", "echo bestmove a1", "sleep 1000"),
        ("hangs", "sleep 1000", "sleep 1000"),
        ("crashes", "exit 3", "exit 0"),
    ] {
        let folder = Folder::new(&format!("match family {name}"));
        let (file, notes) = family(&folder, on_go, on_quit, false);
        against_random(&file, &["--games", "2", "--timeout", "5"]);
        is_gone(&notes);
    }
}

#[test]
fn nothing_of_an_engine_outlives_a_match_that_a_signal_ends() {
    let is_strayed = cfg!(target_os = "linux");
    let caught = [("INT", 130), ("TERM", 143), ("USR1", 138), ("USR2", 140), ("ALRM", 142), ("XCPU", 152)];
    // The last two cannot be caught, or are not: the engines have to end without the help of the match.
    let all = caught.map(|(signal, status)| (signal, Some(status))).into_iter();
    for (signal, status) in all.chain([("ABRT", None), ("KILL", None)]) {
        // The numbers of the others differ between systems.
        let status = status.filter(|_| cfg!(target_os = "linux") || matches!(signal, "INT" | "TERM"));
        let folder = Folder::new(&format!("match family {signal}"));
        let (file, notes) = family(&folder, "sleep 1000", "sleep 1000", is_strayed);
        let words = ["match", "--a", plain(&file), "--opponent", "random", "--timeout", "1000"];
        let mut child = start(&words);
        let begin = Instant::now();
        // Two starts: one that only checks, then the first game.
        while family_of(&notes).len() < if is_strayed { 10 } else { 6 } {
            assert!(begin.elapsed() < DEADLINE, "the engine does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        let ended = end_of(&mut child, |_| ());
        assert!(status.is_none() || ended.code() == status, "{signal}: {ended}");
        is_gone(&notes);
    }
}

#[test]
fn a_signal_does_not_lose_the_games_before_it() {
    let folder = Folder::new("match records at a signal");
    let goes = folder.file("goes");
    let go = format!("echo >> '{0}'; [ $(wc -l < '{0}') -gt 2 ] && sleep 1000; exit 3", goes.display());
    let file = engine(&folder, "crash", "standard", &go);
    let [records, log] = ["records.pgn", "log.jsonl"].map(|name| folder.file(name));
    let words = ["match", "--a", plain(&file), "--opponent", "random", "--timeout", "1000", "--json"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_millstone"));
    command.args(words).args(["--records", plain(&records), "--resume", plain(&log)]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let begin = Instant::now();
    while fs::read_to_string(&goes).unwrap_or_default().len() < 3 {
        assert!(begin.elapsed() < DEADLINE, "the third game does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(130));
    // The third game is not lost by the end of its engine.
    let result: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!((result["games"].as_u64(), result["losses"].as_u64()), (Some(2), Some(2)));
    let text = fs::read_to_string(&records).expect("records");
    assert!(text.contains("[Round \"2\"]") && !text.contains("[Round \"3\"]"), "{text}");
    assert_eq!(fs::read_to_string(&log).expect("a log").lines().count(), 3);
}

#[test]
fn a_guard_starts_nothing_without_a_match() {
    let folder = Folder::new("match no guard");
    let made = folder.file("made");
    let output = common::millstone(&["guard", "--", "touch", plain(&made)]);
    assert_eq!(output.status.code(), Some(2));
    let why = stderr_text(&output);
    assert!(why.contains("only a command that runs engines can start a guard"), "{why}");
    assert!(!made.exists());
}

#[test]
fn an_engine_ends_with_its_first_process() {
    let folder = Folder::new("match held pipe");
    let notes = folder.file("held");
    // A process that holds its pipes open is left, in its group or out of it.
    let stray = if cfg!(target_os = "linux") { "setsid sleep 1000 &" } else { "" };
    let go = format!("sleep 1000 & echo $! >> '{}'; {stray} exit 3", notes.display());
    let file = engine(&folder, "leaver", "standard", &go);
    let words = ["match", "--a", plain(&file), "--opponent", "random", "--games", "2", "--timeout", "40"];
    let output = common::millstone(&words);
    let why = stderr_text(&output);
    assert!(output.status.success() && why.contains("game 2: leaver crashed: exit status: 3"), "{why}");
    // Its last words count.
    let file = engine(&folder, "leaver", "standard", "sleep 1000 & echo bestmove xd6; exit 3");
    all_lost(&against_random(&file, &["--games", "1", "--timeout", "40"]), 1, "illegal: found 'xd6'");
    let file = engine(&folder, "leaver", "standard", "sleep 1000 & exit 3");
    all_lost(&against_random(&file, &["--games", "2", "--timeout", "40"]), 2, "crashed: exit status: 3");
    let file = engine(&folder, "leaver", "standard", "sleep 1000 & kill -9 $$");
    all_lost(&against_random(&file, &["--games", "2", "--timeout", "40"]), 2, "crashed: signal: 9");
    for id in family_of(&notes) {
        assert!(!is_running(id), "process {id} outlives its engine");
    }
}

/// Returns the state, the parent and the number of each process.
#[cfg(target_os = "linux")]
fn processes() -> Vec<(String, u32, u32)> {
    let list = Command::new("ps").args(["-e", "-o", "stat=,ppid=,pid="]).output().expect("ps runs");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    let read = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    };
    list.lines().filter_map(read).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn orphans_that_have_ended_do_not_pile_up() {
    let folder = Folder::new("match zombies");
    let orphan = "(env -i setsid true &)";
    let done = folder.file("done");
    let go = format!("for n in 1 2 3 4 5 6 7 8; do {orphan}; done; touch '{}'; sleep 1000", done.display());
    let file = engine(&folder, "parent", "standard", &go);
    let words = ["match", "--a", plain(&file), "--opponent", "random", "--games", "1", "--timeout", "1000"];
    let mut child = start(&words);
    let begin = Instant::now();
    let is_left = |id: u32| {
        let all = processes();
        let mut own = vec![id];
        while let Some(more) = all.iter().find(|(_, parent, id)| own.contains(parent) && !own.contains(id)) {
            own.push(more.2);
        }
        all.iter().any(|(state, _, id)| state.starts_with('Z') && own.contains(id))
    };
    while !done.exists() || is_left(child.id()) {
        if begin.elapsed() > DEADLINE {
            let _ = child.kill();
            panic!("zombies are left");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let sent = Command::new("kill").arg(child.id().to_string()).status();
    assert!(sent.expect("kill runs").success());
    assert_eq!(end_of(&mut child, |_| ()).code(), Some(143));
}
