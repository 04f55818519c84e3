//! `accuracy`: measures the share of positions in which an engine keeps the exact value.

use super::arguments::{count, expected, number};
use super::error::{Place, ToolError};
use super::files::{LONGEST_GAMES, check_stdout, eprint_line, read_bytes, shown_input, write_out};
use super::jobs::do_jobs;
use super::matches::EngineFile;
use super::matches::client::Client;
use super::matches::engine_file::{describe, is_rule_option};
use super::matches::fault::{Fault, StartFault};
use super::matches::limits::{Clock, GoLimits, MARGIN};
use super::matches::stats::{Interval, wilson};
use super::progress::Bar;
use super::resume::{self, JobTraits, ResumeFile, ResumeJob, WrongPart, check_seconds};
use super::suite::{self, GameStage, Suite, SuitePosition};
use crate::engine::options::{self, EngineOption, OptionValues, Shown};
use crate::platform::text::{counted, printable_path, quoted};
use crate::position::Position;
use crate::record::Builder;
use crate::rules::Rules;
use crate::tablebase::Wdl;
use crate::types::Color;
use clap::Args;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// The settings of a measurement.
#[derive(Clone, Debug, Args)]
pub(crate) struct AccuracySettings {
    /// Time for each move in milliseconds [default: what the engine file says, or 100]
    #[arg(long, value_name = "MS", group = "limit", value_parser = count(u64::MAX))]
    movetime: Option<u64>,
    /// Nodes for each move
    #[arg(long, value_name = "N", group = "limit", value_parser = count(u64::MAX))]
    nodes: Option<u64>,
    /// Depth of each search
    #[arg(long, value_name = "N", group = "limit", value_parser = number(1..=u32::MAX))]
    depth: Option<u32>,
    /// Rules, for the choice of a built-in suite.
    #[command(flatten)]
    rules: Rules,
    /// Suite to use, which names its rules, in place of --rules; - for standard input [default: the built-in
    /// one of the rules]
    #[arg(long, value_name = "FILE", conflicts_with = "rules")]
    suite: Option<PathBuf>,
    /// Number of its positions to use, chosen at random [default: all]
    #[arg(long, value_name = "N", value_parser = number(1..=u32::MAX))]
    sample: Option<u32>,
    /// Keep the results in this file, and continue after those that it holds; without it a run that is killed
    /// loses them
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Engine file or program to measure [default: this program]; match --help explains engine files. It
    /// counts as hung if it does not answer within 10 seconds; for a move these begin when its time is over.
    /// With nodes or depth it has 600 seconds
    #[arg(long, value_name = "FILE")]
    engine: Option<PathBuf>,
    /// Option of this program, as Name=value; may be given several times, with another name each time
    #[arg(long = "option", value_name = "NAME=VALUE", conflicts_with = "engine", value_parser = parse_option)]
    options: Vec<(String, String)>,
    /// Positions searched at a time, from 1 to 512
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<u32>(1..=512))]
    concurrency: u32,
    /// Number of worst positions to list
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = number(0..=usize::MAX))]
    worst: usize,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl AccuracySettings {
    /// Returns the limits of each search as words of `go`; `None` if none are given.
    fn go(&self) -> Option<String> {
        match (self.movetime, self.nodes, self.depth) {
            (Some(time), ..) => Some(format!("movetime {time}")),
            (_, Some(nodes), _) => Some(format!("nodes {nodes}")),
            (.., Some(depth)) => Some(format!("depth {depth}")),
            _ => None,
        }
    }
}

/// The reply of an engine to one position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct EngineReply {
    /// The number of the position in the suite.
    position: usize,
    /// The move, or the reason why there is none.
    #[serde(rename = "move")]
    played: String,
    /// The time it took, in seconds.
    seconds: f64,
}

/// The identity of a measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Identity {
    engine: String,
    go: String,
    suite: String,
}

impl ResumeJob for Identity {
    const NAME: &'static str = resume::MEASUREMENT;
    const PART: &'static str = "an answer";

    fn traits(&self) -> JobTraits {
        let Self { engine, go, suite } = self.clone();
        vec![("the engine", describe(&engine)), ("the limits", go), ("the suite", suite)]
    }
}

/// The number of positions of a kind, and of those in which the value was kept.
#[derive(Clone, Copy, Default, Serialize)]
#[serde(into = "KeptShare")]
struct Count {
    kept: u32,
    all: u32,
}

impl Count {
    fn add(&mut self, kept: bool) {
        self.kept += u32::from(kept);
        self.all += 1;
    }
}

