//! Whole sessions in memory: properties that hold for any client, and games of legal moves mixed with random
//! lines.

use super::chance::{Dice, is_costly, nonsense};
use arbitrary::{Arbitrary, Unstructured};
use millstone::notation;
use millstone::position::Position;
use millstone::rules::Rules;
use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

/// The first word of a line, as the engine sees it.
fn first_word(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line).into_owned();
    text.trim_ascii().split([' ', '\t']).next().unwrap_or_default().to_owned()
}

/// True if a line starts a search.
fn is_go(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).into_owned();
    first_word(line) == "go" && !text.split_ascii_whitespace().any(|word| word == "perft")
}

/// An output that can be read after the session.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    /// Returns all that was written.
    fn take(&self) -> Vec<u8> {
        self.0.lock().map(|mut bytes| std::mem::take(&mut *bytes)).unwrap_or_default()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::ErrorKind::Other)?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a session of these lines, without those that take long, and returns the answers to `go` in their
/// order.
///
/// Every line of output is text, and no line holds a second answer. Each `isready` and each `go` has one
/// answer, unless the client quits first.
fn run(lines: &[Vec<u8>]) -> Vec<String> {
    let mut lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).filter(|line| !is_costly(line)).collect();
    // At the end of input a search with a limit runs on, and the limit may be a day.
    lines.push(b"stop");
    let output = Shared::default();
    millstone::internals::run(Cursor::new(lines.join(&b'\n')), output.clone(), "standard")
        .unwrap_or_else(|error| panic!("{error}"));
    let output = output.take();
    assert!(output.is_ascii() && matches!(output.last(), None | Some(b'\n')));
    let output = String::from_utf8(output).unwrap_or_else(|error| panic!("{error}"));
    let mut answers = Vec::new();
    let mut ready = 0;
    for line in output.lines() {
        let count = |word: &str| line.to_ascii_lowercase().matches(word).count();
        let starts = ["bestmove ", "info score ", "info depth "].iter().any(|head| line.starts_with(head));
        assert!(count("bestmove") <= usize::from(starts), "{line}");
        assert_eq!(count("readyok"), usize::from(line == "readyok"), "{line}");
        assert_eq!(count("info analysis"), usize::from(line.starts_with("info analysis")), "{line}");
        for done in ["uciok", "gbgpok", "ugiok"] {
            assert_eq!(count(done), usize::from(line == done), "{line}");
        }
        ready += usize::from(line == "readyok");
        let is_strict = line.starts_with("info string sanmill_logical_turn ")
            || line.starts_with("info string sanmill_error ") && line.contains("\"command\":\"go\"");
        if line.contains("bestmove ") || is_strict {
            answers.push(line.to_owned());
        }
    }
    let asked = lines.iter().filter(|line| is_go(line)).count();
    let pings = lines.iter().filter(|line| first_word(line) == "isready").count();
    if lines.iter().any(|line| first_word(line) == "quit") {
        assert!(answers.len() <= asked && ready <= pings);
    } else {
        assert_eq!((answers.len(), ready), (asked, pings), "answers to go and isready in:\n{output}");
    }
    answers
}

/// Runs any bytes as a session.
pub fn bytes(data: &[u8]) {
    run(&data.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>());
}

/// The dialect of a session.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum SessionDialect {
    Standard,
    Sanmill7,
    Tgf,
    Gbgp,
    Ugi,
}

/// A limit of a search.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Limit {
    Depth(u8),
    Nodes(u16),
    MoveTime,
    Infinite,
    Ponder,
    Clock(u8),
    Topn(u8),
    Logical,
    Mate,
    Chosen,
    Bare,
}

/// A step of a session.
#[derive(Arbitrary, Clone, Debug)]
enum Step {
    /// The legal move with this number is played, several times over.
    Play {
        choice: u8,
        times: u8,
    },
    /// The game is set up and searched.
    Search(Limit),
    /// The game is set up and queried.
    Ask(u8),
    /// An option gets a value of its type. Most of these options change the search.
    Set {
        option: u8,
        value: u8,
    },
    Stop,
    PonderHit,
    NewGame,
    Nonsense(u64),
    Bytes(Vec<u8>),
}

