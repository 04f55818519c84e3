//! Damage in tablebase files is found, and damaged values are never used.

use super::{
    SMALL, build, files, job, job_of, open_tablebase, open_tablebase_of, out_of_turn, random_position,
};
use super::{verify, verify_job, verify_of};
use crate::common::{Engine, Folder, move_of};
use crate::fuzzed::chance::fresh;
use millstone::internals::build::Distances;
use millstone::internals::file::TbFile;
use millstone::internals::folder::{MANIFEST, file_name};
use millstone::internals::game::SolvedGame;
use millstone::internals::header::{Header, Packing, TbKind};
use millstone::internals::manifest::Manifest;
use millstone::internals::tb::build::BuildJob;
use millstone::internals::tb::scope::Scope;
use millstone::internals::tb::verify::VerifyJob;
use millstone::internals::write::{self, Content};
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::tablebase::{Found, Sector, Tablebase, TbValue, Wdl};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Flips single bits of the files of a game with up to seven men.
fn flip_bits(rules: &Rules, count: usize) {
    let folder = Folder::new(&format!("flips-{count}"));
    job_of(rules, Scope::Men(7), folder.path(), 2).run().expect("a build");
    let mut random = StdRng::seed_from_u64(fresh(5));
    let positions: Vec<Position> = (0..100).map(|_| random_position(&mut random, rules, &SMALL)).collect();
    flip_bits_of(rules, &folder, &positions, count, random);
}

/// Flips single bits of the files of a whole game of three men, whose hands go down out of turn.
fn flip_bits_with_hands(count: usize) {
    let rules = Rules { pieces_count: 3, ..Rules::LASKER };
    let folder = Folder::new(&format!("flips-with-hands-{count}"));
    job_of(&rules, Scope::All, folder.path(), 2).run().expect("a build");
    let units = Scope::All.units(&SolvedGame::new(&rules).expect("supported")).expect("units");
    let sectors: Vec<Sector> = units.iter().flat_map(|unit| unit.sectors()).collect();
    let mut random = StdRng::seed_from_u64(fresh(6));
    let position = |random: &mut StdRng| {
        let &sector = sectors.choose(random).expect("a sector");
        out_of_turn::random_position(random, &rules, sector)
    };
    let positions = std::iter::repeat_with(|| position(&mut random));
    let positions: Vec<Position> = positions.filter(|pos| !pos.outcome().is_over()).take(100).collect();
    flip_bits_of(&rules, &folder, &positions, count, random);
}

/// Flips single bits of the files in a folder. `verify` finds each, and no probe believes a wrong value.
fn flip_bits_of(rules: &Rules, folder: &Folder, positions: &[Position], count: usize, mut random: StdRng) {
    let sound = open_tablebase_of(rules, folder.path());
    let truth: Vec<Option<Found>> =
        positions.iter().map(|pos| sound.probe_distance(pos).expect("sound files")).collect();
    assert!(truth.iter().all(Option::is_some));
    let manifest = Manifest::load(folder.path()).expect("a sound manifest");
    let mut names = files(folder.path());
    // The lock file is empty.
    names.retain(|name| std::fs::metadata(name).expect("a file").len() > 0);
    for number in 0..count {
        let name = names.choose(&mut random).expect("files");
        let original = std::fs::read(name).expect("read");
        let bit = random.random_range(0..8 * original.len());
        let mut damaged = original.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(name, &damaged).expect("write");
        let found = verify_of(rules, folder.path());
        // One kind of bit has no effect: that which makes a hexadecimal digit of a hash a capital letter.
        let is_same = name.extension().is_some_and(|extension| extension == "json")
            && original[bit / 8].eq_ignore_ascii_case(&damaged[bit / 8])
            && Manifest::load(folder.path()).is_ok_and(|found| found == manifest);
        assert!(found.is_err() || is_same, "flip {number}: bit {bit} of {}", name.display());
        let mut tablebase = Tablebase::new(rules).expect("supported");
        tablebase.add_folder(folder.path(), 1 << 20).expect("the folder can be read");
        for (pos, truth) in positions.iter().zip(&truth) {
            let result = tablebase.probe(pos);
            let believed =
                result.as_ref().is_ok_and(|found| found.is_some_and(|f| Some(f) != truth.map(|t| t.wdl)));
            assert!(!believed, "flip {number}: {result:?} for {}, in truth {truth:?}", pos.fen());
            if let Ok(Some(found)) = tablebase.probe_distance(pos) {
                assert!(
                    Some(found) == *truth || found == Found::result(found.wdl),
                    "flip {number}: {found:?}"
                );
            }
        }
        std::fs::write(name, &original).expect("write");
    }
    assert!(verify_of(rules, folder.path()).is_ok());
}

