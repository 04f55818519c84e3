//! The state of the screen and the actions of the user. `input.rs` calls it, `screen.rs` draws it.

use super::board::Marks;
use super::dialog::{Confirmation, Dialog, DialogAnswer, LinePurpose, Setup};
use super::game::{PlayedGame, first_turn, points_of};
use super::look::Look;
use super::review::{Review, value_in_words};
use super::settings::PlaySettings;
use super::storage::{self, Autosave};
use super::thinker::{Task, Thinker, Thought};
use crate::bitboard::Bitboard;
use crate::evaluate::expected_points;
use crate::notation;
use crate::position::Position;
use crate::record::GameResult;
use crate::tools::game_end::side_title;
use crate::types::{Color, Move, MoveKind, Square, Value};
use std::io;
use std::path::PathBuf;

/// The state of the screen.
pub(super) struct App {
    pub(super) game: PlayedGame,
    pub(super) thinker: Thinker,
    pub(super) look: Look,
    /// True if rank 7 is at the bottom.
    pub(super) flipped: bool,
    pub(super) cursor: Square,
    /// The man chosen to move.
    pub(super) chosen: Option<Square>,
    /// A line for the bottom of the screen, until the next key.
    pub(super) message: Option<String>,
    hint: Vec<Move>,
    /// The value of the position for White, once known.
    pub(super) value: Option<Value>,
    pub(super) shows_value: bool,
    pub(super) dialog: Option<Dialog>,
    pub(super) review: Option<Review>,
    /// Kept, with its lock, even if the game can no longer be written.
    autosave: Option<Autosave>,
    /// True while the game is written after every turn.
    is_autosaved: bool,
    /// True if the user has saved the game as it is.
    is_saved: bool,
    /// True once the program has to end.
    pub(super) is_done: bool,
}

impl App {
    /// Begins a game, or opens the dialog to resume the last one.
    ///
    /// # Errors
    /// If threads or memory for the engines are not available.
    pub(super) fn new(settings: &PlaySettings, look: Look) -> io::Result<Self> {
        let found = if settings.autosave { Autosave::find() } else { Ok(None) };
        let last = found.and_then(|autosave| {
            let unfinished = autosave.as_ref().map_or(Ok(None), |file| file.unfinished(settings))?;
            Ok((autosave, unfinished))
        });
        let (autosave, dialog) = match last {
            Ok((autosave, Some(game))) => {
                let question = "Resume the last game?".to_owned();
                (autosave, Some(Dialog::Confirm(Confirmation::Resume(Box::new(game)), question)))
            }
            Ok((autosave, None)) => (autosave, None),
            Err(why) => (None, Some(Dialog::Notice(format!("This game is not saved: {why}")))),
        };
        let mut app = Self {
            game: PlayedGame::new(settings),
            thinker: Thinker::new(settings)?,
            look,
            flipped: settings.side == Some(Color::Black),
            cursor: Square::new(8),
            chosen: None,
            message: None,
            hint: Vec::new(),
            value: None,
            shows_value: true,
            dialog,
            review: None,
            is_autosaved: autosave.is_some(),
            is_saved: false,
            autosave,
            is_done: false,
        };
        if !matches!(app.dialog, Some(Dialog::Confirm(..))) {
            app.go_on();
        }
        Ok(app)
    }

    /// Lets the engine move if it is its turn; otherwise starts a search for the value of the position.
    fn go_on(&mut self) {
        let movetime = self.game.settings().movetime;
        let pos = self.game.position();
        if self.game.is_over() {
            self.thinker.cancel();
        } else if self.game.is_engines_turn() {
            if !self.thinker.start(Task::Move, pos, movetime) {
                self.message = Some("the engine has no move here".to_owned());
            }
        } else if self.shows_value {
            self.thinker.start(Task::Value, pos, movetime);
        } else {
            self.thinker.cancel();
        }
    }

    /// Updates everything that depends on the position.
    fn changed(&mut self) {
        (self.chosen, self.message, self.is_saved) = (None, None, false);
        self.hint.clear();
        self.save_automatically();
        self.go_on();
    }

    /// Writes the game to the autosave file.
    pub(super) fn save_automatically(&mut self) {
        let Some(autosave) = self.autosave.as_ref().filter(|_| self.is_autosaved) else { return };
        if let Err(why) = autosave.write(&self.game) {
            let note = format!("The game is no longer saved to {}: {why}", autosave.path().display());
            self.tell(note);
            // One note is enough: saving is not retried at each move.
            self.is_autosaved = false;
        }
    }

    /// Shows a text until the user closes it: the next move of the engine would replace a message. An open
    /// dialog stays.
    fn tell(&mut self, text: String) {
        match self.dialog {
            None => self.dialog = Some(Dialog::Notice(text)),
            Some(_) => self.message = Some(text),
        }
    }

