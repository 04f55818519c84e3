//! Writes games in the common format.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::syntax::{DERIVED, ROSTER, SIGNS, is_tag_name};
use crate::platform::text::is_control;
use crate::record::model::{GameRecord, RecordLine, Turn, comment};
use crate::record::numbering::{Numbering, TurnNumber};
use crate::record::tags::{rules_tag, variant_title};
use crate::types::{Color, Move};
use std::fmt::Write as _;
use std::mem;

/// The column at which move text is wrapped.
const WIDTH: usize = 80;

/// Returns a game with its tags, with an empty line at the end.
pub(in crate::record) fn write(game: &GameRecord) -> String {
    let mut out = String::new();
    write_tags(game, &mut out);
    out.push('\n');
    let mut text = MoveText { out, column: 0, latest: String::new(), opening: false };
    write_moves(game, &mut text);
    text.flush();
    out = text.out;
    out.push_str("\n\n");
    out
}

fn write_tags(game: &GameRecord, out: &mut String) {
    let mut tag = |name: &str, value: &str| {
        out.reserve(name.len() + value.len() + 6);
        // Writing to a string cannot fail.
        let _ = write!(out, "[{name} \"");
        for c in value.chars() {
            if matches!(c, '\\' | '"') {
                out.push('\\');
            }
            out.push(if is_control(c) { ' ' } else { c });
        }
        out.push_str("\"]\n");
    };
    for name in ROSTER {
        if let Some(value) = game.tag(name) {
            tag(name, value);
        }
    }
    tag("Result", game.result.text());
    match variant_title(&game.rules) {
        Some(title) => tag("Variant", title),
        None => {
            tag("Variant", "Custom");
            tag("Rules", &rules_tag(&game.rules));
        }
    }
    if let Some(start) = &game.start {
        tag("SetUp", "1");
        tag("FEN", start);
    }
    tag("PlyCount", &game.moves().count().to_string());
    let is_written = |name: &str| ROSTER.iter().chain(&DERIVED).any(|n| n.eq_ignore_ascii_case(name));
    for (name, value) in game.tags.iter().filter(|(name, _)| is_tag_name(name) && !is_written(name)) {
        tag(name, value);
    }
}

/// The move text: words between which lines may break. There is no list of them, which would take many times
/// the memory of a long comment.
struct MoveText {
    out: String,
    /// The length of the last line.
    column: usize,
    /// The latest word, which is not written yet: a parenthesis may follow it. Empty at the beginning.
    latest: String,
    /// The next word is the first of a variation.
    opening: bool,
}

impl MoveText {
    fn push(&mut self, text: &str) {
        self.flush();
        if mem::take(&mut self.opening) {
            self.latest.push('(');
        }
        self.latest.push_str(text);
    }

    /// Writes the latest word.
    fn flush(&mut self) {
        let length = self.latest.chars().count();
        if length == 0 {
            return;
        }
        if self.column > 0 && self.column + 1 + length > WIDTH {
            self.out.push('\n');
            self.column = 0;
        }
        if self.column > 0 {
            self.out.push(' ');
            self.column += 1;
        }
        self.out.push_str(&self.latest);
        self.column += length;
        self.latest.clear();
    }

    fn comments(&mut self, comments: &[String]) {
        for mut text in comments.iter().map(|text| comment(text)).filter(|text| !text.is_empty()) {
            text.insert(0, '{');
            text.push('}');
            text.split(' ').for_each(|word| self.push(word));
        }
    }

    /// Writes a turn. That of Black has a number only if it does not follow White's turn.
    fn turn(&mut self, turn: &Turn, number: u32, follows: bool) {
        match turn.side {
            Color::White => self.push(&format!("{number}.")),
            Color::Black if follows => {}
            Color::Black => self.push(&format!("{number}...")),
        }
        let mut text: String = turn.moves.iter().map(Move::to_string).collect();
        let mut marks = turn.marks.as_slice();
        // Only the first mark is written as a sign: two signs in a row can be read as another one.
        if let Some((&first, rest)) = marks.split_first()
            && let Some((sign, _)) = SIGNS.iter().find(|(_, mark)| *mark == first)
        {
            text.push_str(sign);
            marks = rest;
        }
        self.push(&text);
        marks.iter().for_each(|mark| self.push(&format!("${mark}")));
        self.comments(&turn.comments);
    }

    fn close(&mut self) {
        // An empty variation has no parentheses.
        if !mem::take(&mut self.opening) && !self.latest.is_empty() {
            self.latest.push(')');
        }
    }
}

/// A line being written, with the variations of its latest turn that are not yet written.
struct OpenLine<'a> {
    turns: std::slice::Iter<'a, Turn>,
    numbering: Numbering,
    /// The numbering before the latest turn, where its variations begin.
    before: Numbering,
    /// True after a parenthesis of either kind, where a turn of Black repeats its number.
    is_interrupted: bool,
    pending: std::slice::Iter<'a, usize>,
}

impl<'a> OpenLine<'a> {
    fn new(line: &'a RecordLine, numbering: Numbering) -> Self {
        Self {
            turns: line.turns.iter(),
            numbering,
            before: numbering,
            is_interrupted: true,
            pending: [].iter(),
        }
    }
}

/// Writes the move text, with the result at the end.
fn write_moves(game: &GameRecord, words: &mut MoveText) {
    words.comments(&game.main().comments);
    let mut frames = vec![OpenLine::new(game.main(), Numbering::of(game))];
    // A line is written once, so that a record from elsewhere whose lines branch from themselves has an end.
    let mut is_written = vec![false; game.lines.len()];
    if let Some(main) = is_written.first_mut() {
        *main = true;
    }
    while let Some(frame) = frames.last_mut() {
        if let Some(&variation) = frame.pending.next() {
            let is_new = is_written.get_mut(variation).is_some_and(|written| !mem::replace(written, true));
            let Some(line) = game.lines.get(variation).filter(|_| is_new) else { continue };
            frame.is_interrupted = true;
            let numbering = frame.before;
            words.opening = true;
            words.comments(&line.comments);
            frames.push(OpenLine::new(line, numbering));
        } else if let Some(turn) = frame.turns.next() {
            frame.before = frame.numbering;
            let TurnNumber { number, is_answer } = frame.numbering.next(turn.side);
            let is_interrupted = mem::take(&mut frame.is_interrupted);
            words.turn(turn, number, is_answer && !is_interrupted);
            frame.pending = turn.variations.iter();
        } else {
            frames.pop();
            if !frames.is_empty() {
                words.close();
            }
        }
    }
    words.push(game.result.text());
}
