//! Checks certificates, by which one side is said never to lose Nine Men's Morris. This program plays a
//! certificate against every defence, from the empty board to the end, and believes nothing but the rules.
//! It shares no code with the engine. Read `board.rs` first, then `walk.rs` and `open.rs`, then `index.rs`.

pub mod board;
pub mod certificate;
mod choose;
pub mod index;
mod open;
pub mod policy;
pub mod ribbon;
pub mod walk;
