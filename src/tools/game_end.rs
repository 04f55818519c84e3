//! The end of a game in words.

use crate::position::{Outcome, Reason};
use crate::rules::Rules;
use crate::types::Color;

/// Returns the name of a side as sentences begin with it.
pub(crate) const fn side_title(side: Color) -> &'static str {
    match side {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// Returns how a game stands as a sentence without its full stop, such as "Black wins: White has fewer than
/// three men left".
pub(crate) fn outcome_in_words(outcome: Outcome, rules: &Rules) -> String {
    let least = match rules.pieces_at_least_count {
        3 => "three",
        4 => "four",
        _ => "five",
    };
    let why = |loser: &str| match outcome.reason {
        Reason::Ongoing => String::new(),
        Reason::LoseFewerThanThree => format!("{loser} has fewer than {least} men left"),
        Reason::LoseNoLegalMoves | Reason::DrawStalemateCondition => format!("{loser} cannot move"),
        Reason::LoseFullBoard | Reason::DrawFullBoard => "the board is full".to_owned(),
        Reason::DrawThreefoldRepetition => "the same position has come up three times".to_owned(),
        Reason::DrawFiftyMove => format!("{} moves in a row have taken nothing", rules.n_move_rule),
        Reason::DrawEndgameFiftyMove => {
            let moves = rules.endgame_n_move_rule;
            format!("{moves} moves in a row have taken nothing, and a side has only three men")
        }
    };
    match outcome.winner {
        _ if !outcome.is_over() => "The game goes on".to_owned(),
        Some(winner) => format!("{} wins: {}", side_title(winner), why(side_title(!winner))),
        None if outcome.is_draw() => format!("Draw: {}", why("the side to move")),
        None => "The game is over".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_its_sentence() {
        let words = |reason, winner| outcome_in_words(Outcome { reason, winner }, &Rules::NINE);
        let (white, black) = (Some(Color::White), Some(Color::Black));
        let cases = [
            (Reason::Ongoing, None, "The game goes on"),
            (Reason::LoseFewerThanThree, black, "Black wins: White has fewer than three men left"),
            (Reason::LoseFewerThanThree, None, "The game is over"),
            (Reason::LoseNoLegalMoves, white, "White wins: Black cannot move"),
            (Reason::LoseFullBoard, black, "Black wins: the board is full"),
            (Reason::DrawFullBoard, None, "Draw: the board is full"),
            (Reason::DrawStalemateCondition, None, "Draw: the side to move cannot move"),
            (Reason::DrawThreefoldRepetition, None, "Draw: the same position has come up three times"),
            (Reason::DrawFiftyMove, None, "Draw: 100 moves in a row have taken nothing"),
            (
                Reason::DrawEndgameFiftyMove,
                None,
                "Draw: 100 moves in a row have taken nothing, and a side has only three men",
            ),
        ];
        for (reason, winner, expected) in cases {
            assert_eq!(words(reason, winner), expected);
        }
    }
}
