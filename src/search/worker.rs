//! What one searching thread holds, and what all of them share.

use super::{Algorithm, BestMove, Limits, Report, SearchSettings};
use crate::bitboard::{INVERSE, transform_square};
use crate::params::search::SYMMETRIC_MEN;
use crate::platform::sync::{Arc, AtomicBool, AtomicU64, Condvar, Mutex, Ordering, Sender};
use crate::position::zobrist::spread;
use crate::position::{Phase, Position};
use crate::search::history::History;
use crate::search::movepick::{Context, Priority};
use crate::search::style::PlayStyle;
use crate::search::timeman::{Allotment, Trend};
use crate::tablebase::Tablebase;
use crate::tt::TranspositionTable;
use crate::types::{
    Color, Depth, MAX_PLY, Move, VALUE_DRAW, VALUE_INFINITE, VALUE_MATE_IN_MAX, VALUE_TABLE_WIN, Value,
};
use std::time::{Duration, Instant};

/// Nodes between two looks at stop flag, clock and node limit.
pub(super) const CHECK_INTERVAL: u64 = 1_024;

/// A counter on a cache line of its own.
#[repr(align(64))]
#[derive(Default)]
struct Counter {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// What the threads of one search share.
pub struct Shared {
    stop: AtomicBool,
    pondering: AtomicBool,
    /// Woken when the search is told to stop or pondering ends.
    changed: Condvar,
    /// When the search began, on the opponent's time if it ponders.
    began: Instant,
    /// When the limits began to count.
    started: Mutex<Instant>,
    /// Nodes that had been searched by then.
    pondered: AtomicU64,
    counters: Box<[Counter]>,
}

impl Shared {
    /// The state of a search by this many threads.
    pub fn new(threads: usize, pondering: bool) -> Self {
        let now = Instant::now();
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            changed: Condvar::new(),
            began: now,
            started: Mutex::new(now),
            pondered: AtomicU64::new(0),
            counters: (0..threads).map(|_| Counter::default()).collect(),
        }
    }

    /// Ends the search.
    pub fn stop(&self) {
        let _guard = self.started.lock();
        self.stop.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Turns pondering into a normal search whose limits count from now.
    pub fn ponderhit(&self) {
        let mut started = self.started.lock();
        *started = Instant::now();
        self.pondered.store(self.nodes(), Ordering::Relaxed);
        // Who sees that pondering has ended also sees the two above.
        self.pondering.store(false, Ordering::Release);
        self.changed.notify_all();
    }

    /// Whether the search has been told to end.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn is_pondering(&self) -> bool {
        self.pondering.load(Ordering::Acquire)
    }

    fn elapsed(&self) -> Duration {
        self.started.lock().elapsed()
    }

    /// Number of threads.
    pub(super) fn threads(&self) -> usize {
        self.counters.len()
    }

    /// Nodes of all threads, up to their latest look at the flags.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.nodes.load(Ordering::Relaxed)).sum()
    }

    /// Nodes for each second since the search began.
    pub(super) fn nps(&self) -> u64 {
        let micros = self.began.elapsed().as_micros().max(1);
        (u128::from(self.nodes()) * 1_000_000 / micros) as u64
    }

    /// Those of the nodes that count since the limits do.
    fn limited_nodes(&self) -> u64 {
        self.nodes().saturating_sub(self.pondered.load(Ordering::Relaxed))
    }

    /// Positions of all threads that tables knew.
    pub(super) fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counter| counter.tb_hits.load(Ordering::Relaxed)).sum()
    }

    /// Waits until the search is stopped, pondering ends (if `until_ponderhit`), or the time is over.
    fn wait(&self, until_ponderhit: bool, deadline: Option<Instant>) {
        let mut guard = self.started.lock();
        while !self.is_stopped() && (!until_ponderhit || self.is_pondering()) {
            match deadline {
                None => self.changed.wait(&mut guard),
                Some(deadline) => {
                    if self.changed.wait_until(&mut guard, deadline).timed_out() {
                        return;
                    }
                }
            }
        }
    }
}

