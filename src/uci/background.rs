//! `perft` and `bench`: long commands that run in a thread of their own.

use crate::position::Position;
use crate::tools::bench::{self, BenchSettings};
use crate::tools::perft;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The stack of the thread: `perft` recurses once per move, and a game has at most some thousand moves.
const STACK_SIZE: usize = 16 << 20;

/// A running command.
pub(super) struct BackgroundCommand {
    /// The lines it prints; closed when it is done.
    pub(super) text: Receiver<String>,
    stop: Arc<AtomicBool>,
}

impl BackgroundCommand {
    fn spawn(
        name: &str,
        work: impl FnOnce(&AtomicBool, &Sender<String>) + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, text) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE).spawn(move || {
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            if catch_unwind(AssertUnwindSafe(|| work(&flag, &sender))).is_err() {
                // The message of the panic is on standard error.
                drop(sender.send(format!("info string {name}: its thread failed")));
            }
        })?;
        Ok(Self { text, stop })
    }

    /// Requests an early end.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Starts `perft`.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn perft(pos: Position, depth: u32, threads: usize) -> io::Result<Self> {
        Self::spawn("perft", move |stop, text| {
            // After the end of the session the channel is closed, and the lines are dropped.
            let print = |line: String| drop(text.send(line));
            match perft::divide(&pos, depth, threads, stop) {
                Some(counts) => perft::lines(depth, &counts).into_iter().for_each(print),
                None => print("info string perft: stopped before the end".to_owned()),
            }
        })
    }

    /// Starts `bench`.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn bench(settings: BenchSettings) -> io::Result<Self> {
        Self::spawn("bench", move |stop, text| {
            let print = |line: String| drop(text.send(line));
            match bench::run(&settings, stop, |position| print(position.line())) {
                Ok(Some(totals)) => totals.summary().into_iter().for_each(print),
                Ok(None) => print("info string bench: stopped before the end".to_owned()),
                Err(error) => print(format!("info string bench: {error}")),
            }
        })
    }
}
