//! The list of the finished files of a tablebase folder: `manifest.json`.

use super::error::{Damage, ManifestFault, TablebaseError};
use super::file::TbFile;
use super::folder::{MANIFEST, file_name, hash_file, parse_name};
use super::game::SolvedGame;
use super::header::{Header, SectorCounts, TbKind, count};
use super::index::Sector;
use super::write::Written;
use crate::platform::files::{self, WholeFile};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The maximum length of a manifest in bytes. The manifest of a whole game has a tenth of it.
const LONGEST: u64 = 16 << 20;

/// Name of the file that is locked while the manifest is read, added to and written.
const LOCK: &str = "manifest.lock";

/// The facts about the finished files of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the program that last wrote here.
    pub version: String,
    /// The rules, as far as the values depend on them: [`SolvedGame::describe`].
    pub game: String,
    /// The entry of each file, by name.
    pub files: BTreeMap<String, ManifestEntry>,
    /// Hash of all other fields; earlier versions wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

/// The entry of one file in the manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestEntry {
    /// Rule fingerprint of the file.
    #[serde(with = "hexadecimal")]
    pub fingerprint: u64,
    /// Number of slots.
    pub slots: u64,
    /// The counts of the canonical positions.
    #[serde(flatten)]
    pub counts: SectorCounts,
    /// Hash of the values before compression.
    #[serde(with = "hexadecimal")]
    pub raw_hash: u64,
    /// Hash of the file.
    #[serde(with = "hexadecimal")]
    pub file_hash: u64,
    /// Length of the file.
    pub bytes: u64,
}

mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{number:016x}"))
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<u64, D::Error> {
        let text = String::deserialize(from)?;
        u64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

impl ManifestEntry {
    /// The entry of a file just written or read.
    pub fn new(written: &Written) -> Self {
        let Header { fingerprint, slots, counts, raw_hash, .. } = written.header;
        Self { fingerprint, slots, counts, raw_hash, file_hash: written.file_hash, bytes: written.bytes }
    }

    /// Compares the facts about a file with those that the manifest lists.
    ///
    /// # Errors
    /// If they differ: the fields that do.
    pub(crate) fn check_against(&self, listed: &Self) -> Result<(), Damage> {
        if self == listed {
            return Ok(());
        }
        let fields = |entry: &Self| serde_json::to_value(entry).unwrap_or_default();
        let (found, listed) = (fields(self), fields(listed));
        let text = |of: &serde_json::Value| {
            let names = of.as_object().into_iter().flat_map(|fields| fields.keys());
            let names = names.filter(|&name| found[name] != listed[name]);
            names.map(|name| format!("{name} {}", of[name])).collect::<Vec<_>>().join(", ")
        };
        Err(Damage::Entry { found: text(&found), listed: text(&listed) })
    }
}

impl Manifest {
    /// A manifest without files.
    pub fn new(game: &SolvedGame) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: game.describe(true),
            files: BTreeMap::new(),
            checksum: None,
        }
    }

    /// Hash of all other fields (XXH3, 64 bits), as JSON without blanks.
    fn hash(&self) -> serde_json::Result<String> {
        let rest = Self { checksum: None, ..self.clone() };
        Ok(format!("{:016x}", xxh3_64(&serde_json::to_vec(&rest)?)))
    }

    /// Reads the manifest of a folder; `None` if there is none yet.
    ///
    /// # Errors
    /// If it cannot be read or is not a manifest.
    pub fn load(folder: &Path) -> Result<Option<Self>, TablebaseError> {
        let path = folder.join(MANIFEST);
        let text = match files::read_regular(&path, LONGEST) {
            Ok(text) => text,
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(cause) => return Err(TablebaseError::io("read", &path)(cause)),
        };
        let damaged = |fault: ManifestFault| TablebaseError::damaged(&path, fault);
        let read = || -> serde_json::Result<(Self, String)> {
            let manifest: Self = serde_json::from_slice(&text)?;
            let hash = manifest.hash()?;
            Ok((manifest, hash))
        };
        let (manifest, hash) =
            read().map_err(|cause| damaged(ManifestFault::Json(std::io::Error::from(cause).into())))?;
        if let Some(name) = manifest.files.keys().find(|name| parse_name(name).is_none()) {
            return Err(damaged(ManifestFault::Name(name.clone())));
        }
        match &manifest.checksum {
            Some(stored) if *stored != hash => {
                Err(damaged(ManifestFault::Checksum { found: hash, expected: stored.clone() }))
            }
            _ => Ok(Some(manifest)),
        }
    }

    /// Writes the manifest of a folder.
    ///
    /// # Errors
    /// If the folder cannot be written to.
    pub fn save(&self, folder: &Path) -> Result<(), TablebaseError> {
        let path = folder.join(MANIFEST);
        let text = self.to_json().map_err(|cause| TablebaseError::io("write", &path)(cause.into()))?;
        let mut file = WholeFile::create_unlinked(&path).map_err(TablebaseError::io("create", &path))?;
        let written = file.write_all(&text).and_then(|()| file.finish());
        written.map_err(TablebaseError::io("write", &path))
    }

    /// Returns the text of the file, with the checksum.
    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let checksum = Some(self.hash()?);
        let mut text = serde_json::to_vec_pretty(&Self { checksum, ..self.clone() })?;
        text.push(b'\n');
        Ok(text)
    }

    /// Checks before long work that files can be added to the manifest of a folder.
    ///
    /// # Errors
    /// If its lock file cannot be opened, or the manifest cannot be written.
    pub(crate) fn check_writable(folder: &Path) -> Result<(), TablebaseError> {
        Self::open_lock(folder)?;
        let path = folder.join(MANIFEST);
        WholeFile::create_unlinked(&path).map(drop).map_err(TablebaseError::io("create", &path))
    }

    /// Opens the file that is locked while files are added.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn open_lock(folder: &Path) -> Result<File, TablebaseError> {
        let lock = folder.join(LOCK);
        files::open_lock_file(&lock).map_err(TablebaseError::io("open", &lock))
    }

    /// Adds finished files to the manifest of a folder. Entries that other processes have added stay.
    ///
    /// # Errors
    /// If the manifest cannot be read or written.
    pub fn add(folder: &Path, game: &SolvedGame, written: &[Written]) -> Result<(), TablebaseError> {
        // Write the manifest even if the file system has no locks.
        let _lock = files::lock(Self::open_lock(folder)?);
        let mut manifest = Self::load(folder)?.unwrap_or_else(|| Self::new(game));
        manifest.version = env!("CARGO_PKG_VERSION").to_owned();
        // Games that share the moving phase may have begun the folder together.
        if written.iter().any(|written| !written.header.sector.is_moving()) {
            manifest.game = game.describe(true);
        }
        for written in written {
            let name = file_name(written.header.sector, written.header.kind);
            manifest.files.insert(name, ManifestEntry::new(written));
        }
        manifest.save(folder)
    }

    /// Returns the sectors of the listed files.
    pub fn sectors(&self) -> BTreeSet<Sector> {
        self.files.keys().filter_map(|name| parse_name(name)).map(|(sector, _)| sector).collect()
    }

    /// Returns true if this very file is listed, with the facts of its header.
    pub fn lists(&self, written: &Written) -> bool {
        self.get(written.header.sector, written.header.kind) == Some(&ManifestEntry::new(written))
    }

    /// The entry of the file of a sector.
    pub fn get(&self, sector: Sector, kind: TbKind) -> Option<&ManifestEntry> {
        self.files.get(&file_name(sector, kind))
    }
}

