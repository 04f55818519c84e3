//! Tests of tablebase files, and the helpers that they share. Uses the library and `common`.

mod bans;
mod building;
mod damage;
mod malom;
mod out_of_turn;
mod probing;
mod solving;
mod verifying;

use crate::common::Folder;
use millstone::internals::build::{BuildProgress, BuildSettings, Distances};
use millstone::internals::game::SolvedGame;
use millstone::internals::header::{Packing, TbKind, count};
use millstone::internals::manifest::Manifest;
use millstone::internals::tb::build::BuildJob;
use millstone::internals::tb::scope::Scope;
use millstone::internals::tb::verify::VerifyJob;
use millstone::internals::units::Unit;
use millstone::internals::write::{self, Content, Written};
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::tablebase::{Sector, Tablebase, TablebaseError};
use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use std::path::{Path, PathBuf};

fn job(path: &Path, men: u8, threads: usize) -> BuildJob {
    job_of(&Rules::NINE, Scope::Men(men), path, threads)
}

fn job_of(rules: &Rules, scope: Scope, path: &Path, threads: usize) -> BuildJob {
    BuildJob {
        rules: *rules,
        scope,
        path: path.to_owned(),
        distances: Distances::Moving,
        threads: threads.into(),
        memory: None,
        only: None,
        writes_manifest: true,
        quiet: true,
    }
}

fn build(name: &str, men: u8, threads: usize) -> Folder {
    let folder = Folder::new(name);
    job(folder.path(), men, threads).run().expect("a build");
    folder
}

/// Returns the check of a whole folder.
fn verify_job(rules: &Rules, path: &Path) -> VerifyJob {
    VerifyJob {
        rules: *rules,
        path: path.to_owned(),
        sample: None,
        only: None,
        threads: 2.into(),
        resume: None,
        json: false,
    }
}

/// Returns the settings of a build by two threads.
fn settings(rules: &Rules, folder: &Folder, distances: Distances) -> BuildSettings {
    BuildSettings {
        game: SolvedGame::new(rules).expect("supported"),
        folder: folder.path().to_owned(),
        threads: 2,
        distances,
        writes_manifest: true,
    }
}

/// Returns the number of proved positions, or the faults.
fn verify(path: &Path) -> Result<u64, String> {
    verify_of(&Rules::NINE, path)
}

fn verify_of(rules: &Rules, path: &Path) -> Result<u64, String> {
    let verdict = verify_job(rules, path).run(|_| Ok(())).map_err(|error| error.to_string())?;
    let faults: Vec<String> = verdict.faults.iter().map(ToString::to_string).collect();
    if faults.is_empty() { Ok(verdict.proved.slots) } else { Err(faults.join("\n")) }
}

/// Replaces the values of a sector, with checksums and counts that fit.
fn replace_values(rules: &Rules, folder: &Folder, sector: Sector, values: &[u8]) {
    let game = SolvedGame::new(rules).expect("supported");
    let (fingerprint, counts) = (game.fingerprint(sector), count(sector, values, true, 2));
    let content = Content { sector, fingerprint, values, counts };
    for kind in [TbKind::Wdl, TbKind::Distance] {
        let packing = Packing::usual(&game, sector, kind);
        let written = write::write_file(folder.path(), kind, content, packing, 2).expect("written");
        Manifest::add(folder.path(), &game, &[written]).expect("added");
    }
}

/// Returns what a check of one sector finds.
fn faults_of(rules: &Rules, folder: &Folder, sector: Sector) -> Vec<TablebaseError> {
    let job = VerifyJob { only: Some(sector.to_string()), ..verify_job(rules, folder.path()) };
    job.run(|_| Ok(())).expect("a verdict").faults
}

fn files(path: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path).expect("folder").map(|entry| entry.expect("entry").path()).collect();
    files.sort();
    files
}

fn open_tablebase(path: &Path) -> Tablebase {
    open_tablebase_of(&Rules::NINE, path)
}

fn open_tablebase_of(rules: &Rules, path: &Path) -> Tablebase {
    let mut tablebase = Tablebase::new(rules).expect("supported");
    assert!(tablebase.add_folder(path, 1 << 20).expect("folder").is_empty());
    tablebase
}

/// A text of a moving-phase position of the standard game.
fn fen(own: u32, theirs: u32, side: char) -> String {
    let (white, black) = if side == 'w' { (own, theirs) } else { (theirs, own) };
    let mut text = String::new();
    for point in 0..24 {
        text.push(match (white >> point & 1, black >> point & 1) {
            (1, _) => 'O',
            (_, 1) => '@',
            _ => '*',
        });
        if point == 7 || point == 15 {
            text.push('/');
        }
    }
    let (w, b) = (white.count_ones(), black.count_ones());
    format!("{text} {side} m s {w} 0 {b} 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes")
}

fn random_position(random: &mut StdRng, rules: &Rules, men: &[(usize, usize)]) -> Position {
    loop {
        let mut points: Vec<u32> = (0..24).collect();
        rand::seq::SliceRandom::shuffle(points.as_mut_slice(), random);
        let &(own, theirs) = men.choose(random).expect("some numbers of men");
        let set = |points: &[u32]| points.iter().map(|point| 1 << point).sum();
        let side = if random.random() { 'w' } else { 'b' };
        let text = fen(set(&points[..own]), set(&points[own..own + theirs]), side);
        let pos = Position::from_fen(rules, &text).expect("a sound text");
        if !pos.outcome().is_over() {
            return pos;
        }
    }
}

const SMALL: [(usize, usize); 3] = [(3, 3), (4, 3), (3, 4)];

struct Silent;

impl BuildProgress for Silent {
    fn start(&self, _: Unit) {}
    fn advance(&self, _: u64) {}
    fn finish(&self, _: Unit, _: &[Written]) {}
}
