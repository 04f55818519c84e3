//! What the subcommands do, as functions: one file for each.

pub mod bench;
pub mod perft;
