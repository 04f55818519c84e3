//! Reads the source files of `src`: the paths they name, the names they import, and the methods they declare
//! and call.

use crate::common::rust_files;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The path of a module: `["search", "pool"]`; empty for `lib.rs`.
pub(super) type ModulePath = Vec<String>;

/// A source file outside the tests.
pub(super) struct Source {
    /// Its path below `src`.
    pub path: PathBuf,
    /// Its module.
    pub module: ModulePath,
    /// Its code without comments and without the tests at its foot.
    pub code: String,
}

/// Returns every source file of the library and of the program.
pub(super) fn sources() -> Vec<Source> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Vec::new();
    for file in rust_files(&src) {
        let path = file.strip_prefix(&src).expect("a path below src").to_owned();
        let mut module: ModulePath =
            path.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
        if module.iter().any(|name| name == "tests") {
            continue;
        }
        module.pop_if(|last| matches!(last.as_str(), "mod" | "lib"));
        let text = fs::read_to_string(&file).expect("readable source");
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        sources.push(Source { path, module, code: significant(code) });
    }
    assert!(sources.len() > 50, "found {} files, so the search itself is broken", sources.len());
    sources
}

/// Returns code without the lines that are comments. Inside a module that stands in the file itself, `super`
/// is that file, and is written as `self`.
fn significant(code: &str) -> String {
    let mut is_inner = false;
    let mut kept = String::new();
    // The path of a visibility is no use.
    let code = code.replace("pub(in crate::", "pub(in ");
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let head = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        is_inner = is_inner && line != "}" || head.starts_with("mod ") && line.ends_with('{');
        kept += &if is_inner { line.replace("super::", "self::") } else { line.to_owned() };
        kept.push('\n');
    }
    kept
}

/// A path that a file names, such as `crate::types::Color`.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct NamedPath<'a> {
    /// The words of the path.
    pub words: Vec<&'a str>,
    /// The name that the file has for it from then on, if the path stands in a `use`.
    pub name: Option<&'a str>,
}

/// Returns the paths that `code` names from the crate root, from `self`, from `super` or from one of
/// `children`, the modules below its own. Groups in braces are resolved: `use crate::{a::b, c}` gives
/// `crate a b` and `crate c`.
pub(super) fn paths_named<'a>(code: &'a str, children: &BTreeSet<&str>) -> Vec<NamedPath<'a>> {
    let mut paths = Vec::new();
    let mut rest = code;
    let mut before = ' ';
    let mut last_word = "";
    while let Some(at) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        before = rest[..at].chars().next_back().unwrap_or(before);
        rest = &rest[at..];
        let word = identifier(rest);
        let after = &rest[word.len()..];
        let begins = matches!(word, "crate" | "self" | "super") || children.contains(word);
        if begins && after.starts_with("::") && !matches!(before, ':' | '.') {
            let from = paths.len();
            rest = read_path(vec![word], &after[2..], &mut paths);
            if last_word != "use" {
                paths[from..].iter_mut().for_each(|path| path.name = None);
            }
        } else {
            rest = after;
        }
        before = word.chars().next_back().unwrap_or(' ');
        last_word = word;
    }
    paths
}

