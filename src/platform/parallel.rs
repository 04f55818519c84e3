//! Parallel loops, and bytes that several threads may write.

use super::threads::spawn_scoped;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;

/// Is set if its thread panics.
struct PanicFlag<'a>(&'a AtomicBool);

impl Drop for PanicFlag<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Calls `work` for every item from `threads` threads, each with its own scratch space, and returns the
/// scratch spaces. The assignment of items to threads is not deterministic. There are fewer threads if the
/// system starts no more. If one panics, the others end after their item, and the panic goes on here.
pub(crate) fn share<T: Send, S: Send>(
    threads: usize,
    items: impl Iterator<Item = T> + Send,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, T) + Sync,
) -> Vec<S> {
    let (items, has_failed) = (Mutex::new(items), AtomicBool::new(false));
    let run = || {
        let _flag = PanicFlag(&has_failed);
        let mut space = scratch();
        while !has_failed.load(Ordering::Relaxed) {
            let Some(item) = items.lock().ok().and_then(|mut items| items.next()) else { break };
            work(&mut space, item);
        }
        space
    };
    if threads <= 1 {
        return vec![run()];
    }
    thread::scope(|scope| {
        let start = |_| spawn_scoped(scope, run).ok();
        let handles: Vec<_> = (1..threads).map_while(start).collect();
        let own = run();
        let join = |handle: thread::ScopedJoinHandle<'_, S>| {
            handle.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))
        };
        handles.into_iter().map(join).chain([own]).collect()
    })
}

/// As [`share`], for work that needs no scratch space.
pub(crate) fn each<T: Send>(threads: usize, items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    share(threads, items, || (), |(), item| work(item));
}

/// Groups items, `total` in all, into batches of 1 to 64 for the threads to fetch.
pub(crate) fn batches<I: Iterator>(mut items: I, total: usize) -> impl Iterator<Item = Vec<I::Item>> {
    let size = (total / 64).clamp(1, 64);
    std::iter::from_fn(move || {
        let batch: Vec<_> = items.by_ref().take(size).collect();
        (!batch.is_empty()).then_some(batch)
    })
}

/// Lets several threads write single bytes of a slice that the caller alone holds.
#[allow(unsafe_code)]
pub(crate) fn shared(bytes: &mut [u8]) -> &[AtomicU8] {
    // SAFETY: AtomicU8 has the size, alignment and validity of u8, and the exclusive borrow lasts
    // as long as the result, so nothing else reads or writes the bytes meanwhile.
    unsafe { &*(std::ptr::from_mut(bytes) as *const [AtomicU8]) }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::{Duration, Instant};

    #[test]
    fn a_panic_of_one_thread_ends_the_work_of_the_others() {
        // The items do not end before the deadline.
        let deadline = Instant::now() + Duration::from_secs(300);
        let items = (0..).take_while(|_| Instant::now() < deadline);
        catch_unwind(AssertUnwindSafe(|| each(2, items, |item| assert_ne!(item, 5)))).expect_err("a panic");
        assert!(Instant::now() < deadline);
    }
}
