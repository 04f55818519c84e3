//! Values after a mill whose man must not go straight back to the mill it left, by the engine's lines. Files
//! hold positions without such a ban; the turns after it are played out until they lead there.

use super::plies::one_ply_earlier;
use crate::bitboard::Bitboard;
use crate::rules::CompiledRules;
use crate::tablebase::format::packed::PackedSectors;
use crate::tablebase::format::value::TbValue;
use crate::types::Square;
use std::sync::Arc;

/// The slide that a side must not play in its next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BannedSlide {
    pub(super) from: Square,
    pub(super) to: Square,
}

/// Finds the values of positions with bans.
pub(super) struct BanTurns<'a> {
    pub(super) rules: &'a CompiledRules,
    /// The value of a side that cannot move.
    pub(super) blocked: TbValue,
    /// The values of all sectors with fewer men.
    pub(super) smaller: Arc<PackedSectors>,
}

impl BanTurns<'_> {
    /// Returns the value for the opponent, of the men `theirs`, after the best take of the side of `own`.
    /// `bans` are those of this side and of the opponent.
    pub(super) fn after_mill(
        &self,
        own: Bitboard,
        theirs: Bitboard,
        bans: [Option<BannedSlide>; 2],
    ) -> TbValue {
        let [ours, others] = bans;
        let takes = self.rules.unprotected(theirs).into_iter();
        let left = takes.map(|point| self.value(theirs.without(point), own, [others, ours]));
        left.min().unwrap_or(TbValue::DRAW)
    }

    /// Returns the value for the side of `own`, which is to move. `bans` are its own and the opponent's.
    fn value(&self, own: Bitboard, theirs: Bitboard, bans: [Option<BannedSlide>; 2]) -> TbValue {
        if own.count() < self.rules.least {
            return TbValue::LOST;
        }
        let [ban, others] = bans;
        let (ban, others) =
            (ban.filter(|ban| self.matters(ban, own)), others.filter(|ban| self.matters(ban, theirs)));
        if ban.is_none() && others.is_none() {
            return self.smaller.value(own.0, theirs.0);
        }
        let empty = !(own | theirs);
        let flies = own.count() <= self.rules.fly_at;
        let mut best = None;
        for from in own {
            let rest = own.without(from);
            let reach = if flies { empty } else { self.rules.adjacent[from.row()] & empty };
            for to in reach.into_iter().filter(|&to| ban != Some(BannedSlide { from, to })) {
                let after = match self.rules.closes_mill(rest, to) {
                    true => self.after_mill(
                        rest.with(to),
                        theirs,
                        [Some(BannedSlide { from: to, to: from }), others],
                    ),
                    false => self.value(theirs, rest.with(to), [others, None]),
                };
                best = best.max(Some(one_ply_earlier(after)));
            }
        }
        best.unwrap_or(self.blocked)
    }

    /// Returns true if the slide would leave one mill of `men` to close another.
    fn matters(&self, ban: &BannedSlide, men: Bitboard) -> bool {
        let rest = men.without(ban.from);
        men.contains(ban.from)
            && self.rules.closes_mill(rest, ban.from)
            && self.rules.closes_mill(rest, ban.to)
    }
}
