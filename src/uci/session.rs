//! The session with a client: what each command does. Its loop is in `serve.rs`, in browsers in `single.rs`.
//!
//! `position` and `go` pass through: `input` (a line) → `Session::receive` → `waiting` (until the command
//! before it ends) → `dialect::command` (a [`Command`]) → `Session::execute` → [`Engine`]. The reports of the
//! search come back to the loop → `search` (search lines) → `answer` (the line that answers `go`).

use super::analysis;
use super::answer;
use super::background::BackgroundCommand;
use super::error::SessionError;
use super::experience;
use super::line::{InputLine, LONGEST, first_word};
use super::logical;
use super::output::Output;
use super::query;
use super::search::{ActiveSearch, NextSearch, Purpose};
use super::waiting::{Waiting, WaitingLine};
use crate::dialect::command::{self, Command, Go, ParsedLine, QueryKind};
use crate::dialect::error::{DialectError, GoNote, OriginFault};
use crate::dialect::option::announcements;
use crate::dialect::strict::{self, ErrorCode};
use crate::dialect::writer::Dialect;
use crate::dialect::{self, DIALECTS};
use crate::engine::options::OptionEffect;
use crate::engine::{
    Engine, EngineError, ErrorPolicy, GoRequest, PositionOrigin, PositionRequest, searchable,
};
use crate::platform::clock::Instant;
use crate::platform::text::printable;
use crate::search::{BestMove, Report};
use crate::tools::bench::BenchSettings;
use crate::types::Color;
use std::fmt;
use std::io;

/// The work in progress.
pub(super) enum Activity {
    None,
    Search(Box<ActiveSearch>),
    Background(BackgroundCommand),
    Held(HeldAnswer),
}

/// The answer to `go infinite` or `go ponder` where nothing can be searched. It comes no sooner than that of
/// a search.
pub(super) struct HeldAnswer {
    line: String,
    /// True if `ponderhit` brings it too, and not only `stop`.
    until_ponderhit: bool,
}

/// The state of a session.
pub(super) struct Session {
    pub(super) engine: Engine,
    dialect: &'static dyn Dialect,
    /// The value of the option `Protocol` at start.
    pub(super) start_protocol: &'static str,
    is_family_chosen: bool,
    pub(super) out: Output,
    pub(super) activity: Activity,
    /// Lines that wait for the activity to end.
    waiting: Waiting,
    /// False once the input has ended.
    pub(super) is_open: bool,
    /// The time of `quit`, or that of the latest search begun after it.
    pub(super) quit_at: Option<Instant>,
    /// True once `quit` has ended a search: searches that wait behind it are not begun.
    drops_searches: bool,
    /// True if the search threads did not end in time after `quit`.
    pub(super) is_stuck: bool,
    is_debugging: bool,
    /// The error code of the latest refused `position`, for strict mode.
    refusal: ErrorCode,
}

impl Session {
    /// Returns a session in the standard dialect.
    pub(super) fn new(engine: Engine, out: Output) -> Self {
        Self {
            engine,
            dialect: DIALECTS[0],
            start_protocol: DIALECTS[0].name(),
            is_family_chosen: false,
            out,
            activity: Activity::None,
            waiting: Waiting::default(),
            is_open: true,
            quit_at: None,
            drops_searches: false,
            is_stuck: false,
            is_debugging: false,
            refusal: ErrorCode::Unavailable,
        }
    }

    /// Executes waiting lines, as far as the current activity allows. A search without a limit of its own is
    /// stopped if a line waits for its end, or if no `stop` can come any more.
    pub(super) fn execute_waiting(&mut self) -> io::Result<()> {
        loop {
            while matches!(self.activity, Activity::None)
                && let Some(next) = self.waiting.pop()
            {
                self.execute_line(&next)?;
            }
            while matches!(self.activity, Activity::Search(_) | Activity::Held(_))
                && self.waiting.next_word().is_some_and(|word| self.is_harmless(&word))
                && let Some(next) = self.waiting.pop()
            {
                self.execute_line(&next)?;
            }
            let is_awaited = !self.is_open || !self.waiting.is_empty();
            match &self.activity {
                Activity::Search(search) if search.is_unlimited() && is_awaited => {
                    if search.seeks_win && !search.is_stopped {
                        self.out.note("go mate is cut off by the next command or the end of the input")?;
                    }
                    return self.stop();
                }
                Activity::Held(_) if is_awaited => self.release()?,
                _ => return Ok(()),
            }
        }
    }

