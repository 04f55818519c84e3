//! The client where there are no threads: it fetches the lines of the session between two slices of work.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

/// The client. Clones share the lines.
#[derive(Clone, Default)]
pub(super) struct ClientPipe(Rc<RefCell<String>>);

impl ClientPipe {
    /// Adds one line.
    ///
    /// # Errors
    /// Never.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        let mut lines = self.0.borrow_mut();
        lines.push_str(text);
        lines.push('\n');
        Ok(())
    }

    /// Does nothing.
    ///
    /// # Errors
    /// Never.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Returns the lines since the last call, each with its end.
    pub(super) fn take(&self) -> String {
        self.0.take()
    }
}
