//! The static evaluation: what a position is worth to the side to move, in hundredths of a man, without search.
//!
//! In the standard game it is that of a fitted [`network`]. Under other rules it is a weighted sum of [`FEATURES`],
//! each counted for the mover minus the opponent.

pub mod network;
pub mod patterns;

pub use network::prepare;

use crate::bitboard::{Bitboard, Closers, Pair};
use crate::params::eval::*;
use crate::position::Position;
use crate::types::{VALUE_EVAL_MAX, Value, is_loss, is_win};

/// A term of the evaluation: its name and its weight.
#[derive(Clone, Copy, Debug)]
pub struct Feature {
    /// What is counted.
    pub name: &'static str,
    /// What one of it is worth, in hundredths of a man.
    pub weight: Value,
}

macro_rules! features {
    ($($index:ident $name:literal $weight:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($index),* }
        $(const $index: usize = Index::$index as usize;)*

        /// The terms of the evaluation.
        pub const FEATURES: &[Feature] = &[$(Feature { name: $name, weight: $weight }),*];
    };
}

features! {
    MEN "men" MAN;
    IN_HAND "men in hand" HAND;
    TAKES "removals" PENDING_TAKE;
    OWN_TAKES "removals of own men" PENDING_OWN_TAKE;
    OPEN "open mills" OPEN_MILL;
    OPEN_NOW "open mills of the mover" OPEN_MILL_TO_MOVE;
    TWOS "lines of two" TWO_OF_LINE;
    MILLED "men in mills" MILLED_MAN;
    SLIDES "mobility" MOBILITY;
    ROOM "room while placing" PLACING_MOBILITY;
    DOUBLE "double mills" DOUBLE_MILL;
    STUCK "blocked men" BLOCKED;
    CROSSINGS "crossings" CROSSING;
    LAST "last men" LAST_MEN;
    TURN "side to move" TEMPO;
}

/// Counts the features, mover's minus opponent's.
#[inline(always)]
fn count(pos: &Position) -> ([i32; FEATURES.len()], Bitboard) {
    let compiled = pos.compiled();
    let spokes = compiled.spokes;
    let us = pos.side_to_move();
    let them = !us;
    let empty = pos.empty();
    let men = Pair::new(pos.men(us), pos.men(them));
    let counts = [men.first().count() as i32, men.second().count() as i32];
    let hands = [pos.hand(us) as i32, pos.hand(them) as i32];
    let mut features = [0; FEATURES.len()];
    features[TURN] = 1;
    features[MEN] = counts[0] - counts[1];
    features[IN_HAND] = hands[0] - hands[1];

    let debts = [pos.debt(us) as i32, pos.debt(them) as i32];
    if debts != [0, 0] {
        let own = [us, them].map(|color| pos.extras().own_debt[color.index()]);
        for (side, sign) in [(0, 1), (1, -1)] {
            features[if own[side] { OWN_TAKES } else { TAKES }] += sign * debts[side];
        }
    }

    let closers = men.closers(empty, spokes);
    // A side that slides can only use what it can reach.
    let slides = [0, 1].map(|side| hands[side] == 0 && counts[side] > compiled.fly_at as i32);
    let open = [
        if slides[0] { closers.reachable.first() } else { closers.all.first() },
        if slides[1] { closers.reachable.second() } else { closers.all.second() },
    ]
    .map(|open| open.count() as i32);
    features[TWOS] = closers.all.difference() - open[0] + open[1];
    features[OPEN] = open[0].min(OPEN_MILL_MAX) - open[1].min(OPEN_MILL_MAX);
    features[OPEN_NOW] = open[0].min(OPEN_MILL_MAX);
    let crossings = Bitboard(spokes.0 & Bitboard::MIDPOINTS.0 & 0xff00);
    features[CROSSINGS] = (men & Pair::both(crossings)).difference();

    let steps = men.slides(empty, spokes);
    if hands != [0, 0] {
        let [clockwise, anticlockwise, outwards, inwards] = steps;
        features[ROOM] = (clockwise | anticlockwise | outwards | inwards).difference();
    } else {
        count_moving(pos, men, &steps, slides, closers.reachable, &mut features);
    }
    // Leaps reach further than steps.
    let steps_only = slides[0] && !compiled.captures;
    (features, if steps_only { closers.reachable.first() } else { closers.all.first() })
}

/// Counts what matters once all men are on the board: `steps` are the targets of slides in each direction,
/// `reachable` the points where a slide closes a mill.
#[inline(always)]
fn count_moving(
    pos: &Position,
    men: Pair,
    steps: &[Pair; 4],
    slides: [bool; 2],
    reachable: Pair,
    features: &mut [i32; FEATURES.len()],
) {
    let spokes = pos.compiled().spokes;
    let milled = men.milled(spokes);
    features[MILLED] = milled.difference();
    let moves = [
        steps.iter().map(|step| step.first().count() as i32).sum::<i32>().min(MOBILITY_MAX),
        steps.iter().map(|step| step.second().count() as i32).sum::<i32>().min(MOBILITY_MAX),
    ];
    // A man of a mill that can step onto a point where it closes another.
    let near_spoke = reachable & Pair::both(spokes);
    let around =
        reachable.clockwise() | reachable.anticlockwise() | near_spoke.outwards() | near_spoke.inwards();
    let shuttles = milled & around;
    let doubles = [!shuttles.first().is_empty(), !shuttles.second().is_empty()].map(i32::from);
    let few = [men.first(), men.second()].map(|men| men.count() <= pos.compiled().least);
    for (side, sign) in [(0, 1), (1, -1)] {
        features[SLIDES] += if slides[side] { sign * moves[side] } else { 0 };
        features[DOUBLE] += if slides[side] { sign * doubles[side] } else { 0 };
        features[LAST] += if few[side] { sign } else { 0 };
    }
    features[STUCK] = men.difference() - (men & Pair::both(pos.empty().neighbours(spokes))).difference();
}

