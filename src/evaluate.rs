//! The static evaluation: what a position is worth to the side to move, in hundredths of a man, without search.

use crate::bitboard::Bitboard;
use crate::params::eval::*;
use crate::position::Position;
use crate::types::{Color, VALUE_EVAL_MAX, Value};

/// Points where a side could close a line: those whose two partners on some line it holds.
struct Closers {
    /// All of them, whether reachable or not.
    all: Bitboard,
    /// Those beside a man of the side that does not belong to the line being closed.
    reachable: Bitboard,
}

impl Closers {
    /// The closers among the points of `empty` for the side with `men`.
    #[inline(always)]
    fn new(men: Bitboard, empty: Bitboard, spokes: Bitboard) -> Self {
        let turned = |by: u32| Bitboard((men.0 << by | men.0 >> (24 - by)) & Bitboard::FULL.0);
        let (before, after) = (men.clockwise(), men.anticlockwise());
        let (before2, after2) = (before.clockwise(), after.anticlockwise());
        // The man across towards the centre and towards the rim, as neighbours see them.
        let across = Bitboard((men & spokes).0 << 8 & Bitboard::FULL.0 | (men & spokes).0 >> 8);
        // The two other points of the line across the rings.
        let spoke = turned(8) & turned(16) & spokes;
        let middle = before & after & Bitboard::MIDPOINTS;
        let forward = after & after2 & Bitboard::CORNERS;
        let backward = before & before2 & Bitboard::CORNERS;
        let reachable = middle & across
            | spoke & (before | after)
            | forward & (before | across)
            | backward & (after | across);
        Self { all: (middle | forward | backward | spoke) & empty, reachable: reachable & empty }
    }
}

