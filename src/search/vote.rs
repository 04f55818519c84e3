//! The vote of the search threads about the move to play, and the last reports.

use super::report::{BestMove, Info, Report, SearchNote};
use super::worker::{SearchJob, ThreadResult, Worker};
use crate::params::{style_resign, vote_base, vote_lag};
use crate::types::{Depth, is_loss, is_win};

/// Returns the index of the result to play. Each thread votes for its move with a weight by depth and score;
/// the first thread wins ties.
///
/// A thread without a finished iteration has no vote. If a thread has finished the depth `wanted`, those that
/// have not vote only for a win. If none has, this holds for threads more than [`vote_lag`] plies behind the
/// first.
pub(crate) fn vote(results: &[BestMove], wanted: Option<Depth>) -> usize {
    let Some(first) = results.first() else { return 0 };
    let reached = wanted.filter(|&wanted| results.iter().any(|result| result.depth >= wanted));
    let least = reached.unwrap_or(first.depth - vote_lag());
    let has_vote = |result: &BestMove| result.depth > 0 && (result.depth >= least || is_win(result.score));
    let voters = || results.iter().filter(|result| has_vote(result));
    let Some(lowest) = voters().map(|result| result.score).min() else { return 0 };
    let weight = |result: &BestMove| i64::from(result.score - lowest + vote_base()) * i64::from(result.depth);
    let votes =
        |result: &BestMove| -> i64 { voters().filter(|other| other.best == result.best).map(weight).sum() };
    let decisive = |result: &BestMove| if is_win(result.score) { i64::from(result.score) } else { 0 };
    let rank =
        |index: &usize| (decisive(&results[*index]), votes(&results[*index]), weight(&results[*index]));
    // Reversed, since `max_by_key` returns the last of equals.
    (0..results.len()).rev().filter(|&index| has_vote(&results[index])).max_by_key(rank).unwrap_or(0)
}

/// Returns true if the first thread has found the chosen move too, and has searched as deep: its own line is
/// the one to report.
fn is_as_good(first: &BestMove, chosen: &BestMove) -> bool {
    first.best == chosen.best && first.depth >= chosen.depth
}

/// Chooses among the results of all threads and sends the last reports.
pub(super) fn report_end(worker: &Worker, results: Vec<Option<ThreadResult>>) {
    let SearchJob { settings, limits, reports, shared, .. } = &worker.job;
    let (results, mut lines): (Vec<BestMove>, Vec<Vec<Info>>) =
        results.into_iter().flatten().map(|result| (result.best, result.lines)).unzip();
    let chosen = if settings.votes(limits) { vote(&results, worker.job.wanted_depth()) } else { 0 };
    let chosen = if is_as_good(&results[0], &results[chosen]) { 0 } else { chosen };
    // A send fails if the receiver is gone; nothing is left to do then.
    if chosen != 0 || worker.is_unreported {
        // The line reported last has to begin with the move that is played, and to be the deepest of it.
        let mut lines = lines.swap_remove(chosen);
        lines.iter_mut().for_each(|info| worker.update_counters(info));
        let _ = reports.send(Report::Lines(lines));
    }
    let mut best = results[chosen].clone();
    // A game is resigned for the value of the position, not of the move that a level plays, nor of the moves
    // that `searchmoves` or a certificate leaves.
    let score = if chosen == 0 { worker.best_score } else { best.score };
    let may_resign = settings.resign_advice && !settings.is_analysis(limits) && limits.searchmoves.is_empty();
    if may_resign && (is_loss(score) || score <= style_resign()) {
        let _ = reports.send(Report::Note(SearchNote::Resign(score)));
    }
    best.nodes = shared.nodes();
    let _ = reports.send(Report::Done(best));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, Square, Value, mate_in};

    fn result(square: usize, score: Value, depth: Depth) -> BestMove {
        BestMove { best: Some(Move::place(Square::new(square))), ponder: None, score, depth, nodes: 0 }
    }

    #[test]
    fn threads_that_agree_outvote_one_and_the_first_decides_ties() {
        assert_eq!(vote(&[result(1, 10, 8), result(2, 10, 8), result(2, 10, 8)], None), 1);
        assert_eq!(vote(&[result(1, 10, 8), result(2, 10, 8)], None), 0);
        assert_eq!(vote(&[result(1, 10, 8), result(2, 10, 8), result(3, mate_in(3), 4)], None), 2);
    }

    #[test]
    fn a_deeper_line_with_the_same_move_is_reported() {
        let first = result(1, 10, 8);
        assert!(is_as_good(&first, &result(1, 50, 8)));
        // A limit of nodes may end the first thread early.
        assert!(!is_as_good(&result(1, 10, 1), &first));
        assert!(!is_as_good(&first, &result(2, 10, 8)));
    }

    #[cfg(not(any(loom, target_arch = "wasm32")))]
    #[test]
    fn the_line_reported_last_has_the_wanted_depth_whichever_thread_reaches_it_first() {
        use crate::{position::Position, rules::Rules, search, tt::TranspositionTable};
        let mut pool = search::Pool::new(3).unwrap();
        for depth in (5..=12).cycle().take(40) {
            let (sender, reports) = crate::platform::sync::unbounded();
            let limits = search::Limits { depth: Some(depth), ..Default::default() };
            let tt = std::sync::Arc::new(TranspositionTable::new(1).unwrap());
            pool.go(Position::new(&Rules::NINE), limits, Default::default(), tt, None, sender);
            let lines = reports.iter().filter_map(|report| match report {
                Report::Lines(lines) => lines.first().map(|line| (line.depth, line.pv.first().copied())),
                Report::Done(best) => Some((best.depth, best.best)),
                _ => None,
            });
            let all: Vec<_> = lines.collect();
            let [.., line, best] = all[..] else { panic!("{all:?}") };
            assert_eq!((line, line.0), (best, depth), "{all:?}");
        }
    }

    #[test]
    fn threads_that_found_nothing_do_not_vote() {
        assert_eq!(vote(&[result(1, -26, 5), result(2, 500, 0)], None), 0);
        assert_eq!(vote(&[result(1, -26, 9), result(2, 500, 6), result(2, 500, 6)], None), 0);
        assert_eq!(vote(&[result(1, -26, 9), result(2, 500, 7)], None), 1);
        assert_eq!(vote(&[result(1, 500, 0), result(2, -26, 1)], None), 1);
        assert_eq!(vote(&[result(1, 500, 0), result(2, 600, 0)], None), 0);
        assert_eq!(vote(&[], None), 0);
    }

    #[test]
    fn threads_that_reached_the_wanted_depth_decide() {
        assert_eq!(vote(&[result(1, 500, 7), result(2, -26, 8)], Some(8)), 1);
        assert_eq!(vote(&[result(1, mate_in(3), 7), result(2, -26, 8)], Some(8)), 0);
        // The nodes or the time ended all of them before.
        assert_eq!(vote(&[result(1, 500, 7), result(2, -26, 8)], Some(9)), 0);
    }
}
