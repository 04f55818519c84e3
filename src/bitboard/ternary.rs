//! Base-3 digits of the points of a ring. Patterns of men are numbered by them: 0 for an empty point, 1 and 2
//! for the men of the sides.

/// Returns the digits that a set of points of a ring contributes: lanes 0 to 3 for the four sides, 4 to 7 for
/// the four corners, of three points each, lane 8 for the ring itself.
pub(crate) const fn digits_of(set: u8) -> [u16; 9] {
    let mut digits = [0; 9];
    let mut lane = 0;
    while lane < 8 {
        // The middle one of the three is a midpoint or a corner.
        let middle = if lane < 4 { 2 * lane } else { 2 * lane - 7 };
        let turned = set.rotate_right((middle + 7) % 8) as u16;
        digits[lane as usize] = (turned & 1) + 3 * (turned >> 1 & 1) + 9 * (turned >> 2 & 1);
        lane += 1;
    }
    let (mut point, mut power) = (0, 1);
    while point < 8 {
        digits[8] += (set as u16 >> point & 1) * power;
        (point, power) = (point + 1, 3 * power);
    }
    digits
}

/// Returns the digits of three points in opposite order.
pub(crate) const fn mirrored(three: usize) -> usize {
    three / 9 + three / 3 % 3 * 3 + three % 3 * 9
}
