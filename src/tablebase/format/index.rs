//! The perfect index of a sector, in the numbering of the Malom database: the class of the mover's set
//! under the 16 symmetries, times the number of sets of the opponent, plus the rank of the opponent's
//! set among the points that are left. Sets have up to twelve members, with or without diagonals (the
//! two boards have the same symmetries).
//!
//! A class whose representative has symmetries of its own holds some positions in several slots; all of
//! them carry the right value, so a reader may use any symmetry that reaches the representative.

use super::board::{FULL, POINTS, SYMMETRIES, Symmetries, spread, squeeze};
use std::sync::{LazyLock, OnceLock};

/// The most men of one side on the board.
pub(crate) const MAX_MEN: usize = 12;

/// Binomial coefficients; 0 where more are chosen than there are.
pub(crate) const BINOMIAL: [[u32; 25]; 25] = {
    let mut table = [[0; 25]; 25];
    let mut n = 0;
    while n < 25 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Number of classes of the sets of each size.
pub(crate) const CLASSES: [u32; MAX_MEN + 1] =
    [1, 4, 30, 158, 757, 2_830, 8_774, 22_188, 46_879, 82_880, 124_124, 157_668, 170_854];

/// All sets of one size up to symmetry.
#[derive(Clone)]
pub(crate) struct SetClasses {
    /// For the rank of a set: class number, a symmetry leading to the representative, and whether the
    /// representative has symmetries of its own.
    of_rank: Vec<u32>,
    /// The representatives: the numerically smallest set of each class, ascending.
    pub representatives: Vec<u32>,
    /// For each class the set of symmetries that keep its representative, as bits.
    pub stabilisers: Vec<u16>,
}

/// The place of a set among the classes of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassOf(u32);

impl ClassOf {
    const SYMMETRY: u32 = 20;
    const SYMMETRIC: u32 = 24;

    /// Number of the class.
    #[inline(always)]
    pub(crate) fn class(self) -> usize {
        (self.0 & 0xF_FFFF) as usize
    }

    /// A symmetry that takes the set to the representative of its class.
    #[inline(always)]
    pub(crate) fn symmetry(self) -> usize {
        (self.0 >> Self::SYMMETRY & 15) as usize
    }

    /// Returns true if more symmetries do so.
    #[inline(always)]
    pub(crate) fn has_more(self) -> bool {
        self.0 >> Self::SYMMETRIC != 0
    }
}

/// The lookup arrays of the index, made once and on demand.
pub(crate) struct Index {
    /// The symmetries of the board.
    pub symmetries: Symmetries,
    /// Rank contribution of the lower twelve points.
    low: Box<[u32; 4096]>,
    /// `high[k]`: rank contribution of the upper twelve points in a set of k.
    high: Vec<[u32; 4096]>,
    representatives: [OnceLock<Vec<u32>>; MAX_MEN + 1],
    classes: [OnceLock<SetClasses>; MAX_MEN + 1],
}

static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

impl Index {
    /// Returns the shared index.
    pub(crate) fn get() -> &'static Self {
        &INDEX
    }

    fn new() -> Self {
        let rank = |set: usize, first_point: usize, first_place: usize| {
            let (mut place, mut sum) = (first_place, 0u32);
            for bit in 0..12 {
                if set >> bit & 1 != 0 {
                    place += 1;
                    sum += BINOMIAL[first_point + bit][place];
                }
            }
            sum
        };
        let mut low = Box::new([0; 4096]);
        let mut high = vec![[0; 4096]; MAX_MEN + 1];
        for half in 0..4096 {
            low[half] = rank(half, 0, 0);
            for (k, table) in high.iter_mut().enumerate() {
                let members = half.count_ones() as usize;
                if members <= k {
                    table[half] = rank(half, 12, k - members);
                }
            }
        }
        let (representatives, classes) = Default::default();
        Self { symmetries: Symmetries::new(), low, high, representatives, classes }
    }

    /// The number of sets with as many members that are numerically smaller; `set` has `members`.
    #[inline(always)]
    pub(crate) fn rank(&self, members: usize, set: u32) -> u32 {
        debug_assert_eq!(set.count_ones() as usize, members);
        self.ranker(members).rank(set) as u32
    }

    /// Returns the rank arrays for sets of one size, for loops that rank many.
    #[inline(always)]
    pub(crate) fn ranker(&self, members: usize) -> Ranker<'_> {
        Ranker { low: &self.low, high: &self.high[members] }
    }

    /// The set with `members` members and this rank.
    pub(crate) fn unrank(&self, members: usize, mut rank: u32) -> u32 {
        let mut set = 0;
        let mut point = POINTS as usize;
        for place in (1..=members).rev() {
            while BINOMIAL[point][place] > rank {
                point -= 1;
            }
            set |= 1 << point;
            rank -= BINOMIAL[point][place];
        }
        set
    }

    /// The classes of the sets with `members` members.
    pub(crate) fn classes(&self, members: usize) -> &SetClasses {
        self.classes[members].get_or_init(|| self.make_classes(members))
    }

    /// Returns the numerically smallest set of each class of the sets with `members` members, ascending.
    pub(crate) fn representatives(&self, members: usize) -> &[u32] {
        self.representatives[members].get_or_init(|| self.find_representatives(members as u32))
    }

    fn find_representatives(&self, members: u32) -> Vec<u32> {
        const RING: u32 = 0xFF;
        let image = |g: usize, inner: u32| self.symmetries.apply(g, inner << 16) >> 16;
        // The half of the symmetries that leave each ring in its place.
        let (turns, exchanges): (Vec<usize>, Vec<usize>) =
            (0..SYMMETRIES).partition(|&g| image(g, RING) == RING);
        let least: [u32; 256] = std::array::from_fn(|ring| {
            turns.iter().map(|&g| image(g, ring as u32)).min().unwrap_or_default()
        });
        let mut found = Vec::with_capacity(CLASSES[members as usize] as usize);
        // The inner ring has the highest bits, so an image is smaller if its inner ring is.
        for inner in (0..256).filter(|&inner| least[inner as usize] == inner) {
            let Some(rest) = members.checked_sub(inner.count_ones()) else { continue };
            let keeping: Vec<usize> = turns.iter().copied().filter(|&g| image(g, inner) == inner).collect();
            for set in subsets(16, rest).map(|others| inner << 16 | others) {
                let outer = least[(set & RING) as usize];
                let is_least = |g: &usize| self.symmetries.apply(*g, set) >= set;
                if outer >= inner
                    && keeping.iter().all(is_least)
                    && (outer > inner || exchanges.iter().all(is_least))
                {
                    found.push(set);
                }
            }
        }
        found
    }

    /// Returns the class of a set, and the symmetry to its representative, as [`ClassOf`] has them.
    ///
    /// For single sets: [`Index::classes`] first visits all sets of the size, which takes a browser about a
    /// tenth of a second.
    #[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
    fn class_of(&self, members: usize, set: u32) -> (usize, usize) {
        let symmetries = &self.symmetries;
        let images =
            (0..SYMMETRIES).map(|g| (symmetries.apply(g, set), std::cmp::Reverse(symmetries.inverse[g]), g));
        let (smallest, _, symmetry) = images.min().unwrap_or_default();
        (self.representatives(members).partition_point(|&other| other < smallest), symmetry)
    }

    fn make_classes(&self, members: usize) -> SetClasses {
        let representatives = self.representatives(members).to_vec();
        let mut of_rank = vec![0; BINOMIAL[24][members] as usize];
        let mut stabilisers = Vec::with_capacity(representatives.len());
        for (&set, class) in representatives.iter().zip(0..) {
            let mut stabiliser = 0u16;
            let mut images = [0; SYMMETRIES];
            for (g, image) in images.iter_mut().enumerate() {
                *image = self.symmetries.apply(g, set);
                stabiliser |= u16::from(*image == set) << g;
            }
            let more = u32::from(stabiliser.count_ones() > 1) << ClassOf::SYMMETRIC;
            for (g, &image) in images.iter().enumerate() {
                let back = u32::from(self.symmetries.inverse[g]) << ClassOf::SYMMETRY;
                of_rank[self.rank(members, image) as usize] = class | back | more;
            }
            stabilisers.push(stabiliser);
        }
        SetClasses { of_rank, representatives, stabilisers }
    }
}

