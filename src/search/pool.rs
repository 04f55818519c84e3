//! The pool of search threads. They sleep on a condition variable between searches.

use super::error::PoolError;
use super::limits::{Limits, SearchSettings};
use super::report::{Report, SearchNote};
use super::root_moves::RootMoves;
use super::stop_handle::StopHandle;
use super::vote::report_end;
use super::worker::{SearchJob, ThreadMemory, ThreadResult, Worker};
use crate::evaluate::{EvalNetwork, Evaluator};
use crate::platform::memory::check_address_space;
use crate::platform::sync::{Arc, Condvar, JoinHandle, Mutex, Sender, spawn};
#[cfg(not(loom))]
use crate::platform::sync::{Receiver, RecvTimeoutError};
use crate::position::Position;
use crate::rules::{CompiledRules, Rules};
use crate::tablebase::Tablebase;
use crate::tt::TranspositionTable;
use std::panic::{AssertUnwindSafe, catch_unwind};
#[cfg(not(loom))]
use std::time::Duration;

/// A command to a search thread.
enum ThreadCommand {
    /// Rank the root moves, start the other threads, then search. Only the first thread gets it.
    Start(Box<SearchJob>),
    /// Search these root moves.
    Search(Box<SearchJob>, Arc<RootMoves>),
    /// Clear the history.
    Clear,
    /// End the thread.
    Quit,
}

/// The mailbox of a search thread.
struct Mailbox {
    state: Mutex<MailboxState>,
    changed: Condvar,
}

struct MailboxState {
    /// The next command.
    command: Option<ThreadCommand>,
    /// True from the arrival of a command until the thread has executed it.
    is_busy: bool,
}

impl Mailbox {
    fn new() -> Self {
        Self { state: Mutex::new(MailboxState { command: None, is_busy: false }), changed: Condvar::new() }
    }

    /// Sends a command. The thread must not be busy.
    fn send(&self, command: ThreadCommand) {
        *self.state.lock() = MailboxState { command: Some(command), is_busy: true };
        self.changed.notify_all();
    }

