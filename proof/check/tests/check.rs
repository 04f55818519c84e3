//! Small certificates hold, changed ones fail, and the parts of the program agree with slower ones.

use proof_check::board::{Board, Game, Men, NINE};
use proof_check::certificate::{Certificate, Counts, fingerprint};
use proof_check::index::{Index, symmetries};
use proof_check::open::Open;
use proof_check::walk::{Position, Walk, fault};
use std::collections::{BTreeMap, HashSet};
use std::process::Command;
use xxhash_rust::xxh3::xxh3_64;

const THREE: Game = Game { men: 3, fly_at: 0 };
const FOUR: Game = Game { men: 4, fly_at: 0 };
/// Certificates of two small games: of both sides without open sectors, of Black with some.
const FILES: [(Game, &[u8]); 2] =
    [(THREE, include_bytes!("data/three.mcert")), (FOUR, include_bytes!("data/four-black.mcert"))];

/// Random numbers with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

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

    /// Returns the numbers of placing, moving and open positions, of exceptions, and of turns.
    fn walk(&self, file: &[u8]) -> Result<[usize; 5], String> {
        let certificate = self.read(file)?;
        let open = Open::new(&self.board, &self.index, &certificate.open);
        let walk = Walk::new(&self.board, &self.index, &certificate, &open);
        let mut sum = [0; 5];
        for &is_black in certificate.sides {
            let summary = walk.run(is_black)?;
            sum[0] += summary.placing;
            sum[1] += summary.moving;
            sum[4] = sum[4].max(summary.deepest);
        }
        sum[2] = open.check().map_err(|men| fault("no allowed turn", ([0; 2], men)))? as usize;
        sum[3] = walk.exceptions()?;
        Ok(sum)
    }
}

#[test]
fn small_certificates_hold() {
    let known = [[1_456, 39_414, 0, 690, 56], [6_429, 369_810, 841_928, 7_896, 87]];
    for ((game, file), known) in FILES.into_iter().zip(known) {
        assert_eq!(Tables::new(game).walk(file), Ok(known));
    }
}

/// Returns the position in the other orientation.
fn image(images: &[u32], (own, theirs): Men) -> Men {
    let map = |set: u32| (0..24).filter(|point| set >> point & 1 != 0).map(|point| 1 << images[point]).sum();
    (map(own), map(theirs))
}

/// Walks without symmetries, sectors and levels. It takes the turn of the certificate from `Walk::choose`.
#[test]
fn a_walk_without_symmetries_finds_the_same_positions() {
    for (game, file) in FILES {
        let tables = Tables::new(game);
        let all = symmetries(&tables.board);
        let certificate = tables.read(file).expect("sound");
        let open = Open::new(&tables.board, &tables.index, &certificate.open);
        let walk = Walk::new(&tables.board, &tables.index, &certificate, &open);
        let listed = |(hands, men): Position| {
            let counts: Counts = [men.0.count_ones(), men.1.count_ones(), hands[0].into(), hands[1].into()];
            let slot = tables.index.find(men).0;
            let list = certificate.exceptions.get(&counts)?;
            list.iter().find(|listed| listed.slot == slot).map(|listed| listed.place)
        };
        let men = game.men as u8;
        let mut left: Vec<Position> = Vec::new();
        for (white, black) in tables.board.turns((0, 0), game.men) {
            if certificate.sides.contains(&true) {
                left.push(([men, men - 1], (black, white)));
            }
            if certificate.sides.contains(&false) && listed(([men - 1, men], (white, black))).is_none() {
                let replies = tables.board.turns((black, white), game.men);
                left.extend(replies.iter().map(|(black, white)| ([men - 1; 2], (*white, *black))));
            }
        }
        let mut known: HashSet<Position> = left.iter().copied().collect();
        while let Some((hands, men)) = left.pop() {
            let after = walk.choose((hands, men), listed((hands, men)).unwrap_or(0)).expect("one");
            assert!(tables.board.turns(men, hands[0].into()).contains(&after));
            if after.1.count_ones() + u32::from(hands[1]) < 3 {
                continue;
            }
            let left_hands = hands.map(|hand| hand.saturating_sub(1));
            for (theirs, own) in tables.board.turns((after.1, after.0), hands[1].into()) {
                let next = (left_hands, (own, theirs));
                assert!(own.count_ones() + u32::from(left_hands[0]) >= 3, "lost");
                let counts = [own.count_ones(), theirs.count_ones(), 0, 0];
                match certificate.open.get(&counts).filter(|_| left_hands[0] == 0) {
                    Some(listed) => assert!(!listed.contains(&tables.index.find(next.1).0), "listed"),
                    None if known.insert(next) => left.push(next),
                    None => {}
                }
            }
        }
        let orbit = |(hands, men): &Position| (all.iter().map(|map| image(map, *men)).min(), *hands);
        let orbits: HashSet<_> = known.iter().map(orbit).collect();
        let [placing, moving, ..] = tables.walk(file).expect("holds");
        println!("{} positions, {} up to symmetry", known.len(), orbits.len());
        assert_eq!(orbits.len(), placing + moving);
        assert_eq!(orbits.iter().filter(|(_, hands)| hands[0] > 0).count(), placing);
    }
}

