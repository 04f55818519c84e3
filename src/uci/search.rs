//! A running search of the session: its reports become search lines, and its result becomes an answer
//! (`answer.rs`).

#[cfg(target_arch = "wasm32")]
use super::delay::Delay;
use super::logical_turn::LogicalTurn;
use super::output::Output;
use crate::dialect::writer::{Dialect, View};
use crate::engine::Engine;
use crate::platform::sorting::sort_short;
use crate::position::Position;
use crate::search::limits::Limits;
use crate::search::{BestMove, Info, Report};
use crate::types::{Bound, Move, VALUE_DRAW, Value};
use crossbeam_channel::{Receiver, never, unbounded};
use std::io;
#[cfg(target_arch = "wasm32")]
use std::time::Duration;

/// Nodes of the search for the rest of a turn whose first move is chosen.
const NODES_FOR_THE_REST: u64 = 20_000;

/// A search to start.
pub(super) struct NextSearch {
    /// The position to search.
    pub(super) root: Position,
    /// The limits.
    pub(super) limits: Limits,
    /// The use of the result.
    pub(super) purpose: Purpose,
}

/// The use of the result of a search.
pub(super) enum Purpose {
    /// The answer to `go`.
    Go {
        /// The number of moves to rank before the answer.
        topn: Option<usize>,
        /// The moves of the turn found by earlier searches, in dialects of whole turns.
        turn: Vec<Move>,
    },
    /// The answer to `go logical`.
    Logical(Box<LogicalTurn>),
    /// The answer to `analyze`.
    Analysis,
}

impl Purpose {
    /// Returns the purpose of `go`.
    pub(super) fn go(topn: Option<usize>) -> Self {
        Self::Go { topn, turn: Vec::new() }
    }

    /// Returns the number of lines that the search has to report.
    fn lines(&self, root: &Position) -> usize {
        match self {
            Self::Go { topn, .. } => topn.unwrap_or(1),
            Self::Logical(_) => 1,
            Self::Analysis => root.playable_moves().len(),
        }
    }

    /// Returns true if the client gets the lines of the search.
    fn shows_lines(&self) -> bool {
        matches!(self, Self::Go { turn, .. } if turn.is_empty())
    }
}

/// A running search.
pub(super) struct ActiveSearch {
    /// The position searched.
    pub(super) root: Position,
    /// The use of the result.
    pub(super) purpose: Purpose,
    /// The latest exact lines, best first.
    pub(super) found: Vec<Info>,
    /// The reports of the search.
    pub(super) reports: Receiver<Report>,
    /// True after `stop`: the searches for the rest of a turn are short then.
    pub(super) is_stopped: bool,
    /// True if only `stop` is sure to end the search, even after `ponderhit`.
    pub(super) is_infinite: bool,
    /// True from `go ponder` to `ponderhit`.
    pub(super) is_pondering: bool,
    /// The root moves that the search was restricted to, if it was.
    pub(super) searchmoves: Vec<Move>,
    /// True if its limits ask for analysis.
    pub(super) is_analysis: bool,
    /// True if it looks for a win, without another limit.
    pub(super) seeks_win: bool,
    /// The wait before it begins.
    #[cfg(target_arch = "wasm32")]
    pub(super) delay: Option<Delay>,
}

impl ActiveSearch {
    /// Starts a search.
    pub(super) fn start(engine: &mut Engine, next: NextSearch) -> Self {
        let limits = next.limits.clone();
        let mut search = Self::unstarted(next);
        #[cfg(target_arch = "wasm32")]
        // The rest of a turn does not wait again.
        if (search.shows_lines() || matches!(search.purpose, Purpose::Analysis))
            && let Some(end) = engine.wait_for_file(&search.root, &limits, search.lines())
        {
            search.delay = Some(Delay::new(limits, end));
            return search;
        }
        search.begin(engine, limits);
        search
    }

    fn begin(&mut self, engine: &mut Engine, limits: Limits) {
        let (sender, reports) = unbounded();
        self.reports = reports;
        engine.start(self.root.clone(), limits, self.lines(), sender);
    }

