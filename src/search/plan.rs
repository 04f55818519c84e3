//! The plan of a search.

use super::levels::Level;
use crate::types::Depth;

/// The settings of a search that follow from limits and options.
#[derive(Clone, Copy)]
pub(super) struct SearchPlan {
    /// The last iteration that the client allows.
    pub longest: Depth,
    /// The last iteration that options allow.
    pub cap: Option<Depth>,
    /// The last iteration, unless the score falls in it.
    pub deepest: Depth,
    /// The level that chooses the move.
    pub level: Option<Level>,
    /// The number of moves that need exact scores.
    pub lines: usize,
}
