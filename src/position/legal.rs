//! Legality: the men that may be taken, the targets of a man, the test of a single move.

use super::board::Position;
use super::state::{Action, Phase};
use crate::bitboard::Bitboard;
use crate::rules::blocked;
use crate::types::{Color, Move, Square};

impl Position {
    /// Returns whether men are placed, moved or taken next.
    #[inline(always)]
    pub(crate) fn next_action<const EXTRAS: bool>(&self) -> Action {
        if EXTRAS && self.action_in_doubt { self.next_by_rules() } else { self.action() }
    }

    /// Returns true if [`Position::next_action`] is this action.
    // Mostly a test of two bits. Several tests of the action become one jump table, which processors predict
    // badly.
    #[inline(always)]
    pub(crate) fn is_next<const EXTRAS: bool>(&self, action: Action) -> bool {
        if EXTRAS && self.action_in_doubt {
            self.next_by_rules() == action
        } else {
            self.state.core.has_action(action)
        }
    }

    /// [`Position::is_next`] for a take, in a game that is not over: a test of one bit.
    #[inline(always)]
    pub(crate) fn is_take_next<const EXTRAS: bool>(&self) -> bool {
        if EXTRAS { self.is_next::<true>(Action::Take) } else { self.action().is_take_or_none() }
    }

    /// [`Position::next_action`] where the action is in doubt.
    ///
    /// A text may have an action that contradicts it, such as a placing with an empty hand; then the rules
    /// decide.
    // Only texts and rules of one's own with leaps come here.
    #[cold]
    pub(super) fn next_by_rules(&self) -> Action {
        let action = self.action();
        // After a move they do not contradict each other.
        if !self.stack.is_empty() && !self.compiled.leap.moving {
            return action;
        }
        let next = match (action, self.phase()) {
            (_, Phase::Over) => Action::None,
            (Action::Place, _) if self.takes_due(self.side_to_move()) > 0 => Action::Take,
            (Action::Place, Phase::Moving) => Action::Slide,
            (Action::Slide, Phase::Placing) => Action::None,
            (action, _) => action,
        };
        // A side that could only leap counts as blocked.
        if next == Action::Slide && self.compiled.leap.moving && self.blocked_outcome().is_over() {
            return Action::None;
        }
        next
    }

    /// Returns true if the side to move, about to place, may slide instead.
    #[inline(always)]
    pub(crate) fn may_slide_while_placing<const EXTRAS: bool>(&self) -> bool {
        EXTRAS && self.compiled.rules.may_move_in_placing_phase
    }

    /// Returns the targets of the man of the side to move on `from`. `flying` must be [`Position::can_fly`],
    /// and false while placing.
    #[inline(always)]
    pub(crate) fn destinations<const EXTRAS: bool>(&self, from: Square, flying: bool) -> Bitboard {
        let empty = self.empty_as::<EXTRAS>();
        let mut to = if flying { empty } else { self.compiled.adjacent[from.row()] & empty };
        if EXTRAS {
            if !flying && self.compiled.leaps {
                to |= self.leaps(from);
            }
            if let Some((man, back)) = self.forbidden_return(self.side_to_move())
                && man == from
            {
                to = to.without(back);
            }
        }
        to
    }

    /// Returns the points to which the man on `from` may leap.
    fn leaps(&self, from: Square) -> Bitboard {
        let us = self.side_to_move();
        let rule = &self.compiled.leap;
        let works = if self.phase() == Phase::Placing { rule.placing } else { rule.moving };
        let few = !rule.only_few || self.men(us).count() <= 3;
        if !works || !few || self.hand(us) > 0 {
            return Bitboard::EMPTY;
        }
        let capturable = self.capturable();
        let empty = self.empty();
        let open = rule.as_end[from.row()].iter().filter(|line| capturable.covers(line.middle));
        open.fold(Bitboard::EMPTY, |to, line| to | line.other_end & empty)
    }

    /// Returns the man leapt over by a move from one end of a line to the other.
    pub(super) fn leap_target(&self, from: Square, to: Square) -> Option<Square> {
        let rule = &self.compiled.leap;
        if rule.only_few && self.state.core.men(self.state.core.side()).count() > 3 {
            return None;
        }
        let line = rule.as_end[to.row()].iter().find(|line| line.other_end.contains(from))?;
        let theirs = self.state.core.men(self.state.core.side() ^ 1);
        if theirs.covers(line.middle) { (line.middle & self.capturable()).first() } else { None }
    }

