//! Memory: how much is left, and allocations that fail with an error. Large zeroed arrays and prefetching,
//! which need `unsafe` for speed.

#![allow(unsafe_code)]

use std::fmt;
use std::fs;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::Path;

/// Pages full of zeros. A `MmapMut` gives out slices only; this type gives out a pointer, through which all
/// threads may write to the same page.
#[cfg(not(target_arch = "wasm32"))]
type Pages = memmap2::MmapRaw;

/// Pages full of zeros. A browser gives memory that grows only.
#[cfg(target_arch = "wasm32")]
type Pages = Vec<Page>;

/// A page where the system has none.
#[cfg(target_arch = "wasm32")]
#[derive(Clone, Copy)]
#[repr(align(4096))]
struct Page([u8; 4096]);

/// Returns pages full of zeros for at least `bytes` bytes, large ones where the system has them.
#[cfg(not(target_arch = "wasm32"))]
fn new_pages(bytes: usize) -> Option<Pages> {
    let pages = Pages::from(memmap2::MmapMut::map_anon(bytes).ok()?);
    // Without large pages it works as well.
    #[cfg(all(target_os = "linux", not(miri)))]
    let _ = pages.advise(memmap2::Advice::HugePage);
    Some(pages)
}

/// Returns pages full of zeros for at least `bytes` bytes.
#[cfg(target_arch = "wasm32")]
fn new_pages(bytes: usize) -> Option<Pages> {
    let (mut pages, count) = (Vec::new(), bytes.div_ceil(size_of::<Page>()));
    pages.try_reserve_exact(count).ok()?;
    pages.resize(count, Page([0; 4096]));
    Some(pages)
}

/// Types for which memory full of zeros is a valid value.
///
/// # Safety
/// The all-zero byte pattern has to be a valid value of the type, and the type must be neither zero-sized nor
/// aligned more strictly than a page.
pub(crate) unsafe trait Zeroable: Sized {}

/// The size in bytes of the blocks in which memory is cleared.
pub(crate) const BLOCK: usize = 512;

/// A slice of zeroed values in pages of its own, large ones if the system has them: random access then causes
/// fewer TLB misses. The system provides each page when it is first used.
pub(crate) struct Zeroed<T> {
    pages: Pages,
    len: usize,
    values: PhantomData<T>,
}

/// The reason why memory is not available.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryError {
    /// The system refuses to allocate it.
    Refused,
    /// It exceeds what the machine, or the control group of the process, has left.
    Short {
        /// The bytes that are available.
        available: u64,
    },
}

impl fmt::Display for MemoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused => f.write_str("the system refuses it"),
            Self::Short { available } => write!(f, "{} MiB are available", available >> 20),
        }
    }
}

impl std::error::Error for MemoryError {}

impl<T: Zeroable> Zeroed<T> {
    /// Returns `len` values. `freed` is the size in bytes of what the caller frees for them.
    ///
    /// # Errors
    /// If the memory is not available.
    pub(crate) fn new(len: usize, freed: u64) -> Result<Self, MemoryError> {
        let bytes = len.checked_mul(size_of::<T>()).filter(|&bytes| bytes > 0);
        let bytes = bytes.ok_or(MemoryError::Refused)?;
        check_available(bytes as u64, freed)?;
        let pages = new_pages(bytes).ok_or(MemoryError::Refused)?;
        Ok(Self { pages, len, values: PhantomData })
    }

    /// Sets the values in these blocks of [`BLOCK`] bytes to zero, and perhaps others.
    pub(crate) fn clear(&mut self, blocks: impl Iterator<Item = usize>) {
        // The compiler does not know this zero, so it writes vectors. Otherwise it would call the function of
        // the C library, whose one instruction for large areas `valgrind` counts once for each byte.
        #[cfg(not(target_arch = "wasm32"))]
        {
            let zero = std::hint::black_box([0; 8]);
            // SAFETY: the pages belong to this value alone, which is borrowed mutably, and all bytes are set.
            let bytes = unsafe { std::slice::from_raw_parts_mut(self.pages.as_mut_ptr(), self.pages.len()) };
            let (words, rest) = bytes.as_chunks_mut();
            let (whole, others): (&mut [[_; BLOCK / 8]], _) = words.as_chunks_mut();
            for block in blocks {
                if let Some(block) = whole.get_mut(block) {
                    *block = [zero; BLOCK / 8];
                }
            }
            others.fill(zero);
            rest.fill(0);
        }
        #[cfg(target_arch = "wasm32")]
        for block in blocks {
            let start = block * BLOCK;
            self.pages[start / 4096].0[start % 4096..][..BLOCK].fill(0);
        }
    }

