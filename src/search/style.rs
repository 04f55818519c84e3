//! Playing styles: changes to the evaluation that options make.

use crate::bitboard::Bitboard;
use crate::params::{style_blocked, style_man, style_mobility};
use crate::position::Position;
use crate::types::{Color, Value, limited_eval};

/// A playing style: the terms that the evaluation counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct PlayStyle {
    /// Count mobility.
    pub mobility: bool,
    /// Count blocked men instead of men.
    pub blocking: bool,
}

impl Default for PlayStyle {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl PlayStyle {
    /// The style that changes nothing.
    pub(crate) const DEFAULT: Self = Self { mobility: true, blocking: false };

    /// Returns the evaluation `eval` of the position as this style changes it.
    pub fn apply(self, pos: &Position, eval: Value) -> Value {
        let us = pos.side_to_move();
        let mut value = eval;
        if !self.mobility {
            value -= style_mobility() * (slides(pos, us) - slides(pos, !us));
        }
        if self.blocking {
            value -= style_man() * (pos.material(us) as Value - pos.material(!us) as Value);
            value += style_blocked() * (blocked(pos, !us) - blocked(pos, us));
        }
        limited_eval(value)
    }
}

/// Returns the number of slides to adjacent points that a side has.
fn slides(pos: &Position, color: Color) -> i32 {
    let (compiled, empty) = (pos.compiled(), pos.empty());
    pos.men(color).into_iter().map(|from| (compiled.adjacent[from.row()] & empty).count() as i32).sum()
}

/// Returns the number of men of a side that cannot slide; 0 if it can fly.
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
    use crate::types::VALUE_EVAL_MAX;

    /// White has two men more, and a blocked one.
    const FEN: &str = "OO*****@/O*******/O**@**O@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

    #[test]
    fn styles_shift_the_evaluation_and_the_usual_one_does_not() {
        let pos = Position::from_fen(&Rules::NINE, FEN).unwrap();
        assert_eq!(PlayStyle::default().apply(&pos, 77), 77);
        let still = PlayStyle { mobility: false, ..PlayStyle::default() };
        let difference = slides(&pos, Color::White) - slides(&pos, Color::Black);
        assert_eq!(still.apply(&pos, 77), 77 - style_mobility() * difference);
        let blocking = PlayStyle { blocking: true, ..PlayStyle::default() };
        assert_eq!(
            blocking.apply(&pos, 77),
            77 - 2 * style_man() - style_blocked() * blocked(&pos, Color::White)
        );
        assert_eq!(blocking.apply(&pos, 1_000_000), VALUE_EVAL_MAX - 1);
    }

    #[test]
    fn steps_and_blocked_men_are_counted_as_the_rules_have_it() {
        let pos = Position::new(&Rules::NINE);
        assert_eq!((slides(&pos, Color::White), blocked(&pos, Color::Black)), (0, 0));
        let pos = Position::from_fen(
            &Rules::NINE,
            "@@@@@@@@/OOOOOO**/******** w m s 6 0 8 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
        )
        .unwrap();
        let expected = pos.legal_moves().len() as i32;
        assert_eq!(slides(&pos, Color::White), expected);
        assert!(blocked(&pos, Color::Black) > 0);
    }
}
