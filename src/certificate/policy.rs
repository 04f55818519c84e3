//! The policy of a certificate: the order in which the turns of a position are tried. It sums weights of
//! patterns of the board after a turn, and deducts the slides that the opponent then has. If that leaves a
//! doubt, it looks at the replies to the first turns.

use super::turns::{TurnNode, TurnRules};
use crate::bitboard::{digits_of, mirrored};
use crate::platform::sorting::sort_short;
use crate::tablebase::format::board::count_slides;
use std::cmp::Ordering;
use std::sync::LazyLock;

/// The number of patterns: four sides, four corners, three rings.
pub(crate) const PATTERNS: usize = 11;
/// The number of stages: five for each number of men in hand, then one for each pair of numbers of men.
pub(crate) const STAGES: usize = IN_HAND + 13 * 13;
const IN_HAND: usize = 5 * 24;
/// The sets of weights: for positions after a turn, and after a reply.
pub(crate) const SETS: usize = 2;
/// The number of turns that are put in a new order.
const FIRST: usize = 4;
/// The least score of the replies to a turn if one of them wins, and its negation if there is none.
const DECIDED: i32 = -10_000;

/// States of the nine points of a side or corner.
const BLOCK: usize = 27 * 27 * 27;
/// States of the eight points of a ring.
const RING: usize = 6_561;

/// The classes of pattern states that symmetries of the board exchange.
#[derive(Debug)]
pub(crate) struct PolicyClasses {
    sides: Vec<u16>,
    corners: Vec<u16>,
    outer: Vec<u16>,
    middle: Vec<u16>,
    /// The number of classes of all kinds.
    pub count: usize,
}

/// The classes of pattern states.
pub(crate) static POLICY_CLASSES: LazyLock<PolicyClasses> = LazyLock::new(PolicyClasses::new);

/// The digits of each set of points of a ring.
static DIGITS: [[u16; 9]; 256] = {
    let mut digits = [[0; 9]; 256];
    let mut set = 0;
    while set < 256 {
        digits[set] = digits_of(set as u8);
        set += 1;
    }
    digits
};

impl PolicyClasses {
    fn new() -> Self {
        let mut count = 0;
        let blocks = |count: &mut usize| {
            number(BLOCK, count, |state| {
                let [a, b, c] = [state / 729, state / 27 % 27, state % 27];
                let join = |[a, b, c]: [usize; 3]| 729 * a + 27 * b + c;
                let images = [[a, b, c], [c, b, a]];
                images.into_iter().flat_map(|image| [join(image), join(image.map(mirrored))]).collect()
            })
        };
        let rings = |count: &mut usize| {
            number(RING, count, |state| {
                let digits: [usize; 8] = std::array::from_fn(|point| state / 3usize.pow(point as u32) % 3);
                let join = |at: &dyn Fn(usize) -> usize| {
                    (0..8).map(|point| digits[at(point) % 8] * 3usize.pow(point as u32)).sum()
                };
                let turns = (0..4).map(|turn| 2 * turn);
                turns.flat_map(|by| [join(&|point| point + by), join(&|point| 16 - point + by)]).collect()
            })
        };
        let (sides, corners) = (blocks(&mut count), blocks(&mut count));
        let (outer, middle) = (rings(&mut count), rings(&mut count));
        Self { sides, corners, outer, middle, count }
    }
}

/// Numbers the classes of `states` states from `count` on, in the order of the smallest state of each.
fn number(states: usize, count: &mut usize, images: impl Fn(usize) -> Vec<usize>) -> Vec<u16> {
    let mut classes = vec![u16::MAX; states];
    for state in 0..states {
        let first = images(state).into_iter().min().unwrap_or(state);
        if first == state {
            classes[state] = *count as u16;
            *count += 1;
        } else {
            classes[state] = classes[first];
        }
    }
    classes
}

/// Returns the classes of the patterns of a board.
#[inline]
pub(crate) fn classes(own: u32, theirs: u32) -> [u16; PATTERNS] {
    let classes = &*POLICY_CLASSES;
    let rings: [[u16; 9]; 3] = std::array::from_fn(|ring| {
        let digits = |set: u32| &DIGITS[(set >> (8 * ring) & 255) as usize];
        let (own, theirs) = (digits(own), digits(theirs));
        std::array::from_fn(|lane| own[lane] + 2 * theirs[lane])
    });
    let [outer, middle, inner] = rings;
    std::array::from_fn(|pattern| {
        let block = |lane: usize| {
            729 * usize::from(outer[lane]) + 27 * usize::from(middle[lane]) + usize::from(inner[lane])
        };
        match pattern {
            0..4 => classes.sides[block(pattern)],
            4..8 => classes.corners[block(pattern)],
            8 => classes.outer[usize::from(outer[8])],
            9 => classes.outer[usize::from(inner[8])],
            _ => classes.middle[usize::from(middle[8])],
        }
    })
}

/// Returns the stage of a position.
#[inline]
pub(crate) fn stage(node: TurnNode) -> usize {
    let (own, theirs) = (node.own.count_ones() as usize, node.theirs.count_ones() as usize);
    match usize::from(node.own_hand + node.their_hand) {
        0 => IN_HAND + 13 * own + theirs,
        in_hand => 5 * (in_hand - 1) + (2 + theirs).saturating_sub(own).min(4),
    }
}

