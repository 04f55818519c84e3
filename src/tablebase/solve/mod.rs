//! The solver. It works row by row; a row holds all positions with the same set of the side that does not
//! move. `build.rs` makes the files of a game, `verify` proves them. Uses `tablebase::format` and `platform`;
//! `verify` alone also uses the rules of the engine.

pub(crate) mod bans;
mod bits;
pub mod build;
pub(crate) mod critical;
mod finished;
mod halves;
pub mod pair;
mod results;
mod row;
mod settle;
mod single;
mod takes;
mod unbanned;
pub mod units;
mod unpacked;
pub(crate) mod verify;
