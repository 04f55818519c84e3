//! The engine behind every dialect: it owns position, rules, transposition table, tablebase, thread pool and
//! option values. It neither reads nor writes the protocol, and returns errors as values. Uses `search` and
//! the modules above it.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(target_arch = "wasm32")]
mod browser;
mod error;
pub(crate) mod experience;
pub(crate) mod experience_format;
#[cfg(target_arch = "wasm32")]
mod fetch;
mod learning;
mod library;
mod never_lose;
mod open_tablebase;
pub mod options;
mod request;
mod setup;

pub use error::{EngineError, MemoryError, Note, PoolError, TtError};
pub use experience::Experience;
pub use experience_format::{ExperienceEntry, ExperienceFault};
#[cfg(target_arch = "wasm32")]
pub(crate) use fetch::WantedFile;
pub use options::{OptionEffect, OptionValues};
pub use request::{ErrorPolicy, PositionOrigin, PositionRequest};
pub(crate) use request::{GoRequest, PositionHistory};
pub(crate) use setup::{SetUp, searchable};

use crate::certificate::Certificate;
use crate::evaluate::{self, EvalNetwork, EvalTerms, NetworkError};
use crate::platform::allocator::renew_reserve;
use crate::platform::sync::{Arc, Sender};
use crate::position::Position;
use crate::rules::CompiledRules;
use crate::search::Pool;
use crate::search::bias::Bias;
use crate::search::levels;
use crate::search::limits::{Algorithm, LevelScale, MAX_SKILL};
use crate::search::{Info, Limits, Report, SearchSettings};
use crate::tablebase::{Tablebase, TablebaseError};
use crate::tt::TranspositionTable;
use crate::types::{Color, Move, Value};
use learning::Learning;
use never_lose::NeverLose;
use options::option::{EngineOption, PendingUpdates};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

/// The time for a `go` without limits when the options set none either.
const LONGEST_BARE_GO: Duration = Duration::from_secs(10);

/// The maximum number of unplayable moves of `searchmoves` that a note names; further ones are only counted.
const MOST_NOTES: usize = 10;

/// Position, transposition table, tablebase, search threads and option values.
pub struct Engine {
    values: OptionValues,
    pending: PendingUpdates,
    compiled: Arc<CompiledRules>,
    position: Position,
    history: PositionHistory,
    is_refused: bool,
    tablebase: Option<Arc<Tablebase>>,
    /// The latest errors of the tablebase. Each is reported once, until it changes.
    tablebase_errors: Vec<TablebaseError>,
    /// The errors that [`Engine::apply_options`] has returned since an option was set.
    told: HashSet<String>,
    learning: Learning,
    never_lose: NeverLose,
    #[cfg(target_arch = "wasm32")]
    network_fetch: fetch::NetworkFetch,
    /// True if a search has begun since the tablebase files were last asked for.
    #[cfg(target_arch = "wasm32")]
    has_begun: bool,
    tt: Arc<TranspositionTable>,
    /// The bias of the search that filled `tt`.
    bias: Bias,
    /// The meaning of `SkillLevel`.
    level_scale: LevelScale,
    pool: Pool,
    /// The file of the network in use; empty for the built-in one.
    eval_file: String,
}

impl Engine {
    /// Returns an engine with every option at its default.
    ///
    /// # Errors
    /// If threads or memory are not available.
    pub fn new() -> Result<Self, EngineError> {
        let values = OptionValues::default();
        let compiled = Arc::new(CompiledRules::new(&values.rules));
        let tt = TranspositionTable::new(values.hash).map_err(EngineError::StartHash)?;
        let pool = Pool::new(values.threads).map_err(EngineError::StartThreads)?;
        Ok(Self {
            pending: PendingUpdates::of(OptionEffect::OpenTablebase),
            position: Position::with_compiled(Arc::clone(&compiled)),
            compiled,
            history: PositionHistory::default(),
            is_refused: false,
            tablebase: None,
            tablebase_errors: Vec::new(),
            told: HashSet::new(),
            learning: Learning::default(),
            never_lose: NeverLose::default(),
            #[cfg(target_arch = "wasm32")]
            network_fetch: fetch::NetworkFetch::default(),
            #[cfg(target_arch = "wasm32")]
            has_begun: false,
            tt: Arc::new(tt),
            bias: Bias::default(),
            level_scale: LevelScale::default(),
            pool,
            eval_file: String::new(),
            values,
        })
    }

