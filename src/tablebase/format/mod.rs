//! Tablebase files and their contents: sets of points, the index of a sector, values, the coding of blocks,
//! headers, files and the manifest of a folder. `docs/tables-format.md` describes the files. Uses `rules`,
//! `platform` and the errors of `position`, and nothing else of `tablebase`.

pub mod board;
pub(crate) mod bytes;
pub(crate) mod error;
pub mod file;
pub mod folder;
pub mod game;
pub mod header;
pub(crate) mod index;
pub(crate) mod intrinsics;
pub mod manifest;
pub(crate) mod model;
pub(in crate::tablebase) mod packed;
mod range_coder;
#[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
pub(crate) mod ranges;
pub(crate) mod value;
pub mod write;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
