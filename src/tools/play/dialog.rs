//! Dialogs over the board: help, questions, lines to type in, and the settings of a game.

use super::game::PlayedGame;
use super::settings::PlaySettings;
use crate::rules::{NAMED, Rules};
use crate::search::limits::MAX_SKILL;
use crate::types::Color;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;
use std::time::Duration;

/// A question that `y` or `n` answers.
#[derive(Clone, Debug)]
pub(super) enum Confirmation {
    /// Resign the game for this side?
    Resign(Color),
    /// End the program?
    Quit,
    /// Go on with this game, the last one?
    Resume(Box<PlayedGame>),
    /// Replace a file?
    Replace(PathBuf),
    /// Begin a game with these settings in place of one that is not saved?
    Begin(PlaySettings),
    /// Load a file in its place?
    Load(PathBuf),
}

/// The purpose of a typed line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinePurpose {
    /// The name of a file to write.
    Save,
    /// The name of a file to read.
    Load,
    /// A move.
    Move,
}

/// The settings of a game while they are chosen.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// True for a new game; the rules of one that is being played stay.
    pub(super) is_new: bool,
    /// The rule sets to choose from, with their titles.
    rules: Vec<(String, Rules)>,
    rule: usize,
    settings: PlaySettings,
    /// The row that the arrow keys change.
    pub(super) row: usize,
}

/// Thinking times to choose from, in milliseconds.
const TIMES: [u64; 10] = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000];

impl Setup {
    /// Begins with the settings of the present game.
    pub(super) fn new(settings: &PlaySettings, is_new: bool) -> Self {
        let mut rules: Vec<(String, Rules)> =
            NAMED.iter().map(|row| (row.title.to_owned(), row.rules)).collect();
        let rule = rules.iter().position(|(_, rules)| *rules == settings.rules).unwrap_or_else(|| {
            rules.push((settings.rules.describe(), settings.rules));
            rules.len() - 1
        });
        Self { is_new, rules, rule, settings: settings.clone(), row: 0 }
    }

    /// The rows as name and value.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let side = match self.settings.side {
            Some(Color::White) => "White",
            Some(Color::Black) => "Black",
            None => "both sides",
        };
        let level = match self.settings.level {
            MAX_SKILL => format!("{MAX_SKILL} (strongest)"),
            level => level.to_string(),
        };
        let time = format!("{} s a move", self.settings.movetime.as_secs_f64());
        let mut rows = vec![("You play", side.to_owned()), ("Level", level), ("Time", time)];
        if self.is_new {
            let title = self.rules.get(self.rule).map_or("", |(title, _)| title);
            rows.insert(0, ("Rules", title.to_owned()));
        }
        rows
    }

    /// One line about the chosen rules.
    pub(super) fn summary(&self) -> &'static str {
        let rules = self.rules.get(self.rule).map(|(_, rules)| *rules);
        NAMED.iter().find(|row| Some(row.rules) == rules).map_or("", |row| row.summary)
    }

    /// Changes the value of the row, one step forward or back.
    fn step(&mut self, forward: bool) {
        let turn = |at: usize, count: usize| (at + if forward { 1 } else { count - 1 }) % count;
        let row = self.row + usize::from(!self.is_new);
        let settings = &mut self.settings;
        match row {
            0 => {
                self.rule = turn(self.rule, self.rules.len());
                if let Some((_, rules)) = self.rules.get(self.rule) {
                    settings.rules = *rules;
                }
            }
            1 => {
                let sides = [Some(Color::White), Some(Color::Black), None];
                let at = sides.iter().position(|side| *side == settings.side).unwrap_or_default();
                settings.side = sides[turn(at, sides.len())];
            }
            2 => {
                let level = settings.level;
                settings.level = if forward { (level + 1).min(MAX_SKILL) } else { level.saturating_sub(1) };
            }
            _ => {
                let now = settings.movetime.as_millis() as u64;
                let next = TIMES.iter().copied().find(|&time| time > now);
                let before = TIMES.iter().rev().copied().find(|&time| time < now);
                let time = if forward { next } else { before };
                settings.movetime = time.map_or(settings.movetime, Duration::from_millis);
            }
        }
    }
}

/// A dialog over the board.
#[derive(Clone, Debug)]
pub(super) enum Dialog {
    /// The keys.
    Help,
    /// A text that is too long for the line at the bottom.
    Notice(String),
    /// A question with its text.
    Confirm(Confirmation, String),
    /// A line to type in.
    Prompt(LinePurpose, String),
    /// The settings of a game.
    Setup(Setup),
}

/// The answer of a dialog to a key.
#[derive(Clone, Debug)]
pub(super) enum DialogAnswer {
    /// The dialog stays.
    Stay,
    /// The dialog closes.
    Close,
    /// The answer to a question.
    Answered(Confirmation, bool),
    /// The typed line.
    Typed(LinePurpose, String),
    /// The chosen settings, for a new game or not.
    Chosen(PlaySettings, bool),
}

/// The most characters of a typed line.
const LONGEST: usize = 400;