    /// Returns the option values.
    pub fn values(&self) -> &OptionValues {
        &self.values
    }

    /// Records the value of an option.
    ///
    /// The next search, or [`Engine::apply_options`], does the work that follows, except for the log and the
    /// dialect, which belong to the caller.
    ///
    /// # Errors
    /// If there is no such option, or the value is not accepted; nothing changes then.
    pub fn set_option(&mut self, name: &str, value: Option<&str>) -> Result<OptionEffect, EngineError> {
        let option = options::find(name).ok_or_else(|| EngineError::NoOption(name.to_owned()))?;
        let rules = self.values.rules;
        let effect = match option.set(&mut self.values, value)? {
            // The file may have been mended.
            OptionEffect::Nothing if self.has_refused(option) => option.effect,
            // Any change of the rules ends the game, also one that is taken back before the next command.
            OptionEffect::SetRules if self.values.rules == rules => OptionEffect::Nothing,
            effect => effect,
        };
        if !matches!(effect, OptionEffect::Nothing | OptionEffect::SetRules) {
            self.told.clear();
        }
        self.pending.add(effect);
        Ok(effect)
    }

    /// Returns true if an option names a file that is not used.
    fn has_refused(&self, option: EngineOption) -> bool {
        match option.effect {
            OptionEffect::OpenExperience => option.name == "ExperienceFile" && self.learning.is_refused(),
            OptionEffect::ReadCertificate => !self.never_lose.fits(&self.values),
            _ => false,
        }
    }

    /// Does the work that option values require, once for any number of them. Returns an error for each value
    /// that cannot take effect; threads, hash and network then keep their previous value. No search may be
    /// running.
    pub(crate) fn prepare(&mut self) -> Vec<EngineError> {
        renew_reserve();
        #[cfg(feature = "tune")]
        crate::params::set_all(&self.values.params);
        let pending = std::mem::take(&mut self.pending);
        let mut errors = Vec::new();
        let has_new_rules = self.compiled.rules != self.values.rules;
        let has_new_profile = self.compiled.profile != self.values.profile;
        if has_new_rules || has_new_profile {
            self.compiled = Arc::new(CompiledRules::with_profile(&self.values.rules, self.values.profile));
            self.clear();
        }
        #[cfg(target_arch = "wasm32")]
        if has_new_rules {
            self.network_fetch.new_rules();
        }
        if pending.has(OptionEffect::SetRules) {
            self.position = Position::with_compiled(Arc::clone(&self.compiled));
            self.history = PositionHistory::default();
        } else if has_new_profile {
            self.position = setup::replay(&self.compiled, &self.history);
        }
        if pending.has(OptionEffect::ResizePool) {
            errors.extend(self.resize_pool().err());
        }
        if pending.has(OptionEffect::ResizeHash) {
            errors.extend(self.resize_hash().err());
        }
        if pending.has(OptionEffect::ReadNetwork) {
            errors.extend(self.read_network().err());
        }
        if pending.has(OptionEffect::ClearHash) {
            self.clear_tt();
        }
        self.tt.populate();
        if pending.has(OptionEffect::OpenTablebase) || has_new_rules {
            errors.extend(self.open_tablebase());
        }
        if pending.has(OptionEffect::ReadCertificate) || has_new_rules && !self.never_lose.fits(&self.values)
        {
            errors.extend(self.never_lose.open(&self.values).err());
        }
        // Decoded now rather than in the time of a search, which tries again if there is no memory.
        if has_new_rules {
            let _ = self.values.play.network.load(self.position.compiled());
        }
        if self.values.play.never_lose {
            let _ = Certificate::built_in(&self.values.rules);
        }
        if pending.has(OptionEffect::OpenExperience) {
            errors.extend(self.learning.reopen(&self.values));
        }
        errors
    }

    fn resize_pool(&mut self) -> Result<(), EngineError> {
        let (wanted, kept) = (self.values.threads, self.pool.threads());
        if wanted != kept
            && let Err(cause) = self.pool.resize(wanted)
        {
            self.values.threads = kept;
            return Err(EngineError::Threads { wanted, kept, cause });
        }
        Ok(())
    }

