//! The command line: reads the arguments of every subcommand with `clap` and calls the function that runs it.
//! Without a subcommand the program speaks UCI. It may use every other module; none may use it.

mod bench;
mod error;
mod experience;
mod manual;
mod perft;
mod proof;
mod tb;
mod tune;

use crate::engine::options::PROTOCOLS;
use crate::platform::pipe;
use crate::tools::accuracy::AccuracySettings;
use crate::tools::annotate::AnnotateSettings;
use crate::tools::chart::ChartSettings;
use crate::tools::convert::ConvertSettings;
use crate::tools::diagram::DiagramSettings;
#[cfg(unix)]
use crate::tools::error::Place;
use crate::tools::error::ToolError;
use crate::tools::files::{eprint_line, printable_message, unless_closed};
use crate::tools::matches::MatchSettings;
use crate::tools::openings::OpeningSettings;
use crate::tools::play::PlaySettings;
use crate::tools::suite::SuiteSettings;
use crate::uci::SessionError;
use crate::{tools, uci};
use clap::{Args, Command, CommandFactory, FromArgMatches as _, Parser, Subcommand, error::ErrorKind};
use error::CliError;
use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const ABOUT: &str = "Millstone plays Mill (Nine Men's Morris) and its family.";

const LONG_ABOUT: &str = "\
Millstone plays Mill (Nine Men's Morris) and its family.

To play against it, type: millstone play

Without a subcommand it is a UCI engine on standard input and output. Start it and type:
  position startpos moves d6 f4
  go movetime 1000
  help
  quit

Points are named by file and rank from a1 at the bottom left; a slide is a1-a4, a take xb4.";

#[derive(Parser, Debug)]
#[command(name = "millstone", version, about = ABOUT, long_about = LONG_ABOUT)]
struct Cli {
    #[command(flatten)]
    uci: UciArgs,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

/// The protocol of the client. The flag may be before `uci` or after it.
#[derive(Args, Debug)]
struct UciArgs {
    /// Form of the engine's answers at start; the option Protocol changes it later [default: standard]
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = PROTOCOLS)]
    protocol: Option<String>,
}

