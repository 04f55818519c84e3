//! The line mode: the board printed after each turn, moves and commands read from lines. Scripts use it, and
//! people whose terminal cannot show a screen.

use super::game::decision_before;
use super::look::{is_capable, is_without_colour, variable};
use super::settings::PlaySettings;
use crate::engine::{Engine, searchable};
use crate::notation;
use crate::platform::files::read_line;
use crate::platform::text::{quoted, without_mark};
use crate::position::{Outcome, Position};
use crate::rules::{NAMED, Rules};
use crate::search::limits::{Limits, MAX_SKILL};
use crate::search::report;
use crate::tools::error::{Place, ToolError};
use crate::tools::files::{stdin, stdout};
use crate::tools::game_end::outcome_in_words;
use crate::tools::position_argument::read_position;
use crate::types::{Color, Move};
use crossbeam_channel::unbounded;
use std::io::{self, BufRead, IsTerminal, Write};
use std::time::Duration;

const HELP: &str = "\
Type a move: d6 places a man, a1-a4 slides or flies, xb4 takes a man; \
a whole turn may be typed as one word, as d6-f6xa1.
  undo             take back your last move and the answer
  hint             ask what the engine would play
  moves            list the legal moves
  go               let the engine play for the side to move
  new              begin a new game
  side white|black|both   choose what you play
  level 0..30      choose how strong the engine plays; 30 is its best
  rules <name>     choose the rules and begin a new game; without a name, list them
  fen [<text>]     show the position as text, or set one up
  help, quit";

/// A source of typed lines.
trait Lines {
    /// The next line; `None` at the end of the input.
    fn next(&mut self, prompt: &str, out: &mut dyn Write) -> Result<Option<String>, ToolError>;
}

/// A terminal, with editing and history.
struct Terminal(rustyline::DefaultEditor);

impl Lines for Terminal {
    fn next(&mut self, prompt: &str, _: &mut dyn Write) -> Result<Option<String>, ToolError> {
        use rustyline::error::ReadlineError;
        match self.0.readline(prompt) {
            Ok(line) => {
                // A history that is full or switched off is no reason to stop.
                let _ = self.0.add_history_entry(line.as_str());
                Ok(Some(line))
            }
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(error) => Err(ToolError::io(Place::Terminal)(io::Error::other(error))),
        }
    }
}

/// The most bytes of a line; the rest is dropped.
const LONGEST: u64 = 1 << 20;

/// A pipe or a file.
struct Pipe<R>(R);

impl<R: BufRead> Lines for Pipe<R> {
    fn next(&mut self, _: &str, out: &mut dyn Write) -> Result<Option<String>, ToolError> {
        out.flush().map_err(ToolError::io(Place::StandardOutput))?;
        let mut bytes = Vec::new();
        read_line(&mut self.0, LONGEST, &mut bytes).map_err(ToolError::io(Place::StandardInput))?;
        let line = || without_mark(&String::from_utf8_lossy(&bytes)).to_owned();
        Ok((!bytes.is_empty()).then(line))
    }
}

/// Plays on the terminal, or through pipes, until `quit` or the end of the input.
///
/// # Errors
/// If input cannot be read or output not be written, or threads or memory are not available.
pub(super) fn run(play: &PlaySettings) -> Result<(), ToolError> {
    let mut out = stdout()?;
    let input = stdin()?;
    let has_colour = out.is_terminal() && is_capable(variable) && !is_without_colour(variable);
    let is_interactive = input.is_terminal() && out.is_terminal();
    let mut game = Game::new(play, &mut out, has_colour).map_err(ToolError::io(Place::StandardOutput))?;
    if is_interactive {
        let editor = rustyline::DefaultEditor::new()
            .map_err(io::Error::other)
            .map_err(ToolError::io(Place::Terminal))?;
        game.is_for_people = true;
        game.run(&mut Terminal(editor))
    } else {
        game.run(&mut Pipe(input.lock()))
    }
}

struct Game<'a, W: Write> {
    engine: Engine,
    pos: Position,
    rules: Rules,
    movetime: Duration,
    side: Option<Color>,
    out: &'a mut W,
    has_colour: bool,
    /// True if the end of the game is printed as a sentence. Scripts read the name of the reason.
    is_for_people: bool,
}

