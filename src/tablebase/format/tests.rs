//! Files whose sizes are lies: sparse ones, which take no disk, with headers and checksums that are right.

use super::bytes::head_checksum;
use super::error::TablebaseError;
use super::file::TbFile;
use super::folder::{MANIFEST, file_name};
use super::game::SolvedGame;
use super::header::{CHECKSUM_AT, Codec, HEADER_BYTES, Header, Packing, SectorCounts, TbKind};
use super::index::Sector;
use super::manifest::Manifest;
use super::model::{Geometry, MODEL_BYTES};
use super::value::TbValue;
use super::write::{self, Content};
use crate::rules::Rules;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const GEOMETRY: Geometry = Geometry { diagonals: false, own_anywhere: true, theirs_anywhere: true };

fn header(sector: Sector, codec: Codec, block_slots: u32) -> Header {
    let game = SolvedGame::new(&Rules::NINE).expect("nine");
    Header {
        kind: TbKind::Wdl,
        fingerprint: game.fingerprint(sector),
        sector,
        slots: sector.slots(),
        codec,
        level: 3,
        block_slots,
        raw_hash: 0,
        counts: SectorCounts::default(),
    }
}

/// Writes header and block index with their checksum, and as many zeros as the last offset says.
fn write(folder: &Path, header: Header, offsets: &[u64]) -> PathBuf {
    let index: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
    let mut head = header.to_bytes();
    let checksum = head_checksum(&head, &index);
    head[CHECKSUM_AT..].copy_from_slice(&checksum.to_le_bytes());
    let path = folder.join(file_name(header.sector, header.kind));
    let mut file = File::create(&path).expect("a file");
    file.write_all(&head).and_then(|()| file.write_all(&index)).expect("written");
    file.set_len(offsets.last().copied().unwrap_or(0)).expect("a sparse file");
    path
}

#[track_caller]
fn refused(path: &Path, why: &str) {
    let found = TbFile::open(path).map(|_| ()).expect_err("refused").to_string();
    assert!(found.contains(why), "{found}");
}

#[test]
fn only_a_file_that_is_not_there_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let (game, sector) = (SolvedGame::new(&Rules::NINE).expect("nine"), Sector::moving(3, 3));
    let open =
        |folder: &Path| TbFile::open_in(folder, &game, sector, TbKind::Wdl).map(|_| ()).expect_err("no file");
    assert!(matches!(open(folder.path()), TablebaseError::Missing(_)));
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    // Windows does not tell such a path from one that is not there.
    if cfg!(unix) {
        assert!(matches!(open(&file), TablebaseError::Io { .. }), "{}", open(&file));
    }
}

#[test]
fn a_block_is_not_longer_than_its_slots_allow() {
    let folder = tempfile::tempdir().expect("a folder");
    let sector = Sector::moving(3, 3);
    let one = header(sector, Codec::Zstd, 1 << 18);
    assert_eq!(one.blocks(), 1);
    let begin = (HEADER_BYTES + 16) as u64;
    let path = write(folder.path(), one, &[begin, begin + (1 << 36)]);
    refused(&path, "block 0 has 68719476736 bytes, expected 4 to ");
    let path = write(folder.path(), one, &[begin - 1, begin + 4]);
    refused(&path, "block 0 begins at byte 159, expected at least 160");
    // The most that it may have is a file that can be opened.
    let path = write(folder.path(), one, &[begin, begin + one.most_bytes_of(0)]);
    let mut raw = Vec::new();
    TbFile::open(&path).expect("a file").read_page(0, &mut raw).expect_err("its checksum is wrong");
    for backwards in [[begin, begin + 3], [begin + 100, begin]] {
        TbFile::open(&write(folder.path(), one, &backwards)).map(|_| ()).expect_err("refused");
    }
    let two = header(sector, Codec::Model(GEOMETRY), 1 << 17);
    let begin = (HEADER_BYTES + 24) as u64;
    let path = write(folder.path(), two, &[begin + 4, begin + 8, begin + 9 + two.most_bytes_of(1)]);
    refused(&path, "block 1 has ");
}

#[test]
fn a_model_is_not_longer_than_a_model_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let two = header(Sector::moving(3, 3), Codec::Model(GEOMETRY), 1 << 17);
    let begin = (HEADER_BYTES + 24) as u64;
    let blocks = begin + (1 << 36);
    let most = 4 + crate::platform::packing::longest_packed(MODEL_BYTES) as u64;
    let path = write(folder.path(), two, &[blocks, blocks + 4, blocks + 8]);
    // When it is opened: its hash would take minutes.
    refused(&path, &format!("the model has 68719476736 bytes, expected 4 to {most}"));
    let at_most = begin + most;
    let file =
        TbFile::open(&write(folder.path(), two, &[at_most, at_most + 4, at_most + 8])).expect("a file");
    let mut values = vec![0; 1 << 17];
    let found = file.read_all(1).expect_err("no sound block").to_string();
    assert!(found.contains("is damaged"), "{found}");
    assert!(file.read_block(None, 0, &mut values).is_err());
    let found = file.model().map(|_| ()).expect_err("refused").to_string();
    assert!(found.contains("is damaged"), "{found}");
    // Nothing lies between the index and the first block of a file without a model.
    let one = header(Sector::moving(3, 3), Codec::Zstd, 1 << 18);
    let begin = (HEADER_BYTES + 16) as u64;
    refused(&write(folder.path(), one, &[begin + (1 << 36), begin + (1 << 36) + 4]), "bytes, expected none");
}

