//! The board and the rules. Everything follows from the sixteen lines: neighbours stand next to each other on
//! a line, and a mill is a line full of men of one side. This may be trusted because it can be compared with
//! the rules sentence by sentence, and because the tests count games with it and compare with known numbers.

/// A set of points: bit *n* is point *n*. Points 0 to 7 are the outer ring, clockwise from a4; 8 to 15 the
/// middle ring from b4; 16 to 23 the inner ring from c4.
pub type Set = u32;

/// The points with men of one side, and those with men of the other.
pub type Men = (Set, Set);

/// The men of one side and of the other on the board, then in hand. A sector has all positions of one kind.
pub type Counts = [u32; 4];

/// A side with fewer men, on the board and in hand together, has lost.
pub const FEWEST: u32 = 3;

/// The numbers in which rules may differ: smaller games are for tests.
#[derive(Clone, Copy)]
pub struct Game {
    /// Men of each side at the start.
    pub men: u32,
    /// A side with an empty hand flies with so many men or fewer.
    pub fly_at: u32,
}

/// Nine Men's Morris.
pub const NINE: Game = Game { men: 9, fly_at: 3 };

/// More than the number of any sector.
pub const SECTORS: usize = 3000;

/// Returns the number of a sector. White to move has as many men in hand as Black, Black has one more, and
/// White after its turn has one less.
pub fn sector([own, theirs, own_hand, their_hand]: Counts) -> usize {
    (1000 * (own_hand + 1 - their_hand) + 100 * own_hand + 10 * own + theirs) as usize
}

/// Returns the sector of a number.
pub fn counts(sector: usize) -> Counts {
    let own_hand = sector / 100 % 10;
    [sector / 10 % 10, sector % 10, own_hand, own_hand + 1 - sector / 1000].map(|count| count as u32)
}

/// Returns the sector in which the other side comes first.
pub fn opposite([own, theirs, own_hand, their_hand]: Counts) -> Counts {
    [theirs, own, their_hand, own_hand]
}

/// Returns the sector after a turn of the side with the first men.
pub fn after_turn([own, theirs, own_hand, their_hand]: Counts, takes: bool) -> Counts {
    [own + own_hand.min(1), theirs - u32::from(takes), own_hand.saturating_sub(1), their_hand]
}

/// The rules and the board.
pub struct Board {
    /// The rules.
    pub game: Game,
    /// The lines, each with its middle point in the middle.
    pub lines: Vec<[u32; 3]>,
    near: [Set; 24],
    /// The two lines of each point, as sets.
    mills_of: [[Set; 2]; 24],
}

/// Returns the points of a set (or the bits of any number), in ascending order.
pub fn points(set: impl Into<u64>) -> impl Iterator<Item = u32> {
    let mut set: u64 = set.into();
    std::iter::from_fn(move || {
        let point = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(point)
    })
}

impl Board {
    /// Lays out the board.
    pub fn new(game: Game) -> Self {
        let corners = [1, 3, 5, 7].map(|corner| [corner, (corner + 1) % 8, (corner + 2) % 8]);
        let sides = [0, 8, 16].into_iter().flat_map(|ring| corners.map(|side| side.map(|i| ring + i)));
        let cross = [0, 2, 4, 6].map(|i| [i, i + 8, i + 16]);
        let lines: Vec<[u32; 3]> = sides.chain(cross).collect();
        let mut near = [0; 24];
        for &[end, middle, other] in &lines {
            near[end as usize] |= 1 << middle;
            near[other as usize] |= 1 << middle;
            near[middle as usize] |= 1 << end | 1 << other;
        }
        let mills: Vec<Set> = lines.iter().map(|line| line.iter().map(|point| 1 << point).sum()).collect();
        let through = |point: usize| mills.iter().filter(move |mill| **mill >> point & 1 != 0);
        let both = |point| through(point).copied().collect::<Vec<Set>>().try_into().expect("two lines");
        let mills_of = std::array::from_fn(both);
        Self { game, lines, near, mills_of }
    }

    /// Returns true if one of these men stands in a mill.
    fn is_in_mill(&self, men: Set, point: u32) -> bool {
        self.mills_of[point as usize].iter().any(|mill| men & mill == *mill)
    }

    /// Returns the men that a mill may take: those outside mills, or all if there are none.
    fn takeable(&self, men: Set) -> Set {
        let free = points(men).filter(|&point| !self.is_in_mill(men, point)).map(|point| 1 << point).sum();
        if free == 0 { men } else { free }
    }

    /// Tries the turns of the mover, who has the first men and so many in hand, until the men after one, the
    /// mover's first, are such as `is_such` asks for. Returns true if this happens.
    pub fn any_turn(&self, (own, theirs): Men, hand: u32, mut is_such: impl FnMut(Men) -> bool) -> bool {
        let empty = 0xff_ffff & !own & !theirs;
        let mut arrive = |men: Set, to: u32| {
            if theirs != 0 && self.is_in_mill(men, to) {
                return points(self.takeable(theirs)).any(|taken| is_such((men, theirs & !(1 << taken))));
            }
            is_such((men, theirs))
        };
        if hand > 0 {
            return points(empty).any(|to| arrive(own | 1 << to, to));
        }
        let flies = own.count_ones() <= self.game.fly_at;
        points(own).any(|from| {
            let reach = if flies { empty } else { empty & self.near[from as usize] };
            points(reach).any(|to| arrive(own & !(1 << from) | 1 << to, to))
        })
    }
}