/// A session made of legal moves and of nonsense.
#[derive(Debug)]
pub struct Game {
    dialect: SessionDialect,
    rules: u8,
    steps: Vec<Step>,
}

/// Steps of the longest session.
const LONGEST: usize = 60;

impl<'a> Arbitrary<'a> for Game {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let (dialect, rules) = (u.arbitrary()?, u.arbitrary()?);
        let mut steps = Vec::new();
        // The `Arbitrary` of a list would stop at every second step.
        while !u.is_empty() && steps.len() < LONGEST {
            steps.push(u.arbitrary()?);
        }
        Ok(Self { dialect, rules, steps })
    }
}

const QUESTIONS: [&str; 14] = [
    "d",
    "fen",
    "moves",
    "eval",
    "statejson",
    "key",
    "hist",
    "compiler",
    "isready",
    "perft 2",
    "go perft 1",
    "analyze startpos moves d6",
    "query result",
    "uci",
];

/// Options that change the search but not the game: name, smallest value, number of values.
const OPTIONS: [(&str, u8, u8); 14] = [
    ("Algorithm", 0, 5),
    ("SkillLevel", 0, 31),
    ("Threads", 1, 3),
    ("MultiPV", 1, 6),
    ("Hash", 1, 4),
    ("Shuffling", 0, 2),
    ("UCI_AnalyseMode", 0, 2),
    ("UCI_ShowWDL", 0, 2),
    ("Ponder", 0, 2),
    ("TablebaseEmbedded", 0, 2),
    ("TablebaseProbeDepth", 0, 9),
    ("nodestime", 0, 3),
    ("Move Overhead", 0, 50),
    ("Clear Hash", 0, 1),
];

/// A session being made: its lines, and for each search its position, if that is known.
struct Script {
    lines: Vec<Vec<u8>>,
    searched: Vec<Option<Position>>,
    is_known: bool,
}

impl Script {
    /// Adds lines. A search among them is of the position `about`.
    fn say(&mut self, text: &str, about: &Position) {
        for line in text.lines().map(str::as_bytes) {
            if is_go(line) {
                self.searched.push(self.is_known.then(|| about.clone()));
            }
            self.lines.push(line.to_vec());
        }
    }

    /// Adds random lines. The position of a search among them is unknown, and so is that of every search
    /// after an option.
    fn add_random(&mut self, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n').filter(|line| !is_costly(line)) {
            self.is_known &= first_word(line) != "setoption";
            if is_go(line) {
                self.searched.push(None);
            }
            self.lines.push(line.to_vec());
        }
    }
}

