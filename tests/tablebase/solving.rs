//! Compares the values of the solver with published counts and the rules of the engine.

use super::{
    Silent, build, faults_of, fen, job_of, open_tablebase_of, random_position, settings, verify, verify_job,
    verify_of,
};
use crate::common::Folder;
use crate::fuzzed::chance::fresh;
use millstone::internals::build::Distances;
use millstone::internals::file::TbFile;
use millstone::internals::folder::file_name;
use millstone::internals::game::SolvedGame;
use millstone::internals::header::{SectorCounts, TbKind};
use millstone::internals::manifest::Manifest;
use millstone::internals::tb::scope::Scope;
use millstone::internals::units::Unit;
use millstone::position::Position;
use millstone::rules::{NAMED, NamedRules, Rules};
use millstone::tablebase::{Found, Sector, Tablebase, TbValue, Wdl};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::Path;

/// The published counts of the sectors with at most `men` men on the board.
fn published(men: u8) -> Vec<(Sector, u64, SectorCounts)> {
    let text = include_str!("../data/moving-phase.csv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |at: usize| fields[at].parse::<u64>().ok();
        let men: Vec<u8> = fields[0].split('_').map(|n| n.parse().expect("a number of men")).collect();
        let counts = SectorCounts {
            wins: number(2).expect("wins"),
            losses: number(3).expect("losses"),
            draws: number(4).expect("draws"),
            longest_win: number(5).map(|plies| plies as u32),
            longest_loss: number(6).map(|plies| plies as u32),
        };
        (Sector::moving(men[0], men[1]), number(1).expect("slots"), counts)
    });
    rows.filter(|(sector, ..)| sector.own + sector.theirs <= men).collect()
}

pub(super) fn compare_with_published(path: &Path, men: u8) -> usize {
    let manifest = Manifest::load(path).expect("a sound manifest").expect("a manifest");
    let published = published(men);
    for (sector, slots, counts) in &published {
        let entry = manifest.get(*sector, TbKind::Distance).expect("an entry");
        assert_eq!((entry.slots, entry.counts), (*slots, *counts), "{sector}");
    }
    published.len()
}

#[test]
fn counts_up_to_nine_men_are_the_published_ones_and_every_position_is_proved() {
    let folder = build("nine-men", 9, 2);
    assert_eq!(compare_with_published(folder.path(), 9), 10);
    assert_eq!(verify(folder.path()), Ok(50_082_731));
}

#[test]
#[ignore = "takes minutes and 2 GB of memory; run with --ignored"]
fn counts_up_to_twelve_men_are_the_published_ones() {
    let folder = build("twelve-men", 12, 2);
    assert_eq!(compare_with_published(folder.path(), 12), 28);
}

#[test]
fn other_rule_sets_are_solved_and_proved() {
    let variants = [
        Rules { may_fly: false, ..Rules::NINE },
        Rules { has_diagonal_lines: true, may_remove_multiple: true, ..Rules::NINE },
        Rules { fly_piece_count: 4, may_remove_from_mills_always: true, ..Rules::NINE },
        Rules { stalemate_action: 4, may_fly: false, ..Rules::NINE },
        Rules {
            pieces_at_least_count: 4,
            has_diagonal_lines: true,
            may_remove_multiple: true,
            ..Rules::NINE
        },
    ];
    for (number, rules) in variants.iter().enumerate() {
        let folder = Folder::new(&format!("variant-{number}"));
        let game = SolvedGame::new(rules).expect("supported");
        let units: Vec<Unit> = game.pairs(8).into_iter().map(|(a, b)| Unit::moving(a, b)).collect();
        let tablebase = build_and_prove(rules, &folder, &units);
        // The engine's own moves lead to the values in the files.
        let mut random = StdRng::seed_from_u64(fresh(number as u64));
        let least = usize::from(rules.pieces_at_least_count);
        for _ in 0..500 {
            let text = random_position(&mut random, &Rules::NINE, &[(4, 4), (least, 4), (4, least)]).fen();
            let Ok(pos) = Position::from_fen(rules, &text) else { continue };
            if pos.outcome().is_over() {
                continue;
            }
            let value = tablebase.probe_distance(&pos).expect("sound").expect("known");
            let ranked = tablebase.rank_moves(&pos).expect("sound").expect("known");
            assert_eq!(ranked[0].value, value, "{} under {}", pos.fen(), rules.describe());
        }
    }
}

#[test]
fn the_endgames_of_every_named_game_are_built_and_proved() {
    prove_endgames(7);
}

