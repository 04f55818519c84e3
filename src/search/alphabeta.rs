//! The recursive search: alpha-beta with a principal variation window, and quiescence over removals and mills.
//!
//! A side that closes a mill moves again, so a child may belong to either side: `value_of_child` alone decides about
//! the sign. Values count win distances in changes of side from the root.

use super::Report;
use super::worker::{Worker, is_count_part_of_key};
use crate::evaluate::{evaluate, evaluate_with_closers};
use crate::movegen::{self, MoveList};
use crate::params::search::*;
use crate::position::{Action, Outcome, Phase};
use crate::search::movepick::{MovePicker, Picked};
use crate::tablebase::{Wdl, despite_damage};
use crate::tt::{self, TtEntry, value_from_table, value_to_table};
use crate::types::{
    Bound, Depth, MAX_PLY, Move, MoveKind, VALUE_DRAW, VALUE_INFINITE, VALUE_TABLE_WIN, Value, is_decisive,
    is_loss, is_win, mate_in, mated_in,
};

/// Quiet moves remembered for unlearning at one node.
const MAX_TRIED: usize = 32;

/// Plies by which a late move is searched less deep, by remaining depth and number of the move.
#[inline(always)]
pub(super) fn reduction_of(depth: Depth, number: usize) -> Depth {
    Depth::from(REDUCTIONS[depth.min(63) as usize][number.min(63)])
}

/// What [`reduction_of`] tells.
static REDUCTIONS: [[u8; 64]; 64] = {
    /// Logarithm to base 2 in 1/16, by squaring (Knuth, TAOCP 1.2.2).
    const fn log2(n: u64) -> u64 {
        let mut whole = 0;
        while n >> (whole + 1) != 0 {
            whole += 1;
        }
        let mut x = (n << 16) >> whole;
        let mut result = whole << 4;
        let mut bit = 8;
        while bit > 0 {
            x = (x * x) >> 16;
            if x >= 2 << 16 {
                x >>= 1;
                result += bit;
            }
            bit >>= 1;
        }
        result
    }
    let mut table = [[0; 64]; 64];
    let mut depth = 1;
    while depth < 64 {
        let mut number = 1;
        while number < 64 {
            // About ln(depth) * ln(number) / 1.5.
            table[depth][number] = (log2(depth as u64) * log2(number as u64) * 48 / (150 * 256)) as u8;
            number += 1;
        }
        depth += 1;
    }
    table
};

impl Worker {
    /// Plays `m`, values the position after it for the side that played it, and takes it back.
    ///
    /// `value` gets the window as the side to move in the child sees it.
    #[inline(always)]
    pub(super) fn value_of_child<const EXTRAS: bool>(
        &mut self,
        m: Move,
        ply: usize,
        alpha: Value,
        beta: Value,
        value: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let us = self.pos.side_to_move();
        self.pos.do_move_as::<EXTRAS>(m);
        let key = self.pos.key();
        self.tt.prefetch(key);
        let same_side = self.pos.side_to_move() == us;
        self.frames[ply].current = m;
        self.frames[ply + 1].key = key;
        self.frames[ply + 1].turns = self.frames[ply].turns + i32::from(!same_side);
        self.count_node();
        let value = if same_side { value(self, alpha, beta) } else { -value(self, -beta, -alpha) };
        self.pos.undo_move_as::<EXTRAS>();
        value
    }

    /// The value of a finished game for the side to move.
    fn value_of_end(&self, outcome: Outcome, ply: usize) -> Value {
        let turns = self.frames[ply].turns;
        match outcome.winner {
            None => self.value_of_draw(),
            // The side that is still to move has just taken the last man it needed: its turn ends here.
            Some(winner) if winner == self.pos.side_to_move() => mate_in(turns + 1),
            Some(_) => mated_in(turns),
        }
    }

    /// What ends the line at this node, as far as it can be told without generating moves.
    #[inline(always)]
    pub(super) fn end_of_line(&self, ply: usize) -> Option<Value> {
        if self.pos.phase() == Phase::Over {
            return Some(self.value_of_end(self.pos.outcome(), ply));
        }
        if self.pos.is_move_count_draw() || self.pos.has_repeated(ply) {
            return Some(self.value_of_draw());
        }
        None
    }

