//! The position: board, hands and side to move, and the simple questions about them.

use super::state::{Action, Core, Ending, Extras, LastMill, Phase, StateInfo};
use crate::bitboard::{Bitboard, DRAWING, DRAWING_WITH_DIAGONALS, Pair, draw};
use crate::rules::{CompiledRules, RepetitionProfile, Rules};
use crate::types::{Color, MAX_PLY, Move, MoveKind, Square};
use std::sync::Arc;

/// A position with the moves that led to it.
///
/// Two positions are equal if they have the same rules and the same text, however they arose.
///
/// ```
/// use millstone::{Color, Position, Rules};
///
/// let mut pos = Position::new(&Rules::NINE);
/// for text in ["d6", "f4", "d7", "b2", "d5"] {
///     pos.play(text.parse()?)?;
/// }
/// assert_eq!(pos.side_to_move(), Color::White, "d5, d6, d7 is a mill: White takes a man");
/// assert_eq!(pos.legal_moves().iter().map(ToString::to_string).collect::<Vec<_>>(), ["xf4", "xb2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// Most positions fit into the 16 bytes of `StateInfo`. Positions of rules with extras, and those that only a
// text can set up, carry `Extras`. Code that plays or generates moves has a const parameter `EXTRAS`: two
// instances of one source, chosen by `has_extras`.
#[derive(Clone)]
pub struct Position {
    pub(super) state: StateInfo,
    pub(super) stack: Vec<StateInfo>,
    /// [`Position::ply`] before the first move of the stack.
    pub(super) first_ply: u16,
    pub(super) compiled: Arc<CompiledRules>,
    pub(super) has_extras: bool,
    pub(super) counts_origin: bool,
    pub(super) extras: Extras,
    /// The extras of those positions of the stack that use them.
    pub(super) extras_stack: Vec<Extras>,
    /// True if the action may contradict the rest: that of a text before the first move, and
    /// always if men may leap while moving.
    pub(super) action_in_doubt: bool,
    /// The position before the rule about blocked sides changed it, if it was read from a text and is drawn
    /// by counters: [`Position::fen`] returns the text as it was read.
    pub(super) as_read: Option<Box<Self>>,
}

impl Position {
    /// Returns the initial position of a rule set.
    ///
    /// # Panics
    /// If the rules are out of range; see [`Rules`].
    pub fn new(rules: &Rules) -> Self {
        Self::with_compiled(Arc::new(CompiledRules::new(rules)))
    }

    /// Returns the initial position under compiled rules.
    pub(crate) fn with_compiled(compiled: Arc<CompiledRules>) -> Self {
        let mut core = Core(0);
        core.give_hand(0, u32::from(compiled.rules.pieces_count));
        core.give_hand(1, u32::from(compiled.rules.pieces_count));
        let state = StateInfo {
            core,
            move_counter: 0,
            window: 0,
            ending: Ending::None,
            counted: false,
            passed: false,
            uses_extras: false,
        };
        let has_extras = compiled.extras;
        let counts_origin = compiled.profile == RepetitionProfile::StableMoving;
        Self {
            state,
            stack: Vec::with_capacity(MAX_PLY),
            first_ply: 0,
            action_in_doubt: compiled.leap.moving,
            compiled,
            has_extras,
            counts_origin,
            extras: Extras::default(),
            extras_stack: Vec::with_capacity(if has_extras { MAX_PLY } else { 0 }),
            as_read: None,
        }
    }

    /// Returns the compiled rules.
    #[inline(always)]
    pub(crate) fn compiled(&self) -> &CompiledRules {
        &self.compiled
    }

    /// Returns the compiled rules for another position to share.
    pub(crate) fn shared_compiled(&self) -> Arc<CompiledRules> {
        Arc::clone(&self.compiled)
    }

    /// Returns the rule set.
    #[inline(always)]
    pub fn rules(&self) -> &Rules {
        &self.compiled.rules
    }

    /// Returns true if the position carries [`Extras`], so that move generation and search need `EXTRAS`.
    #[inline(always)]
    pub(crate) fn has_extras(&self) -> bool {
        self.has_extras
    }

    /// Returns true if positions that no slide has led to can count for repetition.
    #[inline(always)]
    pub(crate) fn counts_origin(&self) -> bool {
        self.counts_origin
    }

    /// Returns the state that only rules with extras need. Empty if [`Position::has_extras`] is false.
    #[inline(always)]
    pub(crate) fn extras(&self) -> &Extras {
        &self.extras
    }

