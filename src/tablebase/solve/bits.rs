//! Sets of sets: a bit for each set of the free points of a row. Turns of one kind from all positions of a
//! row are then undone together, by shifts: to take a man from a point or to put one there moves the bits of
//! all sets by the same distance.
//!
//! A set of squeezed points is a number of up to 24 bits. Its low bits give the place in a [`Block`], the
//! others the block. Blocks without a set of the right size are left out and stay zero.

use super::row::Row;
use crate::tablebase::format::board::{LINES_PER_POINT, members, set_bits};
use crate::tablebase::format::game::TurnKind;
use crate::tablebase::format::intrinsics::{spread_word, squeeze_word};
use crate::tablebase::format::value::{TbValue, Wdl};

/// The number of points in a block.
const LOW: u32 = 8;
/// The number of points in a word of a block.
const WORD: u32 = 6;

/// A bit for each set of the lowest eight points.
type Block = [u64; 4];

/// Outcomes for the side whose turns are undone, by its sets before or after a turn.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Outcomes {
    /// The sets with which it wins.
    pub(super) won: Block,
    /// The sets with which it wins or draws.
    pub(super) held: Block,
}

/// For each set of the lowest eight points the sets that contain it.
static CONTAINING: [Block; 1 << LOW] = {
    let mut table = [[0; 4]; 1 << LOW];
    let mut part = 0;
    while part < 1 << LOW {
        let mut set = 0;
        while set < 1 << LOW {
            if set & part == part {
                table[part][set >> WORD] |= 1 << (set & 63);
            }
            set += 1;
        }
        part += 1;
    }
    table
};

/// For each number of members the sets of the lowest six points that have so many.
const OF_SIZE: [u64; WORD as usize + 1] = {
    let mut table = [0; WORD as usize + 1];
    let mut set = 0u64;
    while set < 64 {
        table[set.count_ones() as usize] |= 1 << set;
        set += 1;
    }
    table
};

/// The places of the bits of all sets of one size.
pub(super) struct SetLayout {
    men: u32,
    /// The blocks with such sets, ascending.
    blocks: Vec<u32>,
    /// For each point from the ninth on those blocks whose sets contain it.
    with: Vec<Vec<u32>>,
    /// For each point from the ninth on the other blocks.
    without: Vec<Vec<u32>>,
}

impl SetLayout {
    /// Returns the layout of the sets of `men` of the lowest `points` points. `points` is at least eight.
    pub(super) fn new(points: u32, men: u32) -> Self {
        let fits = |block: &u32| (block.count_ones()..=block.count_ones() + LOW).contains(&men);
        let blocks: Vec<u32> = (0..1 << (points - LOW)).filter(fits).collect();
        let split = |point| blocks.iter().partition(|&block| block >> point & 1 != 0);
        let (with, without) = (0..points - LOW).map(split).unzip();
        Self { men, blocks, with, without }
    }

    /// Returns the sets in a word of a block.
    #[inline(always)]
    fn mask(&self, block: u32, word: u32) -> u64 {
        let low = self.men.wrapping_sub(block.count_ones() + word.count_ones()) as usize;
        OF_SIZE.get(low).copied().unwrap_or(0)
    }

    /// Calls `action` for each word: with its block, its number there, and the mask of the sets in it. In
    /// this order the sets ascend.
    #[inline(always)]
    fn words(&self, mut action: impl FnMut(usize, usize, u64)) {
        for &block in &self.blocks {
            for word in 0..4u32 {
                action(block as usize, word as usize, self.mask(block, word));
            }
        }
    }

    /// Sets the outcomes from the bits of the sets in ascending order.
    pub(super) fn expand(&self, won: &[u64], held: &[u64], outcomes: &mut [Outcomes]) {
        let mut first = 0;
        self.words(|block, word, mask| {
            outcomes[block].won[word] = spread_word(bits_from(won, first), mask);
            outcomes[block].held[word] = spread_word(bits_from(held, first), mask);
            first += mask.count_ones() as usize;
        });
    }

