//! Writes lines to the client in a thread of its own. A client that stops reading blocks this thread; it
//! blocks the session only when too much is unwritten.

use crate::platform::clock::Instant;
use crate::platform::threads::{STACK_SIZE, spawn};
use crossbeam_channel::{Receiver, Sender, bounded};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of bytes that wait for the client; beyond that the session waits too.
const AHEAD: usize = 1 << 20;

/// The bytes that are written at once: a page of a pipe, so that each page that the client reads is noticed.
const PIECE: usize = 4096;

/// The maximum time between two reads of the client after `quit`.
pub(super) const PATIENCE: Duration = Duration::from_millis(100);

/// The polling interval for a client that does not read.
const LOOK: Duration = Duration::from_millis(5);

/// Returns the number of bytes in the system's buffer that the client has not read, if the system reports it.
pub(super) type Unread = fn() -> Option<u64>;

/// Returns true if the system can take more bytes at once. False if it does not report it.
pub(super) type HasRoom = fn() -> bool;

/// The state that the session and the writing thread share.
struct OutputState {
    /// The lines that the thread has not taken yet.
    lines: Vec<u8>,
    /// True while the thread writes.
    is_writing: bool,
    /// The error that ended the thread.
    error: Option<io::Error>,
    /// True if no more lines will follow.
    is_closed: bool,
    /// True after `quit`.
    is_quitting: bool,
    /// The latest time at which the client read something, or had nothing to read.
    last_read: Instant,
}

struct SharedOutput {
    state: Mutex<OutputState>,
    changed: Condvar,
}

impl SharedOutput {
    fn new() -> Arc<Self> {
        let state = OutputState {
            lines: Vec::new(),
            is_writing: false,
            error: None,
            is_closed: false,
            is_quitting: false,
            last_read: Instant::now(),
        };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }
}

/// Announces `quit` to the output: from then on it no longer waits for a client that does not read.
#[derive(Clone)]
pub(super) struct Quit(Arc<SharedOutput>);

impl Quit {
    /// Announces `quit`.
    pub(super) fn announce(&self) {
        let mut state = self.0.state.lock();
        state.is_quitting = true;
        state.last_read = Instant::now();
        self.0.changed.notify_all();
    }
}

impl Default for Quit {
    fn default() -> Self {
        Self(SharedOutput::new())
    }
}

/// The way to the client.
pub(super) struct ClientPipe {
    shared: Arc<SharedOutput>,
    unread: Unread,
    has_room: HasRoom,
    /// The maximum time between two reads of the client after `quit`.
    patience: Duration,
    /// Closes when the thread ends.
    ended: Receiver<()>,
}

impl ClientPipe {
    /// Returns a way that writes to `to`. `unread` tells what waits in the system, `has_room` if more can.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn start(
        to: impl Write + Send + 'static,
        unread: Unread,
        has_room: HasRoom,
        patience: Duration,
    ) -> io::Result<Self> {
        let shared = SharedOutput::new();
        let (sender, ended) = bounded(0);
        let theirs = Arc::clone(&shared);
        spawn("output", STACK_SIZE, move || write(&theirs, to, sender))?;
        Ok(Self { shared, unread, has_room, patience, ended })
    }

    /// Returns the handle that announces `quit`.
    pub(super) fn quit(&self) -> Quit {
        Quit(Arc::clone(&self.shared))
    }

    /// Returns a channel that closes when nothing can be written any more.
    pub(super) fn ended(&self) -> Receiver<()> {
        self.ended.clone()
    }

    /// Writes one line.
    ///
    /// # Errors
    /// If the client has closed its end, or no longer reads after `quit`.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        let mut state = self.shared.state.lock();
        self.wait_while(&mut state, |state| state.lines.len() > AHEAD)?;
        if state.lines.is_empty() && !state.is_writing {
            state.last_read = Instant::now();
        }
        state.lines.extend_from_slice(text.as_bytes());
        state.lines.push(b'\n');
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Waits until all lines are written.
    ///
    /// # Errors
    /// As for [`ClientPipe::line`].
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let mut state = self.shared.state.lock();
        self.wait_while(&mut state, |state| state.is_writing || !state.lines.is_empty())
    }

    /// Waits while a condition holds; after `quit` only as long as the client reads.
    fn wait_while(
        &self,
        state: &mut MutexGuard<'_, OutputState>,
        is_so: impl Fn(&OutputState) -> bool,
    ) -> io::Result<()> {
        let (mut unread, begin) = (None, Instant::now());
        while state.error.is_some() || is_so(state) {
            if let Some(error) = &state.error {
                return Err(io::Error::new(error.kind(), error.to_string()));
            }
            if !state.is_quitting {
                self.shared.changed.wait(state);
                continue;
            }
            let now_unread = (self.unread)();
            // With room the client is not what the thread waits for, but perhaps a busy processor.
            if (self.has_room)() || unread.is_some() && now_unread != unread {
                state.last_read = Instant::now();
            }
            unread = now_unread;
            if state.last_read.max(begin).elapsed() >= self.patience {
                state.error = Some(io::Error::new(io::ErrorKind::TimedOut, "the client no longer reads"));
                continue;
            }
            self.shared.changed.wait_for(state, LOOK);
        }
        Ok(())
    }
}

