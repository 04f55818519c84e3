//! The recursive search: principal variation search in the alpha-beta framework. At depth 0 it calls the
//! quiescence search.

use super::movepick::{MovePicker, Picked, prefetch_child};
use super::tt_key::{TtKey, is_count_part_of_key};
use super::worker::Worker;
use crate::params::{
    counted_moves, futility_depth, futility_margin, internal_reduction_depth, late_move_count,
    late_move_depth, reduction_after, reduction_depth, reduction_divisor, reverse_futility_depth,
    reverse_futility_margin,
};
use crate::tt::{self, TtEntry, value_from_tt, value_to_tt};
use crate::types::{
    Bound, Depth, MAX_MOVES, MAX_PLY, Move, VALUE_DRAW, VALUE_INFINITE, Value, is_decisive, is_loss, mate_in,
    mated_in,
};

/// The maximum number of moves per node that get a history malus.
const MAX_TRIED: usize = 32;
/// More moves than any node has.
const MANY_MOVES: i32 = 1 + MAX_MOVES as i32;

/// Returns the late move reduction in plies, by remaining depth and number of the move.
#[inline(always)]
pub(super) fn reduction_of(depth: Depth, number: usize) -> Depth {
    Depth::from(LOG2[depth.min(63) as usize]) * Depth::from(LOG2[number.min(63)]) / reduction_divisor()
}

/// The logarithm to base 2 in 1/16, rounded down; 0 for 0.
static LOG2: [u8; 64] = {
    let mut logs = [0; 64];
    let mut n = 1;
    while n < 64 {
        logs[n] = (n as u128).pow(16).ilog2() as u8;
        n += 1;
    }
    logs
};

impl Worker {
    /// Searches the node at `ply` to `depth` and returns its value, fail soft: exact inside the window, a
    /// bound outside. `PV` is true for nodes with an open window.
    #[inline(always)]
    pub(super) fn search<const EXTRAS: bool, const PV: bool>(
        &mut self,
        alpha: Value,
        beta: Value,
        depth: Depth,
        ply: usize,
    ) -> Value {
        if depth <= 0 {
            self.quiesce::<EXTRAS>(alpha, beta, 0, ply)
        } else {
            self.search_deeper::<EXTRAS, PV>(alpha, beta, depth, ply)
        }
    }

