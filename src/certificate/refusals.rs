//! Refused turns: those that come before the turn that a certificate plays. A filter passes all of them and
//! a share of other turns, and a table of bits tells these apart, so a refused turn takes a few bits.

use super::ribbon::{Demand, Ribbon};
use crate::platform::mixing::mix;

/// The number of bands of turns.
pub(crate) const BANDS: usize = 64;
/// The width of a band of which no turn is refused.
const NONE: u8 = 15;
/// The equation of the table.
const TABLE: u8 = 15;

/// The refused turns of a sector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusals {
    /// For each band the equations of the filter that a refused turn meets, or 15 if none is refused.
    pub widths: [u8; BANDS],
    /// The filter.
    pub filter: Ribbon,
    /// The table, which has a one for refused turns.
    pub table: Ribbon,
}

/// Returns the key of a turn. The place takes nine bits: no position has 512 turns.
fn key(slot: u64, place: u16) -> u64 {
    mix(512 * slot + u64::from(place))
}

impl Refusals {
    /// Makes the refusals that are right for these turns; `None` if none of them is refused.
    pub(crate) fn of(tried: &[Vec<TriedTurn>]) -> Option<Self> {
        let all = || tried.iter().flatten().copied();
        let mut counts = [[0u64; 2]; BANDS];
        all().for_each(|turn| counts[turn.band()][usize::from(turn.is_refused())] += 1);
        if counts.iter().all(|[_, refused]| *refused == 0) {
            return None;
        }
        let widths = counts.map(|[others, refused]| best_width(others, refused));
        let equations = |turn: TriedTurn| {
            (0..widths[turn.band()]).map(move |number| -> Demand { (turn.key(), number, None) })
        };
        let demands: Vec<Demand> = all().filter(|turn| turn.is_refused()).flat_map(equations).collect();
        let mut refusals = Self { widths, filter: Ribbon::meeting(&demands), table: Ribbon::default() };
        drop(demands);
        let passes = |turn: &TriedTurn| {
            let width = widths[turn.band()];
            width != NONE && refusals.passes(turn.key(), width)
        };
        let demand = |turn: TriedTurn| -> Demand { (turn.key(), TABLE, Some(turn.is_refused())) };
        let demands: Vec<Demand> = all().filter(passes).map(demand).collect();
        refusals.table = Ribbon::meeting(&demands);
        Some(refusals)
    }

    /// Returns true if a turn is refused.
    #[inline]
    pub(crate) fn refuses(&self, slot: u64, place: u16, band: u8) -> bool {
        let width = self.widths[usize::from(band)];
        width != NONE && {
            let key = key(slot, place);
            self.passes(key, width) && self.table.solve(key, TABLE).0
        }
    }

    /// Returns true if the filter does not reject a turn.
    fn passes(&self, key: u64, width: u8) -> bool {
        (0..width).all(|number| {
            let (sum, asked) = self.filter.solve(key, number);
            sum == asked
        })
    }
}

/// A turn that the walk has tried.
///
/// From the highest bit: the slot of the position, nine bits of the place in its order, six of the band, and
/// one that is set if the turn has to be refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriedTurn(u64);

impl TriedTurn {
    /// A turn at a place of the order of a position.
    pub(crate) fn new(slot: u64, place: u16, band: u8, is_refused: bool) -> Self {
        Self(slot << 16 | u64::from(place) << 7 | u64::from(band) << 1 | u64::from(is_refused))
    }

    /// Returns true if the turn has to be refused.
    const fn is_refused(self) -> bool {
        self.0 & 1 != 0
    }

    const fn band(self) -> usize {
        (self.0 >> 1) as usize & (BANDS - 1)
    }

    fn key(self) -> u64 {
        key(self.0 >> 16, (self.0 >> 7) as u16 & 511)
    }
}

/// Returns the width that takes the fewest bits.
fn best_width(others: u64, refused: u64) -> u8 {
    if refused == 0 {
        return NONE;
    }
    // Equations of the filter, then those of the table.
    let bits = |width: u8| refused * u64::from(width) + refused + (others >> width);
    (0..NONE).min_by_key(|&width| bits(width)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_turns_are_told_from_the_others() {
        let turn = |number: u64| {
            let band = (number % 7) as u8;
            let is_refused = band > 0 && mix(number).is_multiple_of(3u64.pow(u32::from(band)));
            (number / 3, (number % 3) as u16, band, is_refused)
        };
        let tried = |(slot, place, band, is_refused)| TriedTurn::new(slot, place, band, is_refused);
        let all: Vec<TriedTurn> = (0..50_000).map(turn).map(tried).collect();
        let refusals = Refusals::of(&[all[..10_000].to_vec(), all[10_000..].to_vec()]).expect("some");
        assert_eq!((refusals.widths[0], refusals.widths[7]), (NONE, NONE));
        for (slot, place, band, is_refused) in (0..50_000).map(turn) {
            assert_eq!(refusals.refuses(slot, place, band), is_refused);
        }
        assert!(Refusals::of(&[vec![TriedTurn::new(0, 0, 0, false)]]).is_none());
    }
}
