//! Rule sets compiled for position and search: every switch is a mask or a number, so that the hot paths have
//! no branch for a rule that is off.

use super::rule_set::{CaptureRule, Rules, blocked, full_board, placing_mill};
use crate::bitboard::{self, Bitboard, LineKind};
use crate::types::{Color, ROWS, Square};

/// A line of a capture rule, seen from one of its ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CaptureLine {
    /// The other end.
    pub other_end: Bitboard,
    /// The middle of the line.
    pub middle: Bitboard,
}

/// The lines of one capture rule, compiled.
#[derive(Clone, Debug)]
pub(crate) struct CompiledCaptures {
    /// For each point the active lines that end there.
    pub as_end: [Vec<CaptureLine>; ROWS],
    /// For each point the ends of the active lines with this point in the middle: cross, side, diagonal.
    pub as_middle: [Vec<Bitboard>; ROWS],
    /// The rule works when a man is placed.
    pub placing: bool,
    /// The rule works when a man is moved; leaps work in the moving phase.
    pub moving: bool,
    /// The rule needs at most three own men: for leaps always, for the others in the moving phase.
    pub only_few: bool,
}

impl CompiledCaptures {
    fn new(rule: &CaptureRule, diagonals: bool) -> Self {
        let mut compiled = Self {
            as_end: std::array::from_fn(|_| Vec::new()),
            as_middle: std::array::from_fn(|_| Vec::new()),
            placing: rule.enabled && rule.in_placing_phase,
            moving: rule.enabled && rule.in_moving_phase,
            only_few: rule.only_when_own_pieces_leq3,
        };
        if !rule.enabled {
            return compiled;
        }
        // If several lines allow an intervention, it takes on the first one in this order.
        for kind in [LineKind::Cross, LineKind::Side, LineKind::Diagonal] {
            if !rule.works_on(kind) {
                continue;
            }
            for line in bitboard::lines_of(diagonals).iter().filter(|line| line.kind == kind) {
                let ends = line.squares.without(line.middle);
                compiled.as_middle[line.middle.row()].push(ends);
                for end in ends {
                    let other_end = ends.without(end);
                    compiled.as_end[end.row()].push(CaptureLine { other_end, middle: line.middle.into() });
                }
            }
        }
        compiled
    }
}

/// The positions that count for the draw by repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RepetitionProfile {
    /// Those that a quiet slide leads to.
    #[default]
    AfterSlides,
    /// Also those of the moving phase without a take due that a placing, a take or a position text leads to.
    StableMoving,
}

impl RepetitionProfile {
    /// Both profiles.
    pub const ALL: [Self; 2] = [Self::AfterSlides, Self::StableMoving];

    /// Returns the name, as the option `StrictRefereeProfile` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AfterSlides => "sanmill-live-v1",
            Self::StableMoving => "mif-stable-moving-v1",
        }
    }
}

/// A rule set as position and search read it.
#[derive(Clone, Debug)]
pub(crate) struct CompiledRules {
    /// The source of all other fields.
    pub rules: Rules,
    /// For each point and each line through it the two other points.
    ///
    /// Unused entries hold a line that no set covers.
    pub partners: [[Bitboard; 3]; ROWS],
    /// For each point its neighbours.
    pub adjacent: [Bitboard; ROWS],
    /// The points with edges and lines across the rings.
    pub spokes: Bitboard,
    /// A side with an empty hand and at most this many men flies. 0 forbids flying.
    pub fly_at: u32,
    /// Mills protect men on these points: all points, or none.
    pub guard: Bitboard,
    /// The most takes that one placing or slide can earn by mills: 1 or 3.
    pub max_takes: u32,
    /// A side with fewer men on the board and in hand has lost.
    pub least: u32,
    /// Slides without a take until a draw.
    pub n_move: u16,
    /// The same while a side has exactly three men.
    pub endgame_n_move: u16,
    /// The minimum number of moves after which a position can return.
    ///
    /// Four if the sides alternate, two if a blocked side passes, and an unreachable number if repetition
    /// does not draw.
    pub first_return: u16,
    /// The minimum number of slides without a take before a draw by repetition or by a move counter.
    pub first_draw: u16,
    /// The positions that count for repetition.
    pub profile: RepetitionProfile,
    /// True if a blocked side neither loses nor draws.
    pub settles_blocked: bool,
    /// The side that opens the moving phase, or `None` if the turns just go on.
    pub first_mover: Option<Color>,
    /// True for *rules with extras*, under which positions carry `Extras`.
    ///
    /// A rule is on that needs more state than men, hands and side to move.
    pub extras: bool,
    /// Custodian captures.
    pub custodian: CompiledCaptures,
    /// Intervention captures.
    pub intervention: CompiledCaptures,
    /// Leap captures.
    pub leap: CompiledCaptures,
    /// True if men leap in any phase.
    pub leaps: bool,
    /// True if any capture rule is on.
    pub captures: bool,
    /// The fewest opposing men beside a placing that captures.
    ///
    /// One for custodian captures, two for interventions, and more than any point has neighbours if no
    /// placing captures.
    pub capture_neighbours: u32,
    /// True if placing ends early with two empty points.
    pub stop_at_two_empty: bool,
    /// True for the standard game, apart from its draws by counters.
    pub standard: bool,
}

