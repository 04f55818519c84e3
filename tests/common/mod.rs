//! Drives the built program as a client does: it sends lines, reads lines, and has a deadline for every wait.
//! Deadlines last tens of seconds: they guard against hanging and measure nothing. Uses no other test file.

// Every test file that names this module uses its own part of it.
#![allow(dead_code, unreachable_pub)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(30);

/// A position of the standard game in which White, to move, is lost in two turns.
pub const LOST: &str = "**@*@*O@/*@@*@OO*/****@*** w m s 3 0 7 0 0 0 -1 -1 -1 -1 0 3 40 ids:nodes";

/// Returns all Rust files below `folder`.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let list = |path: PathBuf| if path.is_dir() { rust_files(&path) } else { vec![path] };
    entries.flat_map(list).filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

/// A folder for one test, empty at first and removed at the end. Its name has a space, to test quoting.
pub struct Folder(PathBuf);

impl Folder {
    /// Creates a folder named after the test; no two tests use the same name.
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("millstone test {name} {}", std::process::id()));
        // A leftover of an earlier process with the same id.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns a path in it.
    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file in it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, text).expect("a file for the test");
        path
    }

    /// Returns the names in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).into_string().expect("a plain name")).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed does not fail the test.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A path as an argument.
pub fn plain(path: &Path) -> &str {
    path.to_str().expect("plain path")
}

/// Runs the program to its end.
pub fn millstone(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_millstone")).args(arguments).output().expect("it runs")
}

/// Writes an engine file for the program, with the keys of `more`, and returns its path. Its name is `own` if
/// `more` has none.
pub fn own_engine(folder: &Folder, more: serde_json::Value) -> PathBuf {
    let mut file = serde_json::json!({ "name": "own", "cmd": [env!("CARGO_BIN_EXE_millstone")] });
    for (key, value) in more.as_object().expect("an object") {
        file[key] = value.clone();
    }
    folder.write(&format!("{}.json", file["name"].as_str().expect("a name")), file.to_string())
}

/// Makes tablebase files by a call of `tb`, with the folder as the last argument.
pub fn tablebase_files(name: &str, arguments: &[&str]) -> Folder {
    let folder = Folder::new(name);
    add_tablebase_files(&folder, arguments);
    folder
}

/// As [`tablebase_files`], in a folder that is there.
pub fn add_tablebase_files(folder: &Folder, arguments: &[&str]) {
    let path = if arguments.contains(&"--from") { "--to" } else { "--path" };
    let all = [&["tb"], arguments, &["--threads", "2", path, plain(folder.path())]].concat();
    let built = millstone(&all);
    assert!(built.status.success(), "{}", stderr_text(&built));
}

