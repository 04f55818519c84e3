//! The board on the screen: the places of its points, the next point in a direction, and drawing.

use super::look::{Look, Palette, Part};
use crate::bitboard::{Bitboard, lines_of};
use crate::position::Position;
use crate::types::{Color, Square};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The size of the board on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    /// Columns from one file to the next.
    dx: u16,
    /// Rows from one rank to the next.
    dy: u16,
    /// Columns of a man on either side of its middle.
    half: u16,
    /// Rows of a man above and below its middle.
    tall: u16,
    /// Empty rows above the board.
    top: u16,
}

/// Columns for the names of the ranks.
const LABELS: u16 = 2;

impl Scale {
    /// All scales, the largest first.
    pub(super) const ALL: [Self; 4] = [
        Self { dx: 10, dy: 5, half: 2, tall: 1, top: 1 },
        Self { dx: 8, dy: 4, half: 2, tall: 1, top: 1 },
        Self { dx: 6, dy: 3, half: 1, tall: 0, top: 1 },
        Self { dx: 4, dy: 2, half: 0, tall: 0, top: 0 },
    ];

    /// The number of columns.
    pub(super) const fn width(self) -> u16 {
        LABELS + 6 * self.dx + 1 + 2 * (self.half + 1) + 1
    }

    /// The number of rows.
    pub(super) const fn height(self) -> u16 {
        self.top + self.tall + 6 * self.dy + 1 + self.tall + 1
    }
}

/// A direction on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    /// Towards the top.
    Up,
    /// Towards the bottom.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// Returns column and row, 0 to 6 from the top left, of a point on the screen.
fn grid(square: Square, flipped: bool) -> (u16, u16) {
    let (file, rank) = square.coordinates();
    if flipped { (6 - u16::from(file), u16::from(rank)) } else { (u16::from(file), 6 - u16::from(rank)) }
}

/// Returns the point next to `from` in a direction: the nearest in the same row or column, else the nearest
/// roughly in that direction; `from` itself if there is none.
pub(super) fn next_point(from: Square, direction: Direction, flipped: bool) -> Square {
    let (x, y) = grid(from, flipped);
    let cost = |to: &Square| {
        let (to_x, to_y) = grid(*to, flipped);
        let (dx, dy) = (i32::from(to_x) - i32::from(x), i32::from(to_y) - i32::from(y));
        let (ahead, aside) = match direction {
            Direction::Up => (-dy, dx.abs()),
            Direction::Down => (dy, dx.abs()),
            Direction::Left => (-dx, dy.abs()),
            Direction::Right => (dx, dy.abs()),
        };
        // If two points are equally far, the one nearer to the middle of the board.
        let off_centre = (i32::from(to_x) - 3).abs() + (i32::from(to_y) - 3).abs();
        (ahead > 0).then_some((aside > 0, ahead + 2 * aside, off_centre))
    };
    let reachable = Square::all().filter_map(|to| Some((cost(&to)?, to)));
    reachable.min_by_key(|(cost, _)| *cost).map_or(from, |(_, to)| to)
}

/// The marks on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Marks {
    /// The point under the cursor.
    pub(super) cursor: Option<Square>,
    /// The chosen man.
    pub(super) chosen: Option<Square>,
    /// Empty points where a man can go.
    pub(super) targets: Bitboard,
    /// Men that can be taken.
    pub(super) takeable: Bitboard,
    /// Points of the last turn.
    pub(super) last: Bitboard,
    /// Points of the hint.
    pub(super) hint: Bitboard,
}

/// A board at its place on the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BoardView {
    /// The top left corner.
    pub(super) x: u16,
    /// The top left corner.
    pub(super) y: u16,
    /// The scale.
    pub(super) scale: Scale,
    /// True if Black's side (rank 7) is at the bottom.
    pub(super) flipped: bool,
}

impl BoardView {
    /// The part of the screen that the board covers.
    pub(super) const fn area(&self) -> Rect {
        Rect { x: self.x, y: self.y, width: self.scale.width(), height: self.scale.height() }
    }

    /// The column and row of a cell of the seven times seven grid.
    fn cell(&self, column: u16, row: u16) -> (u16, u16) {
        let Scale { dx, dy, half, tall, top } = self.scale;
        (self.x + LABELS + half + 1 + column * dx, self.y + top + tall + row * dy)
    }

    /// The column and row of a point.
    pub(super) fn point(&self, square: Square) -> (u16, u16) {
        let (column, row) = grid(square, self.flipped);
        self.cell(column, row)
    }

    /// The point at a column and row of the screen, or next to it.
    pub(super) fn square_at(&self, x: u16, y: u16) -> Option<Square> {
        let Scale { dx, dy, .. } = self.scale;
        Square::all().find(|&square| {
            let (at_x, at_y) = self.point(square);
            2 * at_x.abs_diff(x) < dx && 2 * at_y.abs_diff(y) < dy.max(2)
        })
    }