    fn resize_hash(&mut self) -> Result<(), EngineError> {
        let (wanted, kept) = (self.values.hash, self.tt.size_mib());
        if wanted != kept {
            match self.tt.resized(wanted) {
                Ok(tt) => self.tt = Arc::new(tt),
                Err(cause) => {
                    self.values.hash = kept;
                    return Err(EngineError::Hash { wanted, kept, cause });
                }
            }
        }
        Ok(())
    }

    fn read_network(&mut self) -> Result<(), EngineError> {
        let network = match self.values.eval_file.as_str() {
            "" => Ok(EvalNetwork::default()),
            file => EvalNetwork::open(Path::new(file)),
        };
        match network {
            Ok(network) => {
                self.values.play.network = network;
                self.eval_file.clone_from(&self.values.eval_file);
                self.clear();
                Ok(())
            }
            Err(cause) => {
                let wanted = std::mem::replace(&mut self.values.eval_file, self.eval_file.clone());
                Err(EngineError::EvalFile { path: wanted.into(), cause })
            }
        }
    }

    /// Opens the tablebase that the options name. Returns the errors that were not reported before.
    fn open_tablebase(&mut self) -> Vec<EngineError> {
        // The files of the tablebase in use are closed first: both together may not fit into memory.
        self.tablebase = None;
        let (tablebase, errors) = open_tablebase::open(&self.values);
        self.tablebase = tablebase.map(Arc::new);
        let reported = std::mem::replace(&mut self.tablebase_errors, errors);
        let new = self.tablebase_errors.iter().filter(|error| !reported.contains(error));
        new.cloned().map(EngineError::Tablebase).collect()
    }

    /// Begins a new game: clears the transposition table and the histories, and sets up the initial position.
    pub fn new_game(&mut self) {
        self.clear();
        self.never_lose.new_game();
        #[cfg(target_arch = "wasm32")]
        self.network_fetch.new_game();
        self.position = Position::with_compiled(Arc::clone(&self.compiled));
        self.history = PositionHistory::default();
        self.is_refused = false;
    }

    /// Clears the transposition table and the histories of the search threads.
    pub(crate) fn clear(&mut self) {
        self.pool.clear();
        self.clear_tt();
    }

    /// Clears the transposition table.
    fn clear_tt(&mut self) {
        // The threads let go of it after their last report.
        self.pool.wait();
        TranspositionTable::clear_shared(&mut self.tt);
    }

