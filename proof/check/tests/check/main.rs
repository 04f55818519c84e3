//! Small certificates hold, changed ones fail, and the parts of the program agree with slower ones.

mod built_in;
mod entries;

use entries::{Entries, KINDS, Random, Ribbons, sealed};
use proof_check::board::{Board, Counts, Game, Men, NINE};
use proof_check::certificate::{Certificate, fingerprint};
use proof_check::index::{Index, symmetries};
use proof_check::walk::Walk;
use std::collections::HashSet;
use std::process::Command;

const THREE: Game = Game { men: 3, fly_at: 0 };
const FOUR: Game = Game { men: 4, fly_at: 0 };
/// Certificates of two small games: of both sides without open sectors, of Black with some.
const FILES: [(Game, &[u8]); 2] =
    [(THREE, include_bytes!("../data/three.mcert")), (FOUR, include_bytes!("../data/four-black.mcert"))];

struct Tables {
    board: Board,
    index: Index,
}

impl Tables {
    fn new(game: Game) -> Self {
        let board = Board::new(game);
        let index = Index::new(&board);
        Self { board, index }
    }

    fn read(&self, file: &[u8]) -> Result<Certificate, String> {
        Certificate::read(file, self.board.game, &self.index)
    }

    /// Returns the numbers of placing, moving and open positions, of those that refuse the first turn, and of
    /// turns.
    fn walk(&self, file: &[u8]) -> Result<[u64; 5], String> {
        let certificate = self.read(file)?;
        let mut walk = Walk::new(&self.board, &self.index, &certificate);
        let mut sum = [0; 5];
        for &is_black in certificate.sides {
            let [placing, moving, deepest] = walk.run(is_black)?;
            (sum[0], sum[1], sum[4]) = (sum[0] + placing, sum[1] + moving, deepest.max(sum[4]));
        }
        (sum[2], sum[3]) = (walk.check_open()?[1], walk.compare()?);
        Ok(sum)
    }
}

#[test]
fn small_certificates_hold() {
    let known = [[1_391, 41_145, 0, 601, 50], [5_658, 351_145, 841_928, 5_028, 81]];
    for ((game, file), known) in FILES.into_iter().zip(known) {
        assert_eq!(Tables::new(game).walk(file), Ok(known));
    }
}
/// Returns the position in the other orientation.
fn image(images: &[usize], (own, theirs): Men) -> Men {
    let map = |set: u32| (0..24).filter(|point| set >> point & 1 != 0).map(|point| 1 << images[point]).sum();
    (map(own), map(theirs))
}

/// The men in hand and on the board; the side that follows the certificate is to move.
type Position = ([u32; 2], Men);

fn counts_of((hands, men): Position) -> Counts {
    [men.0.count_ones(), men.1.count_ones(), hands[0], hands[1]]
}

fn turns(board: &Board, men: Men, hand: u32) -> Vec<Men> {
    let mut turns = Vec::new();
    board.any_turn(men, hand, |after| {
        turns.push(after);
        false
    });
    turns
}

/// Returns the men after the turn of the certificate, and its place.
fn choose(walk: &Walk<'_>, position: Position, slot: u32) -> Option<(Men, usize)> {
    walk.choose(&walk.sector(counts_of(position)), position.1, slot)
}

