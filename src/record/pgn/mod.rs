//! Reads and writes game records in the common form, which follows chess PGN. PlayOK's records share its
//! reader. Uses `notation`, `types`, and `model`, `build`, `reading`, `tags` and `words` of `record`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod read;
mod scan;
mod syntax;
mod write;

pub(super) use read::read;
pub(super) use scan::{Scanner, Token};
pub(super) use syntax::{COMMON, PgnDialect};
pub(super) use write::write;