/// Rank arrays for sets of one size.
#[derive(Clone, Copy)]
pub(crate) struct Ranker<'a> {
    low: &'a [u32; 4096],
    high: &'a [u32; 4096],
}

impl Ranker<'_> {
    /// See [`Index::rank`].
    #[inline(always)]
    pub(crate) fn rank(self, set: u32) -> usize {
        (self.low[(set & 4095) as usize] + self.high[(set >> 12 & 4095) as usize]) as usize
    }
}

impl SetClasses {
    /// Number of classes.
    pub(crate) fn len(&self) -> usize {
        self.representatives.len()
    }

    /// The class of the set with this rank.
    #[inline(always)]
    pub(crate) fn of_rank(&self, rank: usize) -> ClassOf {
        ClassOf(self.of_rank[rank])
    }
}

/// All sets of `members` of the lowest `points` points, in ascending order.
pub(crate) fn subsets(points: u32, members: u32) -> impl Iterator<Item = u32> {
    let first = if members <= points { (1 << members) - 1 } else { 1 << points };
    subsets_from(points, first)
}

/// `set` and the sets after it with as many members among the lowest `points` points.
#[inline]
pub(crate) fn subsets_from(points: u32, set: u32) -> Subsets {
    Subsets { next: set, end: 1 << points }
}

