//! The transposition table, shared by all threads without locks. Uses `params`, `types` and `platform`.
//!
//! A slot is two words: the entry, and the exclusive or of entry and key. A slot that two threads write at
//! once reads as a miss (Hyatt and Mann, "A lock-less transposition table implementation for parallel
//! search", 2002).

use crate::params::{tt_age_weight, tt_depth_margin};
#[cfg(not(loom))]
use crate::platform::memory::Zeroable;
use crate::platform::memory::{self, MemoryError};
use crate::platform::sync::{Arc, AtomicBool, AtomicU64, Ordering};
use crate::types::{Bound, Depth, Move, VALUE_EVAL_MAX, Value, is_loss, is_win};
use std::fmt;

/// An entry of the transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TtEntry {
    /// The best move, or [`Move::NONE`].
    pub best: Move,
    /// The value. The distance of a win or loss counts from the position itself, see `value_from_tt`.
    pub value: Value,
    /// The evaluation of the position, before a style changes it.
    pub eval: Option<Value>,
    /// The depth of the search.
    pub depth: Depth,
    /// The kind of the value.
    pub bound: Bound,
}

/// Stands for no evaluation.
const NO_EVAL: i16 = i16::MIN;
/// The bits of a packed entry that hold the move.
const MOVE: u64 = 0xffff;
/// Added to depths, so that they fit an unsigned byte.
const DEPTH_OFFSET: Depth = 8;
/// The number of generations: the generation of a search wraps around.
const GENERATIONS: u64 = 64;

impl TtEntry {
    /// Packs the entry: bits 0–15 move, 16–31 value, 32–47 evaluation, 48–55 depth, 56–57 bound, 58–63
    /// generation.
    #[inline(always)]
    fn pack(self, generation: u64) -> u64 {
        let depth = self.depth + DEPTH_OFFSET;
        debug_assert!((0..256).contains(&depth), "{depth}");
        u64::from(self.best.bits())
            | u64::from(self.value as i16 as u16) << 16
            | u64::from(self.eval.map_or(NO_EVAL, |eval| eval as i16) as u16) << 32
            | u64::from(depth as u8) << 48
            | (self.bound as u64) << 56
            | generation << 58
    }

    #[inline(always)]
    fn unpack(data: u64) -> Self {
        Self {
            // The checksum vouches for the move.
            best: Move::from_bits_unchecked(data as u16),
            value: Value::from((data >> 16) as i16),
            eval: Some((data >> 32) as i16).filter(|&eval| eval != NO_EVAL).map(Value::from),
            depth: depth_of(data),
            bound: Bound::from_bits((data >> 56) as u8),
        }
    }
}

fn depth_of(data: u64) -> Depth {
    Depth::from((data >> 48) as u8) - DEPTH_OFFSET
}

/// Converts a value of the search for storing. The distance of a mate, or of a tablebase win on the way to
/// one, counts from the root in the search and from the position itself in the transposition table; `turns`
/// is the number of changes of side between the two.
#[inline(always)]
pub(crate) fn value_to_tt(value: Value, turns: i32) -> Value {
    if value > VALUE_EVAL_MAX {
        value + turns
    } else if value < -VALUE_EVAL_MAX {
        value - turns
    } else {
        value
    }
}

/// The inverse of [`value_to_tt`].
#[inline(always)]
pub(crate) fn value_from_tt(value: Value, turns: i32) -> Value {
    // A win from far away stays one.
    if value > VALUE_EVAL_MAX {
        (value - turns).max(VALUE_EVAL_MAX + 1)
    } else if value < -VALUE_EVAL_MAX {
        (value + turns).min(-VALUE_EVAL_MAX - 1)
    } else {
        value
    }
}

struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Slot>() == 16);

impl Slot {
    /// Returns the entry if it is one of this key, 0 from an empty slot.
    #[inline(always)]
    fn load(&self, key: u64) -> Option<u64> {
        let data = self.data.load(Ordering::Relaxed);
        let check = self.check.load(Ordering::Relaxed);
        (check ^ data == key).then_some(data)
    }

