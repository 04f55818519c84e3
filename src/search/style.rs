//! What options add to the evaluation or take from it, so that the engine plays in another manner.

use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Color, VALUE_EVAL_MAX, Value};

/// What a step that a side can make counts for in the evaluation, about.
const STEP: Value = 5;
/// What a man on the board or in hand counts for, about.
const MAN: Value = 100;
/// What a man without an empty point beside it counts for where blocking is all.
const BLOCKED: Value = 40;

/// What the evaluation looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayStyle {
    /// The steps that the sides can make.
    pub mobility: bool,
    /// Blocked men in place of the number of men.
    pub blocking: bool,
}

impl Default for PlayStyle {
    fn default() -> Self {
        Self { mobility: true, blocking: false }
    }
}

impl PlayStyle {
    /// An evaluation of the position, changed to what it is in this style.
    pub fn apply(self, pos: &Position, eval: Value) -> Value {
        let us = pos.side_to_move();
        let mut value = eval;
        if !self.mobility {
            value -= STEP * (steps(pos, us) - steps(pos, !us));
        }
        if self.blocking {
            value -= MAN * (pos.material(us) as Value - pos.material(!us) as Value);
            value += BLOCKED * (blocked(pos, !us) - blocked(pos, us));
        }
        value.clamp(1 - VALUE_EVAL_MAX, VALUE_EVAL_MAX - 1)
    }
}

/// The steps to neighbouring points that the men of a side can make.
fn steps(pos: &Position, color: Color) -> i32 {
    let (compiled, empty) = (pos.compiled(), pos.empty());
    pos.men(color).into_iter().map(|from| (compiled.adjacent[from.row()] & empty).count() as i32).sum()
}

/// The men of a side that cannot step, while it does not fly.
fn blocked(pos: &Position, color: Color) -> i32 {
    if pos.can_fly(color) {
        return 0;
    }
    let men: Bitboard = pos.men(color);
    (men.count() - (men & pos.empty().neighbours(pos.compiled().spokes)).count()) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    /// White has two men more, Black is not blocked while a man of White is.
    const FEN: &str = "OO*****@/O*******/O**@**O@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

    #[test]
    fn styles_shift_the_evaluation_and_the_usual_one_does_not() {
        let pos = Position::from_fen(&Rules::NINE, FEN).unwrap();
        assert_eq!(PlayStyle::default().apply(&pos, 77), 77);
        let still = PlayStyle { mobility: false, ..PlayStyle::default() };
        let difference = steps(&pos, Color::White) - steps(&pos, Color::Black);
        assert_eq!(still.apply(&pos, 77), 77 - STEP * difference);
        let blocking = PlayStyle { blocking: true, ..PlayStyle::default() };
        assert_eq!(blocking.apply(&pos, 77), 77 - 2 * MAN - BLOCKED * blocked(&pos, Color::White));
        assert_eq!(blocking.apply(&pos, 1_000_000), VALUE_EVAL_MAX - 1);
    }

    #[test]
    fn steps_and_blocked_men_are_counted_as_the_rules_have_it() {
        let pos = Position::new(&Rules::NINE);
        assert_eq!((steps(&pos, Color::White), blocked(&pos, Color::Black)), (0, 0));
        let pos = Position::from_fen(
            &Rules::NINE,
            "@@@@@@@@/OOOOOO**/******** w m s 6 0 8 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
        )
        .unwrap();
        // The men on d6, f4 and d2 reach the outer points a spoke away; that on b4's neighbour steps along its ring.
        let slides = crate::movegen::legal(&pos).len() as i32;
        assert_eq!(steps(&pos, Color::White), slides);
        assert!(blocked(&pos, Color::Black) > 0);
    }
}
