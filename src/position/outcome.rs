//! The outcome of the game: wins, blocked sides, and draws by repetition or by a move counter.

use super::board::Position;
use super::state::{Action, Ending, Phase};
use crate::rules::blocked;
use crate::types::{Color, MoveKind};
use std::fmt;

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

    /// Returns true for draws that a player has to claim: repetition and the move counters.
    ///
    /// The engine can play on.
    pub const fn is_claimable(self) -> bool {
        matches!(self, Self::DrawThreefoldRepetition | Self::DrawFiftyMove | Self::DrawEndgameFiftyMove)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The state of the game: going on, won or drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
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

    const fn without_winner(reason: Reason) -> Self {
        Self { reason, winner: None }
    }

    const fn win(winner: Color, reason: Reason) -> Self {
        Self { reason, winner: Some(winner) }
    }
}

impl Position {
    /// Returns the state of the game: going on, won or drawn.
    pub fn outcome(&self) -> Outcome {
        match self.state.ending {
            Ending::None => {}
            // Counters decide first: a text can have both a drawn counter and too few men.
            Ending::TooFew(_) if self.claimable_draw().is_some() => {}
            Ending::TooFew(loser) => return Outcome::win(!loser, Reason::LoseFewerThanThree),
            Ending::FullBoardLoss => return Outcome::win(Color::Black, Reason::LoseFullBoard),
            Ending::FullBoardDraw => return Outcome::without_winner(Reason::DrawFullBoard),
            // A text can say that the game is over without a winner. That is no draw.
            Ending::Imported => return Outcome::without_winner(Reason::LoseFewerThanThree),
        }
        if let Some(reason) = self.claimable_draw() {
            return Outcome::without_winner(reason);
        }
        self.blocked_outcome()
    }

    /// Returns the outcome by a blocked side alone, without draws by counters.
    pub(crate) fn blocked_outcome(&self) -> Outcome {
        let us = self.side_to_move();
        let outcome = match self.compiled.rules.stalemate_action {
            blocked::LOSES => Outcome::win(!us, Reason::LoseNoLegalMoves),
            blocked::DRAWS => Outcome::without_winner(Reason::DrawStalemateCondition),
            _ => return Outcome::ONGOING,
        };
        let applies = self.phase() == Phase::Moving && self.takes_due(us) == 0;
        if applies && self.is_blocked(us) { outcome } else { Outcome::ONGOING }
    }

    /// Returns the side to move, or `None` if the game is over and no side is to move.
    ///
    /// A blocked side stays to move, and so does the side of a position text that says "over".
    pub fn mover(&self) -> Option<Color> {
        let outcome = self.outcome();
        let stays = self.state.ending == Ending::Imported
            || matches!(
                outcome.reason,
                Reason::Ongoing | Reason::LoseNoLegalMoves | Reason::DrawStalemateCondition
            );
        stays.then(|| self.side_to_move())
    }

    /// Returns true if the game is drawn by a move counter.
    #[inline(always)]
    pub(crate) fn is_move_count_draw(&self) -> bool {
        self.state.counted
            && self.state.move_counter >= self.compiled.endgame_n_move
            && self.move_count_reason().is_some()
    }

    /// Returns true if the search scores the position as a draw: by a move counter, or because it occurred
    /// among the last `plies` moves, or twice at any time before.
    #[inline(always)]
    pub(crate) fn is_drawn_within(&self, plies: usize) -> bool {
        self.state.counted
            && self.state.move_counter >= self.compiled.first_draw
            && (self.is_move_count_draw() || self.has_repeated(plies))
    }

    /// Returns the number of slides without a take until a move counter draws the game.
    #[inline(always)]
    pub(crate) fn moves_to_count_draw(&self) -> u32 {
        let is_one_limit = self.compiled.endgame_n_move == self.compiled.n_move;
        let limit = if is_one_limit { self.compiled.n_move } else { self.move_count_limit().0 };
        limit.saturating_sub(self.state.move_counter).into()
    }

    /// Returns true if [`Position::moves_to_count_draw`] is at most `most`.
    #[inline(always)]
    pub(crate) fn is_count_draw_within(&self, most: u32) -> bool {
        // One comparison for most positions.
        u32::from(self.state.move_counter) + most >= u32::from(self.compiled.endgame_n_move)
            && self.moves_to_count_draw() <= most
    }

    /// Returns the limit of the move counter that applies, and the reason of its draw.
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
        (self.state.move_counter >= limit).then_some(reason)
    }

    /// Returns the draw by repetition or by a move counter that a player can claim, if any.
    ///
    /// The game can go on.
    pub fn claimable_draw(&self) -> Option<Reason> {
        if !self.state.counted {
            return None;
        }
        if self.state.window > 2 * self.compiled.first_return && self.present_repetitions() >= 3 {
            return Some(Reason::DrawThreefoldRepetition);
        }
        if self.state.move_counter < self.compiled.endgame_n_move { None } else { self.move_count_reason() }
    }

    /// Resets repetition and move counters, as if the game began with this position.
    ///
    /// ```
    /// use millstone::{Position, Reason};
    ///
    /// // The draw by fifty moves is one slide away.
    /// let fen = "OO******/@@******/O*@***** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 99 60 ids:nodes";
    /// let mut pos: Position = fen.parse()?;
    /// pos.forget_history();
    /// pos.do_move(pos.legal_moves()[0]);
    /// assert_eq!((pos.move_counter(), pos.outcome().reason), (1, Reason::Ongoing));
    /// # Ok::<(), millstone::position::PositionError>(())
    /// ```
    pub fn forget_history(&mut self) {
        self.state.move_counter = 0;
        self.state.window = 0;
        self.state.counted = false;
        self.extras.drawn = None;
        self.note_extras();
        self.as_read = None;
        self.begin_window();
    }

    /// Brings the repetition window in line with a profile that counts all positions of the moving phase
    /// without a take due, and no other. `kind` is that of the last move.
    #[cold]
    #[inline(never)]
    pub(super) fn settle_window(&mut self, kind: MoveKind) {
        if kind != MoveKind::Slide {
            return self.begin_window();
        }
        if !self.state.counted {
            return;
        }
        // `counted` stays below: the move counter draws there too.
        if self.phase() == Phase::Placing {
            // A slide after which the other side has men in hand.
            self.state.window = 0;
        } else if self.is_take_due() {
            // A blocked side takes a man. The draw was noted while the position still counted.
            self.state.window -= 1;
            self.extras.drawn = self.extras.drawn.filter(|_| self.claimable_draw().is_some());
        }
    }

    /// Starts the repetition window at this position if the rules count positions that no slide has led to.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_window(&mut self) {
        let is_stable = self.phase() == Phase::Moving
            && self.action() == Action::Slide
            && Color::ALL.iter().all(|&color| self.takes_due(color) == 0)
            && !self.outcome().is_over();
        if is_stable && self.counts_origin {
            self.state.window = 1;
            self.state.counted = true;
        }
    }
}
