//! Playing and taking back moves.
//!
//! One source serves all rules. With `EXTRAS` false, all code for `Extras` disappears and arithmetic on one
//! 64-bit word remains.

use super::board::Position;
use super::captures::Captures;
use super::state::{Action, Ending, Extras, LastMill, Phase, Record, Records};
use crate::bitboard::Bitboard;
use crate::rules::{CompiledCaptures, blocked, full_board, placing_mill};
use crate::types::{Color, Move, Square};

impl Position {
    /// Plays a move that is known to be legal, such as one of [`Position::legal_moves`].
    ///
    /// Nothing is checked: use [`Position::play`] for a move from anywhere else.
    ///
    /// After an illegal move the position breaks the rules, and its functions may return anything or panic.
    ///
    /// # Panics
    /// If the move is illegal, in a build with debug assertions only.
    #[inline]
    pub fn do_move(&mut self, m: Move) {
        if self.has_extras {
            self.do_move_as::<true>(m);
        } else {
            self.do_move_as::<false>(m);
        }
    }

    /// Takes back the last move.
    ///
    /// # Panics
    /// If no move can be taken back; see [`Position::moves_played`].
    #[inline]
    pub fn undo_move(&mut self) {
        if self.has_extras {
            self.undo_move_as::<true>();
        } else {
            self.undo_move_as::<false>();
        }
    }

    /// Plays a legal move. `EXTRAS` must equal [`Position::has_extras`].
    #[inline(always)]
    pub(crate) fn do_move_as<const EXTRAS: bool>(&mut self, m: Move) {
        self.do_known_move::<EXTRAS>(m, self.closes_mill(m));
    }

    /// As [`Position::do_move_as`]; `closes` must be [`Position::closes_mill`].
    #[inline(always)]
    pub(crate) fn do_known_move<const EXTRAS: bool>(&mut self, m: Move, closes: bool) {
        debug_assert_eq!(EXTRAS, self.has_extras);
        debug_assert!(self.is_legal(m), "{m} is not legal in {self:?}");
        debug_assert_eq!(closes, self.closes_mill(m), "{m} in {self:?}");
        self.stack.push(self.state);
        if EXTRAS {
            if self.state.uses_extras {
                self.extras_stack.push(self.extras);
                self.extras.drawn = None;
            }
            self.state.passed = false;
        }
        if m.is_take() {
            self.take::<EXTRAS>(m.to());
            if EXTRAS {
                self.note_extras();
            }
        } else if m.is_slide() {
            self.slide::<EXTRAS>(m.from(), m.to(), closes);
        } else {
            self.place::<EXTRAS>(self.state.core.side(), m.to(), closes);
        }
        if self.counts_origin {
            self.settle_window(m.kind());
        }
        debug_assert_eq!(self.check(), Ok(()), "{m}");
    }

    /// Returns what `visit` returns in the position after a legal placing, and takes the placing back. Not
    /// for positions with [`super::Extras`].
    ///
    /// No earlier position can repeat after a placing, so none goes on the stack: for a visitor that plays
    /// nothing this is faster than [`Position::do_move`]. `us` is the side to move; a constant saves shifts.
    #[inline(always)]
    pub(crate) fn after_placing<T>(&mut self, us: Color, to: Square, visit: impl FnOnce(&Self) -> T) -> T {
        debug_assert!(!self.has_extras && self.is_legal(Move::place(to)), "{to} in {self:?}");
        let before = self.state;
        self.place::<false>(us.index(), to, self.compiled.closes_mill(before.core.men(us.index()), to));
        let found = visit(self);
        self.state = before;
        found
    }

    /// Takes back the last move. `EXTRAS` as in [`Position::do_move_as`].
    #[inline(always)]
    pub(crate) fn undo_move_as<const EXTRAS: bool>(&mut self) {
        let before = self.stack.pop().expect("a move to take back");
        if EXTRAS {
            // `unwrap_or_default` would copy the extras twice.
            if before.uses_extras {
                self.extras = self.extras_stack.pop().expect("the extras of that position");
            } else if self.state.uses_extras {
                // Those that were not in use were at their defaults.
                self.extras = Extras::default();
            }
        }
        self.state = before;
    }

