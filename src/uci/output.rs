//! Writing lines: the only place that writes to the client, and the copy of the talk in a log.

use crate::dialect::text::tame;
use crate::platform::regular_file;
use crate::tools::files::tell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Whether a line is being written: a count that is odd meanwhile.
#[derive(Clone, Default)]
pub(super) struct Progress(Arc<AtomicU64>);

impl Progress {
    /// How long a client may leave a line unread after it has said `quit`.
    const PATIENCE: Duration = Duration::from_millis(40);

    fn step(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the process as soon as one line takes longer to write than a client that wants to quit may keep us
    /// waiting: it does not read any more, and the loop would wait for it forever. Called once `quit` has arrived.
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
            tell(format_args!("no thread to watch the output: {error}"));
        }
    }
}

/// Where lines go.
pub(super) struct Output<W> {
    to: W,
    log: Option<File>,
    progress: Progress,
}

impl<W: Write> Output<W> {
    /// Lines go to `to`.
    pub(super) fn new(to: W) -> Self {
        Self { to, log: None, progress: Progress::default() }
    }

    /// Tells another thread whether a line is being written.
    pub(super) fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Writes one line and flushes it.
    ///
    /// # Errors
    /// When nobody reads any more.
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

    /// Writes text for people behind `info string`.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.line(&format!("info string {}", tame(text)))
    }

    /// Appends the talk to a file from now on; to none if the name is empty.
    ///
    /// # Errors
    /// When the file cannot be opened; nothing is logged then.
    pub(super) fn log_to(&mut self, name: &str) -> io::Result<()> {
        self.log = None;
        if !name.is_empty() {
            regular_file::check(Path::new(name))?;
            self.log = Some(OpenOptions::new().append(true).create(true).open(name)?);
        }
        Ok(())
    }

    /// Puts a line into the log. A log that cannot be written, on a full disk say, is given up.
    pub(super) fn record(&mut self, mark: &str, text: &[u8]) {
        if let Some(log) = &mut self.log {
            let entry = [mark.as_bytes(), b" ", text, b"\n"].concat();
            if let Err(error) = log.write_all(&entry) {
                tell(format_args!("the log is given up: {error}"));
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
    fn words_that_clients_wait_for_are_broken() {
        assert_eq!(tame("x bestmove nobestmovebestmove y"), "x best-move nobest-movebest-move y");
        assert_eq!(tame("UCIOK readyok BestMove"), "UCIO-K read-yok Best-Move");
        assert_eq!(tame("analysis info  analysis"), "analysis info  anal-ysis");
        assert_eq!(tame("a\nb\u{1}\u{2660}\t…"), "a\\nb\\u{1}\\u{2660} ...");
        let tamed = tame("ucibestmoveok uciuciokok");
        assert!(!tamed.contains("bestmove") && !tamed.contains("uciok"));
    }

    #[test]
    fn each_line_is_written_whole() {
        let mut output = Output::new(Vec::new());
        output.line("readyok").unwrap();
        output.note("two\nlines").unwrap();
        assert_eq!(output.to, b"readyok\ninfo string two\\nlines\n");
    }
}
