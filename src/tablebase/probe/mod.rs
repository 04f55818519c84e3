//! Probing: values of positions of the game, and the ranking of root moves. Uses `tablebase::format`,
//! `movegen`, `position`, `rules`, `types` and `platform`.

mod cache;
pub(crate) mod embedded;
#[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
pub(crate) mod explore;
#[cfg(target_arch = "wasm32")]
pub(crate) mod fetched;
pub mod malom;
mod playout;
#[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
pub(crate) mod remote;
pub(crate) mod set;
pub mod source;
mod turns;

use crate::platform::sorting::sort_short;
use crate::position::{Phase, Position};
use crate::rules::Rules;
use crate::tablebase::format::error::{ProbeRefusal, TablebaseError};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::value::{TbValue, Wdl};
use crate::types::{Color, Move};
use malom::MalomSet;
use playout::Playout;
use set::TbSet;
use source::{Found, Query, Source, Wanted};
use std::path::Path;
use turns::{TurnSearch, has_few_takes_due, value_of_end, wins_at_once};

/// All tablebases for one rule set, in the order of probing.
///
/// First come files in the format of this program, then the built-in files, then files of the Malom database.
pub struct Tablebase {
    game: SolvedGame,
    sources: Vec<Box<dyn Source>>,
}

impl std::fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tablebase of {} sources", self.sources.len())
    }
}

/// A move and its tablebase value, from the view of the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RankedMove {
    /// The move.
    pub m: Move,
    /// Its value.
    pub value: Found,
    /// The number of replies that keep a draw for the opponent, if the value is a draw.
    ///
    /// `None` if a reply has no stored value. If a take follows, the number after the take that leaves the
    /// fewest.
    pub drawing_replies: Option<u32>,
    /// True if it takes a man or a take follows: either resets the move counter.
    pub takes: bool,
}

/// Calls `probe` until it succeeds and returns its result. Each damaged file is passed to `note`.
pub fn despite_damage<T>(
    mut probe: impl FnMut() -> Result<T, TablebaseError>,
    mut note: impl FnMut(&TablebaseError),
) -> T {
    // The loop ends, since every file is reported only once.
    loop {
        match probe() {
            Ok(found) => return found,
            Err(error) => note(&error),
        }
    }
}

/// Returns true if `them` are to move and have a move that ends the live game as a draw.
fn can_draw_at_once(pos: &mut Position, them: Color) -> bool {
    if pos.side_to_move() != them || pos.outcome().is_over() {
        return false;
    }
    pos.legal_moves().iter().any(|&m| {
        pos.do_move(m);
        let outcome = pos.outcome();
        pos.undo_move();
        outcome.is_over() && outcome.winner.is_none()
    })
}

impl Tablebase {
    /// Returns a tablebase for `rules` without files.
    ///
    /// # Errors
    /// If tablebases cannot represent these rules.
    pub fn new(rules: &Rules) -> Result<Self, TablebaseError> {
        Ok(Self { game: SolvedGame::new(rules)?, sources: Vec::new() })
    }

