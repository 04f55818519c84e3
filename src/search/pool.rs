//! The pool of searching threads: parked between searches, woken by a condition variable, never polling.

use crate::evaluate;
use crate::platform::sync::{Arc, Builder, Condvar, JoinHandle, Mutex, Sender};
use crate::position::Position;
use crate::search::worker::{RootMoves, SearchJob, Shared, Worker};
use crate::search::{BestMove, Info, Limits, Report, SearchSettings, root};
use crate::tablebase::Tablebase;
use crate::tt::TranspositionTable;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a thread is told to do next.
enum Order {
    Idle,
    Search(Box<SearchJob>, Arc<RootMoves>),
    Forget,
    Quit,
}

/// The mailbox of one thread and the sign of its being busy.
struct Desk {
    order: Mutex<Order>,
    changed: Condvar,
}

/// What one thread found: its move, and the line to report should that be played.
type Finding = (BestMove, Vec<Info>);

/// What the threads of one search hand in.
#[derive(Default)]
struct Handed {
    /// By thread; nothing from one whose search panicked.
    found: Vec<Option<Finding>>,
    /// Threads that are still searching.
    open: usize,
}

/// Where they do it.
struct Results {
    handed: Mutex<Handed>,
    changed: Condvar,
}

/// Searching threads. At most one search runs at a time.
pub struct Pool {
    desks: Vec<Arc<Desk>>,
    handles: Vec<JoinHandle<()>>,
    results: Arc<Results>,
    shared: Arc<Shared>,
}

/// Searching recurses once per ply, up to the longest line, with large frames.
const STACK_SIZE: usize = if cfg!(loom) { 1 << 16 } else { 16 << 20 };

impl Pool {
    /// A pool of this many threads, at least one.
    ///
    /// # Errors
    /// A sentence, when the system does not grant the threads.
    pub fn new(threads: usize) -> Result<Self, String> {
        let mut pool = Self {
            desks: Vec::new(),
            handles: Vec::new(),
            results: Arc::new(Results { handed: Mutex::new(Handed::default()), changed: Condvar::new() }),
            shared: Arc::new(Shared::new(0, false)),
        };
        for id in 0..threads.max(1) {
            let desk = Arc::new(Desk { order: Mutex::new(Order::Idle), changed: Condvar::new() });
            let (own, results) = (Arc::clone(&desk), Arc::clone(&pool.results));
            let handle = Builder::new()
                .name(format!("search {id}"))
                .stack_size(STACK_SIZE)
                .spawn(move || work(id, &own, &results))
                .map_err(|error| format!("thread {} of {threads} cannot be started: {error}", id + 1))?;
            pool.desks.push(desk);
            pool.handles.push(handle);
        }
        Ok(pool)
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.desks.len()
    }

    /// Changes the number of threads; what they have learned is forgotten. On failure the pool stays as it was.
    ///
    /// # Errors
    /// As [`Pool::new`].
    pub fn resize(&mut self, threads: usize) -> Result<(), String> {
        if threads.max(1) != self.threads() {
            self.wait();
            *self = Self::new(threads)?;
        }
        Ok(())
    }

    /// Starts a search and returns at once. Waits for an earlier one to end; whoever wants it to end soon stops it
    /// first. [`Report::Done`] is the last report.
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
        self.shared = Arc::new(Shared::new(self.threads(), limits.ponder));
        let seed = settings.seed.unwrap_or_else(rand::random);
        tt.new_search();
        let (root_moves, notes) = root::root_moves(&pos, &limits, &settings, tablebase.as_deref());
        for note in notes {
            // That nobody listens any more is not the pool's business.
            let _ = reports.send(Report::Note(note));
        }
        let root_moves = Arc::new(root_moves);
        let shared = Arc::clone(&self.shared);
        let job = SearchJob { pos, limits, settings, tt, tablebase, shared, reports, seed };
        *self.results.handed.lock() = Handed { found: vec![None; self.threads()], open: self.threads() };
        for desk in self.desks.iter().rev() {
            desk.give(Order::Search(Box::new(job.clone()), Arc::clone(&root_moves)));
        }
    }

    /// Ends the search as soon as possible; without one, does nothing.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// Turns pondering into a normal search.
    pub fn ponderhit(&self) {
        self.shared.ponderhit();
    }

    /// Nodes searched so far by the present or latest search.
    pub fn nodes(&self) -> u64 {
        self.shared.nodes()
    }

    /// Whether a search is running.
    pub fn is_searching(&self) -> bool {
        self.desks.iter().any(|desk| !matches!(*desk.order.lock(), Order::Idle))
    }

    /// Waits until no search is running.
    pub fn wait(&self) {
        for desk in &self.desks {
            let mut order = desk.order.lock();
            while !matches!(*order, Order::Idle) {
                desk.changed.wait(&mut order);
            }
        }
    }

    /// Forgets what the threads have learned about moves.
    pub fn clear(&mut self) {
        self.wait();
        for desk in &self.desks {
            desk.give(Order::Forget);
        }
        self.wait();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop();
        self.wait();
        for desk in &self.desks {
            desk.give(Order::Quit);
        }
        for handle in self.handles.drain(..) {
            let _ = handle.join();
        }
    }
}

