//! Values as the tablebase holds them: win, draw or loss of the mover with the plies to the end of the game,
//! in one byte whose order is the order of preference.

/// Result for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Wdl {
    /// The opponent can force a win.
    Loss,
    /// Neither side can force a win.
    Draw,
    /// The mover can force a win.
    Win,
}

impl Wdl {
    /// `L`, `D` or `W`.
    pub const fn letter(self) -> char {
        match self {
            Self::Loss => 'L',
            Self::Draw => 'D',
            Self::Win => 'W',
        }
    }

    /// Returns the value for the other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// The value for the mover, coded so that the larger byte is preferred.
///
/// A loss in d plies is d/2, a draw 128, a win in d plies 255 − (d−1)/2. In files losses are even and at most
/// 252, wins odd and at most 253.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct TbValue(pub u8);

impl TbValue {
    /// The mover is to move and has lost already.
    pub const LOST: Self = Self(0);
    /// Neither side can force a win.
    pub const DRAW: Self = Self(128);
    /// The mover ends the game with this turn.
    pub const WIN_NOW: Self = Self(255);
    /// The longest distance that files hold.
    pub const MAX_PLIES: u32 = 253;
    /// The loss in 254 plies, which no file holds: a turn that leads to it would have no value.
    pub const TOO_LONG: Self = Self(127);

    /// The value decided in `plies`: a loss if even, a win if odd; at most [`MAX_PLIES`](Self::MAX_PLIES).
    pub const fn decided(plies: u32) -> Self {
        debug_assert!(plies <= Self::MAX_PLIES);
        Self(if plies.is_multiple_of(2) { plies / 2 } else { 255 - plies / 2 } as u8)
    }

    /// Win, draw or loss.
    pub const fn wdl(self) -> Wdl {
        match self.0 {
            0..128 => Wdl::Loss,
            128 => Wdl::Draw,
            _ => Wdl::Win,
        }
    }

    /// Plies to the end of the game; none for a draw.
    pub const fn plies(self) -> Option<u32> {
        match self.0 {
            0..128 => Some(2 * self.0 as u32),
            128 => None,
            _ => Some(2 * (255 - self.0 as u32) + 1),
        }
    }

    /// Returns the value of a turn that leads to a position of this value for the opponent.
    ///
    /// It is the other result, one ply later. This reverses the order, so the best turn leads to the smallest
    /// value.
    #[inline(always)]
    pub const fn before(self) -> Self {
        Self(match self.0 {
            0..128 => 255 - self.0,
            128 => 128,
            // A win in d becomes a loss in d + 1.
            _ => (256 - self.0 as u16) as u8,
        })
    }

    /// Returns true if a turn that leads to this value is decided in more plies than files hold.
    #[inline(always)]
    pub const fn is_too_long_before(self) -> bool {
        matches!(self.plies(), Some(plies) if plies >= Self::MAX_PLIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_ordered_and_step_back_by_one_ply() {
        for plies in 0..=TbValue::MAX_PLIES {
            let value = TbValue::decided(plies);
            assert_eq!(value.plies(), Some(plies));
            assert_eq!(value.wdl(), if plies % 2 == 0 { Wdl::Loss } else { Wdl::Win });
            if plies < TbValue::MAX_PLIES {
                assert_eq!(value.before(), TbValue::decided(plies + 1));
            }
            assert_eq!(value.is_too_long_before(), plies == TbValue::MAX_PLIES);
        }
        assert_eq!(TbValue::DRAW.before(), TbValue::DRAW);
        assert!(TbValue::decided(0) < TbValue::decided(2) && TbValue::decided(254 - 2) < TbValue::DRAW);
        assert!(TbValue::DRAW < TbValue::decided(253) && TbValue::decided(3) < TbValue::decided(1));
    }
}