impl Dialog {
    /// Reads a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> DialogAnswer {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let wants_out = is_control && matches!(key.code, KeyCode::Char('c' | 'd'));
        match self {
            Self::Help | Self::Notice(_) => DialogAnswer::Close,
            Self::Confirm(question, _) => match key.code {
                KeyCode::Char('y' | 'Y') | KeyCode::Enter => DialogAnswer::Answered(question.clone(), true),
                // Pressed twice, it means it.
                _ if wants_out && matches!(question, Confirmation::Quit | Confirmation::Resume(_)) => {
                    DialogAnswer::Answered(Confirmation::Quit, true)
                }
                _ if wants_out => DialogAnswer::Answered(question.clone(), false),
                KeyCode::Char('n' | 'N') | KeyCode::Esc => DialogAnswer::Answered(question.clone(), false),
                _ => DialogAnswer::Stay,
            },
            Self::Prompt(purpose, text) => match key.code {
                KeyCode::Esc => DialogAnswer::Close,
                _ if wants_out => DialogAnswer::Close,
                KeyCode::Char('u') if is_control => {
                    text.clear();
                    DialogAnswer::Stay
                }
                KeyCode::Char(c) if !is_control && !c.is_control() => {
                    if text.chars().count() < LONGEST {
                        text.push(c);
                    }
                    DialogAnswer::Stay
                }
                KeyCode::Backspace => {
                    text.pop();
                    DialogAnswer::Stay
                }
                KeyCode::Enter if text.trim().is_empty() => DialogAnswer::Close,
                KeyCode::Enter => DialogAnswer::Typed(*purpose, text.trim().to_owned()),
                _ => DialogAnswer::Stay,
            },
            Self::Setup(setup) => match key.code {
                KeyCode::Esc | KeyCode::Char('q') => DialogAnswer::Close,
                _ if wants_out => DialogAnswer::Close,
                KeyCode::Enter => DialogAnswer::Chosen(setup.settings.clone(), setup.is_new),
                KeyCode::Up => {
                    setup.row = setup.row.saturating_sub(1);
                    DialogAnswer::Stay
                }
                KeyCode::Down | KeyCode::Tab => {
                    setup.row = (setup.row + 1).min(setup.rows().len() - 1);
                    DialogAnswer::Stay
                }
                KeyCode::Left => {
                    setup.step(false);
                    DialogAnswer::Stay
                }
                KeyCode::Right | KeyCode::Char(' ') => {
                    setup.step(true);
                    DialogAnswer::Stay
                }
                _ => DialogAnswer::Stay,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(dialog: &mut Dialog, codes: &[KeyCode]) -> DialogAnswer {
        let mut answer = DialogAnswer::Stay;
        for &code in codes {
            answer = dialog.key(KeyEvent::new(code, KeyModifiers::NONE));
        }
        answer
    }

    #[test]
    fn settings_are_chosen_with_the_arrow_keys() {
        use KeyCode::{Down, Enter, Left, Right};
        let mut dialog = Dialog::Setup(Setup::new(&PlaySettings::default(), true));
        let answer = press(&mut dialog, &[Right, Down, Right, Down, Left, Left, Down, Right, Enter]);
        let DialogAnswer::Chosen(play, true) = answer else { panic!("{answer:?}") };
        assert_eq!((play.rules, play.side), (NAMED[1].rules, Some(Color::Black)));
        assert_eq!((play.level, play.movetime), (28, Duration::from_secs(2)));
        let custom =
            PlaySettings { rules: Rules { n_move_rule: 60, ..Rules::NINE }, ..PlaySettings::default() };
        let mut dialog = Dialog::Setup(Setup::new(&custom, true));
        let answer = press(&mut dialog, &[Right, Left, Enter]);
        let DialogAnswer::Chosen(play, true) = answer else { panic!("{answer:?}") };
        assert_eq!(play.rules, custom.rules);
        let mut dialog = Dialog::Setup(Setup::new(&custom, false));
        let DialogAnswer::Chosen(play, false) = press(&mut dialog, &[Right, Enter]) else { panic!() };
        assert_eq!((play.rules, play.side), (custom.rules, Some(Color::Black)));
    }

    #[test]
    fn ctrl_c_and_ctrl_d_leave_every_dialog() {
        let setup = || Dialog::Setup(Setup::new(&PlaySettings::default(), true));
        let confirm = |question| Dialog::Confirm(question, String::new());
        for key in ['c', 'd'].map(|c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)) {
            for mut dialog in [Dialog::Help, Dialog::Prompt(LinePurpose::Move, String::new()), setup()] {
                assert!(matches!(dialog.key(key), DialogAnswer::Close), "{dialog:?}");
            }
            let game = Box::new(PlayedGame::new(&PlaySettings::default()));
            for question in [Confirmation::Quit, Confirmation::Resume(game)] {
                let answer = confirm(question).key(key);
                assert!(matches!(answer, DialogAnswer::Answered(Confirmation::Quit, true)), "{answer:?}");
            }
            let answer = confirm(Confirmation::Resign(Color::White)).key(key);
            assert!(matches!(answer, DialogAnswer::Answered(Confirmation::Resign(_), false)), "{answer:?}");
        }
    }

    #[test]
    fn a_line_is_typed_and_mended() {
        let keys = ['d', '7', 'x'].map(KeyCode::Char);
        let mut dialog = Dialog::Prompt(LinePurpose::Move, String::new());
        press(&mut dialog, &keys);
        let answer = press(&mut dialog, &[KeyCode::Backspace, KeyCode::Enter]);
        assert!(matches!(answer, DialogAnswer::Typed(LinePurpose::Move, text) if text == "d7"));
        let answer = press(&mut dialog, &[KeyCode::Backspace, KeyCode::Backspace, KeyCode::Enter]);
        assert!(matches!(answer, DialogAnswer::Close));
    }
}