#[test]
#[ignore = "takes a minute; run with --ignored"]
fn the_endgames_of_eight_men_of_every_named_game_are_built_and_proved() {
    prove_endgames(8);
}

/// Builds and verifies the moving phase of the named games with at most this number of men on the board.
///
/// `docs/tablebases.md` says which part of each named game can be solved.
fn prove_endgames(men: u8) {
    let mut proved = Vec::new();
    for NamedRules { name, rules, .. } in NAMED {
        let Ok(game) = SolvedGame::new(&rules) else {
            assert_eq!(name, "russian");
            continue;
        };
        let folder = Folder::new(&format!("endgames-{men}-{name}"));
        // Games with the same moving phase share its files.
        let fingerprint = game.fingerprint(Sector::moving(4, 3));
        if proved.contains(&fingerprint) {
            continue;
        }
        proved.push(fingerprint);
        job_of(&rules, Scope::Men(men), folder.path(), 2).run().unwrap_or_else(|why| panic!("{name}: {why}"));
        let slots = (3..=men - 3).flat_map(|own| (3..=men - own).map(move |theirs| (own, theirs)));
        let slots = slots.map(|(own, theirs)| Sector::moving(own, theirs).slots()).sum();
        assert_eq!(verify_of(&rules, folder.path()), Ok(slots), "{name}");
    }
    assert_eq!(proved.len(), 9);
}

/// The value of a position by the engine's own moves and endings, from the values of those after the turn.
pub(super) fn value_by_turns(tablebase: &Tablebase, pos: &mut Position) -> Found {
    let us = pos.side_to_move();
    let mut best: Option<Found> = None;
    for &m in pos.legal_moves().iter() {
        pos.do_move(m);
        let outcome = pos.outcome();
        let value = if outcome.is_over() {
            match outcome.winner {
                Some(winner) if winner == us => Found::exact(TbValue::WIN_NOW),
                Some(_) => Found::exact(TbValue::LOST),
                None => Found::DRAW,
            }
        } else if pos.side_to_move() == us && !pos.is_take_due() {
            // Black opens the moving phase. The turn that White leaves out counts as a ply.
            let found = tablebase.probe_distance(pos).expect("sound").expect("known");
            Found { plies: found.plies.map(|plies| plies + 2), ..found }
        } else if pos.side_to_move() == us {
            value_by_turns(tablebase, pos)
        } else if pos.is_take_due() {
            value_by_turns(tablebase, pos).before()
        } else {
            tablebase.probe_distance(pos).expect("sound").expect("known").before()
        };
        pos.undo_move();
        best = best.filter(|best| best.preference() >= value.preference()).or(Some(value));
    }
    best.expect("a move")
}

/// A side with ten men has lost here, so that few sectors come after the last placements of twelve men.
#[test]
fn the_last_man_that_fills_the_board_ends_the_game_as_the_rules_have_it() {
    let last = Sector { own: 11, theirs: 12, own_hand: 1, their_hand: 0 };
    let folder = Folder::new("full-board");
    for board_full_action in [0, 3, 4] {
        let rules = Rules { pieces_at_least_count: 11, board_full_action, ..Rules::TWELVE };
        // The moving phase is the same for all these games.
        let name = file_name(last, TbKind::Wdl);
        let settings = settings(&rules, &folder, Distances::All);
        if folder.file(&name).exists() {
            let error = settings.is_finished(Unit::Single(last)).expect_err("of another game").to_string();
            assert!(error.contains(&format!("{name} does not fit: made for rules")), "{error}");
            for kind in [TbKind::Wdl, TbKind::Distance] {
                std::fs::remove_file(folder.file(file_name(last, kind))).expect("removed");
            }
        }
        let units = [Unit::moving(11, 11), Unit::moving(12, 11), Unit::Single(last)];
        assert_eq!(units.iter().map(|unit| unit.sectors().len()).sum::<usize>(), 4);
        // The moving phase is proved once.
        let tablebase = if board_full_action == 0 {
            build_and_prove(&rules, &folder, &units)
        } else {
            settings.build(&units, u64::MAX, &Silent).expect("built");
            let faults = faults_of(&rules, &folder, last);
            assert!(faults.is_empty(), "{faults:?}");
            open_tablebase_of(&rules, folder.path())
        };
        assert!(tablebase.outlast_placing(&Position::new(&rules)).expect("sound"), "once a man is taken");
        let mut random = StdRng::seed_from_u64(fresh(12));
        let mut results = [0; 3];
        for _ in 0..2_000 {
            let mut points: Vec<u32> = (0..24).collect();
            rand::seq::SliceRandom::shuffle(points.as_mut_slice(), &mut random);
            let set = |points: &[u32]| points.iter().map(|point| 1 << point).sum();
            let text = fen(set(&points[..11]), set(&points[11..23]), 'b');
            let text = text.replace(" b m s 12 0 11 0 ", " b p p 12 0 11 1 ");
            let mut pos = Position::from_fen(&rules, &text).expect("a sound text");
            let found = tablebase.probe_distance(&pos).expect("sound").expect("known");
            assert_eq!(found, value_by_turns(&tablebase, &mut pos), "{text}");
            results[found.wdl as usize] += 1;
        }
        // The side that fills the board without a mill has won or drawn, if nobody takes a man then.
        assert!(board_full_action == 3 || (results[Wdl::Draw as usize] > 0) == (board_full_action == 4));
        assert!(results[Wdl::Win as usize] > 0, "{results:?}");
    }
}