    /// Places a man from the hand of the side to move, `us`, on `to`.
    #[inline(always)]
    fn place<const EXTRAS: bool>(&mut self, us: usize, to: Square, closes: bool) {
        let state = &mut self.state;
        let others = state.core.men(us);
        state.core.place(us, to);
        state.begin_counting();
        if EXTRAS {
            let compiled = &self.compiled;
            let beside = || (state.core.men(us ^ 1) & compiled.adjacent[to.row()]).count();
            if closes || compiled.captures && beside() >= compiled.capture_neighbours {
                self.after_placing_with_extras(others, to, closes);
                return self.note_extras();
            }
            return self.end_quiet_placing(us);
        }
        if closes {
            let takes = self.compiled.lines_closed(others, to).min(self.compiled.max_takes);
            return self.state.core.set_due(takes);
        }
        self.pass_turn::<EXTRAS>(us);
    }

    /// Moves a man from `from` to `to`.
    #[inline(always)]
    fn slide<const EXTRAS: bool>(&mut self, from: Square, to: Square, closes: bool) {
        let state = &mut self.state;
        let us = state.core.side();
        let others = state.core.men(us).without(from);
        state.core.flip(us, Bitboard::of(from) | Bitboard::of(to));
        state.move_counter = state.move_counter.saturating_add(1);
        if EXTRAS && (closes || self.compiled.captures || self.state.uses_extras) {
            self.after_moving_with_extras(others, from, to, closes);
            return self.note_extras();
        }
        let state = &mut self.state;
        if closes {
            state.counted = false;
            let takes = self.compiled.lines_closed(others, to).min(self.compiled.max_takes);
            return self.state.core.set_due(takes);
        }
        state.window = state.window.saturating_add(1);
        state.counted = true;
        state.core.flip_side();
        // With empty hands phase and action stay as they are. Under plain rules only a text leaves men in the
        // hand of the opponent here.
        if EXTRAS || !state.core.hands_are_empty() {
            state.core.set_turn(us ^ 1);
        }
        if EXTRAS {
            self.check_blocked();
        }
    }

    /// Takes the man on `at`.
    #[inline(always)]
    fn take<const EXTRAS: bool>(&mut self, at: Square) {
        let us = self.state.core.side();
        let own = EXTRAS && self.state.core.men(us).contains(at);
        let victim = if own { us } else { us ^ 1 };
        let kept = if EXTRAS { self.serve_obligation(at) } else { None };
        let state = &mut self.state;
        state.core.flip(victim, Bitboard::of(at));
        state.begin_counting();
        let due = if EXTRAS {
            self.pay_with_extras(at, own, kept)
        } else {
            let due = state.core.due() - 1;
            state.core.set_due(due);
            due
        };
        let state = &mut self.state;
        if state.core.men(victim).count() + state.core.hand(victim) < self.compiled.least {
            state.core.set_phase(Phase::Over);
            state.core.set_action(Action::None);
            state.ending = Ending::TooFew(Color::from_index(victim));
            return;
        }
        if due > 0 {
            return;
        }
        if EXTRAS {
            self.finish_takes();
        } else if state.core.phase() == Phase::Moving {
            // Placing cannot end again, and the board is not full.
            state.core.flip_side();
            state.core.set_turn(us ^ 1);
        } else {
            self.pass_turn::<EXTRAS>(us);
        }
    }

    /// Ends the turn of `us` after a placing or the last take: the other side is to move.
    #[inline(always)]
    fn pass_turn<const EXTRAS: bool>(&mut self, us: usize) {
        self.state.core.flip_side();
        self.end_turn::<EXTRAS>(us ^ 1);
    }

    /// Updates what depends on the side to move, `next`: the end of placing, phase and action, a full board.
    #[inline(always)]
    fn end_turn<const EXTRAS: bool>(&mut self, next: usize) {
        let ends_placing = self.state.core.hands_are_empty() || self.compiled.stop_at_two_empty;
        if !(ends_placing || EXTRAS && self.state.uses_extras) {
            return self.state.core.set_turn(next);
        }
        if ends_placing {
            self.end_placing::<EXTRAS>();
        }
        if !EXTRAS {
            if self.state.ending == Ending::None {
                // A full board has not ended the game, but the end of placing may have changed the side.
                self.state.core.set_turn(self.state.core.side());
            }
            return;
        }
        self.state.core.set_turn(self.state.core.side());
        self.check_full_board();
        if self.extras.due[self.state.core.side()] > 0 {
            self.state.core.set_action(Action::Take);
        }
        self.note_extras();
    }

