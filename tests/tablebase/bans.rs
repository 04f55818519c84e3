//! Games in which a man that left a mill to close another must not go straight back.

use super::solving::{build_and_prove, value_by_turns};
use super::{Silent, faults_of, fen, replace_values, settings};
use crate::common::Folder;
use crate::fuzzed::chance::fresh;
use millstone::internals::board::{FULL, in_mills, members, neighbours};
use millstone::internals::build::Distances;
use millstone::internals::file::TbFile;
use millstone::internals::game::SolvedGame;
use millstone::internals::header::TbKind;
use millstone::internals::pair::solve_pair;
use millstone::internals::units::Unit;
use millstone::position::Position;
use millstone::rules::{Rules, blocked};
use millstone::tablebase::{Sector, Tablebase, TablebaseError, TbValue, Wdl};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

const FIVE_FOUR: Sector = Sector::moving(5, 4);

/// A position of `5_4_0_0` that is won in seven plies without bans, and drawn with them.
const DRAWN: (u32, u32) = (0x01_010D, 0x24_3000);

/// The units that lead to five men against four: without five men nobody goes from one mill to another.
const UNITS: [(u8, u8); 5] = [(3, 3), (4, 3), (4, 4), (5, 3), (5, 4)];

fn units(men: &[(u8, u8)]) -> Vec<Unit> {
    men.iter().map(|&(own, theirs)| Unit::moving(own, theirs)).collect()
}

/// Returns a random position of five men against four in which a man can leave a mill to close another.
fn between_mills(random: &mut StdRng, rules: &Rules) -> Position {
    loop {
        let mut points: Vec<u32> = (0..24).collect();
        points.shuffle(random);
        let set = |points: &[u32]| points.iter().map(|point| 1 << point).sum::<u32>();
        let (own, theirs) = (set(&points[..5]), set(&points[5..9]));
        let diagonals = rules.has_diagonal_lines;
        let leads_to_mill = |from: u32| {
            let after = |to: u32| own & !(1 << from) | 1 << to;
            let targets = neighbours(from, diagonals) & FULL & !(own | theirs);
            members(targets).any(|to| in_mills(after(to), diagonals) >> to & 1 != 0)
        };
        if members(in_mills(own, diagonals)).any(leads_to_mill) {
            let text = fen(own, theirs, if random.random() { 'w' } else { 'b' });
            return Position::from_fen(rules, &text).expect("a sound text");
        }
    }
}

/// Compares values with those of the engine's moves, around turns that leave a mill to close another. Returns
/// the number of positions with a ban.
fn compare(tablebase: &Tablebase, rules: &Rules) -> usize {
    let mut random = StdRng::seed_from_u64(fresh(60));
    let mut bans = 0;
    let mut compare = |pos: &mut Position| {
        if !pos.outcome().is_over() && !pos.is_take_due() {
            pos.forget_history();
            let found = tablebase.probe_distance(pos).expect("sound");
            assert_eq!(found, Some(value_by_turns(tablebase, pos)), "{}", pos.fen());
            assert_eq!(tablebase.probe(pos).expect("sound"), found.map(|found| found.wdl));
            bans += usize::from(tablebase.probe_stored(pos).expect("sound").is_none());
        }
    };
    for _ in 0..400 {
        let mut pos = between_mills(&mut random, rules);
        compare(&mut pos);
        for &slide in pos.legal_moves().iter() {
            let mut pos = pos.clone();
            pos.do_move(slide);
            // After a mill any take, and three more turns.
            for turn in 0..8 {
                let moves = pos.legal_moves();
                let Some(&m) = moves.choose(&mut random).filter(|_| turn > 0 || pos.is_take_due()) else {
                    break;
                };
                pos.do_move(m);
                compare(&mut pos);
            }
        }
    }
    bans
}

#[test]
fn sectors_of_a_game_with_bans_are_proved_and_the_values_without_bans_are_not() {
    let rules = Rules::MORABARABA;
    let folder = Folder::new("bans");
    let tablebase = build_and_prove(&rules, &folder, &units(&UNITS));
    assert!(compare(&tablebase, &rules) > 100);
    let pos = Position::from_fen(&rules, &fen(DRAWN.0, DRAWN.1, 'w')).expect("a sound text");
    assert_eq!(tablebase.probe(&pos).expect("sound"), Some(Wdl::Draw));
    // Results solved without distances are the same.
    let game = SolvedGame::new(&rules).expect("supported");
    let read = |sector, kind| -> Result<Vec<u8>, TablebaseError> {
        TbFile::open_in(folder.path(), &game, sector, kind)?.read_all(2)
    };
    let mut load = |sector| read(sector, TbKind::Wdl);
    let solved = solve_pair(&game, FIVE_FOUR, TbKind::Wdl, 2, &mut load, &|_| ()).expect("solved");
    for (sector, values) in solved {
        let wdl = |value: &u8| TbValue(*value).wdl();
        assert!(values.iter().map(wdl).eq(read(sector, TbKind::Wdl).expect("sound").iter().map(wdl)));
    }
    // The value without bans, with checksums and counts that fit, is noticed.
    let mut values = read(FIVE_FOUR, TbKind::Distance).expect("sound");
    values[FIVE_FOUR.slot(DRAWN.0, DRAWN.1) as usize] = TbValue::decided(7).0;
    replace_values(&rules, &folder, FIVE_FOUR, &values);
    let faults = faults_of(&rules, &folder, FIVE_FOUR);
    let [fault] = faults.as_slice() else { panic!("one fault: {faults:?}") };
    assert!(fault.to_string().contains("5_4_0_0"), "{fault}");
}

/// A side of six can have a ban when it loses one of its men. The counts are those of `cd20e8a7`, which did
/// not look for critical positions.
#[test]
fn bans_of_the_side_that_loses_a_man_count() {
    let (rules, folder) = (Rules::MORABARABA, Folder::new("bans-of-six"));
    let units = units(&[UNITS.as_slice(), &[(6, 3), (6, 4)]].concat());
    settings(&rules, &folder, Distances::None).build(&units, u64::MAX, &Silent).expect("built");
    let game = SolvedGame::new(&rules).expect("supported");
    let counts = [Sector::moving(6, 4), Sector::moving(4, 6)].map(|sector| {
        let file = TbFile::open_in(folder.path(), &game, sector, TbKind::Wdl).expect("a file");
        let values = file.read_all(2).expect("sound");
        [Wdl::Win, Wdl::Loss].map(|wdl| values.iter().filter(|&&value| TbValue(value).wdl() == wdl).count())
    });
    assert_eq!(counts, [[24_182_941, 8], [5_949, 19_108_721]]);
}

/// A ban never blocks a side, so it does not help one that draws when it is blocked.
#[test]
fn sectors_in_which_a_blocked_side_draws_are_proved() {
    let rules = Rules { stalemate_action: blocked::DRAWS, ..Rules::MORABARABA };
    build_and_prove(&rules, &Folder::new("bans-blocked"), &units(&UNITS));
}