/// Reads what follows `prefix::` and adds every path it holds to `paths`. Returns the text after it.
fn read_path<'a>(mut prefix: Vec<&'a str>, text: &'a str, paths: &mut Vec<NamedPath<'a>>) -> &'a str {
    let text = text.trim_start();
    let Some(mut group) = text.strip_prefix('{') else {
        let word = identifier(text);
        let mut rest = &text[word.len()..];
        if !word.is_empty() {
            prefix.push(word);
            if let Some(rest) = rest.strip_prefix("::") {
                return read_path(prefix, rest, paths);
            }
        }
        // `self` in a group stands for the module before it.
        prefix.pop_if(|last| *last == "self");
        let mut name = prefix.last().copied();
        if let Some(renamed) = rest.trim_start().strip_prefix("as ") {
            name = Some(identifier(renamed));
            rest = &renamed[identifier(renamed).len()..];
        }
        paths.push(NamedPath { words: prefix, name });
        return rest;
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
        if !group.trim_start().starts_with([',', '}']) {
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

/// The files, and the names that each imports or re-exports.
pub(super) struct Names {
    imports: BTreeMap<ModulePath, BTreeMap<String, Vec<String>>>,
}

impl Names {
    /// Reads the imports of all files.
    pub(super) fn new(sources: &[Source]) -> Self {
        let mut names =
            Self { imports: sources.iter().map(|s| (s.module.clone(), BTreeMap::new())).collect() };
        for source in sources {
            let imports = names.paths(source).into_iter().filter_map(|path| {
                let words = path.words.iter().map(|&word| word.to_owned()).collect();
                Some((path.name?.to_owned(), words))
            });
            let imports = imports.collect();
            names.imports.insert(source.module.clone(), imports);
        }
        names
    }

    /// Returns the paths that a file names.
    pub(super) fn paths<'a>(&self, source: &'a Source) -> Vec<NamedPath<'a>> {
        let depth = source.module.len();
        let is_child = |module: &&ModulePath| module.len() == depth + 1 && module.starts_with(&source.module);
        let children = self.imports.keys().filter(is_child).map(|module| module[depth].as_str()).collect();
        paths_named(&source.code, &children)
    }

    /// Returns the files that `path`, named in the file of `module`, leads through: the longest module it
    /// names, and if that file imports or re-exports the name, those that it has the name from. The last one
    /// declares the name.
    pub(super) fn resolve(&self, module: &[String], path: &[&str]) -> Vec<ModulePath> {
        let mut files = Vec::new();
        self.follow(module.to_vec(), path.iter().map(|&word| word.to_owned()).collect(), &mut files);
        files
    }

    fn follow(&self, mut at: ModulePath, words: Vec<String>, files: &mut Vec<ModulePath>) {
        for (index, word) in words.iter().enumerate() {
            match word.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                _ => {
                    at.push(word.clone());
                    if self.imports.contains_key(&at) {
                        continue;
                    }
                    at.pop();
                    if files.contains(&at) {
                        return;
                    }
                    files.push(at.clone());
                    if let Some(path) = self.imports.get(&at).and_then(|imports| imports.get(word)) {
                        let path = path.iter().chain(&words[index + 1..]);
                        self.follow(at, path.cloned().collect(), files);
                    }
                    return;
                }
            }
        }
        files.push(at);
    }
}

/// A block `impl Type { … }` or `impl Trait for Type { … }`.
pub(super) struct ImplBlock<'a> {
    /// The first word of the type.
    pub type_name: &'a str,
    /// True for the methods of the type itself, false for those of a trait.
    pub is_inherent: bool,
    /// The text between the braces.
    pub body: &'a str,
}

/// Returns the blocks of a file, which begin and end at the margin, as rustfmt writes them.
pub(super) fn impl_blocks(code: &str) -> Vec<ImplBlock<'_>> {
    let mut blocks = Vec::new();
    let starts = code.match_indices("impl").map(|(at, _)| at);
    for at in starts.filter(|&at| at == 0 || code[..at].ends_with('\n')) {
        let Some(open) = code[at..].find('{').map(|open| at + open) else { continue };
        let end = code[open..].find("\n}").map_or(code.len(), |end| open + end);
        let head = code[at + 4..open].trim_start();
        // The parameters of the block stand between angle brackets.
        let head = if head.starts_with('<') { after_brackets(head) } else { head };
        let head = head.split(" where ").next().unwrap_or(head);
        let (is_inherent, name) = match head.split_once(" for ") {
            Some((_, name)) => (false, name),
            None => (true, head),
        };
        blocks.push(ImplBlock { type_name: identifier(name.trim()), is_inherent, body: &code[open..end] });
    }
    blocks
}

/// Returns the text after the angle brackets that `text` begins with.
fn after_brackets(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    text
}

/// Returns the names of the functions that a block declares.
pub(super) fn functions_declared(body: &str) -> Vec<&str> {
    let heads = body.lines().filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    heads.filter_map(|line| Some(identifier(line.split_once("fn ")?.1))).collect()
}

/// A method that is called.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Call<'a> {
    /// Its name.
    pub name: &'a str,
    /// True if the receiver is `self`, or the path begins with `Self` or the type: the method belongs to the
    /// type of the block. False for any other simple name, such as the parameter of a closure.
    pub is_own: bool,
}

/// Returns the methods that a block calls on a simple name or on the type itself.
pub(super) fn methods_called<'a>(block: &ImplBlock<'a>) -> Vec<Call<'a>> {
    let body = block.body;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let call = |(at, separator): (usize, &str)| {
        let name = identifier(&body[at + separator.len()..]);
        let after = &body[at + separator.len() + name.len()..];
        // In a chain over several lines the receiver stands on the line before.
        let before = if separator == "." { body[..at].trim_end() } else { &body[..at] };
        let receiver = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        let before = &before[..before.len() - receiver.len()];
        let is_type = separator == "::" && (receiver == "Self" || receiver == block.type_name);
        let is_simple = separator == "." && !receiver.is_empty() && !before.ends_with(['.', ':']);
        let is_call = after.starts_with('(') || after.starts_with("::<") || is_type;
        let is_own = is_type || receiver == "self";
        (!name.is_empty() && is_call && (is_type || is_simple)).then_some(Call { name, is_own })
    };
    body.match_indices('.').chain(body.match_indices("::")).filter_map(call).collect()
}
