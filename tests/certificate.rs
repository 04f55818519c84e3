//! Certificates of small games: built from their tables, and walked by code that knows neither the tables nor
//! the index.

use crate::common::{Folder, millstone, skip, stderr_text};
use millstone::certificate::{Certificate, Sides, TurnNode};
use millstone::internals::build::Distances;
use millstone::internals::mix;
use millstone::internals::proof::ProofJob;
use millstone::internals::tb::build::BuildJob;
use millstone::internals::tb::scope::Scope;
use millstone::rules::Rules;
use millstone::tablebase::Sector;
use millstone::types::Color;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Three men a side and no flying: a small game. It is drawn, but White loses after some of its first turns.
const THREE: Rules = Rules { pieces_count: 3, may_fly: false, ..Rules::NINE };
/// The same with four men, which Black wins.
const FOUR: Rules = Rules { pieces_count: 4, ..THREE };

/// The board by its lines, in the numbering of the tablebase.
struct Plain {
    /// The sixteen symmetries: turned, reflected, the outer and the inner ring exchanged.
    symmetries: Vec<[u32; 24]>,
    /// For each point the other two points of each of its lines.
    lines: [Vec<u32>; 24],
    /// For each point the neighbours.
    near: [u32; 24],
}

impl Plain {
    fn new() -> Self {
        let sides = [0, 8, 16].into_iter().flat_map(|ring| {
            [1, 3, 5, 7].map(|corner| [corner, (corner + 1) % 8, (corner + 2) % 8].map(|i| ring + i))
        });
        let symmetries = (0..16).map(|number: u32| {
            std::array::from_fn(|point| {
                let (ring, place) = (point as u32 / 8, point as u32 % 8);
                let turned = if number & 1 == 0 { place } else { 8 - place } + (number >> 1 & 3) * 2;
                (if number >> 3 == 0 { ring } else { 2 - ring }) * 8 + turned % 8
            })
        });
        let mut plain = Self { symmetries: symmetries.collect(), lines: Default::default(), near: [0; 24] };
        for line in sides.chain([0, 2, 4, 6].map(|i| [i, 8 + i, 16 + i])) {
            let [first, middle, last] = line.map(|point| 1 << point);
            for (point, others) in line.into_iter().zip([middle | last, first | last, first | middle]) {
                plain.lines[point].push(others);
                plain.near[point] |= if 1 << point == middle { others } else { middle };
            }
        }
        plain
    }

    fn image(symmetry: &[u32; 24], node: TurnNode) -> TurnNode {
        let set = |men: u32| points(men).map(|point| 1 << symmetry[point]).sum();
        TurnNode { own: set(node.own), theirs: set(node.theirs), ..node }
    }

    /// The same position for all symmetric ones.
    fn canonical(&self, node: TurnNode) -> TurnNode {
        let images = self.symmetries.iter().map(|symmetry| Self::image(symmetry, node));
        images.min_by_key(|image| (image.own, image.theirs)).expect("sixteen")
    }

    fn in_mill(&self, men: u32, point: usize) -> bool {
        self.lines[point].iter().any(|others| men & others == *others)
    }

    /// Returns the positions after all turns, the opponent to move.
    fn turns(&self, node: TurnNode) -> Vec<TurnNode> {
        let TurnNode { own, theirs, own_hand, their_hand } = node;
        let empty = 0xff_ffff & !own & !theirs;
        let mut found = Vec::new();
        let mut arrive = |men: u32, to: usize, hand: u8| {
            let mut end = |theirs| {
                found.push(TurnNode { own: theirs, theirs: men, own_hand: their_hand, their_hand: hand });
            };
            if !self.in_mill(men, to) {
                return end(theirs);
            }
            let free: Vec<usize> = points(theirs).filter(|&point| !self.in_mill(theirs, point)).collect();
            let takeable = if free.is_empty() { points(theirs).collect() } else { free };
            takeable.into_iter().for_each(|taken| end(theirs & !(1 << taken)));
        };
        if own_hand > 0 {
            points(empty).for_each(|to| arrive(own | 1 << to, to, own_hand - 1));
        } else {
            for from in points(own) {
                for to in points(empty & self.near[from]) {
                    arrive(own & !(1 << from) | 1 << to, to, 0);
                }
            }
        }
        found
    }
}

fn points(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let point = set.trailing_zeros() as usize;
        (set != 0).then(|| {
            set &= set - 1;
            point
        })
    })
}

/// Returns true if the side to move has too few men.
fn has_too_few(node: TurnNode) -> bool {
    node.own.count_ones() + u32::from(node.own_hand) < 3
}