/// A count as the report shows it, with the share of kept values and its interval.
#[derive(Serialize)]
struct KeptShare {
    positions: u32,
    kept: u32,
    share: f64,
    low: f64,
    high: f64,
}

impl From<Count> for KeptShare {
    fn from(Count { kept, all }: Count) -> Self {
        let Interval { score, low, high } = wilson(kept, all);
        Self { positions: all, kept, share: score, low, high }
    }
}

/// The result of a measurement, as `--json` prints it.
#[derive(Default, Serialize)]
struct AccuracyReport {
    engine: String,
    go: String,
    #[serde(flatten)]
    all: Count,
    by_phase: BTreeMap<GameStage, Count>,
    hard: Count,
    by_value: BTreeMap<&'static str, u32>,
    by_loss: BTreeMap<&'static str, u32>,
    failures: u32,
    late: usize,
    left_out: usize,
    seconds: f64,
    worst: Vec<MissedValue>,
}

/// A position in which the value was lost.
#[derive(Serialize)]
struct MissedValue {
    fen: String,
    #[serde(rename = "move")]
    played: String,
    lost: &'static str,
    /// The share of moves that keep the value.
    keeping_share: f64,
}

/// Measures an engine and prints the result. If an error ends the measurement, this is the result until then.
///
/// # Errors
/// If a file cannot be read or written, the engine does not start, or the file to resume from belongs to
/// another measurement.
pub(crate) fn run(args: &AccuracySettings) -> Result<(), ToolError> {
    check_stdout()?;
    check_names(&args.options)?;
    let (name, bytes) = match &args.suite {
        None => {
            let Some(bytes) = suite::built_in(&args.rules) else {
                let found = format!("the rules {}, which have no built-in suite", args.rules);
                let expected = "--suite FILE, which names its rules, in place of --rules";
                return Err(ToolError::unexpected(Place::Job, found, expected));
            };
            ("built-in suite".to_owned(), bytes.to_vec())
        }
        Some(path) => (printable_path(shown_input(path)), read_bytes(path, LONGEST_GAMES)?),
    };
    let suite = Suite::read(&name, &bytes)?;
    let mut engine = match &args.engine {
        Some(path) => EngineFile::read(path)?,
        None => EngineFile { options: args.options.clone(), ..EngineFile::own()? },
    };
    let go = args.go().or_else(|| engine.go.clone()).unwrap_or_else(|| "movetime 100".to_owned());
    let mut order: Vec<usize> = (0..suite.entries.len()).collect();
    if let Some(sample) = args.sample {
        order.shuffle(&mut StdRng::seed_from_u64(1));
        order.truncate(sample as usize);
    }
    let identity = Identity {
        engine: serde_json::to_string(&engine).map_err(ToolError::input(Place::Job))?,
        go: go.clone(),
        suite: format!("{} positions, hash {:016x}", suite.entries.len(), xxh3_64(&bytes)),
    };
    // The command line accepts only numbers that limit something, and engine files have been checked.
    let limits = GoLimits::parse(&go).map_err(ToolError::input(Place::Job))?;
    // First, because the first line of a new file to resume from would name an engine that does not start.
    let chosen = order.len();
    let order = expressible(&mut engine, &suite, &limits, &order);
    let mut order = order.map_err(|error| blame_option(error, &args.options))?;
    let left_out = chosen - order.len();
    let (mut log, done) = match &args.resume {
        Some(path) => {
            let (log, done) = open_log(path, &identity, &suite)?;
            (Some(log), done)
        }
        None => (None, BTreeMap::new()),
    };
    let mut answers: BTreeMap<usize, EngineReply> = done;
    let wanted: BTreeSet<usize> = order.iter().copied().collect();
    answers.retain(|position, _| wanted.contains(position));
    order.retain(|position| !answers.contains_key(position));
    if !answers.is_empty() {
        eprint_line(format_args!("{} answered before", counted(answers.len(), "position")));
    }
    let asked = ask_all(args, &suite, &engine, &limits, &order, &mut |answer| {
        let logged = log.as_mut().map_or(Ok(()), |log| log.append(&answer));
        answers.insert(answer.position, answer);
        logged
    });
    if asked.is_err() && answers.is_empty() {
        return asked;
    }
    // An error does not lose the answers before it.
    let allowed = limits.movetime.map(|time| (time + MARGIN).as_secs_f64());
    let report = AccuracyReport {
        engine: engine.name,
        go,
        late: allowed.map_or(0, |allowed| late(&answers, allowed)),
        left_out,
        ..report(&suite, &answers, args.worst)?
    };
    // By way of a value, which sorts the keys.
    let text = if args.json { format!("{}\n", json!(report)) } else { table(&report) };
    asked.and(write_out(None, &text))
}

