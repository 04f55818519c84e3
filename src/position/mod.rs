//! A position and its history: men, hands, side to move, what is owed, and how the game stands.
//!
//! `state.rs` holds the data, `legal.rs` says what may be played, `moves.rs` plays and takes back moves, `fen.rs` reads and writes position texts and
//! `check.rs` recomputes everything that is kept.

mod check;
mod fen;
mod legal;
mod moves;
mod state;
#[cfg(test)]
mod tests;
pub mod zobrist;

pub use fen::{CountFormat, FenError};
pub use state::{Action, Extras, LastMill, Owed, Phase, Record, Records, StateInfo};

use crate::bitboard::{Bitboard, DRAWING, DRAWING_WITH_DIAGONALS, SYMMETRIES, draw};
use crate::position::zobrist::spread;
use crate::rules::{CompiledRules, Rules};
use crate::types::{Color, Square};
use state::{Core, Ending};
use std::fmt;
use std::sync::Arc;

/// Why a game is over, under the names of the rule book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Reason {
    /// It is not.
    Ongoing,
    /// A side has too few men. For a text that says "over", also the reason of an unknown ending.
    LoseFewerThanThree,
    /// A side cannot move and loses.
    LoseNoLegalMoves,
    /// The board is full and White loses.
    LoseFullBoard,
    /// The board is full: a draw.
    DrawFullBoard,
    /// A side cannot move: a draw.
    DrawStalemateCondition,
    /// Third occurrence of a position.
    DrawThreefoldRepetition,
    /// Too many quiet moves.
    DrawFiftyMove,
    /// Too many quiet moves with three men left.
    DrawEndgameFiftyMove,
}

impl Reason {
    /// The name in camel case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ongoing => "ongoing",
            Self::LoseFewerThanThree => "loseFewerThanThree",
            Self::LoseNoLegalMoves => "loseNoLegalMoves",
            Self::LoseFullBoard => "loseFullBoard",
            Self::DrawFullBoard => "drawFullBoard",
            Self::DrawStalemateCondition => "drawStalemateCondition",
            Self::DrawThreefoldRepetition => "drawThreefoldRepetition",
            Self::DrawFiftyMove => "drawFiftyMove",
            Self::DrawEndgameFiftyMove => "drawEndgameFiftyMove",
        }
    }

    /// Whether the game could go on if nobody claimed the draw: repetition and the move counters.
    pub const fn is_claimable(self) -> bool {
        matches!(self, Self::DrawThreefoldRepetition | Self::DrawFiftyMove | Self::DrawEndgameFiftyMove)
    }
}

/// How the game stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Why it is over.
    pub reason: Reason,
    /// Who has won, if anybody.
    pub winner: Option<Color>,
}

impl Outcome {
    const ONGOING: Self = Self { reason: Reason::Ongoing, winner: None };

    /// Whether the game is over.
    pub const fn is_over(self) -> bool {
        !matches!(self.reason, Reason::Ongoing)
    }

    /// Whether the game is over and drawn.
    pub const fn is_draw(self) -> bool {
        self.is_over() && self.winner.is_none() && !matches!(self.reason, Reason::LoseFewerThanThree)
    }

    const fn draw(reason: Reason) -> Self {
        Self { reason, winner: None }
    }

    const fn win(winner: Color, reason: Reason) -> Self {
        Self { reason, winner: Some(winner) }
    }
}

/// A position with the moves that led to it.
///
/// Positions that the packed state cannot express (rare rules, oddly imported texts) carry [`Extras`]; all code
/// that plays or generates moves exists in two instances of one source, chosen by [`Position::has_extras`].
#[derive(Clone)]
pub struct Position {
    state: StateInfo,
    stack: Vec<StateInfo>,
    compiled: Arc<CompiledRules>,
    has_extras: bool,
    extras: Extras,
    extras_stack: Vec<Extras>,
    /// What the text said, where it was a position drawn by counters that the rule about blocked sides changed.
    as_read: Option<Box<Self>>,
}

impl Position {
    /// The initial position of a rule set.
    pub fn new(rules: &Rules) -> Self {
        Self::with_compiled(Arc::new(CompiledRules::new(rules)))
    }

