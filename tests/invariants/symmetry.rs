//! The symmetries of the board are symmetries of the game.

use super::drawn::{rule_sets, texts};
use super::{check, same, walk};
use millstone::bitboard::{Bitboard, SYMMETRIES, transform_move, transform_square};
use millstone::movegen;
use millstone::position::Position;
use millstone::types::{Move, Square};
use proptest::prelude::*;

/// The image of a text with new numbers of points (`ids:nodes`).
fn image_of_text(fen: &str, symmetry: usize) -> String {
    let moved = |n: usize| transform_square(Square::new(n), symmetry).index();
    let number = |text: &str| text.parse::<usize>().map_or(text.to_owned(), |n| moved(n).to_string());
    let points = |text: &str| {
        let mut points: Vec<usize> = text.split('.').filter_map(|n| n.parse().ok()).map(moved).collect();
        points.sort_unstable();
        points.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
    };
    let fields = fen.split(' ').enumerate().map(|(i, field)| match (i, field.split_once(':')) {
        (0, _) => {
            let letters: Vec<char> = field.chars().filter(|&c| c != '/').collect();
            let mut board = ['*'; 24];
            for (n, &letter) in letters.iter().enumerate() {
                board[moved(n)] = letter;
            }
            board.chunks(8).map(|ring| ring.iter().collect::<String>()).collect::<Vec<_>>().join("/")
        }
        (10..=13, _) => number(field),
        (14, _) => {
            let used: u64 = field.parse().expect("a number");
            let set = |half: u64| u64::from(Bitboard(half as u32).transform(symmetry).0);
            (set(used >> 32) << 32 | set(used & 0xffff_ffff)).to_string()
        }
        (_, Some((letter @ ("c" | "i" | "l"), segments))) => {
            let segment = |text: &str| {
                let parts: Vec<&str> = text.splitn(3, '-').collect();
                format!("{}-{}-{}", parts[0], parts[1], points(parts[2]))
            };
            let segments: Vec<String> = segments.split('|').map(segment).collect();
            format!("{letter}:{}", segments.join("|"))
        }
        (_, Some(("p", point))) => format!("p:{}", number(point)),
        _ => field.to_owned(),
    });
    fields.collect::<Vec<_>>().join(" ")
}

/// The 16 symmetries of the board keep neighbours and the three families of lines, and no point is the middle
/// of two lines of one family, so the order in which interventions choose a line is symmetric too: whole
/// games have images, text for text, once the point of `p:`, marks, used mills, latest mills and records are
/// moved along. (Colours are not symmetric, and neither are imported intervention records with more than two
/// targets.)
#[test]
fn symmetric_positions_have_symmetric_moves_and_equal_perft() {
    let strategy =
        (rule_sets(), prop::collection::vec(any::<u16>(), 0..160), 0..SYMMETRIES, prop::option::of(texts()));
    let result = check(256, &strategy, |(raw, choices, symmetry, text)| {
        let rules = raw.rules();
        let text = text.map(|text| text.write(&rules)).and_then(|t| Position::from_fen(&rules, &t).ok());
        let start = text.unwrap_or_else(|| Position::new(&rules));
        // Only the text of an ongoing game is as good as the position itself.
        let start = if start.outcome().is_over() { Position::new(&rules) } else { start };
        let Ok(mut start_again) = Position::from_fen(&rules, &start.fen()) else {
            return Err(format!("{} is refused", start.fen()));
        };
        if start_again.fen() != start.fen() {
            start_again = Position::new(&rules);
        }
        let mut twin = Position::from_fen(&rules, &image_of_text(&start_again.fen(), symmetry))
            .map_err(|error| error.to_string())?;
        walk(&start_again, &choices, |pos, played| {
            if let Some(&m) = played.last() {
                twin.do_move(transform_move(m, symmetry));
            }
            let context = format!("symmetry {symmetry}");
            same(&context, &twin.fen(), &image_of_text(&pos.fen(), symmetry))?;
            same(&context, twin.outcome(), pos.outcome())?;
            same(&context, twin.repetitions(), pos.repetitions())?;
            let mut images: Vec<Move> =
                pos.playable_moves().iter().map(|&m| transform_move(m, symmetry)).collect();
            let mut moves = twin.playable_moves().to_vec();
            images.sort_unstable();
            moves.sort_unstable();
            same(&context, moves, images)?;
            if played.len() % 8 == 0 {
                for depth in 1..=2 {
                    let counts = (movegen::perft(&mut twin, depth), movegen::perft(pos, depth));
                    same(&context, counts.0, counts.1)?;
                }
            }
            Ok(())
        })
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}