/// A move at the root with what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    /// The move.
    pub m: Move,
    /// Its score in this iteration, or minus infinity where it was not better than those before it.
    pub score: Value,
    /// Its score in the iteration before.
    pub previous: Value,
    /// Deepest line below it.
    pub seldepth: usize,
    /// The line that begins with it.
    pub pv: Vec<Move>,
    /// What the tables say of it.
    pub known: Known,
}

/// What tables say of a root move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Known {
    /// Larger for moves that the tables prefer; equal where they do not decide, so everywhere without tables.
    pub rank: i64,
    /// The value to report, if the tables know it.
    pub value: Option<Value>,
}

/// The moves to be searched at the root.
#[derive(Clone, Debug, Default)]
pub struct RootMoves {
    /// The moves with what the tables say of them, preferred ones first.
    pub moves: Vec<(Move, Known)>,
    /// Whether the tables know what the position is worth: what all of them lead to, or that one wins.
    pub is_known: bool,
    /// Whether the position is won and the move counter so far that the next removal is what matters.
    pub hurries: bool,
}

impl RootMove {
    fn new(m: Move, known: Known) -> Self {
        Self { m, score: -VALUE_INFINITE, previous: -VALUE_INFINITE, seldepth: 0, pv: vec![m], known }
    }

    /// The score to report: what the tables know, unless the search has proved a distance that they do not tell.
    pub(super) fn reported_score(&self) -> Value {
        let found = self.known_score();
        match self.known.value {
            None => found,
            Some(VALUE_TABLE_WIN) if found >= VALUE_MATE_IN_MAX => found,
            Some(value) if value == -VALUE_TABLE_WIN && found <= -VALUE_MATE_IN_MAX => found,
            Some(value) => value,
        }
    }

    /// The score to show: that of this iteration, or else of the one before.
    pub(super) fn known_score(&self) -> Value {
        if self.score == -VALUE_INFINITE { self.previous } else { self.score }
    }
}

/// What the search remembers of each node on the way from the root.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// The move played here.
    pub current: Move,
    /// The key of the position.
    pub key: u64,
    /// Changes of side since the root.
    pub turns: i32,
}

/// The principal variations of all plies of the present line; row `ply` holds the best line from there on.
pub(super) struct PvTable {
    moves: Box<[[Move; MAX_PLY + 1]; MAX_PLY + 1]>,
    lengths: [usize; MAX_PLY + 2],
}

impl PvTable {
    fn new() -> Self {
        let rows = vec![[Move::NONE; MAX_PLY + 1]; MAX_PLY + 1].into_boxed_slice();
        let moves = rows.try_into().unwrap_or_else(|_| unreachable!("the number of rows is the length"));
        Self { moves, lengths: [0; MAX_PLY + 2] }
    }

    #[inline(always)]
    pub(super) fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// The line from `ply` on becomes `m` and the line below it.
    pub(super) fn set(&mut self, ply: usize, m: Move) {
        let below = self.lengths[ply + 1].min(MAX_PLY - ply);
        let (upper, lower) = self.moves.split_at_mut(ply + 1);
        upper[ply][0] = m;
        if below > 0 {
            upper[ply][1..=below].copy_from_slice(&lower[0][..below]);
        }
        self.lengths[ply] = below + 1;
    }

    pub(super) fn line(&self, ply: usize) -> &[Move] {
        &self.moves[ply][..self.lengths[ply]]
    }
}

/// A search to be made, as all threads get it.
#[derive(Clone)]
pub struct SearchJob {
    /// The root.
    pub pos: Position,
    /// When to stop.
    pub limits: Limits,
    /// How to play.
    pub settings: SearchSettings,
    /// The shared table.
    pub tt: Arc<TranspositionTable>,
    /// Tables of perfect play, if there are any for the rules.
    pub tablebase: Option<Arc<Tablebase>>,
    /// Flags and counters.
    pub shared: Arc<Shared>,
    /// Where reports go.
    pub reports: Sender<Report>,
    /// The seed of this search's random order.
    pub seed: u64,
}

/// Where a position is found in the table: with few men on the board, all symmetric positions share one entry; close to
/// the draw by move count, each count has its own.
#[derive(Clone, Copy)]
pub struct TtKey {
    /// The key it has there.
    pub key: u64,
    symmetry: usize,
}

