//! Builds and repacks: the same files for any number of threads, killed, divided or watched.

use super::{Silent, build, fen, files, job, job_of, open_tablebase, settings, verify, verify_of};
use crate::common::Folder;
use crate::fuzzed::chance::fresh;
use millstone::internals::build::{BuildProgress, BuildSettings, Distances};
use millstone::internals::file::TbFile;
use millstone::internals::folder::file_name;
use millstone::internals::header::{Codec, TbKind};
use millstone::internals::tb::repack::RepackJob;
use millstone::internals::tb::scope::Scope;
use millstone::internals::units::Unit;
use millstone::internals::write::Written;
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::tablebase::{Sector, TbValue};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

#[test]
fn tables_are_the_same_for_every_number_of_threads() {
    let one = build("threads-1", 8, 1);
    for threads in [2, 3, 7] {
        compare_files(&one, &build(&format!("threads-{threads}"), 8, threads));
    }
}

/// Checks that two folders hold the same files.
fn compare_files(one: &Folder, other: &Folder) {
    let (one, other) = (files(one.path()), files(other.path()));
    assert_eq!(one.len(), other.len());
    for (a, b) in one.iter().zip(&other) {
        assert_eq!(a.file_name(), b.file_name());
        assert!(std::fs::read(a).expect("read") == std::fs::read(b).expect("read"), "{}", b.display());
    }
}

/// Kills builds after up to `longest` milliseconds, ends the last one, and compares its files with those of a
/// build that ran through. No temporary file may be left.
fn kill_builds(whole: &Folder, killed: &Folder, start: impl Fn() -> Command, kills: u64, longest: u64) {
    let mut random = StdRng::seed_from_u64(fresh(7));
    let spawn = || start().stdin(Stdio::null()).spawn().expect("the program starts");
    for _ in 0..kills {
        let mut child = spawn();
        std::thread::sleep(Duration::from_millis(random.random_range(1..longest)));
        child.kill().expect("kill");
        child.wait().expect("wait");
    }
    // What a killed process has left is removed when it is old.
    for path in files(killed.path()).iter().filter(|path| path.extension() == Some("tmp".as_ref())) {
        let long_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
        File::options().write(true).open(path).and_then(|file| file.set_modified(long_ago)).expect("a time");
    }
    assert!(spawn().wait().expect("wait").success());
    compare_files(whole, killed);
}

fn kill_builds_of_the_moving_phase(name: &str, men: u8, kills: u64, longest: u64) {
    let rules = Rules::by_name(name).expect("a game");
    let whole = Folder::new(&format!("whole-{men}-{kills}"));
    job_of(&rules, Scope::Men(men), whole.path(), 2).run().expect("a build");
    let killed = Folder::new(&format!("killed-{men}-{kills}"));
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_millstone"));
        command.args([
            "tb",
            "build",
            "--rules",
            name,
            "--quiet",
            "--threads",
            "2",
            "--scope",
            &format!("{men}-men"),
            "--path",
        ]);
        command.arg(killed.path());
        command
    };
    kill_builds(&whole, &killed, start, kills, longest);
}

/// Names the folder of a build of a whole game in a process that a test kills.
const KILLED_FOLDER: &str = "MILLSTONE_TEST_KILLED_FOLDER";

/// A game of four men whose hands go down out of turn. The program knows no game of fewer than nine men.
const FOUR_MEN: Rules = Rules { pieces_count: 4, ..Rules::LASKER };

#[test]
fn a_whole_game_of_four_men_is_built() {
    if let Some(path) = std::env::var_os(KILLED_FOLDER) {
        job_of(&FOUR_MEN, Scope::All, Path::new(&path), 2).run().expect("a build");
        return;
    }
    let folder = Folder::new("four-men");
    job_of(&FOUR_MEN, Scope::All, folder.path(), 2).run().expect("a build");
    assert!(verify_of(&FOUR_MEN, folder.path()).expect("sound") > 0);
}

#[test]
fn a_build_makes_the_same_files_with_and_without_room_for_unpacked_results() {
    let build = |name: &str, spare_disk: u64| {
        let folder = Folder::new(name);
        let settings = settings(&FOUR_MEN, &folder, Distances::Moving);
        let units = Scope::All.units(&settings.game).expect("units");
        settings.build(&units, spare_disk, &Steps::default()).expect("built");
        folder
    };
    compare_files(&build("unpacked", u64::MAX), &build("packed", 0));
}