    /// The value of a position without moves: a blocked side, or a removal owed that nobody can make.
    #[cold]
    pub(super) fn value_without_moves(&self, ply: usize) -> Value {
        self.value_of_end(self.pos.stalemate_outcome(), ply)
    }

    /// Searches the node at `ply` to `depth` and returns its value, exact inside the window and a bound outside
    /// (fail soft). `PV` marks nodes with an open window.
    // One function with numbered steps: its state would be ten arguments of ten functions.
    #[allow(clippy::too_many_lines)]
    pub(super) fn search<const EXTRAS: bool, const PV: bool>(
        &mut self,
        mut alpha: Value,
        mut beta: Value,
        mut depth: Depth,
        ply: usize,
    ) -> Value {
        if depth <= 0 {
            return self.quiesce::<EXTRAS>(alpha, beta, 0, ply);
        }
        self.pv.clear(ply);
        if self.aborted {
            return VALUE_DRAW;
        }
        // Step 1. The end of the game, draws, and lines too long to follow.
        if let Some(value) = self.end_of_line(ply) {
            return value;
        }
        if ply >= MAX_PLY {
            return self.styled(evaluate(&self.pos));
        }
        if PV {
            self.seldepth = self.seldepth.max(ply + 1);
        }
        // Step 2. Mate distance: nothing here can be better than a win already found, or worse than a loss.
        let turns = self.frames[ply].turns;
        alpha = alpha.max(mated_in(turns));
        beta = beta.min(mate_in(turns + 1));
        if alpha >= beta {
            return alpha;
        }
        let open = PV && !self.plain;
        // Step 3. Evaluation and table. Where a line may reach the draw by move count, values that know no counter do not
        // hold.
        let place = self.tt_key::<EXTRAS>(self.frames[ply].key);
        let near_draw = self.pos.quiet_moves_left() <= 2 * depth as u32 && !is_count_part_of_key(&self.pos);
        let taking = self.pos.due::<EXTRAS>() == Action::Remove;
        // Evaluating first gives the table time to arrive from memory. Nothing asks what a position in the middle of a
        // turn is worth.
        let mut eval = if taking { VALUE_DRAW } else { self.styled(evaluate(&self.pos)) };
        let mut tt_move = Move::NONE;
        if let Some(entry) = self.tt.probe(place.key) {
            let value = value_from_table(entry.value, turns);
            let enough = entry.depth >= depth || tt::is_proof(value, entry.bound);
            if !open && enough && !near_draw && tt::cuts(value, entry.bound, alpha, beta) {
                return value;
            }
            // What a search has found says more than the evaluation.
            if !near_draw && !is_decisive(value) && tt::cuts(value, entry.bound, eval, eval) {
                eval = value;
            }
            let best = place.as_played(entry.best);
            if self.pos.is_legal_as::<EXTRAS>(best) {
                tt_move = best;
            }
        }
        // Step 4. Tables of perfect play, where the line has just come to other men.
        if self.probes_tablebase
            && let Some(value) = self.probe_tablebase(depth, ply)
        {
            return value;
        }
        // Step 5. Reverse futility: far above beta close to the leaves, a quiet side will stay there.
        if !open
            && !taking
            && depth <= REVERSE_FUTILITY_DEPTH
            && eval - REVERSE_FUTILITY_MARGIN * depth >= beta
            && !is_decisive(beta)
        {
            return eval;
        }
        // Step 6. Without a table move the order is poor: a shallower search finds one for the next visit.
        if tt_move.is_none() && depth >= INTERNAL_REDUCTION_FROM && !taking {
            depth -= 1;
        }
        // Step 7. The moves.
        let us = self.pos.side_to_move();
        let old_alpha = alpha;
        let mut picker = MovePicker::new(tt_move);
        let mut best_value = -VALUE_INFINITE;
        let mut best_move = Move::NONE;
        let mut number = 0;
        let mut tried = [Move::NONE; MAX_TRIED];
        let mut tried_len = 0;
        while let Some(Picked { m, closes, stops }) = picker.next::<EXTRAS>(&self.pos, self.context(ply)) {
            number += 1;
            let quiet = !taking && !closes;
            // A mill and the removal that follows are one turn and cost one ply. Under rare rules a mill may earn
            // nothing, so there it costs its own.
            let new_depth = if closes && !EXTRAS { depth } else { depth - 1 };
            let value = if number == 1 || self.plain && !quiet {
                self.value_of_child::<EXTRAS>(m, ply, alpha, beta, |w, a, b| {
                    w.search::<EXTRAS, PV>(a, b, new_depth, ply + 1)
                })
            } else {
                // Step 8. Late quiet moves are searched less deep first, all but the first with a window that only
                // asks whether they are better; plain alpha-beta keeps the full window.
                let mut reduction = 0;
                if quiet && depth >= REDUCTION_FROM && number > REDUCTION_AFTER {
                    reduction = reduction_of(depth, number);
                    reduction -= Depth::from(PV) + Depth::from(stops);
                    reduction = reduction.clamp(0, new_depth - 1);
                }
                let upper = if self.plain { beta } else { alpha + 1 };
                let mut value = self.value_of_child::<EXTRAS>(m, ply, alpha, upper, |w, a, b| {
                    w.search_scout::<EXTRAS, PV>(a, b, new_depth - reduction, ply + 1)
                });
                if reduction > 0 && value > alpha && !self.aborted {
                    value = self.value_of_child::<EXTRAS>(m, ply, alpha, upper, |w, a, b| {
                        w.search_scout::<EXTRAS, PV>(a, b, new_depth, ply + 1)
                    });
                }
                if PV && !self.plain && value > alpha && value < beta && !self.aborted {
                    value = self.value_of_child::<EXTRAS>(m, ply, alpha, beta, |w, a, b| {
                        w.search::<EXTRAS, true>(a, b, new_depth, ply + 1)
                    });
                }
                value
            };
            if self.aborted {
                return VALUE_DRAW;
            }
            // Step 9. A better move.
            if value > best_value {
                best_value = value;
                if value > alpha {
                    best_move = m;
                    if PV {
                        self.pv.set(ply, m);
                    }
                    if value >= beta {
                        let previous = if ply > 0 { self.frames[ply - 1].current } else { Move::NONE };
                        self.history.learn(us, ply, previous, m, &tried[..tried_len], depth);
                        break;
                    }
                    alpha = value;
                }
            }
            if tried_len < MAX_TRIED {
                tried[tried_len] = m;
                tried_len += 1;
            }
            // Step 10. Close to the leaves, quiet moves hardly ever help when they come late in the order, or when the
            // side is far below alpha, where only mills and their prevention can help (futility).
            if !open && !taking && !is_loss(best_value) {
                if depth <= LATE_MOVE_DEPTH && number >= LATE_MOVE_COUNT + (depth * depth) as usize {
                    picker.skip_quiet();
                }
                let hoped = eval + FUTILITY_MARGIN * depth;
                if depth <= FUTILITY_DEPTH && hoped <= alpha && !is_decisive(alpha) {
                    best_value = best_value.max(hoped);
                    picker.skip_quiet();
                }
            }
        }
        // Step 11. No move at all.
        if number == 0 {
            return self.value_without_moves(ply);
        }
        // Step 12. Remember.
        let bound = if best_value >= beta {
            Bound::Lower
        } else if best_value > old_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let value = value_to_table(best_value, turns);
        self.tt.store(place.key, TtEntry { best: place.as_stored(best_move), value, depth, bound });
        best_value
    }

