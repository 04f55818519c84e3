//! The subcommands of `tb`: flags and what they call.

use super::error::CliError;
use crate::platform::text::{counted, printable_path};
use crate::rules::Rules;
use crate::tablebase::TablebaseError;
use crate::tablebase::solve::build::Distances;
use crate::tools::exact_values;
use crate::tools::files::{self, eprint_line, write_out};
use crate::tools::tb::build::BuildJob;
use crate::tools::tb::embed::embed;
use crate::tools::tb::line::line;
use crate::tools::tb::plan::{PlanFormat, PlanJob};
use crate::tools::tb::probe;
use crate::tools::tb::repack::RepackJob;
use crate::tools::tb::scope::Scope;
use crate::tools::tb::stats::{ReportStyle, stats};
use crate::tools::tb::verify::VerifyJob;
use clap::Subcommand;
use std::path::PathBuf;

/// The subcommands of `tb`.
#[derive(Debug, Subcommand)]
pub(super) enum TbCommand {
    /// Build the missing tablebase files; resumes where an earlier run stopped
    Build(BuildJob),
    /// Prove that finished tablebase files are right, or list their faults
    Verify(VerifyJob),
    /// Show the contents of the tablebase files, sector by sector
    Stats {
        /// Folder of the tablebase files
        #[arg(long, alias = "tablebase", default_value = "tables")]
        path: PathBuf,
        /// Report as comma-separated values
        #[arg(long, conflicts_with = "json")]
        csv: bool,
        /// Report as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        rules: Rules,
    },
    /// Show the value of a position and of its moves, best first
    Probe {
        /// Position text, or startpos
        #[arg(required_unless_present = "stdin", conflicts_with = "stdin", value_name = "FEN")]
        position: Vec<String>,
        /// Answer one position a line from standard input; blank lines are skipped
        #[arg(long)]
        stdin: bool,
        /// Folder of the tablebase files; the built-in tablebase if not given
        #[arg(long, alias = "tablebase")]
        path: Option<PathBuf>,
        /// Use the built-in tablebase in addition to --path
        #[arg(long)]
        embedded: bool,
        /// Report as JSON; with --stdin one object a line
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        rules: Rules,
    },
    /// Show a line of best play to the end of the game
    Line {
        /// Position text, or startpos
        #[arg(required = true, value_name = "FEN")]
        position: Vec<String>,
        /// Folder of the tablebase files; the built-in tablebase if not given
        #[arg(long, alias = "tablebase")]
        path: Option<PathBuf>,
        /// Report as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        rules: Rules,
    },
    /// Rewrite the tablebase files, compressed differently or without distances
    Repack(RepackJob),
    /// Show the units of work and what each depends on, for make, Snakemake and other build systems
    Plan {
        /// Part of the game to solve: N-men (at most N men on the board, 6 to 24, moving phase), moving, or
        /// all
        #[arg(long, default_value = "moving")]
        scope: Scope,
        /// Folder of the tablebase files
        #[arg(long, alias = "tablebase", default_value = "tables")]
        path: PathBuf,
        /// Phases for which distances are stored
        #[arg(long, value_enum, default_value = "moving")]
        distances: Distances,
        /// Format of the output
        #[arg(long, value_enum, default_value = "make")]
        format: PlanFormat,
        /// Write JSON, as with --format json
        #[arg(long, conflicts_with = "format")]
        json: bool,
        #[command(flatten)]
        rules: Rules,
    },
    /// Pack small tablebase files into one file, the form that is built into the program
    Embed {
        /// Folder of the tablebase files
        #[arg(long, alias = "tablebase", default_value = "tables")]
        path: PathBuf,
        /// File to write: a new one, or one that tb embed wrote, which is replaced
        #[arg(long, alias = "out")]
        output: PathBuf,
        /// Files of the folder to pack, such as 3_3_0_0.dist; files with distances hold results too
        #[arg(required = true, value_name = "FILE")]
        files: Vec<String>,
        #[command(flatten)]
        rules: Rules,
    },
}

/// Runs a subcommand of `tb`.
pub(super) fn run(command: TbCommand) -> Result<(), CliError> {
    let text = match command {
        TbCommand::Build(job) => return Ok(job.run()?),
        TbCommand::Verify(job) => {
            let faults = job.run_and_print()?.faults;
            return if faults.is_empty() { Ok(()) } else { Err(CliError::Faults(faults)) };
        }
        TbCommand::Stats { path, csv, json, rules } => {
            let style = if csv {
                ReportStyle::Csv
            } else if json {
                ReportStyle::Json
            } else {
                ReportStyle::Plain
            };
            stats(&path, &rules, style)?
        }
        TbCommand::Probe { position, stdin, path, embedded, json, rules } => {
            let embedded = embedded || path.is_none();
            let tablebase = exact_values::open(&rules, path.as_slice(), embedded)?;
            if stdin {
                let out = files::stdout()?.lock();
                let input = files::stdin()?.lock();
                let are_positions = probe::probe_lines(&tablebase, &rules, json, input, out, note)?;
                return are_positions.then_some(()).ok_or(CliError::BrokenLines);
            }
            probe::probe(&tablebase, &rules, &position.join(" "), json, note)?
        }
        TbCommand::Line { position, path, json, rules } => {
            let tablebase = exact_values::open(&rules, path.as_slice(), path.is_none())?;
            line(&tablebase, &rules, &position.join(" "), json, note)?
        }
        TbCommand::Repack(job) => return Ok(job.run_and_print()?),
        TbCommand::Plan { scope, path, distances, format, json, rules } => {
            let format = if json { PlanFormat::Json } else { format };
            PlanJob { rules, scope, path, distances, format }.text()?
        }
        TbCommand::Embed { path, output, files, rules } => {
            let bytes = embed(&rules, &path, &output, &files)?;
            let output = printable_path(&output);
            format!("{output}: {}, {}\n", counted(bytes, "byte"), counted(files.len(), "file"))
        }
    };
    Ok(write_out(None, &text)?)
}

/// Reports a file that cannot be used.
fn note(error: &TablebaseError) {
    eprint_line(format_args!("note: {error}"));
}
