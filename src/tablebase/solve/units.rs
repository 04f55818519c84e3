//! The units of work of a game: which sectors are solved together, what each needs, and in which order.

use super::settle;
use crate::tablebase::format::game::{SolvedGame, TurnKind};
use crate::tablebase::format::index::Sector;
use std::collections::HashSet;

/// A unit of work. It can start when the units it depends on are finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A sector and its mirror, the same men with the other side to move.
    ///
    /// Slides lead from each to the other.
    Pair(Sector),
    /// One sector, whose turns all lead to other units.
    Single(Sector),
}

impl Unit {
    /// The unit of the moving phase with `a` men against `b`.
    pub fn moving(a: u8, b: u8) -> Self {
        Self::Pair(Sector::moving(a.max(b), a.min(b)))
    }

    /// The unit of a sector of `game`.
    pub fn of(game: &SolvedGame, sector: Sector) -> Self {
        if game.is_cyclic(sector) { Self::Pair(sector.max(sector.mirrored())) } else { Self::Single(sector) }
    }

    /// The sectors of the unit.
    pub fn sectors(self) -> Vec<Sector> {
        match self {
            Self::Pair(sector) if sector != sector.mirrored() => vec![sector, sector.mirrored()],
            Self::Pair(sector) | Self::Single(sector) => vec![sector],
        }
    }

    /// Slots of the unit.
    pub fn slots(self) -> u64 {
        self.sectors().into_iter().map(Sector::slots).sum()
    }

    /// Returns true if both hands are empty in its sectors.
    pub const fn is_moving(self) -> bool {
        match self {
            Self::Pair(sector) | Self::Single(sector) => sector.is_moving(),
        }
    }

    /// Returns true if it is the sector of the last placing in a game that settles.
    pub fn settles(self, game: &SolvedGame) -> bool {
        match self {
            Self::Pair(_) => false,
            Self::Single(sector) => game.settles && sector.own_hand == 1 && sector.their_hand == 0,
        }
    }

    /// The sectors outside the unit whose files it reads, sorted.
    pub fn needs(self, game: &SolvedGame) -> Vec<Sector> {
        if self.settles(game) {
            return settle::sectors_after(game);
        }
        let sectors = self.sectors();
        let mut needed: Vec<Sector> = sectors
            .iter()
            .flat_map(|&sector| {
                sectors_after(game, sector).filter_map(move |(.., next)| read_for(game, sector, next))
            })
            .filter(|next| !sectors.contains(next))
            .collect();
        if game.bans_returns && self.is_moving() {
            needed.extend(game.smaller(sectors[0]));
        }
        needed.sort_unstable();
        needed.dedup();
        needed
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pair(sector) if sector.is_moving() => write!(f, "{}-{}", sector.own, sector.theirs),
            Self::Pair(sector) | Self::Single(sector) => sector.fmt(f),
        }
    }
}

/// Returns the sectors after all turns of a sector that go on with the game: each with the kind of turn and
/// the number of men it takes.
pub(super) fn sectors_after(
    game: &SolvedGame,
    sector: Sector,
) -> impl Iterator<Item = (TurnKind, u8, Sector)> {
    TurnKind::ALL.into_iter().filter(move |&turn| game.allows(sector, turn)).flat_map(move |turn| {
        (0..=game.most_taken())
            .filter_map(move |taken| game.after(sector, turn, taken).map(|next| (turn, taken, next)))
    })
}

/// Returns true if a sector has a file. A full board ends the game, or White takes a man before anything
/// else.
pub(super) const fn is_stored(sector: Sector) -> bool {
    sector.own + sector.theirs < 24
}

/// The sector whose file has the values of `next`, to which a turn of `sector` leads, if any.
fn read_for(game: &SolvedGame, sector: Sector, next: Sector) -> Option<Sector> {
    if !is_stored(next) {
        game.full_board_takes.then_some(AFTER_FULL_BOARD)
    } else if opens_after(game, sector, next) {
        Some(next.mirrored())
    } else {
        Some(next)
    }
}

/// Returns true if Black has placed the last man with a turn from `sector` to `next`, and opens the moving
/// phase.
pub(super) const fn opens_after(game: &SolvedGame, sector: Sector, next: Sector) -> bool {
    game.black_opens && !sector.is_moving() && next.is_moving() && is_stored(next)
}

