//! `tb embed`: files of a folder as one file, in the form of the built-in tables.

use crate::platform::files::write_whole;
use crate::platform::text::quoted;
use crate::rules::Rules;
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::parse_name;
use crate::tablebase::probe::embedded;
use crate::tablebase::{SolvedGame, TablebaseError};
use crate::tools::error::{Place, ToolError};
use crate::tools::files::check_writable;
use std::path::Path;

/// Packs files of a folder into one container; returns its length.
///
/// # Errors
/// If a file is missing, damaged, of other rules or of another sector than its name says, if one is named
/// twice, or if `out` cannot be written or is a file that is no container.
pub fn embed(rules: &Rules, path: &Path, out: &Path, names: &[String]) -> Result<u64, ToolError> {
    check_writable(out)?;
    let game = SolvedGame::new(rules)?;
    if out.exists() && !embedded::is_container(out)? {
        return Err(ToolError::unexpected(out, "another file", "a new name, or a file that tb embed wrote"));
    }
    let mut files = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let wrong = |found, expected| ToolError::unexpected(Place::Argument("FILE"), found, expected);
        let file = parse_name(name).ok_or_else(|| wrong(quoted(name), "a name such as 3_3_0_0.wdl"))?;
        if names[..number].contains(name) {
            return Err(wrong(format!("{name} twice"), "each file once"));
        }
        files.push(TbFile::open_in(path, &game, file.0, file.1)?);
    }
    let bytes = embedded::join(&files)?;
    write_whole(out, &bytes).map_err(TablebaseError::io("write", out))?;
    Ok(bytes.len() as u64)
}
