//! The settings of a fit of the evaluation.

use std::path::PathBuf;

/// The settings of a fit.
#[derive(Clone, Debug)]
pub(crate) struct TuneSettings {
    /// Tablebase folders that together hold the whole standard game.
    pub tablebases: Vec<PathBuf>,
    /// The number of positions to learn from.
    pub positions: u64,
    /// The number of passes over them.
    pub epochs: u32,
    /// Seed of the random games.
    pub seed: u64,
    /// Threads that play the games.
    pub threads: u32,
    /// File that keeps the positions: read if it exists, written otherwise.
    pub samples: Option<PathBuf>,
    /// File to write.
    pub output: PathBuf,
}