/// With men in hand, distances and results alone have solvers of their own. The moving phase has one.
#[test]
fn results_alone_are_those_of_the_distances() {
    let four_men = |rules: Rules| Rules { pieces_count: 4, ..rules };
    let games = [
        four_men(Rules::NINE),
        four_men(Rules::DOOZ),
        four_men(Rules::NERENCHI),
        Rules { pieces_count: 5, has_diagonal_lines: true, may_remove_multiple: true, ..Rules::EL_FILJA },
        Rules { stalemate_action: 4, may_fly: false, ..four_men(Rules::LASKER) },
    ];
    for (number, rules) in games.iter().enumerate() {
        let game = SolvedGame::new(rules).expect("supported");
        let units = Scope::All.units(&game).expect("units");
        let build = |folder: &Folder, distances: Distances| {
            settings(rules, folder, distances).build(&units, u64::MAX, &Silent).expect("built");
        };
        let distances = Folder::new(&format!("results-{number}-all"));
        build(&distances, Distances::All);
        let results = Folder::new(&format!("results-{number}-none"));
        let (moving, placing): (Vec<Sector>, Vec<Sector>) =
            units.iter().flat_map(|unit| unit.sectors()).partition(|sector| sector.is_moving());
        for name in moving.into_iter().map(|sector| file_name(sector, TbKind::Wdl)) {
            std::fs::copy(distances.file(&name), results.file(&name)).expect("copied");
        }
        build(&results, Distances::None);
        assert!(!placing.is_empty());
        for sector in placing {
            let values = |folder: &Folder| {
                let file = TbFile::open_in(folder.path(), &game, sector, TbKind::Wdl).expect("a file");
                file.read_all(2).expect("sound")
            };
            assert!(values(&distances) == values(&results), "{sector} under {}", rules.describe());
        }
    }
}

/// Builds these units in a folder, with all distances, and proves every file.
pub(super) fn build_and_prove(rules: &Rules, folder: &Folder, units: &[Unit]) -> Tablebase {
    settings(rules, folder, Distances::All).build(units, u64::MAX, &Silent).expect("built");
    let verdict = verify_job(rules, folder.path())
        .run(|_| Ok(()))
        .unwrap_or_else(|error| panic!("{}: {error}", rules.describe()));
    assert!(verdict.faults.is_empty(), "{}: {:?}", rules.describe(), verdict.faults);
    assert_eq!(verdict.proved.sectors, units.iter().map(|unit| unit.sectors().len()).sum::<usize>());
    let mut tablebase = Tablebase::new(rules).expect("supported");
    assert!(tablebase.add_folder(folder.path(), 1 << 24).expect("folder").is_empty());
    tablebase
}

/// A text with `white` and `black` men on random points, the others in hand.
fn placing_text(random: &mut StdRng, men: usize, white: usize, black: usize) -> String {
    let mut points: Vec<u32> = (0..24).collect();
    rand::seq::SliceRandom::shuffle(points.as_mut_slice(), random);
    let set = |points: &[u32]| points.iter().map(|point| 1 << point).sum();
    let side = if white > black { 'b' } else { 'w' };
    let (first, second) = (set(&points[..white]), set(&points[white..white + black]));
    let text = fen(if side == 'w' { first } else { second }, if side == 'w' { second } else { first }, side);
    let (before, after) = (format!(" m s {white} 0 {black} 0 "), (men - white, men - black));
    text.replace(&before, &format!(" p p {white} {} {black} {} ", after.0, after.1))
}

