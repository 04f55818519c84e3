//! One call from a position to its best move, for programs that use the crate as a library.

use super::options::OptionEffect;
use super::{Engine, EngineError, searchable};
use crate::platform::sync::unbounded;
use crate::position::Position;
use crate::rules::Rules;
#[cfg(not(target_arch = "wasm32"))]
use crate::search::StopHandle;
use crate::search::{BestMove, Info, Limits, Report};
use crate::types::Bound;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl Engine {
    /// Searches `pos` under its own rules and returns the best move with its score.
    ///
    /// The engine keeps its transposition table for the next call, and learns the result if `LearnEndgame` is
    /// on. If the rules are not those of its options, the options change to them, and the engine's own
    /// position becomes the initial one. Positions drawn by repetition or by a move counter are searched too.
    ///
    /// ```
    /// use millstone::{Engine, Limits, Position, Rules};
    ///
    /// let mut engine = Engine::new()?;
    /// let pos = Position::new(&Rules::NINE);
    /// let result = engine.search(&pos, Limits { depth: Some(2), ..Limits::default() })?;
    /// assert!(result.best.is_some_and(|m| pos.is_legal(m)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `limits` hold no depth, number of nodes or time, or `infinite` or `ponder`, since the search would
    /// not end. If the game is over, if the search threads fail, or if values of options that were set cannot
    /// be put in force, such as a tablebase that is damaged: two or more as [`EngineError::Several`]. Each of
    /// these errors comes once, also if the rules change and change back; the next call searches without.
    pub fn search(&mut self, pos: &Position, limits: Limits) -> Result<BestMove, EngineError> {
        self.search_with(pos, limits, |_| ControlFlow::Continue(()))
    }

    /// Searches as [`Engine::search`] does, and hands over what the search reports: lines, moves and notes.
    ///
    /// The search ends soon after `on_report` returns [`ControlFlow::Break`] or panics. In browsers the
    /// reports come after the search.
    ///
    /// ```
    /// use millstone::search::Report;
    /// use millstone::{Engine, Limits, Position, Rules};
    /// use std::ops::ControlFlow;
    ///
    /// let limits = Limits { depth: Some(20), ..Limits::default() };
    /// let mut depths = Vec::new();
    /// Engine::new()?.search_with(&Position::new(&Rules::LASKER), limits, |report| {
    ///     if let Report::Lines(lines) = report {
    ///         depths.push(lines[0].depth);
    ///     }
    ///     if depths.last() < Some(&4) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    /// })?;
    /// assert!(depths.contains(&4) && !depths.contains(&20));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Engine::search`].
    pub fn search_with(
        &mut self,
        pos: &Position,
        limits: Limits,
        mut on_report: impl FnMut(&Report) -> ControlFlow<()>,
    ) -> Result<BestMove, EngineError> {
        if !limits.is_bounded() || limits.infinite || limits.ponder {
            return Err(EngineError::Endless);
        }
        let root = searchable(pos, true)?;
        self.set_rules(root.rules());
        self.apply_options()?;
        let (sender, reports) = unbounded();
        self.start(root.clone(), limits, 1, sender);
        #[cfg(target_arch = "wasm32")]
        self.pool.wait();
        let (mut is_over, mut found) = (false, None);
        while let Ok(report) = reports.recv() {
            if let Report::Done(best) = report {
                self.pool.wait();
                let is_played = |line: &Info| line.pv.first().copied() == best.best;
                if let Some(line) = found.filter(is_played) {
                    self.learn(&root, &line);
                }
                return Ok(best);
            }
            if let Report::Lines(lines) = &report {
                found = lines.first().filter(|line| line.bound == Bound::Exact).cloned().or(found);
            }
            if is_over {
                continue;
            }
            let flow = catch_unwind(AssertUnwindSafe(|| on_report(&report)));
            if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                is_over = true;
                self.stop();
            }
            if let Err(panic) = flow {
                resume_unwind(panic);
            }
        }
        Err(EngineError::NoResult)
    }

    /// Returns a handle by which other threads, such as that of a window, end the searches of this engine.
    ///
    /// It serves all searches of the engine, also after `Threads` has changed. Not in browsers, which have
    /// one thread.
    ///
    /// ```
    /// use millstone::search::Report;
    /// use millstone::{Engine, Limits, Position, Rules};
    /// use std::ops::ControlFlow;
    /// use std::sync::mpsc::channel;
    /// use std::time::Duration;
    ///
    /// let mut engine = Engine::new()?;
    /// let handle = engine.stop_handle();
    /// let (sender, first_line) = channel();
    /// std::thread::spawn(move || first_line.recv().map(|()| handle.stop()));
    /// let limits = Limits { movetime: Some(Duration::from_secs(3_600)), ..Limits::default() };
    /// let result = engine.search_with(&Position::new(&Rules::NINE), limits, |report| {
    ///     if matches!(report, Report::Lines(_)) {
    ///         let _ = sender.send(());
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(result.best.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn stop_handle(&self) -> StopHandle {
        self.pool.stop_handle()
    }

    /// Puts the options in force that were set since the last search; each search begins with this.
    ///
    /// Until then the other functions use the values before. New rules set up the initial position.
    ///
    /// ```
    /// use millstone::{Engine, Rules};
    ///
    /// let mut engine = Engine::new()?;
    /// engine.set_option("UCI_Variant", Some("lasker"))?;
    /// engine.apply_options()?;
    /// assert_eq!(*engine.position().rules(), Rules::LASKER);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If values cannot take effect; two or more errors as [`EngineError::Several`]. The others are in force
    /// all the same. Each error comes once, until an option other than those of the rules is set.
    pub fn apply_options(&mut self) -> Result<(), EngineError> {
        let mut errors = self.prepare();
        errors.retain(|error| self.told.insert(error.to_string()));
        EngineError::join(errors)
    }

    /// Records the rules, as their options would.
    pub(crate) fn set_rules(&mut self, rules: &Rules) {
        if *rules != self.values.rules {
            self.values.rules = *rules;
            self.pending.add(OptionEffect::SetRules);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    #[cfg(not(target_arch = "wasm32"))]
    use std::time::Duration;

    // There panics end the program.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn a_callback_that_panics_ends_the_search() {
        use std::thread::sleep;
        use std::time::Instant;

        let mut engine = Engine::new().expect("an engine");
        let limits = Limits { movetime: Some(Duration::from_secs(3_600)), ..Limits::default() };
        let pos = Position::new(&Rules::NINE);
        let search = || engine.search_with(&pos, limits, |_| resume_unwind(Box::new("a panic")));
        assert!(catch_unwind(AssertUnwindSafe(search)).is_err());
        let deadline = Instant::now() + Duration::from_secs(60);
        while engine.pool.is_searching() {
            assert!(Instant::now() < deadline, "the search goes on");
            sleep(Duration::from_millis(5));
        }
    }

    // There a search has the only thread.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn a_handle_ends_every_search_and_none_that_follows() {
        let mut engine = Engine::new().expect("an engine");
        let handle = engine.stop_handle();
        let pos = Position::new(&Rules::NINE);
        for threads in ["1", "2"] {
            engine.set_option("Threads", Some(threads)).expect("a number");
            let limits = Limits { movetime: Some(Duration::from_secs(3_600)), ..Limits::default() };
            let stop_at_once = |_: &Report| {
                handle.stop();
                ControlFlow::Continue(())
            };
            let result = engine.search_with(&pos, limits, stop_at_once).expect("a move");
            assert!(result.best.is_some_and(|m| pos.is_legal(m)));
            handle.stop();
            let mut deepest = 0;
            let limits = Limits { depth: Some(4), ..Limits::default() };
            let note_depth = |report: &Report| {
                if let Report::Lines(lines) = report {
                    deepest = lines[0].depth;
                }
                ControlFlow::Continue(())
            };
            engine.search_with(&pos, limits, note_depth).expect("a move");
            assert_eq!(deepest, 4, "{threads}");
        }
    }

    #[test]
    fn an_error_of_an_option_comes_once_until_the_option_is_set_again() {
        let mut engine = Engine::new().expect("an engine");
        let mut search = |name: &str, file: Option<&str>| {
            if let Some(file) = file {
                engine.set_option("CertificateFile", Some(file)).expect("a name");
            }
            let rules = name.parse().expect("rules");
            engine.search(&Position::new(&rules), Limits { depth: Some(1), ..Limits::default() }).is_ok()
        };
        assert!(!search("nine", Some("no such file")));
        for rules in ["nine", "twelve", "nine", "twelve"] {
            assert!(search(rules, None), "{rules}");
        }
        assert!(!search("twelve", Some("no such file")), "it is told again");
        assert!(search("nine", None));
    }
}
