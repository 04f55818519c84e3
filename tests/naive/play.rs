//! Placing, moving, what mills earn, and the end of a turn: `docs/rules.md`, "Course of the game" and
//! "Mills".

use super::board::Line;
use super::{Expected, Game, LEAP, NO_RECORD, Phase, Point, Reason, Record, Side, Side::Black, Side::White};

impl Game {
    /// "Placing a man".
    pub(super) fn place(&mut self, side: Side, point: usize) {
        let s = side as usize;
        self.now.board[point] = Point::Man(side);
        self.now.hand[s] -= 1;
        self.now.on[s] += 1;
        self.now.ply += 1;
        self.now.counter = 0;
        self.history.clear();

        let mills = self.usable_mills(side, point);
        let records = self.arrival_records(side, point, false);
        if !mills.is_empty() {
            self.note_mills(side, None, point, &mills);
            self.earn_by_placing(side, mills.len() as i32, records);
        } else if !records.iter().all(Record::is_empty) {
            self.capture_without_mill(side, records);
        } else {
            self.drop_records();
            if self.options.pieces_count == 12
                && self.options.stop_placing_when_two_empty_squares
                && self.now.unoccupied() <= 2
            {
                self.now.hand = [0, 0];
            }
            self.now.side = Some(side.other());
            self.end_turn();
        }
        self.check_stalemate();
    }

    /// "Mills closed by placing": applies the effect of `mills` lines closed at once.
    fn earn_by_placing(&mut self, side: Side, mills: i32, records: [Record; 3]) {
        let (s, o) = (side as usize, side.other() as usize);
        let n = if self.options.may_remove_multiple { mills } else { 1 };
        match self.options.mill_formation_action_in_placing_phase {
            action @ (1 | 2) => {
                let from_hand = n.min(self.now.hand[o]);
                self.now.hand[o] -= from_hand;
                self.drop_records();
                if from_hand < n {
                    self.now.due[s] = n - from_hand;
                    self.now.mill_due = true;
                    self.now.expected = Expected::Remove;
                } else {
                    if action == 1 {
                        self.now.side = Some(side.other());
                    }
                    self.end_turn();
                }
            }
            5 => {
                self.drop_records();
                self.now.side = Some(side.other());
                self.end_turn();
            }
            _ => {
                self.now.due[s] = n;
                if self.options.may_remove_multiple {
                    self.now.due[s] += records.iter().map(|record| record.count).sum::<i32>();
                }
                self.now.mill_due = true;
                self.now.records[s] = records;
                self.now.expected = Expected::Remove;
            }
        }
    }

    /// "Moving a man".
    pub(super) fn move_man(&mut self, side: Side, from: usize, to: usize) {
        let s = side as usize;
        self.now.board[from] = Point::Empty;
        self.now.board[to] = Point::Man(side);
        self.now.ply += 1;
        self.now.counter += 1;

        let leap = if self.options.leap.in_moving_phase {
            self.leap_target(&self.now, side, from, to)
        } else {
            None
        };
        let mills = self.usable_mills(side, to);
        let records = self.arrival_records(side, to, true);
        if let Some(target) = leap {
            self.now.records[s] = [NO_RECORD; 3];
            self.now.records[s][LEAP].targets[target] = true;
            self.now.records[s][LEAP].count = 1;
            self.now.due[s] = 1;
            self.now.mill_due = false;
            self.now.expected = Expected::Remove;
        } else if !mills.is_empty() {
            self.now.due[s] = if self.options.may_remove_multiple { mills.len() as i32 } else { 1 };
            self.now.mill_due = true;
            self.now.records[s] = records;
            self.note_mills(side, Some(from), to, &mills);
            self.now.expected = Expected::Remove;
        } else if !records.iter().all(Record::is_empty) {
            self.capture_without_mill(side, records);
        } else {
            self.end_quiet_move(side);
        }
        self.check_stalemate();
    }

