//! Rules of style that a program can check: no two types share a name, public or not, at most one type of
//! each top-level module implements `std::error::Error`, no line is too long, doc comments begin with a
//! statement, those of public items with a summary of one line, and documents that they name exist.

use crate::common::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The longest line, as in `rustfmt.toml`.
const MOST_COLUMNS: usize = 110;

/// Returns the text of every Rust file of the repository, by path below its root.
fn texts(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = folders.iter().flat_map(|folder| rust_files(&root.join(folder)));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("readable source");
        (path.strip_prefix(root).expect("a path below the root").to_owned(), text)
    };
    files.map(read).collect()
}

const EVERYWHERE: [&str; 11] = [
    "src",
    "tests",
    "benches",
    "data/certificate/src",
    "data/tablebase/src",
    "data/tablebase-variants/src",
    "examples",
    "fuzz/src",
    "fuzz/fuzz_targets",
    "proof/check/src",
    "proof/check/tests",
];

#[test]
fn no_two_types_share_a_name() {
    // A file that takes the place of another on some platform has its types.
    let substitutes: Vec<String> = texts(&["src"])
        .iter()
        .flat_map(|(path, text)| {
            let names = text.lines().filter_map(|line| {
                line.trim()
                    .strip_prefix("#[cfg_attr(target_arch = \"wasm32\", path = \"")?
                    .strip_suffix("\")]")
            });
            let folder = path.parent().expect("a folder");
            names.map(|name| folder.join(name).display().to_string()).collect::<Vec<_>>()
        })
        .collect();
    assert!(!substitutes.is_empty(), "the search for them is broken");
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in texts(&["src"]) {
        if substitutes.contains(&path.display().to_string()) {
            continue;
        }
        for line in text.lines() {
            let rest = match line.trim_start().strip_prefix("pub") {
                Some(rest) => match rest.strip_prefix('(') {
                    Some(scope) => scope.split_once(')').map_or("", |(_, rest)| rest),
                    None => rest,
                },
                // An indented type without `pub` is an associated type, or stands in a function or a test.
                None if line.starts_with(' ') => continue,
                None => line,
            };
            let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
            let (Some("struct" | "enum" | "trait" | "type"), Some(name)) = (words.next(), words.next())
            else {
                continue;
            };
            // A type that each platform has in its own form is declared twice in one file.
            let (places, path) = (places.entry(name.to_owned()).or_default(), path.display().to_string());
            if places.last() != Some(&path) {
                places.push(path);
            }
        }
    }
    assert!(places.len() > 100, "found {} types, so the search itself is broken", places.len());
    let twice: Vec<String> = places
        .iter()
        .filter(|(_, paths)| paths.len() > 1)
        .map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
        .collect();
    assert!(twice.is_empty(), "types that share a name:\n{}", twice.join("\n"));
}

#[test]
fn at_most_one_type_of_each_top_level_module_is_an_error() {
    // A type that each platform has in its own form counts once.
    let mut errors: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in texts(&["src"]) {
        let module = path.iter().nth(1).expect("a module").display().to_string();
        for line in text.lines() {
            let line = line.trim_start();
            let Some((header, name)) = line.split_once("Error for ").filter(|_| line.starts_with("impl"))
            else {
                continue;
            };
            // `Error for` alone, or at the end of a path; not `From<ParseError> for`.
            if header.ends_with([' ', ':']) {
                let name = name.split([' ', '{']).next().unwrap_or_default();
                errors.entry(module.clone()).or_default().insert(name.to_owned());
            }
        }
    }
    assert!(errors.len() > 10, "found {} modules with errors, so the search itself is broken", errors.len());
    errors.retain(|_, types| types.len() > 1);
    assert!(errors.is_empty(), "modules with several errors: {errors:?}");
}

#[test]
fn no_line_is_longer_than_rustfmt_allows() {
    let configuration =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("rustfmt.toml")).expect("rustfmt.toml");
    assert!(configuration.contains(&format!("max_width = {MOST_COLUMNS}\n")));
    let mut long = Vec::new();
    for (path, text) in texts(&EVERYWHERE) {
        for (number, line) in text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > MOST_COLUMNS {
                long.push(format!("{}:{}: {columns} columns", path.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn doc_comments_say_instead_of_asking() {
    let mut questions = Vec::new();
    let mut count = 0;
    for (path, text) in texts(&["src"]) {
        for (number, line) in text.lines().enumerate() {
            let Some(doc) = line.trim_start().strip_prefix("//") else { continue };
            let Some(doc) = doc.strip_prefix(['/', '!']) else { continue };
            count += 1;
            let first = doc.trim_start().split(' ').next().unwrap_or_default();
            if matches!(first, "What" | "Whether" | "How" | "Where" | "Who") {
                questions.push(format!("{}:{}:{doc}", path.display(), number + 1));
            }
        }
    }
    assert!(count > 1_000, "found {count} lines, so the search itself is broken");
    assert!(questions.is_empty(), "{}", questions.join("\n"));
}

#[test]
fn docs_of_public_items_begin_with_a_summary_of_one_line() {
    let mut long = Vec::new();
    let mut count = 0;
    for (path, text) in texts(&["src"]) {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let is_doc = |line: &str| line.starts_with("///");
        let mut number = 0;
        while number < lines.len() {
            let start = number;
            number += lines[start..].iter().take_while(|line| is_doc(line)).count();
            if number == start {
                number += 1;
                continue;
            }
            // Attributes stand between the comment and the item; one may fill several lines.
            let mut open = 0;
            // The comment of an argument is its help text.
            let is_argument = lines.get(number).is_some_and(|line| line.starts_with("#[arg("));
            let item = lines[number..].iter().find(|line| {
                let is_attribute = open > 0 || line.starts_with("#[");
                if is_attribute {
                    open += line.matches('[').count();
                    open -= line.matches(']').count();
                }
                !is_attribute
            });
            if item.is_some_and(|item| item.starts_with("pub ")) && !is_argument {
                count += 1;
                let summary = lines[start..number].iter().take_while(|line| **line != "///").count();
                if summary > 1 {
                    long.push(format!("{}:{}: {summary} lines", path.display(), start + 1));
                }
            }
        }
    }
    assert!(count > 500, "found {count} public items, so the search itself is broken");
    assert!(long.is_empty(), "put a blank `///` after a summary of one line:\n{}", long.join("\n"));
}

#[test]
fn comments_point_only_to_documents_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for (path, text) in texts(&EVERYWHERE) {
        for (number, line) in text.lines().enumerate() {
            let Some((_, comment)) = line.split_once("//") else { continue };
            let is_part = |c: char| c.is_alphanumeric() || "._-/".contains(c);
            for word in comment.split(|c: char| !is_part(c)) {
                let word = word.trim_end_matches('.');
                if word.ends_with(".md") && !root.join(word).is_file() {
                    missing.push(format!("{}:{}: {word}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no such document:\n{}", missing.join("\n"));
}