    /// Returns the tablebase in use, if there is one.
    pub fn tablebase(&self) -> Option<&Tablebase> {
        self.tablebase.as_deref()
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Returns the origin of the current position, and the moves played since.
    pub(crate) fn history(&self) -> &PositionHistory {
        &self.history
    }

    /// Returns true if the latest `position` was refused, so that there is nothing to search.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Sets up the position of a request without making it the current one. Unless `past_draws`, a draw by
    /// repetition or by the counters ends the list of moves.
    ///
    /// # Errors
    /// If the text or a move is wrong; never with [`ErrorPolicy::Repair`].
    pub(crate) fn read_position(
        &self,
        request: &PositionRequest,
        policy: ErrorPolicy,
        past_draws: bool,
    ) -> Result<SetUp, EngineError> {
        setup::set_up(&self.compiled, request, policy, past_draws)
    }

    /// Makes the position of a request the current one. Returns the errors that were repaired.
    ///
    /// Unless `past_draws`, a draw by repetition or by a move counter ends the list of moves.
    ///
    /// # Errors
    /// If the text or a move is wrong. The earlier position stays, but is not searched.
    pub fn set_position(
        &mut self,
        request: &PositionRequest,
        policy: ErrorPolicy,
        past_draws: bool,
    ) -> Result<Vec<Note>, EngineError> {
        let set_up = self.read_position(request, policy, past_draws);
        self.is_refused = set_up.is_err();
        let SetUp { position, history, repairs } = set_up?;
        (self.position, self.history) = (position, history);
        Ok(repairs)
    }

    /// Refuses to search until a valid position arrives, as after a `position` that cannot be read.
    pub(crate) fn refuse(&mut self) {
        self.is_refused = true;
    }

    /// Returns the position that `go` searches, as [`searchable`] does for the current one.
    ///
    /// # Errors
    /// If there is nothing to search.
    pub(crate) fn root(&self, past_draws: bool) -> Result<Position, EngineError> {
        if self.is_refused {
            return Err(EngineError::NoPosition);
        }
        searchable(&self.position, past_draws)
    }

    /// Returns the limits of a request for the side to move in `root`, and notes on `searchmoves`.
    pub(crate) fn limits(&self, request: &GoRequest, root: &Position) -> (Limits, Vec<Note>) {
        let us = root.side_to_move().index();
        let mut notes = Vec::new();
        let mut searchmoves = Vec::new();
        let mut skipped = 0;
        for text in request.searchmoves.split_ascii_whitespace() {
            match setup::first_move(root, text, self.values.strict) {
                Ok(m) if !searchmoves.contains(&m) => searchmoves.push(m),
                Ok(_) => {}
                Err(note) => {
                    skipped += 1;
                    if skipped <= MOST_NOTES {
                        notes.push(note);
                    }
                }
            }
        }
        if skipped > MOST_NOTES {
            notes.push(Note::MoreSkipped(skipped - MOST_NOTES));
        }
        if searchmoves.is_empty() && !request.searchmoves.is_empty() {
            notes.push(Note::AllSkipped);
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
            infinite: request.infinite,
            ponder: request.ponder,
            ..Limits::default()
        };
        if !request.infinite && !request.has_limit(root.side_to_move()) {
            limits.movetime = Some(self.bare_time());
            limits.may_end_early = true;
        }
        (limits, notes)
    }

    /// Returns the time for a `go` without limits.
    pub(crate) fn bare_time(&self) -> Duration {
        match self.values.move_time {
            Duration::ZERO => LONGEST_BARE_GO,
            time => time,
        }
    }

    /// Sets the meaning of `SkillLevel` for the next searches.
    pub(crate) fn set_level_scale(&mut self, scale: LevelScale) {
        self.level_scale = scale;
    }

    /// Starts a search of `root` that reports at least `lines` lines. [`Report::Done`] ends it.
    pub(crate) fn start(
        &mut self,
        root: Position,
        mut limits: Limits,
        lines: usize,
        reports: Sender<Report>,
    ) {
        #[cfg(target_arch = "wasm32")]
        {
            // Another network gave the values that are stored.
            if std::mem::take(&mut self.network_fetch.has_arrived) {
                self.clear();
            }
            self.network_fetch.tell(root.rules(), &reports);
            self.has_begun = true;
        }
        let mut settings = self.settings(lines);
        self.never_lose.restrict(&root, &mut limits, &settings, &reports);
        if limits.reproducible {
            // The content of the tablebase cache depends on earlier searches.
            settings.tablebase_depth = 0;
        }
        let bias = settings.bias(&limits, root.side_to_move());
        if std::mem::replace(&mut self.bias, bias) != bias {
            self.clear_tt();
        }
        // The experience is used and extended only without bias and with iterative deepening. Only results of
        // a search at full strength over all moves are learned.
        let is_deepening =
            matches!(settings.algorithm, Algorithm::AlphaBeta | Algorithm::Pvs | Algorithm::Mtdf);
        let uses_experience = is_deepening && bias == Bias::default() && !limits.reproducible;
        let learns_result =
            uses_experience && settings.level(&limits).is_none() && limits.searchmoves.is_empty();
        self.learning.begin_search(&root, &self.tt, uses_experience, learns_result);
        self.pool.go(root, limits, settings, Arc::clone(&self.tt), self.tablebase.clone(), reports);
    }

    /// Returns the settings of a search that reports at least `lines` lines.
    fn settings(&self, lines: usize) -> SearchSettings {
        let values = &self.values;
        let skill = if values.limit_strength { levels::skill_of(values.elo) } else { values.play.skill };
        let multi_pv = values.play.multi_pv.max(lines);
        // An Elo is always one of the measured levels.
        let level_scale = if values.limit_strength { LevelScale::Measured } else { self.level_scale };
        SearchSettings { skill, level_scale, multi_pv, ..values.play.clone() }
    }

    /// Returns true if searches play the best move that they find.
    pub(crate) fn is_at_full_strength(&self) -> bool {
        self.settings(1).skill == MAX_SKILL
    }

    /// Returns a whole turn that the certificate allows in place of the line of the latest search.
    ///
    /// It begins with the same move, but takes another man. `None` if the line begins with an allowed turn or
    /// the game is outside the certificate.
    pub(crate) fn certified_turn(&self, line: &[Move]) -> Option<&[Move]> {
        let turns = &self.never_lose.turns;
        if turns.iter().any(|turn| line.starts_with(turn)) {
            return None;
        }
        turns.iter().find(|turn| turn.first() == line.first()).map(Vec::as_slice)
    }

    /// Returns the one of these moves to play in place of that of the latest search, which has failed: the
    /// first move of a turn that the certificate allowed there, else the first of all.
    pub(crate) fn move_without_search(&self, playable: &[Move]) -> Option<Move> {
        let mut firsts = self.never_lose.turns.iter().filter_map(|turn| turn.first());
        firsts.find(|m| playable.contains(m)).or(playable.first()).copied()
    }

    /// Returns the value of a draw for a side in the running or latest search, which contempt may have moved.
    pub(crate) fn value_of_draw(&self, side: Color) -> Value {
        if side == Color::White { self.bias.draw } else { -self.bias.draw }
    }

    /// Ends a search as soon as possible.
    pub(crate) fn stop(&self) {
        self.pool.stop();
    }

    /// Turns pondering into a search whose limits count from now.
    pub(crate) fn ponderhit(&self) {
        self.pool.ponderhit();
    }

    /// Returns the static value of a position for the side to move, by the network in use.
    pub(crate) fn static_value(&self, pos: &Position) -> Value {
        evaluate::evaluate_by(&self.values.play.network.get(pos.compiled()), pos)
    }

    /// Returns the static value of the current position, and the named terms it is the sum of.
    ///
    /// Both are from the point of view of the side to move.
    ///
    /// # Errors
    /// If there is no memory for the network.
    pub fn eval(&self) -> Result<(Value, EvalTerms), NetworkError> {
        let evaluator = self.values.play.network.load(self.position.compiled())?;
        let value = evaluate::evaluate_by(&evaluator, &self.position);
        Ok((value, evaluate::trace(&evaluator, &self.position)))
    }

    /// Returns the experience for `experience` commands.
    ///
    /// # Errors
    /// While learning is off.
    pub(crate) fn experience(&self) -> Result<&Experience, EngineError> {
        self.learning.experience()
    }

    /// Adds the entries of another experience, if learning is on.
    pub(crate) fn merge_experience(&mut self, other: &Experience) {
        self.learning.merge(other);
    }

    /// Writes the experience to its file, if learning is on and there is one.
    ///
    /// # Errors
    /// If the file cannot be read or written. The next call tries again.
    pub fn save_experience(&mut self) -> Result<(), EngineError> {
        let changes = self.pending.take(OptionEffect::OpenExperience);
        let mut errors = if changes { self.learning.reopen(&self.values).collect() } else { Vec::new() };
        errors.extend(self.learning.save().err());
        EngineError::join(errors)
    }

    /// Learns the result of the search that has ended, given its latest exact line.
    pub(crate) fn learn(&mut self, root: &Position, line: &Info) {
        self.learning.learn(root, line);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::rules::Rules;

    #[test]
    fn a_search_runs_on_the_clock_of_the_side_to_move() {
        let engine = Engine::new().unwrap();
        let time = [1_000, 2_000].map(|time| Some(Duration::from_millis(time)));
        let increment = [10, 20].map(Duration::from_millis);
        let request = GoRequest { time, increment, movestogo: Some(7), ..GoRequest::default() };
        let mut root = Position::new(&Rules::NINE);
        for (time, increment) in time.into_iter().zip(increment) {
            let (limits, notes) = engine.limits(&request, &root);
            assert_eq!((limits.time, limits.increment), (time, increment));
            assert_eq!((limits.movestogo, limits.movetime, notes.len()), (Some(7), None, 0));
            root.do_move(root.legal_moves()[0]);
        }
    }

    #[test]
    fn a_clock_of_the_other_side_alone_is_no_limit() {
        let engine = Engine::new().unwrap();
        let request = GoRequest { time: [None, Some(Duration::from_millis(1))], ..GoRequest::default() };
        let (limits, _) = engine.limits(&request, &Position::new(&Rules::NINE));
        assert_eq!((limits.time, limits.movetime), (None, Some(engine.bare_time())));
        assert!(limits.may_end_early);
    }
}