/// Returns the finished file of this sector, if the folder has one.
///
/// The manifest lists it with the hash that the file has; or, if another process wrote it, its own checksums
/// prove it whole, and it has the values and counts that the manifest lists. If nothing is listed, its counts
/// are those of its values.
///
/// # Errors
/// If there is such a file, but of another game, or it cannot be read.
pub fn finished(
    folder: &Path,
    manifest: &Manifest,
    game: &SolvedGame,
    sector: Sector,
    kind: TbKind,
    threads: usize,
) -> Result<Option<Written>, TablebaseError> {
    let path = folder.join(file_name(sector, kind));
    if !path.exists() {
        return Ok(None);
    }
    let file = match TbFile::open(&path) {
        Ok(file) => file,
        // What cannot be read may be sound, so it is not replaced.
        Err(error @ TablebaseError::Io { .. }) => return Err(error),
        Err(_) => return Ok(None),
    };
    file.check_fit(game)?;
    let written = Written { header: file.header, bytes: file.bytes(), file_hash: hash_file(&path)? };
    if manifest.lists(&written) {
        return Ok(Some(written));
    }
    let (found, listed) = (ManifestEntry::new(&written), manifest.get(sector, kind));
    let ManifestEntry { file_hash, bytes, .. } = found;
    if listed.is_some_and(|&listed| found != ManifestEntry { file_hash, bytes, ..listed }) {
        return Ok(None);
    }
    match file.read_all(threads) {
        Err(error @ TablebaseError::Io { .. }) => Err(error),
        Err(_) => Ok(None),
        Ok(values) => {
            let is_right = listed.is_some() || has_counts_of(&written.header, &values, threads);
            Ok(is_right.then_some(written))
        }
    }
}

/// Returns true if a header has the counts of these values. The longest win and loss are known from distances
/// alone.
fn has_counts_of(header: &Header, values: &[u8], threads: usize) -> bool {
    let Header { sector, kind, counts, .. } = *header;
    let found = count(sector, values, kind == TbKind::Distance, threads);
    let SectorCounts { wins, losses, draws, .. } = found;
    counts == if kind == TbKind::Distance { found } else { SectorCounts { wins, losses, draws, ..counts } }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::rules::Rules;
    use crate::tablebase::format::header::Codec;

    #[test]
    fn what_several_writers_add_at_once_is_all_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let game = SolvedGame::new(&Rules::NINE).expect("nine");
        let sectors: Vec<Sector> = (3..=9).flat_map(|a| (3..=9).map(move |b| Sector::moving(a, b))).collect();
        let written = |sector: Sector| Written {
            header: Header {
                kind: TbKind::Wdl,
                fingerprint: game.fingerprint(sector),
                sector,
                slots: sector.slots(),
                codec: Codec::Zstd,
                level: 3,
                block_slots: 1 << 14,
                raw_hash: 0,
                counts: SectorCounts::default(),
            },
            bytes: 0,
            file_hash: 0,
        };
        std::thread::scope(|scope| {
            for part in sectors.chunks(10) {
                let add = |&sector: &Sector| Manifest::add(folder.path(), &game, &[written(sector)]);
                scope.spawn(move || part.iter().try_for_each(add).expect("added"));
            }
        });
        let manifest = Manifest::load(folder.path()).expect("a sound manifest").expect("a manifest");
        assert_eq!(manifest.sectors(), sectors.into_iter().collect());
    }
}
