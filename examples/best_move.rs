//! Searches the initial position of Lasker Morris and prints the best move. Run it with
//! `cargo run --release --example best_move`.

use millstone::{Engine, Limits, Position, Rules};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pos = Position::new(&Rules::LASKER);
    let limits = Limits { nodes: Some(100_000), ..Limits::default() };
    let result = Engine::new()?.search(&pos, limits)?;
    println!("{}", result.best.ok_or("the game is over")?);
    Ok(())
}
