//! The common form, modelled on chess PGN: a scanner, the reader, which PlayOK's records share, and the writer.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{
    Builder, GameRecord, GameResult, Line, Problem, ReadOptions, Reading, RecordError, Turn, is_filler,
    normal, rules_of_tags, rules_tag, variant_title,
};
use crate::notation;
use crate::types::{Color, Move};
use std::fmt::Write as _;

/// What sets apart the forms that share tags and numbered turns.
pub(super) struct Dialect {
    /// Reads a word as the actions it holds.
    pub(super) actions: fn(&str) -> Option<Vec<Move>>,
    /// What such a word looks like.
    pub(super) expected: &'static str,
    /// Whether a number without a dot is a move number.
    pub(super) plain_numbers: bool,
    /// A word to skip besides the usual ones.
    pub(super) filler: &'static str,
}

/// The common form.
pub(super) const COMMON: Dialect = Dialect {
    actions: |word| notation::split_turn(word).map(notation::read).collect(),
    expected: "a turn such as d6, a1-a4, xb4 or d5-d6xg7",
    plain_numbers: true,
    filler: "",
};

/// The pieces of a text.
enum Token<'a> {
    Tag(&'a str, String),
    Comment(&'a str),
    Open,
    Close,
    /// A mark by its number.
    Mark(u8),
    Word(&'a str),
    /// Something that cannot stand here, and what could.
    Bad(&'a str, &'static str),
}

/// Cuts a text into tokens.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The line of `at`, from 1.
    line: usize,
    /// No comment ends from here on: spares looking through the whole rest again for each that begins.
    endless: bool,
}

const SIGNS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Steps over `bytes` bytes and returns them.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, _) = self.rest().split_at_checked(bytes).unwrap_or((self.rest(), ""));
        self.at += taken.len();
        self.line += taken.bytes().filter(|&b| b == b'\n').count();
        taken
    }

    fn take_while(&mut self, of: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|c| !of(c)).unwrap_or(rest.len()))
    }

    /// The next token and the line it begins on.
    fn next(&mut self) -> Option<(usize, Token<'a>)> {
        self.take_while(char::is_whitespace);
        let line = self.line;
        let rest = self.rest();
        let token = match rest.chars().next()? {
            '{' => match if self.endless { None } else { rest.find('}') } {
                Some(end) => {
                    let text = self.take(end + 1);
                    Token::Comment(&text[1..end])
                }
                None => {
                    self.endless = true;
                    self.skip_to_tags();
                    Token::Bad("{", "a '}' that ends the comment")
                }
            },
            ';' => Token::Comment(&self.take_while(|c| c != '\n')[1..]),
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
            _ => Token::Word(self.take_while(|c| !c.is_whitespace() && !"{}();[]$!?\"".contains(c))),
        };
        Some((line, token))
    }

    /// A tag pair, which may not go past the end of the line.
    fn tag(&mut self) -> Token<'a> {
        let line = self.rest().lines().next().unwrap_or_default();
        match read_tag(line) {
            Some((name, value, length)) => {
                self.take(length);
                Token::Tag(name, value)
            }
            None => {
                self.take(line.len());
                Token::Bad(line.trim_end(), "a tag such as [White \"name\"]")
            }
        }
    }

    /// Goes on to the next line that is a tag, after a comment that never ends.
    fn skip_to_tags(&mut self) {
        self.take_while(|c| c != '\n');
        while !self.rest().is_empty() {
            let line = self.rest().trim_start_matches('\n');
            let blank = self.rest().len() - line.len();
            self.take(blank);
            if read_tag(line.lines().next().unwrap_or_default()).is_some() {
                return;
            }
            self.take_while(|c| c != '\n');
        }
    }
}

/// Reads the tag pair that a line begins with: name, value and length in bytes.
pub(super) fn read_tag(line: &str) -> Option<(&str, String, usize)> {
    let inner = line.strip_prefix('[')?.trim_start();
    let end = inner.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))?;
    let (name, rest) = inner.split_at(end);
    let rest = rest.trim_start().strip_prefix('"')?;
    if name.is_empty() {
        return None;
    }
    let mut value = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.push(chars.next()?.1),
            '"' => {
                let tail = rest[at + 1..].trim_start().strip_prefix(']')?;
                return Some((name, value, line.len() - tail.len()));
            }
            c => value.push(c),
        }
    }
    None
}

/// The tags that come first, in this order.
const ROSTER: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];

/// The tags that follow from the other fields of a game, which the model does not keep.
const DERIVED: [&str; 6] = ["Result", "Variant", "Rules", "SetUp", "FEN", "PlyCount"];

/// The tags of a game as they are read.
#[derive(Default)]
struct Header {
    tags: Vec<(String, String)>,
    /// Where each tag stands.
    lines: Vec<usize>,
}

