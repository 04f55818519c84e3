//! Text files and the standard streams.

use super::error::{Place, ToolError};
use crate::platform::files::{self, WholeFile};
use crate::platform::pipe;
use crate::platform::text::{BYTE_ORDER_MARK, counted, printable, printable_lines};
use crate::record::{self, ReadOptions, Reading};
use std::fmt;
use std::fs::File;
use std::io::{self, Stdin, Stdout, Write as _};
use std::path::{Path, PathBuf};

/// The maximum size in bytes of a file with games or positions: about 100,000 games.
pub(crate) const LONGEST_GAMES: u64 = 256 << 20;

/// Returns an input path as messages name it, with words in place of `-`.
pub(crate) fn shown_input(path: &Path) -> &Path {
    if files::is_dash(path) { Path::new("standard input") } else { path }
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// If the file cannot be read, or has more than `most` bytes.
pub(crate) fn read_bytes(path: &Path, most: u64) -> Result<Vec<u8>, ToolError> {
    let read = if files::is_dash(path) {
        pipe::input().and_then(|input| files::read_whole(input.lock(), most, 0))
    } else {
        // A pipe, such as the shell's `<(command)`, has no length.
        let open = |path: &Path| {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            files::read_whole(file, most, length)
        };
        open(path)
    };
    read.map_err(ToolError::io(shown_input(path)))
}

/// Reads a text file, or standard input for `-`, as [`text_of`] does. Leaves out a byte-order mark at its
/// beginning.
///
/// # Errors
/// As [`read_bytes`].
pub(crate) fn read_text(path: &Path, most: u64) -> Result<String, ToolError> {
    let mut bytes = read_bytes(path, most)?;
    if bytes.starts_with(BYTE_ORDER_MARK.as_bytes()) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|why| text_of(why.as_bytes())))
}

/// Reads the games of a text file, or of standard input for `-`.
///
/// # Errors
/// As [`read_text`]. Games that cannot be read are part of the reading.
pub(crate) fn read_games(path: &Path, options: &ReadOptions) -> Result<Reading, ToolError> {
    // A name may be as long as the file, and so the text is not kept longer than it is needed.
    let text = read_text(path, LONGEST_GAMES)?;
    Ok(record::read(&shown_input(path).display().to_string(), &text, options))
}

/// Returns the text of a file. Bytes that are not UTF-8 are read as ISO 8859-1, the characters of old PGN
/// files.
pub(crate) fn text_of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    text
}

/// Prints the notes of a reading.
pub(crate) fn report_notes(reading: &Reading) {
    reading.notes.iter().for_each(|note| eprint_line(format_args!("note: {note}")));
}

/// Prints the notes and the errors of a reading.
pub(crate) fn report_faults(reading: &Reading) {
    report_notes(reading);
    reading.errors.iter().for_each(|error| eprint_line(format_args!("error: {error}")));
}

/// Replaces a file in one step, so that an older file of this name is never damaged. Deletes the temporary
/// files of runs that were killed in this step.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), ToolError> {
    files::remove_leftovers_of(path);
    files::write_whole(path, bytes).map_err(ToolError::io(path))
}

/// Checks that a file can be written. Tools call it before long work whose result goes there.
///
/// # Errors
/// If its folder is missing or not writable, or the name belongs to something other than a file.
pub(crate) fn check_writable(path: &Path) -> Result<(), ToolError> {
    WholeFile::create(path).map(drop).map_err(ToolError::io(path))
}

/// Locks `PATH.lock` until the returned file is closed. A long job whose file is replaced again and again
/// calls it, so that no other run writes the same file.
///
/// # Errors
/// If another run has locked it, or it cannot be opened, or `path` is no place for a file.
pub(crate) fn lock_beside(path: &Path) -> Result<File, ToolError> {
    files::check_target(path).map_err(ToolError::io(path))?;
    // A link and the file that it leads to have one lock.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = files::with_ending(&target, ".lock");
    let file = files::open_lock_file(&name).map_err(ToolError::io(&name))?;
    if files::is_locked_elsewhere(&file) {
        return Err(ToolError::io(path)(files::busy()));
    }
    Ok(file)
}

/// Returns standard input.
///
/// # Errors
/// If it is closed, or cannot be read.
pub(crate) fn stdin() -> Result<Stdin, ToolError> {
    pipe::input().map_err(ToolError::io(Place::StandardInput))
}

/// Returns standard output.
///
/// # Errors
/// If it is closed, or cannot be written.
pub(crate) fn stdout() -> Result<Stdout, ToolError> {
    pipe::output().map_err(ToolError::io(Place::StandardOutput))
}