impl CompiledRules {
    /// Compiles a rule set.
    ///
    /// # Panics
    /// If the sides have no men, or have more, or fly with more, than positions and move lists have room for.
    pub(crate) fn new(rules: &Rules) -> Self {
        assert!(
            (1..=12).contains(&rules.pieces_count) && rules.fly_piece_count <= 4,
            "out of range: {rules:?}"
        );
        let action = rules.mill_formation_action_in_placing_phase;
        let keeps_turn = action == placing_mill::TAKES_FROM_HAND
            || action == placing_mill::TAKES_FROM_HAND_AND_GOES_ON && rules.may_remove_multiple
            || rules.may_move_in_placing_phase
                && !matches!(action, placing_mill::TAKES_AND_MARKS | placing_mill::SETTLES_LATER);
        let diagonals = rules.has_diagonal_lines;
        let spokes = if diagonals { Bitboard::FULL } else { Bitboard::MIDPOINTS };
        let captures = rules.custodian.enabled || rules.intervention.enabled || rules.leap.enabled;
        let settles_blocked = !matches!(rules.stalemate_action, blocked::LOSES | blocked::DRAWS);
        let extras = captures
            || !matches!(action, placing_mill::TAKES | placing_mill::TAKES_TOO)
            || rules.may_move_in_placing_phase
            || rules.one_time_use_mill
            || rules.restrict_repeated_mills_formation
            || settles_blocked
            || rules.pieces_count == 12
                && !matches!(rules.board_full_action, full_board::WHITE_LOSES | full_board::DRAWS);
        let custodian = CompiledCaptures::new(&rules.custodian, diagonals);
        let intervention = CompiledCaptures::new(&rules.intervention, diagonals);
        let leap = CompiledCaptures::new(&rules.leap, diagonals);
        let capture_neighbours = match (custodian.placing, intervention.placing) {
            (true, _) => 1,
            (false, true) => 2,
            (false, false) => 5,
        };
        let first_return = match (rules.threefold_repetition_rule, rules.stalemate_action) {
            (false, _) => u16::MAX / 2,
            (true, blocked::PASSES) => 2,
            (true, _) => 4,
        };
        let endgame_n_move = rules.n_move_rule.min(rules.endgame_n_move_rule);
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
            endgame_n_move,
            first_return,
            first_draw: first_return.min(endgame_n_move),
            profile: RepetitionProfile::default(),
            settles_blocked,
            first_mover: match (keeps_turn, rules.is_defender_move_first) {
                (_, true) => Some(Color::Black),
                (false, false) => Some(Color::White),
                (true, false) => None,
            },
            extras,
            custodian,
            intervention,
            leaps: leap.placing || leap.moving,
            leap,
            captures,
            capture_neighbours,
            stop_at_two_empty: rules.pieces_count == 12 && rules.stop_placing_when_two_empty_squares,
            standard: rules.with_standard_counters() == Rules::NINE,
        }
    }

    /// Compiles a rule set with a choice of the positions that count for repetition.
    pub(crate) fn with_profile(rules: &Rules, profile: RepetitionProfile) -> Self {
        Self { profile, ..Self::new(rules) }
    }

    /// Returns the number of lines through `to` that `men` completes. `men` need not hold `to` itself.
    #[inline(always)]
    pub(crate) fn lines_closed(&self, men: Bitboard, to: Square) -> u32 {
        let [a, b, c] = self.partners[to.row()];
        u32::from(men.covers(a)) + u32::from(men.covers(b)) + u32::from(men.covers(c))
    }

    /// Returns true if a man on `to` completes a line together with `men`.
    #[inline(always)]
    pub(crate) fn closes_mill(&self, men: Bitboard, to: Square) -> bool {
        let [a, b, c] = self.partners[to.row()];
        men.covers(a) | men.covers(b) | men.covers(c)
    }

    /// Returns the men of one side that may be taken: the men outside mills. Returns all men if every man is
    /// in a mill, or if mills protect no man under these rules.
    #[inline(always)]
    pub(crate) fn unprotected(&self, men: Bitboard) -> Bitboard {
        let free = men - (men.milled(self.spokes) & self.guard);
        if free.is_empty() { men } else { free }
    }
}