    /// Adds the files of a folder, with a cache of `cache_bytes` for decoded blocks.
    ///
    /// Returns an error for each file that cannot be used, but one for all that are refused for the same
    /// reason, and one for a damaged manifest or a folder without such files.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn add_folder(
        &mut self,
        folder: &Path,
        cache_bytes: usize,
    ) -> Result<Vec<TablebaseError>, TablebaseError> {
        let (set, refused) = TbSet::open(folder, &self.game, cache_bytes)?;
        if !set.is_empty() {
            self.sources.push(Box::new(set));
        }
        Ok(refused)
    }

    /// Adds the built-in files that hold for the rules.
    ///
    /// # Errors
    /// If the built-in bytes are damaged.
    pub fn add_embedded(&mut self) -> Result<(), TablebaseError> {
        let set = embedded::open(&self.game)?;
        if !set.is_empty() {
            self.sources.push(Box::new(set));
        }
        Ok(())
    }

    /// Adds the Malom database of a folder.
    ///
    /// # Errors
    /// If the folder holds no such database, or only one of other rules.
    pub fn add_malom(&mut self, folder: &Path, rules: &Rules) -> Result<(), TablebaseError> {
        self.sources.push(Box::new(MalomSet::open(folder, rules)?));
        Ok(())
    }

    /// Adds files whose bytes are fetched from another machine. A damaged one is reported by each call until
    /// it is forgotten, so they cannot be used with [`despite_damage`].
    #[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
    pub(crate) fn add_remote(&mut self, files: remote::RemoteFiles) {
        self.sources.push(Box::new(files));
    }

    /// Adds a source that a test made.
    #[cfg(test)]
    pub(crate) fn add_source(&mut self, source: Box<dyn Source>) {
        self.sources.push(source);
    }

    /// Returns true if there is nothing to probe.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Returns true if there is a file of the moving phase.
    ///
    /// # Errors
    /// If a file is damaged.
    pub(crate) fn has_moving_phase(&self) -> Result<bool, TablebaseError> {
        for (a, b) in self.game.pairs(u8::MAX) {
            for sector in [Sector::moving(a, b), Sector::moving(b, a)] {
                for source in &self.sources {
                    if source.statistics(sector)?.is_some() {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The rules, as far as tablebases depend on them.
    pub(crate) fn game(&self) -> &SolvedGame {
        &self.game
    }

    /// Returns the result for the side to move, or `None` if it is not stored.
    ///
    /// Positions in which a man must not go straight back to a mill are not stored: the next turns are played
    /// out. If that takes too long, the result is `None` too.
    ///
    /// Draws by repetition and move count are ignored. In these draws alone the rules of the position may
    /// differ from those of the tablebase.
    ///
    /// # Errors
    /// If a file is damaged or unreadable. Each file is reported once; the next call uses the files that are
    /// left.
    #[inline]
    pub fn probe(&self, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
        Ok(self.value(pos, Wanted::Wdl, &Playout::new(&|| true))?.map(|found| found.wdl))
    }

    /// As [`probe`](Self::probe), but no turns are played out.
    ///
    /// Positions in which a man must not go straight back to a mill have no value then, nor has a take due in
    /// a position that files cannot represent. For a search, which plays these turns itself.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    #[inline]
    pub fn probe_stored(&self, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
        Ok(self.find(pos, Wanted::Wdl)?.map(|found| found.wdl))
    }

    /// As [`probe_stored`](Self::probe_stored), but only for blocks in memory: no file is read.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    #[inline]
    pub fn probe_cached(&self, pos: &Position) -> Result<Option<Wdl>, TablebaseError> {
        Ok(self.find(pos, Wanted::CachedWdl)?.map(|found| found.wdl))
    }

    /// Returns the result, with its distance if that is stored, or if those of all turns are.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn probe_distance(&self, pos: &Position) -> Result<Option<Found>, TablebaseError> {
        self.distance(pos, &Playout::new(&|| true))
    }

    /// Returns the reason why a position has no value in any tablebase, if the position is the reason.
    pub fn refusal(&self, pos: &Position) -> Option<ProbeRefusal> {
        Query::new(&self.game, pos).err()
    }

    /// Returns the value of a position. If its file has results alone, its distance is that of the best turn.
    /// With more men in hand the turns lead to files that seldom have distances, and are not tried.
    fn distance(&self, pos: &Position, playout: &Playout<'_>) -> Result<Option<Found>, TablebaseError> {
        let Some(found) = self.value(pos, Wanted::Distance, playout)? else { return Ok(None) };
        if found.wdl == Wdl::Draw || found.plies.is_some() || pos.men_in_hand() > 1 {
            return Ok(Some(found));
        }
        self.value_with_distance(pos, found.wdl, playout).map(Some)
    }

    /// Returns the value of a position. Some that no file has are played out: if a man must not go straight
    /// back to a mill, the turns, and if files cannot represent the position, the takes due.
    #[inline]
    fn value(
        &self,
        pos: &Position,
        wanted: Wanted,
        playout: &Playout<'_>,
    ) -> Result<Option<Found>, TablebaseError> {
        match Query::new(&self.game, pos) {
            Ok(query) if query.has_ban => self.value_by_turns(pos, wanted, playout),
            Ok(query) => self.answer(query, wanted),
            Err(refusal) if refusal != ProbeRefusal::Over && has_few_takes_due(pos) => {
                self.value_by_turns(pos, wanted, playout)
            }
            Err(_) => Ok(None),
        }
    }

    /// Returns the value of a position by its turns, as [`TurnSearch::value`] does.
    fn value_by_turns(
        &self,
        pos: &Position,
        wanted: Wanted,
        playout: &Playout<'_>,
    ) -> Result<Option<Found>, TablebaseError> {
        let look_up = |query| self.answer(query, wanted);
        TurnSearch { game: &self.game, look_up: &look_up, playout }.value(pos, wanted)
    }

    /// Returns the value of a position with this result: its distance is that of the best turn, or none if
    /// that of a turn with the same result has none.
    #[cold]
    fn value_with_distance(
        &self,
        pos: &Position,
        wdl: Wdl,
        playout: &Playout<'_>,
    ) -> Result<Found, TablebaseError> {
        let without = Found::result(wdl);
        let mut after = pos.clone();
        after.forget_history();
        if after.outcome().is_over() {
            return Ok(value_of_end(after.outcome(), pos.side_to_move()));
        }
        if wdl == Wdl::Win && wins_at_once(&mut after, playout) {
            return Ok(Found::exact(TbValue::WIN_NOW));
        }
        let mut best: Option<Found> = None;
        for &m in after.legal_moves().iter() {
            after.do_move(m);
            let found = self.value_after(pos, &after, false, Wanted::Distance, playout)?;
            after.undo_move();
            match found {
                Some(found) if found.wdl != wdl => {}
                Some(found) if found.plies.is_some() => {
                    best = Some(best.map_or(found, |best| best.or(found)));
                }
                _ => return Ok(without),
            }
        }
        Ok(best.unwrap_or(without))
    }

    /// Returns the value of a position as the files have it.
    #[inline]
    fn find(&self, pos: &Position, wanted: Wanted) -> Result<Option<Found>, TablebaseError> {
        match Query::new(&self.game, pos) {
            Ok(query) if !query.has_ban => self.answer(query, wanted),
            _ => Ok(None),
        }
    }

    #[inline]
    fn answer(&self, query: Query, wanted: Wanted) -> Result<Option<Found>, TablebaseError> {
        query.answer(&self.game, &mut |sector, own, theirs| {
            let mut without_distance = None;
            for source in &self.sources {
                match source.look_up(sector, own, theirs, wanted)? {
                    // A later source may hold the distance.
                    Some(found) if wanted == Wanted::Distance && found.plies.is_none() => {
                        if found.wdl == Wdl::Draw {
                            return Ok(Some(found));
                        }
                        without_distance.get_or_insert(found);
                    }
                    Some(found) => return Ok(Some(found)),
                    None => {}
                }
            }
            Ok(without_distance)
        })
    }

    /// Returns true if the tablebase also covers the moving phase that follows.
    ///
    /// Both sides have the men they have now. Always true after the placing phase.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn outlast_placing(&self, pos: &Position) -> Result<bool, TablebaseError> {
        if pos.phase() != Phase::Placing {
            return Ok(true);
        }
        let us = pos.side_to_move();
        let settled = u32::from(self.game.settles);
        // A text may leave a side without men.
        let [own, theirs] = [us, !us].map(|side| pos.material(side).saturating_sub(settled));
        // A full board has no moving phase: it begins once a man is taken.
        let theirs = theirs.min(23 - own);
        let sector = Sector::moving(own as u8, theirs as u8);
        let first = |count: u32| (1_u32 << count) - 1;
        for source in &self.sources {
            if source.look_up(sector, first(own), first(theirs) << own, Wanted::Wdl)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns all moves of a position with their values, best first.
    ///
    /// The order is that of [`known_moves`](Self::known_moves). `None` if a value is missing, since that move
    /// might be the best.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn rank_moves(&self, pos: &Position) -> Result<Option<Vec<RankedMove>>, TablebaseError> {
        let (ranked, unknown) = self.known_moves(pos)?;
        Ok(unknown.is_empty().then_some(ranked))
    }

    /// Returns the moves with a stored value, best first, and the moves without a value.
    ///
    /// The order: the shortest win, draws with the fewest drawing replies, other draws, the longest loss. A
    /// move that draws the live game by repetition or move count, or lets the opponent do so at once, counts
    /// as a draw.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn known_moves(&self, pos: &Position) -> Result<(Vec<RankedMove>, Vec<Move>), TablebaseError> {
        self.known_moves_while(pos, true, || true)
    }

    /// As [`known_moves`](Self::known_moves), while `continues` is true: later moves count as unknown.
    /// Drawing replies are counted only if `counts_replies`.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub(crate) fn known_moves_while(
        &self,
        pos: &Position,
        counts_replies: bool,
        continues: impl Fn() -> bool,
    ) -> Result<(Vec<RankedMove>, Vec<Move>), TablebaseError> {
        let (mut ranked, mut unknown) = (Vec::new(), Vec::new());
        let mut after = pos.clone();
        let was_over = pos.outcome().is_over();
        let playout = Playout::new(&continues);
        for &m in pos.playable_moves().iter() {
            if !continues() {
                unknown.push(m);
                continue;
            }
            after.do_move(m);
            match self.value_in_game(pos, &mut after, was_over, &playout)? {
                Some(value) => {
                    let goes_on = after.is_take_due() && after.side_to_move() == pos.side_to_move();
                    let takes = m.is_take() || goes_on;
                    ranked.push(RankedMove { m, value, drawing_replies: None, takes });
                }
                None => unknown.push(m),
            }
            after.undo_move();
        }
        // All values come before the first replies, which take far longer.
        let draws = ranked.iter_mut().filter(|ranked| counts_replies && ranked.value.wdl == Wdl::Draw);
        for draw in draws {
            after.do_move(draw.m);
            let (replies, are_known) = self.drawing_replies(&mut after, pos.side_to_move(), &playout)?;
            draw.drawing_replies = are_known.then_some(replies);
            after.undo_move();
        }
        sort_short(&mut ranked, |ranked| {
            (-ranked.value.preference(), ranked.drawing_replies.unwrap_or(u32::MAX))
        });
        Ok((ranked, unknown))
    }

    /// Returns the value of a move for the side that plays it; `None` if it is illegal or has none stored.
    ///
    /// The value is the result, and the distance after the move. A move that draws the live game by
    /// repetition or move count counts as a draw, and so does a win after which the opponent can do so at
    /// once.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn after(&self, pos: &Position, m: Move) -> Result<Option<Found>, TablebaseError> {
        if !pos.is_legal(m) {
            return Ok(None);
        }
        let mut after = pos.clone();
        after.do_move(m);
        let playout = Playout::new(&|| true);
        let found = self.value_in_game(pos, &mut after, pos.outcome().is_over(), &playout)?;
        let is_turn_over = !(after.is_take_due() && after.side_to_move() == pos.side_to_move());
        let left = |plies: u32| plies.saturating_sub(u32::from(is_turn_over));
        Ok(found.map(|found| Found { plies: found.plies.map(left), ..found }))
    }

    /// Returns every legal move with its result for the side that plays it.
    ///
    /// `None` if the game is over or a result is unknown. A move that ends the game has the result of that
    /// end, draws by counters included.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn move_results(&self, pos: &Position) -> Result<Option<Vec<(Move, Wdl)>>, TablebaseError> {
        let list = pos.legal_moves();
        let mut results = Vec::with_capacity(list.len());
        let mut after = pos.clone();
        let playout = Playout::new(&|| true);
        for &m in list.iter() {
            after.do_move(m);
            let found = self.value_after(pos, &after, false, Wanted::Wdl, &playout)?;
            after.undo_move();
            let Some(found) = found else { return Ok(None) };
            results.push((m, found.wdl));
        }
        Ok((!results.is_empty()).then_some(results))
    }

    /// Returns the moves of [`rank_moves`](Self::rank_moves) that keep the value of the position.
    pub fn best_moves(ranked: &[RankedMove]) -> &[RankedMove] {
        let best = ranked.first().map(|ranked| ranked.value.wdl);
        &ranked[..ranked.iter().take_while(|ranked| Some(ranked.value.wdl) == best).count()]
    }

    /// As [`value_after`](Self::value_after), but a win counts as a draw if the opponent can draw the live
    /// game at once.
    fn value_in_game(
        &self,
        before: &Position,
        after: &mut Position,
        drawn_before: bool,
        playout: &Playout<'_>,
    ) -> Result<Option<Found>, TablebaseError> {
        let found = self.value_after(before, after, drawn_before, Wanted::Distance, playout)?;
        let may_slip = found.is_some_and(|found| found.wdl == Wdl::Win) && !drawn_before;
        let slips = may_slip && can_draw_at_once(after, !before.side_to_move());
        Ok(if slips { Some(Found::result(Wdl::Draw)) } else { found })
    }

    /// Returns the value of the position `after` a move for the side that moved in `before`. Draw counters
    /// are ignored if they had already drawn the game.
    fn value_after(
        &self,
        before: &Position,
        after: &Position,
        drawn_before: bool,
        wanted: Wanted,
        playout: &Playout<'_>,
    ) -> Result<Option<Found>, TablebaseError> {
        let us = before.side_to_move();
        let outcome = after.outcome();
        if outcome.is_over() && !(drawn_before && outcome.reason.is_claimable()) {
            return Ok(Some(value_of_end(outcome, us)));
        }
        let found = self.value(after, wanted, playout)?;
        // Black may place the last man and also open the moving phase: then the turn ends, but the side does
        // not change.
        let is_same_side = after.side_to_move() == us;
        Ok(found.map(|found| match is_same_side {
            true if after.is_take_due() => found,
            true => found.after_pass(),
            false => found.before(),
        }))
    }

    /// Returns the number of replies that keep the draw in a drawn position after a move of `us`. If `us`
    /// still has to take a man, it is the fewest after any take that keeps the draw. The second result is
    /// true if the values of all replies are known: beyond the bounds of `playout`, no more are.
    fn drawing_replies(
        &self,
        pos: &mut Position,
        us: Color,
        playout: &Playout<'_>,
    ) -> Result<(u32, bool), TablebaseError> {
        let turn_goes_on = pos.side_to_move() == us;
        let (mut count, mut fewest, mut are_known) = (0, u32::MAX, true);
        for &m in pos.legal_moves().iter() {
            if !playout.continues() {
                are_known = false;
                break;
            }
            pos.do_move(m);
            let outcome = pos.outcome();
            let is_drawn = match outcome.is_over() {
                true => outcome.winner.is_none(),
                false => {
                    let found = self.value(pos, Wanted::Wdl, playout)?;
                    are_known &= found.is_some();
                    found.is_some_and(|found| found.wdl == Wdl::Draw)
                }
            };
            count += u32::from(is_drawn);
            if is_drawn && turn_goes_on {
                let (replies, are_all) = self.drawing_replies(pos, us, playout)?;
                fewest = fewest.min(replies);
                are_known &= are_all;
            }
            pos.undo_move();
        }
        Ok((if turn_goes_on && count > 0 { fewest } else { count }, are_known))
    }

    /// Returns a line of best play from a position to the end of the game.
    ///
    /// It ends earlier at the first position without a stored distance. Draws have no line. Draws of the live
    /// game are ignored.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn line(&self, pos: &Position) -> Result<Vec<Move>, TablebaseError> {
        self.line_while(pos, |_| true)
    }

    /// Returns the beginning of [`line`](Self::line).
    ///
    /// A move is added while `continues` returns true for the moves so far.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    pub fn line_while(
        &self,
        pos: &Position,
        continues: impl Fn(&[Move]) -> bool,
    ) -> Result<Vec<Move>, TablebaseError> {
        let mut line = Vec::new();
        let mut now = pos.clone();
        now.forget_history();
        while line.len() < 3 * TbValue::MAX_PLIES as usize && continues(&line) {
            let goes_on = || continues(&line);
            let Some(value) = self.distance(&now, &Playout::new(&goes_on))? else { break };
            if value.wdl == Wdl::Draw || value.plies.is_none() {
                break;
            }
            let (ranked, unknown) = self.known_moves_while(&now, false, goes_on)?;
            let Some(best) = ranked.first().filter(|_| unknown.is_empty()) else { break };
            now.do_move(best.m);
            if !now.is_take_due() {
                now.forget_history();
            }
            line.push(best.m);
            if now.outcome().is_over() {
                break;
            }
        }
        Ok(line)
    }
}
