//! `convert`: recorded games from one form into another.

use super::files::{Failure, read_text, tell, write_out};
use crate::record::{self, Form, ReadOptions};
use crate::rules::Rules;
use std::path::PathBuf;

/// What `convert` is asked.
#[derive(Clone, Debug, clap::Args)]
pub struct Convert {
    /// Files with recorded games; - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Form of the input [default: found out]
    #[arg(long, value_name = "FORM", value_parser = ["pgn", "playok", "goldtoken", "tokens"])]
    pub from: Option<String>,
    /// Form of the output
    #[arg(long, value_name = "FORM", value_parser = ["pgn", "tokens"], default_value = "pgn")]
    pub to: String,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Rules of games that do not name theirs, or name unknown ones
    #[arg(long, value_name = "NAME", value_parser = Rules::parse)]
    pub rules: Option<Rules>,
    /// Keep a broken game up to its last good turn
    #[arg(long)]
    pub keep_partial: bool,
    /// Report what was read as JSON; needs --output
    #[arg(long, requires = "output")]
    pub json: bool,
}

/// Converts; messages go to standard error. Returns whether every game could be read.
///
/// # Errors
/// When a file cannot be read or written; nothing is written then.
pub fn run(args: &Convert) -> Result<bool, Failure> {
    let form = |name: &str| Form::NAMES.iter().find(|(n, _)| *n == name).map(|&(_, form)| form);
    let options = ReadOptions {
        form: args.from.as_deref().and_then(form),
        rules: args.rules,
        keep_partial: args.keep_partial,
    };
    let mut out = String::new();
    let mut games = 0;
    let mut errors = Vec::new();
    for input in &args.inputs {
        let reading = record::read(&input.display().to_string(), &read_text(input)?, &options);
        reading.notes.iter().for_each(|note| tell(format_args!("note: {note}")));
        reading.errors.iter().for_each(|error| tell(format_args!("error: {error}")));
        errors.extend(reading.errors);
        for game in &reading.games {
            games += 1;
            if args.to == "tokens" {
                out += &game.to_tokens();
            } else {
                out += &game.to_pgn();
            }
        }
    }
    write_out(args.output.as_ref(), &out)?;
    if args.json {
        let broken: Vec<serde_json::Value> = errors
            .iter()
            .map(|e| {
                serde_json::json!({
                    "file": e.file, "line": e.line, "game": e.game, "token": e.token, "reason": e.reason(),
                })
            })
            .collect();
        write_out(None, &format!("{}\n", serde_json::json!({ "written": games, "broken": broken })))?;
    } else {
        tell(format_args!("{games} games written, {} broken", errors.len()));
    }
    Ok(errors.is_empty())
}
