//! Words of move text that several formats share.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::platform::text::printable;
use crate::types::Move;

/// Returns a word in lower case, with `x` for all ways to write a take.
pub(super) fn normal(word: &str) -> String {
    word.to_ascii_lowercase().replace("-/x", "x").replace("/x", "x")
}

/// Returns a word and its move for messages, once if they are the same.
pub(super) fn quote(word: &str, m: Move) -> String {
    let text = m.to_string();
    if word.eq_ignore_ascii_case(&text) { text } else { format!("{} ({text})", printable(word, 80)) }
}

/// Returns true for words without meaning between moves, such as `resign`.
pub(super) fn is_filler(word: &str) -> bool {
    const WORDS: [&str; 7] = ["white", "black", "win", "lose", "draw", "resign", "p"];
    WORDS.iter().any(|w| w.eq_ignore_ascii_case(word))
}

/// Returns the lines of a text. Old files end them with a carriage return alone.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('\r'))
}

/// Returns true for characters between words: blanks, and the byte-order marks of files that were joined.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}
