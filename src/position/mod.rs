//! A position and its history: men, hands, side to move, takes due, and the outcome of the game. Uses
//! `rules`, `bitboard` and `types`.
//!
//! `state.rs` holds the data, `legal.rs` decides what may be played, `moves.rs` plays and takes back moves,
//! `fen.rs` reads and writes position texts, `text.rs` adds the rules to them, and `check.rs` recomputes all
//! that is kept.

mod check;
mod fen;
mod legal;
mod moves;
mod repetition;
mod state;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod zobrist;

pub use check::Inconsistency;
pub(crate) use fen::CountFormat;
pub use fen::FenError;
pub use legal::IllegalMove;
pub use state::{Action, LastMill, Phase};
pub(crate) use state::{Extras, Records, StateInfo};
pub use text::PositionTextError;

use crate::bitboard::{Bitboard, DRAWING, DRAWING_WITH_DIAGONALS, SYMMETRIES, draw};
use crate::position::zobrist::mix;
use crate::rules::{CompiledRules, Rules, blocked};
use crate::types::{Color, Square};
use state::{Core, Ending};
use std::sync::Arc;

/// The reason why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, serde::Serialize, serde::Deserialize)]
pub enum Reason {
    /// The game is not over.
    Ongoing,
    /// A side has too few men. Also the reason given for a position text that says "over" and no more.
    LoseFewerThanThree,
    /// The side to move is blocked and loses.
    LoseNoLegalMoves,
    /// The board is full and White loses.
    LoseFullBoard,
    /// The board is full: a draw.
    DrawFullBoard,
    /// The side to move is blocked: a draw.
    DrawStalemateCondition,
    /// The position has occurred three times.
    DrawThreefoldRepetition,
    /// No man was placed or taken for too many moves.
    DrawFiftyMove,
    /// The same while a side has three men, where that limit is lower.
    DrawEndgameFiftyMove,
}

impl Reason {
    /// Returns the name in camel case, as JSON output has it.
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

    /// Returns true for draws that a player has to claim: repetition and the move counters. The engine can
    /// play on.
    pub const fn is_claimable(self) -> bool {
        matches!(self, Self::DrawThreefoldRepetition | Self::DrawFiftyMove | Self::DrawEndgameFiftyMove)
    }
}

/// The state of the game: going on, won or drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Outcome {
    /// The reason why it is over.
    pub reason: Reason,
    /// The winner, if any.
    pub winner: Option<Color>,
}

impl Outcome {
    const ONGOING: Self = Self { reason: Reason::Ongoing, winner: None };

    /// Returns true if the game is over.
    pub const fn is_over(self) -> bool {
        !matches!(self.reason, Reason::Ongoing)
    }

    /// Returns true if the game is drawn.
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
/// Most positions fit into the 16 bytes of `StateInfo`. Positions of rules with extras, and those that only
/// a text can set up, carry `Extras`. Code that plays or generates moves has a const parameter `EXTRAS`:
/// two instances of one source, chosen by [`Position::has_extras`].
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
#[derive(Clone)]
pub struct Position {
    state: StateInfo,
    stack: Vec<StateInfo>,
    compiled: Arc<CompiledRules>,
    has_extras: bool,
    extras: Extras,
    extras_stack: Vec<Extras>,
    /// The position before the rule about blocked sides changed it, if it was read from a text and is drawn
    /// by counters: [`Position::fen`] returns the text as it was read.
    as_read: Option<Box<Self>>,
}

impl Position {
    /// Returns the initial position of a rule set.
    pub fn new(rules: &Rules) -> Self {
        Self::with_compiled(Arc::new(CompiledRules::new(rules)))
    }

    /// Returns the initial position under compiled rules.
    pub(crate) fn with_compiled(compiled: Arc<CompiledRules>) -> Self {
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
    #[doc(hidden)]
    pub fn has_extras(&self) -> bool {
        self.has_extras
    }

    /// Returns the state that only rules with extras need. Empty if [`Position::has_extras`] is false.
    #[inline(always)]
    #[doc(hidden)]
    pub fn extras(&self) -> &Extras {
        &self.extras
    }

    /// Returns the side to move. Once the game is over it has no meaning, unless a side is blocked; see
    /// [`Position::mover`].
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        Color::from_index(self.state.core.side())
    }