/// The value of one side's men and prospects.
#[inline(always)]
fn side_value(pos: &Position, color: Color, empty: Bitboard, mut note: impl FnMut(&'static str, Value)) {
    let tables = pos.tables();
    let spokes = tables.spokes;
    let men = pos.men(color);
    let count = men.count() as i32;
    let hand = pos.hand(color) as i32;
    let placing = hand > 0;
    note("men", MAN * count);
    note("hand", HAND * hand);

    let debt = pos.debt(color) as i32;
    if debt > 0 {
        let own = pos.extras().own_debt[color.index()];
        note("removals", if own { PENDING_OWN_TAKE } else { PENDING_TAKE } * debt);
    }

    let closers = Closers::new(men, empty, spokes);
    let flying = pos.can_fly(color);
    let open = if placing || flying { closers.all } else { closers.reachable };
    let to_move = color == pos.side_to_move();
    let open_weight = OPEN_MILL + if to_move { OPEN_MILL_TO_MOVE } else { 0 };
    note("open mills", open_weight * (open.count() as i32).min(3));
    note("lines of two", TWO_OF_LINE * (closers.all - open).count() as i32);

    let milled = men.milled(spokes);
    note("mills", MILLED_MAN * milled.count() as i32);
    let around = empty.neighbours(spokes);
    if placing {
        let room = men.neighbours(spokes) & empty;
        note("mobility", PLACING_MOBILITY * room.count() as i32);
    } else if !flying {
        let across = men & spokes;
        let moves = (men.clockwise() & empty).count()
            + (men.anticlockwise() & empty).count()
            + (across.0 << 8 & empty.0).count_ones()
            + (across.0 >> 8 & empty.0).count_ones();
        note("mobility", MOBILITY * (moves as i32).min(MOBILITY_MAX));
        // A man of a mill that can step onto a closing point.
        let shuttles = milled & closers.reachable.neighbours(spokes);
        note("double mills", DOUBLE_MILL * i32::from(!shuttles.is_empty()));
    }
    note("blocked men", BLOCKED * (men - around).count() as i32);
    let crossings = (men.0 >> 8 & (spokes & Bitboard::MIDPOINTS).0 & 0xff).count_ones() as i32;
    note("crossings", CROSSING * crossings);
    if count + hand <= tables.least as i32 {
        note("last men", LAST_MEN);
    }
}

/// The value of a position from the point of view of the side to move, strictly inside
/// ± [`VALUE_EVAL_MAX`]. Decided games are not recognised; the search does that.
#[inline]
pub fn evaluate(pos: &Position) -> Value {
    let us = pos.side_to_move();
    let empty = pos.empty();
    let mut value = TEMPO;
    side_value(pos, us, empty, |_, term| value += term);
    side_value(pos, !us, empty, |_, term| value -= term);
    value.clamp(1 - VALUE_EVAL_MAX, VALUE_EVAL_MAX - 1)
}

/// The terms of [`evaluate`] by name, mover's minus opponent's; their sum is the evaluation.
pub fn trace(pos: &Position) -> Vec<(&'static str, Value)> {
    let us = pos.side_to_move();
    let mut terms: Vec<(&'static str, Value)> = vec![("tempo", TEMPO)];
    for (color, sign) in [(us, 1), (!us, -1)] {
        side_value(pos, color, pos.empty(), |name, term| match terms.iter_mut().find(|(n, _)| *n == name) {
            Some((_, sum)) => *sum += sign * term,
            None => terms.push((name, sign * term)),
        });
    }
    terms
}

/// Points where the side to move might close a mill with its next move; none is left out.
#[inline(always)]
pub fn mill_closers(pos: &Position) -> Bitboard {
    let us = pos.side_to_move();
    let closers = Closers::new(pos.men(us), pos.empty(), pos.tables().spokes);
    let sliding = pos.hand(us) == 0 && !pos.can_fly(us) && !pos.tables().captures;
    if sliding { closers.reachable } else { closers.all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::SYMMETRIES;
    use crate::rules::Rules;

    const POSITIONS: [&str; 4] = [
        "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
        "***@*@O*/*OO@@@OO/@@**@*OO w m s 7 0 8 0 0 0 -1 -1 -1 -1 0 8 14 ids:nodes",
        "O*@*O***/*O***OO@/*@*@OO*@ b m s 7 0 5 0 0 0 -1 -1 -1 -1 0 20 24 ids:nodes",
        "****O***/*O*@@@**/O*O****O b m r 5 0 3 0 0 1 -1 -1 -1 -1 0 6 21 ids:nodes",
    ];

    fn mapped(fen: &str, map: impl Fn(usize) -> usize) -> String {
        let letters: Vec<char> = fen.chars().filter(|&c| c != '/').take(24).collect();
        let mut image = ['*'; 24];
        for (point, &letter) in letters.iter().enumerate() {
            image[map(point)] = letter;
        }
        let rings: Vec<String> = image.chunks(8).map(|ring| ring.iter().collect()).collect();
        format!("{}{}", rings.join("/"), &fen[26..])
    }

    #[test]
    fn symmetric_positions_are_worth_the_same() {
        for fen in POSITIONS {
            let value = evaluate(&Position::from_fen(&Rules::NINE, fen).unwrap());
            for symmetry in 0..SYMMETRIES {
                let image = mapped(fen, |point| {
                    let square = crate::types::Square::new(point);
                    crate::bitboard::transform_square(square, symmetry).index()
                });
                let pos = Position::from_fen(&Rules::NINE, &image).unwrap();
                assert_eq!(evaluate(&pos), value, "{image}");
            }
        }
    }

    #[test]
    fn exchanged_colours_are_worth_the_same_to_the_mover() {
        for fen in &POSITIONS[1..] {
            let fields: Vec<&str> = fen.split(' ').collect();
            let board: String = fields[0]
                .chars()
                .map(|c| match c {
                    'O' => '@',
                    '@' => 'O',
                    other => other,
                })
                .collect();
            let side = if fields[1] == "w" { "b" } else { "w" };
            let [a, b, c, d, e, f] = [6, 7, 4, 5, 9, 8].map(|i| fields[i]);
            let rest = fields[10..].join(" ");
            let image = format!("{board} {side} {} {} {a} {b} {c} {d} {e} {f} {rest}", fields[2], fields[3]);
            let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
            let exchanged = Position::from_fen(&Rules::NINE, &image).unwrap();
            assert_eq!(evaluate(&pos), evaluate(&exchanged), "{image}");
        }
    }

    #[test]
    fn terms_add_up_and_more_men_are_worth_more() {
        for fen in POSITIONS {
            let pos = Position::from_fen(&Rules::NINE, fen).unwrap();
            assert_eq!(trace(&pos).iter().map(|(_, v)| v).sum::<Value>(), evaluate(&pos));
        }
        let ahead = "***@****/O*O*****/O*O*O*@@ w m s 5 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
        assert!(evaluate(&Position::from_fen(&Rules::NINE, ahead).unwrap()) > 100);
    }

    #[test]
    fn closers_are_the_points_that_complete_a_line() {
        let mut state = 88172645463325252_u64;
        for diagonals in [false, true] {
            let tables = crate::rules::Tables::new(&Rules { has_diagonal_lines: diagonals, ..Rules::NINE });
            for _ in 0..3_000 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let men = Bitboard(state as u32 & (state >> 24) as u32 & Bitboard::FULL.0);
                let empty = !men - Bitboard((state >> 40) as u32 & Bitboard::FULL.0);
                let closers = Closers::new(men, empty, tables.spokes);
                for square in crate::types::Square::all() {
                    let closes = empty.contains(square) && tables.closes_mill(men, square);
                    assert_eq!(closers.all.contains(square), closes);
                    let slides = tables.adjacent[square.row()]
                        .into_iter()
                        .any(|from| men.contains(from) && tables.closes_mill(men.without(from), square));
                    assert_eq!(closers.reachable.contains(square), closes && slides, "{square} {men:?}");
                }
            }
        }
    }
}
