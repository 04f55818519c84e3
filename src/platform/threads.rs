//! Starts threads. A thread that cannot get its memory while it starts ends the process: neither the Rust
//! runtime nor the C library can report it. So nothing is started unless all of that memory can be had.

use std::io;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
#[cfg(not(target_arch = "wasm32"))]
use std::thread::JoinHandle;
use std::thread::{Builder, Scope, ScopedJoinHandle};

/// The stack of a thread that does not ask for another one, in bytes; as in the standard library.
pub(crate) const STACK_SIZE: usize = 2 << 20;

/// The bytes that must be left besides the stack: for the guard page, the stack of signal handlers, the
/// values of the thread, and the block of 1 MiB by which the heap grows at the end of the address space.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
const OVERHEAD: usize = 4 << 20;

/// Held while a thread starts, so that no other thread starts on the memory that was checked for this one.
static STARTING: Mutex<()> = Mutex::new(());

/// Tells, when it is dropped, that the thread has started.
struct Starting(#[expect(dead_code, reason = "it is dropped")] Sender<()>);

/// Starts a thread, and returns once it runs.
///
/// # Errors
/// If the system refuses the thread, or there is no memory for it.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn spawn(
    name: &str,
    stack_size: usize,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let builder = Builder::new().name(name.to_owned()).stack_size(stack_size);
    start(stack_size, |starting| {
        builder.spawn(move || {
            drop(starting);
            work();
        })
    })
}

/// Starts a thread in a scope, and returns once it runs.
///
/// # Errors
/// If the system refuses the thread, or there is no memory for it.
pub(crate) fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    let builder = Builder::new().stack_size(STACK_SIZE);
    start(STACK_SIZE, |starting| {
        builder.spawn_scoped(scope, move || {
            drop(starting);
            work()
        })
    })
}

/// Starts up to `count` threads in a scope, fewer if the system starts no more.
///
/// # Errors
/// If not even one can be started.
#[cfg(feature = "cli")]
pub(crate) fn spawn_several<'scope, W: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    count: usize,
    mut worker: impl FnMut() -> W,
) -> io::Result<()> {
    for number in 0..count {
        if let Err(error) = spawn_scoped(scope, worker()) {
            return if number == 0 { Err(error) } else { Ok(()) };
        }
    }
    Ok(())
}

/// Checks that there is memory for a thread, and waits until the one that `spawn` starts has begun.
fn start<T>(stack_size: usize, spawn: impl FnOnce(Starting) -> io::Result<T>) -> io::Result<T> {
    // A panic of another thread with the lock held would change nothing.
    let _one_by_one = STARTING.lock();
    check_room(stack_size)?;
    let (sender, started) = channel();
    let thread = spawn(Starting(sender))?;
    // Nothing is ever sent: the channel closes.
    let _ = started.recv();
    Ok(thread)
}

/// Checks that a stack of this size and what else a thread needs can be mapped, and gives it back.
fn check_room(stack_size: usize) -> io::Result<()> {
    #[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
    drop(memmap2::MmapMut::map_anon(stack_size.saturating_add(OVERHEAD))?);
    let _ = stack_size;
    Ok(())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    #[cfg(feature = "cli")]
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn threads_run_their_work_and_a_stack_beyond_the_address_space_is_refused() {
        let thread = spawn("worker", STACK_SIZE, || {
            assert_eq!(std::thread::current().name(), Some("worker"));
        });
        assert!(thread.expect("a thread").join().is_ok());
        if cfg!(all(target_os = "linux", not(miri))) {
            assert!(spawn("giant", usize::MAX / 4, || {}).is_err());
        }
        let five = std::thread::scope(|scope| {
            let other = spawn_scoped(scope, || 5).expect("a thread");
            other.join().expect("it ends")
        });
        assert_eq!(five, 5);
    }

    #[cfg(feature = "cli")]
    #[test]
    fn every_thread_works() {
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let work = || _ = done.fetch_add(1, Ordering::Relaxed);
            spawn_several(scope, 3, || work).expect("threads");
        });
        assert_eq!(done.into_inner(), 3);
    }
}
