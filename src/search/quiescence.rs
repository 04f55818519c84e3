//! The quiescence search: takes and mills only.

use super::worker::Worker;
use crate::bitboard::Bitboard;
use crate::movegen::{self, MoveList};
use crate::params::quiescence_margin;
use crate::position::Action;
use crate::types::{MAX_PLY, VALUE_DRAW, VALUE_INFINITE, Value, is_win, mate_in};

impl Worker {
    /// Searches takes and moves that close a mill, until the position is quiet enough to evaluate. `spent` is
    /// the number of quiescence plies so far.
    pub(super) fn quiesce<const EXTRAS: bool>(
        &mut self,
        alpha: Value,
        beta: Value,
        spent: u32,
        ply: usize,
    ) -> Value {
        debug_assert!(!self.aborted);
        if let Some(value) = self.end_of_line(ply) {
            return value;
        }
        if ply > self.seldepth {
            self.seldepth = ply;
        }
        let taking = self.pos.is_take_next::<EXTRAS>();
        let is_last = spent >= self.job.settings.max_quiescence;
        if ply >= MAX_PLY || is_last && taking {
            return self.static_value();
        }
        // In the middle of a turn the evaluation is not used.
        if taking {
            return self.quiesce_deeper::<EXTRAS>(Bitboard::FULL, -VALUE_INFINITE, alpha, beta, spent, ply);
        }
        let (eval, moves) = self.evals.evaluate::<EXTRAS>(&self.evaluator, &self.pos);
        let eval = self.styled(eval);
        // The game is over for a blocked side; the evaluation does not see that.
        if !moves.has_slides() && self.is_blocked::<EXTRAS>() {
            return self.value_without_moves(ply);
        }
        if is_last || eval >= beta || eval + quiescence_margin() <= alpha {
            return eval;
        }
        // With any capture rule on, all closers count: leaps reach further than slides.
        let compiled = self.pos.compiled();
        let placing = self.pos.is_next::<EXTRAS>(Action::Place);
        let by_slide = !placing && !self.pos.can_fly(self.pos.side_to_move()) && !compiled.captures;
        if !moves.may_close_mill(by_slide) {
            return eval;
        }
        let points = self.pos.men_by_turn().closers(self.pos.empty_as::<EXTRAS>(), compiled.spokes);
        let closers = if by_slide { points.reachable } else { points.all }.first();
        self.quiesce_deeper::<EXTRAS>(closers, eval, alpha, beta, spent, ply)
    }

    /// Searches the takes on `targets`, or the moves there that close a mill, and returns their best value,
    /// at least `best_value`.
    // Not inlined: most calls of `quiesce` end before.
    #[inline(never)]
    fn quiesce_deeper<const EXTRAS: bool>(
        &mut self,
        targets: Bitboard,
        mut best_value: Value,
        mut alpha: Value,
        beta: Value,
        spent: u32,
        ply: usize,
    ) -> Value {
        let taking = self.pos.is_take_next::<EXTRAS>();
        alpha = alpha.max(best_value);
        let mut list = MoveList::new();
        movegen::generate_to::<EXTRAS>(&self.pos, targets, &mut list);
        let mut number = 0;
        for &m in list.iter() {
            let closes = !taking;
            if closes && !self.pos.closes_mill(m) {
                continue;
            }
            number += 1;
            let value = self.value_of_child::<EXTRAS>(m, closes, ply, alpha, beta, |w, a, b| {
                w.quiesce::<EXTRAS>(a, b, spent + 1, ply + 1)
            });
            if self.aborted {
                return VALUE_DRAW;
            }
            best_value = best_value.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        if number == 0 && taking {
            return self.value_without_moves(ply);
        }
        debug_assert!(!is_win(best_value) || best_value <= mate_in(self.frames[ply].turns + 1));
        best_value
    }
}
