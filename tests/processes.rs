//! Whole games between two processes of the built binary, every move checked by the naive model. Times are
//! measured and printed, never judged.
//!
//! Without arguments this is a short test. The full measurement is
//! `cargo test --release --test processes -- --games 20 --movetime 100`.

mod naive;
mod subject;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use subject::Subject;

/// Timeout of a reply: a process without output for this long hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// A running engine.
struct Engine {
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    fn start() -> Result<Self, String> {
        let mut process = Command::new(env!("CARGO_BIN_EXE_millstone"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let input = process.stdin.take().ok_or("no standard input")?;
        let output = process.stdout.take().ok_or("no standard output")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        let mut engine = Self { process, input, lines };
        engine.send("uci")?;
        engine.until("uciok")?;
        Ok(engine)
    }

    fn send(&mut self, line: &str) -> Result<(), String> {
        writeln!(self.input, "{line}").map_err(|error| format!("{line}: {error}"))
    }

    /// Returns the first line that begins with `word`.
    fn until(&mut self, word: &str) -> Result<String, String> {
        let end = Instant::now() + DEADLINE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| format!("no {word}: {error}"))?;
            if line.split_whitespace().next() == Some(word) {
                return Ok(line);
            }
        }
    }

    /// Returns the move for a position, and its time.
    fn best_move(&mut self, moves: &[String], movetime: u64) -> Result<(String, Duration), String> {
        let list = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        self.send(&format!("position startpos{list}"))?;
        self.send("isready")?;
        self.until("readyok")?;
        let begin = Instant::now();
        self.send(&format!("go movetime {movetime}"))?;
        let line = self.until("bestmove")?;
        let time = begin.elapsed();
        Ok((line.split_whitespace().nth(1).unwrap_or_default().to_owned(), time))
    }

    fn quit(mut self) -> Result<(), String> {
        self.send("quit")?;
        drop(self.input);
        let status = self.process.wait().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("the process ended with {status}")) }
    }
}

/// Plays a game. `late` gets the excess of each move over its time, in microseconds.
fn play(
    engines: &mut [Engine; 2],
    first: usize,
    movetime: u64,
    late: &mut Vec<i64>,
) -> Result<(String, usize), String> {
    let mut game = naive::Game::new(&naive::Options::default());
    let mut moves: Vec<String> = Vec::new();
    for engine in engines.iter_mut() {
        engine.send("ucinewgame")?;
    }
    while let Some(side) = game.side().filter(|_| !game.terminal()) {
        let turn = usize::from(side == naive::Side::Black);
        let (best, time) = engines[(turn + first) % 2].best_move(&moves, movetime)?;
        if !game.play(&best) {
            return Err(format!("illegal move {best} after {}", moves.join(" ")));
        }
        late.push(time.as_micros() as i64 - 1000 * movetime as i64);
        moves.push(best);
    }
    let winner = Subject::winner(&game).unwrap_or("nobody");
    Ok((format!("{winner} {}", Subject::reason(&game)), moves.len()))
}

fn run(games: u64, movetime: u64) -> Result<(), String> {
    let mut engines = [Engine::start()?, Engine::start()?];
    let mut results: BTreeMap<String, u32> = BTreeMap::new();
    let mut late = Vec::new();
    for game in 0..games {
        let (result, length) = play(&mut engines, game as usize % 2, movetime, &mut late)
            .map_err(|error| format!("game {}: {error}", game + 1))?;
        println!("game {}: {length} moves, {result}", game + 1);
        *results.entry(result).or_default() += 1;
    }
    engines.into_iter().try_for_each(Engine::quit)?;
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
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)?.parse().ok()
    };
    let games = number("--games").unwrap_or(2);
    let movetime = number("--movetime").unwrap_or(5);
    match run(games, movetime) {
        Ok(()) => {
            println!("test result: ok. {games} games played, 1 passed; 0 failed");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("{error}\ntest result: FAILED. 0 passed; 1 failed");
            ExitCode::FAILURE
        }
    }
}
