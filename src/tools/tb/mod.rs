//! The subcommands of `tb`, one file each. They share `scope` (the sectors to solve), `resources` (memory,
//! disk and time), `folder` (manifest and sectors) and `progress` (bars). `plan` writes the jobs of
//! `unit_jobs` as `makefile` or `snakemake`. Uses `tablebase`, `position`, `rules`, `types`, `platform` and
//! the shared files of `tools`.

pub mod build;
pub mod embed;
mod folder;
pub mod line;
mod makefile;
pub mod plan;
pub mod probe;
mod progress;
pub mod repack;
mod resources;
pub mod scope;
mod snakemake;
pub mod stats;
mod unit_jobs;
pub mod verify;
