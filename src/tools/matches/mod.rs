//! `match`: games between two engines, or an engine and a built-in opponent, with error bars.
//!
//! `settings.rs` holds the settings, `plan.rs` reads what they name, `engine_file.rs` describes an engine,
//! `client.rs` speaks with it in its dialect, `connection.rs` by lines, `group.rs` runs its process,
//! `guard.rs` ends it with the match, `strays.rs` finds what it has started, `signals.rs` lists the signals
//! that end a match, `fault.rs` names the faults of engines, `builtin.rs` plays without one, with the moves
//! of `perfect.rs` and `hunter.rs`, `limits.rs` holds limits and clocks, `game.rs` plays one game,
//! `identity.rs` identifies a match to resume, `replay.rs` checks its games, `stats.rs` holds the statistics
//! and `report.rs` the result. Uses `dialect` and the modules above it, the shared files of `tools`, and
//! `openings`.

pub mod builtin;
pub mod client;
mod connection;
pub mod engine_file;
pub mod fault;
pub mod game;
pub(crate) mod group;
#[cfg(unix)]
pub(crate) mod guard;
mod hunter;
pub mod identity;
pub mod limits;
pub mod perfect;
mod plan;
mod replay;
pub mod report;
mod settings;
#[cfg(unix)]
mod signals;
pub mod stats;
#[cfg(unix)]
mod strays;

pub use builtin::BuiltinStyle;
pub use engine_file::EngineFile;
pub use game::Side;
pub use report::Standings;
pub use settings::MatchSettings;
pub(crate) use stats::{Tally, expected_score};

use super::error::{Place, ToolError};
use super::files::{check_other, check_stdout, check_writable, eprint_line, write_file, write_out};
use super::jobs::do_jobs;
use super::progress::Bar;
use super::resume::{ResumeFile, WrongPart};
use crate::notation;
use crate::platform::text::{counted, printable};
use crate::record::Builder;
use game::{FinishedGame, Player, Terms};
use parking_lot::Mutex;
use plan::{Plan, plan};
use stats::Sprt;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Plays a match and prints its result.
///
/// If an error or, on Unix, a signal ends the match, the result of the games until then is printed, and their
/// records are written.
///
/// # Errors
/// As [`play`], or if the result or the records cannot be written.
pub fn run(args: &MatchSettings) -> Result<(), ToolError> {
    check_stdout()?;
    let ready = prepare(args)?;
    #[cfg(unix)]
    report_before_signal(&ready.result, args);
    let result = Arc::clone(&ready.result);
    let ended = ready.play();
    let mut result = result.lock();
    if ended.is_err() && result.standings.all.games() == 0 {
        return ended;
    }
    let reported = result.report(args.json, args.records.as_deref());
    // Only one error can be returned.
    if let (Err(_), Err(error)) = (&ended, &reported) {
        eprint_line(format_args!("millstone: {error}"));
    }
    ended.and(reported)
}

/// Plays a match and shows progress on standard error.
///
/// Returns the standings, and the records of the games if they are wanted.
///
/// # Errors
/// If a file cannot be read or written, an engine cannot be started at all, a built-in opponent lacks a
/// tablebase file, the file to resume from belongs to another match, or the records would replace it, the
/// openings or an engine.
pub fn play(args: &MatchSettings) -> Result<(Standings, String), ToolError> {
    let ready = prepare(args)?;
    let result = Arc::clone(&ready.result);
    ready.play()?;
    let result = result.lock();
    Ok((result.standings.clone(), result.records()))
}

/// The result of a match until now.
struct MatchResult {
    standings: Standings,
    /// The records of the games by their numbers, if they are wanted.
    records: BTreeMap<u32, String>,
    begun: Instant,
    is_reported: bool,
}

impl MatchResult {
    /// Adds a finished game, and its record if records are wanted.
    ///
    /// # Errors
    /// If there can be no record. The game counts even then.
    fn add(&mut self, plan: &Plan<'_>, game: &FinishedGame) -> Result<(), ToolError> {
        self.standings.add(game);
        if plan.args.records.is_some() {
            self.records.insert(game.game, record_of(plan, game)?);
        }
        Ok(())
    }

    /// Returns the records in the order of the games.
    fn records(&self) -> String {
        self.records.values().map(String::as_str).collect()
    }

