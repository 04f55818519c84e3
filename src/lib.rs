//! Millstone, an engine for Mill (Nine Men's Morris, Mühle, Morabaraba, Lasker Morris and their family), as a
//! program and as a library.
//!
//! A [`Position`] holds the board, the men in hand and the moves played so far, under [`Rules`]. A [`Move`]
//! is a placing, a slide or a take; a turn that closes a mill is two or more moves. [`Engine`] searches,
//! [`Tablebase`] looks up perfect play, and [`record`] reads and writes games.
//!
//! ```
//! use millstone::{Engine, Limits, Position, Rules, Tablebase, Wdl};
//!
//! // A position, its legal moves, and a few of them played.
//! let mut pos = Position::new(&Rules::NINE);
//! assert_eq!(pos.legal_moves().len(), 24);
//! for text in ["d6", "f4", "d7", "b2", "d5", "xb2"] {
//!     pos.play(text.parse()?)?;
//! }
//! assert!(pos.play("d6".parse()?).is_err(), "a man stands there, so nothing changes");
//! println!("{pos:#}");
//!
//! // The best move of a search.
//! let mut engine = Engine::new()?;
//! let limits = Limits { nodes: Some(1_000), ..Limits::default() };
//! let result = engine.search(&pos, limits)?;
//! assert!(result.best.is_some_and(|m| pos.is_legal(m)));
//!
//! // Perfect play by the tablebase that is built in: here both sides fly, and White to move closes a mill.
//! let mut tablebase = Tablebase::new(&Rules::NINE)?;
//! tablebase.add_embedded()?;
//! let fen = "O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
//! let endgame = Position::from_fen(&Rules::NINE, fen)?;
//! assert_eq!(tablebase.probe(&endgame)?, Some(Wdl::Win));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Position::play`] refuses illegal moves. [`Position::do_move`] trusts its caller, for programs that play
//! millions of generated moves.
//!
//! Positions, moves, points, colours and rules are written by `Display`, read by `FromStr`, and pass through
//! `serde` as the same text. That of a lost game does not name the loser, so what is read back may differ; a
//! [`GameRecord`] keeps the result. Limits, results, scores, game records, tablebase values and the enums in
//! them pass through it by their fields and names; settings and errors do not.
//!
//! This file declares the modules and names the public items; it may use every module. The modules stand in
//! layers: a module may use the modules above it in this list and the packages in `Cargo.toml`.
//! `docs/architecture.md` explains them, and says to which feature each module and its packages belong.

// Without the feature `cli`, some code has no user: verifying tablebases, fitting the network.
#![cfg_attr(any(loom, not(feature = "cli")), allow(dead_code, unreachable_pub, unused_imports))]

// The attribute of tests in Node; see docs/web-engine.md.
#[cfg(all(test, target_arch = "wasm32"))]
#[macro_use]
extern crate millstone_wasm_test;

mod platform;

pub mod types;

pub mod bitboard;
mod params;

pub mod rules;
mod tt;

pub mod position;

pub mod evaluate;
pub mod movegen;
pub mod notation;

pub mod record;
pub mod tablebase;

pub mod certificate;

pub mod search;

pub mod engine;

#[cfg(all(feature = "protocol", not(loom)))]
mod dialect;

#[cfg(all(feature = "protocol", not(loom)))]
mod tools;

#[cfg(all(feature = "protocol", not(loom)))]
mod uci;

#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
mod wasm;

#[cfg(all(feature = "cli", not(loom)))]
mod cli;

pub use bitboard::Bitboard;
pub use engine::Engine;
pub use movegen::MoveList;
pub use position::{Action, Outcome, Phase, Position, PositionError, Reason};
pub use record::GameRecord;
pub use rules::Rules;
pub use search::{BestMove, Limits, Score};
pub use tablebase::{Tablebase, Wdl};
pub use types::{Color, Move, MoveKind, Square, Value};

/// The parts that the program, the tests and the benchmarks of this project use.
///
/// They are not a public interface and change without notice.
#[doc(hidden)]
#[cfg(not(loom))]
pub mod internals {
    pub use crate::platform::mixing::mix;
    pub use crate::platform::{allocator, cpu};
    pub use crate::position::check::{check, inner_state};
    pub use crate::search::Pool;
    pub use crate::search::report::wait;
    pub use crate::search::root_moves::root_moves;
    pub use crate::tablebase::format::{board, file, folder, game, header, manifest, write};
    pub use crate::tablebase::probe::{despite_damage, malom, source};
    pub use crate::tablebase::solve::{build, pair, units};
    pub use crate::tt::{TranspositionTable, TtEntry};

    #[cfg(feature = "cli")]
    pub use crate::platform::pipe;
    #[cfg(feature = "cli")]
    pub use crate::tools::{matches, proof, tb};
    #[cfg(feature = "cli")]
    pub use crate::{cli::main, tools::bench, uci::run};
}
