//! Draws by repetition and by a move counter.

use super::state::{Action, Extras, Phase, StateInfo};
use super::{Position, Reason};
use crate::rules::RepetitionProfile;
use crate::types::Color;

impl Position {
    /// Returns the number of times the latest position that counts for repetition has occurred since the last
    /// placing or take, or since the position was read. While a take is due that is the position before the
    /// mill. 0 if no move counts.
    pub fn repetitions(&self) -> u32 {
        if self.state.window == 0 || !self.compiled.rules.threefold_repetition_rule {
            return 0;
        }
        let latest = usize::from(!self.state.counted);
        let window = usize::from(self.state.window);
        let count = |repetition_key: &dyn Fn(usize) -> u64| {
            (latest..latest + window).filter(|&back| repetition_key(back) == repetition_key(latest)).count()
                as u32
        };
        if self.has_extras {
            count(&|back| self.extras_back(back).repetition_key)
        } else {
            count(&|back| self.state_back(back).core.repetition_key())
        }
    }

    /// Returns the occurrences of the present position that a referee counts: [`Position::repetitions`], but
    /// 0 while a take is due under the profile that counts stable positions only.
    pub(crate) fn present_repetitions(&self) -> u32 {
        if self.counts_origin() && self.is_take_due() { 0 } else { self.repetitions() }
    }

    /// Returns the state `back` moves ago.
    pub(super) fn state_back(&self, back: usize) -> &StateInfo {
        if back == 0 { &self.state } else { &self.stack[self.stack.len() - back] }
    }

    /// Returns the extras `back` moves ago.
    fn extras_back(&self, back: usize) -> &Extras {
        if back == 0 { &self.extras } else { &self.extras_stack[self.extras_stack.len() - back] }
    }

    /// Returns the number of positions that count for repetition.
    #[doc(hidden)]
    pub fn repetition_window(&self) -> u32 {
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

    fn find_repetition(&self, plies: usize) -> bool {
        let mut found = false;
        for n in 1..usize::from(self.state.window) {
            let same = if self.has_extras {
                self.extras_back(n).repetition_key == self.extras.repetition_key
            } else {
                self.state_back(n).core.repetition_key() == self.state.core.repetition_key()
            };
            if same {
                if n <= plies || found {
                    return true;
                }
                found = true;
            }
        }
        false
    }

    /// Returns true if the game is drawn by a move counter.
    #[inline(always)]
    pub(crate) fn is_move_count_draw(&self) -> bool {
        self.state.counted
            && self.state.quiet >= self.compiled.endgame_n_move
            && self.move_count_reason().is_some()
    }

    /// Returns the number of slides without a take until a move counter draws the game.
    #[inline(always)]
    pub(crate) fn quiet_moves_left(&self) -> u32 {
        let is_one_limit = self.compiled.endgame_n_move == self.compiled.n_move;
        let limit = if is_one_limit { self.compiled.n_move } else { self.move_count_limit().0 };
        limit.saturating_sub(self.state.quiet).into()
    }

    /// Returns the limit of the move counter that applies, and the reason of its draw.
    pub(crate) fn move_count_limit(&self) -> (u16, Reason) {
        let rules = &self.compiled.rules;
        let three = Color::ALL.iter().any(|&c| self.men(c).count() == 3);
        if rules.endgame_n_move_rule < rules.n_move_rule && three {
            (rules.endgame_n_move_rule, Reason::DrawEndgameFiftyMove)
        } else {
            (rules.n_move_rule, Reason::DrawFiftyMove)
        }
    }

    #[cold]
    fn move_count_reason(&self) -> Option<Reason> {
        let (limit, reason) = self.move_count_limit();
        (self.state.quiet >= limit).then_some(reason)
    }

    /// Returns the draw by repetition or by a move counter that a player can claim, if any. The game can go
    /// on.
    pub fn claimable_draw(&self) -> Option<Reason> {
        if !self.state.counted {
            return None;
        }
        if self.state.window > 2 * self.compiled.first_return && self.repetitions() >= 3 {
            return Some(Reason::DrawThreefoldRepetition);
        }
        if self.state.quiet < self.compiled.endgame_n_move { None } else { self.move_count_reason() }
    }

    /// Resets repetition and move counters, as if the game began with this position.
    #[doc(hidden)]
    pub fn forget_history(&mut self) {
        self.state.quiet = 0;
        self.state.window = 0;
        self.state.counted = false;
        self.extras.drawn = None;
        self.as_read = None;
        self.begin_window();
    }

    /// Returns true if positions that no slide has led to can count for repetition.
    #[inline(always)]
    pub(super) fn counts_origin(&self) -> bool {
        self.compiled.profile == RepetitionProfile::StableMoving
    }

    /// Starts the repetition window at this position if the rules count positions that no slide has led to.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_window(&mut self) {
        let is_stable = self.phase() == Phase::Moving
            && self.action() == Action::Select
            && Color::ALL.iter().all(|&color| self.takes_due(color) == 0)
            && !self.outcome().is_over();
        if is_stable && self.counts_origin() {
            self.state.window = 1;
            self.state.counted = true;
            if self.has_extras {
                self.extras.repetition_key = self.state.core.repetition_key();
            }
        }
    }
}