/// The exceptions of a certificate, to be changed, with the bytes before them.
#[derive(Clone)]
struct Entries {
    head: Vec<u8>,
    weights: Vec<u8>,
    lists: BTreeMap<Counts, Vec<(u32, usize)>>,
    /// The lost positions of open sectors.
    open: BTreeMap<Counts, Vec<(u32, usize)>>,
}

impl Entries {
    fn new(file: &[u8], certificate: &Certificate) -> Self {
        let length = u32::from_le_bytes(file[28..32].try_into().expect("four bytes")) as usize;
        let start = 36 + 16 * (certificate.exceptions.len() + certificate.open.len());
        let lists = certificate
            .exceptions
            .iter()
            .map(|(counts, list)| (*counts, list.iter().map(|listed| (listed.slot, listed.place)).collect()));
        let plain =
            |(counts, slots): (&Counts, &Vec<u32>)| (*counts, slots.iter().map(|slot| (*slot, 1)).collect());
        Self {
            head: file[16..32].into(),
            weights: file[start..start + length].into(),
            lists: lists.collect(),
            open: certificate.open.iter().map(plain).collect(),
        }
    }

    fn file(&self) -> Vec<u8> {
        const PARAMETER: u32 = 6;
        let (mut head, mut codes) = (self.head.clone(), Vec::new());
        head[3] = self.open.len() as u8;
        head.extend((self.lists.len() as u32).to_le_bytes());
        for (counts, list) in self.lists.iter().chain(&self.open) {
            let mut bits = Vec::new();
            let mut next = 0;
            for &(slot, place) in list {
                let gap = slot - next;
                bits.extend((0..gap >> PARAMETER).map(|_| true));
                bits.push(false);
                bits.extend((0..PARAMETER).map(|bit| gap >> bit & 1 != 0));
                bits.extend((1..place).map(|_| true));
                bits.push(false);
                next = slot + 1;
            }
            let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
            let code: Vec<u8> = bits.chunks(8).map(byte).collect();
            head.extend(counts.map(|count| count as u8));
            head.extend([PARAMETER as u8, 0, 0, 0]);
            head.extend((list.len() as u32).to_le_bytes());
            head.extend((code.len() as u32).to_le_bytes());
            codes.extend(code);
        }
        head.extend(&self.weights);
        head.extend(codes);
        sealed(&head)
    }
}

/// Returns a file with these bytes after its checksum.
fn sealed(rest: &[u8]) -> Vec<u8> {
    [b"MILLCERT", &xxh3_64(rest).to_le_bytes(), rest].concat()
}

/// Changes an entry of a list. Kinds: 0 removed, 1 lowered, 2 moved to another position, 3 raised.
fn change(list: &mut Vec<(u32, usize)>, at: usize, kind: usize, slots: u32, random: &mut Random) {
    let (slot, place) = list[at];
    match kind {
        // Place 0 is no exception at all, so an exception of place 1 is lowered by removing it.
        0 => drop(list.remove(at)),
        1 if place == 1 => drop(list.remove(at)),
        1 => list[at].1 = 1 + random.below(place - 1),
        2 => {
            let is_free = |other: &u32| *other < slots && list.iter().all(|(listed, _)| listed != other);
            let others = (1..).flat_map(|by| [slot + by, slot.wrapping_sub(by)]);
            list[at].0 = others.into_iter().find(is_free).expect("a free slot");
            list.sort_unstable();
        }
        _ => list[at].1 += 1 + random.below(3),
    }
}