#[test]
fn flipped_bits_are_found_by_verify_and_never_believed() {
    flip_bits(&Rules::NINE, 36);
}

#[test]
fn flipped_bits_of_sectors_with_hands_are_found_by_verify_and_never_believed() {
    flip_bits_with_hands(12);
}

#[test]
fn changed_texts_of_a_manifest_are_found() {
    let folder = build("manifest-texts", 6, 1);
    let path = folder.file(MANIFEST);
    let sound = std::fs::read_to_string(&path).expect("a manifest");
    let version = format!("\"version\": \"{}", env!("CARGO_PKG_VERSION"));
    let changes = [
        (version.as_str(), "\"version\": \"7"),
        ("least=3", "least=2"),
        ("men=9", "men=8"),
        ("\"checksum\"", "\"checksun\""),
    ];
    for (from, to) in changes {
        let changed = sound.replacen(from, to, 1);
        assert_ne!(changed, sound, "{from}");
        folder.write(MANIFEST, changed);
        let why = verify(folder.path()).expect_err("it is damaged");
        assert!(why.contains("manifest.json is damaged"), "{from}: {why}");
    }
    // Earlier versions wrote no checksum.
    let at = sound.find(",\n  \"checksum\"").expect("a checksum");
    folder.write(MANIFEST, format!("{}\n}}\n", &sound[..at]));
    assert!(verify(folder.path()).is_ok());
}

/// Without distances the longest win is `null`, which a missing field means too.
#[test]
fn an_unknown_field_of_a_file_in_a_manifest_is_found() {
    let folder = Folder::new("manifest-fields");
    let distances = Distances::None;
    BuildJob { distances, ..job(folder.path(), 6, 1) }.run().expect("a build");
    assert!(verify(folder.path()).is_ok());
    let sound = std::fs::read_to_string(folder.file(MANIFEST)).expect("a manifest");
    let changed = sound.replacen("\"longest_win\": null", "\"longest_wio\": null", 1);
    assert_ne!(changed, sound);
    folder.write(MANIFEST, changed);
    let why = verify(folder.path()).expect_err("it is damaged");
    assert!(why.contains("manifest.json is damaged: unknown field `longest_wio`"), "{why}");
}

#[test]
fn wrong_counts_of_a_header_are_neither_listed_nor_kept() {
    let folder = build("wrong-counts", 6, 1);
    let manifest = Manifest::load(folder.path()).expect("a sound manifest");
    let (game, sector) = (SolvedGame::new(&Rules::NINE).expect("supported"), Sector::moving(3, 3));
    for (kind, is_listed) in [TbKind::Wdl, TbKind::Distance].into_iter().flat_map(|k| [(k, true), (k, false)])
    {
        let path = folder.file(file_name(sector, kind));
        let sound = std::fs::read(&path).expect("read");
        let table = TbFile::open(&path).expect("open");
        let values = table.read_all(1).expect("sound");
        let Header { fingerprint, mut counts, .. } = table.header;
        counts.wins -= 1;
        let content = Content { sector, fingerprint, values: &values, counts };
        write::write_file(folder.path(), kind, content, Packing::usual(&game, sector, kind), 1)
            .expect("written");
        assert!(std::fs::read(&path).expect("read") != sound);
        if !is_listed {
            std::fs::remove_file(folder.file(MANIFEST)).expect("removed");
        }
        job(folder.path(), 6, 1).run().expect("a build");
        assert!(std::fs::read(&path).expect("read") == sound, "{kind:?}, listed: {is_listed}");
        assert_eq!(Manifest::load(folder.path()).expect("a sound manifest"), manifest);
    }
}