    /// Allocates all pages now, so that the first access does not wait for page faults. Returns false if
    /// there is not enough memory.
    pub(crate) fn populate(&self) -> bool {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            if check_available(self.pages.len() as u64, 0).is_err() {
                return false;
            }
            // Older systems do not support this; there the pages are touched one by one.
            let _ = self.pages.advise(memmap2::Advice::PopulateWrite);
        }
        true
    }
}

/// Returns `bytes`, or half of the available memory if that is less: for caches and trees, which can be
/// smaller.
pub(crate) fn half_available(bytes: usize) -> usize {
    available_bytes().map_or(bytes, |available| bytes.min(usize::try_from(available / 2).unwrap_or(bytes)))
}

/// The bytes that a check reserves for the rest of the program: threads, small caches, page tables.
const RESERVE: u64 = 16 << 20;

/// Checks that the machine and the control groups of the process have this much memory and some more, once
/// `freed` bytes are given back. If the system reports nothing, the check passes.
///
/// # Errors
/// If there is less: the system would kill the process once it uses the memory.
pub(crate) fn check_available(bytes: u64, freed: u64) -> Result<(), MemoryError> {
    check_left(available_bytes().map(|available| available.saturating_add(freed)), bytes)
}

/// Checks that `bytes` and the reserve fit into what is left; `None` passes.
fn check_left(left: Option<u64>, bytes: u64) -> Result<(), MemoryError> {
    match left {
        Some(left) if left < bytes.saturating_add(RESERVE) => {
            Err(MemoryError::Short { available: left.saturating_sub(RESERVE) })
        }
        _ => Ok(()),
    }
}

/// Returns the bytes of memory that are available, if the system reports them: those free without swapping,
/// or what the control groups and the limits of the process have left if that is less.
pub(crate) fn available_bytes() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let free = bytes_in(&read("/proc/meminfo"), "MemAvailable:");
    let left = left_in_groups(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    free.into_iter().chain(left).chain(address_space()).min()
}

/// Returns the bytes of a field of such a file as `/proc/meminfo`, which counts them in KiB.
fn bytes_in(text: &str, field: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// Checks that this process has so many bytes of address space left, and some more, where that is limited
/// (`ulimit -v`). Stacks need address space, but take memory only as far as they are used.
///
/// # Errors
/// If there are less.
pub(crate) fn check_address_space(bytes: u64) -> Result<(), MemoryError> {
    check_left(address_space(), bytes)
}

/// Returns the bytes that limits of address space and of data (`ulimit -v` and `-d`) leave to this process,
/// if it has such a limit and the system reports the use.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn address_space() -> Option<u64> {
    use rlimit::Resource;
    let limits = [(Resource::AS, "VmSize:"), (Resource::DATA, "VmData:")];
    let limits = limits.map(|(resource, field)| (resource.get_soft().unwrap_or(rlimit::INFINITY), field));
    if limits.iter().all(|&(limit, _)| limit == rlimit::INFINITY) {
        return None;
    }
    let status = fs::read_to_string("/proc/self/status").ok()?;
    left_of_limits(&limits, &status)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn address_space() -> Option<u64> {
    None
}

/// Returns the least that `limits` leave, each in bytes and with the field of `/proc/self/status` that tells
/// what is in use.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn left_of_limits(limits: &[(u64, &str)], status: &str) -> Option<u64> {
    limits.iter().filter_map(|&(limit, field)| Some(limit.saturating_sub(bytes_in(status, field)?))).min()
}

/// Returns an array of copies of a value, made without using the stack.
///
/// # Errors
/// If the system refuses the memory.
pub(crate) fn boxed<T: Clone, const N: usize>(value: T) -> Result<Box<[T; N]>, MemoryError> {
    let mut copies = Vec::new();
    copies.try_reserve_exact(N).map_err(|_| MemoryError::Refused)?;
    copies.resize(N, value);
    let copies = copies.into_boxed_slice();
    Ok(copies.try_into().unwrap_or_else(|_| unreachable!("the number of copies is the length")))
}

/// The file names of one version of the control groups.
struct GroupNames {
    /// The file with the limit in bytes; it does not hold a number if there is none.
    limit: &'static str,
    /// The file with the bytes in use.
    usage: &'static str,
    /// The fields of `memory.stat` with cached bytes of files, which the system takes back as needed.
    cached: [&'static str; 2],
}

const VERSION_1: GroupNames = GroupNames {
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: ["total_inactive_file", "total_active_file"],
};
const VERSION_2: GroupNames =
    GroupNames { limit: "memory.max", usage: "memory.current", cached: ["inactive_file", "active_file"] };

/// Returns the minimum memory that is left in any control group of `groups` or any group above them, below
/// `root`. `groups` has the form of `/proc/self/cgroup`; versions 1 and 2 of the interface are read.
fn left_in_groups(groups: &str, root: &Path) -> Option<u64> {
    let left = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, group) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        let (root, names) = match controllers {
            "" => (root.to_owned(), &VERSION_2),
            _ => (root.join(controllers), &VERSION_1),
        };
        // In a container the path may be the one outside; the folder at the root is then the container's own.
        let group = Path::new(group.trim_start_matches('/')).to_owned();
        group.ancestors().map(|group| left_in(&root.join(group), names)).collect::<Vec<_>>()
    });
    left.flatten().min()
}

