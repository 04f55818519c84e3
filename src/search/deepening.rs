//! Iterative deepening and the aspiration window, up to the limits of the search.

use super::limits::{Algorithm, Limits};
use super::movepick::MovePicker;
use super::mtdf::Convergence;
use super::plan::SearchPlan;
use super::root_moves::{RootMove, compare_known_losses};
use super::worker::Worker;
use crate::params::{aspiration_delta, aspiration_depth, aspiration_growth, aspiration_max, extension_max};
use crate::platform::sorting::sort_short;
use crate::types::{Bound, Depth, Move, VALUE_INFINITE, Value, is_decisive, is_win};
use std::time::Duration;

/// The search time after which bounds are reported.
const REPORT_BOUNDS_AFTER: Duration = Duration::from_secs(1);

/// The state of a search by iterative deepening.
pub(super) struct Deepening {
    pub(super) plan: SearchPlan,
    deepest: Depth,
    shallowest: Depth,
    /// The current iteration.
    depth: Depth,
    /// False before the first line of the iteration.
    is_begun: bool,
    /// The move that the iteration began with.
    best: Move,
    /// The current line.
    first: usize,
    line: LineSearch,
    /// The root moves after the last finished iteration.
    finished: Vec<RootMove>,
}

/// The state of the search of a line.
enum LineSearch {
    New,
    Mtdf(Convergence),
    Window { alpha: Value, beta: Value, delta: Value },
}

impl Worker {
    /// Prepares the root moves for a search by iterative deepening.
    pub(super) fn begin_deepening(&mut self, plan: SearchPlan) -> Deepening {
        let depth = self.first_depth(plan.deepest);
        Deepening {
            deepest: plan.deepest,
            shallowest: depth,
            depth,
            is_begun: false,
            best: Move::NONE,
            first: 0,
            line: LineSearch::New,
            finished: self.root_moves.clone(),
            plan,
        }
    }

    /// Searches one iteration after the other. Returns false if the search pauses before its end.
    pub(super) fn deepen<const EXTRAS: bool>(&mut self, state: &mut Deepening) -> bool {
        let SearchPlan { limit, cap, lines, .. } = state.plan;
        while state.depth <= limit.min(state.deepest) {
            let depth = state.depth;
            // Each helper skips some depths, so that the threads spread over several. None skips the last
            // one, in which it may be the first to finish.
            let is_skipped = (depth as usize + self.id).is_multiple_of(1 + self.id.min(3));
            if !self.is_main() && depth > state.shallowest.max(2) && depth < state.deepest && is_skipped {
                state.depth += 1;
                continue;
            }
            if !state.is_begun {
                self.begin_iteration(state);
            }
            while state.first < lines {
                self.search_line::<EXTRAS>(state.first, depth, &mut state.line);
                if self.is_paused() {
                    return false;
                }
                if self.aborted {
                    self.bound = self.settle_aborted_iteration(state.best, lines, &state.finished);
                    return true;
                }
                (state.first, state.line) = (state.first + 1, LineSearch::New);
            }
            self.completed = depth;
            self.sort_lines(lines);
            self.report_iteration(Bound::Exact, lines, depth);
            state.finished.clone_from(&self.root_moves);
            self.trend.update(self.root_moves[0].m, self.root_moves[0].reported_score());
            let extended = cap.map_or(0, |cap| cap + extension_max());
            let is_last = depth == state.deepest && state.deepest < extended;
            if is_last && self.job.settings.depth_extension && self.trend.is_falling() {
                // A depth set by options does not stop the search if the score has just dropped.
                state.deepest = depth + 1;
            }
            if self.is_time_up() || self.is_settled(depth) {
                return true;
            }
            (state.depth, state.is_begun) = (depth + 1, false);
        }
        true
    }

