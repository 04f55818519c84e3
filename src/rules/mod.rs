//! Rule sets: what a rule book says ([`Rules`]), by name and by option, and the tables that the game and the search
//! read ([`CompiledRules`]).

mod compiled;
mod named;
mod options;

pub use compiled::{CaptureLine, CompiledCaptures, CompiledRules};
pub use named::{NAMED, NamedRules};
pub use options::{RULE_OPTIONS, RuleError, RuleKind, RuleOption, parse_bool};

use crate::bitboard::LineKind;

/// The switches of one capture rule (custodian, intervention or leap).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct CaptureRule {
    /// Whether the rule exists at all.
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
    /// The rule switched off, the other switches at their defaults.
    pub const OFF: Self = Self {
        enabled: false,
        on_square_edges: true,
        on_cross_lines: true,
        on_diagonal_lines: true,
        in_placing_phase: true,
        in_moving_phase: true,
        only_when_own_pieces_leq3: false,
    };

    /// Whether the rule works on lines of this family.
    pub const fn works_on(&self, kind: LineKind) -> bool {
        match kind {
            LineKind::Side => self.on_square_edges,
            LineKind::Cross => self.on_cross_lines,
            LineKind::Diagonal => self.on_diagonal_lines,
        }
    }
}

/// A rule set as a rule book states it: one field for each rule option, in the protocol's order.
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
    /// What closing a mill by placing does, 0 to 5.
    pub mill_formation_action_in_placing_phase: u8,
    /// A side with men in hand may slide instead of placing.
    pub may_move_in_placing_phase: bool,
    /// Black opens the moving phase.
    pub is_defender_move_first: bool,
    /// Closing several lines at once earns as many removals.
    pub may_remove_multiple: bool,
    /// Mills protect nobody.
    pub may_remove_from_mills_always: bool,
    /// Forbids shuttling one man between two mills.
    pub restrict_repeated_mills_formation: bool,
    /// Each mill earns something only once for each side.
    pub one_time_use_mill: bool,
    /// What happens when the board is full as the moving phase begins, 0 to 4.
    pub board_full_action: u8,
    /// With twelve men, placing ends when at most two points are empty.
    pub stop_placing_when_two_empty_squares: bool,
    /// What happens to a side that cannot move, 0 to 5.
    pub stalemate_action: u8,
    /// Allows flying.
    pub may_fly: bool,
    /// Draw after this many quiet moves, 10 to 200.
    pub n_move_rule: u16,
    /// The same once a side has exactly three men; counts only if smaller. 5 to 200.
    pub endgame_n_move_rule: u16,
    /// Draw at the third occurrence of a position.
    pub threefold_repetition_rule: bool,
    /// Capture by enclosing.
    pub custodian: CaptureRule,
    /// Capture by stepping between two men.
    pub intervention: CaptureRule,
    /// Capture by jumping.
    pub leap: CaptureRule,
}

impl Rules {
    /// Nine men's morris, the defaults of all options.
    pub const NINE: Self = Self {
        pieces_count: 9,
        fly_piece_count: 3,
        pieces_at_least_count: 3,
        has_diagonal_lines: false,
        mill_formation_action_in_placing_phase: 0,
        may_move_in_placing_phase: false,
        is_defender_move_first: false,
        may_remove_multiple: false,
        may_remove_from_mills_always: false,
        restrict_repeated_mills_formation: false,
        one_time_use_mill: false,
        board_full_action: 0,
        stop_placing_when_two_empty_squares: false,
        stalemate_action: 0,
        may_fly: true,
        n_move_rule: 100,
        endgame_n_move_rule: 100,
        threefold_repetition_rule: true,
        custodian: CaptureRule::OFF,
        intervention: CaptureRule::OFF,
        leap: CaptureRule::OFF,
    };

    /// Twelve men's morris on the board with diagonals.
    pub const TWELVE: Self = Self { pieces_count: 12, has_diagonal_lines: true, ..Self::NINE };

    /// The numbered presets, whose names are `preset0` to `preset10`.
    pub const PRESETS: [Self; 11] = [
        Self::NINE,
        Self::TWELVE,
        Self { mill_formation_action_in_placing_phase: 1, ..Self::TWELVE },
        Self { may_remove_multiple: true, ..Self::TWELVE },
        Self { one_time_use_mill: true, ..Self::NINE },
        Self { pieces_count: 10, may_move_in_placing_phase: true, ..Self::NINE },
        Self { may_fly: false, ..Self::NINE },
        Self {
            mill_formation_action_in_placing_phase: 4,
            may_fly: false,
            is_defender_move_first: true,
            may_remove_from_mills_always: true,
            ..Self::TWELVE
        },
        Self { board_full_action: 1, stalemate_action: 2, ..Self::TWELVE },
        Self {
            pieces_count: 12,
            mill_formation_action_in_placing_phase: 5,
            may_fly: false,
            may_remove_from_mills_always: true,
            board_full_action: 1,
            ..Self::NINE
        },
        Self {
            may_fly: false,
            is_defender_move_first: true,
            may_remove_from_mills_always: true,
            board_full_action: 2,
            ..Self::TWELVE
        },
    ];
}

impl Default for Rules {
    fn default() -> Self {
        Self::NINE
    }
}
