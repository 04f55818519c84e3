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

use super::crew::do_jobs;
use super::error::ToolError;
use super::files::{check_other, check_stdout, check_writable, eprint_line, write_file, write_out};
use super::progress::Bar;
use super::resume::{ResumeFile, WrongPart};
use crate::platform::text::{counted, printable};
use crate::record::{self, Builder, ReadOptions};
use game::{FinishedGame, Player, Terms};
use plan::{Plan, plan};
use stats::Sprt;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Plays a match and prints its result.
///
/// # Errors
/// As [`play`], or if the result or the records cannot be written.
pub fn run(args: &MatchSettings) -> Result<(), ToolError> {
    check_stdout()?;
    let (standings, records) = play(args)?;
    let text = if args.json { format!("{}\n", standings.json()) } else { standings.table() };
    // Neither loses the other if it fails.
    let shown = write_out(None, &text);
    let written = args.records.as_ref().map_or(Ok(()), |path| write_file(path, records.as_bytes()));
    shown.and(written)
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
    if let Some(records) = &args.records {
        let expected = "another file for --records";
        check_other(records, args.resume.as_deref(), "the file of --resume", expected)?;
        check_other(records, args.openings.as_deref(), "the openings", expected)?;
        for engine in [&args.a, &args.b] {
            check_other(records, engine.as_deref(), "an engine", expected)?;
        }
    }
    let plan = plan(args)?;
    args.records.as_deref().map_or(Ok(()), check_writable)?;
    check_engines(&plan)?;
    let (mut log, done) = match &args.resume {
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
    let mut standings = Standings::new(plan.names(), plan.time_control(), sprt);
    let mut games: BTreeMap<u32, FinishedGame> = BTreeMap::new();
    for game in done.into_iter().filter(|game| (1..=args.games).contains(&game.game)) {
        standings.add(&game);
        games.insert(game.game, game);
    }
    if !games.is_empty() {
        eprint_line(format_args!("{} finished before", counted(games.len(), "game")));
    }
    let begun = Instant::now();
    let pending: Vec<u32> = (1..=args.games).filter(|game| !games.contains_key(game)).collect();
    let played = play_all(&plan, &pending, &mut standings, &mut |game| {
        if let Some(log) = &mut log {
            log.append(&game)?;
        }
        games.insert(game.game, game);
        Ok(())
    })?;
    standings.seconds = begun.elapsed().as_secs_f64();
    standings.played = played;
    let recorded = games.values().filter(|_| args.records.is_some());
    let records = recorded.map(|game| record_of(&plan, game)).collect();
    Ok((standings, records))
}

/// Starts each engine once, and checks that it can be told the openings of all games. An engine that never
/// starts is a mistake in its file, not a lost game.
fn check_engines(plan: &Plan<'_>) -> Result<(), ToolError> {
    let pairs = plan.args.games.div_ceil(2);
    for side in [Side::A, Side::B] {
        let Player::Engine(mut client) = plan.player(side, 0) else { continue };
        let failed = |fault| ToolError::Player { name: plan.names()[side.index()].clone(), fault };
        client.start().map_err(failed)?;
        for opening in plan.openings.iter().take(pairs as usize) {
            let mut game = Builder::new(plan.args.rules, opening.start.as_deref())?;
            client.check_beginning(&mut game).map_err(failed)?;
        }
    }
    Ok(())
}

/// Plays the games of a list, calls `keep` with each finished game, and stops when the sequential test is
/// decided. Returns the number of games played.
fn play_all(
    plan: &Plan<'_>,
    pending: &[u32],
    standings: &mut Standings,
    keep: &mut dyn FnMut(FinishedGame) -> Result<(), ToolError>,
) -> Result<u32, ToolError> {
    if pending.is_empty() || standings.is_decided() {
        return Ok(0);
    }
    let cancelled = AtomicBool::new(false);
    let terms = Terms {
        rules: &plan.args.rules,
        limits: &plan.limits,
        margin: plan.args.margin,
        exact: plan.exact.as_deref(),
        adjudicate: plan.args.adjudicate,
        cancelled: &cancelled,
    };
    let new_worker = || {
        let mut players = [Side::A, Side::B].map(|side| plan.player(side, 0));
        let terms = &terms;
        move |&number: &u32| {
            if let Player::Builtin(_) = players[1] {
                // A new player for each game, so that its moves do not depend on the worker.
                players[1] = plan.player(Side::B, number);
            }
            let result = game::play(&mut players, number, plan.white(number), plan.opening(number), terms);
            (players.each_mut().map(Player::note), result)
        }
    };
    let bar = Bar::new(pending.len());
    let mut played = 0;
    do_jobs(pending, plan.args.concurrency, &cancelled, new_worker, |(notes, result)| {
        for (name, note) in standings.names.iter().zip(notes) {
            note.iter().for_each(|note| bar.note(format_args!("{name}: {note}")));
        }
        let Some(game) = result?.filter(|_| !standings.is_decided()) else { return Ok(()) };
        standings.add(&game);
        played += 1;
        if let Some(fault) = game.fault {
            let name = printable(&standings.names[fault.index()], 80);
            bar.note(format_args!("game {}: {name} {}", game.game, game.reason));
        }
        keep(game)?;
        if standings.is_decided() {
            cancelled.store(true, Ordering::Relaxed);
        } else if (played as usize) < pending.len() {
            // The last line comes below.
            let line = || standings.line(plan.args.games);
            bar.show_every(Duration::from_secs(10), played as usize, line);
        }
        Ok(())
    })?;
    bar.note(standings.line(plan.args.games));
    Ok(played)
}

/// Returns a finished game as a PGN record.
fn record_of(plan: &Plan<'_>, game: &FinishedGame) -> String {
    let rules = Some(plan.args.rules);
    let start = game.start.as_ref().map_or("startpos".to_owned(), |text| format!("fen {text}"));
    let moves = if game.moves.is_empty() { String::new() } else { format!(" moves {}", game.moves) };
    let options = ReadOptions { form: Some(record::Form::Tokens), rules, keep_partial: true };
    let reading = record::read("game", &format!("{start}{moves}"), &options);
    let Some(mut record) = reading.games.into_iter().next() else { return String::new() };
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
    record.to_pgn()
}
