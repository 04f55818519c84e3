//! Rule sets as plain data: one field for each rule option.

use crate::bitboard::LineKind;

/// The switches of one capture rule (custodian, intervention or leap).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct CaptureRule {
    /// Switches the rule on.
    pub enabled: bool,
    /// Works on side lines.
    pub on_square_edges: bool,
    /// Works on cross lines.
    pub on_cross_lines: bool,
    /// Works on diagonal lines, where the board has them.
    pub on_diagonal_lines: bool,
    /// Works while placing.
    pub in_placing_phase: bool,
    /// Works while moving.
    pub in_moving_phase: bool,
    /// Needs three or fewer own men on the board.
    pub only_when_own_pieces_leq3: bool,
}

impl CaptureRule {
    /// The rule switched off, with the other switches at their defaults.
    pub const OFF: Self = Self {
        enabled: false,
        on_square_edges: true,
        on_cross_lines: true,
        on_diagonal_lines: true,
        in_placing_phase: true,
        in_moving_phase: true,
        only_when_own_pieces_leq3: false,
    };

    /// Returns true if the rule works on lines of this family.
    pub const fn works_on(&self, kind: LineKind) -> bool {
        match kind {
            LineKind::Side => self.on_square_edges,
            LineKind::Cross => self.on_cross_lines,
            LineKind::Diagonal => self.on_diagonal_lines,
        }
    }
}

/// The effect of a mill closed by placing: the values of [`Rules::mill_formation_action_in_placing_phase`].
pub mod placing_mill {
    /// A man is taken from the board.
    pub const TAKES: u8 = 0;
    /// A man is taken from the opponent's hand, or from the board if that hand is empty.
    ///
    /// Then the opponent is to move.
    pub const TAKES_FROM_HAND: u8 = 1;
    /// The same, but the side that closed the mill places again.
    pub const TAKES_FROM_HAND_AND_GOES_ON: u8 = 2;
    /// The same as [`TAKES`].
    pub const TAKES_TOO: u8 = 3;
    /// A man is taken from the board. Its point is marked and stays blocked until all men are placed.
    pub const TAKES_AND_MARKS: u8 = 4;
    /// Nothing yet. Once all men are placed, the mills on the board decide how many men each side takes.
    pub const SETTLES_LATER: u8 = 5;
}

/// The effect of a full board as the moving phase begins: the values of [`Rules::board_full_action`].
///
/// With fewer than twelve men on each side the board is never full.
pub mod full_board {
    /// White loses.
    pub const WHITE_LOSES: u8 = 0;
    /// White takes a man, then Black.
    pub const WHITE_TAKES_FIRST: u8 = 1;
    /// Black takes a man, then White.
    pub const BLACK_TAKES_FIRST: u8 = 2;
    /// White takes a man, or Black if it opens the moving phase; then the other side moves.
    pub const MOVER_TAKES: u8 = 3;
    /// The game is drawn.
    pub const DRAWS: u8 = 4;
}

/// The effect of being blocked (unable to move): the values of [`Rules::stalemate_action`].
pub mod blocked {
    /// The blocked side loses.
    pub const LOSES: u8 = 0;
    /// The turn of the blocked side passes to the opponent.
    pub const PASSES: u8 = 1;
    /// The blocked side takes a man next to its own, then moves.
    pub const TAKES_AND_MOVES: u8 = 2;
    /// The blocked side takes a man next to its own, then the opponent is to move.
    pub const TAKES_AND_PASSES: u8 = 3;
    /// The game is drawn.
    pub const DRAWS: u8 = 4;
    /// Both sides take a man, the blocked side first.
    pub const BOTH_TAKE: u8 = 5;
}

/// A rule set as a rule book states it: one field for each rule option, in the protocol's order.
///
/// Functions that make, read or write a position or a game under rules panic if `pieces_count` is 0 or above
/// 12, or `fly_piece_count` above 4. They accept other values out of range, but [`Rules::parse`] does not, so
/// nothing reads the text of such rules, or the record of a game under them.
///
/// ```
/// use millstone::Rules;
///
/// let lasker: Rules = "lasker".parse()?;
/// assert_eq!(lasker, Rules { pieces_count: 10, may_move_in_placing_phase: true, ..Rules::NINE });
/// let no_flying: Rules = "nine,MayFly=false".parse()?;
/// assert_eq!(no_flying.to_string(), "preset6");
/// # Ok::<(), millstone::rules::RuleError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Rules {
    /// Men of each side at the start, 9 to 12.
    pub pieces_count: u8,
    /// Flying is allowed with at most this many men on the board, 3 or 4.
    pub fly_piece_count: u8,
    /// A side with fewer men on board and in hand together has lost, 3 to 5.
    pub pieces_at_least_count: u8,
    /// Adds the four diagonals through the corners.
    pub has_diagonal_lines: bool,
    /// The effect of a mill closed by placing, 0 to 5; see [`placing_mill`].
    pub mill_formation_action_in_placing_phase: u8,
    /// A side with men in hand may slide instead of placing.
    pub may_move_in_placing_phase: bool,
    /// Black opens the moving phase.
    pub is_defender_move_first: bool,
    /// Two or three mills closed at once earn as many takes.
    pub may_remove_multiple: bool,
    /// Men in mills may be taken like any other.
    pub may_remove_from_mills_always: bool,
    /// Forbids moving one man back and forth between two mills.
    pub restrict_repeated_mills_formation: bool,
    /// Each side can take only once with each mill.
    pub one_time_use_mill: bool,
    /// The effect of a full board as the moving phase begins, 0 to 4; see [`full_board`].
    pub board_full_action: u8,
    /// With twelve men, placing ends when at most two points are empty.
    pub stop_placing_when_two_empty_squares: bool,
    /// The effect of being blocked, 0 to 5; see [`blocked`].
    pub stalemate_action: u8,
    /// Allows flying.
    pub may_fly: bool,
    /// Slides without a take until the game is drawn, 10 to 200.
    pub n_move_rule: u16,
    /// The same once a side has exactly three men, 5 to 200. Has no effect unless it is smaller.
    pub endgame_n_move_rule: u16,
    /// Draws the game when a position occurs for the third time.
    pub threefold_repetition_rule: bool,
    /// Custodian capture: takes a man that two enemy men enclose on a line.
    pub custodian: CaptureRule,
    /// Intervention capture: takes two men when an enemy man moves between them.
    pub intervention: CaptureRule,
    /// Leap capture: takes a man by leaping over it along a line.
    pub leap: CaptureRule,
}
