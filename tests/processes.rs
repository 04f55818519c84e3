//! Whole games between two processes of the built program, every move checked by the naive model. Times are
//! measured and printed, never judged.

use crate::common::{Engine, move_of};
use crate::{naive, subject::Subject};
use std::collections::BTreeMap;
use std::time::Instant;

/// Plays a game and returns its result and its number of moves. `late` gets the excess of each move over its
/// time, in microseconds.
fn play(engines: &mut [Engine; 2], first: usize, movetime: u64, late: &mut Vec<i64>) -> (String, usize) {
    let mut game = naive::Game::new(&naive::Options::default());
    let mut moves = String::new();
    for engine in engines.iter_mut() {
        engine.ask("ucinewgame");
    }
    while let Some(side) = game.side().filter(|_| !game.terminal()) {
        let turn = usize::from(side == naive::Side::Black);
        let engine = &mut engines[(turn + first) % 2];
        engine.ask(&format!("position startpos moves{moves}"));
        let begin = Instant::now();
        let answer = engine.go(&format!("movetime {movetime}")).pop().expect("there is an answer");
        late.push(begin.elapsed().as_micros() as i64 - 1000 * movetime as i64);
        let best = move_of(&answer);
        assert!(game.play(&best), "illegal move {best} after{moves}");
        moves.push(' ');
        moves.push_str(&best);
    }
    let winner = Subject::winner(&game).unwrap_or("nobody");
    (format!("{winner} {}", Subject::reason(&game)), moves.split_whitespace().count())
}

fn run(games: usize, movetime: u64) {
    let mut engines = [Engine::start(), Engine::start()];
    let mut results: BTreeMap<String, u32> = BTreeMap::new();
    let mut late = Vec::new();
    for game in 0..games {
        let (result, length) = play(&mut engines, game % 2, movetime, &mut late);
        println!("game {}: {length} moves, {result}", game + 1);
        *results.entry(result).or_default() += 1;
    }
    for engine in engines {
        assert!(engine.quit().success());
    }
    late.sort_unstable();
    let at = |share: usize| late[(late.len() - 1) * share / 100] as f64 / 1000.0;
    println!("results {results:?}");
    println!(
        "{} moves of {movetime} ms, beyond that: median {:.1} ms, 99 % {:.1} ms, worst {:.1} ms",
        late.len(),
        at(50),
        at(99),
        at(100)
    );
}

#[test]
fn two_processes_play_legal_moves_to_the_end() {
    run(2, 5);
}

#[test]
#[ignore = "plays for minutes, and measures the delay of a move"]
fn twenty_games_at_100_ms() {
    run(20, 100);
}
