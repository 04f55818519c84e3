//! What the results of a part of a sector are likely to be, told from what can be seen on the board, from the
//! results of similar positions earlier in the part, and from how wrong this was so far. Results are coded by how far
//! they differ from it. `docs/tablebases.md` describes the whole; what is computed here is part of the file format.

use super::board::{self, FULL, anticlockwise, clockwise, count_slides, in_mills, spokes, spread};
use super::game::SolvedGame;
use super::index::{BINOMIAL, Index, Sector, subsets_from};
use super::range::{Decoder, Encoder, Shares};
use crate::platform::parallel::share;
use std::sync::LazyLock;

/// Slots that are coded together and can be decoded without others.
pub const PART_SLOTS: usize = 1024;

/// What is known of a slot before it is decoded: a number for each table of weights, which are laid end to end.
type Contexts = [usize; 5];

/// Where each table of weights begins, and the end of the last.
const BEGINS: [usize; 6] = {
    let lengths = [36 * 256, 12 * 256, 12 * 256, 12 * 256, 144 * 12];
    let mut begins = [0; 6];
    let mut table = 0;
    while table < lengths.len() {
        begins[table + 1] = begins[table] + lengths[table];
        table += 1;
    }
    begins
};
/// Number of weights of each kind.
const WEIGHTS: usize = BEGINS[5];
/// Length of a model in bytes.
pub(super) const MODEL_BYTES: usize = 2 * WEIGHTS;

/// Mark of a neighbouring slot that is no position or not in the part.
const MISSING: u8 = 3;

/// What the model needs to know of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Whether the corners of the squares are joined.
    pub diagonals: bool,
    /// Whether the mover places or flies, so that it reaches every empty point.
    pub own_anywhere: bool,
    /// Whether the opponent will.
    pub theirs_anywhere: bool,
}

impl Geometry {
    /// That of a sector of `game`.
    pub const fn new(game: &SolvedGame, sector: Sector) -> Self {
        Self {
            diagonals: game.diagonals,
            own_anywhere: sector.own_hand > 0 || sector.own <= game.fly_at,
            theirs_anywhere: sector.their_hand > 0 || sector.theirs <= game.fly_at,
        }
    }

    /// As one byte of a file.
    pub(super) const fn to_byte(self) -> u8 {
        self.diagonals as u8 | (self.own_anywhere as u8) << 1 | (self.theirs_anywhere as u8) << 2
    }

    /// The inverse of [`to_byte`](Self::to_byte).
    pub(super) const fn from_byte(byte: u8) -> Self {
        Self { diagonals: byte & 1 != 0, own_anywhere: byte & 2 != 0, theirs_anywhere: byte & 4 != 0 }
    }