    /// Draws the board.
    pub(super) fn draw(&self, pos: &Position, marks: &Marks, look: Look, buffer: &mut Buffer) {
        buffer.set_style(self.area(), look.style(Part::Board));
        self.draw_labels(look, buffer);
        for line in lines_of(pos.rules().has_diagonal_lines) {
            let is_mill = Color::ALL.iter().any(|&color| pos.men(color).covers(line.squares));
            let ends: Vec<Square> = line.squares.without(line.middle).into_iter().collect();
            for &end in &ends {
                self.draw_segment(end, line.middle, is_mill, look, buffer);
            }
        }
        for square in Square::all() {
            self.draw_point(square, pos, marks, look, buffer);
        }
    }

    fn draw_labels(&self, look: Look, buffer: &mut Buffer) {
        let style = look.style(Part::Label);
        let last = self.area().bottom() - 1;
        for n in 0..7_u8 {
            let (file, rank) =
                if self.flipped { ((b'g' - n) as char, n + 1) } else { ((b'a' + n) as char, 7 - n) };
            let (x, y) = self.cell(n.into(), n.into());
            put(buffer, self.x + 1, y, &rank.to_string(), style);
            put(buffer, x, last, &file.to_string(), style);
        }
    }

    /// Draws the line between two neighbouring points, the points left out.
    fn draw_segment(&self, from: Square, to: Square, is_mill: bool, look: Look, buffer: &mut Buffer) {
        let ((x1, y1), (x2, y2)) = (self.point(from), self.point(to));
        let style = look.style(if is_mill { Part::Mill } else { Part::Board });
        if y1 == y2 {
            let sign = if is_mill { look.pick("━", "=") } else { look.pick("─", "-") };
            (x1.min(x2) + 1..x1.max(x2)).for_each(|x| put(buffer, x, y1, sign, style));
        } else if x1 == x2 {
            let sign = if is_mill { look.pick("┃", "#") } else { look.pick("│", "|") };
            (y1.min(y2) + 1..y1.max(y2)).for_each(|y| put(buffer, x1, y, sign, style));
        } else {
            let is_falling = (x1 < x2) == (y1 < y2);
            let sign = if is_falling { look.pick("╲", "\\") } else { look.pick("╱", "/") };
            let (top, left) = (y1.min(y2), x1.min(x2));
            let (rows, columns) = (y1.abs_diff(y2), x1.abs_diff(x2));
            for row in 1..rows {
                let along = row * columns / rows;
                let x = if is_falling { left + along } else { left + columns - along };
                put(buffer, x, top + row, sign, style);
            }
        }
    }

    fn draw_point(&self, square: Square, pos: &Position, marks: &Marks, look: Look, buffer: &mut Buffer) {
        let (x, y) = self.point(square);
        let Scale { half, tall, .. } = self.scale;
        let part = part_of(square, marks);
        let around = Rect { x: x - half - 1, y: y - tall, width: 2 * half + 3, height: 2 * tall + 1 };
        let man = Color::ALL.into_iter().find(|&color| pos.men(color).contains(square));
        // Highlights cover the lines beside the point, so that its man is easy to see.
        if part.is_some() || man.is_some() && half > 0 && look.palette != Palette::Full {
            let half = if part.is_some() { half + 1 } else { half };
            for at in x - half..=x + half {
                put(buffer, at, y, " ", look.style(Part::Board));
            }
        }
        match man {
            Some(color) => self.draw_man(x, y, color, look, buffer),
            None if pos.extras().marked.contains(square) => {
                put(buffer, x, y, look.pick("×", "X"), look.style(Part::Marked));
            }
            None if marks.targets.contains(square) => {
                put(buffer, x, y, look.pick("•", "*"), look.style(Part::Target));
            }
            None => put(buffer, x, y, joint(square, pos, self.flipped, look), look.style(Part::Board)),
        }
        let Some(part) = part else { return };
        let style = look.style(part);
        let middle = Rect { y, height: 1, ..around };
        for at in (if tall > 0 && man.is_some() { around } else { middle }).positions() {
            if let Some(cell) = buffer.cell_mut((at.x, at.y)) {
                let kept = cell.fg;
                cell.set_style(style);
                // The man keeps its colour, even under the cursor.
                if look.palette != Palette::Plain && at.x.abs_diff(x) <= half {
                    cell.set_fg(kept);
                }
            }
        }
        if let Some([open, close]) = brackets(part, look) {
            put(buffer, x - half - 1, y, open, style);
            put(buffer, x + half + 1, y, close, style);
        }
    }

