//! The progress of a long job on standard error: bars with the time left on a terminal, plain lines
//! elsewhere.

use super::files::{eprint_line, printable_message};
use indicatif::{FormattedDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use parking_lot::Mutex;
use std::fmt::{Display, Write};
use std::time::{Duration, Instant};

/// The progress of a job of equal parts.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// The time of the last line of [`Bar::show_every`].
    shown: Mutex<Instant>,
}

impl Bar {
    /// The usual time between two lines without a terminal.
    pub(crate) const INTERVAL: Duration = Duration::from_secs(10);

    /// Returns the bar of a job with `parts` parts.
    pub(crate) fn new(parts: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(parts as u64), ProgressDrawTarget::stderr());
        let bar = with_style(bar, "[{bar:30}] {msg}, {left} left");
        Self { bar, shown: Mutex::new(Instant::now()) }
    }

    /// Shows the number of finished parts and a text: always on a terminal, elsewhere as a line if `is_due`.
    pub(crate) fn show(&self, done: usize, is_due: bool, text: impl FnOnce() -> String) {
        if !self.bar.is_hidden() {
            self.bar.set_position(done as u64);
            self.bar.set_message(printable_message(&text()));
        } else if is_due {
            eprint_line(text());
        }
    }

    /// As [`Bar::show`], but without a terminal it prints a line at most once in `interval`.
    pub(crate) fn show_every(&self, interval: Duration, done: usize, text: impl FnOnce() -> String) {
        let is_due = {
            let mut shown = self.shown.lock();
            let is_due = shown.elapsed() >= interval;
            if is_due {
                *shown = Instant::now();
            }
            is_due
        };
        self.show(done, is_due, text);
    }

    /// Prints a line above the bar.
    pub(crate) fn note(&self, line: impl Display) {
        self.suspended(|| eprint_line(line));
    }

    /// Runs a function that prints, above the bar.
    pub(crate) fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

/// Returns the style of `template`, in which `{left}` is the time left.
pub(super) fn style(template: &str) -> ProgressStyle {
    // The templates are constants that the tests draw, so they are valid.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("##.").with_key("left", left)
}

/// Sets the style of a bar, which redraws its time even while its job reports nothing.
pub(super) fn with_style(bar: ProgressBar, template: &str) -> ProgressBar {
    let bar = bar.with_style(style(template));
    if !bar.is_hidden() {
        bar.enable_steady_tick(REDRAW_INTERVAL);
    }
    bar
}

/// Interval at which bars are drawn.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// Share of a job after which the time left is shown; before that it is too uncertain.
const LEAST_SHARE: f64 = 0.01;

/// Writes the time left of a bar.
fn left(state: &ProgressState, out: &mut dyn Write) {
    // Writing to a text cannot fail.
    let _ = out.write_str(&time_left(f64::from(state.fraction()), state.elapsed()));
}

/// Returns the time left at the average speed so far. The package itself uses only the speed of the last
/// seconds, in which the solver may not have finished a single part.
pub(super) fn time_left(share: f64, elapsed: Duration) -> String {
    if share < LEAST_SHARE {
        return "?".to_owned();
    }
    FormattedDuration(elapsed.mul_f64((1.0 - share) / share)).to_string()
}
