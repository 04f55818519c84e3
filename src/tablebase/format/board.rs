//! The board in the numbering of the tablebase: bits run clockwise on each ring from the midpoint of
//! its left side, outer ring 0-7, middle 8-15, inner 16-23 (the numbering of the Malom database,
//! so that its files and ours can be compared slot by slot). All sets of points are 24-bit numbers.

pub(crate) use super::intrinsics::{spread, squeeze};

/// Number of points.
pub const POINTS: u32 = 24;
/// Every point.
pub const FULL: u32 = 0xFF_FFFF;
/// Number of permutations of the points that keep neighbours and mills.
pub const SYMMETRIES: usize = 16;
/// The most lines that meet in one point (two, or three at the corners of a board with diagonals).
pub const LINES_PER_POINT: usize = 3;

const MIDPOINTS: u32 = 0x55_5555;
const OUTER: u32 = 0x00_00FF;

/// Converts a set from the numbering of the engine to that of the tablebase.
///
/// The engine numbers the rings from the inside, clockwise from the top. The rings change places and each
/// turns by a quarter.
pub fn from_engine(set: u32) -> u32 {
    let rings = set.swap_bytes() >> 8;
    ((rings << 2) & 0xFC_FCFC) | ((rings >> 6) & 0x03_0303)
}

/// The inverse of [`from_engine`].
pub fn to_engine(set: u32) -> u32 {
    let rings = ((set >> 2) & 0x3F_3F3F) | ((set << 6) & 0xC0_C0C0);
    rings.swap_bytes() >> 8
}

/// Turns every ring by one point, clockwise.
#[inline(always)]
pub fn clockwise(set: u32) -> u32 {
    ((set << 1) & 0xFE_FEFE) | ((set >> 7) & 0x01_0101)
}

/// Turns every ring by one point, anticlockwise.
#[inline(always)]
pub fn anticlockwise(set: u32) -> u32 {
    ((set >> 1) & 0x7F_7F7F) | ((set << 7) & 0x80_8080)
}

/// Points of a ring that are joined to the same point of the next ring.
pub const fn spokes(diagonals: bool) -> u32 {
    if diagonals { FULL } else { MIDPOINTS }
}

/// The neighbours of `point`.
pub fn neighbours(point: u32, diagonals: bool) -> u32 {
    let bit = 1 << point;
    let mut set = clockwise(bit) | anticlockwise(bit);
    if bit & spokes(diagonals) != 0 {
        set |= (bit << 8) & FULL | bit >> 8;
    }
    set
}

/// The lines through `point`, without it; unused places are `None`.
pub fn lines_through(point: u32, diagonals: bool) -> [Option<u32>; LINES_PER_POINT] {
    let bit = 1u32 << point;
    let mut lines = [None; LINES_PER_POINT];
    if bit & MIDPOINTS != 0 {
        lines[0] = Some(clockwise(bit) | anticlockwise(bit));
    } else {
        let next = clockwise(bit);
        let previous = anticlockwise(bit);
        lines[0] = Some(next | clockwise(next));
        lines[1] = Some(previous | anticlockwise(previous));
    }
    if bit & spokes(diagonals) != 0 {
        let ring = OUTER & (1 << (point % 8));
        let line = ring | ring << 8 | ring << 16;
        let free = if lines[1].is_none() { 1 } else { 2 };
        lines[free] = Some(line & !bit);
    }
    lines
}

/// Returns true for the midpoints of the sides, false for corners.
pub const fn is_midpoint(point: u32) -> bool {
    1 << point & MIDPOINTS != 0
}

/// The ends of the lines whose middle is `point`: one across the rings, and a side. 0 if there is none.
///
/// Corners have lines across the rings only on a board with diagonals.
pub fn ends_around(point: u32) -> (u32, u32) {
    let bit = 1 << point;
    let across = if point / 8 == 1 { bit << 8 | bit >> 8 } else { 0 };
    (across, if is_midpoint(point) { clockwise(bit) | anticlockwise(bit) } else { 0 })
}

/// The members of `set` that stand in a complete line of it.
#[inline(always)]
pub fn in_mills(set: u32, diagonals: bool) -> u32 {
    let middle = set & MIDPOINTS & clockwise(set) & anticlockwise(set);
    let cross = set & (set >> 8) & (set >> 16) & spokes(diagonals) & OUTER;
    middle | clockwise(middle) | anticlockwise(middle) | cross | cross << 8 | cross << 16
}

/// Number of complete lines of `set`.
#[inline(always)]
pub fn count_mills(set: u32, diagonals: bool) -> u32 {
    let middle = set & MIDPOINTS & clockwise(set) & anticlockwise(set);
    let cross = set & (set >> 8) & (set >> 16) & spokes(diagonals) & OUTER;
    middle.count_ones() + cross.count_ones()
}

/// Number of slides of the men on `own` to neighbouring points of `empty`.
#[inline(always)]
pub fn count_slides(own: u32, empty: u32, diagonals: bool) -> u32 {
    let joined = spokes(diagonals);
    (clockwise(own) & empty).count_ones()
        + (anticlockwise(own) & empty).count_ones()
        + ((own & joined) << 8 & empty).count_ones()
        + ((own & joined) >> 8 & empty).count_ones()
}