    /// Receives results of the engines. Returns true if the screen changed.
    pub(super) fn tick(&mut self) -> bool {
        let mut has_changed = self.review.as_mut().is_some_and(Review::poll);
        for finding in self.thinker.poll() {
            has_changed = true;
            match finding {
                Thought::Value(value) => self.value = Some(value),
                Thought::Done(Task::Value, ..) => {}
                Thought::Done(Task::Move, Some(m), _) if self.game.play(m) => self.changed(),
                Thought::Done(Task::Move, ..) => {
                    self.message = Some("the engine has no move here".to_owned());
                }
                Thought::Done(Task::Hint, best, line) => self.show_hint(best, &line),
                Thought::Lost(found) => {
                    if found.is_some_and(|m| self.game.play(m)) {
                        self.changed();
                    }
                    self.message = Some("the search was lost".to_owned());
                }
            }
        }
        has_changed || self.is_busy()
    }

    /// True while the screen shows a running computation.
    pub(super) fn is_busy(&self) -> bool {
        let is_thinking = self.thinker.task().is_some_and(|(task, _)| task != Task::Value);
        is_thinking || self.review.as_ref().is_some_and(Review::is_running)
    }

    fn show_hint(&mut self, best: Option<Move>, line: &[Move]) {
        let Some(best) = best else {
            self.message = Some("there is no move".to_owned());
            return;
        };
        let line = if line.first() == Some(&best) { line } else { &[best] };
        self.hint = first_turn(self.game.position(), line);
        let text: String = self.hint.iter().map(Move::to_string).collect();
        let value = self.value.map(|value| format!(" ({})", value_in_words(value))).unwrap_or_default();
        self.message = Some(format!("Hint: {text}{value}"));
    }

    /// The position on the board, and what is marked there.
    pub(super) fn board(&self) -> (Position, Marks) {
        if let Some(review) = &self.review {
            let (pos, last) = review.position();
            let last = points_of(last);
            let next = review.judged.get(review.at()).map(|turn| points_of(&turn.better)).unwrap_or_default();
            return (pos.clone(), Marks { last, hint: next, ..Marks::default() });
        }
        let pos = self.game.position().clone();
        let is_persons_turn = !self.game.is_over() && !self.game.is_engines_turn();
        let mut marks = Marks {
            cursor: Some(self.cursor),
            chosen: self.chosen,
            last: self.game.last_points(),
            hint: points_of(&self.hint),
            ..Marks::default()
        };
        if is_persons_turn {
            for &m in pos.legal_moves().iter() {
                match m.kind() {
                    MoveKind::Take => marks.takeable = marks.takeable.with(m.to()),
                    MoveKind::Slide if self.chosen == Some(m.from()) => {
                        marks.targets = marks.targets.with(m.to());
                    }
                    MoveKind::Place if self.chosen.is_none() => marks.targets = marks.targets.with(m.to()),
                    _ => {}
                }
            }
        }
        (pos, marks)
    }

    /// White's share of the evaluation bar, 0 to 1; `None` while it is not known.
    pub(super) fn white_share(&self) -> Option<f64> {
        if let Some(review) = &self.review {
            return review.at().checked_sub(1).and_then(|n| review.judged.get(n)).map(|turn| turn.points);
        }
        if self.game.is_over() {
            return match self.game.result() {
                GameResult::Win(side) => Some(f64::from(side == Color::White)),
                GameResult::Draw | GameResult::Unknown => Some(0.5),
            };
        }
        self.value.filter(|_| self.shows_value).map(expected_points)
    }

    /// Chooses a point: plays the move it completes, or begins one.
    pub(super) fn choose(&mut self, at: Square) {
        self.cursor = at;
        if self.game.is_over() {
            self.message = self.game.ending();
            return;
        }
        if self.game.is_engines_turn() {
            self.message = Some("it is the engine's turn".to_owned());
            return;
        }
        let list = self.game.position().legal_moves();
        let find = |wanted: Move| list.iter().copied().find(|&m| m == wanted);
        // Once a man is chosen, it alone can move.
        let step = self.chosen.map_or(Move::place(at), |from| Move::slide(from, at));
        if let Some(m) = find(step).or_else(|| find(Move::take(at))) {
            if self.game.play(m) {
                self.changed();
            }
        } else if self.chosen == Some(at) {
            self.chosen = None;
        } else if list.iter().any(|m| m.kind() == MoveKind::Slide && m.from() == at) {
            self.chosen = Some(at);
        } else {
            self.message = Some(self.refusal(at));
        }
    }

