//! The listed positions of a sector: the lost ones of an open sector, or those after first turns that lose.
//! They are stored as gaps between ascending slots in a Rice code (R. F. Rice, "Some Practical Universal
//! Noiseless Coding Techniques", 1979).

/// The largest parameter of the code.
const MAX_PARAMETER: u8 = 31;

/// Returns the parameter for `count` positions among `slots` slots: the length of the low part of a gap.
pub(super) fn parameter(slots: u64, count: usize) -> u8 {
    let mean = slots / (count as u64).max(1);
    // The best parameter for geometric gaps is the logarithm of 0.69 times their mean.
    ((mean * 69 / 100).max(1).ilog2() as u8).min(MAX_PARAMETER)
}

/// Bits, the first in the lowest bit of the first byte.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    used: u32,
}

impl BitWriter {
    fn put(&mut self, bit: bool) {
        if self.used.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.used % 8);
        }
        self.used += 1;
    }

    /// Puts so many ones and a zero.
    fn put_unary(&mut self, ones: u64) {
        (0..ones).for_each(|_| self.put(true));
        self.put(false);
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    read: usize,
}

impl BitReader<'_> {
    fn take(&mut self) -> Option<bool> {
        let bit = self.bytes.get(self.read / 8)? >> (self.read % 8) & 1 != 0;
        self.read += 1;
        Some(bit)
    }

    fn take_unary(&mut self) -> Option<u64> {
        let mut ones = 0;
        while self.take()? {
            ones += 1;
        }
        Some(ones)
    }
}

/// Encodes ascending slots.
pub(super) fn encode(listed: &[u64], parameter: u8) -> Vec<u8> {
    let mut bits = BitWriter::default();
    let mut next = 0;
    for &slot in listed {
        let gap = slot - next;
        bits.put_unary(gap >> parameter);
        (0..parameter).for_each(|bit| bits.put(gap >> bit & 1 != 0));
        next = slot + 1;
    }
    bits.bytes
}

/// Decodes `count` slots of a sector with `slots` slots; `None` if the bytes are something else.
pub(super) fn decode(bytes: &[u8], parameter: u8, count: usize, slots: u64) -> Option<Vec<u64>> {
    // A slot takes one bit or more.
    if parameter > MAX_PARAMETER || count > bytes.len().saturating_mul(8) {
        return None;
    }
    let mut bits = BitReader { bytes, read: 0 };
    let mut next: u64 = 0;
    let mut listed = Vec::new();
    listed.try_reserve_exact(count).ok()?;
    for _ in 0..count {
        let mut gap = bits.take_unary()?.checked_mul(1 << parameter)?;
        for bit in 0..parameter {
            gap |= u64::from(bits.take()?) << bit;
        }
        let slot = next.checked_add(gap).filter(|&slot| slot < slots)?;
        listed.push(slot);
        next = slot + 1;
    }
    (bits.read.div_ceil(8) == bytes.len()).then_some(listed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    #[test]
    fn slots_come_back_and_other_bytes_are_refused() {
        let mut random = StdRng::seed_from_u64(5);
        for (count, slots) in [(0, 10), (1, 1), (5, 5), (3_000, 4_000), (2_000, 400_000_000)] {
            let mut listed: Vec<u64> = (0..count).map(|_| random.random_range(0..slots)).collect();
            listed.sort_unstable();
            listed.dedup();
            let parameter = parameter(slots, listed.len());
            let bytes = encode(&listed, parameter);
            assert_eq!(decode(&bytes, parameter, listed.len(), slots).as_ref(), Some(&listed));
            let more = [&bytes[..], &[0]].concat();
            assert_eq!(decode(&more, parameter, listed.len(), slots), None);
            if let Some((_, cut)) = bytes.split_last() {
                assert_eq!(decode(cut, parameter, listed.len(), slots), None);
            }
            if let Some(&last) = listed.last() {
                assert_eq!(decode(&bytes, parameter, listed.len(), last), None);
            }
        }
    }
}
