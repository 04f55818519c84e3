//! The page cache: decoded pages of tablebase files, shared by all threads.

use crate::platform::mixing::scatter;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Decoded pages, shared by all threads. A page is in one of two places given by its number; a new page
/// replaces the less recently used of the two. A place that another thread is filling counts as a miss.
pub(super) struct Cache {
    places: Vec<RwLock<CacheSlot>>,
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
        Self { places: (0..2 * pairs).map(|_| place()).collect() }
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
            if let Ok(place) = self.places[place].try_read()
                && place.key == key
            {
                place.used.store(true, Relaxed);
                return Some(read(&place.raw));
            }
        }
        None
    }

    /// Adds a page and returns the result of `fill`, which writes its content.
    pub(super) fn insert<T>(&self, key: u64, fill: impl FnOnce(&mut Vec<u8>) -> T) -> Option<T> {
        let (first, second) = self.places(key);
        let first_used = self.places[first].try_read().map_or(true, |place| place.used.swap(false, Relaxed));
        let chosen = if first_used { second } else { first };
        let mut place = self.places[chosen].write().ok()?;
        place.key = u64::MAX;
        let filled = fill(&mut place.raw);
        place.key = key;
        place.used.store(true, Relaxed);
        Some(filled)
    }
}
