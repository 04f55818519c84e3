//! The move text of PlayOK: points numbered 1 to 24 from left to right and top to bottom.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::pgn::{COMMON, PgnDialect};
use super::reading::Format;
use crate::types::{Move, Square};

/// The format of PlayOK, which differs from the common format in the moves only.
pub(super) const NUMBERED: PgnDialect = PgnDialect {
    format: Format::PlayOk,
    moves,
    expected: "a turn such as 14, 5-4, x14 or 5-4x14 with points from 1 to 24",
    site: Some("PlayOK"),
    filler: "TXT",
};

/// The two formats of a file whose format is not given. Each game may have its own.
pub(super) const EITHER: [&PgnDialect; 2] = [&COMMON, &NUMBERED];

/// Returns the point with a number.
fn square(text: &str) -> Option<Square> {
    const SQUARES: [&str; 24] = [
        "a7", "d7", "g7", "b6", "d6", "f6", "c5", "d5", "e5", "a4", "b4", "c4", //
        "e4", "f4", "g4", "c3", "d3", "e3", "b2", "d2", "f2", "a1", "d1", "g1",
    ];
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: usize = text.parse().ok()?;
    SQUARES.get(number.checked_sub(1)?)?.parse().ok()
}

fn moves(word: &str) -> Option<Vec<Move>> {
    let mut parts = word.split('x');
    let first = parts.next()?;
    let first = match first.split_once('-') {
        _ if first.is_empty() => None,
        Some((from, to)) => Some(Move::slide(square(from)?, square(to)?)),
        None => Some(Move::place(square(first)?)),
    };
    let takes = parts.map(|at| square(at).map(Move::take));
    let moves: Vec<Move> = first.into_iter().map(Some).chain(takes).collect::<Option<_>>()?;
    (!moves.is_empty()).then_some(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_numbered_from_the_top_left() {
        let text =
            |word| moves(word).map(|list| list.iter().map(Move::to_string).collect::<Vec<_>>().join(" "));
        assert_eq!(text("14").as_deref(), Some("f4"));
        assert_eq!(text("5-4x14").as_deref(), Some("d6-b6 xf4"));
        assert_eq!(text("1x22").as_deref(), Some("a7 xa1"));
        assert_eq!(text("x24x1").as_deref(), Some("xg1 xa7"));
        for bad in ["", "0", "25", "x", "1-", "-1", "1-2-3", "1x", "+1", "1x25", "d6"] {
            assert_eq!(text(bad), None, "{bad}");
        }
    }
}
