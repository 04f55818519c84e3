//! The takes that are due. Neither networks nor the formula know them, so their value is added to the output.

use crate::params::{eval_own_take_due, eval_take_due};
use crate::position::Position;
use crate::types::Value;

/// The names of the terms: takes of men of the opponent, and of own men.
pub(super) const NAMES: [&str; 2] = ["takes", "takes of own men"];

/// Returns the values of the takes that are due, in the order of their names: each take of the mover, and
/// less each of the opponent.
#[inline(always)]
pub(super) fn values(pos: &Position) -> [Value; 2] {
    let us = pos.side_to_move();
    let due = [us, !us].map(|color| pos.takes_due(color) as i32);
    let mut takes = [0, 0];
    if due != [0, 0] {
        let own = [us, !us].map(|color| pos.extras().own_due[color.index()]);
        for (side, sign) in [(0, 1), (1, -1)] {
            takes[usize::from(own[side])] += sign * due[side];
        }
    }
    [takes[0] * eval_take_due(), takes[1] * eval_own_take_due()]
}
