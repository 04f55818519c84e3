//! Takes: `docs/rules.md`, "Which men may be taken" and "Taking a man".

use super::board::neighbours;
use super::{
    Action, CUSTODIAN, Expected, Game, INTERVENTION, LEAP, NO_RECORD, POINTS, Phase, Point, Reason, Side,
    State,
};

impl Game {
    pub(super) fn add_removals(&self, now: &State, side: Side, actions: &mut Vec<Action>) {
        let s = side as usize;
        let due = now.due[s];
        if due <= 0 {
            return;
        }
        let mut targets = [false; POINTS];
        let mut count = 0;
        for record in &now.records[s] {
            count += record.count;
            for (target, &is_target) in targets.iter_mut().zip(&record.targets) {
                *target |= is_target;
            }
        }
        if targets.contains(&true) {
            for point in 0..POINTS {
                if targets[point] && now.board[point] == Point::Man(side.other()) {
                    actions.push(Action::Remove(point));
                }
            }
            if due <= count {
                return;
            }
        }

        let own = now.own_due[s];
        let owner = if own { side } else { side.other() };
        let stalemate_removal = now.take_then_move
            || now.both_take
            || matches!(self.options.stalemate_action, 2 | 3 | 5)
                && now.phase == Phase::Moving
                && self.is_blocked(now, side);
        let protected = !self.options.may_remove_from_mills_always && self.has_man_outside_mills(now, owner);
        for point in 0..POINTS {
            if now.board[point] != Point::Man(owner) || !own && targets[point] {
                continue;
            }
            let allowed = if stalemate_removal {
                own || neighbours(point, self.options.has_diagonal_lines)
                    .any(|next| now.board[next] == Point::Man(side))
            } else {
                !protected || !self.stands_in_mill(now, point)
            };
            if allowed {
                actions.push(Action::Remove(point));
            }
        }
    }

    /// "Taking a man".
    pub(super) fn remove(&mut self, side: Side, point: usize) {
        let s = side as usize;
        let owner = if self.now.own_due[s] { side } else { side.other() };

        // Step 1. Find the capture or mill that this take serves.
        let served = [INTERVENTION, CUSTODIAN, LEAP].into_iter().find(|&kind| {
            let record = &self.now.records[s][kind];
            record.count > 0 && record.targets[point]
        });
        let count: i32 = self.now.records[s].iter().map(|record| record.count).sum();
        if let Some(kind) = served {
            self.now.mill_due = false;
            for other in [CUSTODIAN, INTERVENTION, LEAP] {
                if other != kind {
                    self.now.records[s][other] = NO_RECORD;
                }
            }
            self.now.due[s] = if kind == INTERVENTION { self.now.records[s][kind].count } else { 1 };
        } else if self.now.mill_due && count > 0 {
            if self.options.may_remove_multiple && self.now.due[s] > count {
                self.now.due[s] -= count;
            }
            self.now.records[s] = [NO_RECORD; 3];
        }

        // Step 2. Take the man away.
        let marks = self.options.mill_formation_action_in_placing_phase == 4
            && self.now.phase == Phase::Placing
            && !self.now.own_due[s];
        self.now.board[point] = if marks { Point::Marked } else { Point::Empty };
        self.now.on[owner as usize] -= 1;
        self.now.due[s] -= 1;
        self.now.counter = 0;
        self.now.expected = Expected::Remove;
        self.history.clear();

        // Step 3. Shrink the record that held the man.
        if let Some(kind) = served {
            self.shrink_record(side, kind, point);
        }

        // Step 4. End the game if the side has too few men.
        if self.has_too_few(owner) {
            self.end(Some(owner.other()), Reason::LoseFewerThanThree);
            self.now.side = None;
            return;
        }

        // Step 5. Go on if more takes are pending.
        if self.now.due[s] > 0 {
            return;
        }

        // Steps 6 and 7. No take is pending.
        self.now.records[s] = [NO_RECORD; 3];
        self.now.mill_due = false;
        self.now.own_due[s] = false;
        if self.now.take_then_move {
            self.now.take_then_move = false;
        } else {
            self.now.side = Some(side.other());
        }
        if self.now.due == [0, 0] {
            self.now.both_take = false;
        }
        self.end_turn();
        self.check_stalemate();
    }

    /// Removes `point` from a record. An intervention record keeps only the partner of `point` on its line.
    fn shrink_record(&mut self, side: Side, kind: usize, point: usize) {
        let mut record = self.now.records[side as usize][kind];
        record.targets[point] = false;
        record.count -= 1;
        if record.count == 0 {
            record = NO_RECORD;
        } else if kind == INTERVENTION {
            let partner = self.active_lines(&self.options.intervention).find_map(|&[a, _, b]| {
                if a == point && record.targets[b] {
                    Some(b)
                } else if b == point && record.targets[a] {
                    Some(a)
                } else {
                    None
                }
            });
            if let Some(partner) = partner {
                record.targets = [false; POINTS];
                record.targets[partner] = true;
            }
        }
        self.now.records[side as usize][kind] = record;
    }
}