    /// Begins the moving phase if all men are placed.
    #[cold]
    #[inline(never)]
    fn end_placing<const EXTRAS: bool>(&mut self) {
        let state = &mut self.state;
        if state.core.phase() == Phase::Placing {
            let unoccupied = 24 - (state.core.occupied() | self.extras.marked).count();
            if self.compiled.stop_at_two_empty && unoccupied <= 2 {
                state.core.empty_hands();
            }
            if !state.core.hands_are_empty() {
                return;
            }
            state.core.set_phase(Phase::Moving);
            if EXTRAS {
                self.extras.marked = Bitboard::EMPTY;
                if self.compiled.rules.mill_formation_action_in_placing_phase == placing_mill::SETTLES_LATER {
                    self.settle_mills();
                }
            }
            if let Some(first) = self.compiled.first_mover {
                self.state.core.set_side(first);
            }
        }
        if !EXTRAS {
            self.check_full_board();
        }
    }

    /// Applies the rule about a full board in the moving phase.
    pub(super) fn check_full_board(&mut self) {
        let takes_due = self.has_takes_due();
        let (rules, core) = (&self.compiled.rules, &mut self.state.core);
        let full = (core.occupied() | self.extras.marked) == Bitboard::FULL;
        if rules.pieces_count != 12 || !full || core.phase() != Phase::Moving || takes_due {
            return;
        }
        match rules.board_full_action {
            full_board::WHITE_LOSES | full_board::DRAWS => {
                core.set_phase(Phase::Over);
                core.set_action(Action::None);
                let draws = rules.board_full_action == full_board::DRAWS;
                self.state.ending = if draws { Ending::FullBoardDraw } else { Ending::FullBoardLoss };
            }
            first @ (full_board::WHITE_TAKES_FIRST | full_board::BLACK_TAKES_FIRST) => {
                self.extras.due = [1, 1];
                let is_white = first == full_board::WHITE_TAKES_FIRST;
                core.set_side(if is_white { Color::White } else { Color::Black });
            }
            _ => {
                let first = if rules.is_defender_move_first { Color::Black } else { Color::White };
                self.extras.due[first.index()] = 1;
                core.set_side(first);
            }
        }
    }

    /// Sets phase and action of the side to move under rules with extras: a take if one is due.
    fn refresh_turn(&mut self) {
        let core = &mut self.state.core;
        let side = core.side();
        core.set_turn(side);
        if self.extras.due[side] > 0 {
            core.set_action(Action::Take);
        }
    }

    /// Clears all capture records.
    fn drop_records(&mut self) {
        self.extras.records = [Records::EMPTY; 2];
        self.extras.mill_due = false;
    }

    /// Records a mill closed on `to` for the rules about repeated and used mills.
    fn note_mill(&mut self, from: Option<Square>, to: Square, points: Bitboard) {
        let us = self.state.core.side();
        if self.compiled.rules.one_time_use_mill {
            self.extras.used[us] |= points;
        }
        let restricted = self.compiled.rules.restrict_repeated_mills_formation;
        self.extras.last_mill[us] =
            if restricted { LastMill { from, to: Some(to) } } else { LastMill::default() };
    }

    /// Ends the turn of `us` after a placing that takes nothing.
    #[inline(always)]
    fn end_quiet_placing(&mut self, us: usize) {
        if self.state.uses_extras {
            self.drop_records();
        }
        self.pass_turn::<true>(us);
        self.check_blocked();
    }

