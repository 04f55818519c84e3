//! The lines that wait for the command before them to end.

use super::line::InputLine;
use std::collections::VecDeque;

/// A line that waits.
pub(super) struct WaitingLine {
    /// The line.
    pub(super) line: InputLine,
    /// True if `stop` came after it: the search it starts is ended at once.
    pub(super) is_stopped: bool,
    /// True if `ponderhit` came after it.
    pub(super) is_hit: bool,
}

/// The lines that wait, in their order.
#[derive(Default)]
pub(super) struct Waiting(VecDeque<WaitingLine>);

impl Waiting {
    /// Adds a line.
    pub(super) fn push(&mut self, line: InputLine) {
        self.0.push_back(WaitingLine { line, is_stopped: false, is_hit: false });
    }

    /// Takes the next line.
    pub(super) fn pop(&mut self) -> Option<WaitingLine> {
        self.0.pop_front()
    }

    /// Returns the first word of the next line.
    pub(super) fn next_word(&self) -> Option<String> {
        Some(self.0.front()?.line.word())
    }

    /// Returns true if no line waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Records a `stop`, which ends every search sent before it.
    pub(super) fn stop(&mut self) {
        self.0.iter_mut().for_each(|waiting| waiting.is_stopped = true);
    }

    /// Records a `ponderhit` for the latest `go`. Returns false if no `go` waits.
    pub(super) fn ponderhit(&mut self) -> bool {
        let latest = self.0.iter_mut().rev().find(|waiting| waiting.line.word() == "go");
        latest.map(|waiting| waiting.is_hit = true).is_some()
    }
}
