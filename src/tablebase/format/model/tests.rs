use super::contexts::{Features, MEN};
use super::shares::level_of;
use super::*;
use crate::tablebase::format::board::{self, FULL, in_mills};
use crate::tablebase::format::index::Index;

fn random(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as u32
}

const SECTORS: [Sector; 6] = [
    Sector { own: 3, theirs: 3, own_hand: 0, their_hand: 0 },
    Sector { own: 4, theirs: 5, own_hand: 0, their_hand: 0 },
    Sector { own: 8, theirs: 8, own_hand: 1, their_hand: 0 },
    Sector { own: 9, theirs: 1, own_hand: 0, their_hand: 0 },
    Sector { own: 0, theirs: 0, own_hand: 9, their_hand: 9 },
    Sector { own: 12, theirs: 11, own_hand: 0, their_hand: 0 },
];

#[test]
fn neighbours_are_the_sets_with_one_man_lower() {
    let index = Index::get();
    for sector in SECTORS {
        let points = 24 - u32::from(sector.own);
        let men = sector.theirs as usize;
        let mut features = Features::new(None);
        let count = sector.slots().min(PART_SLOTS as u64) as usize;
        let first = sector.slots() - count as u64;
        features.compute(sector, Geometry::from_byte(0), first, count);
        let steps = RowSteps::new(sector);
        assert_eq!(steps.is_some(), sector.rows() >= 16);
        let mut by_steps = Features::new(steps.as_ref());
        by_steps.compute(sector, Geometry::from_byte(0), first, count);
        assert!(by_steps.neighbours == features.neighbours);
        for place in 0..count {
            let slot = first + place as u64;
            let row = sector.row_length() as u64;
            let set = index.unrank(men, (slot % row) as u32);
            for (number, neighbours) in features.neighbours.iter().enumerate() {
                let (j, down) = if number < MEN { (number, 1) } else { (number - MEN, 2) };
                let man = board::members(set).nth(j).filter(|&man| man >= down);
                let lower = man.map(|man| (man, man - down)).filter(|(_, to)| set >> to & 1 == 0);
                let expected = lower
                    .map(|(man, to)| {
                        slot - slot % row + u64::from(index.rank(men, set & !(1 << man) | 1 << to))
                    })
                    .filter(|&at| at >= first)
                    .map_or(PART_SLOTS, |at| (at - first) as usize);
                assert_eq!(
                    usize::from(neighbours[place]),
                    expected,
                    "{sector} slot {slot} of {points} points"
                );
            }
        }
    }
}

#[test]
fn points_that_close_mills_are_those_a_move_closes() {
    let mut state = 3;
    for _ in 0..2000 {
        let own = random(&mut state) & random(&mut state) & FULL;
        for diagonals in [false, true] {
            let geometry = Geometry { diagonals, own_anywhere: false, theirs_anywhere: false };
            let (completing, reached) = geometry.closing(own);
            for point in board::members(FULL & !own) {
                let closes = |set: u32| in_mills(set, diagonals) >> point & 1 != 0;
                assert_eq!(completing >> point & 1 != 0, closes(own | 1 << point));
                let slides = board::members(board::neighbours(point, diagonals) & own)
                    .any(|from| closes(own & !(1 << from) | 1 << point));
                assert_eq!(reached >> point & 1 != 0, slides, "{own:06x} {point} {diagonals}");
            }
        }
    }
}

#[test]
fn shares_leave_every_result_possible() {
    assert!(SHARES.iter().all(|&[win, draw]| 0 < win && win < draw));
    let even = SHARES[level_of(0, 0)];
    assert!((21_840..21_850).contains(&even[0]) && (43_685..43_695).contains(&even[1]));
}

#[test]
fn any_results_come_back_from_any_model() {
    let mut state = 5;
    for sector in SECTORS {
        for byte in 0..8 {
            let geometry = Geometry::from_byte(byte);
            assert_eq!(geometry.to_byte(), byte);
            let bytes: Vec<u8> = (0..MODEL_BYTES).map(|_| random(&mut state) as u8).collect();
            let model = Model::from_bytes(&bytes);
            let count = sector.slots().min(PART_SLOTS as u64);
            let first = u64::from(random(&mut state)) % (sector.slots() - count + 1);
            let results: Vec<u8> = (0..count).map(|_| (random(&mut state) % 3) as u8).collect();
            let digits = model.encode(&mut Features::new(None), sector, geometry, first, &results);
            let mut found = vec![0; results.len()];
            model.decode(&mut Features::new(None), sector, geometry, first, &digits, &mut found);
            assert!(found == results, "{sector}");
        }
    }
}

/// Predictable results take little room, and the weights are the same for any number of threads.
#[test]
fn training_finds_what_results_depend_on() {
    let sector = Sector::moving(4, 4);
    let geometry = Geometry::from_byte(0);
    let result = |slot: u64| {
        let (own, theirs) = sector.position(slot);
        let closes = geometry.closing(own).1 & FULL & !own & !theirs != 0;
        if closes { 2 } else { u8::from(in_mills(theirs, false) == 0) }
    };
    let bytes = train(sector, geometry, None, 1, result);
    assert_eq!(bytes.len(), MODEL_BYTES);
    assert!(bytes == train(sector, geometry, RowSteps::new(sector).as_ref(), 3, result));
    let model = Model::from_bytes(&bytes);
    let (mut seen, mut length) = ([0; 3], 0);
    let parts = sector.slots() / PART_SLOTS as u64;
    for part in 0..parts {
        let first = part * PART_SLOTS as u64;
        let results: Vec<u8> = (first..).take(PART_SLOTS).map(result).collect();
        results.iter().for_each(|&result| seen[usize::from(result)] += 1);
        length += model.encode(&mut Features::new(None), sector, geometry, first, &results).len() as u64;
    }
    assert!(seen.iter().all(|&times| times > 1000), "{seen:?}");
    assert!(length < 20 * parts, "{length} bytes for {parts} parts");
}
