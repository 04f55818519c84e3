//! The latest evaluations of one thread. The search soon comes back to a position, with another window or by
//! another order of moves, and quiescence does not probe the transposition table.

use crate::evaluate::patterns::MoveCounts;
use crate::evaluate::{Evaluator, evaluate_with_counts, evaluate_with_takes};
use crate::platform::memory::{MemoryError, boxed};
use crate::platform::mixing::scatter;
use crate::position::Position;
use crate::types::{VALUE_DRAW, Value};

/// The number of entries, as a power of two. They take 128 KiB: a larger cache would drive the rows of the
/// network out of the second-level cache.
const BITS: u32 = 13;

/// The number of entries.
const ENTRIES: usize = 1 << BITS;

/// An evaluation and its position.
#[derive(Clone, Copy)]
struct CachedEval {
    /// [`Position::packed_as`].
    packed: u64,
    value: Value,
    moves: MoveCounts,
}

const _: () = assert!(size_of::<CachedEval>() == 16);

impl CachedEval {
    /// Returns an entry of no position: both hands would hold fifteen men.
    fn none() -> Self {
        Self { packed: u64::MAX, value: VALUE_DRAW, moves: MoveCounts::default() }
    }
}

/// The cache.
pub(super) struct EvalCache(Box<[CachedEval; ENTRIES]>);

impl EvalCache {
    /// Returns an empty cache.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(super) fn new() -> Result<Self, MemoryError> {
        Ok(Self(boxed(CachedEval::none())?))
    }

    /// Empties the cache, for other rules or another network.
    pub(super) fn clear(&mut self) {
        self.0.fill(CachedEval::none());
    }

    /// Returns [`evaluate_with_counts`] of a position. `EXTRAS` must equal [`Position::has_extras`]; without
    /// it no take may be due.
    ///
    /// Positions in which takes are due are rare. They do not fit into a word and do without the cache.
    #[inline(always)]
    pub(super) fn evaluate<const EXTRAS: bool>(
        &mut self,
        evaluator: &Evaluator,
        pos: &Position,
    ) -> (Value, MoveCounts) {
        if EXTRAS && pos.extras().due != [0, 0] {
            return evaluate_with_takes(evaluator, pos);
        }
        let packed = pos.packed_as::<EXTRAS>();
        let entry = &mut self.0[(scatter(packed) >> (64 - BITS)) as usize];
        if entry.packed != packed {
            let (value, moves) = evaluate_with_counts(evaluator, pos);
            *entry = CachedEval { packed, value, moves };
        }
        (entry.value, entry.moves)
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::evaluate::{EvalNetwork, evaluate_by};
    use crate::rules::Rules;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    #[test]
    fn the_cache_tells_marked_points_and_takes_due_apart() {
        let mut random = StdRng::seed_from_u64(1);
        for rules in [Rules::ZHI_QI, Rules::CHENG_SAN_QI, Rules::MORABARABA] {
            let mut cache = EvalCache::new().unwrap();
            let mut pos = Position::new(&rules);
            let evaluator = EvalNetwork::default().load(pos.compiled()).unwrap();
            for _ in 0..3_000 {
                let legal = pos.legal_moves();
                if legal.is_empty() || pos.outcome().is_over() {
                    pos = Position::new(&rules);
                    continue;
                }
                pos.do_move(legal[random.random_range(0..legal.len())]);
                let (value, moves) = cache.evaluate::<true>(&evaluator, &pos);
                assert_eq!(value, evaluate_by(&evaluator, &pos), "{pos:?}");
                let kept = cache.evaluate::<true>(&evaluator, &pos);
                assert_eq!(kept, (value, moves), "{pos:?}");
                // The same men and hands without the marks are another position.
                if !pos.extras().marked.is_empty() && !pos.has_takes_due() {
                    let plain = Position::from_fen(&rules, &pos.fen().replace('X', "*")).unwrap();
                    assert_eq!(cache.evaluate::<true>(&evaluator, &plain).0, evaluate_by(&evaluator, &plain));
                }
            }
        }
    }
}
