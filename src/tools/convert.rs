//! `convert`: writes recorded games in another format.

use super::arguments::{RecordRulesArg, output_file};
use super::error::ToolError;
use super::files::{check_kept, eprint_line, is_replaced, read_games, report_faults, shown_input, write_out};
use crate::platform::text::{append, counted, printable};
use crate::record::{Format, ReadOptions};
use crate::rules::Rules;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// The settings of a conversion.
#[derive(Clone, Debug, Args)]
pub(crate) struct ConvertSettings {
    /// Files with recorded games; - for standard input
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Format of the input [default: detected]
    #[arg(long, value_name = "FORMAT", value_parser = format(&Format::NAMES))]
    from: Option<Format>,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", value_parser = format(&WRITTEN), default_value = "pgn")]
    to: Format,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
    #[command(flatten)]
    rules: RecordRulesArg,
    /// Keep a broken game up to its last good turn
    #[arg(long)]
    keep_partial: bool,
    /// Let the output replace an input, although broken games, or the rules of different games, are lost
    #[arg(long)]
    force: bool,
    /// Report what was read as JSON; needs --output
    #[arg(long, requires = "output")]
    json: bool,
}

/// The formats of the output, with their names.
const WRITTEN: [(&str, Format); 2] = [("pgn", Format::Pgn), ("tokens", Format::Tokens)];

/// Returns a reader of the names of these formats.
fn format(formats: &'static [(&'static str, Format)]) -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(formats.iter().map(|(name, _)| *name));
    names.map(|found| formats.iter().find(|(name, _)| *name == found).expect("a possible value").1)
}

/// Converts games and prints messages on standard error. Returns true if every game could be read.
///
/// # Errors
/// If a file cannot be read or written, no game can be read, or the output would replace an input and lose
/// broken games or the rules of games. Nothing is written then.
pub(crate) fn run(args: &ConvertSettings) -> Result<bool, ToolError> {
    let options = ReadOptions { format: args.from, rules: args.rules.rules, keep_partial: args.keep_partial };
    let mut out = String::new();
    let mut games = 0;
    let mut errors = Vec::new();
    let mut rules: Vec<Rules> = Vec::new();
    for input in &args.inputs {
        let reading = read_games(input, &options)?;
        report_faults(&reading);
        if !args.force {
            check_kept(input, args.output.as_deref(), reading.errors.len())?;
        }
        errors.extend(reading.errors);
        for game in &reading.games {
            games += 1;
            if !rules.contains(&game.rules) {
                rules.push(game.rules);
            }
            append(&mut out, if args.to == Format::Tokens { game.to_tokens() } else { game.to_pgn() });
        }
    }
    if args.to == Format::Tokens {
        tell_rules(args, &rules)?;
    }
    if games > 0 {
        write_out(args.output.as_ref(), &out)?;
    }
    if args.json {
        let broken: Vec<serde_json::Value> = errors
            .iter()
            .map(|e| {
                serde_json::json!({
                    "file": e.file, "line": e.line, "game": e.game,
                    "token": printable(&e.token, 1_000), "reason": e.reason(),
                })
            })
            .collect();
        write_out(None, &format!("{}\n", serde_json::json!({ "written": games, "broken": broken })))?;
    } else {
        eprint_line(format_args!("{} written, {} broken", counted(games, "game"), errors.len()));
    }
    if games == 0 {
        return Err(ToolError::NoGame);
    }
    Ok(errors.is_empty())
}

/// Prints a note with the rules of games that are written as lists of moves, which do not name them.
///
/// # Errors
/// If the output would replace an input that has games of several rule sets.
fn tell_rules(args: &ConvertSettings, rules: &[Rules]) -> Result<(), ToolError> {
    let names = rules.iter().map(Rules::describe).collect::<Vec<_>>().join(" and ");
    match rules {
        [] => {}
        // A list of moves is read by these.
        &[only] if only == args.rules.rules.unwrap_or(Rules::NINE) => {}
        [_] => {
            eprint_line(format_args!("note: lists of moves name no rules; read these with --rules {names}"));
        }
        _ => {
            let replaced = args.inputs.iter().find(|input| is_replaced(input, args.output.as_deref()));
            if let Some(input) = replaced.filter(|_| !args.force) {
                let found = format!("inputs with games of {names}, and lists of moves do not name rules");
                let expected = "another --output, or --force to lose them";
                return Err(ToolError::unexpected(shown_input(input), found, expected));
            }
            eprint_line(format_args!("note: lists of moves name no rules; these games have {names}"));
        }
    }
    Ok(())
}
