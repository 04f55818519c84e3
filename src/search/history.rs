//! The move ordering that the search learns: butterfly history, killer moves and countermoves.

use crate::bitboard::Bitboard;
use crate::params::{history_bonus, history_bonus_max, history_fade, history_max};
use crate::platform::memory::{MemoryError, boxed};
use crate::types::{Color, Depth, MAX_PLY, Move, ROWS, Square};

/// A power of two above all [`Move::bits`]: a mask replaces the bounds check.
const MOVES: usize = 1 << 12;

/// History scores by move.
#[derive(Clone)]
pub(crate) struct Butterfly([i16; MOVES]);

impl Butterfly {
    /// Returns the score of a move, between ± [`history_max`].
    #[inline(always)]
    pub(crate) fn score(&self, m: Move) -> i16 {
        self.0[index(m)]
    }
}

/// The order among moves that are otherwise equal: points with more neighbours first, then random or
/// fixed.
#[derive(Clone, Debug)]
pub(crate) struct Priority([i16; ROWS]);

impl Priority {
    /// Returns the order by number of neighbours. `random` returns a random number per point, or 0 for a
    /// fixed order.
    pub(crate) fn new(neighbours: &[Bitboard; ROWS], mut random: impl FnMut() -> u8) -> Self {
        Self(std::array::from_fn(|row| 16 * neighbours[row].count() as i16 + i16::from(random() & 15)))
    }

    /// Returns the score of a point.
    #[inline(always)]
    pub(crate) fn of(&self, to: Square) -> i16 {
        self.0[to.row()]
    }
}

/// The learned move ordering of one thread.
pub(crate) struct History {
    butterfly: Box<[Butterfly; 2]>,
    killers: Box<[[Move; 2]; MAX_PLY + 2]>,
    counters: Box<[Move; MOVES]>,
}

/// Returns the index of a move.
#[inline(always)]
fn index(m: Move) -> usize {
    usize::from(m.bits()) % MOVES
}

impl History {
    /// Returns an empty history.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(crate) fn new() -> Result<Self, MemoryError> {
        Ok(Self {
            butterfly: boxed(Butterfly([0; MOVES]))?,
            killers: boxed([Move::NONE; 2])?,
            counters: boxed(Move::NONE)?,
        })
    }

    /// Clears everything.
    pub(crate) fn clear(&mut self) {
        self.butterfly.fill(Butterfly([0; MOVES]));
        self.killers.fill([Move::NONE; 2]);
        self.counters.fill(Move::NONE);
    }

    /// Fades the scores of earlier searches, and clears the killers, which depend on the distance from the
    /// root.
    pub(crate) fn new_search(&mut self) {
        for Butterfly(scores) in self.butterfly.iter_mut() {
            scores.iter_mut().for_each(|score| *score /= history_fade() as i16);
        }
        self.killers.fill([Move::NONE; 2]);
    }

    /// Returns the scores of the moves of a side.
    #[inline(always)]
    pub(crate) fn of(&self, us: Color) -> &Butterfly {
        &self.butterfly[us.index()]
    }

    /// Returns the two latest moves that caused a cutoff at this ply, and the latest reply that refuted
    /// `previous`.
    #[inline(always)]
    pub(crate) fn killers_and_counter(&self, ply: usize, previous: Move) -> [Move; 3] {
        let [latest, older] = self.killers[ply];
        [latest, older, self.counters[index(previous)]]
    }

    #[inline(always)]
    fn add(&mut self, us: Color, m: Move, bonus: i32) {
        let score = &mut self.butterfly[us.index()].0[index(m)];
        // History gravity: the closer the score is to its bound, the less it changes.
        *score += (bonus - i32::from(*score) * bonus.abs() / history_max()) as i16;
    }

    /// Adds a bonus for `best`, which caused a cutoff, and a malus for the moves `tried` before it.
    pub(crate) fn update(
        &mut self,
        us: Color,
        ply: usize,
        previous: Move,
        best: Move,
        tried: &[Move],
        depth: Depth,
    ) {
        let bonus = (history_bonus() * depth * depth).min(history_bonus_max());
        self.add(us, best, bonus);
        for &m in tried {
            self.add(us, m, -bonus);
        }
        if self.killers[ply][0] != best {
            self.killers[ply] = [best, self.killers[ply][0]];
        }
        if previous.is_some() {
            self.counters[index(previous)] = best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_stay_in_range_and_follow_success() {
        let mut history = History::new().expect("memory");
        let good = Move::place(Square::new(1));
        let bad = Move::slide(Square::new(1), Square::new(2));
        for _ in 0..1_000 {
            history.update(Color::White, 3, Move::NONE, good, &[bad], 20);
        }
        assert!(i32::from(history.of(Color::White).score(good)) > history_max() / 2);
        assert!(i32::from(history.of(Color::White).score(good)) <= history_max());
        assert!(i32::from(history.of(Color::White).score(bad)) >= -history_max());
        assert_eq!(history.of(Color::Black).score(good), 0);
        assert_eq!(history.killers_and_counter(3, Move::NONE), [good, Move::NONE, Move::NONE]);
        history.new_search();
        assert!(history.of(Color::White).score(good) > 0);
        assert_eq!(history.killers_and_counter(3, Move::NONE), [Move::NONE; 3]);
    }

    #[test]
    fn every_move_has_a_place_of_its_own_and_no_move_has_no_reply() {
        let squares: Vec<Square> = Square::all().collect();
        let mut moves: Vec<Move> = squares.iter().flat_map(|&at| [Move::place(at), Move::take(at)]).collect();
        for &from in &squares {
            moves.extend(squares.iter().map(|&to| Move::slide(from, to)));
        }
        let places: std::collections::HashSet<usize> = moves.iter().map(|&m| index(m)).collect();
        assert_eq!(places.len(), moves.len());
        let mut history = History::new().expect("memory");
        for &m in &moves {
            history.update(Color::White, 3, m, Move::place(Square::new(1)), &[], 2);
        }
        let counter = |previous: Move| history.killers_and_counter(0, previous)[2];
        assert!(counter(moves[0]).is_some() && counter(Move::NONE).is_none());
    }
}
