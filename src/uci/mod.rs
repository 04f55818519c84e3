//! The loop between a client and the engine. One thread reads lines; the loop waits for lines, for reports of the
//! search and for the work of long commands, and is the only writer. A dialect is a reader and a writer of lines
//! (`dialect.rs` and one file each); a new one needs its file and a row in `DIALECTS`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod analysis;
mod input;
mod reply;
mod task;

mod output;

use crate::dialect::command::{Command, Go};
use crate::dialect::writer::{Dialect, View};
use crate::dialect::{command, gbgp, sanmill7, standard, state, tgf, ugi};
use crate::engine::options::{self, After, Assignment, PROTOCOLS, Shown, shorten};
use crate::engine::{Engine, Manner, NoSearch, Origin, PositionError, PositionRequest};
use crate::position::Position;
use crate::search::Report;
use crate::tools::bench::BenchSettings;
use crossbeam_channel::{Receiver, never, select, unbounded};
use output::Output;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use task::{Search, Task, Tool};

/// All dialects; the first of each family is the one its handshake starts.
static DIALECTS: &[&dyn Dialect] =
    &[&standard::Standard, &sanmill7::Sanmill7, &tgf::Tgf, &gbgp::Gbgp, &ugi::Ugi];

/// The dialects that the option `Protocol` chooses from.
pub const NAMES: [&str; 3] = PROTOCOLS;

/// Talks to a client until it quits, its input ends, or nobody reads any more. `protocol` is the initial value of
/// the option `Protocol`.
///
/// # Errors
/// When a line cannot be written, or the system grants neither threads nor memory.
pub fn run(input: impl Read + Send + 'static, output: impl Write, protocol: &str) -> io::Result<()> {
    let engine = Engine::new().map_err(io::Error::other)?;
    let mut session = Session {
        engine,
        dialect: DIALECTS[0],
        is_family_chosen: false,
        out: Output::new(output),
        job: Job::None,
        waiting: VecDeque::new(),
        assignments: Vec::new(),
        is_debugging: false,
        refusal: state::UNAVAILABLE,
    };
    let assignment = options::find("Protocol").and_then(|option| option.read(Some(protocol)).ok());
    if let Some(assignment) = assignment {
        session.assign(&assignment)?;
    }
    let lines = input::lines(input, session.out.progress());
    let result = session.talk(&lines);
    match session.engine.keep_experience() {
        // A client that is still there is told.
        Some(note) if result.is_ok() => session.out.note(&note),
        _ => result,
    }
}

/// What takes time.
enum Job {
    None,
    Search(Box<Search>),
    Tool(Tool),
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Quit,
}

struct Session<W> {
    engine: Engine,
    dialect: &'static dyn Dialect,
    is_family_chosen: bool,
    out: Output<W>,
    job: Job,
    /// Lines that wait for a long command to end.
    waiting: VecDeque<String>,
    /// Options that wait for the search to end.
    assignments: Vec<Assignment>,
    is_debugging: bool,
    /// Why the latest `position` was refused, as strict mode codes it.
    refusal: &'static str,
}

impl<W: Write> Session<W> {
    fn talk(&mut self, lines: &Receiver<Vec<u8>>) -> io::Result<()> {
        let (no_lines, no_reports, no_text) = (never(), never(), never());
        let mut is_open = true;
        loop {
            while !matches!(self.job, Job::Tool(_)) {
                let Some(line) = self.waiting.pop_front() else { break };
                if self.obey(&line)? == Next::Quit {
                    return Ok(());
                }
            }
            if !is_open {
                match &self.job {
                    Job::None => return Ok(()),
                    // Nobody is left to end it; it may have waited for a long command and begun only now.
                    Job::Search(search) if search.is_unlimited => self.engine.stop(),
                    _ => {}
                }
            }
            // The channels are cloned because what is received may replace the job they belong to.
            let (reports, text) = match &self.job {
                Job::None => (no_reports.clone(), no_text.clone()),
                Job::Search(search) => (search.reports.clone(), no_text.clone()),
                Job::Tool(tool) => (no_reports.clone(), tool.text.clone()),
            };
            select! {
                recv(if is_open { lines } else { &no_lines }) -> line => match line {
                    Ok(bytes) => {
                        self.out.record(">>", &bytes);
                        if self.receive(&String::from_utf8_lossy(&bytes))? == Next::Quit {
                            return Ok(());
                        }
                    }
                    Err(_) => is_open = false,
                },
                recv(reports) -> report => match report {
                    Ok(report) => self.report(report)?,
                    Err(_) => self.lost_search()?,
                },
                recv(text) -> line => match line {
                    Ok(line) => self.out.line(&line)?,
                    Err(_) => self.job = Job::None,
                },
            }
        }
    }

