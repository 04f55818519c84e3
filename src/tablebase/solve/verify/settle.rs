//! The settlement after the last placing, by the engine's rules; see `turns.rs` for the turns before it.

use super::plies::one_ply_earlier;
use crate::bitboard::Bitboard;
use crate::platform::parallel::share;
use crate::rules::CompiledRules;
use crate::tablebase::format::board::spread;
use crate::tablebase::format::index::{Index, Sector, subsets};
use crate::tablebase::format::value::TbValue;
use std::collections::BTreeSet;

/// The takes that White and Black owe, and true if each takes its own men.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Debts {
    white: u32,
    black: u32,
    own: bool,
}

/// The settlement of a game: all men of both sides are on the board, and White takes first.
pub(super) struct Settling<'a> {
    pub(super) rules: &'a CompiledRules,
    pub(super) men: u8,
}

impl Settling<'_> {
    fn mills(&self, men: Bitboard) -> u32 {
        // Every mill is counted at each of its points.
        men.into_iter().map(|point| self.rules.lines_closed(men, point)).sum::<u32>() / 3
    }

    fn debts(&self, white: u32, black: Bitboard) -> Debts {
        let black = self.mills(black);
        let least = white.min(black);
        // The side with more mills takes one man more, but a side without a mill takes one too.
        Debts {
            white: least.max(1) + u32::from(white > black),
            black: least.max(1) + u32::from(black > white),
            own: white + black == 0,
        }
    }

    /// The sector of the positions before the settlement.
    pub(super) fn sector(&self) -> Sector {
        Sector::moving(self.men, self.men)
    }

    /// Calls `see` for each position with its place in the sector.
    fn each<S: Send>(
        &self,
        threads: usize,
        values: &mut [u8],
        scratch: impl Fn() -> S + Sync,
        see: impl Fn(&mut S, Bitboard, u32, &mut dyn Iterator<Item = (Bitboard, &mut u8)>) + Sync,
    ) -> Vec<S> {
        let sets = &Index::get().classes(self.men as usize).representatives;
        let rows = sets.iter().zip(values.chunks_exact_mut(self.sector().row_length()));
        share(threads, rows, scratch, |scratch, (&white, values)| {
            let white = Bitboard(white);
            let free = (!white).0;
            let sets = subsets(free.count_ones(), u32::from(self.men));
            let mut entries = sets.map(|set| Bitboard(spread(set, free))).zip(values);
            see(scratch, white, self.mills(white), &mut entries);
        })
    }

    /// Returns the debts of all positions, each once.
    pub(super) fn all_debts(&self, threads: usize) -> BTreeSet<Debts> {
        let mut values = vec![0; self.sector().slots() as usize];
        let found = self.each(threads, &mut values, BTreeSet::new, |found, _, mills, entries| {
            entries.for_each(|(black, _)| _ = found.insert(self.debts(mills, black)));
        });
        found.into_iter().flatten().collect()
    }

    /// Returns the sector of the moving phase after the takes, or the value for White if the game ends.
    pub(super) fn sector_after(&self, debts: Debts) -> Result<Sector, TbValue> {
        // White takes before Black does, and a turn that ends the game is a win in one ply.
        let (white, black) = match debts.own {
            true => (u32::from(self.men) - debts.white, u32::from(self.men) - debts.black),
            false => (u32::from(self.men) - debts.black, u32::from(self.men) - debts.white),
        };
        if debts.own && white < self.rules.least {
            Err(TbValue::LOST)
        } else if black < self.rules.least {
            Err(TbValue::WIN_NOW)
        } else if white < self.rules.least {
            Err(one_ply_earlier(TbValue::WIN_NOW))
        } else {
            Ok(Sector::moving(white as u8, black as u8))
        }
    }

    /// Returns the sets that are left after so many takes.
    fn left(&self, men: Bitboard, takes: u32) -> BTreeSet<Bitboard> {
        (0..takes).fold(BTreeSet::from([men]), |sets, _| {
            let after = |&set: &Bitboard| {
                self.rules.unprotected(set).into_iter().map(move |point| set.without(point))
            };
            sets.iter().flat_map(after).collect()
        })
    }

    /// Writes the values of all positions with these debts, for White. `after` holds the values of the sector
    /// of [`sector_after`](Self::sector_after), if there is one.
    pub(super) fn settle(&self, debts: Debts, after: Option<&[u8]>, values: &mut [u8], threads: usize) {
        let sector = self.sector_after(debts);
        let value = |white: Bitboard, black: Bitboard| match (sector, after) {
            (Ok(sector), Some(after)) => {
                one_ply_earlier(one_ply_earlier(TbValue(after[sector.slot(white.0, black.0) as usize]))).0
            }
            (Err(value), _) => value.0,
            (Ok(_), None) => TbValue::DRAW.0,
        };
        self.each(
            threads,
            values,
            || (),
            |(), white, mills, entries| {
                // Few rows have positions with the rarer debts.
                let mut whites = None;
                for (black, found) in entries {
                    if self.debts(mills, black) != debts {
                        continue;
                    }
                    if let Err(value) = sector {
                        *found = value.0;
                        continue;
                    }
                    let loses = if debts.own { debts.white } else { debts.black };
                    let whites = whites.get_or_insert_with(|| self.left(white, loses));
                    let best = if debts.own {
                        let blacks = self.left(black, debts.black);
                        let worst = |&white: &Bitboard| blacks.iter().map(|&black| value(white, black)).min();
                        whites.iter().filter_map(worst).max()
                    } else {
                        let worst = |&black: &Bitboard| whites.iter().map(|&white| value(white, black)).min();
                        self.left(black, debts.white).iter().filter_map(worst).max()
                    };
                    *found = best.unwrap_or(TbValue::DRAW.0);
                }
            },
        );
    }
}