/// This program is the one that is killed: it runs the test before this one.
fn kill_builds_with_hands(kills: u64, longest: u64) {
    let whole = Folder::new(&format!("whole-with-hands-{kills}"));
    job_of(&FOUR_MEN, Scope::All, whole.path(), 2).run().expect("a build");
    let killed = Folder::new(&format!("killed-with-hands-{kills}"));
    let start = || {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--quiet", "--exact", "tablebase::building::a_whole_game_of_four_men_is_built"]);
        command.env(KILLED_FOLDER, killed.path()).stdout(Stdio::null());
        command
    };
    kill_builds(&whole, &killed, start, kills, longest);
}

#[test]
fn a_build_killed_at_any_moment_goes_on_to_the_same_files() {
    kill_builds_of_the_moving_phase("nine", 8, 8, 400);
}

#[test]
fn a_build_with_hands_killed_at_any_moment_goes_on_to_the_same_files() {
    kill_builds_with_hands(8, 300);
}

#[test]
#[ignore = "takes minutes; run with --ignored"]
fn a_build_of_nine_men_killed_fifty_times_goes_on_to_the_same_files() {
    for name in ["nine", "morabaraba"] {
        kill_builds_of_the_moving_phase(name, 9, 50, 1000);
    }
}

#[test]
#[ignore = "takes a minute; run with --ignored"]
fn a_build_with_hands_killed_fifty_times_goes_on_to_the_same_files() {
    kill_builds_with_hands(50, 300);
}

#[test]
fn units_built_one_by_one_give_the_same_files() {
    let whole = build("units-whole", 7, 2);
    let folder = Folder::new("units-single");
    let mut single = job(folder.path(), 7, 2);
    single.only = Some("4-3".to_owned());
    let error = single.run().expect_err("3-3 is missing").to_string();
    assert!(error.ends_with("3_3_0_0.dist is missing, expected unit 3-3 before 4-3"), "{error}");
    for unit in ["3-3", "3-4"] {
        single.only = Some(unit.to_owned());
        single.run().expect("a unit can be built");
    }
    compare_files(&whole, &folder);
    single.only = Some("2-9".to_owned());
    assert!(single.run().expect_err("no such unit").to_string().starts_with("'2-9' is no unit"));
}

#[test]
fn repacked_tables_hold_the_same_values() {
    let folder = build("repack-from", 7, 2);
    let to = Folder::new("repack-to");
    let job = RepackJob {
        rules: Rules::NINE,
        from: folder.path().to_owned(),
        to: to.path().to_owned(),
        block: Some(1000),
        level: Some(9),
        distances: Distances::None,
        threads: 2.into(),
        json: false,
    };
    job.run(|_, _, _| Ok(())).expect("repacked");
    for (own, theirs) in [(3, 3), (3, 4), (4, 3)] {
        let sector = Sector::moving(own, theirs);
        let open = |path: &Path, kind| TbFile::open(&path.join(file_name(sector, kind))).expect("open");
        let old = open(folder.path(), TbKind::Wdl).read_all(2).expect("read");
        assert!(old == open(to.path(), TbKind::Wdl).read_all(2).expect("read"));
        let exact = open(folder.path(), TbKind::Distance).read_all(2).expect("read");
        assert!(old.iter().zip(&exact).all(|(&a, &b)| TbValue(a).wdl() == TbValue(b).wdl()));
        assert!(!to.file(file_name(sector, TbKind::Distance)).exists());
    }
    assert!(verify(to.path()).is_ok());
}

/// Sectors that are large enough have a model of their own; the values come back from it and through probing.
#[test]
fn results_coded_by_a_model_are_the_same_as_the_distances_say() {
    let folder = build("model", 8, 2);
    let sector = Sector::moving(5, 3);
    let open = |kind| TbFile::open(&folder.file(file_name(sector, kind))).expect("open");
    let (results, distances) = (open(TbKind::Wdl), open(TbKind::Distance));
    assert!(matches!(results.header.codec, Codec::Model(_)));
    let exact = distances.read_all(2).expect("read");
    let found = results.read_all(2).expect("read");
    assert!(found.iter().zip(&exact).all(|(&a, &b)| TbValue(a).wdl() == TbValue(b).wdl()));

    let to = Folder::new("model-repacked");
    let job = |block, level| RepackJob {
        rules: Rules::NINE,
        from: folder.path().to_owned(),
        to: to.path().to_owned(),
        block,
        level,
        distances: Distances::None,
        threads: 2.into(),
        json: false,
    };
    let why = job(Some(1000), None).run(|_, _, _| Ok(())).expect_err("no whole parts").to_string();
    assert!(why.contains("1000") && why.contains("1024"), "{why}");
    job(Some(2048), None).run(|_, _, _| Ok(())).expect("repacked");
    let repacked = TbFile::open(&to.file(file_name(sector, TbKind::Wdl))).expect("open");
    assert_eq!((repacked.header.block_slots, repacked.header.raw_hash), (2048, results.header.raw_hash));
    assert!(repacked.read_all(1).expect("read") == found);

    let tablebase = open_tablebase(to.path());
    let mut random = StdRng::seed_from_u64(fresh(8));
    for _ in 0..2000 {
        let slot = random.random_range(0..sector.slots());
        let (own, theirs) = sector.position(slot);
        let engine = millstone::internals::board::to_engine;
        let pos =
            Position::from_fen(&Rules::NINE, &fen(engine(own), engine(theirs), 'w')).expect("a sound text");
        if !pos.outcome().is_over() {
            assert_eq!(tablebase.probe(&pos).expect("sound"), Some(TbValue(exact[slot as usize]).wdl()));
        }
    }
}

