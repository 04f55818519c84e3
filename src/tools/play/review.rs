//! The analysis of a game: the value of each turn, found in a thread of its own.

use super::game::{ShownTurn, shown_turns};
use crate::platform::threads::{STACK_SIZE, spawn};
use crate::position::Position;
use crate::record::{Builder, GameRecord};
use crate::search::Score;
use crate::tablebase::Wdl;
use crate::tools::annotate::{KeptCounts, TurnJudgement, TurnValue, judge_turn, score_for_white};
use crate::tools::error::ToolError;
use crate::tools::exact_values;
use crate::tools::searcher::Searcher;
use crate::types::{Color, Move, Value};
use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Nodes of each search, where no tablebase holds the values.
const NODES: u64 = 200_000;

/// A turn with its value.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct JudgedTurn {
    /// 0 for a good turn, else the mark 2 (`?`) or 4 (`??`).
    pub(super) mark: u8,
    /// White's expected score after it: 1 for a win, ½ for a draw.
    pub(super) points: f64,
    /// The expected score that the turn costs its side.
    pub(super) loss: f64,
    /// The value in words.
    pub(super) value: String,
    /// A better turn, if one was found.
    pub(super) better: Vec<Move>,
    /// The number of its moves that keep the value, and of all.
    pub(super) kept: [u32; 2],
}

/// The analysis of a game, growing while it is shown.
pub(super) struct Review {
    record: GameRecord,
    /// The turns as texts.
    pub(super) shown: Vec<ShownTurn>,
    /// The turns judged so far.
    pub(super) judged: Vec<JudgedTurn>,
    /// The number of turns before the position on the board.
    at: usize,
    /// The position on the board.
    pos: Position,
    /// The reason why the analysis was aborted.
    pub(super) failure: Option<String>,
    messages: Receiver<Result<JudgedTurn, ToolError>>,
    stop: Arc<AtomicBool>,
    is_running: bool,
}

impl Review {
    /// Begins the analysis of a game.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn begin(record: GameRecord) -> io::Result<Self> {
        let (sender, messages) = unbounded();
        let stop = Arc::new(AtomicBool::new(false));
        let (game, stopped) = (record.clone(), Arc::clone(&stop));
        spawn("analysis", STACK_SIZE, move || {
            if let Err(why) = judge_all(&game, &sender, &stopped) {
                // The receiver may be gone.
                let _ = sender.send(Err(why));
            }
        })?;
        let shown = shown_turns(&record);
        let at = shown.len();
        let pos = position_at(&record, at);
        let (judged, failure) = (Vec::new(), None);
        Ok(Self { record, shown, judged, at, pos, failure, messages, stop, is_running: true })
    }

    /// The number of turns before the position on the board.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Shows the position after the first `at` turns.
    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at.min(self.shown.len());
        self.pos = position_at(&self.record, self.at);
    }

    /// Receives the results since the last call. Returns true if there were any.
    pub(super) fn poll(&mut self) -> bool {
        let before = (self.judged.len(), self.is_running);
        loop {
            match self.messages.try_recv() {
                Ok(Ok(turn)) => self.judged.push(turn),
                Ok(Err(why)) => self.failure = Some(why.to_string()),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    self.is_running = false;
                    break;
                }
            }
        }
        before != (self.judged.len(), self.is_running)
    }

    /// True until every turn is judged.
    pub(super) fn is_running(&self) -> bool {
        self.is_running
    }

    /// The position on the board, and the moves of the latest turn.
    pub(super) fn position(&self) -> (&Position, &[Move]) {
        let last = self.at.checked_sub(1).and_then(|n| self.record.main().turns.get(n));
        (&self.pos, last.map_or(&[], |turn| &turn.moves))
    }

    /// The indices of the worst turns, the worst first.
    pub(super) fn worst(&self) -> Vec<usize> {
        let mut marked: Vec<usize> = (0..self.judged.len()).filter(|&n| self.judged[n].mark > 0).collect();
        marked.sort_by(|&a, &b| {
            let key = |n: usize| (self.judged[n].mark, self.judged[n].loss);
            key(b).0.cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1))
        });
        marked
    }

    /// The number of moves of a side that keep the value, and of all its moves, as far as they are judged.
    pub(super) fn kept(&self, side: Color) -> [u32; 2] {
        let own = self.judged.iter().zip(&self.shown).filter(|(_, shown)| shown.side == side);
        own.fold([0, 0], |sum, (turn, _)| [sum[0] + turn.kept[0], sum[1] + turn.kept[1]])
    }
}