    fn execute_line(&mut self, next: &WaitingLine) -> io::Result<()> {
        if next.line.is_cut {
            self.out
                .note(format_args!("all but the first word of a line of over {LONGEST} bytes is skipped"))?;
        }
        self.execute(&next.line.text())?;
        match (next.is_stopped, next.is_hit) {
            (true, _) => self.stop(),
            (_, true) => self.ponderhit(),
            _ => Ok(()),
        }
    }

    /// Executes a line that acts at once, and puts any other aside.
    pub(super) fn receive(&mut self, line: InputLine) -> io::Result<()> {
        self.out.record_input(&line.bytes);
        let word = line.word();
        match word.as_str() {
            "" | "debug" | "isready" | "register" => return self.execute(&line.text()),
            "stop" => {
                self.waiting.stop();
                return self.stop();
            }
            "ponderhit" if self.waiting.ponderhit() => {}
            "ponderhit" => return self.ponderhit(),
            "quit" => {
                self.is_open = false;
                self.quit_at = Some(Instant::now());
                if matches!(self.activity, Activity::Search(_) | Activity::Held(_)) {
                    self.drops_searches = true;
                    return self.stop();
                }
            }
            _ => self.waiting.push(line),
        }
        Ok(())
    }

    /// Returns true for the first word of a line that need not wait for a search: that of an unknown command,
    /// or the handshake of the dialect in use.
    // Asked when its turn comes: a handshake before it may have changed the dialect.
    fn is_harmless(&self, word: &str) -> bool {
        let is_hello = DIALECTS.iter().any(|dialect| dialect.words().hello == word);
        if is_hello && !self.is_family_chosen {
            // Another dialect would change the form of the answer of the search.
            return word == self.dialect.words().hello;
        }
        // The first word identifies the command; some commands need a second word.
        let read = self.dialect.read(&format!("{word} x"));
        is_hello || matches!(read, Err(DialectError::Unknown(_) | DialectError::Subcommand(_)))
    }

    /// Ends the activity early.
    fn stop(&mut self) -> io::Result<()> {
        match &mut self.activity {
            Activity::None => {}
            Activity::Search(search) => {
                search.is_stopped = true;
                self.engine.stop();
            }
            Activity::Background(command) => command.stop(),
            Activity::Held(_) => return self.release(),
        }
        Ok(())
    }

    fn ponderhit(&mut self) -> io::Result<()> {
        match &mut self.activity {
            Activity::Search(search) => search.ponderhit(&self.engine),
            Activity::Held(answer) if answer.until_ponderhit => return self.release(),
            Activity::None | Activity::Background(_) | Activity::Held(_) => {}
        }
        Ok(())
    }

