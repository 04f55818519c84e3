//! `tb repack`: the files of a folder in another form.

use super::folder::{check_folder_target, check_rules, manifest_of, sectors_of};
use super::progress::CheckBar;
use super::resources::{check_disk, disk_of};
use crate::platform::files::is_same;
use crate::rules::Rules;
use crate::tablebase::format::file::TbFile;
use crate::tablebase::format::folder::{check_writable, clean_up, file_name, parse_name, tablebase_files};
use crate::tablebase::format::header::{Codec, Header, Packing, TbKind};
use crate::tablebase::format::manifest::{self, Manifest, ManifestEntry};
use crate::tablebase::format::write::{self, Content, Written};
use crate::tablebase::solve::build::Distances;
use crate::tablebase::{Sector, SolvedGame, TablebaseError};
use crate::tools::arguments::{ThreadsArg, number};
use crate::tools::error::{Place, ToolError};
use crate::tools::files::write_out;
use clap::Args;
use std::path::PathBuf;

/// The settings of `tb repack`.
#[derive(Clone, Debug, Args)]
pub struct RepackJob {
    /// Folder to read
    #[arg(long)]
    pub from: PathBuf,
    /// Folder to write
    #[arg(long)]
    pub to: PathBuf,
    /// Slots of a block, from 64 to 16777216; in files with a model a multiple of 1024
    #[arg(long, value_parser = number::<u32>(64..=1 << 24))]
    pub block: Option<u32>,
    /// Level of Zstandard, from 1 to 22; files of results with a model then become Zstandard files
    #[arg(long, value_parser = number::<i32>(1..=22))]
    pub level: Option<i32>,
    /// Phases whose distances are kept
    #[arg(long, value_enum, default_value = "all")]
    pub distances: Distances,
    /// The number of threads.
    #[command(flatten)]
    pub threads: ThreadsArg,
    /// Report as JSON, one object a line
    #[arg(long)]
    pub json: bool,
    /// The rules.
    #[command(flatten)]
    pub rules: Rules,
}

impl RepackJob {
    /// Rewrites the files, and calls `report` with the name of each and its length before and after.
    ///
    /// Files that exist already, sound and with these settings, are left as they are.
    ///
    /// # Errors
    /// If an argument is wrong, the new folder has distances that the job leaves out or lists files of other
    /// rules, the disk has no room, or a file cannot be read, is damaged, has other values than the manifest
    /// lists, or cannot be written.
    pub fn run(
        &self,
        mut report: impl FnMut(&str, u64, u64) -> Result<(), ToolError>,
    ) -> Result<(), ToolError> {
        check_folder_target(&self.to)?;
        let (manifest, game) = manifest_of(&self.from, &self.rules)?;
        let mut files = Vec::new();
        for sector in sectors_of(&manifest) {
            for kind in [TbKind::Wdl, TbKind::Distance] {
                if let Some(entry) = manifest.get(sector, kind).filter(|_| self.keeps(sector, kind)) {
                    files.push((sector, kind, entry, self.packing(&game, sector, kind)?));
                }
            }
        }
        if is_same(&self.from, &self.to) {
            let place = Place::Argument("--to");
            return Err(ToolError::unexpected(place, "the same folder as --from", "another folder"));
        }
        let there = self.prepare(&game)?;
        let parts = files
            .iter()
            .map(|(sector, kind, ..)| (sector.slots(), self.to.join(file_name(*sector, *kind)).exists()));
        let mut bar = CheckBar::new(parts, "file");
        let mut work = Vec::new();
        for (sector, kind, entry, packing) in files {
            let finished = manifest::finished(&self.to, &there, &game, sector, kind, self.threads.count())?;
            let is_wanted = |header: &Header| {
                let is_same = header.raw_hash == entry.raw_hash && header.counts == entry.counts;
                is_same && header.is_packed(packing)
            };
            let finished = finished.filter(|written| is_wanted(&written.header));
            // A job that was killed may have written it.
            if let Some(written) = finished.as_ref().filter(|written| !there.lists(written)) {
                Manifest::add(&self.to, &game, std::slice::from_ref(written))?;
            }
            work.push((sector, kind, entry, packing, finished));
            bar.advance();
        }
        drop(bar);
        let missing = work.iter().filter(|(.., finished)| finished.is_none());
        let bytes = missing.map(|&(sector, kind, _, packing, _)| disk_of(sector, kind, packing.block_slots));
        check_disk(&self.to, bytes.sum())?;
        if work.iter().any(|(.., finished)| finished.is_none()) {
            check_writable(&self.to)?;
            Manifest::check_writable(&self.to)?;
        }
        for (sector, kind, entry, packing, finished) in work {
            let after = match finished {
                Some(written) => written.bytes,
                None => self.repack(&game, sector, kind, entry, packing)?.bytes,
            };
            report(&file_name(sector, kind), entry.bytes, after)?;
        }
        Ok(())
    }

