//! Mills that must not be closed again at once: a man that left a mill to close another one may not go
//! straight back to the first.
//!
//! Such a ban holds until its side has moved again, so files have values of positions without a ban only.
//! After a take with a ban the value is found by a search: a turn of the other side, a turn of this side
//! without the way back, and so on as long as new bans arise. It ends at positions of files, most often
//! after two turns.

use super::row::NEVER;
use crate::tablebase::format::board::{FULL, POINTS, lines_through, members, neighbours};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::{BINOMIAL, Sector};
use crate::tablebase::format::packed::PackedSectors;
use crate::tablebase::format::value::{TbValue, Wdl};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
    too_long: AtomicBool,
}

/// Returns an upper bound of the slides of a sector of the moving phase that leave a mill to close another.
pub(crate) fn most_shuttles(game: &SolvedGame, sector: Sector) -> u64 {
    let (own, theirs) = (usize::from(sector.own), usize::from(sector.theirs));
    let lines = |point| lines_through(point, game.diagonals).into_iter().flatten();
    let mut count = 0;
    for at in 0..POINTS {
        let near = if game.flies(sector) { FULL } else { neighbours(at, game.diagonals) };
        for back in members(near & !(1 << at)) {
            for left in lines(back).filter(|line| line >> at & 1 == 0) {
                for closed in lines(at).filter(|line| line >> back & 1 == 0) {
                    // These men and the empty point are given; the others are anywhere.
                    let men = (left | closed | 1 << at).count_ones() as usize;
                    if let Some(others) = own.checked_sub(men) {
                        let free = POINTS as usize - own - 1;
                        count += u64::from(BINOMIAL[POINTS as usize - men - 1][others])
                            * u64::from(BINOMIAL[free][theirs]);
                    }
                }
            }
        }
    }
    // The classes of one side's sets are one in sixteen of them, and a few more.
    count / 15
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
            too_long: AtomicBool::new(false),
        })
    }

    /// Returns true if a value was asked for whose distance is longer than files hold.
    pub(super) fn is_too_long(&self) -> bool {
        self.too_long.load(Relaxed)
    }

    /// Returns the value for the opponent after the best take, when a man of `own` has closed a mill and has
    /// a ban. The opponent, of the set `theirs`, has none.
    pub(super) fn after_mill(&self, own: u32, theirs: u32, ban: Ban) -> u8 {
        let after = self.after_take(own, theirs, Some(ban), None, u8::MAX);
        self.check(after);
        after
    }

    /// Notes a value that no turn can lead to, because its distance is too long.
    #[inline(always)]
    fn check(&self, after: u8) {
        if TbValue(after).is_too_long_before() {
            self.too_long.store(true, Relaxed);
        }
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

    /// Returns the value for the mover, or any number from `enough` to the value.
    fn value(&self, own: u32, theirs: u32, ban: Option<Ban>, their_ban: Option<Ban>, enough: u8) -> u8 {
        if own.count_ones() < u32::from(self.game.least) {
            return TbValue::LOST.0;
        }
        let ban = ban.filter(|&ban| self.holds(own, ban));
        let their_ban = their_ban.filter(|&ban| self.holds(theirs, ban));
        if ban.is_none() && their_ban.is_none() {
            return self.smaller.value(own, theirs).0;
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
                self.check(found);
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
    use crate::rules::Rules;
    use crate::tablebase::format::index::subsets;

    /// Calls `see` with the men of a side after each slide that leaves a mill to close another, and its ban.
    fn see_shuttles(values: &BannedValues, men: u32, mut see: impl FnMut(u32, Ban)) {
        for own in subsets(POINTS, men) {
            for at in members(own) {
                for back in members(values.neighbours[at as usize] & !own) {
                    let ban = Ban { at, back };
                    if values.holds(own, ban) {
                        see(own, ban);
                    }
                }
            }
        }
    }

    fn values(sector: Sector, every: TbValue) -> BannedValues {
        let game = SolvedGame::new(&Rules::MORABARABA).expect("supported");
        let load = |sector: Sector| Ok::<_, ()>(vec![every.0; sector.slots() as usize]);
        BannedValues::new(&game, sector, TbKind::Distance, 2, load).expect("loaded")
    }

    #[test]
    fn no_more_slides_lead_from_mill_to_mill_than_the_bound_says() {
        for (own, theirs) in [(5, 3), (6, 4), (7, 5), (4, 4)] {
            let (sector, mut count) = (Sector::moving(own, theirs), 0);
            let empty = u64::from(BINOMIAL[POINTS as usize - usize::from(own) - 1][usize::from(theirs)]);
            let values = values(Sector::moving(3, 3), TbValue::DRAW);
            see_shuttles(&values, own.into(), |_, _| count += empty);
            let (found, most) = (count / 16, most_shuttles(&values.game, sector));
            assert!(found <= most && most <= found * 5 / 4, "{sector}: {found} of {most}");
        }
    }

    #[test]
    fn distances_that_files_cannot_hold_are_noticed() {
        for (plies, is_too_long) in [(250, false), (252, true)] {
            let values = values(Sector::moving(5, 4), TbValue::decided(plies));
            let mut first = None;
            see_shuttles(&values, 5, |own, ban| first = first.or(Some((own, ban))));
            let (own, ban) = first.expect("a slide");
            let others = members(FULL & !(own | 1 << ban.back)).take(4);
            values.after_mill(own, others.map(|point| 1 << point).sum(), ban);
            assert_eq!(values.is_too_long(), is_too_long, "{plies}");
        }
    }

    #[test]
    fn values_that_are_enough_are_those_after_which_a_turn_is_not_better() {
        for best in 0..=u8::MAX {
            // Files hold no loss in 254 plies, which would become a draw.
            let is_not_better = |after: u8| after != TbValue::TOO_LONG.0 && TbValue(after).before().0 <= best;
            let first = (0..=u8::MAX).find(|&after| is_not_better(after)).unwrap_or(u8::MAX);
            assert_eq!(not_better(best), first, "{best}");
        }
    }
}
