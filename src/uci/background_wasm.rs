//! `perft` and `bench` where there are no threads: they run in slices.

use super::background_report::BackgroundReport;
use crate::engine::EngineError;
use crate::position::Position;
use crate::tools::bench::{Bench, BenchSettings};
use crate::tools::perft::{self, Division};
use std::io;
use std::sync::atomic::AtomicBool;

enum Work {
    Perft(u32, Division),
    Bench(Box<Bench>),
    /// No memory for `bench`; empty once that is told.
    NoBench(Option<EngineError>),
}

/// A running command.
pub(super) struct BackgroundCommand {
    work: Work,
    is_stopped: bool,
}

impl BackgroundCommand {
    /// Requests an early end.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Starts `perft`.
    ///
    /// # Errors
    /// Never.
    pub(super) fn perft(pos: Position, depth: u32, _: usize) -> io::Result<Self> {
        Ok(Self { work: Work::Perft(depth, Division::new(&pos, depth)), is_stopped: false })
    }

    /// Starts `bench`.
    ///
    /// # Errors
    /// Never.
    pub(super) fn bench(settings: BenchSettings) -> io::Result<Self> {
        let begun = Bench::new(&settings).map(|bench| Work::Bench(Box::new(bench)));
        let work = begun.unwrap_or_else(|error| Work::NoBench(Some(error)));
        Ok(Self { work, is_stopped: false })
    }

    /// Works for a slice. Returns its report, if it has one.
    pub(super) fn advance(&mut self) -> Option<BackgroundReport> {
        match &mut self.work {
            Work::Perft(..) if self.is_stopped => Some(BackgroundReport::Stopped("perft")),
            Work::Bench(_) if self.is_stopped => Some(BackgroundReport::Stopped("bench")),
            Work::Perft(depth, division) => match division.count_next(&AtomicBool::new(false)) {
                true => None,
                false => Some(BackgroundReport::Done(perft::lines(*depth, &division.counts()))),
            },
            Work::NoBench(error) => error.take().map(BackgroundReport::NoBench),
            Work::Bench(bench) => Some(match bench.search_next(&AtomicBool::new(false)) {
                Ok(Some(position)) => BackgroundReport::Line(position.line()),
                Ok(None) => BackgroundReport::Done(bench.totals().summary().into()),
                Err(error) => BackgroundReport::NoBench(error),
            }),
        }
    }
}
