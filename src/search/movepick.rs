//! The move picker: the tt move, then the rest best first, in stages that are generated when they are
//! reached.

use super::history::{History, Priority};
use super::movescore::{CLOSES, STOPS, Scorer, SortKey, move_of, sort_key};
use crate::bitboard::{Bitboard, Pair};
use crate::movegen;
use crate::params::{order_closes_mill, order_stops_mill};
use crate::position::{Action, Position};
use crate::tt::TranspositionTable;
use crate::types::{Depth, MAX_MOVES, Move};
use std::array;
use wide::{CmpGt as _, i32x8};

/// The input of the picker besides the position.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// The learned move ordering.
    pub history: &'a History,
    /// The order among equals.
    pub priority: &'a Priority,
    /// The killer moves and the countermove.
    pub killers_and_counter: [Move; 3],
    /// The transposition table, for prefetches.
    pub tt: &'a TranspositionTable,
}

/// A move with its properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Picked {
    /// The move.
    pub m: Move,
    /// True if it closes a mill.
    pub closes: bool,
    /// True if it goes where the opponent could close a mill.
    pub stops: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PickStage {
    TtMove,
    Tactical,
    /// Killers and countermove; none if a take is due.
    Early,
    // The lists come last: one comparison tells them from the others.
    NextTactical,
    Rest,
}

/// The longest list that is sorted by counting.
const SORTED_BY_COUNTING: usize = 56;
const LANES: usize = 8;
/// A power of two above every place in a list that is sorted by counting: a mask replaces the bounds check.
const PLACES: usize = 64;
const _: () = assert!(SORTED_BY_COUNTING + LANES <= PLACES && PLACES <= MAX_MOVES);

/// Returns the moves of a node one by one. Borrows the position for each call only, so that moves can be
/// played in between.
///
/// Most nodes are left after their first move, so all moves are generated only after the likely ones: the tt
/// move, moves that close or stop a mill, killers and the countermove. Takes do not come in stages.
pub(crate) struct MovePicker {
    stage: PickStage,
    /// The moves returned before generation, without tactical ones: tt move, killers, countermove.
    early: [Move; 4],
    /// The targets of these moves.
    early_targets: Bitboard,
    /// The next of these to return, from 1.
    slot: usize,
    /// The targets of tactical moves: those that close or stop a mill here have been returned.
    tactical: Bitboard,
    /// The points where each side could close a mill, once tactical moves have been generated.
    closers: Pair,
    keys: [SortKey; MAX_MOVES],
    len: usize,
    /// The flags of all moves of the list together.
    flags: SortKey,
    /// True if only moves that close or stop a mill are still wanted.
    skips_quiet: bool,
    /// True if the children probe the transposition table. If not, only those after a mill may.
    children_probe: bool,
}

impl MovePicker {
    /// Returns a picker that begins with `tt_move`, a legal move or [`Move::NONE`]. `takes` is true if a take
    /// is due; `depth` is the depth of the node, which decides what is prefetched.
    #[inline(always)]
    pub(crate) fn new(tt_move: Move, takes: bool, depth: Depth) -> Self {
        Self {
            stage: PickStage::TtMove,
            early: [tt_move, Move::NONE, Move::NONE, Move::NONE],
            early_targets: if tt_move.is_none() { Bitboard::EMPTY } else { Bitboard::of(tt_move.to()) },
            slot: if takes { 4 } else { 1 },
            tactical: Bitboard::EMPTY,
            closers: Pair::both(Bitboard::EMPTY),
            keys: [0; MAX_MOVES],
            len: 0,
            flags: 0,
            skips_quiet: false,
            // Children without depth are left to quiescence, which does not probe.
            children_probe: depth > 1,
        }
    }

    /// Skips the remaining quiet moves. Until the rest is listed, a move that stops a mill is one of them if
    /// the opponent cannot reach the point.
    #[inline(always)]
    pub(crate) fn skip_quiet(&mut self) {
        self.skips_quiet = true;
        // Most lists have no other moves left.
        self.len = if self.flags == 0 { 0 } else { self.len };
    }

    /// Prefetches the bucket of the child that probably comes next, if its move comes from a list.
    #[inline(always)]
    pub(crate) fn prefetch_next(&self, pos: &Position, tt: &TranspositionTable) {
        // Seldom a mill: those come first.
        if self.children_probe
            && let Some(&key) = self.keys.get(self.len.wrapping_sub(1))
        {
            tt.prefetch(pos.key_after(move_of(key), false));
        }
    }

