//! The settlement. Under some rules a mill closed while placing takes nothing at once. When the last man is
//! placed, each side takes men by the numbers of mills on the board: White all of its men first, then Black.
//! Then White opens the moving phase.
//!
//! These positions have no files. Their values are found when the sector of the last placing is solved: a
//! row fixes the set of White, and the settlement of each position leads to a sector of the moving phase.
//! Each side's takes are a turn of their own, so the distance is two plies longer than in that sector.

use super::finished::{FinishedSector, SectorLookup, SetSlots};
use crate::platform::parallel::{batches, share};
use crate::tablebase::format::board::{FULL, count_mills, lines_through, spread};
use crate::tablebase::format::error::TooLong;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::{BINOMIAL, Index, Sector, subsets};
use crate::tablebase::format::value::TbValue;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The men that each side loses in the settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Settlement {
    white: u8,
    black: u8,
    /// True if each side takes its own man, because nobody has a mill.
    own: bool,
}

impl Settlement {
    /// Returns the settlement for the numbers of mills of the sides.
    const fn of_mills(white: u32, black: u32) -> Self {
        let (takes_of_white, takes_of_black) = match (white, black) {
            (0, 0) => return Self { white: 1, black: 1, own: true },
            (_, 0) => (2, 1),
            (0, _) => (1, 2),
            _ if white > black => (black + 1, black),
            _ if black > white => (white, white + 1),
            _ => (white, black),
        };
        Self { white: takes_of_black as u8, black: takes_of_white as u8, own: false }
    }

    /// Returns the sector of the moving phase after it, or the value for White if a side has too few men.
    const fn leads_to(self, game: &SolvedGame) -> Result<Sector, TbValue> {
        let (white, black) = (game.men - self.white, game.men - self.black);
        if self.own && white < game.least {
            return Err(TbValue::LOST);
        }
        if black < game.least {
            return Err(TbValue::WIN_NOW);
        }
        if white < game.least {
            return Err(TbValue::decided(2));
        }
        Ok(Sector::moving(white, black))
    }
}

/// Returns the settlements that can occur, and perhaps a few more, each once.
fn settlements(game: &SolvedGame) -> BTreeSet<Settlement> {
    let men = u32::from(game.men);
    let line_with = |point| {
        let others = lines_through(point, game.diagonals).into_iter().flatten();
        others.map(move |others| others | 1 << point)
    };
    let mut lines: Vec<u32> = (0..24).flat_map(line_with).collect();
    lines.sort_unstable();
    lines.dedup();
    // For each number of mills of White the most that Black can have with it.
    let mut most: Vec<Option<usize>> = vec![None; lines.len() + 1];
    for &white in Index::get().representatives(game.men as usize) {
        let most = &mut most[count_mills(white, game.diagonals) as usize];
        let free: Vec<u32> = lines.iter().copied().filter(|line| line & white == 0).collect();
        if most.is_none_or(|most| free.len() > most) {
            *most = (*most).max(Some(most_lines(&free, 0, men)));
        }
    }
    let found = most.into_iter().enumerate();
    let pairs =
        found.flat_map(|(white, most)| (0..=most.unwrap_or(0)).map(move |black| (white, black, most)));
    let occurring = pairs.filter(|(_, _, most)| most.is_some());
    occurring.map(|(white, black, _)| Settlement::of_mills(white as u32, black as u32)).collect()
}

/// Returns the most of the lines that so many men complete, besides the points of `taken`, which they hold.
fn most_lines(lines: &[u32], taken: u32, men: u32) -> usize {
    let Some((&line, rest)) = lines.split_first() else { return 0 };
    let without = most_lines(rest, taken, men);
    match (taken | line).count_ones() > men {
        true => without,
        false => without.max(1 + most_lines(rest, taken | line, men)),
    }
}

/// Returns the sectors of the moving phase that can follow the settlement, sorted.
pub(super) fn sectors_after(game: &SolvedGame) -> Vec<Sector> {
    let after = settlements(game).into_iter().filter_map(|settlement| settlement.leads_to(game).ok());
    after.collect::<BTreeSet<Sector>>().into_iter().collect()
}

