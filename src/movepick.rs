//! The order in which the search tries moves: the table move, then the rest best first, each stage made only when it
//! is reached.

use crate::bitboard::Bitboard;
use crate::history::History;
use crate::movegen::{self, MoveList};
use crate::position::{Action, Position};
use crate::types::{Color, MAX_MOVES, Move, MoveKind, ROWS};

/// Order among moves that nothing else tells apart: points with more neighbours first, the rest by chance or by
/// number.
#[derive(Clone, Debug)]
pub struct Priority([i16; ROWS]);

impl Priority {
    /// Points by number of neighbours; `dice` gives a random number for each point, or 0 where order shall be fixed.
    pub fn new(neighbours: &[Bitboard; ROWS], mut dice: impl FnMut() -> u8) -> Self {
        Self(std::array::from_fn(|row| 16 * neighbours[row].count() as i16 + i16::from(dice() & 15)))
    }
}

// What each property of a move adds to its score, in units of history: see `score_move` and `score_take`.
const CLOSES_MILL: i32 = 60_000;
const STOPS_MILL: i32 = 30_000;
const KILLER: i32 = 14_000;
const COUNTER: i32 = 9_000;
const NEAR_MARK: i32 = 400;
const SHARED_LINE: i32 = 250;
const LEAVES_DOUBLE: i32 = 1_500;
const TAKE_NEAR_OWN: i32 = 600;
const TAKE_MOBILE: i32 = 500;
const TAKE_STOPS_MILL: i32 = 6_000;
const TAKE_OPENS_ROW: i32 = -900;
const TAKE_FAR: i32 = -500;

/// What the picker needs to know about the node besides the position.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The learned ordering.
    pub history: &'a History,
    /// Order among equals.
    pub priority: &'a Priority,
    /// Two moves that caused cut-offs nearby.
    pub killers: [Move; 2],
    /// The latest answer that refuted the move before.
    pub counter: Move,
}

#[derive(PartialEq, Eq)]
enum Stage {
    Table,
    Generate,
    Rest,
}

/// Hands out the moves of a node one by one. Borrows the position for each call only, so that moves can be played
/// in between.
pub struct MovePicker {
    stage: Stage,
    table: Move,
    list: MoveList,
    scores: [i32; MAX_MOVES],
    next: usize,
}

impl MovePicker {
    /// A picker that begins with `table`, a move known to be legal, or none.
    #[inline(always)]
    pub fn new(table: Move) -> Self {
        let stage = if table.is_some() { Stage::Table } else { Stage::Generate };
        Self { stage, table, list: MoveList::new(), scores: [0; MAX_MOVES], next: 0 }
    }

    /// The next move, or `None` when all have been tried. `X` has to equal [`Position::has_extras`].
    #[inline]
    pub fn next<const X: bool>(&mut self, pos: &Position, context: Context<'_>) -> Option<Move> {
        if self.stage == Stage::Table {
            self.stage = Stage::Generate;
            return Some(self.table);
        }
        if self.stage == Stage::Generate {
            self.stage = Stage::Rest;
            movegen::generate::<X>(pos, &mut self.list);
            self.score::<X>(pos, context);
        }
        loop {
            let len = self.list.len();
            if self.next >= len {
                return None;
            }
            let mut best = self.next;
            for i in self.next + 1..len {
                if self.scores[i] > self.scores[best] {
                    best = i;
                }
            }
            self.scores.swap(best, self.next);
            self.list.swap(best, self.next);
            let m = self.list[self.next];
            self.next += 1;
            if m != self.table {
                return Some(m);
            }
        }
    }

    fn score<const X: bool>(&mut self, pos: &Position, context: Context<'_>) {
        let us = pos.side_to_move();
        let scorer = Scorer { pos, context, us, ours: pos.men(us), theirs: pos.men(!us), empty: pos.empty() };
        let taking = pos.due::<X>() == Action::Remove;
        for (m, score) in self.list.iter().zip(&mut self.scores) {
            *score = if taking { scorer.score_take(*m) } else { scorer.score_move(*m) };
        }
    }
}