    fn draw_man(&self, x: u16, y: u16, color: Color, look: Look, buffer: &mut Buffer) {
        let style = look.man(color);
        let Scale { half, .. } = self.scale;
        if look.palette != Palette::Full || look.ascii || half == 0 {
            put(buffer, x, y, &look.man_char(color).to_string(), style);
            if half > 0 {
                put(buffer, x - 1, y, look.pick(" ", "("), style);
                put(buffer, x + 1, y, look.pick(" ", ")"), style);
            }
        } else if half == 1 {
            put(buffer, x - 1, y, "▐█▌", style);
        } else {
            put(buffer, x - 2, y - 1, "▗▄▄▄▖", style);
            put(buffer, x - 2, y, "▐███▌", style);
            put(buffer, x - 2, y + 1, "▝▀▀▀▘", style);
        }
    }
}

/// Returns the most important mark of a point.
fn part_of(square: Square, marks: &Marks) -> Option<Part> {
    let is = |set: Bitboard| set.contains(square);
    if marks.cursor == Some(square) {
        Some(Part::Cursor)
    } else if marks.chosen == Some(square) {
        Some(Part::Chosen)
    } else if is(marks.hint) {
        Some(Part::Hint)
    } else if is(marks.takeable) {
        Some(Part::Takeable)
    } else if is(marks.last) {
        Some(Part::Last)
    } else {
        None
    }
}

/// Returns the signs on either side of a marked point. With colours only the cursor needs them.
fn brackets(part: Part, look: Look) -> Option<[&'static str; 2]> {
    match (part, look.palette) {
        (Part::Cursor, _) => Some(["[", "]"]),
        (_, Palette::Named | Palette::Full) => None,
        (Part::Chosen, _) => Some(["<", ">"]),
        (Part::Hint, _) => Some(["{", "}"]),
        (Part::Takeable, _) => Some(["!", "!"]),
        (Part::Last, _) => Some([":", ":"]),
        _ => None,
    }
}

/// Returns the sign of an empty point: where the lines through it meet.
fn joint(square: Square, pos: &Position, flipped: bool, look: Look) -> &'static str {
    if look.ascii {
        return "+";
    }
    let (x, y) = grid(square, flipped);
    let (mut up, mut down, mut left, mut right) = (false, false, false, false);
    for next in pos.compiled().adjacent[square.row()] {
        let (to_x, to_y) = grid(next, flipped);
        up |= to_x == x && to_y < y;
        down |= to_x == x && to_y > y;
        left |= to_y == y && to_x < x;
        right |= to_y == y && to_x > x;
    }
    match (up, down, left, right) {
        (false, true, false, true) => "┌",
        (false, true, true, false) => "┐",
        (true, false, false, true) => "└",
        (true, false, true, false) => "┘",
        (true, true, false, true) => "├",
        (true, true, true, false) => "┤",
        (false, true, true, true) => "┬",
        (true, false, true, true) => "┴",
        _ => "┼",
    }
}

/// Writes the part of a text that is inside the buffer. A style without a background keeps the present one.
pub(super) fn put(buffer: &mut Buffer, x: u16, y: u16, text: &str, style: Style) {
    let area = buffer.area;
    if y >= area.top() && y < area.bottom() && x >= area.left() && x < area.right() {
        buffer.set_string(x, y, text, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(name: &str) -> Square {
        name.parse().expect("a point")
    }

    #[test]
    fn arrow_keys_lead_to_the_neighbour_in_their_direction() {
        use Direction::{Down, Left, Right, Up};
        let cases = [
            ("d5", Up, "d6"),
            ("d3", Up, "d5"),
            ("a1", Up, "a4"),
            ("a1", Right, "d1"),
            ("c4", Right, "e4"),
            ("e4", Right, "f4"),
            ("c5", Up, "d6"),
            ("c5", Left, "b4"),
            ("g7", Up, "g7"),
            ("g7", Down, "g4"),
        ];
        for (from, direction, to) in cases {
            assert_eq!(next_point(square(from), direction, false), square(to), "{from} {direction:?}");
        }
        assert_eq!(next_point(square("a1"), Down, true), square("a4"));
        assert_eq!(next_point(square("a1"), Left, true), square("d1"));
    }

    #[test]
    fn every_point_can_be_reached_by_arrow_keys() {
        use Direction::{Down, Left, Right, Up};
        for start in Square::all() {
            let mut seen = vec![start];
            let mut n = 0;
            while let Some(&from) = seen.get(n) {
                for direction in [Up, Down, Left, Right] {
                    let to = next_point(from, direction, false);
                    if !seen.contains(&to) {
                        seen.push(to);
                    }
                }
                n += 1;
            }
            assert_eq!(seen.len(), 24, "from {start}");
        }
    }

    #[test]
    fn a_click_on_a_point_finds_it_at_every_scale() {
        for scale in Scale::ALL {
            for flipped in [false, true] {
                let view = BoardView { x: 5, y: 3, scale, flipped };
                for square in Square::all() {
                    let (x, y) = view.point(square);
                    assert!(view.area().contains((x, y).into()));
                    assert_eq!(view.square_at(x, y), Some(square));
                    assert_eq!(view.square_at(x + 1, y), Some(square));
                }
                assert_eq!(view.square_at(0, 0), None);
            }
        }
    }
}
