//! The search: given a position, limits and settings, it finds a move. Uses `tablebase` and the modules above
//! it.
//!
//! `pool.rs` runs the threads, or `single.rs` the only one. `course.rs` leads a search from its beginning
//! to its end. `root_moves.rs` lists and ranks the root moves, `deepening.rs` deepens, `root.rs` searches
//! the root moves, directly or for `mtdf.rs`, `alphabeta.rs` and `quiescence.rs` search below them, and
//! `node.rs` holds the steps that these share. `movepick.rs` gives moves one by one, ordered by
//! `movescore.rs`. `mcts.rs` grows a `tree.rs` instead. `worker.rs` holds the state of one thread,
//! `eval_cache.rs` its latest evaluations; `stopping.rs` decides when a search ends, `stop_handle.rs` lets
//! any thread end it, and `vote.rs` chooses among the moves of all threads.
//!
//! `limits.rs` has the input of a search, and `plan.rs` what follows from it; `timeman.rs` gives it time, and
//! `levels.rs` weakens it. `style.rs` and `bias.rs` change its values. The search never prints: it sends
//! [`Report`]s.

mod alphabeta;
pub(crate) mod bias;
mod course;
mod deepening;
pub(crate) mod error;
mod eval_cache;
mod history;
pub(crate) mod levels;
pub(crate) mod limits;
mod mcts;
mod movepick;
mod movescore;
mod mtdf;
pub(crate) mod node;
mod plan;
#[cfg(not(target_arch = "wasm32"))]
mod pool;
mod pv;
mod quiescence;
mod random;
pub(crate) mod report;
mod root;
pub(crate) mod root_moves;
mod shared;
#[cfg(any(target_arch = "wasm32", all(test, not(loom))))]
mod single;
#[cfg(not(target_arch = "wasm32"))]
mod stop_handle;
mod stopping;
mod style;
mod timeman;
mod tree;
pub(crate) mod tt_key;
mod vote;
mod worker;

#[cfg(target_arch = "wasm32")]
pub(crate) use course::Step;
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)]
pub use pool::Pool;
#[cfg(target_arch = "wasm32")]
#[doc(hidden)]
pub use single::SinglePool as Pool;

pub use limits::{Algorithm, LevelScale, Limits, MAX_SKILL, SearchSettings};
pub use report::{BestMove, Info, Report, Score, SearchNote};
#[cfg(not(target_arch = "wasm32"))]
pub use stop_handle::StopHandle;
pub use style::PlayStyle;
