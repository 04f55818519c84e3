//! The order in which the search tries moves: the table move, then the rest best first, each stage made only when it
//! is reached.

use crate::bitboard::{Bitboard, Pair};
use crate::movegen;
use crate::position::{Action, Position};
use crate::rules::CompiledRules;
use crate::search::history::{HISTORY_MAX, History};
use crate::types::{Color, MAX_MOVES, Move, MoveKind, ROWS, Square};

/// Order among moves that nothing else tells apart: points with more neighbours first, the rest by chance or by
/// number.
#[derive(Clone, Debug)]
pub struct Priority([i16; ROWS]);

impl Priority {
    /// Points by number of neighbours; `dice` gives a random number for each point, or 0 where order shall be fixed.
    pub fn new(neighbours: &[Bitboard; ROWS], mut dice: impl FnMut() -> u8) -> Self {
        Self(std::array::from_fn(|row| 16 * neighbours[row].count() as i16 + i16::from(dice() & 15)))
    }
}

// What each property of a move adds to its score, in units of history. The sum fits in 16 bits.
const CLOSES_MILL: i32 = 14_000;
const STOPS_MILL: i32 = 6_500;
const KILLER: i32 = 3_000;
const COUNTER: i32 = 2_000;
const NEAR_MARK: i32 = 100;
const SHARED_LINE: i32 = 60;
const LEAVES_MILL: i32 = 400;
const TAKE_NEAR_OWN: i32 = 150;
const TAKE_MOBILE: i32 = 120;
const TAKE_OPENS_ROW: i32 = -200;
const TAKE_FAR: i32 = -120;
const TAKE_BREAKS_LINE: i32 = 1_500;

const _: () = assert!(2 * CLOSES_MILL + STOPS_MILL / 2 < i16::MAX as i32);
const _: () = assert!(CLOSES_MILL + STOPS_MILL + HISTORY_MAX + KILLER + 1_000 < i16::MAX as i32);

/// What the picker needs to know about the node besides the position.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The learned ordering.
    pub history: &'a History,
    /// Order among equals.
    pub priority: &'a Priority,
    /// Two moves that caused cut-offs nearby.
    pub killers: [Move; 2],
    /// The latest answer that refuted the move before.
    pub counter: Move,
}

/// A move with what the picker found out about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Picked {
    /// The move.
    pub m: Move,
    /// Whether it closes a mill.
    pub closes: bool,
    /// Whether it goes where the opponent could close a mill.
    pub stops: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    Tactical,
    NextTactical,
    FirstKiller,
    SecondKiller,
    Counter,
    Generate,
    Rest,
}

/// Score in the upper half, then two flags, then the move: the largest is the best.
type Key = i32;

const CLOSES: Key = 1 << 15;
const STOPS: Key = 1 << 14;
const MOVE: Key = (1 << 12) - 1;

/// Hands out the moves of a node one by one. Borrows the position for each call only, so that moves can be played
/// in between.
///
/// Most nodes are left after their first move, so all moves are listed only when what is likely to be good has been
/// tried: the table move, moves that close a mill or stop one, and moves that were good nearby.
pub struct MovePicker {
    stage: Stage,
    /// Moves handed out before the list was made, the tactical ones aside: table move, killers, counter move.
    early: [Move; 4],
    /// Points whose moves were listed early where they close or stop a mill.
    tactical: Bitboard,
    keys: [Key; MAX_MOVES],
    len: usize,
    /// Whether only moves that close a mill or stop one are still asked for.
    skips_quiet: bool,
}

impl MovePicker {
    /// A picker that begins with `table`, a move known to be legal, or none.
    #[inline(always)]
    pub fn new(table: Move) -> Self {
        let early = [table, Move::NONE, Move::NONE, Move::NONE];
        let tactical = Bitboard::EMPTY;
        Self { stage: Stage::Table, early, tactical, keys: [0; MAX_MOVES], len: 0, skips_quiet: false }
    }

    /// Leaves out the quiet moves that have not been handed out yet: those that neither close a mill nor go where the
    /// opponent could close one. Where they have not been listed yet, they never are.
    #[inline(always)]
    pub fn skip_quiet(&mut self) {
        self.skips_quiet = true;
    }