impl TtKey {
    /// The place of a position.
    pub fn of(pos: &Position) -> Self {
        let key = pos.key();
        if pos.has_extras() { Self::with_key::<true>(pos, key) } else { Self::with_key::<false>(pos, key) }
    }

    #[inline(always)]
    fn with_key<const EXTRAS: bool>(pos: &Position, key: u64) -> Self {
        // What the first moves lead to decides how much of the tree is searched once instead of sixteen times; later
        // on looking for symmetry costs more than it finds.
        if !EXTRAS && pos.phase() == Phase::Placing && pos.occupied().count() <= SYMMETRIC_MEN {
            let (key, symmetry) = pos.canonical_key();
            return Self { key, symmetry };
        }
        let count = if is_count_part_of_key(pos) { spread(pos.quiet().into()) } else { 0 };
        Self { key: key ^ count, symmetry: 0 }
    }

    /// A move of the position as the table knows it.
    #[inline(always)]
    pub fn as_stored(self, m: Move) -> Move {
        Self::image(m, self.symmetry)
    }

    /// A move of the table as the position knows it.
    #[inline(always)]
    pub fn as_played(self, m: Move) -> Move {
        Self::image_back(m, self.symmetry)
    }

    /// The image of a move under a symmetry of the board.
    #[inline(always)]
    pub fn image(m: Move, symmetry: usize) -> Move {
        if symmetry == 0 { m } else { m.map(|square| transform_square(square, symmetry)) }
    }

    /// The move whose image this is.
    #[inline(always)]
    pub fn image_back(m: Move, symmetry: usize) -> Move {
        if symmetry == 0 { m } else { m.map(|square| transform_square(square, INVERSE[symmetry])) }
    }
}

/// Moves before the draw by move count from which on that count decides, with everything else, what a position is worth.
const COUNTED: u32 = 32;

/// Whether the table keeps the position apart from the same one with another count of moves.
#[inline(always)]
pub fn is_count_part_of_key(pos: &Position) -> bool {
    pos.quiet_moves_left() <= COUNTED
}

/// The state of one searching thread.
pub struct Worker {
    pub(super) id: usize,
    pub(super) pos: Position,
    pub(super) limits: Limits,
    pub(super) settings: SearchSettings,
    pub(super) tt: Arc<TranspositionTable>,
    pub(super) tablebase: Option<Arc<Tablebase>>,
    pub(super) shared: Arc<Shared>,
    pub(super) reports: Option<Sender<Report>>,
    pub(super) allotment: Allotment,
    pub(super) trend: Trend,
    pub(super) history: History,
    pub(super) priority: Priority,
    pub(super) frames: Box<[Frame]>,
    pub(super) pv: PvTable,
    pub(super) root_moves: Vec<RootMove>,
    /// What the best of them is worth, also where a level or chance plays another.
    pub(super) worth: Value,
    /// What a draw is worth to each side.
    pub(super) draw: [Value; 2],
    /// Whether the evaluation is changed by [`SearchSettings::style`].
    pub(super) is_styled: bool,
    /// Whether all moves are searched with the full window ([`Algorithm::AlphaBeta`]).
    pub(super) plain: bool,
    pub(super) seed: u64,
    pub(super) nodes: u64,
    pub(super) tb_hits: u64,
    /// Whether nodes of this search ask the tables: not when the root itself is known, since then its moves are
    /// chosen by the tables, and between equal ones evaluation has to decide.
    pub(super) probes_tablebase: bool,
    /// Who wins by the tables, if the root is won and the search has to find the way: they do not know how far it is,
    /// or the move counter does not leave time for the shortest.
    pub(super) sure_winner: Option<Color>,
    /// [`RootMoves::hurries`].
    pub(super) hurries: bool,
    pub(super) seldepth: usize,
    pub(super) completed: Depth,
    /// Whether the search is being broken off: values on the way up mean nothing.
    pub(super) aborted: bool,
    /// The node count at which flags and clock are looked at next.
    next_check: u64,
}