    /// Runs the job, and prints the length of each file before and after, as text or as JSON.
    ///
    /// # Errors
    /// As [`run`](Self::run), or if standard output fails.
    pub fn run_and_print(&self) -> Result<(), ToolError> {
        let (mut all_before, mut all_after) = (0, 0);
        self.run(|file, before, after| {
            all_before += before;
            all_after += after;
            let line = match self.json {
                true => serde_json::json!({ "file": file, "before": before, "after": after }).to_string(),
                false => format!("{file}: {before} -> {after} bytes"),
            };
            write_out(None, &format!("{line}\n"))
        })?;
        if self.json { Ok(()) } else { write_out(None, &format!("{all_before} -> {all_after} bytes\n")) }
    }

    /// Deletes what killed jobs have left in the new folder, if there is one, and returns its manifest.
    ///
    /// # Errors
    /// If the folder cannot be read, lists a file of other rules, or has a file that the job leaves out.
    fn prepare(&self, game: &SolvedGame) -> Result<Manifest, ToolError> {
        if !self.to.is_dir() {
            return Ok(Manifest::new(game));
        }
        clean_up(&self.to)?;
        let there = Manifest::load(&self.to)?.unwrap_or_else(|| Manifest::new(game));
        check_rules(&there, &self.to, &self.rules, game)?;
        let paths = tablebase_files(&self.to)?;
        let found = paths.iter().filter_map(|path| path.file_name()?.to_str());
        let is_left_out = |name: &&str| parse_name(name).is_some_and(|(of, kind)| !self.keeps(of, kind));
        if let Some(name) = there.files.keys().map(String::as_str).chain(found).find(is_left_out) {
            let left_out = self.distances.name();
            let expected = format!("a folder without the files that --distances {left_out} leaves out");
            return Err(ToolError::unexpected(&self.to, name, expected));
        }
        Ok(there)
    }

    /// Returns true if the job copies files of this kind.
    fn keeps(&self, sector: Sector, kind: TbKind) -> bool {
        kind == TbKind::Wdl || self.distances.stores(sector.is_moving())
    }

    /// Returns the packing of a file: the default with the given changes. A level means Zstandard.
    fn packing(&self, game: &SolvedGame, sector: Sector, kind: TbKind) -> Result<Packing, TablebaseError> {
        let mut packing = Packing::usual(game, sector, kind);
        if let Some(level) = self.level {
            packing = Packing { level, codec: Codec::Zstd, ..packing };
        }
        packing.block_slots = self.block.unwrap_or(packing.block_slots);
        packing.check(sector.slots()).map_err(|fault| TablebaseError::Packing { sector, kind, fault })?;
        Ok(packing)
    }

