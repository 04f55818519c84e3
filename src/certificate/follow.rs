//! Following a certificate in a game.

use super::error::CertificateError;
use super::file::Certificate;
use super::turns::TurnNode;
use crate::position::Position;
use crate::tablebase::Sector;
use crate::tablebase::format::board::from_engine;
use crate::types::{Color, Move};
use std::collections::{HashMap, HashSet};

/// The relation of a game to the certificate of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The position belongs to the certificate.
    ///
    /// These turns keep the game inside; of a turn that has begun, they are what is left.
    Inside(Vec<Vec<Move>>),
    /// The game began with a position that is not known to belong to the certificate.
    SetUp,
    /// The side left the certificate with its turn of this number, from 1. In a game of more than 4,000 turns
    /// they count from the earliest that is looked at.
    Left(u32),
}

/// Returns the node of a position between two turns.
fn node(pos: &Position, mover: Color) -> TurnNode {
    let men = |side| from_engine(pos.men(side).0);
    let hand = |side| pos.hand(side) as u8;
    TurnNode { own: men(mover), theirs: men(!mover), own_hand: hand(mover), their_hand: hand(!mover) }
}

/// Returns true if this side can be to move: White places first, and opens the moving phase.
fn can_move(side: Color, node: TurnNode) -> bool {
    let TurnNode { own_hand, their_hand, .. } = node;
    match side {
        Color::White => own_hand == their_hand,
        Color::Black => own_hand == their_hand + 1 || own_hand + their_hand == 0,
    }
}

/// The positions that can follow the turns of a certificate in a session.
///
/// Clients may set up each position of a game anew. Such a position belongs to the certificate if it follows
/// an earlier one, whatever came before.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    latest: Generation,
    /// Those before. The oldest are forgotten.
    earlier: Generation,
}

/// Expected positions of some time.
#[derive(Debug, Default)]
struct Generation {
    /// Positions after a reply.
    starts: HashSet<Orbit>,
    /// The rest of turns that have begun, by the hash key of the position.
    takes: HashMap<u64, Vec<Vec<Move>>>,
}

/// The number of positions of a generation: those after several hundred turns.
const GENERATION: usize = 100_000;

/// The most positions between turns that are looked at, from the latest back. From the latest own position
/// that the certificate holds or expects on, each own turn is checked, which takes several microseconds. If
/// the engine has played from the certificate, that is one turn.
const LOOK_BACK: usize = 4_000;

impl Expected {
    /// Forgets the earlier generation if the latest one is large.
    fn make_room(&mut self) {
        if self.latest.starts.len() >= GENERATION {
            self.earlier = std::mem::take(&mut self.latest);
        }
    }

    fn has(&self, start: Orbit) -> bool {
        self.latest.starts.contains(&start) || self.earlier.starts.contains(&start)
    }

    fn rest(&self, pos: &Position) -> Option<&Vec<Vec<Move>>> {
        let key = pos.key();
        self.latest.takes.get(&key).or_else(|| self.earlier.takes.get(&key))
    }
}

/// A name of a position that its images under the symmetries share.
type Orbit = (Sector, u64);

fn orbit(node: TurnNode) -> Orbit {
    (node.sector(), node.slot())
}

impl Certificate {
    /// Returns the turns that keep a game inside the certificate.
    ///
    /// It has to be for the side to move and for the rules of the position.
    ///
    /// # Errors
    /// If the certificate is damaged.
    pub fn follow(&self, pos: &Position) -> Result<Followed, CertificateError> {
        self.follow_on(pos, &mut Expected::default())
    }

