//! The state of one search thread while it searches.

use super::eval_cache::EvalCache;
use super::history::{History, Priority};
use super::limits::{Algorithm, Limits, MAX_DEPTH, SearchSettings};
use super::movepick::Context;
use super::pv::PvTable;
use super::report::{BestMove, Info, Report};
use super::root_moves::{RootMove, RootMoves, root_moves};
use super::shared::Shared;
use super::style::PlayStyle;
use super::timeman::{TimeBudget, Trend};
use super::tt_key::TtKey;
use crate::evaluate::{Evaluator, evaluate_by};
use crate::platform::clock::Instant;
use crate::platform::memory::{MemoryError, boxed};
use crate::platform::random::{self, SplitMix64};
use crate::platform::sync::{Arc, Sender};
use crate::position::Position;
use crate::tablebase::Tablebase;
use crate::tt::{TranspositionTable, value_from_tt};
use crate::types::{Bound, Color, Depth, MAX_PLY, Move, VALUE_DRAW, VALUE_TB_WIN, Value};
use std::time::Duration;

/// The least time to rank the root moves by the tablebase. Not tunable: it bounds the wait for a slow disk.
const LEAST_RANKING_TIME: Duration = Duration::from_millis(20);

/// The state of one node on the line from the root.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The move that led here, none at the root.
    pub last_move: Move,
    /// The turns of both sides since the root, with those that a side had to leave out.
    pub turns: i32,
}

/// The nodes on the line from the root, by ply.
type Frames = Box<[Frame; MAX_PLY + 2]>;

/// A search to run. Each thread gets a copy.
#[derive(Clone)]
pub(crate) struct SearchJob {
    /// The root.
    pub pos: Position,
    /// The limits.
    pub limits: Limits,
    /// The settings.
    pub settings: SearchSettings,
    /// The transposition table, shared by all threads.
    pub tt: Arc<TranspositionTable>,
    /// The tablebase, if there is one for the rules.
    pub tablebase: Option<Arc<Tablebase>>,
    /// Flags and counters, shared by all threads.
    pub shared: Arc<Shared>,
    /// The channel to which reports are sent.
    pub reports: Sender<Report>,
    /// The seed of all random choices.
    pub seed: u64,
}

impl SearchJob {
    /// Returns a new search for `threads` threads.
    pub(super) fn new(
        pos: Position,
        limits: Limits,
        settings: SearchSettings,
        tt: Arc<TranspositionTable>,
        tablebase: Option<Arc<Tablebase>>,
        reports: Sender<Report>,
        threads: usize,
    ) -> Self {
        tt.new_search();
        let began = limits.began.unwrap_or_else(Instant::now);
        let shared = Arc::new(Shared::new(threads, began, limits.ponder));
        let seed = settings.seed.unwrap_or_else(|| if limits.reproducible { 0 } else { random::number() });
        Self { pos, limits, settings, tt, tablebase, shared, reports, seed }
    }

    /// Returns the depth at which the first thread to finish it ends the search, if there is one.
    pub(super) fn wanted_depth(&self) -> Option<Depth> {
        let Self { limits, settings, .. } = self;
        let deepens = !matches!(settings.algorithm, Algorithm::Mcts | Algorithm::Random);
        limits.depth.filter(|_| deepens && settings.votes(limits)).map(|depth| depth.min(MAX_DEPTH))
    }

    /// Ranks the root moves and sends the notes about them.
    pub(super) fn rank_root_moves(&self) -> RootMoves {
        let tablebase = self.tablebase.as_deref();
        // Half of the time is left to the search if the disk is slow. In memory the ranking takes far less
        // than its least time.
        let time = TimeBudget::new(&self.limits, &self.settings, self.pos.is_take_due()).maximum;
        let time = time.filter(|_| self.settings.nodes_time == 0);
        let time = time.map(|time| (time / 2).max(LEAST_RANKING_TIME));
        // Not from `go` on: changed options may have taken longer than that.
        let began = Instant::now();
        let spent = || began.max(self.shared.started()).elapsed();
        let is_up = |time| !self.shared.is_pondering() && spent() >= time;
        let is_stopped = || self.shared.is_stopped() || time.is_some_and(is_up);
        let (moves, notes) = root_moves(&self.pos, &self.limits, &self.settings, tablebase, is_stopped);
        for note in notes {
            // Fails if the receiver is gone; the search continues.
            let _ = self.reports.send(Report::Note(note));
        }
        moves
    }
}