    /// Sorts the root moves for the next iteration.
    fn begin_iteration(&mut self, state: &mut Deepening) {
        self.seldepth = 0;
        compare_known_losses(&mut self.root_moves);
        // With several lines, the last iteration has left the moves in the order of the scores shown.
        sort_short(&mut self.root_moves, |root_move| std::cmp::Reverse(root_move.probe.rank));
        for root_move in &mut self.root_moves {
            root_move.previous = root_move.latest_score();
            root_move.score = -VALUE_INFINITE;
        }
        self.iteration = state.depth;
        (state.best, state.first, state.is_begun) = (self.root_moves[0].m, 0, true);
    }

    /// Puts the move to play in front, and reports it if the last iteration has not.
    pub(super) fn end_deepening(&mut self, state: &Deepening) {
        let is_changed =
            self.needs_take && !is_win(self.root_moves[0].latest_score()) && self.prefer_shortest_win();
        // The front may be another than after the last finished iteration.
        self.cut_lines_of_known_mates(state.plan.lines);
        if self.aborted || self.completed == 0 || is_changed {
            self.report_last(self.bound, state.plan.lines);
        }
        self.weaken(state.plan.level, state.plan.lines);
    }

    /// Sorts the lines of an iteration, best first: a later one can have a better score than one found before
    /// it. Several lines are in the order of the scores that the client gets, except with
    /// [`Worker::needs_take`].
    pub(super) fn sort_lines(&mut self, lines: usize) {
        // Close to the draw by move count, the move with the better shown score is not always the better
        // move.
        let is_shown_order = self.job.settings.multi_pv > 1 && !self.needs_take;
        sort_short(&mut self.root_moves[..lines], |line| {
            let shown = if is_shown_order { line.shown_score() } else { 0 };
            std::cmp::Reverse((shown, line.probe.rank, line.score))
        });
    }

    /// Puts the shortest win of the tablebase in front, for a search that has found no take in time. Returns
    /// true if another move was in front.
    fn prefer_shortest_win(&mut self) -> bool {
        let value = |index: usize| self.root_moves[index].probe.value.unwrap_or(-VALUE_INFINITE);
        // Reversed, since `max_by_key` returns the last of equals.
        let shortest = (0..self.root_moves.len()).rev().max_by_key(|&index| value(index)).unwrap_or(0);
        self.root_moves[..=shortest].rotate_right(1);
        shortest > 0
    }

    /// Returns the depth of the first iteration: `deepest` if deepening is off and only the depth limits the
    /// search, else 1.
    fn first_depth(&self, deepest: Depth) -> Depth {
        let Limits { depth, nodes, movetime, time, infinite, ponder, .. } = &self.job.limits;
        let is_limited = nodes.is_some() || movetime.is_some() || time.is_some() || *infinite || *ponder;
        if self.job.settings.deepening || depth.is_none() || is_limited { 1 } else { deepest }
    }

    /// Sorts the root moves after an aborted iteration that began with `best`; `finished` holds them as they
    /// were before it. Returns the bound of the first score.
    fn settle_aborted_iteration(&mut self, best: Move, lines: usize, finished: &[RootMove]) -> Bound {
        if lines > 1 {
            // Several lines are comparable only within one iteration.
            self.root_moves.clone_from_slice(finished);
            return Bound::Exact;
        }
        self.sort_root_moves(0);
        if self.root_moves[0].m == best {
            // An aborted iteration gives only a bound for the same move.
            self.root_moves[0].score = -VALUE_INFINITE;
            if let Some(before) = finished.iter().find(|root_move| root_move.m == best) {
                self.root_moves[0].seldepth = before.seldepth;
            }
            return Bound::Exact;
        }
        // Another move has failed high, or is better than those before it; later ones may be better still.
        Bound::Lower
    }

