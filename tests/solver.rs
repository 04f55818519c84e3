//! The solver against a brute-force one that shares nothing with it: a plain table of decided positions, no
//! symmetry, its own list of lines.

use millstone::internals::game::SolvedGame;
use millstone::internals::header::TbKind;
use millstone::internals::pair::solve_pair;
use millstone::rules::Rules;
use millstone::tablebase::TooLong;
use millstone::tablebase::{Sector, TbValue};
use std::ops::ControlFlow;

/// A position: men of the mover, men of the opponent, in the numbering of the tablebase.
type Position = (u32, u32);

/// The plies of the decided positions.
struct Decided {
    /// The number of each set among those of as many men.
    numbers: Vec<u16>,
    /// The number of sets of three men, and of four.
    counts: [usize; 2],
    /// For three and four men of the mover, and of the opponent: the plies by the numbers of both sets.
    plies: [[Vec<u8>; 2]; 2],
}

impl Decided {
    const OPEN: u8 = u8::MAX;

    fn new() -> Self {
        let mut numbers = vec![0; 1 << 24];
        let counts = [3, 4].map(|men| {
            let sets = sets(men);
            (0..).zip(&sets).for_each(|(number, &set)| numbers[set as usize] = number);
            sets.len()
        });
        let plies = counts.map(|own| counts.map(|theirs| vec![Self::OPEN; own * theirs]));
        Self { numbers, counts, plies }
    }

    fn place(&self, (own, theirs): Position) -> (usize, usize, usize) {
        let [men, others] = [own, theirs].map(|set| set.count_ones() as usize - 3);
        let [number, other] = [own, theirs].map(|set| usize::from(self.numbers[set as usize]));
        (men, others, number * self.counts[others] + other)
    }

    fn get(&self, position: Position) -> Option<u32> {
        let (men, others, at) = self.place(position);
        let plies = self.plies[men][others][at];
        (plies != Self::OPEN).then_some(plies.into())
    }

    fn insert(&mut self, position: Position, plies: u32) {
        let (men, others, at) = self.place(position);
        self.plies[men][others][at] = u8::try_from(plies).expect("short wins");
    }
}

struct Brute {
    /// For each point its two lines.
    lines: Vec<Vec<u32>>,
    near: [u32; 24],
}

impl Brute {
    fn new() -> Self {
        let sides = [0, 8, 16].into_iter().flat_map(|ring| {
            [1, 3, 5, 7].map(|corner| [corner, (corner + 1) % 8, (corner + 2) % 8].map(|i| ring + i))
        });
        let lines: Vec<[u32; 3]> = sides.chain([0, 2, 4, 6].map(|i| [i, 8 + i, 16 + i])).collect();
        let mut near = [0u32; 24];
        for &[a, b, c] in &lines {
            near[a as usize] |= 1 << b;
            near[b as usize] |= 1 << a | 1 << c;
            near[c as usize] |= 1 << b;
        }
        let through = |point| lines.iter().filter(move |line| line.contains(&point));
        let set = |line: &[u32; 3]| line.iter().map(|point| 1 << point).sum();
        Self { lines: (0..24).map(|point| through(point).map(set).collect()).collect(), near }
    }

    fn in_mill(&self, set: u32, point: u32) -> bool {
        self.lines[point as usize].iter().any(|line| set & line == *line)
    }

    fn reach(&self, men: u32, point: u32) -> u32 {
        if men.count_ones() == 3 { u32::MAX >> 8 } else { self.near[point as usize] }
    }

