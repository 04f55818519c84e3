//! Proves that finished tablebase files are right. The verifier plays turns forwards with the engine's board
//! and rules; the solver takes turns back with its own. Uses `bitboard`, `rules`, `types`, `platform` and
//! `tablebase::format`, but nothing of the solver.
//!
//! Verifier and solver share the parts that the files are made of: the order of the positions
//! ([`Index`](crate::tablebase::format::index::Index)), the value bytes ([`TbValue`]), packed values in
//! memory ([`PackedSectors`]), the reader, and the fingerprint of the rules. The order is proved first
//! ([`check_index`], [`check_symmetries`]). `docs/lab/2026-11-tablebases.md` lists the checks of the rest.
//!
//! Every position must have the value of its best turn. With distances this proves all values: distances fall
//! by one ply along a win, so every win and every loss ends, and a draw has a drawing turn and no winning
//! one. Where no slides lead back, as in the placing phase of most games, it proves results without distances
//! too. For other sectors without distances it is only a check of consistency: positions on a cycle could all
//! be stored as won although no win ever ends.

mod bans;
mod counts;
mod order;
mod plies;
mod settle;
mod turns;

pub(crate) use order::{IndexFault, check_index, check_symmetries};

use crate::bitboard::Bitboard;
use crate::platform::parallel::each;
use crate::rules::Rules;
use crate::tablebase::format::error::{Damage, TablebaseError};
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::{file_name, hash_file};
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::header::{SectorCounts, TbKind};
use crate::tablebase::format::index::Sector;
use crate::tablebase::format::manifest::{Manifest, ManifestEntry};
use crate::tablebase::format::packed::PackedSectors;
use crate::tablebase::format::value::TbValue;
use crate::tablebase::format::write::Written;
use bans::BanTurns;
use counts::count;
use plies::one_ply_earlier;
use serde::{Deserialize, Serialize};
use settle::Settling;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use turns::{EngineRules, Mismatch, SectorTurns, Successors};

/// A sector that was checked without finding a fault.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct CheckedSector {
    /// The sector.
    pub sector: Sector,
    /// The values compared: distances where they are stored, else results.
    pub kind: TbKind,
    /// The number of slots compared with their best turn: all of the sector, or a sample.
    pub slots: u64,
    /// True if these are all slots of the sector.
    pub is_whole: bool,
}

/// Returns true if a sector has a file. Nobody moves on a full board under rules whose placing phase can lead
/// to one: it ends the game, or White takes a man.
const fn is_stored(sector: Sector) -> bool {
    sector.own + sector.theirs < 24
}

/// The sector after White has taken a man from a full board.
const AFTER_FULL_BOARD: Sector = Sector::moving(11, 12);

/// The values of sectors in memory.
type LoadedValues = HashMap<(Sector, TbKind), Rc<Vec<u8>>>;

/// Checks the tablebase files of a folder.
pub(crate) struct Verifier<'a> {
    /// The game of the files.
    game: SolvedGame,
    rules: EngineRules,
    folder: &'a Path,
    /// The manifest of the folder.
    manifest: &'a Manifest,
    threads: usize,
    sample: Option<u64>,
    /// The sectors that the last check needed; the next one often needs them again.
    loaded: RefCell<LoadedValues>,
    /// The sectors with fewer men than those of a pair, as the last check of a game with bans needed them.
    smaller: RefCell<Option<(Sector, Arc<PackedSectors>)>>,
    /// The sectors that the settlement leads to, once its positions have been checked.
    after_settlement: RefCell<Vec<Sector>>,
}

impl<'a> Verifier<'a> {
    /// Creates a verifier of the files of `folder` that `manifest` lists. With `sample` it compares about so
    /// many positions of each sector.
    ///
    /// # Errors
    /// If tablebases cannot represent these rules.
    pub(crate) fn new(
        rules: &Rules,
        folder: &'a Path,
        manifest: &'a Manifest,
        threads: usize,
        sample: Option<u64>,
    ) -> Result<Self, TablebaseError> {
        let (game, rules) = (SolvedGame::new(rules)?, EngineRules::new(rules));
        let threads = threads.max(1);
        let (loaded, smaller, after_settlement) = Default::default();
        Ok(Self { game, rules, folder, manifest, threads, sample, loaded, smaller, after_settlement })
    }

