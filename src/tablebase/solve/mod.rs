//! The solver: row by row, where a row fixes the set of the side that does not move. `build.rs` makes the
//! files of a game, `verify.rs` proves them.

pub mod build;
pub(crate) mod captures;
pub mod moving;
pub(crate) mod placing;
mod row;
pub(crate) mod verify;