    #[inline(always)]
    fn store(&self, key: u64, data: u64) {
        self.check.store(key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

/// The slots that share an index: one cache line.
type Bucket = [Slot; 4];

const CACHE_LINE: usize = 64;

#[cfg(not(loom))]
const _: () = assert!(size_of::<Bucket>() == CACHE_LINE);

#[cfg(not(loom))]
// SAFETY: a bucket is made of atomic words, for which zero is a valid value, and is 64 bytes long, aligned to
// 8.
#[allow(unsafe_code)]
unsafe impl Zeroable for Bucket {}

#[cfg(not(loom))]
type Buckets = memory::Zeroed<Bucket>;
#[cfg(loom)]
type Buckets = Box<[Bucket]>;

/// Allocates empty buckets. The first is aligned to a page, and so all to cache lines. `freed` is the size in
/// bytes of the table that they replace.
#[cfg(not(loom))]
fn allocate(mib: usize, freed: u64) -> Result<Buckets, MemoryError> {
    Buckets::new(mib.saturating_mul((1 << 20) / CACHE_LINE), freed)
}

/// In the model there is one bucket for all keys.
#[cfg(loom)]
fn allocate(_: usize, _: u64) -> Result<Buckets, MemoryError> {
    let slot = || Slot { check: AtomicU64::new(0), data: AtomicU64::new(0) };
    Ok([[slot(), slot(), slot(), slot()]].into())
}

/// The error of [`TranspositionTable::new`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TtError {
    /// The memory is not available.
    OutOfMemory {
        /// The size of the table in MiB.
        mib: usize,
        /// The reason.
        cause: MemoryError,
    },
}

impl fmt::Display for TtError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::OutOfMemory { mib, cause } = self;
        write!(f, "{mib} MiB of memory for the transposition table cannot be had: {cause}")
    }
}

impl std::error::Error for TtError {}

/// The transposition table.
pub struct TranspositionTable {
    buckets: Buckets,
    /// A bit for each block of memory that may hold entries: only these are cleared.
    #[cfg(not(loom))]
    used: Box<[AtomicU64]>,
    generation: AtomicU64,
    /// True if there was a search since the table was empty.
    is_used: AtomicBool,
    /// True once all pages are allocated.
    is_populated: AtomicBool,
}

impl TranspositionTable {
    /// Returns an empty table of `mib` MiB, at least 1.
    ///
    /// # Errors
    /// If the memory is not available.
    pub fn new(mib: usize) -> Result<Self, TtError> {
        Self::allocated(mib, 0)
    }

    /// Returns an empty table of `mib` MiB that replaces this one.
    ///
    /// Drop this table before you use the new one: there may be no memory for both.
    ///
    /// # Errors
    /// If the memory is not available even when this table is freed.
    pub fn resized(&self, mib: usize) -> Result<Self, TtError> {
        let is_taken = self.is_used.load(Ordering::Relaxed) || self.is_populated.load(Ordering::Relaxed);
        Self::allocated(mib, if is_taken { (self.size_mib() as u64) << 20 } else { 0 })
    }

    fn allocated(mib: usize, freed: u64) -> Result<Self, TtError> {
        let buckets = allocate(mib.max(1), freed).map_err(|cause| TtError::OutOfMemory { mib, cause })?;
        #[cfg(not(loom))]
        let used = std::iter::repeat_with(|| AtomicU64::new(0));
        Ok(Self {
            #[cfg(not(loom))]
            used: used.take((buckets.len() * CACHE_LINE).div_ceil(64 * memory::BLOCK)).collect(),
            buckets,
            generation: AtomicU64::new(1),
            is_used: AtomicBool::new(false),
            is_populated: AtomicBool::new(false),
        })
    }

    /// Touches the memory, so that the first search does not wait for page faults with its clock running.
    ///
    /// Does nothing if memory is short; the next call tries again.
    pub fn populate(&self) {
        #[cfg(not(loom))]
        if !self.is_populated.load(Ordering::Relaxed) && self.buckets.populate() {
            self.is_populated.store(true, Ordering::Relaxed);
        }
    }

    /// The size in MiB.
    pub fn size_mib(&self) -> usize {
        (self.buckets.len() * CACHE_LINE) >> 20
    }

    /// Empties the table. No search may be running.
    pub fn clear(&self) {
        if self.begin_clear() {
            for slot in self.buckets.iter().flatten() {
                slot.check.store(0, Ordering::Relaxed);
                slot.data.store(0, Ordering::Relaxed);
            }
        }
    }