struct Scorer<'a> {
    pos: &'a Position,
    context: Context<'a>,
    us: Color,
    ours: Bitboard,
    theirs: Bitboard,
    empty: Bitboard,
}

impl Scorer<'_> {
    /// What history, killers and the order of points say.
    #[inline(always)]
    fn learned(&self, m: Move) -> i32 {
        let Context { history, priority, killers, counter } = self.context;
        let known = if killers.contains(&m) {
            KILLER
        } else if m == counter {
            COUNTER
        } else {
            0
        };
        known + history.score(self.us, m) + i32::from(priority.0[m.to().row()])
    }

    /// Placings and slides: close an own mill, stop one of the opponent, stay near points that open again, share a
    /// line with own and opposing men.
    #[inline(always)]
    fn score_move(&self, m: Move) -> i32 {
        let tables = self.pos.tables();
        let to = m.to();
        let others = if m.kind() == MoveKind::Slide { self.ours.without(m.from()) } else { self.ours };
        let mut score = self.learned(m);
        score += CLOSES_MILL * tables.lines_closed(others, to) as i32;
        if tables.closes_mill(self.theirs, to) {
            score += STOPS_MILL;
        }
        let near = tables.adjacent[to.row()];
        score += NEAR_MARK * (near & self.pos.extras().marked).count() as i32;
        if m.kind() == MoveKind::Slide {
            // Stepping out of a mill that the man can close again with its next move.
            score += LEAVES_DOUBLE * i32::from(tables.closes_mill(others, m.from()));
        } else {
            for line in tables.partners[to.row()] {
                let shared = line.intersects(self.ours) & line.intersects(self.theirs);
                score += SHARED_LINE * i32::from(shared);
            }
        }
        score
    }

    /// Takes: a man that is about to close a mill, men next to own ones, mobile ones first; not one whose point gives
    /// the opponent three neighbours in a row, nor one far from own men.
    #[inline(always)]
    fn score_take(&self, m: Move) -> i32 {
        let tables = self.pos.tables();
        let at = m.to();
        let near = tables.adjacent[at.row()];
        let mut score = self.learned(m);
        let own_near = (near & self.ours).count() as i32;
        score += TAKE_NEAR_OWN * own_near + TAKE_MOBILE * (near & self.empty).count() as i32;
        if own_near == 0 {
            score += TAKE_FAR;
        }
        if (near & self.theirs).count() >= 3 {
            score += TAKE_OPENS_ROW;
        }
        // A man that shares a line with another one and an empty point is part of an open mill.
        for line in tables.partners[at.row()] {
            let two =
                line.intersects(self.theirs) & line.intersects(self.empty) & (line != Bitboard::IMPOSSIBLE);
            score += TAKE_STOPS_MILL * i32::from(two);
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn picked(fen: &str, table: Move) -> Vec<String> {
        let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
        let history = History::default();
        let priority = Priority::new(&pos.tables().adjacent, || 0);
        let context =
            Context { history: &history, priority: &priority, killers: [Move::NONE; 2], counter: Move::NONE };
        let mut picker = MovePicker::new(table);
        std::iter::from_fn(|| picker.next::<false>(&pos, context)).map(|m| m.to_string()).collect()
    }

    #[test]
    fn every_move_comes_once_with_the_table_move_first() {
        let fen = "****@@**/@**O*@**/O****OO* w p p 4 5 4 5 0 0 -1 -1 -1 -1 0 0 5 ids:nodes";
        let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
        let mut expected: Vec<String> = movegen::legal(&pos).iter().map(ToString::to_string).collect();
        let table = movegen::legal(&pos)[3];
        let mut found = picked(fen, table);
        assert_eq!(found[0], table.to_string());
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn closing_a_mill_comes_before_stopping_one() {
        let fen = "********/********/OO*@@*** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let order = picked(fen, Move::NONE);
        assert_eq!(order[..2], ["a7", "a1"]);
    }
}
