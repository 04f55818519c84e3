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
    let mut squares: Vec<Square> = Square::all().collect();
    squares.sort_by_key(|s| {
        let (file, rank) = s.coordinates();
        (std::cmp::Reverse(rank), file)
    });
    let mut squares = squares.into_iter();
    let mut text = String::with_capacity(drawing.len());
    let mut parts = drawing.split("{}");
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.extend(squares.next().map(&letter));
        text.push_str(part);
    }
    text
}