    #[inline(never)]
    fn after_placing_with_extras(&mut self, others: Bitboard, to: Square, closes: bool) {
        let us = self.state.core.side();
        let compiled = &self.compiled;
        let (lines, points) = if closes { self.usable_lines(us, others, to) } else { (0, Bitboard::EMPTY) };
        let captures = if compiled.captures {
            self.captures(others, to, compiled.custodian.placing, compiled.intervention.placing)
        } else {
            Captures::NONE
        };
        if lines > 0 {
            let takes = lines.min(compiled.max_takes);
            self.note_mill(None, to, points);
            match self.compiled.rules.mill_formation_action_in_placing_phase {
                action @ (placing_mill::TAKES_FROM_HAND | placing_mill::TAKES_FROM_HAND_AND_GOES_ON) => {
                    self.drop_records();
                    let from_hand = takes.min(self.state.core.hand(us ^ 1));
                    self.state.core.take_from_hand(us ^ 1, from_hand);
                    if from_hand < takes {
                        self.set_due(takes - from_hand);
                    } else {
                        if action == placing_mill::TAKES_FROM_HAND {
                            self.state.core.flip_side();
                        }
                        self.end_turn::<true>(self.state.core.side());
                    }
                }
                placing_mill::SETTLES_LATER => return self.end_quiet_placing(us),
                _ => {
                    let records = captures.records();
                    let extra = if self.compiled.rules.may_remove_multiple { records.count() } else { 0 };
                    self.extras.records[us] = records;
                    self.extras.mill_due = true;
                    self.set_due(takes + extra);
                }
            }
        } else if !captures.is_empty() {
            self.capture_without_mill(&captures);
        } else {
            return self.end_quiet_placing(us);
        }
        self.check_blocked();
    }

    fn after_moving_with_extras(&mut self, others: Bitboard, from: Square, to: Square, closes: bool) {
        self.state.counted = false;
        let us = self.state.core.side();
        let compiled = &self.compiled;
        let placing = self.state.core.phase() == Phase::Placing;
        let works = |rule: &CompiledCaptures| rule.moving && (!placing || rule.placing);
        let captures = if compiled.captures {
            self.captures(others, to, works(&compiled.custodian), works(&compiled.intervention))
        } else {
            Captures::NONE
        };
        let leapt = if compiled.leap.moving { self.leap_target(from, to) } else { None };
        let (lines, points) = if closes { self.usable_lines(us, others, to) } else { (0, Bitboard::EMPTY) };
        if let Some(leapt) = leapt {
            let record = Record { targets: leapt.into(), count: 1 };
            self.extras.records[us] = Records { leap: record, ..Records::EMPTY };
            self.extras.mill_due = false;
            self.set_due(1);
        } else if lines > 0 {
            self.note_mill(Some(from), to, points);
            self.extras.records[us] = captures.records();
            self.extras.mill_due = true;
            self.set_due(lines.min(self.compiled.max_takes));
        } else if !captures.is_empty() {
            self.capture_without_mill(&captures);
        } else {
            self.drop_records();
            self.extras.last_mill[us] = LastMill::default();
            let state = &mut self.state;
            state.window = state.window.saturating_add(1);
            state.counted = true;
            state.core.flip_side();
            self.refresh_turn();
        }
        self.check_blocked();
    }

    /// Makes the side to move take `due` men next.
    fn set_due(&mut self, due: u32) {
        self.extras.due[self.state.core.side()] = due as u8;
        self.state.core.set_action(Action::Take);
    }

    fn capture_without_mill(&mut self, captures: &Captures) {
        let records = captures.records();
        self.extras.records[self.state.core.side()] = records;
        self.extras.mill_due = false;
        self.set_due(records.count());
    }

    /// Decides which capture or mill the take of `at` belongs to, and drops the takes that another one has
    /// earned. Returns the records that are left; `None` if they do not change.
    fn serve_obligation(&mut self, at: Square) -> Option<Records> {
        let us = self.state.core.side();
        let due = u32::from(self.extras.due[us]);
        let records = self.extras.records[us];
        let serve = |record: Record| Record { targets: record.targets.without(at), count: record.count - 1 };
        let settled = |record: Record| if record.count == 0 { Record::EMPTY } else { record };
        if records.intervention.has(at) {
            let mut rest = settled(serve(records.intervention));
            if rest.count > 0 {
                // The second man to take stands at the other end of the same line.
                let lines = &self.compiled.intervention.as_end[at.row()];
                let mut partners = lines.iter().map(|line| line.other_end);
                if let Some(partner) = partners.find(|&partner| rest.targets.covers(partner)) {
                    rest.targets = partner;
                }
            }
            self.extras.mill_due = false;
            self.extras.due[us] = records.intervention.count;
            return Some(Records { intervention: rest, ..Records::EMPTY });
        }
        if records.custodian.has(at) {
            self.extras.mill_due = false;
            self.extras.due[us] = 1;
            return Some(Records { custodian: settled(serve(records.custodian)), ..Records::EMPTY });
        }
        if records.leap.has(at) {
            self.extras.mill_due = false;
            self.extras.due[us] = 1;
            return Some(Records { leap: settled(serve(records.leap)), ..Records::EMPTY });
        }
        if self.extras.mill_due && records.count() > 0 {
            if self.compiled.rules.may_remove_multiple && due > records.count() {
                self.extras.due[us] = (due - records.count()) as u8;
            }
            return Some(Records::EMPTY);
        }
        None
    }