/// Returns the image of `point` under symmetry `number`.
///
/// Numbers as in the Malom database: 0-2 quarter turns, 3-6 reflections, 7 exchange of the outer and the
/// inner ring, 8-14 the first seven followed by 7, 15 nothing.
pub fn symmetry(number: usize, point: u32) -> u32 {
    let (ring, i) = (point / 8, point % 8);
    let exchange = (7..15).contains(&number);
    let turned = match if exchange && number > 7 { number - 8 } else { number } {
        0 => i + 2,
        1 => i + 4,
        2 => i + 6,
        3 => 12 - i,
        4 => 8 - i,
        5 => 10 - i,
        6 => 14 - i,
        _ => i,
    } % 8;
    8 * (if exchange { 2 - ring } else { ring }) + turned
}

/// Iterates over the members of a set, ascending.
#[inline(always)]
pub fn members(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let lowest = set.trailing_zeros();
        set &= set - 1;
        Some(lowest)
    })
}

/// Iterates over the set bits of a word of a bitmap, ascending.
#[inline(always)]
pub fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let lowest = word.trailing_zeros() as usize;
        word &= word - 1;
        Some(lowest)
    })
}

/// The sixteen symmetries as look-up arrays for sets, eight bits at a time.
pub struct Symmetries {
    parts: Vec<[[u32; 256]; 3]>,
    /// `inverse[g]` undoes g.
    pub inverse: [u8; SYMMETRIES],
    /// `then[g][h]` is g followed by h.
    pub then: [[u8; SYMMETRIES]; SYMMETRIES],
}

impl Symmetries {
    /// Creates the lookup arrays.
    pub fn new() -> Self {
        let mut parts = vec![[[0u32; 256]; 3]; SYMMETRIES];
        for (number, bytes) in parts.iter_mut().enumerate() {
            for (part, images) in bytes.iter_mut().enumerate() {
                for (byte, image) in images.iter_mut().enumerate() {
                    *image =
                        members(byte as u32).map(|bit| 1 << symmetry(number, 8 * part as u32 + bit)).sum();
                }
            }
        }
        // Finds g followed by h among the sixteen.
        let both = |g: usize, h: usize| {
            let found = (0..SYMMETRIES)
                .find(|&both| (0..POINTS).all(|p| symmetry(both, p) == symmetry(h, symmetry(g, p))));
            debug_assert!(found.is_some(), "the symmetries form a group");
            found.unwrap_or(0) as u8
        };
        let then: [[u8; SYMMETRIES]; SYMMETRIES] =
            std::array::from_fn(|g| std::array::from_fn(|h| both(g, h)));
        let identity = SYMMETRIES as u8 - 1;
        let inverse = then.map(|row| row.iter().position(|&both| both == identity).unwrap_or(0) as u8);
        Self { parts, inverse, then }
    }

    /// The image of `set` under symmetry `number`.
    #[inline(always)]
    pub fn apply(&self, number: usize, set: u32) -> u32 {
        let [low, middle, high] = &self.parts[number & 15];
        low[(set & 255) as usize] | middle[(set >> 8 & 255) as usize] | high[(set >> 16 & 255) as usize]
    }
}

impl Default for Symmetries {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_numbers_translate_both_ways() {
        // In tablebases d5 (engine 0) is 18, a4 (22) is 0, a7 (23) is 1, d7 (16) is 2.
        for (engine, table) in [(0, 18), (22, 0), (23, 1), (16, 2), (14, 8), (6, 16), (12, 14)] {
            assert_eq!(from_engine(1 << engine), 1 << table);
        }
        for point in 0..POINTS {
            assert_eq!(to_engine(from_engine(1 << point)), 1 << point);
        }
    }

    #[test]
    fn lines_neighbours_and_symmetries_fit_together() {
        for diagonals in [false, true] {
            let edges: u32 = (0..POINTS).map(|p| neighbours(p, diagonals).count_ones()).sum();
            assert_eq!(edges / 2, if diagonals { 40 } else { 32 });
            let ends: usize = (0..POINTS).map(|p| lines_through(p, diagonals).iter().flatten().count()).sum();
            assert_eq!(ends / 3, if diagonals { 20 } else { 16 });
            let symmetries = Symmetries::new();
            for g in 0..SYMMETRIES {
                for p in 0..POINTS {
                    let image = symmetry(g, p);
                    assert_eq!(symmetries.apply(g, neighbours(p, diagonals)), neighbours(image, diagonals));
                    for line in lines_through(p, diagonals).into_iter().flatten() {
                        assert_eq!(in_mills(line | 1 << p, diagonals), line | 1 << p);
                        let line = symmetries.apply(g, line);
                        assert!(lines_through(image, diagonals).contains(&Some(line)));
                    }
                    assert_eq!(symmetry(symmetries.inverse[g] as usize, image), p);
                }
            }
        }
    }

    #[test]
    fn slides_are_counted_like_the_neighbours_say() {
        let mut set = 0x9E37_79B9u32;
        for _ in 0..1000 {
            set = set.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (own, empty) = (set & FULL & (set >> 7), FULL & !set);
            for diagonals in [false, true] {
                let slow: u32 = members(own).map(|p| (neighbours(p, diagonals) & empty).count_ones()).sum();
                assert_eq!(count_slides(own, empty, diagonals), slow);
            }
        }
    }
}