    /// The next move, or `None` when all have been tried. `EXTRAS` has to equal [`Position::has_extras`].
    #[inline]
    pub fn next<const EXTRAS: bool>(&mut self, pos: &Position, context: Context<'_>) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::Table => {
                    // Under rare rules more than lines decides what a move earns: no stages there.
                    let staged = !EXTRAS && pos.action() != Action::Remove;
                    self.stage = if staged { Stage::Tactical } else { Stage::Generate };
                    if self.early[0].is_some() {
                        return Some(describe(pos, self.early[0]));
                    }
                }
                Stage::Tactical => {
                    self.list_tactical(pos);
                    self.keys[..self.len].sort_unstable();
                    self.stage = Stage::NextTactical;
                }
                Stage::NextTactical => {
                    if let Some(picked) = self.next_listed() {
                        return Some(picked);
                    }
                    self.stage = Stage::FirstKiller;
                }
                // Where there are stages, moves that close a mill or stop one have had their turn.
                Stage::FirstKiller | Stage::SecondKiller | Stage::Counter | Stage::Generate
                    if self.skips_quiet && !EXTRAS =>
                {
                    return None;
                }
                Stage::FirstKiller => {
                    self.stage = Stage::SecondKiller;
                    if let Some(picked) = self.early_move(1, context.killers[0], pos) {
                        return Some(picked);
                    }
                }
                Stage::SecondKiller => {
                    self.stage = Stage::Counter;
                    if let Some(picked) = self.early_move(2, context.killers[1], pos) {
                        return Some(picked);
                    }
                }
                Stage::Counter => {
                    self.stage = Stage::Generate;
                    if let Some(picked) = self.early_move(3, context.counter, pos) {
                        return Some(picked);
                    }
                }
                Stage::Generate => {
                    self.generate::<EXTRAS>(pos, context);
                    self.keys[..self.len].sort_unstable();
                    self.stage = Stage::Rest;
                }
                Stage::Rest => return self.next_listed(),
            }
        }
    }

    /// The best of the list that has not been handed out yet.
    #[inline(always)]
    fn next_listed(&mut self) -> Option<Picked> {
        loop {
            let key = *self.keys[..self.len].last()?;
            self.len -= 1;
            if self.skips_quiet && key & (CLOSES | STOPS) == 0 {
                continue;
            }
            let m = Move::from_bits((key & MOVE) as u16);
            if !self.early.contains(&m) {
                return Some(Picked { m, closes: key & CLOSES != 0, stops: key & STOPS != 0 });
            }
        }
    }

    /// A quiet move that was good elsewhere, if it can be played here.
    #[inline(never)]
    fn early_move(&mut self, slot: usize, m: Move, pos: &Position) -> Option<Picked> {
        if m.is_none() || self.early.contains(&m) || !pos.is_legal_as::<false>(m) {
            return None;
        }
        let picked = describe(pos, m);
        // Moves that close or stop a mill have had their turn.
        if (picked.closes || picked.stops) && self.tactical.contains(m.to()) {
            return None;
        }
        self.early[slot] = m;
        Some(picked)
    }

    /// Lists the moves that close a mill or stop one.
    // Not inlined, like `generate`: as part of the loop over stages its arithmetic would be done for every move.
    #[inline(never)]
    fn list_tactical(&mut self, pos: &Position) {
        let us = pos.side_to_move();
        let compiled = pos.compiled();
        let ours = pos.men(us);
        let closers = Pair::new(ours, pos.men(!us)).closers(pos.empty(), compiled.spokes);
        let placing = pos.action() == Action::Place;
        let flying = !placing && pos.can_fly(us);
        let threats =
            if pos.hand(!us) > 0 || pos.can_fly(!us) { closers.all } else { closers.reachable }.second();
        self.tactical = closers.all.first() | threats;
        for to in self.tactical {
            let stops = closers.all.second().contains(to);
            let origins = match (placing, flying) {
                (true, _) => {
                    let lines = compiled.lines_closed(ours, to);
                    self.push_tactical(lines, stops, Move::place(to));
                    continue;
                }
                (_, true) => ours,
                _ => ours & compiled.adjacent[to.row()],
            };
            for from in origins {
                let lines = compiled.lines_closed(ours.without(from), to);
                self.push_tactical(lines, stops, Move::slide(from, to));
            }
        }
    }

    #[inline(always)]
    fn push_tactical(&mut self, lines: u32, stops: bool, m: Move) {
        let flags = if lines > 0 { CLOSES } else { 0 } | if stops { STOPS } else { 0 };
        if flags != 0 {
            self.push(CLOSES_MILL * (lines as i32).min(2) + i32::from(stops), flags, m);
        }
    }

    #[inline(always)]
    fn push(&mut self, score: i32, flags: Key, m: Move) {
        if let Some(slot) = self.keys.get_mut(self.len) {
            *slot = score << 16 | flags | Key::from(m.bits());
            self.len += 1;
        }
    }

    /// Lists all moves, those handed out before aside.
    #[inline(never)]
    fn generate<const EXTRAS: bool>(&mut self, pos: &Position, context: Context<'_>) {
        let us = pos.side_to_move();
        let scorer = Scorer::new(pos, us);
        if pos.due::<EXTRAS>() == Action::Remove {
            movegen::for_each::<EXTRAS>(pos, |m| {
                let learned =
                    i32::from(context.history.score(us, m)) + i32::from(context.priority.0[m.to().row()]);
                self.push(learned + scorer.take(m.to()), 0, m);
            });
        } else {
            movegen::for_each::<EXTRAS>(pos, |m| {
                let learned =
                    i32::from(context.history.score(us, m)) + i32::from(context.priority.0[m.to().row()]);
                let (score, flags) = scorer.advance(m);
                if flags == 0 || !self.tactical.contains(m.to()) {
                    self.push(learned + score, flags, m);
                }
            });
        }
        if EXTRAS {
            let [first, second] = context.killers.map(|m| Key::from(m.bits()));
            let counter = Key::from(context.counter.bits());
            for key in &mut self.keys[..self.len] {
                let m = *key & MOVE;
                // One bonus of the two: with both the sum would not fit.
                let bonus = match m {
                    _ if m == first || m == second => KILLER,
                    _ if m == counter => COUNTER,
                    _ => 0,
                };
                *key += bonus << 16;
            }
        }
    }
}