/// The part of a [`Worker`] that a thread keeps from one search to the next: the history, and memory to
/// reuse.
pub(crate) struct ThreadMemory {
    history: History,
    evals: EvalCache,
    frames: Frames,
    pv: PvTable,
}

impl ThreadMemory {
    /// Returns memory with an empty history.
    ///
    /// # Errors
    /// If the system refuses it.
    pub(crate) fn new() -> Result<Self, MemoryError> {
        let frame = Frame { last_move: Move::NONE, turns: 0 };
        let evals = EvalCache::new()?;
        Ok(Self { history: History::new()?, evals, frames: boxed(frame)?, pv: PvTable::new()? })
    }

    /// Clears the history.
    pub(crate) fn clear(&mut self) {
        self.history.clear();
    }
}

/// The state of one thread during one search.
pub(crate) struct Worker {
    pub(super) id: usize,
    /// The job; its position is the root.
    pub(super) job: SearchJob,
    /// The position of the current node.
    pub(super) pos: Position,
    /// The evaluation of the positions.
    pub(super) evaluator: Evaluator,
    /// The latest evaluations.
    pub(super) evals: EvalCache,
    pub(super) time: TimeBudget,
    pub(super) trend: Trend,
    pub(super) history: History,
    pub(super) priority: Priority,
    pub(super) frames: Frames,
    pub(super) pv: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// The bound of the score in front: `Lower` if an aborted iteration has put another move in front, else
    /// exact.
    pub(super) bound: Bound,
    /// The score of the best root move, even if a level or chance chooses another.
    pub(super) best_score: Value,
    /// The value of a draw for each side.
    pub(super) draw: [Value; 2],
    /// True if [`SearchSettings::style`] changes the evaluation.
    pub(super) is_styled: bool,
    /// True if all moves are searched with the full window ([`Algorithm::AlphaBeta`]).
    pub(super) full_window: bool,
    pub(super) tb_hits: u64,
    /// True if nodes below the root probe the tablebase.
    ///
    /// They do if the value of the root is unknown, or if the search has to find the way to a known win.
    /// Otherwise the tablebase has ranked the root moves, and the evaluation has to decide between equal
    /// ones.
    pub(super) probes_tablebase: bool,
    /// The winner by the tablebase, if the search has to find the way: the distance is unknown, or the
    /// shortest win takes more moves than the move counter leaves.
    pub(super) sure_winner: Option<Color>,
    /// [`RootMoves::needs_take`].
    pub(super) needs_take: bool,
    /// The length in plies of the longest line of this iteration.
    pub(super) seldepth: usize,
    /// The last finished iteration.
    pub(super) completed: Depth,
    /// The latest iteration, finished or not.
    pub(super) iteration: Depth,
    /// True if the report of the line in front waits for the vote.
    pub(super) is_unreported: bool,
    /// True while the search unwinds: values on the way up mean nothing.
    pub(super) aborted: bool,
    /// True if it unwinds only to go on later; see `course.rs`.
    pub(super) paused: bool,
    /// The number of pauses since the last finished root move or simulation.
    pub(super) pauses: u32,
    /// The state of an interrupted search of the root moves.
    pub(super) paused_pass: Option<RootPass>,
    /// The node count at which the search pauses.
    pub(super) slice_end: u64,
    /// The node count at which the limits are checked next.
    next_check: u64,
    /// The number of nodes until then.
    pub(super) until_check: u64,
}

/// The result of a thread.
#[derive(Clone)]
pub(super) struct ThreadResult {
    /// Its best move.
    pub best: BestMove,
    /// The lines to report if that move is played: the best one, or none without a move.
    pub lines: Vec<Info>,
}

/// The state of a search of the root moves that has paused.
#[derive(Clone, Copy)]
pub(super) struct RootPass {
    /// The move whose search has to begin anew.
    pub index: usize,
    /// The lower bound.
    pub alpha: Value,
    /// The best value so far.
    pub best: Value,
}

