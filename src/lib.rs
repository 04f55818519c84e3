//! Millstone, an engine for Mill (Nine Men's Morris, Mühle, Morabaraba, Lasker Morris and their family).
//!
//! The modules stand in layers, each using only those above it in this list; `docs/architecture.md` explains them.
//! The last four make the program. They are behind the default feature `cli`, with the packages that only they need.

#![cfg_attr(loom, allow(dead_code, unused_imports))]

pub mod platform;

pub mod types;

pub mod bitboard;
pub mod params;

pub mod rules;
pub mod tt;

pub mod position;

pub mod evaluate;
pub mod movegen;
pub mod notation;

pub mod record;
pub mod tablebase;

pub mod search;

pub mod engine;

#[cfg(all(feature = "cli", not(loom)))]
pub(crate) mod dialect;

#[cfg(all(feature = "cli", not(loom)))]
pub mod tools;

#[cfg(all(feature = "cli", not(loom)))]
pub mod uci;

#[cfg(all(feature = "cli", not(loom)))]
pub mod cli;