/// A move with its properties, worked out alone.
fn describe(pos: &Position, m: Move) -> Picked {
    if m.is_take() {
        return Picked { m, closes: false, stops: false };
    }
    let us = pos.side_to_move();
    let men = pos.men(us);
    let others = if m.kind() == MoveKind::Slide { men.without(m.from()) } else { men };
    let compiled = pos.compiled();
    Picked {
        m,
        closes: compiled.closes_mill(others, m.to()),
        stops: compiled.closes_mill(pos.men(!us), m.to()),
    }
}

/// Scores the moves of one node by what Mill players look at.
struct Scorer<'a> {
    compiled: &'a CompiledRules,
    ours: Bitboard,
    theirs: Bitboard,
    empty: Bitboard,
    marked: Bitboard,
    /// Points where we could close a mill, as far as lines tell.
    closers: Bitboard,
    /// Points where the opponent could.
    threats: Bitboard,
    milled: Bitboard,
    /// Points on a line with an own and an opposing man.
    shared: Bitboard,
}

impl<'a> Scorer<'a> {
    #[inline(always)]
    fn new(pos: &'a Position, us: Color) -> Self {
        let compiled = pos.compiled();
        let (ours, theirs, empty) = (pos.men(us), pos.men(!us), pos.empty());
        let men = Pair::new(ours, theirs);
        let closers = men.closers(empty, compiled.spokes).all;
        let (before, after) = (men.clockwise(), men.anticlockwise());
        let shared = before.first() & after.second() | before.second() & after.first();
        Self {
            compiled,
            ours,
            theirs,
            empty,
            marked: pos.extras().marked,
            closers: closers.first(),
            threats: closers.second(),
            milled: ours.milled(compiled.spokes),
            shared: shared & Bitboard::MIDPOINTS,
        }
    }

