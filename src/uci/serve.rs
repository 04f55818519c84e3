//! The loop of a session: waits for lines, for reports of the search, and for lines of background commands.

use super::error::SessionError;
use super::line::InputLine;
use super::session::{Activity, Session};
use crossbeam_channel::{Receiver, TryRecvError, at, never, select};
use std::io;
use std::time::Duration;

/// The time after `quit` in which a search has to end.
const LAST_MOMENT: Duration = Duration::from_millis(60);

impl Session {
    /// Serves the client until it quits or its input ends.
    ///
    /// # Errors
    /// If the input cannot be read or a line cannot be written.
    pub(super) fn run(&mut self, lines: &Receiver<io::Result<InputLine>>) -> Result<(), SessionError> {
        let (no_lines, no_reports, no_text) = (never(), never(), never());
        let ended = self.out.client().ended();
        let mut failure = None;
        loop {
            self.execute_waiting()?;
            if !self.is_open && matches!(self.activity, Activity::None) {
                return failure.map_or(Ok(()), |error| Err(SessionError::Input(error)));
            }
            // The channels are cloned because a message may replace the activity they belong to.
            let (reports, text, last_moment) = match &self.activity {
                Activity::None | Activity::Held(_) => (no_reports.clone(), no_text.clone(), never()),
                Activity::Search(search) => {
                    let last_moment = self.quit_at.map_or_else(never, |quit| at(quit + LAST_MOMENT));
                    (search.reports.clone(), no_text.clone(), last_moment)
                }
                // These lines were sent before the client could read the last report.
                Activity::Background(_) if self.is_open && !lines.is_empty() => {
                    (no_reports.clone(), no_text.clone(), never())
                }
                Activity::Background(command) => (no_reports.clone(), command.reports.clone(), never()),
            };
            select! {
                recv(if self.is_open { lines } else { &no_lines }) -> line => match line {
                    Ok(Ok(line)) => self.receive(line)?,
                    Ok(Err(error)) => {
                        failure = Some(error);
                        self.is_open = false;
                    }
                    Err(_) => self.is_open = false,
                },
                recv(reports) -> report => match report {
                    Ok(report) => self.handle_report(report)?,
                    Err(_) => self.lost_search("its thread failed")?,
                },
                recv(text) -> report => match report {
                    Ok(report) => {
                        report.write(&mut self.out)?;
                        // At once: the client may send more as soon as it has read the last line.
                        if report.is_last() {
                            self.activity = Activity::None;
                        }
                    }
                    Err(_) => self.activity = Activity::None,
                },
                recv(ended) -> _ => self.out.finish()?,
                recv(last_moment) -> _ => {
                    // If several channels are ready, one is chosen at random.
                    match reports.try_recv() {
                        Ok(report) => self.handle_report(report)?,
                        Err(TryRecvError::Disconnected) => self.lost_search("its thread failed")?,
                        Err(TryRecvError::Empty) => {
                            self.is_stuck = true;
                            self.lost_search("it does not end")?;
                            return Ok(());
                        }
                    }
                }
            }
        }
    }
}
