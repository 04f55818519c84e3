//! Reads games with tags and numbered turns, token by token.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::scan::{Scanner, Token};
use super::syntax::{DERIVED, PgnDialect, ROSTER, is_derived_tag};
use crate::record::build::Builder;
use crate::record::model::GameResult;
use crate::record::reading::{Problem, ReadOptions, Reading, RecordError};
use crate::record::tags::rules_of_tags;
use crate::record::words::{normal, quote};

const COMMENT_END: &str = "a '}' that ends the comment";

/// The tags of a game as they are read, and the comments before and between them.
#[derive(Default)]
struct GameTags<'a> {
    tags: Vec<(String, String)>,
    /// The line of each tag in the text.
    lines: Vec<usize>,
    comments: Vec<&'a str>,
    /// True behind the empty line that ends the tags.
    is_complete: bool,
}

impl GameTags<'_> {
    fn find(&self, name: &str) -> Option<(&str, usize)> {
        let at = self.tags.iter().position(|(n, _)| n.eq_ignore_ascii_case(name))?;
        Some((&self.tags[at].1, self.lines[at]))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.find(name).map(|(value, _)| value)
    }

    /// Takes out the tags that a game keeps. Those that follow from other fields of the game stay.
    fn take_kept(&mut self) -> Vec<(String, String)> {
        let all = std::mem::take(self);
        let mut kept = Vec::new();
        for (tag, line) in all.tags.into_iter().zip(all.lines) {
            if is_derived_tag(&tag.0) {
                self.tags.push(tag);
                self.lines.push(line);
            } else {
                kept.push(tag);
            }
        }
        kept
    }
}

/// A game whose moves are being read.
struct OpenGame<'a> {
    header: GameTags<'a>,
    builder: Builder,
    /// True after the first move number.
    is_numbered: bool,
    /// The dialect, known from the first turn on.
    dialect: Option<&'a PgnDialect>,
}

/// The part of the text that the reader is in.
enum ReaderState<'a> {
    /// Between games, or in the tags of one.
    Tags(GameTags<'a>),
    /// Among the moves.
    Moves(Box<OpenGame<'a>>),
    /// In a broken game, inside `depth` parentheses; `tags` is true in its tags.
    Skipping { tags: bool, depth: usize },
}

struct Reader<'a> {
    file: &'a str,
    options: &'a ReadOptions,
    /// The dialects that a game may have.
    dialects: &'a [&'a PgnDialect],
    reading: &'a mut Reading,
    /// The number of the current game.
    game: usize,
    /// The line of the latest result at the end of a game.
    result_line: usize,
    /// True if an empty line stands before the current token.
    after_empty_line: bool,
}

/// Reads all games of a text.
pub(in crate::record) fn read(
    file: &str,
    text: &str,
    options: &ReadOptions,
    dialects: &[&PgnDialect],
    reading: &mut Reading,
) {
    let mut scanner = Scanner::new(text);
    let (result_line, after_empty_line) = (0, false);
    let mut reader = Reader { file, options, dialects, reading, game: 1, result_line, after_empty_line };
    let mut state = ReaderState::Tags(GameTags::default());
    let mut line_before = 1;
    while let Some((line, token)) = scanner.next() {
        reader.after_empty_line = line > line_before + 1;
        if matches!(token, Token::Endless) {
            scanner.skip_to_tags();
        }
        state = reader.step(state, line, token);
        line_before = scanner.line;
    }
    reader.end(state, scanner.line);
}

impl<'a> Reader<'a> {
    fn error(&mut self, line: usize, token: &str, problem: Problem) {
        let error = self.fault(line, token, problem);
        self.reading.errors.push(error);
    }

    fn note(&mut self, line: usize, token: &str, problem: Problem) {
        let note = self.fault(line, token, problem);
        self.reading.notes.push(note);
    }

    fn fault(&self, line: usize, token: &str, problem: Problem) -> RecordError {
        let (file, token) = (self.file.to_owned(), token.to_owned());
        RecordError { file, line, game: self.game, token, problem }
    }