    fn repack(
        &self,
        game: &SolvedGame,
        sector: Sector,
        kind: TbKind,
        entry: &ManifestEntry,
        packing: Packing,
    ) -> Result<Written, TablebaseError> {
        let file = TbFile::open_in(&self.from, game, sector, kind)?;
        // The file may be packed otherwise.
        let form = Written { header: file.header, bytes: entry.bytes, file_hash: entry.file_hash };
        let damaged = |damage| TablebaseError::damaged(file.path(), damage);
        ManifestEntry::new(&form).check_against(entry).map_err(damaged)?;
        let values = file.read_all(self.threads.count())?;
        let Header { fingerprint, counts, .. } = file.header;
        let content = Content { sector, fingerprint, values: &values, counts };
        let written = write::write_file(&self.to, kind, content, packing, self.threads.count())?;
        Manifest::add(&self.to, game, &[written])?;
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::format::folder::MANIFEST;
    use crate::tools::tb::build::BuildJob;
    use crate::tools::tb::scope::Scope;
    use std::path::Path;

    /// Returns the job of one thread that packs files as usual.
    fn job(from: &Path, to: &Path, distances: Distances) -> RepackJob {
        RepackJob {
            from: from.to_owned(),
            to: to.to_owned(),
            block: None,
            level: None,
            distances,
            threads: 1.into(),
            json: false,
            rules: Rules::NINE,
        }
    }

    #[test]
    fn no_file_takes_more_disk_than_foreseen_whatever_its_blocks() {
        let root = tempfile::tempdir().expect("a folder");
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        BuildJob::silent(Rules::NINE, Scope::Men(7), from.clone()).run().expect("built");
        for block in [64, 256, 1024, 1 << 13, 1 << 16] {
            let (block, level) = (Some(block), Some(1));
            let job = RepackJob { block, level, ..job(&from, &to, Distances::All) };
            let report = |name: &str, _, bytes| {
                let (sector, kind) = parse_name(name).expect("a name");
                let most = disk_of(sector, kind, block.unwrap_or_default());
                assert!(bytes <= most, "{name} in blocks of {block:?}: {bytes} bytes, expected up to {most}");
                Ok(())
            };
            job.run(report).unwrap_or_else(|why| panic!("{why}"));
        }
    }

    #[test]
    fn nothing_is_written_if_it_cannot_be_listed() {
        let root = tempfile::tempdir().expect("a folder");
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        BuildJob::silent(Rules::NINE, Scope::Men(6), from.clone()).run().expect("built");
        std::fs::create_dir_all(to.join("manifest.lock")).expect("a folder in the way");
        let job = job(&from, &to, Distances::All);
        let error = job.run(|_, _, _| Ok(())).expect_err("no lock").to_string();
        assert!(error.contains("manifest.lock"), "{error}");
        assert_eq!(std::fs::read_dir(&job.to).expect("a folder").count(), 1);
    }

    #[test]
    fn no_distances_stay_in_a_folder_that_shall_have_none() {
        let root = tempfile::tempdir().expect("a folder");
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        BuildJob::silent(Rules::NINE, Scope::Men(6), from.clone()).run().expect("built");
        let repack =
            |distances| job(&from, &to, distances).run(|_, _, _| Ok(())).map_err(|why| why.to_string());
        assert_eq!(repack(Distances::None), Ok(()));
        assert_eq!(repack(Distances::All), Ok(()));
        let refused = || {
            let error = repack(Distances::None).expect_err("there are distances");
            assert!(error.contains("found 3_3_0_0.dist") && error.contains("--distances none"), "{error}");
        };
        refused();
        std::fs::remove_file(to.join(MANIFEST)).expect("removed");
        refused();
        std::fs::remove_file(to.join("3_3_0_0.dist")).expect("removed");
        assert_eq!(repack(Distances::None), Ok(()));
    }

    #[test]
    fn a_file_with_other_values_than_listed_is_not_copied() {
        let root = tempfile::tempdir().expect("a folder");
        let (from, to) = (root.path().join("from"), root.path().join("to"));
        BuildJob::silent(Rules::NINE, Scope::Men(6), from.clone()).run().expect("built");
        let game = SolvedGame::new(&Rules::NINE).expect("nine");
        let (sector, kind) = (Sector::moving(3, 3), TbKind::Wdl);
        let file = TbFile::open_in(&from, &game, sector, kind).expect("a file");
        let mut values = file.read_all(1).expect("sound");
        values.reverse();
        let Header { fingerprint, counts, .. } = file.header;
        let content = Content { sector, fingerprint, values: &values, counts };
        let packing = Packing::usual(&game, sector, kind);
        write::write_file(&from, kind, content, packing, 1).expect("written");
        let job = job(&from, &to, Distances::All);
        let error = job.run(|_, _, _| Ok(())).expect_err("other values").to_string();
        assert!(error.contains("3_3_0_0.wdl is damaged: ") && error.contains("raw_hash"), "{error}");
        assert!(!job.to.join("3_3_0_0.wdl").exists());
        // Nor is such a file left where an earlier version has copied it.
        write::write_file(&job.to, kind, content, packing, 1).expect("written");
        job.run(|_, _, _| Ok(())).expect_err("other values");
    }
}
