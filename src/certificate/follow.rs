//! Following a certificate in a game.

use super::error::CertificateError;
use super::file::Certificate;
use super::turns::TurnNode;
use crate::position::Position;
use crate::tablebase::Sector;
use crate::tablebase::format::board::from_engine;
use crate::types::{Color, Move};

/// The relation of a game to the certificate of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Followed {
    /// The position belongs to the certificate.
    ///
    /// These turns keep the game inside; of a turn that has begun, they are what is left.
    Inside(Vec<Vec<Move>>),
    /// The game began with another position than the initial one.
    SetUp,
    /// The side left the certificate with its turn of this number, from 1.
    Left(u32),
}

/// Returns the node of a position between two turns.
fn node(pos: &Position, mover: Color) -> TurnNode {
    let men = |side| from_engine(pos.men(side).0);
    let hand = |side| pos.hand(side) as u8;
    TurnNode { own: men(mover), theirs: men(!mover), own_hand: hand(mover), their_hand: hand(!mover) }
}

/// A name of a position that its images under the symmetries share.
type Orbit = (Sector, u64);

fn orbit(node: TurnNode) -> Orbit {
    (node.sector(), node.slot())
}

impl Certificate {
    /// Returns the turns that keep a game inside the certificate, which has to be for the side to move.
    ///
    /// # Errors
    /// If the certificate is damaged.
    pub fn follow(&self, pos: &Position) -> Result<Followed, CertificateError> {
        let us = pos.side_to_move();
        let mut game = Vec::new();
        let mut earlier = pos.clone();
        loop {
            // A position in which a take is due lies within a turn.
            if !earlier.is_take_due() {
                let side = earlier.side_to_move();
                game.push((side, node(&earlier, side)));
            }
            if earlier.moves_played() == 0 {
                break;
            }
            earlier.undo_move();
        }
        let mut is_inside = game.last() == Some(&(Color::White, self.initial()));
        let (mut start, mut number, mut left) = (None, 0, None);
        for (side, node) in game.into_iter().rev() {
            if side == us {
                start = Some(node);
                is_inside |= self.holds(node)?;
            } else if let Some(start) = start.take() {
                number += 1;
                if is_inside && !self.orbits(start)?.contains(&orbit(node)) {
                    is_inside = false;
                    left = Some(number);
                }
            }
        }
        match start.filter(|_| is_inside) {
            Some(start) => Ok(Followed::Inside(turns_to(&self.orbits(start)?, pos))),
            None => Ok(left.map_or(Followed::SetUp, Followed::Left)),
        }
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
