//! A second implementation of the rules, with plain arrays and loops, to compare the engine with. It is
//! written from the text of the rules alone and shares nothing with the engine: it uses only the standard
//! library. Titles in quotation marks are those of sections of `docs/rules.md`.
//!
//! `mod.rs` holds the state and lists actions, `play.rs` plays them, `removal.rs` and `capture.rs` the rules
//! about men that leave the board, `endings.rs` how a game ends, `fen.rs` the position text, `options.rs` the
//! rule options, `board.rs` the board.

// Each test file that includes this module uses only a part of it.
#![allow(dead_code, unreachable_pub)]
// Loops over point numbers read like the rules do.
#![allow(clippy::needless_range_loop)]

mod board;
mod capture;
mod endings;
mod fen;
mod options;
mod play;
mod removal;

use board::{Line, NAMES, POINTS, mill_lines, neighbours, point_named};
use std::fmt;

pub use options::Options;

/// A player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    White,
    Black,
}

use Side::{Black, White};

impl Side {
    fn other(self) -> Self {
        match self {
            White => Black,
            Black => White,
        }
    }
}

/// The content of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    Empty,
    Man(Side),
    Marked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Placing,
    Moving,
    Over,
}

/// The kind of action that comes next, field 4 of the position text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Place,
    Select,
    Remove,
    Nothing,
}

/// One atomic action; the numbers are points 0 to 23.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Place(usize),
    Move(usize, usize),
    Remove(usize),
}

impl Action {
    /// Reads the printed form of an action.
    pub fn read(text: &str) -> Option<Self> {
        if let Some((from, to)) = text.split_once('-') {
            Some(Self::Move(point_named(from)?, point_named(to)?))
        } else if let Some(point) = text.strip_prefix('x') {
            Some(Self::Remove(point_named(point)?))
        } else {
            Some(Self::Place(point_named(text)?))
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Place(point) => f.write_str(NAMES[point]),
            Self::Move(from, to) => write!(f, "{}-{}", NAMES[from], NAMES[to]),
            Self::Remove(point) => write!(f, "x{}", NAMES[point]),
        }
    }
}

/// The reason why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    Ongoing,
    LoseFewerThanThree,
    LoseNoLegalMoves,
    LoseFullBoard,
    DrawFullBoard,
    DrawStalemateCondition,
    DrawThreefoldRepetition,
    DrawFiftyMove,
    DrawEndgameFiftyMove,
}

/// A capture record: the men that may be taken, and how many of them must be taken.
#[derive(Clone, Copy, Debug)]
struct Record {
    targets: [bool; POINTS],
    count: i32,
}

const NO_RECORD: Record = Record { targets: [false; POINTS], count: 0 };

impl Record {
    fn has_targets(&self) -> bool {
        self.targets.contains(&true)
    }

    fn is_empty(&self) -> bool {
        self.count == 0 && !self.has_targets()
    }
}

/// The indices of the three capture records of a side.
const CUSTODIAN: usize = 0;
const INTERVENTION: usize = 1;
const LEAP: usize = 2;

/// Everything in "State of a game" but the history. Arrays of two are indexed by `Side as usize`.
#[derive(Clone, Copy, Debug)]
struct State {
    board: [Point; POINTS],
    side: Option<Side>,
    phase: Phase,
    expected: Expected,
    hand: [i32; 2],
    on: [i32; 2],
    due: [i32; 2],
    own_due: [bool; 2],
    mill_due: bool,
    take_then_move: bool,
    both_take: bool,
    last_mill: [(Option<usize>, Option<usize>); 2],
    used: [[bool; POINTS]; 2],
    records: [[Record; 3]; 2],
    preferred: Option<usize>,
    counter: i32,
    ply: i32,
    winner: Option<Side>,
    reason: Reason,
}

/// The part of a position that repetition compares: the board with marked points, and the side to move
/// ("Repetition").
type Signature = ([Point; POINTS], Side);

/// A game under given rules.
#[derive(Clone, Debug)]
pub struct Game {
    options: Options,
    now: State,
    /// If the position is drawn by repetition or by a move counter: the same position without the draw.
    beyond: Option<State>,
    past_draws: bool,
    history: Vec<Signature>,
}

