//! The work of the subcommands as library functions, one file or folder for each, and a few files that they
//! share. It may use every module but `uci` and `cli`. It prints results and progress, and takes settings,
//! not arguments.

pub(crate) mod accuracy;
pub(crate) mod annotate;
pub mod bench;
pub(crate) mod chart;
pub(crate) mod convert;
pub(crate) mod diagram;
pub(crate) mod ending;
pub(crate) mod error;
pub(crate) mod exact;
pub(crate) mod experience;
pub(crate) mod files;
pub mod matches;
pub(crate) mod openings;
pub(crate) mod origin;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod progress;
pub(crate) mod resume;
pub(crate) mod searcher;
pub(crate) mod suite;
pub mod tb;
pub(crate) mod tune;