    /// Adds the bits of the outcomes to those of the sets in ascending order.
    pub(super) fn pack(&self, outcomes: &[Outcomes], won: &mut [u64], held: &mut [u64]) {
        let mut first = 0;
        self.words(|block, word, mask| {
            add_bits(won, first, squeeze_word(outcomes[block].won[word], mask));
            add_bits(held, first, squeeze_word(outcomes[block].held[word], mask));
            first += mask.count_ones() as usize;
        });
    }

    /// Removes the outcomes of all sets.
    pub(super) fn clear(&self, outcomes: &mut [Outcomes]) {
        for &block in &self.blocks {
            outcomes[block as usize] = Outcomes::default();
        }
    }

    /// Calls `action` for each set that has all points of one of `lines`.
    pub(super) fn with_any(&self, lines: &[u32], mut action: impl FnMut(u32)) {
        for &block in &self.blocks {
            let milled = milled_in(block as usize, lines);
            for (word, milled) in (0..).zip(milled) {
                let mut milled = milled & self.mask(block, word);
                while milled != 0 {
                    action(block << LOW | word << WORD | milled.trailing_zeros());
                    milled &= milled - 1;
                }
            }
        }
    }
}

/// The outcomes of turns that close mills.
#[derive(Clone, Copy)]
pub(super) enum MillOutcomes<'a> {
    /// Those of quiet turns: mills count later.
    Quiet,
    /// None: these turns are left out.
    Omitted,
    /// Those after a take.
    After(&'a [Outcomes]),
}

/// Undoes the turns of one kind.
pub(super) struct Undo {
    kind: TurnKind,
    points: u32,
    /// The sets of the mover before the turn.
    pub(super) before: SetLayout,
    /// Those after it.
    pub(super) after: SetLayout,
    /// Those without the man that turns.
    rest: SetLayout,
}

impl Undo {
    /// Undoes turns that begin with `men` men of the mover on the board. `points` is the number of points
    /// that the row leaves free.
    pub(super) fn new(kind: TurnKind, points: u32, men: u32) -> Self {
        let after = men + u32::from(kind.placed());
        let [before, after, rest] = [men, after, after - 1].map(|men| SetLayout::new(points, men));
        Self { kind, points, before, after, rest }
    }

    /// Returns room for the outcomes of all sets.
    pub(super) fn room(&self) -> Vec<Outcomes> {
        vec![Outcomes::default(); 1 << (self.points - LOW)]
    }

    /// About how much is done: the number of blocks, once for each point.
    pub(super) fn work(&self) -> usize {
        self.points as usize * self.before.blocks.len()
    }

    /// Adds to `before` what the turns without interventions lead to: `quiet` for those that close no mill,
    /// left out if `None`. `arrivals` is [room](Self::room) that nothing else uses.
    pub(super) fn add(
        &self,
        row: &Row,
        quiet: Option<&[Outcomes]>,
        mills: MillOutcomes<'_>,
        arrivals: &mut [Outcomes],
        before: &mut [Outcomes],
    ) {
        for point in (0..self.points).filter(|point| row.intervening >> point & 1 == 0) {
            self.arrive(row, point, quiet, mills, arrivals);
            self.depart(row, point, arrivals, before);
        }
    }

    /// Adds to `before` what the interventions at `point` lead to: `outcomes`, by the sets after them.
    pub(super) fn add_interventions(
        &self,
        row: &Row,
        point: u32,
        outcomes: &[Outcomes],
        arrivals: &mut [Outcomes],
        before: &mut [Outcomes],
    ) {
        self.arrive(row, point, Some(outcomes), MillOutcomes::Quiet, arrivals);
        self.depart(row, point, arrivals, before);
    }

    /// Adds the outcomes of `arrivals` at `point` to those of the sets from which the man came.
    fn depart(&self, row: &Row, point: u32, arrivals: &[Outcomes], before: &mut [Outcomes]) {
        match self.kind {
            TurnKind::Place => {
                for &block in &self.before.blocks {
                    before[block as usize].or(arrivals[block as usize]);
                }
            }
            TurnKind::Slide => {
                for origin in members(row.targets[point as usize] & !(1 << point)) {
                    self.put_back(origin, arrivals, before);
                }
            }
        }
    }