    /// [`Worker::search`] with a depth above 0.
    // One function with numbered steps: if it were split, each part would need ten arguments.
    #[allow(clippy::too_many_lines)]
    fn search_deeper<const EXTRAS: bool, const PV: bool>(
        &mut self,
        mut alpha: Value,
        mut beta: Value,
        mut depth: Depth,
        ply: usize,
    ) -> Value {
        if PV {
            self.pv.clear(ply);
        }
        debug_assert!(!self.aborted);
        // Step 1. End of the game, draws, and the longest line.
        if let Some(value) = self.end_of_line(ply) {
            return value;
        }
        if ply >= MAX_PLY {
            return self.static_value();
        }
        if PV {
            self.seldepth = self.seldepth.max(ply + 1);
        }
        // Step 2. Mate distance pruning.
        let turns = self.frames[ply].turns;
        if PV {
            alpha = alpha.max(mated_in(turns));
            beta = beta.min(mate_in(turns + 1));
            if alpha >= beta {
                return alpha;
            }
        } else {
            // A zero window has no room for a narrower one.
            debug_assert_eq!(beta, alpha + 1);
            if alpha < mated_in(turns) {
                return mated_in(turns);
            }
            if beta > mate_in(turns + 1) {
                return alpha;
            }
        }
        // Plain alpha-beta opens all windows.
        let full_window = PV && self.full_window;
        let open = PV && !full_window;
        // Step 3. Static evaluation and transposition table. If the line may reach the draw by move count,
        // stored values do not hold, unless the count is part of the key.
        let tt_key = TtKey::of_as::<EXTRAS>(&self.pos);
        let near_draw = 2 * depth > counted_moves()
            && self.pos.is_count_draw_within(2 * depth as u32)
            && !is_count_part_of_key(&self.pos);
        let taking = self.pos.is_take_next::<EXTRAS>();
        let found = self.job.tt.probe(tt_key.key);
        if let Some(entry) = found {
            let value = value_from_tt(entry.value, turns);
            let enough = entry.depth >= depth || tt::is_proof(value, entry.bound);
            if !open && enough && !near_draw && tt::cuts(value, entry.bound, alpha, beta) {
                return value;
            }
        }
        // In the middle of a turn the evaluation is not used.
        let static_value = match found.and_then(|entry| entry.eval) {
            None if taking => VALUE_DRAW,
            None => {
                let (eval, moves) = self.evals.evaluate::<EXTRAS>(&self.evaluator, &self.pos);
                // Before any pruning: the evaluation does not see that a blocked side has lost.
                if !moves.has_slides() && self.is_blocked::<EXTRAS>() {
                    return self.value_without_moves(ply);
                }
                eval
            }
            Some(eval) => eval,
        };
        let mut eval = if taking { VALUE_DRAW } else { self.styled(static_value) };
        let mut tt_move = Move::NONE;
        if let Some(entry) = found {
            let value = value_from_tt(entry.value, turns);
            // A searched value is a better estimate than the evaluation.
            if !near_draw && !is_decisive(value) && tt::cuts(value, entry.bound, eval, eval) {
                eval = value;
            }
            let best = tt_key.as_played(entry.best);
            if self.pos.is_legal_as::<EXTRAS>(best) {
                tt_move = best;
                // This child comes first, unless the node is cut off before.
                let closes = !taking && self.pos.closes_mill(best);
                prefetch_child::<EXTRAS>(&self.pos, &self.job.tt, best, closes, depth > 1);
            }
        }
        // Step 4. Tablebase, after a change of the men on the board.
        if self.probes_tablebase
            && let Some(value) = self.probe_tablebase(depth, ply)
        {
            return value;
        }
        // Step 5. Reverse futility pruning: a value far above beta close to the leaves will stay there.
        if !open
            && !taking
            && depth <= reverse_futility_depth()
            && eval - reverse_futility_margin() * depth >= beta
            && !is_decisive(beta)
        {
            return eval;
        }
        // Step 6. Internal iterative reduction: without a tt move the move order is poor.
        if tt_move.is_none() && depth >= internal_reduction_depth() && !taking {
            depth -= 1;
        }
        // Step 7. Loop over the moves.
        let us = self.pos.side_to_move();
        let prunes = !open && !taking;
        let most_quiet =
            if depth <= late_move_depth() { late_move_count() + depth * depth } else { MANY_MOVES };
        let reduced_after =
            if !taking && depth >= reduction_depth() { reduction_after() } else { MANY_MOVES };
        let hoped = if depth <= futility_depth() { eval + futility_margin() * depth } else { VALUE_INFINITE };
        let old_alpha = alpha;
        let mut picker = MovePicker::new(tt_move, taking, depth);
        let mut best_value = -VALUE_INFINITE;
        let mut best_move = Move::NONE;
        let mut number: i32 = 0;
        let mut tried = [Move::NONE; MAX_TRIED];
        let mut tried_len = 0;
        while let Some(Picked { m, closes, stops }) = picker.next::<EXTRAS>(&self.pos, || self.context(ply)) {
            number += 1;
            // Zero-window and quiescence searches leave the line of the child as it is.
            if PV {
                self.pv.clear(ply + 1);
            }
            // The bucket of the next child arrives while this one is searched.
            picker.prefetch_next(&self.pos, &self.job.tt);
            // A mill and its take cost one ply together. Under rules with extras a mill may earn no take, so
            // there each costs a ply of its own.
            let new_depth = if closes && !EXTRAS { depth } else { depth - 1 };
            let value = if number == 1 || full_window && (taking || closes) {
                self.value_of_child::<EXTRAS>(m, closes, ply, alpha, beta, |w, a, b| {
                    w.search::<EXTRAS, PV>(a, b, new_depth, ply + 1)
                })
            } else {
                // Step 8. Late move reductions for quiet moves. All moves but the first get a zero window
                // first, except in plain alpha-beta.
                let mut reduction = 0;
                if number > reduced_after && !closes {
                    reduction = reduction_of(depth, number as usize);
                    reduction -= Depth::from(PV) + Depth::from(stops);
                    reduction = reduction.clamp(0, new_depth - 1);
                }
                let upper = if full_window { beta } else { alpha + 1 };
                let mut value = self.value_of_child::<EXTRAS>(m, closes, ply, alpha, upper, |w, a, b| {
                    w.search_scout::<EXTRAS, PV>(a, b, new_depth - reduction, ply + 1)
                });
                if reduction > 0 && value > alpha && !self.aborted {
                    value = self.value_of_child::<EXTRAS>(m, closes, ply, alpha, upper, |w, a, b| {
                        w.search_scout::<EXTRAS, PV>(a, b, new_depth, ply + 1)
                    });
                }
                if open && value > alpha && value < beta && !self.aborted {
                    value = self.value_of_child::<EXTRAS>(m, closes, ply, alpha, beta, |w, a, b| {
                        w.search::<EXTRAS, true>(a, b, new_depth, ply + 1)
                    });
                }
                value
            };
            if self.aborted {
                return VALUE_DRAW;
            }
            // Step 9. New best move.
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = m;
                    if PV {
                        self.pv.set(ply, m);
                    }
                    if !PV || value >= beta {
                        let previous = self.frames[ply].last_move;
                        self.history.update(us, ply, previous, m, &tried[..tried_len], depth);
                        break;
                    }
                    alpha = value;
                }
            }
            if tried_len < MAX_TRIED {
                tried[tried_len] = m;
                tried_len += 1;
            }
            // Step 10. Late move pruning and futility pruning of quiet moves close to the leaves. Moves that
            // close a mill, or stop one that the opponent can close, are still searched.
            if prunes && !is_loss(best_value) {
                if number >= most_quiet {
                    picker.skip_quiet();
                }
                if hoped <= alpha && !is_decisive(alpha) {
                    best_value = best_value.max(hoped);
                    picker.skip_quiet();
                }
            }
        }
        // Step 11. No legal move.
        if number == 0 {
            return self.value_without_moves(ply);
        }
        // Step 12. Store in the transposition table.
        let bound = if near_draw {
            // The value may depend on the move count, which is not part of the key.
            Bound::None
        } else if best_value >= beta {
            Bound::Lower
        } else if PV && best_value > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let value = value_to_tt(best_value, turns);
        let best = tt_key.as_stored(best_move);
        let entry = TtEntry { best, value, eval: Some(static_value), depth, bound };
        self.job.tt.store(tt_key.key, entry);
        best_value
    }

    /// Searches a move after the first: with a zero window, or with the full one in plain alpha-beta.
    #[inline(always)]
    fn search_scout<const EXTRAS: bool, const PV: bool>(
        &mut self,
        alpha: Value,
        beta: Value,
        depth: Depth,
        ply: usize,
    ) -> Value {
        if PV && self.full_window {
            self.search::<EXTRAS, true>(alpha, beta, depth, ply)
        } else {
            self.search::<EXTRAS, false>(alpha, beta, depth, ply)
        }
    }
}

