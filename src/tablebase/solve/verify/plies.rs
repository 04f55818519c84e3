//! The value of a turn from the value after it, counted in plies.

use crate::tablebase::format::value::{TbValue, Wdl};

/// Returns the value of a turn that leads to a position with value `after` for the opponent.
///
/// No file holds a loss in 254 plies, but two turns may lead to one. A turn that leads to it would win in
/// 255, which no byte holds; it counts as a win in 253, so that a draw is never accepted in its place.
#[inline(always)]
pub(super) fn one_ply_earlier(after: TbValue) -> TbValue {
    let half = after.plies().map_or(0, |plies| plies.min(TbValue::MAX_PLIES) / 2) as u8;
    match after.wdl() {
        Wdl::Loss => TbValue(255 - half),
        Wdl::Draw => TbValue::DRAW,
        Wdl::Win => TbValue(half + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_worth_as_much_as_the_solver_says() {
        let longest = TbValue::TOO_LONG;
        assert_eq!((longest.plies(), one_ply_earlier(longest)), (Some(254), TbValue::decided(253)));
        for value in (0..=u8::MAX).map(TbValue).filter(|&value| value != longest) {
            assert_eq!(one_ply_earlier(value), value.before());
        }
    }
}
