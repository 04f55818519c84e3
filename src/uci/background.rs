//! `perft` and `bench`: long commands that run in a thread of their own.

use super::background_report::BackgroundReport;
use crate::platform::threads::spawn;
use crate::position::Position;
use crate::tools::bench::{self, BenchSettings};
use crate::tools::perft;
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The stack of the thread: `perft` recurses once per ply.
const STACK_SIZE: usize = 16 << 20;

/// A running command.
pub(super) struct BackgroundCommand {
    /// The reports; closed after the last one.
    pub(super) reports: Receiver<BackgroundReport>,
    stop: Arc<AtomicBool>,
}

impl BackgroundCommand {
    fn spawn(
        name: &'static str,
        work: impl FnOnce(&AtomicBool, &Sender<BackgroundReport>) + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, reports) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        spawn(name, STACK_SIZE, move || {
            if catch_unwind(AssertUnwindSafe(|| work(&flag, &sender))).is_err() {
                drop(sender.send(BackgroundReport::ThreadFailed(name)));
            }
        })?;
        Ok(Self { reports, stop })
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
        Self::spawn("perft", move |stop, reports| {
            // After the end of the session the channel is closed, and the lines are dropped.
            let send = |report| drop(reports.send(report));
            match perft::divide(&pos, depth, threads, stop) {
                Some(counts) => send(BackgroundReport::Done(perft::lines(depth, &counts))),
                None => send(BackgroundReport::Stopped("perft")),
            }
        })
    }

    /// Starts `bench`.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn bench(settings: BenchSettings) -> io::Result<Self> {
        Self::spawn("bench", move |stop, reports| {
            let send = |report| drop(reports.send(report));
            match bench::run(&settings, stop, |position| send(BackgroundReport::Line(position.line()))) {
                Ok(Some(totals)) => send(BackgroundReport::Done(totals.summary().into())),
                Ok(None) => send(BackgroundReport::Stopped("bench")),
                Err(error) => send(BackgroundReport::NoBench(error)),
            }
        })
    }
}
