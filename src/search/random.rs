//! The algorithm that plays any legal move.

use super::worker::Worker;
use crate::platform::random::SplitMix64;
use crate::platform::sorting::sort_short;
use crate::types::{Bound, VALUE_INFINITE};

impl Worker {
    /// Puts a random root move in front without a search. Reports the static evaluations of the moves.
    pub(super) fn play_random<const EXTRAS: bool>(&mut self, lines: usize) {
        // No limit cuts off so short a search.
        self.check_after(self.root_moves.len() as u64 + 1);
        for index in 0..self.root_moves.len() {
            let m = self.root_moves[index].m;
            let closes = self.pos.closes_mill(m);
            let value =
                self.value_of_child::<EXTRAS>(m, closes, 0, -VALUE_INFINITE, VALUE_INFINITE, |w, _, _| {
                    w.end_of_line(1).unwrap_or_else(|| w.static_value())
                });
            self.root_moves[index].score = value;
        }
        sort_short(&mut self.root_moves, |root_move| std::cmp::Reverse(root_move.shown_score()));
        self.best_score = self.root_moves[0].reported_score();
        // The same number in every thread.
        let random = SplitMix64(self.job.seed ^ self.pos.key()).next();
        let chosen = (random % self.root_moves.len() as u64) as usize;
        if self.job.settings.multi_pv == 1 {
            self.root_moves.swap(0, chosen);
            self.report_lines(Bound::Exact, 1, 1);
        } else {
            self.report_lines(Bound::Exact, lines, 1);
            self.root_moves.swap(0, chosen);
        }
        self.completed = 1;
    }
}