    /// Waits for the next command.
    fn receive(&self) -> ThreadCommand {
        let mut state = self.state.lock();
        loop {
            if let Some(command) = state.command.take() {
                return command;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Marks the command as executed.
    fn finish(&self) {
        self.state.lock().is_busy = false;
        self.changed.notify_all();
    }

    fn is_busy(&self) -> bool {
        self.state.lock().is_busy
    }

    /// Waits until no command is being executed.
    fn wait(&self) {
        let mut state = self.state.lock();
        while state.is_busy {
            self.changed.wait(&mut state);
        }
    }
}

/// The results of the threads of one search.
struct Results {
    state: Mutex<ResultsState>,
    changed: Condvar,
}

#[derive(Default)]
struct ResultsState {
    /// The results by thread; `None` after a panic.
    results: Vec<Option<ThreadResult>>,
    /// The number of threads without a result.
    missing: usize,
}

impl Results {
    fn new() -> Self {
        Self { state: Mutex::new(ResultsState::default()), changed: Condvar::new() }
    }

    /// Prepares for the results of a new search.
    fn reset(&self, threads: usize) {
        *self.state.lock() = ResultsState { results: vec![None; threads], missing: threads };
    }

    /// Sets the result of a thread; `None` after a panic.
    fn set(&self, id: usize, result: Option<ThreadResult>) {
        let mut state = self.state.lock();
        // A thread that fails after it has handed in its result does so again, when all may have been taken.
        if let Some(slot) = state.results.get_mut(id) {
            *slot = result;
        }
        state.missing = state.missing.saturating_sub(1);
        self.changed.notify_all();
    }

    /// Waits for the results of all threads and takes them.
    fn take_all(&self) -> Vec<Option<ThreadResult>> {
        let mut state = self.state.lock();
        while state.missing > 0 {
            self.changed.wait(&mut state);
        }
        std::mem::take(&mut state.results)
    }
}

/// The state that the pool and its threads share.
struct PoolState {
    mailboxes: Vec<Mailbox>,
    results: Results,
}

/// A pool of search threads. It runs one search at a time.
pub struct Pool {
    state: Arc<PoolState>,
    handles: Vec<JoinHandle<()>>,
    /// Leads to the flags and counters of the latest search.
    stop_handle: StopHandle,
}

/// The search recurses once per ply, up to `MAX_PLY`, with large frames.
const STACK_SIZE: usize = if cfg!(loom) { 1 << 16 } else { 16 << 20 };

impl Pool {
    /// Returns a pool of `threads` threads, at least one.
    ///
    /// # Errors
    /// If there is no memory for the threads, or the system refuses to start one.
    pub fn new(threads: usize) -> Result<Self, PoolError> {
        let threads = threads.max(1);
        // A 32-bit number could overflow.
        let needed = STACK_SIZE.saturating_mul(threads);
        // Checked for all threads at once: those that start first must not leave the program without memory.
        check_address_space(needed as u64).map_err(|cause| PoolError::Memory { threads, needed, cause })?;
        let mailboxes = (0..threads).map(|_| Mailbox::new()).collect();
        let state = Arc::new(PoolState { mailboxes, results: Results::new() });
        let mut pool = Self { state, handles: Vec::new(), stop_handle: StopHandle::new() };
        for id in 0..threads {
            let state = Arc::clone(&pool.state);
            // Here, so that no search begins without it.
            let memory = ThreadMemory::new().map_err(PoolError::OwnMemory)?;
            let handle = spawn(&format!("search {id}"), STACK_SIZE, move || run_thread(id, &state, memory))
                .map_err(|error| PoolError::Spawn { thread: id + 1, threads, error })?;
            pool.handles.push(handle);
        }
        Ok(pool)
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.handles.len()
    }

    /// Changes the number of threads.
    ///
    /// All threads are new then, with empty histories. On failure the pool stays as it was.
    ///
    /// # Errors
    /// As [`Pool::new`].
    pub fn resize(&mut self, threads: usize) -> Result<(), PoolError> {
        if threads.max(1) != self.threads() {
            self.wait();
            let mut pool = Self::new(threads)?;
            pool.stop_handle = self.stop_handle();
            *self = pool;
        }
        Ok(())
    }

    /// Starts a search and returns at once.
    ///
    /// If an earlier search is running, waits for its end first; call [`Pool::stop`] before to end it soon.
    /// The last report is [`Report::Done`], unless the first thread fails.
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
        let threads = if limits.reproducible { 1 } else { self.threads() };
        self.state.results.reset(threads);
        let job = SearchJob::new(pos, limits, settings, tt, tablebase, reports, threads);
        self.stop_handle.set(&job.shared);
        self.state.mailboxes[0].send(ThreadCommand::Start(Box::new(job)));
    }

    /// Ends the search as soon as possible. Does nothing without one.
    pub fn stop(&self) {
        self.stop_handle.stop();
    }

    /// Returns a handle that ends the searches of this pool, now and after [`Pool::resize`].
    pub(crate) fn stop_handle(&self) -> StopHandle {
        self.stop_handle.clone()
    }

    /// Turns pondering into a normal search.
    pub fn ponderhit(&self) {
        self.stop_handle.latest().ponderhit();
    }

    /// The number of nodes of the current or latest search so far.
    pub fn nodes(&self) -> u64 {
        self.stop_handle.latest().nodes()
    }

    /// Returns true while a search is running.
    pub fn is_searching(&self) -> bool {
        self.state.mailboxes.iter().any(Mailbox::is_busy)
    }

    /// Waits for the end of the search.
    pub fn wait(&self) {
        // The first thread starts the others and waits for their results, so it comes first here.
        self.state.mailboxes.iter().for_each(Mailbox::wait);
    }

    /// Returns the next report of a search of this pool; waits for it for at most `timeout`.
    ///
    /// # Errors
    /// If the time is up, or the search has ended.
    #[cfg(not(loom))]
    pub(crate) fn next_report(
        &mut self,
        reports: &Receiver<Report>,
        timeout: Duration,
    ) -> Result<Report, RecvTimeoutError> {
        reports.recv_timeout(timeout)
    }

    /// Clears the history of all threads.
    pub fn clear(&mut self) {
        self.wait();
        self.state.mailboxes.iter().for_each(|mailbox| mailbox.send(ThreadCommand::Clear));
        self.wait();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop();
        self.wait();
        // `new` may have failed before it had started all threads.
        for (handle, mailbox) in self.handles.drain(..).zip(&self.state.mailboxes) {
            mailbox.send(ThreadCommand::Quit);
            let _ = handle.join();
        }
    }
}

/// Executes the commands to thread `id` until `Quit`.
fn run_thread(id: usize, state: &PoolState, memory: ThreadMemory) {
    if id == 0 {
        // Decode the network now, so that no search waits for it. If that fails, the search tries again and
        // says so.
        let _ = catch_unwind(|| EvalNetwork::default().load(&CompiledRules::new(&Rules::NINE)));
    }
    let mut memory = Some(memory);
    loop {
        match state.mailboxes[id].receive() {
            ThreadCommand::Quit => return,
            ThreadCommand::Clear => memory.iter_mut().for_each(ThreadMemory::clear),
            ThreadCommand::Start(job) => memory = search_or_stop(id, state, *job, None, memory),
            ThreadCommand::Search(job, moves) => {
                memory = search_or_stop(id, state, *job, Some(moves), memory);
            }
        }
        state.mailboxes[id].finish();
    }
}

/// Searches; ends the search of all threads if this one fails. Returns the memory for the next search; `None`
/// if it was lost.
fn search_or_stop(
    id: usize,
    state: &PoolState,
    job: SearchJob,
    moves: Option<Arc<RootMoves>>,
    memory: Option<ThreadMemory>,
) -> Option<ThreadMemory> {
    let (shared, reports) = (Arc::clone(&job.shared), job.reports.clone());
    let thread = id + 1;
    let run = AssertUnwindSafe(|| {
        let failed = |error| SearchNote::ThreadFailed { thread, cause: Some(error) };
        let evaluator = job.settings.network.load(job.pos.compiled()).map_err(failed)?;
        let no_memory = |cause| SearchNote::NoThreadMemory { thread, cause };
        let memory = memory.map_or_else(ThreadMemory::new, Ok).map_err(no_memory)?;
        let moves = moves.unwrap_or_else(|| rank_and_start_others(state, &job));
        Ok(search(id, state, job, evaluator, &moves, memory))
    });
    let note = match catch_unwind(run) {
        Ok(Ok(memory)) => return Some(memory),
        Ok(Err(note)) => note,
        Err(_) => SearchNote::ThreadFailed { thread, cause: None },
    };
    // The worker is gone, and the channel closes. This note fails if the receiver is gone too.
    let _ = reports.send(Report::Note(note));
    shared.stop();
    state.results.set(id, None);
    None
}

/// Ranks the root moves and starts the threads other than the first.
fn rank_and_start_others(state: &PoolState, job: &SearchJob) -> Arc<RootMoves> {
    let moves = Arc::new(job.rank_root_moves());
    for mailbox in &state.mailboxes[1..job.shared.threads()] {
        mailbox.send(ThreadCommand::Search(Box::new(job.clone()), Arc::clone(&moves)));
    }
    moves
}

/// Searches and hands in the result. The first thread also waits for the other results and reports the end.
fn search(
    id: usize,
    state: &PoolState,
    job: SearchJob,
    evaluator: Evaluator,
    moves: &RootMoves,
    memory: ThreadMemory,
) -> ThreadMemory {
    let mut worker = Worker::new(id, job, evaluator, moves, memory);
    worker.iterate();
    if worker.ends_search() {
        worker.job.shared.stop();
    }
    state.results.set(id, Some(worker.result()));
    if id == 0 {
        report_end(&worker, state.results.take_all());
    }
    worker.into_memory()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::platform::sync::{AtomicU64, Ordering, unbounded};
    use crate::rules::Rules;
    use crate::tablebase::probe::source::{Source, Wanted};
    use crate::tablebase::{Found, Sector, TablebaseError};
    use crossbeam_channel::Receiver;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(30);

    /// A tablebase source without values that answers only once its gate is open.
    struct SlowDisk {
        entered: Sender<()>,
        gate: Receiver<()>,
    }

    impl Source for SlowDisk {
        fn look_up(&self, _: Sector, _: u32, _: u32, _: Wanted) -> Result<Option<Found>, TablebaseError> {
            self.entered.send(()).expect("the test is running");
            // The gate is open once its sender is gone.
            let opened = self.gate.recv_timeout(PATIENCE).expect_err("nothing is sent");
            assert!(opened.is_disconnected(), "nobody opened the gate");
            Ok(None)
        }
    }

    #[test]
    fn a_thread_may_fail_after_its_result_was_taken() {
        let results = Results::new();
        results.reset(1);
        results.set(0, None);
        assert_eq!(results.take_all().len(), 1);
        results.set(0, None);
    }

    fn search(pool: &mut Pool, limits: Limits, tablebase: Option<Arc<Tablebase>>) -> Receiver<Report> {
        let (sender, reports) = unbounded();
        let tt = Arc::new(TranspositionTable::new(1).unwrap());
        pool.go(Position::new(&Rules::NINE), limits, SearchSettings::default(), tt, tablebase, sender);
        reports
    }

    /// A tablebase source that panics.
    struct FailingDisk;

    impl Source for FailingDisk {
        fn look_up(&self, _: Sector, _: u32, _: u32, _: Wanted) -> Result<Option<Found>, TablebaseError> {
            panic!("as the test wants")
        }
    }

    #[test]
    fn a_search_that_panics_closes_its_channel_and_the_next_one_works() {
        let mut pool = Pool::new(2).unwrap();
        let mut tablebase = Tablebase::new(&Rules::NINE).unwrap();
        tablebase.add_source(Box::new(FailingDisk));
        let limits = Limits { depth: Some(1), ..Limits::default() };
        let reports = search(&mut pool, limits, Some(Arc::new(tablebase)));
        let mut notes = Vec::new();
        loop {
            match reports.recv_timeout(PATIENCE) {
                Ok(Report::Done(best)) => panic!("the search did not panic but found {best:?}"),
                Ok(Report::Note(note)) => notes.push(note),
                Ok(_) => {}
                Err(error) => break assert!(error.is_disconnected()),
            }
        }
        let is_failure = |note: &SearchNote| matches!(note, SearchNote::ThreadFailed { cause: None, .. });
        assert!(notes.iter().any(is_failure), "{notes:?}");
        let reports = search(&mut pool, Limits { depth: Some(2), ..Limits::default() }, None);
        assert!(reports.iter().any(|report| matches!(report, Report::Done(best) if best.best.is_some())));
    }

    /// A tablebase source that takes its time, counts the questions, and always answers the same.
    struct SlowSource(Arc<AtomicU64>, Option<Found>);

    impl Source for SlowSource {
        fn look_up(&self, _: Sector, _: u32, _: u32, _: Wanted) -> Result<Option<Found>, TablebaseError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(5));
            Ok(self.1)
        }
    }

