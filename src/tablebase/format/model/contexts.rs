//! The contexts of a slot: a number for each group of weights, computed from the men on the board and from
//! the results of similar positions earlier in the part. What is computed here is part of the file format.

use crate::tablebase::format::board::{
    self, FULL, anticlockwise, clockwise, count_slides, in_mills, spokes, spread,
};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::{BINOMIAL, Index, Sector, subsets, subsets_from};

/// The number of slots that are coded together; a part is decoded without its neighbours.
pub(crate) const PART_SLOTS: usize = 1024;

/// The weights that apply to a slot, one of each group, as indices into all weights.
pub(super) type Contexts = [usize; 5];

/// The index at which each group of weights begins, and the end of the last group.
const BEGINS: [usize; 6] = {
    let lengths = [36 * 256, 12 * 256, 12 * 256, 12 * 256, 144 * 12];
    let mut begins = [0; 6];
    let mut group = 0;
    while group < lengths.len() {
        begins[group + 1] = begins[group] + lengths[group];
        group += 1;
    }
    begins
};
/// The number of weights for losses; wins have as many.
pub(super) const WEIGHTS: usize = BEGINS[5];
/// The length of a model in bytes.
pub(crate) const MODEL_BYTES: usize = 2 * WEIGHTS;

/// The result of a neighbour that does not exist or lies outside the part.
const MISSING: u8 = 3;

/// The facts about the rules that the contexts depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// True if the corners of the rings are joined.
    pub diagonals: bool,
    /// True if the mover places or flies and so reaches every empty point.
    pub own_anywhere: bool,
    /// True if the opponent will place or fly.
    pub theirs_anywhere: bool,
}

impl Geometry {
    /// Returns the geometry of a sector of `game`.
    pub const fn new(game: &SolvedGame, sector: Sector) -> Self {
        Self {
            diagonals: game.diagonals,
            own_anywhere: sector.own_hand > 0 || sector.own <= game.fly_at,
            theirs_anywhere: sector.their_hand > 0 || sector.theirs <= game.fly_at,
        }
    }

    /// Returns the byte that stands for the geometry in a file.
    pub const fn to_byte(self) -> u8 {
        self.diagonals as u8 | (self.own_anywhere as u8) << 1 | (self.theirs_anywhere as u8) << 2
    }

    /// The inverse of [`to_byte`](Self::to_byte). Unused bits are ignored.
    pub const fn from_byte(byte: u8) -> Self {
        Self { diagonals: byte & 1 != 0, own_anywhere: byte & 2 != 0, theirs_anywhere: byte & 4 != 0 }
    }

    /// Returns the points on which one more man completes a line of `set`, and those of them that a slide
    /// from outside the line reaches.
    #[inline(always)]
    pub(super) fn closing(self, set: u32) -> (u32, u32) {
        const MIDPOINTS: u32 = board::spokes(false);
        let spokes = spokes(self.diagonals);
        let (before, after) = (clockwise(set), anticlockwise(set));
        let joined = set & spokes;
        let beside = (joined << 8 & FULL) | joined >> 8;
        let [outer, middle, inner] = [set & 255, set >> 8 & 255, set >> 16 & 255];
        let across = (middle & inner | (outer & inner) << 8 | (outer & middle) << 16) & spokes;
        let ring = before & after & MIDPOINTS;
        let forward = after & anticlockwise(after) & !MIDPOINTS;
        let backward = before & clockwise(before) & !MIDPOINTS;
        let reached = across & (before | after)
            | ring & beside
            | forward & (before | beside)
            | backward & (after | beside);
        (across | ring | forward | backward, reached)
    }
}

/// The number of the opponent's lowest men whose neighbours are looked up.
pub(super) const MEN: usize = 6;
/// The number of neighbours of a slot: the sets in which one of those men stands one point lower, and those
/// in which one of them, except the last, stands two points lower.
const NEIGHBOURS: usize = 2 * MEN - 1;

/// Distances from a set to its neighbours within a row. The indices are the number j of the man, a bit each
/// for the two points below it (1: occupied), and its point among those that the mover leaves free. The lower
/// half counts the slots back to the set in which the man stands one point lower, the upper half to the set
/// in which it stands two points lower. `FAR` if there is no such set.
static STEPS: [[[u32; 64]; 4]; MEN] = {
    let mut steps = [[[FAR << 16 | FAR; 64]; 4]; MEN];
    let mut j = 0;
    while j < MEN {
        let mut point = 1;
        while point < 24 {
            // The rank of a set is the sum of C(point, j + 1) over its men.
            let one = BINOMIAL[point - 1][j];
            let (mut free, mut passed) = (FAR, FAR);
            if point >= 2 {
                free = one + BINOMIAL[point - 2][j];
                if j > 0 {
                    // The man lands on the next lower one: the same set as if that one moved down by one
                    // point.
                    passed = one + BINOMIAL[point - 2][j - 1];
                }
            }
            steps[j][0b00][point] = nearby(free) << 16 | nearby(one);
            steps[j][0b01][point] = FAR << 16 | nearby(one);
            steps[j][0b10][point] = nearby(passed) << 16 | FAR;
            point += 1;
        }
        j += 1;
    }
    steps
};