    /// Returns the next move, or `None` after the last. `EXTRAS` has to equal [`Position::has_extras`].
    #[inline(always)]
    pub(crate) fn next<'a, const EXTRAS: bool>(
        &mut self,
        pos: &Position,
        context: impl FnOnce() -> Context<'a>,
    ) -> Option<Picked> {
        // Most moves come from a list.
        if matches!(self.stage, PickStage::NextTactical | PickStage::Rest) {
            if let Some(picked) = self.next_listed() {
                return Some(picked);
            }
            // Moves that close a mill, or stop one that the opponent can close, have been returned.
            if self.stage == PickStage::Rest || self.skips_quiet {
                return None;
            }
        } else if self.stage == PickStage::TtMove {
            let takes = self.slot == self.early.len();
            self.stage = if takes { PickStage::Early } else { PickStage::Tactical };
            if self.early[0].is_some() {
                return Some(describe(pos, self.early[0]));
            }
        }
        let Context { history, priority, killers_and_counter, tt } = context();
        self.next_stage::<EXTRAS>(pos, history, priority, killers_and_counter, tt)
    }

    /// Returns the next move after the end of a list, or `None` after the last.
    // Not inlined, and without a jump table for the stages, which processors predict badly. The context comes
    // in registers.
    #[inline(never)]
    fn next_stage<const EXTRAS: bool>(
        &mut self,
        pos: &Position,
        history: &History,
        priority: &Priority,
        killers_and_counter: [Move; 3],
        tt: &TranspositionTable,
    ) -> Option<Picked> {
        if self.stage == PickStage::Tactical {
            // This bucket arrives while moves are listed.
            prefetch_child::<EXTRAS>(pos, tt, killers_and_counter[0], false, self.children_probe);
            self.list_tactical::<EXTRAS>(pos);
            let coming =
                self.keys[..self.len].iter().filter(|&&key| !self.early_targets.contains(move_of(key).to()));
            if let Some(&best) = coming.max() {
                self.prefetch_listed::<EXTRAS>(best, pos, tt);
            }
            self.sort();
            self.stage = PickStage::NextTactical;
            if let Some(picked) = self.next_listed() {
                return Some(picked);
            }
        }
        if self.skips_quiet {
            return None;
        }
        self.stage = PickStage::Early;
        while self.slot < self.early.len() {
            let m = killers_and_counter[self.slot - 1];
            self.slot += 1;
            if let Some(picked) = self.early_move::<EXTRAS>(self.slot - 1, m, pos) {
                if let Some(&next) = killers_and_counter.get(self.slot - 1) {
                    prefetch_child::<EXTRAS>(pos, tt, next, false, self.children_probe);
                }
                return Some(picked);
            }
        }
        let best = self.generate::<EXTRAS>(pos, history, priority);
        self.prefetch_listed::<EXTRAS>(best, pos, tt);
        self.sort();
        self.stage = PickStage::Rest;
        self.next_listed()
    }

    /// Prefetches the bucket of the child after the move of a key.
    #[inline(always)]
    fn prefetch_listed<const EXTRAS: bool>(&self, key: SortKey, pos: &Position, tt: &TranspositionTable) {
        prefetch_child::<EXTRAS>(pos, tt, move_of(key), key & CLOSES != 0, self.children_probe);
    }

    /// Sorts the list, the best last.
    ///
    /// The place of a key is the number of smaller keys. No branch depends on the keys, so none is
    /// mispredicted.
    #[inline(always)]
    fn sort(&mut self) {
        let len = self.len;
        if len > SORTED_BY_COUNTING {
            return self.keys[..len].sort_unstable();
        }
        if len <= 2 {
            if len == 2 && self.keys[0] > self.keys[1] {
                self.keys.swap(0, 1);
            }
            return;
        }
        // What fills the vectors goes behind the list.
        self.keys[len..len + LANES].fill(SortKey::MAX);
        match len.div_ceil(LANES) {
            ..=1 => self.sort_vectors::<1>(),
            2 => self.sort_vectors::<2>(),
            3 => self.sort_vectors::<3>(),
            4 => self.sort_vectors::<4>(),
            // Seldom, so one instance serves all longer lists.
            _ => {
                self.keys[len..SORTED_BY_COUNTING].fill(SortKey::MAX);
                self.sort_vectors::<{ SORTED_BY_COUNTING / LANES }>();
            }
        }
    }

    /// Sorts a list that fits into `VECTORS` vectors.
    #[inline(always)]
    fn sort_vectors<const VECTORS: usize>(&mut self) {
        let vectors: [i32x8; VECTORS] = array::from_fn(|n| i32x8::from(&self.keys[LANES * n..][..LANES]));
        let mut places = [i32x8::splat(0); VECTORS];
        for &other in &self.keys[..self.len] {
            let other = i32x8::splat(other);
            for (place, vector) in places.iter_mut().zip(&vectors) {
                *place -= vector.cmp_gt(other);
            }
        }
        for (vector, places) in vectors.into_iter().zip(places) {
            for (key, place) in vector.to_array().into_iter().zip(places.to_array()) {
                self.keys[place as usize % PLACES] = key;
            }
        }
    }

    /// Returns the best move of the list.
    #[inline(always)]
    fn next_listed(&mut self) -> Option<Picked> {
        loop {
            let key = *self.keys.get(self.len.wrapping_sub(1))?;
            self.len -= 1;
            if self.skips_quiet && key & (CLOSES | STOPS) == 0 {
                continue;
            }
            let m = move_of(key);
            // Most targets tell at once.
            if !self.early_targets.contains(m.to()) || !self.early.contains(&m) {
                return Some(Picked { m, closes: key & CLOSES != 0, stops: key & STOPS != 0 });
            }
        }
    }

    /// Returns a killer or the countermove, if it is legal here and has not been returned. `slot` is its
    /// place in [`MovePicker::early`].
    #[inline(never)]
    fn early_move<const EXTRAS: bool>(&mut self, slot: usize, m: Move, pos: &Position) -> Option<Picked> {
        if m.is_none() || self.early.contains(&m) || !pos.is_legal_as::<EXTRAS>(m) {
            return None;
        }
        let stops = self.closers.second().contains(m.to());
        // Moves to these points that close or stop a mill have been returned.
        if self.tactical.contains(m.to()) && (stops || pos.closes_mill(m)) {
            return None;
        }
        self.early[slot] = m;
        self.early_targets |= m.to().into();
        Some(Picked { m, closes: false, stops })
    }

    /// Generates the moves that close or stop a mill.
    // Not inlined, like `generate`: in the loop over stages its arithmetic would be done for every move.
    #[inline(never)]
    fn list_tactical<const EXTRAS: bool>(&mut self, pos: &Position) {
        let (us, compiled) = (pos.side_to_move(), pos.compiled());
        let men = pos.men_by_turn();
        let ours = men.first();
        let closers = men.closers(pos.empty_as::<EXTRAS>(), compiled.spokes);
        let placing = pos.is_next::<EXTRAS>(Action::Place);
        let is_blocked = EXTRAS && !placing && !pos.is_next::<EXTRAS>(Action::Slide);
        let flying = !placing && pos.can_fly(us);
        // A leap comes from afar too.
        let from_afar = flying || EXTRAS && compiled.leaps;
        let threats =
            if pos.hand(!us) > 0 || pos.can_fly(!us) { closers.all } else { closers.reachable }.second();
        self.closers = closers.all;
        self.tactical = closers.all.first() | threats;
        // A side that could only leap has lost.
        if is_blocked {
            return;
        }
        for to in self.tactical {
            let stops = closers.all.second().contains(to);
            if placing {
                if !EXTRAS || pos.hand(us) > 0 {
                    self.push_tactical(compiled.lines_closed(ours, to), stops, Move::place(to));
                }
                if !pos.may_slide_while_placing::<EXTRAS>() {
                    continue;
                }
            }
            let origins = if from_afar { ours } else { ours & compiled.adjacent[to.row()] };
            for from in origins {
                if EXTRAS && !pos.destinations::<true>(from, flying).contains(to) {
                    continue;
                }
                let lines = compiled.lines_closed(ours.without(from), to);
                self.push_tactical(lines, stops, Move::slide(from, to));
            }
        }
    }

    #[inline(always)]
    fn push_tactical(&mut self, lines: u32, stops: bool, m: Move) {
        let flags = if lines > 0 { CLOSES } else { 0 } | if stops { STOPS } else { 0 };
        if flags != 0 {
            self.flags |= flags;
            self.push(order_closes_mill() * (lines as i32).min(2) + i32::from(stops), flags, m);
        }
    }

    #[inline(always)]
    fn push(&mut self, score: i32, flags: SortKey, m: Move) {
        if let Some(slot) = self.keys.get_mut(self.len) {
            *slot = sort_key(score, flags, m);
            self.len += 1;
        }
    }

    /// Generates all moves, except those that close or stop a mill and have been returned. Returns the
    /// largest key of those that probably come next, [`SortKey::MIN`] for none.
    #[inline(never)]
    fn generate<const EXTRAS: bool>(
        &mut self,
        pos: &Position,
        history: &History,
        priority: &Priority,
    ) -> SortKey {
        let takes = pos.is_next::<EXTRAS>(Action::Take);
        let closers = || pos.men_by_turn().closers(pos.empty_as::<EXTRAS>(), pos.compiled().spokes).all;
        let scorer = Scorer::new(pos, if takes { closers() } else { self.closers });
        let history = history.of(pos.side_to_move());
        let learned = |m: Move| i32::from(history.score(m)) + i32::from(priority.of(m.to()));
        // The list is empty.
        let mut all_flags = 0;
        let mut best = SortKey::MIN;
        let early_targets = self.early_targets;
        let mut slots = self.keys.iter_mut();
        let mut push = |score: i32, flags: SortKey, m: Move| {
            if let Some(slot) = slots.next() {
                *slot = sort_key(score, flags, m);
                // Most moves to these points have been returned. Selected without a branch.
                best = best.max(if early_targets.contains(m.to()) { SortKey::MIN } else { *slot });
            }
        };
        if takes {
            for at in pos.takeable::<EXTRAS>() {
                push(learned(Move::take(at)) + scorer.take(at), 0, Move::take(at));
            }
        } else {
            movegen::for_each_advance::<EXTRAS>(pos, Bitboard::FULL, |m| {
                let mut score = learned(m) + scorer.advance::<EXTRAS>(m);
                let mut flags = 0;
                if scorer.of_mills.contains(m.to()) {
                    let stops = scorer.threats.contains(m.to());
                    if self.tactical.contains(m.to()) && (stops || scorer.closes(m)) {
                        return;
                    }
                    if stops {
                        score += order_stops_mill();
                        flags = STOPS;
                        all_flags |= flags;
                    }
                }
                push(score, flags, m);
            });
        }
        self.len = MAX_MOVES - slots.len();
        self.flags = all_flags;
        best
    }
}

