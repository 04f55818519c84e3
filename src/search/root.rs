//! The search of the root moves to one depth with one window, and their order.

use super::alphabeta::reduction_of;
use super::node::turns_ended;
use super::report::Report;
use super::worker::{RootPass, Worker};
use crate::params::{reduction_after, reduction_depth};
use crate::platform::sorting::sort_short;
use crate::tablebase::Tablebase;
use crate::types::{Bound, Depth, MAX_PLY, Move, VALUE_INFINITE, VALUE_MATE, Value, is_mate};
use std::time::Duration;

/// The search time after which the current root move is reported.
const REPORT_MOVES_AFTER: Duration = Duration::from_secs(3);

impl Worker {
    /// Searches the root moves from `first` on with the given window. After a pause it continues with the
    /// move that was interrupted.
    pub(super) fn search_root<const EXTRAS: bool>(
        &mut self,
        first: usize,
        mut alpha: Value,
        beta: Value,
        depth: Depth,
    ) -> Value {
        let mut best = -VALUE_INFINITE;
        let open = beta - alpha > 1;
        let mut begin = first;
        // Only moves of the best rank are searched.
        let rank = self.root_moves[first].probe.rank;
        let same =
            self.root_moves[first..].iter().take_while(|root_move| root_move.probe.rank == rank).count();
        let end = first + same;
        match self.paused_pass.take() {
            Some(pass) => (begin, alpha, best) = (pass.index, pass.alpha, pass.best),
            None => {
                // The first keeps its score of the pass before until it has a new one.
                for root_move in &mut self.root_moves[first + 1..end] {
                    root_move.score = -VALUE_INFINITE;
                }
            }
        }
        for index in begin..end {
            let m = self.root_moves[index].m;
            if self.is_main() && index > 0 && self.reports_root_moves() {
                self.report(Report::Current { depth, current: m, number: index + 1 });
            }
            let number = index - first + 1;
            let value = self.value_of_root_move::<EXTRAS>(m, number, open, alpha, beta, depth);
            if self.aborted {
                self.paused_pass = self.is_paused().then_some(RootPass { index, alpha, best });
                break;
            }
            self.pauses = 0;
            best = best.max(value);
            let is_better = index == first || value > alpha;
            let seldepth = self.seldepth;
            let root_move = &mut self.root_moves[index];
            if is_better {
                root_move.score = value;
                root_move.seldepth = seldepth;
                // A zero-window search collects no line.
                if open {
                    root_move.pv.truncate(1);
                    root_move.pv.extend_from_slice(self.pv.line(1));
                }
            }
            if value > alpha {
                alpha = value;
                if index > first && first == 0 && self.job.settings.multi_pv == 1 {
                    // Moves not yet searched keep their order behind it.
                    self.sort_root_moves(0);
                    // A later move may be better still.
                    let is_exact = alpha < beta && index + 1 == end;
                    let bound = if is_exact { Bound::Exact } else { Bound::Lower };
                    self.report_iteration(bound, 1, depth);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    /// Returns the value of a root move, which is the `number`th that is searched, from 1. `open` is true if
    /// the window was open before the first of them.
    fn value_of_root_move<const EXTRAS: bool>(
        &mut self,
        m: Move,
        number: usize,
        open: bool,
        alpha: Value,
        beta: Value,
        depth: Depth,
    ) -> Value {
        self.pv.clear(1);
        let closes = self.pos.closes_mill(m);
        let new_depth = depth - 1;
        let full = |w: &mut Self, a: Value, b: Value| w.search::<EXTRAS, true>(a, b, new_depth, 1);
        if !open {
            // Late moves are reduced as in `alphabeta.rs`, less one ply, and moves that close or stop a mill
            // too.
            let mut reduction = 0;
            if depth >= reduction_depth() && number > reduction_after() as usize && !m.is_take() {
                reduction = (reduction_of(depth, number) - 1).clamp(0, new_depth - 1);
            }
            let zero_window = |w: &mut Self, depth: Depth| {
                w.value_of_child::<EXTRAS>(m, closes, 0, alpha, beta, |w, a, b| {
                    w.search::<EXTRAS, false>(a, b, depth, 1)
                })
            };
            let value = zero_window(self, new_depth - reduction);
            if reduction > 0 && value > alpha && !self.aborted { zero_window(self, new_depth) } else { value }
        } else if number == 1 || self.full_window {
            self.value_of_child::<EXTRAS>(m, closes, 0, alpha, beta, full)
        } else {
            let value = self.value_of_child::<EXTRAS>(m, closes, 0, alpha, alpha + 1, |w, a, b| {
                w.search::<EXTRAS, false>(a, b, new_depth, 1)
            });
            if value > alpha && !self.aborted {
                self.value_of_child::<EXTRAS>(m, closes, 0, alpha, beta, full)
            } else {
                value
            }
        }
    }

    /// Sorts the root moves from `first` on, best first. Equal ones keep their order.
    pub(super) fn sort_root_moves(&mut self, first: usize) {
        // Moves that were not better in this iteration have the score minus infinity and keep the order of
        // the previous one: their older scores do not compare with those of a deeper search.
        sort_short(&mut self.root_moves[first..], |root_move| {
            std::cmp::Reverse((root_move.probe.rank, root_move.score))
        });
    }

    /// Extends the line of a root move from the transposition table, after searches that collect no lines.
    pub(super) fn complete_line(&mut self, index: usize) {
        let (us, score) = (self.pos.side_to_move(), self.root_moves[index].score);
        let mut line = vec![self.root_moves[index].m];
        // Of a mate, so many moves lead to positions of which the tt still proves the score.
        let (mut proven, mut turns) = (1, 0);
        self.play_in_line(line[0], &mut turns);
        while line.len() < MAX_PLY && !self.pos.outcome().is_over() {
            let next = self.tt_move();
            if next.is_none() || self.pos.has_repeated(line.len()) {
                break;
            }
            let value = if self.pos.side_to_move() == us { score } else { -score };
            if is_mate(score) && proven == line.len() && self.tt_proves(value, turns) {
                proven += 1;
            }
            self.play_in_line(next, &mut turns);
            line.push(next);
        }
        let is_long = turns >= VALUE_MATE - score.abs() || self.pos.outcome().is_over();
        for _ in 0..line.len() {
            self.pos.undo_move();
        }
        let known = std::mem::take(&mut self.root_moves[index].pv);
        // Entries that were stored for other bounds may lead to another line than that of a mate.
        if is_mate(score) && is_long && !self.ends_in_mate(&line, score) {
            line.truncate(proven);
        }
        let keeps = if is_mate(score) {
            self.ends_in_mate(&known, score)
        } else if self.full_window {
            // It is the line of this search, unless the tt goes on where it ends.
            known.len() > 1 && !line.starts_with(&known)
        } else {
            // It comes from an earlier iteration, and may only go on where the tt ends.
            known.starts_with(&line)
        };
        self.root_moves[index].pv = if keeps { known } else { line };
    }

    /// Reports the best lines of an iteration, cut behind known mates, if this is the first thread.
    pub(super) fn report_iteration(&mut self, bound: Bound, lines: usize, depth: Depth) {
        if self.is_main() {
            self.cut_lines_of_known_mates(lines);
            self.report_lines(bound, lines, depth);
        }
    }

    /// Cuts the first lines behind their first turns where the tablebase knows a mate in which they do not
    /// end: the search, which does not probe below such a root, has followed the evaluation.
    pub(super) fn cut_lines_of_known_mates(&mut self, lines: usize) {
        for index in 0..lines.min(self.root_moves.len()) {
            let root_move = &mut self.root_moves[index];
            let Some(value) = root_move.probe.value.filter(|&value| is_mate(value)) else { continue };
            let mut line = std::mem::take(&mut root_move.pv);
            if !self.ends_in_mate(&line, value) {
                line.truncate(1);
                line.extend(self.known_takes_after(line[0]));
            }
            self.root_moves[index].pv = line;
        }
    }

    /// Returns the takes with which the turn of a root move goes on, as the tablebase knows them.
    fn known_takes_after(&self, m: Move) -> Vec<Move> {
        let (us, mut pos) = (self.pos.side_to_move(), self.pos.clone());
        pos.do_move(m);
        let due = if pos.side_to_move() == us { pos.takes_due(us) as usize } else { 0 };
        let line = |tablebase: &Tablebase| tablebase.line_while(&pos, |takes| takes.len() < due);
        // The search has reported damaged files.
        self.job.tablebase.as_deref().and_then(|tablebase| line(tablebase).ok()).unwrap_or_default()
    }

    /// Plays a move of a line from the root and counts the turns that have ended.
    fn play_in_line(&mut self, m: Move, turns: &mut i32) {
        let us = self.pos.side_to_move();
        self.pos.do_move(m);
        *turns += turns_ended(&self.pos, self.pos.side_to_move() == us);
    }

    /// Returns true if a line from the root ends with the mate of this score.
    fn ends_in_mate(&mut self, line: &[Move], score: Value) -> bool {
        let (us, mut turns) = (self.pos.side_to_move(), 0);
        line.iter().for_each(|&m| self.play_in_line(m, &mut turns));
        let winner = self.pos.outcome().winner;
        // A take that ends the game leaves the winner to move.
        turns += i32::from(winner == Some(self.pos.side_to_move()));
        line.iter().for_each(|_| self.pos.undo_move());
        winner.is_some_and(|winner| (winner == us) == (score > 0)) && turns == VALUE_MATE - score.abs()
    }

    /// Returns true if root moves are reported one by one.
    fn reports_root_moves(&self) -> bool {
        // Reads the clock only in long searches.
        self.nodes() > 1_000_000 && self.elapsed() >= REPORT_MOVES_AFTER
    }
}
