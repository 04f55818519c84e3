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
            let (folder, rules) = (Some(first.clone()), Box::new(*rules));
            // The notes have told what is refused.
            return Err(ToolError::NoUsableFile { folder, rules, refused: Vec::new() });
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

    /// Returns the result of a won or lost position, except where it is known to take so long that the draw
    /// by move count may come first.
    ///
    /// # Errors
    /// As [`Exact::value`].
    pub(crate) fn decided(&self, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
        let found = self.tablebase.probe_distance(pos)?.filter(|found| found.wdl != Wdl::Draw);
        // The stricter limit may begin with the next take, and the draw comes before the loss of a blocked
        // side.
        let limit = u32::from(pos.compiled().endgame_n_move);
        let in_time = |found: &Found| found.plies.is_none_or(|plies| pos.quiet() + plies < limit);
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

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn a_win_that_the_move_count_may_forestall_decides_nothing() {
        let exact = Exact::built_in(&Rules::NINE).unwrap().unwrap();
        let at = |rules: &Rules, quiet: u32| {
            let text =
                format!("@*******/*****@*O/*OO**@*@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 {quiet} 1 ids:nodes");
            Position::from_fen(rules, &text).unwrap()
        };
        let plies = exact.tablebase().probe_distance(&at(&Rules::NINE, 0)).unwrap().unwrap().plies.unwrap();
        assert!((2..80).contains(&plies), "{plies}");
        let decided = |rules: &Rules, quiet: u32| exact.decided(&at(rules, quiet)).unwrap();
        assert_eq!(decided(&Rules::NINE, 99 - plies), Some(Wdl::Win));
        assert_eq!(decided(&Rules::NINE, 100 - plies), None);
        // With three men another limit holds.
        let early = Rules { endgame_n_move_rule: plies as u16, ..Rules::NINE };
        assert_eq!(decided(&early, 0), None);
        let later = Rules { endgame_n_move_rule: plies as u16 + 1, ..Rules::NINE };
        assert_eq!(decided(&later, 0), Some(Wdl::Win));
    }
}