impl Game {
    /// A new game.
    pub fn new(options: &Options) -> Self {
        let now = State {
            board: [Point::Empty; POINTS],
            side: Some(White),
            phase: Phase::Placing,
            expected: Expected::Place,
            hand: [options.pieces_count; 2],
            on: [0; 2],
            due: [0; 2],
            own_due: [false; 2],
            mill_due: false,
            take_then_move: false,
            both_take: false,
            last_mill: [(None, None); 2],
            used: [[false; POINTS]; 2],
            records: [[NO_RECORD; 3]; 2],
            preferred: None,
            counter: 0,
            ply: 0,
            winner: None,
            reason: Reason::Ongoing,
        };
        Self { options: *options, now, beyond: None, past_draws: false, history: Vec::new() }
    }

    /// True if actions may be applied in positions drawn by repetition or by a move counter, as if there were
    /// no draw. `fen`, `legal`, `terminal` and `reason` report the draw all the same.
    pub fn play_past_draws(&mut self, on: bool) {
        self.past_draws = on;
    }

    /// The side to move; none after the endings that make the side nobody.
    pub fn side(&self) -> Option<Side> {
        self.now.side
    }

    /// True if the game is over.
    pub fn terminal(&self) -> bool {
        self.now.phase == Phase::Over
    }

    /// The winner; none in a draw, in a game that goes on, and in a position read as already over.
    pub fn winner(&self) -> Option<Side> {
        self.now.winner
    }

    /// True if the game is drawn.
    pub fn drawn(&self) -> bool {
        self.reason().starts_with("draw")
    }