/// Returns its standard error as text.
pub fn stderr_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the JSON of its standard output.
pub fn json(output: &Output) -> serde_json::Value {
    assert!(output.status.success(), "{}: {}", output.status, stderr_text(output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// A running engine.
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// All lines read so far.
    pub seen: Vec<String>,
}

impl Engine {
    /// Starts the engine without arguments.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts the engine with arguments.
    pub fn start_with(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the engine starts");
        let stdout = child.stdout.take().expect("its output is a pipe");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let line = line.expect("the output is text");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, seen: Vec::new() }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).expect("the engine takes input");
        stdin.flush().expect("the engine takes input");
    }

    /// The next line.
    pub fn read(&mut self) -> String {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => {
                self.seen.push(line.clone());
                line
            }
            Err(error) => panic!("no line: {error}; the last ones were {:#?}", self.tail()),
        }
    }

    fn tail(&self) -> &[String] {
        &self.seen[self.seen.len().saturating_sub(12)..]
    }

    /// All lines up to the first that contains `word`, that one last.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        let begin = Instant::now();
        let mut lines = Vec::new();
        loop {
            lines.push(self.read());
            if lines.last().is_some_and(|line| line.contains(word)) {
                return lines;
            }
            assert!(begin.elapsed() < DEADLINE, "no '{word}'; the last lines were {:#?}", self.tail());
        }
    }

    /// The lines that answer `line`, found by a handshake after it.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// The one line that answers `line`.
    pub fn ask_one(&mut self, line: &str) -> String {
        let lines = self.ask(line);
        assert_eq!(lines.len(), 1, "the answer to '{line}' is {lines:?}");
        lines[0].clone()
    }

    /// Sends `go` with what follows and returns the lines up to the answer.
    pub fn go(&mut self, limits: &str) -> Vec<String> {
        self.send(&format!("go {limits}"));
        self.until("bestmove")
    }

    /// As [`Engine::go`], but only the second word of the answer: the move.
    pub fn best(&mut self, limits: &str) -> String {
        let answer = self.go(limits).pop().expect("there is an answer");
        move_of(&answer)
    }

    /// The position as text.
    pub fn fen(&mut self) -> String {
        self.ask_one("fen").strip_prefix("fen ").expect("fen and a text").to_owned()
    }

    /// Closes the input, waits for the end of the process and returns its status and the lines it still
    /// wrote.
    pub fn close(mut self) -> (ExitStatus, Vec<String>) {
        self.stdin = None;
        self.wait()
    }

    /// Sends `quit` and waits for the end of the process.
    pub fn quit(mut self) -> ExitStatus {
        self.send("quit");
        self.wait().0
    }

    fn wait(mut self) -> (ExitStatus, Vec<String>) {
        let begin = Instant::now();
        let mut rest = Vec::new();
        loop {
            rest.extend(self.lines.try_iter());
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                rest.extend(self.lines.iter());
                return (status, rest);
            }
            assert!(begin.elapsed() < DEADLINE, "the engine does not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A failed test must not leave its engine running. The error of an ended process is ignored.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The move in a line that ends a search, in any dialect.
pub fn move_of(line: &str) -> String {
    let mut words = line.split_whitespace().skip_while(|word| *word != "bestmove");
    words.nth(1).unwrap_or_else(|| panic!("no move in '{line}'")).to_owned()
}

/// The number or word after `name` in a line.
pub fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_whitespace().skip_while(|word| *word != name).nth(1)
}

/// The largest number after `name` in the lines of a search.
pub fn largest(lines: &[String], name: &str) -> u64 {
    let numbers = lines.iter().filter_map(|line| field(line, name)?.parse().ok());
    numbers.max().unwrap_or_else(|| panic!("no {name} in {lines:#?}"))
}

/// The folder with data that does not belong to the repository, if it is there.
pub fn shared(path: &str) -> Option<std::path::PathBuf> {
    let path = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(path);
    if path.exists() {
        return Some(path);
    }
    skip(format_args!("{} is not there", path.display()));
    None
}

/// Says what a test leaves out here, and why.
///
/// Written to standard error directly, because the output of tests is shown only when they fail.
pub fn skip(why: impl std::fmt::Display) {
    std::io::stderr().write_all(format!("SKIPPED: {why}\n").as_bytes()).expect("standard error takes a line");
}

/// Returns true if a line matches that of an example, where `…` stands for anything.
pub fn matches(line: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, middle @ .., last] = &parts[..] else { return line == shown };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Waits for the end of a process that must not hang, and calls `look` with its number repeatedly.
pub fn end_of(child: &mut Child, mut look: impl FnMut(u32)) -> ExitStatus {
    let begin = Instant::now();
    loop {
        look(child.id());
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return status;
        }
        if begin.elapsed() > 2 * DEADLINE {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns about the least number for which `holds` is true, within `step` of the true one. It is true from
/// some number between `low` and `high` on.
pub fn least(mut low: u64, mut high: u64, step: u64, holds: impl Fn(u64) -> bool) -> u64 {
    assert!(!holds(low) && holds(high), "the least number is not between {low} and {high}");
    while high - low > step {
        let middle = low.midpoint(high);
        if holds(middle) { high = middle } else { low = middle }
    }
    high
}

/// Plays a session as written: the first line holds the arguments of the program, `> ` begins what is sent
/// and `< ` what comes back, where `…` stands for anything. Lines about the engine and the progress of
/// its search may be omitted.
pub fn replay_session(text: &str) {
    let mut lines = text.lines();
    let arguments: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let mut engine = Engine::start_with(&arguments);
    for shown in lines.filter(|line| !line.is_empty()) {
        if shown == "> quit" {
            assert!(engine.quit().success());
            return;
        }
        if let Some(sent) = shown.strip_prefix("> ") {
            engine.send(sent);
            continue;
        }
        let shown = shown.strip_prefix("< ").unwrap_or_else(|| panic!("> or < before: {shown}"));
        loop {
            let line = engine.read();
            if matches(&line, shown) {
                break;
            }
            let is_skipped = ["info ", "option ", "id "].iter().any(|head| line.starts_with(head));
            assert!(is_skipped && !line.contains("bestmove"), "'{line}' is not '{shown}'");
        }
    }
    assert!(engine.quit().success());
}