    /// Returns the opponent's men that a capture may hit: not in mills, unless all are or mills protect no
    /// man.
    #[inline(always)]
    pub(crate) fn capturable(&self) -> Bitboard {
        self.compiled.unprotected(self.state.core.men(self.state.core.side() ^ 1))
    }

    /// Returns the men that the side to move may take.
    #[inline(always)]
    pub(crate) fn takeable<const EXTRAS: bool>(&self) -> Bitboard {
        if EXTRAS { self.takeable_with_extras() } else { self.capturable() }
    }

    fn takeable_with_extras(&self) -> Bitboard {
        let us = self.state.core.side();
        let extras = &self.extras;
        let due = u32::from(extras.due[us]);
        if due == 0 {
            return Bitboard::EMPTY;
        }
        let theirs = self.state.core.men(us ^ 1);
        let records = &extras.records[us];
        let targets = records.targets();
        let mut takeable = theirs & targets;
        if !targets.is_empty() && due <= records.count() {
            return takeable;
        }
        let own = extras.own_due[us];
        let color = self.state.core.men(if own { us } else { us ^ 1 });
        let candidates = if own { color } else { color - targets };
        let blocked_side_takes = matches!(
            self.compiled.rules.stalemate_action,
            blocked::TAKES_AND_MOVES | blocked::TAKES_AND_PASSES | blocked::BOTH_TAKE
        );
        let of_blocked_side = extras.take_then_move
            || extras.both_take
            || blocked_side_takes
                && self.state.core.phase() == Phase::Moving
                && self.is_blocked(Color::from_index(us));
        takeable |= if of_blocked_side {
            let near = self.state.core.men(us).neighbours(self.compiled.spokes);
            if own { candidates } else { candidates & near }
        } else {
            candidates & self.compiled.unprotected(color)
        };
        takeable
    }

    /// Returns true if the rules allow the move, which may be any value of [`Move`].
    ///
    /// Draws by repetition and by the move counters forbid no move.
    pub fn is_legal(&self, m: Move) -> bool {
        if self.phase() == Phase::Over {
            return false;
        }
        if self.has_extras { self.is_legal_as::<true>(m) } else { self.is_legal_as::<false>(m) }
    }

    /// [`Position::is_legal`] for a game that is not over. `EXTRAS` as in [`Position::do_move_as`].
    #[inline(always)]
    pub(crate) fn is_legal_as<const EXTRAS: bool>(&self, m: Move) -> bool {
        let us = self.side_to_move();
        let to = m.to();
        if m.is_take() {
            return self.is_next::<EXTRAS>(Action::Take) && self.takeable::<EXTRAS>().contains(to);
        }
        if !m.is_slide() {
            // Without extras this action means a man in hand, and there are no marks.
            let placing = self.is_next::<EXTRAS>(Action::Place) && (!EXTRAS || self.hand(us) > 0);
            let occupied = if EXTRAS { self.occupied() } else { self.state.core.occupied() };
            return m.is_some() && placing && !occupied.contains(to);
        }
        let moving = self.is_next::<EXTRAS>(Action::Slide);
        let sliding =
            moving || self.may_slide_while_placing::<EXTRAS>() && self.is_next::<EXTRAS>(Action::Place);
        sliding
            && self.men(us).contains(m.from())
            && self.destinations::<EXTRAS>(m.from(), moving && self.can_fly(us)).contains(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn an_action_that_contradicts_its_text_is_in_doubt_again_after_each_move_taken_back() {
        // The hands are empty, and a man is to be placed.
        let fen = "O*O*O*@*/@*@*O***/@******* w m p 4 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        for rules in [Rules::NINE, Rules::MORABARABA, Rules::CHAM_GONU] {
            let mut pos = Position::from_fen(&rules, fen).unwrap();
            assert!(pos.action_in_doubt && pos.next_action::<true>() == Action::Slide, "{rules}");
            let moves = pos.legal_moves().to_vec();
            assert!(!moves.is_empty() && moves.iter().all(|m| !m.is_take() && m.is_slide()), "{rules}");
            for &m in &moves {
                pos.do_move(m);
                assert_eq!(pos.next_action::<true>(), pos.action(), "{rules}: {m}");
                pos.undo_move();
                assert_eq!(pos.legal_moves().to_vec(), moves, "{rules}: {m}");
            }
        }
    }
}
