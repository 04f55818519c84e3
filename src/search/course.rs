//! Runs a search to its end: at once, in a thread of its own, or in slices, where the only thread also reads
//! the commands.
//!
//! A slice ends in the middle of the tree, and the next one begins again with the root move that was being
//! searched. The transposition table holds what was finished below it, so that little is searched twice.

use super::deepening::Deepening;
use super::limits::Algorithm;
use super::mcts::MonteCarlo;
use super::worker::{SearchJob, Worker};
use crate::platform::clock::Instant;
use crate::types::Depth;

/// The nodes of the first slice: less than a tenth of a second. Counted in nodes, slices are the same in
/// every run.
#[cfg(any(test, target_arch = "wasm32"))]
const SLICE: u64 = 1 << 16;

/// The state of a search between two slices.
pub(crate) struct Course {
    search: Search,
    stage: CourseStage,
}

enum Search {
    Deepening(Box<Deepening>),
    Tree(Box<MonteCarlo>),
    /// Nothing to search: a random move is chosen already, or there is no move.
    Nothing,
}

#[derive(PartialEq, Eq)]
enum CourseStage {
    Searching,
    /// Nothing is left but to wait, and then to choose the move.
    Searched,
    Done,
}

/// The result of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The search goes on.
    Paused,
    /// The search has ended, but its result has to wait: until this time, or for `stop` or `ponderhit`.
    Waiting(Option<Instant>),
    /// The best move is in front of the root moves.
    Done,
}

impl Worker {
    /// Searches until the limits end it and puts the best move in front of the root moves.
    pub(crate) fn iterate(&mut self) {
        let mut course = self.begin();
        while course.stage != CourseStage::Done {
            match self.advance(&mut course) {
                Step::Waiting(until) => {
                    let for_ponderhit = until.is_none() && !self.job.limits.infinite;
                    self.job.shared.wait(for_ponderhit, until);
                }
                Step::Paused | Step::Done => {}
            }
        }
    }

    /// Prepares a search.
    pub(crate) fn begin(&mut self) -> Course {
        if self.root_moves.is_empty() {
            return Course { search: Search::Nothing, stage: CourseStage::Done };
        }
        Course { search: self.choose_search(), stage: CourseStage::Searching }
    }

    fn choose_search(&mut self) -> Search {
        let eval = self.static_value();
        for root_move in &mut self.root_moves {
            root_move.previous = root_move.probe.value.unwrap_or(eval);
        }
        self.sort_before_first_iteration();
        let plan = self.plan();
        match self.job.settings.algorithm {
            // `mate` needs a search that proves distances.
            Algorithm::Mcts if self.job.limits.mate.is_none() => {
                Search::Tree(Box::new(self.begin_monte_carlo(plan)))
            }
            Algorithm::Random => {
                if self.pos.has_extras() {
                    self.play_random::<true>(plan.lines);
                } else {
                    self.play_random::<false>(plan.lines);
                }
                Search::Nothing
            }
            Algorithm::AlphaBeta | Algorithm::Pvs | Algorithm::Mtdf | Algorithm::Mcts => {
                Search::Deepening(Box::new(self.begin_deepening(plan)))
            }
        }
    }

    /// Begins a slice: the search pauses after the nodes of one.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub(crate) fn begin_slice(&mut self) {
        // Should the tt not remember enough, the slices grow until a root move, or a simulation of the tree,
        // is finished in one.
        self.pause_after(SLICE * (1 + u64::from(self.pauses) / 8));
        self.pauses += 1;
    }

    /// Searches on to the end of the slice, or of the search.
    pub(crate) fn advance(&mut self, course: &mut Course) -> Step {
        if course.stage == CourseStage::Done {
            return Step::Done;
        }
        self.resume();
        if course.stage == CourseStage::Searching {
            let is_over = match (&mut course.search, self.pos.has_extras()) {
                (Search::Deepening(state), true) => self.deepen::<true>(state),
                (Search::Deepening(state), false) => self.deepen::<false>(state),
                (Search::Tree(state), true) => self.grow::<true>(state),
                (Search::Tree(state), false) => self.grow::<false>(state),
                (Search::Nothing, _) => true,
            };
            if !is_over {
                return Step::Paused;
            }
            course.stage = CourseStage::Searched;
        }
        if self.is_main()
            && let Some(waiting) = self.waiting(&course.search)
        {
            return waiting;
        }
        match &mut course.search {
            Search::Deepening(state) => self.end_deepening(state),
            Search::Tree(state) => self.end_monte_carlo(state),
            Search::Nothing => {}
        }
        self.publish_nodes();
        course.stage = CourseStage::Done;
        Step::Done
    }

    /// Returns [`Step::Waiting`] if the result has to wait: with `infinite` for `stop`, with pondering for
    /// `ponderhit`, and for the end of `movetime` if no limit has ended the search.
    fn waiting(&self, search: &Search) -> Option<Step> {
        let SearchJob { shared, limits, settings, .. } = &self.job;
        if shared.is_stopped() {
            return None;
        }
        if limits.infinite || shared.is_pondering() {
            return Some(Step::Waiting(None));
        }
        let is_timed = limits.movetime.is_some() && settings.nodes_time == 0 && self.uses_all_time(search);
        let end = self.time.maximum.filter(|_| is_timed).map(|maximum| shared.started() + maximum);
        end.filter(|&end| Instant::now() < end).map(|end| Step::Waiting(Some(end)))
    }

    /// Returns true if the search has ended although none of its limits is reached.
    fn uses_all_time(&self, search: &Search) -> bool {
        match search {
            Search::Deepening(state) => !self.is_done(state.plan.cap, self.completed),
            Search::Tree(state) => {
                let depth_of_proof = if state.is_decided() { Depth::MAX } else { 0 };
                !self.is_done(state.plan.cap, depth_of_proof)
            }
            Search::Nothing => false,
        }
    }
}
