//! The command line: which subcommand with what arguments. No arguments mean the protocol loop.

mod tb;

use crate::position::Position;
use crate::rules::Rules;
use crate::search::limits::MAX_SKILL;
use crate::tools::accuracy::{self, Accuracy};
use crate::tools::annotate::{self, Annotate};
use crate::tools::bench::{self, Bench};
use crate::tools::chart::{self, Chart};
use crate::tools::convert::{self, Convert};
use crate::tools::diagram::{self, DiagramArgs};
use crate::tools::experience::{self, ExperienceCommand};
use crate::tools::files::{self, tell, write_out};
use crate::tools::matches::{self, Match};
use crate::tools::openings::{self, Openings};
use crate::tools::perft;
use crate::tools::play::{self, Play};
use crate::tools::suite::{self, SuiteArgs};
use crate::tools::tune::{self, Tune};
use crate::types::{Color, Depth};
use crate::uci;
use clap::{Args, CommandFactory, Parser, Subcommand, error::ErrorKind};
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const ABOUT: &str = "Millstone plays Mill (Nine Men's Morris) and its family.";

const LONG_ABOUT: &str = "\
Millstone plays Mill (Nine Men's Morris) and its family.

To play against it, type: millstone play

Without a subcommand it is an engine that talks UCI on standard input and output. Start it and type:
  position startpos moves d6 f4
  go movetime 1000
  help
  quit
Squares are named by file and rank from a1 at the bottom left; a slide is a1-a4, a removal xb4.";

#[derive(Parser, Debug)]
#[command(name = "millstone", version, about = ABOUT, long_about = LONG_ABOUT)]
struct Cli {
    #[command(flatten)]
    talk: Talk,
    #[command(subcommand)]
    command: Option<Command>,
}

/// How to talk to a client; the words may stand before `uci` or after it.
#[derive(Args, Debug)]
struct Talk {
    /// Form of the engine's answers at start; the option Protocol changes it later [default: standard]
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = uci::NAMES)]
    protocol: Option<String>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Talk to a client, as without a subcommand
    Uci(Talk),
    /// The same, for programs that start an engine for several games as `mill uci`
    #[command(hide = true)]
    Mill {
        #[command(subcommand)]
        command: Mill,
    },
    /// Play a game in the terminal
    Play(PlayArgs),
    /// Search fixed positions to a fixed depth; the node count tells two versions of the search apart
    Bench(BenchArgs),
    /// Count the sequences of legal moves to a depth
    Perft(PerftArgs),
    /// Play games between two engines and tell which is stronger, with error bars
    Match(Box<Match>),
    /// Measure how often an engine keeps the exact value of a position
    Accuracy(Box<Accuracy>),
    /// Make a suite of positions with the exact value of every move
    Suite(SuiteArgs),
    /// Fit the evaluation of the standard game to exact values
    Tune(Tune),
    /// Make a suite of balanced openings, no two of them symmetric
    Openings(Openings),
    /// Draw a board as SVG, with moves and marks
    Diagram(DiagramArgs),
    /// Draw results of matches, accuracy runs and annotated games as SVG
    Chart(Chart),
    /// Tell what each move of recorded games is worth
    Annotate(Annotate),
    /// Convert recorded games; broken ones are named and left out
    Convert(Convert),
    /// Files with what earlier games have taught: make, ask, merge
    #[command(subcommand)]
    Experience(ExperienceCommand),
    /// Tables of perfect play: build, check, ask
    #[command(subcommand)]
    Tb(tb::TbCommand),
}

#[derive(Subcommand, Debug)]
enum Mill {
    /// Talk to a client
    Uci(Talk),
}

#[derive(Args, Debug)]
struct PlayArgs {
    /// The side you play: white, black, or both
    #[arg(long, default_value = "white", value_parser = ["white", "black", "both"])]
    side: String,
    /// Strength of the engine; 30 is its best
    #[arg(long, default_value_t = MAX_SKILL, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_SKILL)))]
    level: u32,
    /// Thinking time of the engine for each move, in milliseconds
    #[arg(long, default_value_t = 1000, value_parser = count(600_000))]
    movetime: u64,
    #[command(flatten)]
    rules: RulesArg,
}

