//! The functions that JavaScript calls: a session, games, the tablebase. Uses every module but `cli`.
//!
//! Values pass as numbers, texts, or JSON. `web/engine` wraps these functions; `docs/web-engine.md` describes
//! them.

mod error;
mod game;
mod library;
mod session;
mod tablebase;
