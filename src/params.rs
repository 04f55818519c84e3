//! The numbers of evaluation and search that are found by experiment, each with its meaning and unit.

use crate::types::{Depth, Value};

/// Weights of the evaluation, in hundredths of a man.
pub mod eval {
    use super::Value;

    /// A man on the board.
    pub const MAN: Value = 100;
    /// A man in hand.
    pub const HAND: Value = 96;
    /// A removal that a side still owes the opponent.
    pub const PENDING_TAKE: Value = 90;
    /// A removal that a side has to make among its own men.
    pub const PENDING_OWN_TAKE: Value = -95;
    /// A point where a mill can be closed with the next move.
    pub const OPEN_MILL: Value = 26;
    /// Open mills beyond this many are worth nothing more.
    pub const OPEN_MILL_MAX: i32 = 3;
    /// More for the side to move.
    pub const OPEN_MILL_TO_MOVE: Value = 30;
    /// A line with two men and an empty point that cannot be reached yet.
    pub const TWO_OF_LINE: Value = 7;
    /// A man in a complete line.
    pub const MILLED_MAN: Value = 4;
    /// A man in a mill next to a point where it closes another: it takes a man with every move.
    pub const DOUBLE_MILL: Value = 45;
    /// A slide or flight that a side could make, up to `MOBILITY_MAX` of them.
    pub const MOBILITY: Value = 5;
    /// Mobility beyond this many moves is worth nothing more.
    pub const MOBILITY_MAX: i32 = 22;
    /// A free point next to own men while placing.
    pub const PLACING_MOBILITY: Value = 2;
    /// A man without an empty point beside it, once placing has ended.
    pub const BLOCKED: Value = -9;
    /// A man on a point with four neighbours.
    pub const CROSSING: Value = 5;
    /// The side to move.
    pub const TEMPO: Value = 8;
    /// Having no more men than one above the losing number, while the other side has more.
    pub const LAST_MEN: Value = -30;
}

/// Numbers of the search.
pub mod search {
    use super::{Depth, Value};

    /// Half-width of the first window around the value of the iteration before.
    pub const ASPIRATION: Value = 18;
    /// Iterations below this use the full window.
    pub const ASPIRATION_FROM: Depth = 5;
    /// Remaining depth up to which a position far above beta is taken for a cut-off.
    pub const REVERSE_FUTILITY_DEPTH: Depth = 4;
    /// Margin for that, for each remaining ply.
    pub const REVERSE_FUTILITY_MARGIN: Value = 50;
    /// Remaining depth up to which quiet moves far below alpha are skipped.
    pub const FUTILITY_DEPTH: Depth = 3;
    /// Margin for that, for each remaining ply.
    pub const FUTILITY_MARGIN: Value = 80;
    /// Remaining depth up to which late quiet moves are left out altogether.
    pub const LATE_MOVE_DEPTH: Depth = 4;
    /// Moves tried before that, besides the square of the remaining depth.
    pub const LATE_MOVE_COUNT: usize = 4;
    /// Least remaining depth for reducing late moves.
    pub const REDUCTION_FROM: Depth = 3;
    /// Moves searched to full depth before reducing.
    pub const REDUCTION_AFTER: usize = 3;
    /// Least remaining depth at which a node without a table move is searched one ply less.
    pub const INTERNAL_REDUCTION_FROM: Depth = 5;
    /// Up to this many men on the board while placing, symmetric positions share an entry of the table.
    pub const SYMMETRIC_MEN: u32 = 5;
    /// Plies of removals and mills searched beyond the depth.
    pub const MAX_QUIESCENCE: u32 = 4;
    /// What closing a mill is expected to bring at most: further below alpha it is not tried.
    pub const QUIESCENCE_MARGIN: Value = 220;
}
