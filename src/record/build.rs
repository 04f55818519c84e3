//! Putting a game together action by action: the rules say who makes each, and turns form by themselves.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{GameRecord, Line, Problem, Turn};
use crate::movegen;
use crate::position::{FenError, Position};
use crate::rules::Rules;
use crate::types::Move;

/// A game being recorded, with the position its latest action led to.
#[derive(Clone, Debug)]
pub struct Builder {
    game: GameRecord,
    pos: Position,
    /// The line being written.
    line: usize,
    /// The lines it branches from, with the actions of the turn that each branch replaces.
    outer: Vec<(usize, Vec<Move>)>,
}

impl Builder {
    /// A new game, from the initial position or from a position text.
    ///
    /// # Errors
    /// When the text cannot be read under the rules.
    pub fn new(rules: Rules, start: Option<&str>) -> Result<Self, FenError> {
        let mut game = GameRecord::new(rules);
        // Control characters separate words as blanks do: the writer makes blanks of them.
        let is_separator = |c: char| c.is_whitespace() || c.is_control();
        let words = |text: &str| {
            text.split(is_separator).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
        };
        game.start = start.map(words);
        let pos = game.start_position()?;
        Ok(Self { game, pos, line: 0, outer: Vec::new() })
    }

    /// The game so far.
    pub fn game(&mut self) -> &mut GameRecord {
        &mut self.game
    }

    /// The position that the latest action led to.
    pub fn position(&self) -> &Position {
        &self.pos
    }

    fn current(&mut self) -> &mut Line {
        // The index only ever names lines that exist; a list emptied by the caller gets its main line back.
        if self.line >= self.game.lines.len() {
            self.game.lines.resize_with(self.line + 1, Line::default);
        }
        &mut self.game.lines[self.line]
    }

    /// Plays an action. Draws by repetition and by the move counters may be played past, as records do.
    ///
    /// # Errors
    /// [`Problem::Illegal`] when the rules do not allow it; nothing changes then.
    pub fn push(&mut self, m: Move) -> Result<(), Problem> {
        if !self.pos.is_legal(m) {
            return Err(Problem::Illegal { legal: movegen::playable(&self.pos).to_vec() });
        }
        let side = self.pos.side_to_move();
        self.pos.do_move(m);
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

    /// Adds a mark to the latest turn; false if the line has none.
    pub fn mark(&mut self, mark: u8) -> bool {
        self.current().turns.last_mut().map(|turn| turn.marks.push(mark)).is_some()
    }

    /// Adds a comment to the latest turn, or to the line if it has none.
    pub fn comment(&mut self, text: &str) {
        let text = super::comment(text);
        if text.is_empty() {
            return;
        }
        let line = self.current();
        match line.turns.last_mut() {
            Some(turn) => turn.comments.push(text),
            None => line.comments.push(text),
        }
    }

    /// Begins a variation that replaces the latest turn; false if the line has none.
    pub fn open(&mut self) -> bool {
        let next = self.game.lines.len();
        let Some(turn) = self.current().turns.last_mut() else { return false };
        turn.variations.push(next);
        let replaced = turn.moves.clone();
        replaced.iter().for_each(|_| self.pos.undo_move());
        self.outer.push((self.line, replaced));
        self.game.lines.push(Line::default());
        self.line = next;
        true
    }

    /// Ends the variation and returns to the line it branched from; false if there is none. A variation that
    /// holds nothing is forgotten.
    pub fn close(&mut self) -> bool {
        let Some((line, replaced)) = self.outer.pop() else { return false };
        let actions: usize = self.current().turns.iter().map(|turn| turn.moves.len()).sum();
        (0..actions).for_each(|_| self.pos.undo_move());
        let inner = std::mem::replace(&mut self.line, line);
        // Nothing can branch from a line without turns, so it is the last of the list.
        if self.game.lines.last().is_some_and(|l| *l == Line::default()) && inner + 1 == self.game.lines.len()
        {
            self.game.lines.pop();
            if let Some(turn) = self.current().turns.last_mut() {
                turn.variations.pop();
            }
        }
        replaced.iter().for_each(|&m| self.pos.do_move(m));
        true
    }

    /// How many variations are open.
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Takes back the latest turn of the line if its removals are still owed.
    pub fn drop_unfinished_turn(&mut self) {
        // A removal that ends the game leaves the action of the position as it was.
        let due = self.pos.is_removal_due() && !self.pos.outcome().is_over();
        let side = self.pos.side_to_move();
        let line = self.current();
        if !due || line.turns.last().is_none_or(|turn| turn.side != side) {
            return;
        }
        let Some(turn) = line.turns.pop() else { return };
        turn.moves.iter().for_each(|_| self.pos.undo_move());
        // All that was written since its first variation belongs to its variations.
        if let Some(&first) = turn.variations.first() {
            self.game.lines.truncate(first);
        }
    }

    /// Ends all variations and hands over the game with the position at the end of its main line.
    pub fn finish(mut self) -> (GameRecord, Position) {
        while self.close() {}
        (self.game, self.pos)
    }
}