impl Worker {
    /// Returns thread `id` ready to search.
    pub(crate) fn new(
        id: usize,
        job: SearchJob,
        evaluator: Evaluator,
        root_moves: &RootMoves,
        memory: ThreadMemory,
    ) -> Self {
        let ThreadMemory { mut history, mut evals, mut frames, pv } = memory;
        let SearchJob { pos, limits, settings, seed, .. } = &job;
        evals.clear();
        if limits.reproducible {
            history.clear();
        } else {
            history.new_search();
        }
        frames[0] = Frame { last_move: Move::NONE, turns: 0 };
        let us = pos.side_to_move();
        let mut rng = SplitMix64(seed ^ id as u64);
        let mut random = || if settings.shuffling { rng.next() as u8 } else { 0 };
        let best = root_moves.moves.first().and_then(|(_, probe)| probe.value);
        let is_sure = root_moves.is_known && best == Some(VALUE_TB_WIN) || root_moves.needs_take;
        let bias = settings.bias(limits, us);
        let mut draw = [bias.draw; 2];
        draw[Color::Black.index()] = -bias.draw;
        // Counted once for all threads.
        let is_hit = |value: Option<Value>| id == 0 && value.is_some();
        Self {
            id,
            pos: pos.clone(),
            evaluator,
            evals,
            time: TimeBudget::new(limits, settings, pos.is_take_due()),
            trend: Trend::default(),
            history,
            priority: Priority::new(&pos.compiled().adjacent, &mut random),
            frames,
            pv,
            root_moves: root_moves.moves.iter().map(|&(m, probe)| RootMove::new(m, probe)).collect(),
            bound: Bound::Exact,
            best_score: VALUE_DRAW,
            draw,
            is_styled: bias.style != PlayStyle::default(),
            full_window: settings.algorithm == Algorithm::AlphaBeta,
            tb_hits: root_moves.moves.iter().filter(|(_, probe)| is_hit(probe.value)).count() as u64,
            probes_tablebase: job.tablebase.is_some() && (!root_moves.is_known || is_sure),
            sure_winner: is_sure.then_some(us),
            needs_take: root_moves.needs_take,
            seldepth: 0,
            completed: 0,
            iteration: 0,
            is_unreported: false,
            aborted: false,
            paused: false,
            pauses: 0,
            paused_pass: None,
            slice_end: u64::MAX,
            next_check: 1,
            until_check: 1,
            job,
        }
    }

    /// Ends the search and returns what the next one of this thread needs. Closes this end of the channel of
    /// reports.
    pub(crate) fn into_memory(self) -> ThreadMemory {
        ThreadMemory { history: self.history, evals: self.evals, frames: self.frames, pv: self.pv }
    }

    /// The value of a draw for the side to move.
    #[inline(always)]
    pub(super) fn value_of_draw(&self) -> Value {
        self.draw[self.pos.side_to_move().index()]
    }

    /// Returns the static value of the current position, as the chosen style changes it.
    #[inline(always)]
    pub(super) fn static_value(&self) -> Value {
        self.styled(evaluate_by(&self.evaluator, &self.pos))
    }

    /// Returns an evaluation of the current position as the chosen style changes it.
    #[inline(always)]
    pub(super) fn styled(&self, eval: Value) -> Value {
        if self.is_styled { self.job.settings.style.apply(&self.pos, eval) } else { eval }
    }

    /// Returns the move that the transposition table stores for the current position, if it is legal.
    pub(super) fn tt_move(&self) -> Move {
        let tt_key = TtKey::of(&self.pos);
        let best = self.job.tt.probe(tt_key.key).map_or(Move::NONE, |entry| tt_key.as_played(entry.best));
        if self.pos.is_legal(best) { best } else { Move::NONE }
    }

    /// Returns true if the transposition table proves that the value of the current position, so many turns
    /// from the root, is at least this win or at most this loss.
    pub(super) fn tt_proves(&self, value: Value, turns: i32) -> bool {
        self.job.tt.probe(TtKey::of(&self.pos).key).is_some_and(|entry| {
            let found = value_from_tt(entry.value, turns);
            if value > 0 {
                entry.bound.is_lower() && found >= value
            } else {
                entry.bound.is_upper() && found <= value
            }
        })
    }

