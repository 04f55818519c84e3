//! Values that no file has, from those after the next turns.
//!
//! In a game that bans returns, a man that goes from one mill to another gets a ban, which outlasts the
//! reply. If its side then goes from mill to mill again, it gets the next ban. Each of these turns takes a
//! man, so the chain ends, but with many mills it branches too often to play out every turn. So the value is
//! found by alpha-beta search: a ban never helps the side that has it, and the value without bans, one
//! look-up, often settles the position. Nor does a ban ever block a side: another man stands beside the
//! forbidden point.

use super::playout::Playout;
use super::source::{Found, Query, Wanted};
use crate::position::{Outcome, Position};
use crate::tablebase::format::error::TablebaseError;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::value::{TbValue, Wdl};
use crate::types::{Color, Move};

/// A search for the value of a position from those after its turns.
pub(super) struct TurnSearch<'a> {
    /// The rules.
    pub game: &'a SolvedGame,
    /// Returns the value that files have, as if there were no ban.
    pub look_up: &'a dyn Fn(Query) -> Result<Option<Found>, TablebaseError>,
    /// The bounds.
    pub playout: &'a Playout<'a>,
}

impl TurnSearch<'_> {
    /// Returns the value of a position by its turns; `None` if that of a turn is missing and no other wins at
    /// once, or beyond the bounds. The result may have no distance.
    ///
    /// # Errors
    /// If a look-up fails.
    #[cold]
    pub(super) fn value(&self, pos: &Position, wanted: Wanted) -> Result<Option<Found>, TablebaseError> {
        let mut after = pos.clone();
        after.forget_history();
        let found = self.search(&mut after, wanted, Found::exact(TbValue::WIN_NOW))?;
        if found.is_some() || wanted != Wanted::Distance {
            return Ok(found);
        }
        // Files may lack a distance.
        self.search(&mut after, Wanted::Wdl, Found::result(Wdl::Win))
    }

    /// Returns the value for the side to move, or any from `enough` to the value. If distances are wanted, it
    /// is `None` too if one is missing.
    fn search(
        &self,
        pos: &mut Position,
        wanted: Wanted,
        enough: Found,
    ) -> Result<Option<Found>, TablebaseError> {
        let us = pos.side_to_move();
        if pos.outcome().is_over() {
            return Ok(Some(as_wanted(value_of_end(pos.outcome(), us), wanted)));
        }
        let win = as_wanted(Found::exact(TbValue::WIN_NOW), wanted);
        let mut best = None;
        match Query::new(self.game, pos) {
            Ok(query) => {
                let found = (self.look_up)(query)?.map(|found| as_wanted(found, wanted));
                let lacks_distance = |found: Found| found.wdl != Wdl::Draw && found.plies.is_none();
                let found = found.filter(|&found| wanted != Wanted::Distance || !lacks_distance(found));
                if !query.has_ban {
                    return Ok(found);
                }
                // The value without bans, if it is known, is a bound.
                let (ours, theirs) = (pos.forbidden_return(us), pos.forbidden_return(!us));
                let lost = as_wanted(Found::exact(TbValue::LOST), wanted);
                let is_enough = |found: Found| {
                    ours.is_none() && found.preference() >= enough.preference()
                        || theirs.is_none() && found == lost
                };
                if found.is_some_and(is_enough) {
                    return Ok(found);
                }
                best = found.filter(|_| ours.is_none());
            }
            Err(_) if has_few_takes_due(pos) => {}
            Err(_) => return Ok(None),
        }
        if !self.playout.count(wanted) {
            return Ok(None);
        }
        let moves = pos.legal_moves();
        // Turns that close a mill come last: only they can give a new ban.
        for closes in [false, true] {
            for &m in moves.iter() {
                if closes_mill(pos, m) != closes {
                    continue;
                }
                pos.do_move(m);
                let found = match pos.side_to_move() == us {
                    true if pos.outcome().is_over() || pos.is_take_due() => {
                        self.search(pos, wanted, enough)?
                    }
                    true => self.search(pos, wanted, win)?.map(Found::after_pass),
                    false => {
                        let not_better = best.map_or(win, turn_to);
                        self.search(pos, wanted, not_better)?.map(Found::before)
                    }
                };
                pos.undo_move();
                let Some(found) = found else {
                    // Without the value of one move, only a win at once is sure to be the best.
                    return Ok(wins_at_once(pos, self.playout).then_some(win));
                };
                if found.preference() >= enough.preference() {
                    return Ok(Some(found));
                }
                if best.is_none_or(|best| found.preference() > best.preference()) {
                    best = Some(found);
                }
            }
        }
        Ok(best)
    }
}

/// Returns true if the next moves are takes, and both sides together have at most three to make: a text can
/// ask for so many that the ways to make them are beyond counting.
pub(super) fn has_few_takes_due(pos: &Position) -> bool {
    pos.is_take_due() && Color::ALL.into_iter().map(|color| pos.takes_due(color)).sum::<u32>() <= 3
}

/// Returns the value of the end of a game for a side.
pub(super) fn value_of_end(outcome: Outcome, side: Color) -> Found {
    match outcome.winner {
        Some(winner) if winner == side => Found::exact(TbValue::WIN_NOW),
        Some(_) => Found::exact(TbValue::LOST),
        None => Found::DRAW,
    }
}

/// Returns a value without its distance, unless that is wanted.
fn as_wanted(found: Found, wanted: Wanted) -> Found {
    if wanted == Wanted::Distance { found } else { Found::result(found.wdl) }
}

/// Returns the value for the opponent after a turn with this value: the opposite of [`Found::before`].
fn turn_to(value: Found) -> Found {
    Found { wdl: value.wdl.opposite(), plies: value.plies.map(|plies| plies.saturating_sub(1)) }
}

