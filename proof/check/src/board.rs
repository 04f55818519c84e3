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

/// All points.
pub const ALL: Set = 0xff_ffff;
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

/// Returns the sectors after a turn of the side with the first men that takes nothing, and that takes a man.
pub fn after_turn([own, theirs, own_hand, their_hand]: Counts) -> [Counts; 2] {
    let after = |theirs| [own + own_hand.min(1), theirs, own_hand.saturating_sub(1), their_hand];
    [after(theirs), after(theirs.saturating_sub(1))]
}

/// Returns the same numbers as the other side sees them.
pub fn swap([own, theirs, own_hand, their_hand]: Counts) -> Counts {
    [theirs, own, their_hand, own_hand]
}

/// Returns the sectors after a turn of the other side.
pub fn after_reply(counts: Counts) -> [Counts; 2] {
    after_turn(swap(counts)).map(swap)
}

/// Returns the points of a set (or the bits of any number), in ascending order.
pub fn points(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let point = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(point)
    })
}

/// The rules and the board.
pub struct Board {
    /// The rules.
    pub game: Game,
    /// The lines, each with its middle point in the middle.
    pub lines: Vec<[usize; 3]>,
    /// For each point the points next to it.
    neighbours: [Set; 24],
    /// For each point its two lines, as sets.
    mills_of: [[Set; 2]; 24],
}

impl Board {
    /// Lays out the board.
    pub fn new(game: Game) -> Self {
        let corners = [1, 3, 5, 7].map(|corner| [corner, (corner + 1) % 8, (corner + 2) % 8]);
        let sides = [0, 8, 16].into_iter().flat_map(|ring| corners.map(|side| side.map(|i| ring + i)));
        let cross = [0, 2, 4, 6].map(|i| [i, i + 8, i + 16]);
        let lines: Vec<[usize; 3]> = sides.chain(cross).collect();
        let (mut neighbours, mut mills_of) = ([0; 24], [const { Vec::<Set>::new() }; 24]);
        for &[a, b, c] in &lines {
            for (point, next) in [(a, 1 << b), (b, 1 << a | 1 << c), (c, 1 << b)] {
                neighbours[point] |= next;
                mills_of[point].push(1 << a | 1 << b | 1 << c);
            }
        }
        let mills_of = mills_of.map(|mills| mills.try_into().expect("two lines"));
        Self { game, lines, neighbours, mills_of }
    }

    /// Returns true if one of these men stands in a mill.
    fn is_in_mill(&self, men: Set, point: usize) -> bool {
        self.mills_of[point].iter().any(|mill| men & mill == *mill)
    }

    /// Returns the men that a mill may take: those outside mills, or all if there are none.
    fn takeable(&self, men: Set) -> Set {
        let free = points(men).filter(|&point| !self.is_in_mill(men, point)).map(|point| 1 << point).sum();
        if free == 0 { men } else { free }
    }

    /// Tries the turns of the mover, who has the first men and so many in hand, until the men after one, the
    /// mover's first, are such as `is_such` asks for. Returns true if this happens.
    pub fn any_turn(&self, (own, theirs): Men, hand: u32, mut is_such: impl FnMut(Men) -> bool) -> bool {
        /// Stands for the hand, and for no man to be taken.
        const NOWHERE: Set = 1 << 24;
        let slides = hand == 0 && own.count_ones() > self.game.fly_at;
        let empty = ALL & !own & !theirs;
        points(if hand > 0 { NOWHERE } else { own }).any(|from| {
            points(if slides { empty & self.neighbours[from] } else { empty }).any(|to| {
                let men = own & !(1 << from) | 1 << to;
                let takes = theirs != 0 && self.is_in_mill(men, to);
                let takeable = if takes { self.takeable(theirs) } else { NOWHERE };
                points(takeable).any(|taken| is_such((men, theirs & !(1 << taken))))
            })
        })
    }
}
