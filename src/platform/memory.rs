//! Large zeroed arrays and prefetching: the two things that need `unsafe` for speed.

#![allow(unsafe_code)]

use memmap2::MmapMut;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::Path;

/// Types for which memory full of zeros is a valid value.
///
/// # Safety
/// The all-zero byte pattern has to be a valid value of the type, and the type must be neither zero-sized nor
/// aligned more strictly than a page.
pub(crate) unsafe trait Zeroable: Sized {}

/// A slice of zeroed values in pages of its own, large ones where the system has them: a table that is read
/// here and there needs few entries of the processor's page table then. They are taken from the system when
/// they are first used.
pub(crate) struct Zeroed<T> {
    pages: MmapMut,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Zeroable> Zeroed<T> {
    /// Returns `len` values, or `None` if the memory is not available.
    pub(crate) fn new(len: usize) -> Option<Self> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0)?;
        let pages = MmapMut::map_anon(bytes).ok()?;
        // Without large pages it works as well.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = pages.advise(memmap2::Advice::HugePage);
        Some(Self { pages, len, values: PhantomData })
    }

    /// Takes all pages from the system now, where it has them to spare: whoever uses them first does not wait
    /// then.
    pub(crate) fn populate(&self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        if available_bytes().is_some_and(|free| self.pages.len() as u64 <= free) {
            // Older systems do not know it; they are taken one by one there.
            let _ = self.pages.advise(memmap2::Advice::PopulateWrite);
        }
    }
}

/// Returns the bytes of memory that are available, if the system reports them: those free
/// without swapping, or the limit of the control groups of the process if that is less.
pub(crate) fn available_bytes() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let text = read("/proc/meminfo");
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let free = kib.map(|kib| kib << 10);
    let limit = group_limit(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    free.into_iter().chain(limit).min()
}

/// Returns the smallest memory limit of the control groups that `groups` names below `root`: those of the
/// process and all above them. `groups` has the form of `/proc/self/cgroup`; versions 1 and 2 of the
/// interface are read.
fn group_limit(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let (root, name) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ => (root.join(controllers), "memory.limit_in_bytes"),
        };
        // In a container the path may be the one outside; the folder at the root is then the container's own.
        let group = Path::new(group.trim_start_matches('/')).to_owned();
        group.ancestors().map(|group| root.join(group).join(name)).collect::<Vec<_>>()
    });
    limits.filter_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok()).min()
}

impl<T: Zeroable> Deref for Zeroed<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the pages begin at a page, hold room for `len` values, belong to this value alone, and were
        // full of zeros, which `Zeroable` promises to be valid.
        unsafe { std::slice::from_raw_parts(self.pages.as_ptr().cast(), self.len) }
    }
}

/// Prefetches the cache line of `value`.
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

    #[test]
    fn memory_is_that_of_the_smallest_group_around_the_process() {
        let root = std::env::temp_dir().join(format!("millstone-groups-{}", std::process::id()));
        let set = |group: &str, name: &str, limit: &str| {
            std::fs::create_dir_all(root.join(group)).expect("a folder");
            std::fs::write(root.join(group).join(name), limit).expect("a file");
        };
        set("a/b", "memory.max", "max\n");
        set("a", "memory.max", "3000\n");
        set("memory/job", "memory.limit_in_bytes", "2000\n");
        set("memory", "memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(group_limit("0::/a/b\n", &root), Some(3000));
        assert_eq!(group_limit("5:memory:/job\n4:cpu:/\n0::/\n", &root), Some(2000));
        assert_eq!(group_limit("5:memory:/seen/from/outside\n", &root), Some(9_223_372_036_854_771_712));
        assert_eq!(group_limit("0::/c\n", &root), None);
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
