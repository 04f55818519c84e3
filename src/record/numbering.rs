//! The numbers of turns.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::model::GameRecord;
use crate::types::Color;

/// The numbering of the turns of a line.
///
/// White's turn and Black's answer have one number. If a side moves twice in a row, as after a pass, its
/// second turn has the next number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbering {
    number: u32,
    /// The side of the latest turn.
    latest: Option<Color>,
}

/// The number of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TurnNumber {
    /// The number, from 1.
    pub(crate) number: u32,
    /// True if it is Black's answer to White's turn of this number.
    pub(crate) is_answer: bool,
}

impl Numbering {
    /// Begins at the start of a game.
    pub(crate) fn of(game: &GameRecord) -> Self {
        Self { number: game.start_position().map_or(1, |pos| pos.ply() / 2 + 1), latest: None }
    }

    /// Returns the number of the next turn, which `side` makes.
    pub(crate) fn next(&mut self, side: Color) -> TurnNumber {
        let latest = self.latest.replace(side);
        let is_answer = side == Color::Black && latest == Some(Color::White);
        self.number += u32::from(latest.is_some() && !is_answer);
        TurnNumber { number: self.number, is_answer }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn a_side_that_moves_twice_in_a_row_gets_the_next_number() {
        use Color::{Black, White};
        let mut numbering = Numbering::of(&GameRecord::new(Rules::NINE));
        let sides = [White, Black, Black, White, White, Black, White];
        let found = sides.map(|side| {
            let TurnNumber { number, is_answer } = numbering.next(side);
            (number, is_answer)
        });
        let expected = [(1, false), (1, true), (2, false), (3, false), (4, false), (4, true), (5, false)];
        assert_eq!(found, expected);
    }
}
