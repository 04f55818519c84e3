//! The certificate that is built into [Millstone](https://docs.rs/millstone), as bytes. A player of Nine
//! Men's Morris who follows it never loses. The crate `millstone` reads it; its `docs/certificates.md`
//! describes the format, and `docs/never-loses.md` the proof. Uses no other crate.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// The certificate of Nine Men's Morris for both sides, made by `millstone proof build`.
pub static NINE: &[u8] = include_bytes!("nine.mcert");
