//! `tb plan --format snakemake`: the units as rules of a Snakefile.

use super::resources::minutes_to_read;
use super::unit_jobs::{JobGraph, Resources, UnitJob};
use crate::platform::text::counted;
use crate::tablebase::format::folder::{MANIFEST, parse_name};
use std::fmt::Write as _;

/// The memory and the disk of a job besides those of its unit, in MB: Snakemake runs in the job too.
const MORE_MEMORY: u64 = 400;
const MORE_DISK: u64 = 1000;

/// Returns a Snakefile with a rule for each unit, and one that checks all files and writes the manifest.
pub(super) fn text(graph: &JobGraph<'_>) -> String {
    let units = counted(graph.jobs.len(), "unit");
    let command = literal(&graph.command("--quiet"));
    let mut text = format!("# Builds {units}, each in a job of its own: snakemake -s FILE --cores N\n");
    // Snakemake sets the variables of `config` from the command line.
    let _ = write!(
        text,
        r#"# Another program or folder: --config tb='/opt/millstone tb build ...' folder=tables2
import os

TB = str(config.get("tb", {command}))
FOLDER = str(config.get("folder", {}))
if "{{" in FOLDER or "}}" in FOLDER:
    raise ValueError("Snakemake reads braces in the name of a folder as a wildcard: " + FOLDER)


def files(*names):
    return [os.path.join(FOLDER, name) for name in names]


# A storage keeps the files of a running job in a folder of its own.
BUILD = '{{TB}} --threads {{threads}} --path="$(dirname -- {{output[0]:q}})"'
"#,
        literal(graph.folder)
    );
    for job in &graph.jobs {
        let name = job.unit.to_string();
        let command = format!("--only {name} --no-manifest");
        let _ = write!(text, "\n\nrule unit_{}:\n", name.replace('-', "_"));
        rule(&mut text, &job.inputs, &job.outputs, &job.resources, &command);
    }
    let all: Vec<String> = graph.jobs.iter().flat_map(|job| job.outputs.iter().cloned()).collect();
    text.push_str("\n\nrule manifest:\n    default_target: True\n");
    rule(
        &mut text,
        &all,
        &[MANIFEST.to_owned()],
        &resources_of_manifest(&graph.jobs),
        &format!("--scope {}", graph.scope),
    );
    text
}

/// Returns the resources of the last job, which reads every file, one after the other.
fn resources_of_manifest(jobs: &[UnitJob]) -> Resources {
    let files = || jobs.iter().flat_map(|job| &job.outputs).filter_map(|name| parse_name(name));
    let slots = || files().map(|(sector, _)| sector.slots());
    Resources {
        memory: slots().max().unwrap_or(0),
        disk: jobs.iter().map(|job| job.written).sum(),
        minutes: minutes_to_read(slots().sum()),
    }
}

/// Writes what follows the name of a rule.
fn rule(text: &mut String, inputs: &[String], outputs: &[String], resources: &Resources, flags: &str) {
    let list = |files: &[String]| files.iter().map(|name| literal(name)).collect::<Vec<_>>().join(", ");
    if !inputs.is_empty() {
        let _ = writeln!(text, "    input: files({})", list(inputs));
    }
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    let _ = writeln!(text, "    output: files({})", list(outputs));
    text.push_str("    resources:\n");
    let _ = writeln!(text, "        mem_mb={},", MORE_MEMORY + megabytes(resources.memory));
    let _ = writeln!(text, "        disk_mb={},", MORE_DISK + megabytes(resources.disk));
    // A job that was too slow gets more time when it is tried again.
    let _ = writeln!(text, "        runtime=lambda wildcards, attempt: {} * attempt,", resources.minutes);
    let _ = writeln!(text, "    shell: BUILD + {}", literal(&format!(" {flags}")));
}

/// Returns a text as a string of Python, in ASCII.
fn literal(text: &str) -> String {
    let mut value = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => value.extend(['\\', c]),
            ' '..='~' => value.push(c),
            _ => _ = write!(value, "\\U{:08x}", u32::from(c)),
        }
    }
    value.push('"');
    value
}
