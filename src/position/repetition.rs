//! Repetition: how often positions of the game have occurred.

use super::board::Position;
use super::state::StateInfo;
use std::collections::HashSet;

impl Position {
    /// Returns how often the latest position that counts has occurred; 0 if none counts.
    ///
    /// Counts from the last placing or take, or from the position that was read. While a take after a mill is
    /// due, the latest position is the one before the mill. Under the profile that counts stable positions
    /// only, this holds for every take.
    pub fn repetitions(&self) -> u32 {
        if self.state.window == 0 || !self.compiled.rules.threefold_repetition_rule {
            return 0;
        }
        let latest = usize::from(!self.state.counted || self.skips_present());
        let window = usize::from(self.state.window);
        let key = |back: usize| self.state_back(back).repetition_key();
        (latest..latest + window).filter(|&back| key(back) == key(latest)).count() as u32
    }

    /// Returns the occurrences of the present position that a referee counts: [`Position::repetitions`], but
    /// 0 while a take is due under the profile that counts stable positions only.
    pub(crate) fn present_repetitions(&self) -> u32 {
        if self.skips_present() { 0 } else { self.repetitions() }
    }

    /// Returns true if the profile counts stable positions only and a take is due.
    pub(super) fn skips_present(&self) -> bool {
        self.counts_origin && self.is_take_due()
    }

    /// Returns the state `back` moves ago.
    pub(super) fn state_back(&self, back: usize) -> &StateInfo {
        if back == 0 { &self.state } else { &self.stack[self.stack.len() - back] }
    }

    /// Returns the number of positions that count for repetition.
    pub(crate) fn repetition_window(&self) -> u32 {
        if self.compiled.rules.threefold_repetition_rule { u32::from(self.state.window) } else { 0 }
    }

    /// Returns true if the position occurred among the last `plies` moves, or twice at any time before: the
    /// search scores both as a draw.
    #[inline]
    pub(crate) fn has_repeated(&self, plies: usize) -> bool {
        if self.state.window <= self.compiled.first_return || !self.state.counted {
            return false;
        }
        self.find_repetition(plies)
    }

    /// Returns true if a search that began `plies` moves ago may score a draw because of the game before it:
    /// a position has occurred twice there, and can return.
    pub(crate) fn had_repeated(&self, plies: usize) -> bool {
        // Nothing returns after a take.
        if self.is_take_due() {
            return false;
        }
        let mut seen = HashSet::new();
        (plies + 1..self.repetition_window() as usize)
            .any(|back| !seen.insert(self.state_back(back).repetition_key()))
    }

    fn find_repetition(&self, plies: usize) -> bool {
        if !self.has_extras {
            return self.find_plain_repetition(plies);
        }
        if self.skips_present() {
            return false;
        }
        let mut found = false;
        for n in 1..usize::from(self.state.window) {
            if self.state_back(n).repetition_key() == self.state.repetition_key() {
                if n <= plies || found {
                    return true;
                }
                found = true;
            }
        }
        false
    }

    /// [`Self::find_repetition`] without extras: the sides alternate, so only every second position can be
    /// the same, and the first that can is four moves back.
    fn find_plain_repetition(&self, plies: usize) -> bool {
        let key = self.state.core.repetition_key();
        let mut found = false;
        let mut n = 4;
        while n < usize::from(self.state.window) {
            if self.stack[self.stack.len() - n].core.repetition_key() == key {
                if n <= plies || found {
                    return true;
                }
                found = true;
            }
            n += 2;
        }
        false
    }
}