#[derive(Args, Debug)]
struct BenchArgs {
    /// Depth of each search, in plies (below the root a mill and its removal count as one)
    #[arg(long, default_value_t = bench::DEPTH, value_parser = clap::value_parser!(Depth).range(1..=200))]
    depth: Depth,
    /// Search threads; the node count is reproducible with one
    #[arg(long, default_value_t = 1, value_parser = count(512))]
    threads: u64,
    /// Size of the transposition table in MiB
    #[arg(long, default_value_t = 16, value_parser = count(1 << 20))]
    hash: u64,
    #[command(flatten)]
    rules: RulesArg,
}

#[derive(Args, Debug)]
struct PerftArgs {
    /// Number of moves (a removal is a move)
    #[arg(value_parser = clap::value_parser!(u32).range(0..=200))]
    depth: u32,
    /// Count from this position text instead of the initial position
    #[arg(long, value_name = "TEXT")]
    fen: Option<String>,
    /// Print the count of each first move too
    #[arg(long)]
    divide: bool,
    /// Threads that count
    #[arg(long, default_value_t = 1, value_parser = count(512))]
    threads: u64,
    #[command(flatten)]
    rules: RulesArg,
}

#[derive(Args, Debug)]
struct RulesArg {
    /// Rule set, and single rules that differ: twelve, or nine,MayFly=false
    #[arg(long, value_name = "NAME[,RULE=VALUE...]", default_value = "nine", value_parser = read_rules)]
    rules: Rules,
}

fn count(most: u64) -> clap::builder::RangedU64ValueParser {
    clap::builder::RangedU64ValueParser::new().range(1..=most)
}

fn read_rules(text: &str) -> Result<Rules, String> {
    Rules::parse(text).map_err(|error| error.to_string())
}

/// Why the program ends without having done what it was told.
enum Failure {
    /// The input was at fault.
    Input(String),
    /// What the arguments name was: files, positions, engines, or a machine too small.
    Unusable(String),
    /// The system was: no thread, no memory, or a client that has gone.
    System(String),
}

impl From<files::Failure> for Failure {
    fn from(error: files::Failure) -> Self {
        Self::Unusable(error.0)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::System(error.to_string())
    }
}

/// Runs the program with these arguments, the first being its own name. The exit code is 0 when all went well, 2
/// when an argument or what it names was at fault, and 1 when the system was.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    end_on_signals();
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // A reader that has gone away does not change what the arguments were.
            let _ = error.print();
            let is_asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return ExitCode::from(if is_asked_for { 0 } else { 2 });
        }
    };
    let result = match cli.command {
        None => run_uci(cli.talk),
        Some(Command::Uci(talk) | Command::Mill { command: Mill::Uci(talk) }) => {
            run_uci(Talk { protocol: talk.protocol.or(cli.talk.protocol) })
        }
        Some(Command::Play(args)) => run_play(&args),
        Some(Command::Bench(args)) => run_bench(&args),
        Some(Command::Perft(args)) => run_perft(&args),
        Some(Command::Match(args)) => matches::run(&args).map_err(Failure::from),
        Some(Command::Accuracy(args)) => accuracy::run(&args).map_err(Failure::from),
        Some(Command::Suite(args)) => suite::run(&args).map_err(Failure::from),
        Some(Command::Chart(args)) => chart::run(&args).map_err(Failure::from),
        Some(Command::Tune(args)) => tune::run(&args).map_err(Failure::from),
        Some(Command::Openings(args)) => openings::run(&args).map_err(Failure::from),
        Some(Command::Diagram(args)) => diagram::run(&args).map_err(Failure::from),
        Some(Command::Annotate(args)) => whole(annotate::run(&args)),
        Some(Command::Convert(args)) => whole(convert::run(&args)),
        Some(Command::Experience(command)) => run_experience(&command),
        Some(Command::Tb(command)) => tb::run(command),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::System(error)) => {
            tell(format_args!("millstone: {error}"));
            ExitCode::FAILURE
        }
        Err(Failure::Unusable(error)) => {
            tell(format_args!("millstone: {error}"));
            ExitCode::from(2)
        }
        Err(Failure::Input(error)) => {
            let _ = Cli::command().error(ErrorKind::ValueValidation, error).print();
            ExitCode::from(2)
        }
    }
}

