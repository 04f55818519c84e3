//! Symmetries, and numbers for positions. A symmetry is a permutation of the points that leaves lines lines,
//! so a position and its images have the same future, and the walk visits one of them. The *slot* of a
//! position is a number that its images share and others do not: it is made of the class of the mover's set
//! under the symmetries and the rank of the opponent's. This may be trusted because both are counted here in
//! plain loops, and because the tests read positions back from their slots.

use crate::board::{Board, Men, Set, points};

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
    /// For each set of the points 0 to 11: the number of smaller ones of its size.
    low_ranks: Vec<u32>,
    /// For so many of these points, and each set of the others: what they add to that.
    high_ranks: Vec<u32>,
    /// For two bytes: the second one squeezed by the first.
    squeezed: Vec<u8>,
    /// For ten times the mover's men and its opponent's: the number of sets of the latter in each class.
    widths: Vec<u32>,
}

/// Returns the image of each point under each symmetry, the identity first.
pub fn symmetries(board: &Board) -> Vec<Vec<u32>> {
    let ring = |number: u32, ring: u32| if number & 1 == 0 { ring } else { 2 - ring };
    let turned = |number: u32, i: u32| (if number & 2 == 0 { i } else { 8 - i } + number / 4 * 2) % 8;
    let image = |number, point: u32| 8 * ring(number, point / 8) + turned(number, point % 8);
    let all: Vec<Vec<u32>> = (0..16).map(|number| (0..24).map(|at| image(number, at)).collect()).collect();
    for [a, b, c] in all.iter().flat_map(|map| board.lines.iter().map(|line| line.map(|i| map[i as usize]))) {
        assert!(board.lines.contains(&[a, b, c]) || board.lines.contains(&[c, b, a]), "not a symmetry");
    }
    all
}

fn image(map: &Map, set: Set) -> Set {
    map[0][set as usize & 255] | map[1][set as usize >> 8 & 255] | map[2][set as usize >> 16 & 255]
}

/// Returns a set without the points left out, and numbers the others anew.
fn squeeze(left_out: Set, set: Set) -> Set {
    points(left_out).zip(0..).fold(set, |set, (point, before)| {
        let lower = (1 << (point - before)) - 1;
        set & lower | set >> 1 & !lower
    })
}

/// Returns the number of sets of so many among these points.
fn choose(from: u32, count: u32) -> u32 {
    (0..count).fold(1, |product, i| product * from.saturating_sub(i) / (i + 1))
}

impl Index {
    /// Makes the tables.
    pub fn new(board: &Board) -> Self {
        let byte = |to: &[u32], set| points(set).map(|point| 1 << to[point as usize]).sum();
        let table = |to: &[u32]| std::array::from_fn(|set| byte(to, set as Set));
        let map = |to: Vec<u32>| [0, 8, 16].map(|first| table(&to[first..]));
        let maps: Vec<Map> = symmetries(board).into_iter().map(map).collect();
        let most = board.game.men as usize;
        let (mut sets, mut representatives) = (vec![Vec::new(); most + 1], vec![Vec::new(); most + 1]);
        let mut classes = vec![u32::MAX; 1 << 24];
        for set in (0_u32..1 << 24).filter(|set| set.count_ones() as usize <= most) {
            let (same_size, set_at) = (set.count_ones() as usize, set as usize);
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
        let class_of = |sets: &Vec<Set>| sets.iter().map(|set| classes[*set as usize]).collect();
        let class_of = sets.iter().map(class_of).collect();
        let squeezed = (0..1 << 16).map(|both| squeeze(both >> 8, both & 255) as u8).collect();
        let widths = (0..100).map(|both| choose(24 - both / 10, both % 10)).collect();
        let rank = |set, below| points(set).zip(below + 1..).map(|(point, place)| choose(point, place)).sum();
        let low_ranks = (0_u32..1 << 12).map(|set| rank(set, 0)).collect();
        let high_ranks = (0..10 << 12).map(|both| rank((both & 0xfff) << 12, both >> 12)).collect();
        Self { maps, sets, class_of, representatives, low_ranks, high_ranks, squeezed, widths }
    }

    /// Returns the number of smaller sets of the size of this one.
    fn rank(&self, set: Set) -> u32 {
        let (low, high) = (set & 0xfff, set >> 12);
        self.low_ranks[low as usize] + self.high_ranks[(low.count_ones() << 12 | high) as usize]
    }

    /// Returns the number of slots of positions in which the mover has so many men and the opponent so many.
    pub fn slots(&self, own: u32, theirs: u32) -> u32 {
        self.representatives[own as usize].len() as u32 * self.widths[(10 * own + theirs) as usize]
    }

    /// Returns the smallest slot of a position.
    pub fn slot(&self, (own, theirs): Men) -> u32 {
        let men = own.count_ones();
        let class = self.class_of[men as usize][self.rank(own) as usize];
        let (representative, stabilizer) = self.representatives[men as usize][class as usize / 16];
        let there = image(&self.maps[class as usize % 16], theirs);
        let images = points(stabilizer).map(|number| image(&self.maps[number as usize], there));
        let least = images.fold(there, Set::min);
        let pair = |at: u32| (representative >> at & 255) << 8 | least >> at & 255;
        let byte = |at| Set::from(self.squeezed[pair(at) as usize]);
        let free = |set: Set| (set & !representative).count_ones();
        let rank = self.rank(byte(0) | byte(8) << free(0xff) | byte(16) << free(0xffff));
        class / 16 * self.widths[(10 * men + theirs.count_ones()) as usize] + rank
    }

    /// Returns the position of a slot: the mover's and the opponent's men.
    pub fn position(&self, own: u32, theirs: u32, slot: u32) -> Men {
        let width = self.widths[(10 * own + theirs) as usize];
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
        let class = slot / self.widths[(10 * own + theirs) as usize];
        self.representatives[own as usize][class as usize].1 == 0 || self.slot(men) == slot
    }

    /// Returns all images of a position.
    pub fn images(&self, (own, theirs): Men) -> impl Iterator<Item = Men> {
        self.maps.iter().map(move |map| (image(map, own), image(map, theirs)))
    }
}
