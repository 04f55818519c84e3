//! Playing a move that may be illegal.

use super::board::Position;
use super::error::PositionError;
use crate::types::Move;

impl Position {
    /// Plays a move if it is legal, and refuses it otherwise.
    ///
    /// Moves of users, files and other programs belong here; [`Position::do_move`] is the same without the
    /// test.
    ///
    /// ```
    /// use millstone::{Position, Rules};
    ///
    /// let mut pos = Position::new(&Rules::NINE);
    /// pos.play("d6".parse()?)?;
    /// assert!(pos.play("d6".parse()?).is_err(), "the point is occupied");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the rules do not allow the move. The position does not change then. Draws by repetition and by the
    /// move counters forbid no move; see [`Position::outcome`].
    pub fn play(&mut self, m: Move) -> Result<(), PositionError> {
        if !self.is_legal(m) {
            return Err(PositionError::IllegalMove(m));
        }
        self.do_move(m);
        Ok(())
    }
}