    /// Returns the input of the move picker at a node.
    #[inline(always)]
    pub(super) fn context(&self, ply: usize) -> Context<'_> {
        Context {
            history: &self.history,
            priority: &self.priority,
            killers_and_counter: self.history.killers_and_counter(ply, self.frames[ply].last_move),
            tt: &self.job.tt,
        }
    }

    /// Returns true for the first thread, which keeps the limits and reports.
    #[inline(always)]
    pub(super) fn is_main(&self) -> bool {
        self.id == 0
    }

    /// Returns the time since `go` or `ponderhit`, counted in nodes with [`SearchSettings::nodes_time`].
    pub(super) fn elapsed(&self) -> Duration {
        match self.job.settings.nodes_time {
            0 => self.job.shared.elapsed(),
            per_ms => time_of(self.job.shared.limited_nodes(), per_ms),
        }
    }

    /// Returns the time since `go` to report, counted in the same way.
    fn age(&self) -> Duration {
        match self.job.settings.nodes_time {
            0 => self.job.shared.age(),
            per_ms => time_of(self.job.shared.nodes(), per_ms),
        }
    }

    /// Returns the number of nodes so far.
    pub(super) fn nodes(&self) -> u64 {
        self.next_check - self.until_check
    }

    /// Lets the limits be checked after so many more nodes, at least one.
    pub(super) fn check_after(&mut self, nodes: u64) {
        self.next_check = self.nodes() + nodes;
        self.until_check = nodes;
    }

    /// Makes the counters of this thread visible to the others.
    pub(super) fn publish_nodes(&self) {
        self.job.shared.publish(self.id, self.nodes(), self.tb_hits);
    }

    /// Pauses the search after so many more nodes.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub(super) fn pause_after(&mut self, nodes: u64) {
        self.slice_end = self.nodes().saturating_add(nodes);
    }

    /// Returns true if the search is aborted only for now.
    #[inline(always)]
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Ends a pause.
    pub(super) fn resume(&mut self) {
        if std::mem::take(&mut self.paused) {
            self.aborted = false;
            self.check_after(1);
        }
    }

    /// Sends a report.
    pub(super) fn report(&self, report: Report) {
        // Fails if the receiver is gone; the search continues.
        let _ = self.job.reports.send(report);
    }

    /// Sends the best `lines` root moves, if this is the first thread.
    pub(super) fn report_lines(&self, bound: Bound, lines: usize, depth: Depth) {
        if self.is_main() {
            self.report(Report::Lines(self.lines(bound, lines, depth)));
        }
    }

    /// Returns the iteration from which the result comes: a bound is that of an unfinished one.
    fn last_iteration(&self, bound: Bound) -> Depth {
        if bound == Bound::Exact { self.completed } else { self.iteration }
    }

    /// Reports the end of the search of this thread. If the threads vote, the report waits until they have:
    /// the move of another one may be played.
    pub(super) fn report_last(&mut self, bound: Bound, lines: usize) {
        self.is_unreported = self.job.settings.votes(&self.job.limits);
        if !self.is_unreported {
            self.report_lines(bound, lines, self.last_iteration(bound));
        }
    }

    /// Returns the best `lines` root moves as they are reported, at most as many as `MultiPV` sets.
    fn lines(&self, bound: Bound, lines: usize, depth: Depth) -> Vec<Info> {
        self.publish_nodes();
        let shared = &self.job.shared;
        let shown = self.job.settings.multi_pv.min(lines);
        let nodes = shared.nodes();
        let infos = self.root_moves.iter().take(shown).enumerate();
        let infos = infos.map(|(index, root_move)| Info {
            depth: depth.max(1),
            seldepth: root_move.seldepth.max(root_move.pv.len()),
            multipv: index + 1,
            score: root_move.shown_score(),
            bound,
            nodes,
            nps: shared.nps(),
            hashfull: self.job.tt.hashfull_after(nodes),
            tbhits: shared.tb_hits(),
            time: self.age(),
            pv: root_move.pv.clone(),
        });
        infos.collect()
    }

    /// Brings the counters and the time of a line up to date: its thread may have ended long ago.
    pub(super) fn update_counters(&self, info: &mut Info) {
        let shared = &self.job.shared;
        (info.nodes, info.nps, info.tbhits) = (shared.nodes(), shared.nps(), shared.tb_hits());
        info.time = self.age();
    }

    /// Returns the result of this thread.
    pub(super) fn result(&mut self) -> ThreadResult {
        let best = self.best_move();
        ThreadResult { best, lines: self.lines(self.bound, 1, self.last_iteration(self.bound)) }
    }

    /// Returns the best move. It has an expected reply if the opponent makes the second move of the line.
    fn best_move(&mut self) -> BestMove {
        let Some(root_move) = self.root_moves.first() else {
            return BestMove { best: None, ponder: None, score: 0, depth: 0, nodes: self.nodes() };
        };
        let mut result = BestMove {
            best: Some(root_move.m),
            ponder: None,
            score: root_move.reported_score(),
            depth: self.completed,
            nodes: self.nodes(),
        };
        if let &[first, second, ..] = root_move.pv.as_slice() {
            let us = self.pos.side_to_move();
            self.pos.do_move(first);
            if self.pos.side_to_move() != us && self.pos.is_legal(second) {
                result.ponder = Some(second);
            }
            self.pos.undo_move();
        }
        result
    }
}

/// Returns the time that so many nodes count as.
fn time_of(nodes: u64, per_ms: u64) -> Duration {
    Duration::from_micros(nodes * 1_000 / per_ms)
}
