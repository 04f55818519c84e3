//! The turn of the certificate, as docs/certificates.md defines it. This need not be trusted: each turn comes
//! from `board.rs`, and the walk plays all replies to it.

use crate::board::{Counts, FEWEST, Men, after_turn};
use crate::policy::{score, slides};
use crate::ribbon::Filter;
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
    pub fn choose(
        &self,
        counts: Counts,
        men: Men,
        slot: u32,
        filter: Option<&Filter>,
        turns: &mut Vec<Turn>,
    ) -> Option<(Men, usize)> {
        let (policy, limit) = (&self.certificate.policy, self.certificate.limit);
        let (weights, others) = (policy.weights(0, counts), policy.states(men.1));
        turns.clear();
        let wins = self.board.any_turn(men, counts[2], |after| {
            let (takes, own) = (after.1 != men.1, policy.states(after.0));
            let left = if takes { policy.states(after.1) } else { others };
            let mut score = score(weights[usize::from(takes)], &left, &own);
            if counts[3] == 0 && counts[1] - u32::from(takes) > self.board.game.fly_at {
                score -= self.certificate.slide_weight * slides(after.1, after.0);
            }
            turns.push(Turn { after, rank: 2 * score + i32::from(!takes), value: score });
            takes && counts[1] + counts[3] <= FEWEST
        });
        if wins {
            return turns.last().map(|turn| (turn.after, 0));
        }
        let refuses = |place: usize, value: i32, by_sum| {
            let class = match (place, by_sum) {
                (0, false) => (value - limit).div_euclid(4).clamp(0, 15),
                (0, true) => 16 + (value + 64).div_euclid(4).clamp(0, 31),
                _ => 48 + (value + 64).div_euclid(8).clamp(0, 15),
            };
            filter.is_some_and(|filter| filter.refuses(slot, place, class as usize))
        };
        self.bring(turns, 0);
        let by_sum = turns.first()?.value < limit && turns.len() > 1;
        let ordered = if by_sum { turns.len().min(4) } else { 1 };
        if by_sum {
            (1..ordered).for_each(|place| self.bring(turns, place));
            // Most often the first turn is played. Of the others it matters only that their sums are smaller.
            self.look_ahead(counts, men, &mut turns[..ordered], false);
            let first = turns[..ordered].iter().min_by_key(|turn| -turn.value)?;
            if !refuses(0, first.value, true) {
                return Some((first.after, 0));
            }
            self.look_ahead(counts, men, &mut turns[..ordered], true);
            turns[..ordered].sort_by_key(|turn| -turn.value);
        }
        (0..turns.len()).find_map(|place| {
            if place >= ordered {
                self.bring(turns, place);
            }
            (!refuses(place, turns[place].value, by_sum)).then_some((turns[place].after, place))
        })
    }

    /// Brings the turn for a place to it, if there is one. The places before have theirs.
    fn bring(&self, turns: &mut [Turn], place: usize) {
        let most = turns[place..].iter().map(|turn| turn.rank).max();
        let slot = |at: usize| self.index.slot((turns[at].after.1, turns[at].after.0));
        let best = (place..turns.len()).filter(|&at| Some(turns[at].rank) == most);
        // Slots settle ties only.
        if let Some(best) = best.min_by(|&one, &other| slot(one).cmp(&slot(other))) {
            turns.swap(place, best);
        }
    }

    /// Orders turns by the sum of the score and twice the least score after a reply. If the sums need not be
    /// exact, one that is not larger than one before may be too large.
    fn look_ahead(&self, counts: Counts, men: Men, turns: &mut [Turn], is_exact: bool) {
        let (policy, mut most) = (&self.certificate.policy, -100_000);
        for Turn { after, rank, value } in turns {
            let before = *rank >> 1;
            let [own, theirs, own_hand, their_hand] = after_turn(counts)[usize::from(after.1 != men.1)];
            let weights = policy.weights(1, [theirs, own, their_hand, own_hand]);
            let (own_states, mut least) = (policy.states(after.0), 10_000);
            let enough = if is_exact { -10_000 } else { (most - before).div_euclid(2) };
            self.board.any_turn((after.1, after.0), their_hand, |(others, left)| {
                let (takes, others) = (left != after.0, policy.states(others));
                let left = if takes { policy.states(left) } else { own_states };
                let is_lost = takes && own + own_hand <= FEWEST;
                let score = || score(weights[usize::from(takes)], &left, &others);
                least = least.min(if is_lost { -10_000 } else { score() });
                least <= enough
            });
            *value = before + 2 * least;
            most = most.max(*value);
        }
    }
}