/// Returns the number of answers that have taken more seconds than allowed.
fn late(answers: &BTreeMap<usize, EngineReply>, allowed: f64) -> usize {
    answers.values().filter(|answer| answer.seconds > allowed).count()
}

/// Reads an option of this program as `Name=value`, and returns its name as the handshake has it.
fn parse_option(text: &str) -> Result<(String, String), ToolError> {
    let pair = text.split_once('=').filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = pair.ok_or_else(|| expected("Name=value"))?;
    if value.trim().contains(['\n', '\r']) {
        return Err(expected("a value without line breaks"));
    }
    OptionValues::default().set(name, Some(value))?;
    if is_rule_option(name) {
        return Err(expected("no option of the rules, which the suite names"));
    }
    let is_listed = |option: &EngineOption| matches!(option.shown, Shown::Everywhere | Shown::Uci);
    let option = options::find(name).filter(is_listed);
    let option = option.ok_or_else(|| expected("an option that the handshake lists"))?;
    Ok((option.name.to_owned(), value.trim().to_owned()))
}

/// Checks that no option of this program is given twice.
fn check_names(options: &[(String, String)]) -> Result<(), ToolError> {
    for (number, (name, _)) in options.iter().enumerate() {
        if options[..number].iter().any(|(earlier, _)| earlier == name) {
            let place = Place::Argument("--option");
            return Err(ToolError::unexpected(place, format!("{name} twice"), "each option once"));
        }
    }
    Ok(())
}

/// Names an option of `--option` that this program refuses as the argument that it is, where an engine file
/// would be named.
fn blame_option(error: ToolError, options: &[(String, String)]) -> ToolError {
    let ToolError::Player { fault: Fault::Start(StartFault::Refused { line, answer }), .. } = &error else {
        return error;
    };
    let option = line.strip_prefix("setoption name ").unwrap_or(line);
    let name = option.split_once(" value ").map_or(option, |(name, _)| name);
    if options.iter().all(|(given, _)| given != name) {
        return error;
    }
    let answer = answer.strip_prefix("info string ").unwrap_or(answer).to_owned();
    ToolError::RefusedOption { name: name.to_owned(), answer }
}

/// Opens the file of a measurement over a suite and reads its replies.
fn open_log(
    path: &Path,
    identity: &Identity,
    suite: &Suite,
) -> Result<(ResumeFile, BTreeMap<usize, EngineReply>), ToolError> {
    let mut seen = BTreeSet::new();
    let check = |&EngineReply { position, ref played, seconds }: &EngineReply| {
        let Some(entry) = suite.entries.get(position) else {
            let expected = format!("one below {}", suite.entries.len());
            return Err(WrongPart::new(format!("position {position}"), expected));
        };
        if !seen.insert(position) {
            return Err(WrongPart::new(format!("position {position} again"), "another position"));
        }
        if !Fault::may_be(played) && !entry.moves.iter().any(|(m, _)| m.to_string() == *played) {
            let expected = format!("a legal move of position {position}, or the reason why there is none");
            return Err(WrongPart::new(quoted(played), expected));
        }
        check_seconds(seconds)
    };
    let (file, answers) = ResumeFile::open::<_, EngineReply>(path, identity, check)?;
    Ok((file, answers.into_iter().map(|answer| (answer.position, answer)).collect()))
}

/// The time for an answer of the engine.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The time for a search that is limited by nodes or depth, which is not known in advance.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(600);

/// Returns a client of the engine to measure.
fn client(suite: &Suite, engine: &EngineFile, limits: &GoLimits) -> Client {
    let is_timed = limits.movetime.is_some() || limits.clock.is_some();
    let client = Client::new(engine.clone(), suite.rules, TIMEOUT);
    if is_timed { client } else { client.with_move_timeout(SEARCH_TIMEOUT) }
}

/// Starts an engine, keeps the dialect it answers in, and returns the positions of a list that this dialect
/// can express.
fn expressible(
    engine: &mut EngineFile,
    suite: &Suite,
    limits: &GoLimits,
    order: &[usize],
) -> Result<Vec<usize>, ToolError> {
    let mut client = client(suite, engine, limits);
    client.start().map_err(|fault| ToolError::Player { name: engine.name.clone(), fault })?;
    client.dialect_note().iter().for_each(eprint_line);
    engine.protocol = client.protocol();
    let mut kept = Vec::new();
    for &position in order {
        let mut game = Builder::new(suite.rules, Some(&suite.entries[position].fen))?;
        if client.check_beginning(&mut game).is_ok() {
            kept.push(position);
        }
    }
    Ok(kept)
}

