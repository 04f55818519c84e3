//! Values of positions without a ban, in sectors with fewer men, and the slides that bans are about.

use super::row::NEVER;
use crate::tablebase::format::board::{FULL, POINTS, in_mills, lines_through, members, neighbours};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::TbKind;
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::packed::PackedSectors;
use crate::tablebase::format::value::TbValue;

/// A slide. A ban is one too: that back to the mill which the man has just left to close another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Slide {
    /// The point of the man before it.
    pub(super) from: u32,
    /// The point of the man after it.
    pub(super) to: u32,
}

impl Slide {
    /// Returns the slide that undoes this one.
    pub(super) const fn back(self) -> Self {
        Self { from: self.to, to: self.from }
    }

    /// Returns the men of `set` after it.
    pub(super) const fn apply(self, set: u32) -> u32 {
        set & !(1 << self.from) | 1 << self.to
    }
}

/// The values of positions without bans.
pub(super) struct UnbannedValues {
    /// The rules.
    pub(super) game: SolvedGame,
    smaller: PackedSectors,
    lines: [[u32; 3]; POINTS as usize],
    neighbours: [u32; POINTS as usize],
}

impl UnbannedValues {
    /// Returns the values after takes from `sector`, of the moving phase, or its mirror. `load` gives the
    /// values of finished sectors, which are of this kind.
    ///
    /// # Errors
    /// If `load` fails.
    pub(super) fn new<E>(
        game: &SolvedGame,
        sector: Sector,
        kind: TbKind,
        threads: usize,
        load: impl FnMut(Sector) -> Result<Vec<u8>, E>,
    ) -> Result<Self, E> {
        let lines = |point| lines_through(point, game.diagonals).map(|line| line.unwrap_or(NEVER));
        Ok(Self {
            game: *game,
            smaller: PackedSectors::new(kind, game.smaller(sector), threads, load)?,
            lines: std::array::from_fn(|point| lines(point as u32)),
            neighbours: std::array::from_fn(|point| neighbours(point as u32, game.diagonals)),
        })
    }

    /// Returns the value for the mover.
    pub(super) fn value(&self, own: u32, theirs: u32) -> u8 {
        match self.has_lost(own) {
            true => TbValue::LOST.0,
            false => self.smaller.value(own, theirs).0,
        }
    }

    /// Returns the value of a slot.
    pub(super) fn value_at(&self, sector: Sector, slot: u64) -> u8 {
        self.smaller.value_at(sector, slot).0
    }

    /// Returns true for the set of a side that has lost too many men.
    pub(super) fn has_lost(&self, set: u32) -> bool {
        set.count_ones() < u32::from(self.game.least)
    }

    /// Returns the value of a turn after which the opponent has this value.
    pub(super) fn before(&self, after: u8) -> u8 {
        self.smaller.kind().simplify(TbValue(after).before()).0
    }

    /// Returns the points that a man of `set` reaches from `at`, or from which it came, if they are empty.
    #[inline(always)]
    pub(super) fn reach(&self, set: u32, at: u32) -> u32 {
        if set.count_ones() <= u32::from(self.game.fly_at) { FULL } else { self.neighbours[at as usize] }
    }

    /// Returns true if a man that comes to `point` closes a mill with men of `set`.
    #[inline(always)]
    pub(super) fn closes(&self, set: u32, point: u32) -> bool {
        let [a, b, c] = self.lines[point as usize];
        set & a == a || set & b == b || set & c == c
    }

    /// Returns true if a slide leaves a mill of `set` to close another. Bans of other slides do not matter.
    pub(super) fn is_shuttle(&self, set: u32, Slide { from, to }: Slide) -> bool {
        set >> from & 1 != 0 && self.closes(set, from) && self.closes(set & !(1 << from), to)
    }

    /// Returns the slides of men of `set` to points of `empty` that leave a mill to close another.
    pub(super) fn shuttles(&self, set: u32, empty: u32) -> impl Iterator<Item = Slide> {
        let milled = in_mills(set, self.game.diagonals);
        self.slides_of(milled, set, empty).filter(move |&slide| self.is_shuttle(set, slide))
    }

    /// Returns the other slides of men of `set` to points of `empty`.
    pub(super) fn other_slides(&self, set: u32, empty: u32) -> impl Iterator<Item = Slide> {
        self.slides_of(set, set, empty).filter(move |&slide| !self.is_shuttle(set, slide))
    }

    /// Returns the slides of `men`, some of `set`, to points of `empty`.
    fn slides_of(&self, men: u32, set: u32, empty: u32) -> impl Iterator<Item = Slide> {
        members(men)
            .flat_map(move |from| members(self.reach(set, from) & empty).map(move |to| Slide { from, to }))
    }

    /// Returns true if the mover has not just lost, has slides that leave a mill to close another, and no
    /// other turn is as good as the best one.
    pub(super) fn needs_shuttle(&self, own: u32, theirs: u32) -> bool {
        let empty = FULL & !(own | theirs);
        if self.shuttles(own, empty).next().is_none() {
            return false;
        }
        let best = self.value(own, theirs);
        // Nothing is worse.
        best != TbValue::LOST.0
            && !self.other_slides(own, empty).any(|slide| self.after(own, theirs, slide) == best)
    }

    /// Returns the value of a slide for the mover, as if no ban followed; with the best take if it closes a
    /// mill.
    pub(super) fn after(&self, own: u32, theirs: u32, slide: Slide) -> u8 {
        let after = slide.apply(own);
        self.before(match self.closes(after, slide.to) {
            true => {
                let takes = members(self.game.takeable(theirs));
                takes.map(|point| self.value(theirs & !(1 << point), after)).min().unwrap_or(u8::MAX)
            }
            false => self.value(theirs, after),
        })
    }
}
