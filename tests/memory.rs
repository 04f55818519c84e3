//! Limits of memory: `Hash` in a control group, and files that are too long.

use crate::common;

use common::{Engine, Folder, skip};
use std::fs;

/// Runs the program in a shell after `prelude`, with lines for its standard input.
#[cfg(unix)]
fn in_shell(prelude: &str, arguments: &[&str], input: &str) -> std::process::Output {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new("sh")
        .args(["-c", &format!("{prelude} && exec \"$@\""), "sh", env!("CARGO_BIN_EXE_millstone")])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    // A process that is killed does not read all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

/// A control group with a memory limit.
#[cfg(target_os = "linux")]
struct Group(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Group {
    /// Creates a group, if this user may do so.
    fn new(bytes: u64) -> Option<Self> {
        let places = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")];
        places.iter().find_map(|(root, limit)| {
            let folder = std::path::Path::new(root).join(format!("millstone-test-{}", std::process::id()));
            fs::create_dir(&folder).ok()?;
            let group = Self(folder);
            // A folder that is not a control group has no such file.
            let path = group.0.join(limit);
            (path.exists() && fs::write(path, bytes.to_string()).is_ok()).then_some(group)
        })
    }
}

#[cfg(target_os = "linux")]
impl Drop for Group {
    fn drop(&mut self) {
        // The system removes the process from its group shortly after its end.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn hash_stays_within_the_control_group() {
    let Some(group) = Group::new(300 << 20) else {
        skip("this user may not make control groups");
        return;
    };
    let prelude = format!("echo $$ > {}/cgroup.procs", group.0.display());
    let mut lines = String::from("uci\n");
    for hash in [1024, 299, 200, 250, 1024, 32] {
        lines +=
            &format!("setoption name Hash value {hash}\nisready\nposition startpos\ngo depth 4\nisready\n");
    }
    // Tree and cache take the memory that is available.
    lines += "setoption name Hash value 200\nsetoption name Algorithm value 3\n\
              setoption name TablebaseCache value 65536\nisready\ngo nodes 2000\n";
    let run = in_shell(&prelude, &[], &lines);
    let text = String::from_utf8_lossy(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{}: {text}", run.status);
    let notes: Vec<&str> = text.lines().filter(|line| line.starts_with("info string Hash")).collect();
    let [first, second, third] = notes.as_slice() else { panic!("{notes:?}") };
    for (note, hash, kept) in [(first, 1024, 16), (second, 299, 16), (third, 1024, 250)] {
        let begin =
            format!("info string Hash {hash}: {hash} MiB of memory for the transposition table cannot");
        assert!(
            note.starts_with(&begin) && note.ends_with(&format!(" MiB are available; still {kept}")),
            "{note}"
        );
    }
    assert_eq!(text.matches("bestmove").count(), 7, "{text}");
}

#[test]
fn hash_beyond_the_machine_is_refused_and_the_old_size_stays() {
    let mut engine = Engine::start();
    let before = engine.ask("setoption name Hash value 2");
    assert!(before.is_empty(), "{before:?}");
    let answer = engine.ask_one("setoption name Hash value 1048576");
    assert!(answer.ends_with("; still 2"), "{answer}");
    engine.best("depth 3");
    assert!(engine.ask("isready").is_empty() && engine.quit().success());
}

/// Every `go` has an answer, however little address space there is: what the options ask for is refused, and
/// the reserve of the allocator pays for the rest.
#[cfg(target_os = "linux")]
#[test]
fn a_search_without_memory_answers() {
    for threads in [8, 16, 256] {
        let lines = format!(
            "eval\nsetoption name Threads value {threads}\nsetoption name Hash value 128\nperft 2\n\
             go depth 4\neval\nsetoption name Algorithm value 3\ngo nodes 500\nisready\n"
        );
        // In kilobytes.
        for limit in (200_000..1_000_000).step_by(80_000) {
            let run = in_shell(&format!("ulimit -v {limit}"), &[], &lines);
            let text = String::from_utf8_lossy(&run.stdout);
            let about = format!("{threads} threads in {limit} kB: {text} {}", common::stderr_text(&run));
            assert_eq!(run.status.code(), Some(0), "{about}");
            assert_eq!(text.matches("bestmove").count(), 2, "{about}");
            // An evaluation has four lines, a refusal one.
            assert_eq!(text.matches("eval").count() % 4, text.matches("eval: no memory").count(), "{about}");
            let refused = format!("info string Threads {threads}: ");
            assert!(threads < 256 || text.contains(&refused), "{about}");
        }
    }
}

/// Wherever the address space ends while threads start, the process lives: it refuses them or does with
/// fewer.
#[cfg(target_os = "linux")]
#[test]
fn address_space_that_ends_while_a_thread_starts_ends_no_process() {
    // In kilobytes: a transposition table that just fits, and search threads that fit or not.
    let search = "setoption name Threads value 16\nsetoption name Hash value 512\ngo depth 3\nisready\n";
    let has_all = |limit: u64| {
        let run = in_shell(&format!("ulimit -v {limit}"), &[], search);
        let text = String::from_utf8_lossy(&run.stdout);
        let about = format!("{limit} kB: {} {text} {}", run.status, common::stderr_text(&run));
        assert!(run.status.success() && text.matches("bestmove").count() == 1, "{about}");
        !text.contains("info string Hash 512: ")
    };
    let fits = common::least(400_000, 4_000_000, 25, has_all);
    (fits - 1_000..fits + 3_000).step_by(80).for_each(|limit| _ = has_all(limit));
    // The threads of `perft` fill the address space, so that any remainder may be left for the last one.
    let has_threads = |limit: u64| {
        let run = in_shell(&format!("ulimit -v {limit}"), &[], "setoption name Threads value 16\nisready\n");
        !String::from_utf8_lossy(&run.stdout).contains("info string Threads 16: ")
    };
    let fits = common::least(200_000, 4_000_000, 500, has_threads);
    for limit in (fits - 2_000..fits + 20_000).step_by(500) {
        let prelude = format!(
            "(printf 'setoption name Threads value 16\\nperft 40\\n'; sleep 0.05; \
             printf 'stop\\nisready\\n') | (ulimit -v {limit}; exec \"$@\"); exit"
        );
        let run = in_shell(&prelude, &[], "");
        let text = String::from_utf8_lossy(&run.stdout);
        let about = format!("{limit} kB: {} {text} {}", run.status, common::stderr_text(&run));
        let is_answered = text.contains("perft: stopped") || text.contains("no thread for it");
        assert!(run.status.success() && is_answered && text.contains("readyok"), "{about}");
    }
}

/// Runs a command on a record up to the moment when it writes its result. Returns the most memory that it has
/// held, in bytes.
#[cfg(target_os = "linux")]
fn peak_with_record(command: &[&str], record: String) -> usize {
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    let folder = Folder::new("long record");
    let record = folder.write("game.pgn", record);
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(command)
        .arg(&record)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut output = child.stdout.take().expect("a pipe");
    // The result is longer than the pipe, so that the process waits after the first byte is read.
    output.read_exact(&mut [0]).expect("a result");
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
    let kib: usize = line.split_whitespace().next().expect("a number").parse().expect("a number");
    std::io::copy(&mut output, &mut std::io::sink()).expect("the rest");
    assert!(child.wait().expect("it ends").success());
    kib << 10
}

/// A name takes room for itself in the text, in the game and in the result, of which two are there at a time;
/// a comment is cleaned too.
#[cfg(target_os = "linux")]
#[test]
fn long_names_and_comments_take_a_small_multiple_of_their_length() {
    const SHORT: usize = 1 << 20;
    const LONG: usize = 33 << 20;
    let name = |length| format!("[White \"{}\"]\n[Black \"B\"]\n\n1. d6 f4 *\n", "n".repeat(length));
    let comment = |length| format!("[White \"A\"]\n\n1. d6 {{{}}} f4 *\n", "ab ".repeat(length / 3));
    let records = [("name", name as fn(usize) -> String, 2.5), ("comment", comment, 3.5)];
    for (part, record, most) in records {
        for command in [&["convert"][..], &["annotate", "--nodes", "100"]] {
            let [short, long] = [SHORT, LONG].map(|length| peak_with_record(command, record(length)));
            let multiple = (long - short) as f64 / (LONG - SHORT) as f64;
            println!("{command:?}, {part}: {multiple:.2} times its length");
            assert!(multiple < most, "{command:?}, {part}: {multiple:.2} times its length");
        }
    }
}

/// Files of gigabytes without a block on the disk, read with little memory.
#[cfg(unix)]
#[test]
fn files_are_not_read_beyond_their_bounds() {
    use std::io::Write as _;
    let folder = Folder::new("sparse files");
    let sparse = |name: &str| {
        let path = folder.file(name);
        fs::File::create(&path).and_then(|file| file.set_len(3 << 30)).expect("a sparse file");
        path
    };
    let [long, _manifest, engine] = ["long", "manifest.json", "engine.json"].map(sparse);
    // Any other beginning may be that of a program.
    fs::File::options().write(true).open(&engine).and_then(|mut file| file.write_all(b"{")).expect("written");
    let engine = common::plain(&engine);
    let long = common::plain(&long);
    let tables = common::plain(folder.path());
    let own = common::own_engine(&folder, serde_json::json!({}));
    let own = common::plain(&own);
    // A suite that unpacks to four gigabytes.
    let mut packed = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    std::io::copy(&mut std::io::Read::take(std::io::repeat(b'#'), 1 << 32), &mut packed).expect("packed");
    let packed = folder.write("suite.zst", packed.finish().expect("packed"));
    let commands: &[&[&str]] = &[
        &["convert", long],
        &["annotate", long],
        &["experience", "stat", long],
        &["experience", "save", "new", long],
        &["match", "--a", own, "--opponent", "random", "--openings", long],
        &["match", "--a", engine, "--opponent", "random"],
        &["match", "--a", own, "--opponent", "random", "--resume", long],
        &["accuracy", "--suite", long],
        &["accuracy", "--suite", common::plain(&packed)],
        &["accuracy", "--engine", engine],
        &["chart", "elo", long],
        &["tb", "stats", "--path", tables],
        &["tb", "build", "--path", tables, "--scope", "6-men"],
    ];
    for arguments in commands {
        // In kilobytes: a gigabyte and a half, threads included.
        let run = in_shell("ulimit -v 1500000", arguments, "");
        let err = common::stderr_text(&run);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}: {} {err}", run.status);
        assert!(err.contains("expected at most "), "{arguments:?}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_number_of_games_of_a_match_takes_no_memory() {
    let arguments =
        ["match", "--opponent", "random", "--go", "nodes 5", "--openings", "startpos", "--timeout", "60"];
    let most = ["--games", "4294967295", "--sprt", "-1000,1000", "--json"];
    let run = in_shell("ulimit -v 4000000", &[&arguments[..], &most].concat(), "");
    let played = common::json(&run)["games"].as_u64();
    assert!(played.is_some_and(|games| games < 100), "{played:?}");
}
