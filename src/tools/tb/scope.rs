//! The scope of a build: the positions to solve, and those of them for which distances are stored.

use crate::tablebase::solve::build::Unit;
use crate::tablebase::solve::placing;
use crate::tablebase::{SolvedGame, TablebaseError, Unsupported};
use std::fmt;
use std::str::FromStr;

/// The positions to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The moving phase with at most this many men on the board.
    Men(u8),
    /// The whole moving phase.
    Moving,
    /// The moving and the placing phase.
    All,
}

impl FromStr for Scope {
    type Err = TablebaseError;

    fn from_str(text: &str) -> Result<Self, TablebaseError> {
        match text {
            "moving" => Ok(Self::Moving),
            "all" => Ok(Self::All),
            _ => text
                .strip_suffix("-men")
                .and_then(|men| men.parse().ok())
                .filter(|men| (6..=24).contains(men))
                .map(Self::Men)
                .ok_or_else(|| TablebaseError::NoScope(text.to_owned())),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Men(men) => write!(f, "{men}-men"),
            Self::Moving => f.write_str("moving"),
            Self::All => f.write_str("all"),
        }
    }
}

/// The phases for which distances are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distances {
    /// No phase: win, draw and loss only.
    None,
    /// The moving phase.
    Moving,
    /// Both phases.
    All,
}

impl Distances {
    /// The name, as `--distances` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Moving => "moving",
            Self::All => "all",
        }
    }
}

impl Scope {
    /// Returns the units of work of this scope, each after those it depends on.
    ///
    /// # Errors
    /// If the scope has the placing phase and tablebases cannot represent it under these rules.
    pub fn units(self, game: &SolvedGame) -> Result<Vec<Unit>, TablebaseError> {
        let most = if let Self::Men(most) = self { most } else { 2 * game.men };
        let mut units: Vec<Unit> = game.pairs(most).into_iter().map(|(a, b)| Unit::Pair(a, b)).collect();
        if self == Self::All {
            if let Some(why) = game.placing_refused {
                return Err(TablebaseError::Unsupported(Unsupported::Placing(why)));
            }
            units.extend(placing::sectors(game).into_iter().map(Unit::Placing));
        }
        Ok(units)
    }
}

/// Returns the unit of a name: `9-8`, or `8_9_1_0` while placing.
///
/// # Errors
/// If the game has no such unit.
pub fn unit_by_name(game: &SolvedGame, name: &str) -> Result<Unit, TablebaseError> {
    let scope = if game.placing_refused.is_some() { Scope::Moving } else { Scope::All };
    let units = scope.units(game)?;
    let turned = name.split_once('-').map(|(a, b)| format!("{b}-{a}"));
    let moving = name.strip_suffix("_0_0").map(|pair| pair.replace('_', "-"));
    let names = [Some(name.to_owned()), turned, moving.clone()];
    let again = moving.and_then(|pair| pair.split_once('-').map(|(a, b)| format!("{b}-{a}")));
    units
        .into_iter()
        .find(|unit| names.iter().chain([&again]).flatten().any(|name| *name == unit.to_string()))
        .ok_or_else(|| TablebaseError::NoUnit(name.to_owned()))
}
