//! Symmetries, and numbers for positions. A symmetry is a permutation of the points that leaves lines lines,
//! so a position and its images have the same future, and the walk visits one of them. The *slot* of a
//! position is a number that its images share and others do not: it is made of the class of the mover's set
//! under the symmetries and the rank of the opponent's. This may be trusted because both are counted here in
//! plain loops, and because the tests read positions back from their slots.

use crate::board::{Board, Men, Set, points};
use std::array::from_fn;

/// For each byte of a set, its image under a symmetry.
type Map = [[Set; 256]; 3];

/// The symmetries as tables, and the classes of sets that they exchange.
pub struct Index {
    maps: Vec<Map>,
    /// For each number of men: all sets, in ascending order.
    sets: Vec<Vec<Set>>,
    /// For each set: the number of smaller sets with as many members.
    ranks: Vec<u32>,
    /// For each set: the number of its class × 16 + a symmetry to the representative, its least image.
    classes: Vec<u32>,
    /// For each number of men: the representatives, each with its symmetries to itself but the identity.
    representatives: Vec<Vec<(Set, u32)>>,
    /// For each number of men of the mover and of the opponent: the number of slots of each class.
    widths: [[u32; 25]; 25],
}

/// Returns the image of each point under each symmetry, the identity first.
pub fn symmetries(board: &Board) -> Vec<[usize; 24]> {
    let ring = |number: usize, ring: usize| if number & 1 == 0 { ring } else { 2 - ring };
    let turned = |number: usize, i| (if number & 2 == 0 { i } else { 8 - i } + number / 4 * 2) % 8;
    let image = |number, point| 8 * ring(number, point / 8) + turned(number, point % 8);
    let all: Vec<[usize; 24]> = (0..16).map(|number| from_fn(|point| image(number, point))).collect();
    for [a, b, c] in all.iter().flat_map(|map| board.lines.iter().map(|line| line.map(|i| map[i]))) {
        assert!(board.lines.contains(&[a, b, c]) || board.lines.contains(&[c, b, a]), "not a symmetry");
    }
    all
}

fn image(map: &Map, set: Set) -> Set {
    let [outer, middle, inner, _] = set.to_le_bytes().map(usize::from);
    map[0][outer] | map[1][middle] | map[2][inner]
}

impl Index {
    /// Makes the tables.
    pub fn new(board: &Board) -> Self {
        let map = |to: &[usize]| from_fn(|set| points(set as Set).map(|point| 1 << to[point]).sum());
        let maps: Vec<Map> =
            symmetries(board).iter().map(|to| [0, 8, 16].map(|first| map(&to[first..]))).collect();
        let most = board.game.men;
        let (mut ranks, mut classes) = (vec![0; 1 << 24], vec![0; 1 << 24]);
        let (mut sets, mut representatives) = (vec![Vec::<Set>::new(); 25], vec![Vec::new(); 25]);
        for set in (0..1 << 24).filter(|set: &Set| set.count_ones() <= most) {
            let (at, men) = (set as usize, set.count_ones() as usize);
            let images = || maps.iter().zip(0..).map(|(map, number)| (image(map, set), number));
            let (least, number) = images().min().expect("sixteen");
            if least == set {
                let same = images().filter(|&(image, number)| number > 0 && image == set);
                classes[at] = 16 * representatives[men].len() as u32;
                representatives[men].push((set, same.map(|(_, number)| 1 << number).sum()));
            } else {
                classes[at] = classes[least as usize] + number;
            }
            ranks[at] = sets[men].len() as u32;
            sets[men].push(set);
        }
        // So many smaller sets are among the points that are left.
        let width =
            |own: usize, theirs: usize| sets[theirs].partition_point(|set| set >> (24 - own) == 0) as u32;
        let widths = from_fn(|own| from_fn(|theirs| width(own, theirs)));
        Self { maps, sets, ranks, classes, representatives, widths }
    }

    /// Returns the number of slots of positions in which the mover has so many men and the opponent so many.
    pub fn slots(&self, own: u32, theirs: u32) -> u32 {
        self.representatives[own as usize].len() as u32 * self.widths[own as usize][theirs as usize]
    }

    /// Returns the smallest slot of a position.
    pub fn slot(&self, (own, theirs): Men) -> u32 {
        let men = own.count_ones() as usize;
        let (class, number) = (self.classes[own as usize] / 16, self.classes[own as usize] % 16);
        let (representative, stabilizer) = self.representatives[men][class as usize];
        let theirs = image(&self.maps[number as usize], theirs);
        let images = points(stabilizer).map(|number| image(&self.maps[number], theirs));
        let least = images.fold(theirs, Set::min);
        // Leave the mover's points out, the lowest first: each point above moves down by one.
        let squeezed = points(representative).zip(0..).fold(least, |set, (point, left_out)| {
            let lower = (1 << (point - left_out)) - 1;
            set & lower | set >> 1 & !lower
        });
        class * self.widths[men][theirs.count_ones() as usize] + self.ranks[squeezed as usize]
    }

    /// Returns the position of a slot: the mover's and the opponent's men.
    pub fn position(&self, own: u32, theirs: u32, slot: u32) -> Men {
        let width = self.widths[own as usize][theirs as usize];
        let representative = self.representatives[own as usize][(slot / width) as usize].0;
        let squeezed = self.sets[theirs as usize][(slot % width) as usize];
        let expanded = points(representative).fold(squeezed, |set, point| {
            let lower = (1 << point) - 1;
            set & lower | (set & !lower) << 1
        });
        (representative, expanded)
    }

    /// Returns true if this is the smallest slot of a position that has been read back from it.
    pub fn is_least(&self, men: Men, slot: u32) -> bool {
        // Most sets of the mover have no symmetry, so that their positions have one slot.
        let (own, class) = (men.0.count_ones() as usize, self.classes[men.0 as usize] / 16);
        self.representatives[own][class as usize].1 == 0 || self.slot(men) == slot
    }

    /// Returns all images of a position.
    pub fn images(&self, (own, theirs): Men) -> impl Iterator<Item = Men> {
        self.maps.iter().map(move |map| (image(map, own), image(map, theirs)))
    }
}