    /// Writes the answer that is held back.
    fn release(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.activity, Activity::None) {
            Activity::Held(answer) => self.out.line(&answer.line),
            other => {
                self.activity = other;
                Ok(())
            }
        }
    }

    /// Saves the experience at the end of a session with this result.
    ///
    /// # Errors
    /// The error of the session, or of a note to a client that is still connected.
    pub(super) fn close(mut self, result: Result<(), SessionError>) -> Result<(), SessionError> {
        let saved = self.engine.save_experience();
        let noted = saved.or_else(|error| self.out.note(error));
        let written = noted.and_then(|()| self.out.finish());
        if self.is_stuck {
            // Dropping the pool would wait for the threads.
            std::mem::forget(self.engine);
        }
        result?;
        Ok(written?)
    }

    /// Makes a search the current activity, for tests.
    #[cfg(test)]
    pub(super) fn search_in_progress(&mut self, search: ActiveSearch) {
        self.activity = Activity::Search(Box::new(search));
    }

    /// Executes a line.
    ///
    /// # Errors
    /// If a line cannot be written.
    pub(super) fn execute(&mut self, line: &str) -> io::Result<()> {
        let read = self.handshake(line).map_or_else(|| self.dialect.read(line), |hello| Ok(hello.into()));
        let ParsedLine { command, notes } = match read {
            Ok(read) => read,
            Err(error) => return self.report_error(&error),
        };
        match command {
            Command::Nothing => {}
            Command::Hello => self.introduce()?,
            Command::Debug(on) => self.is_debugging = on,
            Command::IsReady => {
                if matches!(self.activity, Activity::None) {
                    self.prepare()?;
                }
                self.out.line("readyok")?;
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::NewGame => {
                self.prepare()?;
                if let Err(error) = self.engine.save_experience() {
                    self.out.note(error)?;
                }
                self.engine.new_game();
            }
            Command::Position(request) => self.set_position(request)?,
            Command::Go(_) | Command::Analyze(_) if self.drops_searches => {}
            Command::Go(go) => self.go(&go, &notes)?,
            // `receive` handles these at once.
            Command::Stop | Command::PonderHit | Command::Quit => {}
            Command::Perft(depth) => self.perft(line, depth, &notes)?,
            Command::Bench(depth) => {
                self.prepare()?;
                let default = BenchSettings::default();
                let network = self.engine.values().play.network.clone();
                let settings = BenchSettings { depth: depth.unwrap_or(default.depth), network, ..default };
                self.start_background(BackgroundCommand::bench(settings))?;
            }
            Command::Analyze(request) => self.analyze(request)?,
            Command::Experience(request) => {
                self.prepare()?;
                let result = experience::run(&mut self.engine, &request);
                let answer = result.unwrap_or_else(|error| error.to_string());
                self.out.note(format_args!("experience: {answer}"))?;
            }
            Command::Query(query) => self.answer_query(&query)?,
        }
        Ok(())
    }

    /// Reports an error in a line, after the work that a correct line of its kind starts with.
    fn report_error(&mut self, error: &DialectError) -> io::Result<()> {
        match error {
            DialectError::Unknown(_) | DialectError::Subcommand(_) | DialectError::SetOption(_) => {}
            _ => self.prepare()?,
        }
        match error {
            DialectError::Position(inner) => self.refuse_origin(inner, error),
            DialectError::Analyze(_) => self.no_analysis(error),
            _ => self.out.note(error),
        }
    }

    /// Reads a handshake. The first one chooses the family of dialects; `None` if the line is no handshake,
    /// or one of another family later on.
    fn handshake(&mut self, line: &str) -> Option<Command> {
        let word = first_word(line.as_bytes());
        let other = DIALECTS.iter().find(|d| d.words().hello.as_bytes() == word)?;
        if word != self.dialect.words().hello.as_bytes() {
            if self.is_family_chosen {
                return None;
            }
            self.dialect = *other;
        }
        self.is_family_chosen = true;
        Some(Command::Hello)
    }

    fn introduce(&mut self) -> io::Result<()> {
        self.out.line(concat!("id name Millstone ", env!("CARGO_PKG_VERSION")))?;
        self.out.line("id author the Millstone authors")?;
        let hello = self.dialect.words().hello;
        announcements(hello, self.start_protocol).try_for_each(|line| self.out.line(&line))?;
        self.out.line(&format!("{hello}ok"))
    }

    /// Sets an option.
    ///
    /// # Errors
    /// If a line cannot be written.
    pub(super) fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        match self.engine.set_option(name, value) {
            Ok(OptionEffect::OpenLog) => {
                let name = self.engine.values().log_file.clone();
                self.out.log_to(&name).or_else(|error| {
                    let found = printable(&name, 100);
                    let expected = format!("expected a new or empty file, or an earlier log: {error}");
                    self.out.note(format_args!("option Debug Log File: found '{found}', {expected}"))
                })
            }
            Ok(OptionEffect::SwitchProtocol) if self.dialect.words().hello == command::UCI.hello => {
                if let Some(dialect) = dialect::by_name(self.engine.values().protocol) {
                    self.dialect = dialect;
                }
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => self.out.note(error),
        }
    }

    /// Applies option values, and reports those that cannot be applied.
    fn prepare(&mut self) -> io::Result<()> {
        let errors = self.engine.prepare();
        errors.iter().try_for_each(|error| self.out.note(error))
    }

    fn error_policy(&self) -> ErrorPolicy {
        if self.engine.values().strict { ErrorPolicy::Strict } else { self.dialect.error_policy() }
    }

    /// Returns true if the game may go on past draws by repetition and counters.
    fn past_draws(&self) -> bool {
        self.dialect.past_draws() && !self.engine.values().strict
    }

    /// Translates the position text of a request, where the dialect has a form of its own.
    fn translate(&self, mut request: PositionRequest) -> Result<PositionRequest, EngineError> {
        if let PositionOrigin::Text(text) = &mut request.origin {
            let men = self.engine.values().rules.pieces_count;
            *text = self.dialect.position_text(text, men).map_err(EngineError::Position)?;
        }
        Ok(request)
    }

    fn set_position(&mut self, request: PositionRequest) -> io::Result<()> {
        self.prepare()?;
        let (policy, past_draws) = (self.error_policy(), self.past_draws());
        let set = match self.translate(request) {
            Ok(request) => self.engine.set_position(&request, policy, past_draws),
            Err(error) => {
                self.engine.refuse();
                Err(error)
            }
        };
        match set {
            Ok(repairs) => repairs.iter().try_for_each(|repair| self.out.note(repair)),
            Err(error) => {
                self.refusal = ErrorCode::of(&error);
                if self.engine.values().strict {
                    return self.out.strict_error(&strict::position_error(&error));
                }
                self.out.note(format_args!("position refused: {error}"))
            }
        }
    }

    /// Reports a `position` without an origin that can be used. The dialects that repair errors set up the
    /// initial position, or keep the position if nothing was named.
    fn refuse_origin(&mut self, origin: &OriginFault, error: &DialectError) -> io::Result<()> {
        if self.error_policy() != ErrorPolicy::Repair {
            self.engine.refuse();
            self.refusal = ErrorCode::InvalidCommand;
        }
        if self.engine.values().strict {
            let error = strict::error(ErrorCode::InvalidCommand, "position", &origin.to_string());
            return self.out.strict_error(&error);
        }
        match self.error_policy() {
            ErrorPolicy::Repair if matches!(origin, OriginFault::NoOrigin { .. }) => self.out.note(error),
            ErrorPolicy::Repair => {
                self.set_position(PositionRequest::default())?;
                self.out.note(format_args!("{error}; the initial position is set up instead"))
            }
            ErrorPolicy::Refuse | ErrorPolicy::Strict => {
                self.out.note(format_args!("position refused: {origin}"))
            }
        }
    }

    fn go(&mut self, go: &Go, notes: &[GoNote]) -> io::Result<()> {
        // The clock of the client runs while memory is allocated.
        let began = Instant::now();
        self.prepare()?;
        notes.iter().try_for_each(|note| self.out.note(note))?;
        if go.logical {
            if let Some(next) = logical::begin(go, &mut self.engine, self.dialect, &mut self.out)? {
                self.start_search(next)?;
            }
            return Ok(());
        }
        let root = match self.engine.root(self.past_draws()) {
            Ok(root) => root,
            Err(error) => return self.refuse_go(&error, &go.request),
        };
        let mut request = go.request.clone();
        let is_bare = !Color::ALL.into_iter().any(|side| request.has_limit(side));
        let until_stop = self.dialect.bare_go_is_infinite() && is_bare;
        let until_stop = until_stop && !request.infinite;
        request.infinite |= until_stop;
        let (mut limits, notes) = self.engine.limits(&request, &root);
        limits.until_stop = until_stop;
        limits.began = Some(began);
        notes.iter().try_for_each(|note| self.out.note(note))?;
        if self.is_debugging {
            self.out.note(format_args!("debug: searching {}", root.fen()))?;
        }
        self.start_search(NextSearch { root, limits, purpose: Purpose::go(go.topn) })
    }

    /// Answers a `go` that cannot be searched.
    fn refuse_go(&mut self, error: &EngineError, request: &GoRequest) -> io::Result<()> {
        if self.engine.values().strict {
            return self.strict_error("go", error);
        }
        let is_drawn = matches!(error, EngineError::Drawn(_));
        self.out.note(error)?;
        let line = self.dialect.no_move(is_drawn);
        if !request.infinite && !request.ponder {
            return self.out.line(&line);
        }
        self.activity = Activity::Held(HeldAnswer { line, until_ponderhit: !request.infinite });
        if self.quit_at.is_some() { self.stop() } else { Ok(()) }
    }

    fn strict_error(&mut self, command: &str, error: &EngineError) -> io::Result<()> {
        self.out.strict_error(&strict::error(ErrorCode::of(error), command, &error.to_string()))
    }

    fn start_search(&mut self, next: NextSearch) -> io::Result<()> {
        self.engine.set_level_scale(self.dialect.level_scale());
        self.activity = Activity::Search(Box::new(ActiveSearch::start(&mut self.engine, next)));
        if let Some(quit_at) = &mut self.quit_at {
            *quit_at = Instant::now();
            return self.stop();
        }
        #[cfg(target_arch = "wasm32")]
        if let Activity::Search(search) = &self.activity
            && search.is_delayed()
            && let Some(file) = self.engine.wanted_file()
        {
            self.out.note(format_args!("waits for {file}"))?;
        }
        Ok(())
    }

    pub(super) fn handle_report(&mut self, report: Report) -> io::Result<()> {
        let Activity::Search(search) = &mut self.activity else { return Ok(()) };
        match search.write_report(report, &self.engine, self.dialect, &mut self.out)? {
            Some(best) => self.handle_result(&best),
            None => Ok(()),
        }
    }

    /// Writes the answer of a finished search, or starts the search for the rest of its turn.
    fn handle_result(&mut self, best: &BestMove) -> io::Result<()> {
        let Activity::Search(search) = std::mem::replace(&mut self.activity, Activity::None) else {
            return Ok(());
        };
        let rest = answer::write(&search, best, &self.engine, self.dialect, &mut self.out);
        // After the answer, since the clock of the client runs until then; before any other search.
        if let Some(line) = search.line_of(best) {
            self.engine.learn(&search.root, line);
        }
        let Some(next) = rest? else { return Ok(()) };
        self.start_search(next)?;
        if let Activity::Search(rest) = &mut self.activity {
            // The client sends `stop` once for the whole turn.
            rest.is_stopped |= search.is_stopped;
        }
        Ok(())
    }

    /// Answers a search that has no result because its threads failed: with the best move so far, else an
    /// allowed one, else any legal one.
    pub(super) fn lost_search(&mut self, cause: &str) -> io::Result<()> {
        let Activity::Search(search) = std::mem::replace(&mut self.activity, Activity::None) else {
            return Ok(());
        };
        let mut next = *search;
        self.out.note(format_args!("the search was lost: {cause}"))?;
        loop {
            match &mut next.purpose {
                Purpose::Analysis => return self.out.line("info analysis"),
                Purpose::Logical(_) => {
                    let error = strict::error(ErrorCode::NoMove, "go", "the search was lost");
                    return self.out.strict_error(&error);
                }
                // The moves can no longer be ranked.
                Purpose::Go { topn, .. } => *topn = None,
            }
            let best = next.fallback(&self.engine);
            match answer::write(&next, &best, &self.engine, self.dialect, &mut self.out)? {
                Some(rest) => next = ActiveSearch::unstarted(rest),
                None => return Ok(()),
            }
        }
    }

    /// Begins `perft` or `go perft`.
    fn perft(&mut self, line: &str, depth: u32, notes: &[GoNote]) -> io::Result<()> {
        self.prepare()?;
        notes.iter().try_for_each(|note| self.out.note(note))?;
        if self.engine.is_refused() {
            let error = EngineError::NoPosition;
            if self.engine.values().strict {
                let command = String::from_utf8_lossy(first_word(line.as_bytes()));
                return self.strict_error(&command, &error);
            }
            return self.out.note(error);
        }
        let (pos, threads) = (self.engine.position().clone(), self.engine.values().threads);
        self.start_background(BackgroundCommand::perft(pos, depth, threads))
    }

    fn start_background(&mut self, started: io::Result<BackgroundCommand>) -> io::Result<()> {
        match started {
            Ok(command) => {
                self.activity = Activity::Background(command);
                self.drops_searches = false;
                Ok(())
            }
            Err(error) => self.out.note(format_args!("no thread for it: {error}")),
        }
    }

    fn analyze(&mut self, request: PositionRequest) -> io::Result<()> {
        self.prepare()?;
        let past_draws = self.past_draws();
        // Errors are not repaired here: the answer would be about another position.
        let policy = match self.error_policy() {
            ErrorPolicy::Strict => ErrorPolicy::Strict,
            ErrorPolicy::Refuse | ErrorPolicy::Repair => ErrorPolicy::Refuse,
        };
        let read = self.translate(request).and_then(|r| self.engine.read_position(&r, policy, past_draws));
        let set_up = match read {
            Ok(set_up) => set_up,
            Err(error) => return self.no_analysis(format_args!("analyze: {error}")),
        };
        let root = match searchable(&set_up.position, past_draws) {
            Ok(root) => root,
            Err(error) => return self.no_analysis(format_args!("analyze: {error}")),
        };
        if let Some(next) = analysis::write_known(root, &self.engine, &mut self.out)? {
            self.start_search(next)?;
        }
        Ok(())
    }

    /// Answers an `analyze` that cannot be searched.
    fn no_analysis(&mut self, error: impl fmt::Display) -> io::Result<()> {
        self.out.note(error)?;
        self.out.line("info analysis")
    }

    fn answer_query(&mut self, query: &QueryKind) -> io::Result<()> {
        self.prepare()?;
        let is_unavailable = self.engine.is_refused() && self.error_policy() == ErrorPolicy::Strict;
        let refusal = is_unavailable.then_some(self.refusal);
        query::answer(query, &self.engine, self.dialect, refusal, self.start_protocol, &mut self.out)
    }
}
