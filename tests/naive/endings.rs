//! The ends of a game: `docs/rules.md`, "Endings".

use super::board::neighbours;
use super::{Game, POINTS, Phase, Point, Reason, Side, Side::Black, Side::White, State};

impl Game {
    /// Ends the game. The caller sets `side` and `expected`, which differ between endings.
    pub(super) fn end(&mut self, winner: Option<Side>, reason: Reason) {
        self.now.phase = Phase::Over;
        self.now.winner = winner;
        self.now.reason = reason;
    }

    /// "Too few men": true if `side` has fewer men on board and in hand than it needs.
    pub(super) fn has_too_few(&self, side: Side) -> bool {
        self.now.on[side as usize] + self.now.hand[side as usize] < self.options.pieces_at_least_count
    }

    /// "Blocked sides and stalemate": true if `side` has no slide and may not fly by its number of men.
    pub(super) fn is_blocked(&self, now: &State, side: Side) -> bool {
        if now.on[0] + now.on[1] >= POINTS as i32 {
            return true;
        }
        if self.options.may_fly && now.on[side as usize] <= self.options.fly_piece_count {
            return false;
        }
        !(0..POINTS).any(|from| {
            now.board[from] == Point::Man(side)
                && neighbours(from, self.options.has_diagonal_lines)
                    .any(|to| now.board[to] == Point::Empty && !self.is_forbidden_return(now, side, from, to))
        })
    }

    /// The stalemate check.
    pub(super) fn check_stalemate(&mut self) {
        let Some(side) = self.now.side else { return };
        if self.now.phase != Phase::Moving
            || self.now.due[side as usize] != 0
            || !self.is_blocked(&self.now, side)
        {
            return;
        }
        match self.options.stalemate_action {
            0 => self.end(Some(side.other()), Reason::LoseNoLegalMoves),
            1 => {
                self.now.side = Some(side.other());
                self.phase_from_hand();
            }
            2 => {
                self.drop_records();
                self.now.due[side as usize] = 1;
                self.now.take_then_move = true;
            }
            3 => {
                self.drop_records();
                self.now.due[side as usize] = 1;
            }
            4 => self.end(None, Reason::DrawStalemateCondition),
            _ => {
                self.drop_records();
                self.now.due = [1, 1];
                self.now.both_take = true;
            }
        }
        self.now.expected = self.now.refreshed();
    }

    /// The check of "Full board". The caller sets `expected`.
    pub(super) fn check_full_board(&mut self) {
        if self.options.pieces_count != 12
            || self.now.phase != Phase::Moving
            || self.now.unoccupied() > 0
            || self.now.due != [0, 0]
        {
            return;
        }
        match self.options.board_full_action {
            0 => {
                self.end(Some(Black), Reason::LoseFullBoard);
                self.now.side = None;
            }
            1 => {
                self.now.due = [1, 1];
                self.now.side = Some(White);
            }
            2 => {
                self.now.due = [1, 1];
                self.now.side = Some(Black);
            }
            3 => {
                let first = if self.options.is_defender_move_first { Black } else { White };
                self.now.due[first as usize] = 1;
                self.now.side = Some(first);
            }
            _ => {
                self.end(None, Reason::DrawFullBoard);
                self.now.side = None;
            }
        }
    }

    /// The draw that "Move counters" gives now, if any.
    pub(super) fn n_move_draw(&self) -> Option<Reason> {
        let endgame = self.options.endgame_n_move_rule < self.options.n_move_rule && self.now.on.contains(&3);
        if endgame && self.now.counter >= self.options.endgame_n_move_rule {
            Some(Reason::DrawEndgameFiftyMove)
        } else if self.now.counter >= self.options.n_move_rule {
            Some(Reason::DrawFiftyMove)
        } else {
            None
        }
    }

    /// The checks after a position text is read ("Order of checks"). `expected` is kept unless the stalemate
    /// check acts.
    pub(super) fn check_import(&mut self) {
        self.check_full_board();
        let n_move_applies = self.now.phase == Phase::Moving
            || self.now.phase == Phase::Placing && self.options.may_move_in_placing_phase;
        let draw = if n_move_applies { self.n_move_draw() } else { None };
        let drawn = self.now;

        if self.now.phase == Phase::Moving
            && let Some(loser) = [White, Black].into_iter().find(|&side| self.has_too_few(side))
        {
            self.end(Some(loser.other()), Reason::LoseFewerThanThree);
            self.now.side = None;
        }
        self.check_stalemate();

        if let Some(reason) = draw {
            self.beyond = Some(self.now);
            self.now = drawn;
            self.end(None, reason);
            self.now.side = None;
        }
    }

    /// A position read as already over has no known winner ("Results and reasons").
    pub(super) fn end_unknown(&mut self) {
        self.end(None, Reason::LoseFewerThanThree);
    }
}
