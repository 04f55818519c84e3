//! The engine behind every dialect: it owns position, rules, tables, threads and option values, and does what a
//! command asks. It neither reads nor writes; faults come back as values that say what was found and expected.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod experience;
pub mod options;

use crate::engine::experience::Experience;
use crate::engine::options::{After, Assignment, Values};
use crate::evaluate;
use crate::movegen;
use crate::notation::{self, MoveError};
use crate::platform::sync::{Arc, Sender};
use crate::position::{Action, CountFormat, FenError, Phase, Position, Reason};
use crate::rules::CompiledRules;
use crate::search::levels;
use crate::search::limits::{Algorithm, Bias, MAX_SKILL};
use crate::search::pool::Pool;
use crate::search::{Info, Limits, Report, SearchSettings};
use crate::tablebase::Tablebase;
use crate::tt::TranspositionTable;
use crate::types::{Color, Depth, MoveKind, Value};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest time for a `go` without any limit when the options set none either.
const LONGEST_BARE_GO: Duration = Duration::from_secs(10);

/// Where a list of moves begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// The initial position of the rules in force.
    Start,
    /// A position text.
    Text(String),
}

/// What `position` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionRequest {
    /// Where the moves begin.
    pub origin: Origin,
    /// The moves, or whole turns glued together.
    pub moves: Vec<String>,
}

/// How faults in a [`PositionRequest`] are dealt with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// The whole request is refused.
    Refuse,
    /// The whole request is refused, and turns glued together are a fault too.
    Strict,
    /// What can be read counts: an unreadable text becomes the initial position, a wrong move ends the list.
    Mend,
}

/// Why a position was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// The position text.
    Text(FenError),
    /// A move of the list.
    Move {
        /// Its number, from 0.
        index: usize,
        /// The move as it was sent.
        token: String,
        /// What is wrong with it.
        error: MoveError,
    },
    /// A move after the end of the game.
    Over {
        /// Its number, from 0.
        index: usize,
        /// The move as it was sent.
        token: String,
        /// How the game had ended.
        reason: Reason,
    },
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(error) => write!(f, "{error}"),
            Self::Move { index, token, error } => {
                write!(f, "move {} ({}): {error}", index + 1, crate::engine::options::shorten(token))
            }
            Self::Over { index, token, reason } => {
                let token = crate::engine::options::shorten(token);
                write!(f, "move {} ({token}): found a move, expected none: {}", index + 1, reason.name())
            }
        }
    }
}

impl std::error::Error for PositionError {}

/// How the current position came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Past {
    /// Whether a text set it up, rather than the start of a game.
    pub from_text: bool,
    /// Moves since then, removals included.
    pub tokens: u32,
    /// Placings and moves since then of White and Black.
    pub plies: [u32; 2],
}

/// What `go` asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GoRequest {
    /// Search only these moves; empty means all.
    pub searchmoves: Vec<String>,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// What is left on the clocks of White and Black.
    pub time: [Option<Duration>; 2],
    /// Increments of White and Black.
    pub increment: [Duration; 2],
    /// Turns until the next time control.
    pub movestogo: Option<u32>,
    /// Deepest iteration.
    pub depth: Option<Depth>,
    /// Number of nodes.
    pub nodes: Option<u64>,
    /// Look for a win in this many turns.
    pub mate: Option<u32>,
    /// Use this much time.
    pub movetime: Option<Duration>,
    /// No limit.
    pub infinite: bool,
}

/// Why a search did not start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoSearch {
    /// The latest `position` was refused.
    Unavailable,
    /// The game is over.
    Over(Reason),
    /// The game is drawn by repetition or by a move counter and the client does not play past that.
    Drawn(Reason),
    /// No move can be made although the game is not over: an oddly set-up position.
    NoMove,
}

impl fmt::Display for NoSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unavailable => f.write_str(
                "no position: the latest position command was refused, expected a valid one first",
            ),
            Self::Over(reason) | Self::Drawn(reason) => write!(f, "game over: {}", reason.name()),
            Self::NoMove => f.write_str("game over: no legal move"),
        }
    }
}

/// What options left to be done before the next position or search.
#[derive(Default)]
struct Due {
    rules: bool,
    pool: bool,
    hash: bool,
    clear: bool,
    tablebase: bool,
    experience: bool,
}