    /// Calls `see` for each turn with the position after it from the view of the other side, or `None` if the
    /// turn wins, and with true if the turn takes a man. Stops when `see` breaks off.
    fn turns(
        &self,
        (own, theirs): Position,
        mut see: impl FnMut(Option<Position>, bool) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for from in bits(own) {
            for to in bits(self.reach(own, from) & !own & !theirs) {
                let moved = own & !(1 << from) | 1 << to;
                if !self.in_mill(moved, to) {
                    see(Some((theirs, moved)), false)?;
                } else if theirs.count_ones() == 3 {
                    see(None, true)?;
                } else {
                    let free = |&point: &u32| !self.in_mill(theirs, point);
                    let all_in_mills = !bits(theirs).any(|point| free(&point));
                    for taken in bits(theirs).filter(|point| all_in_mills || free(point)) {
                        see(Some((theirs & !(1 << taken), moved)), true)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Positions of the other side from which a turn without a mill leads here.
    fn before(&self, (own, theirs): Position) -> Vec<Position> {
        let mut before = Vec::new();
        for to in bits(theirs).filter(|&to| !self.in_mill(theirs, to)) {
            let from = self.reach(theirs, to) & !own & !theirs;
            before.extend(bits(from).map(|from| (theirs & !(1 << to) | 1 << from, own)));
        }
        before
    }

    /// The plies of the fastest win that begins with a capture.
    fn win_by_capture(&self, decided: &Decided, position: Position) -> Option<u32> {
        let mut soonest: Option<u32> = None;
        let all = self.turns(position, |next, capture| {
            let plies = if capture { next.map_or(Some(0), |next| decided.get(next)) } else { None };
            if let Some(plies) = plies.filter(|plies| plies % 2 == 0) {
                soonest = Some(soonest.map_or(plies, |soonest| soonest.min(plies)));
            }
            ControlFlow::Continue(())
        });
        assert!(all.is_continue());
        soonest.map(|plies| plies + 1)
    }

    /// The plies of the longest defence, if the opponent wins after every turn, as far as `decided` knows.
    fn loss(&self, decided: &Decided, position: Position) -> Option<u32> {
        let mut latest = 0;
        let all = self.turns(position, |next, _| match next.and_then(|next| decided.get(next)) {
            Some(plies) if plies % 2 == 1 => {
                latest = latest.max(plies + 1);
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(()),
        });
        all.is_continue().then_some(latest)
    }

    /// Adds the positions a-b and b-a to `decided`, which holds those after their captures already.
    fn solve(&self, decided: &mut Decided, a: u32, b: u32) {
        // Those to decide at each distance.
        let mut waiting: Vec<Vec<Position>> = vec![Vec::new(); 256];
        let mut pairs = vec![(a, b), (b, a)];
        pairs.dedup();
        for (own, theirs) in pairs {
            for position in positions(own, theirs) {
                let win = self.win_by_capture(decided, position);
                if let Some(plies) = win.or_else(|| self.loss(decided, position)) {
                    waiting[plies as usize].push(position);
                }
            }
        }
        for plies in 0..waiting.len() {
            for position in std::mem::take(&mut waiting[plies]) {
                // A position can wait at several distances; the first is its own.
                if decided.get(position).is_some() {
                    continue;
                }
                decided.insert(position, plies as u32);
                for before in self.before(position).into_iter().filter(|&at| decided.get(at).is_none()) {
                    let value =
                        if plies % 2 == 0 { Some(plies as u32 + 1) } else { self.loss(decided, before) };
                    if let Some(plies) = value {
                        waiting[plies as usize].push(before);
                    }
                }
            }
        }
    }
}

fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let point = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (point < 32).then_some(point)
    })
}

fn sets(men: u32) -> Vec<u32> {
    fn add(men: u32, first: u32, set: u32, all: &mut Vec<u32>) {
        match men {
            0 => all.push(set),
            _ => (first..24).for_each(|point| add(men - 1, point + 1, set | 1 << point, all)),
        }
    }
    let mut all = Vec::new();
    add(men, 0, 0, &mut all);
    all
}

fn positions(own: u32, theirs: u32) -> impl Iterator<Item = Position> {
    let theirs = sets(theirs);
    sets(own).into_iter().flat_map(move |own| {
        let apart: Vec<u32> = theirs.iter().copied().filter(|theirs| theirs & own == 0).collect();
        apart.into_iter().map(move |theirs| (own, theirs))
    })
}

fn compare(sector: Sector, values: &[u8], decided: &Decided) {
    for (own, theirs) in positions(u32::from(sector.own), u32::from(sector.theirs)) {
        let value = TbValue(values[sector.slot(own, theirs) as usize]);
        assert_eq!(value.plies(), decided.get((own, theirs)), "{own:06x} {theirs:06x}");
    }
}

#[test]
fn three_against_three_agree_with_brute_force_in_every_position() {
    let (mut decided, nothing) = (Decided::new(), &mut |sector| panic!("3-3 needs no other, not {sector}"));
    Brute::new().solve(&mut decided, 3, 3);
    let solved = solve_pair::<TooLong>(&nine(), Sector::moving(3, 3), TbKind::Distance, 2, nothing, &|_| ())
        .expect("3-3");
    let [(sector, values)] = &solved[..] else { panic!("3-3 is one sector") };
    assert_eq!(*sector, Sector::moving(3, 3));
    compare(*sector, values, &decided);
}

#[test]
#[ignore = "takes half a minute; run with --ignored"]
fn three_against_four_agree_with_brute_force_in_every_position() {
    let (mut decided, brute) = (Decided::new(), Brute::new());
    brute.solve(&mut decided, 3, 3);
    brute.solve(&mut decided, 4, 3);
    let load = &mut |sector| {
        assert_eq!(sector, Sector::moving(3, 3));
        let three = solve_pair(&nine(), sector, TbKind::Distance, 2, &mut |_| unreachable!(), &|_| ())?;
        Ok(three.into_iter().next().expect("3-3").1)
    };
    let solved = solve_pair::<TooLong>(&nine(), Sector::moving(4, 3), TbKind::Distance, 2, load, &|_| ())
        .expect("4-3");
    let sectors: Vec<Sector> = solved.iter().map(|&(sector, _)| sector).collect();
    assert_eq!(sectors, [Sector::moving(4, 3), Sector::moving(3, 4)]);
    for (sector, values) in &solved {
        compare(*sector, values, &decided);
    }
}

fn nine() -> SolvedGame {
    SolvedGame::new(&Rules::NINE).expect("the standard game can be solved")
}
