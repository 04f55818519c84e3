//! The settings of a fit of the evaluation.

use crate::evaluate::EvalNetwork;
use crate::rules::Rules;
use std::path::PathBuf;

/// The settings of a fit.
#[derive(Clone, Debug)]
pub(crate) struct TuneSettings {
    /// The rules.
    pub rules: Rules,
    /// Tablebase folders that together hold the whole game; without any, the engine plays against itself.
    pub tablebases: Vec<PathBuf>,
    /// The network that plays the games of the engine against itself.
    pub network: EvalNetwork,
    /// File of a network of another game with the same moving phase, which counts there.
    pub moving_phase: Option<PathBuf>,
    /// The nodes of a search in these games.
    pub nodes: u64,
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
