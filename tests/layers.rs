//! The layout of `src`: a top-level module uses only modules declared above it in `src/lib.rs`, files never
//! use each other in a circle, and no file is long. Names are imported one by one: `use super::*` stands in
//! tests only.

use crate::common::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The maximum number of modules in `src/lib.rs`.
const MOST_MODULES: usize = 20;

/// The maximum number of lines of a file outside `tests`.
const MOST_LINES: usize = 600;

/// A source file outside the tests.
struct Source {
    /// Its path below `src`.
    path: PathBuf,
    /// Its module path: `["search", "pool"]`; empty for `lib.rs`.
    module: Vec<String>,
    /// Its code without comments and without the tests at its foot.
    code: String,
}

/// Returns every source file of the library and of the program.
fn sources() -> Vec<Source> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    for file in rust_files(&src) {
        if file.ends_with("tests.rs") {
            continue;
        }
        let path = file.strip_prefix(&src).expect("a path below src").to_owned();
        let mut module: Vec<String> =
            path.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
        module.pop_if(|last| matches!(last.as_str(), "mod" | "lib"));
        let text = fs::read_to_string(&file).expect("readable source");
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        sources.push(Source { path, module, code: code.join("\n") });
    }
    assert!(sources.len() > 50, "found {} files, so the search itself is broken", sources.len());
    sources
}

/// Returns the modules in the order of `src/lib.rs`.
fn modules() -> Vec<String> {
    let lib =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).expect("src/lib.rs");
    let name = |line: &str| {
        let line = line.trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        line.strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
    };
    lib.lines().filter_map(name).collect()
}

/// Returns the paths that `code` names from the crate root, from `self` or from `super`, groups in braces
/// resolved: `use crate::{a::b, c}` gives `crate a b` and `crate c`.
fn paths_named(code: &str) -> Vec<Vec<&str>> {
    let mut paths = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        rest = &rest[at..];
        let word = identifier(rest);
        let after = &rest[word.len()..];
        rest = if matches!(word, "crate" | "self" | "super") && after.starts_with("::") {
            read_path(vec![word], &after[2..], &mut paths)
        } else {
            after
        };
    }
    paths
}

/// Reads what follows `prefix::` and adds every path it holds to `paths`. Returns the text after it.
fn read_path<'a>(mut prefix: Vec<&'a str>, text: &'a str, paths: &mut Vec<Vec<&'a str>>) -> &'a str {
    let text = text.trim_start();
    let Some(mut group) = text.strip_prefix('{') else {
        let word = identifier(text);
        let rest = &text[word.len()..];
        if word.is_empty() {
            paths.push(prefix);
            return rest;
        }
        prefix.push(word);
        return match rest.strip_prefix("::") {
            Some(rest) => read_path(prefix, rest, paths),
            None => {
                paths.push(prefix);
                rest
            }
        };
    };
    loop {
        group = group.trim_start_matches(|c: char| c.is_whitespace() || c == ',' || c == '*');
        if let Some(rest) = group.strip_prefix('}') {
            return rest;
        }
        if group.is_empty() {
            return group;
        }
        group = read_path(prefix.clone(), group, paths);
        // A new name after `as` is not a path.
        if let Some(renamed) = group.trim_start().strip_prefix("as ") {
            group = &renamed.trim_start()[identifier(renamed.trim_start()).len()..];
        } else if !group.trim_start().starts_with([',', '}']) {
            // Braces that are not an import: skip one character.
            let mut characters = group.chars();
            characters.next();
            group = characters.as_str();
        }
    }
}

/// Returns the identifier that `text` begins with.
fn identifier(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// Returns the file that `path`, named in the file of `module`, leads into: the longest module it goes
/// through.
fn target<'a>(
    module: &[String],
    path: &[&str],
    files: &'a BTreeMap<Vec<String>, PathBuf>,
) -> Option<&'a Vec<String>> {
    let mut at = if path[0] == "crate" { Vec::new() } else { module.to_vec() };
    let mut found = None;
    for (index, &word) in path.iter().enumerate() {
        match word {
            "crate" | "self" => {}
            "super" => drop(at.pop()),
            _ => at.push(word.to_owned()),
        }
        match files.get_key_value(&at) {
            Some((known, _)) => found = Some(known),
            None if index > 0 && word != "super" => break,
            None => {}
        }
    }
    found.filter(|found| found.as_slice() != module)
}

