//! Records a game move by move. The rules decide which side makes each move and where a turn ends.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::model::{GameRecord, RecordLine, Turn};
use crate::platform::text::is_control;
use crate::position::{Position, PositionError};
use crate::rules::Rules;
use crate::types::Move;

/// A game being recorded, with its current position.
///
/// ```
/// use millstone::Rules;
/// use millstone::record::Builder;
///
/// let mut builder = Builder::new(Rules::NINE, None)?;
/// for text in ["d6", "f4", "d2"] {
///     builder.push(text.parse()?)?;
/// }
/// assert!(builder.push("d2".parse()?).is_err(), "a man stands there, so nothing changes");
/// builder.comment("the usual start");
/// let (game, pos) = builder.finish();
/// assert_eq!((game.to_tokens().trim(), pos.moves_played()), ("d6 f4 d2", 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    game: GameRecord,
    pos: Position,
    /// The line being written.
    line: usize,
    /// The lines it branches from, with the moves of the turn that each branch replaces.
    outer: Vec<(usize, Vec<Move>)>,
}

impl Builder {
    /// Begins a game at the initial position or at a position text.
    ///
    /// # Errors
    /// If the text cannot be read under the rules.
    pub fn new(rules: Rules, start: Option<&str>) -> Result<Self, PositionError> {
        let mut game = GameRecord::new(rules);
        // Control characters separate words like blanks; the writer writes them as blanks.
        let is_separator = |c: char| c.is_whitespace() || is_control(c);
        let words = |text: &str| {
            text.split(is_separator).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        game.start = start.map(words);
        let pos = game.start_position()?;
        Ok(Self { game, pos, line: 0, outer: Vec::new() })
    }

    /// Returns the game so far, whose tags, comments and marks may be changed.
    ///
    /// The other functions panic or record nonsense if turns are added to it or taken from it.
    pub fn game(&mut self) -> &mut GameRecord {
        &mut self.game
    }

    /// Returns the position after the latest move.
    pub fn position(&self) -> &Position {
        &self.pos
    }

    fn current(&mut self) -> &mut RecordLine {
        // Only a caller that empties the list makes it too short.
        if self.line >= self.game.lines.len() {
            self.game.lines.resize_with(self.line + 1, RecordLine::default);
        }
        &mut self.game.lines[self.line]
    }

    /// Plays a move. Draws by repetition and by the move counters forbid no move, as in records.
    ///
    /// # Errors
    /// [`PositionError::IllegalMove`] if the rules do not allow it. The game does not change then.
    pub fn push(&mut self, m: Move) -> Result<(), PositionError> {
        let side = self.pos.side_to_move();
        self.pos.play(m)?;
        let line = self.current();
        match line.turns.last_mut() {
            Some(turn) if m.is_take() && turn.side == side => turn.moves.push(m),
            _ => line.turns.push(Turn {
                side,
                moves: vec![m],
                marks: Vec::new(),
                comments: Vec::new(),
                variations: Vec::new(),
            }),
        }
        Ok(())
    }

    /// Plays the moves of a word, all of them or none.
    ///
    /// # Errors
    /// If the rules do not allow one: that move and the moves that they allow there. The game does not change
    /// then.
    pub(super) fn push_turn(&mut self, moves: &[Move]) -> Result<(), (Move, Vec<Move>)> {
        for (played, &m) in moves.iter().enumerate() {
            if self.push(m).is_err() {
                let legal = self.pos.playable_moves().to_vec();
                (0..played).for_each(|_| self.take_back());
                return Err((m, legal));
            }
        }
        Ok(())
    }

    /// Takes back the latest move of the line.
    fn take_back(&mut self) {
        let turns = &mut self.current().turns;
        let Some(turn) = turns.last_mut() else { return };
        turn.moves.pop();
        if turn.moves.is_empty() {
            turns.pop();
        }
        self.pos.undo_move();
    }

    /// Adds a mark to the latest turn. Returns false if the line has no turn.
    pub fn mark(&mut self, mark: u8) -> bool {
        self.current().turns.last_mut().map(|turn| turn.marks.push(mark)).is_some()
    }

    /// Adds a comment to the latest turn, or to the line if it has none.
    pub fn comment(&mut self, text: &str) {
        self.current().add_comment(text);
    }

    /// Begins a variation that replaces the latest turn. Returns false if the line has no turn.
    pub fn open(&mut self) -> bool {
        let next = self.game.lines.len();
        let Some(turn) = self.current().turns.last_mut() else { return false };
        turn.variations.push(next);
        let replaced = turn.moves.clone();
        replaced.iter().for_each(|_| self.pos.undo_move());
        self.outer.push((self.line, replaced));
        self.game.lines.push(RecordLine::default());
        self.line = next;
        true
    }

    /// Ends the variation and goes back to the line it branched from.
    ///
    /// Returns false if no variation is open. An empty variation is dropped.
    pub fn close(&mut self) -> bool {
        let Some((line, replaced)) = self.outer.pop() else { return false };
        let played: usize = self.current().turns.iter().map(|turn| turn.moves.len()).sum();
        (0..played).for_each(|_| self.pos.undo_move());
        let inner = std::mem::replace(&mut self.line, line);
        // No line branches from one without turns, so it is the last of the list.
        if self.game.lines.last().is_some_and(|l| *l == RecordLine::default())
            && inner + 1 == self.game.lines.len()
        {
            self.game.lines.pop();
            if let Some(turn) = self.current().turns.last_mut() {
                turn.variations.pop();
            }
        }
        replaced.iter().for_each(|&m| self.pos.do_move(m));
        true
    }

    /// Returns the number of open variations.
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Takes back the latest turn of the line if it has takes due.
    pub fn drop_unfinished_turn(&mut self) {
        // After the take that ends the game the action is still a take.
        let due = self.pos.is_take_due() && !self.pos.outcome().is_over();
        let side = self.pos.side_to_move();
        let line = self.current();
        if !due || line.turns.last().is_none_or(|turn| turn.side != side) {
            return;
        }
        let Some(turn) = line.turns.pop() else { return };
        turn.moves.iter().for_each(|_| self.pos.undo_move());
        // All lines since its first variation belong to its variations.
        if let Some(&first) = turn.variations.first() {
            self.game.lines.truncate(first);
        }
    }

    /// Ends all variations. Returns the game and the position at the end of its main line.
    pub fn finish(mut self) -> (GameRecord, Position) {
        while self.close() {}
        (self.game, self.pos)
    }
}
