//! The sides that a certificate is for.

use crate::types::Color;
use std::fmt;

/// The sides that follow a certificate. In the moving phase both play the same game, and share its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// White.
    White,
    /// Black.
    Black,
    /// Each side, in games of its own.
    Both,
}

impl Sides {
    /// All, in the order of their numbers in files.
    pub const ALL: [Self; 3] = [Self::White, Self::Black, Self::Both];

    /// Returns true if a side is one of these.
    pub fn contains(self, side: Color) -> bool {
        match self {
            Self::White => side == Color::White,
            Self::Black => side == Color::Black,
            Self::Both => true,
        }
    }

    /// Returns the name: `white`, `black` or `both`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
            Self::Both => "both",
        }
    }
}

impl fmt::Display for Sides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