    /// As [`TranspositionTable::clear`], but faster if nobody else holds the table.
    pub(crate) fn clear_shared(table: &mut Arc<Self>) {
        #[cfg(not(loom))]
        if let Some(alone) = Arc::get_mut(table) {
            if alone.begin_clear() {
                let blocks = alone.used.iter_mut().enumerate().flat_map(|(index, word)| {
                    let mut bits = std::mem::take(word.get_mut());
                    std::iter::from_fn(move || {
                        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                        bits &= bits - 1;
                        Some(64 * index + bit)
                    })
                });
                alone.buckets.clear(blocks);
            }
            return;
        }
        table.clear();
    }

    /// Returns true if there are entries to remove, and resets the rest.
    fn begin_clear(&self) -> bool {
        // An unused table is full of zeros already, and its pages may not be allocated yet.
        let is_used = self.is_used.swap(false, Ordering::Relaxed);
        if is_used {
            self.generation.store(1, Ordering::Relaxed);
        }
        is_used
    }

    /// Begins a new search. From now on, entries of earlier searches are replaced first.
    pub fn new_search(&self) {
        let generation = self.generation.load(Ordering::Relaxed);
        self.generation.store((generation + 1) % GENERATIONS, Ordering::Relaxed);
        self.is_used.store(true, Ordering::Relaxed);
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[scaled(key, self.buckets.len())]
    }

    /// Prefetches the slots of a key.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        memory::prefetch(&self.bucket(key)[0]);
    }

    /// Returns the entry of a key.
    #[inline(always)]
    pub fn probe(&self, key: u64) -> Option<TtEntry> {
        let found = self.bucket(key).iter().find_map(|slot| slot.load(key));
        // An empty slot looks like an entry of key 0.
        found.filter(|&data| data != 0).map(TtEntry::unpack)
    }

    /// Stores a result of the current search, the one that [`TranspositionTable::new_search`] began last.
    ///
    /// It replaces the entry of the same key, unless that is of the current search and much deeper, and the
    /// new value is not exact. Without such an entry it replaces the shallowest of the bucket, where old
    /// entries count as shallower. Entries of the experience are stored before the search begins, so they
    /// count as old.
    #[inline(always)]
    pub fn store(&self, key: u64, entry: TtEntry) {
        self.store_packed(key, entry.pack(0));
    }

    /// [`TranspositionTable::store`] for an entry that is packed with generation 0.
    fn store_packed(&self, key: u64, mut entry: u64) {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut victim = (Depth::MAX, 0);
        let index = scaled(key, self.buckets.len());
        let bucket = &self.buckets[index];
        for (place, slot) in bucket.iter().enumerate() {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) ^ data == key && data != 0 {
                let is_exact = Bound::from_bits((entry >> 56) as u8) == Bound::Exact;
                let deeper = is_exact || depth_of(entry) + tt_depth_margin() > depth_of(data);
                if !deeper && data >> 58 == generation {
                    return;
                }
                if entry & MOVE == u64::from(Move::NONE.bits()) {
                    entry |= data & MOVE;
                }
                victim.1 = place;
                break;
            }
            // Empty slots come last.
            if data == 0 {
                #[cfg(not(loom))]
                self.note_use(index);
                victim.1 = place;
                break;
            }
            let age = (generation + GENERATIONS - (data >> 58)) % GENERATIONS;
            let value = depth_of(data) - tt_age_weight() * age as Depth;
            if value < victim.0 {
                victim = (value, place);
            }
        }
        bucket[victim.1].store(key, entry | generation << 58);
    }

    /// Marks the block of a bucket as used.
    #[cfg(not(loom))]
    #[inline(always)]
    fn note_use(&self, bucket: usize) {
        let block = bucket * CACHE_LINE / memory::BLOCK;
        let (word, bit) = (&self.used[block / 64], 1 << (block % 64));
        // Most blocks are used already: other threads keep their copy of the word.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Returns the share of slots with entries of the current search, per mille.
    ///
    /// It is estimated from the first 1000 slots.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed);
        let used = self.buckets.iter().flatten().take(1_000).filter(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            data != 0 && data >> 58 == generation
        });
        used.count() as u32
    }

    /// Returns [`TranspositionTable::hashfull`] for a search of so many nodes, which store one entry each at
    /// most.
    pub(crate) fn hashfull_after(&self, nodes: u64) -> u32 {
        if nodes < 4 * self.buckets.len() as u64 / 1_000 { 0 } else { self.hashfull() }
    }
}