impl<'a, W: Write> Game<'a, W> {
    fn new(play: &PlaySettings, out: &'a mut W, has_colour: bool) -> io::Result<Self> {
        let engine = Engine::new().map_err(io::Error::other)?;
        let mut game = Self {
            engine,
            pos: Position::new(&play.rules),
            rules: play.rules,
            movetime: play.movetime,
            side: play.side,
            out,
            has_colour,
            is_for_people: false,
        };
        game.set_option("SkillLevel", &play.level.to_string())?;
        game.set_rules(play.rules)?;
        Ok(game)
    }

    fn run(&mut self, lines: &mut dyn Lines) -> Result<(), ToolError> {
        let failure = || ToolError::io(Place::StandardOutput);
        self.begin().map_err(failure())?;
        loop {
            while self.is_engines_turn() && self.let_engine_play().map_err(failure())? {}
            let prompt = match self.pos.mover() {
                Some(color) if !self.pos.outcome().is_over() => format!("{color}> "),
                _ => "game over> ".to_owned(),
            };
            let Some(line) = lines.next(&prompt, &mut *self.out)? else { return Ok(()) };
            if !self.execute(line.trim()).map_err(failure())? {
                return Ok(());
            }
        }
    }

    fn begin(&mut self) -> io::Result<()> {
        writeln!(self.out, "{}. Type help for a list of commands.", self.title())?;
        self.draw()
    }

    fn title(&self) -> String {
        let name = self.rules.name();
        let title = NAMED.iter().find(|row| row.name == name).map(|row| row.title.to_owned());
        title.unwrap_or_else(|| self.rules.describe())
    }

    fn is_engines_turn(&self) -> bool {
        let is_theirs = self.side.is_some_and(|side| side != self.pos.side_to_move());
        is_theirs && !self.pos.legal_moves().is_empty()
    }