/// The entry for a step that does not exist, or that is longer than any part.
const FAR: u32 = 0x7FFF;

const fn nearby(step: u32) -> u32 {
    if step < FAR { step } else { FAR }
}

/// Returns the distances from `set` to its neighbours, in slots back; [`FAR`] where there is none.
#[inline(always)]
fn steps_of(set: u32) -> [u16; NEIGHBOURS] {
    let mut found = [FAR as u16; NEIGHBOURS];
    let mut men = set;
    for (j, steps) in STEPS.iter().enumerate() {
        // 32 if there is no man left: no step leads from there.
        let point = men.trailing_zeros();
        men &= men.wrapping_sub(1);
        let below = (u64::from(set) << 2 >> point) & 3;
        let steps = steps[below as usize][(point & 63) as usize];
        found[j] = steps as u16;
        if j < MEN - 1 {
            found[MEN + j] = (steps >> 16) as u16;
        }
    }
    found
}

/// Returns the place in the part to which a step leads from place `place` of the row that begins at `begin`.
#[inline(always)]
const fn place_of(step: u16, begin: u16, place: u16) -> u16 {
    if step <= place { begin + place - step } else { PART_SLOTS as u16 }
}

/// The steps of the sets of a row, which are the same in every row: for each neighbour the steps of all sets.
/// To look them up takes a tenth of the time, which pays where a whole sector is coded.
pub(in crate::tablebase::format) struct RowSteps(Vec<u16>);

impl RowSteps {
    /// The fewest rows for which the steps are kept.
    const ROWS: usize = 16;

    /// Returns the steps of a sector, or none if it has so few rows that they do not pay.
    pub(in crate::tablebase::format) fn new(sector: Sector) -> Option<Self> {
        if sector.rows() < Self::ROWS {
            return None;
        }
        let length = sector.row_length();
        let mut steps = vec![0; NEIGHBOURS * length];
        let sets = subsets(24 - u32::from(sector.own), sector.theirs.into());
        for (rank, set) in sets.enumerate() {
            for (neighbour, step) in steps_of(set).into_iter().enumerate() {
                steps[neighbour * length + rank] = step;
            }
        }
        Some(Self(steps))
    }
}

/// The features of the slots of a part that do not depend on results.
pub(in crate::tablebase::format) struct Features<'a> {
    steps: Option<&'a RowSteps>,
    count: usize,
    /// The features of each slot. `tactics` also chooses its correction.
    pub(super) tactics: [u16; PART_SLOTS],
    mills: [u16; PART_SLOTS],
    slides: [u16; PART_SLOTS],
    shape: [u16; PART_SLOTS],
    /// The places of the neighbours of each slot in the part; `PART_SLOTS` for one that is missing.
    pub(super) neighbours: [[u16; PART_SLOTS]; NEIGHBOURS],
}

/// The results of a part decoded so far. The upper half stays `MISSING`: missing neighbours point there.
pub(super) struct Decoded([u8; 2 * PART_SLOTS]);

impl Decoded {
    pub(super) const fn new() -> Self {
        Self([MISSING; 2 * PART_SLOTS])
    }

    #[inline(always)]
    fn get(&self, place: u16) -> usize {
        usize::from(self.0[usize::from(place) & (2 * PART_SLOTS - 1)])
    }

    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, result: u8) {
        self.0[place & (PART_SLOTS - 1)] = result;
    }
}

impl<'a> Features<'a> {
    /// Returns memory for features. `steps` are those of the sector, if they are known.
    pub(in crate::tablebase::format) const fn new(steps: Option<&'a RowSteps>) -> Self {
        const ZEROS: [u16; PART_SLOTS] = [0; PART_SLOTS];
        Self {
            steps,
            count: 0,
            tactics: ZEROS,
            mills: ZEROS,
            slides: ZEROS,
            shape: ZEROS,
            neighbours: [ZEROS; NEIGHBOURS],
        }
    }

