//! A board as SVG with moves and marks, readable on light and dark backgrounds.

use super::game_end::side_title;
use crate::bitboard::lines_of;
use crate::position::Position;
use crate::types::{Color, Move, MoveKind, Square};
use std::fmt::Write as _;

/// The moves and marks drawn over the men.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Overlay {
    /// Moves that were played.
    pub played: Vec<Move>,
    /// Moves that are proposed.
    pub proposed: Vec<Move>,
    /// Points with a ring around them.
    pub marked: Vec<Square>,
}

/// Distance of neighbouring files and ranks, in SVG units.
const STEP: i32 = 40;
/// Width of the margin around the outer ring.
const RIM: i32 = 44;
/// Radius of a man.
const MAN: i32 = 15;

/// The colours for light and dark backgrounds. They are classes, so that a page can hold many boards.
const STYLE: &str = include_str!("board.css");

/// Returns the centre of a point in the picture.
fn centre(square: Square) -> (i32, i32) {
    let (file, rank) = square.coordinates();
    (RIM + STEP * i32::from(file), RIM + STEP * (6 - i32::from(rank)))
}

/// Width of the picture.
const WIDTH: i32 = 2 * RIM + 6 * STEP;
/// Height of the picture: below the board are a row for the hands and a row for the caption.
const HEIGHT: i32 = WIDTH + 46;

/// Returns the board of a position as an SVG document.
pub(crate) fn svg(pos: &Position, overlay: &Overlay) -> String {
    let mut out = String::new();
    draw_ground(pos, &pos.fen(), &mut out);
    draw_state(pos, overlay, &mut out);
    out.push_str("</svg>\n");
    out
}