    /// Sets `arrivals` to the outcomes of the turns that lead to `point`, by the sets without that man.
    fn arrive(
        &self,
        row: &Row,
        point: u32,
        quiet: Option<&[Outcomes]>,
        mills: MillOutcomes<'_>,
        arrivals: &mut [Outcomes],
    ) {
        let lines = row.partners(point);
        if let Some(high) = point.checked_sub(LOW) {
            for &block in &self.rest.without[high as usize] {
                arrivals[block as usize] = outcomes_in(block as usize | 1 << high, lines, quiet, mills);
            }
            for &block in &self.rest.with[high as usize] {
                arrivals[block as usize] = Outcomes::default();
            }
        } else {
            for &block in &self.rest.blocks {
                let outcomes = outcomes_in(block as usize, lines, quiet, mills);
                arrivals[block as usize] =
                    Outcomes { won: without(outcomes.won, point), held: without(outcomes.held, point) };
            }
        }
    }

    /// Adds the outcomes of `arrivals` to those of the sets that have a man on `origin` besides.
    fn put_back(&self, origin: u32, arrivals: &[Outcomes], before: &mut [Outcomes]) {
        if let Some(high) = origin.checked_sub(LOW) {
            for &block in &self.before.with[high as usize] {
                before[block as usize].or(arrivals[block as usize ^ 1 << high]);
            }
        } else {
            for &block in &self.before.blocks {
                let Outcomes { won, held } = arrivals[block as usize];
                before[block as usize].or(Outcomes { won: with(won, origin), held: with(held, origin) });
            }
        }
    }
}

impl Outcomes {
    #[inline(always)]
    fn or(&mut self, other: Self) {
        or(&mut self.won, other.won);
        or(&mut self.held, other.held);
    }

    /// Takes the outcomes of the sets in `sets` from `other`.
    #[inline(always)]
    fn replace(&mut self, sets: Block, other: Self) {
        *self = Self { won: and_not(self.won, sets), held: and_not(self.held, sets) };
        self.or(Self { won: and(other.won, sets), held: and(other.held, sets) });
    }
}

/// Returns the outcomes of turns that lead to sets of a block, where `lines` are those through the point of
/// the moved man.
#[inline(always)]
fn outcomes_in(
    block: usize,
    lines: [u32; LINES_PER_POINT],
    quiet: Option<&[Outcomes]>,
    mills: MillOutcomes<'_>,
) -> Outcomes {
    let mut found = quiet.map_or(Outcomes::default(), |quiet| quiet[block]);
    if let MillOutcomes::Quiet = mills {
        return found;
    }
    let after_mills = if let MillOutcomes::After(taken) = mills { taken[block] } else { Outcomes::default() };
    found.replace(milled_in(block, &lines), after_mills);
    found
}

/// Returns the sets of a block that contain one of `lines`.
#[inline(always)]
fn milled_in(block: usize, lines: &[u32]) -> Block {
    let mut milled = [0; 4];
    for &line in lines {
        let high = (line >> LOW) as usize;
        if block & high == high {
            or(&mut milled, CONTAINING[(line & 0xFF) as usize]);
        }
    }
    milled
}

// Loops, since the compiler turns them into vectors; of closures over arrays it does not always.

/// Adds the sets of `other`.
#[inline(always)]
fn or(sets: &mut Block, other: Block) {
    for word in 0..4 {
        sets[word] |= other[word];
    }
}

/// Returns the sets in both.
#[inline(always)]
fn and(mut sets: Block, other: Block) -> Block {
    for word in 0..4 {
        sets[word] &= other[word];
    }
    sets
}

/// Returns the sets that are not in `other`.
#[inline(always)]
fn and_not(mut sets: Block, other: Block) -> Block {
    for word in 0..4 {
        sets[word] &= !other[word];
    }
    sets
}

/// Returns those sets that contain `point` of the lowest eight, without it.
#[inline(always)]
fn without(sets: Block, point: u32) -> Block {
    let mut sets = and(sets, CONTAINING[1 << point]);
    match point {
        7 => [sets[2], sets[3], 0, 0],
        6 => [sets[1], 0, sets[3], 0],
        _ => {
            for word in &mut sets {
                *word >>= 1 << point;
            }
            sets
        }
    }
}

