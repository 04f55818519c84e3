//! The turn of the certificate, as docs/certificates.md defines it. This need not be trusted: each turn comes
//! from `board.rs`, and the walk plays all replies to it.

use crate::board::{FEWEST, Men};
use crate::certificate::{Certificate, Counts, sector};
use crate::policy::slides;
use crate::walk::Walk;

/// A turn in the order.
pub struct Turn {
    after: Men,
    /// Twice the score, and one if the turn takes nothing.
    rank: i32,
    /// The score or sum by which the turn is ordered.
    value: i32,
}

impl Walk<'_> {
    /// Returns the men after the turn that is played in a position, and the place of the turn in the order,
    /// if there is a turn that is not refused. `turns` is memory to be used again.
    pub fn choose(&self, counts: Counts, men: Men, slot: u32, turns: &mut Vec<Turn>) -> Option<(Men, usize)> {
        let Certificate { policy, slide_weight, limit, filters, .. } = self.certificate;
        let [own, theirs, own_hand, their_hand] = counts;
        turns.clear();
        let wins = self.board.any_turn(men, own_hand, |after| {
            turns.push(Turn { after, rank: 0, value: 0 });
            after.1 != men.1 && theirs + their_hand <= FEWEST
        });
        if wins {
            return turns.last().map(|turn| (turn.after, 0));
        }
        let counts_after = |(_, left): Men| {
            let theirs = theirs - u32::from(left != men.1);
            [own + own_hand.min(1), theirs, own_hand.saturating_sub(1), their_hand]
        };
        for Turn { after, rank, value } in &mut *turns {
            let [own, theirs, own_hand, _] = counts_after(*after);
            *value = policy.sum(0, [theirs, own], own_hand + their_hand, (after.1, after.0));
            if their_hand == 0 && theirs > self.board.game.fly_at {
                *value -= slide_weight * slides(after.1, 0xff_ffff & !after.0 & !after.1);
            }
            *rank = 2 * *value + i32::from(after.1 == men.1);
        }
        let mut ordered = 0;
        if turns.len() > 1 {
            self.bring(turns, 0);
            ordered = if turns[0].value < *limit { turns.len().min(4) } else { 1 };
        }
        if ordered > 1 {
            (1..ordered).for_each(|place| self.bring(turns, place));
            for turn in &mut turns[..ordered] {
                turn.value += 2 * self.least(counts_after(turn.after), turn.after);
            }
            turns[..ordered].sort_by_key(|turn| -turn.value);
        }
        let filter = filters[sector(counts)].as_ref();
        (0..turns.len()).find_map(|place| {
            if place >= ordered {
                self.bring(turns, place);
            }
            let Turn { after, value, .. } = turns[place];
            let class = match (place, ordered) {
                (0, 0 | 1) => (value - limit).div_euclid(4).clamp(0, 15),
                (0, _) => 16 + (value + 64).div_euclid(4).clamp(0, 31),
                _ => 48 + (value + 64).div_euclid(8).clamp(0, 15),
            };
            let is_refused = filter.is_some_and(|filter| filter.refuses(slot, place, class as usize));
            (!is_refused).then_some((after, place))
        })
    }

    /// Brings the turn for a place to it. The places before have theirs.
    fn bring(&self, turns: &mut [Turn], place: usize) {
        let most = turns[place..].iter().map(|turn| turn.rank).max();
        let mut best = (place..turns.len()).filter(|&at| Some(turns[at].rank) == most);
        let (first, second) = (best.next().unwrap_or(place), best.next());
        // Slots settle ties only.
        let slot = |&at: &usize| self.index.slot((turns[at].after.1, turns[at].after.0));
        let least = second.and_then(|second| [first, second].into_iter().chain(best).min_by_key(slot));
        turns.swap(place, least.unwrap_or(first));
    }

    /// Returns the least score after a reply to a turn. The counts are those after the turn.
    fn least(&self, [own, theirs, own_hand, their_hand]: Counts, after: Men) -> i32 {
        let (theirs, hands) = (theirs + their_hand.min(1), own_hand + their_hand.saturating_sub(1));
        let mut least = 10_000;
        self.board.any_turn((after.1, after.0), their_hand, |men| {
            let taken = u32::from(men.1 != after.0);
            let is_lost = taken > 0 && own + own_hand <= FEWEST;
            let sum = || self.certificate.policy.sum(1, [own - taken, theirs], hands, (men.1, men.0));
            least = least.min(if is_lost { -10_000 } else { sum() });
            is_lost
        });
        least
    }
}