#[derive(Subcommand, Debug)]
enum CliCommand {
    /// Run the UCI protocol on standard input and output, as without a subcommand
    Uci(UciArgs),
    /// The same, for programs that start an engine for several games as `mill uci`
    #[command(hide = true)]
    Mill {
        #[command(subcommand)]
        command: Mill,
    },
    /// Start an engine of a match, and end it with the match
    #[cfg(unix)]
    #[command(hide = true)]
    Guard {
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
    /// Play a game in the terminal
    Play(PlaySettings),
    /// Search fixed positions to a fixed depth; the node count identifies the version of the search
    Bench(bench::BenchArgs),
    /// Count the sequences of legal moves of a given length
    Perft(perft::PerftArgs),
    /// Play games between two engines and measure which is stronger, with error bars
    Match(Box<MatchSettings>),
    /// Measure how often an engine keeps the exact value of a position
    Accuracy(Box<AccuracySettings>),
    /// Make a suite of positions with the exact value of every move
    Suite(SuiteSettings),
    /// Fit the evaluation to the exact values of a tablebase, or to games of the engine against itself
    Tune(tune::TuneArgs),
    /// Make a suite of balanced openings, no two of them symmetric
    Openings(OpeningSettings),
    /// Draw a board as SVG, with moves and marks
    Diagram(DiagramSettings),
    /// Draw results of matches, accuracy runs and annotated games as SVG
    Chart(ChartSettings),
    /// Print the value of each move of recorded games
    Annotate(AnnotateSettings),
    /// Convert recorded games; broken ones are reported and skipped
    Convert(ConvertSettings),
    /// Make, inspect and merge experience files, which keep results of earlier searches
    #[command(subcommand)]
    Experience(experience::ExperienceCommand),
    /// Build, verify and probe tablebases of perfect play
    #[command(subcommand)]
    Tb(tb::TbCommand),
    /// Make a certificate that a side never loses
    #[command(subcommand)]
    Proof(proof::ProofCommand),
    /// Print a shell script that completes the commands and options of this program
    Completions(manual::CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(manual::ManArgs),
}

#[derive(Subcommand, Debug)]
enum Mill {
    /// Run the UCI protocol
    Uci(UciArgs),
}

/// Runs the program with these arguments; the first one is the name of the program.
///
/// The exit code is 0 on success; `CliError::code` has those of failures.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matches = program().try_get_matches_from(arguments);
    let cli = match matches.and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches)) {
        Ok(cli) => cli,
        Err(error) => {
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => exit_code(print_help(&error)),
                _ => refuse(&error),
            };
        }
    };
    let speaks_uci = matches!(cli.command, None | Some(CliCommand::Uci(_) | CliCommand::Mill { .. }));
    if cli.uci.protocol.is_some() && !speaks_uci {
        let message = "--protocol works only with uci, or without a subcommand";
        return refuse(&Cli::command().error(ErrorKind::ArgumentConflict, message));
    }
    end_on_signals(cli.command.as_ref());
    let result = match cli.command {
        None => run_uci(cli.uci),
        Some(CliCommand::Uci(args) | CliCommand::Mill { command: Mill::Uci(args) }) => {
            run_uci(UciArgs { protocol: args.protocol.or(cli.uci.protocol) })
        }
        #[cfg(unix)]
        Some(CliCommand::Guard { command }) => {
            tools::matches::guard::run(&command).map_err(|cause| ToolError::io(Place::Job)(cause).into())
        }
        Some(CliCommand::Play(args)) => tools::play::run(&args).map_err(CliError::from),
        Some(CliCommand::Bench(args)) => args.run(),
        Some(CliCommand::Perft(args)) => args.run(),
        Some(CliCommand::Match(args)) => tools::matches::run(&args).map_err(CliError::from),
        Some(CliCommand::Accuracy(args)) => tools::accuracy::run(&args).map_err(CliError::from),
        Some(CliCommand::Suite(args)) => tools::suite::run(&args).map_err(CliError::from),
        Some(CliCommand::Chart(args)) => tools::chart::run(&args).map_err(CliError::from),
        Some(CliCommand::Tune(args)) => args.run(),
        Some(CliCommand::Openings(args)) => tools::openings::run(&args).map_err(CliError::from),
        Some(CliCommand::Diagram(args)) => tools::diagram::run(&args).map_err(CliError::from),
        Some(CliCommand::Annotate(args)) => all_read(tools::annotate::run(&args)),
        Some(CliCommand::Convert(args)) => all_read(tools::convert::run(&args)),
        Some(CliCommand::Experience(command)) => all_read(command.run()),
        Some(CliCommand::Tb(command)) => tb::run(command),
        Some(CliCommand::Proof(command)) => proof::run(command),
        Some(CliCommand::Completions(args)) => args.run(Cli::command()).map_err(CliError::from),
        Some(CliCommand::Man(args)) => args.run(Cli::command()).map_err(CliError::from),
    };
    exit_code(result)
}

/// Returns the command line. A negative number is a value, so that its reader says which ones it expects.
fn program() -> Command {
    fn with_negative_numbers(command: Command) -> Command {
        let command = command.mut_args(|arg| {
            let takes_values = arg.get_action().takes_values();
            if takes_values { arg.allow_negative_numbers(true) } else { arg }
        });
        command.mut_subcommands(with_negative_numbers)
    }
    with_negative_numbers(Cli::command())
}

/// Reports an error, and returns the exit code.
fn exit_code(result: Result<(), CliError>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is_closed_output() => ExitCode::SUCCESS,
        Err(error) => {
            eprint_line(format_args!("millstone: {error}"));
            ExitCode::from(error.code())
        }
    }
}

/// Prints the help or the version, which `clap` hands over as an error.
fn print_help(text: &clap::Error) -> Result<(), CliError> {
    let printed = pipe::output().and_then(|mut out| text.print().and_then(|()| out.flush()));
    Ok(unless_closed(printed)?)
}

/// Prints an error of the arguments. It may quote control characters, so it has no colours of its own.
fn refuse(error: &clap::Error) -> ExitCode {
    eprint_line(printable_message(error.render().to_string().trim_end()));
    ExitCode::from(2)
}