    /// Returns the sectors whose values are proved: all positions were compared, with distances or in the
    /// placing phase, and every turn leads to a proved sector.
    pub(crate) fn proved(&self, checked: &[CheckedSector]) -> HashSet<Sector> {
        let is_enough = |c: &&CheckedSector| {
            c.is_whole && (c.kind == TbKind::Distance || !self.rules.is_cyclic(c.sector))
        };
        let mut proved: HashSet<Sector> = checked.iter().filter(is_enough).map(|c| c.sector).collect();
        loop {
            let is_unfounded = |sector: &&Sector| {
                if self.rules.settles_after(**sector) {
                    return self.after_settlement.borrow().iter().any(|next| !proved.contains(next));
                }
                let opens = self.rules.opens_after(**sector);
                let kinds = self.rules.kinds(**sector);
                kinds.flat_map(|turn| self.rules.sectors_after(**sector, turn)).any(|next| {
                    match is_stored(next) {
                        true => !proved.contains(&if opens { next.mirrored() } else { next }),
                        false => self.rules.full_board.is_none() && !proved.contains(&AFTER_FULL_BOARD),
                    }
                })
            };
            let unfounded: Vec<Sector> = proved.iter().filter(is_unfounded).copied().collect();
            if unfounded.is_empty() {
                return proved;
            }
            unfounded.iter().for_each(|sector| _ = proved.remove(sector));
        }
    }

    /// Returns true if the files of a sector have the hashes of the manifest.
    pub(crate) fn is_unchanged(&self, sector: Sector) -> bool {
        [TbKind::Distance, TbKind::Wdl].into_iter().all(|kind| {
            let Some(entry) = self.manifest.get(sector, kind) else { return true };
            hash_file(&self.folder.join(file_name(sector, kind))).is_ok_and(|hash| hash == entry.file_hash)
        })
    }

    /// Returns true if [`Verifier::proved`] needs nothing but the finding of a sector. It also needs the
    /// sectors after a settlement, which only the check of the sector before it finds.
    pub(crate) fn can_be_kept(&self, sector: Sector) -> bool {
        !self.rules.settles_after(sector)
    }

    /// Checks the files of one sector: the hashes and counts against the manifest, the values against those
    /// of the sectors after it.
    ///
    /// # Errors
    /// All faults: files that are missing, damaged, of other rules or not listed, and the first value that is
    /// not that of its best turn.
    pub(crate) fn check(&self, sector: Sector) -> Result<CheckedSector, Vec<TablebaseError>> {
        let mut faults = Vec::new();
        let mut sound: Option<(TbKind, Vec<u8>)> = None;
        for kind in [TbKind::Distance, TbKind::Wdl] {
            let Some(entry) = self.manifest.get(sector, kind) else { continue };
            match (self.check_file(entry, sector, kind), &sound) {
                (Err(fault), _) => faults.push(fault),
                (Ok(values), None) => sound = Some((kind, values)),
                (Ok(results), Some((_, exact))) => {
                    let differs =
                        |(&exact, &found): (&u8, &u8)| TbKind::Wdl.simplify(TbValue(exact)).0 != found;
                    // The longest win and loss of results are known from the distances alone.
                    let is_contradicted =
                        |exact: &ManifestEntry| entry.counts.has_distances() && entry.counts != exact.counts;
                    let distances = self.manifest.get(sector, TbKind::Distance);
                    if distances.is_some_and(is_contradicted) || exact.iter().zip(&results).any(differs) {
                        let path = self.folder.join(file_name(sector, kind));
                        faults.push(TablebaseError::damaged(&path, Damage::Contradiction));
                    }
                }
            }
        }
        let checked = sound.map(|(kind, values)| self.check_values(sector, kind, &Rc::new(values)));
        match checked {
            Some(Ok(checked)) if faults.is_empty() => Ok(checked),
            checked => {
                faults.extend(checked.and_then(Result::err));
                Err(faults)
            }
        }
    }

