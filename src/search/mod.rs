//! The search: given a position, limits and settings, it finds a move. Uses the modules up to `tablebase`.
//!
//! `pool.rs` runs the threads, `root_moves.rs` lists and ranks the root moves, `root.rs` deepens,
//! `alphabeta.rs` and `mtdf.rs` search, `mcts.rs` grows a `tree.rs` instead, `worker.rs` holds the state of
//! one thread. The search never prints: it sends [`Report`]s.

mod alphabeta;
pub mod history;
pub mod levels;
pub mod limits;
mod mcts;
pub mod movepick;
mod mtdf;
pub mod pool;
mod pv;
mod quiescence;
mod random;
pub mod report;
pub mod root;
pub mod root_moves;
pub mod shared;
pub mod style;
pub mod timeman;
mod tree;
pub mod tt_key;
pub mod vote;
pub mod worker;

pub use limits::{Algorithm, Limits, MAX_SKILL, SearchSettings};
pub use report::{BestMove, Info, Report, Score};