/// Returns true if a move closes a mill, so that a take is due.
fn closes_mill(pos: &mut Position, m: Move) -> bool {
    pos.do_move(m);
    let closes = pos.is_take_due() && !m.is_take();
    pos.undo_move();
    closes
}

/// Returns true if the side to move wins within its turn.
pub(super) fn wins_at_once(pos: &mut Position, playout: &Playout<'_>) -> bool {
    let us = pos.side_to_move();
    playout.count(Wanted::Wdl)
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
    use crate::platform::mixing::scatter;
    use crate::platform::sync::{Arc, AtomicU64, Ordering::Relaxed};
    use crate::rules::Rules;
    use crate::tablebase::format::index::Sector;
    use crate::tablebase::probe::Tablebase;
    use crate::tablebase::probe::source::Source;

    /// Positions with many mills on both sides.
    const MANY_MILLS: [&str; 2] = [
        "@@@@@O*O/OO*@@**O/O**@@@*O w m s 7 0 10 0 0 0 -1 -1 -1 -1 0 0 5 ids:nodes",
        "O*O@*O@*/OO@O@@*O/O@O@*O*O w m s 11 0 7 0 0 0 -1 -1 -1 -1 0 4 5 ids:nodes",
    ];

    /// A source that counts the questions. It answers by the sets of men.
    struct Counting(fn(u32, u32) -> Option<Found>, Arc<AtomicU64>);

    impl Source for Counting {
        fn look_up(
            &self,
            _: Sector,
            own: u32,
            theirs: u32,
            _: Wanted,
        ) -> Result<Option<Found>, TablebaseError> {
            assert!(self.1.fetch_add(1, Relaxed) < 1_000_000, "the chain is played out");
            Ok(self.0(own, theirs))
        }
    }

    /// A value that seems random.
    fn any_value(own: u32, theirs: u32) -> Option<Found> {
        let plies = scatter(u64::from(own) << 32 | u64::from(theirs)) % 100;
        Some(Found::exact(TbValue::decided(plies as u32)))
    }

    fn counting(answer: fn(u32, u32) -> Option<Found>) -> (Tablebase, Arc<AtomicU64>) {
        let asked = Arc::new(AtomicU64::new(0));
        let mut tablebase = Tablebase::new(&Rules::MORABARABA).expect("supported");
        tablebase.add_source(Box::new(Counting(answer, Arc::clone(&asked))));
        (tablebase, asked)
    }

    #[test]
    fn a_value_that_is_missing_ends_a_chain_of_mills() {
        let (tablebase, asked) = counting(|_, _| None);
        for fen in MANY_MILLS {
            let pos = Position::from_fen(&Rules::MORABARABA, fen).expect("a position");
            let (known, unknown) = tablebase.known_moves(&pos).expect("sound");
            assert_eq!((known.len(), unknown.to_vec()), (0, pos.legal_moves().to_vec()), "{fen}");
        }
        assert!(asked.load(Relaxed) < 1_000);
    }

    #[test]
    fn a_mill_that_ends_the_game_wins_at_once_whatever_is_banned() {
        let (tablebase, _) = counting(any_value);
        for fen in [
            "*****OOO/******OO/*@@@**O* w m s 6 0 3 0 0 0 13 5 11 19 0 0 14 ids:nodes",
            "*****OOO/******OO/*@@@***O w m r 6 0 3 0 1 0 22 23 11 19 0 1 14 ids:nodes",
        ] {
            let pos = Position::from_fen(&Rules::MORABARABA, fen).expect("a position");
            assert!(Query::new(tablebase.game(), &pos).is_ok_and(|query| query.has_ban), "{fen}");
            let found = tablebase.probe_distance(&pos).expect("sound");
            assert_eq!(found, Some(Found::exact(TbValue::WIN_NOW)), "{fen}");
        }
    }

    #[test]
    fn the_result_of_a_chain_of_mills_needs_few_positions() {
        for answer in [any_value, |_, _| Some(Found::DRAW)] {
            let (tablebase, _) = counting(answer);
            for fen in MANY_MILLS {
                let mut after = Position::from_fen(&Rules::MORABARABA, fen).expect("a position");
                for &m in after.legal_moves().iter() {
                    after.do_move(m);
                    let playout = Playout::with_most(1_000, &|| true);
                    let found = tablebase.value(&after, Wanted::Wdl, &playout).expect("sound");
                    after.undo_move();
                    assert!(found.is_some(), "{m} in {fen}");
                }
            }
        }
    }

    #[test]
    fn a_chain_of_mills_is_bounded_and_can_be_stopped() {
        let pos = Position::from_fen(&Rules::MORABARABA, MANY_MILLS[0]).expect("a position");
        let (tablebase, asked) = counting(any_value);
        let mut after = pos.clone();
        let leads_to_chain = |&m: &Move| {
            after.do_move(m);
            let playout = Playout::with_most(10_000, &|| true);
            let found = tablebase.value(&after, Wanted::Distance, &playout).expect("sound");
            after.undo_move();
            // The result needs few.
            found.is_some_and(|found| found.plies.is_none())
        };
        let moves = pos.legal_moves();
        assert!(moves.iter().any(leads_to_chain));
        asked.store(0, Relaxed);
        let (known, unknown) =
            tablebase.known_moves_while(&pos, true, || asked.load(Relaxed) < 1_000).expect("sound");
        assert!(asked.load(Relaxed) < 2_000 && !unknown.is_empty());
        assert_eq!(known.len() + unknown.len(), moves.len());
    }
}
