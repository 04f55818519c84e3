//! The lines to and from the process of an engine. Everything is bounded: the time of an answer, the length
//! of a line, and the lines that the engine has not read. Unrequested lines are dropped.

use super::fault::{CrashFault, Fault, HangFault, StartFault};
use super::group::Group;
use crate::dialect::client;
use crate::platform::threads::{STACK_SIZE, spawn};
use crossbeam_channel::{SendTimeoutError, Sender};
use parking_lot::{Condvar, Mutex};
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum length of a line in bytes. Longer ones are cut.
pub(super) const LONGEST_LINE: usize = 16 << 10;

/// The maximum length in bytes of an answer of several lines.
const LONGEST_ANSWER: usize = 1 << 20;

/// The maximum number of lines that the engine has not read.
const MOST_UNREAD: usize = 64;

/// Time for an engine to end by itself after `quit`.
const TIME_TO_QUIT: Duration = Duration::from_millis(300);

/// The time between two looks whether an engine that does not answer still runs.
const TIME_TO_LOOK: Duration = Duration::from_millis(100);

/// The longest wait for the rest of the output of an engine that has ended.
const TIME_TO_CLOSE: Duration = Duration::from_secs(1);

/// The longest wait for the end of an engine that has closed its input or output.
const TIME_TO_END: Duration = Duration::from_secs(1);

/// The longest wait for an answer. A search with a longer limit is given this time.
const LONGEST_WAIT: Duration = Duration::from_secs(365 * 86_400);

/// The line that answers a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Question {
    /// One with this word; the lines before it belong to the answer.
    Word(String),
    /// One with a move.
    Move,
}

impl Question {
    fn is_answered_by(&self, line: &str) -> bool {
        match self {
            Self::Word(word) => line.split_whitespace().any(|w| w == word),
            Self::Move => client::best_move(line).is_some(),
        }
    }
}

/// The answer to a question.
pub(super) struct LineReply {
    /// The line that answers it.
    pub(super) line: String,
    /// Its time.
    pub(super) at: Instant,
    /// The lines before it, for questions that keep them.
    pub(super) before: Vec<String>,
}

/// The state that the reading thread has seen since the last question.
#[derive(Default)]
struct Seen {
    question: Option<Question>,
    reply: Option<(Instant, String)>,
    before: Vec<String>,
    /// Bytes of `before`.
    bytes: usize,
    /// True if `before` is not complete.
    is_overfull: bool,
    lines: u64,
    /// The total number of lines longer than [`LONGEST_LINE`].
    cut: u64,
    /// True if the engine has closed its output or its input.
    is_closed: bool,
}

impl Seen {
    /// Adds a line, given without its line end.
    fn take(&mut self, at: Instant, bytes: &[u8]) {
        self.lines += 1;
        if self.reply.is_some() {
            return;
        }
        let Some(question) = &self.question else { return };
        let text = String::from_utf8_lossy(bytes);
        let line = text.trim();
        if question.is_answered_by(line) {
            self.reply = Some((at, line.to_owned()));
        } else if *question != Question::Move {
            self.bytes += line.len() + 1;
            self.is_overfull = self.bytes > LONGEST_ANSWER;
            if !self.is_overfull {
                self.before.push(line.to_owned());
            }
        }
    }
}

/// Shared with the reading thread and the writing thread.
#[derive(Default)]
struct Inbox {
    seen: Mutex<Seen>,
    changed: Condvar,
}

impl Inbox {
    fn update(&self, change: impl FnOnce(&mut Seen)) {
        let mut seen = self.seen.lock();
        change(&mut seen);
        if seen.reply.is_some() || seen.is_closed || seen.is_overfull {
            self.changed.notify_all();
        }
    }

