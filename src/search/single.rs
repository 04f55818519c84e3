//! The pool where there are no threads. Its caller runs the search in slices, and reads the commands between
//! them. It has the interface of `pool.rs`, and [`SinglePool::advance`].

// Elsewhere it is compiled for its tests only.
#![cfg_attr(test, allow(unreachable_pub, dead_code))]

use super::course::{Course, Step};
use super::error::PoolError;
use super::limits::{Limits, SearchSettings};
use super::report::{Report, SearchNote};
use super::shared::Shared;
use super::vote::report_end;
use super::worker::{SearchJob, ThreadMemory, Worker};
use crate::platform::clock::Instant;
use crate::platform::sync::{Arc, Receiver, RecvTimeoutError, Sender};
use crate::position::Position;
use crate::tablebase::Tablebase;
use crate::tt::TranspositionTable;
use std::time::Duration;

/// The search of one thread, which is the caller's. It runs one search at a time.
pub struct SinglePool {
    /// The memory of the thread between two searches.
    memory: Option<ThreadMemory>,
    running: Option<Box<(Worker, Course)>>,
    /// The flags and counters of the latest search.
    shared: Arc<Shared>,
}

impl SinglePool {
    /// Returns a pool of one thread, whatever the number asked for.
    ///
    /// # Errors
    /// If the memory is not available.
    pub fn new(_: usize) -> Result<Self, PoolError> {
        let memory = Some(ThreadMemory::new().map_err(PoolError::OwnMemory)?);
        Ok(Self { memory, running: None, shared: Arc::new(Shared::new(0, Instant::now(), false)) })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        1
    }

    /// Does nothing.
    ///
    /// # Errors
    /// Never.
    pub fn resize(&mut self, _: usize) -> Result<(), PoolError> {
        Ok(())
    }

    /// Begins a search and returns before its first node.
    ///
    /// If an earlier search is running, runs it to its end first; call [`SinglePool::stop`] before to end it
    /// soon. The last report is [`Report::Done`], unless the search fails.
    pub fn go(
        &mut self,
        pos: Position,
        limits: Limits,
        settings: SearchSettings,
        tt: Arc<TranspositionTable>,
        tablebase: Option<Arc<Tablebase>>,
        reports: Sender<Report>,
    ) {
        self.wait();
        let job = SearchJob::new(pos, limits, settings, tt, tablebase, reports, 1);
        self.shared = Arc::clone(&job.shared);
        let evaluator = match job.settings.network.load(job.pos.compiled()) {
            Ok(evaluator) => evaluator,
            Err(error) => {
                // Fails if the receiver is gone. The channel closes then, without a result.
                let cause = Some(error);
                let _ = job.reports.send(Report::Note(SearchNote::ThreadFailed { thread: 1, cause }));
                return;
            }
        };
        let moves = job.rank_root_moves();
        // The search before has given it back.
        let Some(memory) = self.memory.take() else { return };
        let mut worker = Worker::new(0, job, evaluator, &moves, memory);
        let course = worker.begin();
        self.running = Some(Box::new((worker, course)));
    }

    /// Runs a slice of the search. Returns `Step::Done` if none is running.
    pub(crate) fn advance(&mut self) -> Step {
        if let Some((worker, _)) = self.running.as_deref_mut() {
            worker.begin_slice();
        }
        self.run_on()
    }

    /// Runs the search to the end of its slice, or to its own.
    fn run_on(&mut self) -> Step {
        let Some((worker, course)) = self.running.as_deref_mut() else { return Step::Done };
        let step = worker.advance(course);
        if step == Step::Done
            && let Some(running) = self.running.take()
        {
            let (mut worker, _) = *running;
            self.shared.stop();
            let result = Some(worker.result());
            report_end(&worker, vec![result]);
            self.memory = Some(worker.into_memory());
        }
        step
    }

    /// Ends the search as soon as possible. Does nothing without one.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Turns pondering into a normal search.
    pub fn ponderhit(&self) {
        self.shared.ponderhit();
    }

    /// The number of nodes of the current or latest search so far.
    pub fn nodes(&self) -> u64 {
        self.shared.nodes()
    }

    /// Returns true while a search is running.
    pub fn is_searching(&self) -> bool {
        self.running.is_some()
    }

    /// Runs the search to its end in one slice.
    ///
    /// One that only a command could end is stopped.
    pub fn wait(&mut self) {
        while let Some(running) = &mut self.running {
            running.0.pause_after(u64::MAX);
            match self.run_on() {
                Step::Waiting(None) => self.stop(),
                Step::Waiting(Some(end)) => while Instant::now() < end {},
                Step::Paused | Step::Done => {}
            }
        }
    }

    /// Returns the next report of a search of this pool; runs it to its end if there is none yet.
    ///
    /// # Errors
    /// If the search has ended.
    pub(crate) fn next_report(
        &mut self,
        reports: &Receiver<Report>,
        _: Duration,
    ) -> Result<Report, RecvTimeoutError> {
        if reports.is_empty() {
            self.wait();
        }
        reports.try_recv().map_err(|error| match error.is_disconnected() {
            true => RecvTimeoutError::Disconnected,
            false => RecvTimeoutError::Timeout,
        })
    }