/// Walks without sectors and levels, and of each position goes on with an image. It takes the turn of the
/// certificate from `Walk::choose`.
fn walk_all(
    tables: &Tables,
    certificate: &Certificate,
    image: impl Fn(Position) -> Position,
) -> HashSet<Position> {
    let Tables { board, index } = tables;
    let walk = Walk::new(board, index, certificate);
    let men = board.game.men;
    let mut left: Vec<Position> = Vec::new();
    for (white, black) in turns(board, (0, 0), men) {
        if certificate.sides.contains(&true) {
            left.push(([men, men - 1], (black, white)));
        }
        let losing = certificate.lists.get(&[1, 0, men - 1, men]);
        let is_listed = losing.is_some_and(|list| list.contains(&index.slot((white, black))));
        if certificate.sides.contains(&false) && !is_listed {
            let replies = turns(board, (black, white), men);
            left.extend(replies.iter().map(|(black, white)| ([men - 1; 2], (*white, *black))));
        }
    }
    left = left.into_iter().map(&image).collect();
    let mut known: HashSet<Position> = left.iter().copied().collect();
    while let Some((hands, men)) = left.pop() {
        let slot = index.slot(men);
        let (after, _) = choose(&walk, (hands, men), slot).expect("a turn");
        assert!(turns(board, men, hands[0]).contains(&after));
        if after.1.count_ones() + hands[1] < 3 {
            continue;
        }
        let left_hands = hands.map(|hand| hand.saturating_sub(1));
        for (theirs, own) in turns(board, (after.1, after.0), hands[1]) {
            let next = image((left_hands, (own, theirs)));
            assert!(own.count_ones() + left_hands[0] >= 3, "lost");
            match certificate.lists.get(&counts_of(next)) {
                Some(listed) => assert!(listed.binary_search(&index.slot(next.1)).is_err(), "listed"),
                None if known.insert(next) => left.push(next),
                None => {}
            }
        }
    }
    known
}

#[test]
fn a_walk_without_symmetries_finds_the_same_positions() {
    for (game, file) in FILES {
        let tables = Tables::new(game);
        let all = symmetries(&tables.board);
        let known = walk_all(&tables, &tables.read(file).expect("sound"), |position| position);
        let orbit = |(hands, men): &Position| (all.iter().map(|map| image(map, *men)).min(), *hands);
        let orbits: HashSet<_> = known.iter().map(orbit).collect();
        let [placing, moving, ..] = tables.walk(file).expect("holds");
        println!("{} positions, {} up to symmetry", known.len(), orbits.len());
        assert_eq!(orbits.len() as u64, placing + moving);
        assert_eq!(orbits.iter().filter(|(_, hands)| hands[0] > 0).count() as u64, placing);
    }
}

/// Returns the slot after the turn in each position, or nothing if there is no turn.
fn decisions(tables: &Tables, file: &[u8], positions: &HashSet<Position>) -> Vec<Option<u32>> {
    let certificate = tables.read(file).expect("sound");
    let walk = Walk::new(&tables.board, &tables.index, &certificate);
    let decide = |&(hands, men): &Position| {
        let slot = tables.index.slot(men);
        let (after, _) = choose(&walk, (hands, men), slot)?;
        Some(tables.index.slot((after.1, after.0)))
    };
    positions.iter().map(decide).collect()
}

/// More than a thousand changes of one entry each fail. Others do not, because they change no decision in any
/// position that can arise: most weights do not occur there, and a new seed may refuse the same few turns.
/// They are counted, and all decisions are compared.
#[test]
fn certificates_with_one_entry_changed_fail() {
    let mut random = Random(0x5eed);
    let mut total = 0;
    for (game, file) in FILES {
        let tables = Tables::new(game);
        let entries = Entries::new(file, &tables.read(file).expect("sound"));
        assert!(tables.walk(&entries.file()).is_ok(), "written again, it still holds");
        let least = |(hands, men): Position| {
            let slot = tables.index.slot(men);
            (hands, tables.index.position(men.0.count_ones(), men.1.count_ones(), slot))
        };
        let positions = walk_all(&tables, &tables.read(file).expect("sound"), least);
        let known = decisions(&tables, file, &positions);
        let mut counts = [[0; 2]; 9];
        // Walks of the larger game take longer.
        for number in 0..if game.men == 3 { 1_260 } else { 27 } {
            let kind = number % 9;
            let mut changed = entries.clone();
            if !changed.change(kind, &tables, &mut random) {
                continue;
            }
            let changed = changed.file();
            let holds = tables.walk(&changed).is_ok();
            counts[kind][usize::from(holds)] += 1;
            assert!(!holds || decisions(&tables, &changed, &positions) == known, "{}", KINDS[kind]);
            total += usize::from(!holds);
        }
        println!("{} men: [fail, no decision changed]", game.men);
        KINDS.iter().zip(counts).for_each(|(kind, counts)| println!("{kind}: {counts:?}"));
        // Of the ribbons nearly every bit matters.
        let always = [5, 7, 8].map(|kind| counts[kind][1]);
        assert_eq!(always, [0; 3]);
        assert!(counts[..2].iter().all(|[fail, no_change]| fail > no_change), "{counts:?}");
        // Most weights do not occur in small games.
        let fails = |(kind, counts): (usize, &[usize; 2])| counts[0] > 0 || KINDS[kind] == "weight";
        assert!(counts.iter().enumerate().all(fails), "{counts:?}");
    }
    assert!(total >= 1_000, "{total}");
}

