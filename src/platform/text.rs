//! Text for people: numbers in sentences, words joined to a line, words for true and false, and foreign text
//! made printable and short.
//! *Foreign* text comes from files, names, arguments and other programs.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

/// Returns a number with the noun that it counts: `1 game`, `2 games`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    counted_as(number, noun, &format!("{noun}s"))
}

/// Returns a number with the noun that it counts: `one` after 1, else `many`.
pub(crate) fn counted_as<N: Display + PartialEq + From<u8>>(number: N, one: &str, many: &str) -> String {
    let noun = if number == N::from(1) { one } else { many };
    format!("{number} {noun}")
}

/// Reads `true`/`false`, `1`/`0`, `yes`/`no`, `on`/`off` in any case.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(text));
    if is(&["true", "1", "yes", "on"]) {
        Some(true)
    } else if is(&["false", "0", "no", "off"]) {
        Some(false)
    } else {
        None
    }
}

/// Joins words with single blanks, without a list of words, which would take many times the memory of a long
/// line.
pub(crate) fn join_words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    words.for_each(|word| add_word(&mut text, word));
    text
}

/// Adds a word, after a blank if it is not the first.
pub(crate) fn add_word(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

/// Appends a text, which may be long: the first one is not copied.
pub(crate) fn append(to: &mut String, text: String) {
    if to.is_empty() {
        *to = text;
    } else {
        *to += &text;
    }
}

/// The mark that some programs write before a text.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns a text without the byte-order mark before it.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// The maximum length of a path in a message. A longer one keeps its end, which names the file.
const LONGEST_PATH: usize = 400;

/// Returns true for a character that controls a terminal or the text direction: control characters of both
/// sets, line separators, and embeddings, overrides and isolates of bidirectional text.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns true for an invisible character, with which two different names look alike, and for the numbers of
/// no character.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Appends the escape of a character, as JSON has it: `\n`, `\u001b`.
pub(crate) fn escape(c: char, to: &mut String) {
    match c {
        '\t' => to.push_str("\\t"),
        '\n' => to.push_str("\\n"),
        '\r' => to.push_str("\\r"),
        _ => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| to.push_str(&format!("\\u{unit:04x}"))),
    }
}

/// Returns the first `most` characters of a foreign text on one line, with escapes in place of control
/// characters and invisible ones, and an ellipsis in place of the rest.
pub(crate) fn printable(text: &str, most: usize) -> String {
    let mut shown = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(most) {
        if is_control(c) || is_invisible(c) { escape(c, &mut shown) } else { shown.push(c) }
    }
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Returns what a message says was found: a foreign text in quotes, cut to 60 characters, or `nothing`.
pub(crate) fn quoted(found: &str) -> String {
    if found.is_empty() { "nothing".to_owned() } else { format!("'{}'", printable(found, 60)) }
}

/// Returns a path for a message.
pub(crate) fn printable_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    let length = text.chars().count();
    if length <= LONGEST_PATH {
        return printable(&text, LONGEST_PATH);
    }
    let half = LONGEST_PATH / 2;
    let end: String = text.chars().skip(length - half).collect();
    printable(&text, half) + &printable(&end, half)
}

/// Returns a text of several lines, such as JSON or a report, with escapes in place of control characters
/// except tabs and line ends. JSON means the same afterwards.
pub(crate) fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_kept = |c: char| matches!(c, '\n' | '\t') || !is_control(c);
    if text.chars().all(is_kept) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    text.chars().for_each(|c| if is_kept(c) { shown.push(c) } else { escape(c, &mut shown) });
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!([0, 1, 2].map(|n: u32| counted(n, "game")), ["0 games", "1 game", "2 games"]);
        assert_eq!([1_u64, 3].map(|n| counted_as(n, "man", "men")), ["1 man", "3 men"]);
    }

    /// An escape sequence, its form in the second set, a change of direction, and invisible characters.
    const FOREIGN: &str = "a\x1b[2J\u{9b}2J\u{7f}\u{202e}b\u{2066}\u{200b}\u{e0041}\r\nJörg 木";

    #[test]
    fn control_characters_become_escapes_and_others_stay() {
        let shown = printable(FOREIGN, 100);
        let expected = "a\\u001b[2J\\u009b2J\\u007f\\u202eb\\u2066\\u200b\\udb40\\udc41\\r\\nJörg 木";
        assert_eq!(shown, expected);
        assert_eq!(printable(&shown, 100), shown, "twice is once");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!((printable("éé", 2), printable("ééé", 2)), ("éé".to_owned(), "éé…".to_owned()));
        let long = "x".repeat(100_000_000);
        assert_eq!(printable(&long, 5), "xxxxx…");
        let path = format!("/{long}/\x1bgame.pgn");
        let shown = printable_path(Path::new(&path));
        assert!(shown.len() < 500 && shown.starts_with("/xxx") && shown.ends_with("x/\\u001bgame.pgn"));
    }

    #[test]
    fn reports_keep_their_lines_and_json_its_meaning() {
        let value = serde_json::json!({ "name": FOREIGN });
        let text = format!("{value:#}\n");
        let shown = printable_lines(&text);
        assert!(!shown.chars().any(|c| is_control(c) && c != '\n'), "{shown:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
        assert!(matches!(printable_lines("a\tb\nc"), Cow::Borrowed(_)));
    }
}
