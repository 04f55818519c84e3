//! A session where there are no threads: its caller hands over the lines, and gives it slices of time.

use super::client::ClientPipe;
use super::error::SessionError;
use super::line::InputLine;
use super::output::Output;
use super::session::{Activity, Session};
use crate::engine::Engine;
use crate::platform::clock::Instant;
use crate::search::Step;
use std::io;
use std::time::Duration;

/// The next need of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    /// A slice of time.
    Work,
    /// A slice of time once this much has passed, or a line.
    Wait(Duration),
    /// A line.
    Idle,
    /// Nothing: the client has quit.
    Over,
}

/// A session, and the lines it has written.
pub(crate) struct LineSession {
    session: Session,
    client: ClientPipe,
}

impl LineSession {
    /// Returns a session in the standard dialect.
    ///
    /// # Errors
    /// If memory is not available.
    pub(crate) fn new() -> Result<Self, SessionError> {
        let engine = Engine::new().map_err(SessionError::Start)?;
        let client = ClientPipe::default();
        Ok(Self { session: Session::new(engine, Output::new(client.clone())), client })
    }

    /// Takes a line of the client. It is executed now, or in a later slice if it has to wait.
    ///
    /// # Errors
    /// When a line cannot be written.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), SessionError> {
        if self.session.is_open {
            self.session.receive(InputLine::new(text))?;
            self.session.execute_waiting()?;
        }
        Ok(())
    }

    /// Ends the input: what has begun is finished.
    pub(crate) fn end(&mut self) {
        self.session.is_open = false;
    }

    /// Works for a slice of time.
    ///
    /// # Errors
    /// When a line cannot be written.
    pub(crate) fn advance(&mut self) -> Result<Progress, SessionError> {
        self.session.execute_waiting()?;
        let progress = self.session.advance()?;
        self.session.execute_waiting()?;
        Ok(match (&self.session.activity, progress) {
            (Activity::None, _) if !self.session.is_open => Progress::Over,
            (Activity::None, _) => Progress::Idle,
            // Another activity may have begun.
            (_, Progress::Over) => Progress::Work,
            (_, progress) => progress,
        })
    }

    /// Returns the lines written since the last call, each with its end.
    pub(crate) fn take_lines(&self) -> String {
        self.client.take()
    }

    /// Opens the built-in tables before the next search: they have just been provided.
    pub(crate) fn tables_arrived(&mut self) {
        self.session.engine.reopen_tablebase();
    }
}

impl Session {
    /// Works for a slice of time. Returns `Progress::Over` if the activity has ended.
    fn advance(&mut self) -> io::Result<Progress> {
        match &mut self.activity {
            Activity::None => Ok(Progress::Over),
            Activity::Search(search) => {
                let reports = search.reports.clone();
                let step = self.engine.advance();
                for report in reports.try_iter() {
                    self.handle_report(report)?;
                }
                match step {
                    Step::Paused => Ok(Progress::Work),
                    Step::Waiting(None) => Ok(Progress::Idle),
                    Step::Waiting(Some(end)) => {
                        Ok(Progress::Wait(end.saturating_duration_since(Instant::now())))
                    }
                    Step::Done => {
                        if let Activity::Search(search) = &self.activity
                            && search.reports.same_channel(&reports)
                        {
                            self.lost_search("it cannot begin")?;
                        }
                        Ok(Progress::Over)
                    }
                }
            }
            Activity::Background(command) => {
                let (lines, is_done) = command.advance();
                lines.iter().try_for_each(|line| self.out.line(line))?;
                if is_done {
                    self.activity = Activity::None;
                    return Ok(Progress::Over);
                }
                Ok(Progress::Work)
            }
        }
    }
}