/// See [`subsets_from`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subsets {
    next: u32,
    end: u32,
}

impl Iterator for Subsets {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let set = self.next;
        if set >= self.end {
            return None;
        }
        // Gosper's hack: the next number with as many bits.
        let lowest = set & set.wrapping_neg();
        let ripple = set + lowest;
        self.next = if set == 0 { self.end } else { ripple | (set ^ ripple) >> 2 >> lowest.trailing_zeros() };
        Some(set)
    }
}

/// All positions with the same numbers of men on the board and in hand, from the view of the mover.
///
/// The functions about rows, slots and positions may panic if the sector is not
/// [possible](Self::is_possible), or does not have the slot or position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Sector {
    /// Men of the mover on the board.
    pub own: u8,
    /// Men of the opponent on the board.
    pub theirs: u8,
    /// Men in the mover's hand.
    pub own_hand: u8,
    /// Men in the opponent's hand.
    pub their_hand: u8,
}

impl Sector {
    /// A sector of the moving phase.
    pub const fn moving(own: u8, theirs: u8) -> Self {
        Self { own, theirs, own_hand: 0, their_hand: 0 }
    }

    /// The sector of the same men with the other side to move.
    #[must_use]
    pub const fn mirrored(self) -> Self {
        let Self { own, theirs, own_hand, their_hand } = self;
        Self { own: theirs, theirs: own, own_hand: their_hand, their_hand: own_hand }
    }

    /// The sector as files name it.
    pub(crate) const fn to_bytes(self) -> [u8; 4] {
        [self.own, self.theirs, self.own_hand, self.their_hand]
    }

    /// The inverse of [`to_bytes`](Self::to_bytes). The sector may not be [possible](Self::is_possible).
    pub(crate) const fn from_bytes([own, theirs, own_hand, their_hand]: [u8; 4]) -> Self {
        Self { own, theirs, own_hand, their_hand }
    }

    /// Returns true if both hands are empty.
    pub const fn is_moving(self) -> bool {
        self.own_hand == 0 && self.their_hand == 0
    }

    /// Returns true if there are positions with these numbers in any game: no side has more than `MAX_MEN`.
    pub const fn is_possible(self) -> bool {
        let most = MAX_MEN as u8;
        // Each number is checked by itself first, so that the sums cannot overflow.
        let own = self.own <= most && self.own_hand <= most && self.own + self.own_hand <= most;
        own && self.theirs <= most && self.their_hand <= most && self.theirs + self.their_hand <= most
    }

    /// Number of sets of the opponent for each class of the mover's sets.
    pub fn row_length(self) -> usize {
        BINOMIAL[24 - self.own as usize][self.theirs as usize] as usize
    }

    /// Number of classes of the mover's sets.
    pub fn rows(self) -> usize {
        CLASSES[self.own as usize] as usize
    }

    /// Number of slots of the sector.
    pub fn slots(self) -> u64 {
        self.rows() as u64 * self.row_length() as u64
    }

    /// The slot of a position; `own` and `theirs` are disjoint and have the sector's numbers of men.
    #[inline]
    pub fn slot(self, own: u32, theirs: u32) -> u64 {
        let index = Index::get();
        let classes = index.classes(self.own as usize);
        let found = classes.of_rank(index.rank(self.own as usize, own) as usize);
        let representative = classes.representatives[found.class()];
        self.slot_in(index, (found.class(), found.symmetry()), representative, theirs)
    }

    /// As [`slot`](Self::slot), for one who asks for few positions and has not prepared for more.
    #[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
    pub(crate) fn slot_of_one(self, own: u32, theirs: u32) -> u64 {
        let index = Index::get();
        let found = index.class_of(self.own as usize, own);
        self.slot_in(index, found, index.representatives(self.own as usize)[found.0], theirs)
    }

