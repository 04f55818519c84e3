//! The flags, clock and counters that the threads of one search share.

use crate::platform::clock::{Instant, per_second};
use crate::platform::sync::{AtomicBool, AtomicU64, Condvar, Mutex, Ordering};
use std::time::Duration;

/// The counters of one thread, on a cache line of their own.
#[repr(align(64))]
#[derive(Default)]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// The state that the threads of one search share.
pub(crate) struct Shared {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Notified on `stop` and `ponderhit`.
    changed: Condvar,
    /// The time of `go`.
    began: Instant,
    /// The start of the time that the limits count: `go`, or `ponderhit`.
    started: Mutex<Instant>,
    /// Nodes searched before `ponderhit`.
    pondered: AtomicU64,
    counters: Box<[Counters]>,
}

impl Shared {
    /// Returns the state of a search whose limits count from `began`.
    pub(crate) fn new(threads: usize, began: Instant, pondering: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            changed: Condvar::new(),
            began,
            started: Mutex::new(began),
            pondered: AtomicU64::new(0),
            counters: (0..threads).map(|_| Counters::default()).collect(),
        }
    }

    /// Ends the search.
    pub(crate) fn stop(&self) {
        let _guard = self.started.lock();
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Turns pondering into a normal search whose limits count from now.
    pub(crate) fn ponderhit(&self) {
        let mut started = self.started.lock();
        *started = Instant::now();
        self.pondered.store(self.nodes(), Ordering::Relaxed);
        // Release: a thread that sees the end of pondering also sees `started` and `pondered`.
        self.pondering.store(false, Ordering::Release);
        self.changed.notify_all();
    }

    /// Returns true once the search has to end.
    #[inline(always)]
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Returns true until `ponderhit`.
    pub(super) fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    /// Returns the time of `go`, or of `ponderhit` after it.
    pub(super) fn started(&self) -> Instant {
        *self.started.lock()
    }

    /// The number of threads.
    pub(super) fn threads(&self) -> usize {
        self.counters.len()
    }

    /// Sets the counters of a thread.
    pub(super) fn publish(&self, thread: usize, nodes: u64, tb_hits: u64) {
        let counters = &self.counters[thread];
        counters.nodes.store(nodes, Ordering::Relaxed);
        counters.tb_hits.store(tb_hits, Ordering::Relaxed);
    }

    /// The number of nodes of all threads, as each last published it.
    pub(crate) fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Returns the time since `go`.
    pub(super) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// Nodes per second since `go`.
    pub(super) fn nps(&self) -> u64 {
        per_second(self.nodes(), self.age())
    }

    /// The number of nodes that the limits count.
    pub(super) fn limited_nodes(&self) -> u64 {
        self.nodes().saturating_sub(self.pondered.load(Ordering::Relaxed))
    }

    /// The number of tablebase hits of all threads.
    pub(super) fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Ordering::Relaxed)).sum()
    }

    /// Waits until the search is stopped, pondering ends (if `until_ponderhit`), or `deadline` is over.
    pub(super) fn wait(&self, until_ponderhit: bool, deadline: Option<Instant>) {
        let mut guard = self.started.lock();
        while !self.is_stopped() && (!until_ponderhit || self.is_pondering()) {
            match deadline {
                None => self.changed.wait(&mut guard),
                Some(deadline) => {
                    if self.changed.wait_until(&mut guard, deadline).timed_out() {
                        return;
                    }
                }
            }
        }
    }

    /// Returns the time since `go`, or since `ponderhit`.
    pub(super) fn elapsed(&self) -> Duration {
        self.started.lock().elapsed()
    }
}
