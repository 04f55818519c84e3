//! The interface of every source of tablebase values: the value of a position given as sets of men.

use crate::position::{Action, Phase, Position, Records};
use crate::tablebase::format::board::{from_engine, members};
use crate::tablebase::format::error::{ProbeRefusal, TablebaseError};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::SectorCounts;
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::value::{TbValue, Wdl};
use crate::types::Color;

/// The value of a position as a tablebase stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Found {
    /// Result for the side to move.
    pub wdl: Wdl,
    /// Plies to the end of the game, if stored; `None` for a draw.
    pub plies: Option<u32>,
}

impl Found {
    /// A draw.
    pub const DRAW: Self = Self { wdl: Wdl::Draw, plies: None };

    /// A result without its distance.
    pub const fn result(wdl: Wdl) -> Self {
        Self { wdl, plies: None }
    }

    /// A result with its distance.
    pub const fn exact(value: TbValue) -> Self {
        Self { wdl: value.wdl(), plies: value.plies() }
    }

    /// Returns the value of a turn that leads here, for the side that plays it.
    #[must_use]
    pub fn before(self) -> Self {
        Self { wdl: self.wdl.opposite(), plies: self.plies.map(|plies| plies + 1) }
    }

    /// Returns the value of a turn that leads here, for the side that plays it and is also to move here.
    ///
    /// That is Black when it opens the moving phase. The turn that White leaves out counts as a ply, as in
    /// the files.
    #[must_use]
    pub fn after_pass(self) -> Self {
        Self { plies: self.plies.map(|plies| plies + 2), ..self }
    }

    /// A number that is larger for values that the mover prefers: short wins, long losses.
    ///
    /// A missing distance counts as longer than any stored one: a win that is sure to make progress comes
    /// first.
    pub fn preference(self) -> i64 {
        let plies = self.plies.map_or(1_000, i64::from);
        match self.wdl {
            Wdl::Win => 1_000_000 - plies,
            Wdl::Draw => 0,
            Wdl::Loss => plies - 1_000_000,
        }
    }

    /// The better of two for the mover. The result has a distance only if the other is certainly not better:
    /// a missing distance may be shorter than any except an immediate win.
    pub(super) fn or(self, other: Self) -> Self {
        if self.wdl != other.wdl {
            return if self.wdl > other.wdl { self } else { other };
        }
        let better = if self.preference() < other.preference() { other } else { self };
        let are_known = self.plies.is_some() && other.plies.is_some();
        if are_known || better == Self::exact(TbValue::WIN_NOW) {
            better
        } else {
            Self { plies: None, ..better }
        }
    }
}

/// The detail of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Win, draw or loss.
    Wdl,
    /// The same, but only if no file has to be read.
    CachedWdl,
    /// The result and, where stored, its distance.
    Distance,
}

/// The part of an answer that a value is looked up for. Those that matter most come first.
#[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerPart {
    /// The move of this number among the legal ones.
    Move(u16),
    /// The value of the position itself.
    Position,
    /// The replies, and the statistics of the sector.
    Extra,
    /// The replies to moves whose values are not known yet: they count if the move draws.
    Ahead,
}

/// A file, and what its head says about its sector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectorFile {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The counts of the positions of the sector.
    pub counts: SectorCounts,
}

/// A source of values for one game.
pub trait Source: Send + Sync {
    /// The value of a position of `sector`, in which the mover has the set `own` and the opponent
    /// `theirs`, in the numbering of the tablebase; `None` if it is not stored here.
    ///
    /// # Errors
    /// If the file of the position is damaged or unreadable. Each file is reported once; the next call uses
    /// the files that are left.
    fn look_up(
        &self,
        sector: Sector,
        own: u32,
        theirs: u32,
        wanted: Wanted,
    ) -> Result<Option<Found>, TablebaseError>;

    /// Notes the part of an answer that the next values are for.
    #[cfg(any(test, all(feature = "wasm", target_arch = "wasm32")))]
    fn look_up_for(&self, _: Option<AnswerPart>) {}

    /// Returns what the file of a sector says about it; `None` if there is no file.
    ///
    /// # Errors
    /// If the file is damaged, or belongs to other rules.
    fn statistics(&self, _: Sector) -> Result<Option<SectorFile>, TablebaseError> {
        Ok(None)
    }
}

