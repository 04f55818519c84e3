//! The turns of a position, on the board of the tablebase.

use crate::tablebase::format::board::{FULL, in_mills, members, neighbours};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::Sector;

/// A position at the start of a turn of the side to move.
///
/// Sets of points are in the numbering of the tablebase. Functions that take a position may panic if the sets
/// overlap or reach beyond the 24 points, or if its [sector](Self::sector) is not
/// [possible](Sector::is_possible).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnNode {
    /// The points of the men of the side to move.
    pub own: u32,
    /// The points of the men of the opponent.
    pub theirs: u32,
    /// The men in the hand of the side to move.
    pub own_hand: u8,
    /// The men in the hand of the opponent.
    pub their_hand: u8,
}

impl TurnNode {
    /// Returns the sector of the position.
    #[inline]
    pub fn sector(self) -> Sector {
        Sector {
            own: self.own.count_ones() as u8,
            theirs: self.theirs.count_ones() as u8,
            own_hand: self.own_hand,
            their_hand: self.their_hand,
        }
    }

    /// Returns the position of a slot of a sector.
    #[inline]
    pub fn new(sector: Sector, slot: u64) -> Self {
        let (own, theirs) = sector.position(slot);
        Self { own, theirs, own_hand: sector.own_hand, their_hand: sector.their_hand }
    }

    /// Returns the smallest slot of the position in its sector.
    #[inline]
    pub fn slot(self) -> u64 {
        let sector = self.sector();
        sector.canonical(sector.slot(self.own, self.theirs))
    }
}

/// The rules of turns.
#[derive(Clone, Debug)]
pub(crate) struct TurnRules {
    /// The game.
    pub game: SolvedGame,
    adjacent: [u32; 24],
}

impl TurnRules {
    /// Creates the rules of turns of a game in which a mill takes one man at once.
    pub(crate) fn new(game: SolvedGame) -> Self {
        let adjacent = std::array::from_fn(|point| neighbours(point as u32, game.diagonals));
        Self { game, adjacent }
    }

    /// Returns true if the men of the opponent have become too few, which ends the game.
    #[inline]
    pub(crate) fn has_too_few(&self, men: u32, hand: u8) -> bool {
        men.count_ones() + u32::from(hand) < u32::from(self.game.least)
    }

    /// Calls `found` with the position after each turn of `node`, in which the opponent is to move.
    #[inline(always)]
    pub(crate) fn for_each(&self, node: TurnNode, mut found: impl FnMut(TurnNode)) {
        let TurnNode { own, theirs, own_hand, their_hand } = node;
        let empty = FULL & !(own | theirs);
        let places = own_hand > 0;
        let mut arrive = |rest: u32, to: u32| {
            let men = rest | 1 << to;
            let mut end = |theirs: u32| {
                found(TurnNode {
                    own: theirs,
                    theirs: men,
                    own_hand: their_hand,
                    their_hand: own_hand - u8::from(places),
                });
            };
            if in_mills(men, self.game.diagonals) >> to & 1 == 0 {
                end(theirs);
            } else {
                members(self.game.takeable(theirs)).for_each(|taken| end(theirs & !(1 << taken)));
            }
        };
        if places {
            return members(empty).for_each(|to| arrive(own, to));
        }
        let flies = own.count_ones() <= u32::from(self.game.fly_at);
        for from in members(own) {
            let reach = if flies { empty } else { self.adjacent[from as usize] & empty };
            members(reach).for_each(|to| arrive(own & !(1 << from), to));
        }
    }
}
