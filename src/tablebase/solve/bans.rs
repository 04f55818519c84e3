//! Mills that must not be closed again at once: a man that left a mill to close another one may not go
//! straight back to the first.
//!
//! Such a ban holds until its side has moved again, so files have values of positions without a ban only.
//! After a take with a ban the value is found by a search: a turn of the other side, a turn of this side
//! without the way back, and so on as long as new bans arise. It ends at positions of files. While only the
//! opponent has a ban, the value without bans is a lower bound and often settles it; `critical.rs` says where
//! it is the value but for slides from mill to mill.

use super::critical::{CriticalPositions, sectors_with_critical};
use super::unbanned::{Slide, UnbannedValues};
use crate::tablebase::format::board::{FULL, POINTS, lines_through, members, neighbours};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::{BINOMIAL, Sector};
use crate::tablebase::format::value::{TbValue, Wdl};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The values of positions with bans.
pub(super) struct BannedValues {
    unbanned: UnbannedValues,
    /// The critical positions after a take from the sector or its mirror.
    critical: Vec<CriticalPositions>,
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
    /// Returns the values after takes from `sector`, of the moving phase, or its mirror.
    pub(super) fn new(unbanned: UnbannedValues, sector: Sector, threads: usize) -> Self {
        let critical = |sector| CriticalPositions::new(&unbanned, sector, threads);
        let critical = sectors_with_critical(&unbanned.game, sector).map(critical).collect();
        Self { unbanned, critical, too_long: AtomicBool::new(false) }
    }

    /// Returns true if a value was asked for whose distance is longer than files hold.
    pub(super) fn is_too_long(&self) -> bool {
        self.too_long.load(Relaxed)
    }

    /// Returns the value for the opponent after the best take, when a man of `own` has left a mill to close
    /// another, and must not take the way back, `ban`. The opponent, of the set `theirs`, has no ban.
    pub(super) fn after_shuttle(&self, own: u32, theirs: u32, ban: Slide) -> u8 {
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

    /// As [`after_shuttle`](Self::after_shuttle) with the bans of both sides. Values from `enough` on need
    /// not be exact.
    fn after_take(
        &self,
        own: u32,
        theirs: u32,
        ban: Option<Slide>,
        their_ban: Option<Slide>,
        enough: u8,
    ) -> u8 {
        let mut best = u8::MAX;
        for point in members(self.unbanned.game.takeable(theirs)) {
            best = best.min(self.value(theirs & !(1 << point), own, their_ban, ban, best.min(enough)));
            if best == TbValue::LOST.0 {
                break;
            }
        }
        best
    }

    /// Returns the value for the mover, or any number from `enough` to the value.
    fn value(&self, own: u32, theirs: u32, ban: Option<Slide>, their_ban: Option<Slide>, enough: u8) -> u8 {
        let values = &self.unbanned;
        if values.has_lost(own) {
            return TbValue::LOST.0;
        }
        let ban = ban.filter(|&ban| values.is_shuttle(own, ban));
        let their_ban = their_ban.filter(|&ban| values.is_shuttle(theirs, ban));
        if ban.is_none() && their_ban.is_none() {
            return values.value(own, theirs);
        }
        let (mut best, mut tries_all) = (None, true);
        // The opponent's ban is no harm. It does not even block it, which may be a draw: another man stands
        // beside the forbidden point.
        if ban.is_none() {
            let (unbanned, may_be_critical) = self.look_up(own, theirs);
            if unbanned >= enough {
                return unbanned;
            }
            (best, tries_all) = (Some(unbanned), may_be_critical);
        }
        let empty = FULL & !(own | theirs);
        // Slides from mill to mill come last, since a new ban takes longer.
        let others = tries_all.then(|| values.other_slides(own, empty)).into_iter().flatten();
        for slide in others.chain(values.shuttles(own, empty)).filter(|&slide| ban != Some(slide)) {
            // Without its new ban the slide is worth at least as much, and the opponent's changes nothing.
            if !tries_all && Some(values.after(own, theirs, slide)) <= best {
                continue;
            }
            let after = slide.apply(own);
            let enough_after = best.map_or(u8::MAX, not_better);
            let found = match values.closes(after, slide.to) {
                true => self.after_take(after, theirs, Some(slide.back()), their_ban, enough_after),
                false => self.value(theirs, after, their_ban, None, enough_after),
            };
            self.check(found);
            let found = values.before(found);
            best = best.max(Some(found));
            if found >= enough {
                return found;
            }
        }
        let blocked = if values.game.blocked_draws { TbValue::DRAW } else { TbValue::LOST };
        best.unwrap_or(blocked.0)
    }

    /// Returns the value without bans, and true if the position is critical or if that is not known.
    fn look_up(&self, own: u32, theirs: u32) -> (u8, bool) {
        let values = &self.unbanned;
        match self.critical.iter().find(|critical| critical.is_of(own, theirs)) {
            Some(critical) => {
                let slot = critical.sector.slot(own, theirs);
                (values.value_at(critical.sector, slot), critical.contains(slot))
            }
            None => (values.value(own, theirs), true),
        }
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
    use crate::tablebase::format::header::TbKind;
    use crate::tablebase::format::index::subsets;

    /// Calls `see` with the men of a side after each slide that leaves a mill to close another, and its ban.
    fn see_shuttles(values: &BannedValues, men: u32, mut see: impl FnMut(u32, Slide)) {
        for own in subsets(POINTS, men) {
            values.unbanned.shuttles(own, FULL & !own).for_each(|slide| see(own, slide));
        }
    }

    fn values(sector: Sector, every: TbValue) -> BannedValues {
        let game = SolvedGame::new(&Rules::MORABARABA).expect("supported");
        let load = |sector: Sector| Ok::<_, ()>(vec![every.0; sector.slots() as usize]);
        let unbanned = UnbannedValues::new(&game, sector, TbKind::Distance, 2, load).expect("loaded");
        BannedValues::new(unbanned, sector, 2)
    }

    #[test]
    fn no_more_slides_lead_from_mill_to_mill_than_the_bound_says() {
        for (own, theirs) in [(5, 3), (6, 4), (7, 5), (4, 4)] {
            let (sector, mut count) = (Sector::moving(own, theirs), 0);
            let empty = u64::from(BINOMIAL[POINTS as usize - usize::from(own) - 1][usize::from(theirs)]);
            let values = values(Sector::moving(3, 3), TbValue::DRAW);
            see_shuttles(&values, own.into(), |_, _| count += empty);
            let (found, most) = (count / 16, most_shuttles(&values.unbanned.game, sector));
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
            let others = members(FULL & !(own | 1 << ban.to)).take(4);
            values.after_shuttle(own, others.map(|point| 1 << point).sum(), ban);
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