    #[test]
    fn a_slow_tablebase_is_not_asked_beyond_the_end_of_the_time() {
        // If all moves draw, the replies to each are asked about too.
        for answer in [None, Some(Found::DRAW)] {
            let asked = Arc::new(AtomicU64::new(0));
            let mut tablebase = Tablebase::new(&Rules::NINE).unwrap();
            tablebase.add_source(Box::new(SlowSource(Arc::clone(&asked), answer)));
            let mut pool = Pool::new(1).unwrap();
            let (sender, reports) = unbounded();
            let limits = Limits { movetime: Some(Duration::from_millis(300)), ..Limits::default() };
            let settings = SearchSettings { tablebase_depth: 0, ..SearchSettings::default() };
            let tt = Arc::new(TranspositionTable::new(1).unwrap());
            pool.go(Position::new(&Rules::NINE), limits, settings, tt, Some(Arc::new(tablebase)), sender);
            assert!(reports.iter().any(|report| matches!(report, Report::Done(best) if best.best.is_some())));
            // Each question takes 5 ms at least, so there is time for 60. Between two checks by nodes alone
            // there would be a thousand.
            let asked = asked.load(Ordering::Relaxed);
            assert!((24..200).contains(&asked), "{answer:?}: {asked}");
        }
    }

    #[test]
    fn go_returns_while_the_tablebase_is_still_being_read() {
        let pos = "O*O****@/O*******/***@***@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        let pos = Position::from_fen(&Rules::NINE, pos).unwrap();
        let (entered, has_entered) = unbounded();
        let (open, gate) = unbounded::<()>();
        let mut tablebase = Tablebase::new(&Rules::NINE).unwrap();
        tablebase.add_source(Box::new(SlowDisk { entered, gate }));
        let mut pool = Pool::new(2).unwrap();
        let (sender, reports) = unbounded();
        let limits = Limits { depth: Some(1), ..Limits::default() };
        let tt = Arc::new(TranspositionTable::new(1).unwrap());
        // If `go` ranked the root moves in this thread, it would never return: the gate opens only further
        // below.
        pool.go(pos, limits, SearchSettings::default(), tt, Some(Arc::new(tablebase)), sender);
        has_entered.recv_timeout(PATIENCE).expect("the tablebase is probed");
        assert!(pool.is_searching());
        assert!(reports.try_recv().is_err(), "the root moves are not ranked yet");
        pool.stop();
        drop(open);
        pool.wait();
        assert!(reports.iter().any(|report| matches!(report, Report::Done(best) if best.best.is_some())));
        // Of the root moves only the first is looked up: the others have come after `stop`.
        let asked = has_entered.try_iter().count();
        assert!(asked < 10, "{asked}");
    }
}

/// All interleavings of client and threads in which a thread is preempted only a few times.
#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::platform::sync::{Receiver, explore, unbounded};
    use crate::rules::Rules;

    /// Explores what a client does with a pool of `threads` threads.
    fn with_pool(
        name: &str,
        threads: usize,
        client: impl Fn(Pool, &dyn Fn(&mut Pool, Limits) -> Receiver<Report>) + Sync + Send + 'static,
    ) {
        // A take with three men to choose from: few root moves.
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

    /// Limits that end the search after one iteration.
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
