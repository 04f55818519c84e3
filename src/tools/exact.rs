//! Exact values of moves from tablebases, for suites, perfect opponents and annotations.

use super::error::ToolError;
use super::files::eprint_line;
use crate::position::Position;
use crate::rules::Rules;
use crate::tablebase::{Found, Tablebase, TablebaseError, Wdl};
use crate::types::Move;
use std::path::PathBuf;

/// Bytes of the cache for decoded blocks of each folder.
const CACHE_BYTES: usize = 256 << 20;

/// A tablebase as the tools probe it.
pub struct Exact {
    tablebase: Tablebase,
}

impl Exact {
    /// Opens the tablebases of `folders`; `None` if there is no folder.
    ///
    /// # Errors
    /// If a folder cannot be read or holds no tablebase file for the rules.
    pub fn open(folders: &[PathBuf], rules: &Rules) -> Result<Option<Self>, ToolError> {
        let Some(first) = folders.first() else { return Ok(None) };
        let mut tablebase = Tablebase::new(rules)?;
        for folder in folders {
            let refused = tablebase.add_folder(folder, CACHE_BYTES)?;
            refused.iter().for_each(|why| eprint_line(format_args!("note: {why}")));
        }
        if tablebase.is_empty() {
            return Err(ToolError::NoTablebase { folder: first.clone(), rules: Box::new(*rules) });
        }
        Ok(Some(Self { tablebase }))
    }

    /// Opens the built-in tablebase; `None` if it has nothing for the rules.
    ///
    /// # Errors
    /// If the built-in bytes are damaged.
    pub fn built_in(rules: &Rules) -> Result<Option<Self>, ToolError> {
        let Ok(mut tablebase) = Tablebase::new(rules) else { return Ok(None) };
        tablebase.add_embedded()?;
        Ok((!tablebase.is_empty()).then_some(Self { tablebase }))
    }

    /// Returns the value of a position for the side to move; `None` if it is unknown.
    ///
    /// Draws by counters are ignored.
    ///
    /// # Errors
    /// If a tablebase file is damaged.
    pub fn value(&self, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
        self.tablebase.probe(pos)
    }

    /// Returns the value of a position that is won or lost, if the game can be counted as such: not if the
    /// draw by move count may come before its end.
    ///
    /// # Errors
    /// As [`Exact::value`].
    pub(crate) fn decided(&self, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
        let found = self.tablebase.probe_distance(pos)?.filter(|found| found.wdl != Wdl::Draw);
        let in_time = |found: &Found| found.plies.is_none_or(|plies| plies <= pos.quiet_moves_left());
        Ok(found.filter(in_time).map(|found| found.wdl))
    }

    /// Returns the tablebase.
    pub fn tablebase(&self) -> &Tablebase {
        &self.tablebase
    }

    /// Returns every legal move with its value for the side that makes it.
    ///
    /// `None` if the game is over or a value is unknown. A move that ends the game has the value of that end,
    /// draws by counters included.
    ///
    /// # Errors
    /// As [`Exact::value`].
    pub fn moves(&self, pos: &Position) -> Result<Option<Vec<(Move, Wdl)>>, TablebaseError> {
        self.tablebase.move_results(pos)
    }
}

/// Returns the best value in a list, and the moves that have it.
pub(crate) fn best(values: &[(Move, Wdl)]) -> Option<(Wdl, Vec<Move>)> {
    let best = values.iter().map(|&(_, value)| value).max()?;
    Some((best, values.iter().filter(|&&(_, value)| value == best).map(|&(m, _)| m).collect()))
}