/// Each position of a small open sector is compared with the definition of an allowed turn.
#[test]
fn open_sectors_are_sound() {
    let tables = Tables::new(FOUR);
    let (board, index) = (&tables.board, &tables.index);
    let certificate = tables.read(FILES[1].1).expect("sound");
    let holds = |(own, theirs): Men| {
        let listed = certificate.lists.get(&[own.count_ones(), theirs.count_ones(), 0, 0]);
        listed.is_some_and(|slots| slots.binary_search(&index.slot((own, theirs))).is_err())
    };
    let is_safe = |after: &Men| {
        let replies = turns(board, (after.1, after.0), 0);
        after.1.count_ones() < 3 || replies.iter().all(|(theirs, own)| holds((*own, *theirs)))
    };
    let mut held = 0;
    for own in [3, 4] {
        for slot in 0..index.slots(own, 3) {
            let men = index.position(own, 3, slot);
            if index.slot(men) == slot && holds(men) {
                held += 1;
                assert!(turns(board, men, 0).iter().any(is_safe), "{men:?}");
            }
        }
    }
    assert_eq!(tables.walk(FILES[1].1).expect("holds")[2], held);
    let entries = Entries::new(FILES[1].1, &certificate);
    // It cannot have a filter as well. A list elsewhere would end the walk.
    let mut changed = entries.clone();
    changed.filters.truncate(1);
    changed.filters[0].counts = [3, 3, 0, 0];
    assert!(tables.walk(&changed.file()).expect_err("both").contains("unsound"));
    for counts in [[3, 3, 1, 0], [2, 3, 0, 0], [3, 2, 0, 0]] {
        let mut changed = entries.clone();
        changed.lists.insert(counts, Vec::new());
        assert!(
            tables.walk(&changed.file()).expect_err("no list").contains("cannot have a list"),
            "{counts:?}"
        );
    }
    // Without a sector, the others are left by a reply or a position of it needs a turn of its own.
    let mut changed = entries;
    changed.lists.remove(&[3, 3, 0, 0]);
    assert!(tables.walk(&changed.file()).is_err());
}

/// Ribbons need bits that fit the file, all widths and places are refused, and no turn is left at last.
#[test]
fn unsound_filters_fail() {
    let tables = Tables::new(THREE);
    let entries = Entries::new(FILES[0].1, &tables.read(FILES[0].1).expect("sound"));
    let read = |change: &dyn Fn(&mut Ribbons)| {
        let mut changed = entries.clone();
        change(changed.filters.last_mut().expect("one"));
        tables.walk(&changed.file()).expect_err("changed")
    };
    for size in [1, 127, 2_337, u32::MAX] {
        let error = read(&|filter| filter.sizes[1] = size);
        assert!(error.contains("unsound") || error.contains("cut off"), "{error}");
    }
    // Three bits of the last byte are not used.
    let unused = read(&|filter| {
        filter.sizes[0] = 8 * filter.bits[0].len() as u32 - 3;
        *filter.bits[0].last_mut().expect("one") |= 0x80;
    });
    assert!(unused.contains("unsound"), "{unused}");
    assert!(read(&|filter| filter.counts = [4, 3, 0, 0]).contains("unsound"));
    assert!(read(&|filter| filter.counts = [1, 1, 2, 0]).contains("ascending"));
    assert!(read(&|filter| filter.counts = [3, 3, 0, 1]).contains("unsound"));
    // Nothing is refused, so a man is lost at last.
    let mut lost = entries.clone();
    lost.filters.clear();
    assert!(tables.walk(&lost.file()).expect_err("lost").contains("too few men"));
    // A table of ones refuses about half of all turns, and all turns of some position.
    let all = read(&|filter| {
        (filter.widths, filter.sizes[1], filter.bits[1]) = ([0; 64], 8 * 292, vec![0xff; 292]);
    });
    assert!(all.contains("no turn that is not refused") || all.contains("too few men"), "{all}");
}

