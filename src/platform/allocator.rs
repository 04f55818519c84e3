//! The allocator of the program. Most code cannot do without the few bytes it asks for, and the process ends
//! if it does not get them. A reserve that is given back then keeps the program alive, so that it can answer.

#![allow(unsafe_code)]

use memmap2::MmapMut;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The bytes of the reserve: address space, which takes no memory until it is used.
const RESERVE: usize = 16 << 20;

/// The largest request that the reserve is given back for. Code that asks for more handles a refusal.
const LARGEST: usize = 1 << 20;

static HELD: Mutex<Option<MmapMut>> = Mutex::new(None);

/// True once the reserve has been taken: in a program without [`WithReserve`] nobody would give it back.
static IS_USED: AtomicBool = AtomicBool::new(false);

/// The system's allocator with a reserve.
#[derive(Debug)]
pub struct WithReserve;

/// Takes the reserve.
///
/// To be called once, before other threads start, by a program whose allocator is [`WithReserve`].
pub fn hold_reserve() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    use_one_arena();
    take_reserve();
    IS_USED.store(true, Ordering::Relaxed);
}

/// Makes all threads allocate from the same arena of the C library. With one for each thread, each new thread
/// would reserve 64 MiB of address space at a moment that nobody can foresee. The hot loops allocate nothing.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn use_one_arena() {
    use std::ffi::c_int;
    const M_ARENA_MAX: c_int = -8;
    unsafe extern "C" {
        fn mallopt(parameter: c_int, value: c_int) -> c_int;
    }
    // SAFETY: the function takes any numbers; this is its declaration in `malloc.h`. If it refuses them, each
    // thread has its own arena, as before.
    unsafe { mallopt(M_ARENA_MAX, 1) };
}

/// Takes the reserve again if it was given back and there is room for it.
pub(crate) fn renew_reserve() {
    if IS_USED.load(Ordering::Relaxed) {
        take_reserve();
    }
}

/// Takes the reserve if it is not held and there is room for it.
fn take_reserve() {
    if let Ok(mut held) = HELD.lock()
        && held.is_none()
    {
        *held = MmapMut::map_anon(RESERVE).ok();
    }
}

/// Gives the reserve back. Returns false if there is none. Allocates nothing.
fn give_back(request: usize) -> bool {
    // On some systems the first lock of a mutex allocates. Once the reserve is in use, that lock is past.
    request <= LARGEST
        && IS_USED.load(Ordering::Relaxed)
        && HELD.lock().is_ok_and(|mut held| held.take().is_some())
}

/// Calls `allocate`, and once more without the reserve if it fails.
#[inline(always)]
fn try_twice(size: usize, allocate: impl Fn() -> *mut u8) -> *mut u8 {
    let first = allocate();
    if first.is_null() && give_back(size) { allocate() } else { first }
}

// SAFETY: every call goes to the system's allocator with the same arguments; a second call follows only one
// that has failed, and so has changed nothing.
unsafe impl GlobalAlloc for WithReserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the conditions are those of the caller.
        try_twice(layout.size(), || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the conditions are those of the caller.
        try_twice(layout.size(), || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the conditions are those of the caller.
        try_twice(size, || unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the conditions are those of the caller.
        unsafe { System.dealloc(block, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::ptr::null_mut;

    #[test]
    fn the_reserve_is_given_back_once_and_for_small_requests_only() {
        let calls = Cell::new(0);
        let mut byte = 0u8;
        let block: *mut u8 = &mut byte;
        // Fails at first, as a system does that is out of memory.
        let allocate = || {
            calls.set(calls.get() + 1);
            if calls.get() == 1 { null_mut() } else { block }
        };
        let request = |size| {
            calls.set(0);
            !try_twice(size, allocate).is_null()
        };
        renew_reserve();
        assert!(!request(8), "nobody has taken the reserve");
        hold_reserve();
        assert!(!request(LARGEST + 1));
        assert!(request(8));
        assert!(!request(8), "it is gone");
        renew_reserve();
        assert!(request(LARGEST));
    }
}
