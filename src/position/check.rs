//! Checks all incrementally updated state of a position, for debug builds and property tests.

use super::Position;
use super::state::{Action, Core, Ending, Extras, Phase, StateInfo};
use crate::bitboard::Bitboard;
use crate::types::Color;

impl Position {
    /// Recomputes all state: sets and counts from one another, and counters, repetition window, signature,
    /// action, phase and ending from the previous position and the change on the board.
    ///
    /// # Errors
    /// Describes the first contradiction.
    pub fn is_ok(&self) -> Result<(), String> {
        let core = self.state.core;
        let (white, black) = (core.men(0), core.men(1));
        let marked = self.extras.marked;
        if white.intersects(black) || (white | black).intersects(marked) {
            return Err(format!("a point is held twice: {white:?} {black:?} {marked:?}"));
        }
        if core.occupied() != white | black {
            return Err(format!("occupied {:?}, men {white:?} {black:?}", core.occupied()));
        }
        for color in Color::ALL {
            let material = self.material(color);
            if material > u32::from(self.rules().pieces_count) {
                return Err(format!("{color} has {material} men"));
            }
        }
        if self.has_extras {
            if core.debt() != 0 {
                return Err("extras are on, yet the packed word owes takes".to_owned());
            }
            if self.extras_stack.len() != self.stack.len() {
                return Err("the two stacks differ in length".to_owned());
            }
        } else if self.extras != Extras::default() {
            return Err(format!("extras are off, yet there are some: {:?}", self.extras));
        } else if self.compiled.extras {
            return Err("extras are off under rules that need them".to_owned());
        } else if self.state.ending == Ending::None {
            self.is_regular()?;
        }
        self.is_ending_ok()?;
        if self.stack.is_empty() { self.is_start_ok() } else { self.is_step_ok() }
    }

    /// Checks the ending against the board.
    fn is_ending_ok(&self) -> Result<(), String> {
        let holds = match self.state.ending {
            Ending::None => self.phase() != Phase::Over,
            _ if self.phase() != Phase::Over => false,
            Ending::TooFewWhite => self.material(Color::White) < self.compiled.least,
            Ending::TooFewBlack => self.material(Color::Black) < self.compiled.least,
            Ending::FullBoardLoss | Ending::FullBoardDraw => self.occupied() == Bitboard::FULL,
            Ending::Imported => self.stack.is_empty(),
        };
        if holds {
            Ok(())
        } else {
            Err(format!("phase {:?} with ending {:?}", self.phase(), self.state.ending))
        }
    }

    /// Checks the counters of a position that no move has led to.
    fn is_start_ok(&self) -> Result<(), String> {
        match self.state.window {
            0 => Ok(()),
            window => Err(format!("{window} positions to repeat before the first move")),
        }
    }

    /// Checks counters, signature, action and phase after the last move.
    fn is_step_ok(&self) -> Result<(), String> {
        let (state, before) = (&self.state, self.state_back(1));
        let men = |state: &StateInfo| state.core.occupied().count();
        let change = i64::from(men(state)) - i64::from(men(before));
        let plus = |count: u16, more: bool| count.saturating_add(u16::from(more));
        let expected = match change {
            0 => (plus(before.quiet, true), plus(before.ply, true)),
            1 => (0, plus(before.ply, true)),
            -1 => (0, before.ply),
            _ => return Err(format!("the number of men has changed by {change}")),
        };
        // As `Position::forget_history` leaves them.
        let forgotten = state.quiet == 0 && state.window == 0 && !state.counted;
        if (state.quiet, state.ply) != expected && !forgotten {
            return Err(format!("quiet moves and plies {:?}, not {expected:?}", (state.quiet, state.ply)));
        }
        let window = if change == 0 { plus(before.window, state.counted) } else { 0 };
        if state.window != window && !forgotten || state.counted && change != 0 {
            let found = (state.window, state.counted);
            return Err(format!("repetition looks at {found:?}, not {window} positions"));
        }
        if state.counted && self.has_extras {
            // A blocked side that passes changes the side after the signature is set.
            let passed = if self.rules().stalemate_action == 1 { Core::SIDE } else { 0 };
            if (self.extras.signature ^ state.core.signature()) & !passed != 0 {
                return Err("the signature is not that of men and side".to_owned());
            }
        }
        if state.ending != Ending::None {
            return Ok(());
        }
        let us = self.side_to_move();
        let phase = if self.hand(us) > 0 { Phase::Placing } else { Phase::Moving };
        let action = match phase {
            _ if self.debt(us) > 0 => Action::Take,
            Phase::Placing => Action::Place,
            _ => Action::Select,
        };
        if self.action() != action || action != Action::Take && self.phase() != phase {
            let found = (self.phase(), self.action());
            return Err(format!("phase and action {found:?}, not {:?}", (phase, action)));
        }
        Ok(())
    }

    /// Checks that phase, action and pending takes fit together as the packed word assumes.
    pub(super) fn is_regular(&self) -> Result<(), String> {
        let core: Core = self.state.core;
        let in_hand = core.hand(core.side()) > 0;
        let fits = match (core.phase(), core.action()) {
            (Phase::Placing, Action::Place) => in_hand && core.debt() == 0,
            (Phase::Moving, Action::Select) => !in_hand && core.debt() == 0,
            (Phase::Placing, Action::Take) => core.debt() > 0,
            (Phase::Moving, Action::Take) => core.debt() > 0 && !in_hand,
            _ => false,
        };
        let marked = self.extras.marked != Bitboard::EMPTY;
        if fits && !marked {
            Ok(())
        } else {
            Err(format!(
                "phase {:?} and action {:?} do not fit {} men in hand and {} takes",
                core.phase(),
                core.action(),
                core.hand(core.side()),
                core.debt()
            ))
        }
    }
}
