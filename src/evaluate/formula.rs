//! The formula: a weighted sum of terms, each counted for the mover minus the opponent. It evaluates
//! positions under rules that are far from all networks.

use super::patterns::MoveCounts;
use crate::bitboard::{Bitboard, Pair};
use crate::position::Position;
use crate::types::{Value, limited_eval};

/// The most open mills of a side that count.
const MOST_OPEN: i32 = 3;
/// The most slides of a side that count.
const MOST_SLIDES: i32 = 22;

/// Declares the terms of the evaluation: the index, the name, and the weight in hundredths of a man.
macro_rules! terms {
    ($($index:ident $name:expr, $weight:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum TermIndex { $($index),* }
        $(const $index: usize = TermIndex::$index as usize;)*

        /// The names of the terms.
        const NAMES: &[&str] = &[$($name),*];

        /// The number of terms.
        const TERMS: usize = NAMES.len();

        /// The weights of the terms.
        fn weights() -> [Value; TERMS] {
            [$($weight),*]
        }
    };
}

terms! {
    MEN "men", 100;
    IN_HAND "men in hand", 96;
    OPEN "open mills", 26;
    OPEN_NOW "open mills of the mover", 30;
    TWOS "lines of two", 7;
    MILLED "men in mills", 4;
    SLIDES "mobility", 5;
    ROOM "room while placing", 2;
    DOUBLE "double mills", 45;
    STUCK "blocked men", -9;
    CROSSINGS "crossings", 5;
    LAST "last men", -30;
    TURN "side to move", 8;
}

/// Returns the counts of the terms, mover minus opponent, and what the board says about moves.
#[inline(always)]
fn count(pos: &Position) -> ([i32; TERMS], MoveCounts) {
    let compiled = pos.compiled();
    let spokes = compiled.spokes;
    let us = pos.side_to_move();
    let them = !us;
    let empty = pos.empty();
    let men = pos.men_by_turn();
    let men_counts = [men.first().count() as i32, men.second().count() as i32];
    let hands = [pos.hand(us) as i32, pos.hand(them) as i32];
    let mut terms = [0; TERMS];
    terms[TURN] = 1;
    terms[MEN] = men_counts[0] - men_counts[1];
    terms[IN_HAND] = hands[0] - hands[1];
    let closers = men.closers(empty, spokes);
    // A side that slides needs a man next to the point.
    let slides = [0, 1].map(|side| hands[side] == 0 && men_counts[side] > compiled.fly_at as i32);
    let open = [
        if slides[0] { closers.reachable.first() } else { closers.all.first() },
        if slides[1] { closers.reachable.second() } else { closers.all.second() },
    ]
    .map(|open| open.count() as i32);
    terms[TWOS] = closers.all.difference() - open[0] + open[1];
    terms[OPEN] = open[0].min(MOST_OPEN) - open[1].min(MOST_OPEN);
    terms[OPEN_NOW] = open[0].min(MOST_OPEN);
    let crossings = Bitboard(Bitboard::MIDPOINTS.0 & 0xff00);
    terms[CROSSINGS] = (men & Pair::both(crossings)).difference();

    let steps = men.slides(empty, spokes);
    if hands != [0, 0] {
        let [clockwise, anticlockwise, outwards, inwards] = steps;
        terms[ROOM] = (clockwise | anticlockwise | outwards | inwards).difference();
    } else {
        count_moving(pos, men, &steps, slides, closers.reachable, &mut terms);
    }
    (terms, MoveCounts::new(&closers, &steps))
}

/// Counts the terms of the moving phase. `steps` are the targets of slides in each direction, `reachable` the
/// points where a slide closes a mill.
#[inline(always)]
fn count_moving(
    pos: &Position,
    men: Pair,
    steps: &[Pair; 4],
    slides: [bool; 2],
    reachable: Pair,
    terms: &mut [i32; TERMS],
) {
    let spokes = pos.compiled().spokes;
    let milled = men.milled(spokes);
    terms[MILLED] = milled.difference();
    let moves = [
        steps.iter().map(|step| step.first().count() as i32).sum::<i32>().min(MOST_SLIDES),
        steps.iter().map(|step| step.second().count() as i32).sum::<i32>().min(MOST_SLIDES),
    ];
    // Men of a mill beside a point where a slide closes another mill: mostly such a man closes it, unless it
    // stands on that line itself.
    let near_spoke = reachable & Pair::both(spokes);
    let around =
        reachable.clockwise() | reachable.anticlockwise() | near_spoke.outwards() | near_spoke.inwards();
    let shuttles = milled & around;
    let doubles = [!shuttles.first().is_empty(), !shuttles.second().is_empty()].map(i32::from);
    let few = [men.first(), men.second()].map(|men| men.count() <= pos.compiled().least);
    for (side, sign) in [(0, 1), (1, -1)] {
        terms[SLIDES] += if slides[side] { sign * moves[side] } else { 0 };
        terms[DOUBLE] += if slides[side] { sign * doubles[side] } else { 0 };
        terms[LAST] += if few[side] { sign } else { 0 };
    }
    terms[STUCK] = men.difference() - (men & Pair::both(pos.empty().neighbours(spokes))).difference();
}

/// Returns the value by the formula, and what the board says about moves.
#[inline(never)]
pub(super) fn value(pos: &Position) -> (Value, MoveCounts) {
    let (counts, moves) = count(pos);
    (limited_eval(weights().into_iter().zip(counts).map(|(weight, count)| weight * count).sum()), moves)
}

/// Returns the weighted terms by name. Their sum is the value.
pub(super) fn trace(pos: &Position) -> Vec<(&'static str, Value)> {
    let values = weights().into_iter().zip(count(pos).0).map(|(weight, count)| weight * count);
    NAMES.iter().copied().zip(values).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn terms_add_up_and_more_men_are_worth_more() {
        let mut last = Value::MIN;
        for men in ["O*O*O*@*/@@@*O*@*/O@O@****", "O*O*O*@*/@@@*O*@*/O@O*****", "O*O*O*@*/@@**O*@*/O@O*****"]
        {
            let count = |man| men.matches(man).count();
            let text =
                format!("{men} w m s {} 0 {} 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes", count('O'), count('@'));
            let pos = Position::from_fen(&Rules::TWELVE, &text).unwrap();
            let worth = value(&pos).0;
            assert_eq!(trace(&pos).iter().map(|(_, value)| value).sum::<Value>(), worth);
            assert!(worth > last, "{text}");
            last = worth;
        }
    }
}