impl Drop for Review {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Returns the position of a game after its first `at` turns.
fn position_at(record: &GameRecord, at: usize) -> Position {
    // The record comes from a game that was played.
    let mut pos = record.start_position().unwrap_or_else(|_| Position::new(&record.rules));
    record.main().turns.iter().take(at).flat_map(|turn| &turn.moves).for_each(|&m| pos.do_move(m));
    pos
}

/// Judges all turns of a game and sends each.
fn judge_all(
    game: &GameRecord,
    sender: &Sender<Result<JudgedTurn, ToolError>>,
    stop: &AtomicBool,
) -> Result<(), ToolError> {
    let exact = exact_values::built_in(&game.rules)?;
    let mut searcher = Searcher::new(1, 16)?;
    let start = game.start.as_deref();
    let mut builder = Builder::new(game.rules, start)?;
    let mut points_before = 0.5;
    for turn in &game.main().turns {
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut counts = KeptCounts::default();
        let TurnJudgement { value, better, .. } =
            judge_turn(&mut builder, turn, exact.as_ref(), &mut searcher, NODES, &mut counts)?;
        // The moves before the mistake in the same turn are kept.
        let better = better.map_or(Vec::new(), |(n, better)| {
            turn.moves[..n].iter().chain(better.first()).copied().collect()
        });
        let outcome = builder.position().outcome();
        let points = if outcome.is_over() {
            outcome.winner.map_or(0.5, |side| f64::from(side == Color::White))
        } else {
            value.points
        };
        let sign = if turn.side == Color::White { 1.0 } else { -1.0 };
        let loss = (sign * (points_before - points)).max(0.0);
        points_before = points;
        let kept = [counts.kept, counts.all];
        let judged = JudgedTurn { mark: value.mark, points, loss, value: value_of(&value), better, kept };
        if sender.send(Ok(judged)).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns the value of a turn in words.
fn value_of(value: &TurnValue) -> String {
    match (value.exact, value.searched) {
        (Some(Wdl::Win), _) => "White wins".to_owned(),
        (Some(Wdl::Draw), _) => "a draw".to_owned(),
        (Some(Wdl::Loss), _) => "Black wins".to_owned(),
        (None, Some(value)) => value_in_words(value),
        (None, None) => String::new(),
    }
}

/// Returns a value from White's point of view in words: in men, or in turns to the end.
pub(super) fn value_in_words(value: Value) -> String {
    match score_for_white(value) {
        Score::Cp(cp) if crate::types::is_decisive(cp) => {
            format!("{} wins", if cp > 0 { "White" } else { "Black" })
        }
        Score::Cp(cp) => format!("{:+.2}", f64::from(cp) / 100.0),
        Score::Mate(turns) => {
            let side = if turns > 0 { "White" } else { "Black" };
            let turns = turns.abs();
            format!("{side} wins in {turns}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{self, ReadOptions};
    use std::time::Duration;

    #[test]
    fn a_mistake_is_found_with_its_price_and_something_better() {
        // Black closes nothing and lets White close a mill on the outer ring.
        let text = "d7 d6 g7 b4 a7 xd6 f4 c3 a1";
        let game = record::read("t", text, &ReadOptions::default()).games.remove(0);
        let turns = game.main().turns.len();
        let mut review = Review::begin(game).expect("a thread");
        while review.is_running() {
            review.poll();
            std::thread::sleep(Duration::from_millis(2));
        }
        assert_eq!((review.failure.as_deref(), review.judged.len()), (None, turns));
        let worst = review.worst();
        let first = &review.judged[*worst.first().expect("a mistake")];
        assert!(first.loss > 0.1 && !first.better.is_empty(), "{first:?}");
        assert!(review.judged.iter().all(|turn| (0.0..=1.0).contains(&turn.points)));
        assert_eq!(review.kept(Color::White)[1] + review.kept(Color::Black)[1], 9);
        let (pos, last) = review.position();
        assert_eq!((pos.moves_played(), last.len()), (9, 1));
        review.go_to(0);
        assert_eq!(review.position().0.moves_played(), 0);
    }

    #[test]
    fn values_are_told_from_the_point_of_view_of_white() {
        assert_eq!(value_in_words(35), "+0.35");
        assert_eq!(value_in_words(-120), "-1.20");
        assert_eq!(value_in_words(crate::types::mate_in(3)), "White wins in 2");
        assert_eq!(value_in_words(-crate::types::mate_in(3)), "Black wins in 2");
        assert_eq!(value_in_words(-crate::types::VALUE_TB_WIN), "Black wins");
    }
}