/// The value of a position from the point of view of the side to move, strictly inside
/// ± [`VALUE_EVAL_MAX`]. Decided games are not recognised; the search does that.
#[inline]
pub fn evaluate(pos: &Position) -> Value {
    evaluate_with_closers(pos).0
}

/// [`evaluate`], and with it the points where the side to move might close a mill with its next move: none is left
/// out, though some may turn out to be unreachable.
#[inline]
pub fn evaluate_with_closers(pos: &Position) -> (Value, Bitboard) {
    let (sum, closers) = if pos.compiled().standard {
        let us = pos.side_to_move();
        let ([value, removals], closers) = fitted_terms(pos);
        let slides = pos.hand(us) == 0 && pos.men(us).count() > pos.compiled().fly_at;
        let sum = value + removals;
        (sum, if slides { closers.reachable.first() } else { closers.all.first() })
    } else {
        let (features, closers) = count(pos);
        (FEATURES.iter().zip(features).map(|(feature, count)| feature.weight * count).sum(), closers)
    };
    (sum.clamp(1 - VALUE_EVAL_MAX, VALUE_EVAL_MAX - 1), closers)
}

/// What the evaluation of the standard game adds up: what the network says, and what a removal owed is worth. The points
/// where mills can be closed come with it.
#[inline(always)]
fn fitted_terms(pos: &Position) -> ([Value; 2], Closers) {
    let us = pos.side_to_move();
    let men = Pair::new(pos.men(us), pos.men(!us));
    let closers = men.closers(pos.empty(), pos.compiled().spokes);
    let value = network::value(pos.hand(us) + pos.hand(!us), men, &closers);
    ([value, if pos.is_removal_due() { PENDING_TAKE } else { 0 }], closers)
}

/// The points, from 0 to 1, that the side with this value can expect; half a point for a draw. Fitted in the
/// standard game, a rough figure elsewhere.
pub fn expected_points(value: Value) -> f64 {
    if is_win(value) {
        1.0
    } else if is_loss(value) {
        0.0
    } else {
        1.0 / (1.0 + (-f64::from(value) / f64::from(patterns::UNIT)).exp())
    }
}

/// The terms of [`evaluate`] by name, weighted; their sum is the evaluation.
pub fn trace(pos: &Position) -> Vec<(&'static str, Value)> {
    if pos.compiled().standard {
        let ([value, removals], _) = fitted_terms(pos);
        return vec![("network", value), ("removals", removals)];
    }
    FEATURES.iter().zip(count(pos).0).map(|(feature, count)| (feature.name, feature.weight * count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::SYMMETRIES;
    use crate::rules::Rules;

    const POSITIONS: [&str; 4] = [
        "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "***@*@O*/*OO@@@OO/@@**@*OO w m s 7 0 8 0 0 0 -1 -1 -1 -1 0 8 14 ids:nodes",
        "O*@*O***/*O***OO@/*@*@OO*@ b m s 7 0 5 0 0 0 -1 -1 -1 -1 0 20 24 ids:nodes",
        "****O***/*O*@@@**/O*O****O b m r 5 0 3 0 0 1 -1 -1 -1 -1 0 6 21 ids:nodes",
    ];

    fn mapped(fen: &str, map: impl Fn(usize) -> usize) -> String {
        let letters: Vec<char> = fen.chars().filter(|&c| c != '/').take(24).collect();
        let mut image = ['*'; 24];
        for (point, &letter) in letters.iter().enumerate() {
            image[map(point)] = letter;
        }
        let rings: Vec<String> = image.chunks(8).map(|ring| ring.iter().collect()).collect();
        format!("{}{}", rings.join("/"), &fen[26..])
    }

    #[test]
    fn symmetric_positions_are_worth_the_same() {
        for fen in POSITIONS {
            let value = evaluate(&Position::from_fen(&Rules::NINE, fen).unwrap());
            for symmetry in 0..SYMMETRIES {
                let image = mapped(fen, |point| {
                    let square = crate::types::Square::new(point);
                    crate::bitboard::transform_square(square, symmetry).index()
                });
                let pos = Position::from_fen(&Rules::NINE, &image).unwrap();
                assert_eq!(evaluate(&pos), value, "{image}");
            }
        }
    }

    #[test]
    fn exchanged_colours_are_worth_the_same_to_the_mover() {
        for fen in &POSITIONS[1..] {
            let fields: Vec<&str> = fen.split(' ').collect();
            let board: String = fields[0]
                .chars()
                .map(|c| match c {
                    'O' => '@',
                    '@' => 'O',
                    other => other,
                })
                .collect();
            let side = if fields[1] == "w" { "b" } else { "w" };
            let [a, b, c, d, e, f] = [6, 7, 4, 5, 9, 8].map(|i| fields[i]);
            let rest = fields[10..].join(" ");
            let image = format!("{board} {side} {} {} {a} {b} {c} {d} {e} {f} {rest}", fields[2], fields[3]);
            let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
            let exchanged = Position::from_fen(&Rules::NINE, &image).unwrap();
            assert_eq!(evaluate(&pos), evaluate(&exchanged), "{image}");
        }
    }

    #[test]
    fn terms_add_up_and_more_men_are_worth_more() {
        for fen in POSITIONS {
            let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
            assert_eq!(trace(&pos).iter().map(|(_, v)| v).sum::<Value>(), evaluate(&pos));
        }
        let ahead = "O*O*O*@*/*@*O*O*@/O*@*O*@O w m s 8 0 5 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        assert!(evaluate(&Position::from_fen(&Rules::NINE, ahead).unwrap()) > 100);
    }
}