/// Returns the values, for White, of all positions with every man of both sides on the board, before the
/// settlement. `load` gives the values of a finished sector of the moving phase; one is held at a time.
///
/// # Errors
/// If `load` fails, or if the distances are too long for a tablebase file.
pub(super) fn settle<E: From<TooLong>>(
    game: &SolvedGame,
    threads: usize,
    load: &mut dyn FnMut(Sector) -> Result<Vec<u8>, E>,
) -> Result<Vec<u8>, E> {
    let before = Sector::moving(game.men, game.men);
    let sets = Index::get().representatives(game.men as usize);
    let mut values = vec![TbValue::DRAW.0; before.slots() as usize];
    for settlement in settlements(game) {
        let loaded = match settlement.leads_to(game) {
            Ok(sector) => Ok((sector, load(sector)?)),
            Err(value) => Err(value),
        };
        let end = loaded
            .as_ref()
            .map(|(sector, values)| SectorLookup::new(FinishedSector { sector: *sector, values }));
        let too_long = AtomicBool::new(false);
        let rows = sets.iter().zip(values.chunks_exact_mut(before.row_length()));
        share(threads, batches(rows, sets.len()), Vec::new, |memory, batch| {
            for (&white, values) in batch {
                let (mills, free) = (count_mills(white, game.diagonals), FULL & !white);
                // Few rows have positions with the rarer settlements.
                let mut row = None;
                for (squeezed, value) in subsets(free.count_ones(), u32::from(game.men)).zip(values) {
                    let black = spread(squeezed, free);
                    if Settlement::of_mills(mills, count_mills(black, game.diagonals)) != settlement {
                        continue;
                    }
                    *value = match &end {
                        Err(value) => value.0,
                        Ok(finished) => {
                            let row = row.get_or_insert_with(|| {
                                SettledRow::new(game, settlement, white, finished, std::mem::take(memory))
                            });
                            let value = older(row.best(black));
                            too_long.fetch_or(value.is_none(), Relaxed);
                            value.unwrap_or(TbValue::DRAW).0
                        }
                    };
                }
                if let Some(row) = row {
                    *memory = row.memory;
                }
            }
        });
        if too_long.into_inner() {
            return Err(TooLong { sector: before }.into());
        }
    }
    Ok(values)
}

/// Returns a value two plies before, or `None` if files hold no such distance.
fn older(value: u8) -> Option<TbValue> {
    let before = |value: TbValue| (!value.is_too_long_before()).then(|| value.before());
    before(TbValue(value)).and_then(before)
}

/// The positions with one set of White.
struct SettledRow<'a> {
    game: &'a SolvedGame,
    settlement: Settlement,
    finished: &'a SectorLookup<'a>,
    free: u32,
    /// The slots of the sets that may be left of White.
    white: Vec<SetSlots>,
    /// For each set that may be left of Black, in the order of its rank among the free points, the value
    /// after the best takes of Black.
    memory: Vec<u16>,
}

/// Marks a set of Black whose value is not computed yet.
const UNKNOWN: u16 = u16::MAX;

impl<'a> SettledRow<'a> {
    fn new(
        game: &'a SolvedGame,
        settlement: Settlement,
        white: u32,
        finished: &'a SectorLookup<'a>,
        mut memory: Vec<u16>,
    ) -> Self {
        memory.clear();
        if !settlement.own {
            let sets = BINOMIAL[24 - game.men as usize][(game.men - settlement.black) as usize];
            memory.resize(sets as usize, UNKNOWN);
        }
        let left = game.left(white, settlement.white.into());
        let white_left = left.into_iter().map(|left| finished.slots_of(left)).collect();
        Self { game, settlement, finished, free: FULL & !white, white: white_left, memory }
    }

    /// Returns the value of the moving phase for White after the best settlement.
    fn best(&mut self, black: u32) -> u8 {
        let finished = self.finished;
        let left = self.game.left(black, self.settlement.black.into());
        if self.settlement.own {
            // White chooses its set first, then Black.
            let worst = |white: &SetSlots| left.iter().map(|&black| finished.value(white, black)).min();
            return self.white.iter().filter_map(worst).max().unwrap_or(TbValue::DRAW.0);
        }
        let mut best = 0;
        for black in left {
            let known = &mut self.memory[finished.rank_of(black, self.free)];
            if *known == UNKNOWN {
                let values = self.white.iter().map(|white| u16::from(finished.value(white, black)));
                *known = values.min().unwrap_or(0);
            }
            best = best.max(*known as u8);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    /// The table of `docs/rules.md`, with the men that White and Black take.
    #[test]
    fn mills_earn_what_the_rules_say() {
        for (mills, takes) in [
            ((1, 0), (2, 1)),
            ((3, 0), (2, 1)),
            ((0, 2), (1, 2)),
            ((2, 2), (2, 2)),
            ((3, 1), (2, 1)),
            ((1, 4), (1, 2)),
        ] {
            let found = Settlement::of_mills(mills.0, mills.1);
            assert_eq!((found.black, found.white, found.own), (takes.0, takes.1, false), "{mills:?}");
        }
        assert_eq!(Settlement::of_mills(0, 0), Settlement { white: 1, black: 1, own: true });
    }

    #[test]
    fn the_settlements_of_a_game_are_those_of_its_positions() {
        // Two lines share a point, so five men have at most two mills.
        for (men, diagonals) in [(4, false), (5, false), (5, true)] {
            let rules = Rules { pieces_count: men, has_diagonal_lines: diagonals, ..Rules::EL_FILJA };
            let game = SolvedGame::new(&rules).expect("supported");
            let mut found = BTreeSet::new();
            for &white in Index::get().representatives(men as usize) {
                let free = FULL & !white;
                for black in subsets(free.count_ones(), u32::from(men)).step_by(7) {
                    let black = count_mills(spread(black, free), diagonals);
                    found.insert(Settlement::of_mills(count_mills(white, diagonals), black));
                }
            }
            assert_eq!(settlements(&game), found, "{men} {diagonals}");
        }
        let game = SolvedGame::new(&Rules::EL_FILJA).expect("supported");
        let after = sectors_after(&game);
        assert_eq!(after.iter().map(|sector| sector.own.max(sector.theirs)).max(), Some(11));
    }
}
