//! Large zeroed tables and prefetching: the two things that need `unsafe` for speed.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed};

/// Types for which memory full of zeros is a valid value.
///
/// # Safety
/// The all-zero byte pattern has to be a valid value of the type, and the type must not be zero-sized.
pub(crate) unsafe trait Zeroable: Sized {}

/// A slice of `len` zeroed values, taken from the system lazily; `None` if it cannot be had.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Option<Box<[T]>> {
    let layout = Layout::array::<T>(len).ok()?;
    if layout.size() == 0 {
        return None;
    }
    // SAFETY: the size is not zero. A non-null result is `len` zeroed and so, by `Zeroable`, valid values in one
    // allocation of exactly the layout that `Box<[T]>` frees.
    unsafe {
        let start = alloc_zeroed(layout).cast::<T>();
        if start.is_null() {
            return None;
        }
        Some(Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)))
    }
}

/// Asks the processor to have the cache line of `value` at hand soon.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    // SAFETY: prefetching has no effect on memory, and the address comes from a reference.
    #[cfg(target_arch = "x86_64")]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: zero is a valid number.
    unsafe impl Zeroable for u64 {}

    #[test]
    fn memory_comes_zeroed_or_not_at_all() {
        let words = zeroed::<u64>(1000).unwrap();
        assert!(words.iter().all(|&w| w == 0));
        prefetch(&words[999]);
        assert!(zeroed::<u64>(0).is_none());
        assert!(zeroed::<u64>(usize::MAX / 8).is_none());
        // An allocation that nobody looks at may be optimised away, and then it succeeds.
        assert!(std::hint::black_box(zeroed::<u64>(usize::MAX / 16)).is_none());
    }
}
