//! MTD(f): zero-window searches that converge on the value of the root (Plaat, Schaeffer, Pijls and de Bruin,
//! "Best-first fixed-depth minimax algorithms", 1996).

use super::worker::Worker;
use crate::types::{Depth, VALUE_INFINITE, Value};

impl Worker {
    /// Returns the value of the best root move from `first` on and puts it in front. `guess` is the first
    /// bound.
    pub(super) fn mtdf<const EXTRAS: bool>(&mut self, first: usize, guess: Value, depth: Depth) -> Value {
        let mut lower = -VALUE_INFINITE;
        let mut upper = VALUE_INFINITE;
        let mut value = guess.clamp(1 - VALUE_INFINITE, VALUE_INFINITE - 1);
        while lower < upper {
            let beta = if value == lower { value + 1 } else { value };
            value = self.search_root::<EXTRAS>(first, beta - 1, beta, depth);
            if self.aborted {
                break;
            }
            if value < beta {
                upper = value;
            } else {
                lower = value;
                // The next search begins with the move that failed high.
                self.sort_root_moves(first);
            }
        }
        value
    }
}