    /// Computes the features of the `count` slots from `first` on.
    pub(super) fn compute(&mut self, sector: Sector, geometry: Geometry, first: u64, count: usize) {
        debug_assert!(count <= PART_SLOTS);
        self.count = count;
        let index = Index::get();
        let representatives = index.representatives(sector.own as usize);
        let length = sector.row_length() as u64;
        let (mut row, mut rank) = ((first / length) as usize, (first % length) as u32);
        let points = 24 - u32::from(sector.own);
        let mut sets = subsets_from(points, index.unrank(sector.theirs as usize, rank));
        let mut theirs = [0; PART_SLOTS];
        let mut begin = 0;
        while begin < count {
            let own = representatives[row];
            let free = FULL & !own;
            let mut end = begin;
            for set in sets.by_ref().take(count - begin) {
                theirs[end] = spread(set, free);
                if self.steps.is_none() {
                    self.set_neighbours(steps_of(set), begin, end);
                }
                end += 1;
            }
            if let Some(steps) = self.steps {
                self.copy_neighbours(steps, rank as usize, begin, end);
            }
            self.compute_row(geometry, own, &theirs, begin, end);
            begin = end;
            (row, rank) = (row + 1, 0);
            sets = subsets_from(points, (1 << sector.theirs) - 1);
        }
    }

    /// Sets the neighbours of the slot in place `place` of the row that begins at `begin`.
    #[inline(always)]
    fn set_neighbours(&mut self, steps: [u16; NEIGHBOURS], begin: usize, place: usize) {
        for (neighbours, step) in self.neighbours.iter_mut().zip(steps) {
            neighbours[place & (PART_SLOTS - 1)] = place_of(step, begin as u16, (place - begin) as u16);
        }
    }

    /// As [`set_neighbours`](Self::set_neighbours) for the slots `begin` to `end`, whose ranks in their row
    /// begin with `rank`.
    fn copy_neighbours(&mut self, steps: &RowSteps, rank: usize, begin: usize, end: usize) {
        let of_row = steps.0.chunks_exact(steps.0.len() / NEIGHBOURS);
        for (neighbours, steps) in self.neighbours.iter_mut().zip(of_row) {
            let steps = &steps[rank..rank + end - begin];
            for ((neighbour, &step), place) in neighbours[begin..end].iter_mut().zip(steps).zip(0..) {
                *neighbour = place_of(step, begin as u16, place);
            }
        }
    }

    /// Computes the features of the slots `begin` to `end`, which lie in one row.
    #[inline(always)]
    fn compute_row(
        &mut self,
        geometry: Geometry,
        own: u32,
        theirs: &[u32; PART_SLOTS],
        begin: usize,
        end: usize,
    ) {
        let diagonals = geometry.diagonals;
        let free = FULL & !own;
        let (completing, reached) = geometry.closing(own);
        let closing = if geometry.own_anywhere { completing } else { reached };
        let own_mills = in_mills(own, diagonals).count_ones().min(8) / 3;
        let own_open = (completing & free).count_ones().min(3);
        let of_row = own_mills * 4 + own_open;
        let places = theirs[begin..end]
            .iter()
            .zip(&mut self.tactics[begin..end])
            .zip(&mut self.mills[begin..end])
            .zip(&mut self.slides[begin..end])
            .zip(&mut self.shape[begin..end]);
        for ((((&theirs, tactics), mills), slides), shape) in places {
            let empty = free & !theirs;
            let (completing, reached) = geometry.closing(theirs);
            let threats = if geometry.theirs_anywhere { completing } else { reached };
            let closes = (closing & empty).count_ones().min(2);
            let threatens = (threats & empty).count_ones().min(3);
            let open = (completing & empty).count_ones().min(3);
            // Counts disjoint mills up to two.
            let stand = in_mills(theirs, diagonals).count_ones();
            let milled = u32::from(stand >= 3) + u32::from(stand >= 6);
            let own_slides = count_slides(own, empty, diagonals).min(15);
            let their_slides = count_slides(theirs, empty, diagonals).min(15);
            *tactics = (closes * 4 + threatens) as u16;
            *mills = ((closes * 4 + threatens) * 3 + milled) as u16;
            *slides = (own_slides * 16 + their_slides) as u16;
            *shape = ((of_row * 4 + open) * 3 + milled) as u16;
        }
    }

    /// Returns the contexts of a slot, given the results of the slots before it.
    #[inline(always)]
    pub(super) fn contexts(&self, place: usize, decoded: &Decoded) -> Contexts {
        let place = place & (PART_SLOTS - 1);
        let result = |number: usize| decoded.get(self.neighbours[number][place]);
        let four = |a, b, c, d| ((result(a) * 4 + result(b)) * 4 + result(c)) * 4 + result(d);
        let tactics = usize::from(self.tactics[place]);
        [
            usize::from(self.mills[place]) * 256 + four(0, 1, 2, 3),
            BEGINS[1] + tactics * 256 + four(6, 7, 8, 0),
            BEGINS[2] + tactics * 256 + four(4, 5, 9, 10),
            BEGINS[3] + tactics * 256 + usize::from(self.slides[place]),
            BEGINS[4] + usize::from(self.shape[place]) * 12 + tactics,
        ]
    }
}