impl Drop for ClientPipe {
    fn drop(&mut self) {
        self.shared.state.lock().is_closed = true;
        self.shared.changed.notify_all();
    }
}

/// Writes the lines of the session until no more come or an error ends it. `_ended` closes then.
fn write(shared: &SharedOutput, mut to: impl Write, _ended: Sender<()>) {
    let mut state = shared.state.lock();
    loop {
        if state.lines.is_empty() {
            if state.is_closed {
                return;
            }
            shared.changed.wait(&mut state);
            continue;
        }
        let lines = std::mem::take(&mut state.lines);
        state.is_writing = true;
        // The session may continue.
        shared.changed.notify_all();
        let result = MutexGuard::unlocked(&mut state, || {
            for piece in lines.chunks(PIECE) {
                to.write_all(piece)?;
                shared.state.lock().last_read = Instant::now();
            }
            to.flush()
        });
        state.is_writing = false;
        shared.changed.notify_all();
        if let Err(error) = result {
            state.error = Some(error);
            return;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::mpsc::{SyncSender, sync_channel};

    /// A client whose pipe holds nothing: a piece is written when it is taken.
    struct Pipe(SyncSender<Vec<u8>>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Longer than any test waits.
    const LONG: Duration = Duration::from_secs(3_600);
    const SHORT: Duration = Duration::from_millis(40);

    #[test]
    fn each_line_is_written_whole() {
        let (sender, pieces) = sync_channel(10);
        let mut output = ClientPipe::start(Pipe(sender), || None, || false, LONG).unwrap();
        output.line("readyok").unwrap();
        output.line("bestmove d6").unwrap();
        output.finish().unwrap();
        drop(output);
        assert_eq!(pieces.iter().flatten().collect::<Vec<u8>>(), b"readyok\nbestmove d6\n");
    }

    #[test]
    fn after_quit_a_client_that_reads_gets_everything() {
        let (sender, pieces) = sync_channel(0);
        let mut output = ClientPipe::start(Pipe(sender), || None, || false, LONG).unwrap();
        output.line(&"x".repeat(10 * PIECE - 1)).unwrap();
        output.quit().announce();
        let slow_reader = std::thread::spawn(move || {
            let pause = |_: &Vec<u8>| std::thread::sleep(SHORT);
            pieces.iter().inspect(pause).map(|piece| piece.len()).sum::<usize>()
        });
        output.finish().unwrap();
        drop(output);
        assert_eq!(slow_reader.join().unwrap(), 10 * PIECE);
    }

    /// The bytes left in a pipe whose reader takes one at each look until none is left.
    static LEFT: AtomicU64 = AtomicU64::new(20);

    #[test]
    fn after_quit_a_client_that_reads_single_bytes_is_waited_for_and_given_up_when_it_stops() {
        let (sender, _pieces) = sync_channel(0);
        let reads = || LEFT.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).ok();
        // The polling interval is shorter than the patience, so a client that reads is kept.
        let mut output = ClientPipe::start(Pipe(sender), reads, || false, 20 * LOOK).unwrap();
        output.line("readyok").unwrap();
        output.quit().announce();
        assert_eq!(output.finish().unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert_eq!(output.line("more").unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn after_quit_the_thread_may_take_its_time_while_there_is_room() {
        let (sender, pieces) = sync_channel(0);
        let mut output = ClientPipe::start(Pipe(sender), || None, || true, SHORT).unwrap();
        output.line("readyok").unwrap();
        output.quit().announce();
        let late = std::thread::spawn(move || {
            std::thread::sleep(5 * SHORT);
            pieces.iter().flatten().collect::<Vec<u8>>()
        });
        output.finish().unwrap();
        drop(output);
        assert_eq!(late.join().unwrap(), b"readyok\n");
    }

    #[test]
    fn a_client_that_is_gone_ends_the_output() {
        let (sender, pieces) = sync_channel(0);
        let mut output = ClientPipe::start(Pipe(sender), || None, || false, LONG).unwrap();
        drop(pieces);
        output.line("readyok").unwrap();
        assert!(output.ended().recv().is_err());
        assert_eq!(output.line("again").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
