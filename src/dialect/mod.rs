//! The five dialects of the protocol: `command.rs` reads a line, `writer.rs` says what a dialect writes, and one file
//! each holds what is special to it. The loop of the server and the client of a match use the same readers and writers.

pub(crate) mod command;
pub(crate) mod gbgp;
pub(crate) mod sanmill7;
pub(crate) mod standard;
pub(crate) mod state;
pub(crate) mod text;
pub(crate) mod tgf;
pub(crate) mod ugi;
pub(crate) mod writer;
