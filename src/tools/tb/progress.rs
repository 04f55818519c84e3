//! The progress shown while `tb build` works, and while it and `tb repack` check the files that are there.

use crate::platform::text::counted;
use crate::tablebase::format::write::Written;
use crate::tablebase::solve::build::BuildProgress;
use crate::tablebase::solve::units::Unit;
use crate::tools::files::eprint_line;
use crate::tools::progress::{Bar, style, time_left, with_style};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// Returns the time that a unit takes, in units of effort.
fn effort_of(unit: Unit) -> u64 {
    unit.slots() * effort_of_slot(unit)
}

/// A slot of a pair takes about twice as long as one of a single sector.
fn effort_of_slot(unit: Unit) -> u64 {
    match unit {
        Unit::Pair(_) => 2,
        Unit::Single(_) => 1,
    }
}

/// Shows the progress of a build: on a terminal with a bar for the current unit and one for all, elsewhere
/// with a line for each finished unit.
pub(super) struct BuildBars {
    quiet: bool,
    unit: ProgressBar,
    /// In units of effort.
    all: ProgressBar,
    current: Mutex<Option<Current>>,
}

/// The current unit.
struct Current {
    unit: Unit,
    begun: Instant,
    /// Slots that are settled.
    settled: u64,
    /// Effort of the units before it.
    before: u64,
}

/// The bar of a unit while it is solved, and of all units.
const SOLVING: &str = "{prefix:9} [{bar:30}] {percent:>3} %, {left} left";
/// The bar of a unit while its files are compressed and written.
const PACKING: &str = "{prefix:9} [{bar:30}] {percent:>3} %, packing";

impl BuildBars {
    pub(super) fn new(units: &[Unit], quiet: bool) -> Self {
        let is_shown = !quiet && !units.is_empty();
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        Self::drawn_to(target, units, quiet)
    }

    fn drawn_to(target: ProgressDrawTarget, units: &[Unit], quiet: bool) -> Self {
        let bars = MultiProgress::with_draw_target(target);
        let bar = |length: u64| with_style(bars.add(ProgressBar::new(length)), SOLVING);
        let total = units.iter().map(|&unit| effort_of(unit)).sum();
        Self { quiet, unit: bar(0), all: bar(total).with_prefix("in all"), current: Mutex::default() }
    }

    pub(super) fn end(&self) {
        self.unit.finish_and_clear();
        self.all.finish();
    }

    /// Returns the line of a finished unit: a bar with the share of all units, and the time left.
    fn line(&self, unit: Unit, spent: Duration, bytes: u64) -> String {
        let share = self.all.position() as f64 / self.all.length().unwrap_or(0).max(1) as f64;
        let filled = (share * 30.0) as usize;
        let bar = format!("[{}{}] {:5.1} %", "#".repeat(filled), ".".repeat(30 - filled), 100.0 * share);
        let (spent, left) = (spent.as_secs_f64(), time_left(share, self.all.elapsed()));
        format!("{bar} {unit} in {spent:.1} s, {bytes} bytes, {left} left")
    }
}

impl BuildProgress for BuildBars {
    fn start(&self, unit: Unit) {
        let before = self.all.position();
        *self.current.lock() = Some(Current { unit, begun: Instant::now(), settled: 0, before });
        self.unit.reset();
        self.unit.set_length(unit.slots());
        self.unit.set_prefix(unit.to_string());
        self.unit.set_style(style(SOLVING));
    }

    fn advance(&self, slots: u64) {
        let mut current = self.current.lock();
        let Some(now) = &mut *current else { return };
        // Threads may report out of order.
        now.settled = now.settled.max(slots);
        self.unit.set_position(now.settled);
        self.all.set_position(now.before + now.settled * effort_of_slot(now.unit));
        if now.settled == now.unit.slots() {
            self.unit.set_style(style(PACKING));
        }
    }

    fn finish(&self, unit: Unit, written: &[Written]) {
        let Some(current) = self.current.lock().take() else { return };
        self.all.set_position(current.before + effort_of(unit));
        if !self.quiet && self.all.is_hidden() {
            let bytes: u64 = written.iter().map(|written| written.bytes).sum();
            eprint_line(self.line(unit, current.begun.elapsed(), bytes));
        }
    }
}

/// Shows the progress of a check of files, which can take hours.
pub(super) struct CheckBar {
    bar: Bar,
    /// Thousands of slots of each part: the number of slots may be too large for 32 bits.
    weights: Vec<usize>,
    noun: &'static str,
    checked: usize,
    done: usize,
}

