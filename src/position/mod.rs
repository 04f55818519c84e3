//! A position and its history: men, hands, side to move, takes due, and the outcome of the game. Uses
//! `rules` and the modules above it.
//!
//! `state.rs` holds the data and `board.rs` the position with its history. `repetition.rs` and `outcome.rs`
//! say if the game is over, `legal.rs` decides what may be played, `moves.rs` plays and takes back moves,
//! `captures.rs` finds the men that they capture, `play.rs` refuses illegal ones, `fen.rs` reads and writes
//! position texts, `text.rs` adds the rules to them, `key.rs` makes the hash keys, and `check.rs`
//! recomputes all that is kept.

mod board;
mod captures;
pub(crate) mod check;
mod error;
mod fen;
mod key;
mod legal;
mod moves;
mod outcome;
mod play;
mod repetition;
mod state;
#[cfg(test)]
mod tests;
mod text;

pub use board::Position;
pub use error::{FenError, PositionError};
pub(crate) use fen::{CountPolicy, FIELDS};
pub use outcome::{Outcome, Reason};
pub(crate) use state::Records;
pub use state::{Action, LastMill, Phase};
