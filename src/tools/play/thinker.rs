//! The engines behind the screen: one that plays at its level, one that gives hints and values at full
//! strength.

use super::settings::PlaySettings;
use crate::engine::{Engine, searchable};
use crate::position::Position;
use crate::search::limits::Limits;
use crate::search::{BestMove, Report, report};
use crate::types::{Color, Move, Value};
use crossbeam_channel::{Receiver, TryRecvError, unbounded};
use std::io;
use std::time::{Duration, Instant};

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Task {
    /// The engine's own move.
    Move,
    /// A hint.
    Hint,
    /// The value of the position.
    Value,
}

/// A result of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Thought {
    /// The value of the position for White.
    Value(Value),
    /// The end of a search, with its move and the line that follows.
    Done(Task, Option<Move>, Vec<Move>),
    /// The failure of a search for the engine's own move or a hint, with a move to play in place of its own.
    Lost(Option<Move>),
}

/// Nodes of a search for the value of a position: about half a second.
const VALUE_NODES: u64 = 500_000;

/// The shortest time for a hint.
const HINT_TIME: Duration = Duration::from_millis(1000);

struct Running {
    task: Task,
    reports: Receiver<Report>,
    began: Instant,
    root: Position,
    line: Vec<Move>,
}

/// The engines.
pub(super) struct Thinker {
    /// The opponent, at its level.
    opponent: Engine,
    /// The adviser, at full strength. It has its own transposition table, so that the opponent does not
    /// profit from its results.
    adviser: Engine,
    running: Option<Running>,
}

impl Thinker {
    /// Starts the engines.
    ///
    /// # Errors
    /// If threads or memory are not available.
    pub(super) fn new(settings: &PlaySettings) -> io::Result<Self> {
        let engine = || Engine::new().map_err(io::Error::other);
        let mut thinker = Self { opponent: engine()?, adviser: engine()?, running: None };
        // Values must not depend on chance.
        set(&mut thinker.adviser, "Shuffling", "false")?;
        thinker.set_up(settings)?;
        Ok(thinker)
    }

    /// Begins a game with these settings.
    ///
    /// # Errors
    /// Never for an existing level.
    pub(super) fn set_up(&mut self, settings: &PlaySettings) -> io::Result<()> {
        self.cancel();
        self.set_level(settings.level)?;
        for engine in [&mut self.opponent, &mut self.adviser] {
            engine.set_rules(&settings.rules);
            // Notes name missing tablebase files; play continues without them.
            let _ = engine.prepare();
            engine.new_game();
        }
        Ok(())
    }

    /// Sets the strength of the opponent.
    ///
    /// # Errors
    /// Never for an existing level.
    pub(super) fn set_level(&mut self, level: u32) -> io::Result<()> {
        set(&mut self.opponent, "SkillLevel", &level.to_string())
    }

    /// Starts a search; an earlier one ends without a result. Returns false if there is nothing to search.
    pub(super) fn start(&mut self, task: Task, pos: &Position, movetime: Duration) -> bool {
        self.cancel();
        let Ok(root) = searchable(pos, false) else { return false };
        let (sender, reports) = unbounded();
        let limits = match task {
            Task::Move => Limits { movetime: Some(movetime), ..Limits::default() },
            Task::Hint => {
                Limits { movetime: Some(movetime.max(HINT_TIME)), analysis: true, ..Limits::default() }
            }
            Task::Value => Limits { nodes: Some(VALUE_NODES), analysis: true, ..Limits::default() },
        };
        let engine = if task == Task::Move { &mut self.opponent } else { &mut self.adviser };
        engine.start(root.clone(), limits, 1, sender);
        self.running = Some(Running { task, reports, began: Instant::now(), root, line: Vec::new() });
        true
    }

    /// Ends the running search and drops its result.
    pub(super) fn cancel(&mut self) {
        let Some(running) = self.running.take() else { return };
        self.opponent.stop();
        self.adviser.stop();
        // The search ends within milliseconds.
        let _ = report::wait(&running.reports);
    }

    /// The purpose of the running search and the time since it began.
    pub(super) fn task(&self) -> Option<(Task, Duration)> {
        self.running.as_ref().map(|running| (running.task, running.began.elapsed()))
    }