    /// Shows why a point cannot be chosen.
    fn refusal(&self, at: Square) -> String {
        let pos = self.game.position();
        let us = pos.side_to_move();
        let (own, other) = (pos.men(us).contains(at), pos.men(!us).contains(at));
        if pos.is_take_due() {
            return match own || other {
                true => format!("the man on {at} cannot be taken now: take one of those marked"),
                false => "take a man: one of those marked".to_owned(),
            };
        }
        if own && pos.hand(us) > 0 {
            format!("{at} is taken: place a man on an empty point")
        } else if own {
            format!("the man on {at} cannot move")
        } else if other {
            format!("the man on {at} is not yours")
        } else if self.chosen.is_some() {
            format!("the chosen man cannot go to {at}")
        } else if pos.hand(us) > 0 {
            format!("nobody may place on {at} now")
        } else {
            "choose one of your men first".to_owned()
        }
    }

    /// Moves the cursor to the next point that can be chosen.
    pub(super) fn next_target(&mut self, forward: bool) {
        let (pos, marks) = self.board();
        let mut points = marks.targets | marks.takeable;
        if self.chosen.is_none() {
            let slides = pos.legal_moves();
            let slides = slides.iter().filter(|m| m.kind() == MoveKind::Slide);
            points |= slides.map(|m| m.from()).collect::<Bitboard>();
        }
        let next = (1..=24).map(|step| if forward { step } else { 24 - step });
        let mut next = next.filter_map(|step| Square::try_new((self.cursor.index() + step) % 24));
        self.cursor = next.find(|&square| points.contains(square)).unwrap_or(self.cursor);
    }

    /// Takes back the latest move of the user and the answer to it.
    pub(super) fn undo(&mut self) {
        if self.game.undo() {
            self.changed();
        } else {
            self.message = Some("there is nothing to take back".to_owned());
        }
    }

    /// Replays the moves that were taken back.
    pub(super) fn redo(&mut self) {
        if self.game.redo() {
            self.changed();
        } else {
            self.message = Some("there is nothing to play again".to_owned());
        }
    }

    /// Starts the search for a hint, at full strength.
    pub(super) fn ask_hint(&mut self) {
        if self.game.is_over() || self.game.is_engines_turn() {
            self.message = Some("a hint is for your own turn".to_owned());
            return;
        }
        self.hint.clear();
        let movetime = self.game.settings().movetime;
        self.thinker.start(Task::Hint, self.game.position(), movetime);
    }

    /// Lets the engine move for the user.
    pub(super) fn let_engine_move(&mut self) {
        if !self.game.is_over() {
            let movetime = self.game.settings().movetime;
            self.thinker.start(Task::Move, self.game.position(), movetime);
        }
    }

    /// Shows the evaluation bar or hides it.
    pub(super) fn toggle_value(&mut self) {
        self.shows_value = !self.shows_value;
        self.value = None;
        if self.thinker.task().is_none_or(|(task, _)| task == Task::Value) {
            self.go_on();
        }
    }

    /// Asks whether to resign.
    pub(super) fn ask_resign(&mut self) {
        if self.game.is_over() || self.game.is_empty() {
            self.message = Some("there is nothing to resign".to_owned());
        } else {
            let person = self.game.settings().side;
            // The engine may move before the answer.
            let side = person.unwrap_or_else(|| self.game.position().side_to_move());
            let text = match person {
                None => format!("Does {} resign?", side_title(side)),
                Some(_) => "Resign the game?".to_owned(),
            };
            self.dialog = Some(Dialog::Confirm(Confirmation::Resign(side), text));
        }
    }

    /// True if the game would be lost at the end of the program.
    fn is_unsaved(&self) -> bool {
        !self.is_autosaved && !self.is_saved && !self.game.is_empty() && !self.game.is_over()
    }

    /// Ends the program; asks first if the game would be lost.
    pub(super) fn quit(&mut self) {
        if self.is_unsaved() {
            self.ask_quit();
        } else {
            self.is_done = true;
        }
    }

    /// Asks whether to end the program.
    pub(super) fn ask_quit(&mut self) {
        let text = match (self.is_unsaved(), self.game.is_empty() || self.game.is_over()) {
            (true, _) => "Quit? The game is not saved.",
            (false, true) => "Quit?",
            (false, false) => "Quit? The game can be resumed.",
        };
        self.dialog = Some(Dialog::Confirm(Confirmation::Quit, text.to_owned()));
    }

    /// Opens the settings of a new game, or those of the current one.
    pub(super) fn ask_setup(&mut self, is_new: bool) {
        self.dialog = Some(Dialog::Setup(Setup::new(self.game.settings(), is_new)));
    }

    /// Asks for a file or a move.
    pub(super) fn ask_line(&mut self, purpose: LinePurpose) {
        let text = if purpose == LinePurpose::Move { "" } else { "game.pgn" };
        self.dialog = Some(Dialog::Prompt(purpose, text.to_owned()));
    }