    /// The points at which a man would complete a line of `set`, and those of them that a slide from
    /// outside the line reaches.
    #[inline(always)]
    fn closing(self, set: u32) -> (u32, u32) {
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

/// How many of the opponent's lowest men have neighbours that are looked at.
const MEN: usize = 6;
/// Number of neighbours: each of the men one point lower, and all but the last two points lower.
const NEIGHBOURS: usize = 2 * MEN - 1;

/// How far back in a row the set lies in which the j-th lowest man stands one point lower (lower half) and two points
/// lower (upper half), on the points that the mover leaves free; by j, by which of the two points below are occupied,
/// and by the man's point. `FAR` where there is no such set.
static STEPS: [[[u32; 64]; 4]; MEN] = {
    let mut steps = [[[FAR << 16 | FAR; 64]; 4]; MEN];
    let mut j = 0;
    while j < MEN {
        let mut point = 1;
        while point < 24 {
            // A set's rank is the sum of C(point, j + 1) over its men.
            let one = BINOMIAL[point - 1][j];
            let (mut free, mut passed) = (FAR, FAR);
            if point >= 2 {
                free = one + BINOMIAL[point - 2][j];
                if j > 0 {
                    // The man takes the place of the next lower one, which goes down in its stead.
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

/// A step that leads out of every part.
const FAR: u32 = 0x7FFF;

const fn nearby(step: u32) -> u32 {
    if step < FAR { step } else { FAR }
}

/// What can be told of the slots of a part without their results.
struct Survey {
    count: usize,
    /// For each slot the contexts, as far as they do not depend on results.
    tactics: [u16; PART_SLOTS],
    mills: [u16; PART_SLOTS],
    slides: [u16; PART_SLOTS],
    shape: [u16; PART_SLOTS],
    /// For each slot the places of its neighbours in the part; `PART_SLOTS` for one that is missing.
    neighbours: [[u16; PART_SLOTS]; NEIGHBOURS],
}

/// The results of a part as far as they are known, with room behind for those that are missing.
struct Known([u8; 2 * PART_SLOTS]);

impl Known {
    const fn new() -> Self {
        Self([MISSING; 2 * PART_SLOTS])
    }

    #[inline(always)]
    fn get(&self, place: u16) -> usize {
        usize::from(self.0[usize::from(place) & (2 * PART_SLOTS - 1)])
    }

    #[inline(always)]
    fn set(&mut self, place: usize, result: u8) {
        self.0[place & (PART_SLOTS - 1)] = result;
    }
}

impl Survey {
    const fn new() -> Self {
        const ZEROS: [u16; PART_SLOTS] = [0; PART_SLOTS];
        Self {
            count: 0,
            tactics: ZEROS,
            mills: ZEROS,
            slides: ZEROS,
            shape: ZEROS,
            neighbours: [ZEROS; NEIGHBOURS],
        }
    }

    /// Looks at the `count` slots from `first` on.
    fn make(&mut self, sector: Sector, geometry: Geometry, first: u64, count: usize) {
        debug_assert!(count <= PART_SLOTS);
        self.count = count;
        let index = Index::get();
        let representatives = &index.classes(sector.own as usize).representatives;
        let length = sector.row_length() as u64;
        let (mut row, rank) = ((first / length) as usize, (first % length) as u32);
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
                self.find_neighbours(set, begin, end);
                end += 1;
            }
            self.look(geometry, own, &theirs, begin, end);
            begin = end;
            row += 1;
            sets = subsets_from(points, (1 << sector.theirs) - 1);
        }
    }

    /// Notes where the neighbours of `set`, in place `place`, are, if not before the beginning of the row.
    #[inline(always)]
    fn find_neighbours(&mut self, set: u32, begin: usize, place: usize) {
        let place_of = |step: u32| {
            let step = step as usize;
            if step <= place - begin { (place - step) as u16 } else { PART_SLOTS as u16 }
        };
        let mut men = set;
        for (j, steps) in STEPS.iter().enumerate() {
            // Without a man it is point 32, from which no step leads.
            let point = men.trailing_zeros();
            men &= men.wrapping_sub(1);
            let below = (u64::from(set) << 2 >> point) & 3;
            let steps = steps[below as usize][(point & 63) as usize];
            self.neighbours[j][place & (PART_SLOTS - 1)] = place_of(steps & 0xFFFF);
            if j < MEN - 1 {
                self.neighbours[MEN + j][place & (PART_SLOTS - 1)] = place_of(steps >> 16);
            }
        }
    }

    /// Looks at the positions of one row.
    #[inline(always)]
    fn look(&mut self, geometry: Geometry, own: u32, theirs: &[u32; PART_SLOTS], begin: usize, end: usize) {
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
            // Eight men stand in at most two mills that share none.
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

    /// What is known of a slot when the results before it are.
    #[inline(always)]
    fn contexts(&self, place: usize, known: &Known) -> Contexts {
        let place = place & (PART_SLOTS - 1);
        let result = |number: usize| known.get(self.neighbours[number][place]);
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

/// Weights are counted in sixteenths of a bit: by how much a context makes a loss or a win more likely than a draw.
const UNITS_PER_BIT: i32 = 16;

/// Sums of weights are looked up in quarters of a bit, from -16 to 16 bits.
const STEPS_PER_BIT: i32 = 4;
const LEVELS: i32 = 32 * STEPS_PER_BIT;

/// The shares of a win and a draw for every pair of levels (loss, win).
static SHARES: LazyLock<Vec<Shares>> = LazyLock::new(|| {
    // 2^(k/4) in units of 2^-16, rounded.
    const QUARTERS: [u64; 4] = [65_536, 77_936, 92_682, 110_218];
    let likelihood = |level: i32| QUARTERS[(level & 3) as usize] << (level >> 2);
    // Each result keeps at least one unit.
    let divide = 65_536 - 3;
    let draw = likelihood(LEVELS / 2);
    let pairs = (0..LEVELS).flat_map(|loss| (0..LEVELS).map(move |win| (likelihood(loss), likelihood(win))));
    pairs
        .map(|(loss, win)| {
            let sum = loss + draw + win;
            let (loss, win) = (1 + loss * divide / sum, 1 + win * divide / sum);
            [win as u16, (65_536 - loss) as u16]
        })
        .collect()
});

/// Index into [`SHARES`] for sums of weights.
#[inline(always)]
fn level_of(loss: i32, win: i32) -> usize {
    let level = |sum: i32| {
        let step = UNITS_PER_BIT / STEPS_PER_BIT;
        ((sum + step / 2).div_euclid(step) + LEVELS / 2).clamp(0, LEVELS - 1)
    };
    (level(loss) * LEVELS + level(win)) as usize
}

/// By how much losses and wins were more frequent in a part so far than foreseen, for each of the twelve tactics: a
/// correction to the sums of weights, in 2^-16 of their unit.
#[derive(Clone, Copy)]
struct Corrections([[i32; 2]; 16]);

impl Corrections {
    /// How far a correction moves, in units of weights, for a result that was held impossible. Of 1 to 32, 8 made
    /// the smallest files.
    const STEP: i32 = 8;

    const fn new() -> Self {
        Self([[0; 2]; 16])
    }

    /// Index of the shares, into [`SHARES`], for the sums of weights of loss and win.
    #[inline(always)]
    fn level(&self, tactics: u16, [loss, win]: [i32; 2]) -> usize {
        let [loss_before, win_before] = self.0[usize::from(tactics & 15)];
        level_of(loss + (loss_before >> 16), win + (win_before >> 16))
    }

    /// Takes notice of a result for which `shares` was foreseen.
    #[inline(always)]
    fn learn(&mut self, tactics: u16, shares: Shares, result: u8) {
        let [loss, win] = errors(shares, result);
        let before = &mut self.0[usize::from(tactics & 15)];
        before[0] += Self::STEP * loss;
        before[1] += Self::STEP * win;
    }
}

/// By how much a loss and a win were too little expected, in 2^-16.
#[inline(always)]
fn errors([win, draw]: Shares, result: u8) -> [i32; 2] {
    let one = |is_so| i32::from(is_so) << 16;
    [one(result == 0) - ((1 << 16) - i32::from(draw)), one(result == 2) - i32::from(win)]
}

/// How the results of one sector depend on what is known of a slot.
pub(super) struct Model {
    /// For each context the weight of a win, and that of a loss times 2^16.
    weights: Vec<i32>,
}

impl Model {
    /// A model from [`MODEL_BYTES`] bytes: for each context the weights of loss and win.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let pack = |pair: &[u8; 2]| (i32::from(pair[0] as i8) << 16) + i32::from(pair[1] as i8);
        Self { weights: bytes.as_chunks().0.iter().map(pack).collect() }
    }

    /// Goes through the slots of a part in order: `next` is given what each result is likely to be, and gives the
    /// result.
    #[inline(always)]
    fn follow(
        &self,
        sector: Sector,
        geometry: Geometry,
        first: u64,
        count: usize,
        mut next: impl FnMut(usize, Shares) -> u8,
    ) {
        let mut survey = Survey::new();
        survey.make(sector, geometry, first, count);
        let mut known = Known::new();
        let mut corrections = Corrections::new();
        let shares = &**SHARES;
        for place in 0..count.min(PART_SLOTS) {
            let contexts = survey.contexts(place, &known);
            let sum: i32 = contexts.iter().map(|&context| self.weights[context]).sum();
            let win = i32::from(sum as i16);
            let tactics = survey.tactics[place];
            let shares = shares[corrections.level(tactics, [(sum - win) >> 16, win])];
            let result = next(place, shares);
            known.set(place, result);
            corrections.learn(tactics, shares, result);
        }
    }

    /// The results of the slots from `first` on as digits.
    pub(super) fn encode(&self, sector: Sector, geometry: Geometry, first: u64, results: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::new();
        self.follow(sector, geometry, first, results.len(), |place, shares| {
            encoder.put(shares, results[place]);
            results[place]
        });
        encoder.finish()
    }

    /// The inverse of [`encode`](Self::encode): the results of as many slots as `results` is long.
    pub(super) fn decode(
        &self,
        sector: Sector,
        geometry: Geometry,
        first: u64,
        digits: &[u8],
        results: &mut [u8],
    ) {
        let mut decoder = Decoder::new(digits);
        self.follow(sector, geometry, first, results.len(), |place, shares| {
            results[place] = decoder.get(shares);
            results[place]
        });
    }
}

/// Parts that a model is trained on: of small sectors all, of larger ones at least the first number, of large ones a
/// sixteenth and at most the second.
const TRAINING_PARTS: [u64; 2] = [2048, 16_384];
/// Parts that are trained on slot by slot in turn, so that the weights do not follow a single one.
const GROUP: usize = 64;
/// Step of the training at its beginning; it falls to nothing.
const TRAINING_STEP: f32 = 0.5;

/// A slot to learn from.
#[derive(Clone)]
struct Example {
    contexts: [u16; 5],
    tactics: u16,
    result: u8,
}

/// Finds the weights for a table by stochastic gradient descent on the length of its code; `result` tells the results
/// of slots. The outcome depends on nothing else.
pub(super) fn train(
    sector: Sector,
    geometry: Geometry,
    threads: usize,
    result: impl Fn(u64) -> u8 + Sync,
) -> Vec<u8> {
    let slots = sector.slots();
    let parts = slots.div_ceil(PART_SLOTS as u64);
    let sampled = parts.min((parts / 16).clamp(TRAINING_PARTS[0], TRAINING_PARTS[1]));
    let groups = sampled.div_ceil(GROUP as u64);
    let shares = &**SHARES;
    let mut weights = vec![[0f32; 2]; WEIGHTS];
    let mut examples: Vec<Vec<Example>> = vec![Vec::new(); GROUP];
    for group in 0..groups {
        let items = examples.iter_mut().enumerate();
        share(threads, items, Survey::new, |survey, (number, examples)| {
            examples.clear();
            // The parts of a group lie far apart.
            let number = number as u64 * groups + group;
            if number >= sampled {
                return;
            }
            let first = number * parts / sampled * PART_SLOTS as u64;
            let count = (slots - first).min(PART_SLOTS as u64) as usize;
            survey.make(sector, geometry, first, count);
            let mut known = Known::new();
            for (place, slot) in (first..).take(count).enumerate() {
                let (contexts, result) = (survey.contexts(place, &known), result(slot));
                known.set(place, result);
                let contexts = contexts.map(|context| context as u16);
                examples.push(Example { contexts, tactics: survey.tactics[place], result });
            }
        });
        let step = TRAINING_STEP * (1.0 - group as f32 / groups as f32);
        let mut corrections = [Corrections::new(); GROUP];
        for place in 0..PART_SLOTS {
            for (examples, corrections) in examples.iter().zip(&mut corrections) {
                let Some(&Example { contexts, tactics, result }) = examples.get(place) else { continue };
                let sum = contexts.iter().fold([0.0, 0.0], |sum, &context| {
                    let [loss, win] = weights[usize::from(context)];
                    [sum[0] + loss, sum[1] + win]
                });
                let shares = shares[corrections.level(tactics, sum.map(|sum| sum as i32))];
                corrections.learn(tactics, shares, result);
                let [loss, win] = errors(shares, result).map(|error| step * error as f32 / 65_536.0);
                for context in contexts {
                    let weight = &mut weights[usize::from(context)];
                    weight[0] += loss;
                    weight[1] += win;
                }
            }
        }
    }
    weights.iter().flatten().map(|weight| weight.round().clamp(-127.0, 127.0) as i8 as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(state: &mut u64) -> u32 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as u32
    }

    const SECTORS: [Sector; 6] = [
        Sector { own: 3, theirs: 3, own_hand: 0, their_hand: 0 },
        Sector { own: 4, theirs: 5, own_hand: 0, their_hand: 0 },
        Sector { own: 8, theirs: 8, own_hand: 1, their_hand: 0 },
        Sector { own: 9, theirs: 1, own_hand: 0, their_hand: 0 },
        Sector { own: 0, theirs: 0, own_hand: 9, their_hand: 9 },
        Sector { own: 12, theirs: 11, own_hand: 0, their_hand: 0 },
    ];

    #[test]
    fn shares_leave_every_result_possible() {
        assert!(SHARES.iter().all(|&[win, draw]| 0 < win && win < draw));
        let even = SHARES[level_of(0, 0)];
        assert!((21_840..21_850).contains(&even[0]) && (43_685..43_695).contains(&even[1]));
    }

    #[test]
    fn neighbours_are_the_sets_with_one_man_lower() {
        let index = Index::get();
        for sector in SECTORS {
            let points = 24 - u32::from(sector.own);
            let men = sector.theirs as usize;
            let mut survey = Survey::new();
            let count = sector.slots().min(PART_SLOTS as u64) as usize;
            let first = sector.slots() - count as u64;
            survey.make(sector, Geometry::from_byte(0), first, count);
            for place in 0..count {
                let slot = first + place as u64;
                let row = sector.row_length() as u64;
                let set = index.unrank(men, (slot % row) as u32);
                for (number, neighbours) in survey.neighbours.iter().enumerate() {
                    let (j, down) = if number < MEN { (number, 1) } else { (number - MEN, 2) };
                    let man = board::members(set).nth(j).filter(|&man| man >= down);
                    let lower = man.map(|man| (man, man - down)).filter(|(_, to)| set >> to & 1 == 0);
                    let expected = lower
                        .map(|(man, to)| {
                            slot - slot % row + u64::from(index.rank(men, set & !(1 << man) | 1 << to))
                        })
                        .filter(|&at| at >= first)
                        .map_or(PART_SLOTS, |at| (at - first) as usize);
                    assert_eq!(
                        usize::from(neighbours[place]),
                        expected,
                        "{sector} slot {slot} of {points} points"
                    );
                }
            }
        }
    }

    #[test]
    fn points_that_close_mills_are_those_a_move_closes() {
        let mut state = 3;
        for _ in 0..2000 {
            let own = random(&mut state) & random(&mut state) & FULL;
            for diagonals in [false, true] {
                let geometry = Geometry { diagonals, own_anywhere: false, theirs_anywhere: false };
                let (completing, reached) = geometry.closing(own);
                for point in board::members(FULL & !own) {
                    let closes = |set: u32| in_mills(set, diagonals) >> point & 1 != 0;
                    assert_eq!(completing >> point & 1 != 0, closes(own | 1 << point));
                    let slides = board::members(board::neighbours(point, diagonals) & own)
                        .any(|from| closes(own & !(1 << from) | 1 << point));
                    assert_eq!(reached >> point & 1 != 0, slides, "{own:06x} {point} {diagonals}");
                }
            }
        }
    }

    #[test]
    fn any_results_come_back_from_any_model() {
        let mut state = 5;
        for sector in SECTORS {
            for byte in 0..8 {
                let geometry = Geometry::from_byte(byte);
                assert_eq!(geometry.to_byte(), byte);
                let bytes: Vec<u8> = (0..MODEL_BYTES).map(|_| random(&mut state) as u8).collect();
                let model = Model::from_bytes(&bytes);
                let count = sector.slots().min(PART_SLOTS as u64);
                let first = u64::from(random(&mut state)) % (sector.slots() - count + 1);
                let results: Vec<u8> = (0..count).map(|_| (random(&mut state) % 3) as u8).collect();
                let digits = model.encode(sector, geometry, first, &results);
                let mut found = vec![0; results.len()];
                model.decode(sector, geometry, first, &digits, &mut found);
                assert!(found == results, "{sector}");
            }
        }
    }

    /// What can be foreseen takes little room, whatever the number of threads.
    #[test]
    fn training_finds_what_results_depend_on() {
        let sector = Sector::moving(4, 4);
        let geometry = Geometry::from_byte(0);
        let result = |slot: u64| {
            let (own, theirs) = sector.position(slot);
            let closes = geometry.closing(own).1 & FULL & !own & !theirs != 0;
            if closes { 2 } else { u8::from(in_mills(theirs, false) == 0) }
        };
        let bytes = train(sector, geometry, 1, result);
        assert_eq!(bytes.len(), MODEL_BYTES);
        assert!(bytes == train(sector, geometry, 3, result));
        let model = Model::from_bytes(&bytes);
        let (mut seen, mut length) = ([0; 3], 0);
        let parts = sector.slots() / PART_SLOTS as u64;
        for part in 0..parts {
            let first = part * PART_SLOTS as u64;
            let results: Vec<u8> = (first..).take(PART_SLOTS).map(result).collect();
            results.iter().for_each(|&result| seen[usize::from(result)] += 1);
            length += model.encode(sector, geometry, first, &results).len() as u64;
        }
        assert!(seen.iter().all(|&times| times > 1000), "{seen:?}");
        assert!(length < 20 * parts, "{length} bytes for {parts} parts");
    }
}