/// Returns the bytes that a control group has left, if it has a limit.
fn left_in(folder: &Path, names: &GroupNames) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let limit: u64 = read(names.limit).trim().parse().ok()?;
    let used: u64 = read(names.usage).trim().parse().unwrap_or(0);
    let stat = read("memory.stat");
    let fields = stat.lines().filter_map(|line| line.split_once(' '));
    let cached = fields.filter(|(name, _)| names.cached.contains(name));
    let cached: u64 = cached.filter_map(|(_, bytes)| bytes.trim().parse::<u64>().ok()).sum();
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

impl<T: Zeroable> Deref for Zeroed<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the pages begin at a page, hold room for `len` values, belong to this value alone, and were
        // full of zeros, which `Zeroable` promises to be valid. The pointer comes from no shared slice, so
        // atomic values may be written through it.
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
        let mut words = Zeroed::<u64>::new(1000, 0).unwrap();
        words.populate();
        assert!(words.iter().all(|&w| w == 0));
        words.clear(0..words.len().div_ceil(BLOCK / 8));
        assert!(words.iter().all(|&w| w == 0));
        prefetch(&words[999]);
        for too_many in [0, usize::MAX / 16, usize::MAX / 8, usize::MAX] {
            assert!(Zeroed::<u64>::new(too_many, 0).is_err());
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn what_is_available_is_what_the_groups_around_the_process_have_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let set = |group: &str, name: &str, text: &str| {
            fs::create_dir_all(root.join(group)).expect("a folder");
            fs::write(root.join(group).join(name), text).expect("a file");
        };
        set("a/b", "memory.max", "max\n");
        set("a", "memory.max", "3000\n");
        assert_eq!(left_in_groups("0::/a/b\n", root), Some(3000), "the group above has a limit");
        set("a", "memory.current", "2500\n");
        assert_eq!(left_in_groups("0::/a/b\n", root), Some(500));
        set("a", "memory.stat", "anon 1800\nfile 700\ninactive_file 300\nactive_file 400\n");
        assert_eq!(left_in_groups("0::/a/b\n", root), Some(1200), "the system takes back cached files");
        set("a/b", "memory.max", "1000\n");
        set("a/b", "memory.current", "1001\n");
        assert_eq!(left_in_groups("0::/a/b\n", root), Some(0));
        assert_eq!(left_in_groups("0::/c\n", root), None);
        set("memory/job", "memory.limit_in_bytes", "2000\n");
        set("memory/job", "memory.usage_in_bytes", "600\n");
        set("memory/job", "memory.stat", "inactive_file 1\ntotal_inactive_file 50\ntotal_active_file 50\n");
        set("memory", "memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(left_in_groups("5:memory:/job\n4:cpu:/\n0::/\n", root), Some(1500));
        assert_eq!(left_in_groups("5:memory:/seen/from/outside\n", root), Some(9_223_372_036_854_771_712));
        set("", "memory.max", "70\n");
        assert_eq!(left_in_groups("0::/\n", root), Some(70), "the root of a container");
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn limits_of_the_process_leave_what_it_does_not_use() {
        let status = "Name:\tmillstone\nVmSize:\t  100 kB\nVmData:\t  30 kB\n";
        let left = |space, data| left_of_limits(&[(space, "VmSize:"), (data, "VmData:")], status);
        assert_eq!(left(300 << 10, u64::MAX), Some(200 << 10));
        assert_eq!(left(u64::MAX, 40 << 10), Some(10 << 10));
        assert_eq!(left(90 << 10, 40 << 10), Some(0));
        assert_eq!(left_of_limits(&[(5, "VmSize:")], ""), None);
    }

    #[test]
    fn copies_are_made_or_refused() {
        assert_eq!(boxed(7u8), Ok(Box::new([7; 3])));
        // A 32-bit system may grant the largest array that the compiler takes.
        #[cfg(target_pointer_width = "64")]
        assert_eq!(boxed::<u64, { usize::MAX / 64 }>(0), Err(MemoryError::Refused));
    }

    #[test]
    fn what_is_given_back_counts_as_available() {
        let Some(available) = available_bytes() else {
            eprintln!("SKIPPED: the system does not report its memory");
            return;
        };
        // Other processes take and free memory meanwhile.
        assert_eq!(check_available(available / 2, 0), Ok(()));
        assert!(matches!(check_available(2 * available, 0), Err(MemoryError::Short { .. })));
        assert_eq!(check_available(2 * available, 2 * available), Ok(()));
    }
}