    /// The initial position under compiled rules.
    pub fn with_compiled(compiled: Arc<CompiledRules>) -> Self {
        let mut core = Core(0);
        core.give_hand(0, u32::from(compiled.rules.pieces_count));
        core.give_hand(1, u32::from(compiled.rules.pieces_count));
        let state = StateInfo { core, quiet: 0, window: 0, ply: 0, ending: Ending::None, counted: false };
        let has_extras = compiled.extras;
        Self {
            state,
            stack: Vec::with_capacity(crate::types::MAX_PLY),
            compiled,
            has_extras,
            extras: Extras::default(),
            extras_stack: Vec::with_capacity(if has_extras { crate::types::MAX_PLY } else { 0 }),
            as_read: None,
        }
    }

    /// The compiled rules.
    #[inline(always)]
    pub fn compiled(&self) -> &CompiledRules {
        &self.compiled
    }

    /// The compiled rules, shared.
    pub fn shared_compiled(&self) -> Arc<CompiledRules> {
        Arc::clone(&self.compiled)
    }

    /// The rule set.
    #[inline(always)]
    pub fn rules(&self) -> &Rules {
        &self.compiled.rules
    }

    /// Whether the position carries [`Extras`], and the general instance of move generation and search is due.
    #[inline(always)]
    pub fn has_extras(&self) -> bool {
        self.has_extras
    }

    /// The state that only rare rules need; all empty in a position without.
    #[inline(always)]
    pub fn extras(&self) -> &Extras {
        &self.extras
    }

