//! The memory, disk and time that a build needs, and checks that they are available.

use crate::tablebase::format::game::TurnKind;
use crate::tablebase::format::header::TbKind;
use crate::tablebase::solve::bans::most_shuttles;
use crate::tablebase::solve::build::BuildSettings;
use crate::tablebase::solve::critical::sectors_with_critical;
use crate::tablebase::solve::units::Unit;
use crate::tablebase::{Sector, SolvedGame, TablebaseError};
use crate::tools::error::ToolError;
use std::path::Path;

/// Returns the bytes of memory that a unit needs.
pub(super) fn memory_of(settings: &BuildSettings, unit: Unit) -> u64 {
    let game = &settings.game;
    let most_by_mills = u64::from(game.most_by_mills());
    let exits = u64::from(game.intervention.any());
    let slots = unit.slots();
    match unit {
        Unit::Pair(sector) => {
            let of_turn = |sector: Sector, turn: TurnKind| {
                let after = (0..=game.most_taken()).filter_map(move |taken| game.after(sector, turn, taken));
                after.filter(|next| !unit.sectors().contains(next)).map(Sector::slots).sum::<u64>()
            };
            // The sectors that turns of one kind lead to from one of the two.
            let sectors = unit.sectors().into_iter();
            let needed = sectors.flat_map(|sector| TurnKind::ALL.map(|turn| of_turn(sector, turn)));
            let needed = needed.max().unwrap_or(0);
            // Four bytes each.
            let shuttles =
                || unit.sectors().into_iter().map(|sector| 4 * most_shuttles(game, sector)).sum::<u64>();
            // A bit for each slot.
            let critical =
                || sectors_with_critical(game, sector).map(|sector| sector.slots() / 8).sum::<u64>();
            // All sectors with fewer men, packed.
            let smaller = |kind: TbKind| -> u64 {
                let bytes = |sector: Sector| kind.raw_bytes(sector.slots() as usize) as u64;
                unit.needs(game).into_iter().map(bytes).sum()
            };
            match settings.source_kind(unit) {
                // Values, open moves and takes of both sectors, and a bit for the frontier.
                kind if sector.is_moving() => {
                    let bans = if game.bans_returns { shuttles() + critical() + smaller(kind) } else { 0 };
                    slots * (2 + most_by_mills + exits) + slots / 8 + needed.max(slots) + bans
                }
                // Placings too.
                TbKind::Distance => slots * (3 + most_by_mills) + slots / 8 + needed,
                // The values, and six bits, of which two are for one of the sectors alone.
                TbKind::Wdl => slots + slots * 6 / 8 + needed,
            }
        }
        // The sector, those that it leads to, and rows that are being solved. For a settlement one sector
        // after the other is read, and when Black opens the moving phase a sector is turned round.
        Unit::Single(_) => {
            let needed = || unit.needs(game).into_iter().map(Sector::slots);
            let largest = needed().max().unwrap_or(0);
            let needed = match unit.settles(game) {
                true => Sector::moving(game.men, game.men).slots() + largest,
                false => needed().sum::<u64>() + if game.black_opens { largest } else { 0 },
            };
            slots + needed + (slots + needed) / 8
        }
    }
}

/// The minutes that any job may need to start.
const START: u64 = 5;

/// Returns the minutes that one slow core needs to build a unit: several times the time measured.
pub(super) fn minutes_of(game: &SolvedGame, unit: Unit) -> u64 {
    let slots_per_second = match unit {
        Unit::Pair(_) => 1_000_000,
        Unit::Single(_) => 2_000_000,
    };
    let read = unit.needs(game).into_iter().map(Sector::slots).sum();
    minutes_to_read(read) + unit.slots() / (60 * slots_per_second)
}

/// Returns the minutes that one slow core needs to read the files of so many slots.
pub(super) const fn minutes_to_read(slots: u64) -> u64 {
    START + slots / (60 * 10_000_000)
}

/// Returns the most bytes of disk that a file takes: for the slots, as measured for the standard game, plus
/// the overhead of every block.
pub(super) fn disk_of(sector: Sector, kind: TbKind, block_slots: u32) -> u64 {
    // A block of so few slots may not compress at all.
    let is_small = block_slots < 4096;
    let bits = match kind {
        TbKind::Wdl if is_small => 2,
        TbKind::Wdl => 1,
        TbKind::Distance if is_small => 8,
        TbKind::Distance => 4,
    };
    sector.slots() * bits / 8 + sector.slots().div_ceil(u64::from(block_slots)) * BLOCK_BYTES + 4096
}

