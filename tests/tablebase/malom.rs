//! Our tablebase agrees with the sample of the Malom database.

use super::build;
use super::solving::compare_with_published;
use crate::common::skip;
use millstone::internals::file::TbFile;
use millstone::internals::folder::file_name;
use millstone::internals::header::TbKind;
use millstone::internals::malom::MalomSet;
use millstone::internals::manifest::Manifest;
use millstone::internals::source::{Source, Wanted};
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::tablebase::{Found, Sector, Tablebase, TbValue, Wdl};
use std::path::Path;

/// The order of the sectors in Malom's list of values is that of a score computed from the counts of each
/// sector, except for two pairs, which Malom's authors moved by hand.
#[test]
#[ignore = "needs the whole game in the folder tables; run with --ignored"]
fn the_whole_game_stands_in_the_order_of_the_malom_sector_values() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (tables, list) = (root.join("tables"), root.join("../shared/malom/std.secval"));
    if !tables.exists() || !list.exists() {
        skip(format_args!("{} or {} is missing", tables.display(), list.display()));
        return;
    }
    assert_eq!(compare_with_published(&tables, 18), 49);
    let manifest = Manifest::load(&tables).expect("a sound manifest").expect("a manifest");
    let counts = |sector| manifest.get(sector, TbKind::Wdl).expect("an entry").counts;
    // The score as a fraction: wins count 2, draws 1, of twice the positions.
    let score = |sector: Sector| {
        let c = counts(sector);
        let (mut part, mut whole) = (2 * c.wins + c.draws, 2 * c.canonical());
        if sector.is_moving() {
            let c = counts(Sector::moving(sector.theirs, sector.own));
            part += 2 * c.losses + c.draws;
            whole += 2 * c.canonical();
        }
        (u128::from(part), u128::from(whole))
    };
    let text = std::fs::read_to_string(&list).expect("the list");
    let moved = [(8, 9), (9, 8), (3, 6), (6, 3)].map(|(own, theirs)| Sector::moving(own, theirs));
    let sectors: Vec<Sector> = text
        .lines()
        .skip(3)
        .map(|line| {
            let n: Vec<u8> = line.split_whitespace().take(4).map(|n| n.parse().expect("men")).collect();
            Sector { own: n[0], theirs: n[1], own_hand: n[2], their_hand: n[3] }
        })
        .filter(|sector| !moved.contains(sector))
        .collect();
    assert_eq!(sectors.len(), 494);
    for pair in sectors.windows(2) {
        let ((a, b), (c, d)) = (score(pair[0]), score(pair[1]));
        assert!(a * d <= c * b, "{} comes before {}", pair[0], pair[1]);
    }
    let start = counts(Sector { own: 0, theirs: 0, own_hand: 9, their_hand: 9 });
    assert_eq!((start.wins, start.losses, start.draws), (0, 0, 1));
}

#[test]
fn the_solver_agrees_with_the_malom_database() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/malom"));
    if !path.exists() {
        skip(format_args!("no sample of the Malom database in {}", path.display()));
        return;
    }
    let folder = build("malom", 6, 2);
    let own = TbFile::open(&folder.file("3_3_0_0.dist")).expect("open").read_all(2).expect("read");
    let malom = MalomSet::open(path, &Rules::NINE).expect("the sample");
    let sector = Sector::moving(3, 3);
    let mut counts = [0; 3];
    for slot in 0..sector.slots() {
        let (us, them) = sector.position(slot);
        let found = malom.look_up(sector, us, them, Wanted::Distance).expect("sound").expect("there");
        assert_eq!(found, Found::exact(TbValue(own[slot as usize])), "slot {slot}");
        counts[found.wdl as usize] += usize::from(sector.canonical(slot) == slot);
    }
    assert_eq!(counts, [28_736, 269, 140_621]);
}