/// Returns those sets that do not contain `point` of the lowest eight, with it.
#[inline(always)]
fn with(sets: Block, point: u32) -> Block {
    let mut sets = and_not(sets, CONTAINING[1 << point]);
    match point {
        7 => [0, 0, sets[0], sets[1]],
        6 => [0, sets[0], 0, sets[2]],
        _ => {
            for word in &mut sets {
                *word <<= 1 << point;
            }
            sets
        }
    }
}

/// Sets the outcome of one set from the value of the position for the other side.
#[inline(always)]
pub(super) fn note(outcomes: &mut [Outcomes], set: u32, value: TbValue) {
    let (word, bit) = ((set >> WORD & 3) as usize, 1 << (set & 63));
    let outcomes = &mut outcomes[(set >> LOW) as usize];
    let wdl = value.wdl();
    outcomes.won[word] |= if wdl == Wdl::Loss { bit } else { 0 };
    outcomes.held[word] |= if wdl == Wdl::Win { 0 } else { bit };
}

/// Returns the number of words for a bit of each of so many entries.
pub(super) const fn words_for(entries: usize) -> usize {
    entries.div_ceil(64)
}

/// Returns the bits of a word that belong to entries.
pub(super) fn valid(word: usize, entries: usize) -> u64 {
    u64::MAX >> (64 * (word + 1)).saturating_sub(entries)
}

/// Returns true if a bit is set.
#[inline(always)]
pub(super) fn has_bit(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 != 0
}

/// Sets a bit.
#[inline(always)]
pub(super) fn set_bit(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

/// Iterates over the set bits, ascending.
pub(super) fn bits_of(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(word, &bits)| set_bits(bits).map(move |bit| word * 64 + bit))
}

/// Returns 64 bits from number `first` on, with zeros after the end.
#[inline(always)]
fn bits_from(words: &[u64], first: usize) -> u64 {
    let word = |number: usize| words.get(number).copied().unwrap_or(0);
    word(first / 64) >> (first % 64) | word(first / 64 + 1) << 1 << (63 - first % 64)
}

/// Adds bits from number `first` on; those after the end are zero.
#[inline(always)]
fn add_bits(words: &mut [u64], first: usize, bits: u64) {
    if let Some(word) = words.get_mut(first / 64) {
        *word |= bits << (first % 64);
    }
    if let Some(word) = words.get_mut(first / 64 + 1) {
        *word |= bits >> 1 >> (63 - first % 64);
    }
}

/// Sets the bits of `won` and `held` from the values of positions for the other side.
pub(super) fn outcomes_of(values: &[u8], won: &mut [u64], held: &mut [u64]) {
    for ((values, won), held) in values.chunks(64).zip(won).zip(held) {
        (*won, *held) = (0, 0);
        for (eight, values) in values.chunks(8).enumerate() {
            let mut bytes = [TbValue::WIN_NOW.0; 8];
            bytes[..values.len()].copy_from_slice(values);
            let values = u64::from_le_bytes(bytes);
            // A draw is the byte 128, a loss less, a win more.
            let not_lost = values & HIGH;
            let is_won = not_lost & ((values & !HIGH) + !HIGH);
            *won |= high_bits(!not_lost & HIGH) << (8 * eight);
            *held |= high_bits(!is_won & HIGH) << (8 * eight);
        }
    }
}

