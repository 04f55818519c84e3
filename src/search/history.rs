//! What the search learns about moves while it runs: how often each caused a cut-off, by side and points, and the
//! answers that refuted a move.

use crate::types::{Color, Depth, MAX_PLY, Move, MoveKind, ROWS};

/// Scores stay inside ± this.
pub const HISTORY_MAX: i32 = 8_192;

/// Tables indexed by origin and target; placings use the unused row 31 as origin, takes row 30.
type Butterfly = [[i16; ROWS]; ROWS];

/// The learned ordering of one thread.
pub struct History {
    butterfly: Box<[Butterfly; 2]>,
    killers: Box<[[Move; 2]; MAX_PLY + 2]>,
    counters: Box<[[Move; ROWS]; ROWS]>,
}

/// Where a move stands in a [`Butterfly`].
#[inline(always)]
fn rows(m: Move) -> (usize, usize) {
    let from = match m.kind() {
        MoveKind::Slide => m.from().row(),
        MoveKind::Take => 30,
        _ => 31,
    };
    (from, m.to().row())
}

impl Default for History {
    fn default() -> Self {
        Self {
            butterfly: Box::new([[[0; ROWS]; ROWS]; 2]),
            killers: Box::new([[Move::NONE; 2]; MAX_PLY + 2]),
            counters: Box::new([[Move::NONE; ROWS]; ROWS]),
        }
    }
}

impl History {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Fades what earlier searches have learned and forgets what depends on the distance from the root.
    pub fn new_search(&mut self) {
        for score in self.butterfly.iter_mut().flatten().flatten() {
            *score /= 2;
        }
        self.killers.fill([Move::NONE; 2]);
    }

    /// The score of a move, between ± [`HISTORY_MAX`].
    #[inline(always)]
    pub fn score(&self, us: Color, m: Move) -> i16 {
        let (from, to) = rows(m);
        self.butterfly[us.index()][from][to]
    }

    /// The two latest moves that caused a cut-off at this distance from the root.
    #[inline(always)]
    pub fn killers(&self, ply: usize) -> [Move; 2] {
        self.killers[ply]
    }

    /// The latest answer that refuted `previous`.
    #[inline(always)]
    pub fn counter(&self, previous: Move) -> Move {
        let (from, to) = rows(previous);
        self.counters[from][to]
    }

    #[inline(always)]
    fn add(&mut self, us: Color, m: Move, bonus: i32) {
        let (from, to) = rows(m);
        let score = &mut self.butterfly[us.index()][from][to];
        // Moves the score towards the limit by a share of what is left, so that it never passes it.
        *score += (bonus - i32::from(*score) * bonus.abs() / HISTORY_MAX) as i16;
    }

    /// Learns that `best` caused a cut-off after the moves in `tried` had not.
    pub fn learn(&mut self, us: Color, ply: usize, previous: Move, best: Move, tried: &[Move], depth: Depth) {
        let bonus = (32 * depth * depth).min(1_600);
        self.add(us, best, bonus);
        for &m in tried {
            self.add(us, m, -bonus);
        }
        if self.killers[ply][0] != best {
            self.killers[ply] = [best, self.killers[ply][0]];
        }
        if previous.is_some() {
            let (from, to) = rows(previous);
            self.counters[from][to] = best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Square;

    #[test]
    fn scores_stay_in_range_and_follow_success() {
        let mut history = History::default();
        let good = Move::place(Square::new(1));
        let bad = Move::slide(Square::new(1), Square::new(2));
        for _ in 0..1_000 {
            history.learn(Color::White, 3, Move::NONE, good, &[bad], 20);
        }
        assert!(i32::from(history.score(Color::White, good)) > HISTORY_MAX / 2);
        assert!(i32::from(history.score(Color::White, good)) <= HISTORY_MAX);
        assert!(i32::from(history.score(Color::White, bad)) >= -HISTORY_MAX);
        assert_eq!(history.score(Color::Black, good), 0);
        assert_eq!(history.killers(3)[0], good);
        history.new_search();
        assert!(history.score(Color::White, good) > 0 && history.killers(3)[0].is_none());
    }
}