/// Returns true if a stored value of this bound is enough to cut off a node with this window.
#[inline(always)]
pub(crate) fn cuts(value: Value, bound: Bound, alpha: Value, beta: Value) -> bool {
    bound == Bound::Exact || bound.is_lower() & (value >= beta) | bound.is_upper() & (value <= alpha)
}

/// Returns true if a stored value is a proven win or loss, which no deeper search can change.
#[inline(always)]
pub(crate) fn is_proof(value: Value, bound: Bound) -> bool {
    is_win(value) && bound.is_lower() || is_loss(value) && bound.is_upper()
}

/// Maps a key evenly to the numbers below `count`: the upper half of their product.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
fn scaled(key: u64, count: usize) -> usize {
    ((u128::from(key) * count as u128) >> 64) as usize
}

#[cfg(target_arch = "wasm32")]
use scaled_by_halves as scaled;

/// As on other machines, without the product of 128 bits, for which WebAssembly has no instruction.
///
/// A count has at most 32 bits there.
#[cfg(any(target_arch = "wasm32", all(test, not(loom))))]
#[inline(always)]
fn scaled_by_halves(key: u64, count: usize) -> usize {
    let (high, low, count) = (key >> 32, key & 0xFFFF_FFFF, count as u64);
    ((high * count + ((low * count) >> 32)) >> 32) as usize
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::types::{Square, VALUE_TB_WIN, mate_in, mated_in};

    fn entry(depth: Depth, value: Value) -> TtEntry {
        TtEntry {
            best: Move::place(Square::new(7)),
            value,
            eval: Some(value - 9),
            depth,
            bound: Bound::Lower,
        }
    }

    #[test]
    fn a_product_by_halves_is_the_same() {
        let mut key = 0x9E37_79B9_7F4A_7C15_u64;
        for count in [1, 2, 3, 1_000, (1 << 20) + 7, u32::MAX as usize - 1, u32::MAX as usize] {
            for key in [0, 1, u64::from(u32::MAX), 1 << 32, u64::MAX] {
                assert_eq!(scaled_by_halves(key, count), scaled(key, count), "{key} {count}");
            }
            for _ in 0..1_000 {
                key = key.wrapping_mul(0xD129_0D3B_3F8C_1B35).rotate_left(29) ^ 0x5555;
                assert_eq!(scaled_by_halves(key, count), scaled(key, count), "{key} {count}");
            }
        }
    }

    #[test]
    fn entries_come_back_as_they_were_until_the_table_is_cleared() {
        let table = TranspositionTable::new(1).unwrap();
        table.new_search();
        for (key, value, depth) in [(1, mate_in(3), 5), (u64::MAX, mated_in(9), -3), (1 << 63, 0, 200)] {
            assert_eq!(table.probe(key), None);
            table.store(key, entry(depth, value));
            assert_eq!(table.probe(key), Some(entry(depth, value)));
        }
        table.clear();
        assert_eq!(table.probe(1), None);
    }

    #[test]
    fn a_table_is_cleared_whoever_else_holds_it() {
        for other_holders in [0, 1] {
            let mut table = Arc::new(TranspositionTable::new(1).unwrap());
            let others: Vec<_> = (0..other_holders).map(|_| Arc::clone(&table)).collect();
            table.new_search();
            let keys = (0..64).map(|n| n << 58);
            keys.clone().for_each(|key| table.store(key, entry(5, 7)));
            assert!(keys.clone().all(|key| table.probe(key).is_some()) && table.hashfull() > 0);
            TranspositionTable::clear_shared(&mut table);
            assert!(keys.clone().all(|key| table.probe(key).is_none()) && table.hashfull() == 0);
            assert_eq!(others.len(), Arc::strong_count(&table) - 1);
        }
    }

    #[test]
    fn a_half_written_slot_is_a_miss() {
        let slot = Slot { check: AtomicU64::new(0), data: AtomicU64::new(0) };
        assert_eq!(slot.load(0), Some(0));
        assert_eq!(TranspositionTable::new(1).unwrap().probe(0), None, "an empty slot is no entry of key 0");
        slot.store(77, entry(1, 5).pack(1));
        assert!(slot.load(77).is_some());
        slot.data.store(entry(2, 6).pack(1), Ordering::Relaxed);
        assert_eq!(slot.load(77), None);
    }

    #[test]
    fn distances_are_kept_as_seen_from_the_entry() {
        let stored = value_to_tt(mate_in(9), 4);
        assert_eq!(stored, mate_in(5));
        assert_eq!(value_from_tt(stored, 2), mate_in(7));
        assert_eq!(value_from_tt(value_to_tt(mated_in(6), 6), 0), mated_in(0));
        let stored = value_to_tt(VALUE_TB_WIN - 9, 4);
        assert_eq!(value_from_tt(stored, 2), VALUE_TB_WIN - 7);
        assert_eq!(value_from_tt(value_to_tt(6 - VALUE_TB_WIN, 6), 0), -VALUE_TB_WIN);
        assert!(
            is_win(value_from_tt(VALUE_EVAL_MAX + 1, 9)) && is_loss(value_from_tt(-VALUE_EVAL_MAX - 1, 9))
        );
        assert_eq!(value_to_tt(123, 4), 123);
    }

    #[test]
    fn old_and_shallow_entries_go_first_and_the_fill_is_told() {
        let table = TranspositionTable::new(1).unwrap();
        // Keys of one bucket differ in low bits only.
        for key in 1..=4 {
            table.store(key, entry(key as Depth, 0));
        }
        table.store(5, entry(1, 0));
        assert_eq!(table.probe(1), None);
        assert!((2..=5).all(|key| table.probe(key).is_some()));
        table.new_search();
        table.store(6, entry(0, 0));
        assert_eq!(table.probe(5), None);
        assert_eq!(table.hashfull(), 1);
        assert!(TranspositionTable::new(usize::MAX >> 8).is_err());
    }
}