impl Header {
    fn find(&self, name: &str) -> Option<(&str, usize)> {
        let at = self.tags.iter().position(|(n, _)| n.eq_ignore_ascii_case(name))?;
        Some((&self.tags[at].1, self.lines[at]))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.find(name).map(|(value, _)| value)
    }
}

/// Where in the file the reader is.
enum State {
    /// Between games, or in the tags of one.
    Header(Header),
    /// Among the moves.
    Moves(Box<(Header, Builder)>),
    /// In a game found broken, `depth` parentheses deep; in its tags if `tags` says so.
    Skipping { tags: bool, depth: usize },
}

struct Reader<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    dialect: &'a Dialect,
    reading: &'a mut Reading,
    /// The number of the current game.
    game: usize,
}

/// Reads all games of a text.
pub(super) fn read(file: &str, text: &str, options: &ReadOptions, dialect: &Dialect, reading: &mut Reading) {
    let mut scanner = Scanner { text, at: 0, line: 1, endless: false };
    let mut reader = Reader { file, options, dialect, reading, game: 1 };
    let mut state = State::Header(Header::default());
    while let Some((line, token)) = scanner.next() {
        state = reader.step(state, line, &token);
    }
    reader.end(state, scanner.line);
}

impl Reader<'_> {
    fn error(&mut self, line: usize, token: &str, problem: Problem) {
        let (file, token) = (self.file.to_owned(), token.to_owned());
        self.reading.errors.push(RecordError { file, line, game: self.game, token, problem });
    }

    /// Takes one token.
    fn step(&mut self, state: State, line: usize, token: &Token<'_>) -> State {
        match state {
            State::Header(header) => self.in_header(header, line, token),
            State::Moves(moves) => {
                let (header, builder) = *moves;
                self.in_moves(header, builder, line, token)
            }
            State::Skipping { tags, depth } => match token {
                Token::Tag(..) if !tags => {
                    self.game += 1;
                    self.in_header(Header::default(), line, token)
                }
                Token::Tag(..) | Token::Bad(..) if tags => State::Skipping { tags, depth },
                Token::Open => State::Skipping { tags: false, depth: depth + 1 },
                Token::Close => State::Skipping { tags: false, depth: depth.saturating_sub(1) },
                Token::Word(word) if depth == 0 && GameResult::read(word).is_some() => {
                    self.game += 1;
                    State::Header(Header::default())
                }
                _ => State::Skipping { tags: false, depth },
            },
        }
    }

    fn in_header(&mut self, mut header: Header, line: usize, token: &Token<'_>) -> State {
        match token {
            Token::Tag(name, value) => {
                let once = ROSTER.iter().chain(&DERIVED).any(|n| n.eq_ignore_ascii_case(name));
                if once && header.find(name).is_some() {
                    self.error(line, &format!("[{name}"), unreadable("each tag once in a game"));
                    return State::Skipping { tags: true, depth: 0 };
                }
                header.tags.push(((*name).to_owned(), value.clone()));
                header.lines.push(line);
                State::Header(header)
            }
            Token::Bad(found, expected) => {
                self.error(line, found, Problem::Unreadable { expected });
                // Behind a comment without an end the scanner stands at the tags of the next game.
                State::Skipping { tags: *found != "{", depth: 0 }
            }
            _ => match self.begin(&header) {
                Some(builder) => self.in_moves(header, builder, line, token),
                None => {
                    let skipping = State::Skipping { tags: false, depth: 0 };
                    self.step(skipping, line, token)
                }
            },
        }
    }

    /// Sets up the game that the tags describe.
    fn begin(&mut self, header: &Header) -> Option<Builder> {
        let variant = header.value("Variant");
        let settings = header.find("Rules");
        let rules = match rules_of_tags(variant, settings.map(|(text, _)| text), self.options.rules) {
            Ok(rules) => rules,
            Err(problem) => {
                let name = if matches!(problem, Problem::UnknownVariant) { "Variant" } else { "Rules" };
                let (token, line) = header.find(name).unwrap_or(("", 1));
                self.error(line, token, problem);
                return None;
            }
        };
        let start = header.find("FEN").map(|(text, line)| (text.to_owned(), line));
        match Builder::new(rules, start.as_ref().map(|(text, _)| text.as_str())) {
            Ok(mut builder) => {
                let derived = |name: &str| DERIVED.iter().any(|d| d.eq_ignore_ascii_case(name));
                let kept = header.tags.iter().filter(|(name, _)| !derived(name));
                let mut tags: Vec<_> = kept.cloned().collect();
                // The order in which they are written: the known ones first, the others as they came.
                tags.sort_by_key(|(name, _)| ROSTER.iter().position(|n| n == name).unwrap_or(ROSTER.len()));
                builder.game().tags = tags;
                Some(builder)
            }
            Err(why) => {
                let (token, line) = start.unwrap_or_default();
                self.error(line, &token, Problem::BadPosition(why.to_string()));
                None
            }
        }
    }

    fn in_moves(&mut self, header: Header, mut builder: Builder, line: usize, token: &Token<'_>) -> State {
        let broken = match token {
            Token::Tag(..) => {
                if builder.depth() > 0 {
                    self.unclosed(&header, builder, line);
                } else {
                    self.finish(&header, builder, None, line);
                }
                self.game += 1;
                return self.in_header(Header::default(), line, token);
            }
            Token::Comment(text) => {
                builder.comment(text);
                None
            }
            Token::Mark(mark) => {
                let fits = builder.mark(*mark);
                (!fits).then(|| (format!("${mark}"), unreadable("a turn before its mark")))
            }
            Token::Open => {
                let fits = builder.open();
                (!fits).then(|| ("(".to_owned(), unreadable("a turn that the variation replaces")))
            }
            Token::Close => {
                let fits = builder.close();
                (!fits).then(|| (")".to_owned(), unreadable("a turn; no variation is open")))
            }
            Token::Bad(found, expected) => Some(((*found).to_owned(), Problem::Unreadable { expected })),
            Token::Word(word) => match GameResult::read(word) {
                Some(result) if builder.depth() == 0 => {
                    self.finish(&header, builder, Some(result), line);
                    self.game += 1;
                    return State::Header(Header::default());
                }
                // The result of a variation says nothing about the game.
                Some(_) => None,
                None => self.turn(&mut builder, word).err(),
            },
        };
        match broken {
            None => State::Moves(Box::new((header, builder))),
            Some((found, problem)) => {
                let depth = builder.depth();
                self.error(line, &found, problem);
                self.keep(&header, builder);
                // The token itself may open or close a parenthesis that the builder did not count.
                let depth = depth + usize::from(matches!(token, Token::Open));
                State::Skipping { tags: false, depth }
            }
        }
    }

    /// Plays the actions of a word.
    fn turn(&self, builder: &mut Builder, word: &str) -> Result<(), (String, Problem)> {
        let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = word.split_at(digits);
        let dotless = rest.trim_start_matches('.');
        let word = match () {
            () if number.is_empty() || dotless.len() < rest.len() => dotless,
            () if self.dialect.plain_numbers => rest,
            () => word,
        };
        if word.is_empty() || is_filler(word) || word.eq_ignore_ascii_case(self.dialect.filler) {
            return Ok(());
        }
        let unread = || (word.to_owned(), Problem::Unreadable { expected: self.dialect.expected });
        let actions = (self.dialect.actions)(&normal(word)).ok_or_else(unread)?;
        for m in actions {
            builder.push(m).map_err(|problem| (super::quote(word, m), problem))?;
        }
        Ok(())
    }

    fn unclosed(&mut self, header: &Header, builder: Builder, line: usize) {
        self.error(line, "", unreadable("a ')' that ends the variation"));
        self.keep(header, builder);
    }

    /// Hands over a whole game.
    fn finish(&mut self, header: &Header, builder: Builder, written: Option<GameResult>, line: usize) {
        let tag = header.find("Result").map(|(text, line)| (text.trim().to_owned(), line));
        let (mut game, _) = builder.finish();
        game.result = match tag {
            None => written.unwrap_or_default(),
            Some((text, at)) => match GameResult::read(&text) {
                Some(result) => {
                    if written.is_some_and(|w| w != result) {
                        let written = written.unwrap_or_default().text();
                        self.note(
                            line,
                            format!("the moves end with {written}, the tag says {text}: kept the tag"),
                        );
                    }
                    result
                }
                None => {
                    let why =
                        format!("result '{text}', expected 1-0, 0-1, 1/2-1/2 or *: taken from the moves");
                    self.note(at, why);
                    written.unwrap_or_default()
                }
            },
        };
        self.reading.games.push(game);
    }

    /// Hands over the good part of a broken game, if that is asked for.
    fn keep(&mut self, header: &Header, mut builder: Builder) {
        if self.options.keep_partial {
            builder.drop_unfinished_turn();
            let result = header.value("Result").and_then(|text| GameResult::read(text.trim()));
            let (mut game, _) = builder.finish();
            game.result = result.unwrap_or_default();
            self.reading.games.push(game);
        }
    }

    fn note(&mut self, line: usize, text: String) {
        self.reading.notes.push(format!("{}:{line}: game {}: {text}", self.file, self.game));
    }

    /// The end of the text.
    fn end(&mut self, state: State, line: usize) {
        match state {
            State::Header(header) if header.tags.is_empty() => {}
            State::Header(header) => {
                if let Some(builder) = self.begin(&header) {
                    self.finish(&header, builder, None, line);
                }
            }
            State::Moves(moves) => {
                let (header, builder) = *moves;
                if builder.depth() > 0 {
                    self.unclosed(&header, builder, line);
                } else {
                    self.finish(&header, builder, None, line);
                }
            }
            State::Skipping { .. } => {}
        }
    }
}