/// Plays a game. Every answer must be a playable move, or state that there is none if the game is over.
pub fn game(game: &Game) {
    let names: Vec<String> = Rules::names().collect();
    let name = &names[usize::from(game.rules) % names.len()];
    let mut pos = Position::new(&Rules::by_name(name).unwrap_or(Rules::NINE));
    let past_draws = matches!(game.dialect, SessionDialect::Standard | SessionDialect::Ugi);
    let hello = match game.dialect {
        SessionDialect::Standard => "uci",
        SessionDialect::Sanmill7 => "uci\nsetoption name Protocol value sanmill7",
        SessionDialect::Tgf => "uci\nsetoption name Protocol value tgf",
        SessionDialect::Gbgp => "gbgp",
        SessionDialect::Ugi => "ugi",
    };
    let mut script = Script { lines: Vec::new(), searched: Vec::new(), is_known: true };
    script.say(hello, &pos);
    script.say(&format!("setoption name MoveTimeMs value 3\nsetoption name UCI_Variant value {name}"), &pos);
    let mut played = String::new();
    for step in &game.steps {
        match step {
            Step::Play { choice, times } => {
                for n in 0..=times % 16 {
                    let list = if past_draws { pos.playable_moves() } else { pos.legal_moves() };
                    if list.is_empty() {
                        break;
                    }
                    let m = list[usize::from(choice.wrapping_mul(n | 1)) % list.len()];
                    pos.do_move(m);
                    played.push_str(&format!(" {m}"));
                }
            }
            Step::Search(limit) => {
                let limit = match limit {
                    Limit::Depth(n) => format!("depth {}", n % 5),
                    Limit::Nodes(n) => format!("nodes {}", n % 2048),
                    Limit::MoveTime => "movetime 3".to_owned(),
                    Limit::Infinite => "infinite".to_owned(),
                    Limit::Ponder => "ponder movetime 2".to_owned(),
                    Limit::Clock(n) => format!("wtime {n} btime {n} winc 1 binc 1 movestogo 20"),
                    Limit::Topn(n) => format!("topn {n} depth 2"),
                    Limit::Logical => "logical nodes 200".to_owned(),
                    Limit::Mate => "mate 2 depth 3".to_owned(),
                    Limit::Chosen => "depth 2 searchmoves d6 a1 xb4 a1-a4 d6-f6".to_owned(),
                    Limit::Bare => String::new(),
                };
                script.say(&format!("position startpos moves{played}\ngo {limit}"), &pos);
            }
            Step::Ask(n) => {
                let question = QUESTIONS[usize::from(*n) % QUESTIONS.len()];
                script.say(&format!("position startpos moves{played}\n{question}"), &pos);
            }
            Step::Set { option, value } => {
                let (name, least, number) = OPTIONS[usize::from(*option) % OPTIONS.len()];
                script.say(&format!("setoption name {name} value {}", least + value % number), &pos);
            }
            Step::Stop => script.say("stop", &pos),
            Step::PonderHit => script.say("ponderhit", &pos),
            Step::NewGame => script.say("ucinewgame", &pos),
            Step::Nonsense(seed) => script.add_random(&nonsense(&mut Dice(*seed))),
            Step::Bytes(bytes) => script.add_random(bytes),
        }
    }
    for (answer, about) in run(&script.lines).iter().zip(script.searched) {
        if let Some(pos) = about {
            check_answer(answer, &pos, past_draws);
        }
    }
}

fn check_answer(answer: &str, pos: &Position, past_draws: bool) {
    // A whole turn is answered in strict mode only.
    if answer.contains("\"code\":\"strict_policy_required\"") {
        return;
    }
    let mut words = answer.split_whitespace().skip_while(|word| *word != "bestmove");
    let best = words.nth(1).unwrap_or_else(|| panic!("no move in '{answer}'"));
    let mut pos = pos.clone();
    if past_draws && pos.outcome().reason.is_claimable() {
        pos.forget_history();
    }
    if pos.legal_moves().is_empty() {
        assert!(["(none)", "none", "draw"].contains(&best), "{answer} at {}", pos.fen());
        return;
    }
    for part in notation::split_turn(best) {
        let m =
            notation::parse(&pos, part).unwrap_or_else(|error| panic!("{answer} at {}: {error}", pos.fen()));
        pos.do_move(m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzed::chance::fresh;

    fn run_games(seeds: std::ops::Range<u64>) {
        for seed in seeds {
            let mut dice = Dice(fresh(seed));
            let length = 40 + dice.below(600);
            let data: Vec<u8> = (0..length).map(|_| dice.roll() as u8).collect();
            let made = Game::arbitrary(&mut Unstructured::new(&data));
            let made = made.unwrap_or_else(|error| panic!("session {seed}: {error}"));
            let begin = std::time::Instant::now();
            let ended = std::panic::catch_unwind(|| game(&made));
            assert!(ended.is_ok(), "session {seed} is {made:?}");
            // Name a session that takes long.
            if begin.elapsed().as_secs() > 2 {
                eprintln!("session {seed} took {:?}", begin.elapsed());
            }
        }
    }

    #[test]
    fn random_sessions_end_well() {
        run_games(0..100);
    }

    /// The number that a release needs.
    #[test]
    #[ignore = "takes minutes; run with: cargo test --release --test all sessions:: -- --ignored"]
    fn ten_thousand_random_sessions_end_well() {
        run_games(1_000..11_000);
    }

    #[test]
    fn sessions_of_any_bytes_end_well() {
        for seed in 0..100 {
            let mut dice = Dice(fresh(seed));
            let mut lines: Vec<Vec<u8>> = (0..dice.below(40)).map(|_| nonsense(&mut dice)).collect();
            lines.extend([b"go depth 2".to_vec(), b"isready".to_vec()]);
            bytes(&lines.join(&b'\n'));
        }
    }
}