/// Returns which files each file uses.
fn uses(sources: &[Source]) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let files: BTreeMap<_, _> = sources.iter().map(|s| (s.module.clone(), s.path.clone())).collect();
    let used = |source: &Source| {
        let paths = paths_named(&source.code);
        paths.iter().filter_map(|path| target(&source.module, path, &files).cloned()).collect()
    };
    sources.iter().map(|source| (source.module.clone(), used(source))).collect()
}

#[test]
fn modules_are_few_and_use_only_the_modules_above_them() {
    let modules = modules();
    assert!(modules.len() > 10, "src/lib.rs declares the modules {modules:?}");
    assert!(modules.len() <= MOST_MODULES, "{} modules, expected at most {MOST_MODULES}", modules.len());
    let layer = |name: &str| modules.iter().position(|module| module == name);
    let mut faults = Vec::new();
    let mut count = 0;
    for source in sources() {
        let path = source.path.display();
        // The binary and `lib.rs` itself come after all modules.
        let own = match source.module.first().map(String::as_str) {
            None | Some("main") => Some(modules.len()),
            Some(module) => layer(module),
        };
        let Some(own) = own else {
            faults.push(format!("{path} belongs to no module of src/lib.rs"));
            continue;
        };
        for named in paths_named(&source.code).iter().filter(|named| named[0] == "crate") {
            count += 1;
            // A name that is not a module is an item or macro of the crate root.
            if named.get(1).and_then(|module| layer(module)).is_some_and(|layer| layer > own) {
                faults.push(format!("{path} uses {}, a module below its own", named[1]));
            }
        }
        if source.code.contains("use super::*") {
            faults.push(format!("{path} has `use super::*` outside tests"));
        }
    }
    assert!(count > 200, "found {count} uses of modules, so the search itself is broken");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut uses = uses(&sources());
    // Remove files that use no other remaining file, until only circles and files that lead into them are
    // left.
    loop {
        let free: Vec<_> = uses.iter().filter(|(_, used)| used.is_empty()).map(|(m, _)| m.clone()).collect();
        if free.is_empty() {
            break;
        }
        for module in &free {
            uses.remove(module);
        }
        for used in uses.values_mut() {
            used.retain(|module| !free.contains(module));
        }
    }
    let lines: Vec<String> = uses
        .iter()
        .map(|(module, used)| {
            let used: Vec<String> = used.iter().map(|module| module.join("::")).collect();
            format!("{} uses {}", module.join("::"), used.join(", "))
        })
        .collect();
    assert!(lines.is_empty(), "these files lie on circles or use those that do:\n{}", lines.join("\n"));
}

#[test]
fn no_file_is_longer_than_600_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut long = Vec::new();
    for folder in ["src", "benches", "fuzz/src", "fuzz/fuzz_targets"] {
        for path in rust_files(&root.join(folder)) {
            let lines = fs::read_to_string(&path).expect("readable source").lines().count();
            if lines > MOST_LINES {
                long.push(format!("{}: {lines} lines", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "longer than {MOST_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn paths_are_found_in_every_form() {
    let code = "use crate::types::{Color, Move};\nuse crate::{bitboard, rules::{A as B, C}, sync::D};\n\
                let x = super::tt::X + self::y(1);";
    let found: Vec<String> = paths_named(code).iter().map(|path| path.join(" ")).collect();
    let expected = [
        "crate types Color",
        "crate types Move",
        "crate bitboard",
        "crate rules A",
        "crate rules C",
        "crate sync D",
        "super tt X",
        "self y",
    ];
    assert_eq!(found, expected);
}