fn unreadable(expected: &'static str) -> Problem {
    Problem::Unreadable { expected }
}

/// The column at which move text is wrapped.
const WIDTH: usize = 80;

/// Where the writer stands in a line: the number of the next turn, and whether its number can be left out.
#[derive(Clone, Copy)]
struct Numbering {
    number: u32,
    /// The last word written was White's turn on `number`.
    after_white: bool,
    /// White has moved on `number`: its next turn gets a new one.
    used: bool,
}

impl Numbering {
    /// The number to write before a turn, if it needs one.
    fn before(&mut self, side: Color) -> Option<String> {
        match side {
            Color::White => {
                self.number += u32::from(self.used);
                (self.used, self.after_white) = (true, true);
                Some(format!("{}.", self.number))
            }
            Color::Black => {
                let follows = std::mem::take(&mut self.after_white);
                self.used = true;
                (!follows).then(|| format!("{}...", self.number))
            }
        }
    }
}

/// Writes a game with its tags, an empty line at the end.
pub(super) fn write(game: &GameRecord) -> String {
    let mut out = String::new();
    write_tags(game, &mut out);
    out.push('\n');
    let mut column = 0;
    for word in words(game) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += length;
    }
    out.push_str("\n\n");
    out
}

fn write_tags(game: &GameRecord, out: &mut String) {
    let mut tag = |name: &str, value: &str| {
        let clean = value.replace(|c: char| c.is_control(), " ");
        let escaped = clean.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing to a string cannot fail.
        let _ = writeln!(out, "[{name} \"{escaped}\"]");
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
    for (name, value) in game.tags.iter().filter(|(name, _)| !ROSTER.contains(&name.as_str())) {
        tag(name, value);
    }
}

/// The pieces of the move text, between which it may be wrapped.
#[derive(Default)]
struct Words {
    list: Vec<String>,
    /// The next word is the first of a variation.
    opening: bool,
}

impl Words {
    fn push(&mut self, text: &str) {
        let paren = if std::mem::take(&mut self.opening) { "(" } else { "" };
        self.list.push(format!("{paren}{text}"));
    }

    fn comments(&mut self, comments: &[String]) {
        let clean = comments.iter().map(|text| super::comment(text)).filter(|text| !text.is_empty());
        clean.for_each(|text| format!("{{{text}}}").split(' ').for_each(|word| self.push(word)));
    }

    fn turn(&mut self, turn: &Turn, numbering: &mut Numbering) {
        if let Some(number) = numbering.before(turn.side) {
            self.push(&number);
        }
        let mut text: String = turn.moves.iter().map(Move::to_string).collect();
        let mut marks = turn.marks.as_slice();
        // Only the first mark can be a sign: signs in a row would read as another one.
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
        match self.list.last_mut() {
            // A variation that held nothing at all.
            _ if std::mem::take(&mut self.opening) => {}
            Some(last) => last.push(')'),
            None => {}
        }
    }
}

/// A line being written, with the variations of its latest turn that are still to come.
struct Frame<'a> {
    turns: std::slice::Iter<'a, Turn>,
    numbering: Numbering,
    /// The numbering before the latest turn, where its variations begin.
    before: Numbering,
    pending: std::slice::Iter<'a, usize>,
}