/// Walks everything that can happen when a side follows the certificate, up to the open sectors, from one of
/// several symmetric positions. Returns the number of positions in which it is to move, or the first position
/// that it loses.
fn walk(certificate: &Certificate, rules: &Rules) -> Result<u64, TurnNode> {
    let (plain, men) = (Plain::new(), rules.pieces_count);
    let start = TurnNode { own: 0, theirs: 0, own_hand: men, their_hand: men };
    let mut open = Vec::new();
    if certificate.sides().contains(Color::White) {
        open.push(start);
    }
    if certificate.sides().contains(Color::Black) {
        open.extend(plain.turns(start));
    }
    let mut known = HashSet::new();
    open.retain(|&node| known.insert(plain.canonical(node)));
    let mut walked = 0;
    while let Some(node) = open.pop() {
        walked += 1;
        let turns = plain.turns(node);
        let allowed = certificate.turns(node).expect("sound");
        // Another image of the position has the images of these turns. Of several that win, any is named.
        if walked % 8 == 0 {
            let symmetry = &plain.symmetries[walked as usize / 8 % 16];
            let canonical = |turns: &[TurnNode]| -> HashSet<Option<TurnNode>> {
                let canonical = |&after| (!has_too_few(after)).then(|| plain.canonical(after));
                turns.iter().map(canonical).collect()
            };
            let other = certificate.turns(Plain::image(symmetry, node)).expect("sound");
            assert_eq!(canonical(&other), canonical(&allowed), "{node:?}");
        }
        if allowed.is_empty() || allowed.iter().any(|after| !turns.contains(after)) {
            return Err(node);
        }
        for after in allowed.into_iter().filter(|&after| !has_too_few(after)) {
            for next in plain.turns(after) {
                if has_too_few(next) {
                    return Err(next);
                }
                if known.insert(plain.canonical(next)) && !certificate.holds(next).expect("sound") {
                    open.push(next);
                }
            }
        }
    }
    Ok(walked)
}

fn job(rules: Rules, tables: &Path, sides: Sides, output: PathBuf) -> ProofJob {
    let tables = tables.to_owned();
    ProofJob { rules, tables, sides, policy: None, output, threads: 2.into(), save_every: Duration::MAX }
}

fn tables(rules: Rules, name: &str) -> Folder {
    let folder = Folder::new(name);
    let job = BuildJob {
        rules,
        scope: Scope::All,
        path: folder.path().to_owned(),
        distances: Distances::None,
        threads: 2.into(),
        memory: None,
        only: None,
        writes_manifest: true,
        quiet: true,
    };
    job.run().expect("built");
    folder
}

#[test]
fn a_side_that_follows_its_certificate_never_loses() {
    let tables = tables(THREE, "certificate");
    let mut sums = [0, 0];
    for sides in Sides::ALL {
        let output = tables.file(format!("{sides}.mcert"));
        let summary = job(THREE, tables.path(), sides, output.clone()).run().expect("built");
        let certificate = Certificate::open(&output, &THREE).expect("sound");
        assert_eq!(certificate.sides(), sides);
        // The builder does not count the initial position.
        let initial = u64::from(sides.contains(Color::White));
        assert_eq!(walk(&certificate, &THREE), Ok(summary.positions + initial), "{sides}: {summary:?}");
        assert!(summary.refused > 0);
        sums[usize::from(sides == Sides::Both)] += summary.positions;
    }
    // Both sides share the moving phase.
    assert!(sums[1] < sums[0] && sums[1] > sums[0] / 2, "{sums:?}");
}

/// White loses after some first turns: those are not allowed.
#[test]
fn white_avoids_the_first_turns_that_lose() {
    let tables = tables(THREE, "certificate-first");
    let output = tables.file("white.mcert");
    job(THREE, tables.path(), Sides::White, output.clone()).run().expect("built");
    let certificate = Certificate::open(&output, &THREE).expect("sound");
    let start = TurnNode { own: 0, theirs: 0, own_hand: 3, their_hand: 3 };
    let allowed = certificate.turns(start).expect("sound").len();
    assert!((1..24).contains(&allowed), "{allowed}");
}

