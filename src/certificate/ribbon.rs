//! Ribbons: bits in which each of many equations over 128 neighbours holds (P. Dillinger and S. Walzer,
//! "Ribbon filter: practically smaller than Bloom and Xor", 2021). They take little more than a bit for each
//! equation, and store no keys.

use crate::platform::mixing::mix;

/// The bits that an equation may sum.
const WIDTH: u64 = 128;
/// Bytes beyond the last bit, so that the bits of an equation can be read at once.
const PADDING: usize = 16;

/// An equation of a ribbon.
#[derive(Clone, Copy)]
struct Equation {
    first: u64,
    coefficients: u128,
    /// The value that filters ask for.
    value: bool,
}

/// Bits that satisfy equations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ribbon {
    /// The number of bits: none, or 128 at least.
    pub length: u32,
    /// Chooses the equations.
    pub seed: u8,
    /// The bits, then the padding.
    bytes: Vec<u8>,
}

impl Ribbon {
    /// Takes bits from bytes; `None` if they are no ribbon of this length.
    pub(super) fn new(bytes: &[u8], length: u32, seed: u8) -> Option<Self> {
        let is_long = length == 0 || u64::from(length) >= WIDTH;
        let unused = bytes.last().is_some_and(|last| !length.is_multiple_of(8) && last >> (length % 8) != 0);
        let fits = bytes.len() == length.div_ceil(8) as usize && is_long && !unused;
        fits.then(|| Self { length, seed, bytes: [bytes, &[0; PADDING]].concat() })
    }

    /// The bits, in bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length.div_ceil(8) as usize]
    }

    /// Returns the sum of the bits of an equation and the value that filters ask for.
    #[inline]
    pub(super) fn solve(&self, key: u64, number: u8) -> (bool, bool) {
        if self.length == 0 {
            return (false, true);
        }
        let Equation { first, coefficients, value } = equation(self.length, self.seed, key, number);
        let bits = (coefficients & window(&self.bytes, first)).count_ones();
        (!bits.is_multiple_of(2), value)
    }
}

#[inline]
fn equation(length: u32, seed: u8, key: u64, number: u8) -> Equation {
    let x = mix(key.wrapping_add(16 * u64::from(seed) + u64::from(number)));
    let y = mix(x);
    let places = u128::from(u64::from(length) - (WIDTH - 1));
    Equation {
        first: ((u128::from(x) * places) >> 64) as u64,
        coefficients: u128::from(mix(y)) << 64 | u128::from(y | 1),
        value: y & 1 != 0,
    }
}

/// Returns 128 bits from bit `first` on.
#[inline]
fn window(bytes: &[u8], first: u64) -> u128 {
    let (at, shift) = ((first / 8) as usize, first % 8);
    let low = bytes[at..].first_chunk().map_or(0, |bytes| u128::from_le_bytes(*bytes));
    match shift {
        0 => low,
        _ => low >> shift | u128::from(bytes[at + 16]) << (WIDTH - shift),
    }
}

/// A demand on a ribbon: key and number of the equation, and its value unless it is the one of filters.
pub(super) type Demand = (u64, u8, Option<bool>);

impl Ribbon {
    /// Makes a ribbon that meets all demands, of distinct keys and numbers.
    pub(super) fn meeting(demands: &[Demand]) -> Self {
        if demands.is_empty() {
            return Self::default();
        }
        let mut length = WIDTH as u32 + (demands.len() + demands.len() / 64) as u32;
        loop {
            let tries = (0..4).find_map(|seed| Self::with(demands, length, seed));
            if let Some(found) = tries {
                return found;
            }
            length += 1 + length / 128;
        }
    }

    /// Makes a ribbon of this length and seed by Gaussian elimination, if there is one.
    fn with(demands: &[Demand], length: u32, seed: u8) -> Option<Self> {
        let mut equations: Vec<Equation> = demands
            .iter()
            .map(|&(key, number, value)| {
                let equation = equation(length, seed, key, number);
                Equation { value: value.unwrap_or(equation.value), ..equation }
            })
            .collect();
        // Neighbours use neighbouring memory; the result is the same in any order.
        equations.sort_unstable_by_key(|equation| equation.first);
        let mut rows = vec![(0u128, false); length as usize];
        for Equation { first, mut coefficients, mut value } in equations {
            let mut row = first as usize;
            loop {
                let (other, its) = &mut rows[row];
                if *other == 0 {
                    (*other, *its) = (coefficients, value);
                    break;
                }
                coefficients ^= *other;
                value ^= *its;
                if coefficients == 0 {
                    if value {
                        return None;
                    }
                    break;
                }
                let shift = coefficients.trailing_zeros();
                coefficients >>= shift;
                row += shift as usize;
            }
        }
        let mut bytes = vec![0; length.div_ceil(8) as usize + PADDING];
        for (row, (coefficients, value)) in rows.into_iter().enumerate().rev() {
            if coefficients != 0 {
                let others = !(coefficients & window(&bytes, row as u64)).count_ones().is_multiple_of(2);
                bytes[row / 8] |= u8::from(others != value) << (row % 8);
            }
        }
        Some(Self { length, seed, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ribbon_meets_its_demands_and_few_others() {
        for count in [0, 1, 100, 20_000] {
            let demands: Vec<Demand> = (0..count)
                .flat_map(|key| {
                    [(mix(key), 0, None), (mix(key), 1, None), (mix(key), 15, Some(key % 3 == 0))]
                })
                .collect();
            let ribbon = Ribbon::meeting(&demands);
            let met = |&(key, number, value): &Demand| {
                let (sum, asked) = ribbon.solve(key, number);
                sum == value.unwrap_or(asked)
            };
            assert!(demands.iter().all(met));
            assert!(u64::from(ribbon.length) <= 3 * count * 21 / 20 + 130, "{}", ribbon.length);
            let others = (count..2 * count).filter(|&key| met(&(mix(key), 0, None))).count() as u64;
            assert!(others.abs_diff(count / 2) <= 10 + count / 50, "{others} of {count}");
            let (length, seed) = (ribbon.length, ribbon.seed);
            assert_eq!(
                Ribbon::new(ribbon.bytes(), length, seed),
                (count > 0).then(|| ribbon.clone()).or_else(|| Ribbon::new(&[], 0, 0))
            );
            assert_eq!(Ribbon::new(ribbon.bytes(), length + 8, seed), None);
        }
        assert_eq!(Ribbon::new(&[0; 8], 64, 0), None);
        assert_eq!(Ribbon::new(&[255; 17], 130, 0), None);
    }
}
