//! The documents agree with the program: their option tables are those of the engine, the sessions of
//! `docs/protocol.md` are played, and every link has a target.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common;

use millstone::engine::options::{self, EngineOption, OptionKind, Shown};

const README: &str = include_str!("../README.md");
const PROTOCOL: &str = include_str!("../docs/protocol.md");

/// Returns the row of an option.
fn row(option: &EngineOption) -> String {
    let range = match (option.range(), option.kind) {
        (Some((min, max)), _) => format!("{min} to {max}"),
        (None, OptionKind::Combo { choices, .. }) if choices().len() < 5 => choices().join(", "),
        (None, OptionKind::Combo { .. }) => "names of rule sets".to_owned(),
        _ => String::new(),
    };
    let default = match option.default_text() {
        text if text.len() > 20 => "text".to_owned(),
        text => text,
    };
    format!("| `{}` | {} | {default} | {range} | {} |", option.name, option.type_text(), option.summary)
}

fn table(options: impl Iterator<Item = EngineOption>) -> String {
    let head = "| Option | Type | Default | Range | Meaning |\n| --- | --- | --- | --- | --- |\n";
    head.to_owned() + &options.map(|option| row(&option) + "\n").collect::<String>()
}

/// Returns the text between two markers.
fn between<'a>(text: &'a str, name: &str) -> &'a str {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (_, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("no marker {begin}"));
    rest.split_once(&end).unwrap_or_else(|| panic!("no marker {end}")).0
}

fn is_rule(option: &EngineOption) -> bool {
    matches!(option.kind, OptionKind::Rule(_))
}

fn compare(found: &str, expected: &str) {
    assert!(found == expected, "the table should read:\n{expected}");
}

#[test]
fn the_readme_names_ten_options_with_their_defaults() {
    let section = README.split("\n## Options\n").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows: Vec<&str> =
        section.expect("a section").lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`');
        let option = options::all().find(|option| option.name == name).expect("an option of the engine");
        assert!(option.shown != Shown::Never, "{name} has no effect");
        let default = Some(option.default_text()).filter(|text| !text.is_empty());
        assert_eq!(cells[2], default.as_deref().unwrap_or("empty"), "the default of {name}");
    }
}

#[test]
fn the_readme_states_the_size_of_the_built_in_tablebases() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut bytes = 0;
    for package in ["tablebase", "tablebase-variants"] {
        for entry in fs::read_dir(root.join(package).join("src")).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "bin") {
                bytes += fs::metadata(&path).expect("a file").len();
            }
        }
    }
    let stated = format!("built in ({:.1} MB)", bytes as f64 / 1e6);
    assert!(README.contains(&stated), "README.md does not say `{stated}`");
}

#[test]
fn the_protocol_document_lists_all_options() {
    let shown = |option: &EngineOption| option.shown != Shown::Never;
    let engine = options::all().filter(|option| shown(option) && !is_rule(option));
    compare(between(PROTOCOL, "options"), &table(engine));
    compare(between(PROTOCOL, "rule options"), &table(options::all().filter(is_rule)));
}

#[test]
fn the_protocol_document_names_what_is_accepted_without_effect() {
    let names: Vec<String> = options::all()
        .filter(|option| option.shown == Shown::Never)
        .map(|option| format!("`{}`", option.name))
        .collect();
    let found = between(PROTOCOL, "names without effect").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(found == names.join(", ") + ".", "the list should read:\n{}.", names.join(", "));
}

#[test]
fn the_sessions_of_the_protocol_document_go_as_written() {
    let mut sessions = 0;
    for block in PROTOCOL.split("```text session").skip(1) {
        common::replay_session(block.split("```").next().unwrap_or_default());
        sessions += 1;
    }
    assert!(sessions >= 5, "one session for each dialect at least, not {sessions}");
}

/// Returns the Markdown files of the repository, with their text.
fn documents() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let data = ["data/certificate", "data/tablebase", "data/tablebase-variants"];
    for folder in ["", "docs", "docs/lab", "proof", "web/engine"].into_iter().chain(data) {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(&path).expect("text");
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 10, "only {} documents found", found.len());
    found
}

