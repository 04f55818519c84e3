//! The work of the subcommands as library functions, one file or folder for each, and a few files that they
//! share. It may use every module but `uci` and `cli`. It prints results and progress, and takes settings,
//! not arguments.

pub mod accuracy;
pub mod annotate;
pub mod bench;
pub mod chart;
pub mod convert;
pub mod diagram;
pub mod ending;
pub mod exact;
pub mod experience;
pub mod files;
pub mod matches;
pub mod openings;
pub mod perft;
pub mod play;
pub mod progress;
pub mod resume;
pub mod searcher;
pub mod suite;
pub mod tb;
pub mod tune;
