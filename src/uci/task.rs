//! What the loop waits for: a search with what is to be made of its result, or a long command.

use crate::movegen;
use crate::position::Position;
use crate::search::{Info, Report};
use crate::tools::bench::{self, BenchSettings};
use crate::tools::perft;
use crate::types::{Bound, Move, Value};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A running search.
pub(super) struct Search {
    /// The position searched.
    pub(super) root: Position,
    /// What its result is for.
    pub(super) task: Task,
    /// The latest lines, best first.
    pub(super) found: Vec<Info>,
    /// Where it reports.
    pub(super) reports: Receiver<Report>,
    /// Whether the client has said `stop`: what is left of a turn is then found quickly.
    pub(super) is_stopped: bool,
    /// Whether only `stop` ends it, also after `ponderhit`.
    pub(super) is_infinite: bool,
    /// Whether nothing but `stop` or `ponderhit` ends it, so that the end of input has to.
    pub(super) is_unlimited: bool,
}

/// What the result of a search is for.
pub(super) enum Task {
    /// The answer to `go`.
    Answer {
        /// Rank this many moves before it.
        topn: Option<usize>,
        /// Moves of the turn that are settled already, in dialects of whole turns.
        turn: Vec<Move>,
    },
    /// The answer to `go logical`.
    Logical(Logical),
    /// The answer to `analyze`.
    Analysis,
}

/// A whole turn in the making.
pub(super) struct Logical {
    /// The position before the turn.
    pub(super) start: Position,
    /// Its moves so far.
    pub(super) turn: Vec<Move>,
    /// Nodes asked for each search.
    pub(super) budget: Option<u64>,
    /// Nodes of all searches.
    pub(super) nodes: u64,
    /// Number of searches.
    pub(super) calls: u32,
    /// Score of the first search from the mover's point of view.
    pub(super) score: Value,
}

impl Task {
    /// The answer to `go`.
    pub(super) fn answer(topn: Option<usize>) -> Self {
        Self::Answer { topn, turn: Vec::new() }
    }

    /// The answer to `go logical`.
    pub(super) fn logical(start: &Position, budget: Option<u64>) -> Self {
        Self::Logical(Logical {
            start: start.clone(),
            turn: Vec::new(),
            budget,
            nodes: 0,
            calls: 0,
            score: 0,
        })
    }

    /// How many lines the search has to report for it.
    pub(super) fn lines(&self, root: &Position) -> usize {
        match self {
            Self::Answer { topn, .. } => topn.unwrap_or(1),
            Self::Logical(_) => 1,
            Self::Analysis => movegen::playable(root).len(),
        }
    }

    /// Whether the client sees the lines of the search.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Answer { turn, .. } if turn.is_empty())
    }
}

impl Search {
    /// Keeps the latest exact lines.
    pub(super) fn remember(&mut self, infos: Vec<Info>) {
        let is_exact = infos.iter().all(|info| info.bound == Bound::Exact);
        if is_exact && infos.len() >= self.found.len() {
            self.found = infos;
        }
    }

    /// All moves of the root with scores, best first: those the search has found, then the rest by static
    /// evaluation, held below the last of those.
    pub(super) fn ranking(&self) -> Vec<(Move, Value)> {
        let mut ranking: Vec<(Move, Value)> = Vec::new();
        for info in &self.found {
            if let Some(&m) = info.pv.first()
                && ranking.iter().all(|(other, _)| *other != m)
            {
                ranking.push((m, info.score));
            }
        }
        let ceiling = ranking.iter().map(|(_, score)| *score).min();
        let mut rest: Vec<(Move, Value)> = movegen::playable(&self.root)
            .iter()
            .filter(|m| ranking.iter().all(|(other, _)| other != *m))
            .map(|&m| (m, self.static_value(m)))
            .map(|(m, value)| (m, ceiling.map_or(value, |ceiling| value.min(ceiling))))
            .collect();
        rest.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
        ranking.append(&mut rest);
        ranking
    }

    /// The static value of a move from the mover's point of view.
    fn static_value(&self, m: Move) -> Value {
        let mut pos = self.root.clone();
        let us = pos.side_to_move();
        pos.do_move(m);
        let value = crate::evaluate::evaluate(&pos);
        if pos.side_to_move() == us { value } else { -value }
    }
}

/// A long command in a thread of its own.
pub(super) struct Tool {
    /// The lines it prints; closed when it is done.
    pub(super) text: Receiver<String>,
    stop: Arc<AtomicBool>,
}

/// Stack of a long command: counting recurses once per move, and a game has some thousand at most.
const STACK_SIZE: usize = 16 << 20;

impl Tool {
    fn spawn(
        name: &str,
        work: impl FnOnce(&AtomicBool, &Sender<String>) + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, text) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        std::thread::Builder::new()
            .name(name.to_owned())
            .stack_size(STACK_SIZE)
            .spawn(move || work(&flag, &sender))?;
        Ok(Self { text, stop })
    }

    /// Asks it to end early.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// `perft`.
    pub(super) fn perft(pos: Position, depth: u32, threads: usize) -> io::Result<Self> {
        Self::spawn("perft", move |stop, text| {
            // Nobody listens once the loop has ended; then it does not matter what is said.
            let say = |line: String| drop(text.send(line));
            match perft::divide(&pos, depth, threads, stop) {
                Some(counts) => {
                    perft::lines(depth, &counts).into_iter().for_each(say);
                }
                None => say("info string perft: stopped before the end".to_owned()),
            }
        })
    }

    /// `bench`.
    pub(super) fn bench(settings: BenchSettings) -> io::Result<Self> {
        Self::spawn("bench", move |stop, text| {
            let say = |line: String| drop(text.send(line));
            let result = bench::run(&settings, stop, |position| say(position.line()));
            match result {
                Ok(Some(totals)) => totals.summary().into_iter().for_each(say),
                Ok(None) => say("info string bench: stopped before the end".to_owned()),
                Err(error) => say(format!("info string bench: {error}")),
            }
        })
    }
}