    /// Takes a line in: answers it, or puts it aside while a long command runs.
    fn receive(&mut self, line: &str) -> io::Result<Next> {
        let Job::Tool(tool) = &self.job else { return self.obey(line) };
        match self.dialect.read(line) {
            Command::IsReady => self.out.line("readyok")?,
            Command::Stop => {
                tool.stop();
                // A search that waits its turn is meant too.
                if !self.waiting.is_empty() {
                    self.waiting.push_back(line.to_owned());
                }
            }
            Command::Nothing => {}
            _ => self.waiting.push_back(line.to_owned()),
        }
        Ok(Next::GoOn)
    }

    fn obey(&mut self, line: &str) -> io::Result<Next> {
        let command = self.shake_hands(line).unwrap_or_else(|| self.dialect.read(line));
        match command {
            Command::Nothing => {}
            Command::Hello => self.introduce()?,
            Command::Debug(on) => self.is_debugging = on,
            Command::IsReady => {
                if !matches!(self.job, Job::Search(_)) {
                    self.prepare()?;
                }
                self.out.line("readyok")?;
            }
            Command::SetOption(text) => self.set_option(&text)?,
            Command::NewGame => {
                self.finish_search()?;
                self.prepare()?;
                if let Some(note) = self.engine.keep_experience() {
                    self.out.note(&note)?;
                }
                self.engine.new_game();
            }
            Command::Position(request) => self.set_position(request)?,
            Command::Go(go) => self.go(&go)?,
            Command::Stop => {
                if let Job::Search(search) = &mut self.job {
                    search.is_stopped = true;
                    self.engine.stop();
                }
            }
            Command::PonderHit => {
                if let Job::Search(search) = &mut self.job {
                    search.is_unlimited = search.is_infinite;
                    self.engine.ponderhit();
                }
            }
            Command::Quit => {
                self.engine.stop();
                return Ok(Next::Quit);
            }
            Command::Perft(depth) => self.perft(depth)?,
            Command::Bench(depth) => {
                self.finish_search()?;
                match depth {
                    Ok(depth) => {
                        let usual = BenchSettings::default();
                        let settings = BenchSettings { depth: depth.unwrap_or(usual.depth), ..usual };
                        self.start_tool(|| Tool::bench(settings))?;
                    }
                    Err(error) => self.out.note(&error)?,
                }
            }
            Command::Analyze(request) => self.analyze(request)?,
            Command::Experience(text) => {
                self.finish_search()?;
                self.prepare()?;
                self.experience(&text)?;
            }
            Command::Unknown(text) => self.out.note(&format!("unknown command: {}", shorten(&text)))?,
            question => self.answer_question(question)?,
        }
        Ok(Next::GoOn)
    }

