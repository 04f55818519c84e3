//! The static evaluation of a position for the side to move, in hundredths of a man.
//!
//! It is the output of a network, built in or from a file, and a value for the takes that are due. Rules that
//! are far from all networks have a formula. `built_in.rs` chooses between them, `network.rs` computes the
//! output of a network, `patterns.rs` its inputs, `takes.rs` the value of takes, `formula.rs` the formula.
//! Uses `position`, `rules`, `params`, `bitboard`, `types` and `platform`.

mod built_in;
mod formula;
pub(crate) mod network;
mod packed;
pub(crate) mod patterns;
mod takes;

pub use built_in::EvalNetwork;
pub(crate) use built_in::Evaluator;
#[cfg(target_arch = "wasm32")]
pub(crate) use built_in::{missing_network, provide_network};
pub use network::NetworkError;

use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{VALUE_EVAL_MAX, Value, is_loss, is_win, limited_eval};
use network::Network;
use patterns::{BoardInputs, BoardKind, MoveCounts};

/// Returns the value of a position for the side to move by the built-in network of its rules.
///
/// Rules without one take that of the nearest game, or the formula if all are far. The value lies strictly
/// inside ± [`VALUE_EVAL_MAX`]. The function does not detect the end of the game; the search does.
///
/// # Panics
/// Without memory for the network, some megabytes.
pub fn evaluate(pos: &Position) -> Value {
    evaluate_by(&EvalNetwork::default().get(pos.compiled()), pos)
}

/// As [`evaluate`], by another network.
#[inline]
pub(crate) fn evaluate_by(evaluator: &Evaluator, pos: &Position) -> Value {
    evaluate_with_takes(evaluator, pos).0
}

// The value of a network alone needs no limits.
const _: () = assert!(network::VALUE_MAX < VALUE_EVAL_MAX);

/// Returns [`evaluate_by`] and what the board says about moves. No take may be due.
#[inline(always)]
pub(crate) fn evaluate_with_counts(evaluator: &Evaluator, pos: &Position) -> (Value, MoveCounts) {
    debug_assert!(!pos.has_takes_due(), "{pos:?}");
    output_of(evaluator, pos)
}

/// As [`evaluate_with_counts`]; takes may be due.
#[inline(never)]
pub(crate) fn evaluate_with_takes(evaluator: &Evaluator, pos: &Position) -> (Value, MoveCounts) {
    let (terms, moves) = terms(evaluator, pos);
    (limited_eval(terms.iter().sum()), moves)
}

/// Returns the output of the network or formula, which know nothing of takes that are due, and what the board
/// says about moves.
// Not inlined: one copy serves all searches.
#[inline(never)]
fn output_of(evaluator: &Evaluator, pos: &Position) -> (Value, MoveCounts) {
    match evaluator {
        Evaluator::Standard(network) => network.value(&standard_board(pos)),
        Evaluator::Fitted(network) => network_value(network, pos),
        Evaluator::Formula => formula::value(pos),
    }
}

/// Returns the terms of an evaluation and what the board says about moves: the output of the network or
/// formula, the takes that are due, and those of own men.
#[inline(always)]
fn terms(evaluator: &Evaluator, pos: &Position) -> ([Value; 3], MoveCounts) {
    let (value, moves) = output_of(evaluator, pos);
    let [takes, own_takes] = takes::values(pos);
    ([value, takes, own_takes], moves)
}

/// Returns a board of the standard game as the network sees it.
#[inline(always)]
fn standard_board(pos: &Position) -> BoardInputs {
    BoardInputs::standard(pos.men_by_turn(), pos.men_in_hand())
}

/// Returns the value by a network of other rules alone, and what the board says about moves.
#[inline(always)]
fn network_value(network: &Network, pos: &Position) -> (Value, MoveCounts) {
    let diagonals = pos.compiled().spokes == Bitboard::FULL;
    let marks = !pos.extras().marked.is_empty();
    // One source serves all kinds of boards. In the program each has its own instance, in which much is
    // constant. Browsers have one: the engine shall be small there.
    #[cfg(not(target_arch = "wasm32"))]
    return match (diagonals, marks) {
        (false, false) => network_value_of::<false, false>(network, pos),
        (false, true) => network_value_of::<false, true>(network, pos),
        (true, false) => network_value_of::<true, false>(network, pos),
        (true, true) => network_value_of::<true, true>(network, pos),
    };
    #[cfg(target_arch = "wasm32")]
    network_value_on(BoardKind { diagonals, marks }, network, pos)
}

