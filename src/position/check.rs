//! Checks all incrementally updated state of a position, for debug builds and property tests.

use super::board::Position;
use super::state::{Action, Core, Ending, Extras, Phase, StateInfo};
use crate::bitboard::Bitboard;
use crate::types::Color;
use std::fmt;

/// A contradiction in the state of a position: an error of this crate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inconsistency {
    /// A point is in two of these sets.
    SharedSquare {
        /// White's men.
        white: Bitboard,
        /// Black's men.
        black: Bitboard,
        /// The marked points.
        marked: Bitboard,
    },
    /// A side has more men than the rules give it.
    Material(Color, u32),
    /// The packed word has takes due, which belong in the extras.
    PackedDue,
    /// The stack of extras does not have one for each state that uses them.
    StackLengths,
    /// Extras are said to be in use or not, and it is the other way round.
    ExtrasInUse(bool),
    /// Extras are off, but these are not the default.
    UnusedExtras(Box<Extras>),
    /// Extras are off under rules that need them.
    NoExtras,
    /// The phase does not fit the ending.
    Ending(Phase, Ending),
    /// The repetition window, given here, is not empty before the first move.
    StartWindow(u16),
    /// A move has changed the number of men by this.
    Change(i64),
    /// The move counter is wrong.
    MoveCounter {
        /// The counter.
        found: u16,
        /// The counter after this move.
        expected: u16,
    },
    /// The repetition window is wrong.
    Window {
        /// The window, and whether the position counts.
        found: (u16, bool),
        /// The window after this move.
        expected: u16,
    },
    /// Phase and action do not fit hands and takes due.
    State {
        /// Phase and action.
        found: (Phase, Action),
        /// Phase and action after this move.
        expected: (Phase, Action),
    },
    /// Phase and action are not what the packed word assumes.
    Irregular {
        /// Phase and action.
        found: (Phase, Action),
        /// The men in hand.
        hand: u32,
        /// The takes due.
        due: u32,
    },
}

impl fmt::Display for Inconsistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SharedSquare { white, black, marked } => {
                write!(f, "a point is held twice: {white:?} {black:?} {marked:?}")
            }
            Self::Material(color, men) => write!(f, "{color} has {men} men"),
            Self::PackedDue => f.write_str("extras are on, yet the packed word has takes due"),
            Self::StackLengths => f.write_str("the two stacks do not fit together"),
            Self::ExtrasInUse(found) => write!(f, "extras in use: {found}, but they are not so"),
            Self::UnusedExtras(extras) => write!(f, "extras are off, yet there are some: {extras:?}"),
            Self::NoExtras => f.write_str("extras are off under rules that need them"),
            Self::Ending(phase, ending) => write!(f, "phase {phase:?} with ending {ending:?}"),
            Self::StartWindow(window) => write!(f, "{window} positions to repeat before the first move"),
            Self::Change(change) => write!(f, "the number of men has changed by {change}"),
            Self::MoveCounter { found, expected } => write!(f, "the move counter is {found}, not {expected}"),
            Self::Window { found, expected } => {
                write!(f, "repetition looks at {found:?}, not {expected} positions")
            }
            Self::State { found, expected } => write!(f, "phase and action {found:?}, not {expected:?}"),
            Self::Irregular { found: (phase, action), hand, due } => write!(
                f,
                "phase {phase:?} and action {action:?} do not fit {hand} men in hand and {due} takes"
            ),
        }
    }
}

/// Checks a position, for tests outside the crate.
///
/// # Errors
/// The first contradiction in its state.
pub fn check(pos: &Position) -> Result<(), Inconsistency> {
    pos.check()
}

/// Returns the state that tests outside the crate compare besides the public one.
///
/// True if the position carries extras, the extras, and the length of the repetition window.
pub fn inner_state(pos: &Position) -> (bool, Extras, u32) {
    (pos.has_extras(), *pos.extras(), pos.repetition_window())
}