    /// Processes one token.
    fn step(&mut self, state: ReaderState<'a>, line: usize, token: Token<'a>) -> ReaderState<'a> {
        match state {
            ReaderState::Tags(header) => self.in_header(header, line, token),
            ReaderState::Moves(game) => self.in_moves(game, line, token),
            ReaderState::Skipping { tags, depth } => match token {
                Token::Tag(..) if !tags || self.after_empty_line => {
                    self.game += 1;
                    self.in_header(GameTags::default(), line, token)
                }
                Token::Tag(..) | Token::Bad(..) | Token::Comment(..) if tags => {
                    ReaderState::Skipping { tags: !self.after_empty_line, depth }
                }
                Token::Open => ReaderState::Skipping { tags: false, depth: depth + 1 },
                Token::Close => ReaderState::Skipping { tags: false, depth: depth.saturating_sub(1) },
                Token::Word(word) if depth == 0 && GameResult::read(word).is_some() => self.next_game(line),
                _ => ReaderState::Skipping { tags: false, depth },
            },
        }
    }

    /// Goes on behind the result of a game.
    fn next_game(&mut self, line: usize) -> ReaderState<'a> {
        self.game += 1;
        self.result_line = line;
        ReaderState::Tags(GameTags::default())
    }

    /// Adds a comment to the game before the current one. A broken game ends at its error, without comments
    /// behind it.
    fn comment_behind(&mut self, text: &str) {
        let Reading { games, numbers, errors, .. } = &mut *self.reading;
        let is_before = |number: usize| number + 1 == self.game;
        if numbers.last().is_some_and(|&number| is_before(number))
            && !errors.last().is_some_and(|error| is_before(error.game))
            && let Some(line) = games.last_mut().and_then(|game| game.lines.first_mut())
        {
            line.add_comment(text);
        }
    }

    fn in_header(&mut self, mut header: GameTags<'a>, line: usize, token: Token<'a>) -> ReaderState<'a> {
        header.is_complete |= self.after_empty_line && !header.tags.is_empty();
        match token {
            // That game has no moves.
            Token::Tag(..) if header.is_complete => {
                self.end(ReaderState::Tags(header), line);
                self.game += 1;
                self.in_header(GameTags::default(), line, token)
            }
            Token::Tag(name, value) => {
                let once = ROSTER.iter().chain(&DERIVED).any(|n| n.eq_ignore_ascii_case(name));
                if once && header.find(name).is_some() {
                    self.error(line, &format!("[{name}"), unreadable("each tag once in a game"));
                    return ReaderState::Skipping { tags: true, depth: 0 };
                }
                header.tags.push((name.to_owned(), value));
                header.lines.push(line);
                ReaderState::Tags(header)
            }
            Token::Bad(found, expected) => {
                self.error(line, found, unreadable(expected));
                ReaderState::Skipping { tags: true, depth: 0 }
            }
            Token::Endless => {
                self.error(line, "{", unreadable(COMMENT_END));
                // The scanner is at the tags of the next game.
                ReaderState::Skipping { tags: false, depth: 0 }
            }
            // On the line of a result it belongs to that game, else to the game that begins here.
            Token::Comment(text) if line == self.result_line && header.tags.is_empty() => {
                self.comment_behind(text);
                ReaderState::Tags(header)
            }
            Token::Comment(text) => {
                header.comments.push(text);
                ReaderState::Tags(header)
            }
            Token::Word(word) if PgnDialect::is_skipped(self.dialects, word) => ReaderState::Tags(header),
            _ => match self.begin(&mut header) {
                Some(builder) => {
                    let game = OpenGame { header, builder, is_numbered: false, dialect: None };
                    self.in_moves(Box::new(game), line, token)
                }
                None => {
                    let skipping = ReaderState::Skipping { tags: false, depth: 0 };
                    self.step(skipping, line, token)
                }
            },
        }
    }

    /// Sets up the game that the tags describe, and moves those into it that are not derived from others.
    fn begin(&mut self, header: &mut GameTags<'a>) -> Option<Builder> {
        let variant = header.value("Variant");
        let settings = header.find("Rules");
        let rules = match rules_of_tags(variant, settings.map(|(text, _)| text), self.options.rules) {
            Ok((rules, is_known)) => {
                if !is_known && let Some((token, line)) = header.find("Variant") {
                    self.note(line, token, Problem::OtherVariant(rules));
                }
                rules
            }
            Err(problem) => {
                let is_variant = matches!(problem, Problem::UnknownVariant | Problem::NoRules);
                let name = if is_variant { "Variant" } else { "Rules" };
                let (token, line) = header.find(name).unwrap_or(("", 1));
                self.error(line, token, problem);
                return None;
            }
        };
        let start = header.find("FEN");
        match Builder::new(rules, start.map(|(text, _)| text)) {
            Ok(mut builder) => {
                header.comments.drain(..).for_each(|text| builder.comment(text));
                // Not copied: a value may be as long as the file.
                let mut others = header.take_kept();
                // In the order of the writer: the tags of the roster first, the others as in the text.
                let mut tags = Vec::with_capacity(others.len());
                for name in ROSTER {
                    tags.extend(others.extract_if(.., |(tag, _)| tag.eq_ignore_ascii_case(name)));
                }
                tags.append(&mut others);
                builder.game().tags = tags;
                Some(builder)
            }
            Err(why) => {
                let (token, line) = start.unwrap_or_default();
                self.error(line, token, Problem::BadPosition(why));
                None
            }
        }
    }

    fn in_moves(&mut self, mut game: Box<OpenGame<'a>>, line: usize, token: Token<'a>) -> ReaderState<'a> {
        let OpenGame { builder, is_numbered, .. } = &mut *game;
        let broken = match token {
            Token::Tag(..) => {
                self.end_without_result(*game, line);
                self.game += 1;
                return self.in_header(GameTags::default(), line, token);
            }
            Token::Comment(text) => {
                builder.comment(text);
                None
            }
            Token::Mark(mark) => {
                let fits = builder.mark(mark);
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
            Token::Bad(found, expected) => Some((found.to_owned(), unreadable(expected))),
            Token::Endless => Some(("{".to_owned(), unreadable(COMMENT_END))),
            Token::Number(has_digits) => {
                *is_numbered |= has_digits;
                None
            }
            Token::Word(word) => match GameResult::read(word) {
                Some(result) if builder.depth() == 0 => {
                    self.finish(*game, Some(result), line);
                    return self.next_game(line);
                }
                // The result of a variation says nothing about the game.
                Some(_) => None,
                None => self.turn(&mut game, word).err(),
            },
        };
        match broken {
            None => ReaderState::Moves(game),
            Some((found, problem)) => {
                let depth = game.builder.depth();
                self.error(line, &found, problem);
                self.keep(*game);
                // The builder did not count a parenthesis that this token opens.
                let depth = depth + usize::from(matches!(token, Token::Open));
                ReaderState::Skipping { tags: false, depth }
            }
        }
    }

    /// Plays the moves of a word.
    fn turn(&self, game: &mut OpenGame<'a>, word: &str) -> Result<(), (String, Problem)> {
        let dialects = self.dialects;
        if PgnDialect::is_skipped(game.dialect.as_ref().map_or(dialects, std::slice::from_ref), word) {
            return Ok(());
        }
        let dialect = *game.dialect.get_or_insert_with(|| {
            let mut tags = game.builder.game().tags.iter();
            let site = tags.find(|(name, _)| name.eq_ignore_ascii_case("Site"));
            PgnDialect::of_game(dialects, site.map(|(_, value)| value.as_str()), game.is_numbered, word)
        });
        let unread = || (word.to_owned(), unreadable(dialect.expected));
        let moves = (dialect.moves)(&normal(word)).ok_or_else(unread)?;
        let played = game.builder.push_turn(&moves);
        played.map_err(|(m, legal)| (quote(word, m), Problem::Illegal { legal }))
    }

    /// Ends a game at the tags of the next one or at the end of the text.
    fn end_without_result(&mut self, game: OpenGame<'a>, line: usize) {
        if game.builder.depth() > 0 {
            self.error(line, "", unreadable("a ')' that ends the variation"));
            self.keep(game);
        } else {
            self.finish(game, None, line);
        }
    }

    /// Adds a whole game to the result.
    fn finish(&mut self, game: OpenGame<'a>, written: Option<GameResult>, line: usize) {
        let tag = game.header.find("Result").map(|(text, line)| (text.trim().to_owned(), line));
        let (mut game, _) = game.builder.finish();
        game.result = match tag {
            None => written.unwrap_or_default(),
            Some((text, at)) => match GameResult::read(&text) {
                Some(result) => {
                    if let Some(written) = written.filter(|&written| written != result) {
                        self.note(line, &text, Problem::OtherResult(written));
                    }
                    result
                }
                None => {
                    self.note(at, &text, Problem::NoResult);
                    written.unwrap_or_default()
                }
            },
        };
        self.reading.push(self.game, game);
    }

    /// Adds the good part of a broken game to the result, if the options say so.
    fn keep(&mut self, OpenGame { header, mut builder, .. }: OpenGame<'a>) {
        if self.options.keep_partial {
            builder.drop_unfinished_turn();
            // A variation may stand before the takes of the turn that it replaces.
            while builder.close() {
                builder.drop_unfinished_turn();
            }
            let result = header.value("Result").and_then(|text| GameResult::read(text.trim()));
            let (mut game, _) = builder.finish();
            game.result = result.unwrap_or_default();
            self.reading.push(self.game, game);
        }
    }

    /// Ends the last game at the end of the text.
    fn end(&mut self, state: ReaderState<'a>, line: usize) {
        match state {
            ReaderState::Tags(header) if header.tags.is_empty() => {
                header.comments.into_iter().for_each(|text| self.comment_behind(text));
            }
            ReaderState::Tags(mut header) => {
                if let Some(builder) = self.begin(&mut header) {
                    let game = OpenGame { header, builder, is_numbered: false, dialect: None };
                    self.finish(game, None, line);
                }
            }
            ReaderState::Moves(game) => self.end_without_result(*game, line),
            ReaderState::Skipping { .. } => {}
        }
    }
}

fn unreadable(expected: &'static str) -> Problem {
    Problem::Unreadable { expected }
}