    /// "Moving a man", last case of step 3: nothing was earned, the turn passes.
    fn end_quiet_move(&mut self, side: Side) {
        self.drop_records();
        self.now.last_mill[side as usize] = (None, None);
        self.now.side = Some(side.other());

        let mut draw = None;
        if self.options.threefold_repetition_rule {
            self.history.push((self.now.board, side.other()));
            if self.repetition_count() >= 3 {
                draw = Some(Reason::DrawThreefoldRepetition);
            }
        }
        let draw = draw.or_else(|| self.n_move_draw());

        let unsettled = self.now;
        self.phase_from_hand();
        self.now.expected = self.now.refreshed();
        if let Some(reason) = draw {
            self.check_stalemate();
            self.beyond = Some(self.now);
            self.now = unsettled;
            self.end(None, reason);
            self.now.side = None;
            self.now.expected = Expected::Nothing;
        }
    }

    /// "Captures and mills together": a capture without a mill.
    fn capture_without_mill(&mut self, side: Side, records: [Record; 3]) {
        let s = side as usize;
        self.now.due[s] = records.iter().map(|record| record.count).sum();
        self.now.mill_due = false;
        self.now.records[s] = records;
        self.now.expected = Expected::Remove;
    }

    /// "One-time mills" and "Repeated mills": notes the mills just closed by the man that came to `to`.
    fn note_mills(&mut self, side: Side, from: Option<usize>, to: usize, mills: &[&Line]) {
        let s = side as usize;
        self.now.last_mill[s] =
            if self.options.restrict_repeated_mills_formation { (from, Some(to)) } else { (None, None) };
        if self.options.one_time_use_mill {
            for line in mills {
                for &point in line.iter() {
                    self.now.used[s][point] = true;
                }
            }
        }
    }

    /// Empties the capture records of both sides.
    pub(super) fn drop_records(&mut self) {
        self.now.records = [[NO_RECORD; 3]; 2];
        self.now.mill_due = false;
    }

    /// "End of turn". The caller has already set the side that moves next.
    pub(super) fn end_turn(&mut self) {
        if self.now.phase == Phase::Placing && self.now.hand == [0, 0] {
            self.begin_moving();
        } else if self.now.phase == Phase::Placing
            && self.options.pieces_count == 12
            && self.options.stop_placing_when_two_empty_squares
            && self.now.unoccupied() <= 2
        {
            self.now.hand = [0, 0];
            self.begin_moving();
        }
        self.phase_from_hand();
        self.check_full_board();
        self.now.expected = self.now.refreshed();
    }

    /// "End of turn", step 1: the moving phase begins.
    fn begin_moving(&mut self) {
        self.now.phase = Phase::Moving;
        for point in &mut self.now.board {
            if *point == Point::Marked {
                *point = Point::Empty;
            }
        }
        let action = self.options.mill_formation_action_in_placing_phase;
        if action == 5 {
            self.settle_by_mill_counts();
        }
        let order_continues = action == 1
            || action == 2 && self.options.may_remove_multiple
            || self.options.may_move_in_placing_phase && action != 4 && action != 5;
        if self.options.is_defender_move_first {
            self.now.side = Some(Black);
        } else if !order_continues {
            self.now.side = Some(White);
        }
    }

    /// "Settlement after placing".
    fn settle_by_mill_counts(&mut self) {
        let count =
            |side| self.mill_lines().iter().filter(|line| self.now.is_mill(line, side)).count() as i32;
        let (w, b) = (count(White), count(Black));
        let (white_due, black_due) = match (w, b) {
            (0, 0) => (1, 1),
            (_, 0) => (2, 1),
            (0, _) => (1, 2),
            _ if w > b => (b + 1, b),
            _ if b > w => (w, w + 1),
            _ => (w, b),
        };
        self.now.due = [white_due, black_due];
        self.now.own_due = [w == 0 && b == 0; 2];
        self.now.mill_due = true;
    }

    /// "Phase and next move": the phase follows the hand of the side to move.
    pub(super) fn phase_from_hand(&mut self) {
        if self.now.phase == Phase::Over {
            return;
        }
        if let Some(side) = self.now.side {
            self.now.phase = if self.now.hand[side as usize] > 0 { Phase::Placing } else { Phase::Moving };
        }
    }
}
