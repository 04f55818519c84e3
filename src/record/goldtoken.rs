//! Reads text copied from a game page of GoldToken.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::build::Builder;
use super::reading::{Problem, ReadOptions, Reading, RecordError};
use super::words::{is_filler, lines, quote};
use crate::types::{Move, Square};

const EXPECTED: &str = "a move such as 'Place to c3', 'a1 -> a4' or 'Place to c3, take a4'";

/// Returns the words of a line, with each comma as a word of its own.
fn words(line: &str) -> Vec<&str> {
    let spaced = line.split_whitespace();
    spaced
        .flat_map(|word| match word.strip_suffix(',') {
            Some("") => vec![","],
            Some(word) => vec![word, ","],
            None => vec![word],
        })
        .collect()
}

/// Reads the move at the front of a list of words. Returns the move and its number of words.
fn read_move(words: &[&str]) -> Option<(Move, usize)> {
    let square = |text: &str| text.parse::<Square>().ok();
    let is = |text: &str, word: &str| text.eq_ignore_ascii_case(word);
    match *words {
        [place, to, at, ..] if is(place, "place") && is(to, "to") => Some((Move::place(square(at)?), 3)),
        [from, "->", to, ..] => Some((Move::slide(square(from)?, square(to)?), 3)),
        [",", take, at, ..] if is(take, "take") => Some((Move::take(square(at)?), 3)),
        [take, at, ..] if is(take, "take") => Some((Move::take(square(at)?), 2)),
        _ => None,
    }
}

/// Plays the turn at the front of a list of words, all of its moves or none, and removes its words.
fn play_turn(builder: &mut Builder, rest: &mut &[&str]) -> Result<(), (String, Problem)> {
    let goes_on =
        |rest: &[&str]| rest.first().is_some_and(|word| *word == "," || word.eq_ignore_ascii_case("take"));
    let mut moves = Vec::new();
    let mut found = Vec::new();
    while moves.is_empty() || goes_on(rest) {
        let Some((m, length)) = read_move(rest) else {
            let found = rest[..rest.len().min(3)].join(" ");
            return Err((found, Problem::Unreadable { expected: EXPECTED }));
        };
        let (words, after) = rest.split_at(length);
        moves.push(m);
        found.push(words.strip_prefix(&[","]).unwrap_or(words).join(" "));
        *rest = after;
    }
    builder.push_turn(&moves).map_err(|(m, legal)| {
        let words = moves.iter().zip(&found).find(|&(other, _)| *other == m).map(|(_, words)| words);
        (quote(words.map_or("", String::as_str), m), Problem::Illegal { legal })
    })
}

/// Reads the one game of a page.
pub(super) fn read(file: &str, text: &str, options: &ReadOptions, reading: &mut Reading) {
    let rules = options.rules.unwrap_or_default();
    let Ok(mut builder) = Builder::new(rules, None) else { return };
    // Other lines of a page may begin with a 1, as '1 new message'.
    let begins = |line: &str| {
        let mut words = line.split_whitespace();
        ["1", "place", "to"].iter().all(|sign| words.next().is_some_and(|w| w.eq_ignore_ascii_case(sign)))
    };
    let mut broken = None;
    let mut any = false;
    'lines: for (index, line) in lines(text).enumerate().skip_while(|(_, line)| !begins(line)) {
        any = true;
        let end = line.find("Quick Jump");
        let line = &line[..end.unwrap_or(line.len())];
        let line = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let words = words(line);
        let mut rest = words.as_slice();
        while let Some(&first) = rest.first() {
            if is_filler(first) {
                rest = &rest[1..];
                continue;
            }
            if let Err(problem) = play_turn(&mut builder, &mut rest) {
                broken = Some((index + 1, problem));
                break 'lines;
            }
        }
        if end.is_some() {
            break;
        }
    }
    if !any {
        let problem = Problem::Unreadable { expected: "a line that begins with '1 Place to'" };
        broken = Some((lines(text).count().max(1), (String::new(), problem)));
    }
    let keep = broken.is_none() || options.keep_partial && any;
    if let Some((line, (token, problem))) = broken {
        builder.drop_unfinished_turn();
        reading.errors.push(RecordError { file: file.to_owned(), line, game: 1, token, problem });
    }
    if keep {
        let (mut game, end) = builder.finish();
        game.result = end.outcome().into();
        reading.push(1, game);
    }
}
