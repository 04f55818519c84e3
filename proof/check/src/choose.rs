//! The turn of the certificate, as docs/certificates.md defines it. This need not be trusted: each turn comes
//! from `board.rs`, and the walk plays all replies to it.

use crate::board::{Counts, FEWEST, Men, after_turn, opposite, sector};
use crate::certificate::Certificate;
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
        let weights = policy.weights(0, counts);
        turns.clear();
        let wins = self.board.any_turn(men, counts[2], |after| {
            turns.push(Turn { after, rank: 0, value: 0 });
            after.1 != men.1 && counts[1] + counts[3] <= FEWEST
        });
        if wins {
            return turns.last().map(|turn| (turn.after, 0));
        }
        for Turn { after, rank, value } in &mut *turns {
            let takes = after.1 != men.1;
            *value = policy.score(weights[usize::from(takes)], (after.1, after.0));
            if counts[3] == 0 && counts[1] - u32::from(takes) > self.board.game.fly_at {
                *value -= slide_weight * slides(after.1, 0xff_ffff & !after.0 & !after.1);
            }
            *rank = 2 * *value + i32::from(!takes);
        }
        self.bring(turns, 0);
        let mut ordered = 1;
        if turns.first()?.value < *limit && turns.len() > 1 {
            ordered = turns.len().min(4);
            (1..ordered).for_each(|place| self.bring(turns, place));
            for turn in &mut turns[..ordered] {
                turn.value += 2 * self.least(after_turn(counts, turn.after.1 != men.1), turn.after);
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
                (0, 1) => (value - limit).div_euclid(4).clamp(0, 15),
                (0, _) => 16 + (value + 64).div_euclid(4).clamp(0, 31),
                _ => 48 + (value + 64).div_euclid(8).clamp(0, 15),
            };
            let is_refused = filter.is_some_and(|filter| filter.refuses(slot, place, class as usize));
            (!is_refused).then_some((after, place))
        })
    }

    /// Brings the turn for a place to it, if there is one. The places before have theirs.
    fn bring(&self, turns: &mut [Turn], place: usize) {
        let Some(most) = turns[place..].iter().map(|turn| turn.rank).max() else { return };
        let mut best = (place..turns.len()).filter(|&at| turns[at].rank == most);
        let (first, second) = (best.next().unwrap_or(place), best.next());
        // Slots settle ties only.
        let slot = |&at: &usize| self.index.slot((turns[at].after.1, turns[at].after.0));
        let least = second.and_then(|second| [first, second].into_iter().chain(best).min_by_key(slot));
        turns.swap(place, least.unwrap_or(first));
    }

    /// Returns the least score after a reply to a turn. The counts are those after the turn.
    fn least(&self, counts: Counts, after: Men) -> i32 {
        let policy = &self.certificate.policy;
        let (weights, mut least) = (policy.weights(1, opposite(counts)), 10_000);
        self.board.any_turn((after.1, after.0), counts[3], |men| {
            let takes = men.1 != after.0;
            let is_lost = takes && counts[0] + counts[2] <= FEWEST;
            let score = || policy.score(weights[usize::from(takes)], (men.1, men.0));
            least = least.min(if is_lost { -10_000 } else { score() });
            is_lost
        });
        least
    }
}