impl Worker {
    /// The state of thread `id`, ready for its first job.
    pub fn new(id: usize, job: &SearchJob) -> Self {
        let frame = Frame { current: Move::NONE, key: 0, turns: 0 };
        Self {
            id,
            pos: job.pos.clone(),
            limits: job.limits.clone(),
            settings: job.settings.clone(),
            tt: Arc::clone(&job.tt),
            tablebase: job.tablebase.clone(),
            shared: Arc::clone(&job.shared),
            reports: None,
            allotment: Allotment::default(),
            trend: Trend::default(),
            history: History::default(),
            priority: Priority::new(&job.pos.compiled().adjacent, || 0),
            frames: vec![frame; MAX_PLY + 2].into_boxed_slice(),
            pv: PvTable::new(),
            root_moves: Vec::new(),
            worth: VALUE_DRAW,
            draw: [VALUE_DRAW; 2],
            is_styled: false,
            plain: false,
            seed: job.seed,
            nodes: 0,
            tb_hits: 0,
            probes_tablebase: false,
            sure_winner: None,
            hurries: false,
            seldepth: 0,
            completed: 0,
            aborted: false,
            next_check: 0,
        }
    }

    /// Makes the worker ready to search a new job; what it has learned about moves stays.
    pub fn prepare(&mut self, job: &SearchJob, root_moves: &RootMoves) {
        self.pos.clone_from(&job.pos);
        self.limits.clone_from(&job.limits);
        self.settings.clone_from(&job.settings);
        self.tt = Arc::clone(&job.tt);
        self.tablebase.clone_from(&job.tablebase);
        self.shared = Arc::clone(&job.shared);
        self.reports = Some(job.reports.clone());
        self.allotment = Allotment::new(&job.limits, &job.settings, job.pos.is_removal_due());
        self.trend = Trend::default();
        self.history.new_search();
        let mut dice = Dice(job.seed ^ self.id as u64);
        let shuffling = job.settings.shuffling;
        self.priority =
            Priority::new(&job.pos.compiled().adjacent, || if shuffling { dice.roll() as u8 } else { 0 });
        self.root_moves = root_moves.moves.iter().map(|&(m, known)| RootMove::new(m, known)).collect();
        let best = root_moves.moves.first().and_then(|(_, known)| known.value);
        self.hurries = root_moves.hurries;
        let is_sure = root_moves.is_known && best == Some(VALUE_TABLE_WIN) || self.hurries;
        self.sure_winner = is_sure.then(|| job.pos.side_to_move());
        let is_open = !root_moves.is_known || self.sure_winner.is_some();
        self.probes_tablebase = job.tablebase.is_some() && is_open;
        // Analysis is to tell the truth.
        let bias = job.settings.bias(&job.limits, job.pos.side_to_move());
        self.draw[Color::White.index()] = bias.draw;
        self.draw[Color::Black.index()] = -bias.draw;
        self.is_styled = bias.style != PlayStyle::default();
        self.plain = job.settings.algorithm == Algorithm::AlphaBeta;
        self.seed = job.seed;
        self.nodes = 0;
        // The tables were asked about every move of the root, once for all threads.
        let is_known = |known: &Known| self.is_main() && known.value.is_some();
        self.tb_hits = root_moves.moves.iter().filter(|(_, known)| is_known(known)).count() as u64;
        self.worth = VALUE_DRAW;
        self.seldepth = 0;
        self.completed = 0;
        self.aborted = false;
        self.next_check = 0;
        self.frames[0].turns = 0;
    }

    /// Lets go of what belongs to the search that has ended, so that its channel closes.
    pub fn release(&mut self) {
        self.reports = None;
    }

    /// Forgets what earlier searches have learned.
    pub fn forget(&mut self) {
        self.history.clear();
    }

    /// A draw for the side to move.
    #[inline(always)]
    pub(super) fn value_of_draw(&self) -> Value {
        self.draw[self.pos.side_to_move().index()]
    }

    /// An evaluation of the present position as the style that was chosen has it.
    #[inline(always)]
    pub(super) fn styled(&self, eval: Value) -> Value {
        if self.is_styled { self.settings.style.apply(&self.pos, eval) } else { eval }
    }

    /// Where the present position, which has this key, stands in the table.
    #[inline(always)]
    pub(super) fn tt_key<const EXTRAS: bool>(&self, key: u64) -> TtKey {
        TtKey::with_key::<EXTRAS>(&self.pos, key)
    }