    /// Reads a file and compares it with its entry in the manifest.
    fn check_file(
        &self,
        entry: &ManifestEntry,
        sector: Sector,
        kind: TbKind,
    ) -> Result<Vec<u8>, TablebaseError> {
        let path = self.folder.join(file_name(sector, kind));
        let damaged = |damage: Damage| TablebaseError::damaged(&path, damage);
        let file = TbFile::open_in(self.folder, &self.game, sector, kind)?;
        let file_hash = hash_file(&path)?;
        if file_hash != entry.file_hash {
            return Err(damaged(Damage::FileHash { found: file_hash, expected: entry.file_hash }));
        }
        let there = ManifestEntry::new(&Written { header: file.header, bytes: file.bytes(), file_hash });
        there.check_against(entry).map_err(damaged)?;
        let values = file.read_all(self.threads)?;
        let counts = count(sector, &values, entry.counts.has_distances(), self.threads);
        let counts = SectorCounts {
            longest_win: entry.counts.longest_win.filter(|_| kind == TbKind::Wdl).or(counts.longest_win),
            longest_loss: entry.counts.longest_loss.filter(|_| kind == TbKind::Wdl).or(counts.longest_loss),
            ..counts
        };
        ManifestEntry { counts, ..*entry }.check_against(entry).map_err(damaged)?;
        Ok(values)
    }

    /// Reads a file that values are compared with. One that is not listed is never checked itself.
    fn read(&self, sector: Sector, kind: TbKind) -> Result<Vec<u8>, TablebaseError> {
        let file = TbFile::open_in(self.folder, &self.game, sector, kind)?;
        match self.manifest.get(sector, kind) {
            Some(_) => file.read_all(self.threads),
            None => Err(TablebaseError::Unlisted(file.path().to_owned())),
        }
    }

    /// Returns the values of all positions before the settlement, and notes the sectors that it leads to.
    fn settled(&self, kind: TbKind) -> Result<Vec<u8>, TablebaseError> {
        let settling = Settling { rules: &self.rules.compiled, men: self.game.men };
        let mut values = vec![TbValue::DRAW.0; settling.sector().slots() as usize];
        let mut noted = Vec::new();
        for debts in settling.all_debts(self.threads) {
            let sector = settling.sector_after(debts).ok();
            let after = sector.map(|sector| self.read(sector, kind)).transpose()?;
            settling.settle(debts, after.as_deref(), &mut values, self.threads);
            noted.extend(sector);
        }
        self.after_settlement.replace(noted);
        Ok(values)
    }

    /// Returns the values for White of a sector in which Black is to move. The turn that White leaves out
    /// counts as a ply.
    fn opened(&self, sector: Sector, kind: TbKind) -> Result<Vec<u8>, TablebaseError> {
        const PART: usize = 1 << 16;
        let opener = self.read(sector.mirrored(), kind)?;
        let mut values = vec![0; sector.slots() as usize];
        each(self.threads, values.chunks_mut(PART).enumerate(), |(part, values)| {
            for (slot, value) in ((part * PART) as u64..).zip(values) {
                let (white, black) = sector.position(slot);
                let found = TbValue(opener[sector.mirrored().slot(black, white) as usize]);
                *value = one_ply_earlier(found).0;
            }
        });
        Ok(values)
    }

    /// Returns the values of the full boards for White, who is to move.
    fn full_boards(&self, sector: Sector, kind: TbKind) -> Result<Vec<u8>, TablebaseError> {
        if let Some(value) = self.rules.full_board {
            return Ok(vec![value.0; sector.slots() as usize]);
        }
        let after = self.read(AFTER_FULL_BOARD, kind)?;
        let value = |slot| {
            let (white, black) = sector.position(slot);
            let takes = self.rules.compiled.unprotected(Bitboard(black)).into_iter();
            let left = takes.map(|point| Bitboard(black).without(point).0);
            let worst = left.map(|black| after[AFTER_FULL_BOARD.slot(black, white) as usize]).min();
            one_ply_earlier(TbValue(worst.unwrap_or(TbValue::DRAW.0))).0
        };
        Ok((0..sector.slots()).map(value).collect())
    }

