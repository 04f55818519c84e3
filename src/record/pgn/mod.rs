//! Reads and writes game records in the common format, which follows chess PGN. PlayOK's records share its
//! reader. Uses `notation`, `types`, `platform`, and `model`, `build`, `numbering`, `reading`, `tags` and
//! `words` of `record`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod read;
mod scan;
mod syntax;
mod write;

pub(super) use read::read;
pub(super) use scan::{Scanner, Token};
pub(super) use syntax::{COMMON, PgnDialect};
#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use syntax::{is_derived_tag, is_tag_name};
pub(super) use write::write;
