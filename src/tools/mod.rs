//! What the subcommands do, as functions: one file for each.

pub mod bench;
pub mod convert;
pub mod files;
pub mod matches;
pub mod perft;
