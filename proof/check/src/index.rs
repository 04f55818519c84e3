//! Symmetries, and numbers for positions. A symmetry is a permutation of the points that leaves lines lines,
//! so a position and its images have the same future, and the walk visits one of them. The *slot* of a
//! position is a number that its images share and others do not: it is made of the class of the mover's set
//! under the symmetries and the rank of the opponent's. This may be trusted because both are counted here in
//! plain loops, and because the tests read positions back from their slots.

use crate::board::{Board, Men, Set, points};

/// The symmetries as tables, and the classes of sets that they exchange.
pub struct Index {
    /// For each symmetry, the image of each byte of a set.
    maps: Vec<[Vec<Set>; 3]>,
    /// For each set: the number of its class × 16 + a symmetry to the representative, the smallest image.
    classes: Vec<u32>,
    /// For each number of men: the representatives, each with its symmetries to itself but the identity.
    pub representatives: Vec<Vec<(Set, u32)>>,
    /// For each number of men: all sets, in ascending order.
    pub sets: Vec<Vec<Set>>,
    /// For each set: the number of smaller ones of its size.
    ranks: Vec<u32>,
}

/// Returns the image of each point under each symmetry, the identity first.
pub fn symmetries(board: &Board) -> Vec<Vec<u32>> {
    let ring = |number: u32, ring: u32| if number & 1 == 0 { ring } else { 2 - ring };
    let turned = |number: u32, i: u32| (if number & 2 == 0 { i } else { 8 - i } + number / 4 * 2) % 8;
    let image = |number, point: u32| 8 * ring(number, point / 8) + turned(number, point % 8);
    let all: Vec<Vec<u32>> =
        (0..16).map(|number| (0..24).map(|point| image(number, point)).collect()).collect();
    for [a, b, c] in all.iter().flat_map(|map| board.lines.iter().map(|line| line.map(|i| map[i as usize]))) {
        assert!(board.lines.contains(&[a, b, c]) || board.lines.contains(&[c, b, a]), "not a symmetry");
    }
    all
}

fn image(map: &[Vec<Set>; 3], set: Set) -> Set {
    map[0][set as usize & 255] | map[1][set as usize >> 8 & 255] | map[2][set as usize >> 16 & 255]
}

/// Returns a set without the points left out, and numbers the others anew.
fn squeeze(left_out: Set, set: Set) -> Set {
    points(left_out).zip(0..).fold(set, |set, (point, before)| {
        let lower = (1 << (point - before)) - 1;
        set & lower | set >> 1 & !lower
    })
}

impl Index {
    /// Makes the tables.
    pub fn new(board: &Board) -> Self {
        let byte = |to: &[u32], set| points(set).map(|point| 1 << to[point as usize]).sum();
        let table = |to: &[u32]| (0..256).map(|set| byte(to, set)).collect();
        let map = |to: Vec<u32>| [0, 8, 16].map(|first| table(&to[first..]));
        let maps: Vec<[Vec<Set>; 3]> = symmetries(board).into_iter().map(map).collect();
        let most = board.game.men as usize;
        let (mut sets, mut representatives) = (vec![Vec::new(); most + 1], vec![Vec::new(); most + 1]);
        let (mut classes, mut ranks) = (vec![u32::MAX; 1 << 24], vec![0; 1 << 24]);
        for set in (0_u32..1 << 24).filter(|set| set.count_ones() as usize <= most) {
            let (same_size, set_at) = (set.count_ones() as usize, set as usize);
            ranks[set_at] = sets[same_size].len() as u32;
            sets[same_size].push(set);
            if classes[set_at] == u32::MAX {
                let class = representatives[same_size].len();
                for other in maps.iter().map(|map| image(map, set)) {
                    let back = maps.iter().position(|map| image(map, other) == set).expect("a group");
                    classes[other as usize] = (class * 16 + back) as u32;
                }
                let stabilizer = (1..16).filter(|&number| image(&maps[number], set) == set);
                representatives[same_size].push((set, stabilizer.map(|number| 1 << number).sum()));
            }
        }
        Self { maps, classes, representatives, sets, ranks }
    }

    /// Returns the number of sets of the opponent in each class, for so many men of both sides.
    fn width(&self, own: u32, theirs: u32) -> u32 {
        // The highest set of the free points has the last rank.
        self.ranks[((1 << theirs) - 1) << (24 - own - theirs)] + 1
    }

    /// Returns the number of slots of positions in which the mover has so many men and the opponent so many.
    pub fn slots(&self, own: u32, theirs: u32) -> u32 {
        self.representatives[own as usize].len() as u32 * self.width(own, theirs)
    }

    /// Returns the smallest slot of a position, and the image that has it.
    pub fn find(&self, (own, theirs): Men) -> (u32, Men) {
        let (class, men) = (self.classes[own as usize] as usize, own.count_ones());
        let (representative, stabilizer) = self.representatives[men as usize][class / 16];
        let least = self.least(stabilizer, image(&self.maps[class % 16], theirs));
        let rank = self.ranks[squeeze(representative, least) as usize];
        (class as u32 / 16 * self.width(men, theirs.count_ones()) + rank, (representative, least))
    }

    /// Returns the smallest image of a set under the symmetries of a stabilizer.
    pub fn least(&self, stabilizer: u32, set: Set) -> Set {
        points(stabilizer).map(|number| image(&self.maps[number as usize], set)).fold(set, Set::min)
    }

    /// Returns the position of a slot: the mover's and the opponent's men.
    pub fn position(&self, own: u32, theirs: u32, slot: u32) -> Men {
        let width = self.width(own, theirs);
        let representative = self.representatives[own as usize][(slot / width) as usize].0;
        let squeezed = self.sets[theirs as usize][(slot % width) as usize];
        let expanded = points(representative).fold(squeezed, |set, point| {
            let lower = (1 << point) - 1;
            set & lower | (set & !lower) << 1
        });
        (representative, expanded)
    }

    /// Returns all images of a position.
    pub fn images(&self, (own, theirs): Men) -> impl Iterator<Item = Men> {
        self.maps.iter().map(move |map| (image(map, own), image(map, theirs)))
    }
}
