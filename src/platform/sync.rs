//! The locks, atomics, channels and threads of the search. With `--cfg loom` they are those of the model
//! checker, see `docs/testing.md`. The search, its pool and the transposition
//! table import them only from here.

#[cfg(not(loom))]
pub(crate) use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
#[cfg(all(not(loom), not(target_arch = "wasm32")))]
pub(crate) use parking_lot::Condvar;
#[cfg(not(loom))]
pub(crate) use parking_lot::Mutex;
#[cfg(target_arch = "wasm32")]
pub(crate) use single::Condvar;
// The model does not check reference counting.
#[cfg(all(not(loom), not(target_arch = "wasm32")))]
pub(crate) use super::threads::spawn;
pub(crate) use std::sync::Arc;
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(not(loom))]
pub(crate) use std::thread::JoinHandle;

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, Ordering};
#[cfg(loom)]
pub(crate) use loom::sync::mpsc::{Receiver, Sender, channel as unbounded};
#[cfg(loom)]
pub(crate) use loom::thread::JoinHandle;
#[cfg(loom)]
pub(crate) use model::spawn;
#[cfg(loom)]
pub use model::{Condvar, Mutex};

/// The interface of `parking_lot`, as far as one thread alone can use it.
#[cfg(target_arch = "wasm32")]
mod single {
    use crate::platform::clock::Instant;
    use parking_lot::MutexGuard;

    /// A condition that nobody else can bring about. The search never waits for one: it returns instead.
    #[derive(Default)]
    pub(crate) struct Condvar;

    pub(crate) struct TimedOut;

    impl TimedOut {
        pub(crate) fn timed_out(&self) -> bool {
            true
        }
    }

    impl Condvar {
        pub(crate) fn new() -> Self {
            Self
        }

        pub(crate) fn wait<T>(&self, _: &mut MutexGuard<'_, T>) {
            unreachable!("one thread would wait for itself");
        }

        pub(crate) fn wait_until<T>(&self, _: &mut MutexGuard<'_, T>, _: Instant) -> TimedOut {
            TimedOut
        }

        pub(crate) fn notify_all(&self) {}
    }
}

/// Locks of the model checker with the interface of `parking_lot`.
#[cfg(loom)]
#[allow(missing_docs)]
mod model {
    use crate::platform::clock::Instant;
    use std::ops::{Deref, DerefMut};

    pub(crate) fn spawn(
        name: &str,
        stack_size: usize,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<loom::thread::JoinHandle<()>> {
        loom::thread::Builder::new().name(name.to_owned()).stack_size(stack_size).spawn(work)
    }

    pub struct Mutex<T>(loom::sync::Mutex<T>);

    /// The inner guard is `None` only while its thread waits.
    pub struct MutexGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

    impl<T> Mutex<T> {
        pub fn new(value: T) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(Some(self.0.lock().expect("no thread panics with the lock held")))
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_deref().expect("the guard is there")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_deref_mut().expect("the guard is there")
        }
    }

    #[derive(Default)]
    pub struct Condvar(loom::sync::Condvar);

    /// Time does not pass in the model.
    pub struct NeverTimedOut;

    impl NeverTimedOut {
        pub fn timed_out(&self) -> bool {
            false
        }
    }

    impl Condvar {
        pub fn new() -> Self {
            Self::default()
        }

        pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            let inner = guard.0.take().expect("the guard is there");
            guard.0 = Some(self.0.wait(inner).expect("no thread panics with the lock held"));
        }

        pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, _: Instant) -> NeverTimedOut {
            self.wait(guard);
            NeverTimedOut
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}

/// Runs a model with every order of its steps with at most `preemptions` preemptions (or
/// `LOOM_MAX_PREEMPTIONS`), and prints the number of orders.
#[cfg(all(test, loom))]
pub(crate) fn explore(name: &str, preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    use std::sync::atomic::AtomicUsize;
    static EXECUTIONS: AtomicUsize = AtomicUsize::new(0);
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.max_branches = 100_000;
    let before = EXECUTIONS.load(Ordering::SeqCst);
    builder.check(move || {
        EXECUTIONS.fetch_add(1, Ordering::SeqCst);
        model();
    });
    eprintln!("{name}: {} executions", EXECUTIONS.load(Ordering::SeqCst) - before);
}
