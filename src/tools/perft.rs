//! `perft`: counts move sequences by root move, with threads; a flag stops it.

use crate::movegen;
use crate::platform::threads::spawn_scoped;
use crate::position::Position;
#[cfg(feature = "cli")]
pub(crate) use crate::search::limits::MAX_DEPTH;
use crate::types::Move;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A count of more plies is divided further: one of this many takes a fraction of a second in any position.
const LARGEST_TASK: u32 = 4;

/// A part of a count.
struct PerftTask {
    /// The number of the first move.
    first: usize,
    pos: Position,
    /// The plies below the position.
    depth: u32,
}

impl PerftTask {
    /// Divides the count by the moves of the position.
    fn divide(&self) -> impl Iterator<Item = Self> {
        self.pos.legal_moves().to_vec().into_iter().map(|m| {
            let mut pos = self.pos.clone();
            pos.do_move(m);
            Self { first: self.first, pos, depth: self.depth - 1 }
        })
    }
}

/// The count of the sequences of exactly `depth` legal moves by their first move, divided into tasks.
pub(crate) struct Division {
    moves: Vec<Move>,
    /// Those left to count. The last one is the next, so that few are in memory at a time.
    tasks: Mutex<Vec<PerftTask>>,
    counts: Mutex<Vec<u64>>,
}

impl Division {
    /// Divides a count. The moves are in the order of move generation.
    pub(crate) fn new(pos: &Position, depth: u32) -> Self {
        let moves = if depth == 0 { Vec::new() } else { pos.legal_moves().to_vec() };
        let whole = PerftTask { first: 0, pos: pos.clone(), depth };
        let mut tasks = Vec::new();
        for (first, part) in whole.divide().take(moves.len()).enumerate() {
            let part = PerftTask { first, ..part };
            match depth {
                // Two plies give enough tasks for many threads.
                3.. => tasks.extend(part.divide()),
                _ => tasks.push(part),
            }
        }
        // A single task would leave all other threads without work.
        while let [task] = tasks.as_slice()
            && task.depth > LARGEST_TASK
        {
            tasks = task.divide().collect();
        }
        let counts = Mutex::new(vec![0; moves.len()]);
        Self { moves, tasks: Mutex::new(tasks), counts }
    }

    /// Does the next task: divides it, or counts. Returns false if there is none now, or `stop` is set. A
    /// thread that divides a task may add others later, and then does them itself.
    pub(crate) fn count_next(&self, stop: &AtomicBool) -> bool {
        if stop.load(Ordering::Relaxed) {
            return false;
        }
        let Some(mut task) = self.tasks.lock().pop() else { return false };
        if task.depth > LARGEST_TASK {
            let parts: Vec<PerftTask> = task.divide().collect();
            self.tasks.lock().extend(parts);
            return true;
        }
        let count = movegen::perft(&mut task.pos, task.depth);
        self.counts.lock()[task.first] += count;
        true
    }

    /// Returns the counts so far.
    pub(crate) fn counts(&self) -> Vec<(Move, u64)> {
        self.moves.iter().copied().zip(self.counts.lock().iter().copied()).collect()
    }
}

/// Counts the sequences of exactly `depth` legal moves by their first move, with up to `threads` threads. The
/// list is in the order of move generation. Returns `None` if `stop` was set before the end.
pub(crate) fn divide(
    pos: &Position,
    depth: u32,
    threads: usize,
    stop: &AtomicBool,
) -> Option<Vec<(Move, u64)>> {
    let division = Division::new(pos, depth);
    let tasks = division.tasks.lock().len();
    let work = || while division.count_next(stop) {};
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, tasks.max(1)) {
            // If a thread cannot be started, the others do its work.
            let _ = spawn_scoped(scope, work);
        }
        work();
    });
    (!stop.load(Ordering::Relaxed)).then(|| division.counts())
}

/// Returns the sum of a division to `depth`.
pub(crate) fn total(depth: u32, counts: &[(Move, u64)]) -> u64 {
    if depth == 0 { 1 } else { counts.iter().map(|(_, count)| count).sum() }
}

/// Returns the lines of a division to `depth`: the count of each first move, an empty line, and the sum.
pub(crate) fn lines(depth: u32, counts: &[(Move, u64)]) -> Vec<String> {
    let mut lines: Vec<String> = counts.iter().map(|(m, count)| format!("{m}: {count}")).collect();
    lines.push(String::new());
    lines.push(format!("Nodes searched: {}", total(depth, counts)));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn forced_turns_leave_work_for_other_threads() {
        let rules = Rules::parse("nine,PiecesCount=12,MayFly=false").unwrap();
        let fen = "@OOO**@@/@O@O@O@@/OOOO@@@O w m s 11 0 11 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
        let pos = Position::from_fen(&rules, fen).unwrap();
        assert_eq!(movegen::perft(&mut pos.clone(), 2), 1);
        assert!(Division::new(&pos, 8).tasks.lock().len() > 1);
        let counts = divide(&pos, 8, 2, &AtomicBool::new(false)).unwrap();
        assert_eq!(total(8, &counts), movegen::perft(&mut pos.clone(), 8));
    }

    #[test]
    fn threads_and_division_do_not_change_the_count() {
        for rules in [Rules::NINE, Rules::PRESETS[5]] {
            let pos = Position::new(&rules);
            for depth in 0..=4 {
                let expected = movegen::perft(&mut pos.clone(), depth);
                for threads in [1, 3] {
                    let counts = divide(&pos, depth, threads, &AtomicBool::new(false)).unwrap();
                    assert_eq!(total(depth, &counts), expected);
                }
            }
        }
        let pos = Position::new(&Rules::NINE);
        assert_eq!(divide(&pos, 200, 2, &AtomicBool::new(true)), None);
    }
}
