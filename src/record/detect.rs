//! Detects the format of a text.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::model::GameResult;
use super::pgn::{PgnDialect, Scanner, Token};
use super::playok::EITHER;
use super::reading::Format;
use crate::platform::text::without_mark;

/// Returns the format of a text. A text without any sign of a format is a token list.
///
/// A file may hold games of the common format and of PlayOK; its format is that of the first turn.
pub fn detect(text: &str) -> Format {
    let text = without_mark(text);
    if is_position(text.trim()) {
        return Format::Position;
    }
    let (mut tags, mut numbered) = (false, false);
    let (mut site, mut goldtoken) = (None, false);
    let mut first = None;
    let (mut before, mut line_before) = ("", 0);
    let mut scanner = Scanner::new(text);
    while let Some((line, token)) = scanner.next() {
        match token {
            Token::Tag(name, value) => {
                tags = true;
                if name.eq_ignore_ascii_case("Site") {
                    site = Some(value);
                }
            }
            // Page text of GoldToken may have a brace that nothing closes. In games it is an error.
            Token::Endless if tags => break,
            Token::Number(has_digits) => numbered |= has_digits,
            // A comment of a token list.
            Token::Word(word) if word.starts_with('#') && line > line_before => scanner.skip_line(),
            Token::Word(word) => {
                goldtoken |= is_goldtoken(before, word);
                before = word;
                if first.is_none()
                    && GameResult::read(word).is_none()
                    && !PgnDialect::is_skipped(&EITHER, word)
                {
                    first = Some(PgnDialect::of_game(&EITHER, site.as_deref(), numbered, word));
                }
            }
            _ => {}
        }
        line_before = scanner.line;
    }
    if goldtoken {
        Format::GoldToken
    } else if tags || numbered {
        first.unwrap_or_else(|| PgnDialect::of_game(&EITHER, site.as_deref(), numbered, "")).format
    } else {
        Format::Tokens
    }
}

/// Returns true if a word and the one before it are a sign of GoldToken.
fn is_goldtoken(before: &str, word: &str) -> bool {
    let is = |text: &str, sign: &str| text.eq_ignore_ascii_case(sign);
    word == "->" || is(before, "place") && is(word, "to") || before.ends_with(',') && is(word, "take")
}

/// Returns true if the text is one position: three rings with slashes at fixed offsets, then a blank.
fn is_position(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |offset: usize| bytes.get(offset).copied().unwrap_or_default();
    !text.contains('\n') && at(8) == b'/' && at(17) == b'/' && at(26) == b' ' && !text.contains("moves")
}
