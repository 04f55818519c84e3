//! The targets of custodian, intervention and leap captures: `docs/rules.md`, "Capture rules".

use super::board::{Line, lines_of};
use super::options::CaptureOptions;
use super::{CUSTODIAN, Game, INTERVENTION, NO_RECORD, POINTS, Phase, Point, Record, Side, State};

impl Game {
    /// The lines on which a capture rule works.
    pub(super) fn active_lines(&self, rule: &CaptureOptions) -> impl Iterator<Item = &'static Line> + use<> {
        lines_of(
            rule.on_cross_lines,
            rule.on_square_edges,
            rule.on_diagonal_lines && self.options.has_diagonal_lines,
        )
    }

    /// The custodian and intervention records that `side` earns by the man that has just come to `point`.
    ///
    /// The caller has already changed the board. A placing needs the switch for the placing phase. A move
    /// needs the switch for the moving phase; in the placing phase it needs both ("When a capture rule
    /// applies").
    pub(super) fn arrival_records(&self, side: Side, point: usize, by_moving: bool) -> [Record; 3] {
        let mut records = [NO_RECORD; 3];
        if self.arrival_rule_works(&self.options.custodian, side, by_moving) {
            records[CUSTODIAN] = self.custodian(side, point);
        }
        if self.arrival_rule_works(&self.options.intervention, side, by_moving) {
            records[INTERVENTION] = self.intervention(side, point);
        }
        records
    }

    fn arrival_rule_works(&self, rule: &CaptureOptions, side: Side, by_moving: bool) -> bool {
        let moving = self.now.phase == Phase::Moving;
        rule.enabled
            && (if moving { rule.in_moving_phase } else { rule.in_placing_phase })
            && (if by_moving { rule.in_moving_phase } else { rule.in_placing_phase })
            && !(rule.only_when_own_pieces_leq3 && moving && self.now.on[side as usize] > 3)
    }

    /// "Custodian capture": men between `point` and another own man at the far end of a line.
    fn custodian(&self, side: Side, point: usize) -> Record {
        let mut record = NO_RECORD;
        for &[a, middle, b] in self.active_lines(&self.options.custodian) {
            let other_end = if a == point {
                b
            } else if b == point {
                a
            } else {
                continue;
            };
            if self.now.board[other_end] == Point::Man(side) && self.is_capturable(&self.now, side, middle) {
                record.targets[middle] = true;
                record.count = 1;
            }
        }
        record
    }

    /// "Intervention capture": the two men at the ends of one line whose middle is `point`.
    fn intervention(&self, side: Side, point: usize) -> Record {
        let mut record = NO_RECORD;
        let theirs = Point::Man(side.other());
        let mut chosen = None;
        for &[a, middle, b] in self.active_lines(&self.options.intervention) {
            if middle != point || self.now.board[a] != theirs || self.now.board[b] != theirs {
                continue;
            }
            let is_preferred = self.now.preferred == Some(a) || self.now.preferred == Some(b);
            if chosen.is_none() || is_preferred {
                chosen = Some([a, b]);
            }
            if is_preferred {
                break;
            }
        }
        for target in chosen.into_iter().flatten() {
            if self.is_capturable(&self.now, side, target) {
                record.targets[target] = true;
                record.count += 1;
            }
        }
        record
    }

    /// "Leap capture": the man that is taken by a move from one end of a line to the other.
    pub(super) fn leap_target(&self, now: &State, side: Side, from: usize, to: usize) -> Option<usize> {
        let rule = &self.options.leap;
        let in_phase = if now.phase == Phase::Moving { rule.in_moving_phase } else { rule.in_placing_phase };
        if !rule.enabled || !in_phase || rule.only_when_own_pieces_leq3 && now.on[side as usize] > 3 {
            return None;
        }
        self.active_lines(rule)
            .find(|&&[a, _, b]| (a, b) == (from, to) || (b, a) == (from, to))
            .map(|&[_, middle, _]| middle)
            .filter(|&middle| self.is_capturable(now, side, middle))
    }

    /// "Protection of targets": true if `point` holds a man of the opponent of `side` that no mill protects.
    fn is_capturable(&self, now: &State, side: Side, point: usize) -> bool {
        now.board[point] == Point::Man(side.other())
            && (self.options.may_remove_from_mills_always
                || !self.stands_in_mill(now, point)
                || !self.has_man_outside_mills(now, side.other()))
    }

    /// True if the man on `point` is in a complete line of its colour.
    pub(super) fn stands_in_mill(&self, now: &State, point: usize) -> bool {
        let Point::Man(owner) = now.board[point] else { return false };
        self.mill_lines().iter().any(|line| line.contains(&point) && now.is_mill(line, owner))
    }

    pub(super) fn has_man_outside_mills(&self, now: &State, side: Side) -> bool {
        (0..POINTS).any(|point| now.board[point] == Point::Man(side) && !self.stands_in_mill(now, point))
    }
}