    /// The side to move. When the game is over by anything but a blocked side, nobody is; see [`Position::mover`].
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        Color::from_index(self.state.core.side())
    }

    /// The side to move, or `None` when the game is over and nobody is to move. Blocked sides and texts that say
    /// "over" keep their side.
    pub fn mover(&self) -> Option<Color> {
        let outcome = self.outcome();
        let stays = self.state.ending == Ending::Imported
            || matches!(
                outcome.reason,
                Reason::Ongoing | Reason::LoseNoLegalMoves | Reason::DrawStalemateCondition
            );
        stays.then(|| self.side_to_move())
    }

    /// The men of one side on the board, marked points not among them.
    #[inline(always)]
    pub fn men(&self, color: Color) -> Bitboard {
        self.state.core.men(color.index())
    }

    /// The points that nobody can place on or move to: men and marks.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.state.core.occupied() | self.extras.marked
    }

    /// The empty points.
    #[inline(always)]
    pub fn empty(&self) -> Bitboard {
        !self.occupied()
    }

    /// Men of one side still in hand.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> u32 {
        self.state.core.hand(color.index())
    }

    /// Men of one side on the board and in hand.
    #[inline(always)]
    pub fn material(&self, color: Color) -> u32 {
        self.men(color).count() + self.hand(color)
    }

    /// Removals that a side still owes.
    #[inline(always)]
    pub fn debt(&self, color: Color) -> u32 {
        if self.has_extras {
            u32::from(self.extras.debt[color.index()])
        } else if color == self.side_to_move() {
            self.state.core.debt()
        } else {
            0
        }
    }

    /// The phase of the side to move, or [`Phase::Over`]. Draws by counters and blocked sides do not show here,
    /// see [`Position::outcome`].
    #[inline(always)]
    pub fn phase(&self) -> Phase {
        self.state.core.phase()
    }

    /// The kind of move that comes next; draws by counters and blocked sides do not show here.
    #[inline(always)]
    pub fn action(&self) -> Action {
        self.state.core.action()
    }

    /// Moves since the last placing or removal.
    #[inline(always)]
    pub fn quiet(&self) -> u32 {
        u32::from(self.state.quiet)
    }

    /// Placings and moves since the start of the game; removals do not count.
    pub fn ply(&self) -> u32 {
        u32::from(self.state.ply)
    }

    /// Moves made on this value since it was set up, removals included.
    pub fn moves_played(&self) -> usize {
        self.stack.len()
    }

    /// The key of the position: exact where there are no [`Extras`], so that two positions never share one. The
    /// counters of the draw rules are not part of it.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        let key = spread(self.state.core.0);
        if self.has_extras { key ^ self.extras.key() } else { key }
    }

    /// The key of the position that stands for this one and its images under the symmetries of the board, and the
    /// symmetry that leads there.
    ///
    /// Only for positions without [`Extras`] (whose points would have to be mapped too).
    pub(crate) fn canonical_key(&self) -> (u64, usize) {
        debug_assert!(!self.has_extras);
        let (core, symmetry) = self.canonical_core();
        (spread(core), symmetry)
    }

    /// The position in one word, the same for it and its images under the symmetries of the board, and the symmetry
    /// that leads there; `None` for positions with [`Extras`], which do not fit. Files hold this word.
    pub fn packed_canonical(&self) -> Option<(u64, usize)> {
        (!self.has_extras).then(|| self.canonical_core())
    }

    fn canonical_core(&self) -> (u64, usize) {
        let images = (0..SYMMETRIES).map(|symmetry| (self.state.core.transform(symmetry).0, symmetry));
        images.min().unwrap_or_default()
    }

    /// Whether a side may fly: its hand is empty and it has few enough men.
    #[inline(always)]
    pub fn can_fly(&self, color: Color) -> bool {
        self.hand(color) == 0 && self.men(color).count() <= self.compiled.fly_at
    }

    /// Whether a side can make neither slide nor flight. Leaps do not count.
    ///
    /// A man's forbidden return to the mill it came from does not count either, but nothing has to be asked for
    /// that: the point it may not return to completes a line of two own men, and one of them is next to it. On a
    /// full board both sides have twelve men, so nobody flies.
    pub fn is_surrounded(&self, color: Color) -> bool {
        let men = self.men(color);
        // A side without men does not fly where nobody does.
        if self.compiled.fly_at > 0 && men.count() <= self.compiled.fly_at {
            return false;
        }
        !men.neighbours(self.compiled.spokes).intersects(self.empty())
    }

    /// The move back out of its latest mill into the mill it had left that a side must not make, if there is one.
    pub(crate) fn forbidden_return(&self, color: Color) -> Option<(Square, Square)> {
        if !self.has_extras || !self.compiled.rules.restrict_repeated_mills_formation {
            return None;
        }
        let LastMill { from: Some(to), to: Some(from) } = self.extras.last_mill[color.index()] else {
            return None;
        };
        let men = self.men(color);
        if !men.contains(from) {
            return None;
        }
        let usable = |men: Bitboard, square: Square| {
            let used = self.extras.used[color.index()];
            self.compiled.partners[square.row()].iter().any(|&rest| {
                let spent = self.compiled.rules.one_time_use_mill && used.covers(rest.with(square));
                men.covers(rest) && !spent
            })
        };
        (usable(men, from) && usable(men.without(from), to)).then_some((from, to))
    }

    /// How often the latest position that repetition counts has occurred since the last placing, removal or
    /// import; 0 where no move has been counted. While a removal is owed that is the position before the mill.
    pub fn repetitions(&self) -> u32 {
        if self.state.window == 0 || !self.compiled.rules.threefold_repetition_rule {
            return 0;
        }
        let latest = usize::from(!self.state.counted);
        let window = usize::from(self.state.window);
        let count = |signature: &dyn Fn(usize) -> u64| {
            (latest..latest + window).filter(|&back| signature(back) == signature(latest)).count() as u32
        };
        if self.has_extras {
            count(&|back| self.extras_back(back).signature)
        } else {
            count(&|back| self.state_back(back).core.signature())
        }
    }

    /// The state `back` moves ago.
    pub(super) fn state_back(&self, back: usize) -> &StateInfo {
        if back == 0 { &self.state } else { &self.stack[self.stack.len() - back] }
    }

    /// The extras `back` moves ago.
    fn extras_back(&self, back: usize) -> &Extras {
        if back == 0 { &self.extras } else { &self.extras_stack[self.extras_stack.len() - back] }
    }

    /// The length of the list that repetition looks at.
    pub fn repetition_window(&self) -> u32 {
        if self.compiled.rules.threefold_repetition_rule { u32::from(self.state.window) } else { 0 }
    }

    /// Whether the position occurred before among the last `plies` moves or, going further back, twice: what the
    /// search takes for a draw by repetition.
    #[inline]
    pub(crate) fn has_repeated(&self, plies: usize) -> bool {
        if self.state.window <= self.compiled.first_return || !self.state.counted {
            return false;
        }
        self.find_repetition(plies)
    }

    fn find_repetition(&self, plies: usize) -> bool {
        let mut found = false;
        for n in 1..usize::from(self.state.window) {
            let same = if self.has_extras {
                self.extras_back(n).signature == self.extras.signature
            } else {
                self.state_back(n).core.signature() == self.state.core.signature()
            };
            if same {
                if n <= plies || found {
                    return true;
                }
                found = true;
            }
        }
        false
    }

    /// Whether so many quiet moves have been made that the game is drawn.
    #[inline(always)]
    pub(crate) fn is_move_count_draw(&self) -> bool {
        self.state.counted
            && self.state.quiet >= self.compiled.endgame_n_move
            && self.move_count_reason().is_some()
    }

    /// Quiet moves that are left until the move counter draws the game, as long as no man is taken.
    #[inline(always)]
    pub(crate) fn quiet_moves_left(&self) -> u32 {
        let is_one_limit = self.compiled.endgame_n_move == self.compiled.n_move;
        let limit = if is_one_limit { self.compiled.n_move } else { self.move_count_limit().0 };
        limit.saturating_sub(self.state.quiet).into()
    }

    /// The number of quiet moves that draws the game as long as no man is taken, and the name of that draw.
    pub(crate) fn move_count_limit(&self) -> (u16, Reason) {
        let rules = &self.compiled.rules;
        let three = Color::ALL.iter().any(|&c| self.men(c).count() == 3);
        if rules.endgame_n_move_rule < rules.n_move_rule && three {
            (rules.endgame_n_move_rule, Reason::DrawEndgameFiftyMove)
        } else {
            (rules.n_move_rule, Reason::DrawFiftyMove)
        }
    }

    #[cold]
    fn move_count_reason(&self) -> Option<Reason> {
        let (limit, reason) = self.move_count_limit();
        (self.state.quiet >= limit).then_some(reason)
    }

    /// The draw by repetition or by the move counters that holds here, if any. Moves may be played past it.
    pub fn claimable_draw(&self) -> Option<Reason> {
        if !self.state.counted {
            return None;
        }
        if self.state.window > 2 * self.compiled.first_return && self.repetitions() >= 3 {
            return Some(Reason::DrawThreefoldRepetition);
        }
        if self.state.quiet < self.compiled.endgame_n_move { None } else { self.move_count_reason() }
    }

    /// Lets the draw counters start anew here: what follows counts as if the game began with this position.
    pub fn forget_history(&mut self) {
        self.state.quiet = 0;
        self.state.window = 0;
        self.state.counted = false;
        self.extras.drawn = None;
        self.as_read = None;
    }

    /// How the game stands.
    pub fn outcome(&self) -> Outcome {
        match self.state.ending {
            Ending::None => {}
            // Reading a text looks at the counters first.
            Ending::TooFewBlack | Ending::TooFewWhite if self.claimable_draw().is_some() => {}
            Ending::TooFewBlack => return Outcome::win(Color::White, Reason::LoseFewerThanThree),
            Ending::TooFewWhite => return Outcome::win(Color::Black, Reason::LoseFewerThanThree),
            Ending::FullBoardLoss => return Outcome::win(Color::Black, Reason::LoseFullBoard),
            Ending::FullBoardDraw => return Outcome::draw(Reason::DrawFullBoard),
            Ending::Imported => return Outcome::draw(Reason::LoseFewerThanThree),
        }
        if let Some(reason) = self.claimable_draw() {
            return Outcome::draw(reason);
        }
        self.stalemate_outcome()
    }

    /// How the game stands as far as a blocked side decides it; everything else is left out.
    pub(crate) fn stalemate_outcome(&self) -> Outcome {
        let us = self.side_to_move();
        let applies = self.phase() == Phase::Moving && self.debt(us) == 0;
        if applies && matches!(self.compiled.rules.stalemate_action, 0 | 4) && self.is_surrounded(us) {
            return match self.compiled.rules.stalemate_action {
                0 => Outcome::win(!us, Reason::LoseNoLegalMoves),
                _ => Outcome::draw(Reason::DrawStalemateCondition),
            };
        }
        Outcome::ONGOING
    }

    /// Whether a take is due.
    #[inline(always)]
    pub fn is_removal_due(&self) -> bool {
        self.action() == Action::Remove
    }

    /// The letter of a point in drawings and position texts.
    pub fn letter(&self, square: Square) -> char {
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

impl fmt::Display for Position {
    /// The board as people draw it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_diagonals = self.compiled().rules.has_diagonal_lines;
        let drawing = if has_diagonals { DRAWING_WITH_DIAGONALS } else { DRAWING };
        f.write_str(&draw(drawing, |s| self.letter(s)))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}
