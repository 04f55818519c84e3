//! Mixes the bits of words: for hash keys, indices of arrays and random numbers.

/// A bijection of 64-bit words in which every input bit reaches every output bit.
///
/// It is the finaliser of SplitMix64 (Steele, Lea and Flood 2014), with the constants of Stafford's variant
/// 13.
#[inline(always)]
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// A cheap bijection of 64-bit words whose upper bits depend on all bits, for indices of arrays.
///
/// It multiplies by the golden ratio (Knuth, TAOCP 6.4).
#[inline(always)]
pub(crate) const fn scatter(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Undoes `word ^ word >> shift`.
    fn unshift(word: u64, shift: u32) -> u64 {
        let mut result = word;
        for _ in 0..64 / shift {
            result = word ^ result >> shift;
        }
        result
    }

    /// The inverse of an odd number modulo 2^64, by Newton's iteration.
    fn inverse(odd: u64) -> u64 {
        (0..6).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
    }

    #[test]
    fn mixing_can_be_undone() {
        for n in 0..10_000_u64 {
            let word = n.wrapping_mul(0x0123_4567_89ab_cdef);
            let back = unshift(mix(word), 31).wrapping_mul(inverse(0x94d0_49bb_1331_11eb));
            let back = unshift(back, 27).wrapping_mul(inverse(0xbf58_476d_1ce4_e5b9));
            assert_eq!(unshift(back, 30), word);
        }
    }
}