/// Four men a side have open sectors: those in which White is left with three.
#[test]
fn every_turn_of_an_open_sector_that_a_certificate_allows_is_safe_and_a_loser_has_none() {
    let tables = tables(FOUR, "certificate-open");
    let output = tables.file("black.mcert");
    let summary = job(FOUR, tables.path(), Sides::Black, output.clone()).run().expect("built");
    let certificate = Certificate::open(&output, &FOUR).expect("sound");
    assert_eq!(walk(&certificate, &FOUR), Ok(summary.positions), "{summary:?}");
    // Of the positions in open sectors, some thousands: each has a turn, and each reply stays inside. Turns
    // that lead there from elsewhere are allowed too.
    let plain = Plain::new();
    let (mut held, mut entering) = (0, 0);
    for number in 0..9_000 {
        let [own, theirs] = [[3, 3], [4, 3], [4, 4]][number as usize % 3];
        let sector = Sector::moving(own, theirs);
        let node = TurnNode::new(sector, mix(number) % sector.slots());
        let allowed = certificate.turns(node).expect("sound");
        let is_safe = |after: &TurnNode| {
            has_too_few(*after)
                || plain.turns(*after).iter().all(|&next| certificate.holds(next).expect("sound"))
        };
        let safe: Vec<TurnNode> = plain.turns(node).into_iter().filter(is_safe).collect();
        // A turn that wins is the only one.
        let wins = allowed.iter().any(|&after| has_too_few(after));
        assert!(wins || safe.iter().all(|after| allowed.contains(after)), "{node:?}");
        if theirs == 4 {
            assert!(!certificate.holds(node).expect("sound") && allowed.len() <= safe.len() + 1, "{node:?}");
            entering += safe.len();
            continue;
        }
        assert_eq!(certificate.holds(node).expect("sound"), !safe.is_empty(), "{node:?}");
        assert!(allowed.iter().all(|after| has_too_few(*after) || safe.contains(after)), "{node:?}");
        assert_eq!(allowed.is_empty(), safe.is_empty(), "{node:?}");
        held += usize::from(!safe.is_empty());
    }
    assert!((3_000..6_000).contains(&held) && entering > 300, "{held} {entering}");
    // With the policy of this certificate the same file comes out.
    let again = ProofJob {
        policy: Some(output.clone()),
        ..job(FOUR, tables.path(), Sides::Black, tables.file("again.mcert"))
    };
    assert_eq!(again.run().expect("built").bytes, summary.bytes);
    assert_eq!(fs::read(&again.output).expect("a file"), fs::read(&output).expect("a file"));
    // It is not replaced by the new one.
    let same = ProofJob { policy: Some(output.clone()), output: output.clone(), ..again };
    let why = same.run().expect_err("one file").to_string();
    assert!(why.ends_with("found the file of --policy, expected another file for --output"), "{why}");
    // White loses, and gets no certificate.
    let none = tables.file("white.mcert");
    let white = ProofJob { policy: Some(output), ..job(FOUR, tables.path(), Sides::White, none.clone()) };
    let error = white.run().expect_err("White loses");
    assert!(error.to_string().contains("found white, which loses this game"), "{error}");
    assert!(!none.exists());
}

/// The sectors of the walk take their results from the files, so a build stops where one has disappeared.
#[test]
fn an_interrupted_build_goes_on_and_makes_the_same_file() {
    let tables = tables(THREE, "certificate-resumed");
    let output = tables.file("black.mcert");
    let state = tables.file("black.mcert.walk");
    let build = || {
        let job = job(THREE, tables.path(), Sides::Black, output.clone());
        ProofJob { save_every: Duration::ZERO, ..job }.run()
    };
    let whole = build().expect("built");
    let bytes = fs::read(&output).expect("a file");
    assert!(!state.exists());
    // A watcher takes the last file away as soon as the walk has saved its first state.
    let (last, hidden) = (tables.file("3_3_0_0.wdl"), tables.file("hidden"));
    let watcher = std::thread::spawn({
        let (state, last, hidden) = (state.clone(), last.clone(), hidden.clone());
        move || {
            while !state.exists() {
                std::thread::yield_now();
            }
            fs::rename(last, hidden).expect("renamed");
        }
    });
    let stopped = build();
    watcher.join().expect("the state was saved");
    fs::rename(&hidden, &last).expect("renamed");
    if let Err(error) = stopped {
        assert!(error.to_string().contains("3_3_0_0"), "{error}");
        assert!(state.exists());
        let damaged = fs::read(&state).expect("a file");
        fs::write(&state, &damaged[..damaged.len() / 2]).expect("written");
        assert!(build().expect_err("cut off").to_string().contains("black.mcert.walk"));
        fs::write(&state, &damaged).expect("written");
    } else {
        skip("the walk ended before it could be interrupted");
    }
    let resumed = build().expect("built");
    assert_eq!((resumed.positions, resumed.refused), (whole.positions, whole.refused));
    assert_eq!(fs::read(&output).expect("a file"), bytes);
    assert!(!state.exists());
}

#[test]
fn bad_input_is_named() {
    let folder = Folder::new("certificate-bad");
    let output = folder.file("x.mcert");
    let [tables, output] = [folder.path(), &output].map(|path| path.to_str().expect("text"));
    let build_from = |tables: &str, more: &[&str]| {
        let all = [&["proof", "build", "--tables", tables, "--output", output][..], more].concat();
        let run = millstone(&all);
        assert_eq!(run.status.code(), Some(2), "{all:?}");
        stderr_text(&run)
    };
    let build = |more: &[&str]| build_from(tables, more);
    let error = build(&["--side", "white"]);
    assert!(error.contains("found no file of 1_2_8_7, expected the whole game"), "{error}");
    let error = build_from("/nowhere", &["--side", "white"]);
    assert!(error.contains("/nowhere holds no tablebase files: there is no such folder"), "{error}");
    assert!(build(&["--side", "red"]).contains("red"));
    assert!(
        build(&["--side", "black", "--rules", "el-filja"]).contains("expected: a mill takes one man at once")
    );
    assert_eq!(folder.names(), [""; 0], "no lock is left");
    let bytes = [b"MILLCERT".as_slice(), &[0; 60]].concat();
    let wrong = folder.write("wrong.mcert", bytes);
    let error = Certificate::open(&wrong, &Rules::NINE).expect_err("damaged").to_string();
    assert!(error.contains("wrong.mcert") && error.contains("checksum"), "{error}");
    assert!(Certificate::open(&folder.write("y", "text"), &Rules::NINE).is_err());
}
