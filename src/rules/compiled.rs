//! Rule sets compiled for the game and the search: every switch is a mask or a number, so that the hot paths have no
//! branch for a rule that is off.

use super::{CaptureRule, Rules};
use crate::bitboard::{self, Bitboard, LINES, LineKind};
use crate::types::{Color, ROWS, Square};

/// One line of a capture rule as seen from a point: the point opposite and the one that matters.
#[derive(Clone, Copy, Debug)]
pub struct CaptureLine {
    /// The two other points of the line.
    pub rest: Bitboard,
    /// The middle of the line.
    pub middle: Bitboard,
}

/// The lines of one capture rule, compiled.
#[derive(Clone, Debug)]
pub struct CompiledCaptures {
    /// For each point the active lines that it is an end of.
    pub as_end: [Vec<CaptureLine>; ROWS],
    /// For each point the two ends of the active lines that it is the middle of: cross, side, diagonal.
    pub as_middle: [Vec<Bitboard>; ROWS],
    /// Works when a man is placed.
    pub placing: bool,
    /// Works when a man is moved; for leaps, in the moving phase.
    pub moving: bool,
    /// Needs three or fewer own men: always for leaps, in the moving phase for the others.
    pub only_few: bool,
}

impl CompiledCaptures {
    fn new(rule: &CaptureRule, diagonals: bool) -> Self {
        let mut tables = Self {
            as_end: std::array::from_fn(|_| Vec::new()),
            as_middle: std::array::from_fn(|_| Vec::new()),
            placing: rule.enabled && rule.in_placing_phase,
            moving: rule.enabled && rule.in_moving_phase,
            only_few: rule.only_when_own_pieces_leq3,
        };
        if !rule.enabled {
            return tables;
        }
        // The order in which lines compete for an intervention.
        for kind in [LineKind::Cross, LineKind::Side, LineKind::Diagonal] {
            if !rule.works_on(kind) || kind == LineKind::Diagonal && !diagonals {
                continue;
            }
            for line in LINES.iter().filter(|line| line.kind == kind) {
                let ends = line.squares.without(line.middle);
                tables.as_middle[line.middle.row()].push(ends);
                for end in ends {
                    let rest = line.squares.without(end);
                    tables.as_end[end.row()].push(CaptureLine { rest, middle: line.middle.into() });
                }
            }
        }
        tables
    }
}

/// A rule set as the game and the search read it.
#[derive(Clone, Debug)]
pub struct CompiledRules {
    /// What it was compiled from.
    pub rules: Rules,
    /// For each point the rest of each of its mill lines; unused entries hold a line that no set covers.
    pub partners: [[Bitboard; 3]; ROWS],
    /// For each point its neighbours.
    pub adjacent: [Bitboard; ROWS],
    /// The points with edges and lines across the rings.
    pub spokes: Bitboard,
    /// A side with an empty hand and at most this many men flies; 0 forbids flying.
    pub fly_at: u32,
    /// Men in mills are protected inside this set: all points, or none where mills protect nobody.
    pub guard: Bitboard,
    /// Largest number of removals one placing or move can earn by mills: 1, or 3.
    pub max_takes: u32,
    /// Fewer men on board and in hand lose.
    pub least: u32,
    /// Quiet moves until a draw.
    pub n_move: u16,
    /// The same once a side has exactly three men.
    pub endgame_n_move: u16,
    /// Fewest moves after which a position can return: four where the sides alternate, two where a blocked side
    /// may be passed over, and more than can be played where repetition does not draw.
    pub first_return: u16,
    /// The side that opens the moving phase, or none where the turn order simply goes on.
    pub first_mover: Option<Color>,
    /// Whether a rare rule is on, so that positions carry [`crate::position::Extras`].
    pub extras: bool,
    /// Custodian captures.
    pub custodian: CompiledCaptures,
    /// Intervention captures.
    pub intervention: CompiledCaptures,
    /// Leap captures.
    pub leap: CompiledCaptures,
    /// Whether any capture rule is on.
    pub captures: bool,
    /// Whether placing may end early with two empty points.
    pub stop_at_two_empty: bool,
    /// Whether the game is the standard one, apart from its draws by counters.
    pub standard: bool,
}