    /// Clears the history.
    pub fn clear(&mut self) {
        self.wait();
        if let Some(memory) = &mut self.memory {
            memory.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::sync::unbounded;
    use crate::rules::Rules;
    use crate::search::{Algorithm, BestMove};

    const MIDDLE: &str = "@**O@*O*/@OO*O***/**@O@@** w p p 6 3 6 3 0 0 -1 -1 -1 -1 0 0 7 ids:nodes";

    /// The input of a search.
    struct Input {
        pos: Position,
        limits: Limits,
        settings: SearchSettings,
        tt: Arc<TranspositionTable>,
    }

    fn input(fen: &str, limits: Limits, algorithm: Algorithm) -> Input {
        let settings =
            SearchSettings { shuffling: false, seed: Some(0), algorithm, ..SearchSettings::default() };
        let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
        Input { pos, limits, settings, tt: Arc::new(TranspositionTable::new(16).unwrap()) }
    }

    fn begin(pool: &mut SinglePool, input: Input) -> Receiver<Report> {
        let (sender, reports) = unbounded();
        pool.go(input.pos, input.limits, input.settings, input.tt, None, sender);
        reports
    }

    fn result(reports: &Receiver<Report>) -> Option<BestMove> {
        reports.try_iter().find_map(|report| match report {
            Report::Done(best) => Some(best),
            _ => None,
        })
    }

    #[test]
    fn a_search_is_run_to_its_end_after_a_slice_has_begun() {
        let limits = Limits { depth: Some(22), ..Limits::default() };
        let mut pool = SinglePool::new(1).unwrap();
        let reports = begin(&mut pool, input(MIDDLE, limits, Algorithm::Mtdf));
        assert!(pool.advance() == Step::Paused);
        pool.wait();
        assert_eq!(result(&reports).map(|best| best.depth), Some(22));
    }

    /// Runs a search to its end. Returns its result and the number of its slices.
    fn run(algorithm: Algorithm, depth: i32, sliced: bool) -> (BestMove, usize) {
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let mut slices = 0;
        let input = input(MIDDLE, limits, algorithm);
        if sliced {
            let mut pool = SinglePool::new(1).unwrap();
            let reports = begin(&mut pool, input);
            while pool.advance() != Step::Done {
                slices += 1;
            }
            return (result(&reports).expect("a result"), slices);
        }
        let mut pool = crate::search::Pool::new(1).unwrap();
        let (sender, reports) = unbounded();
        pool.go(input.pos, input.limits, input.settings, input.tt, None, sender);
        pool.wait();
        (result(&reports).expect("a result"), slices)
    }

    #[test]
    fn a_search_in_one_slice_is_that_of_a_thread() {
        for algorithm in Algorithm::ALL {
            let ((one, slices), (other, _)) = (run(algorithm, 6, true), run(algorithm, 6, false));
            assert_eq!(slices, 0, "{algorithm:?}");
            assert_eq!(one, other, "{algorithm:?}");
        }
    }

    #[test]
    fn a_search_in_many_slices_reaches_its_depth_and_searches_little_twice() {
        // A single tree has 0.7 to 1.7 times the nodes: what a slice has stored changes the order of moves.
        let mut all = [0, 0];
        for (algorithm, deepest) in [(Algorithm::Mtdf, 20), (Algorithm::Pvs, 20), (Algorithm::AlphaBeta, 18)]
        {
            for depth in deepest - 2..=deepest {
                let ((one, slices), (other, _)) = (run(algorithm, depth, true), run(algorithm, depth, false));
                assert_eq!((one.depth, other.depth), (depth, depth), "{algorithm:?}");
                all[0] += one.nodes;
                all[1] += other.nodes;
                if depth == deepest {
                    assert!(slices >= 3, "{algorithm:?}: {slices} slices of {} nodes", one.nodes);
                    assert_eq!(run(algorithm, depth, true), (one, slices), "the same in every run");
                }
            }
        }
        assert!(all[0] < all[1] * 5 / 4, "{all:?}");
    }

    #[test]
    fn stop_ends_a_search_between_two_slices() {
        for algorithm in Algorithm::ALL {
            let mut pool = SinglePool::new(1).unwrap();
            let limits = Limits { infinite: true, ..Limits::default() };
            let reports = begin(&mut pool, input(MIDDLE, limits, algorithm));
            for _ in 0..3 {
                assert_ne!(pool.advance(), Step::Done, "{algorithm:?}");
            }
            assert!(pool.is_searching());
            pool.stop();
            assert_eq!(pool.advance(), Step::Done, "{algorithm:?}");
            assert!(result(&reports).is_some_and(|best| best.best.is_some()), "{algorithm:?}");
            assert_eq!(pool.advance(), Step::Done, "nothing is left to do");
        }
    }

    #[test]
    fn the_slices_of_a_tree_stay_as_short_as_the_first() {
        let mut pool = SinglePool::new(1).unwrap();
        let limits = Limits { infinite: true, ..Limits::default() };
        let _reports = begin(&mut pool, input(MIDDLE, limits, Algorithm::Mcts));
        let mut nodes = Vec::new();
        for _ in 0..20 {
            let before = pool.nodes();
            assert_eq!(pool.advance(), Step::Paused);
            nodes.push(pool.nodes() - before);
        }
        assert!(nodes[19] < nodes[0] * 3 / 2, "{nodes:?}");
    }

    #[test]
    fn a_result_waits_for_the_end_of_movetime_or_for_ponderhit() {
        let mate = "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
        let mut pool = SinglePool::new(1).unwrap();
        let limits = Limits { depth: Some(3), ponder: true, ..Limits::default() };
        let reports = begin(&mut pool, input(mate, limits, Algorithm::Mtdf));
        let mut step = pool.advance();
        while step == Step::Paused {
            step = pool.advance();
        }
        assert_eq!(step, Step::Waiting(None));
        assert_eq!(result(&reports), None);
        pool.ponderhit();
        assert_eq!(pool.advance(), Step::Done);
        assert!(result(&reports).is_some());
    }
}