    /// Prints the standings and writes the records, once.
    fn report(&mut self, json: bool, records: Option<&Path>) -> Result<(), ToolError> {
        if std::mem::replace(&mut self.is_reported, true) {
            return Ok(());
        }
        self.standings.seconds = self.begun.elapsed().as_secs_f64();
        // Neither loses the other if it fails. A reader of standard output may be slow.
        let written = records.map_or(Ok(()), |path| write_file(path, self.records().as_bytes()));
        let text = if json { format!("{}\n", self.standings.json()) } else { self.standings.table() };
        write_out(None, &text).and(written)
    }
}

/// Makes a signal that ends the process report the result first.
#[cfg(unix)]
fn report_before_signal(result: &Arc<Mutex<MatchResult>>, args: &MatchSettings) {
    /// The longest wait for the result, which another thread may be writing.
    const PATIENCE: Duration = Duration::from_secs(5);

    let (result, json, records) = (Arc::clone(result), args.json, args.records.clone());
    group::before_signal_ends(Box::new(move |kill_engines| {
        // It stays locked until the process ends, so that no killed engine counts as one that crashed.
        let mut result = std::mem::ManuallyDrop::new(result.try_lock_for(PATIENCE));
        kill_engines();
        let Some(result) = result.as_mut() else {
            return eprint_line("millstone: the result until now is lost: another thread still writes it");
        };
        if result.standings.all.games() > 0
            && let Err(error) = result.report(json, records.as_deref())
        {
            eprint_line(format_args!("millstone: {error}"));
        }
    }));
}

/// A match that can begin.
struct ReadyMatch<'a> {
    plan: Plan<'a>,
    log: Option<ResumeFile>,
    /// The numbers of the games that need not be played.
    finished: BTreeSet<u32>,
    result: Arc<Mutex<MatchResult>>,
}

/// Reads the files of a match, and starts its engines once.
fn prepare(args: &MatchSettings) -> Result<ReadyMatch<'_>, ToolError> {
    if let Some(records) = &args.records {
        let expected = "another file for --records";
        check_other(records, args.resume.as_deref(), "the file of --resume", expected)?;
        check_other(records, args.openings.as_deref(), "the openings", expected)?;
        for engine in [&args.a, &args.b] {
            check_other(records, engine.as_deref(), "an engine", expected)?;
        }
    }
    let mut plan = plan(args)?;
    args.records.as_deref().map_or(Ok(()), check_writable)?;
    check_engines(&mut plan)?;
    let (log, done) = match &args.resume {
        Some(path) => {
            // By the numbers of the games.
            let mut value_lost = BTreeMap::new();
            let check = |game: &FinishedGame| match value_lost.contains_key(&game.game) {
                true => Err(WrongPart::new(format!("game {} again", game.game), "another game")),
                false => replay::check(&plan, game).map(|lost| drop(value_lost.insert(game.game, lost))),
            };
            let (log, mut done) = ResumeFile::open::<_, FinishedGame>(path, &plan.identity(), check)?;
            for game in &mut done {
                game.value_lost = value_lost.remove(&game.game).unwrap_or_default();
            }
            (Some(log), done)
        }
        None => (None, Vec::new()),
    };
    let sprt = args.sprt.map(|(elo0, elo1)| Sprt { elo0, elo1, alpha: args.alpha, beta: args.beta });
    let standings = Standings::new(plan.names(), plan.time_control(), sprt);
    let mut result =
        MatchResult { standings, records: BTreeMap::new(), begun: Instant::now(), is_reported: false };
    let mut finished = BTreeSet::new();
    for game in done.into_iter().filter(|game| (1..=args.games).contains(&game.game)) {
        finished.insert(game.game);
        result.add(&plan, &game)?;
    }
    if !finished.is_empty() {
        eprint_line(format_args!("{} finished before", counted(finished.len(), "game")));
    }
    Ok(ReadyMatch { plan, log, finished, result: Arc::new(Mutex::new(result)) })
}

