//! `tb plan`: the units as targets of a makefile.

use super::unit_jobs::{JobGraph, UnitJob, names};
use crate::tablebase::solve::units::Unit;
use std::fmt::Write as _;

/// Returns a makefile with a target for each unit, and one that checks all files.
pub(super) fn text(graph: &JobGraph<'_>) -> String {
    let units: Vec<Unit> = graph.jobs.iter().map(|job| job.unit).collect();
    let build = graph.command("--threads 1 --quiet");
    // In MiB, rounded up: enough for the largest unit.
    let most = graph.jobs.iter().map(|job| job.resources.memory).max().unwrap_or(0);
    let most = most.div_ceil(1 << 20).next_multiple_of(100);
    let mut text = String::from("# Builds every unit by itself: make -f FILE -j N.\n");
    let _ = writeln!(text, "# Other flags for every unit, such as the most memory in MiB, go into TB:");
    let _ = writeln!(text, "#   make -f FILE -j N TB='{build} --memory {most}'");
    let _ = writeln!(text, "TB = {build}");
    let _ = writeln!(text, "DIR = {}", value_of(graph.folder));
    let _ = writeln!(text, "units := {}", names(&units).join(" "));
    // Between single quotes the shell treats only the quote itself as special.
    let folder = r"'$(subst ','\'',$(DIR))'";
    let _ = writeln!(
        text,
        ".PHONY: all $(units)\nall: $(units)\n\t$(TB) --path={folder} --scope {}",
        graph.scope
    );
    let _ = writeln!(text, "$(units):\n\t$(TB) --path={folder} --only $@");
    for UnitJob { unit, needs, .. } in &graph.jobs {
        if !needs.is_empty() {
            let _ = writeln!(text, "{unit}: {}", names(needs).join(" "));
        }
    }
    text
}

/// Returns a text quoted as the value of a makefile variable.
fn value_of(text: &str) -> String {
    let mut value = String::new();
    // Make drops blanks before a value.
    if text.starts_with(char::is_whitespace) {
        value.push_str("$()");
    }
    let mut backslashes = 0;
    for c in text.chars() {
        match c {
            '$' => value.push('$'),
            // Backslashes before this character have to be doubled.
            '#' => value.push_str(&"\\".repeat(backslashes + 1)),
            _ => {}
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        value.push(c);
    }
    // A backslash at the end would join the next line.
    if backslashes > 0 {
        value.push_str("$()");
    }
    value
}
