//! Opponents that need no engine.

use crate::movegen;
use crate::position::Position;
use crate::types::{Move, MoveKind};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// How a built-in opponent plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Any legal move.
    Random,
    /// Closes a mill if it can, stops one of the opponent if it must, takes where it hurts; else any legal move.
    Greedy,
}

/// A built-in opponent.
pub struct Builtin {
    style: Style,
    random: StdRng,
}

impl Builtin {
    /// An opponent whose choices follow from `seed`.
    pub fn new(style: Style, seed: u64) -> Self {
        Self { style, random: StdRng::seed_from_u64(seed) }
    }

    /// A move in a position that has one.
    pub fn choose(&mut self, pos: &Position) -> Option<Move> {
        let list = movegen::legal(pos);
        let best: Vec<Move> = match self.style {
            Style::Random => list.to_vec(),
            Style::Greedy => {
                let rank = |m: &Move| greed(pos, *m);
                let top = list.iter().map(rank).max()?;
                list.iter().copied().filter(|m| rank(m) == top).collect()
            }
        };
        if best.is_empty() { None } else { Some(best[self.random.random_range(0..best.len())]) }
    }
}

/// What a move brings at once: 2 for a mill, 1 for stopping one of the opponent or taking a man of two in a row.
fn greed(pos: &Position, m: Move) -> u32 {
    let us = pos.side_to_move();
    let (ours, theirs) = (pos.men(us), pos.men(!us));
    let tables = pos.tables();
    match m.kind() {
        MoveKind::Take => {
            let near = pos.empty().into_iter().filter(|&s| tables.closes_mill(theirs, s));
            let left = pos.empty().into_iter().filter(|&s| tables.closes_mill(theirs.without(m.to()), s));
            u32::from(left.count() < near.count())
        }
        MoveKind::Slide if tables.closes_mill(ours.without(m.from()), m.to()) => 2,
        MoveKind::Place if tables.closes_mill(ours, m.to()) => 2,
        _ => u32::from(tables.closes_mill(theirs, m.to())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;
    use crate::rules::Rules;

    #[test]
    fn greed_closes_and_stops_mills() {
        let mut pos = Position::new(&Rules::NINE);
        for m in ["d7", "a1", "g7", "d1"] {
            pos.do_move(notation::parse(&pos, m).unwrap());
        }
        let mut greedy = Builtin::new(Style::Greedy, 1);
        assert_eq!(greedy.choose(&pos).unwrap().to_string(), "a7");
        pos.do_move(notation::parse(&pos, "f4").unwrap());
        assert_eq!(greedy.choose(&pos).unwrap().to_string(), "g1");
        let mut random = Builtin::new(Style::Random, 1);
        assert!(pos.is_legal(random.choose(&pos).unwrap()));
    }
}
