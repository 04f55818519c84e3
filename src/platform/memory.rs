//! Large zeroed tables and prefetching: the two things that need `unsafe` for speed.

#![allow(unsafe_code)]

use memmap2::MmapMut;
use std::marker::PhantomData;
use std::ops::Deref;

/// Types for which memory full of zeros is a valid value.
///
/// # Safety
/// The all-zero byte pattern has to be a valid value of the type, and the type must be neither zero-sized nor aligned more
/// strictly than a page.
pub(crate) unsafe trait Zeroable: Sized {}

/// A slice of zeroed values in pages of its own, large ones where the system has them: a table that is read here and there
/// needs few entries of the processor's page table then. They are taken from the system when they are first used.
pub(crate) struct Zeroed<T> {
    pages: MmapMut,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Zeroable> Zeroed<T> {
    /// So many values; `None` if the memory cannot be had.
    pub(crate) fn new(len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0)?;
        let pages = MmapMut::map_anon(bytes).ok()?;
        // Without large pages it works as well.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = pages.advise(memmap2::Advice::HugePage);
        Some(Self { pages, len, values: PhantomData })
    }

    /// Takes all pages from the system now, where it has them to spare: whoever uses them first does not wait then.
    pub(crate) fn populate(&self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        if spare_bytes().is_some_and(|spare| self.pages.len() <= spare) {
            // Older systems do not know it; they are taken one by one there.
            let _ = self.pages.advise(memmap2::Advice::PopulateWrite);
        }
    }
}

/// The memory that the system could grant without taking it from anybody.
#[cfg(all(target_os = "linux", not(miri)))]
fn spare_bytes() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let words = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: usize = words.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1 << 10)
}

impl<T: Zeroable> Deref for Zeroed<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the pages begin at a page, hold room for `len` values, belong to this value alone, and were full of zeros,
        // which `Zeroable` says is valid.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast(), self.len) }
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
        let words = Zeroed::<u64>::new(1000).unwrap();
        words.populate();
        assert!(words.iter().all(|&w| w == 0));
        prefetch(&words[999]);
        for too_many in [0, usize::MAX / 16, usize::MAX / 8, usize::MAX] {
            assert!(Zeroed::<u64>::new(too_many).is_none());
        }
    }
}