#[test]
fn damaged_files_fail() {
    let mut random = Random(0xbad);
    for (game, file) in FILES {
        let tables = Tables::new(game);
        // The first file at each length, the second at some.
        for length in (0..file.len()).step_by(if game.men == 3 { 1 } else { 997 }) {
            assert!(tables.read(&file[..length]).is_err(), "{length} bytes");
            // With a checksum that is right, too.
            if length > 16 {
                assert!(tables.read(&sealed(&file[16..length])).is_err(), "{length} bytes, sealed");
            }
        }
        for _ in 0..500 {
            let mut changed = file.to_vec();
            let bit = random.below(8 * file.len());
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(tables.read(&changed).is_err(), "bit {bit}");
        }
        assert!(tables.read(&sealed(&[&file[16..], &[0]].concat())).is_err(), "a byte more");
        // For another side, with a checksum that is right.
        for sides in [0, 1, 2, 3] {
            let mut other = file[16..].to_vec();
            if other[1] != sides {
                other[1] = sides;
                assert!(tables.walk(&sealed(&other)).is_err(), "for {sides}");
            }
        }
        // Damage with a right checksum is an error or another certificate, but no panic.
        for _ in 0..50 {
            let mut changed = file[16..].to_vec();
            changed[random.below(file.len() - 16)] = random.below(256) as u8;
            let _ = tables.walk(&sealed(&changed));
        }
    }
}

#[test]
fn the_command_names_faults() {
    let run = |words: &[&str]| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
        let mut command = Command::new(env!("CARGO_BIN_EXE_millstone-proof-check"));
        let output = command.args(words).current_dir(folder).output().expect("runs");
        (output.status.code().expect("a status"), String::from_utf8(output.stdout).expect("text"))
    };
    let (status, text) = run(&["three.mcert"]);
    assert!(status == 1 && text.contains("for other rules"), "{text}");
    let (status, text) = run(&["README.md"]);
    assert!(status == 1 && text.contains("MILLCERT"), "{text}");
    assert_eq!(run(&["missing.mcert"]).0, 1);
    let wrong: [&[&str]; 2] = [&[], &["-x"]];
    wrong.iter().for_each(|words| assert_eq!(run(words).0, 2, "{words:?}"));
}

#[test]
fn the_fingerprint_is_that_of_the_standard_game() {
    assert_eq!(fingerprint(NINE), 0xFEF0_CA8E_EBC1_AB71);
}

/// A slot stands for one position and its images: reading it back gives one of them, and all have that slot.
#[test]
fn slots_stand_for_positions_up_to_symmetry() {
    let tables = Tables::new(NINE);
    let all = symmetries(&tables.board);
    assert_eq!(all.len(), 16);
    let example = (0b000_111, 0b111_000);
    assert_eq!(tables.index.slot(example), 0, "the example of docs/tables-format.md");
    let check = |own: u32, theirs: u32, slot: u32| {
        let men = tables.index.position(own, theirs, slot);
        assert_eq!((men.0.count_ones(), men.1.count_ones(), men.0 & men.1), (own, theirs, 0));
        let least = tables.index.slot(men);
        assert!(least <= slot);
        let back = tables.index.position(own, theirs, least);
        assert!(all.iter().any(|map| image(map, back) == men), "{men:?}");
        assert!(all.iter().all(|map| tables.index.slot(image(map, men)) == least), "{men:?}");
    };
    for (own, theirs) in (0..4).flat_map(|own| (0..4).map(move |theirs| (own, theirs))) {
        (0..tables.index.slots(own, theirs)).for_each(|slot| check(own, theirs, slot));
    }
    let mut random = Random(0x51075);
    for _ in 0..300_000 {
        let (own, theirs) = (random.below(10) as u32, random.below(10) as u32);
        check(own, theirs, random.below(tables.index.slots(own, theirs) as usize) as u32);
    }
}

