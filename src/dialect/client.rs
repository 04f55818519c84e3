//! The client's side of the dialects: writes `position` and `go`, and reads the lines of an engine. The
//! counterpart of `command.rs`.

use super::command::Words;
use super::gbgp::glue;
use crate::engine::{GoRequest, PositionOrigin, PositionRequest};
use crate::types::Move;

/// Returns the line that sets up a position.
pub(crate) fn position_command(request: &PositionRequest, words: &Words) -> String {
    let mut line = match &request.origin {
        PositionOrigin::Start => "position startpos".to_owned(),
        PositionOrigin::Text(text) => format!("position {} {text}", words.text),
    };
    if !request.moves.is_empty() {
        line.push_str(&format!(" moves {}", request.moves));
    }
    line
}

/// Returns the line that starts a search.
pub(crate) fn go_command(request: &GoRequest, words: &Words) -> String {
    let mut line = "go".to_owned();
    let mut limit = |name: &str, value: Option<u128>| {
        if let Some(value) = value {
            line.push_str(&format!(" {name} {value}"));
        }
    };
    let [white, black, white_increment, black_increment] = words.clocks;
    for (name, time) in [white, black].into_iter().zip(request.time) {
        limit(name, time.map(|time| time.as_millis().max(1)));
    }
    if request.time.iter().any(Option::is_some) {
        for (name, increment) in [white_increment, black_increment].into_iter().zip(request.increment) {
            limit(name, Some(increment.as_millis()));
        }
    }
    limit("movestogo", request.movestogo.map(u128::from));
    limit("movetime", request.movetime.map(|time| time.as_millis()));
    limit("nodes", request.nodes.map(u128::from));
    limit("depth", request.depth.map(|depth| depth.max(0) as u128));
    limit("mate", request.mate.map(u128::from));
    for (word, is_set) in [("infinite", request.infinite), ("ponder", request.ponder)] {
        if is_set {
            line.push_str(&format!(" {word}"));
        }
    }
    if !request.searchmoves.is_empty() {
        line.push_str(&format!(" searchmoves {}", request.searchmoves));
    }
    line
}

/// Returns the moves of a turn as they follow `moves`: one word for all of them in a dialect of whole turns.
pub(crate) fn turn_words(turn: &[Move], whole_turns: bool) -> Vec<String> {
    if whole_turns { vec![glue(turn)] } else { turn.iter().map(Move::to_string).collect() }
}

/// An option as an engine announces it in a line `option name … type …`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AnnouncedOption {
    /// Its name.
    pub(crate) name: String,
    kind: String,
    /// The smallest and the largest value of a number.
    range: [Option<i64>; 2],
    /// The values to choose from.
    choices: Vec<String>,
}

impl AnnouncedOption {
    /// Reads a line; `None` if it announces no option.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
        let number = |word: &str| rest.split_whitespace().skip_while(|w| *w != word).nth(1)?.parse().ok();
        Some(Self {
            name: name.trim().to_owned(),
            kind: rest.split_whitespace().next().unwrap_or_default().to_owned(),
            range: ["min", "max"].map(number),
            choices: rest.split(" var ").skip(1).map(|choice| choice.trim().to_owned()).collect(),
        })
    }

    /// Returns what is expected in place of a value; `None` if the value is one of the option.
    pub(crate) fn expects(&self, value: &str) -> Option<String> {
        let [least, most] = self.range;
        let has = |list: &[&str]| list.iter().any(|choice| choice.eq_ignore_ascii_case(value));
        match self.kind.as_str() {
            "spin" => {
                let fits = |n: i64| least.is_none_or(|least| n >= least) && most.is_none_or(|most| n <= most);
                let text = |end: Option<i64>| end.map_or("any".to_owned(), |end| end.to_string());
                let is_good = value.parse().is_ok_and(fits);
                (!is_good).then(|| format!("a number from {} to {}", text(least), text(most)))
            }
            "check" => (!has(&["true", "false"])).then(|| "true or false".to_owned()),
            "combo" => {
                let choices: Vec<&str> = self.choices.iter().map(String::as_str).collect();
                (!has(&choices)).then(|| format!("one of {}", choices.join(", ")))
            }
            "button" => (!value.is_empty()).then(|| "null, as it is a button".to_owned()),
            _ => None,
        }
    }
}

/// Returns true if a line that an engine prints after the line `sent` refuses that one. UCI has no standard
/// reply for that; these are the words of known engines. They may be about something else, such as the file
/// of another option, unless the line also names the option or its value, or another command.
pub(crate) fn is_refusal(line: &str, sent: &str) -> bool {
    let line = line.to_lowercase();
    let sent = sent.to_lowercase();
    let option = sent.trim().strip_prefix("setoption name ");
    let names = match option.map(|option| option.split_once(" value ").unwrap_or((option, ""))) {
        // A line may contain a number or a truth value for many reasons.
        Some((name, value)) if value.parse::<f64>().is_ok() || matches!(value, "true" | "false") => {
            vec!["option", "setoption", name]
        }
        Some((name, value)) => vec!["option", "setoption", name, value],
        None => vec!["command", sent.split_whitespace().next().unwrap_or_default()],
    };
    let is_about_it = names.iter().any(|name| has_words(&line, name.trim()));
    let refuses = [
        "error",
        "no such",
        "unknown",
        "unrecogni",
        "invalid",
        "illegal",
        "not supported",
        "unsupported",
        "out of range",
        "expected",
        "refused",
        "rejected",
        "cannot be",
    ]
    .iter()
    .any(|word| line.contains(word));
    // A folder that cannot be opened may be a part of the value, or that of an option set before.
    refuses && is_about_it || line.contains("os error")
}