/// Runs the engine on all positions of a list and calls `keep` with each reply.
fn ask_all(
    args: &AccuracySettings,
    suite: &Suite,
    engine: &EngineFile,
    limits: &GoLimits,
    order: &[usize],
    keep: &mut dyn FnMut(EngineReply) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    let new_worker = || {
        let mut engine = client(suite, engine, limits);
        move |&position: &usize| {
            let entry = &suite.entries[position];
            let answer = ask(&mut engine, suite, entry, limits, position);
            (engine.note(), answer)
        }
    };
    let bar = Bar::new(order.len());
    let mut done = 0;
    do_jobs(order, args.concurrency, &AtomicBool::new(false), new_worker, |(note, answer)| {
        note.iter().for_each(|note| bar.note(format_args!("{}: {note}", engine.name)));
        keep(answer?)?;
        done += 1;
        bar.show_every(Bar::INTERVAL, done, || format!("{done} of {}", counted(order.len(), "position")));
        Ok(())
    })
}

/// Returns the reply of an engine to a position.
///
/// # Errors
/// If the system does not start the engine.
fn ask(
    engine: &mut Client,
    suite: &Suite,
    entry: &SuitePosition,
    limits: &GoLimits,
    position: usize,
) -> Result<EngineReply, ToolError> {
    let clocks = Color::ALL.map(|color| Clock::new(limits, color));
    let answered = engine.new_game()?.map_err(|why| why.to_string()).and_then(|()| {
        let mut game = Builder::new(suite.rules, Some(&entry.fen)).map_err(|why| why.to_string())?;
        engine.play(&mut game, limits, &clocks).map_err(|why| why.to_string())
    });
    Ok(match answered {
        Ok(reply) => {
            let played = reply.moves.first().map_or("none".to_owned(), |m| m.to_string());
            EngineReply { position, played, seconds: reply.used.as_secs_f64() }
        }
        Err(why) => EngineReply { position, played: why, seconds: 0.0 },
    })
}

/// Returns the part of the report that follows from the answers.
fn report(
    suite: &Suite,
    answers: &BTreeMap<usize, EngineReply>,
    worst: usize,
) -> Result<AccuracyReport, ToolError> {
    let mut report = AccuracyReport {
        by_loss: ["win_to_draw", "win_to_loss", "draw_to_loss"].map(|kind| (kind, 0)).into(),
        by_value: ["won", "drawn"].map(|value| (value, 0)).into(),
        ..AccuracyReport::default()
    };
    for (position, answer) in answers {
        let Some(entry) = suite.entries.get(*position) else { continue };
        let Some(best) = entry.moves.iter().map(|&(_, value)| value).max() else { continue };
        let pos = Position::from_fen(&suite.rules, &entry.fen)?;
        let played = entry.moves.iter().find(|(m, _)| m.to_string() == answer.played);
        // A reply without a legal move counts as a loss.
        let value = played.map_or(Wdl::Loss, |&(_, value)| value);
        report.failures += u32::from(played.is_none());
        let kept = value == best;
        let keeping = entry.moves.iter().filter(|&&(_, other)| other == best).count();
        report.all.add(kept);
        report.by_phase.entry(GameStage::of(&pos)).or_default().add(kept);
        if keeping * 4 <= entry.moves.len() {
            report.hard.add(kept);
        }
        report.seconds += answer.seconds;
        *report.by_value.entry(if best == Wdl::Win { "won" } else { "drawn" }).or_default() += 1;
        if !kept {
            let lost = match (best, value) {
                (Wdl::Win, Wdl::Draw) => "win_to_draw",
                (Wdl::Win, _) => "win_to_loss",
                _ => "draw_to_loss",
            };
            *report.by_loss.entry(lost).or_default() += 1;
            let (fen, played) = (entry.fen.clone(), answer.played.clone());
            let keeping_share = keeping as f64 / entry.moves.len() as f64;
            report.worst.push(MissedValue { fen, played, lost, keeping_share });
        }
    }
    // Worst first: lost wins, then by the share of moves that would have kept the value.
    let is_lost_win = |missed: &MissedValue| missed.lost == "win_to_loss";
    report.worst.sort_by(|a, b| {
        is_lost_win(b).cmp(&is_lost_win(a)).then(b.keeping_share.total_cmp(&a.keeping_share))
    });
    report.worst.truncate(worst);
    Ok(report)
}