/// The weights of the patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    /// For each set and stage the weights of all classes, or nothing if all are zero.
    pub weights: [Vec<Vec<i8>>; SETS],
    /// The deduction for each slide of the opponent.
    pub slide: u8,
    /// The score of the first turn below which the replies to the first turns count.
    pub limit: u8,
}

/// A turn with its place in the order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedTurn {
    /// The position after the turn, in which the opponent is to move.
    pub after: TurnNode,
    /// Smaller comes first; of equal ones the position with the smaller slot.
    key: (i32, bool),
    /// The sum of the score and twice the least score after a reply, if turns were ordered by it.
    sum: Option<i32>,
}

impl Policy {
    /// A policy without weights.
    pub(crate) fn empty(slide: u8, limit: u8) -> Self {
        Self { weights: [(); SETS].map(|()| vec![Vec::new(); STAGES]), slide, limit }
    }

    /// Returns the sum of the weights of a position.
    #[inline]
    fn sum(&self, set: usize, node: TurnNode) -> i32 {
        let weights = &self.weights[set][stage(node)];
        if weights.is_empty() {
            return 0;
        }
        let classes = classes(node.own, node.theirs);
        classes.iter().map(|&class| i32::from(weights[usize::from(class)])).sum()
    }

    /// Returns the score of a position after a turn; larger is better for the side that made it.
    #[inline]
    fn score(&self, rules: &TurnRules, after: TurnNode) -> i32 {
        let sum = self.sum(0, after);
        let slides = after.own_hand == 0 && after.own.count_ones() > u32::from(rules.game.fly_at);
        if !slides {
            return sum;
        }
        let empty = crate::tablebase::format::board::FULL & !(after.own | after.theirs);
        sum - i32::from(self.slide) * count_slides(after.own, empty, rules.game.diagonals) as i32
    }

    /// Returns the least score of the positions after the replies to a turn.
    fn least_reply(&self, rules: &TurnRules, after: TurnNode) -> i32 {
        let mut least = -DECIDED;
        rules.for_each(after, |next| {
            let score = if rules.has_too_few(next.own, next.own_hand) { DECIDED } else { self.sum(1, next) };
            least = least.min(score);
        });
        least
    }

    /// Fills `turns` with the turns of a position in the order in which they are tried. If a turn ends the
    /// game at once, it alone is listed.
    pub(crate) fn rank(&self, rules: &TurnRules, node: TurnNode, turns: &mut Vec<RankedTurn>) {
        let ordered = self.rank_first(rules, node, turns);
        self.rank_rest(turns, ordered);
    }

    /// As [`rank`](Self::rank), but leaves most turns in any order. Returns the number of those at their
    /// places.
    pub(crate) fn rank_first(&self, rules: &TurnRules, node: TurnNode, turns: &mut Vec<RankedTurn>) -> usize {
        self.list(rules, node, turns);
        let first = |turns: &[RankedTurn], from: usize| {
            (from..turns.len()).min_by(|&a, &b| turns[a].compare(&turns[b])).unwrap_or(from)
        };
        if turns.len() < 2 {
            return turns.len();
        }
        let best = first(turns, 0);
        turns.swap(0, best);
        if -turns[0].key.0 >= i32::from(self.limit) {
            return 1;
        }
        let count = turns.len().min(FIRST);
        for place in 1..count {
            let next = first(turns, place);
            turns.swap(place, next);
        }
        for turn in &mut turns[..count] {
            turn.sum = Some(2 * self.least_reply(rules, turn.after) - turn.key.0);
        }
        // Equal ones stay as they are.
        sort_short(&mut turns[..count], |turn| -turn.sum.unwrap_or(0));
        count
    }

    /// Puts the other turns at their places.
    pub(crate) fn rank_rest(&self, turns: &mut [RankedTurn], ordered: usize) {
        turns[ordered..].sort_unstable_by(RankedTurn::compare);
    }

    /// Returns the band of the turn at a place.
    #[inline]
    pub(crate) fn band(&self, place: u16, turn: &RankedTurn) -> u8 {
        let score = turn.sum.unwrap_or(-turn.key.0);
        (match (place, turn.sum) {
            (0, None) => ((score - i32::from(self.limit)) >> 2).clamp(0, 15),
            (0, Some(_)) => 16 + ((score + 64) >> 2).clamp(0, 31),
            _ => 48 + ((score + 64) >> 3).clamp(0, 15),
        }) as u8
    }

    /// Fills `turns` with the turns of a position, or with one that ends the game.
    fn list(&self, rules: &TurnRules, node: TurnNode, turns: &mut Vec<RankedTurn>) {
        turns.clear();
        let mut winning = None;
        rules.for_each(node, |after| {
            if rules.has_too_few(after.own, after.own_hand) {
                winning = Some(RankedTurn { after, key: (0, true), sum: None });
            }
            if winning.is_none() {
                let takes = after.own != node.theirs;
                turns.push(RankedTurn { after, key: (-self.score(rules, after), takes), sum: None });
            }
        });
        if let Some(turn) = winning {
            turns.clear();
            turns.push(turn);
        }
    }
}

impl RankedTurn {
    /// Compares the places of two turns in the order.
    #[inline]
    fn compare(&self, other: &Self) -> Ordering {
        // Slots take long to compute, and equal keys are rare.
        self.key.cmp(&other.key).then_with(|| self.after.slot().cmp(&other.after.slot()))
    }
}
