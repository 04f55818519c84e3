//! The turn of the certificate, as docs/certificates.md defines it. This need not be trusted: each turn comes
//! from `board.rs`, and the walk plays all replies to it.

use crate::board::{Counts, FEWEST, Men, after_turn, swap};
use crate::policy::{score, slides};
use crate::walk::{Sector, Walk};

/// A turn in the order.
struct Turn {
    after: Men,
    /// Twice the score, and one if the turn takes nothing.
    rank: i32,
    /// The score or sum by which the turn is ordered.
    value: i32,
}

impl Walk<'_> {
    /// Returns the men after the turn that is played in a position of a sector, and the place of the turn in
    /// the order, if there is a turn that is not refused.
    pub fn choose(&self, sector: &Sector<'_>, men: Men, slot: u32) -> Option<(Men, usize)> {
        let (counts, policy, limit) = (sector.counts, &self.certificate.policy, self.certificate.limit);
        let (weights, others) = (policy.weights(0, counts), policy.states(men.1));
        let mut turns = Vec::with_capacity(32);
        let wins = self.board.any_turn(men, counts[2], |after| {
            let (takes, own) = (after.1 != men.1, policy.states(after.0));
            let left = if takes { policy.states(after.1) } else { others };
            let mut value = score(weights[usize::from(takes)], &left, &own);
            if counts[3] == 0 && counts[1] - u32::from(takes) > self.board.game.fly_at {
                value -= self.certificate.slide_weight * slides(after.1, after.0);
            }
            turns.push(Turn { after, rank: 2 * value + i32::from(!takes), value });
            takes && counts[1] + counts[3] <= FEWEST
        });
        if wins {
            return turns.last().map(|turn| (turn.after, 0));
        }
        self.bring(&mut turns, 0);
        let by_sum = turns.first()?.value < limit && turns.len() > 1;
        let ordered = if by_sum { turns.len().min(4) } else { 1 };
        if by_sum {
            (1..ordered).for_each(|place| self.bring(&mut turns, place));
            for turn in &mut turns[..ordered] {
                turn.value += 2 * self.least_after_reply(counts, men, turn.after);
            }
            turns[..ordered].sort_by_key(|turn| -turn.value);
        }
        (0..turns.len()).find_map(|place| {
            if place >= ordered {
                self.bring(&mut turns, place);
            }
            let Turn { after, value, .. } = turns[place];
            let band = match (place, by_sum) {
                (0, false) => (value - limit).div_euclid(4).clamp(0, 15),
                (0, true) => 16 + (value + 64).div_euclid(4).clamp(0, 31),
                _ => 48 + (value + 64).div_euclid(8).clamp(0, 15),
            };
            let refuses = sector.filter.is_some_and(|filter| filter.refuses(slot, place, band as usize));
            (!refuses).then_some((after, place))
        })
    }

    /// Brings the turn for a place to it, if there is one. The places before have theirs.
    fn bring(&self, turns: &mut [Turn], place: usize) {
        let most = turns[place..].iter().map(|turn| turn.rank).max();
        let slot = |&at: &usize| self.index.slot((turns[at].after.1, turns[at].after.0));
        let best = (place..turns.len()).filter(|&at| Some(turns[at].rank) == most);
        // Slots settle ties only.
        if let Some(best) = best.min_by(|one, other| slot(one).cmp(&slot(other))) {
            turns.swap(place, best);
        }
    }

    /// Returns the least score of the positions after the replies to a turn.
    fn least_after_reply(&self, counts: Counts, men: Men, after: Men) -> i32 {
        let policy = &self.certificate.policy;
        let counts = after_turn(counts)[usize::from(after.1 != men.1)];
        let (weights, own, mut least) = (policy.weights(1, swap(counts)), policy.states(after.0), 10_000);
        self.board.any_turn((after.1, after.0), counts[3], |(theirs, left)| {
            let (takes, theirs) = (left != after.0, policy.states(theirs));
            let left = if takes { policy.states(left) } else { own };
            let is_lost = takes && counts[0] + counts[2] <= FEWEST;
            let score = || score(weights[usize::from(takes)], &left, &theirs);
            least = least.min(if is_lost { -10_000 } else { score() });
            is_lost
        });
        least
    }
}
