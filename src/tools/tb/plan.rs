//! `tb plan`: the units of a scope and what each depends on.

use super::resources::memory_of;
use super::scope::Scope;
use crate::rules::Rules;
use crate::tablebase::solve::build::Unit;
use crate::tablebase::solve::placing;
use crate::tablebase::{Sector, SolvedGame, TablebaseError};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// Returns the units of a scope and what each depends on, as a makefile or JSON.
///
/// # Errors
/// As [`Scope::units`].
pub fn plan(rules: &Rules, scope: Scope, path: &Path, json: bool) -> Result<String, TablebaseError> {
    let game = SolvedGame::new(rules)?;
    let units = scope.units(&game)?;
    let known: HashMap<Sector, Unit> =
        units.iter().flat_map(|&unit| unit.sectors().into_iter().map(move |sector| (sector, unit))).collect();
    let needs = |unit: Unit| {
        let mut needed: Vec<Unit> = unit
            .sectors()
            .into_iter()
            .flat_map(|sector| {
                let most = if game.multiple { 3 } else { 1 };
                (0..=most.min(sector.theirs)).filter_map(move |taken| match unit {
                    Unit::Placing(sector) => placing::next_sector(&game, sector, taken),
                    Unit::Pair(..) => Some(Sector::moving(sector.theirs - taken, sector.own)),
                })
            })
            .filter_map(|sector| known.get(&sector).copied())
            .filter(|&other| other != unit)
            .collect();
        needed.sort_by_key(ToString::to_string);
        needed.dedup();
        needed
    };
    let names = |units: &[Unit]| units.iter().map(ToString::to_string).collect::<Vec<_>>();
    if json {
        let list: Vec<_> = units
            .iter()
            .map(|&unit| {
                serde_json::json!({
                    "unit": unit.to_string(), "needs": names(&needs(unit)), "slots": unit.slots(),
                    "memory": memory_of(&game, unit),
                })
            })
            .collect();
        return Ok(format!("{:#}\n", serde_json::Value::Array(list)));
    }
    let build = format!("millstone tb build --rules {} --threads 1 --quiet", rules.describe());
    let mut text = String::from("# Builds every unit by itself: make -f FILE -j N.\n");
    let _ = writeln!(text, "# Other flags for every unit, such as distances while placing, go into TB:");
    let _ = writeln!(text, "#   make -f FILE -j N TB='{build} --distances all'");
    let _ = writeln!(text, "TB ?= {build}");
    let _ = writeln!(text, "DIR ?= {}", make_value(&path.display().to_string()));
    let _ = writeln!(text, "units := {}", names(&units).join(" "));
    // Between single quotes the shell treats only the quote itself as special.
    let folder = r"'$(subst ','\'',$(DIR))'";
    let _ = writeln!(text, ".PHONY: all $(units)\nall: $(units)\n\t$(TB) --path {folder} --scope {scope}");
    let _ = writeln!(text, "$(units):\n\t$(TB) --path {folder} --only $@");
    for &unit in &units {
        let needed = names(&needs(unit)).join(" ");
        if !needed.is_empty() {
            let _ = writeln!(text, "{unit}: {needed}");
        }
    }
    Ok(text)
}

/// Returns a text quoted as the value of a makefile variable.
fn make_value(text: &str) -> String {
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
