//! Tables of perfect play: index, solver, files, probing. `docs/tablebases.md` describes the files.
//!
//! Tables know a mover and an opponent, no colours. They hold the values of the rules without the draws
//! by repetition and by move count; a ply is a whole turn with its removals.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod board;
pub mod build;
pub mod embedded;
pub mod error;
pub mod file;
pub mod folder;
pub mod game;
pub mod header;
pub mod index;
mod intrinsics;
pub mod malom;
pub mod manifest;
pub mod model;
pub mod probe;
mod range;
pub mod set;
pub mod solve;
pub mod source;
pub mod value;
pub mod verify;
mod work;

pub use error::TablebaseError;
pub use game::Game;
pub use index::Sector;
pub use probe::{RankedMove, Tablebase, despite_damage};
pub use source::Found;
pub use value::{Value, Wdl};