    /// Executes one line; returns false to end the game.
    fn execute(&mut self, line: &str) -> io::Result<bool> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let takes_nothing =
            matches!(word, "quit" | "exit" | "help" | "?" | "moves" | "undo" | "hint" | "go" | "new");
        if takes_nothing && !rest.is_empty() {
            writeln!(self.out, "{word}: found {}, expected nothing after it", quoted(rest))?;
            return Ok(true);
        }
        match word {
            "" => {}
            "quit" | "exit" => return Ok(false),
            "help" | "?" => writeln!(self.out, "{HELP}")?,
            "moves" => {
                let moves: Vec<String> = self.pos.legal_moves().iter().map(Move::to_string).collect();
                writeln!(self.out, "{}", moves.join(" "))?;
            }
            "undo" => self.undo()?,
            "hint" => match self.think()? {
                Some(best) => writeln!(self.out, "hint: {best}")?,
                None => writeln!(self.out, "{}", self.why_no_move())?,
            },
            "go" => {
                self.let_engine_play()?;
            }
            "new" => {
                self.pos = Position::new(&self.rules);
                self.engine.new_game();
                self.draw()?;
            }
            "level" => match rest.parse::<u32>() {
                Ok(level) if level <= MAX_SKILL => {
                    self.set_option("SkillLevel", &level.to_string())?;
                    writeln!(self.out, "level {level}")?;
                }
                _ => {
                    let (found, most) = (quoted(rest), MAX_SKILL);
                    writeln!(self.out, "level: found {found}, expected a number from 0 to {most}")?;
                }
            },
            "side" => {
                let side = match rest {
                    "white" | "w" => Some(Some(Color::White)),
                    "black" | "b" => Some(Some(Color::Black)),
                    "both" => Some(None),
                    _ => None,
                };
                match side {
                    Some(side) => self.side = side,
                    None => {
                        writeln!(self.out, "side: found {}, expected white, black or both", quoted(rest))?;
                    }
                }
            }
            "rules" => self.choose_rules(rest)?,
            "fen" if rest.is_empty() => writeln!(self.out, "{}", self.pos.fen())?,
            "fen" => match read_position(&self.rules, rest) {
                Ok(pos) => {
                    self.pos = pos;
                    self.draw()?;
                }
                Err(error) => writeln!(self.out, "fen: {error}")?,
            },
            _ if rest.is_empty() => self.play_turn(word)?,
            _ => writeln!(
                self.out,
                "found {}, expected one command, move or turn; or type help",
                quoted(line)
            )?,
        }
        Ok(true)
    }

    fn choose_rules(&mut self, text: &str) -> io::Result<()> {
        if text.is_empty() {
            for row in &NAMED {
                writeln!(self.out, "{:13} {}: {}", row.name, row.title, row.summary)?;
            }
            return Ok(());
        }
        match Rules::parse(text) {
            Ok(rules) => {
                self.set_rules(rules)?;
                writeln!(self.out, "{}", self.title())?;
                self.draw()
            }
            Err(error) => writeln!(self.out, "rules: {error}"),
        }
    }

    /// Plays what a person typed: a move, or a whole turn as one word.
    fn play_turn(&mut self, text: &str) -> io::Result<()> {
        if self.pos.outcome().is_over() {
            let can_undo = decision_before(&self.pos, self.side).is_some();
            let undo = if can_undo { " or undo" } else { "" };
            return writeln!(self.out, "the game is over; type new{undo}");
        }
        match notation::parse_turn(&self.pos, text) {
            Ok((_, after)) => self.pos = after,
            Err(error) => return writeln!(self.out, "{error}; or type help"),
        }
        self.draw()
    }

    fn undo(&mut self) -> io::Result<()> {
        let Some(pos) = decision_before(&self.pos, self.side) else {
            return writeln!(self.out, "there is nothing to take back");
        };
        self.pos = pos;
        self.draw()
    }

    /// Plays a move of the engine. Returns false if there is none.
    fn let_engine_play(&mut self) -> io::Result<bool> {
        let found = self.think()?;
        if found.is_none() {
            writeln!(self.out, "{}", self.why_no_move())?;
        }
        let other = || self.engine.move_without_search(&self.pos.legal_moves());
        let Some(m) = found.or_else(other) else {
            return Ok(false);
        };
        let mover = self.pos.side_to_move();
        self.pos.do_move(m);
        writeln!(self.out, "Millstone plays {m} for {mover}")?;
        self.draw()?;
        Ok(true)
    }

    /// Returns the reason for which the engine has found no move. A search fails without memory for it.
    fn why_no_move(&self) -> &'static str {
        if self.pos.legal_moves().is_empty() { "there is no move" } else { "the search was lost" }
    }

    /// Returns the move that the engine would play.
    fn think(&mut self) -> io::Result<Option<Move>> {
        self.out.flush()?;
        let Ok(root) = searchable(&self.pos, false) else { return Ok(None) };
        let (sender, reports) = unbounded();
        let limits = Limits { movetime: Some(self.movetime), ..Limits::default() };
        self.engine.start(root, limits, 1, sender);
        Ok(report::wait(&reports).and_then(|result| result.best))
    }

    /// Begins a game under these rules.
    fn set_rules(&mut self, rules: Rules) -> io::Result<()> {
        self.engine.set_rules(&rules);
        for note in self.engine.prepare() {
            writeln!(self.out, "{note}")?;
        }
        self.engine.new_game();
        self.rules = rules;
        self.pos = Position::new(&rules);
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.engine.set_option(name, Some(value)).map(|_| ()).map_err(io::Error::other)
    }

    /// Draws the board and prints the state of the game.
    fn draw(&mut self) -> io::Result<()> {
        writeln!(self.out)?;
        for line in self.pos.drawing().lines() {
            // The last line names files and the first column ranks; men are the only other O and @.
            let line = if self.has_colour {
                line.replace('O', "\x1b[1;93mO\x1b[0m").replace('@', "\x1b[1;96m@\x1b[0m")
            } else {
                line.to_owned()
            };
            writeln!(self.out, "  {line}")?;
        }
        let [white, black] = Color::ALL.map(|color| match self.pos.hand(color) {
            0 => String::new(),
            hand => format!(", {hand} in hand"),
        });
        writeln!(self.out, "  O White{white}   @ Black{black}")?;
        let outcome = self.pos.outcome();
        if outcome.is_over() {
            let text =
                if self.is_for_people { outcome_in_words(outcome, &self.rules) } else { ending(outcome) };
            return writeln!(self.out, "{text}");
        }
        let task = if self.pos.is_take_due() { "takes a man" } else { "to move" };
        writeln!(self.out, "{} {task}", self.pos.side_to_move())
    }
}