    /// The reason why the game is over, or `ongoing`.
    pub fn reason(&self) -> &'static str {
        match self.now.reason {
            Reason::Ongoing => "ongoing",
            Reason::LoseFewerThanThree => "loseFewerThanThree",
            Reason::LoseNoLegalMoves => "loseNoLegalMoves",
            Reason::LoseFullBoard => "loseFullBoard",
            Reason::DrawFullBoard => "drawFullBoard",
            Reason::DrawStalemateCondition => "drawStalemateCondition",
            Reason::DrawThreefoldRepetition => "drawThreefoldRepetition",
            Reason::DrawFiftyMove => "drawFiftyMove",
            Reason::DrawEndgameFiftyMove => "drawEndgameFiftyMove",
        }
    }

    /// The number of times the position has occurred since the last placing or take, this time included; zero
    /// if repetition does not count it. If a take is due after a move, this is the count of the position
    /// before the move, as in Sanmill's engine.
    pub fn repetition_count(&self) -> usize {
        match self.history.last() {
            Some(last) => self.history.iter().filter(|entry| *entry == last).count(),
            None => 0,
        }
    }

    /// The legal actions of the position ("Legal moves"); none when the game is over.
    pub fn legal(&self) -> Vec<Action> {
        self.legal_in(&self.now)
    }

    /// The actions that `apply` accepts: the legal ones, and with `play_past_draws` also those of a drawn
    /// position.
    pub fn playable(&self) -> Vec<Action> {
        match &self.beyond {
            Some(beyond) if self.past_draws => self.legal_in(beyond),
            _ => self.legal(),
        }
    }

    /// Reads an action that `apply` accepts here; none if the text is anything else.
    pub fn parse(&self, text: &str) -> Option<Action> {
        Action::read(text).filter(|action| self.playable().contains(action))
    }

    /// The number of sequences of `depth` actions from here. A finished game has no continuation.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let legal = self.legal();
        if depth == 1 {
            return legal.len() as u64;
        }
        let mut nodes = 0;
        for action in legal {
            let mut next = self.clone();
            next.apply(action);
            nodes += next.perft(depth - 1);
        }
        nodes
    }

    /// Plays an action, which must be one of `playable()`.
    pub fn apply(&mut self, action: Action) {
        if let Some(beyond) = self.beyond.take()
            && self.past_draws
        {
            self.now = beyond;
        }
        let side = self.now.side.expect("an action is played by a side");
        match action {
            Action::Place(point) => self.place(side, point),
            Action::Move(from, to) => self.move_man(side, from, to),
            Action::Remove(point) => self.remove(side, point),
        }
    }

    fn legal_in(&self, now: &State) -> Vec<Action> {
        let mut actions = Vec::new();
        let Some(side) = now.side else { return actions };
        if now.phase == Phase::Over {
            return actions;
        }
        let mut expected = now.expected;
        if expected == Expected::Place && (now.phase != Phase::Placing || now.due[side as usize] > 0) {
            expected = now.refreshed();
        }
        match expected {
            Expected::Place => {
                if now.hand[side as usize] > 0 {
                    for point in 0..POINTS {
                        if now.board[point] == Point::Empty {
                            actions.push(Action::Place(point));
                        }
                    }
                }
                if self.options.may_move_in_placing_phase {
                    self.add_moves(now, side, false, &mut actions);
                }
            }
            Expected::Select if now.phase == Phase::Moving => self.add_moves(now, side, true, &mut actions),
            Expected::Select | Expected::Nothing => {}
            Expected::Remove => self.add_removals(now, side, &mut actions),
        }
        actions
    }

    /// The slides, flights and leaps of "Legal moves". A side flies only with `may_fly` and few enough men.
    fn add_moves(&self, now: &State, side: Side, may_fly: bool, actions: &mut Vec<Action>) {
        let flies = may_fly
            && self.options.may_fly
            && now.hand[side as usize] == 0
            && now.on[side as usize] <= self.options.fly_piece_count;
        let leaps = !flies && now.hand[side as usize] == 0;
        for from in 0..POINTS {
            if now.board[from] != Point::Man(side) {
                continue;
            }
            for to in 0..POINTS {
                let reachable = flies
                    || neighbours(from, self.options.has_diagonal_lines).any(|point| point == to)
                    || leaps && self.leap_target(now, side, from, to).is_some();
                if reachable
                    && now.board[to] == Point::Empty
                    && !self.is_forbidden_return(now, side, from, to)
                {
                    actions.push(Action::Move(from, to));
                }
            }
        }
    }

    /// "Repeated mills": true if the move is the forbidden return.
    fn is_forbidden_return(&self, now: &State, side: Side, from: usize, to: usize) -> bool {
        if !self.options.restrict_repeated_mills_formation
            || now.last_mill[side as usize] != (Some(to), Some(from))
        {
            return false;
        }
        let mut vacated = now.board;
        vacated[from] = Point::Empty;
        self.has_partners(now, &now.board, side, from) && self.has_partners(now, &vacated, side, to)
    }

    /// True if `side` holds the two other points of a line through `point` that can still earn a take.
    fn has_partners(&self, now: &State, board: &[Point; POINTS], side: Side, point: usize) -> bool {
        self.mill_lines().iter().any(|line| {
            line.contains(&point)
                && line.iter().all(|&p| p == point || board[p] == Point::Man(side))
                && !self.is_used(now, side, line)
        })
    }

    /// The lines through `point` that are "Usable mills" of `side`.
    fn usable_mills(&self, side: Side, point: usize) -> Vec<&'static Line> {
        let now = &self.now;
        self.mill_lines()
            .iter()
            .filter(|line| line.contains(&point) && now.is_mill(line, side) && !self.is_used(now, side, line))
            .collect()
    }

    /// "One-time mills": true if all points of the line belong to mills that the side has used.
    fn is_used(&self, now: &State, side: Side, line: &Line) -> bool {
        self.options.one_time_use_mill && line.iter().all(|&p| now.used[side as usize][p])
    }

    fn mill_lines(&self) -> &'static [Line] {
        mill_lines(self.options.has_diagonal_lines)
    }
}

impl State {
    /// The kind of move that comes next, by phase and takes due ("Phase and next move").
    fn refreshed(&self) -> Expected {
        match self.phase {
            Phase::Over => Expected::Nothing,
            _ if self.side.is_some_and(|side| self.due[side as usize] > 0) => Expected::Remove,
            Phase::Placing => Expected::Place,
            Phase::Moving => Expected::Select,
        }
    }

    fn unoccupied(&self) -> usize {
        self.board.iter().filter(|&&point| point == Point::Empty).count()
    }

    fn is_mill(&self, line: &Line, side: Side) -> bool {
        line.iter().all(|&point| self.board[point] == Point::Man(side))
    }
}
