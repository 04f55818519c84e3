//! Writes lines to the client, and keeps the log of all lines read and written.

use crate::dialect::text::tame;
use crate::platform::files;
use crate::tools::files::eprint_line;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A counter that is odd while a line is being written.
#[derive(Clone, Default)]
pub(super) struct WriteProgress(Arc<AtomicU64>);

impl WriteProgress {
    /// The time for writing a line after `quit`.
    const PATIENCE: Duration = Duration::from_millis(40);

    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the process as soon as a line takes longer to write than [`Self::PATIENCE`]. Called after `quit`:
    /// a client that no longer reads would block the loop forever.
    pub(super) fn end_when_stuck(&self) {
        let progress = self.clone();
        let watch = move || {
            loop {
                let before = progress.0.load(Ordering::Relaxed);
                std::thread::sleep(Self::PATIENCE);
                let is_stuck = before % 2 == 1 && progress.0.load(Ordering::Relaxed) == before;
                if is_stuck {
                    std::process::exit(0);
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("quit".to_owned()).spawn(watch) {
            eprint_line(format_args!("no thread to watch the output: {error}"));
        }
    }
}

/// The output to the client, and the log.
pub(super) struct Output<W> {
    to: W,
    log: Option<File>,
    progress: WriteProgress,
}

impl<W: Write> Output<W> {
    /// Returns an output that writes to `to`, without a log.
    pub(super) fn new(to: W) -> Self {
        Self { to, log: None, progress: WriteProgress::default() }
    }

    /// Returns the counter that shows to another thread if a line is being written.
    pub(super) fn progress(&self) -> WriteProgress {
        self.progress.clone()
    }

    /// Writes one line and flushes it.
    ///
    /// # Errors
    /// When the client has closed its end.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        self.progress.step();
        self.to.write_all(&bytes)?;
        self.to.flush()?;
        self.progress.step();
        self.record("<<", text.as_bytes());
        Ok(())
    }

    /// Writes a message as `info string`.
    ///
    /// # Errors
    /// When the client has closed its end.
    pub(super) fn note(&mut self, message: impl fmt::Display) -> io::Result<()> {
        self.line(&format!("info string {}", tame(&message.to_string())))
    }

    /// Writes an error in strict form. The object is one line of ASCII, its texts tamed.
    ///
    /// # Errors
    /// When the client has closed its end.
    pub(super) fn strict_error(&mut self, object: &serde_json::Value) -> io::Result<()> {
        self.note(format_args!("sanmill_error {object}"))
    }

    /// Appends all lines read and written to a file from now on; to none if the name is empty.
    ///
    /// # Errors
    /// When the file cannot be opened. Nothing is logged then.
    pub(super) fn log_to(&mut self, name: &str) -> io::Result<()> {
        self.log = None;
        if !name.is_empty() {
            files::check_regular(Path::new(name))?;
            self.log = Some(OpenOptions::new().append(true).create(true).open(name)?);
        }
        Ok(())
    }

    /// Writes a line to the log. A log that cannot be written, for example on a full disk, is closed.
    pub(super) fn record(&mut self, mark: &str, text: &[u8]) {
        if let Some(log) = &mut self.log {
            let entry = [mark.as_bytes(), b" ", text, b"\n"].concat();
            if let Err(error) = log.write_all(&entry) {
                eprint_line(format_args!("the log is given up: {error}"));
                self.log = None;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_written_whole() {
        let mut output = Output::new(Vec::new());
        output.line("readyok").unwrap();
        output.note("two\nlines").unwrap();
        assert_eq!(output.to, b"readyok\ninfo string two\\nlines\n");
    }
}