    /// Placings and slides: close an own mill, stop one of the opponent, stay near points that open again, share a
    /// line with own and opposing men.
    #[inline(always)]
    fn advance(&self, m: Move) -> (i32, Key) {
        let to = m.to();
        let mut score = 0;
        let mut flags = 0;
        if self.threats.contains(to) {
            score += STOPS_MILL;
            flags |= STOPS;
        }
        let slides = m.kind() == MoveKind::Slide;
        if self.closers.contains(to) {
            let others = if slides { self.ours.without(m.from()) } else { self.ours };
            if self.compiled.closes_mill(others, to) {
                score += CLOSES_MILL;
                flags |= CLOSES;
            }
        }
        if slides {
            // Stepping out of a mill that the man can close again with its next move.
            score += LEAVES_MILL * i32::from(self.milled.contains(m.from()));
        } else {
            score += SHARED_LINE * i32::from(self.shared.contains(to));
        }
        if !self.marked.is_empty() {
            score += NEAR_MARK * (self.compiled.adjacent[to.row()] & self.marked).count() as i32;
        }
        (score, flags)
    }

    /// Takes: men of an open line first, then men next to own ones and mobile ones; not one whose point gives the
    /// opponent three neighbours in a row, nor one far from own men.
    #[inline(always)]
    fn take(&self, at: Square) -> i32 {
        let near = self.compiled.adjacent[at.row()];
        let own_near = (near & self.ours).count() as i32;
        let mut score = TAKE_NEAR_OWN * own_near + TAKE_MOBILE * (near & self.empty).count() as i32;
        if own_near == 0 {
            score += TAKE_FAR;
        }
        if (near & self.theirs).count() >= 3 {
            score += TAKE_OPENS_ROW;
        }
        for line in self.compiled.partners[at.row()] {
            let open = line.intersects(self.theirs) & line.intersects(self.threats);
            score += TAKE_BREAKS_LINE * i32::from(open);
        }
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    fn picked(fen: &str, table: Move) -> Vec<String> {
        picked_until(fen, table, usize::MAX)
    }

    /// The moves of a position, without further quiet ones after so many.
    fn picked_until(fen: &str, table: Move, asked: usize) -> Vec<String> {
        let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
        let history = History::default();
        let priority = Priority::new(&pos.compiled().adjacent, || 0);
        let context =
            Context { history: &history, priority: &priority, killers: [Move::NONE; 2], counter: Move::NONE };
        let mut picker = MovePicker::new(table);
        let mut found = Vec::new();
        loop {
            if found.len() == asked {
                picker.skip_quiet();
            }
            match picker.next::<false>(&pos, context) {
                Some(picked) => found.push(picked.m.to_string()),
                None => return found,
            }
        }
    }

    #[test]
    fn every_move_comes_once_with_the_table_move_first() {
        let fen = "****@@**/@**O*@**/O****OO* w p p 4 5 4 5 0 0 -1 -1 -1 -1 0 0 5 ids:nodes";
        let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
        let mut expected: Vec<String> = movegen::legal(&pos).iter().map(ToString::to_string).collect();
        let table = movegen::legal(&pos)[3];
        let mut found = picked(fen, table);
        assert_eq!(found[0], table.to_string());
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn quiet_moves_are_left_out_from_any_stage_on() {
        let fen = "********/********/OO*@@*** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let all = picked(fen, Move::NONE);
        for asked in 0..=all.len() {
            let kept = picked_until(fen, Move::NONE, asked);
            assert_eq!(kept, all[..asked.max(2)]);
        }
        let table = movegen::legal(&Position::from_fen(&Rules::NINE, fen).unwrap())[0];
        assert_eq!(picked_until(fen, table, 1), [table.to_string(), all[0].clone(), all[1].clone()]);
    }

    #[test]
    fn closing_a_mill_comes_before_stopping_one() {
        let fen = "********/********/OO*@@*** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let order = picked(fen, Move::NONE);
        assert_eq!(order[..2], ["a7", "a1"]);
    }
}