/// Returns true if a line contains a text, but not as a part of longer words. An empty text is in no line.
fn has_words(line: &str, text: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let mut found = line.match_indices(text).filter(|_| !text.is_empty());
    found.any(|(at, _)| {
        is_end(line[..at].chars().next_back()) && is_end(line[at + text.len()..].chars().next())
    })
}

/// Returns the move of a line that answers `go`; it is empty if the line ends before it.
pub(crate) fn best_move(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|w| *w != "bestmove");
    words.next()?;
    Some(words.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::DIALECTS;
    use crate::dialect::command::{Command, ParsedLine};
    use std::time::Duration;

    #[test]
    fn values_are_compared_with_what_was_announced() {
        let expects = |line: &str, value: &str| AnnouncedOption::read(line).unwrap().expects(value);
        let hash = "option name Hash type spin default 16 min 1 max 1024";
        assert_eq!(expects(hash, "1024"), None);
        for bad in ["0", "1025", "x", ""] {
            assert_eq!(expects(hash, bad).unwrap(), "a number from 1 to 1024");
        }
        assert_eq!(expects("option name A B type check default true", "False"), None);
        assert_eq!(expects("option name A type check default true", "1").unwrap(), "true or false");
        let combo = "option name Style type combo default Normal var Very Solid var Normal";
        assert_eq!((expects(combo, "very solid"), expects(combo, "Solid").is_some()), (None, true));
        assert_eq!(expects("option name Path type string default", "min 3"), None);
        assert!(expects("option name Clear Hash type button", "true").is_some());
        assert_eq!(AnnouncedOption::read("option name A B type button").unwrap().name, "A B");
        for line in ["id name A", "option name A", "info option name A type spin"] {
            assert_eq!(AnnouncedOption::read(line), None, "{line}");
        }
    }

    #[test]
    fn a_refusal_names_what_it_refuses() {
        let hash = "setoption name Hash value 64";
        for refusal in [
            "No such option: Hash",
            "info string unsupported setoption: Hash",
            "info string option Hash: found '64', expected a whole number from 1 to 32",
            "info string Invalid value for hash.",
            "Error: unknown option",
        ] {
            assert!(is_refusal(refusal, hash), "{refusal}");
        }
        for other in [
            "info string error: book.bin not found",
            "info string Hash 64 MB",
            "info string unknown processor, expected 64 bits",
            "info string error in the hashtable",
        ] {
            assert!(!is_refusal(other, hash), "{other}");
        }
        let folders = "setoption name TablebasePath value /good:/missing";
        assert!(is_refusal("info string cannot read folder /missing: not found (os error 2)", folders));
        let style = "setoption name Style value Very Wild";
        assert!(is_refusal("info string No such value: very wild", style));
        assert!(!is_refusal("info string invalid licence", style));
        assert!(!is_refusal("info string invalid licence", "setoption name Clear Hash"));
        assert!(is_refusal("Unknown command: fuss about it", "fuss about it"));
        assert!(!is_refusal("info string unknown processor", "fuss about it"));
    }

    #[test]
    fn every_dialect_reads_what_its_client_writes() {
        let go = GoRequest {
            searchmoves: "d6 a1-a4".to_owned(),
            ponder: true,
            time: [Some(Duration::from_secs(3)), Some(Duration::from_millis(1))],
            increment: [Duration::from_millis(20), Duration::ZERO],
            movestogo: Some(7),
            depth: Some(9),
            nodes: Some(1 << 40),
            mate: Some(3),
            movetime: Some(Duration::from_millis(50)),
            infinite: true,
        };
        let moves = "d6 f4".to_owned();
        for dialect in DIALECTS {
            let words = dialect.words();
            for request in [go.clone(), GoRequest::default()] {
                let line = go_command(&request, words);
                match dialect.read(&line) {
                    Ok(ParsedLine { command: Command::Go(read), notes }) if notes.is_empty() => {
                        assert_eq!(read.request, request, "{line}");
                    }
                    other => panic!("{line}: {other:?}"),
                }
            }
            for origin in [PositionOrigin::Start, PositionOrigin::Text("a b c".to_owned())] {
                let request = PositionRequest { origin, moves: moves.clone() };
                let line = position_command(&request, words);
                assert_eq!(dialect.read(&line), Ok(Command::Position(request).into()), "{line}");
            }
        }
    }
}