/// Returns true if the `Extras` have no effect on the rest of the game but the takes that are due. In the
/// moving phase those of both sides may be. An intervention may have begun.
#[cold]
fn has_only_takes_due(game: &SolvedGame, pos: &Position) -> bool {
    let extras = pos.extras();
    let Records { intervention, .. } = extras.records[pos.side_to_move().index()];
    let begun = Records { intervention, ..Records::EMPTY };
    let [ours, theirs] = [pos.side_to_move(), !pos.side_to_move()].map(|side| extras.records[side.index()]);
    let is_intervention = game.intervention.any()
        && pos.takes_due(pos.side_to_move()) <= u32::from(intervention.count)
        && intervention.targets.count() == u32::from(intervention.count)
        && pos.men(!pos.side_to_move()).covers(intervention.targets);
    let settles = pos.phase() == Phase::Moving && pos.is_take_due();
    let only_takes = extras.due[(!pos.side_to_move()).index()] == 0 && extras.own_due == [false; 2];
    extras.marked.is_empty()
        && (settles || only_takes)
        && !extras.take_then_move
        && !extras.both_take
        && (ours == Records::EMPTY || ours == begun && is_intervention)
        && theirs == Records::EMPTY
        && (extras.preferred.is_none() || !game.intervention.any())
}

/// Returns true if a man has slid and closed a mill in the last turn of its side.
#[cold]
fn has_return(pos: &Position) -> bool {
    pos.extras().last_mill.iter().any(|mill| mill.from.is_some() && mill.to.is_some())
}

/// The takes that a side still has to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debt {
    /// Their number.
    pub takes: u32,
    /// True if it takes its own men.
    pub own: bool,
}

impl Debt {
    const NONE: Self = Self { takes: 0, own: false };
}

/// A position in the terms of the tablebase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The sector, with the men that are still to be taken.
    pub sector: Sector,
    /// Men of the mover.
    pub own: u32,
    /// Men of the opponent.
    pub theirs: u32,
    /// The takes that the mover still has to make.
    pub due: Debt,
    /// The men that they take, if an intervention has begun; else none, and the mover chooses.
    pub between: u32,
    /// The takes that the opponent makes then, before it moves.
    pub reply: Debt,
    /// True if the mover moves again after its takes.
    ///
    /// Black has placed the last man and opens the moving phase.
    pub opens: bool,
    /// True if a side must not go straight back to a mill that it has just left: no file has the value.
    pub has_ban: bool,
}

impl Query {
    /// Returns the facts of a position that a tablebase lookup needs.
    ///
    /// # Errors
    /// If positions like this have no value in tablebases of `game`. Draws by repetition and move count
    /// are ignored.
    #[inline]
    pub fn new(game: &SolvedGame, pos: &Position) -> Result<Self, ProbeRefusal> {
        let mover = pos.side_to_move();
        let (own, theirs) = (pos.men(mover).0, pos.men(!mover).0);
        let hand = |color: Color| pos.hand(color) as u8;
        let sector = Sector {
            own: own.count_ones() as u8,
            theirs: theirs.count_ones() as u8,
            own_hand: hand(mover),
            their_hand: hand(!mover),
        };
        let owes_own = |color: Color| pos.has_extras() && pos.extras().own_due[color.index()];
        if pos.phase() == Phase::Over {
            return Err(ProbeRefusal::Over);
        }
        if pos.has_extras() && !has_only_takes_due(game, pos) {
            return Err(ProbeRefusal::Extras);
        }
        let is_taking = pos.is_take_due();
        let has_no_man = pos.action() == Action::Place && sector.own_hand == 0;
        if pos.action() == Action::None || has_no_man || is_taking != (pos.takes_due(mover) > 0) {
            return Err(ProbeRefusal::Stuck);
        }
        let unfinished = pos.phase() == Phase::Placing && sector.is_moving();
        if !sector.is_moving() || unfinished {
            if let Some(why) = game.placing_refused {
                return Err(ProbeRefusal::Placing(why));
            }
            // Nobody slides before; a text can say so all the same, and the way back would stay banned.
            if game.bans_returns && has_return(pos) {
                return Err(ProbeRefusal::Extras);
            }
            // The take of a placing turn comes after its man has left the hand.
            let even = u8::from(mover == Color::Black);
            let is_in_turn = sector.own_hand + u8::from(is_taking) == sector.their_hand + even;
            // A board can be filled only by placing in strict turn.
            let may_fill = sector.own + sector.theirs + sector.own_hand + sector.their_hand == 24;
            if !is_in_turn && (game.places_in_turn() || may_fill && game.full_board_takes) {
                return Err(ProbeRefusal::OutOfTurn);
            }
        }
        if sector.own + sector.own_hand > game.men || sector.theirs + sector.their_hand > game.men {
            return Err(ProbeRefusal::TooManyMen);
        }
        if sector.own + sector.own_hand < game.least || sector.theirs + sector.their_hand < game.least {
            return Err(ProbeRefusal::TooFewMen);
        }
        let between =
            if pos.has_extras() { pos.extras().records[mover.index()].intervention.targets.0 } else { 0 };
        let takes = if between == 0 { pos.takes_due(mover) } else { between.count_ones() };
        Ok(Self {
            sector,
            own: from_engine(own),
            theirs: from_engine(theirs),
            due: Debt { takes, own: owes_own(mover) },
            between: from_engine(between),
            reply: Debt { takes: pos.takes_due(!mover), own: owes_own(!mover) },
            opens: unfinished && game.black_opens,
            has_ban: game.bans_returns
                && Color::ALL.into_iter().any(|side| pos.forbidden_return(side).is_some()),
        })
    }