    /// What the tables know of the present position. They are asked after a man has come or gone only: any other
    /// position has the men of one that was asked already. Where the root is won and the search has to find the way, they
    /// are asked after every turn of the winner: lines that keep the win are followed, to find the next removal, all
    /// others are not. In a hurry any removal will do that keeps the win.
    #[inline(never)]
    pub(super) fn probe_tablebase(&mut self, depth: Depth, ply: usize) -> Option<Value> {
        let before = self.frames[ply - 1].current;
        let men_changed = before.is_take() || self.settings.table_placing && before.kind() == MoveKind::Place;
        let them = self.pos.side_to_move();
        let is_asked = men_changed || self.sure_winner == Some(!them);
        if !is_asked || self.pos.is_removal_due() {
            return None;
        }
        let tablebase = self.tablebase.as_ref()?;
        let ask = || {
            if depth >= self.settings.table_depth {
                tablebase.probe(&self.pos)
            } else {
                tablebase.probe_cached(&self.pos)
            }
        };
        let wdl = despite_damage(ask, |error| self.report(Report::Note(error.to_string())))?;
        self.tb_hits += 1;
        let keeps_win = match wdl {
            Wdl::Win => self.sure_winner == Some(them),
            Wdl::Loss => self.sure_winner == Some(!them),
            Wdl::Draw => false,
        };
        if keeps_win && !(self.hurries && before.is_take()) {
            return None;
        }
        let turns = self.frames[ply].turns;
        Some(match wdl {
            Wdl::Win => VALUE_TABLE_WIN - turns,
            Wdl::Draw => self.value_of_draw(),
            Wdl::Loss => turns - VALUE_TABLE_WIN,
        })
    }

