//! The places of board, panel and lines on a screen of a given size.

use super::board::{BoardView, Scale};
use ratatui::layout::Rect;

/// The smallest screen that shows a game, in columns and rows.
pub(super) const SMALLEST: (u16, u16) = (40, 20);

/// Columns that the panel beside the board needs.
const PANEL: u16 = 26;

/// Columns between board and panel: the evaluation bar with a blank on either side.
const BAR: u16 = 4;

/// The places of a screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    /// The line at the top.
    pub(super) title: Rect,
    /// The board.
    pub(super) board: BoardView,
    /// The evaluation bar: upright beside the board, or a line.
    pub(super) bar: Rect,
    /// One line for each side, the upper one first.
    pub(super) players: [Rect; 2],
    /// The moves, or the analysis.
    pub(super) moves: Rect,
    /// The status line.
    pub(super) status: Rect,
    /// The line with the keys, if there is room.
    pub(super) keys: Option<Rect>,
    /// True if there is no panel beside the board.
    pub(super) is_narrow: bool,
}

impl Layout {
    /// Returns the layout for a screen, `None` if it is too small.
    pub(super) fn of(screen: Rect, flipped: bool) -> Option<Self> {
        let Rect { width, height, .. } = screen;
        if width < SMALLEST.0 || height < SMALLEST.1 {
            return None;
        }
        let wide = Scale::ALL.into_iter().find(|scale| {
            let needs_keys = 3;
            scale.width() + BAR + PANEL <= width && scale.height() + needs_keys <= height
        });
        // Where a panel leaves room for the smallest board only, a larger one above the moves is worth more.
        let narrow = Scale::ALL.into_iter().find(|scale| Self::fits_narrow(*scale, screen));
        let is_small = |scale: Scale| scale == Scale::ALL[3];
        Some(match (wide, narrow) {
            (Some(scale), Some(other)) if is_small(scale) && !is_small(other) => {
                Self::narrow(screen, other, flipped)
            }
            (Some(scale), _) => Self::wide(screen, scale, flipped),
            (None, scale) => Self::narrow(screen, scale.unwrap_or(Scale::ALL[3]), flipped),
        })
    }

    /// True if a board fits between title, two players, the bar, a line of moves and the status.
    const fn fits_narrow(scale: Scale, screen: Rect) -> bool {
        scale.width() <= screen.width && scale.height() + 6 <= screen.height
    }

    fn wide(screen: Rect, scale: Scale, flipped: bool) -> Self {
        let Rect { width, height, .. } = screen;
        let row = |y: u16| Rect { x: 0, y, width, height: 1 };
        let board = BoardView { x: 0, y: 1, scale, flipped };
        let area = board.area();
        let panel_x = area.right() + BAR;
        let panel = Rect { x: panel_x, y: 2, width: width - panel_x - 1, height: height - 5 };
        let player = |y: u16| Rect { y, height: 1, ..panel };
        Self {
            title: row(0),
            board,
            bar: Rect { x: area.right() + 1, y: area.y, width: 2, height: area.height },
            players: [player(panel.y), player(panel.y + 1)],
            moves: Rect { y: panel.y + 3, height: panel.height.saturating_sub(3), ..panel },
            status: row(height - 2),
            keys: Some(row(height - 1)),
            is_narrow: false,
        }
    }

    fn narrow(screen: Rect, scale: Scale, flipped: bool) -> Self {
        let Rect { width, height, .. } = screen;
        let row = |y: u16| Rect { x: 0, y, width, height: 1 };
        let board = BoardView { x: (width - scale.width()) / 2, y: 2, scale, flipped };
        let below = board.area().bottom();
        let has_keys = height - below >= 5;
        let last = height - u16::from(has_keys);
        Self {
            title: row(0),
            board,
            bar: row(below + 1),
            players: [row(1), row(below)],
            moves: Rect { x: 0, y: below + 2, width, height: last - 1 - (below + 2) },
            status: row(last - 1),
            keys: has_keys.then(|| row(height - 1)),
            is_narrow: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_from_the_smallest_has_room_for_everything() {
        for width in SMALLEST.0..200 {
            for height in SMALLEST.1..80 {
                let screen = Rect { x: 0, y: 0, width, height };
                let layout = Layout::of(screen, false).expect("a layout");
                let parts = [layout.title, layout.board.area(), layout.bar, layout.moves, layout.status];
                for part in parts.into_iter().chain(layout.players).chain(layout.keys) {
                    assert_eq!(part.intersection(screen), part, "{width}x{height}: {part:?}");
                    assert!(!part.is_empty(), "{width}x{height}: {layout:?}");
                }
                assert!(!layout.moves.intersects(layout.board.area()), "{width}x{height}: {layout:?}");
                assert!(!layout.moves.intersects(layout.status), "{width}x{height}: {layout:?}");
            }
        }
        assert_eq!(Layout::of(Rect { x: 0, y: 0, width: 39, height: 60 }, false), None);
        assert_eq!(Layout::of(Rect { x: 0, y: 0, width: 90, height: 19 }, false), None);
    }
}