    /// Returns the value that `look_up` finds.
    ///
    /// If takes are due, it is the value of the best way to finish the turn.
    ///
    /// # Errors
    /// Those of `look_up`.
    #[inline]
    pub fn answer<E>(
        &self,
        game: &SolvedGame,
        look_up: &mut dyn FnMut(Sector, u32, u32) -> Result<Option<Found>, E>,
    ) -> Result<Option<Found>, E> {
        if self.due.takes == 0 {
            return look_up(self.sector, self.own, self.theirs);
        }
        let Self { due, sector: Sector { own, theirs, own_hand, their_hand }, .. } = *self;
        let (victims, men) =
            if due.own { (self.own, own + own_hand) } else { (self.theirs, theirs + their_hand) };
        if u32::from(men) < u32::from(game.least) + due.takes {
            return Ok(Some(Found::exact(if due.own { TbValue::LOST } else { TbValue::WIN_NOW })));
        }
        if self.between != 0 {
            return self.best_left(game, std::iter::once(victims & !self.between), look_up);
        }
        // One take is by far the most frequent, also in the search: no list is made for it.
        if due.takes == 1 {
            let left = members(game.takeable(victims)).map(|point| victims & !(1 << point));
            return self.best_left(game, left, look_up);
        }
        self.best_left(game, game.left(victims, due.takes).into_iter(), look_up)
    }

    /// Returns the best value for the mover if its takes may leave these sets of men; `None` if one is
    /// unknown.
    #[inline]
    fn best_left<E>(
        &self,
        game: &SolvedGame,
        sets: impl Iterator<Item = u32>,
        look_up: &mut dyn FnMut(Sector, u32, u32) -> Result<Option<Found>, E>,
    ) -> Result<Option<Found>, E> {
        let mut best: Option<Found> = None;
        for left in sets {
            let mut after = Self { due: Debt::NONE, between: 0, ..*self };
            let (set, men) = match self.due.own {
                true => (&mut after.own, &mut after.sector.own),
                false => (&mut after.theirs, &mut after.sector.theirs),
            };
            *set = left;
            *men = left.count_ones() as u8;
            let value = if after.opens {
                look_up(after.sector, after.own, after.theirs)?.map(Found::after_pass)
            } else {
                after.next_turn().answer(game, look_up)?.map(Found::before)
            };
            let Some(value) = value else { return Ok(None) };
            best = Some(best.map_or(value, |best| best.or(value)));
        }
        Ok(best)
    }

    /// Returns the position when the mover has made its takes and the opponent is to move.
    #[inline]
    const fn next_turn(self) -> Self {
        let Sector { own, theirs, own_hand, their_hand } = self.sector;
        Self {
            sector: Sector { own: theirs, theirs: own, own_hand: their_hand, their_hand: own_hand },
            own: self.theirs,
            theirs: self.own,
            due: self.reply,
            between: 0,
            reply: Debt::NONE,
            opens: false,
            has_ban: false,
        }
    }
}
