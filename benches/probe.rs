//! Times of probing: `cargo bench --bench probe -- FOLDER SECTOR`, with a folder of tablebase files and a
//! sector of the moving phase such as 8_8_0_0; without them the built-in tablebase and 3_3_0_0.

use millstone::position::Position;
use millstone::rules::Rules;
use millstone::tablebase::Tablebase;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// A random position with these numbers of men, the side to move having `own`.
fn random_position(random: &mut StdRng, own: usize, theirs: usize) -> Position {
    loop {
        let mut points: Vec<usize> = (0..24).collect();
        points.shuffle(random);
        let black = random.random();
        let letters = if black { ['@', 'O'] } else { ['O', '@'] };
        let mut board = ['*'; 24];
        points[..own].iter().for_each(|&point| board[point] = letters[0]);
        points[own..own + theirs].iter().for_each(|&point| board[point] = letters[1]);
        let text: Vec<String> = board.chunks(8).map(|ring| ring.iter().collect()).collect();
        let (side, white, dark) = if black { ('b', theirs, own) } else { ('w', own, theirs) };
        let fen = format!("{} {side} m s {white} 0 {dark} 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes", text.join("/"));
        let pos = Position::from_fen(&Rules::NINE, &fen).expect("a sound text");
        if !pos.outcome().is_over() {
            return pos;
        }
    }
}

/// Nanoseconds of a probe: the least mean of several rounds, as others use the machine too.
fn time(tablebase: &Tablebase, positions: &[Position], rounds: u32) -> f64 {
    (0..rounds)
        .map(|_| {
            let begun = Instant::now();
            for pos in positions {
                let found = tablebase.probe(black_box(pos)).expect("a sound tablebase");
                assert!(black_box(found).is_some(), "the sector is there");
            }
            begun.elapsed().as_nanos() as f64 / positions.len() as f64
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let sector = args.get(1).map_or("3_3_0_0", String::as_str);
    let men: Vec<usize> = sector.split('_').map(|n| n.parse().expect("a sector such as 8_8_0_0")).collect();
    let mut random = StdRng::seed_from_u64(1);
    let open = |cache: usize| {
        let mut tablebase = Tablebase::new(&Rules::NINE).expect("the standard game");
        match args.first() {
            Some(folder) => {
                drop(tablebase.add_folder(Path::new(folder), cache).expect("a folder of tablebase files"));
            }
            None => tablebase.add_embedded().expect("a sound tablebase"),
        }
        tablebase
    };
    let mut positions = |count: usize| -> Vec<Position> {
        (0..count).map(|_| random_position(&mut random, men[0], men[1])).collect()
    };
    let cached = open(1 << 30);
    let few = positions(1000);
    time(&cached, &few, 1);
    println!("{sector}: {:.0} ns a probe, blocks cached", time(&cached, &few, 200));
    let uncached = open(1 << 16);
    println!("{sector}: {:.0} ns a probe, nearly every block decoded", time(&uncached, &positions(2000), 5));
}