impl Desk {
    fn give(&self, order: Order) {
        *self.order.lock() = order;
        self.changed.notify_all();
    }
}

impl Results {
    /// Puts in what a thread has found, or that it found nothing.
    fn hand_in(&self, id: usize, finding: Option<Finding>) {
        let mut handed = self.handed.lock();
        handed.found[id] = finding;
        handed.open -= 1;
        self.changed.notify_all();
    }

    /// Waits for all threads and takes what they have found.
    fn collect(&self) -> Vec<Option<Finding>> {
        let mut handed = self.handed.lock();
        while handed.open > 0 {
            self.changed.wait(&mut handed);
        }
        std::mem::take(&mut handed.found)
    }
}

/// The life of one thread.
fn work(id: usize, desk: &Desk, results: &Results) {
    // While the client is still talking, so that no search waits for it.
    evaluate::prepare();
    let mut worker: Option<Box<Worker>> = None;
    loop {
        let mut order = desk.order.lock();
        while matches!(*order, Order::Idle) {
            desk.changed.wait(&mut order);
        }
        // The order stays on the desk until it is carried out: that is what shows that the thread is busy.
        let job = match &mut *order {
            Order::Quit => return,
            Order::Search(job, moves) => Some((job.clone(), Arc::clone(moves))),
            _ => None,
        };
        drop(order);
        match job {
            Some((job, moves)) => {
                let search = AssertUnwindSafe(|| {
                    let worker = worker.get_or_insert_with(|| Box::new(Worker::new(id, &job)));
                    worker.prepare(&job, &moves);
                    worker.iterate();
                    finish(id, worker, &job, results);
                    worker.release();
                });
                // A fault of the search must not leave the others waiting. The message went to standard error; what
                // the worker was in the middle of is thrown away, and the channel of reports closes.
                if catch_unwind(search).is_err() {
                    worker = None;
                    job.shared.stop();
                    results.hand_in(id, None);
                }
            }
            None => {
                if let Some(worker) = &mut worker {
                    worker.forget();
                }
            }
        }
        *desk.order.lock() = Order::Idle;
        desk.changed.notify_all();
    }
}

/// Hands in a result; the first thread collects all, lets them vote and reports the end.
fn finish(id: usize, worker: &mut Worker, job: &SearchJob, results: &Results) {
    if id == 0 {
        job.shared.stop();
    }
    results.hand_in(id, Some((worker.result_with_ponder(), worker.best_line())));
    if id > 0 {
        return;
    }
    let (all, mut lines): (Vec<BestMove>, Vec<Vec<Info>>) = results.collect().into_iter().flatten().unzip();
    // A weakened choice is the first thread's own, and several lines were reported by it.
    let votes = job.settings.skill >= crate::search::MAX_SKILL && job.settings.multi_pv == 1;
    // Where all agree on the move, the line that was reported last is the first thread's.
    let elected = if votes { root::vote(&all) } else { 0 };
    let elected = if all[elected].best == all[0].best { 0 } else { elected };
    if elected != 0 {
        // The line reported last has to be that of the move played. That nobody listens is not the pool's business.
        let _ = job.reports.send(Report::Lines(lines.swap_remove(elected)));
    }
    let mut best = all[elected].clone();
    // A game is given up for what the position is worth, not for the move that a level plays.
    let worth = if elected == 0 { worker.worth() } else { best.score };
    if job.settings.resign_advice && !job.settings.is_analysis(&job.limits) && root::is_hopeless(worth) {
        let _ = job.reports.send(Report::Note(root::resignation(worth)));
    }
    best.nodes = job.shared.nodes();
    let _ = job.reports.send(Report::Done(best));
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::platform::sync::{Receiver, unbounded};
    use crate::rules::Rules;
    use std::time::Duration;

    fn search(pool: &mut Pool, limits: Limits) -> Receiver<Report> {
        let (sender, reports) = unbounded();
        let tt = Arc::new(TranspositionTable::new(1).unwrap());
        pool.go(Position::new(&Rules::NINE), limits, SearchSettings::default(), tt, None, sender);
        reports
    }

    #[test]
    fn a_search_that_panics_closes_its_channel_and_the_next_one_works() {
        let mut pool = Pool::new(2).unwrap();
        // No number holds what so large an increment adds up to.
        let time = Some(Duration::from_secs(60));
        let limits = Limits { depth: Some(1), time, increment: Duration::MAX, ..Limits::default() };
        let reports = search(&mut pool, limits);
        loop {
            match reports.recv_timeout(Duration::from_secs(30)) {
                Ok(Report::Done(best)) => panic!("the search did not panic but found {best:?}"),
                Ok(_) => {}
                Err(error) => break assert!(error.is_disconnected()),
            }
        }
        let reports = search(&mut pool, Limits { depth: Some(2), ..Limits::default() });
        assert!(reports.iter().any(|report| matches!(report, Report::Done(best) if best.best.is_some())));
    }
}

