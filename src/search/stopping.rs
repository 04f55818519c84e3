//! When a search ends: by `stop`, nodes, time or depth, or with a result that no iteration can change.

use super::limits::MAX_DEPTH;
use super::root_moves::RootMove;
use super::worker::{SearchJob, Worker};
use crate::rules::{CompiledRules, blocked};
use crate::types::{
    Depth, Move, MoveKind, VALUE_MATE, VALUE_MATE_IN_MAX, VALUE_TB_WIN, Value, is_loss, is_win,
};

/// Nodes between two checks of the stop flag, the clock and the node limit.
const CHECK_INTERVAL: u64 = 1_024;

/// Returns the most plies of a turn: a move and its takes, two of them after an intervention, and before them
/// the take of a blocked side that then moves.
///
/// A side that has earned takes by a mill and by a capture makes those of one of them. The takes for all
/// mills at the end of placing, which come once, are left out.
fn longest_turn(compiled: &CompiledRules) -> Depth {
    let takes = if compiled.captures { compiled.max_takes.max(2) } else { compiled.max_takes };
    let takes_first = compiled.rules.stalemate_action == blocked::TAKES_AND_MOVES;
    1 + takes as Depth + Depth::from(takes_first)
}

impl Worker {
    /// Counts a node and checks the limits from time to time. Returns true if that aborts the search.
    #[inline(always)]
    pub(super) fn count_node(&mut self) -> bool {
        // One number that counts down takes the fewest instructions.
        self.until_check -= 1;
        if self.until_check == 0 {
            self.check_limits();
            return self.aborted;
        }
        false
    }

    /// Aborts the search if it is stopped or has used its nodes or time.
    #[cold]
    #[inline(never)]
    pub(super) fn check_limits(&mut self) {
        self.publish_nodes();
        let SearchJob { shared, limits, settings, .. } = &self.job;
        let mut interval = CHECK_INTERVAL;
        let mut aborted = shared.is_stopped();
        let is_limited = !shared.is_pondering();
        let total = shared.limited_nodes();
        if is_limited && let Some(limit) = limits.nodes {
            aborted |= total >= limit;
            interval = interval.min((limit - total.min(limit)).max(1));
        }
        if is_limited
            && self.is_main()
            && let Some(maximum) = self.time.maximum
        {
            aborted |= self.elapsed() >= maximum;
            if settings.nodes_time > 0 {
                let micros = u64::try_from(maximum.as_micros()).unwrap_or(u64::MAX);
                let limit = micros.saturating_mul(settings.nodes_time) / 1_000;
                interval = interval.min(limit.saturating_sub(total).max(1));
            }
        }
        if !aborted && !self.aborted && self.nodes() >= self.slice_end {
            self.paused = true;
        }
        self.check_after(interval);
        self.aborted |= aborted || self.paused;
    }

    /// Returns true if there is no time for another iteration. Only the first thread looks at the clock; the
    /// others go on until it stops them.
    pub(super) fn is_time_up(&self) -> bool {
        if self.aborted || self.job.shared.is_stopped() {
            return true;
        }
        if !self.is_main() || self.job.shared.is_pondering() || self.job.limits.infinite {
            return false;
        }
        self.time.optimum.is_some_and(|optimum| self.elapsed() >= optimum * self.trend.share() / 100)
    }

    /// Returns true if the search has come to its own end: its depth or time is used up, the result is
    /// settled after iteration `settled`, or a `go` without limits has searched to its `cap`.
    pub(super) fn is_done(&self, cap: Option<Depth>, settled: Depth) -> bool {
        let limits = &self.job.limits;
        let is_deep = limits.depth.is_some_and(|depth| self.completed >= depth.min(MAX_DEPTH));
        is_deep || limits.may_end_early && cap.is_some() || self.is_time_up() || self.is_settled(settled)
    }

    /// Returns true if this thread, which has come to its end, ends the search of all.
    ///
    /// The first thread always does. Another does if it has finished the wanted depth before the first one,
    /// unless the result has to wait for a command.
    pub(super) fn ends_search(&self) -> bool {
        let SearchJob { shared, limits, .. } = &self.job;
        let waits = || limits.infinite || shared.is_pondering();
        self.is_main() || self.job.wanted_depth().is_some_and(|depth| self.completed >= depth) && !waits()
    }

    /// Returns true if no further iteration can change the move: there is no choice on the clock, or the
    /// result is proven.
    pub(super) fn is_settled(&self, depth: Depth) -> bool {
        if self.job.limits.infinite {
            return false;
        }
        let score = self.root_moves[0].reported_score();
        if let Some(turns) = self.job.limits.mate {
            let turns = turns.min(MAX_DEPTH as u32) as Value;
            let wanted = VALUE_MATE - 2 * turns;
            let is_found = is_win(score) && score >= wanted.max(VALUE_MATE_IN_MAX);
            // A tablebase distance is exact.
            let is_known = self.root_moves[0].probe.value.is_some_and(|value| value != VALUE_TB_WIN);
            // However deep, a search that prunes does not prove that there is no such win.
            if is_found || is_known || is_loss(score) {
                return true;
            }
        }
        if self.job.settings.analysis {
            return false;
        }
        let timed = self.job.limits.movetime.is_some() || self.job.limits.time.is_some();
        // With several lines, worse moves are of interest too.
        let is_forced = match self.job.settings.multi_pv {
            1 => self.has_no_choice(),
            _ => self.root_moves.len() == 1,
        };
        // `analyze` rates the only move too.
        if timed && is_forced && !self.job.limits.analysis {
            return true;
        }
        // A proof is final once the search has passed its end.
        let distance = VALUE_MATE - score.abs();
        (is_win(score) || is_loss(score)) && timed && depth > longest_turn(self.pos.compiled()) * distance + 2
    }

    /// Returns true if only one move is legal, or only one has the best rank.
    ///
    /// A move without a tablebase value may lose faster than those with one: then there is a choice. Placings
    /// with symmetric positions after them count once. Other moves could repeat a position of the game, and
    /// symmetric ones not.
    fn has_no_choice(&self) -> bool {
        let front = self.root_moves[0].probe;
        let is_best = |root_move: &&RootMove| front.value.is_none() || root_move.probe.rank == front.rank;
        let mut best = self.root_moves.iter().take_while(is_best);
        let class = |m: Move| {
            let is_placing = m.kind() == MoveKind::Place && !self.pos.has_extras();
            is_placing.then(|| self.pos.canonical_men_after(m.to()))
        };
        let first = best.next().and_then(|root_move| class(root_move.m));
        best.all(|root_move| first.is_some() && class(root_move.m) == first)
    }
}

#[cfg(test)]
mod tests {
    use super::longest_turn;
    use crate::rules::{CompiledRules, Rules};

    #[test]
    fn the_longest_turn_is_a_move_with_all_takes_before_and_after_it() {
        for (rules, plies) in [
            ("nine", 2),
            ("nine,MayRemoveMultiple=true", 4),
            ("nine,InterventionCaptureEnabled=true", 3),
            ("nine,StalemateAction=2", 3),
            ("nine,StalemateAction=3", 2),
            ("nine,StalemateAction=2,InterventionCaptureEnabled=true", 4),
        ] {
            let rules = Rules::parse(rules).unwrap();
            assert_eq!(longest_turn(&CompiledRules::new(&rules)), plies, "{rules}");
        }
    }
}
