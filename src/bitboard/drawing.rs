//! The board drawn with characters.

use crate::types::Square;

/// The board with `{}` at each of the 24 points, in reading order.
pub(crate) const DRAWING: &str = "\
7  {} ------- {} ------- {}
   |         |         |
6  |  {} ---- {} ---- {}  |
   |  |      |      |  |
5  |  |  {} - {} - {}  |  |
   |  |  |       |  |  |
4  {}--{}--{}       {}--{}--{}
   |  |  |       |  |  |
3  |  |  {} - {} - {}  |  |
   |  |      |      |  |
2  |  {} ---- {} ---- {}  |
   |         |         |
1  {} ------- {} ------- {}
   a  b  c   d   e  f  g
";

/// [`DRAWING`] with the lines through the corners.
pub(crate) const DRAWING_WITH_DIAGONALS: &str = "\
7  {} ------- {} ------- {}
   | \\       |       / |
6  |  {} ---- {} ---- {}  |
   |  | \\    |    / |  |
5  |  |  {} - {} - {}  |  |
   |  |  |       |  |  |
4  {}--{}--{}       {}--{}--{}
   |  |  |       |  |  |
3  |  |  {} - {} - {}  |  |
   |  | /    |    \\ |  |
2  |  {} ---- {} ---- {}  |
   | /       |       \\ |
1  {} ------- {} ------- {}
   a  b  c   d   e  f  g
";

/// Fills a drawing with one character for each point.
pub(crate) fn draw(drawing: &str, letter: impl Fn(Square) -> char) -> String {
    let mut squares =
        (0..7).rev().flat_map(|rank| (0..7).filter_map(move |file| Square::from_coordinates(file, rank)));
    let mut text = String::with_capacity(drawing.len());
    let mut parts = drawing.split("{}");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.extend(squares.next().map(&letter));
        text.push_str(part);
    }
    text
}