fn table(report: &AccuracyReport) -> String {
    let row = |what: &str, count: Count| {
        let KeptShare { positions, kept, share, low, high } = count.into();
        let [share, low, high] = [share, low, high].map(|share| 100.0 * share);
        match positions {
            0 => format!("{what:10} {positions:>7} {kept:>7}       -\n"),
            _ => format!("{what:10} {positions:>7} {kept:>7}  {share:6.2} %  {low:6.2} to {high:6.2} %\n"),
        }
    };
    let AccuracyReport { engine, go, .. } = report;
    let mut out = format!("{engine}, {go}\n\npositions      all    kept     share  95 % interval\n");
    out += &row("all", report.all);
    for (stage, &count) in &report.by_phase {
        out += &row(stage.name(), count);
    }
    out += &row("hard", report.hard);
    // Writing to a string cannot fail.
    let lost = report.by_loss.iter().map(|(kind, n)| format!("{} {n}", kind.replace('_', " ")));
    let _ = writeln!(out, "\nlost       {}", lost.collect::<Vec<_>>().join(", "));
    let _ = writeln!(out, "no move    {}", report.failures);
    let _ = writeln!(out, "late       {}", report.late);
    let _ = writeln!(out, "left out   {}", report.left_out);
    let _ = writeln!(out, "time       {:.1} s", report.seconds);
    for MissedValue { fen, played, lost, .. } in &report.worst {
        // The reason of an illegal answer names the position.
        let place = if played.ends_with(fen.as_str()) { String::new() } else { format!(" at {fen}") };
        let _ = writeln!(out, "worst      {}, {played}{place}", lost.replace('_', " "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_suite_is_large_and_spread_over_the_game() {
        let suite = Suite::read("built in", suite::built_in(&Rules::NINE).unwrap()).unwrap();
        assert!(suite.entries.len() >= 20_000);
        let mut stages: BTreeMap<(GameStage, Color), u32> = BTreeMap::new();
        for entry in &suite.entries {
            let pos = Position::from_fen(&suite.rules, &entry.fen).unwrap();
            *stages.entry((GameStage::of(&pos), pos.side_to_move())).or_default() += 1;
            let best = entry.moves.iter().map(|&(_, value)| value).max();
            assert!(entry.moves.iter().any(|&(_, value)| Some(value) < best), "{}", entry.fen);
        }
        assert!(stages.len() == 8 && stages.values().all(|&n| n >= 200), "{stages:?}");
    }

    #[test]
    fn losses_are_counted_by_what_was_given_away() {
        let start = Position::new(&crate::rules::Rules::NINE).fen();
        let letters = format!("L{}", "D".repeat(23));
        let text = format!(
            "# Accuracy suite, rules nine\n{letters} {start}\n{letters} {start}\n{letters} {start}\n"
        );
        let suite = Suite::read("s", text.as_bytes()).unwrap();
        let answer = |position, played: &str| {
            (position, EngineReply { position, played: played.to_owned(), seconds: 0.5 })
        };
        let illegal = format!("illegal: found 'x', expected one of d6 at {start}");
        let answers = [answer(0, "d6"), answer(1, "a1"), answer(2, &illegal)].into();
        let report = report(&suite, &answers, 5).unwrap();
        let table = table(&report);
        let row = |name| table.lines().find(|line| line.starts_with(name)).unwrap();
        assert_eq!(row("all"), "all              3       1   33.33 %    6.15 to  79.23 %");
        assert_eq!(row("hard"), "hard             0       0       -");
        let worst: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("worst      ")).collect();
        let expected = [format!("draw to loss, a1 at {start}"), format!("draw to loss, {illegal}")];
        assert_eq!(worst, expected, "each names its position once");
        assert_eq!((report.all.all, report.all.kept, report.by_loss["draw_to_loss"]), (3, 1, 2));
        assert_eq!((report.failures, report.worst.len()), (1, 2));
        assert_eq!(report.by_phase[&GameStage::Placing].all, 3);
        assert_eq!([0.4, 0.6].map(|allowed| late(&answers, allowed)), [3, 0]);
    }

    #[test]
    fn options_that_would_do_nothing_are_refused() {
        let pair = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(parse_option("TablebaseEmbedded=false").ok(), pair("TablebaseEmbedded", "false"));
        assert_eq!(parse_option("TablebasePath=").ok(), pair("TablebasePath", ""));
        for bad in [
            "TablebaseEmbedded",
            "=false",
            "TablebaseEmbeded=false",
            "TablebaseEmbedded=fals",
            "Hash=0",
            "UCI_Variant=twelve",
            "UCI_Variant=nine",
            "MayFly=false",
            "TablebasePath=tables\nuci",
        ] {
            assert!(parse_option(bad).is_err(), "{bad}");
        }
    }
}
