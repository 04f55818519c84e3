//! The subcommands of `tb`, one file each: `build`, `plan`, `verify`, `stats`, `probe` (with `line`) and
//! `repack` (with `embed`). They share `scope` (the sectors to solve), `resources` (memory and disk),
//! `folder` (manifest and sectors) and `progress` (bars). Uses `tablebase`, `position`, `rules`, `platform`
//! and the shared files of `tools`.

pub mod build;
mod folder;
pub mod plan;
pub mod probe;
mod progress;
pub mod repack;
mod resources;
pub mod scope;
pub mod stats;
pub mod verify;