    /// The first handshake chooses the family of dialects; `None` if the line is no handshake of another family.
    fn shake_hands(&mut self, line: &str) -> Option<Command> {
        let word = line.split_ascii_whitespace().next()?;
        let other = DIALECTS.iter().find(|d| d.words().hello == word)?;
        if word != self.dialect.words().hello {
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
        for option in options::all() {
            let is_shown = match option.shown {
                Shown::Everywhere => true,
                Shown::Uci => hello == command::UCI.hello,
                Shown::Gbgp => hello == "gbgp",
                Shown::Never => false,
            };
            if is_shown {
                self.out.line(&option.announcement())?;
            }
        }
        self.out.line(&format!("{hello}ok"))
    }

    fn set_option(&mut self, text: &str) -> io::Result<()> {
        match Assignment::read(text) {
            Ok(assignment) if matches!(self.job, Job::Search(_)) => self.assignments.push(assignment),
            Ok(assignment) => self.assign(&assignment)?,
            Err(error) => self.out.note(&error.to_string())?,
        }
        Ok(())
    }

    /// Records an option now.
    fn assign(&mut self, assignment: &Assignment) -> io::Result<()> {
        match self.engine.set(assignment) {
            After::OpenLog => {
                let name = self.engine.values().log_file.clone();
                if let Err(error) = self.out.log_to(&name) {
                    self.out.note(&format!(
                        "option Debug Log File: found '{name}', expected a file to append to: {error}"
                    ))?;
                }
            }
            After::SwitchProtocol if self.dialect.words().hello == command::UCI.hello => {
                let name = self.engine.values().protocol;
                if let Some(dialect) = DIALECTS.iter().find(|d| d.name() == name) {
                    self.dialect = *dialect;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Does what options left to be done, and tells what could not be had.
    fn prepare(&mut self) -> io::Result<()> {
        let notes = self.engine.prepare();
        notes.iter().try_for_each(|note| self.out.note(note))
    }

    fn manner(&self) -> Manner {
        if self.engine.values().strict { Manner::Strict } else { self.dialect.manner() }
    }

    /// Translates the position text of a request, where the dialect has texts of its own.
    fn translate(&self, mut request: PositionRequest) -> Result<PositionRequest, PositionError> {
        if let Origin::Text(text) = &mut request.origin {
            let men = self.engine.values().rules.pieces_count;
            *text = self.dialect.position_text(text, men).map_err(PositionError::Text)?;
        }
        Ok(request)
    }

    fn set_position(&mut self, request: Result<PositionRequest, String>) -> io::Result<()> {
        self.finish_search()?;
        self.prepare()?;
        let request = match request {
            Ok(request) => request,
            Err(error) => {
                if self.manner() != Manner::Mend {
                    self.engine.refuse();
                    self.refusal = state::INVALID_COMMAND;
                }
                if self.engine.values().strict {
                    return self.strict_error(&state::error(state::INVALID_COMMAND, "position", &error));
                }
                return self.out.note(&format!("position: {error}"));
            }
        };
        let set = match self.translate(request) {
            Ok(request) => self.engine.set_position(&request, self.manner(), self.dialect.past_draws()),
            Err(error) => {
                self.engine.refuse();
                Err(error)
            }
        };
        match set {
            Ok(notes) => notes.iter().try_for_each(|note| self.out.note(&format!("position: {note}"))),
            Err(error) => {
                self.refusal = state::code(&error);
                if self.engine.values().strict {
                    self.strict_error(&state::position_error(&error))
                } else {
                    self.out.note(&format!("position refused: {error}"))
                }
            }
        }
    }

    /// Reports an error in strict form. The object is plain ASCII on one line, its texts tamed.
    fn strict_error(&mut self, object: &serde_json::Value) -> io::Result<()> {
        self.out.note(&format!("sanmill_error {object}"))
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        self.finish_search()?;
        self.prepare()?;
        go.notes.iter().try_for_each(|note| self.out.note(note))?;
        let root = match self.engine.root(self.dialect.past_draws()) {
            Ok(root) => root,
            Err(reason) => return self.no_search(reason),
        };
        let mut request = go.request.clone();
        if self.dialect.bare_go_is_infinite() && request == Default::default() {
            request.infinite = true;
        }
        let task = match (go.logical, self.engine.values().strict) {
            (true, true) => Task::logical(&root, request.nodes),
            (true, false) => {
                self.out.note("go logical: expected StrictFailurePolicy to be on; skipped")?;
                Task::answer(go.topn)
            }
            _ => Task::answer(go.topn),
        };
        let (limits, notes) = self.engine.limits(&request, &root);
        notes.iter().try_for_each(|note| self.out.note(note))?;
        if self.is_debugging {
            self.out.note(&format!("debug: searching {}", root.fen()))?;
        }
        self.start_search(root, limits, task)
    }

    /// Answers a `go` that cannot be searched.
    fn no_search(&mut self, reason: NoSearch) -> io::Result<()> {
        let is_drawn = matches!(reason, NoSearch::Drawn(_));
        if self.engine.values().strict && !is_drawn {
            let code = match reason {
                NoSearch::Unavailable => state::UNAVAILABLE,
                _ => "search_missing_bestmove",
            };
            return self.strict_error(&state::error(code, "go", &reason.to_string()));
        }
        self.out.note(&reason.to_string())?;
        self.out.line(&self.dialect.no_move(is_drawn))
    }

    fn start_search(
        &mut self,
        root: Position,
        limits: crate::search::limits::Limits,
        task: Task,
    ) -> io::Result<()> {
        let (sender, reports) = unbounded();
        let lines = task.lines(&root);
        let search = Search {
            root: root.clone(),
            task,
            found: Vec::new(),
            reports,
            is_stopped: false,
            is_infinite: limits.infinite,
            is_unlimited: limits.infinite || limits.ponder,
        };
        self.job = Job::Search(Box::new(search));
        self.engine.start(root, limits, lines, sender);
        Ok(())
    }

    /// Ends a search, with its answer, and lets waiting options act.
    fn finish_search(&mut self) -> io::Result<()> {
        while let Job::Search(search) = &self.job {
            self.engine.stop();
            match search.reports.recv() {
                Ok(report) => self.report(report)?,
                Err(_) => self.lost_search()?,
            }
        }
        Ok(())
    }

    /// A search has ended without a result. That is a fault of the engine; the client still gets its line.
    fn lost_search(&mut self) -> io::Result<()> {
        self.job = Job::None;
        self.out.note("the search was lost")?;
        self.out.line(&self.dialect.no_move(false))?;
        self.settle()
    }

    /// Lets the options act that came during a search.
    fn settle(&mut self) -> io::Result<()> {
        for assignment in std::mem::take(&mut self.assignments) {
            self.assign(&assignment)?;
        }
        Ok(())
    }

    fn report(&mut self, report: Report) -> io::Result<()> {
        let Job::Search(search) = &mut self.job else { return Ok(()) };
        match report {
            Report::Lines(infos) => {
                let values = self.engine.values();
                let several = values.play.multi_pv > 1 || infos.len() > 1;
                let draw = self.engine.value_of_draw(search.root.side_to_move());
                let view = View { root: &search.root, several, wdl: values.show_wdl, draw };
                if search.task.is_open() {
                    for info in &infos {
                        if let Some(line) = self.dialect.line(info, &view) {
                            self.out.line(&line)?;
                        }
                    }
                }
                search.remember(infos);
                Ok(())
            }
            Report::Current { depth, current, number } => {
                match self.dialect.current(depth, current, number).filter(|_| search.task.is_open()) {
                    Some(line) => self.out.line(&line),
                    None => Ok(()),
                }
            }
            Report::Note(text) => self.out.note(&text),
            Report::Done(best) => self.finish(&best),
        }
    }

    fn perft(&mut self, depth: Result<u32, String>) -> io::Result<()> {
        self.finish_search()?;
        self.prepare()?;
        match depth {
            Ok(_) if self.engine.is_refused() => self.out.note(&NoSearch::Unavailable.to_string()),
            Ok(depth) => {
                let pos = self.engine.position().clone();
                let threads = self.engine.values().threads;
                self.start_tool(|| Tool::perft(pos, depth, threads))
            }
            Err(error) => self.out.note(&error),
        }
    }

    fn start_tool(&mut self, start: impl FnOnce() -> io::Result<Tool>) -> io::Result<()> {
        match start() {
            Ok(tool) => {
                self.job = Job::Tool(tool);
                Ok(())
            }
            Err(error) => self.out.note(&format!("no thread for it: {error}")),
        }
    }
}
