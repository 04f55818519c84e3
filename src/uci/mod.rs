//! The UCI loop: the session (`session.rs`) answers the lines of a client and the reports of a search, with
//! threads (`serve.rs`) or without (`single.rs`). Uses `tools` and the modules above it.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analysis;
mod answer;
#[cfg_attr(target_arch = "wasm32", path = "background_wasm.rs")]
mod background;
mod background_report;
#[cfg_attr(target_arch = "wasm32", path = "client_pipe_wasm.rs")]
mod client_pipe;
#[cfg(target_arch = "wasm32")]
mod delay;
mod error;
mod experience;
mod help;
#[cfg(not(target_arch = "wasm32"))]
mod input;
mod line;
mod logical;
mod logical_turn;
mod output;
mod query;
mod search;
#[cfg(not(target_arch = "wasm32"))]
mod serve;
mod session;
#[cfg(target_arch = "wasm32")]
mod single;
#[cfg(not(target_arch = "wasm32"))]
mod start;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
mod waiting;

pub(crate) use error::SessionError;
#[cfg(target_arch = "wasm32")]
pub(crate) use single::{LineSession, Progress};
#[cfg(not(target_arch = "wasm32"))]
pub use start::run;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use start::serve;
