//! MTD(f): zero-window searches that converge on the value of the root (Plaat, Schaeffer, Pijls and de Bruin,
//! "Best-first fixed-depth minimax algorithms", 1996).

use super::worker::Worker;
use crate::types::{Depth, VALUE_INFINITE, Value};

/// The bounds so far.
#[derive(Clone, Copy)]
pub(super) struct Convergence {
    lower: Value,
    upper: Value,
    value: Value,
}

impl Convergence {
    /// Begins with a guess at the value.
    pub(super) fn new(guess: Value) -> Self {
        let value = guess.clamp(1 - VALUE_INFINITE, VALUE_INFINITE - 1);
        Self { lower: -VALUE_INFINITE, upper: VALUE_INFINITE, value }
    }
}

impl Worker {
    /// Returns the value of the best root move from `first` on and puts it in front.
    pub(super) fn mtdf<const EXTRAS: bool>(
        &mut self,
        first: usize,
        depth: Depth,
        state: &mut Convergence,
    ) -> Value {
        while state.lower < state.upper {
            let beta = if state.value == state.lower { state.value + 1 } else { state.value };
            let value = self.search_root::<EXTRAS>(first, beta - 1, beta, depth);
            if self.aborted {
                if !self.is_paused() {
                    // An earlier pass has proved this much about the move in front, if it has failed high.
                    self.root_moves[first].score = state.lower;
                }
                break;
            }
            state.value = value;
            if value < beta {
                state.upper = value;
            } else {
                state.lower = value;
                // The next search begins with the move that failed high.
                self.sort_root_moves(first);
            }
        }
        state.value
    }
}
