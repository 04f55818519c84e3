//! The work of the subcommands as library functions, one file or folder for each, and a few files that they
//! share. Uses `dialect` and the modules above it. Prints results and progress. With the feature `cli` the
//! settings of a tool may be the arguments of its subcommand, which attributes of `clap` describe.

#[cfg(feature = "cli")]
pub(crate) mod accuracy;
#[cfg(feature = "cli")]
pub(crate) mod annotate;
#[cfg(feature = "cli")]
pub(crate) mod arguments;
pub mod bench;
#[cfg(feature = "cli")]
pub(crate) mod chart;
#[cfg(feature = "cli")]
pub(crate) mod convert;
#[cfg(feature = "cli")]
pub(crate) mod diagram;
#[cfg(feature = "cli")]
pub(crate) mod error;
#[cfg(feature = "cli")]
pub(crate) mod exact_values;
#[cfg(feature = "cli")]
pub(crate) mod experience;
#[cfg(feature = "cli")]
pub(crate) mod files;
pub(crate) mod game_end;
#[cfg(feature = "cli")]
mod jobs;
#[cfg(feature = "cli")]
pub mod matches;
#[cfg(feature = "cli")]
pub(crate) mod openings;
#[cfg(feature = "cli")]
mod own_program;
pub(crate) mod perft;
#[cfg(feature = "cli")]
pub(crate) mod play;
#[cfg(feature = "cli")]
pub(crate) mod position_argument;
#[cfg(feature = "cli")]
pub(crate) mod progress;
#[cfg(feature = "cli")]
pub mod proof;
#[cfg(feature = "cli")]
pub(crate) mod resume;
pub(crate) mod searcher;
#[cfg(feature = "cli")]
pub(crate) mod suite;
pub(crate) mod svg;
#[cfg(feature = "cli")]
pub mod tb;
#[cfg(feature = "cli")]
pub(crate) mod tune;