/// Compares with the counts of `docs/rules.md`, in which a take is a move of its own.
#[test]
fn turns_are_those_of_the_rules() {
    let board = Board::new(NINE);
    fn moves(board: &Board, men: Men, hands: (u32, u32), depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        if men.0.count_ones() + hands.0 < 3 {
            return 0;
        }
        let (mut count, mut closed) = (0, HashSet::new());
        for (own, theirs) in turns(board, men, hands.0) {
            let next = (hands.1, hands.0.saturating_sub(1));
            if theirs == men.1 {
                count += moves(board, (theirs, own), next, depth - 1);
            } else if depth == 1 {
                // The take is another move: all takes of a placing or slide belong to one move.
                count += u64::from(closed.insert(own));
            } else {
                count += moves(board, (theirs, own), next, depth - 2);
            }
        }
        count
    }
    let known = [24, 552, 12_144, 255_024, 5_100_480, 96_223_680];
    for (depth, count) in (1..).zip(known) {
        assert_eq!(moves(&board, (0, 0), (9, 9), depth), count, "depth {depth}");
    }
    let text = |board: &str| {
        // The texts begin with the top of the inner ring.
        let mut men = (0, 0);
        for (at, man) in board.chars().filter(|man| *man != '/').enumerate() {
            let point = [16, 8, 0][at / 8] + (at + 2) % 8;
            men.0 |= u32::from(man == 'O') << point;
            men.1 |= u32::from(man == '@') << point;
        }
        men
    };
    let white = text("***@*@O*/*OO@@@OO/@@**@*OO");
    let counts = [6, 46, 273, 2_190, 14_992, 115_150];
    for (depth, count) in (1..).zip(counts) {
        assert_eq!(moves(&board, white, (0, 0), depth), count, "depth {depth}");
    }
    let (white, black) = text("O*@*O***/*O***OO@/*@*@OO*@");
    for (depth, count) in (1..).zip([9, 112, 869, 9_627, 73_582, 766_178]) {
        assert_eq!(moves(&board, (black, white), (0, 0), depth), count, "depth {depth}");
    }
}

/// With three men a side flies, with four it slides; of men in mills one is taken only if all stand in mills.
#[test]
fn men_fly_and_are_protected_as_the_rules_say() {
    let board = Board::new(NINE);
    let count = |men, hand| {
        let (mut count, mut takes) = (0, HashSet::new());
        for after in turns(&board, men, hand) {
            count += 1;
            takes.extend((after.1 != men.1).then_some(men.1 & !after.1));
        }
        (count, takes.len())
    };
    let set = |points: &[u32]| points.iter().map(|point| 1 << point).sum::<u32>();
    assert_eq!(count((set(&[1, 11, 21]), set(&[3, 5, 7, 17])), 0), (3 * 17, 0));
    assert_eq!(count((set(&[1, 11, 21, 15]), set(&[3, 5, 7, 17])), 0), (8, 0));
    // White closes 1-2-3 by placing. Black's men 5, 6, 7 stand in a mill, 9 does not.
    assert_eq!(count((set(&[1, 2]), set(&[5, 6, 7, 9])), 3), (18, 1));
    assert_eq!(count((set(&[1, 2]), set(&[5, 6, 7])), 3), (18 + 3, 3));
    // Two mills closed at once take one man.
    assert_eq!(count((set(&[2, 3, 0, 7]), set(&[9, 11])), 3), (18 - 1 + 2, 2));
    // A man without an empty neighbour cannot move.
    assert_eq!(count((set(&[1, 3, 5, 7]), set(&[0, 2, 4, 6])), 0), (0, 0));
}