/// The steps reported for each unit.
#[derive(Default)]
struct Steps(Mutex<Vec<(Unit, Vec<u64>)>>);

impl BuildProgress for Steps {
    fn start(&self, unit: Unit) {
        self.0.lock().expect("no panic").push((unit, Vec::new()));
    }

    fn advance(&self, slots: u64) {
        self.0.lock().expect("no panic").last_mut().expect("a unit was begun").1.push(slots);
    }

    fn finish(&self, _: Unit, _: &[Written]) {}
}

/// Puts a file of other rules into a folder while a unit is solved.
struct Intruder<'a>(&'a Path, &'a Path);

impl BuildProgress for Intruder<'_> {
    fn start(&self, _: Unit) {
        std::fs::copy(self.0, self.1).expect("copied");
    }

    fn advance(&self, _: u64) {}

    fn finish(&self, unit: Unit, _: &[Written]) {
        panic!("{unit} was written");
    }
}

#[test]
fn a_file_of_other_rules_that_comes_while_a_unit_is_solved_stays() {
    let other = Folder::new("intruder-twelve");
    let units = [Unit::moving(3, 3), Unit::moving(4, 3)];
    settings(&Rules::TWELVE, &other, Distances::Moving).build(&units, u64::MAX, &Silent).expect("built");
    // Also the second file of a sector, and the files of the second sector of a pair.
    for name in ["3_3_0_0.wdl", "3_3_0_0.dist", "4_3_0_0.wdl", "3_4_0_0.wdl", "3_4_0_0.dist"] {
        let folder = Folder::new("intruder-nine");
        let settings = settings(&Rules::NINE, &folder, Distances::Moving);
        let (first, unit) = units.split_at(usize::from(!name.starts_with("3_3")));
        settings.build(first, u64::MAX, &Silent).expect("built");
        let (source, target) = (other.file(name), folder.file(name));
        let refused = |observer: &dyn BuildProgress| {
            let error = settings.build(&unit[..1], u64::MAX, observer).expect_err("other rules").to_string();
            assert!(error.contains(&format!("{name} does not fit: made for ")), "{error}");
            assert_eq!(std::fs::read(&target).expect("kept"), std::fs::read(&source).expect("read"));
        };
        refused(&Intruder(&source, &target));
        // Where it lies already, nothing is solved.
        let steps = Steps::default();
        refused(&steps);
        assert!(steps.0.into_inner().expect("no panic").is_empty());
    }
}

#[test]
fn a_file_under_the_name_of_a_missing_one_stays() {
    let folder = build("misnamed", 6, 1);
    let (right, wrong) = (folder.file("3_3_0_0.dist"), folder.file("4_3_0_0.dist"));
    std::fs::copy(&right, &wrong).expect("copied");
    let error = job(folder.path(), 7, 1).run().expect_err("another sector").to_string();
    assert!(error.contains("4_3_0_0.dist does not fit: holds what should be named 3_3_0_0.dist"), "{error}");
    assert_eq!(std::fs::read(wrong).expect("kept"), std::fs::read(right).expect("read"));
}

#[test]
fn a_build_tells_how_far_it_is_within_each_unit() {
    let folder = Folder::new("steps");
    let settings = BuildSettings { threads: 1, ..settings(&Rules::NINE, &folder, Distances::Moving) };
    let placing = Sector { own: 2, theirs: 3, own_hand: 1, their_hand: 0 };
    let units = [Unit::moving(3, 3), Unit::moving(4, 3), Unit::Single(placing)];
    let steps = Steps::default();
    settings.build(&units, u64::MAX, &steps).expect("built");
    let reported = steps.0.into_inner().expect("no panic");
    assert_eq!(reported.iter().map(|(unit, _)| *unit).collect::<Vec<_>>(), units);
    for (unit, steps) in reported {
        assert!(steps.len() > 10 && steps.is_sorted(), "{unit}: {steps:?}");
        assert_eq!(steps.last(), Some(&unit.slots()), "{unit}");
    }
}
