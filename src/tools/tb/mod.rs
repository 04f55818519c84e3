//! The subcommands of `tb`, one file each: `build`, `plan`, `verify`, `stats`, `probe` (with `line`) and
//! `repack` (with `embed`). They share `scope` (the sectors to solve), `resources` (memory, disk and time),
//! `folder` (manifest and sectors) and `progress` (bars). `plan` writes the jobs of `graph` as `makefile` or
//! `snakemake`. Uses `tablebase`, `position`, `rules`, `types`, `platform` and the shared files of
//! `tools`.

pub mod build;
mod folder;
mod graph;
mod makefile;
pub mod plan;
pub mod probe;
mod progress;
pub mod repack;
mod resources;
pub mod scope;
mod snakemake;
pub mod stats;
pub mod verify;
