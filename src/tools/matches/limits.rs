//! The limits of a match and the clocks of a game.

use crate::platform::text::quoted;
use crate::types::Color;
use std::fmt;
use std::time::Duration;

/// The time after a limit at which a move counts as late, if no other is chosen.
pub const MARGIN: Duration = Duration::from_millis(100);

/// The limits of each search of a player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GoLimits {
    /// Time for each move.
    pub movetime: Option<Duration>,
    /// Nodes for each move.
    pub nodes: Option<u64>,
    /// Depth of each search.
    pub depth: Option<u32>,
    /// Clocks by colour: time and increment for each turn.
    pub clock: Option<[ClockRule; 2]>,
    /// Turns of a time control; `None` if the time is for the whole game.
    pub movestogo: Option<u32>,
}

/// The time that a side starts with, and its increment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockRule {
    /// Time at the start of the game.
    pub time: Duration,
    /// Time added after each turn.
    pub increment: Duration,
}

/// The reason why a text is not a list of limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LimitsFault {
    /// Something other than a number that it accepts follows a word.
    Number {
        /// The word.
        word: String,
        /// The text in place of the number; empty at the end.
        found: String,
    },
    /// The word given here comes twice.
    Repeated(String),
    /// The word given here is unknown.
    UnknownWord(String),
    /// The word given here needs a clock.
    NoClock(String),
    /// The text, given here, limits nothing.
    NoLimit(String),
}

/// Returns the least and the greatest number that may follow a word, and both in words; `None` for an unknown
/// word.
fn numbers(word: &str) -> Option<(u64, u64, &'static str)> {
    match word {
        // Engines read 0 as no limit at all.
        "movetime" | "nodes" => Some((1, u64::MAX, "1 or more")),
        "depth" | "movestogo" => Some((1, u32::MAX.into(), "from 1 to 4294967295")),
        "wtime" | "btime" | "winc" | "binc" => Some((0, u64::MAX, "0 or more")),
        _ => None,
    }
}

impl fmt::Display for LimitsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { word, found } => {
                let (_, most, expected) = numbers(word).unwrap_or_default();
                write!(f, "{word}: found {}, expected ", quoted(found))?;
                let is_number = !found.is_empty() && found.bytes().all(|byte| byte.is_ascii_digit());
                match found.parse::<u64>() {
                    Err(_) if is_number => write!(f, "at most {most}"),
                    _ => write!(f, "a whole number, {expected}"),
                }
            }
            Self::Repeated(word) => write!(f, "found {} twice, expected it once", quoted(word)),
            Self::UnknownWord(word) => {
                let expected = "movetime, nodes, depth, wtime, btime, winc, binc or movestogo";
                write!(f, "found {}, expected {expected}", quoted(word))
            }
            Self::NoClock(word) => write!(f, "found {} alone, expected wtime or btime with it", quoted(word)),
            Self::NoLimit(text) => {
                write!(f, "found {}, expected limits such as 'movetime 100' or 'nodes 10000'", quoted(text))
            }
        }
    }
}

impl GoLimits {
    /// Reads the words of a `go` command, each with a number.
    ///
    /// The words are `movetime`, `nodes`, `depth`, `wtime`, `btime`, `winc`, `binc` and `movestogo`. One of
    /// `wtime` and `btime` stands for both.
    ///
    /// # Errors
    /// If a word is unknown or has no number that limits something, if a word about the clock comes without
    /// a clock, or there is no limit.
    pub fn parse(text: &str) -> Result<Self, LimitsFault> {
        let mut limits = Self::default();
        let mut times = [None; 2];
        let mut increments = [None; 2];
        let mut words = text.split_whitespace();
        let mut seen = Vec::new();
        while let Some(word) = words.next() {
            if seen.contains(&word) {
                return Err(LimitsFault::Repeated(word.to_owned()));
            }
            seen.push(word);
            let (least, most, _) = numbers(word).ok_or_else(|| LimitsFault::UnknownWord(word.to_owned()))?;
            let value = words.next().unwrap_or_default();
            let number = value.parse().ok().filter(|number| (least..=most).contains(number));
            let number = number
                .ok_or_else(|| LimitsFault::Number { word: word.to_owned(), found: value.to_owned() })?;
            let time = Some(Duration::from_millis(number));
            match word {
                "movetime" => limits.movetime = time,
                "nodes" => limits.nodes = Some(number),
                "depth" => limits.depth = u32::try_from(number).ok(),
                "movestogo" => limits.movestogo = u32::try_from(number).ok(),
                "wtime" => times[0] = time,
                "btime" => times[1] = time,
                "winc" => increments[0] = time,
                _ => increments[1] = time,
            }
        }
        if let Some(any) = times[0].or(times[1]) {
            let increment = increments[0].or(increments[1]).unwrap_or_default();
            limits.clock = Some([0, 1].map(|side| ClockRule {
                time: times[side].unwrap_or(any),
                increment: increments[side].unwrap_or(increment),
            }));
        }
        let of_clock = |word: &&&str| matches!(**word, "winc" | "binc" | "movestogo");
        if let Some(word) = seen.iter().find(of_clock).filter(|_| limits.clock.is_none()) {
            return Err(LimitsFault::NoClock((*word).to_owned()));
        }
        if limits == Self::default() {
            return Err(LimitsFault::NoLimit(text.to_owned()));
        }
        Ok(limits)
    }
}