#[test]
fn a_slot_without_a_value_is_reported_once_though_its_page_is_in_memory() {
    let folder = build("no-value", 6, 1);
    let (game, sector) = (SolvedGame::new(&Rules::NINE).expect("supported"), Sector::moving(3, 3));
    let mut random = StdRng::seed_from_u64(fresh(9));
    let sound = open_tablebase(folder.path());
    let wins_now = |pos: &Position| sound.probe_distance(pos) == Ok(Some(Found::exact(TbValue::WIN_NOW)));
    let positions = (0..100).map(|_| random_position(&mut random, &Rules::NINE, &[(3, 3)]));
    let (lacking, held): (Vec<Position>, Vec<Position>) = positions.partition(wins_now);
    let table = TbFile::open(&folder.file(file_name(sector, TbKind::Distance))).expect("open");
    let mut values = table.read_all(1).expect("sound");
    values
        .iter_mut()
        .filter(|value| **value == TbValue::WIN_NOW.0)
        .for_each(|value| *value = TbValue::TOO_LONG.0);
    let Header { fingerprint, counts, .. } = table.header;
    let content = Content { sector, fingerprint, values: &values, counts };
    // A single page.
    let block_slots = sector.slots().next_power_of_two() as u32;
    let packing = Packing { block_slots, ..Packing::usual(&game, sector, TbKind::Distance) };
    write::write_file(folder.path(), TbKind::Distance, content, packing, 1).expect("written");
    let tablebase = open_tablebase(folder.path());
    tablebase.probe_distance(&held[0]).expect("a value");
    let fault = tablebase.probe_distance(&lacking[0]).expect_err("no value").to_string();
    assert!(fault.contains("3_3_0_0.dist is damaged: no value in slot "), "{fault}");
    // The other file of the sector has the result, and the turns tell the distance.
    for pos in &lacking {
        assert_eq!(tablebase.probe(pos), Ok(Some(Wdl::Win)), "{}", pos.fen());
        assert_eq!(tablebase.probe_distance(pos), Ok(Some(Found::exact(TbValue::WIN_NOW))), "{}", pos.fen());
    }
}