/// Position, tables, threads and option values.
pub struct Engine {
    values: Values,
    compiled: Arc<CompiledRules>,
    position: Position,
    past: Past,
    is_refused: bool,
    due: Due,
    /// CompiledRules of perfect play, if there are any.
    tablebase: Option<Arc<Tablebase>>,
    /// What was told about those that cannot be used: said once, until it changes.
    tablebase_notes: Vec<String>,
    /// What was learned, while learning is on.
    experience: Option<Experience>,
    /// The file it belongs to, if there is one.
    experience_file: Option<PathBuf>,
    /// Whether more was learned than the file holds.
    has_learned: bool,
    /// Whether the result of the present search is one to learn.
    is_lesson: bool,
    tt: Arc<TranspositionTable>,
    /// How the search that filled the table valued positions.
    bias: Bias,
    hash: usize,
    pool: Pool,
    threads: usize,
}

impl Engine {
    /// An engine with every option at its default.
    ///
    /// # Errors
    /// When the system grants neither thread nor table; the message names which.
    pub fn new() -> Result<Self, String> {
        let values = Values::default();
        let compiled = Arc::new(CompiledRules::new(&values.rules));
        Ok(Self {
            position: Position::with_compiled(Arc::clone(&compiled)),
            past: Past::default(),
            is_refused: false,
            due: Due { tablebase: true, ..Due::default() },
            tablebase: None,
            tablebase_notes: Vec::new(),
            experience: None,
            experience_file: None,
            has_learned: false,
            is_lesson: false,
            bias: Bias::default(),
            tt: Arc::new(TranspositionTable::new(values.hash).map_err(|error| error.to_string())?),
            hash: values.hash,
            pool: Pool::new(values.threads).map_err(|error| error.to_string())?,
            threads: values.threads,
            compiled,
            values,
        })
    }

    /// The option values.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Records an option. What follows from it is done by [`Engine::prepare`].
    pub fn set(&mut self, assignment: &Assignment) -> After {
        let before = self.values.clone();
        // The assignment was checked when it was read.
        let after = assignment.apply(&mut self.values).unwrap_or(After::Nothing);
        match after {
            After::NewRules => self.due.rules = true,
            After::ResizePool => self.due.pool = true,
            After::ResizeHash => self.due.hash = true,
            After::ClearHash => self.due.clear = true,
            // Clients send all their options whenever one changes: what has not changed costs nothing.
            After::OutdateHash => self.due.clear |= self.values != before,
            After::OpenTables => self.due.tablebase |= self.values != before,
            After::OpenExperience => self.due.experience |= self.values != before,
            After::Nothing | After::OpenLog | After::SwitchProtocol => {}
        }
        after
    }

    /// Does what options left to be done, once for any number of them. Returns notes about what could not be had;
    /// those options go back to the value in force. No search may be running.
    pub fn prepare(&mut self) -> Vec<String> {
        let due = std::mem::take(&mut self.due);
        let mut notes = Vec::new();
        if due.rules {
            if self.compiled.rules != self.values.rules {
                self.compiled = Arc::new(CompiledRules::new(&self.values.rules));
                self.forget();
                self.due.tablebase = true;
            }
            self.position = Position::with_compiled(Arc::clone(&self.compiled));
            self.past = Past::default();
        }
        if due.pool && self.values.threads != self.threads {
            match self.pool.resize(self.values.threads) {
                Ok(()) => self.threads = self.values.threads,
                Err(error) => {
                    notes.push(format!("Threads {}: {error}; still {}", self.values.threads, self.threads));
                    self.values.threads = self.threads;
                }
            }
        }
        if due.hash && self.values.hash != self.hash {
            match TranspositionTable::new(self.values.hash) {
                Ok(table) => {
                    self.tt = Arc::new(table);
                    self.hash = self.values.hash;
                }
                Err(error) => {
                    notes.push(format!("Hash {}: {error}; still {}", self.values.hash, self.hash));
                    self.values.hash = self.hash;
                }
            }
        }
        if due.clear {
            self.tt.clear();
        }
        self.tt.populate();
        if due.tablebase || std::mem::take(&mut self.due.tablebase) {
            let found = self.open_tablebase();
            notes.extend(found.iter().filter(|note| !self.tablebase_notes.contains(note)).cloned());
            self.tablebase_notes = found;
        }
        if due.experience {
            notes.extend(self.keep_experience());
            notes.extend(self.open_experience());
        }
        notes
    }

