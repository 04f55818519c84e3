//! `bench`: searches of fixed depth. The node count is the signature of the search, the time its speed.

#[cfg(feature = "cli")]
use super::error::ToolError;
use super::searcher::Searcher;
use crate::engine::EngineError;
use crate::evaluate::EvalNetwork;
use crate::platform::clock::{Instant, per_second};
use crate::position::Position;
use crate::rules::Rules;
use crate::search::limits::Limits;
#[cfg(feature = "cli")]
pub(crate) use crate::search::limits::MAX_DEPTH;
use crate::types::Depth;
#[cfg(feature = "cli")]
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The settings of a bench.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchSettings {
    /// Depth of each search.
    pub depth: Depth,
    /// Threads; only with one the node count is always the same.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash: usize,
    /// The rules. The positions are those of the standard game, or the initial position under other rules.
    pub rules: Rules,
    /// The network that evaluates.
    pub network: EvalNetwork,
}

/// Default depth of a bench.
pub const DEPTH: Depth = 11;

impl Default for BenchSettings {
    fn default() -> Self {
        Self { depth: DEPTH, threads: 1, hash: 16, rules: Rules::NINE, network: EvalNetwork::default() }
    }
}

/// Returns the network of a file for these rules, or the built-in one.
///
/// # Errors
/// If the file cannot be read or holds no network, or one of other rules, which would not be used.
#[cfg(feature = "cli")]
pub fn network(file: Option<&Path>, rules: &Rules) -> Result<EvalNetwork, ToolError> {
    let Some(path) = file else { return Ok(EvalNetwork::default()) };
    let network = EvalNetwork::open(path).map_err(ToolError::input(path))?;
    match network.chosen_for(&rules.with_standard_counters()) {
        Some(_) => Ok(network),
        None => Err(ToolError::unexpected(path, "a network of other rules", rules.describe())),
    }
}

/// The result of one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BenchPosition {
    /// Its number, from 1.
    pub number: usize,
    /// The number of positions.
    pub count: usize,
    /// Its position text.
    pub fen: String,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Time of the search.
    pub time: Duration,
}

impl BenchPosition {
    /// Returns the result as a line, the same in every run with one thread.
    pub fn line(&self) -> String {
        let Self { number, count, fen, nodes, .. } = self;
        format!("position {number}/{count}: {nodes} nodes, {fen}")
    }

    /// Returns the result as a line with the time.
    pub fn line_with_time(&self) -> String {
        let Self { number, count, fen, nodes, time } = self;
        format!("position {number}/{count}: {nodes} nodes in {} ms, {fen}", time.as_millis())
    }
}

/// The result of a bench.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchTotals {
    /// Nodes of all positions and threads.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
}

impl BenchTotals {
    /// Returns the nodes per second.
    pub fn nps(&self) -> u64 {
        per_second(self.nodes, self.time)
    }

    /// Returns the totals as lines; the last is `<nodes> nodes <n> nps`.
    pub fn summary(&self) -> [String; 3] {
        let nps = self.nps();
        [
            format!("Time: {} ms", self.time.as_millis()),
            format!("Nodes: {}", self.nodes),
            format!("{} nodes {nps} nps", self.nodes),
        ]
    }
}

/// A bench, and how far it has come.
pub(crate) struct Bench {
    searcher: Searcher,
    limits: Limits,
    positions: Vec<Position>,
    /// The number of positions searched.
    done: usize,
    totals: BenchTotals,
}

impl Bench {
    /// Prepares a bench.
    ///
    /// # Errors
    /// If the system grants no threads or no memory.
    pub(crate) fn new(settings: &BenchSettings) -> Result<Self, EngineError> {
        let mut searcher = Searcher::new(settings.threads, settings.hash)?;
        searcher.set_network(settings.network.clone());
        let limits = Limits { depth: Some(settings.depth), ..Limits::default() };
        let totals = BenchTotals { nodes: 0, time: Duration::ZERO };
        Ok(Self { searcher, limits, positions: positions(&settings.rules), done: 0, totals })
    }

    /// Searches the next position and returns its result; `None` if there is none left, or `stop` was set
    /// before the end.
    ///
    /// # Errors
    /// If the search threads have ended.
    pub(crate) fn search_next(&mut self, stop: &AtomicBool) -> Result<Option<BenchPosition>, EngineError> {
        let Some(pos) = self.positions.get(self.done) else { return Ok(None) };
        // Each position starts with empty tt and histories, so that its count does not depend on the others.
        self.searcher.clear();
        let begin = Instant::now();
        let (best, _) = self.searcher.search_until(pos, self.limits.clone(), stop)?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let time = begin.elapsed();
        self.done += 1;
        self.totals.nodes += best.nodes;
        self.totals.time += time;
        let (number, count, fen) = (self.done, self.positions.len(), pos.fen());
        Ok(Some(BenchPosition { number, count, fen, nodes: best.nodes, time }))
    }

    /// Returns the totals so far.
    pub(crate) fn totals(&self) -> BenchTotals {
        self.totals
    }
}

/// Searches all positions and calls `each` after each of them.
///
/// Returns `Ok(None)` if `stop` was set before the end.
///
/// # Errors
/// If the system grants no threads or no memory.
pub fn run(
    settings: &BenchSettings,
    stop: &AtomicBool,
    mut each: impl FnMut(&BenchPosition),
) -> Result<Option<BenchTotals>, EngineError> {
    let mut bench = Bench::new(settings)?;
    while let Some(position) = bench.search_next(stop)? {
        each(&position);
    }
    Ok((!stop.load(Ordering::Relaxed)).then(|| bench.totals()))
}