/// Returns an error if a command could not read all games.
fn all_read(result: Result<bool, ToolError>) -> Result<(), CliError> {
    result?.then_some(()).ok_or(CliError::BrokenGames)
}

/// Makes SIGINT and SIGTERM end the process with the exit codes of shells, 130 and 143. Background jobs of
/// scripts start with these signals ignored, so the default effect is not enough. A file that is longer than
/// `ulimit -f` allows does not end it: writing it fails, as on a full disk.
fn end_on_signals(command: Option<&CliCommand>) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let registered = match command {
        // A full-screen game restores the terminal before a signal ends it.
        Some(CliCommand::Play(_)) if tools::play::is_full_screen() => Ok(()),
        // The engines of these commands end with them; on Windows that needs no further work.
        #[cfg(unix)]
        Some(CliCommand::Match(_) | CliCommand::Accuracy(_)) => tools::matches::group::protect(),
        #[cfg(unix)]
        Some(CliCommand::Tune(args)) if args.plays_matches() => tools::matches::group::protect(),
        // It outlives the signals that its engine may send.
        #[cfg(unix)]
        Some(CliCommand::Guard { .. }) => Ok(()),
        _ => [(SIGINT, 130), (SIGTERM, 143)].into_iter().try_for_each(|(signal, status)| {
            let always = Arc::new(AtomicBool::new(true));
            signal_hook::flag::register_conditional_shutdown(signal, status, always).map(drop)
        }),
    };
    // Children would inherit an ignored signal, but no handler.
    #[cfg(unix)]
    let registered = registered
        .and_then(|()| signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()).map(drop));
    if let Err(error) = registered {
        eprint_line(format_args!("millstone: signals keep their usual effect: {error}"));
    }
}

/// Tells a person who started the program in a terminal what it waits for. Other programs get no such text.
const GREETING: &str = concat!(
    "Millstone ",
    env!("CARGO_PKG_VERSION"),
    " plays Mill (Nine Men's Morris). Here it is a UCI engine and waits for commands.\n",
    "help lists the commands, quit leaves. To play against it, leave and run: millstone play",
);

fn run_uci(args: UciArgs) -> Result<(), CliError> {
    let output = pipe::output().map_err(SessionError::Output)?;
    let input = pipe::input().map_err(SessionError::Input)?;
    if input.is_terminal() {
        eprint_line(format_args!("{GREETING}"));
    }
    let protocol = args.protocol.map_or_else(|| "standard".to_owned(), |name| name.to_lowercase());
    uci::serve(input, output, pipe::unread_output, pipe::output_has_room, &protocol).map_err(CliError::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::command::{self, SUBCOMMANDS, UCI};
    use crate::dialect::error::DialectError;

    #[test]
    fn every_subcommand_typed_into_the_loop_is_a_command_of_it_or_is_explained() {
        let program = Cli::command();
        let names: Vec<&str> =
            program.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| c.get_name()).collect();
        let is_explained =
            |name: &&str| matches!(command::read(name, &UCI), Err(DialectError::Subcommand(_)));
        let is_unknown = |name: &&str| matches!(command::read(name, &UCI), Err(DialectError::Unknown(_)));
        assert!(!names.iter().any(is_unknown), "{names:?}");
        let explained: Vec<&str> = names.into_iter().filter(is_explained).collect();
        assert_eq!(explained, SUBCOMMANDS);
    }

    #[test]
    fn every_folder_of_tablebase_files_may_be_called_tablebase() {
        let program = Cli::command();
        let nested = program.get_subcommands().flat_map(|command| command.get_subcommands());
        let arguments = program.get_subcommands().chain(nested).flat_map(|command| command.get_arguments());
        let folders: Vec<_> = arguments
            .filter(|arg| ["path", "tables", "tablebases"].contains(&arg.get_id().as_str()))
            .collect();
        for folder in &folders {
            let aliases = folder.get_all_aliases().unwrap_or_default();
            assert!(folder.get_long() == Some("tablebase") || aliases.contains(&"tablebase"), "{folder:?}");
        }
        assert_eq!(folders.len(), 13);
    }
}