/// A thousand changes of one entry, of exceptions and of the lists of open sectors.
#[test]
fn certificates_with_one_entry_changed_fail() {
    let mut random = Random(0x5eed);
    for (game, file) in FILES {
        let tables = Tables::new(game);
        let entries = Entries::new(file, &tables.read(file).expect("sound"));
        assert!(tables.walk(&entries.file()).is_ok(), "written again, it still holds");
        for of_open in [false, true] {
            let lists = if of_open { &entries.open } else { &entries.lists };
            let all: Vec<(Counts, usize)> =
                lists.iter().flat_map(|(counts, list)| (0..list.len()).map(|at| (*counts, at))).collect();
            let mut fail = [0; 4];
            // Walks of the larger game take longer.
            let changes = if game.men == 3 { 928 } else { 40 };
            let changes = if all.is_empty() { 0 } else { changes };
            for number in 0..changes {
                let (counts, at) = all[random.below(all.len())];
                let mut changed = entries.clone();
                let lists = if of_open { &mut changed.open } else { &mut changed.lists };
                let list = lists.get_mut(&counts).expect("a sector");
                change(list, at, number % 4, tables.index.slots(counts[0], counts[1]), &mut random);
                fail[number % 4] += usize::from(tables.walk(&changed.file()).is_err());
            }
            println!("{} men, open {of_open}: {changes} changes, {fail:?} fail", game.men);
            // A later turn may be safe as well, and need exactly the same exceptions.
            let at_least = [changes / 4, changes / 4, changes / 4, if of_open { changes / 4 } else { 1 }];
            assert_eq!(fail[..3], at_least[..3]);
            assert!(changes == 0 || fail[3] >= at_least[3]);
        }
    }
}

/// Each position of a small open sector is compared with the definition of an allowed turn.
#[test]
fn open_sectors_are_sound() {
    let tables = Tables::new(FOUR);
    let (board, index) = (&tables.board, &tables.index);
    let certificate = tables.read(FILES[1].1).expect("sound");
    let holds = |(own, theirs): Men| {
        let listed = certificate.open.get(&[own.count_ones(), theirs.count_ones(), 0, 0]);
        listed.is_some_and(|slots| slots.binary_search(&index.find((own, theirs)).0).is_err())
    };
    let is_safe = |after: &Men| {
        let replies = board.turns((after.1, after.0), 0);
        after.1.count_ones() < 3 || replies.iter().all(|(theirs, own)| holds((*own, *theirs)))
    };
    let mut held = 0;
    for own in [3, 4] {
        for slot in 0..index.slots(own, 3) {
            let men = index.position(own, 3, slot);
            if index.find(men).0 == slot && holds(men) {
                held += 1;
                assert!(board.turns(men, 0).iter().any(is_safe), "{men:?}");
            }
        }
    }
    assert_eq!(tables.walk(FILES[1].1).expect("holds")[2], held);
    // A sector cannot have exceptions as well, and men in hand are not for open sectors.
    let entries = Entries::new(FILES[1].1, &certificate);
    let mut changed = entries.clone();
    changed.lists.insert([3, 3, 0, 0], vec![(0, 1)]);
    assert!(tables.walk(&changed.file()).expect_err("twice").contains("twice"));
    let mut changed = entries.clone();
    changed.open.insert([2, 2, 2, 1], Vec::new());
    assert!(tables.walk(&changed.file()).expect_err("a hand").contains("unsound"));
    // Without a sector, the others are left by a reply or a position of it needs a turn of its own.
    let mut changed = entries;
    changed.open.remove(&[3, 3, 0, 0]);
    assert!(tables.walk(&changed.file()).is_err());
}

#[test]
fn damaged_files_fail() {
    let mut random = Random(0xbad);
    for (game, file) in FILES {
        let tables = Tables::new(game);
        // The first file at each length, the second at some.
        for length in (0..file.len()).step_by(if game.men == 3 { 1 } else { 97 }) {
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
    assert_eq!(tables.index.find(example).0, 0, "the example of docs/tables-format.md");
    let check = |own: u32, theirs: u32, slot: u32| {
        let men = tables.index.position(own, theirs, slot);
        assert_eq!((men.0.count_ones(), men.1.count_ones(), men.0 & men.1), (own, theirs, 0));
        let least = tables.index.find(men).0;
        assert!(least <= slot);
        let back = tables.index.position(own, theirs, least);
        assert!(all.iter().any(|map| image(map, back) == men), "{men:?}");
        assert!(all.iter().all(|map| tables.index.find(image(map, men)).0 == least), "{men:?}");
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
        for (own, theirs) in board.turns(men, hands.0) {
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
        let (mut turns, mut takes) = (0, HashSet::new());
        for after in board.turns(men, hand) {
            turns += 1;
            takes.extend((after.1 != men.1).then_some(men.1 & !after.1));
        }
        (turns, takes.len())
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
