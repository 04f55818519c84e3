//! The pool of searching threads: parked between searches, woken by a condition variable, never polling.

use crate::evaluate;
use crate::position::Position;
use crate::search::worker::{Job, RootMoves, Shared, Worker};
use crate::search::{BestMove, Info, Limits, Report, Settings, root};
use crate::sync::{Arc, Builder, Condvar, JoinHandle, Mutex, Sender};
use crate::tt::TranspositionTable;

/// What a thread is told to do next.
enum Order {
    Idle,
    Search(Box<Job>, Arc<RootMoves>),
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
struct Results {
    found: Mutex<Vec<Option<Finding>>>,
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
const STACK_SIZE: usize = 16 << 20;

impl Pool {
    /// A pool of this many threads, at least one.
    ///
    /// # Errors
    /// A sentence, when the system does not grant the threads.
    pub fn new(threads: usize) -> Result<Self, String> {
        let mut pool = Self {
            desks: Vec::new(),
            handles: Vec::new(),
            results: Arc::new(Results { found: Mutex::new(Vec::new()), changed: Condvar::new() }),
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
        settings: Settings,
        tt: Arc<TranspositionTable>,
        reports: Sender<Report>,
    ) {
        self.wait();
        self.shared = Arc::new(Shared::new(self.threads(), limits.ponder));
        let seed = settings.seed.unwrap_or_else(rand::random);
        tt.new_search();
        let (root_moves, note) = root::root_moves(&pos, &limits, &settings);
        if let Some(note) = note {
            // That nobody listens any more is not the pool's business.
            let _ = reports.send(Report::Note(note));
        }
        let root_moves = Arc::new(root_moves);
        let job = Job { pos, limits, settings, tt, shared: Arc::clone(&self.shared), reports, seed };
        *self.results.found.lock() = vec![None; self.threads()];
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
            // A thread that panicked has said so on standard error.
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
                let worker = worker.get_or_insert_with(|| Box::new(Worker::new(id, &job)));
                worker.prepare(&job, &moves);
                worker.iterate();
                finish(id, worker, &job, results);
                worker.release();
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
fn finish(id: usize, worker: &mut Worker, job: &Job, results: &Results) {
    let result = (worker.result_with_ponder(), worker.best_line());
    if id > 0 {
        results.found.lock()[id] = Some(result);
        results.changed.notify_all();
        return;
    }
    job.shared.stop();
    let mut found = results.found.lock();
    found[0] = Some(result);
    while found.iter().any(Option::is_none) {
        results.changed.wait(&mut found);
    }
    let (all, mut lines): (Vec<BestMove>, Vec<Vec<Info>>) = found.drain(..).flatten().unzip();
    drop(found);
    // A weakened choice is the first thread's own, and several lines were reported by it.
    let votes = job.settings.skill >= crate::search::MAX_SKILL && job.settings.multi_pv == 1;
    let elected = if votes { root::vote(&all) } else { 0 };
    if all[elected].best != all[0].best {
        // The line reported last has to be that of the move played. That nobody listens is not the pool's business.
        let _ = job.reports.send(Report::Lines(lines.swap_remove(elected)));
    }
    let mut best = all[elected].clone();
    best.nodes = job.shared.nodes();
    let _ = job.reports.send(Report::Done(best));
}