#[cfg(all(test, not(loom), not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::platform::sync::{Arc, unbounded};
    use crate::position::Position;
    use crate::rules::Rules;
    use crate::search::{Algorithm, Limits, Pool, Report, SearchSettings};
    use crate::tt::TranspositionTable;

    #[test]
    fn values_that_the_move_counter_may_decide_are_not_stored() {
        // With 38 quiet moves left the counter is not part of the key.
        let fen = "O*@*O***/*O***OO@/*@*@OO*@ b m s 7 0 5 0 0 0 -1 -1 -1 -1 0 62 24 ids:nodes";
        let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
        let tt = Arc::new(TranspositionTable::new(16).unwrap());
        let (sender, reports) = unbounded();
        let limits = Limits { depth: Some(20), ..Limits::default() };
        let mut pool = Pool::new(1).unwrap();
        pool.go(pos.clone(), limits, SearchSettings::default(), Arc::clone(&tt), None, sender);
        assert!(reports.iter().any(|report| matches!(report, Report::Done(_))));
        let mut without_value = 0;
        for &m in pos.legal_moves().iter() {
            let mut child = pos.clone();
            child.do_move(m);
            let Some(entry) = tt.probe(TtKey::of(&child).key) else { continue };
            let can_reach_the_draw = 2 * entry.depth as u32 >= child.moves_to_count_draw();
            assert!(!can_reach_the_draw || entry.bound == Bound::None, "{m}: {entry:?}");
            without_value += u32::from(entry.bound == Bound::None);
        }
        assert!(without_value > 0);
    }

    #[test]
    fn a_root_move_in_front_is_a_lower_bound_until_all_are_searched() {
        let fen = "O*@*O***/*O***OO@/*@*@OO*@ w m s 7 0 5 0 0 0 -1 -1 -1 -1 0 20 24 ids:nodes";
        for algorithm in [Algorithm::AlphaBeta, Algorithm::Pvs] {
            let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
            let (sender, reports) = unbounded();
            let limits = Limits { depth: Some(9), ..Limits::default() };
            let settings = SearchSettings { algorithm, seed: Some(1), ..SearchSettings::default() };
            let mut pool = Pool::new(1).unwrap();
            pool.go(pos, limits, settings, Arc::new(TranspositionTable::new(16).unwrap()), None, sender);
            let lines = reports.iter().filter_map(|report| match report {
                Report::Lines(infos) => infos.into_iter().next(),
                _ => None,
            });
            let lines: Vec<_> = lines.map(|info| (info.depth, info.bound, info.pv[0])).collect();
            for two in lines.windows(2) {
                let [(depth, bound, m), (next_depth, _, next)] = [two[0], two[1]];
                assert!(
                    depth != next_depth || bound == Bound::Lower || m == next,
                    "{algorithm:?}: {lines:?}"
                );
            }
            assert!(lines.iter().any(|&(_, bound, _)| bound == Bound::Lower), "{algorithm:?}: {lines:?}");
        }
    }
}