impl<'a> Frame<'a> {
    fn new(line: &'a Line, numbering: Numbering) -> Self {
        Self { turns: line.turns.iter(), numbering, before: numbering, pending: [].iter() }
    }
}

/// The move text, with the result at its end.
fn words(game: &GameRecord) -> Vec<String> {
    let number = game.start_position().map_or(1, |pos| pos.ply() / 2 + 1);
    let mut words = Words::default();
    words.comments(&game.main().comments);
    let mut frames = vec![Frame::new(game.main(), Numbering { number, after_white: false, used: false })];
    while let Some(frame) = frames.last_mut() {
        if let Some(&variation) = frame.pending.next() {
            let Some(line) = game.lines.get(variation) else { continue };
            // Behind a parenthesis, on either side, a turn of Black repeats its number.
            frame.numbering.after_white = false;
            let numbering = Numbering { after_white: false, ..frame.before };
            words.opening = true;
            words.comments(&line.comments);
            frames.push(Frame::new(line, numbering));
        } else if let Some(turn) = frame.turns.next() {
            frame.before = frame.numbering;
            words.turn(turn, &mut frame.numbering);
            frame.pending = turn.variations.iter();
        } else {
            frames.pop();
            if !frames.is_empty() {
                words.close();
            }
        }
    }
    words.push(game.result.text());
    words.list
}
