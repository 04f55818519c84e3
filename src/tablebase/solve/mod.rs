//! The solver. It works row by row; a row holds all positions with the same set of the side that does not
//! move. `build.rs` makes the files of a game, `verify` proves them. Uses `tablebase::format` and `platform`;
//! `verify` alone also uses the rules of the engine.

mod bits;
pub mod build;
pub mod pair;
mod results;
mod row;
pub(crate) mod settle;
mod single;
pub(crate) mod takes;
pub mod units;
mod unpacked;
pub(crate) mod verify;