impl CheckBar {
    /// Returns the bar of a check of parts, called `noun`: for each its slots, and true if it is there. What
    /// is not there takes no time.
    pub(super) fn new(parts: impl Iterator<Item = (u64, bool)>, noun: &'static str) -> Self {
        let weight = |(slots, is_there)| if is_there { (slots / 1_000) as usize } else { 0 };
        let weights: Vec<usize> = parts.map(weight).collect();
        Self { bar: Bar::new(weights.iter().sum()), weights, noun, checked: 0, done: 0 }
    }

    /// Counts the next part.
    pub(super) fn advance(&mut self) {
        self.done += self.weights[self.checked];
        self.checked += 1;
        self.bar.show_every(Bar::INTERVAL, self.done, || self.text());
    }

    fn text(&self) -> String {
        format!("checked {} of {}", self.checked, counted(self.weights.len(), self.noun))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Sector;
    use indicatif::TermLike;
    use std::io::Result;
    use std::sync::Arc;

    /// A terminal in memory.
    #[derive(Clone)]
    struct Screen(Arc<Mutex<vt100::Parser>>);

    impl Screen {
        fn new() -> Self {
            Self(Arc::new(Mutex::new(vt100::Parser::new(5, 100, 0))))
        }

        fn contents(&self) -> String {
            let parser = self.0.lock();
            let rows: Vec<String> =
                parser.screen().rows(0, 100).map(|row| row.trim_end().to_owned()).collect();
            rows.join("\n").trim_end().to_owned()
        }
    }

    impl std::fmt::Debug for Screen {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(&self.contents())
        }
    }

    impl TermLike for Screen {
        fn width(&self) -> u16 {
            100
        }

        fn move_cursor_up(&self, n: usize) -> Result<()> {
            (0..n).try_for_each(|_| self.write_str("\x1b[A"))
        }

        fn move_cursor_down(&self, n: usize) -> Result<()> {
            (0..n).try_for_each(|_| self.write_str("\x1b[B"))
        }

        fn move_cursor_right(&self, n: usize) -> Result<()> {
            (0..n).try_for_each(|_| self.write_str("\x1b[C"))
        }

        fn move_cursor_left(&self, n: usize) -> Result<()> {
            (0..n).try_for_each(|_| self.write_str("\x1b[D"))
        }

        fn write_line(&self, text: &str) -> Result<()> {
            self.write_str(text)?;
            self.write_str("\r\n")
        }

        fn write_str(&self, text: &str) -> Result<()> {
            self.0.lock().process(text.as_bytes());
            Ok(())
        }

        fn clear_line(&self) -> Result<()> {
            self.write_str("\r\x1b[2K")
        }

        fn flush(&self) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_check_counts_its_parts_by_their_slots() {
        let parts = [(1_000, true), (9_000_000_000, true), (70_000, true), (5_000, false)];
        let mut bar = CheckBar::new(parts.into_iter(), "file");
        bar.advance();
        bar.advance();
        assert_eq!((bar.text().as_str(), bar.done), ("checked 2 of 4 files", 9_000_001));
        bar.advance();
        bar.advance();
        assert_eq!((bar.text().as_str(), bar.done), ("checked 4 of 4 files", 9_000_071));
    }

    #[test]
    fn progress_shows_how_far_a_unit_is() {
        let units =
            [Unit::moving(3, 3), Unit::Single(Sector { own: 2, theirs: 3, own_hand: 1, their_hand: 0 })];
        let screen = Screen::new();
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let progress = BuildBars::drawn_to(target, &units, false);
        let check = |unit: &str, all: &str| {
            [&progress.unit, &progress.all].iter().for_each(|bar| bar.force_draw());
            let drawn = screen.contents();
            let lines: Vec<&str> = drawn.lines().collect();
            let fits = lines.len() == 2 && lines[0].contains(unit) && lines[1].contains(all);
            assert!(fits && lines[1].starts_with("in all"), "{drawn}");
        };
        for (unit, part) in units.into_iter().zip(["45", "95"]) {
            progress.start(unit);
            check("]   0 %, ? left", "");
            progress.advance(unit.slots() / 2);
            // Out of order.
            progress.advance(1);
            check("]  50 %, 00:00:00 left", &format!(" {part} %, 00:00:00 left"));
            progress.advance(unit.slots());
            check("##] 100 %, packing", "");
            assert!(screen.contents().starts_with(&unit.to_string()));
            progress.finish(unit, &[]);
        }
        progress.end();
        assert_eq!(screen.contents(), format!("in all    [{}] 100 %, 00:00:00 left", "#".repeat(30)));
        let line = progress.line(units[1], Duration::from_millis(1_300), 77);
        assert_eq!(line, format!("[{}] 100.0 % 2_3_1_0 in 1.3 s, 77 bytes, 00:00:00 left", "#".repeat(30)));
    }
}