    /// Returns the side to move, or `None` if the game is over and no side is to move. A blocked side stays
    /// to move, and so does the side of a position text that says "over".
    pub fn mover(&self) -> Option<Color> {
        let outcome = self.outcome();
        let stays = self.state.ending == Ending::Imported
            || matches!(
                outcome.reason,
                Reason::Ongoing | Reason::LoseNoLegalMoves | Reason::DrawStalemateCondition
            );
        stays.then(|| self.side_to_move())
    }

    /// Returns the men of one side on the board, without marked points.
    #[inline(always)]
    pub fn men(&self, color: Color) -> Bitboard {
        self.state.core.men(color.index())
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

    /// Returns the number of men that one side has in hand.
    #[inline(always)]
    pub fn hand(&self, color: Color) -> u32 {
        self.state.core.hand(color.index())
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

    /// Returns the phase of the side to move, or [`Phase::Over`]. Only [`Position::outcome`] considers draws
    /// by counters and blocked sides.
    #[inline(always)]
    pub fn phase(&self) -> Phase {
        self.state.core.phase()
    }

    /// Returns the kind of move that comes next. Draws by counters and blocked sides are not considered.
    #[inline(always)]
    pub fn action(&self) -> Action {
        self.state.core.action()
    }

    /// Returns the number of slides, flights and leaps since the last placing or take.
    #[inline(always)]
    pub fn quiet(&self) -> u32 {
        u32::from(self.state.quiet)
    }

    /// Returns the number of placings, slides, flights and leaps since the start of the game. Takes do not
    /// count.
    pub fn ply(&self) -> u32 {
        u32::from(self.state.ply)
    }

    /// Returns the number of moves, takes included, that [`Position::undo_move`] can take back.
    pub fn moves_played(&self) -> usize {
        self.stack.len()
    }

    /// Returns the hash key. Two positions of rules without extras never share a key. The counters of the
    /// draw rules are not part of it.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        let key = mix(self.state.core.0);
        if self.has_extras { key ^ self.extras.key() } else { key }
    }

    /// Returns the key shared by the position and its images under the symmetries of the board, and the
    /// symmetry that maps the position to the image with that key. The position must not have [`Extras`].
    pub(crate) fn canonical_key(&self) -> (u64, usize) {
        debug_assert!(!self.has_extras);
        let (core, symmetry) = self.canonical_core();
        (mix(core), symmetry)
    }

    /// Returns the position in one word that all its images under the symmetries of the board share, and the
    /// symmetry that maps the position to the image it describes. Files hold this word. `None` for positions
    /// with [`Extras`].
    pub(crate) fn packed_canonical(&self) -> Option<(u64, usize)> {
        (!self.has_extras).then(|| self.canonical_core())
    }

    fn canonical_core(&self) -> (u64, usize) {
        let images = (0..SYMMETRIES).map(|symmetry| (self.state.core.transform(symmetry).0, symmetry));
        images.min().unwrap_or_default()
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
    /// surrounded. On a full board both sides have twelve men, so no side flies.
    pub fn is_surrounded(&self, color: Color) -> bool {
        let men = self.men(color);
        // Without this test a side without men would fly under rules without flying.
        if self.compiled.fly_at > 0 && men.count() <= self.compiled.fly_at {
            return false;
        }
        !men.neighbours(self.compiled.spokes).intersects(self.empty())
    }

    /// Returns the slide back into the mill that a side has just opened by closing another, which the rule
    /// against repeated mills forbids: origin and target.
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

    /// Returns the state of the game: going on, won or drawn.
    pub fn outcome(&self) -> Outcome {
        match self.state.ending {
            Ending::None => {}
            // Counters decide first: a text can have both a drawn counter and too few men.
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

    /// Returns the outcome by a blocked side alone, without draws by counters.
    pub(crate) fn stalemate_outcome(&self) -> Outcome {
        let us = self.side_to_move();
        let applies = self.phase() == Phase::Moving && self.takes_due(us) == 0;
        if applies
            && matches!(self.compiled.rules.stalemate_action, blocked::LOSES | blocked::DRAWS)
            && self.is_surrounded(us)
        {
            return match self.compiled.rules.stalemate_action {
                blocked::LOSES => Outcome::win(!us, Reason::LoseNoLegalMoves),
                _ => Outcome::draw(Reason::DrawStalemateCondition),
            };
        }
        Outcome::ONGOING
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
