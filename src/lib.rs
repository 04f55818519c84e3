//! Millstone, an engine for Mill (Nine Men's Morris, Mühle, Morabaraba, Lasker Morris and their family).
//!
//! The modules stand in layers, each using only those above it in this list; `docs/architecture.md` explains them.

#![cfg_attr(loom, allow(dead_code, unused_imports))]

mod memory;
pub mod regular_file;
pub mod sync;
pub mod types;
pub mod whole_file;

pub mod bitboard;
pub mod params;

pub mod rules;
pub mod zobrist;

pub mod position;

pub mod movegen;
pub mod notation;
pub mod record;

pub mod tablebase;

pub mod history;
pub mod movepick;

pub mod evaluate;
pub mod style;

pub mod tt;

pub mod limits;

pub mod levels;
pub mod timeman;

pub mod search;

pub mod threads;

pub mod experience;

pub mod options;

pub mod engine;

#[cfg(not(loom))]
pub mod tools;

#[cfg(not(loom))]
pub mod protocol;

#[cfg(not(loom))]
pub mod cli;
pub mod cpu;
