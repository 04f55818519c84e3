//! Bit gathering and spreading by instruction where the build may use it, by loop elsewhere.
#![allow(unsafe_code)]

/// Gathers the bits of `set` at the positions of `mask` into the low bits (`pext`).
#[inline(always)]
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
pub(crate) fn squeeze(set: u32, mask: u32) -> u32 {
    // SAFETY: the cfg above requires the instruction.
    unsafe { std::arch::x86_64::_pext_u32(set, mask) }
}

/// As [`squeeze`], for 64 bits.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
pub(crate) fn squeeze_word(set: u64, mask: u64) -> u64 {
    // SAFETY: the cfg above requires the instruction.
    unsafe { std::arch::x86_64::_pext_u64(set, mask) }
}

/// Spreads the low bits of `set` to the positions of `mask` (`pdep`).
#[inline(always)]
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
pub(crate) fn spread(set: u32, mask: u32) -> u32 {
    // SAFETY: the cfg above requires the instruction.
    unsafe { std::arch::x86_64::_pdep_u32(set, mask) }
}

/// As [`spread`], for 64 bits.
#[inline(always)]
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
pub(crate) fn spread_word(set: u64, mask: u64) -> u64 {
    // SAFETY: the cfg above requires the instruction.
    unsafe { std::arch::x86_64::_pdep_u64(set, mask) }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
pub(crate) use portable::{spread, spread_word, squeeze, squeeze_word};

/// The same without the instructions; tests compare the two.
#[cfg_attr(all(target_arch = "x86_64", target_feature = "bmi2"), allow(dead_code))]
mod portable {
    pub(crate) fn squeeze(set: u32, mask: u32) -> u32 {
        squeeze_word(set.into(), mask.into()) as u32
    }

    pub(crate) fn spread(set: u32, mask: u32) -> u32 {
        spread_word(set.into(), mask.into()) as u32
    }

    pub(crate) fn squeeze_word(set: u64, mut mask: u64) -> u64 {
        let (mut result, mut place) = (0, 1);
        while mask != 0 {
            if set & mask & mask.wrapping_neg() != 0 {
                result |= place;
            }
            place <<= 1;
            mask &= mask - 1;
        }
        result
    }

    pub(crate) fn spread_word(mut set: u64, mut mask: u64) -> u64 {
        let mut result = 0;
        while mask != 0 {
            if set & 1 != 0 {
                result |= mask & mask.wrapping_neg();
            }
            set >>= 1;
            mask &= mask - 1;
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instructions_agree_with_the_loops() {
        let mut x = 12345u32;
        for _ in 0..10_000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (set, mask) = (x.rotate_left(11), x & 0xFF_FFFF);
            assert_eq!(squeeze(set, mask), portable::squeeze(set, mask));
            assert_eq!(spread(set, mask), portable::spread(set, mask));
            let (set, mask) = (u64::from(set) << 32 | u64::from(x), u64::from(mask) << 40 | u64::from(set));
            assert_eq!(squeeze_word(set, mask), portable::squeeze_word(set, mask));
            assert_eq!(spread_word(set, mask), portable::spread_word(set, mask));
        }
    }
}