#[test]
fn a_file_does_not_have_millions_of_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let sector = Sector::moving(8, 8);
    let header = header(sector, Codec::Zstd, 2);
    let path = write(folder.path(), header, &[HEADER_BYTES as u64]);
    File::options().write(true).open(&path).and_then(|file| file.set_len(1 << 36)).expect("a sparse file");
    refused(&path, "301666365 blocks of 2 slots, expected at most 1048576 blocks");
    let packing = Packing { block_slots: 64, level: 3, codec: Codec::Zstd };
    assert!(packing.check(sector.slots()).is_err_and(|why| why.to_string().contains("blocks of 64 slots")));
    assert_eq!(packing.check(Sector::moving(3, 3).slots()), Ok(()));
    assert_eq!(Packing { block_slots: 1024, ..packing }.check(sector.slots()), Ok(()));
}

/// Results in any order compress badly, and values of every size are checked.
#[test]
fn no_written_block_is_longer_than_the_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let sector = Sector::moving(3, 3);
    let mut state = 1u64;
    let values: Vec<u8> = (0..sector.slots())
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u8
        })
        .map(|byte| if byte == TbValue::TOO_LONG.0 { 0 } else { byte })
        .collect();
    let content = Content { sector, fingerprint: 1, values: &values, counts: SectorCounts::default() };
    for kind in [TbKind::Wdl, TbKind::Distance] {
        for block_slots in [1, 5, 64, 1 << 10, 1 << 16, 1 << 20] {
            for level in [1, 19] {
                let packing = Packing { block_slots, level, codec: Codec::Zstd };
                write::write_file(folder.path(), kind, content, packing, 1).expect("written");
                let file = TbFile::open(&folder.path().join(file_name(sector, kind))).expect("within bounds");
                if level == 1 {
                    file.read_all(1).expect("sound");
                }
            }
        }
    }
}

/// It and a win in 253 would support each other in a circle.
#[test]
fn a_distance_that_is_too_long_is_no_value() {
    let folder = tempfile::tempdir().expect("a folder");
    let sector = Sector::moving(3, 3);
    let mut values = vec![TbValue::DRAW.0; sector.slots() as usize];
    values[5] = TbValue::TOO_LONG.0;
    let content = Content { sector, fingerprint: 1, values: &values, counts: SectorCounts::default() };
    let packing = Packing { block_slots: 1 << 20, level: 3, codec: Codec::Zstd };
    write::write_file(folder.path(), TbKind::Distance, content, packing, 1).expect("written");
    let file = TbFile::open(&folder.path().join(file_name(sector, TbKind::Distance))).expect("a file");
    let found = file.read_all(1).expect_err("no value").to_string();
    assert!(found.ends_with("block 0 holds a value that is none"), "{found}");
    let mut raw = Vec::new();
    file.read_page(0, &mut raw).expect("sound");
    let read = [4, 5].map(|place| TbKind::Distance.value_at(&raw, place));
    assert_eq!(read, [Some(TbValue::DRAW), None]);
}

#[test]
fn a_manifest_is_not_read_beyond_its_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(MANIFEST);
    File::create(&path).and_then(|file| file.set_len(1 << 31)).expect("a sparse file");
    let found = Manifest::load(folder.path()).expect_err("refused").to_string();
    assert!(found.ends_with("found 2147483648 bytes, expected at most 16777216"), "{found}");
    fs::remove_file(path).expect("removed");
    assert_eq!(Manifest::load(folder.path()).expect("none"), None);
}

#[cfg(unix)]
#[test]
fn writing_replaces_a_link_and_not_its_target() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("a folder");
    let sector = Sector::moving(3, 3);
    let game = SolvedGame::new(&Rules::NINE).expect("nine");
    let values = vec![TbValue::DRAW.0; sector.slots() as usize];
    let content = Content {
        sector,
        fingerprint: game.fingerprint(sector),
        values: &values,
        counts: SectorCounts::default(),
    };
    let packing = Packing::usual(&game, sector, TbKind::Wdl);
    let [target, list] = ["diary.txt", "list.json"].map(|name| outside.path().join(name));
    fs::write(&target, "dear diary").expect("a file");
    fs::write(&list, Manifest::new(&game).to_json().expect("JSON")).expect("a file");
    let (file, manifest) = (folder.path().join(file_name(sector, TbKind::Wdl)), folder.path().join(MANIFEST));
    symlink(&target, &file).expect("a link");
    symlink(&list, &manifest).expect("a link");
    let before = fs::read(&list).expect("a file");
    let written = write::write_file(folder.path(), TbKind::Wdl, content, packing, 1).expect("written");
    Manifest::add(folder.path(), &game, &[written]).expect("added");
    assert!(!file.is_symlink() && !manifest.is_symlink());
    assert_eq!(
        (fs::read(&target).expect("a file"), fs::read(&list).expect("a file")),
        (b"dear diary".to_vec(), before)
    );
    TbFile::open(&file).expect("a file");
    // A lock is not created behind a link.
    let lock = folder.path().join("manifest.lock");
    fs::remove_file(&lock).expect("removed");
    symlink(outside.path().join("new"), &lock).expect("a link");
    Manifest::add(folder.path(), &game, &[written]).expect_err("the lock is a link");
    assert!(!outside.path().join("new").exists());
}
