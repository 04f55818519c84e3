//! Mills that must not be closed again at once: a man that left a mill to close another one may not go
//! straight back to the first.
//!
//! Such a ban holds for one turn of its side, so files have values of positions without a ban only. After a
//! take with a ban the value is found by a search: a turn of the other side, a turn of this side without the
//! way back, and so on as long as new bans arise. It ends at positions of files, most often after two turns.

use crate::tablebase::format::board::{FULL, POINTS, lines_through, members, neighbours};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::packed::PackedSectors;
use crate::tablebase::format::value::{TbValue, Wdl};

/// A bit that no set of points has.
const NEVER: u32 = 1 << 31;

/// The way back that a side must not take: a man that has just closed a mill at one point, from another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ban {
    /// The point of the man.
    pub(super) at: u32,
    /// The point that it came from.
    pub(super) back: u32,
}

/// The values of positions with bans.
pub(super) struct BannedValues {
    game: SolvedGame,
    /// The values of the sectors with fewer men.
    smaller: PackedSectors,
    lines: [[u32; 3]; POINTS as usize],
    neighbours: [u32; POINTS as usize],
}

impl BannedValues {
    /// Returns the values after takes from `sector`, of the moving phase, or its mirror. `load` gives the
    /// values of finished sectors, which are of this kind.
    ///
    /// # Errors
    /// If `load` fails.
    pub(super) fn new<E>(
        game: &SolvedGame,
        sector: Sector,
        kind: TbKind,
        threads: usize,
        load: impl FnMut(Sector) -> Result<Vec<u8>, E>,
    ) -> Result<Self, E> {
        let smaller = PackedSectors::new(kind, game.smaller(sector), threads, load)?;
        let lines = |point| lines_through(point, game.diagonals).map(|line| line.unwrap_or(NEVER));
        Ok(Self {
            game: *game,
            smaller,
            lines: std::array::from_fn(|point| lines(point as u32)),
            neighbours: std::array::from_fn(|point| neighbours(point as u32, game.diagonals)),
        })
    }

    /// Returns the value for the opponent after the best take, when a man of `own` has closed a mill and has
    /// a ban. The opponent, of the set `theirs`, has none.
    pub(super) fn after_mill(&self, own: u32, theirs: u32, ban: Ban) -> u8 {
        self.after_take(own, theirs, Some(ban), None, u8::MAX)
    }

    /// As [`after_mill`](Self::after_mill) with bans of both sides. Values from `enough` on need not be
    /// exact.
    fn after_take(&self, own: u32, theirs: u32, ban: Option<Ban>, their_ban: Option<Ban>, enough: u8) -> u8 {
        let mut best = u8::MAX;
        for point in members(self.game.takeable(theirs)) {
            best = best.min(self.value(theirs & !(1 << point), own, their_ban, ban, best.min(enough)));
            if best == TbValue::LOST.0 {
                break;
            }
        }
        best
    }

    /// Returns the value for the mover. If it is at least `enough`, some value between is returned.
    fn value(&self, own: u32, theirs: u32, ban: Option<Ban>, their_ban: Option<Ban>, enough: u8) -> u8 {
        if own.count_ones() < u32::from(self.game.least) {
            return TbValue::LOST.0;
        }
        let ban = ban.filter(|&ban| self.holds(own, ban));
        let their_ban = their_ban.filter(|&ban| self.holds(theirs, ban));
        if ban.is_none() && their_ban.is_none() {
            let stored = self.smaller.value(own, theirs);
            debug_assert!(stored.is_some(), "a smaller sector");
            return stored.unwrap_or(TbValue::DRAW).0;
        }
        let kind = self.smaller.kind();
        let empty = FULL & !(own | theirs);
        let flies = own.count_ones() <= u32::from(self.game.fly_at);
        let mut best = None;
        for at in members(own) {
            let rest = own & !(1 << at);
            let targets = if flies { empty } else { self.neighbours[at as usize] & empty };
            for to in members(targets).filter(|&back| ban != Some(Ban { at, back })) {
                let enough_after = best.map_or(u8::MAX, not_better);
                let after = rest | 1 << to;
                let found = match self.closes(rest, to) {
                    true => {
                        let new = Ban { at: to, back: at };
                        self.after_take(after, theirs, Some(new), their_ban, enough_after)
                    }
                    false => self.value(theirs, after, their_ban, None, enough_after),
                };
                let found = kind.simplify(TbValue(found).before()).0;
                best = best.max(Some(found));
                if found >= enough {
                    return found;
                }
            }
        }
        let blocked = if self.game.blocked_draws { TbValue::DRAW } else { TbValue::LOST };
        best.unwrap_or(blocked.0)
    }

    /// Returns true if a ban matters: the way back would leave a mill of `set` and close one.
    fn holds(&self, set: u32, Ban { at, back }: Ban) -> bool {
        set >> at & 1 != 0 && self.closes(set, at) && self.closes(set & !(1 << at), back)
    }

    /// Returns true if a man that comes to `point` closes a mill with men of `set`.
    #[inline(always)]
    fn closes(&self, set: u32, point: u32) -> bool {
        let [a, b, c] = self.lines[point as usize];
        set & a == a || set & b == b || set & c == c
    }
}

/// Returns the smallest value for the opponent with which a turn is not better than `best`.
fn not_better(best: u8) -> u8 {
    match TbValue(best).wdl() {
        Wdl::Win => u8::MAX - best,
        Wdl::Draw => TbValue::DRAW.0,
        // Every turn is better than a loss in 0.
        Wdl::Loss => (u8::MAX - best).saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_enough_are_those_after_which_a_turn_is_not_better() {
        for best in 0..=u8::MAX {
            // Files hold no loss in 254 plies, which would become a draw.
            let is_not_better = |after: u8| after != 127 && TbValue(after).before().0 <= best;
            let first = (0..=u8::MAX).find(|&after| is_not_better(after)).unwrap_or(u8::MAX);
            assert_eq!(not_better(best), first, "{best}");
        }
    }
}