    /// Begins the analysis of the game, or ends it.
    pub(super) fn toggle_review(&mut self) {
        if self.review.take().is_some() {
            self.go_on();
            return;
        }
        if self.game.is_empty() {
            self.message = Some("there is nothing to analyse".to_owned());
            return;
        }
        self.thinker.cancel();
        match Review::begin(self.game.record()) {
            Ok(review) => self.review = Some(review),
            Err(why) => self.message = Some(format!("no analysis: {why}")),
        }
    }

    /// Acts on the answer of a dialog.
    pub(super) fn answer(&mut self, answer: DialogAnswer) {
        if matches!(answer, DialogAnswer::Stay) {
            return;
        }
        self.dialog = None;
        match answer {
            DialogAnswer::Stay | DialogAnswer::Close => {}
            DialogAnswer::Answered(question, yes) => self.answer_question(question, yes),
            DialogAnswer::Typed(LinePurpose::Move, text) => self.play_text(&text),
            DialogAnswer::Typed(LinePurpose::Load, text) if self.is_unsaved() => {
                self.ask_to_leave(Confirmation::Load(storage::path_of(&text)));
            }
            DialogAnswer::Typed(LinePurpose::Load, text) => self.load(storage::path_of(&text)),
            DialogAnswer::Typed(LinePurpose::Save, text) => {
                let path = storage::path_of(&text);
                if path.exists() {
                    let text = format!("Replace {}?", path.display());
                    self.dialog = Some(Dialog::Confirm(Confirmation::Replace(path), text));
                } else {
                    self.save(&path);
                }
            }
            DialogAnswer::Chosen(settings, true) if self.is_unsaved() => {
                self.ask_to_leave(Confirmation::Begin(settings));
            }
            DialogAnswer::Chosen(settings, is_new) => self.set_up(&settings, is_new),
        }
    }

    /// Asks whether to leave a game that is not saved for another one.
    fn ask_to_leave(&mut self, question: Confirmation) {
        self.dialog = Some(Dialog::Confirm(question, "Leave this game? It is not saved.".to_owned()));
    }

    fn answer_question(&mut self, question: Confirmation, yes: bool) {
        match (question, yes) {
            (Confirmation::Resign(side), true) => {
                self.game.resign(side);
                self.changed();
            }
            (Confirmation::Quit, true) => self.is_done = true,
            (Confirmation::Replace(path), true) => self.save(&path),
            (Confirmation::Begin(settings), true) => self.set_up(&settings, true),
            (Confirmation::Load(path), true) => self.load(path),
            (Confirmation::Resume(game), true) => self.take_over(*game),
            (Confirmation::Resume(_), false) => self.go_on(),
            (_, false) => {}
        }
    }

    /// Begins a new game, or continues with other players.
    fn set_up(&mut self, settings: &PlaySettings, is_new: bool) {
        if is_new {
            self.take_over(PlayedGame::new(settings));
            return;
        }
        self.turn_board(settings.side);
        self.game.change(settings);
        if let Err(why) = self.thinker.set_level(settings.level) {
            self.tell(why.to_string());
        }
        self.changed();
    }

    /// Turns the board to the side of the user, if it changes to `side`.
    fn turn_board(&mut self, side: Option<Color>) {
        if side != self.game.settings().side {
            self.flipped = side == Some(Color::Black);
        }
    }

    /// Replaces the current game.
    fn take_over(&mut self, game: PlayedGame) {
        if let Err(why) = self.thinker.set_up(game.settings()) {
            self.tell(why.to_string());
        }
        self.turn_board(game.settings().side);
        self.game = game;
        (self.value, self.review) = (None, None);
        self.changed();
    }

    fn load(&mut self, path: PathBuf) {
        match storage::load(&path, self.game.settings()) {
            Ok((game, note)) => {
                self.take_over(game);
                let loaded = format!("loaded {}", path.display());
                let ended = self.game.ending().map(|end| format!("{loaded}. {end}"));
                self.message = note.or(ended).or(Some(loaded));
            }
            Err(why) => self.dialog = Some(Dialog::Notice(format!("{}: {why}", path.display()))),
        }
    }

    fn save(&mut self, path: &std::path::Path) {
        match storage::save(path, &self.game) {
            Ok(()) => {
                self.is_saved = true;
                self.message = Some(format!("saved to {}", path.display()));
            }
            Err(why) => self.dialog = Some(Dialog::Notice(format!("{}: {why}", path.display()))),
        }
    }

    /// Plays a typed move or a whole turn.
    fn play_text(&mut self, text: &str) {
        if self.game.is_over() || self.game.is_engines_turn() {
            self.message = Some("it is not your turn".to_owned());
            return;
        }
        match notation::parse_turn(self.game.position(), text) {
            Ok((moves, _)) if moves.iter().all(|&m| self.game.play(m)) => self.changed(),
            Ok(_) => {}
            Err(error) => self.dialog = Some(Dialog::Notice(error.to_string())),
        }
    }
}
