//! Reads and writes token lists: one game per line, its moves as in a `position` command.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::build::Builder;
use super::model::{GameRecord, GameResult};
use super::reading::{Problem, ReadOptions, Reading, RecordError};
use super::words::{is_blank, is_filler, lines, normal, quote};
use crate::notation;
use crate::position::FIELDS;
use crate::types::{MOVE_FORMS, Move};

/// Reads every line as a game, whose result may stand behind the moves. Lines without moves and lines that
/// begin with `#` are skipped.
pub(super) fn read(file: &str, text: &str, options: &ReadOptions, reading: &mut Reading) {
    let mut game = 0;
    for (index, line) in lines(text).enumerate() {
        let line = line.trim_matches(is_blank);
        if line.starts_with('#') || words(line).all(is_filler) {
            continue;
        }
        game += 1;
        if let Err((token, problem)) = read_line(line, game, options, reading) {
            let (file, line) = (file.to_owned(), index + 1);
            reading.errors.push(RecordError { file, line, game, token, problem });
        }
    }
}

/// Reads a position text as a game without moves.
pub(super) fn read_position(file: &str, text: &str, options: &ReadOptions, reading: &mut Reading) {
    let number = 1 + lines(text).take_while(|line| line.trim().is_empty()).count();
    if let Err((token, problem)) = read_line(&format!("fen {}", text.trim()), 1, options, reading) {
        reading.errors.push(RecordError { file: file.to_owned(), line: number, game: 1, token, problem });
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_blank).filter(|word| !word.is_empty())
}

/// Reads a line as the game of this number.
fn read_line(
    line: &str,
    number: usize,
    options: &ReadOptions,
    reading: &mut Reading,
) -> Result<(), (String, Problem)> {
    let mut words = words(line).peekable();
    let first = words.peek().copied().unwrap_or_default();
    let mut start = None;
    if first.eq_ignore_ascii_case("fen") {
        words.next();
        let fields: Vec<&str> =
            std::iter::from_fn(|| words.next_if(|w| !w.eq_ignore_ascii_case("moves"))).collect();
        // A position text skips extensions that it does not know, but a move there is one that would be lost.
        if let Some(&word) = fields.iter().skip(FIELDS).find(|word| moves_of(word).is_some()) {
            let expected = "'fen', a position and the word 'moves' before it";
            return Err((word.to_owned(), Problem::Unreadable { expected }));
        }
        start = Some(fields.join(" "));
    } else if first.eq_ignore_ascii_case("startpos") {
        words.next();
    }
    let begun = start.is_some() || first.eq_ignore_ascii_case("startpos");
    match words.peek() {
        Some(word) if begun && word.eq_ignore_ascii_case("moves") => {
            words.next();
        }
        Some(word) if begun => {
            return Err(((*word).to_owned(), Problem::Unreadable { expected: "the word 'moves'" }));
        }
        _ => {}
    }
    let mut builder = Builder::new(options.rules.unwrap_or_default(), start.as_deref())
        .map_err(|why| (start.unwrap_or_default(), Problem::BadPosition(why)))?;
    let mut result = None;
    let outcome = words.filter(|word| !is_filler(word)).try_for_each(|word| match GameResult::read(word) {
        _ if result.is_some() => {
            Err((word.to_owned(), Problem::Unreadable { expected: "the end of the line behind the result" }))
        }
        // Alone on a line, it may be that of the line before.
        Some(found) if begun || builder.game().moves().next().is_some() => {
            result = Some(found);
            Ok(())
        }
        _ => play(&mut builder, word),
    });
    if outcome.is_ok() || options.keep_partial {
        if outcome.is_err() {
            builder.drop_unfinished_turn();
        }
        let (mut game, end) = builder.finish();
        game.result = result.unwrap_or_else(|| end.outcome().into());
        reading.push(number, game);
    }
    outcome
}

/// Plays a word: one move, or a whole turn.
fn play(builder: &mut Builder, word: &str) -> Result<(), (String, Problem)> {
    let unread = || (word.to_owned(), Problem::Unreadable { expected: MOVE_FORMS });
    let moves = moves_of(word).ok_or_else(unread)?;
    builder.push_turn(&moves).map_err(|(m, legal)| (quote(word, m), Problem::Illegal { legal }))
}

/// Returns the moves of a word; `None` if it is neither a move nor a turn.
fn moves_of(word: &str) -> Option<Vec<Move>> {
    notation::split_turn(&normal(word)).map(|text| text.parse().ok()).collect()
}

/// Returns the main line of a game as a token list.
pub(super) fn write(game: &GameRecord) -> String {
    let mut words = Vec::new();
    if let Some(start) = &game.start {
        words.push(format!("fen {start}"));
        if game.moves().next().is_some() {
            words.push("moves".to_owned());
        }
    }
    words.extend(game.moves().map(|m| m.to_string()));
    // Readers skip an empty line.
    if words.is_empty() { "startpos\n".to_owned() } else { words.join(" ") + "\n" }
}