fn ending(outcome: Outcome) -> String {
    let reason = outcome.reason.name();
    match outcome.winner {
        Some(color) => format!("Game over: {color} wins ({reason})"),
        None if outcome.is_draw() => format!("Game over: a draw ({reason})"),
        // A position text that says "over" need not tell the winner.
        None => format!("Game over: winner unknown ({reason})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what the program prints when these lines are typed.
    fn session(play: &PlaySettings, lines: &str) -> String {
        let mut out = Vec::new();
        Game::new(play, &mut out, false).unwrap().run(&mut Pipe(lines.as_bytes())).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn play(side: Option<Color>) -> PlaySettings {
        PlaySettings { movetime: Duration::from_millis(5), side, ..PlaySettings::default() }
    }

    #[test]
    fn a_wrong_move_gets_the_reason_and_the_legal_moves() {
        let text = session(&play(None), "\u{feff}d6\nd6\nf4 \nfoo\nquit\nd2\n");
        assert!(text.contains("illegal move 'd6', expected one of d5 e5"), "{text}");
        assert!(text.contains("found 'foo', expected a move"), "{text}");
        assert!(!text.contains("6 in hand"), "nothing after quit: {text}");
    }

    #[test]
    fn the_engine_answers_and_undo_takes_both_moves_back() {
        let text = session(&play(Some(Color::White)), "d6\nundo\nfen\nside black\nundo\nquit");
        assert!(text.contains("Millstone plays") && text.contains("for black"), "{text}");
        assert!(text.contains("********/********/******** w p p 0 9 0 9 "), "{text}");
        assert_eq!(text.matches("for white").count(), 1, "its opening move stays: {text}");
        assert!(text.contains("there is nothing to take back"), "{text}");
    }

    #[test]
    fn commands_are_answered_with_what_was_expected() {
        let lines = "level 31\nside green\nrules chess\nrules lasker\nfen nonsense\nhint\nmoves\nundo\nhelp\n\
                     level 3\nnew";
        let text = session(&play(None), lines);
        for expected in [
            "expected a number from 0 to 30",
            "expected white, black or both",
            "no such rule set 'chess'",
            "Lasker Morris",
            "expected 17 fields",
            "hint: ",
            "d5 e5 e4",
            "nothing to take back",
            "Type a move",
            "level 3",
        ] {
            assert!(text.contains(expected), "no '{expected}' in {text}");
        }
    }

    #[test]
    fn startpos_is_a_position_too() {
        let text = session(&play(None), "d6\nfen startpos\nfen\nfen startpos moves d6\n");
        assert!(text.contains("********/********/******** w p p 0 9 0 9 "), "{text}");
        assert!(text.contains("found 'startpos moves d6', expected startpos alone"), "{text}");
    }

    #[test]
    fn after_the_end_undo_is_named_only_if_there_is_something_to_take_back() {
        let fen = "fen *@***@**/***@****/O*****OO w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let text = session(&play(None), &format!("{fen}\na4-g7xe5\nd6\n"));
        assert!(text.contains("type new or undo\n"), "{text}");
        let over = "fen ********/********/OO***@@O w m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes\nd6\n";
        assert!(session(&play(None), over).contains("type new\n"));
    }

    #[test]
    fn a_mill_may_be_typed_as_one_word_and_the_end_is_told() {
        let text = session(&play(None), "d6\na1\nf4\ng1\nd2\nd1xd2\nfen\n");
        assert!(text.contains(" w p p 2 6 3 6 0 0 "), "{text}");
        // The take of a blocked Black, whom the engine plays.
        let settings = PlaySettings {
            rules: Rules::parse("nine,MayFly=false,StalemateAction=5").unwrap(),
            ..play(None)
        };
        let blocked =
            "fen ********/****O***/O@O**@O@ w m s 4 0 3 0 0 0 -1 -1 -1 -1 0 0 30 ids:nodes\nd2-d1xg4";
        let text = session(&settings, blocked);
        assert!(text.contains("found 'xg4' after a complete turn"), "{text}");
        let over = "fen ********/********/OO***@@O w m s 3 0 2 0 0 0 -1 -1 -1 -1 0 0 9 ids:nodes\nd6\ngo";
        let text = session(&play(Some(Color::Black)), over);
        assert!(text.contains("Game over: white wins"), "{text}");
        let over = "fen O**O****/@**@**@*/******** w o s 2 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
        let text = session(&play(None), over);
        assert!(text.contains("Game over: winner unknown (loseFewerThanThree)"), "{text}");
    }
}