    /// Reads all lines of an output until it is closed.
    fn read_all(&self, output: impl Read) {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        let mut is_cut = false;
        loop {
            let chunk = match output.fill_buf() {
                Ok([]) => break,
                Ok(chunk) => chunk,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let at = Instant::now();
            let end = chunk.iter().position(|&byte| byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            let kept = part.len().min(LONGEST_LINE - line.len());
            line.extend_from_slice(&part[..kept]);
            if kept < part.len() && !is_cut {
                is_cut = true;
                self.update(|seen| seen.cut += 1);
            }
            let used = part.len() + usize::from(end.is_some());
            output.consume(used);
            if end.is_some() {
                self.update(|seen| seen.take(at, &line));
                line.clear();
                is_cut = false;
            }
        }
        self.update(|seen| {
            if !line.is_empty() {
                seen.take(Instant::now(), &line);
            }
            seen.is_closed = true;
        });
    }
}

/// A process that reads and answers lines. Dropping it ends the process.
pub(super) struct Connection {
    group: Group,
    /// To the writing thread; an engine that does not read its input holds up that thread only.
    input: Option<Sender<String>>,
    inbox: Arc<Inbox>,
}

impl Connection {
    /// Starts a program with its arguments.
    ///
    /// # Errors
    /// [`Fault::Start`] if that fails.
    pub(super) fn start(cmd: &[String]) -> Result<Self, Fault> {
        let (program, arguments) = cmd.split_first().ok_or(Fault::Start(StartFault::NoProgram))?;
        let fail = |why: io::Error| Fault::Start(StartFault::Program(program.clone(), why.into()));
        let mut group = Group::spawn(program, arguments).map_err(fail)?;
        let Some((mut stdin, stdout)) = group.pipes() else {
            return Err(fail(io::Error::other("no pipes")));
        };
        let inbox = Arc::new(Inbox::default());
        let (sender, lines) = crossbeam_channel::bounded::<String>(MOST_UNREAD);
        let (reader, writer) = (Arc::clone(&inbox), Arc::clone(&inbox));
        // Both threads end soon after the process, when its ends of the pipes are closed.
        spawn("engine output", STACK_SIZE, move || reader.read_all(stdout)).map_err(fail)?;
        let write = move || {
            for line in lines {
                if stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    writer.update(|seen| seen.is_closed = true);
                    return;
                }
            }
        };
        spawn("engine input", STACK_SIZE, write).map_err(fail)?;
        Ok(Self { group, input: Some(sender), inbox })
    }

    /// Sends lines.
    ///
    /// # Errors
    /// If the process has ended, or does not read them within `patience`.
    pub(super) fn send(&mut self, lines: &str, patience: Duration) -> Result<(), Fault> {
        let Some(input) = &self.input else { return Err(self.crashed()) };
        match input.send_timeout(format!("{lines}\n"), patience) {
            Ok(()) => Ok(()),
            Err(SendTimeoutError::Timeout(_)) => {
                Err(Fault::Hung(HangFault::Unread { lines: lines.to_owned(), patience }))
            }
            Err(SendTimeoutError::Disconnected(_)) => Err(self.crashed()),
        }
    }

    /// Sends lines, of which the last is a question, and returns the answer. The time counts from now,
    /// whatever else the engine prints.
    ///
    /// # Errors
    /// If the process has ended or the time is over.
    pub(super) fn ask(
        &mut self,
        lines: &str,
        question: Question,
        patience: Duration,
    ) -> Result<LineReply, Fault> {
        let patience = patience.min(LONGEST_WAIT);
        let deadline = Instant::now() + patience;
        {
            // Lines printed earlier are not an answer.
            let mut seen = self.inbox.seen.lock();
            *seen = Seen {
                question: Some(question),
                cut: seen.cut,
                is_closed: seen.is_closed,
                ..Seen::default()
            };
        }
        self.send(lines, patience)?;
        let asked = lines.lines().last().unwrap_or_default();
        let mut until = deadline;
        let mut has_ended = false;
        let mut seen = self.inbox.seen.lock();
        loop {
            if let Some((at, line)) = seen.reply.take() {
                seen.question = None;
                return Ok(LineReply { line, at, before: std::mem::take(&mut seen.before) });
            }
            if seen.is_overfull {
                let asked = asked.to_owned();
                return Err(Fault::Hung(HangFault::Overfull { asked, most: LONGEST_ANSWER }));
            }
            if seen.is_closed {
                drop(seen);
                return Err(self.crashed());
            }
            let now = Instant::now();
            if now >= until {
                let (asked, lines, cut) = (asked.to_owned(), seen.lines, seen.cut);
                drop(seen);
                if has_ended {
                    return Err(self.crashed());
                }
                return Err(Fault::Hung(HangFault::Silent { asked, patience, lines, cut }));
            }
            self.inbox.changed.wait_until(&mut seen, until.min(now + TIME_TO_LOOK));
            if !has_ended && seen.reply.is_none() && !seen.is_closed {
                // A process that the engine has started may hold its pipes open when it has ended.
                drop(seen);
                has_ended = self.group.try_end().is_some();
                if has_ended {
                    until = deadline.min(Instant::now() + TIME_TO_CLOSE);
                }
                seen = self.inbox.seen.lock();
            }
        }
    }

    /// Returns the number of lines that were cut since the last call.
    pub(super) fn take_cut(&mut self) -> u64 {
        std::mem::take(&mut self.inbox.seen.lock().cut)
    }

    /// Returns the fault of a process that ended.
    fn crashed(&mut self) -> Fault {
        // The pipe may close shortly before the process ends.
        let deadline = Instant::now() + TIME_TO_END;
        loop {
            match self.group.try_end() {
                Some(status) => return Fault::Crashed(CrashFault::Exit(status)),
                None if Instant::now() >= deadline => return Fault::Crashed(CrashFault::Closed),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Ends the process at once, with everything it has started.
    pub(super) fn kill(&mut self) {
        self.group.kill();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // If this fails, the engine has ended or does not read. The end of its input asks it to end, too.
        let _ = self.input.take().map(|input| input.try_send("quit\n".to_owned()));
        let deadline = Instant::now() + TIME_TO_QUIT;
        while Instant::now() < deadline && self.group.try_end().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.group.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_an_output_is_bounded() {
        let inbox = Inbox::default();
        inbox.seen.lock().question = Some(Question::Word("readyok".to_owned()));
        let long = vec![b'x'; 100 << 20];
        inbox.read_all(&long[..]);
        let seen = inbox.seen.lock();
        assert_eq!((seen.cut, seen.lines, seen.before.len()), (1, 1, 1));
        assert_eq!(seen.before[0].len(), LONGEST_LINE);
        drop(seen);
        inbox.seen.lock().question = Some(Question::Move);
        inbox.read_all(&b"info depth 1\n".repeat(1 << 20)[..]);
        assert_eq!(inbox.seen.lock().before.len(), 1, "lines of a search are not kept");
        inbox.seen.lock().question = Some(Question::Word("readyok".to_owned()));
        inbox.read_all(&b"option name A\n".repeat(1 << 20)[..]);
        let seen = inbox.seen.lock();
        let kept: usize = seen.before.iter().map(String::len).sum();
        assert!(seen.is_overfull && kept <= LONGEST_ANSWER + LONGEST_LINE, "{kept}");
    }

    #[test]
    fn the_first_answer_counts_and_nothing_before_the_question() {
        let inbox = Inbox::default();
        inbox.read_all(&b"bestmove a1\n"[..]);
        assert!(inbox.seen.lock().reply.is_none());
        inbox.seen.lock().question = Some(Question::Move);
        inbox.read_all(&b"info string hello\r\nbestmove d6\r\nbestmove f4"[..]);
        let seen = inbox.seen.lock();
        assert_eq!(seen.reply.as_ref().map(|(_, line)| line.as_str()), Some("bestmove d6"));
        assert!(seen.is_closed);
    }
}