    /// As [`follow`](Self::follow), but a game may begin with an expected position. Adds to these what can
    /// come next.
    pub(crate) fn follow_on(
        &self,
        pos: &Position,
        expected: &mut Expected,
    ) -> Result<Followed, CertificateError> {
        let us = pos.side_to_move();
        let (mut game, mut latest_known) = (Vec::new(), None);
        let mut earlier = pos.clone();
        loop {
            // A position in which a take is due lies within a turn.
            if !earlier.is_take_due() {
                let side = earlier.side_to_move();
                let node = node(&earlier, side);
                let may_belong = || side == us && earlier.is_ordinary() && can_move(side, node);
                // Nothing before a position that belongs to the certificate matters.
                if latest_known.is_none() && may_belong() && self.is_known(node, expected)? {
                    latest_known = Some(game.len());
                }
                game.push((side, node));
            }
            if earlier.moves_played() == 0 || game.len() == LOOK_BACK {
                break;
            }
            earlier.undo_move();
        }
        if game.is_empty() {
            let rest = match expected.rest(pos) {
                Some(rest) => rest.clone(),
                None if pos.is_ordinary() => self.safe_takes(pos)?,
                None => Vec::new(),
            };
            return Ok(if rest.is_empty() { Followed::SetUp } else { Followed::Inside(rest) });
        }
        let Some(latest_known) = latest_known else { return Ok(Followed::SetUp) };
        let (mut is_inside, mut start, mut number, mut left) = (false, None, 0, None);
        for (index, (side, node)) in game.into_iter().enumerate().rev() {
            if side == us {
                start = Some(node);
                is_inside |= index == latest_known;
            } else if let Some(start) = start.take() {
                number += 1;
                if is_inside && !self.orbits(start)?.contains(&orbit(node)) {
                    is_inside = false;
                    left = Some(number);
                }
            }
        }
        let Some(start) = start.filter(|_| is_inside) else {
            return Ok(left.map_or(Followed::SetUp, Followed::Left));
        };
        let allowed = self.turns(start)?;
        let turns = turns_to(&allowed.iter().copied().map(orbit).collect::<Vec<_>>(), pos);
        if turns.is_empty() {
            // The turn that has begun is none of those.
            return Ok(Followed::Left(number + 1));
        }
        self.expect(expected, &allowed, pos, &turns);
        Ok(Followed::Inside(turns))
    }

    /// Returns true if a position belongs to the certificate whatever led to it.
    fn is_known(&self, start: TurnNode, expected: &Expected) -> Result<bool, CertificateError> {
        Ok(start == self.initial()
            || self.is_first_of_black(start)
            || expected.has(orbit(start))
            || self.holds(start)?)
    }

    /// Adds what can come after one of the turns that are allowed in `pos`.
    fn expect(&self, expected: &mut Expected, allowed: &[TurnNode], pos: &Position, turns: &[Vec<Move>]) {
        expected.make_room();
        let Generation { starts, takes } = &mut expected.latest;
        for &after in allowed {
            self.each_reply(after, |next| {
                starts.insert(orbit(next));
            });
        }
        for turn in turns {
            if let [first, rest @ ..] = &turn[..]
                && !rest.is_empty()
            {
                let mut begun = pos.clone();
                begun.do_move(*first);
                let known = takes.entry(begun.key()).or_default();
                if !known.iter().any(|other| other == rest) {
                    known.push(rest.to_vec());
                }
            }
        }
    }

    /// Returns the takes of a turn that has begun, if each reply after them leads to an open sector.
    fn safe_takes(&self, pos: &Position) -> Result<Vec<Vec<Move>>, CertificateError> {
        let (us, mut safe) = (pos.side_to_move(), Vec::new());
        for &take in pos.playable_moves().iter() {
            let mut after = pos.clone();
            after.do_move(take);
            let node = node(&after, !us);
            if can_move(!us, node) && self.is_safe(node)? {
                safe.push(vec![take]);
            }
        }
        Ok(safe)
    }

    /// Returns the names of the positions after the turns that the certificate allows.
    fn orbits(&self, start: TurnNode) -> Result<Vec<Orbit>, CertificateError> {
        Ok(self.turns(start)?.into_iter().map(orbit).collect())
    }
}

/// Returns the ways to finish the turn so that one of these positions is reached.
fn turns_to(wanted: &[Orbit], pos: &Position) -> Vec<Vec<Move>> {
    let us = pos.side_to_move();
    let is_reached = |pos: &Position| wanted.contains(&orbit(node(pos, !us)));
    let mut found = Vec::new();
    let mut next = pos.clone();
    for &m in pos.playable_moves().iter() {
        next.do_move(m);
        if next.is_take_due() && next.side_to_move() == us {
            for &take in next.playable_moves().iter() {
                let mut end = next.clone();
                end.do_move(take);
                if is_reached(&end) {
                    found.push(vec![m, take]);
                }
            }
        } else if is_reached(&next) {
            found.push(vec![m]);
        }
        next.undo_move();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_the_latest_generations_are_expected() {
        let mut expected = Expected::default();
        let name = |slot| (Sector::moving(9, 9), slot);
        for turn in 0..40_000 {
            expected.make_room();
            expected.latest.starts.extend((10 * turn..10 * turn + 10).map(name));
            assert!(
                turn < 10_000
                    || (10 * turn - 100_000..10 * turn + 10).step_by(999).all(|n| expected.has(name(n)))
            );
        }
        assert!(!expected.has(name(0)));
    }
}
