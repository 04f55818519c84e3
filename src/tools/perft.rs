//! `perft`: counts move sequences by root move, with threads; a flag stops it.

use crate::movegen;
use crate::platform::threads::spawn_scoped;
use crate::position::Position;
#[cfg(feature = "cli")]
pub(crate) use crate::search::limits::MAX_DEPTH;
use crate::types::Move;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Up to this many plies a count does not read the stop flag: it takes a fraction of a second in any
/// position.
const UNINTERRUPTED: u32 = 4;

/// The count of the sequences of exactly `depth` legal moves by their first move, divided into tasks.
pub(crate) struct Division {
    depth: u32,
    moves: Vec<Move>,
    /// The position after each first move and each reply, with the number of the first move. Two plies give
    /// enough tasks for many threads.
    tasks: Vec<(usize, Position)>,
    next: AtomicUsize,
    counts: Mutex<Vec<u64>>,
}

impl Division {
    /// Divides a count. The moves are in the order of move generation.
    pub(crate) fn new(pos: &Position, depth: u32) -> Self {
        let moves = if depth == 0 { Vec::new() } else { pos.legal_moves().to_vec() };
        let mut counts = vec![0; moves.len()];
        let mut tasks = Vec::new();
        for (index, &m) in moves.iter().enumerate() {
            let mut child = pos.clone();
            child.do_move(m);
            if depth < 3 {
                counts[index] = movegen::perft(&mut child, depth - 1);
                continue;
            }
            for &reply in child.legal_moves().iter() {
                let mut grandchild = child.clone();
                grandchild.do_move(reply);
                tasks.push((index, grandchild));
            }
        }
        Self { depth, moves, tasks, next: AtomicUsize::new(0), counts: Mutex::new(counts) }
    }

    /// Counts for the next task. Returns false if none is left, or `stop` is set.
    pub(crate) fn count_next(&self, stop: &AtomicBool) -> bool {
        let Some((index, pos)) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
            return false;
        };
        let Some(count) = count(&mut pos.clone(), self.depth - 2, stop) else { return false };
        if let Ok(mut counts) = self.counts.lock() {
            counts[*index] += count;
        }
        true
    }

    /// Returns the counts so far.
    pub(crate) fn counts(&self) -> Vec<(Move, u64)> {
        let counts = self.counts.lock().map(|counts| counts.clone()).unwrap_or_default();
        self.moves.iter().copied().zip(counts).collect()
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
    let work = || while division.count_next(stop) {};
    std::thread::scope(|scope| {
        for _ in 1..threads.clamp(1, division.tasks.len().max(1)) {
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

fn count(pos: &mut Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNINTERRUPTED {
        return Some(movegen::perft(pos, depth));
    }
    let mut sum = 0;
    for &m in pos.legal_moves().iter() {
        pos.do_move(m);
        let below = count(pos, depth - 1, stop);
        pos.undo_move();
        sum += below?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

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
