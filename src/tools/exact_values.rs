//! Opening the tablebases of a command, and exact values for perfect opponents and annotations.

use super::error::ToolError;
use super::files::eprint_line;
use crate::position::Position;
use crate::rules::Rules;
use crate::tablebase::{Found, Tablebase, TablebaseError, Wdl};
use crate::types::Move;
use std::path::PathBuf;

/// Bytes of the cache for decoded blocks of each folder.
const CACHE_BYTES: usize = 256 << 20;

/// Opens the tablebase of a command: folders, and with `embedded` the built-in files.
///
/// Notes tell which files cannot be used.
///
/// # Errors
/// If the rules are not supported, a folder cannot be read, or there are no files.
pub(crate) fn open(rules: &Rules, folders: &[PathBuf], embedded: bool) -> Result<Tablebase, ToolError> {
    let mut tablebase = Tablebase::new(rules)?;
    let mut refused = Vec::new();
    for folder in folders {
        refused.extend(tablebase.add_folder(folder, CACHE_BYTES)?);
    }
    if embedded {
        tablebase.add_embedded()?;
    }
    if tablebase.is_empty() {
        // The error says so itself.
        refused.retain(|error| !matches!(error, TablebaseError::NoFiles(_)));
        let (folder, rules) = (folders.first().cloned(), Box::new(*rules));
        return Err(ToolError::NoUsableFile { folder, rules, refused });
    }
    refused.iter().for_each(|why| eprint_line(format_args!("note: {why}")));
    Ok(tablebase)
}

/// Opens the tablebases of `folders`; `None` if there is no folder.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_folders(folders: &[PathBuf], rules: &Rules) -> Result<Option<Tablebase>, ToolError> {
    (!folders.is_empty()).then(|| open(rules, folders, false)).transpose()
}

/// Opens the built-in tablebase; `None` if it has nothing for the rules.
///
/// # Errors
/// If the built-in bytes are damaged.
pub(crate) fn built_in(rules: &Rules) -> Result<Option<Tablebase>, ToolError> {
    let Ok(mut tablebase) = Tablebase::new(rules) else { return Ok(None) };
    tablebase.add_embedded()?;
    Ok((!tablebase.is_empty()).then_some(tablebase))
}

/// Returns the result of a won or lost position, except where it is known to take so long that the draw
/// by move count may come first.
///
/// # Errors
/// If a tablebase file is damaged.
pub(crate) fn decided(exact: &Tablebase, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
    let found = exact.probe_distance(pos)?.filter(|found| found.wdl != Wdl::Draw);
    // The stricter limit may begin with the next take, and the draw comes before the loss of a blocked
    // side.
    let limit = u32::from(pos.compiled().endgame_n_move);
    let in_time = |found: &Found| found.plies.is_none_or(|plies| pos.move_counter() + plies < limit);
    Ok(found.filter(in_time).map(|found| found.wdl))
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
        let exact = built_in(&Rules::NINE).unwrap().unwrap();
        let at = |rules: &Rules, move_counter: u32| {
            let text = format!(
                "@*******/*****@*O/*OO**@*@ w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 {move_counter} 1 ids:nodes"
            );
            Position::from_fen(rules, &text).unwrap()
        };
        let plies = exact.probe_distance(&at(&Rules::NINE, 0)).unwrap().unwrap().plies.unwrap();
        assert!((2..80).contains(&plies), "{plies}");
        let decided =
            |rules: &Rules, move_counter: u32| super::decided(&exact, &at(rules, move_counter)).unwrap();
        assert_eq!(decided(&Rules::NINE, 99 - plies), Some(Wdl::Win));
        assert_eq!(decided(&Rules::NINE, 100 - plies), None);
        // With three men another limit holds.
        let early = Rules { endgame_n_move_rule: plies as u16, ..Rules::NINE };
        assert_eq!(decided(&early, 0), None);
        let later = Rules { endgame_n_move_rule: plies as u16 + 1, ..Rules::NINE };
        assert_eq!(decided(&later, 0), Some(Wdl::Win));
    }
}