    /// The move that the table knows for the present position, or none that can be played.
    pub(super) fn tt_move(&self) -> Move {
        let place = TtKey::of(&self.pos);
        let best = self.tt.probe(place.key).map_or(Move::NONE, |entry| place.as_played(entry.best));
        if self.pos.is_legal(best) { best } else { Move::NONE }
    }

    /// What the move picker needs at a node.
    #[inline(always)]
    pub(super) fn context(&self, ply: usize) -> Context<'_> {
        let previous = if ply > 0 { self.frames[ply - 1].current } else { Move::NONE };
        Context {
            history: &self.history,
            priority: &self.priority,
            killers: self.history.killers(ply),
            counter: self.history.counter(previous),
        }
    }

    /// Whether this is the thread that keeps the limits and reports.
    #[inline(always)]
    pub(super) fn is_main(&self) -> bool {
        self.id == 0
    }

    /// Time since the limits began to count; with `nodestime` in units of nodes.
    pub(super) fn elapsed(&self) -> Duration {
        match self.settings.nodes_time {
            0 => self.shared.elapsed(),
            per_ms => Duration::from_micros(self.shared.limited_nodes() * 1_000 / per_ms),
        }
    }

    /// Counts a node; now and then looks whether the search has to end.
    #[inline(always)]
    pub(super) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.look_at_limits();
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn look_at_limits(&mut self) {
        self.publish_nodes();
        let mut interval = CHECK_INTERVAL;
        if self.shared.is_stopped() {
            self.aborted = true;
        }
        let is_limited = !self.shared.is_pondering();
        let total = self.shared.limited_nodes();
        if is_limited && let Some(limit) = self.limits.nodes {
            if total >= limit {
                self.aborted = true;
            }
            interval = interval.min((limit - total.min(limit)).max(1));
        }
        if is_limited
            && self.is_main()
            && let Some(maximum) = self.allotment.maximum
        {
            if self.elapsed() >= maximum {
                self.aborted = true;
            }
            if self.settings.nodes_time > 0 {
                let limit = maximum.as_micros() as u64 * self.settings.nodes_time / 1_000;
                interval = interval.min(limit.saturating_sub(total).max(1));
            }
        }
        self.next_check = self.nodes + interval;
    }

    /// Lets the other threads see how many nodes this one has searched.
    pub(super) fn publish_nodes(&self) {
        let counter = &self.shared.counters[self.id];
        counter.nodes.store(self.nodes, Ordering::Relaxed);
        counter.tb_hits.store(self.tb_hits, Ordering::Relaxed);
    }

    /// Holds the result back while the limits say so: `infinite`, pondering, or unused `movetime` without a proof.
    pub(super) fn hold_back(&self, use_all_time: bool) {
        if self.limits.infinite {
            self.shared.wait(false, None);
        }
        if self.shared.is_pondering() {
            self.shared.wait(true, None);
        }
        if let (true, Some(time), 0) = (use_all_time, self.limits.movetime, self.settings.nodes_time) {
            let deadline = *self.shared.started.lock() + time;
            self.shared.wait(false, Some(deadline));
        }
    }

    /// Whether time or nodes do not allow another iteration.
    pub(super) fn is_time_up(&self) -> bool {
        if self.aborted || self.shared.is_stopped() {
            return true;
        }
        if self.shared.is_pondering() || self.limits.infinite {
            return false;
        }
        self.allotment.optimum.is_some_and(|optimum| self.elapsed() >= optimum * self.trend.share() / 100)
    }

    /// Sends a report; that nobody listens any more is not this thread's business.
    pub(super) fn report(&self, report: Report) {
        if let Some(reports) = &self.reports {
            let _ = reports.send(report);
        }
    }

    /// The result of this thread.
    pub fn result(&self) -> BestMove {
        let Some(first) = self.root_moves.first() else {
            return BestMove { best: None, ponder: None, score: 0, depth: 0, nodes: self.nodes };
        };
        BestMove {
            best: Some(first.m),
            ponder: None,
            score: first.reported_score(),
            depth: self.completed,
            nodes: self.nodes,
        }
    }
}

/// A small generator for shuffling (SplitMix64).
pub(super) struct Dice(pub u64);

impl Dice {
    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        crate::position::zobrist::spread(self.0)
    }
}
