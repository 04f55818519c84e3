//! `completions` and `man`: texts for the shell and for manual pages, made from the definition of the command
//! line.

use crate::tools::arguments::output_file;
use crate::tools::error::{Place, ToolError};
use crate::tools::files::{write_file, write_out};
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io;
use std::path::{Path, PathBuf};

/// The arguments of `completions`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// Shell that reads them
    shell: Shell,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = output_file())]
    output: Option<PathBuf>,
}

impl CompletionsArgs {
    /// Writes the completions of `program`.
    ///
    /// # Errors
    /// If the file or standard output cannot be written.
    pub(super) fn run(&self, program: Command) -> Result<(), ToolError> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut visible(&program), program.get_name(), &mut text);
        write_out(self.output.as_ref(), &String::from_utf8_lossy(&text))
    }
}

/// Returns the program without its hidden commands, which `clap_complete` would offer.
fn visible(program: &Command) -> Command {
    let shown = program.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned();
    Command::new(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .long_about(program.get_long_about().map_or_else(String::new, ToString::to_string))
        .args(program.get_arguments().cloned())
        .groups(program.get_groups().cloned())
        .subcommands(shown)
}

/// The arguments of `man`.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Existing folder for the pages of all commands, one file each [default: one page on standard output]
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

impl ManArgs {
    /// Writes the manual pages of `program`.
    ///
    /// # Errors
    /// If the folder or standard output cannot be written.
    pub(super) fn run(&self, program: Command) -> Result<(), ToolError> {
        // `help` repeats every other command.
        let mut program = program.disable_help_subcommand(true);
        program.build();
        if let Some(folder) = &self.output {
            return write_pages(&program, folder);
        }
        let page = page(&manual(program)).map_err(ToolError::io(Place::StandardOutput))?;
        write_out(None, &String::from_utf8_lossy(&page))
    }
}

/// Writes the page of a command and those of its subcommands into a folder.
fn write_pages(command: &Command, folder: &Path) -> Result<(), ToolError> {
    let man = manual(command.clone());
    let path = folder.join(man.get_filename());
    write_file(&path, &page(&man).map_err(ToolError::io(&path))?)?;
    command.get_subcommands().filter(|sub| !sub.is_hide_set()).try_for_each(|sub| write_pages(sub, folder))
}

/// Returns the manual of a command, with the usage that `--help` shows.
fn manual(mut command: Command) -> Man {
    // The synopsis that the package makes lacks the values of options and the dots after arguments.
    let usage = command.render_usage().to_string();
    let synopsis = usage.trim_start_matches("Usage: ").to_owned();
    Man::new(command.override_usage(synopsis)).source(concat!("millstone ", env!("CARGO_PKG_VERSION")))
}

/// Returns a page in the language of `man`.
fn page(man: &Man) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok(text)
}
