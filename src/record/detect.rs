//! Detects the written form of a text.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::model::GameResult;
use super::pgn::read_tag;
use super::reading::Form;
use super::words::is_filler;

/// Returns the form of a text. A text without any sign of a form is a token list.
pub fn detect(text: &str) -> Form {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_position(text.trim()) {
        return Form::Position;
    }
    let mut tags = false;
    let mut playok = false;
    let mut body = String::new();
    for line in text.lines() {
        match read_tag(line) {
            Some((name, value, _)) => {
                tags = true;
                playok |= name.eq_ignore_ascii_case("Site") && value.eq_ignore_ascii_case("PlayOK");
            }
            // A comment of a token list.
            None if line.starts_with('#') => {}
            None => {
                body.push_str(line);
                body.push('\n');
            }
        }
    }
    let body = without_comments(&body);
    let lower = body.to_ascii_lowercase();
    if ["place to", ", take ", " -> "].iter().any(|sign| lower.contains(sign)) {
        return Form::GoldToken;
    }
    let is_number = |word: &str| {
        let dots = word.trim_start_matches(|c: char| c.is_ascii_digit());
        dots.len() < word.len() && dots.starts_with('.')
    };
    let numbered = lower.split_whitespace().any(is_number);
    let is_result = |word: &str| GameResult::read(word).is_some();
    if !tags && !numbered && !lower.split_whitespace().any(is_result) {
        return Form::Tokens;
    }
    let is_ignored = |word: &str| is_filler(word) || word == "txt";
    let letters = |word: &str| word.contains(|c: char| ('a'..='g').contains(&c));
    // A converted game of PlayOK still has its `Site` tag.
    let has_no_names = !lower.split_whitespace().any(|word| !is_ignored(word) && letters(word));
    if has_no_names && (playok || numbered && has_points(&lower)) { Form::PlayOk } else { Form::Pgn }
}

/// Returns true if the move text has a word that can be a numbered point. An empty game has none.
fn has_points(body: &str) -> bool {
    body.split_whitespace().any(|word| {
        let rest = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        GameResult::read(word).is_none()
            && (rest.len() < word.len() && !word.ends_with('.') || rest.starts_with('x'))
    })
}

/// Returns true if the text is one position: three rings with slashes at fixed offsets, then a blank.
fn is_position(text: &str) -> bool {
    let bytes = text.as_bytes();
    let at = |offset: usize| bytes.get(offset).copied().unwrap_or_default();
    !text.contains('\n') && at(8) == b'/' && at(17) == b'/' && at(26) == b' ' && !text.contains("moves")
}

/// Returns the text with each comment replaced by a blank.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(begin) = rest.find(['{', ';']) {
        out.push_str(&rest[..begin]);
        out.push(' ');
        let end = if rest[begin..].starts_with('{') { '}' } else { '\n' };
        rest = match rest[begin..].find(end) {
            Some(length) => &rest[begin + length + 1..],
            None => "",
        };
    }
    out + rest
}