/// The end of a command that says whether all games could be read.
fn whole(result: Result<bool, files::Failure>) -> Result<(), Failure> {
    let broken = || Failure::Unusable("some games are broken, see above".to_owned());
    result.map_err(Failure::from)?.then_some(()).ok_or_else(broken)
}

/// Lets SIGINT and SIGTERM end the process with the status that shells show for them, 130 and 143, whoever asks for
/// it and also where the signal was ignored at start, as it is in background jobs of scripts.
fn end_on_signals() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    for (signal, status) in [(SIGINT, 130), (SIGTERM, 143)] {
        let always = Arc::new(AtomicBool::new(true));
        if let Err(error) = signal_hook::flag::register_conditional_shutdown(signal, status, always) {
            tell(format_args!("millstone: signal {signal} keeps its usual effect: {error}"));
        }
    }
}

fn run_uci(talk: Talk) -> Result<(), Failure> {
    let protocol = talk.protocol.map_or_else(|| "standard".to_owned(), |name| name.to_lowercase());
    uci::run(io::stdin(), io::stdout(), &protocol).map_err(Failure::from)
}

fn run_play(args: &PlayArgs) -> Result<(), Failure> {
    let side = match args.side.as_str() {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        _ => None,
    };
    let movetime = Duration::from_millis(args.movetime);
    let game = Play { rules: args.rules.rules, level: args.level, movetime, side };
    play::run(&game).map_err(Failure::from)
}

fn run_experience(command: &ExperienceCommand) -> Result<(), Failure> {
    Ok(write_out(None, &experience::run(command)?)?)
}

fn run_bench(args: &BenchArgs) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let bench = Bench {
        depth: args.depth,
        threads: args.threads as usize,
        hash: args.hash as usize,
        rules: args.rules.rules,
    };
    let mut number = 0;
    let mut written = Ok(());
    let never = AtomicBool::new(false);
    let stop = &never;
    let totals = bench::run(&bench, stop, |count, fen, nodes, time| {
        number += 1;
        let line = format!("position {number}/{count}: {nodes} nodes in {} ms, {fen}", time.as_millis());
        if written.is_ok() {
            written = writeln!(out, "{line}");
        }
        if written.is_err() {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    })
    .map_err(Failure::System)?;
    files::unless_closed(written)?;
    let summary: String = totals.iter().flat_map(|totals| totals.summary()).map(|line| line + "\n").collect();
    Ok(write_out(None, &summary)?)
}

fn run_perft(args: &PerftArgs) -> Result<(), Failure> {
    let pos = match &args.fen {
        None => Position::new(&args.rules.rules),
        Some(text) => Position::from_fen(&args.rules.rules, text)
            .map_err(|error| Failure::Input(format!("--fen: {error}")))?,
    };
    let begin = std::time::Instant::now();
    let counts = perft::divide(&pos, args.depth, args.threads as usize, &AtomicBool::new(false));
    let counts = counts.unwrap_or_default();
    let time = begin.elapsed();
    let mut text = String::new();
    if args.divide {
        counts.iter().for_each(|(m, count)| text += &format!("{m}: {count}\n"));
        text.push('\n');
    }
    let total = perft::total(args.depth, &counts);
    let micros = time.as_micros().max(1);
    let speed = u128::from(total) * 1_000_000 / micros;
    text += &format!("Nodes searched: {total}\nTime: {:.3} s, {speed} leaves/s\n", time.as_secs_f64());
    Ok(write_out(None, &text)?)
}
