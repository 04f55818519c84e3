//! Everything that the tablebase knows about one position, for people.

use super::playout::Playout;
use super::source::{AnswerPart, Found, Query, SectorFile, Wanted};
use super::{RankedMove, Tablebase};
use crate::platform::sorting::sort_short;
use crate::position::Position;
use crate::tablebase::format::error::{NoValue, TablebaseError};
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::value::Wdl;
use crate::types::{Color, Move};

/// A move with its value for the side that plays it, as far as the tablebase knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExploredMove {
    pub m: Move,
    pub value: Option<Found>,
    /// The replies that keep the draw, of a move that draws; `None` if they are not known.
    pub drawing_replies: Option<u32>,
}

/// A position with its value and its moves, as far as the tablebase knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exploration {
    pub value: Option<Found>,
    /// The legal moves, best first, those without a value last.
    pub moves: Vec<ExploredMove>,
    pub sector: Option<(Sector, SectorFile)>,
}

impl Tablebase {
    /// Returns everything that is known about a position.
    ///
    /// # Errors
    /// If positions like this have no value, or a file is damaged or unreadable.
    pub(crate) fn explore(&self, pos: &Position) -> Result<Exploration, TablebaseError> {
        let query = Query::new(self.game(), pos)
            .map_err(|refusal| TablebaseError::NoValue(NoValue::Refused(refusal)))?;
        self.look_up_for(None);
        let playout = Playout::new(&|| true);
        let (mut ranked, mut unknown) = self.known_moves_while(pos, false, || true)?;
        let legal = pos.legal_moves();
        ranked.retain(|ranked| legal.contains(&ranked.m));
        unknown.retain(|m| legal.contains(m));
        if !unknown.is_empty() {
            self.look_up_moves(pos, &playout)?;
        }
        let mut after = pos.clone();
        let mut moves = Vec::new();
        for RankedMove { m, value, .. } in ranked {
            let mut drawing_replies = None;
            if value.wdl == Wdl::Draw {
                self.look_up_for(Some(AnswerPart::Extra));
                after.do_move(m);
                let (replies, are_known) = self.drawing_replies(&mut after, pos.side_to_move(), &playout)?;
                drawing_replies = are_known.then_some(replies);
                if drawing_replies.is_none() {
                    self.look_up_replies(&mut after, pos.side_to_move(), &playout)?;
                }
                after.undo_move();
            }
            moves.push(ExploredMove { m, value: Some(value), drawing_replies });
        }
        self.look_up_for(Some(AnswerPart::Ahead));
        for &m in &unknown {
            after.do_move(m);
            self.look_up_replies(&mut after, pos.side_to_move(), &playout)?;
            after.undo_move();
        }
        self.look_up_for(Some(AnswerPart::Extra));
        // Of equal draws, the one with the fewest replies is the best.
        sort_short(&mut moves, |known| {
            let preference = known.value.map_or(i64::MIN, Found::preference);
            (std::cmp::Reverse(preference), known.drawing_replies.unwrap_or(u32::MAX))
        });
        moves.extend(unknown.iter().map(|&m| ExploredMove { m, value: None, drawing_replies: None }));
        let statistics = self.sources.iter().find_map(|source| source.statistics(query.sector).transpose());
        let sector = statistics.transpose()?;
        let value = match moves.first() {
            // Without another probe: the file of the position itself may lie on another machine.
            Some(best) if unknown.is_empty() => best.value,
            _ => {
                self.look_up_for(Some(AnswerPart::Position));
                self.value(pos, Wanted::Distance, &playout)?
            }
        };
        Ok(Exploration { value, moves, sector: sector.map(|file| (query.sector, file)) })
    }

    /// Tells the sources which part of an answer the next values are for.
    fn look_up_for(&self, part: Option<AnswerPart>) {
        self.sources.iter().for_each(|source| source.look_up_for(part));
    }

    /// Looks up the values of all moves, and forgets them: a source on another machine notes which bytes each
    /// move needs. Other probes end at the first value that is not there yet.
    fn look_up_moves(&self, pos: &Position, playout: &Playout<'_>) -> Result<(), TablebaseError> {
        let mut after = pos.clone();
        for (&m, number) in pos.legal_moves().iter().zip(0..) {
            self.look_up_for(Some(AnswerPart::Move(number)));
            after.do_move(m);
            self.look_up_turn(&mut after, pos.side_to_move(), Wanted::Distance, playout)?;
            after.undo_move();
        }
        Ok(())
    }

    /// Looks up the results of all replies to a turn of `us`, and forgets them.
    fn look_up_replies(
        &self,
        pos: &mut Position,
        us: Color,
        playout: &Playout<'_>,
    ) -> Result<(), TablebaseError> {
        let turn_goes_on = pos.side_to_move() == us;
        for &m in pos.legal_moves().iter() {
            pos.do_move(m);
            match turn_goes_on {
                true => self.look_up_replies(pos, us, playout)?,
                false => self.look_up_turn(pos, !us, Wanted::Wdl, playout)?,
            }
            pos.undo_move();
        }
        Ok(())
    }