/// Returns several positions of one game as one SVG document, each in a group of the class `state`. Only the
/// last is visible; a script can show the others.
pub(crate) fn svg_of_states(states: &[(Position, Overlay)]) -> String {
    let mut out = String::new();
    let Some((last, _)) = states.last() else { return out };
    draw_ground(last, "", &mut out);
    for (n, (pos, overlay)) in states.iter().enumerate() {
        let hidden = if n + 1 < states.len() { " style=\"display:none\"" } else { "" };
        let _ = writeln!(out, "<g class=\"state\"{hidden}>");
        draw_state(pos, overlay, &mut out);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

// Writing to a string cannot fail, so the functions below drop the results of `write!`.

/// Begins a document with the empty board of the rules of `pos`.
fn draw_ground(pos: &Position, title: &str, out: &mut String) {
    let title = if title.is_empty() { String::new() } else { format!("<title>{title}</title>") };
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" role=\"img\">{title}<style>\n{STYLE}</style>\
         <rect class=\"mb-ground\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"10\"/>"
    );
    draw_lines(pos, out);
}

/// Draws all that differs from position to position.
fn draw_state(pos: &Position, overlay: &Overlay, out: &mut String) {
    draw_men(pos, out);
    draw_overlay(pos, overlay, out);
    draw_hands(pos, out);
}

fn draw_lines(pos: &Position, out: &mut String) {
    for line in lines_of(pos.rules().has_diagonal_lines) {
        let ends: Vec<Square> = line.squares.without(line.middle).into_iter().collect();
        if let [a, b] = ends.as_slice() {
            let ((x1, y1), (x2, y2)) = (centre(*a), centre(*b));
            let _ = writeln!(out, "<path class=\"mb-line\" d=\"M{x1} {y1}L{x2} {y2}\"/>");
        }
    }
    for n in 0..7 {
        let at = RIM + STEP * n;
        let (file, rank) = ((b'a' + n as u8) as char, 7 - n);
        let _ = writeln!(
            out,
            "<text class=\"mb-text\" x=\"{at}\" y=\"{}\">{file}</text>\
             <text class=\"mb-text\" x=\"14\" y=\"{}\">{rank}</text>",
            2 * RIM + 6 * STEP - 10,
            at + 5
        );
    }
}

fn draw_men(pos: &Position, out: &mut String) {
    for square in Square::all() {
        let (x, y) = centre(square);
        let _ = match pos.letter(square) {
            'O' => writeln!(out, "<circle class=\"mb-white\" cx=\"{x}\" cy=\"{y}\" r=\"{MAN}\"/>"),
            '@' => writeln!(out, "<circle class=\"mb-black\" cx=\"{x}\" cy=\"{y}\" r=\"{MAN}\"/>"),
            'X' => {
                let _ = write!(out, "<circle class=\"mb-gone\" cx=\"{x}\" cy=\"{y}\" r=\"{MAN}\"/>");
                draw_cross("cross", x, y, MAN - 6, out);
                continue;
            }
            _ => writeln!(out, "<circle class=\"mb-dot\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"),
        };
    }
}

fn draw_overlay(pos: &Position, overlay: &Overlay, out: &mut String) {
    for (class, moves) in [("played", &overlay.played), ("proposed", &overlay.proposed)] {
        for m in moves {
            draw_move(*m, class, pos, out);
        }
    }
    for &square in &overlay.marked {
        let (x, y) = centre(square);
        let _ = writeln!(out, "<circle class=\"mb-mark\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>", MAN + 5);
    }
}

fn draw_move(m: Move, class: &str, pos: &Position, out: &mut String) {
    let (x, y) = centre(m.to());
    match m.kind() {
        MoveKind::Slide => {
            let (from_x, from_y) = centre(m.from());
            let (dx, dy) = (f64::from(x - from_x), f64::from(y - from_y));
            let length = dx.hypot(dy).max(1.0);
            let (ux, uy) = (dx / length, dy / length);
            // The arrow ends at the edge of the man on its target; its head is a triangle.
            let gap = f64::from(MAN) + 2.0;
            let (tip_x, tip_y) = (f64::from(x) - ux * gap, f64::from(y) - uy * gap);
            let (neck_x, neck_y) = (tip_x - ux * 9.0, tip_y - uy * 9.0);
            let _ = writeln!(
                out,
                "<path class=\"mb-{class}\" d=\"M{from_x} {from_y}L{neck_x:.1} {neck_y:.1}\"/>\
                 <path class=\"mb-{class}-head\" d=\"M{tip_x:.1} {tip_y:.1}L{:.1} {:.1}L{:.1} {:.1}z\"/>",
                neck_x - uy * 6.0,
                neck_y + ux * 6.0,
                neck_x + uy * 6.0,
                neck_y - ux * 6.0
            );
        }
        MoveKind::Take => {
            // A taken man is an outline.
            if pos.empty().contains(m.to()) {
                let _ = writeln!(out, "<circle class=\"mb-gone\" cx=\"{x}\" cy=\"{y}\" r=\"{MAN}\"/>");
            }
            draw_cross(class, x, y, MAN - 5, out);
        }
        _ => {
            let _ = writeln!(out, "<circle class=\"mb-{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>", MAN + 4);
        }
    }
}

/// Draws a diagonal cross with the centre (`x`, `y`), `d` to each side.
fn draw_cross(class: &str, x: i32, y: i32, d: i32, out: &mut String) {
    let (left, top, width) = (x - d, y - d, 2 * d);
    let _ = writeln!(
        out,
        "<path class=\"mb-{class}\" d=\"M{left} {top}l{width} {width}m0 -{width}l-{width} {width}\"/>"
    );
}

/// Draws what is below the board: men in hand at both ends, and the caption under them. The hands of twelve
/// men do not meet.
fn draw_hands(pos: &Position, out: &mut String) {
    let y = WIDTH + 6;
    for (color, class, start, step) in
        [(Color::White, "white", 20, 11), (Color::Black, "black", WIDTH - 20, -11)]
    {
        for n in 0..pos.hand(color) as i32 {
            let _ = writeln!(
                out,
                "<circle class=\"mb-{class}\" cx=\"{}\" cy=\"{y}\" r=\"7\"/>",
                start + n * step
            );
        }
    }
    let _ =
        writeln!(out, "<text class=\"mb-text\" x=\"{}\" y=\"{}\">{}</text>", WIDTH / 2, y + 28, caption(pos));
}

/// Returns a few words about the state of the game: the side to move, or the result.
pub(crate) fn caption(pos: &Position) -> String {
    let outcome = pos.outcome();
    match (outcome.is_over(), outcome.winner) {
        (true, Some(winner)) => format!("{} has won", side_title(winner)),
        (true, None) if outcome.is_draw() => "the game is drawn".to_owned(),
        (true, None) => "the game is over".to_owned(),
        (false, _) => {
            let verb = if pos.is_take_due() { "takes a man" } else { "to move" };
            format!("{} {verb}", side_title(pos.side_to_move()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Builder;
    use crate::rules::Rules;

    #[test]
    fn a_board_shows_men_lines_hands_and_moves() {
        let mut game = Builder::new(Rules::NINE, None).unwrap();
        for m in ["d7", "a1", "g7", "d1", "a7", "xd1"] {
            game.push(m.parse().unwrap()).unwrap();
        }
        let overlay = Overlay {
            played: vec!["a7".parse().unwrap(), "xd1".parse().unwrap()],
            proposed: vec!["a1-a4".parse().unwrap()],
            marked: vec!["f4".parse().unwrap()],
        };
        let picture = svg(game.position(), &overlay);
        let count = |what: &str| picture.matches(what).count();
        assert_eq!(count("<path class=\"mb-line\""), 16);
        assert_eq!(count("<circle class=\"mb-white\""), 3 + 6);
        assert_eq!(count("<circle class=\"mb-black\""), 1 + 7);
        assert_eq!(count("<circle class=\"mb-dot\""), 20);
        assert_eq!(count("mb-proposed-head\" d="), 1);
        assert_eq!(count("<circle class=\"mb-mark\""), 1);
        assert!(picture.contains("Black to move"));
        let states =
            svg_of_states(&[(game.position().clone(), overlay.clone()), (game.position().clone(), overlay)]);
        assert_eq!(states.matches("<path class=\"mb-line\"").count(), 16, "one board for both");
        assert_eq!(states.matches("<circle class=\"mb-mark\"").count(), 2);
        assert_eq!(states.matches("<g class=\"state\" style=\"display:none\">").count(), 1);
        let diagonal = svg(&Position::new(&Rules::TWELVE), &Overlay::default());
        assert_eq!(diagonal.matches("<path class=\"mb-line\"").count(), 20);
    }

    #[test]
    fn twelve_men_in_each_hand_leave_the_caption_free() {
        let picture = svg(&Position::new(&Rules::TWELVE), &Overlay::default());
        let number = |line: &str, name: &str| -> i32 {
            let (_, rest) = line.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{line}"));
            rest.split('"').next().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{line}"))
        };
        let caption = picture.lines().find(|line| line.contains("White to move")).expect("a caption");
        let hands: Vec<&str> = picture.lines().filter(|line| line.contains("r=\"7\"")).collect();
        assert_eq!(hands.len(), 24);
        for man in &hands {
            assert!(number(man, "cy") + 7 < number(caption, "y") - 13, "{man} {caption}");
            let side = if man.contains("mb-white") { number(man, "cx") } else { WIDTH - number(man, "cx") };
            assert!(side + 7 < WIDTH / 2, "the hands do not meet: {man}");
        }
    }
}
