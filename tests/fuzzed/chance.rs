//! Random input from a seed: numbers, and lines of random words and bytes.

/// A random number generator: SplitMix64 (Steele, Lea and Flood 2014).
pub struct Dice(pub u64);

/// Returns a seed of a test: a fixed one, or another one for each value of `PROPTEST_RNG_SEED`, which is also
/// the seed of the properties. The nightly workflow sets it.
#[allow(dead_code)]
pub fn fresh(fixed: u64) -> u64 {
    let chosen = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|text| text.parse::<u64>().ok());
    chosen.map_or(fixed, |chosen| Dice(chosen ^ fixed.rotate_left(32)).roll())
}

impl Dice {
    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }

    /// One of several things.
    pub fn choose<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const WORDS: [&str; 74] = [
    "uci",
    "gbgp",
    "ugi",
    "isready",
    "ucinewgame",
    "newgame",
    "setoption",
    "name",
    "value",
    "position",
    "startpos",
    "fen",
    "pos",
    "moves",
    "go",
    "stop",
    "ponderhit",
    "debug",
    "on",
    "register",
    "d",
    "eval",
    "bench",
    "perft",
    "help",
    "?",
    "statejson",
    "analyze",
    "key",
    "hist",
    "compiler",
    "query",
    "p1turn",
    "result",
    "depth",
    "nodes",
    "movetime",
    "infinite",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "movestogo",
    "mate",
    "searchmoves",
    "topn",
    "logical",
    "Hash",
    "Threads",
    "MultiPV",
    "Protocol",
    "tgf",
    "sanmill7",
    "UCI_Variant",
    "lasker",
    "PiecesCount",
    "MayFly",
    "true",
    "StrictFailurePolicy",
    "d6",
    "f4",
    "d2",
    "xd6",
    "d6-f6xa1",
    "a1-a4",
    "h9",
    "0000",
    "w:w:b:1",
    "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1",
    "O*******/@*******/******** b m r 1 0 1 0 1 1 -1 -1 -1 -1 0 99 9 ids:nodes",
    "OOOOOOOO/@@@@@@@@/X******* w p ? 8 1 8 1 -3 2 0 9 4 23 16777215 65535 -7 ids:nodes c:w-1-3|b-0- p:3 s:2",
    "bestmove",
    "\t",
    "\"\\\u{1}é♠",
];

const NUMBERS: [&str; 13] = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "255",
    "65536",
    "-2147483649",
    "4294967296",
    "18446744073709551616",
    "999999999999999999999999",
    "1e9",
];

/// Returns a random line: bytes, words of the protocol in any order, truncated commands, huge numbers. It is
/// never a command that takes long or ends the process, so that the test can wait for answers.
pub fn nonsense(dice: &mut Dice) -> Vec<u8> {
    let mut line = Vec::new();
    if dice.below(5) == 0 {
        for _ in 0..dice.below(60) {
            line.push(dice.roll() as u8);
        }
        line.retain(|byte| *byte != b'\n');
    } else {
        for _ in 0..=dice.below(9) {
            let word = if dice.below(4) == 0 { dice.choose(&NUMBERS) } else { dice.choose(&WORDS) };
            line.extend_from_slice(word.as_bytes());
            line.push(b' ');
        }
        if dice.below(6) == 0 {
            line.truncate(dice.below(line.len() + 1));
        }
    }
    let is_quit = line.trim_ascii().starts_with(b"quit");
    if is_quit || is_costly(&line) { Vec::new() } else { line }
}

/// True if a line is a command that takes long, takes much memory, or writes a file: the result of setting a
/// large `Hash` or `Threads` depends on the machine, and the end of input waits for a deep perft.
pub fn is_costly(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    let above = |most: f64| words.iter().any(|word| word.parse::<f64>().is_ok_and(|n| n.abs() > most));
    let counts = words.contains(&"perft") && above(3.0);
    let sets = words.contains(&"setoption") && (above(64.0) || words.concat().contains("file"));
    words.contains(&"bench") || counts || sets
}