    /// Begins to learn, or ends it, as the options say. Returns why a file is not used.
    fn open_experience(&mut self) -> Option<String> {
        (self.experience, self.experience_file) = (None, None);
        if !self.values.learn {
            return None;
        }
        if self.values.experience_file.is_empty() {
            self.experience = Some(Experience::default());
            return None;
        }
        let path = PathBuf::from(&self.values.experience_file);
        match Experience::load_or_new(&path) {
            Ok(experience) => {
                self.experience = Some(experience);
                self.experience_file = Some(path);
                None
            }
            // Neither used nor overwritten.
            Err(error) => Some(format!("ExperienceFile {}: {error}; nothing is learned", path.display())),
        }
    }

    /// Writes what was learned to the file, beside what others have written there meanwhile. Returns why that failed.
    pub fn keep_experience(&mut self) -> Option<String> {
        let (Some(known), Some(path)) = (&mut self.experience, &self.experience_file) else { return None };
        if !self.has_learned {
            return None;
        }
        match known.join(path) {
            Ok(()) => {
                self.has_learned = false;
                None
            }
            // It is tried again when the next game or the session ends.
            Err(error) => {
                Some(format!("ExperienceFile {}: {error}; what was learned is not kept", path.display()))
            }
        }
    }

    /// What was learned, for `experience` commands; `None` while learning is off.
    pub fn experience(&self) -> Option<&Experience> {
        self.experience.as_ref()
    }

    /// Adds what a file knows to what was learned, if learning is on.
    pub fn teach(&mut self, known: &Experience) {
        if let Some(experience) = &mut self.experience {
            experience.merge(known);
            self.has_learned |= !known.is_empty();
        }
    }

    /// Learns the result of the search that has ended, given its latest exact line.
    pub fn learn(&mut self, root: &Position, line: &Info) {
        if let Some(experience) = self.experience.as_mut().filter(|_| self.is_lesson) {
            self.has_learned |= experience.learn(root, line.score, line.depth, &line.pv);
        }
    }