    /// Counts a take. Returns the number of takes still due.
    fn pay_with_extras(&mut self, at: Square, own: bool, kept: Option<Records>) -> u32 {
        let us = self.state.core.side();
        let marks =
            self.compiled.rules.mill_formation_action_in_placing_phase == placing_mill::TAKES_AND_MARKS;
        if marks && self.state.core.phase() == Phase::Placing && !own {
            self.extras.marked |= at.into();
        }
        if let Some(records) = kept {
            self.extras.records[us] = records;
        }
        // In a position text a take can be due although the action is a placing.
        self.state.core.set_action(Action::Take);
        let due = &mut self.extras.due[us];
        *due -= 1;
        u32::from(*due)
    }

    /// Ends the turn after the last take.
    fn finish_takes(&mut self) {
        let us = self.state.core.side();
        self.extras.records[us] = Records::EMPTY;
        self.extras.mill_due = false;
        self.extras.own_due[us] = false;
        if !std::mem::take(&mut self.extras.take_then_move) {
            self.state.core.flip_side();
        }
        if self.extras.due == [0, 0] {
            self.extras.both_take = false;
        }
        self.end_turn::<true>(self.state.core.side());
        self.check_blocked();
    }

    /// Returns true if the last move was the take of a blocked side whose turn goes on. There must be one.
    pub(crate) fn moves_on_after_take(&self) -> bool {
        let before = self.state_back(1);
        let was_due =
            before.uses_extras && self.extras_stack.last().is_some_and(|extras| extras.take_then_move);
        was_due && !self.extras.take_then_move
    }

    /// Gives both sides the takes that their mills have earned, once all men are placed.
    fn settle_mills(&mut self) {
        let mills = |color: usize| {
            let men = self.state.core.men(color);
            let counted: u32 = men.into_iter().map(|s| self.compiled.lines_closed(men, s)).sum();
            // Each mill is counted at its three men.
            counted / 3
        };
        let (white, black) = (mills(0), mills(1));
        let own = white == 0 && black == 0;
        let takes_due = match (white, black) {
            (0, 0) => (1, 1),
            (_, 0) => (2, 1),
            (0, _) => (1, 2),
            (w, b) if w > b => (b + 1, b),
            (w, b) if b > w => (w, w + 1),
            both => both,
        };
        self.extras.due = [takes_due.0 as u8, takes_due.1 as u8];
        self.extras.own_due = [own; 2];
        self.extras.mill_due = true;
    }

    /// Applies the rule about a blocked side, unless that rule just ends the game.
    #[inline(always)]
    pub(super) fn check_blocked(&mut self) {
        let us = self.state.core.side();
        if self.compiled.settles_blocked
            && self.state.core.phase() == Phase::Moving
            && self.extras.due[us] == 0
            && self.is_blocked(Color::from_index(us))
        {
            self.settle_blocked(self.compiled.rules.stalemate_action, us);
        }
    }

    fn settle_blocked(&mut self, action: u8, us: usize) {
        self.extras.drawn = self.claimable_draw().map(|_| self.extras.due_takes());
        if action == blocked::PASSES {
            self.state.core.flip_side();
            // With `counts_origin` positions compare by the side that is to move now, so that the first one,
            // before which nobody passed, can return.
            self.state.passed = !self.counts_origin;
            self.refresh_turn();
        } else {
            self.drop_records();
            self.extras.due[us] = 1;
            self.state.core.set_action(Action::Take);
            match action {
                blocked::TAKES_AND_MOVES => self.extras.take_then_move = true,
                blocked::TAKES_AND_PASSES => {}
                _ => {
                    self.extras.due[us ^ 1] = 1;
                    self.extras.both_take = true;
                }
            }
        }
        self.note_extras();
    }
}
