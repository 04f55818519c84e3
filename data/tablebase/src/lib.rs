//! The tablebase files that are built into [Millstone](https://docs.rs/millstone), as bytes. The crate
//! `millstone` reads them; its `docs/tables-format.md` describes the format. Uses no other crate.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// The container with the small sectors of Nine Men's Morris, made by `millstone tb embed`.
pub static CONTAINER: &[u8] = include_bytes!("container.bin");