    /// Sorts the root moves by rank and then in the order of the move picker.
    pub(super) fn sort_before_first_iteration(&mut self) {
        let mut order = Vec::with_capacity(self.root_moves.len());
        // No child is searched here, so with this depth hardly a bucket is prefetched.
        let mut picker = MovePicker::new(Move::NONE, self.pos.is_take_due(), 1);
        loop {
            let context = self.context(0);
            let next = if self.pos.has_extras() {
                picker.next::<true>(&self.pos, || context)
            } else {
                picker.next::<false>(&self.pos, || context)
            };
            match next {
                Some(picked) => order.push(picked.m),
                None => break,
            }
        }
        sort_short(&mut self.root_moves, |root_move| {
            (-root_move.probe.rank, order.iter().position(|m| *m == root_move.m))
        });
    }

    /// The model checker's search ends at the root: the model is about threads, and a tree would multiply
    /// their steps.
    #[cfg(loom)]
    fn search_line<const EXTRAS: bool>(&mut self, first: usize, _: Depth, _: &mut LineSearch) {
        self.check_limits();
        if !self.aborted {
            self.root_moves[first].score = 0;
        }
    }

    /// Finds the best root move from `first` on. If the search pauses, `line` tells where it goes on.
    #[cfg(not(loom))]
    fn search_line<const EXTRAS: bool>(&mut self, first: usize, depth: Depth, line: &mut LineSearch) {
        let guess = self.root_moves[first].previous;
        match self.job.settings.algorithm {
            Algorithm::Mtdf => {
                let mut state = match line {
                    LineSearch::Mtdf(state) => *state,
                    _ => Convergence::new(guess),
                };
                let value = self.mtdf::<EXTRAS>(first, depth, &mut state);
                *line = LineSearch::Mtdf(state);
                if !self.aborted {
                    // The last pass may have found only an upper bound for the move.
                    self.root_moves[first].score = value;
                    self.complete_line(first);
                }
            }
            Algorithm::AlphaBeta => {
                self.search_root::<EXTRAS>(first, -VALUE_INFINITE, VALUE_INFINITE, depth);
                if !self.aborted {
                    self.sort_root_moves(first);
                    self.complete_line(first);
                }
            }
            Algorithm::Pvs | Algorithm::Mcts | Algorithm::Random => {
                self.search_window::<EXTRAS>(first, guess, depth, line);
            }
        }
    }

    /// Principal variation search with an aspiration window around `guess`, widened until the value is
    /// inside.
    fn search_window<const EXTRAS: bool>(
        &mut self,
        first: usize,
        guess: Value,
        depth: Depth,
        line: &mut LineSearch,
    ) {
        let mut delta = aspiration_delta();
        let (mut alpha, mut beta) = (-VALUE_INFINITE, VALUE_INFINITE);
        if let LineSearch::Window { alpha: a, beta: b, delta: d } = *line {
            (alpha, beta, delta) = (a, b, d);
        } else if depth >= aspiration_depth() && !is_decisive(guess) {
            (alpha, beta) = (guess - delta, guess + delta);
        }
        loop {
            let value = self.search_root::<EXTRAS>(first, alpha, beta, depth);
            if self.aborted {
                *line = LineSearch::Window { alpha, beta, delta };
                return;
            }
            self.sort_root_moves(first);
            let bound = if value <= alpha && alpha > -VALUE_INFINITE {
                alpha = (value - delta).max(-VALUE_INFINITE);
                Bound::Upper
            } else if value >= beta && beta < VALUE_INFINITE {
                beta = (value + delta).min(VALUE_INFINITE);
                Bound::Lower
            } else {
                return;
            };
            let is_single = first == 0 && self.job.settings.multi_pv == 1;
            if self.is_main() && is_single && self.elapsed() >= REPORT_BOUNDS_AFTER {
                self.cut_lines_of_known_mates(1);
                self.report_lines(bound, 1, depth);
            }
            delta *= aspiration_growth();
            if is_decisive(value) || delta > aspiration_max() {
                (alpha, beta) = (-VALUE_INFINITE, VALUE_INFINITE);
            }
        }
    }
}