/// Games of four men, so that all positions of the placing phase can be solved here.
#[test]
fn a_game_whose_mills_count_when_all_men_are_placed_is_solved_whole() {
    let variants = [
        Rules { pieces_count: 4, ..Rules::EL_FILJA },
        Rules {
            pieces_count: 4,
            has_diagonal_lines: true,
            may_remove_from_mills_always: false,
            may_fly: true,
            may_remove_multiple: true,
            ..Rules::EL_FILJA
        },
    ];
    let mut ends = [0; 3];
    for (number, rules) in variants.iter().enumerate() {
        let folder = Folder::new(&format!("settles-{number}"));
        let units = Scope::All.units(&SolvedGame::new(rules).expect("supported")).expect("units");
        assert_eq!(units.len(), 9, "3-3 and two sectors for each number of men");
        let tablebase = build_and_prove(rules, &folder, &units);
        let mut random = StdRng::seed_from_u64(fresh(20 + number as u64));
        for (white, black) in (0..8).map(|placed| (placed / 2 + placed % 2, placed / 2)) {
            for _ in 0..200 {
                let text = placing_text(&mut random, 4, white, black);
                let mut pos = Position::from_fen(rules, &text).expect("a sound text");
                let found = tablebase.probe_distance(&pos).expect("sound").expect("known");
                assert_eq!(found, value_by_turns(&tablebase, &mut pos), "{text}");
                let ranked = tablebase.rank_moves(&pos).expect("sound").expect("known");
                assert_eq!(ranked[0].value, found, "{text}");
                ends[found.wdl as usize] += 1;
            }
        }
        // A line of best play goes through the settlement, up to the end of the game.
        let text = placing_text(&mut random, 4, 4, 3);
        let pos = Position::from_fen(rules, &text).expect("a sound text");
        let found = tablebase.probe_distance(&pos).expect("sound").expect("known");
        let line = tablebase.line(&pos).expect("sound");
        assert_eq!(line.is_empty(), found.wdl == Wdl::Draw, "{text}");
    }
    assert!(ends.iter().all(|&count| count > 0), "{ends:?}");
}

#[test]
fn a_game_in_which_black_opens_the_moving_phase_is_solved_whole() {
    let rules = Rules { pieces_count: 4, ..Rules::NERENCHI };
    let units = Scope::All.units(&SolvedGame::new(&rules).expect("supported")).expect("units");
    let tablebase = build_and_prove(&rules, &Folder::new("black-opens"), &units);
    let mut random = StdRng::seed_from_u64(fresh(40));
    let (mut results, mut takes) = ([0; 3], 0);
    for (white, black) in (0..8).map(|placed| (placed / 2 + placed % 2, placed / 2)) {
        for _ in 0..300 {
            let text = placing_text(&mut random, 4, white, black);
            let mut pos = Position::from_fen(&rules, &text).expect("a sound text");
            let found = tablebase.probe_distance(&pos).expect("sound").expect("known");
            assert_eq!(found, value_by_turns(&tablebase, &mut pos), "{text}");
            let ranked = tablebase.rank_moves(&pos).expect("sound").expect("known");
            assert_eq!(ranked[0].value, found, "{text}");
            results[found.wdl as usize] += 1;
            takes += usize::from(black == 3 && white == 4 && ranked.iter().any(|ranked| ranked.takes));
        }
    }
    assert!(results.iter().all(|&count| count > 0) && takes > 0, "{results:?} {takes}");
}

/// A side with ten men has lost here, so that few sectors come after the settlement of twelve men.
#[test]
fn the_settlement_of_a_full_board_is_that_of_the_rules() {
    let rules = Rules { pieces_at_least_count: 11, ..Rules::EL_FILJA };
    let last = Sector { own: 11, theirs: 12, own_hand: 1, their_hand: 0 };
    let units = [Unit::moving(11, 11), Unit::Single(last)];
    assert_eq!(units[1].needs(&SolvedGame::new(&rules).expect("supported")), [Sector::moving(11, 11)]);
    let tablebase = build_and_prove(&rules, &Folder::new("settles-full"), &units);
    let mut random = StdRng::seed_from_u64(fresh(30));
    for _ in 0..2_000 {
        let text = placing_text(&mut random, 12, 12, 11);
        let mut pos = Position::from_fen(&rules, &text).expect("a sound text");
        let found = tablebase.probe_distance(&pos).expect("sound").expect("known");
        assert_eq!(found, value_by_turns(&tablebase, &mut pos), "{text}");
    }
}