/// Probes positions of 5-3 and 3-5, whose results a model codes, while one bit of such a file is inverted: in
/// the header, in the block index, in the model, and in blocks.
#[test]
fn flipped_bits_of_files_with_a_model_are_found_and_never_believed() {
    let whole = build("model-flips", 8, 2);
    let sound = open_tablebase(whole.path());
    // Results alone, so that no file with distances is used instead.
    let folder = Folder::new("model-flips-results");
    for name in whole.names().iter().filter(|name| name.ends_with(".wdl")) {
        std::fs::copy(whole.file(name), folder.file(name)).expect("copied");
    }
    let name = "3_5_0_0.wdl";
    let original = std::fs::read(folder.file(name)).expect("read");
    let number = |at: usize| u64::from_le_bytes(original[at..at + 8].try_into().expect("8 bytes")) as usize;
    let (blocks, first) = (number(36) & 0xFFFF_FFFF, number(144));
    let model = 144 + 8 * (blocks + 1);
    assert!(original[11] == 3 && first > model + 4, "a file with a model");
    let mut random = StdRng::seed_from_u64(fresh(8));
    let mut positions: Vec<Position> =
        (0..300).map(|_| random_position(&mut random, &Rules::NINE, &[(5, 3), (3, 5)])).collect();
    // For the engine: a win so near that the search finds it without the file that all quiet moves lead to.
    let soon = loop {
        let pos = random_position(&mut random, &Rules::NINE, &[(5, 3)]);
        let found = sound.probe_distance(&pos).expect("sound files").expect("known");
        if found == (Found { wdl: Wdl::Win, plies: Some(3) }) {
            break pos;
        }
    };
    positions.push(soon.clone());
    let truth: Vec<Wdl> =
        positions.iter().map(|pos| sound.probe(pos).expect("sound files").expect("known")).collect();
    let mut answered = Vec::new();
    for byte in [30, model - 3, model + 4, (model + first) / 2, first + 4, (first + original.len()) / 2] {
        let mut damaged = original.clone();
        damaged[byte] ^= 1 << (byte % 8);
        std::fs::write(folder.file(name), &damaged).expect("write");
        std::fs::write(whole.file(name), &damaged).expect("write");
        let (sample, only) = (Some(1), Some("5-3".to_owned()));
        let job = VerifyJob { sample, only, ..verify_job(&Rules::NINE, whole.path()) };
        let verdict = job.run(|_| Ok(())).expect("it can be checked");
        assert!(
            verdict.faults.iter().any(|fault| fault.to_string().contains(name)),
            "byte {byte}: {verdict:?}"
        );
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("nine");
        let mut notes = tablebase.add_folder(folder.path(), 1 << 20).expect("the folder can be read").len();
        let mut known = 0;
        for (pos, truth) in positions.iter().zip(&truth) {
            match tablebase.probe(pos) {
                Ok(Some(found)) => {
                    assert_eq!(found, *truth, "byte {byte}: {}", pos.fen());
                    known += 1;
                }
                Ok(None) => {}
                Err(_) => notes += 1,
            }
        }
        assert!(notes == 1 || known == positions.len(), "byte {byte}: {notes} notes, {known} known");
        answered.push(known);
    }
    std::fs::write(whole.file(name), &original).expect("write");
    // A file that cannot be opened, or has no model, has no values; the others lack one block.
    assert!(answered[..4].iter().all(|&known| known == answered[0]), "{answered:?}");
    assert!(answered[4..].iter().all(|&known| known > answered[0]), "{answered:?}");

    // The engine gets the error when it probes, and its search still finds the win.
    let mut damaged = original.clone();
    damaged[model + 4] ^= 1;
    std::fs::write(folder.file(name), &damaged).expect("write");
    let mut engine = Engine::start();
    for setting in ["TablebaseEmbedded value false", "SearchShuffleSeed value 1"] {
        engine.send(&format!("setoption name {setting}"));
    }
    engine.send(&format!("setoption name TablebasePath value {}", folder.path().display()));
    engine.send(&format!("position fen {}", soon.fen()));
    let lines = engine.go("nodes 100000");
    let damage = format!("{name} is damaged");
    assert_eq!(lines.iter().filter(|line| line.contains(&damage)).count(), 1, "{lines:#?}");
    let answer = move_of(lines.last().expect("an answer"));
    let ranked = sound.rank_moves(&soon).expect("sound distances").expect("known");
    let played = ranked.iter().find(|ranked| ranked.m.to_string() == answer).expect("a legal move");
    assert_eq!(played.value.wdl, Wdl::Win, "{answer} in {}", soon.fen());
    assert!(engine.quit().success());
}

#[test]
#[ignore = "takes minutes; run with --ignored"]
fn a_thousand_flipped_bits_are_found_by_verify_and_never_believed() {
    // In the second a man must not go straight back to its mill.
    for rules in [Rules::NINE, Rules::MORABARABA] {
        flip_bits(&rules, 1000);
    }
}

#[test]
#[ignore = "takes minutes; run with --ignored"]
fn a_thousand_flipped_bits_of_sectors_with_hands_are_found_by_verify_and_never_believed() {
    flip_bits_with_hands(1000);
}
