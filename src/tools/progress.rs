//! How far a long job is, on standard error: bars with the time left on a terminal, plain lines elsewhere.

use super::files::tell;
use indicatif::{FormattedDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::{Display, Write};
use std::time::Duration;

/// How far a job of equal parts is.
pub struct Progress(ProgressBar);

impl Progress {
    /// Of a job with so many parts.
    pub fn new(parts: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
        Self(with_style(bar, "[{bar:30}] {msg}, {left} left"))
    }

    /// Tells that so many parts are done and what there is to say about it: always on a terminal, as a line elsewhere
    /// if it `is_due`.
    pub fn show(&self, done: usize, is_due: bool, text: impl FnOnce() -> String) {
        if !self.0.is_hidden() {
            self.0.set_position(done as u64);
            self.0.set_message(text());
        } else if is_due {
            tell(text());
        }
    }

    /// A line that stays.
    pub fn note(&self, line: impl Display) {
        self.0.suspend(|| tell(line));
    }
}

/// Looks of a bar: those of `template`, with the time left as `{left}`.
pub(super) fn style(template: &str) -> ProgressStyle {
    // The templates are constants, and tests draw them.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("##.").with_key("left", left)
}

/// Gives a bar its looks. It goes on counting while its job does not report.
pub(super) fn with_style(bar: ProgressBar, template: &str) -> ProgressBar {
    let bar = bar.with_style(style(template));
    if !bar.is_hidden() {
        bar.enable_steady_tick(REDRAWN);
    }
    bar
}

/// How often bars are drawn.
const REDRAWN: Duration = Duration::from_millis(200);

/// Share of a job from which on the time it has taken says something about the rest.
const TELLING: f64 = 0.01;

/// How long a job takes on if it goes on as it has gone so far. The library looks at the last seconds only, in which a
/// level of the solver may not have ended.
fn left(state: &ProgressState, out: &mut dyn Write) {
    let share = f64::from(state.fraction());
    // Writing to a text cannot fail.
    let _ = match share < TELLING {
        true => out.write_char('?'),
        false => write!(out, "{}", FormattedDuration(state.elapsed().mul_f64((1.0 - share) / share))),
    };
}