/// The sector after White has taken a man from a full board.
pub(super) const AFTER_FULL_BOARD: Sector = Sector::moving(11, 12);

/// Returns the units of a whole game, each after those it depends on.
pub(crate) fn units(game: &SolvedGame) -> Vec<Unit> {
    let pairs = game.pairs(2 * game.men).into_iter().map(|(a, b)| Unit::moving(a, b));
    pairs.chain(placing_units(game)).collect()
}

/// Returns the units with men in hand that a game can reach when every mill may or may not be closed, each
/// after those it depends on.
fn placing_units(game: &SolvedGame) -> Vec<Unit> {
    let start = Sector { own: 0, theirs: 0, own_hand: game.men, their_hand: game.men };
    let (mut found, mut open) = (HashSet::from([start]), vec![start]);
    while let Some(sector) = open.pop() {
        // Units, so that both sectors of a pair are there.
        let next = sectors_after(game, sector).flat_map(|(.., next)| Unit::of(game, next).sectors());
        open.extend(next.filter(|&next| !next.is_moving() && found.insert(next)));
    }
    let units: HashSet<Unit> = found.into_iter().map(|sector| Unit::of(game, sector)).collect();
    let mut units: Vec<(Unit, Sector)> = units.into_iter().map(|unit| (unit, unit.sectors()[0])).collect();
    // Placings empty the hands. Slides keep them: those that take lead to fewer men on the board; others to
    // the side with men in hand, or stay in the pair.
    units.sort_unstable_by_key(|&(unit, sector)| {
        let men = if matches!(unit, Unit::Pair(_)) { sector.own + sector.theirs } else { 0 };
        (sector.own_hand + sector.their_hand, men, sector.own_hand == 0, sector)
    });
    units.into_iter().map(|(unit, _)| unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn game(rules: &Rules) -> SolvedGame {
        let game = SolvedGame::new(rules).expect("supported");
        assert_eq!(game.placing_refused, None);
        game
    }

    /// The counts of `docs/malom.md`, "Index and redirects".
    #[test]
    fn the_standard_game_has_449_placing_sectors() {
        let units = placing_units(&game(&Rules::NINE));
        assert_eq!(units.len(), 449);
        assert!(units.iter().all(|unit| matches!(unit, Unit::Single(_))));
        assert_eq!(units.iter().map(|unit| unit.slots()).sum::<u64>(), 18_667_062_219);
        let start = Sector { own: 0, theirs: 0, own_hand: 9, their_hand: 9 };
        assert_eq!(units.last(), Some(&Unit::Single(start)));
    }

    /// 139 G and 63.5 G slots are the sizes that others give for Lasker Morris.
    #[test]
    fn games_whose_hands_go_down_out_of_turn_have_as_many_slots_as_the_documents_say() {
        let slots = |rules| units(&game(rules)).into_iter().map(Unit::slots).sum::<u64>();
        assert_eq!(slots(&Rules::LASKER), 139_305_793_295);
        assert_eq!(slots(&Rules { pieces_count: 9, ..Rules::LASKER }), 63_501_792_493);
        assert_eq!(slots(&Rules::DOOZ), 128_716_800_645);
    }

    #[test]
    fn interventions_lead_to_no_other_sectors_than_mills() {
        assert!(units(&game(&Rules::MUL_MULAN)) == units(&game(&Rules::NINE)));
    }

    #[test]
    fn every_unit_comes_after_those_it_depends_on() {
        let black_opens = Rules { is_defender_move_first: true, ..Rules::TWELVE };
        for rules in [Rules::NINE, Rules::LASKER, Rules::DOOZ, Rules::EL_FILJA, Rules::MUL_MULAN, black_opens]
        {
            let game = game(&rules);
            let (mut finished, mut units_of) = (HashSet::new(), HashSet::new());
            for unit in units(&game) {
                for needed in unit.needs(&game) {
                    assert!(finished.contains(&needed), "{unit} needs {needed}");
                }
                for sector in unit.sectors() {
                    assert_eq!(Unit::of(&game, sector), unit);
                    let men = [sector.own + sector.own_hand, sector.theirs + sector.their_hand];
                    assert!(men.into_iter().all(|men| (game.least..=game.men).contains(&men)), "{sector}");
                    finished.insert(sector);
                }
                assert!(units_of.insert(unit.to_string()), "two units {unit}");
            }
        }
    }
}
