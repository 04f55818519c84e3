//! MTD(f): closes in on the value of the root by zero-window searches (Plaat, Schaeffer, Pijls and de Bruin,
//! "Best-first fixed-depth minimax algorithms", 1996).

use super::worker::Worker;
use crate::types::{Depth, VALUE_INFINITE, Value};

impl Worker {
    /// The value of the root at this depth, beginning from a guess; the best root move is in front afterwards.
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
                // The move that failed high is the best so far; the next search begins with it.
                self.sort_root_moves(first);
            }
        }
        value
    }
}
