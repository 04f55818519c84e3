//! Playing out turns whose values no file has, within bounds.
//!
//! In a game that bans returns, a man that goes from one mill to another gets a ban, which outlasts the
//! reply. If its side then goes from mill to mill again, it gets the next ban. Each of these turns takes a
//! man, so the chain ends, but with many mills it branches too often to be played out.

use crate::position::Position;
use std::cell::Cell;

/// The most positions that one question plays out: a few seconds, if the values are in memory.
const MOST_POSITIONS: u32 = 4_000_000;

/// The bounds on playing out turns for one question.
pub(super) struct Playout<'a> {
    left: Cell<u32>,
    continues: &'a dyn Fn() -> bool,
}

impl<'a> Playout<'a> {
    /// Returns the bounds of a question that is asked while `continues` is true.
    pub(super) fn new(continues: &'a dyn Fn() -> bool) -> Self {
        Self { left: Cell::new(MOST_POSITIONS), continues }
    }

    /// Returns true while the answer is wanted.
    pub(super) fn continues(&self) -> bool {
        (self.continues)()
    }

    /// Counts a position. Returns false if it must not be played out.
    pub(super) fn count(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0 && self.continues()
    }
}

/// Returns true if the side to move wins within its turn.
pub(super) fn wins_at_once(pos: &mut Position, playout: &Playout<'_>) -> bool {
    let us = pos.side_to_move();
    playout.count()
        && pos.legal_moves().iter().any(|&m| {
            pos.do_move(m);
            let outcome = pos.outcome();
            let goes_on = !outcome.is_over() && pos.is_take_due() && pos.side_to_move() == us;
            let wins = outcome.winner == Some(us) || goes_on && wins_at_once(pos, playout);
            pos.undo_move();
            wins
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::sync::{Arc, AtomicU64, Ordering::Relaxed};
    use crate::rules::Rules;
    use crate::tablebase::format::error::TablebaseError;
    use crate::tablebase::format::index::Sector;
    use crate::tablebase::probe::Tablebase;
    use crate::tablebase::probe::source::{Found, Source, Wanted};
    use crate::types::Move;

    /// Positions with many mills on both sides.
    const MANY_MILLS: [&str; 2] = [
        "@@@@@O*O/OO*@@**O/O**@@@*O w m s 7 0 10 0 0 0 -1 -1 -1 -1 0 0 5 ids:nodes",
        "O*O@*O@*/OO@O@@*O/O@O@*O*O w m s 11 0 7 0 0 0 -1 -1 -1 -1 0 4 5 ids:nodes",
    ];

    /// A source with one answer, which counts the questions.
    struct Counting(Option<Found>, Arc<AtomicU64>);

    impl Source for Counting {
        fn look_up(&self, _: Sector, _: u32, _: u32, _: Wanted) -> Result<Option<Found>, TablebaseError> {
            assert!(self.1.fetch_add(1, Relaxed) < 1_000_000, "the chain is played out");
            Ok(self.0)
        }
    }

    fn counting(answer: Option<Found>) -> (Tablebase, Arc<AtomicU64>) {
        let asked = Arc::new(AtomicU64::new(0));
        let mut tablebase = Tablebase::new(&Rules::MORABARABA).expect("supported");
        tablebase.add_source(Box::new(Counting(answer, Arc::clone(&asked))));
        (tablebase, asked)
    }

    #[test]
    fn a_value_that_is_missing_ends_a_chain_of_mills() {
        let (tablebase, asked) = counting(None);
        for fen in MANY_MILLS {
            let pos = Position::from_fen(&Rules::MORABARABA, fen).expect("a position");
            let (known, unknown) = tablebase.known_moves(&pos).expect("sound");
            assert_eq!((known.len(), unknown.to_vec()), (0, pos.legal_moves().to_vec()), "{fen}");
        }
        assert!(asked.load(Relaxed) < 1_000);
    }

    #[test]
    fn a_chain_of_mills_is_bounded_and_can_be_stopped() {
        for fen in MANY_MILLS {
            let pos = Position::from_fen(&Rules::MORABARABA, fen).expect("a position");
            let (tablebase, asked) = counting(Some(Found::DRAW));
            let mut after = pos.clone();
            let leads_to_chain = |&m: &Move| {
                after.do_move(m);
                let playout = Playout { left: Cell::new(10_000), continues: &|| true };
                let found = tablebase.value(&after, Wanted::Wdl, &playout).expect("sound");
                after.undo_move();
                found.is_none()
            };
            let moves = pos.legal_moves();
            assert!(moves.iter().any(leads_to_chain), "{fen}");
            asked.store(0, Relaxed);
            let (known, unknown) =
                tablebase.known_moves_while(&pos, true, || asked.load(Relaxed) < 1_000).expect("sound");
            assert!(asked.load(Relaxed) < 2_000 && !unknown.is_empty(), "{fen}");
            assert_eq!(known.len() + unknown.len(), moves.len(), "{fen}");
        }
    }
}