/// Starts each engine once, finds its dialect, and checks that it can be told the openings of all games. An
/// engine that never starts is a mistake in its file, not a lost game.
fn check_engines(plan: &mut Plan<'_>) -> Result<(), ToolError> {
    let pairs = plan.args.games.div_ceil(2);
    for side in [Side::A, Side::B] {
        let Player::Engine(mut client) = plan.player(side, 0) else { continue };
        let failed = |fault| ToolError::Player { name: plan.names()[side.index()].clone(), fault };
        client.start().map_err(failed)?;
        client.dialect_note().iter().for_each(eprint_line);
        for opening in plan.openings.iter().take(pairs as usize) {
            let mut game = Builder::new(plan.args.rules, opening.start.as_deref())?;
            client.check_beginning(&mut game).map_err(failed)?;
        }
        plan.found[side.index()] = Some(client.protocol());
    }
    Ok(())
}

impl ReadyMatch<'_> {
    /// Plays the pending games, adds each finished game to the result and the file to resume from, and stops
    /// when the sequential test is decided.
    fn play(self) -> Result<(), ToolError> {
        let Self { plan, mut log, finished, result } = self;
        let pending = plan.args.games as usize - finished.len();
        if pending == 0 || result.lock().standings.is_decided() {
            return Ok(());
        }
        let cancelled = AtomicBool::new(false);
        let terms = Terms {
            rules: &plan.args.rules,
            limits: &plan.limits,
            margin: Duration::from_millis(plan.args.margin),
            exact: plan.exact.as_deref(),
            adjudicate: plan.args.adjudicate,
            cancelled: &cancelled,
        };
        let new_worker = || {
            let mut players = [Side::A, Side::B].map(|side| plan.player(side, 0));
            let (plan, terms) = (&plan, &terms);
            move |number| {
                if let Player::Builtin(_) = players[1] {
                    // A new player for each game, so that its moves do not depend on the worker.
                    players[1] = plan.player(Side::B, number);
                }
                let result =
                    game::play(&mut players, number, plan.white(number), plan.opening(number), terms);
                (players.each_mut().map(Player::note), result)
            }
        };
        let bar = Bar::new(pending);
        // Not a list of them: there may be billions, of which a sequential test needs few.
        let numbers = (1..=plan.args.games).filter(|number| !finished.contains(number));
        do_jobs(numbers, plan.args.concurrency, &cancelled, new_worker, |(notes, played)| {
            let mut result = result.lock();
            for (name, note) in result.standings.names.iter().zip(notes) {
                note.iter().for_each(|note| bar.note(format_args!("{name}: {note}")));
            }
            let Some(game) = played?.filter(|_| !result.standings.is_decided()) else { return Ok(()) };
            let recorded = result.add(&plan, &game);
            result.standings.played += 1;
            if let Some(fault) = game.fault {
                let name = printable(&result.standings.names[fault.index()], 80);
                bar.note(format_args!("game {}: {name} {}", game.game, game.reason));
            }
            // Neither error loses what the other one leaves.
            let logged = log.as_mut().map_or(Ok(()), |log| log.append(&game));
            logged.and(recorded)?;
            let played = result.standings.played as usize;
            if result.standings.is_decided() {
                cancelled.store(true, Ordering::Relaxed);
            } else if played < pending {
                // The last line comes below.
                let line = || result.standings.line(plan.args.games);
                bar.show_every(Bar::INTERVAL, played, line);
            }
            Ok(())
        })?;
        let mut result = result.lock();
        result.standings.seconds = result.begun.elapsed().as_secs_f64();
        bar.note(result.standings.line(plan.args.games));
        Ok(())
    }
}

/// Returns a finished game as a PGN record.
///
/// # Errors
/// If a move cannot be played.
fn record_of(plan: &Plan<'_>, game: &FinishedGame) -> Result<String, ToolError> {
    let mut played = Builder::new(plan.args.rules, game.start.as_deref())?;
    for word in game.moves.split_whitespace() {
        let wrong = |_| {
            let found = format!("'{word}' in the moves of game {}", game.game);
            ToolError::unexpected(Place::Job, found, format!("a legal move at {}", played.position().fen()))
        };
        let m = notation::parse(played.position(), word).map_err(wrong)?;
        played.push(m)?;
    }
    let (mut record, _) = played.finish();
    record.result = game.result();
    let [a, b] = plan.names();
    let (white, black) = if game.white == Side::A { (a, b) } else { (b, a) };
    for (name, value) in [
        ("Event", "match"),
        ("Round", &game.game.to_string()),
        ("White", &white),
        ("Black", &black),
        ("TimeControl", &plan.time_control()),
        ("Termination", &game.reason),
    ] {
        record.set_tag(name, value);
    }
    Ok(record.to_pgn())
}
