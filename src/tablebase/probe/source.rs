//! The interface of every source of tablebase values: the value of a position given as sets of men.

use crate::position::{Action, Phase, Position, Records};
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
        let wdl = match self.wdl {
            Wdl::Win => Wdl::Loss,
            Wdl::Draw => Wdl::Draw,
            Wdl::Loss => Wdl::Win,
        };
        Self { wdl, plies: self.plies.map(|plies| plies + 1) }
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
    fn or(self, other: Self) -> Self {
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

    /// Returns what the file of a sector says about it; `None` if there is no file.
    fn statistics(&self, _: Sector) -> Option<SectorFile> {
        None
    }
}

/// Returns true if the `Extras` have no effect on the rest of the game.
#[cold]
fn is_plain(pos: &Position) -> bool {
    let extras = pos.extras();
    extras.marked.is_empty()
        && extras.due[(!pos.side_to_move()).index()] == 0
        && extras.own_due == [false; 2]
        && !extras.stale_again
        && !extras.stale_both
        && extras.records.iter().all(|records| *records == Records::EMPTY)
}

/// A position in the terms of the tablebase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// The sector, with the men of the opponent that are still to be taken.
    pub sector: Sector,
    /// Men of the mover.
    pub own: u32,
    /// Men of the opponent.
    pub theirs: u32,
    /// The takes that the mover still has to make.
    pub takes: u32,
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
        if pos.phase() == Phase::Over {
            return Err(ProbeRefusal::Over);
        }
        if pos.has_extras() && !is_plain(pos) {
            return Err(ProbeRefusal::Extras);
        }
        let is_taking = pos.is_take_due();
        if pos.action() == Action::None || is_taking != (pos.takes_due(mover) > 0) {
            return Err(ProbeRefusal::Stuck);
        }
        let unfinished = pos.phase() == Phase::Placing && sector.is_moving();
        if !sector.is_moving() || unfinished {
            if let Some(why) = game.placing_refused {
                return Err(ProbeRefusal::Placing(why));
            }
            // The take of a placing turn comes after its man has left the hand.
            let even = u8::from(mover == Color::Black);
            if sector.own_hand + u8::from(is_taking) != sector.their_hand + even {
                return Err(ProbeRefusal::OutOfTurn);
            }
        }
        if sector.own + sector.own_hand > game.men || sector.theirs + sector.their_hand > game.men {
            return Err(ProbeRefusal::TooManyMen);
        }
        if sector.own + sector.own_hand < game.least || sector.theirs + sector.their_hand < game.least {
            return Err(ProbeRefusal::TooFewMen);
        }
        Ok(Self {
            sector,
            own: crate::tablebase::format::board::from_engine(own),
            theirs: crate::tablebase::format::board::from_engine(theirs),
            takes: pos.takes_due(mover),
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
        if self.takes == 0 {
            return look_up(self.sector, self.own, self.theirs);
        }
        let mut best: Option<Found> = None;
        for point in crate::tablebase::format::board::members(game.takeable(self.theirs)) {
            let mut after = *self;
            after.theirs &= !(1 << point);
            after.sector.theirs -= 1;
            after.takes -= 1;
            let value = if after.sector.theirs + after.sector.their_hand < game.least {
                Some(Found::exact(TbValue::WIN_NOW))
            } else if after.takes > 0 {
                after.answer(game, look_up)?
            } else {
                let Sector { own, theirs, own_hand, their_hand } = after.sector;
                let next = Sector { own: theirs, theirs: own, own_hand: their_hand, their_hand: own_hand };
                look_up(next, after.theirs, after.own)?.map(Found::before)
            };
            let Some(value) = value else { return Ok(None) };
            best = Some(best.map_or(value, |best| best.or(value)));
        }
        Ok(best)
    }
}