    /// Reads the sectors that turns with bans lead to from `sector`, unless its mirror has just needed them.
    fn bans(&self, sector: Sector, kind: TbKind) -> Result<BanTurns<'_>, TablebaseError> {
        let pair = sector.max(sector.mirrored());
        let known = self.smaller.take().filter(|(known, smaller)| *known == pair && smaller.kind() == kind);
        let smaller = match known {
            Some((_, smaller)) => smaller,
            None => {
                let sectors = self.rules.smaller(sector).into_iter();
                Arc::new(PackedSectors::new(kind, sectors, self.threads, |sector| self.read(sector, kind))?)
            }
        };
        self.smaller.replace(Some((pair, Arc::clone(&smaller))));
        Ok(BanTurns { rules: &self.rules.compiled, blocked: self.rules.blocked, smaller })
    }

    /// Compares the values of a sector with those of its best turns.
    fn check_values(
        &self,
        sector: Sector,
        kind: TbKind,
        own: &Rc<Vec<u8>>,
    ) -> Result<CheckedSector, TablebaseError> {
        let load = |wanted: Sector| {
            if !is_stored(wanted) {
                return self.full_boards(wanted, kind).map(Rc::new);
            }
            // Distances must be compared with distances.
            if let Some(values) = self.loaded.borrow().get(&(wanted, kind)) {
                return Ok(Rc::clone(values));
            }
            self.read(wanted, kind).map(Rc::new)
        };
        let mut after = Vec::new();
        // Frees sectors that are no longer needed before others are read.
        let wanted: Vec<Sector> =
            (self.rules.kinds(sector)).flat_map(|turn| self.rules.sectors_after(sector, turn)).collect();
        self.loaded.borrow_mut().retain(|(known, _), _| wanted.contains(known));
        let mut kept = vec![((sector, kind), Rc::clone(own))];
        for turn in self.rules.kinds(sector) {
            let mut values_after = Vec::new();
            for next in self.rules.sectors_after(sector, turn) {
                let values = match next == sector {
                    true => Rc::clone(own),
                    false if self.rules.settles_after(sector) => Rc::new(self.settled(kind)?),
                    false if self.rules.opens_after(sector) && is_stored(next) => {
                        Rc::new(self.opened(next, kind)?)
                    }
                    false => load(next)?,
                };
                kept.push(((next, kind), Rc::clone(&values)));
                values_after.push((next, values));
            }
            after.push((turn, values_after));
        }
        // The positions after the last placing are no sector of the moving phase then.
        let is_own = self.rules.settles_after(sector) || self.rules.opens_after(sector);
        kept.retain(|((next, _), _)| !(is_own && next.is_moving()));
        self.loaded.replace(kept.into_iter().collect());
        let mut turns = Vec::new();
        for (turn, after) in &after {
            let after = after.iter().map(|(next, values)| (*next, values.as_slice())).collect();
            turns.push(Successors { kind: *turn, after });
        }
        let bans =
            (self.rules.bans_returns && sector.is_moving()).then(|| self.bans(sector, kind)).transpose()?;
        let successors = SectorTurns { sector, own, kind, turns, bans };
        let (slots, wrong) = match self.sample {
            Some(count) => successors.check_sample(&self.rules, count),
            None => (sector.slots(), successors.check(&self.rules, self.threads)),
        };
        match wrong {
            None => Ok(CheckedSector { sector, kind, slots, is_whole: self.sample.is_none() }),
            Some(wrong) => {
                let path = self.folder.join(file_name(sector, kind));
                let Mismatch { own, theirs, found, expected } = wrong;
                let damage = Damage::Value { own, theirs, kind, found, expected };
                Err(TablebaseError::damaged(&path, damage))
            }
        }
    }
}