impl CompiledRules {
    /// Compiles a rule set.
    pub fn new(rules: &Rules) -> Self {
        let action = rules.mill_formation_action_in_placing_phase;
        let keeps_turn = action == 1
            || action == 2 && rules.may_remove_multiple
            || rules.may_move_in_placing_phase && !matches!(action, 4 | 5);
        let diagonals = rules.has_diagonal_lines;
        let spokes = if diagonals { Bitboard::FULL } else { Bitboard::MIDPOINTS };
        let captures = rules.custodian.enabled || rules.intervention.enabled || rules.leap.enabled;
        let extras = captures
            || !matches!(action, 0 | 3)
            || rules.may_move_in_placing_phase
            || rules.one_time_use_mill
            || rules.restrict_repeated_mills_formation
            || matches!(rules.stalemate_action, 1 | 2 | 3 | 5)
            || rules.pieces_count == 12 && matches!(rules.board_full_action, 1..=3);
        Self {
            rules: *rules,
            partners: bitboard::partners(diagonals),
            adjacent: bitboard::adjacency(spokes),
            spokes,
            fly_at: if rules.may_fly { u32::from(rules.fly_piece_count) } else { 0 },
            guard: if rules.may_remove_from_mills_always { Bitboard::EMPTY } else { Bitboard::FULL },
            max_takes: if rules.may_remove_multiple { 3 } else { 1 },
            least: u32::from(rules.pieces_at_least_count),
            n_move: rules.n_move_rule,
            endgame_n_move: rules.n_move_rule.min(rules.endgame_n_move_rule),
            first_return: match (rules.threefold_repetition_rule, rules.stalemate_action) {
                (false, _) => u16::MAX / 2,
                (true, 1) => 2,
                (true, _) => 4,
            },
            first_mover: match (keeps_turn, rules.is_defender_move_first) {
                (_, true) => Some(Color::Black),
                (false, false) => Some(Color::White),
                (true, false) => None,
            },
            extras,
            custodian: CompiledCaptures::new(&rules.custodian, diagonals),
            intervention: CompiledCaptures::new(&rules.intervention, diagonals),
            leap: CompiledCaptures::new(&rules.leap, diagonals),
            captures,
            stop_at_two_empty: rules.pieces_count == 12 && rules.stop_placing_when_two_empty_squares,
            standard: Rules {
                n_move_rule: Rules::NINE.n_move_rule,
                endgame_n_move_rule: Rules::NINE.endgame_n_move_rule,
                threefold_repetition_rule: Rules::NINE.threefold_repetition_rule,
                ..*rules
            } == Rules::NINE,
        }
    }

    /// The number of mill lines through `to` that `men` (which need not hold `to` itself) completes.
    #[inline(always)]
    pub fn lines_closed(&self, men: Bitboard, to: Square) -> u32 {
        let [a, b, c] = self.partners[to.row()];
        u32::from(men.covers(a)) + u32::from(men.covers(b)) + u32::from(men.covers(c))
    }

    /// Whether a man on `to` completes a mill line together with `men`.
    #[inline(always)]
    pub fn closes_mill(&self, men: Bitboard, to: Square) -> bool {
        let [a, b, c] = self.partners[to.row()];
        men.covers(a) | men.covers(b) | men.covers(c)
    }

    /// Of the men of one side, those that may be taken as far as mills protect: those outside mills, or all where
    /// none stands outside or mills protect nobody.
    #[inline(always)]
    pub fn unprotected(&self, men: Bitboard) -> Bitboard {
        let free = men - (men.milled(self.spokes) & self.guard);
        if free.is_empty() { men } else { free }
    }
}