/// All orders in which threads can read and write a slot, explored by the model checker.
#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::platform::sync::{Arc, explore};
    use crate::types::Square;
    use loom::thread::spawn;

    fn entry(square: usize, value: Value) -> TtEntry {
        TtEntry { best: Move::place(Square::new(square)), value, eval: None, depth: 3, bound: Bound::Exact }
    }

    fn slot() -> Arc<Slot> {
        Arc::new(Slot { check: AtomicU64::new(0), data: AtomicU64::new(0) })
    }

    const KEYS: [u64; 2] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210];

    #[test]
    fn a_slot_written_by_two_threads_is_read_whole_or_not_at_all() {
        for (name, keys) in [("slot, one position", [KEYS[0]; 2]), ("slot, two positions", KEYS)] {
            explore(name, 3, move || {
                let slot = slot();
                let stored = [(keys[0], entry(1, 10).pack(1)), (keys[1], entry(2, -20).pack(1))];
                let writers = stored.map(|(key, data)| {
                    let slot = Arc::clone(&slot);
                    spawn(move || slot.store(key, data))
                });
                for _ in 0..2 {
                    for key in keys {
                        let found = slot.load(key);
                        let is_whole = |data| stored.contains(&(key, data));
                        assert!(found.is_none_or(is_whole), "{key:x} read as {found:x?}");
                    }
                }
                writers.into_iter().for_each(|writer| writer.join().expect("it writes and ends"));
            });
        }
    }

    /// Shows that the model finds the torn entry that the combined key prevents.
    #[test]
    #[should_panic(expected = "torn")]
    fn a_slot_with_the_plain_key_is_read_torn() {
        explore("slot with the plain key", 3, || {
            let slot = slot();
            let writers = [1, 2].map(|key| {
                let slot = Arc::clone(&slot);
                spawn(move || {
                    slot.check.store(key, Ordering::Relaxed);
                    slot.data.store(10 * key, Ordering::Relaxed);
                })
            });
            let data = slot.data.load(Ordering::Relaxed);
            let key = slot.check.load(Ordering::Relaxed);
            assert!(data == 0 || key == 0 || data == 10 * key, "torn");
            writers.into_iter().for_each(|writer| writer.join().expect("it writes and ends"));
        });
    }

    #[test]
    fn entries_of_a_table_written_by_two_threads_are_those_that_were_stored() {
        explore("table", 3, || {
            let table = Arc::new(TranspositionTable::new(1).expect("a small table"));
            let stored = [entry(1, 10), entry(2, -20)];
            let writer = {
                let table = Arc::clone(&table);
                spawn(move || table.store(KEYS[0], stored[0]))
            };
            table.store(KEYS[0], stored[1]);
            let found = table.probe(KEYS[0]);
            assert!(found.is_none_or(|entry| stored.contains(&entry)), "{found:?}");
            assert_eq!(table.probe(KEYS[1]), None);
            writer.join().expect("it writes and ends");
        });
    }
}
