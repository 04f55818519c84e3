//! The steps that all searches share: playing a move and searching its child, the value of a finished game,
//! and the probe of the tablebase.
//!
//! A side that closes a mill moves again, so the side to move in a child may be either. In the recursive
//! searches only `value_of_child` decides about the sign of a value. Mate distances count turns from the
//! root.

use super::report::{Report, SearchNote};
use super::worker::Worker;
use crate::position::{Action, Outcome, Phase, Position};
use crate::tablebase::{Wdl, despite_damage};
use crate::types::{Depth, Move, MoveKind, VALUE_DRAW, VALUE_TB_WIN, Value, mate_in, mated_in};

/// Returns the number of turns that the last move of `pos` ended: none if its turn goes on, or if it was a
/// take that ended the game, and two if the other side has to leave its turn out.
#[inline(always)]
pub(crate) fn turns_ended(pos: &Position, same_side: bool) -> i32 {
    match same_side {
        false => 1,
        true if pos.action().is_take_or_none() => 0,
        true => turns_of_side_that_moves_on(pos),
    }
}

/// Kept out of line: few rules know it, and it costs all of them instructions otherwise.
#[cold]
#[inline(never)]
fn turns_of_side_that_moves_on(pos: &Position) -> i32 {
    if pos.moves_on_after_take() { 0 } else { 2 }
}

impl Worker {
    /// Plays `m`, returns the value of the child for the side that played it, and takes the move back. Once
    /// the search is aborted, no child is searched.
    ///
    /// `closes` must be [`Position::closes_mill`](crate::position::Position::closes_mill). `value` gets the
    /// window from the view of the side to move in the child.
    #[inline(always)]
    pub(super) fn value_of_child<const EXTRAS: bool>(
        &mut self,
        m: Move,
        closes: bool,
        ply: usize,
        alpha: Value,
        beta: Value,
        value: impl FnOnce(&mut Self, Value, Value) -> Value,
    ) -> Value {
        let us = self.pos.side_to_move();
        self.pos.do_known_move::<EXTRAS>(m, closes);
        let same_side = self.pos.side_to_move() == us;
        let [parent, child] = self.frames[ply..].first_chunk_mut().expect("a ply below the limit");
        child.last_move = m;
        child.turns = parent.turns + turns_ended(&self.pos, same_side);
        let value = if self.count_node() {
            VALUE_DRAW
        } else if same_side {
            value(self, alpha, beta)
        } else {
            -value(self, -beta, -alpha)
        };
        self.pos.undo_move_as::<EXTRAS>();
        value
    }

    /// Returns the value of a finished game for the side to move.
    fn value_of_end(&self, outcome: Outcome, ply: usize) -> Value {
        let turns = self.frames[ply].turns;
        match outcome.winner {
            None => self.value_of_draw(),
            // The winner has just taken the last man it needed and is still to move: its turn ends here.
            Some(winner) if winner == self.pos.side_to_move() => mate_in(turns + 1),
            Some(_) => mated_in(turns),
        }
    }

    /// Returns the value if the game ends at this node. Blocked sides are left to the move generator.
    #[inline(always)]
    pub(super) fn end_of_line(&self, ply: usize) -> Option<Value> {
        if self.pos.phase() == Phase::Over {
            return Some(self.value_of_end(self.pos.outcome(), ply));
        }
        if self.pos.is_drawn_within(ply) {
            return Some(self.value_of_draw());
        }
        None
    }

    /// Returns the value of a position without legal moves: a blocked side, or a take without a man to take.
    #[cold]
    pub(super) fn value_without_moves(&self, ply: usize) -> Value {
        self.value_of_end(self.pos.blocked_outcome(), ply)
    }

    /// Returns true if the side to move has to slide and cannot.
    #[cold]
    #[inline(never)]
    pub(super) fn is_blocked<const EXTRAS: bool>(&self) -> bool {
        !self.pos.is_next::<EXTRAS>(Action::Place) && self.pos.is_blocked(self.pos.side_to_move())
    }

    /// Returns the tablebase value of the current position if it is probed and found.
    ///
    /// Positions are probed after placings and takes only: any other position has the men of one that was
    /// probed. If the root is won and the search has to find the winning line, every turn of the winner is
    /// probed: lines that keep the win are searched further, to find the next take, and all others are cut
    /// off. With [`Worker::needs_take`] the search also ends at any take that keeps the win.
    #[inline(never)]
    pub(super) fn probe_tablebase(&mut self, depth: Depth, ply: usize) -> Option<Value> {
        let last_move = self.frames[ply].last_move;
        let men_changed = last_move.is_take() || last_move.kind() == MoveKind::Place;
        let is_left_out = self.pos.phase() == Phase::Placing && !self.job.settings.tablebase_placing;
        let us = self.pos.side_to_move();
        let is_probed = men_changed || self.sure_winner == Some(!us);
        if !is_probed || is_left_out || self.pos.is_take_due() {
            return None;
        }
        let tablebase = self.job.tablebase.as_ref()?;
        let reads = depth >= self.job.settings.tablebase_depth;
        let probe =
            || if reads { tablebase.probe_stored(&self.pos) } else { tablebase.probe_cached(&self.pos) };
        let wdl = despite_damage(probe, |error| self.report(Report::Note(SearchNote::Damage(error.clone()))));
        if reads && !self.job.limits.reproducible {
            // A slow disk takes longer than many nodes.
            self.check_after(1);
        }
        let wdl = wdl?;
        self.tb_hits += 1;
        let keeps_win = match wdl {
            Wdl::Win => self.sure_winner == Some(us),
            Wdl::Loss => self.sure_winner == Some(!us),
            Wdl::Draw => false,
        };
        if keeps_win && !(self.needs_take && last_move.is_take()) {
            return None;
        }
        let turns = self.frames[ply].turns;
        Some(match wdl {
            Wdl::Win => VALUE_TB_WIN - turns,
            Wdl::Draw => self.value_of_draw(),
            Wdl::Loss => turns - VALUE_TB_WIN,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::turns_ended;
    use crate::notation;
    use crate::position::Position;
    use crate::rules::Rules;

    #[test]
    fn a_blocked_side_that_takes_and_moves_on_has_one_turn_and_one_that_passes_has_its_own() {
        let fen = "********/O*******/*@O@O@O@ w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 60 ids:nodes";
        let lines: [(u8, &[(&str, i32)]); 2] =
            [(2, &[("d6-d7", 1), ("xg4", 0), ("g7-g4", 1)]), (1, &[("d6-d7", 2)])];
        for (action, line) in lines {
            let rules = Rules::parse(&format!("nine,StalemateAction={action}")).unwrap();
            let mut pos = Position::from_fen(&rules, fen).unwrap();
            for &(text, turns) in line {
                let us = pos.side_to_move();
                pos.do_move(notation::parse(&pos, text).unwrap());
                assert_eq!(turns_ended(&pos, pos.side_to_move() == us), turns, "{action} {text}");
            }
        }
    }
}
