//! Built-in opponents.

use super::{hunter, perfect};
use crate::engine::Engine;
use crate::position::Position;
use crate::tablebase::Tablebase;
use crate::tools::error::ToolError;
use crate::types::{Move, MoveKind};
use clap::ValueEnum;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use std::sync::Arc;

/// The styles of the built-in opponents, with their names on the command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum BuiltinStyle {
    /// Any legal move
    Random,
    /// Closes mills, stops mills, takes men that threaten one, else any legal move
    Greedy,
    /// Moves that keep the exact value, for the fastest win or the slowest loss; needs --tablebase
    Perfect,
    /// Moves that keep the exact value and leave the fewest replies that do; needs --tablebase
    #[value(name = Self::Tricky.name())]
    Tricky,
    /// Moves that keep the exact value and that a trial search answers worst; needs --tablebase
    #[value(name = Self::Hunter.name())]
    Hunter,
}

impl BuiltinStyle {
    /// Returns its name on the command line and in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Perfect => "perfect",
            Self::Tricky => "perfect-tricky",
            Self::Hunter => "perfect-hunter",
        }
    }

    /// Returns true if it probes tablebases.
    pub(super) const fn is_perfect(self) -> bool {
        matches!(self, Self::Perfect | Self::Tricky | Self::Hunter)
    }
}

/// A built-in opponent.
pub struct Builtin {
    exact: Option<Arc<Tablebase>>,
    style: BuiltinStyle,
    random: StdRng,
    /// The engine on which a hunter tries its moves.
    prey: Option<Engine>,
}

impl Builtin {
    /// Returns an opponent with random choices from `seed`; the perfect ones need tablebases.
    pub fn new(style: BuiltinStyle, exact: Option<Arc<Tablebase>>, seed: u64) -> Self {
        Self { exact, style, random: StdRng::seed_from_u64(seed), prey: None }
    }

    /// Returns a move in a position that has one.
    ///
    /// # Errors
    /// If a perfect opponent has no tablebase, or one that is damaged or does not hold the position; if the
    /// engine of a hunter does not start or fails.
    pub fn choose(&mut self, pos: &Position) -> Result<Option<Move>, ToolError> {
        let not_held = || ToolError::result_missing(pos);
        let list = pos.legal_moves();
        match (self.style, &self.exact) {
            (BuiltinStyle::Random, _) => Ok(list.choose(&mut self.random).copied()),
            (BuiltinStyle::Greedy, _) => {
                let top = list.iter().map(|&m| greed(pos, m)).max();
                let best: Vec<Move> = list.iter().copied().filter(|&m| Some(greed(pos, m)) == top).collect();
                Ok(best.choose(&mut self.random).copied())
            }
            (_, None) => Err(not_held()),
            (style, Some(exact)) => {
                let chosen = match style {
                    BuiltinStyle::Tricky => perfect::tricky(exact, pos, &mut self.random)?,
                    BuiltinStyle::Hunter => {
                        let prey = match self.prey.take() {
                            Some(prey) => prey,
                            None => Engine::new()?,
                        };
                        hunter::hunt(exact, pos, self.prey.insert(prey), &mut self.random)?
                    }
                    _ => perfect::perfect(exact, pos, &mut self.random)?,
                };
                chosen.ok_or_else(not_held).map(Some)
            }
        }
    }
}

/// Returns the immediate gain of a move: 2 for a mill, 1 for stopping a mill or taking a man that threatens
/// one.
fn greed(pos: &Position, m: Move) -> u32 {
    let us = pos.side_to_move();
    let (ours, theirs) = (pos.men(us), pos.men(!us));
    let compiled = pos.compiled();
    match m.kind() {
        MoveKind::Take => {
            let near = pos.empty().into_iter().filter(|&s| compiled.closes_mill(theirs, s));
            let left = pos.empty().into_iter().filter(|&s| compiled.closes_mill(theirs.without(m.to()), s));
            u32::from(left.count() < near.count())
        }
        MoveKind::Slide if compiled.closes_mill(ours.without(m.from()), m.to()) => 2,
        MoveKind::Place if compiled.closes_mill(ours, m.to()) => 2,
        _ => u32::from(compiled.closes_mill(theirs, m.to())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;
    use crate::rules::Rules;

    #[test]
    fn greed_closes_and_stops_mills() {
        let after = |moves: &[&str]| {
            let mut pos = Position::new(&Rules::NINE);
            moves.iter().for_each(|m| pos.do_move(notation::parse(&pos, m).unwrap()));
            pos
        };
        let mut pos = after(&["d7", "a1", "g7", "d1"]);
        let mut greedy = Builtin::new(BuiltinStyle::Greedy, None, 1);
        assert_eq!(greedy.choose(&pos).unwrap().unwrap().to_string(), "a7");
        pos.do_move(notation::parse(&pos, "f4").unwrap());
        assert_eq!(greedy.choose(&pos).unwrap().unwrap().to_string(), "g1");
        // Two of Black's three men threaten a mill.
        pos = after(&["d7", "a1", "b4", "d1", "a7", "c5", "g7"]);
        assert_eq!(pos.legal_moves().len(), 3);
        for _ in 0..20 {
            assert_ne!(greedy.choose(&pos).unwrap().unwrap().to_string(), "xc5");
        }
        let mut random = Builtin::new(BuiltinStyle::Random, None, 1);
        assert!(pos.is_legal(random.choose(&pos).unwrap().unwrap()));
    }
}
