//! The output to the client, and the log of all lines read and written.

use super::client_pipe::ClientPipe;
use crate::dialect::text::tame;
use crate::platform::files;
use crate::platform::text::printable;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::Path;

/// The maximum length of a message in characters.
const LONGEST_NOTE: usize = 3_000;

/// The output to the client, and the log.
pub(super) struct Output {
    client: ClientPipe,
    log: Option<File>,
}

impl Output {
    /// Returns an output without a log.
    pub(super) fn new(client: ClientPipe) -> Self {
        Self { client, log: None }
    }

    /// Returns the way to the client.
    pub(super) fn client(&self) -> &ClientPipe {
        &self.client
    }

    /// Writes one line.
    ///
    /// # Errors
    /// If the client has closed its end, or no longer reads after `quit`.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.client.line(text)?;
        self.record(MARKS[1], text.as_bytes());
        Ok(())
    }

    /// Waits until all lines are written.
    ///
    /// # Errors
    /// As for [`Output::line`].
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.client.finish()
    }

    /// Writes a message as `info string`.
    ///
    /// # Errors
    /// As for [`Output::line`].
    pub(super) fn note(&mut self, message: impl fmt::Display) -> io::Result<()> {
        self.line(&format!("info string {}", tame(&printable(&message.to_string(), LONGEST_NOTE))))
    }

    /// Writes an error in strict form. The object is one line of printable ASCII.
    ///
    /// # Errors
    /// As for [`Output::line`].
    pub(super) fn strict_error(&mut self, object: &serde_json::Value) -> io::Result<()> {
        self.line(&format!("info string sanmill_error {}", tame(&object.to_string())))
    }

    /// Appends all lines read and written to a file from now on; to none if the name is empty.
    ///
    /// # Errors
    /// If the file cannot be opened, or is not empty and not an earlier log. An open log stays open.
    pub(super) fn log_to(&mut self, name: &str) -> io::Result<()> {
        self.log = if name.is_empty() { None } else { Some(open_log(Path::new(name))?) };
        Ok(())
    }

    /// Writes a line that was read to the log.
    pub(super) fn record_input(&mut self, text: &[u8]) {
        self.record(MARKS[0], text);
    }

    /// Writes a line to the log. A log that cannot be written, for example on a full disk, is closed.
    fn record(&mut self, mark: &str, text: &[u8]) {
        if let Some(log) = &mut self.log {
            let entry = [mark.as_bytes(), b" ", text, b"\n"].concat();
            if let Err(error) = log.write_all(&entry) {
                let _ = writeln!(io::stderr(), "the log is given up: {error}");
                self.log = None;
            }
        }
    }
}

/// The marks before a line that was read and one that was written.
const MARKS: [&str; 2] = [">>", "<<"];

/// Opens a log to append to.
///
/// # Errors
/// If the system refuses, or the file is neither empty nor begins as a log does. It stays as it is then.
fn open_log(path: &Path) -> io::Result<File> {
    let log = files::open_log(path)?;
    let mut begin = Vec::new();
    (&log).take(16).read_to_end(&mut begin)?;
    let is_log =
        begin.is_empty() || MARKS.iter().any(|mark| begin.starts_with(format!("{mark} ").as_bytes()));
    if !is_log {
        let found = printable(&String::from_utf8_lossy(&begin), 16);
        let why = format!("it begins with '{found}', a log with '>> ' or '<< '");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(log)
}
