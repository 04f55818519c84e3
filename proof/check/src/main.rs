//! Checks the certificates that the command line names. Success is printed only after walks without a
//! failure.

use proof_check::board::{Board, NINE};
use proof_check::certificate::Certificate;
use proof_check::index::Index;
use proof_check::open::Open;
use proof_check::walk::{Summary, Walk, fault};
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "usage: millstone-proof-check FILE...
Status: 0 nothing is lost, 1 a certificate fails, 2 a wrong command line.";

fn check(board: &Board, index: &Index, file: &str) -> Result<(), String> {
    let start = Instant::now();
    let seconds = || start.elapsed().as_secs_f64();
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let certificate = Certificate::read(&bytes, board.game, index)?;
    let open = Open::new(board, index, &certificate.open);
    let held = open.check().map_err(|men| fault("no allowed turn in an open sector", ([0, 0], men)))?;
    let listed: usize = certificate.open.values().map(Vec::len).sum();
    let sectors = certificate.open.len();
    println!("{sectors} open sectors: {held} positions hold, {listed} are listed, {:.0} s", seconds());
    let walk = Walk::new(board, index, &certificate, &open);
    for (number, &is_black) in certificate.sides.iter().enumerate() {
        let Summary { placing, moving, deepest } = walk.run(is_black)?;
        let (side, more) = (["white", "black"][usize::from(is_black)], ["", " more"][number]);
        println!(
            "{side}: {placing} positions placing, {moving}{more} moving, {deepest} turns, {:.0} s",
            seconds()
        );
    }
    let exceptions = walk.exceptions()?;
    println!("{exceptions} exceptions, 0 positions lost: {file} holds");
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
    let mut status = 0;
    for file in &files {
        if let Err(error) = check(&board, &index, file) {
            println!("{file} fails: {error}");
            status = 1;
        }
    }
    ExitCode::from(status)
}
