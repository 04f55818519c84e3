//! Recomputes what a position keeps, for debug builds and property tests.

use super::Position;
use super::state::{Action, Core, Ending, Extras, Phase};
use crate::bitboard::Bitboard;
use crate::types::Color;

impl Position {
    /// Checks everything that is kept against what it follows from.
    ///
    /// # Errors
    /// A sentence that names the first contradiction.
    pub fn is_ok(&self) -> Result<(), String> {
        let core = self.state.core;
        let (white, black) = (core.men(0), core.men(1));
        if white.intersects(black) || (white | black).intersects(self.extras.marked) {
            return Err(format!("a point is held twice: {white:?} {black:?} {:?}", self.extras.marked));
        }
        for color in Color::ALL {
            let material = self.material(color);
            if material > u32::from(self.rules().pieces_count) {
                return Err(format!("{color} has {material} men"));
            }
        }
        if self.has_extras {
            if core.debt() != 0 {
                return Err("extras are on, yet the packed word owes removals".to_owned());
            }
            if self.extras_stack.len() != self.stack.len() {
                return Err("the two stacks differ in length".to_owned());
            }
        } else if self.extras != Extras::default() {
            return Err(format!("extras are off, yet there are some: {:?}", self.extras));
        } else if self.state.ending == Ending::None {
            self.is_regular()?;
        }
        if (self.state.ending == Ending::None) == (core.phase() == Phase::Over) {
            return Err(format!("phase {:?} with ending {:?}", core.phase(), self.state.ending));
        }
        if usize::from(self.state.window) > self.stack.len().max(usize::from(u16::MAX)) {
            return Err("more positions to repeat than moves".to_owned());
        }
        Ok(())
    }

    /// Whether phase, action and debt fit together as the packed word assumes.
    pub(super) fn is_regular(&self) -> Result<(), String> {
        let core: Core = self.state.core;
        let in_hand = core.hand(core.side()) > 0;
        let fits = match (core.phase(), core.action()) {
            (Phase::Placing, Action::Place) => in_hand && core.debt() == 0,
            (Phase::Moving, Action::Select) => !in_hand && core.debt() == 0,
            (Phase::Placing, Action::Remove) => core.debt() > 0,
            (Phase::Moving, Action::Remove) => core.debt() > 0 && !in_hand,
            _ => false,
        };
        let marked = self.extras.marked != Bitboard::EMPTY;
        if fits && !marked {
            Ok(())
        } else {
            Err(format!(
                "phase {:?} and action {:?} do not fit {} men in hand and {} removals",
                core.phase(),
                core.action(),
                core.hand(core.side()),
                core.debt()
            ))
        }
    }
}
