//! Cuts a text of tags and moves into tokens.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::syntax::{SIGNS, is_in_tag_name};
use crate::platform::text::is_control;
use crate::record::words::is_blank;

/// A piece of the text.
pub(in crate::record) enum Token<'a> {
    Tag(&'a str, String),
    Comment(&'a str),
    /// The beginning of a comment without an end.
    Endless,
    Open,
    Close,
    /// A mark by its number.
    Mark(u8),
    /// A move number, or dots without digits. True if it has digits.
    Number(bool),
    Word(&'a str),
    /// Unexpected text, and what was expected.
    Bad(&'a str, &'static str),
}

/// Cuts a text into tokens.
pub(in crate::record) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The line of `at`, from 1.
    pub(in crate::record) line: usize,
    /// True if the rest of the text has no end of a comment. Without this flag each `{` would search the
    /// whole rest again.
    endless: bool,
    /// True if the latest token is a move number.
    after_number: bool,
}

impl<'a> Scanner<'a> {
    /// Returns a scanner at the start of `text`.
    pub(in crate::record) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, endless: false, after_number: false }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Consumes `bytes` bytes and returns them.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, _) = self.rest().split_at_checked(bytes).unwrap_or((self.rest(), ""));
        self.at += taken.len();
        self.line += line_ends(taken, self.rest());
        taken
    }

    fn take_while(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !of(c)).unwrap_or(rest.len()))
    }

    /// Returns the next token and the line it begins on.
    pub(in crate::record) fn next(&mut self) -> Option<(usize, Token<'a>)> {
        self.take_while(is_blank);
        let line = self.line;
        let rest = self.rest();
        let after_number = std::mem::take(&mut self.after_number);
        let token = match rest.chars().next()? {
            '{' => match if self.endless { None } else { rest.find('}') } {
                Some(end) => {
                    let text = self.take(end + 1);
                    Token::Comment(&text[1..end])
                }
                None => {
                    self.endless = true;
                    self.take(1);
                    Token::Endless
                }
            },
            ';' => Token::Comment(&self.take_while(|c| !is_line_end(c))[1..]),
            '(' => {
                self.take(1);
                Token::Open
            }
            ')' => {
                self.take(1);
                Token::Close
            }
            '[' => self.tag(),
            '$' => {
                self.take(1);
                let digits = self.take_while(|c| c.is_ascii_digit());
                match digits.parse() {
                    Ok(mark) => Token::Mark(mark),
                    Err(_) => Token::Bad(&rest[..1 + digits.len()], "a mark from $0 to $255"),
                }
            }
            '!' | '?' => {
                let run = self.take_while(|c| matches!(c, '!' | '?'));
                match SIGNS.iter().find(|(sign, _)| *sign == run) {
                    Some(&(_, mark)) => Token::Mark(mark),
                    None => Token::Bad(run, "one of the marks ! ? !! ?? !? ?!"),
                }
            }
            c @ (']' | '}' | '"') => Token::Bad(self.take(c.len_utf8()), "a turn, a comment or the result"),
            _ => match number_length(rest, after_number) {
                0 => Token::Word(self.take_while(|c| !is_blank(c) && !"{}();[]$!?\"".contains(c))),
                length => {
                    let number = self.take(length);
                    self.after_number = true;
                    Token::Number(!number.starts_with('.'))
                }
            },
        };
        Some((line, token))
    }

    /// Consumes a tag pair, which must end on its line.
    fn tag(&mut self) -> Token<'a> {
        // The end of the line is looked for only if the line is consumed: a file may have a single long one.
        if let Some((name, value, length)) = read_tag(self.rest()) {
            self.take(length);
            return Token::Tag(name, value);
        }
        let line = self.rest().split(is_line_end).next().unwrap_or_default();
        self.take(line.len());
        Token::Bad(line.trim_end(), "a tag such as [White \"name\"]")
    }

    /// Skips to the end of the line.
    pub(in crate::record) fn skip_line(&mut self) {
        self.take_while(|c| !is_line_end(c));
    }

    /// Skips to the next line that begins with a tag, after a comment that never ends.
    pub(super) fn skip_to_tags(&mut self) {
        self.skip_line();
        while !self.rest().is_empty() {
            self.take_while(is_blank);
            if read_tag(self.rest()).is_some() {
                return;
            }
            self.skip_line();
        }
    }
}

/// Returns true for the end of a line. Old files end their lines with a carriage return alone.
fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

/// Returns the number of line ends in a text before `rest`. Both characters of one end count once.
fn line_ends(text: &str, rest: &str) -> usize {
    let next = |at: usize| text.as_bytes().get(at + 1).or(rest.as_bytes().first());
    let is_alone = |&(at, _): &(usize, &str)| next(at) != Some(&b'\n');
    text.matches('\n').count() + text.match_indices('\r').filter(is_alone).count()
}

/// Returns the length of the move number that a text begins with, or 0.
///
/// A number has dots, with blanks between. Without dots it is a number only if the name of a point follows:
/// other formats number the points. After another number it is not one, as that would need a turn between.
fn number_length(text: &str, after_number: bool) -> usize {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = after.trim_start_matches(|c: char| c == '.' || is_blank(c));
    let digits = text.len() - after.len();
    let takes = rest.trim_start_matches(['-', '/', 'x', 'X']);
    let is_point = matches!(takes.as_bytes(), [b'a'..=b'g' | b'A'..=b'G', b'1'..=b'7', ..]);
    match after[..after.len() - rest.len()].rfind('.') {
        Some(last) => digits + last + 1,
        None if digits > 0 && is_point && !after_number => digits,
        None => 0,
    }
}

/// Reads the tag pair that a text begins with, on its first line. Returns its name, its value and its length
/// in bytes.
fn read_tag(text: &str) -> Option<(&str, String, usize)> {
    let trim = |text| str::trim_start_matches(text, |c: char| c.is_whitespace() && !is_line_end(c));
    let inner = trim(text.strip_prefix('[')?);
    let end = inner.find(|c: char| !is_in_tag_name(c))?;
    let (name, rest) = inner.split_at(end);
    let rest = trim(rest).strip_prefix('"')?;
    if name.is_empty() {
        return None;
    }
    let mut value = String::new();
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            c if is_line_end(c) => return None,
            // A backslash before anything else stands for itself.
            '\\' => value.push(chars.next_if(|(_, c)| matches!(c, '\\' | '"')).map_or('\\', |(_, c)| c)),
            '"' => {
                let tail = trim(&rest[at + 1..]).strip_prefix(']')?;
                return Some((name, value, text.len() - tail.len()));
            }
            // As they are written.
            c if is_control(c) => value.push(' '),
            c => value.push(c),
        }
    }
    None
}