impl Position {
    /// Recomputes the state: sets and counts from one another, and counters, repetition window, action, phase
    /// and ending from the previous position and the change on the board.
    ///
    /// # Errors
    /// The first contradiction.
    pub(crate) fn check(&self) -> Result<(), Inconsistency> {
        let core = self.state.core;
        let (white, black) = (core.men(0), core.men(1));
        let marked = self.extras.marked;
        if white.intersects(black) || (white | black).intersects(marked) {
            return Err(Inconsistency::SharedSquare { white, black, marked });
        }
        for color in Color::ALL {
            let material = self.material(color);
            if material > u32::from(self.rules().pieces_count) {
                return Err(Inconsistency::Material(color, material));
            }
        }
        if self.has_extras {
            if core.due() != 0 {
                return Err(Inconsistency::PackedDue);
            }
            if self.extras_stack.len() != self.stack.iter().filter(|state| state.uses_extras).count() {
                return Err(Inconsistency::StackLengths);
            }
            if self.uses_extras() != (self.extras != Extras::default()) {
                return Err(Inconsistency::ExtrasInUse(self.uses_extras()));
            }
        } else if self.extras != Extras::default() {
            return Err(Inconsistency::UnusedExtras(Box::new(self.extras)));
        } else if self.compiled.extras {
            return Err(Inconsistency::NoExtras);
        } else if self.state.ending == Ending::None {
            self.check_regular()?;
        }
        self.check_ending()?;
        if self.stack.is_empty() { self.check_start() } else { self.check_step() }
    }

    /// Checks the ending against the board.
    fn check_ending(&self) -> Result<(), Inconsistency> {
        let holds = match self.state.ending {
            Ending::None => self.phase() != Phase::Over,
            _ if self.phase() != Phase::Over => false,
            Ending::TooFew(loser) => self.material(loser) < self.compiled.least,
            Ending::FullBoardLoss | Ending::FullBoardDraw => self.occupied() == Bitboard::FULL,
            Ending::Imported => self.stack.is_empty(),
        };
        if holds { Ok(()) } else { Err(Inconsistency::Ending(self.phase(), self.state.ending)) }
    }

    /// Checks the counters of a position that no move has led to.
    fn check_start(&self) -> Result<(), Inconsistency> {
        match self.state.window {
            0 => Ok(()),
            1 if self.counts_origin => Ok(()),
            window => Err(Inconsistency::StartWindow(window)),
        }
    }

    /// Checks counters, repetition window, action and phase after the last move.
    fn check_step(&self) -> Result<(), Inconsistency> {
        let (state, before) = (&self.state, self.state_back(1));
        let men = |state: &StateInfo| state.core.occupied().count();
        let change = i64::from(men(state)) - i64::from(men(before));
        let plus = |count: u16, more: bool| count.saturating_add(u16::from(more));
        let expected = match change {
            0 => plus(before.move_counter, true),
            1 | -1 => 0,
            _ => return Err(Inconsistency::Change(change)),
        };
        // As `Position::forget_history` leaves them.
        let first = u16::from(self.counts_origin && state.counted);
        let forgotten = state.move_counter == 0 && state.window == first && state.counted == (first == 1);
        if state.move_counter != expected && !forgotten {
            return Err(Inconsistency::MoveCounter { found: state.move_counter, expected });
        }
        let window = match change {
            0 if self.skips_present() => plus(before.window, state.counted) - u16::from(state.counted),
            0 if self.counts_origin && state.counted && self.phase() == Phase::Placing => 0,
            0 => plus(before.window, state.counted),
            _ => first,
        };
        if state.window != window && !forgotten || state.counted && change != 0 && first == 0 {
            let found = (state.window, state.counted);
            return Err(Inconsistency::Window { found, expected: window });
        }
        if state.ending != Ending::None {
            return Ok(());
        }
        let us = self.side_to_move();
        let phase = if self.hand(us) > 0 { Phase::Placing } else { Phase::Moving };
        let action = match phase {
            _ if self.takes_due(us) > 0 => Action::Take,
            Phase::Placing => Action::Place,
            _ => Action::Slide,
        };
        if self.action() != action || action != Action::Take && self.phase() != phase {
            let found = (self.phase(), self.action());
            return Err(Inconsistency::State { found, expected: (phase, action) });
        }
        Ok(())
    }

    /// Checks that phase, action and takes due fit together as the packed word assumes.
    pub(super) fn check_regular(&self) -> Result<(), Inconsistency> {
        let core: Core = self.state.core;
        let in_hand = core.hand(core.side()) > 0;
        let fits = match (core.phase(), core.action()) {
            (Phase::Placing, Action::Place) => in_hand && core.due() == 0,
            (Phase::Moving, Action::Slide) => !in_hand && core.due() == 0,
            (Phase::Placing, Action::Take) => core.due() > 0,
            (Phase::Moving, Action::Take) => core.due() > 0 && !in_hand,
            _ => false,
        };
        let found = (core.phase(), core.action());
        let irregular = Inconsistency::Irregular { found, hand: core.hand(core.side()), due: core.due() };
        if fits { Ok(()) } else { Err(irregular) }
    }
}
