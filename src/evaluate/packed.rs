//! The networks that come with the engine, as `millstone tune` writes them.
//!
//! They are built into the program. In browsers only that of the standard game is, and the others are files,
//! which are fetched when their rules are chosen: the engine for browsers shall be small.

use crate::rules::Rules;
#[cfg(target_arch = "wasm32")]
use std::sync::OnceLock;

/// A network that comes with the engine.
pub(super) struct PackedNetwork {
    /// The rules that it was fitted to.
    pub rules: Rules,
    /// The name of its file, without `.bin`.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub name: &'static str,
    /// The bytes, if they are part of the program.
    built_in: Option<&'static [u8]>,
    /// The bytes, once they have been fetched.
    #[cfg(target_arch = "wasm32")]
    fetched: OnceLock<Vec<u8>>,
}

/// The bytes of a network that is part of the program, except in browsers.
#[cfg(not(target_arch = "wasm32"))]
macro_rules! bytes_of {
    ($name:literal) => {
        Some(include_bytes!(concat!("networks/", $name, ".bin")))
    };
}

#[cfg(target_arch = "wasm32")]
macro_rules! bytes_of {
    ("nine") => {
        Some(include_bytes!("networks/nine.bin"))
    };
    ($name:literal) => {
        None
    };
}

macro_rules! packed {
    ($rules:ident, $name:tt) => {
        PackedNetwork {
            rules: Rules::$rules,
            #[cfg(any(test, target_arch = "wasm32"))]
            name: $name,
            built_in: bytes_of!($name),
            #[cfg(target_arch = "wasm32")]
            fetched: OnceLock::new(),
        }
    };
}

/// The networks: of the standard game, the other named rule sets, ten men a side, and Morabaraba without its
/// rule about repeated mills.
///
/// Among networks that are equally near to a game the first one counts, so those fitted to exact values come
/// first.
pub(super) static NETWORKS: [PackedNetwork; 15] = [
    packed!(NINE, "nine"),
    packed!(TWELVE, "twelve"),
    packed!(MORABARABA_FREE, "morabaraba-free"),
    packed!(DOOZ, "dooz"),
    packed!(LASKER, "lasker"),
    packed!(NERENCHI, "nerenchi"),
    packed!(MUL_MULAN, "mul-mulan"),
    packed!(EL_FILJA, "el-filja"),
    packed!(TEN_MEN, "ten-men"),
    packed!(MORABARABA, "morabaraba"),
    packed!(RUSSIAN, "russian"),
    packed!(CHAM_GONU, "cham-gonu"),
    packed!(ZHI_QI, "zhi-qi"),
    packed!(CHENG_SAN_QI, "cheng-san-qi"),
    packed!(DA_SAN_QI, "da-san-qi"),
];

/// The place of the network of the standard game.
pub(super) const NINE: usize = 0;
/// The place of the network of Nerenchi.
pub(super) const NERENCHI: usize = 5;

impl PackedNetwork {
    /// Returns the bytes; `None` until they have been fetched.
    pub(super) fn bytes(&'static self) -> Option<&'static [u8]> {
        #[cfg(target_arch = "wasm32")]
        if let Some(bytes) = self.fetched.get() {
            return Some(bytes);
        }
        self.built_in
    }

    /// Takes the bytes, for good. A second call has no effect.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn provide(&self, bytes: Vec<u8>) {
        self.fetched.get_or_init(|| bytes);
    }
}
