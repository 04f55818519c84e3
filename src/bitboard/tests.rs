//! Sets, lines and symmetries against slow versions of the same.

use super::*;
use crate::types::{SQUARES, Square};

fn samples() -> impl Iterator<Item = Bitboard> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    (0..2_000).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Bitboard(state as u32 & Bitboard::FULL.0)
    })
}

#[test]
fn both_drawings_have_the_same_points_and_the_four_diagonals_differ() {
    let places = |drawing: &str| drawing.match_indices("{}").map(|(at, _)| at).collect::<Vec<_>>();
    assert_eq!(places(DRAWING).len(), SQUARES);
    assert_eq!(places(DRAWING), places(DRAWING_WITH_DIAGONALS));
    let plain = DRAWING_WITH_DIAGONALS.replace(['/', '\\'], " ");
    assert_eq!(plain, DRAWING);
    assert_eq!(DRAWING_WITH_DIAGONALS.matches(['/', '\\']).count(), 8);
}

#[test]
fn symmetries_of_sets_and_of_points_agree() {
    for symmetry in 0..SYMMETRIES {
        for set in samples() {
            let slow: Bitboard = set.into_iter().map(|s| transform_square(s, symmetry)).collect();
            assert_eq!(set.transform(symmetry), slow, "symmetry {symmetry}");
        }
    }
}

#[test]
fn symmetries_form_a_group_of_sixteen() {
    let maps: Vec<Vec<Square>> =
        (0..SYMMETRIES).map(|g| Square::all().map(|s| transform_square(s, g)).collect()).collect();
    assert_eq!(maps[0], Square::all().collect::<Vec<_>>());
    for (i, a) in maps.iter().enumerate() {
        assert!(!maps[..i].contains(a), "symmetry {i} occurs twice");
        for b in &maps {
            let product: Vec<Square> = a.iter().map(|s| b[s.index()]).collect();
            assert!(maps.contains(&product));
        }
        assert!(maps.iter().any(|b| Square::all().all(|s| b[a[s.index()].index()] == s)), "inverse of {i}");
    }
}

#[test]
fn symmetries_keep_lines_and_edges_on_both_boards() {
    for symmetry in 0..SYMMETRIES {
        for (n, line) in LINES.iter().enumerate() {
            let image = line.squares.transform(symmetry);
            let found = LINES.iter().position(|l| l.squares == image).expect("a line goes to a line");
            assert_eq!(found < 16, n < 16, "diagonals go to diagonals");
            assert_eq!(LINES[found].middle, transform_square(line.middle, symmetry));
        }
        for spokes in [Bitboard::MIDPOINTS, Bitboard::FULL] {
            let edges = adjacency(spokes);
            for s in Square::all() {
                let image = transform_square(s, symmetry);
                assert_eq!(edges[s.row()].transform(symmetry), edges[image.row()]);
            }
        }
    }
}

#[test]
fn boards_have_the_edges_and_lines_of_the_rule_book() {
    let edges = |spokes| adjacency(spokes).iter().map(|b| b.count()).sum::<u32>() / 2;
    assert_eq!(edges(Bitboard::MIDPOINTS), 32);
    assert_eq!(edges(Bitboard::FULL), 40);
    let names = |line: &Line| line.squares.into_iter().map(|s| s.to_string()).collect::<Vec<_>>();
    assert_eq!(LINES.iter().filter(|l| l.kind == LineKind::Side).count(), 12);
    assert!(LINES.iter().any(|l| names(l) == ["d5", "d6", "d7"]));
    assert!(LINES.iter().any(|l| names(l) == ["c5", "b6", "a7"] && l.kind == LineKind::Diagonal));
    assert!(LINES.iter().any(|l| names(l) == ["d7", "g7", "a7"] && l.middle.to_string() == "d7"));
    for s in Square::all() {
        let real = |d| partners(d)[s.row()].iter().filter(|&&l| l != Bitboard::IMPOSSIBLE).count();
        assert_eq!(real(false), 2);
        assert_eq!(real(true), if Bitboard::MIDPOINTS.contains(s) { 2 } else { 3 });
    }
}

#[test]
fn milled_men_are_those_on_complete_lines() {
    for (spokes, diagonals) in [(Bitboard::MIDPOINTS, false), (Bitboard::FULL, true)] {
        for set in samples() {
            let active = LINES.iter().filter(|l| diagonals || l.kind != LineKind::Diagonal);
            let slow =
                active.filter(|l| set.covers(l.squares)).fold(Bitboard::EMPTY, |all, l| all | l.squares);
            assert_eq!(set.milled(spokes), slow);
            let slow = set.into_iter().fold(Bitboard::EMPTY, |all, s| all | adjacency(spokes)[s.row()]);
            assert_eq!(set.neighbours(spokes), slow);
        }
    }
}

#[test]
fn pairs_do_to_both_sets_what_is_done_to_one() {
    for (a, b) in samples().zip(samples().skip(7)) {
        let pair = Pair::new(a, b);
        assert_eq!((pair.first(), pair.second()), (a, b));
        assert_eq!(pair.clockwise(), Pair::new(a.clockwise(), b.clockwise()));
        assert_eq!(pair.anticlockwise(), Pair::new(a.anticlockwise(), b.anticlockwise()));
        for spokes in [Bitboard::MIDPOINTS, Bitboard::FULL] {
            assert_eq!(pair.milled(spokes), Pair::new(a.milled(spokes), b.milled(spokes)));
            let across = (pair & Pair::both(spokes)).outwards() | (pair & Pair::both(spokes)).inwards();
            let around = across | pair.clockwise() | pair.anticlockwise();
            assert_eq!(around, Pair::new(a.neighbours(spokes), b.neighbours(spokes)));
        }
        assert_eq!(pair.difference(), a.count() as i32 - b.count() as i32);
    }
}

#[test]
fn closers_are_the_points_that_complete_a_line() {
    let closes = |diagonals, men: Bitboard, square: Square| {
        partners(diagonals)[square.row()].iter().any(|&rest| men.covers(rest))
    };
    for (spokes, diagonals) in [(Bitboard::MIDPOINTS, false), (Bitboard::FULL, true)] {
        let edges = adjacency(spokes);
        for (a, b) in samples().zip(samples().skip(5)) {
            let empty = !(a | b);
            let closers = Pair::new(a, b - a).closers(empty, spokes);
            for (men, all, reachable) in [
                (a, closers.all.first(), closers.reachable.first()),
                (b - a, closers.all.second(), closers.reachable.second()),
            ] {
                for square in empty {
                    assert_eq!(all.contains(square), closes(diagonals, men, square));
                    let mut slides = (edges[square.row()] & men).into_iter();
                    let reached = slides.any(|from| closes(diagonals, men.without(from), square));
                    assert_eq!(reachable.contains(square), reached, "{square} {men:?}");
                }
                assert!(empty.covers(all) && all.covers(reachable));
            }
        }
    }
}

#[test]
fn iteration_is_ascending_and_drawing_shows_the_set() {
    let set: Bitboard = ["a7", "d5", "g1"].iter().map(|s| s.parse::<Square>().unwrap()).collect();
    assert_eq!(set.into_iter().map(|s| s.to_string()).collect::<Vec<_>>(), ["d5", "g1", "a7"]);
    assert_eq!(format!("{set:?}"), r#"{"d5", "g1", "a7"}"#);
    assert_eq!(set.to_string().matches('1').count(), 3 + 1, "three points and the number of the rank");
    assert_eq!(set.first(), "d5".parse().ok());
}