/// Returns the positions that a bench searches under these rules.
fn positions(rules: &Rules) -> Vec<Position> {
    let start = Position::new(rules);
    if *rules != Rules::NINE {
        return vec![start];
    }
    let compiled = start.shared_compiled();
    let read = |line: &str| {
        let text = format!("{line} ids:nodes");
        Position::from_fen_with(Arc::clone(&compiled), &text, crate::position::CountPolicy::Refuse).ok()
    };
    std::iter::once(start.clone()).chain(NINE.iter().filter_map(|line| read(line))).collect()
}

/// Positions of recorded games of Nine Men's Morris, without the last word of the text: placing from the
/// first man to the last, takes in both phases, moving with many men and few, flying.
const NINE: [&str; 31] = [
    "********/******O*/******** b p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1",
    "********/**@*****/******OO b p p 2 7 1 8 0 0 -1 -1 -1 -1 0 0 2",
    "O****O**/**@**@**/******** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3",
    "********/OOO**O**/****@*@@ b p p 4 5 3 6 0 0 -1 -1 -1 -1 0 0 4",
    "***@****/@*O**O**/****@O** w p p 3 6 3 6 0 0 -1 -1 -1 -1 0 0 4",
    "****O@*@/*O**@*O*/*O****** b p p 4 5 3 6 0 0 -1 -1 -1 -1 0 0 4",
    "*@**O@OO/@*@**@*O/***OO*** b p p 6 3 5 4 0 0 -1 -1 -1 -1 0 0 6",
    "@**O*@O*/@OO*O***/**@O@@** w p p 6 3 6 3 0 0 -1 -1 -1 -1 0 0 7",
    "***OO*O@/@OO@*@@O/O**@**O@ b p p 8 1 7 2 0 0 -1 -1 -1 -1 0 0 8",
    "@@*@OOO*/@O*O*@O*/**@@OO*@ w p p 8 1 8 1 0 0 -1 -1 -1 -1 0 0 9",
    "**O@*O*@/OO@*O@O*/O@*@@O** b p p 8 1 7 2 0 0 -1 -1 -1 -1 0 0 8",
    "O**O@OO@/@@*O@@@@/OOO**@** b p r 8 0 9 0 0 1 -1 -1 -1 -1 0 0 9",
    "*O*@OO@@/@******O/@@OO*O*@ b p r 7 2 7 2 0 1 -1 -1 -1 -1 0 0 7",
    "**@*@O**/*OOO***@/@@*OOO@@ w m r 7 0 7 0 1 0 -1 -1 -1 -1 0 1 30",
    "***@OO@O/*@OOOO@@/@***@O@* b m r 8 0 8 0 0 1 -1 -1 -1 -1 0 4 11",
    "O@OOO@O*/@O@@*O*@/@*O@*@O* w m s 9 0 9 0 0 0 -1 -1 -1 -1 0 50 35",
    "@*@O@OOO/O***@*@*/*O@OO@O* b m s 9 0 7 0 0 0 -1 -1 -1 -1 0 14 17",
    "*@@*O*@O/*@O@@***/OO@OO*OO b m s 9 0 7 0 0 0 -1 -1 -1 -1 0 0 16",
    "O****@@*/*O@@O@O*/@OO@OO@O b m s 9 0 8 0 0 0 -1 -1 -1 -1 0 29 24",
    "@*OO**O@/@@O@*O*@/OO@@@O** w m s 8 0 9 0 0 0 -1 -1 -1 -1 0 2 11",
    "O*@O*O@O/*@**@*OO/**@**O@* b m s 7 0 6 0 0 0 -1 -1 -1 -1 0 50 47",
    "@O**@O@O/*O@O@O**/O*O**O** w m s 9 0 5 0 0 0 -1 -1 -1 -1 0 35 80",
    "*@*OOO**/*@@*@***/*@*@OO*O b m s 6 0 6 0 0 0 -1 -1 -1 -1 0 3 14",
    "O*O**@*O/@***O*@O/**@*@OO@ w m s 7 0 6 0 0 0 -1 -1 -1 -1 0 67 56",
    "*@O*OO**/*@@@****/**@*O*** w m s 4 0 5 0 0 0 -1 -1 -1 -1 0 0 23",
    "@O*OOO*@/**O**@**/*@*@**** b m s 5 0 5 0 0 0 -1 -1 -1 -1 0 12 36",
    "**O****O/@@@***O*/*****@O* b m s 4 0 4 0 0 0 -1 -1 -1 -1 0 18 35",
    "@O**@*O*/**@@@*O*/**@@@**@ w m s 3 0 9 0 0 0 -1 -1 -1 -1 0 0 45",
    "*O@O@***/@@@*@O*@/****@*@* b m s 3 0 9 0 0 0 -1 -1 -1 -1 0 5 34",
    "@@O****@/*O@**O**/****@*** b m s 3 0 5 0 0 0 -1 -1 -1 -1 0 3 38",
    "***O****/***@@@**/O**O**** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 24",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_the_bench_can_be_read() {
        assert_eq!(positions(&Rules::NINE).len(), NINE.len() + 1);
        assert!(positions(&Rules::NINE).iter().all(|pos| !pos.outcome().is_over()));
    }

    #[test]
    fn the_node_count_is_reproducible() {
        let bench = BenchSettings { depth: 4, ..BenchSettings::default() };
        let count = || run(&bench, &AtomicBool::new(false), |_| {}).unwrap().unwrap().nodes;
        assert_eq!(count(), count());
    }

    // In a browser a search of the bench ends by itself only.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn the_bench_can_be_stopped() {
        let endless = BenchSettings { depth: 100, ..BenchSettings::default() };
        assert!(matches!(run(&endless, &AtomicBool::new(true), |_| {}), Ok(None)));
    }
}