    /// Looks up the values of all ways to finish a turn.
    fn look_up_turn(
        &self,
        after: &mut Position,
        us: Color,
        wanted: Wanted,
        playout: &Playout<'_>,
    ) -> Result<(), TablebaseError> {
        if after.outcome().winner.is_some() || !playout.count(wanted) {
            return Ok(());
        }
        let them = after.side_to_move();
        let goes_on = after.is_take_due() && them == us;
        // A value that no file has follows from those after the next turn.
        let has_ban = || Query::new(self.game(), after).is_ok_and(|query| query.has_ban);
        if !goes_on && !has_ban() {
            return self.find(after, wanted).map(|_| ());
        }
        for &m in after.legal_moves().iter() {
            after.do_move(m);
            self.look_up_turn(after, them, wanted, playout)?;
            after.undo_move();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::mixing::scatter;
    use crate::platform::sync::{Arc, Mutex};
    use crate::rules::Rules;
    use crate::tablebase::format::header::SectorCounts;
    use crate::tablebase::format::value::TbValue;
    use crate::tablebase::probe::source::Source;
    use std::collections::HashSet;

    /// The slots that another machine has sent, those that it is asked for, and whether it may be asked.
    #[derive(Default)]
    struct Slots {
        sent: HashSet<(Sector, u32, u32)>,
        asked: HashSet<(Sector, u32, u32)>,
        notes: bool,
    }

    /// A source on another machine.
    struct Distant(Arc<Mutex<Slots>>);

    impl Source for Distant {
        fn look_up(
            &self,
            sector: Sector,
            own: u32,
            theirs: u32,
            _: Wanted,
        ) -> Result<Option<Found>, TablebaseError> {
            let mut slots = self.0.lock();
            if slots.sent.contains(&(sector, own, theirs)) {
                let plies = scatter(u64::from(own) << 32 | u64::from(theirs)) % 100;
                return Ok(Some(Found::exact(TbValue::decided(plies as u32))));
            }
            if slots.notes {
                slots.asked.insert((sector, own, theirs));
            }
            Ok(None)
        }

        fn look_up_for(&self, part: Option<AnswerPart>) {
            self.0.lock().notes = part.is_some();
        }
    }

    #[test]
    fn all_that_moves_with_a_ban_need_is_asked_for_at_once() {
        let slots = Arc::new(Mutex::new(Slots::default()));
        let mut tablebase = Tablebase::new(&Rules::MORABARABA).expect("supported");
        tablebase.add_source(Box::new(Distant(Arc::clone(&slots))));
        let fen = "*OOOO*@@/**OO*@**/@*****@* w m s 6 0 5 0 0 0 -1 -1 -1 -1 0 0 14 ids:nodes";
        let pos = Position::from_fen(&Rules::MORABARABA, fen).expect("a position");
        assert!(tablebase.explore(&pos).expect("sound").moves.iter().all(|known| known.value.is_none()));
        let mut now = slots.lock();
        now.sent = std::mem::take(&mut now.asked);
        drop(now);
        let explored = tablebase.explore(&pos).expect("sound");
        assert!(explored.moves.iter().all(|known| known.value.is_some()), "{:?}", explored.moves);
    }

    #[test]
    fn an_exploration_names_every_move_the_sector_and_the_replies_that_draw() {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("supported");
        tablebase.add_embedded().expect("sound files");
        let explore = |fen: &str| {
            let pos = Position::from_fen(&Rules::NINE, fen).expect("a position");
            let explored = tablebase.explore(&pos).expect("a value");
            assert_eq!(explored.moves.len(), pos.legal_moves().len(), "{fen}");
            explored
        };
        let won = explore("O*O*****/@***@***/**O****@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes");
        assert_eq!(won.value, Some(Found { wdl: Wdl::Win, plies: Some(1) }));
        assert_eq!(won.moves[0].value, won.value, "the best move has the value of the position");
        let (sector, file) = won.sector.expect("a file");
        assert_eq!((sector.to_string().as_str(), file.name.as_str()), ("3_3_0_0", "3_3_0_0.dist"));
        let SectorCounts { wins, losses, draws, .. } = file.counts;
        assert!(wins > 0 && losses > 0 && draws > 0, "{wins} {losses} {draws}");
        let drawn = explore("**O****O/@@@***O*/*****@O* b m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes");
        let draws = drawn.moves.iter().filter(|known| known.value == Some(Found::DRAW));
        assert!(draws.clone().count() > 0, "{drawn:?}");
        assert!(draws.clone().all(|known| known.drawing_replies > Some(0)), "{drawn:?}");
        // No file holds the values after two more turns.
        let early = explore("****O***/**O*O***/@@**O**@ b p p 4 4 3 5 0 0 -1 -1 -1 -1 0 0 5 ids:nodes");
        assert_eq!(early.value, Some(Found::DRAW));
        assert_eq!((early.moves[0].value, early.moves[0].drawing_replies), (early.value, None));
        // No file holds six men against four, to which slides lead, and the game is drawn by the move count.
        let over = explore("**O****@/**O@***O/*O*@@OO* b m s 6 0 4 0 0 0 -1 -1 -1 -1 0 100 80 ids:nodes");
        assert!(over.moves.is_empty() && over.value.is_some(), "{over:?}");
    }
}