#[test]
fn links_between_documents_lead_to_files_and_headings() {
    for (path, text) in documents() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.starts_with("http") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            assert!(target.exists(), "{}: no file for the link {link}", path.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).expect("text");
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let anchor = |line: &str| {
                    let words = line.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-");
                    words.replace(|c: char| !c.is_alphanumeric() && c != '-', "")
                };
                assert!(
                    headings.map(anchor).any(|anchor| anchor == heading),
                    "{}: no heading for the link {link}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn no_line_of_prose_is_longer_than_110_columns() {
    let mut long = Vec::new();
    for (path, text) in documents() {
        let mut is_code = false;
        for (number, line) in text.lines().enumerate() {
            is_code ^= line.trim_start().starts_with("```");
            if !is_code && !line.starts_with('|') && line.chars().count() > 110 {
                long.push(format!("{}:{}", path.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn readme_and_test_manual_are_short() {
    let most = [("README.md", 130), ("testing.md", 200)];
    for (path, text) in documents() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if let Some((_, most)) = most.iter().find(|(short, _)| *short == name)
            && !path.ends_with("lab/README.md")
        {
            assert!(text.lines().count() <= *most, "{name} has more than {most} lines");
        }
    }
}

/// Returns the names of the ignored tests below a folder.
fn ignored_tests(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for path in common::rust_files(folder) {
        let text = fs::read_to_string(&path).expect("text");
        let marks = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("#[ignore"));
        found.extend(marks.map(|(number, _)| {
            let after = text.lines().skip(number).find_map(|line| line.trim_start().strip_prefix("fn "));
            after.and_then(|rest| rest.split('(').next()).expect("a function").to_owned()
        }));
    }
    found
}

#[test]
fn the_test_manual_lists_the_ignored_tests_and_the_nightly_workflow_runs_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manual = fs::read_to_string(root.join("docs/testing.md")).expect("text");
    let rows = between(&manual, "ignored tests").lines();
    let mut listed: Vec<&str> = rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect();
    let mut found = ["tests", "proof/check/tests"].map(|folder| ignored_tests(&root.join(folder))).concat();
    listed.sort_unstable();
    found.sort_unstable();
    assert_eq!(listed, found);
    let workflow = fs::read_to_string(root.join(".github/workflows/nightly.yml")).expect("text");
    let (_, job) = workflow.split_once("\n  long-tests:\n").expect("a job");
    let runs = job.lines().any(|line| line.ends_with("--test all -- --ignored --nocapture"));
    assert!(runs, "without a filter it runs every ignored test of `tests`: {job}");
    assert_eq!(ignored_tests(&root.join("src")), Vec::<String>::new(), "no job runs ignored unit tests");
    assert!(workflow.contains("--manifest-path proof/check/Cargo.toml -- --ignored --nocapture\n"));
}

/// Returns the full names of the tests below a folder. Those of the model checker begin with `loom::`.
fn names_of_tests(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for path in common::rust_files(folder) {
        let below = path.strip_prefix(folder).expect("below the folder").with_extension("");
        let below = below.iter().map(|part| part.to_str().expect("UTF-8")).filter(|part| *part != "mod");
        let file = below.collect::<Vec<_>>().join("::");
        let text = fs::read_to_string(&path).expect("text");
        // Modules of tests stand at the end of a file.
        let (mut module, mut is_test, mut condition) = (String::new(), false, "");
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(" {")) {
                let checker = if condition == "#[cfg(all(test, loom))]" { "loom::" } else { "" };
                module = format!("{checker}{file}::{name}::");
            }
            is_test |= line.trim_start() == "#[test]";
            if let Some(name) = line.trim_start().strip_prefix("fn ").filter(|_| is_test) {
                let module = if module.is_empty() { format!("{file}::") } else { module.clone() };
                names.push(module + name.split('(').next().unwrap_or_default());
                is_test = false;
            }
            condition = line;
        }
    }
    names
}

#[test]
fn the_filters_of_scripts_and_workflows_name_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [in_lib, in_tests] = ["src", "tests"].map(|folder| names_of_tests(&root.join(folder)));
    for file in [".ci/miri", ".ci/sanitize", ".github/workflows/nightly.yml"] {
        let text = fs::read_to_string(root.join(file)).expect("text").replace("\\\n", " ");
        let mut filters = 0;
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let names = if line.contains("--lib") { &in_lib } else { &in_tests };
            for filter in line.split_whitespace().filter(|word| word.contains("::")) {
                // Nothing else is compiled for the model checker.
                let checker = if filter == "model::" { "loom::" } else { "" };
                let has_test = |name: &String| name.contains(filter) && name.starts_with(checker);
                assert!(names.iter().any(has_test), "{file}: no test for {filter}");
                filters += 1;
            }
        }
        assert!(filters > 0, "{file}: no filter was found");
    }
}

#[test]
fn the_architecture_page_lists_the_modules_in_their_order_and_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/architecture.md")).expect("text");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: Vec<&str> = rows.map(|name| name.trim_end_matches(".rs").trim_end_matches('/')).collect();
    let lib = fs::read_to_string(root.join("src/lib.rs")).expect("text");
    let declared = lib.lines().filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'));
    assert_eq!(listed, declared.collect::<Vec<_>>());
    let is_path = |c: char| c.is_ascii_alphanumeric() || "_/.".contains(c);
    for file in page.split(|c| !is_path(c)).filter(|word| word.ends_with(".rs")) {
        let folders = ["", "src", "src/search"];
        assert!(folders.iter().any(|folder| root.join(folder).join(file).exists()), "no file {file}");
    }
}