    /// Opens the tables of perfect play that the options name. Returns a note about each that cannot be used; play goes
    /// on without it.
    fn open_tablebase(&mut self) -> Vec<String> {
        self.tablebase = None;
        let values = &self.values;
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in std::env::split_paths(&values.table_path) {
            if !folder.as_os_str().is_empty() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let malom = values.malom.then(|| Path::new(&values.malom_path));
        let mut tablebase = match Tablebase::new(&values.rules) {
            Ok(tablebase) => tablebase,
            // Nobody asked for tables, and there are none for these rules.
            Err(_) if folders.is_empty() && malom.is_none() => return Vec::new(),
            Err(error) => return vec![format!("no tables: {error}")],
        };
        let mut refused = Vec::new();
        let cache = (values.table_cache << 20) / folders.len().max(1);
        for folder in &folders {
            refused.extend(tablebase.add_folder(folder, cache).unwrap_or_else(|error| vec![error]));
        }
        if values.table_embedded {
            refused.extend(tablebase.add_embedded().err());
        }
        if let Some(folder) = malom {
            refused.extend(tablebase.add_malom(folder, &values.rules).err());
        }
        self.tablebase = (!tablebase.is_empty()).then(|| Arc::new(tablebase));
        refused.iter().map(ToString::to_string).collect()
    }

    /// Empties the table and forgets learned move ordering.
    fn forget(&mut self) {
        self.tt.clear();
        self.pool.clear();
    }

    /// Begins a new game: nothing learned stays, and the initial position is set up.
    pub fn new_game(&mut self) {
        self.forget();
        self.position = Position::with_compiled(Arc::clone(&self.compiled));
        self.past = Past::default();
        self.is_refused = false;
    }

    /// The tables of perfect play in use, if there are any.
    pub fn tablebase(&self) -> Option<&Tablebase> {
        self.tablebase.as_deref()
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// How the current position came about.
    pub fn past(&self) -> Past {
        self.past
    }

    /// Whether the latest `position` was refused, so that there is nothing to search.
    pub fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// The position a request describes, how it came about, and notes on what was mended. Unless `past_draws`,
    /// a draw by repetition or by the counters ends the list of moves.
    ///
    /// # Errors
    /// When the text or a move is wrong; never with [`Manner::Mend`].
    pub fn read_position(
        &self,
        request: &PositionRequest,
        manner: Manner,
        past_draws: bool,
    ) -> Result<(Position, Past, Vec<String>), PositionError> {
        let mut notes = Vec::new();
        let start = || Position::with_compiled(Arc::clone(&self.compiled));
        let mut pos = match &request.origin {
            Origin::Start => start(),
            Origin::Text(text) => {
                let read = |counts| Position::from_fen_with(Arc::clone(&self.compiled), text, counts);
                match (read(CountFormat::Refuse), manner) {
                    (Ok(pos), _) => pos,
                    (Err(error), Manner::Mend) => match read(CountFormat::Repair) {
                        Ok(pos) => {
                            notes
                                .push(format!("{error}; men on the board count, hands are cut to the rules"));
                            pos
                        }
                        Err(_) => {
                            notes.push(format!("{error}; the initial position stands in"));
                            start()
                        }
                    },
                    (Err(error), _) => return Err(PositionError::Text(error)),
                }
            }
        };
        let mut past = Past { from_text: matches!(request.origin, Origin::Text(_)), ..Past::default() };
        for (index, token) in request.moves.iter().enumerate() {
            if let Err(error) = play(&mut pos, &mut past, index, token, manner, past_draws) {
                if manner != Manner::Mend {
                    return Err(error);
                }
                notes.push(format!("illegal move ignored, and what follows it: {error}"));
                break;
            }
        }
        Ok((pos, past, notes))
    }

    /// Makes the position of a request the current one; as [`Engine::read_position`].
    ///
    /// # Errors
    /// As there; the position before stays, and nothing is searched until a valid one arrives.
    pub fn set_position(
        &mut self,
        request: &PositionRequest,
        manner: Manner,
        past_draws: bool,
    ) -> Result<Vec<String>, PositionError> {
        match self.read_position(request, manner, past_draws) {
            Ok((position, past, notes)) => {
                self.position = position;
                self.past = past;
                self.is_refused = false;
                Ok(notes)
            }
            Err(error) => {
                self.is_refused = true;
                Err(error)
            }
        }
    }

    /// Marks the position as not to be searched, as a command that names none does.
    pub fn refuse(&mut self) {
        self.is_refused = true;
    }

    /// The position that `go` searches: the current one, its counters started anew where the client plays on past
    /// a draw.
    ///
    /// # Errors
    /// When there is nothing to search.
    pub fn root(&self, past_draws: bool) -> Result<Position, NoSearch> {
        if self.is_refused {
            return Err(NoSearch::Unavailable);
        }
        searchable(&self.position, past_draws)
    }

    /// The limits of a request for the side to move in `root`, and notes on moves it cannot play.
    pub fn limits(&self, request: &GoRequest, root: &Position) -> (Limits, Vec<String>) {
        let us = root.side_to_move().index();
        let mut notes = Vec::new();
        let mut searchmoves = Vec::new();
        for text in &request.searchmoves {
            match notation::parse(root, text) {
                Ok(m) if !searchmoves.contains(&m) => searchmoves.push(m),
                Ok(_) => {}
                Err(error) => notes.push(format!("searchmoves: {error}; skipped")),
            }
        }
        if searchmoves.is_empty() && !request.searchmoves.is_empty() {
            notes.push("searchmoves: no legal move among them; all moves are searched".to_owned());
        }
        let mut limits = Limits {
            searchmoves,
            depth: request.depth,
            nodes: request.nodes,
            mate: request.mate,
            movetime: request.movetime,
            time: request.time[us],
            increment: request.increment[us],
            movestogo: request.movestogo,
            may_end_early: false,
            analysis: false,
            infinite: request.infinite,
            ponder: request.ponder,
        };
        let is_bare = limits.depth.is_none()
            && limits.nodes.is_none()
            && limits.mate.is_none()
            && limits.movetime.is_none()
            && limits.time.is_none()
            && !limits.infinite;
        if is_bare {
            limits.movetime = Some(self.bare_time());
            limits.may_end_early = true;
        }
        (limits, notes)
    }

    /// The time for a `go` without limits.
    pub fn bare_time(&self) -> Duration {
        match self.values.move_time {
            Duration::ZERO => LONGEST_BARE_GO,
            time => time,
        }
    }

    /// How the option values let a search play.
    fn settings(&self) -> SearchSettings {
        let values = &self.values;
        let skill = if values.limit_strength { levels::skill_of(values.elo) } else { values.play.skill };
        SearchSettings { skill, ..values.play.clone() }
    }

    /// Starts a search of `root`, which reports at least `lines` lines. [`Report::Done`] ends it.
    pub fn start(&mut self, root: Position, limits: Limits, lines: usize, reports: Sender<Report>) {
        let settings = SearchSettings { multi_pv: self.values.play.multi_pv.max(lines), ..self.settings() };
        let is_deepening =
            matches!(settings.algorithm, Algorithm::AlphaBeta | Algorithm::Pvs | Algorithm::Mtdf);
        let bias = settings.bias(&limits, root.side_to_move());
        if std::mem::replace(&mut self.bias, bias) != bias {
            self.tt.clear();
        }
        let is_usual = bias == Bias::default();
        let is_strong = settings.skill == MAX_SKILL || settings.is_analysis(&limits);
        self.is_lesson = is_deepening && is_usual && is_strong && limits.searchmoves.is_empty();
        if let Some(experience) = self.experience.as_ref().filter(|_| is_deepening && is_usual) {
            experience.recall(&root, &self.tt);
        }
        self.pool.go(root, limits, settings, Arc::clone(&self.tt), self.tablebase.clone(), reports);
    }

    /// What a draw is worth to a side in the present or latest search, which contempt may have moved.
    pub fn value_of_draw(&self, side: Color) -> Value {
        if side == Color::White { self.bias.draw } else { -self.bias.draw }
    }

    /// Ends a search as soon as possible.
    pub fn stop(&self) {
        self.pool.stop();
    }

    /// The opponent has played the expected move: limits count from now on.
    pub fn ponderhit(&self) {
        self.pool.ponderhit();
    }

    /// The static value of the current position, and the named terms it is the sum of, both from the mover's
    /// point of view.
    pub fn eval(&self) -> (Value, Vec<(&'static str, Value)>) {
        (evaluate::evaluate(&self.position), evaluate::trace(&self.position))
    }
}

/// `position` if it can be searched, with its draw counters started anew where a draw is played past.
///
/// # Errors
/// When the game is over, or drawn without `past_draws`, or there is no move.
pub fn searchable(position: &Position, past_draws: bool) -> Result<Position, NoSearch> {
    let mut root = position.clone();
    let outcome = root.outcome();
    if outcome.reason.is_claimable() {
        if !past_draws {
            return Err(NoSearch::Drawn(outcome.reason));
        }
        root.forget_history();
    }
    let outcome = root.outcome();
    if outcome.is_over() {
        return Err(NoSearch::Over(outcome.reason));
    }
    if movegen::playable(&root).is_empty() {
        return Err(NoSearch::NoMove);
    }
    Ok(root)
}

/// Plays one token of a move list.
fn play(
    pos: &mut Position,
    past: &mut Past,
    index: usize,
    token: &str,
    manner: Manner,
    past_draws: bool,
) -> Result<(), PositionError> {
    let mut play_one = |text: &str| {
        let over = |reason| PositionError::Over { index, token: token.to_owned(), reason };
        if !past_draws && let Some(reason) = pos.claimable_draw() {
            return Err(over(reason));
        }
        let m = notation::parse(pos, text).map_err(|error| {
            let reason = pos.outcome().reason;
            match error {
                MoveError::Illegal { .. } if reason != Reason::Ongoing && !reason.is_claimable() => {
                    over(reason)
                }
                error => PositionError::Move { index, token: token.to_owned(), error },
            }
        })?;
        past.tokens += 1;
        if m.kind() != MoveKind::Take {
            past.plies[pos.side_to_move().index()] += 1;
        }
        pos.do_move(m);
        Ok(())
    };
    if manner == Manner::Strict {
        return play_one(token);
    }
    notation::split_turn(token).try_for_each(&mut play_one)
}

/// The word for what is expected next, as `statejson` has it.
pub fn action_name(pos: &Position) -> &'static str {
    // A game that ended with a removal keeps that expectation (rules.md 9.4); other endings expect nothing.
    let keeps = pos.phase() == Phase::Over;
    match pos.action() {
        _ if pos.outcome().is_over() && !keeps => "game_over",
        Action::Place => "place",
        Action::Select => "select",
        Action::Remove => "remove",
        Action::None => "game_over",
    }
}

/// The name of a side, or of none.
pub fn side_name(side: Option<Color>) -> &'static str {
    match side {
        Some(Color::White) => "white",
        Some(Color::Black) => "black",
        None => "none",
    }
}
