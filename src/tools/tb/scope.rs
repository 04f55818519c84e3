//! The scope of a build: the positions to solve.

use crate::tablebase::format::folder::parse_name;
use crate::tablebase::solve::units::{Unit, units};
use crate::tablebase::{Sector, SolvedGame, TablebaseError, Unsupported};
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

impl Scope {
    /// Returns the units of work of this scope, each after those it depends on.
    ///
    /// # Errors
    /// If the scope has the placing phase and tablebases cannot represent it under these rules.
    pub fn units(self, game: &SolvedGame) -> Result<Vec<Unit>, TablebaseError> {
        let most = match self {
            Self::Men(most) => most,
            Self::Moving => 2 * game.men,
            Self::All => match game.placing_refused {
                Some(why) => {
                    let expected = "--scope moving";
                    return Err(TablebaseError::Unsupported(Unsupported::Placing { why, expected }));
                }
                None => return Ok(units(game)),
            },
        };
        Ok(game.pairs(most).into_iter().map(|(a, b)| Unit::moving(a, b)).collect())
    }
}

/// Returns the unit of a name: `9-8`, or `8_9_1_0` with men in hand.
///
/// A pair may have the name of either of its sectors.
///
/// # Errors
/// If the game has no such unit, or tablebases cannot represent its placing phase.
pub fn unit_by_name(game: &SolvedGame, name: &str) -> Result<Unit, TablebaseError> {
    let scope = if game.placing_refused.is_some() { Scope::Moving } else { Scope::All };
    let is_named = |unit: &Unit| {
        let moving = |sector: &Sector| format!("{}-{}", sector.own, sector.theirs);
        let is_sector =
            |sector: &Sector| name == sector.to_string() || sector.is_moving() && name == moving(sector);
        unit.sectors().iter().any(is_sector)
    };
    if let Some(unit) = scope.units(game)?.into_iter().find(is_named) {
        return Ok(unit);
    }
    let has_hands = || parse_name(&format!("{name}.wdl")).is_some_and(|(sector, _)| !sector.is_moving());
    Err(match game.placing_refused {
        Some(why) if has_hands() => {
            TablebaseError::Unsupported(Unsupported::Placing { why, expected: "a pair such as 4-3" })
        }
        _ => TablebaseError::NoUnit(name.to_owned()),
    })
}