/// The overhead of a block in bytes: its place in the index (8), its checksum (4), and the headers of a
/// Zstandard frame (at most 14) and of its block (3), rounded up.
const BLOCK_BYTES: u64 = 32;

/// Creates a folder and checks that its disk has room for `needed` bytes. Returns the bytes beyond them. A
/// new folder on a disk without room is removed again.
///
/// # Errors
/// If the folder cannot be created, or if the space on its disk is unknown or too small.
pub(super) fn check_disk(folder: &Path, needed: u64) -> Result<u64, ToolError> {
    let is_new = !folder.exists();
    std::fs::create_dir_all(folder).map_err(TablebaseError::io("create", folder))?;
    let free = fs4::available_space(folder).map_err(TablebaseError::io("measure", folder))?;
    if free < needed {
        if is_new {
            // Fails if another process has begun to use it.
            let _ = std::fs::remove_dir(folder);
        }
        let (needed, free) = (needed.div_ceil(1 << 20), free >> 20);
        return Err(ToolError::Disk { folder: folder.to_owned(), needed, free });
    }
    Ok(free - needed)
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tablebase::solve::build::Distances;

    fn settings(rules: &Rules, distances: Distances) -> BuildSettings {
        BuildSettings {
            game: SolvedGame::new(rules).expect("a game"),
            folder: std::path::PathBuf::new(),
            threads: 1,
            distances,
            writes_manifest: false,
        }
    }

    #[test]
    fn no_new_folder_stays_on_a_disk_without_room() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = root.path().join("new");
        let refused = check_disk(&folder, u64::MAX);
        assert!(matches!(refused, Err(ToolError::Disk { .. })) && !folder.exists(), "{refused:?}");
        assert!(check_disk(&folder, 0).is_ok() && folder.is_dir());
        // One that was there stays.
        assert!(check_disk(&folder, u64::MAX).is_err() && folder.is_dir());
    }

    #[test]
    fn a_pair_with_men_in_hand_needs_less_memory_for_results_than_for_distances() {
        let memory = |distances| {
            let settings = settings(&Rules::LASKER, distances);
            let sector = Sector { own: 6, theirs: 6, own_hand: 1, their_hand: 0 };
            memory_of(&settings, Unit::of(&settings.game, sector))
        };
        let (results, distances) = (memory(Distances::Moving), memory(Distances::All));
        // Measured: 840 MB at most at one time.
        assert!((840_000_000..1_000_000_000).contains(&results), "{results}");
        assert!(distances > results * 3 / 2, "{distances}");
    }

    #[test]
    fn a_pair_of_the_moving_phase_has_memory_for_the_sectors_after_one_two_and_three_takes() {
        let settings = settings(&Rules { may_remove_multiple: true, ..Rules::TWELVE }, Distances::Moving);
        let after: u64 = (6..9).map(|left| Sector::moving(left, 9).slots()).sum();
        // The bytes of the pair itself: values, open moves and three kinds of takes.
        let pair = 5 * Sector::moving(9, 9).slots();
        assert!(memory_of(&settings, Unit::moving(9, 9)) > pair + after);
    }

    #[test]
    fn a_pair_of_a_game_with_bans_has_memory_for_all_sectors_with_fewer_men() {
        let more = |distances| {
            let rules = [Rules::MORABARABA, Rules::TWELVE];
            let [with, without] =
                rules.map(|rules| memory_of(&settings(&rules, distances), Unit::moving(12, 11)));
            with - without
        };
        // 17.0 G slots in all: two bits each, or a byte.
        let (results, distances) = (more(Distances::None), more(Distances::Moving));
        assert!((3 << 30..5 << 30).contains(&results), "{results}");
        assert!((15 << 30..18 << 30).contains(&distances), "{distances}");
        // Three men are often lost, and then twelve have many ways from mill to mill.
        let small = memory_of(&settings(&Rules::MORABARABA, Distances::Moving), Unit::moving(12, 3)) >> 20;
        assert!((700..1_200).contains(&small), "{small}");
    }
}
