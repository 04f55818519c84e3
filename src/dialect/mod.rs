//! The five dialects of the protocol: `command.rs` reads a line, `writer.rs` has the trait of a dialect, and
//! one file each holds the rest. The server (`uci`) and the client of a match (`tools/matches`) use the same
//! readers and writers. Uses `engine` and the modules above it.

pub(crate) mod client;
pub(crate) mod command;
pub(crate) mod error;
pub(crate) mod gbgp;
mod identity;
pub(crate) mod option;
pub(crate) mod sanmill7;
pub(crate) mod standard;
pub(crate) mod state;
pub(crate) mod strict;
pub(crate) mod text;
pub(crate) mod tgf;
pub(crate) mod ugi;
pub(crate) mod writer;

use writer::Dialect;

/// All dialects; the first of each family is the one that its handshake starts.
pub(crate) static DIALECTS: &[&dyn Dialect] =
    &[&standard::Standard, &sanmill7::Sanmill7, &tgf::Tgf, &gbgp::Gbgp, &ugi::Ugi];

/// Returns the dialect with this name.
pub(crate) fn by_name(name: &str) -> Option<&'static dyn Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name() == name)
}