/// The clock of one side in one game.
#[derive(Clone, Debug)]
pub struct Clock {
    rule: Option<ClockRule>,
    /// The time left.
    pub left: Duration,
    /// The time used beyond that. What is added pays it first.
    overrun: Duration,
    /// Turns until the time control ends.
    pub to_go: Option<u32>,
    control: Option<u32>,
}

impl Clock {
    /// Returns the clock of a side under its limits.
    pub fn new(limits: &GoLimits, side: Color) -> Self {
        let rule = limits.clock.map(|clock| clock[side.index()]);
        let left = rule.unwrap_or_default().time;
        Self { rule, left, overrun: Duration::ZERO, to_go: limits.movestogo, control: limits.movestogo }
    }

    /// Returns true if the limits have a clock.
    pub fn is_running(&self) -> bool {
        self.rule.is_some()
    }

    /// Returns the time added after each turn.
    pub fn increment(&self) -> Duration {
        self.rule.unwrap_or_default().increment
    }

    /// Subtracts the time of a move.
    ///
    /// # Errors
    /// The excess of all moves so far, if they have taken longer than the time of the clock.
    pub fn use_up(&mut self, used: Duration) -> Result<(), Duration> {
        if self.rule.is_none() {
            return Ok(());
        }
        self.overrun += used.saturating_sub(self.left);
        self.left = self.left.saturating_sub(used);
        if self.overrun.is_zero() { Ok(()) } else { Err(self.overrun) }
    }

    fn add(&mut self, time: Duration) {
        let paid = time.min(self.overrun);
        self.overrun -= paid;
        self.left += time - paid;
    }

    /// Ends a turn: adds the increment and, after the last turn of a control, the time of the next one.
    pub fn end_turn(&mut self) {
        let Some(rule) = self.rule else { return };
        self.add(rule.increment);
        if let Some(to_go) = &mut self.to_go {
            *to_go -= 1;
            if *to_go == 0 {
                self.to_go = self.control;
                self.add(rule.time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_go_words() {
        let clock = GoLimits::parse("wtime 10000 winc 100 movestogo 2").unwrap();
        assert_eq!(clock.clock.unwrap()[1].time, Duration::from_secs(10));
        let mut white = Clock::new(&clock, Color::White);
        assert_eq!(white.use_up(Duration::from_secs(9)), Ok(()));
        white.end_turn();
        assert_eq!(white.left, Duration::from_millis(1_100));
        assert_eq!(white.use_up(Duration::from_secs(2)), Err(Duration::from_millis(900)));
        white.end_turn();
        assert_eq!((white.left, white.to_go), (Duration::from_millis(9_200), Some(2)));
        // The margin is for all moves together.
        let mut black = Clock::new(&GoLimits::parse("wtime 100").unwrap(), Color::Black);
        let late = [160, 60].map(|used| black.use_up(Duration::from_millis(used)));
        assert_eq!(late, [60, 120].map(|over| Err(Duration::from_millis(over))));
        for bad in ["", "movetime", "movetime x", "movetime -5", "infinite 1", "movetim 5", "winc 5"] {
            assert!(GoLimits::parse(bad).is_err(), "{bad}");
        }
        assert!(GoLimits::parse("wtime 0 winc 0").is_ok());
        for (bad, expected) in [
            ("100", "found '100', expected movetime, nodes, "),
            ("movetime", "movetime: found nothing, expected a whole number, 1 or more"),
            ("movetime 10ms", "movetime: found '10ms', expected a whole number, 1 or more"),
            ("movetime 0", "movetime: found '0', expected a whole number, 1 or more"),
            ("nodes 0", "nodes: found '0', expected a whole number, 1 or more"),
            ("depth 0", "depth: found '0', expected a whole number, from 1 to"),
            ("depth 4294967296", "depth: found '4294967296', expected a whole number, from 1 to"),
            ("wtime 9 movestogo 0", "movestogo: found '0', expected a whole number, from 1 to"),
            ("wtime -1", "wtime: found '-1', expected a whole number, 0 or more"),
            ("nodes 99999999999999999999", "nodes: found '99999999999999999999', expected at most 184467"),
            ("nodes 5 nodes 9", "found 'nodes' twice, expected it once"),
            ("movestogo 40", "found 'movestogo' alone, expected wtime or btime with it"),
            ("winc 5 nodes 100", "found 'winc' alone, expected wtime or btime with it"),
        ] {
            let why = GoLimits::parse(bad).unwrap_err().to_string();
            assert!(why.starts_with(expected), "{why}");
        }
    }
}
