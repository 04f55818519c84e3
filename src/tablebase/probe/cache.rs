//! The page cache: decoded pages of tablebase files, shared by all threads.

use crate::platform::mixing::scatter;
use parking_lot::{Mutex, RwLock};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Decoded pages, shared by all threads. A page is in one of two places given by its number. A new page goes
/// into the first, or into the second if the latest replacement filled the first or the first was read since.
/// A place that another thread is filling counts as a miss.
pub(super) struct Cache {
    places: Vec<RwLock<CacheSlot>>,
    /// A lock for each two places. A thread holds it while it fills one of them, so that no other thread
    /// decodes the same page or replaces the other place. It waits for nothing but the readers of its place.
    filling: Vec<Mutex<()>>,
}

struct CacheSlot {
    /// File and page; `u64::MAX` while empty.
    key: u64,
    raw: Vec<u8>,
    used: AtomicBool,
}

impl Cache {
    /// Returns a cache of `bytes` for pages of up to `page_bytes`, with no more places than the files have
    /// pages.
    pub(super) fn new(bytes: usize, page_bytes: usize, pages: usize) -> Self {
        // Small pages need less than their places.
        let pairs = (bytes / (page_bytes + size_of::<RwLock<CacheSlot>>()) / 2).min(pages).max(1);
        let place =
            || RwLock::new(CacheSlot { key: u64::MAX, raw: Vec::new(), used: AtomicBool::new(false) });
        Self {
            places: (0..2 * pairs).map(|_| place()).collect(),
            filling: (0..pairs).map(|_| Mutex::new(())).collect(),
        }
    }

    /// Returns the two places of a page.
    fn places(&self, key: u64) -> (usize, usize) {
        let pair = (scatter(key) >> 32) as usize % (self.places.len() / 2);
        (2 * pair, 2 * pair + 1)
    }

    /// Reads from a cached page.
    #[inline]
    pub(super) fn read<T>(&self, key: u64, read: impl Fn(&[u8]) -> T) -> Option<T> {
        let (first, second) = self.places(key);
        for place in [first, second] {
            if let Some(place) = self.places[place].try_read()
                && place.key == key
            {
                place.used.store(true, Relaxed);
                return Some(read(&place.raw));
            }
        }
        None
    }

    /// Adds a page and returns the result of `fill`, which writes its content. If another thread has added it
    /// meanwhile, reads from it instead.
    pub(super) fn insert<T>(
        &self,
        key: u64,
        read: impl Fn(&[u8]) -> T,
        fill: impl FnOnce(&mut Vec<u8>) -> T,
    ) -> T {
        let (first, second) = self.places(key);
        let _filling = self.filling[first / 2].lock();
        if let Some(found) = self.read(key, read) {
            return found;
        }
        let first_used = self.places[first].try_read().is_none_or(|place| place.used.swap(false, Relaxed));
        let chosen = if first_used { second } else { first };
        let mut place = self.places[chosen].write();
        // Also if `fill` panics.
        place.key = u64::MAX;
        let filled = fill(&mut place.raw);
        place.key = key;
        place.used.store(true, Relaxed);
        filled
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicUsize;
    use std::time::Duration;

    #[test]
    fn a_page_that_several_threads_want_is_decoded_once_and_replaces_one_page() {
        const THREADS: usize = 8;
        for round in 0..10 {
            let cache = Cache::new(0, 1, 1);
            let (kept, wanted) = (round, 100 + round);
            cache.insert(kept, |_| (), |raw| raw.push(1));
            let (start, decoded) = (Barrier::new(THREADS), AtomicUsize::new(0));
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope.spawn(|| {
                        start.wait();
                        let decode = |raw: &mut Vec<u8>| {
                            decoded.fetch_add(1, Relaxed);
                            std::thread::sleep(Duration::from_millis(5));
                            raw.push(2);
                            2
                        };
                        let found = cache.read(wanted, |raw| raw[0]);
                        let found = found.unwrap_or_else(|| cache.insert(wanted, |raw| raw[0], decode));
                        assert_eq!(found, 2);
                    });
                }
            });
            assert_eq!(decoded.into_inner(), 1);
            assert_eq!(cache.read(kept, |raw| raw[0]), Some(1), "the other page stays");
        }
    }
}