/// Prefetches the bucket of the child after a move, if the child probes the tt and its key can be told.
///
/// `children_probe` is true if the child after a quiet move probes. A child after a mill has the depth of its
/// parent, and always does. After an illegal move the prefetch is in vain.
#[inline(always)]
pub(super) fn prefetch_child<const EXTRAS: bool>(
    pos: &Position,
    tt: &TranspositionTable,
    m: Move,
    closes: bool,
    children_probe: bool,
) {
    // Under rules with extras a mill costs a ply of its own, and its takes are part of the key.
    let is_useful = if closes { !EXTRAS } else { children_probe };
    if m.is_some() && is_useful {
        tt.prefetch(pos.key_after(m, closes));
    }
}

/// Returns a single move with its properties.
#[inline(never)]
fn describe(pos: &Position, m: Move) -> Picked {
    if m.is_take() {
        return Picked { m, closes: false, stops: false };
    }
    let theirs = pos.men(!pos.side_to_move());
    Picked { m, closes: pos.closes_mill(m), stops: pos.compiled().closes_mill(theirs, m.to()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{NAMED, Rules};
    use crate::types::{Color, Square};
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    /// The borrowed inputs of a picker: nothing learned at first, and an empty table.
    struct Inputs {
        history: History,
        priority: Priority,
        tt: TranspositionTable,
    }

    impl Inputs {
        fn new(pos: &Position) -> Self {
            let priority = Priority::new(&pos.compiled().adjacent, || 0);
            Self { history: History::new().unwrap(), priority, tt: TranspositionTable::new(1).unwrap() }
        }

        fn context(&self, killers_and_counter: [Move; 3]) -> Context<'_> {
            let Self { history, priority, tt } = self;
            Context { history, priority, killers_and_counter, tt }
        }
    }

    fn picked(fen: &str, tt_move: Move) -> Vec<String> {
        picked_until(fen, tt_move, usize::MAX)
    }

    /// The moves of a position, without quiet ones after the first `most`.
    fn picked_until(fen: &str, tt_move: Move, most: usize) -> Vec<String> {
        let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
        let inputs = Inputs::new(&pos);
        let mut picker = MovePicker::new(tt_move, pos.is_take_due(), 2);
        let mut found = Vec::new();
        loop {
            if found.len() == most {
                picker.skip_quiet();
            }
            match picker.next::<false>(&pos, || inputs.context([Move::NONE; 3])) {
                Some(picked) => found.push(picked.m.to_string()),
                None => return found,
            }
        }
    }

    #[test]
    fn lists_of_all_lengths_are_sorted() {
        let mut random = StdRng::seed_from_u64(5);
        for len in 0..=MAX_MOVES {
            for _ in 0..20 {
                let mut picker = MovePicker::new(Move::NONE, false, 2);
                // Moves differ, so keys do.
                for n in 0..len as SortKey {
                    picker.keys[n as usize] = SortKey::from(random.random::<i16>()) << 16 | n;
                }
                picker.len = len;
                let mut expected = picker.keys[..len].to_vec();
                expected.sort_unstable();
                picker.sort();
                assert_eq!(picker.keys[..len], expected);
            }
        }
    }

    #[test]
    fn every_move_comes_once_under_all_rules_with_the_tt_move_first() {
        let mut random = StdRng::seed_from_u64(7);
        for rules in NAMED.iter().map(|row| row.rules).chain(Rules::PRESETS) {
            let mut tactical = 0;
            let mut inputs = Inputs::new(&Position::new(&rules));
            for _ in 0..20 {
                let mut pos = Position::new(&rules);
                let mut last = [Move::NONE; 3];
                while pos.moves_played() < 120 {
                    let legal = pos.legal_moves();
                    if legal.is_empty() {
                        break;
                    }
                    let tt_move =
                        if random.random() { legal[random.random_range(0..legal.len())] } else { Move::NONE };
                    let [killer, other, counter] = last;
                    let previous = Move::place(Square::new(0));
                    inputs.history.update(Color::White, 0, previous, counter, &[], 1);
                    inputs.history.update(Color::White, 1, Move::NONE, other, &[], 1);
                    inputs.history.update(Color::White, 1, Move::NONE, killer, &[], 1);
                    let context = inputs.context(inputs.history.killers_and_counter(1, previous));
                    let takes = legal[0].is_take();
                    let mut picker = MovePicker::new(tt_move, takes, 2);
                    let next = || {
                        if pos.has_extras() {
                            picker.next::<true>(&pos, || context)
                        } else {
                            picker.next::<false>(&pos, || context)
                        }
                    };
                    let picked: Vec<Picked> = std::iter::from_fn(next).collect();
                    assert!(tt_move.is_none() || picked[0].m == tt_move, "{}", pos.fen());
                    tactical += picked.iter().filter(|picked| picked.closes || picked.stops).count();
                    assert!(picked.iter().all(|&picked| picked == describe(&pos, picked.m)), "{}", pos.fen());
                    let mut expected: Vec<u16> = legal.iter().map(|m| m.bits()).collect();
                    let mut found: Vec<u16> = picked.iter().map(|picked| picked.m.bits()).collect();
                    expected.sort_unstable();
                    found.sort_unstable();
                    assert_eq!(found, expected, "{rules:?}: {}", pos.fen());
                    let m = legal[random.random_range(0..legal.len())];
                    last = [m, last[0], last[1]];
                    pos.do_move(m);
                }
            }
            assert!(tactical > 100, "{rules:?}");
        }
    }

    #[test]
    fn a_side_that_could_only_leap_has_no_moves() {
        let rules = Rules::parse("nine,LeapCaptureEnabled=true").unwrap();
        let fen = "O@@*OO@@/@*@*@***/*@O@**** b m s 4 0 9 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes";
        let mut pos = Position::from_fen(&rules, fen).unwrap();
        pos.do_move(crate::notation::parse(&pos, "e4-e3").unwrap());
        let inputs = Inputs::new(&pos);
        let mut picker = MovePicker::new(Move::NONE, false, 2);
        assert_eq!(picker.next::<true>(&pos, || inputs.context([Move::NONE; 3])), None);
    }

    #[test]
    fn quiet_moves_are_left_out_from_any_stage_on() {
        let fen = "********/********/OO*@@*** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let all = picked(fen, Move::NONE);
        for most in 0..=all.len() {
            let kept = picked_until(fen, Move::NONE, most);
            assert_eq!(kept, all[..most.max(2)]);
        }
        let tt_move = Position::from_fen(&Rules::NINE, fen).unwrap().legal_moves()[0];
        assert_eq!(picked_until(fen, tt_move, 1), [tt_move.to_string(), all[0].clone(), all[1].clone()]);
    }

    #[test]
    fn closing_a_mill_comes_before_stopping_one() {
        let fen = "********/********/OO*@@*** w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes";
        let order = picked(fen, Move::NONE);
        assert_eq!(order[..2], ["a7", "a1"]);
    }
}