/// The highest bit of each byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Gathers the highest bits of eight bytes; the other bits are zero.
#[inline(always)]
const fn high_bits(bytes: u64) -> u64 {
    (bytes >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tablebase::format::game::SolvedGame;
    use crate::tablebase::format::index::{Index, subsets};

    /// A value for a set that looks like chance: lost, drawn or won for the side that is to move then.
    fn value(set: u32, salt: u32) -> TbValue {
        let values = [TbValue::LOST, TbValue(1), TbValue::DRAW, TbValue::decided(3), TbValue::WIN_NOW];
        values[((set + salt).wrapping_mul(0x9E37_79B9) >> 16) as usize % values.len()]
    }

    #[test]
    fn bits_of_entries_become_outcomes_of_sets_and_back() {
        for (points, men) in [(8, 3), (12, 0), (13, 5), (14, 12), (17, 9), (24, 2)] {
            let values: Vec<u8> = subsets(points, men).map(|set| value(set, 1).0).collect();
            let words = words_for(values.len());
            let (mut won, mut held) = (vec![u64::MAX; words], vec![u64::MAX; words]);
            outcomes_of(&values, &mut won, &mut held);
            let layout = SetLayout::new(points, men);
            let mut outcomes = vec![Outcomes::default(); 1 << (points - LOW)];
            layout.expand(&won, &held, &mut outcomes);
            let mut noted = vec![Outcomes::default(); 1 << (points - LOW)];
            for (set, &value) in subsets(points, men).zip(&values) {
                note(&mut noted, set, TbValue(value));
            }
            assert!(outcomes == noted, "{points} {men}");
            let (mut won_again, mut held_again) = (vec![0; words], vec![0; words]);
            layout.pack(&outcomes, &mut won_again, &mut held_again);
            let tail = u64::MAX >> (64 * words - values.len());
            for (packed, again) in [(&mut won, won_again), (&mut held, held_again)] {
                *packed.last_mut().expect("a word") &= tail;
                assert!(*packed == again, "{points} {men}");
            }
        }
    }

    #[test]
    fn every_byte_is_a_win_a_draw_or_a_loss() {
        let values: Vec<u8> = (0..=u8::MAX).collect();
        let (mut won, mut held) = ([0; 4], [0; 4]);
        outcomes_of(&values, &mut won, &mut held);
        for value in values {
            let wdl = TbValue(value).wdl();
            let bit = |words: &[u64]| words[usize::from(value) / 64] >> (value % 64) & 1 != 0;
            assert_eq!((bit(&won), bit(&held)), (wdl == Wdl::Loss, wdl != Wdl::Win), "{value}");
        }
    }

    /// Undoes the turns one by one.
    fn undo_by_sets(undo: &Undo, row: &Row, men: u32, mills: MillOutcomes<'_>, before: &mut [Outcomes]) {
        for set in subsets(undo.points, men + u32::from(undo.kind.placed())) {
            for moved in members(set) {
                let value = match (row.mills_at(set, moved), mills) {
                    (0, _) | (_, MillOutcomes::Quiet) => value(set, 0),
                    (_, MillOutcomes::Omitted) => continue,
                    (_, MillOutcomes::After(_)) => value(set, 1),
                };
                let rest = set & !(1 << moved);
                match undo.kind {
                    TurnKind::Place => note(before, rest, value),
                    TurnKind::Slide => members(row.targets[moved as usize] & !set)
                        .for_each(|origin| note(before, rest | 1 << origin, value)),
                }
            }
        }
    }

    #[test]
    fn shifts_undo_the_same_turns_as_loops_over_sets() {
        let rules = Rules { has_diagonal_lines: true, ..Rules::NINE };
        let game = SolvedGame::new(&rules).expect("supported");
        for (theirs, men, flies) in
            [(12, 3, false), (12, 7, false), (9, 6, false), (10, 3, true), (0, 2, false)]
        {
            let points = 24 - theirs;
            let fixed = Index::get().unrank(theirs as usize, 777 * theirs);
            let row = Row::new(&game, fixed, flies);
            for kind in TurnKind::ALL {
                let undo = Undo::new(kind, points, men);
                let after = men + u32::from(kind.placed());
                let outcomes = |salt: u32| {
                    let mut outcomes = undo.room();
                    subsets(points, after).for_each(|set| note(&mut outcomes, set, value(set, salt)));
                    outcomes
                };
                let (quiet, taken) = (outcomes(0), outcomes(1));
                for mills in [MillOutcomes::Quiet, MillOutcomes::Omitted, MillOutcomes::After(&taken)] {
                    let (mut found, mut expected) = (undo.room(), undo.room());
                    undo.add(&row, Some(&quiet), mills, &mut undo.room(), &mut found);
                    undo_by_sets(&undo, &row, men, mills, &mut expected);
                    assert!(found == expected, "{theirs} {men} {kind:?}");
                }
            }
            let layout = SetLayout::new(points, men);
            let mut milled = Vec::new();
            layout.with_any(row.lines(), |set| milled.push(set));
            let expected = subsets(points, men).filter(|&set| row.milled(set) != 0);
            assert_eq!(milled, expected.collect::<Vec<_>>());
        }
    }
}