/// [`network_value`] of a board with or without diagonals, on which points may be marked or not.
#[cfg(not(target_arch = "wasm32"))]
#[inline(never)]
fn network_value_of<const DIAGONALS: bool, const MARKS: bool>(
    network: &Network,
    pos: &Position,
) -> (Value, MoveCounts) {
    network_value_on(BoardKind { diagonals: DIAGONALS, marks: MARKS }, network, pos)
}

/// [`network_value`] of a board of this kind.
#[inline(always)]
fn network_value_on(kind: BoardKind, network: &Network, pos: &Position) -> (Value, MoveCounts) {
    let us = pos.side_to_move();
    let hands = [pos.hand(us), pos.hand(!us)];
    network.value(&BoardInputs::other(kind, pos.men_by_turn(), pos.empty(), hands))
}

/// Returns the expected result, from 0 to 1, of the side with this value; a draw is 0.5.
///
/// Fitted to the standard game; approximate under other rules.
pub fn expected_points(value: Value) -> f64 {
    if is_win(value) {
        1.0
    } else if is_loss(value) {
        0.0
    } else {
        1.0 / (1.0 + (-f64::from(value) / f64::from(patterns::UNIT)).exp())
    }
}

/// The terms of an evaluation: the name and the value of each.
pub type EvalTerms = Vec<(&'static str, Value)>;

/// Returns the weighted terms of an evaluation by name. Their sum is the evaluation.
pub(crate) fn trace(evaluator: &Evaluator, pos: &Position) -> EvalTerms {
    let ([value, takes, own_takes], _) = terms(evaluator, pos);
    let output = match evaluator {
        Evaluator::Formula => formula::trace(pos),
        _ => vec![("network", value)],
    };
    output.into_iter().chain(takes::NAMES.into_iter().zip([takes, own_takes])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::SYMMETRIES;
    use crate::params::{eval_own_take_due, eval_take_due};
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
        for (square, &letter) in letters.iter().enumerate() {
            image[map(square)] = letter;
        }
        let rings: Vec<String> = image.chunks(8).map(|ring| ring.iter().collect()).collect();
        format!("{}{}", rings.join("/"), &fen[26..])
    }

    #[test]
    fn symmetric_positions_are_worth_the_same() {
        for fen in POSITIONS {
            let value = evaluate(&Position::from_fen(&Rules::NINE, fen).unwrap());
            for symmetry in 0..SYMMETRIES {
                let image = mapped(fen, |index| {
                    let square = crate::types::Square::new(index);
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
            assert_eq!(
                trace(&EvalNetwork::default().load(pos.compiled()).unwrap(), &pos)
                    .iter()
                    .map(|(_, v)| v)
                    .sum::<Value>(),
                evaluate(&pos)
            );
        }
        let ahead = "O*O*O*@*/*@*O*O*@/O*@*O*@O w m s 8 0 5 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        assert!(evaluate(&Position::from_fen(&Rules::NINE, ahead).unwrap()) > 100);
    }

    #[test]
    fn every_take_due_counts_and_those_of_own_men_count_against_the_mover() {
        let takes = |rules: &Rules, due: &str| {
            let fen = format!("****O***/*O*@@@**/O*O****O b m r 5 0 3 0 {due} -1 -1 -1 -1 0 6 21 ids:nodes");
            let pos = Position::from_fen(rules, &fen).unwrap();
            let evaluator = EvalNetwork::default().load(pos.compiled()).unwrap();
            let terms = trace(&evaluator, &pos);
            assert_eq!(evaluate_by(&evaluator, &pos), terms.iter().map(|term| term.1).sum::<Value>());
            takes::NAMES.map(|name| terms.iter().find(|term| term.0 == name).unwrap().1)
        };
        for rules in [Rules::NINE, Rules::RUSSIAN] {
            let [one, two] = [eval_take_due(), 2 * eval_take_due()];
            assert_eq!(takes(&rules, "0 1"), [one, 0], "{rules}");
            assert_eq!(takes(&rules, "0 2"), [two, 0], "{rules}");
            assert_eq!(takes(&rules, "0 -1"), [0, eval_own_take_due()], "{rules}");
            assert_eq!(takes(&rules, "1 0"), [-one, 0], "{rules}");
        }
    }
}