    /// Returns the slot of a position of which `symmetry` takes the mover's set to the representative of
    /// `class`.
    #[inline(always)]
    fn slot_in(
        self,
        index: &Index,
        (class, symmetry): (usize, usize),
        representative: u32,
        theirs: u32,
    ) -> u64 {
        let image = index.symmetries.apply(symmetry, theirs);
        let rank = index.rank(self.theirs as usize, squeeze(image, FULL & !representative));
        class as u64 * self.row_length() as u64 + u64::from(rank)
    }

    /// The position (mover's set, opponent's set) of a slot, which is below [`slots`](Self::slots).
    pub fn position(self, slot: u64) -> (u32, u32) {
        let index = Index::get();
        let row = self.row_length() as u64;
        let own = index.representatives(self.own as usize)[(slot / row) as usize];
        let theirs = index.unrank(self.theirs as usize, (slot % row) as u32);
        (own, spread(theirs, FULL & !own))
    }

    /// Returns the smallest of the slots that hold the same position as `slot`.
    ///
    /// Statistics count only the smallest.
    pub fn canonical(self, slot: u64) -> u64 {
        let index = Index::get();
        let row = self.row_length() as u64;
        let class = (slot / row) as usize;
        let classes = index.classes(self.own as usize);
        let stabiliser = classes.stabilisers[class];
        if stabiliser.count_ones() == 1 {
            return slot;
        }
        let rest = FULL & !classes.representatives[class];
        let theirs = spread(index.unrank(self.theirs as usize, (slot % row) as u32), rest);
        let smallest = (0..SYMMETRIES)
            .filter(|g| stabiliser >> g & 1 != 0)
            .map(|g| index.symmetries.apply(g, theirs))
            .min()
            .unwrap_or(theirs);
        class as u64 * row + u64::from(index.rank(self.theirs as usize, squeeze(smallest, rest)))
    }
}

/// `W_B_WF_BF`, the name used for files and work units.
impl std::fmt::Display for Sector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}_{}_{}_{}", self.own, self.theirs, self.own_hand, self.their_hand)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Class counts and sector sizes of `docs/tables-format.md`, "Index", and `docs/malom.md`.
    #[test]
    fn class_and_slot_counts_are_the_published_ones() {
        for (members, &count) in CLASSES.iter().enumerate() {
            assert_eq!(Index::get().classes(members).len(), count as usize);
        }
        let moving = (3..=9).flat_map(|a| (3..=9).map(move |b| Sector::moving(a, b)));
        assert_eq!(moving.map(Sector::slots).sum::<u64>(), 9_193_626_407);
    }

    #[test]
    fn a_representative_is_the_smallest_of_its_images() {
        let index = Index::get();
        for members in 0..=MAX_MEN {
            let smallest = |set: &u32| (0..SYMMETRIES).all(|g| index.symmetries.apply(g, *set) >= *set);
            let expected = subsets(POINTS, members as u32).filter(smallest);
            assert!(index.representatives(members).iter().copied().eq(expected), "{members}");
        }
    }

    #[test]
    fn slots_and_positions_translate_both_ways() {
        let mut random = 1u64;
        for own in 0..=12 {
            for theirs in 0..=12 {
                let sector = Sector { own, theirs, own_hand: 0, their_hand: 0 };
                for _ in 0..50 {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let slot = (random >> 11) % sector.slots();
                    let (a, b) = sector.position(slot);
                    assert_eq!(sector.canonical(sector.slot(a, b)), sector.canonical(slot));
                    assert_eq!(sector.slot_of_one(a, b), sector.slot(a, b));
                    let g = (random >> 7) as usize & 15;
                    let symmetries = &Index::get().symmetries;
                    let image = sector.slot(symmetries.apply(g, a), symmetries.apply(g, b));
                    assert_eq!(sector.canonical(image), sector.canonical(slot));
                    let one = sector.slot_of_one(symmetries.apply(g, a), symmetries.apply(g, b));
                    assert_eq!(one, image);
                }
            }
        }
    }

    /// Two rows of `docs/malom.md`, "Worked examples".
    #[test]
    fn numbers_agree_with_the_worked_examples() {
        let own = 1 << 0 | 1 << 4 | 1 << 18;
        let theirs = 1 << 2 | 1 << 3 | 1 << 5;
        let sector = Sector::moving(3, 3);
        assert_eq!(sector.canonical(sector.slot(own, theirs)), 130_340);
        let sector = Sector { own: 1, theirs: 2, own_hand: 8, their_hand: 7 };
        let slot = sector.slot(1 << 16, 1 << 4 | 1 << 5);
        assert_eq!(sector.canonical(slot), 189);
    }
}