    /// A search of a later move: with a zero window, or with the full one in plain alpha-beta.
    #[inline(always)]
    fn search_scout<const EXTRAS: bool, const PV: bool>(
        &mut self,
        alpha: Value,
        beta: Value,
        depth: Depth,
        ply: usize,
    ) -> Value {
        if PV && self.plain {
            self.search::<EXTRAS, true>(alpha, beta, depth, ply)
        } else {
            self.search::<EXTRAS, false>(alpha, beta, depth, ply)
        }
    }

    /// Whether a placing or slide closes a mill.
    #[inline(always)]
    fn closes_mill(&self, m: Move) -> bool {
        let men = self.pos.men(self.pos.side_to_move());
        let others = if m.kind() == MoveKind::Slide { men.without(m.from()) } else { men };
        self.pos.compiled().closes_mill(others, m.to())
    }

    /// Searches removals that are due and moves that close a mill until the position is quiet enough to evaluate;
    /// `spent` counts the plies of this.
    pub(super) fn quiesce<const EXTRAS: bool>(
        &mut self,
        mut alpha: Value,
        beta: Value,
        spent: u32,
        ply: usize,
    ) -> Value {
        self.pv.clear(ply);
        if self.aborted {
            return VALUE_DRAW;
        }
        if let Some(value) = self.end_of_line(ply) {
            return value;
        }
        self.seldepth = self.seldepth.max(ply);
        let (eval, closers) = evaluate_with_closers(&self.pos);
        let eval = self.styled(eval);
        if ply >= MAX_PLY || spent >= self.settings.max_quiescence {
            return eval;
        }
        let due = self.pos.due::<EXTRAS>();
        let mut best_value = -VALUE_INFINITE;
        if due != Action::Remove {
            // A blocked side has lost or drawn, whatever the evaluation says of its men.
            if due != Action::Place && self.pos.is_surrounded(self.pos.side_to_move()) {
                return self.value_without_moves(ply);
            }
            best_value = eval;
            if best_value >= beta || closers.is_empty() || best_value + QUIESCENCE_MARGIN <= alpha {
                return best_value;
            }
        }
        alpha = alpha.max(best_value);
        let mut list = MoveList::new();
        movegen::generate::<EXTRAS>(&self.pos, &mut list);
        let mut number = 0;
        for &m in list.iter() {
            if due != Action::Remove && !(closers.contains(m.to()) && self.closes_mill(m)) {
                continue;
            }
            number += 1;
            let value = self.value_of_child::<EXTRAS>(m, ply, alpha, beta, |w, a, b| {
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
        if number == 0 && due == Action::Remove {
            return self.value_without_moves(ply);
        }
        debug_assert!(!is_win(best_value) || best_value <= mate_in(1));
        best_value
    }
}
