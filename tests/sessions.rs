//! Whole sessions made up at random, run inside the test process with all checks on: legal games mixed with
//! nonsense, in every dialect and under all rules.

use crate::common;

use common::{Dice, nonsense};
use millstone::movegen;
use millstone::position::Position;
use millstone::rules::Rules;
use std::io::Cursor;

const LIMITS: [&str; 9] = [
    "depth 2",
    "nodes 300",
    "movetime 3",
    "infinite",
    "ponder depth 2",
    "wtime 40 btime 40 winc 1",
    "topn 4 depth 2",
    "logical nodes 200",
    "depth 1 searchmoves d6",
];

const QUESTIONS: [&str; 12] = [
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
    "analyze startpos moves d6",
    "query result",
];

/// A session: its text, and how many searches it asks for.
fn session(dice: &mut Dice) -> (Vec<u8>, usize) {
    let mut text = Vec::new();
    let mut asked = 0;
    let mut say = |line: &[u8]| {
        text.extend_from_slice(line);
        text.push(b'\n');
    };
    say(dice.choose(&["uci", "uci", "gbgp", "ugi"]).as_bytes());
    say(b"setoption name MoveTimeMs value 3");
    let names: Vec<String> = Rules::names().collect();
    let name = &names[dice.below(names.len())];
    say(format!("setoption name UCI_Variant value {name}").as_bytes());
    if dice.below(3) == 0 {
        say(format!("setoption name Protocol value {}", dice.choose(&["standard", "sanmill7", "tgf"]))
            .as_bytes());
    }
    if dice.below(4) == 0 {
        say(format!("setoption name Algorithm value {}", dice.below(3)).as_bytes());
        say(format!("setoption name SkillLevel value {}", dice.below(31)).as_bytes());
        say(format!("setoption name Threads value {}", 1 + dice.below(3)).as_bytes());
        say(format!("setoption name MultiPV value {}", 1 + dice.below(5)).as_bytes());
    }
    let mut pos = Position::new(&Rules::by_name(name).expect("a name of the list"));
    let mut moves = String::new();
    let speed = 1 + dice.below(6);
    for step in 0..30 {
        for _ in 0..speed {
            let legal = movegen::legal(&pos);
            if legal.is_empty() {
                break;
            }
            let m = legal[dice.below(legal.len())];
            pos.do_move(m);
            moves.push_str(&format!(" {m}"));
        }
        match dice.below(8) {
            0 => say(&nonsense(dice)),
            1 => say(dice.choose(&QUESTIONS).as_bytes()),
            2 => say(b"stop"),
            3 => say(b"ponderhit"),
            _ => {}
        }
        if dice.below(3) > 0 {
            say(format!("position startpos moves{moves}").as_bytes());
            say(format!("go {}", dice.choose(&LIMITS)).as_bytes());
            asked += 1;
        }
        if step % 10 == 9 && dice.below(2) == 0 {
            say(b"ucinewgame");
        }
    }
    // Nonsense may have asked for a minute of thinking, which the end of input would wait for.
    say(b"stop");
    if dice.below(2) == 0 {
        say(b"quit");
    }
    (text, asked)
}

fn run_sessions(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (text, asked) = session(&mut Dice(seed));
        let mut output = Vec::new();
        millstone::protocol::run(Cursor::new(text), &mut output, "standard")
            .unwrap_or_else(|error| panic!("session {seed}: {error}"));
        let output = String::from_utf8(output).unwrap_or_else(|error| panic!("session {seed}: {error}"));
        let answers =
            output.lines().filter(|line| line.contains("bestmove") || line.contains("sanmill_")).count();
        // The last search may be cut short by `quit`, and nonsense may ask for more.
        assert!(answers + 1 >= asked, "session {seed}: {answers} answers to {asked} searches");
    }
}

#[test]
fn random_sessions_end_well() {
    run_sessions(0..60);
}

/// As many as are asked for before a release.
#[test]
#[ignore = "takes minutes; run with: cargo test --release --test all sessions:: -- --ignored"]
fn ten_thousand_random_sessions_end_well() {
    run_sessions(1_000..11_000);
}