    /// Begins the search if it was delayed and is no more. Returns how long it still waits.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn wait(&mut self, engine: &mut Engine) -> Option<Duration> {
        let rest = self.delay.as_ref()?.rest(engine);
        if rest.is_some() && !self.is_stopped {
            return rest;
        }
        let limits = self.delay.take()?.into_limits();
        // `ponderhit` may have come.
        self.begin(engine, Limits { ponder: self.is_pondering, ..limits });
        if self.is_stopped {
            engine.stop();
        }
        None
    }

    /// Returns true while the search waits for a file.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn is_delayed(&self) -> bool {
        self.delay.is_some()
    }

    /// Ends pondering.
    pub(super) fn ponderhit(&mut self, engine: &Engine) {
        // A normal search would restart its clock.
        if std::mem::take(&mut self.is_pondering) {
            engine.ponderhit();
            // Now the clock runs, and the end of the wait was set without it.
            #[cfg(target_arch = "wasm32")]
            if let Some(delay) = &mut self.delay {
                delay.give_up();
            }
        }
    }

    fn lines(&self) -> usize {
        self.purpose.lines(&self.root)
    }

    fn shows_lines(&self) -> bool {
        self.purpose.shows_lines()
    }

    /// Returns a search that has not begun: it has no reports yet.
    pub(super) fn unstarted(next: NextSearch) -> Self {
        let NextSearch { root, limits, purpose } = next;
        Self {
            root,
            found: Vec::new(),
            reports: never(),
            is_stopped: false,
            is_infinite: limits.infinite || !limits.is_bounded(),
            is_pondering: limits.ponder,
            is_analysis: limits.is_analysis(),
            seeks_win: limits.mate.is_some() && !limits.infinite && !limits.is_bounded(),
            searchmoves: limits.searchmoves,
            #[cfg(target_arch = "wasm32")]
            delay: None,
            purpose,
        }
    }

    /// Returns true if the search has no limit of its own, so that `stop` or another command has to end it.
    pub(super) fn is_unlimited(&self) -> bool {
        self.is_infinite || self.is_pondering
    }

    /// Returns the limits of the search for the rest of a turn, in `root`, whose first move this search
    /// chose: it is analysis if this search was, and follows the certificate only if this one could.
    pub(super) fn limits_for_the_rest(&self, root: &Position) -> Limits {
        let is_unbound = !self.searchmoves.is_empty() || self.lines() > 1;
        let searchmoves = if is_unbound { root.playable_moves().to_vec() } else { Vec::new() };
        let nodes = Some(NODES_FOR_THE_REST);
        Limits { nodes, searchmoves, analysis: self.is_analysis, ..Limits::default() }
    }

    /// Returns the result of a search whose threads have failed: the best move reported so far, else one that
    /// the client or the certificate allows, else any legal one.
    pub(super) fn fallback(&self, engine: &Engine) -> BestMove {
        let known = self.found.first();
        let playable = self.root.playable_moves();
        let other = || self.searchmoves.first().copied().or_else(|| engine.move_without_search(&playable));
        BestMove {
            best: known.and_then(|line| line.pv.first().copied()).or_else(other),
            ponder: None,
            score: known.map_or(VALUE_DRAW, |line| line.score),
            depth: known.map_or(0, |line| line.depth),
            nodes: known.map_or(0, |line| line.nodes),
        }
    }

    /// Writes a report as the dialect does. Returns the result when the search has ended.
    ///
    /// # Errors
    /// If a line cannot be written.
    pub(super) fn write_report(
        &mut self,
        report: Report,
        engine: &Engine,
        dialect: &dyn Dialect,
        out: &mut Output,
    ) -> io::Result<Option<BestMove>> {
        let shows_lines = self.shows_lines();
        match report {
            Report::Lines(infos) => {
                let values = engine.values();
                let several = values.play.multi_pv > 1 || infos.len() > 1;
                let draw = engine.value_of_draw(self.root.side_to_move());
                let view = View { root: &self.root, several, wdl: values.show_wdl, draw };
                if shows_lines {
                    let mut lines = infos.iter().filter_map(|info| dialect.line(info, &view));
                    lines.try_for_each(|line| out.line(&line))?;
                }
                self.keep_exact(infos);
            }
            Report::Current { depth, current, number } => {
                if let Some(line) = dialect.current(depth, current, number).filter(|_| shows_lines) {
                    out.line(&line)?;
                }
            }
            Report::Note(note) => out.note(note)?,
            Report::Done(best) => return Ok(Some(best)),
        }
        Ok(None)
    }

    /// Keeps lines with exact scores, unless an earlier report has more of them.
    fn keep_exact(&mut self, infos: Vec<Info>) {
        let is_exact = infos.iter().all(|info| info.bound == Bound::Exact);
        if is_exact && infos.len() >= self.found.len() {
            self.found = infos;
        }
    }

    /// Returns the best line if it begins with the best move.
    pub(super) fn line_of(&self, best: &BestMove) -> Option<&Info> {
        self.found.first().filter(|line| line.pv.first().copied() == best.best)
    }

    /// Returns all root moves with scores, best first: those of the search, then the rest by static
    /// evaluation, with scores no better than the worst of the search.
    ///
    /// At full strength `best` comes first: an iteration that was not finished may have found it, and no
    /// other move is better then. Lower levels do not always play the best move.
    pub(super) fn ranking(&self, best: &BestMove, engine: &Engine) -> Vec<(Move, Value)> {
        let is_newer = self.line_of(best).is_none() && engine.is_at_full_strength();
        let newer = best.best.filter(|_| is_newer).map(|m| (m, best.score));
        let most = newer.map_or(Value::MAX, |(_, score)| score);
        let found = self.found.iter().filter_map(|info| Some((*info.pv.first()?, info.score.min(most))));
        let mut ranking: Vec<(Move, Value)> = Vec::new();
        for (m, score) in newer.into_iter().chain(found) {
            if ranking.iter().all(|(other, _)| *other != m) {
                ranking.push((m, score));
            }
        }
        let ceiling = ranking.iter().map(|(_, score)| *score).min();
        let mut rest: Vec<(Move, Value)> = self
            .root
            .playable_moves()
            .iter()
            .filter(|m| ranking.iter().all(|(other, _)| other != *m))
            .map(|&m| (m, self.static_value(m, engine)))
            .map(|(m, value)| (m, ceiling.map_or(value, |ceiling| value.min(ceiling))))
            .collect();
        sort_short(&mut rest, |(_, value)| std::cmp::Reverse(*value));
        ranking.append(&mut rest);
        ranking
    }

    /// Returns the static value of a root move from the point of view of the side to move.
    fn static_value(&self, m: Move, engine: &Engine) -> Value {
        let mut pos = self.root.clone();
        let us = pos.side_to_move();
        pos.do_move(m);
        let value = engine.static_value(&pos);
        if pos.side_to_move() == us { value } else { -value }
    }
}