/// Every slot of the placing sectors of the sample has the result that our tablebase gives it, and if
/// that holds distances of the placing phase, the distance too.
#[test]
#[ignore = "needs the whole game in the folder tables; run with --ignored"]
fn the_placing_phase_agrees_with_the_malom_database() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, path) = (root.join("tables"), root.join("../shared/malom"));
    if !folder.exists() || !path.exists() {
        skip(format_args!("{} or {} is missing", folder.display(), path.display()));
        return;
    }
    let malom = MalomSet::open(&path, &Rules::NINE).expect("the sample");
    for [own, theirs, own_hand, their_hand] in [[0, 0, 9, 9], [0, 1, 9, 8], [1, 1, 8, 8], [1, 2, 8, 7]] {
        let sector = Sector { own, theirs, own_hand, their_hand };
        let read = |kind| {
            let path = folder.join(file_name(sector, kind));
            path.exists().then(|| TbFile::open(&path).expect("open").read_all(1).expect("read"))
        };
        let results = read(TbKind::Wdl).expect("results of the whole game");
        let distances = read(TbKind::Distance);
        if distances.is_none() {
            skip(format_args!("{} holds no distances of {sector}", folder.display()));
        }
        for (slot, &value) in (0..).zip(&results) {
            let (us, them) = sector.position(slot);
            let found = malom.look_up(sector, us, them, Wanted::Distance).expect("sound").expect("there");
            assert_eq!(found.wdl, TbValue(value).wdl(), "{sector} slot {slot}");
            if let Some(distances) = &distances {
                assert_eq!(found, Found::exact(TbValue(distances[slot as usize])), "{sector} slot {slot}");
            }
        }
    }
}

/// Rows of `docs/malom.md`, "Worked examples", and others that two independent readers agree on.
#[test]
fn worked_examples_of_the_malom_database_are_read_through_positions() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/malom"));
    if !path.exists() {
        skip(format_args!("no sample of the Malom database in {}", path.display()));
        return;
    }
    let mut tablebase = Tablebase::new(&Rules::NINE).expect("nine");
    tablebase.add_malom(path, &Rules::NINE).expect("the sample");
    let rows = [
        ("********/********/******** w", Wdl::Draw, None),
        ("********/********/******O* b", Wdl::Draw, None),
        ("O*@*****/********/******** w", Wdl::Draw, None),
        ("******@*/********/**OO**** b", Wdl::Win, Some(77)),
        ("*****O**/**@*****/*******O b", Wdl::Win, Some(67)),
        ("**@***OO/********/******** b", Wdl::Win, Some(125)),
        ("********/*O**@***/*****O** b", Wdl::Draw, None),
        ("@*******/********/OO@O**@* b", Wdl::Loss, Some(26)),
        ("O**@O**@/*******O/**@***** w", Wdl::Win, Some(3)),
        ("********/***O****/@@*O@*O* w", Wdl::Win, Some(25)),
        ("*****O**/**O*@@**/****@*O* w", Wdl::Loss, Some(2)),
        ("**@*****/*******@/*OOO@*** b", Wdl::Draw, None),
    ];
    for (text, wdl, plies) in rows {
        let count = |letter| text.chars().filter(|&c| c == letter).count();
        let (white, black) = (count('O'), count('@'));
        let hands = if white + black == 6 { (0, 0) } else { (9 - white, 9 - black) };
        let phase = if hands == (0, 0) { "m s" } else { "p p" };
        let fen =
            format!("{text} {phase} {white} {} {black} {} 0 0 -1 -1 -1 -1 0 0 1 ids:nodes", hands.0, hands.1);
        let pos = Position::from_fen(&Rules::NINE, &fen).expect("a sound text");
        assert_eq!(tablebase.probe_distance(&pos).expect("sound"), Some(Found { wdl, plies }), "{fen}");
    }
    let preset6 = Rules { may_fly: false, ..Rules::NINE };
    assert!(Tablebase::new(&preset6).expect("supported").add_malom(path, &preset6).is_err());
}
