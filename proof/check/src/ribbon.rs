//! Filters that refuse turns, as docs/certificates.md defines them. This need not be trusted: a filter
//! decides which of the turns that `board.rs` gives is played, and the walk plays all replies to any turn.

/// The finalizer of `SplitMix64`.
pub fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Bits of which each equation sums some among 128 neighbours.
pub struct Ribbon {
    /// The bits, and more bytes.
    bytes: Vec<u8>,
    bits: u64,
    seed: u64,
}

impl Ribbon {
    /// Takes the bits in these bytes, if there are none or enough of them, and those unused are zero.
    pub fn new(bytes: &[u8], bits: u64, seed: u64) -> Result<Self, String> {
        let zeros = bytes.last().map_or(0, |last| u64::from(last.leading_zeros()));
        let is_sound = (bits == 0 || bits >= 128) && 8 * bytes.len() as u64 <= bits + zeros;
        let bytes = [bytes, &[0; 16]].concat();
        is_sound.then_some(Self { bytes, bits, seed }).ok_or("a filter or table is unsound".to_owned())
    }

    /// Returns the value of an equation, and the one that a filter demands.
    fn equation(&self, key: u64, number: u64) -> [bool; 2] {
        let x = mix(key.wrapping_add(16 * self.seed + number));
        let (y, z) = (mix(x), mix(mix(x)));
        let first = ((u128::from(x) * u128::from(self.bits - 127)) >> 64) as usize;
        let bits = |at: usize| {
            let bytes = self.bytes[at / 8..][..16].try_into().expect("16 bytes");
            (u128::from_le_bytes(bytes) >> (at % 8)) as u64
        };
        let sum = bits(first) & (y | 1) ^ bits(first + 64) & z;
        [sum.count_ones() & 1 != 0, y & 1 != 0]
    }
}

/// The filter of a sector.
pub struct Filter {
    /// Passes all turns that are to be refused, and some others.
    pub filter: Ribbon,
    /// Tells them apart.
    pub table: Ribbon,
    /// The number of equations of the filter for each band of turns, 4 bits each.
    pub widths: [u64; 4],
}

impl Filter {
    /// Returns true if the turn at a place is refused.
    pub fn refuses(&self, slot: u32, place: usize, band: usize) -> bool {
        let width = self.widths[band / 16] >> (band % 16 * 4) & 15;
        if width == 15 || self.table.bits == 0 || width > 0 && self.filter.bits == 0 {
            return false;
        }
        let key = mix(512 * u64::from(slot) + place as u64);
        let mut equations = (0..width).map(|number| self.filter.equation(key, number));
        equations.all(|[value, demanded]| value == demanded) && self.table.equation(key, 15)[0]
    }
}