/// All orders in which client and threads can take their steps, as far as a thread is interrupted a few times only.
#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::platform::sync::{Receiver, explore, unbounded};
    use crate::rules::Rules;

    /// So many threads, and what a client does with them.
    fn with_pool(
        name: &str,
        threads: usize,
        client: impl Fn(Pool, &dyn Fn(&mut Pool, Limits) -> Receiver<Report>) + Sync + Send + 'static,
    ) {
        // A removal with three men to choose from: few root moves.
        let mut pos = Position::new(&Rules::NINE);
        for text in ["d6", "a1", "f4", "g1", "d2", "d1"] {
            pos.do_move(crate::notation::parse(&pos, text).expect("a legal move"));
        }
        explore(name, 1, move || {
            let tt = Arc::new(TranspositionTable::new(1).expect("a small table"));
            let pos = &pos;
            let go = move |pool: &mut Pool, limits: Limits| {
                let (sender, reports) = unbounded();
                let settings = SearchSettings { seed: Some(0), ..SearchSettings::default() };
                pool.go(pos.clone(), limits, settings, Arc::clone(&tt), None, sender);
                reports
            };
            client(Pool::new(threads).expect("a few threads"), &go);
        });
    }

    /// Limits that end by themselves, after one iteration.
    fn short() -> Limits {
        Limits { depth: Some(1), ..Limits::default() }
    }

    /// Waits for the end of a search.
    fn done(reports: &Receiver<Report>) {
        while !matches!(reports.recv(), Ok(Report::Done(best)) if best.best.is_some()) {}
    }

    #[test]
    fn a_search_ends_with_one_result_and_the_next_may_follow_at_once() {
        with_pool("one thread: go, go", 1, |mut pool, go| {
            for _ in 0..2 {
                let reports = go(&mut pool, short());
                done(&reports);
                pool.wait();
                assert!(reports.try_recv().is_err(), "the result is the last report");
                assert!(!pool.is_searching());
            }
        });
    }

    #[test]
    fn two_threads_hand_in_one_result() {
        with_pool("two threads: go", 2, |mut pool, go| {
            let reports = go(&mut pool, short());
            done(&reports);
            pool.wait();
            assert!(reports.try_recv().is_err(), "the result is the last report");
        });
    }

    #[test]
    fn stop_ends_an_endless_search_whenever_it_comes() {
        with_pool("two threads: go infinite, stop", 2, |mut pool, go| {
            let reports = go(&mut pool, Limits { infinite: true, ..short() });
            pool.stop();
            done(&reports);
        });
    }

    #[test]
    fn pondering_ends_with_ponderhit_or_stop_whenever_it_comes() {
        with_pool("two threads: go ponder, ponderhit", 2, |mut pool, go| {
            let reports = go(&mut pool, Limits { ponder: true, ..short() });
            pool.ponderhit();
            done(&reports);
        });
        with_pool("two threads: go ponder, stop", 2, |mut pool, go| {
            let reports = go(&mut pool, Limits { ponder: true, ..short() });
            pool.stop();
            done(&reports);
        });
    }

    #[test]
    fn a_pool_is_dropped_at_any_moment_of_a_search() {
        with_pool("two threads: go infinite, quit", 2, |mut pool, go| {
            let reports = go(&mut pool, Limits { infinite: true, ..short() });
            drop(pool);
            while reports.try_recv().is_ok() {}
        });
        with_pool("two threads: clear, quit", 2, |mut pool, _| pool.clear());
    }
}