    /// Returns the results since the last call, without waiting.
    pub(super) fn poll(&mut self) -> Vec<Thought> {
        let mut found = Vec::new();
        while let Some(running) = &mut self.running {
            let is_white = running.root.side_to_move() == Color::White;
            let for_white = |value: Value| if is_white { value } else { -value };
            match running.reports.try_recv() {
                Ok(Report::Lines(lines)) => {
                    if let Some(first) = lines.into_iter().next() {
                        if running.task != Task::Move {
                            found.push(Thought::Value(for_white(first.score)));
                        }
                        running.line = first.pv;
                    }
                }
                Ok(Report::Done(BestMove { best, .. })) => {
                    let line = std::mem::take(&mut running.line);
                    found.push(Thought::Done(running.task, best, line));
                    self.running = None;
                }
                Ok(Report::Current { .. } | Report::Note(_)) => {}
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    let first = running.line.first().copied();
                    let other = || self.opponent.move_without_search(&running.root.legal_moves());
                    let own = || first.or_else(other);
                    match running.task {
                        Task::Move => found.push(Thought::Lost(own())),
                        Task::Hint => found.push(Thought::Lost(None)),
                        Task::Value => {}
                    }
                    self.running = None;
                }
            }
        }
        found
    }
}

/// Sets an option of an engine.
fn set(engine: &mut Engine, name: &str, value: &str) -> io::Result<()> {
    engine.set_option(name, Some(value)).map(drop).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{Certificate, Followed};
    use crate::notation;

    fn wait(thinker: &mut Thinker) -> Vec<Thought> {
        let mut all = Vec::new();
        while thinker.task().is_some() {
            all.extend(thinker.poll());
            std::thread::sleep(Duration::from_millis(2));
        }
        all
    }

    #[test]
    fn a_certified_move_takes_the_place_of_that_of_a_failed_search() {
        let settings = PlaySettings::default();
        let mut thinker = Thinker::new(&settings).expect("engines");
        let mut pos = Position::new(&settings.rules);
        for text in ["d6", "f4"] {
            pos.do_move(notation::parse(&pos, text).expect("legal"));
        }
        let certificate = Certificate::built_in(&settings.rules).expect("built in");
        let Ok(Followed::Inside(turns)) = certificate.follow(&pos) else { panic!("not certified") };
        assert!(turns.iter().all(|turn| turn[0] != pos.playable_moves()[0]), "any move would do");
        for task in [Task::Move, Task::Hint, Task::Value] {
            assert!(thinker.start(task, &pos, Duration::from_secs(60)));
            // The threads are gone, and with them their end of the channel.
            let running = thinker.running.as_mut().expect("a search");
            running.reports = unbounded().1;
            thinker.opponent.stop();
            thinker.adviser.stop();
            let lost = match &thinker.poll()[..] {
                [Thought::Lost(m)] => Some(*m),
                [] => None,
                other => panic!("{other:?}"),
            };
            let is_certified = |m: Move| turns.iter().any(|turn| turn[0] == m);
            match task {
                Task::Move => assert!(lost.flatten().is_some_and(is_certified), "{lost:?}"),
                Task::Hint => assert_eq!(lost, Some(None)),
                Task::Value => assert_eq!(lost, None),
            }
        }
    }

    #[test]
    fn a_search_can_be_cancelled_and_the_next_one_answers() {
        let settings = PlaySettings::default();
        let mut thinker = Thinker::new(&settings).expect("engines");
        let pos = Position::new(&settings.rules);
        assert!(thinker.start(Task::Move, &pos, Duration::from_secs(60)));
        assert!(thinker.start(Task::Hint, &pos, Duration::from_secs(60)));
        thinker.cancel();
        assert_eq!((thinker.poll(), thinker.task()), (Vec::new(), None));
        assert!(thinker.start(Task::Value, &pos, Duration::ZERO));
        let found = wait(&mut thinker);
        assert!(matches!(found.first(), Some(Thought::Value(_))), "{found:?}");
        assert!(matches!(found.last(), Some(Thought::Done(Task::Value, Some(_), _))), "{found:?}");
    }
}
