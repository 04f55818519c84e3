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
    /// For each of these: the number of its class × 16 + a symmetry to the representative, its least image.
    class_of: Vec<Vec<u32>>,
    /// For each number of men: the representatives, each with its symmetries to itself but the identity.
    representatives: Vec<Vec<(Set, u32)>>,
    /// The number of sets of so many points with so many members.
    choose: [[u32; 25]; 25],
    /// For each byte of a set, the members in lower bytes, and its bits: what it adds to the rank of the set.
    ranks: [[[u32; 256]; 10]; 3],
    /// For each byte of a representative: the bytes squeezed.
    squeezed: Vec<[u8; 256]>,
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

fn byte(set: Set, number: usize) -> usize {
    (set >> (8 * number) & 255) as usize
}

fn image(map: &Map, set: Set) -> Set {
    map[0][byte(set, 0)] | map[1][byte(set, 1)] | map[2][byte(set, 2)]
}

/// Returns a set without the points left out, and numbers the others anew.
fn squeeze(left_out: Set, set: Set) -> Set {
    let kept = points(!left_out & 255).zip(0..);
    kept.map(|(point, number)| (set >> point & 1) << number).sum()
}

impl Index {
    /// Makes the tables.
    pub fn new(board: &Board) -> Self {
        let map = |to: &[usize]| from_fn(|set| points(set as Set).map(|point| 1 << to[point]).sum());
        let maps = symmetries(board).iter().map(|to| [0, 8, 16].map(|first| map(&to[first..]))).collect();
        let mut choose = [[0; 25]; 25];
        for (from, count) in (0..25).flat_map(|from| (0..=from).map(move |count| (from, count))) {
            let others = |count: usize| choose[from - 1][count];
            choose[from][count] = if count == 0 { 1 } else { others(count - 1) + others(count) };
        }
        // The rank is the number of smaller sets with as many members.
        let add =
            |first: usize, below: usize, (point, place): (usize, usize)| choose[first + point][below + place];
        let rank = |first, below, set| points(set as Set).zip(1..).map(|at| add(first, below, at)).sum();
        let ranks = from_fn(|byte| from_fn(|below| from_fn(|set| rank(8 * byte, below, set))));
        let squeezed = (0..256).map(|left_out| from_fn(|set| squeeze(left_out, set as Set) as u8)).collect();
        let most = board.game.men as usize;
        let (sets, class_of, representatives) =
            (vec![Vec::new(); most + 1], vec![Vec::new(); most + 1], vec![Vec::new(); most + 1]);
        let mut index = Self { maps, sets, class_of, representatives, choose, ranks, squeezed };
        for set in (0..1 << 24).filter(|set: &Set| set.count_ones() as usize <= most) {
            let men = set.count_ones() as usize;
            let images: [Set; 16] = from_fn(|number| image(&index.maps[number], set));
            let (least, number) = images.into_iter().zip(0..).min().expect("sixteen");
            let same = images.iter().zip(0..).filter(|(image, _)| **image == set);
            let class = if least == set {
                let stabilizer = same.map(|(_, number)| 1 << number).sum::<u32>() & !1;
                index.representatives[men].push((set, stabilizer));
                index.representatives[men].len() as u32 - 1
            } else {
                index.class_of[men][index.rank(least)] / 16
            };
            index.sets[men].push(set);
            index.class_of[men].push(16 * class + number);
        }
        index
    }

    /// Returns the number of smaller sets of the size of this one.
    fn rank(&self, set: Set) -> usize {
        let below = [0, set & 0xff, set & 0xffff].map(|lower| lower.count_ones() as usize);
        (0..3).map(|number| self.ranks[number][below[number]][byte(set, number)]).sum::<u32>() as usize
    }

    /// Returns the number of slots of each class of positions with so many men.
    pub fn width(&self, own: u32, theirs: u32) -> u32 {
        self.choose[24 - own as usize][theirs as usize]
    }

    /// Returns the number of slots of positions in which the mover has so many men and the opponent so many.
    pub fn slots(&self, own: u32, theirs: u32) -> u32 {
        self.representatives[own as usize].len() as u32 * self.width(own, theirs)
    }

    /// Returns the smallest slot of a position.
    pub fn slot(&self, (own, theirs): Men) -> u32 {
        let class = self.class_of[own.count_ones() as usize][self.rank(own)];
        self.slot_in(class / 16, own.count_ones(), image(&self.maps[class as usize % 16], theirs))
    }

    /// Returns the same if the mover has the men of the representative of a class, of so many men.
    pub fn slot_in(&self, class: u32, men: u32, theirs: Set) -> u32 {
        let (representative, stabilizer) = self.representatives[men as usize][class as usize];
        let images = points(stabilizer).map(|number| image(&self.maps[number], theirs));
        let least = images.fold(theirs, Set::min);
        let squeezed = |at| Set::from(self.squeezed[byte(representative, at)][byte(least, at)]);
        let free = |below: Set| (below & !representative).count_ones();
        let rank = self.rank(squeezed(0) | squeezed(1) << free(0xff) | squeezed(2) << free(0xffff));
        class * self.width(men, theirs.count_ones()) + rank as u32
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

    /// Returns true if this slot of a position is its smallest.
    pub fn is_least(&self, men: Men, slot: u32) -> bool {
        let [own, theirs] = [men.0, men.1].map(Set::count_ones);
        let class = (slot / self.width(own, theirs)) as usize;
        self.representatives[own as usize][class].1 == 0 || self.slot(men) == slot
    }

    /// Returns all images of a position.
    pub fn images(&self, (own, theirs): Men) -> impl Iterator<Item = Men> {
        self.maps.iter().map(move |map| (image(map, own), image(map, theirs)))
    }
}
