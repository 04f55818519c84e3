//! The tablebase files of variants of Nine Men's Morris that are built into
//! [Millstone](https://docs.rs/millstone), as bytes. The crate `millstone` reads them; its
//! `docs/tables-format.md` describes the format. Uses no other crate.

#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// The container with the small sectors of nine men's morris without flying, made by `millstone tb embed`.
pub static NO_FLYING: &[u8] = include_bytes!("no-flying.bin");

/// The container with the small sectors of El Filja, made by `millstone tb embed`.
pub static EL_FILJA: &[u8] = include_bytes!("el-filja.bin");

/// The container with the small sectors of the game with ten men a side, made by `millstone tb embed`.
pub static TEN_MEN: &[u8] = include_bytes!("ten-men.bin");

/// The container with the small sectors of twelve men's morris, made by `millstone tb embed`.
pub static TWELVE: &[u8] = include_bytes!("twelve.bin");

/// The container with the small sectors of Morabaraba, made by `millstone tb embed`.
pub static MORABARABA: &[u8] = include_bytes!("morabaraba.bin");

/// The container with the small sectors of Morabaraba in which a mill may be closed again at once, made by
/// `millstone tb embed`.
pub static MORABARABA_FREE: &[u8] = include_bytes!("morabaraba-free.bin");

/// The container with the small sectors of Lasker Morris, made by `millstone tb embed`.
pub static LASKER: &[u8] = include_bytes!("lasker.bin");

/// The container with the small sectors of Nerenchi, made by `millstone tb embed`.
pub static NERENCHI: &[u8] = include_bytes!("nerenchi.bin");

/// The container with the small sectors of Mul-Mulan, made by `millstone tb embed`.
pub static MUL_MULAN: &[u8] = include_bytes!("mul-mulan.bin");

/// The container with the small sectors of Dooz, made by `millstone tb embed`.
pub static DOOZ: &[u8] = include_bytes!("dooz.bin");
