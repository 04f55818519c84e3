//! A range coder for values of three kinds: each takes a share of an interval in proportion to
//! its probability, and the shortest fraction inside the last interval encodes all of them.

/// Shares of the whole are counted in units of 2^-16.
const SHARE_BITS: u32 = 16;
/// Digits leave the interval once it is smaller than this.
const LEAST_RANGE: u64 = 1 << 32;

/// The ends of the shares of the three values: value 2 lies below the first number, value 1 between the two,
/// value 0 above the second. Neither share is empty.
pub(super) type Shares = [u16; 2];

/// Writes values.
pub(super) struct Encoder {
    low: u64,
    range: u64,
    digits: Vec<u8>,
}

impl Encoder {
    /// Nothing written yet.
    pub(super) const fn new() -> Self {
        Self { low: 0, range: u64::MAX, digits: Vec::new() }
    }

    /// Appends a value, 0 to 2.
    #[inline]
    pub(super) fn put(&mut self, shares: Shares, value: u8) {
        let unit = self.range >> SHARE_BITS;
        let (first, second) = (unit * u64::from(shares[0]), unit * u64::from(shares[1]));
        match value {
            2 => self.range = first,
            1 => {
                self.add(first);
                self.range = second - first;
            }
            _ => {
                self.add(second);
                self.range -= second;
            }
        }
        if self.range < LEAST_RANGE {
            self.digits.extend_from_slice(&((self.low >> 32) as u32).to_be_bytes());
            self.low <<= 32;
            self.range <<= 32;
        }
    }

    fn add(&mut self, amount: u64) {
        let (sum, carry) = self.low.overflowing_add(amount);
        self.low = sum;
        if carry {
            self.carry();
        }
    }

    fn carry(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            *digit = digit.wrapping_add(1);
            if *digit != 0 {
                break;
            }
        }
    }

    /// The digits of the shortest fraction that encodes the values; the encoder is then empty again.
    /// Digits that are left out at the end are zero.
    pub(super) fn finish(&mut self) -> Vec<u8> {
        for bytes in 0..=8 {
            let rest = u64::MAX.checked_shr(8 * bytes).unwrap_or(0);
            // The next multiple of the last digit's worth, which may lie beyond the whole.
            let rounded = (u128::from(self.low) + u128::from(rest)) & !u128::from(rest);
            if rounded - u128::from(self.low) < u128::from(self.range) {
                if rounded >> 64 != 0 {
                    self.carry();
                }
                self.digits.extend_from_slice(&(rounded as u64).to_be_bytes()[..bytes as usize]);
                break;
            }
        }
        let mut digits = std::mem::replace(self, Self::new()).digits;
        while digits.last() == Some(&0) {
            digits.pop();
        }
        digits
    }
}

/// Reads what an [`Encoder`] wrote. Any digits decode to some values.
pub(super) struct Decoder<'a> {
    code: u64,
    range: u64,
    digits: &'a [u8],
}

impl<'a> Decoder<'a> {
    /// Reads from `digits`.
    pub(super) fn new(digits: &'a [u8]) -> Self {
        let mut decoder = Self { code: 0, range: u64::MAX, digits };
        decoder.code = u64::from(decoder.next()) << 32 | u64::from(decoder.next());
        decoder
    }

    #[inline]
    fn next(&mut self) -> u32 {
        if let Some((four, rest)) = self.digits.split_first_chunk() {
            self.digits = rest;
            return u32::from_be_bytes(*four);
        }
        let mut last = [0; 4];
        last[..self.digits.len()].copy_from_slice(self.digits);
        self.digits = &[];
        u32::from_be_bytes(last)
    }

    /// The next value, 0 to 2.
    #[inline(always)]
    pub(super) fn get(&mut self, shares: Shares) -> u8 {
        let unit = self.range >> SHARE_BITS;
        let (first, second) = (unit * u64::from(shares[0]), unit * u64::from(shares[1]));
        // Branches rather than conditional moves: most values are predicted, so the decoder runs ahead.
        let value = if self.code < first {
            self.range = first;
            2
        } else if self.code < second {
            self.code -= first;
            self.range = second - first;
            1
        } else {
            self.code -= second;
            self.range -= second;
            0
        };
        if self.range < LEAST_RANGE {
            self.code = self.code << 32 | u64::from(self.next());
            self.range <<= 32;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_whatever_was_expected() {
        let mut random = 7u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        for length in (0..40).chain([1024, 5000]) {
            for kind in 0..6 {
                let shares: Vec<Shares> = (0..length)
                    .map(|_| {
                        let first = match kind {
                            0 => 1,
                            1 => 65_534,
                            _ => 1 + next(65_534),
                        };
                        [first as u16, (first + 1 + next(65_535 - first)) as u16]
                    })
                    .collect();
                let values: Vec<u8> =
                    (0..length).map(|_| if kind == 5 { 0 } else { next(3) as u8 }).collect();
                let mut encoder = Encoder::new();
                shares.iter().zip(&values).for_each(|(&shares, &value)| encoder.put(shares, value));
                let digits = encoder.finish();
                assert_ne!(digits.last(), Some(&0));
                let mut decoder = Decoder::new(&digits);
                let found: Vec<u8> = shares.iter().map(|&shares| decoder.get(shares)).collect();
                assert_eq!(found, values, "{length} values of kind {kind}");
            }
        }
    }

    #[test]
    fn what_was_expected_takes_no_room() {
        let mut encoder = Encoder::new();
        (0..1000).for_each(|_| encoder.put([65_000, 65_500], 2));
        assert!(encoder.finish().is_empty());
    }
}
