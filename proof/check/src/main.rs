//! Checks the certificates that the command line names. Success is printed only after walks without a
//! failure.

use proof_check::board::{Board, NINE};
use proof_check::certificate::Certificate;
use proof_check::index::Index;
use proof_check::walk::Walk;
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: millstone-proof-check FILE...
Status: 0 nothing is lost, 1 a certificate fails, 2 a wrong command line.";

fn check(board: &Board, index: &Index, file: &str) -> Result<(), String> {
    let start = Instant::now();
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let certificate = Certificate::read(&bytes, board.game, index)?;
    let mut walk = Walk::new(board, index, &certificate);
    let [sectors, held, listed] = walk.check_open()?;
    println!("{sectors} open sectors: {held} positions hold, {listed} are listed, {:.0?}", start.elapsed());
    for (&is_black, more) in certificate.sides.iter().zip(["", " more"]) {
        let side = if is_black { "black" } else { "white" };
        let ([placing, moving, turns], time) = (walk.run(is_black)?, start.elapsed());
        println!("{side}: {placing} positions placing, {moving}{more} moving, {turns} turns, {time:.0?}");
    }
    let refused = walk.compare()?;
    println!("{refused} positions refuse the first turn, 0 positions lost: {file} holds");
    Ok(())
}

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() || files.iter().any(|file| file.starts_with('-')) {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let board = Board::new(NINE);
    let index = Index::new(&board);
    let check = |file| check(&board, &index, file).map_err(|error| println!("{file} fails: {error}"));
    let failed = files.iter().filter(|file| check(file).is_err()).count();
    ExitCode::from(u8::from(failed > 0))
}
