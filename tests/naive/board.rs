//! Names, neighbours and lines of the 24 points: `docs/rules.md`, "The board".

/// Number of points; every array over points has this length.
pub const POINTS: usize = 24;

/// Names of the points, inner ring first, each ring clockwise from the top midpoint.
pub const NAMES: [&str; POINTS] = [
    "d5", "e5", "e4", "e3", "d3", "c3", "c4", "c5", "d6", "f6", "f4", "f2", "d2", "b2", "b4", "b6", "d7",
    "g7", "g4", "g1", "d1", "a1", "a4", "a7",
];

/// A line of three: end, middle, end.
pub type Line = [usize; 3];

/// Cross lines, then side lines, then diagonals: the order in which an intervention looks for its line.
const LINES: [Line; 20] = [
    [0, 8, 16],
    [2, 10, 18],
    [4, 12, 20],
    [6, 14, 22],
    [7, 0, 1],
    [1, 2, 3],
    [3, 4, 5],
    [5, 6, 7],
    [15, 8, 9],
    [9, 10, 11],
    [11, 12, 13],
    [13, 14, 15],
    [23, 16, 17],
    [17, 18, 19],
    [19, 20, 21],
    [21, 22, 23],
    [1, 9, 17],
    [3, 11, 19],
    [5, 13, 21],
    [7, 15, 23],
];

pub const CROSS: std::ops::Range<usize> = 0..4;
pub const SIDES: std::ops::Range<usize> = 4..16;

/// The lines on which mills count.
pub fn mill_lines(diagonals: bool) -> &'static [Line] {
    if diagonals { &LINES } else { &LINES[..16] }
}

/// The lines on which a capture rule works, by its three switches, in the order cross, side, diagonal.
pub fn lines_of(cross: bool, sides: bool, diagonals: bool) -> impl Iterator<Item = &'static Line> {
    LINES.iter().enumerate().filter_map(move |(i, line)| {
        let on = if CROSS.contains(&i) {
            cross
        } else if SIDES.contains(&i) {
            sides
        } else {
            diagonals
        };
        on.then_some(line)
    })
}

/// The points next to `point`.
pub fn neighbours(point: usize, diagonals: bool) -> impl Iterator<Item = usize> {
    let (ring, k) = (point / 8, point % 8);
    let spoke = k.is_multiple_of(2) || diagonals;
    [
        Some(ring * 8 + (k + 1) % 8),
        Some(ring * 8 + (k + 7) % 8),
        (spoke && ring > 0).then(|| point - 8),
        (spoke && ring < 2).then(|| point + 8),
    ]
    .into_iter()
    .flatten()
}

/// The number of the point called `name`.
pub fn point_named(name: &str) -> Option<usize> {
    NAMES.iter().position(|&n| n == name)
}
