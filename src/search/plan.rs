//! The plan of a search: how deep it goes, how many lines need exact scores, which level chooses the move.

use super::levels::{self, Level};
use super::limits::MAX_DEPTH;
use super::worker::{SearchJob, Worker};
use crate::types::Depth;

/// The settings of a search that follow from limits and options.
#[derive(Clone, Copy)]
pub(super) struct SearchPlan {
    /// The last iteration that the client allows.
    pub limit: Depth,
    /// The last iteration that options allow.
    pub cap: Option<Depth>,
    /// The last iteration, unless the score falls in it.
    pub deepest: Depth,
    /// The level that chooses the move.
    pub level: Option<Level>,
    /// The number of moves that need exact scores.
    pub lines: usize,
}

impl Worker {
    /// Returns the plan of this search.
    pub(super) fn plan(&self) -> SearchPlan {
        let SearchJob { limits, settings, .. } = &self.job;
        let limit = limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
        let cap =
            if settings.is_analysis(limits) { None } else { levels::depth_cap(&self.pos, settings, limits) };
        let deepest = limit.min(cap.unwrap_or(MAX_DEPTH));
        let level = settings.level(limits);
        let lines = level.map_or(0, |level| level.lines).max(settings.multi_pv).min(self.root_moves.len());
        SearchPlan { limit, cap, deepest, level, lines }
    }
}