    /// Returns true if the [`Extras`] are not at their defaults.
    #[inline(always)]
    pub(crate) fn uses_extras(&self) -> bool {
        self.state.uses_extras
    }

    /// Notes whether the extras are at their defaults.
    ///
    /// A mill, a capture, a take, the end of placing and the rule about blocked sides may change that. Extras
    /// at their defaults stay so after all other moves.
    pub(super) fn note_extras(&mut self) {
        self.state.uses_extras = !self.extras.are_default();
    }

    /// Returns the side to move.
    ///
    /// After a take that ends the game it is the side that took. [`Position::mover`] returns `None` where the
    /// rules leave no side to move.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        Color::from_index(self.state.core.side())
    }

    /// Returns the men of one side on the board, without marked points.
    #[inline(always)]
    pub fn men(&self, color: Color) -> Bitboard {
        self.state.core.men(color.index())
    }

    /// Returns the men of the side to move, then those of the other side.
    #[inline(always)]
    pub(crate) fn men_by_turn(&self) -> Pair {
        self.state.core.men_by_turn()
    }

    /// Returns the number of men of both sides on the board.
    #[inline(always)]
    pub(crate) fn men_on_board(&self) -> u32 {
        self.state.core.men_of_both().count_ones()
    }

    /// Returns the points that are not free: men and marks.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.state.core.occupied() | self.extras.marked
    }

    /// Returns the empty points.
    #[inline(always)]
    pub fn empty(&self) -> Bitboard {
        !self.occupied()
    }

    /// [`Position::empty`]; `EXTRAS` must equal [`Position::has_extras`].
    #[inline(always)]
    pub(crate) fn empty_as<const EXTRAS: bool>(&self) -> Bitboard {
        if EXTRAS { self.empty() } else { !self.state.core.occupied() }
    }

    /// Returns the number of men that one side has in hand.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> u32 {
        self.state.core.hand(color.index())
    }

    /// Returns the number of men in both hands.
    #[inline(always)]
    pub fn men_in_hand(&self) -> u32 {
        self.hand(Color::White) + self.hand(Color::Black)
    }

    /// Returns the number of men of one side on the board and in hand.
    #[inline(always)]
    pub fn material(&self, color: Color) -> u32 {
        self.men(color).count() + self.hand(color)
    }

    /// Returns the number of takes that a side still has to make.
    #[inline(always)]
    pub fn takes_due(&self, color: Color) -> u32 {
        if self.has_extras {
            u32::from(self.extras.due[color.index()])
        } else if color == self.side_to_move() {
            self.state.core.due()
        } else {
            0
        }
    }

    /// Returns true if a side, whoever is to move, still has to make takes.
    #[inline(always)]
    pub(crate) fn has_takes_due(&self) -> bool {
        self.state.core.due() > 0 || self.extras.due != [0, 0]
    }

    /// Returns the phase of the side to move, or [`Phase::Over`].
    ///
    /// Only [`Position::outcome`] considers draws by counters and blocked sides.
    #[inline(always)]
    pub fn phase(&self) -> Phase {
        self.state.core.phase()
    }

    /// Returns the kind of move that comes next. Draws by counters and blocked sides are not considered.
    ///
    /// A position text may name an action that contradicts its hands or takes; before the first move this is
    /// the one that it names. [`Position::legal_moves`] follows the rules.
    #[inline(always)]
    pub fn action(&self) -> Action {
        self.state.core.action()
    }

    /// Returns the number of slides, flights and leaps since the last placing or take.
    #[inline(always)]
    pub fn move_counter(&self) -> u32 {
        u32::from(self.state.move_counter)
    }

    /// Returns the number of placings, slides, flights and leaps since the start of the game.
    ///
    /// Takes do not count.
    pub fn ply(&self) -> u32 {
        let men = |n: usize| self.stack.get(n).unwrap_or(&self.state).core.occupied().count();
        let counted = (0..self.stack.len()).filter(|&n| men(n + 1) >= men(n)).count();
        (u32::from(self.first_ply) + counted as u32).min(u16::MAX.into())
    }

    /// Returns the number of moves, takes included, that [`Position::undo_move`] can take back.
    pub fn moves_played(&self) -> usize {
        self.stack.len()
    }

    /// Returns true if men, hands, side to move and at most one take due are the whole state.
    ///
    /// So it is under rules without extras in every game from the initial position, unless a move earns two
    /// takes. A position text can say more.
    pub(crate) fn is_ordinary(&self) -> bool {
        let us = self.side_to_move();
        let due = self.takes_due(us);
        // No such rules look at the latest mills.
        let known = Extras { last_mill: self.extras.last_mill, ..Extras::of_takes(us.index(), due as u8) };
        let (phase, action) = match (due, self.hand(us)) {
            (0, 0) => (Phase::Moving, Action::Slide),
            (0, _) => (Phase::Placing, Action::Place),
            (1, _) => (self.phase(), Action::Take),
            _ => return false,
        };
        (self.phase(), self.action()) == (phase, action) && (!self.has_extras || self.extras == known)
    }

    /// Returns true if a side may fly: its hand is empty and it has few enough men.
    #[inline(always)]
    pub fn can_fly(&self, color: Color) -> bool {
        self.hand(color) == 0 && self.men(color).count() <= self.compiled.fly_at
    }

    /// Returns true if a side can neither slide nor fly. Leaps are not considered.
    ///
    /// The rule against moving straight back into a mill needs no test. The forbidden point completes a line
    /// with two own men. One of them stands beside that point and may move there, so the side is not
    /// blocked. On a full board both sides have twelve men, so no side flies.
    pub fn is_blocked(&self, color: Color) -> bool {
        let (men, empty) = (self.men(color), self.empty());
        // Most sides can slide along a ring.
        if (men.clockwise() | men.anticlockwise()).intersects(empty) {
            return false;
        }
        // Without the first test a side without men would fly under rules without flying.
        let flies = self.compiled.fly_at > 0 && men.count() <= self.compiled.fly_at;
        !flies && !men.neighbours(self.compiled.spokes).intersects(empty)
    }

    /// Returns the slide back into the mill that a side has just opened by closing another, which the rule
    /// against repeated mills forbids: origin and target.
    #[inline(always)]
    pub(crate) fn forbidden_return(&self, color: Color) -> Option<(Square, Square)> {
        let is_restricted = self.has_extras && self.compiled.rules.restrict_repeated_mills_formation;
        if is_restricted { self.restricted_return(color) } else { None }
    }

    fn restricted_return(&self, color: Color) -> Option<(Square, Square)> {
        let LastMill { from: Some(opened), to: Some(closed) } = self.extras.last_mill[color.index()] else {
            return None;
        };
        let men = self.men(color);
        if !men.contains(closed) {
            return None;
        }
        let completes = |men: Bitboard, square| self.usable_lines(color.index(), men, square).0 > 0;
        (completes(men, closed) && completes(men.without(closed), opened)).then_some((closed, opened))
    }

    /// Returns the number of lines through `to` that the men `others` of the side `us` complete and that it
    /// has not used up, and their points.
    pub(super) fn usable_lines(&self, us: usize, others: Bitboard, to: Square) -> (u32, Bitboard) {
        let used = self.extras.used[us];
        let mut lines = (0, Bitboard::EMPTY);
        for &rest in &self.compiled.partners[to.row()] {
            let spent = self.compiled.rules.one_time_use_mill && used.covers(rest.with(to));
            if others.covers(rest) && !spent {
                lines = (lines.0 + 1, lines.1 | rest.with(to));
            }
        }
        lines
    }

    /// Returns true if the move is a placing or slide of the side to move that completes a line.
    #[inline(always)]
    pub(crate) fn closes_mill(&self, m: Move) -> bool {
        let men = self.men(self.side_to_move());
        let others = if m.kind() == MoveKind::Slide { men.without(m.from()) } else { men };
        !m.is_take() && self.compiled.closes_mill(others, m.to())
    }

    /// Returns true if the next move is a take.
    #[inline(always)]
    pub fn is_take_due(&self) -> bool {
        self.action() == Action::Take
    }

    /// Draws the board with characters, in thirteen lines and a line of file letters.
    pub fn drawing(&self) -> String {
        let has_diagonals = self.compiled().rules.has_diagonal_lines;
        let drawing = if has_diagonals { DRAWING_WITH_DIAGONALS } else { DRAWING };
        draw(drawing, |s| self.letter(s))
    }

    /// Returns the letter of a point in drawings and position texts.
    pub(crate) fn letter(&self, square: Square) -> char {
        if self.men(Color::White).contains(square) {
            'O'
        } else if self.men(Color::Black).contains(square) {
            '@'
        } else if self.extras.marked.contains(square) {
            'X'
        } else {
            '*'
        }
    }
}