/// Checks that standard output is open. Tools call it before long work whose result goes there.
///
/// # Errors
/// As [`stdout`].
pub(crate) fn check_stdout() -> Result<(), ToolError> {
    stdout().map(drop)
}

/// The maximum length of a line of a message.
const LONGEST_LINE: usize = 4_000;
/// The maximum number of lines of a message. `tb verify` lists its faults in one message.
const MOST_LINES: usize = 10_000;

/// Writes a message to standard error, made printable and short, and ignores errors.
pub(crate) fn eprint_line(message: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", printable_message(&message.to_string()));
}

/// Returns a message of one line or several that is safe on a terminal, cut where it is very long.
pub(crate) fn printable_message(message: &str) -> String {
    let lines = message.lines().take(MOST_LINES).map(|line| printable(line, LONGEST_LINE));
    lines.collect::<Vec<_>>().join("\n")
}

/// Checks that the file `path` is not the file `other` too, by links either. `found` says what that one is.
///
/// # Errors
/// If it is.
pub(crate) fn check_other(
    path: &Path,
    other: Option<&Path>,
    found: &str,
    expected: &str,
) -> Result<(), ToolError> {
    if other.is_some_and(|other| files::is_same(path, other)) {
        return Err(ToolError::unexpected(path, found, expected));
    }
    Ok(())
}

/// Checks that `output` does not overwrite the file `input` if that has `broken` games, which would be lost.
///
/// # Errors
/// If it would.
pub(crate) fn check_kept(input: &Path, output: Option<&Path>, broken: usize) -> Result<(), ToolError> {
    if broken == 0 || !is_replaced(input, output) {
        return Ok(());
    }
    let found = format!("{}, which the output would not have whole", counted(broken, "broken game"));
    Err(ToolError::unexpected(shown_input(input), found, "another --output, or --force to lose them"))
}

/// Returns true if `output` is the file `input`, by links too. Standard input may be a file.
pub(crate) fn is_replaced(input: &Path, output: Option<&Path>) -> bool {
    let source = if files::is_dash(input) { Path::new("/dev/stdin") } else { input };
    output.is_some_and(|output| files::is_same(source, output))
}

/// Writes text to a file, or to standard output if `path` is `None`. On standard output control characters
/// are escaped.
///
/// # Errors
/// If that fails. A reader of standard output that has ended is not an error.
pub(crate) fn write_out(path: Option<&PathBuf>, text: &str) -> Result<(), ToolError> {
    if let Some(path) = path {
        return write_file(path, text.as_bytes());
    }
    if text.is_empty() {
        return Ok(());
    }
    unless_closed(pipe::output().and_then(|mut out| {
        out.write_all(printable_lines(text).as_bytes())?;
        out.flush()
    }))
}

/// Turns the result of writing to standard output into that of a tool. A broken pipe is not an error: the
/// reader has ended, as `head` does.
///
/// # Errors
/// If writing failed for another reason.
pub(crate) fn unless_closed(written: io::Result<()>) -> Result<(), ToolError> {
    match written {
        Err(cause) if cause.kind() != io::ErrorKind::BrokenPipe => {
            Err(ToolError::Io { place: Place::StandardOutput, cause })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_killed_runs_left_goes_when_the_file_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = std::time::SystemTime::now() - 2 * files::LEFTOVER_AGE;
        for (name, is_old) in [("games.pgn", true), ("games.pgn", false), ("other.pgn", true)] {
            let left = WholeFile::create(&folder.path().join(name)).expect("begun").abandon();
            if is_old {
                left.set_modified(old).expect("a time");
            }
        }
        write_file(&folder.path().join("games.pgn"), b"text").expect("written");
        let names = std::fs::read_dir(folder.path()).expect("a folder");
        let mut names: Vec<_> = names.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        // Another process may still write the new one.
        assert!(names.len() == 3 && names[0] == "games.pgn", "{names:?}");
        assert!(names[2].to_string_lossy().starts_with("other.pgn."), "{names:?}");
    }

    #[test]
    fn one_run_at_a_time_writes_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("spsa.json");
        let first = lock_beside(&path).expect("free");
        let error = lock_beside(&path).expect_err("in use");
        assert!(error.to_string().ends_with("spsa.json: another run is writing it"), "{error}");
        #[cfg(unix)]
        {
            std::fs::write(&path, "").expect("written");
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(&path, &link).expect("a link");
            lock_beside(&link).expect_err("in use under the other name too");
        }
        drop(first);
        lock_beside(&path).expect("free again");
    }
}
