//! The layout of `src`: a top-level module uses only modules declared above it in `src/lib.rs`, the modules
//! and the imports between them are few, files never use each other in a circle, and no file is long.
//! Names are imported one by one: `use super::*` stands in tests only.

mod scan;

use crate::common::rust_files;
use scan::{
    ModulePath, Names, Source, functions_declared, impl_blocks, methods_called, paths_named, sources,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The maximum number of modules in `src/lib.rs`.
const MOST_MODULES: usize = 20;

/// The maximum number of pairs of modules of which one uses the other. `src/lib.rs` and `src/main.rs` do not
/// count.
const MOST_IMPORTS: usize = 108;

/// The maximum number of lines of a file outside `tests`.
const MOST_LINES: usize = 600;

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

/// Returns which files each file uses: by a path, an import or a re-export, or by a call of a method of a
/// type whose methods are split over both files. A call counts if only one file declares a method of that
/// name for the type, and, unless the receiver is `self`, if no other type has such a method.
fn uses(sources: &[Source]) -> BTreeMap<ModulePath, BTreeSet<ModulePath>> {
    let names = Names::new(sources);
    let mut uses: BTreeMap<ModulePath, BTreeSet<ModulePath>> = BTreeMap::new();
    // The file that declares a type, and its name.
    let type_of = |source: &Source, name| (names.resolve(&source.module, &[name]).pop(), name.to_owned());
    // For each type the files that declare each of its methods, and for each method the types that have it.
    let mut methods: BTreeMap<_, BTreeMap<&str, BTreeSet<&ModulePath>>> = BTreeMap::new();
    let mut types: BTreeMap<&str, BTreeSet<_>> = BTreeMap::new();
    for source in sources {
        let paths = names.paths(source);
        let used = paths.iter().flat_map(|path| names.resolve(&source.module, &path.words));
        uses.insert(source.module.clone(), used.filter(|used| *used != source.module).collect());
        for block in impl_blocks(&source.code).iter().filter(|block| block.is_inherent) {
            let owner = type_of(source, block.type_name);
            for name in functions_declared(block.body) {
                types.entry(name).or_default().insert(owner.clone());
                methods.entry(owner.clone()).or_default().entry(name).or_default().insert(&source.module);
            }
        }
    }
    for source in sources {
        let used = uses.entry(source.module.clone()).or_default();
        for block in impl_blocks(&source.code) {
            let Some(methods) = methods.get(&type_of(source, block.type_name)) else { continue };
            for call in methods_called(&block) {
                let Some(files) = methods.get(call.name).filter(|files| files.len() == 1) else { continue };
                if call.is_own || types[call.name].len() == 1 {
                    used.extend(files.iter().copied().filter(|file| **file != source.module).cloned());
                }
            }
        }
    }
    uses
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
        for named in paths_named(&source.code, &BTreeSet::new()) {
            let named = named.words;
            if named[0] != "crate" {
                continue;
            }
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

/// Returns the pairs of top-level modules of which the first uses the second.
fn imports() -> BTreeSet<(String, String)> {
    let modules = modules();
    let mut imports = BTreeSet::new();
    for source in sources() {
        for named in paths_named(&source.code, &BTreeSet::new()) {
            let ["crate", used, ..] = named.words[..] else { continue };
            let own = source.module.first().filter(|own| modules.contains(own) && *own != used);
            if let Some(own) = own.filter(|_| modules.iter().any(|module| module == used)) {
                imports.insert((own.clone(), used.to_owned()));
            }
        }
    }
    assert!(imports.len() > 50, "found {} imports, so the search itself is broken", imports.len());
    imports
}

#[test]
fn the_imports_between_modules_are_few() {
    let (modules, imports) = (modules().len(), imports().len());
    println!("{modules} modules, {imports} imports between them");
    assert!(imports <= MOST_IMPORTS, "{imports} imports between modules, expected at most {MOST_IMPORTS}");
}

#[test]
fn every_module_says_what_it_uses() {
    let imports = imports();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for module in modules() {
        let file = src.join(format!("{module}.rs"));
        let file = if file.is_file() { file } else { src.join(&module).join("mod.rs") };
        let text = fs::read_to_string(&file).expect("readable source");
        let header: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).collect();
        let header = header.concat();
        let uses = ["Uses ", "may use ", "uses no other"].iter().find_map(|word| header.split_once(word));
        let (_, uses) = uses.unwrap_or_else(|| panic!("the head of {} does not say it", file.display()));
        let uses = uses.split('.').next().unwrap_or_default();
        // The modules above and every module but some: the order of the modules is tested elsewhere.
        let is_general = uses.contains("above") || uses.contains("every");
        for (_, used) in imports.iter().filter(|(own, _)| *own == module && !is_general) {
            assert!(uses.contains(&format!("`{used}`")), "{} does not name {used}", file.display());
        }
    }
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let circles = circles(&uses(&sources()));
    assert!(circles.is_empty(), "these uses lie on circles:\n{}", circles.join("\n"));
}

/// Returns the uses that lie on circles.
fn circles(uses: &BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Vec<String> {
    uses.iter()
        .flat_map(|(module, used)| used.iter().map(move |used| (module, used)))
        .filter(|(module, used)| reaches(uses, used, module))
        .map(|(module, used)| format!("{} uses {}", module.join("::"), used.join("::")))
        .collect()
}

/// Returns true if uses lead from one file to another.
fn reaches(uses: &BTreeMap<ModulePath, BTreeSet<ModulePath>>, from: &ModulePath, to: &ModulePath) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut worklist = vec![from];
    while let Some(module) = worklist.pop() {
        if module == to {
            return true;
        }
        worklist.extend(uses.get(module).into_iter().flatten().filter(|used| seen.insert(used)));
    }
    false
}

#[test]
fn the_architecture_page_states_the_number_of_modules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/architecture.md")).expect("text");
    let stated = format!("`src` holds {} modules", modules().len());
    assert!(page.contains(&stated), "docs/architecture.md does not say: {stated}");
}

#[test]
fn no_file_is_longer_than_600_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut long = Vec::new();
    for folder in ["src", "benches", "data", "fuzz/src", "fuzz/fuzz_targets", "proof/check"] {
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
    let found: Vec<String> =
        paths_named(code, &BTreeSet::new()).iter().map(|path| path.words.join(" ")).collect();
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

/// Returns the circles among files of this code, as pairs of modules joined by "uses".
fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
    let source = |&(module, code): &(&str, &str)| Source {
        path: module.into(),
        module: module.split("::").map(str::to_owned).collect(),
        code: code.to_owned(),
    };
    circles(&uses(&files.iter().map(source).collect::<Vec<_>>()))
}

#[test]
fn circles_through_methods_and_re_exports_are_found() {
    let down = (
        "a::one",
        "use super::base::T;\nimpl T {\n    fn first(&self) {\n        self.second();\n    }\n}\n",
    );
    let base = ("a::base", "pub struct T;\n");
    let leaf = ("a::two", "use super::base::T;\nimpl T {\n    fn second(&self) {}\n}\n");
    assert!(circles_of(&[base, down, leaf]).is_empty());
    let calls = [
        "self.first()",
        "Self::first(self)",
        "T::first(self)",
        "self\n            .first()",
        "(|t: &T| t.first())(self)",
        "self.first::<true>()",
    ];
    for call in calls {
        let code = format!(
            "use super::base::T;\nimpl<X> Trait<X> for T {{\n    fn third(&self) {{}}\n}}\n\
            impl T {{\n    fn second(&self) {{\n        {call};\n    }}\n}}\n"
        );
        let found = circles_of(&[base, down, ("a::two", &code)]);
        assert_eq!(found, ["a::one uses a::two", "a::two uses a::one"], "{call}");
    }
    // A method of that name that another type has, or that stands in both files, says nothing.
    let other = ("b", "struct U;\nimpl U {\n    fn first(&self) {}\n}\n");
    let code = "use super::base::T;\nimpl T {\n    fn second(&self, u: U) {\n        u.first();\n    }\n}\n";
    assert!(circles_of(&[base, down, ("a::two", code), other]).is_empty());
    // A folder that hands on the names of its files must not be used by them.
    let (folder, child) =
        (("a", "mod base;\npub use base::T;\npub struct S;\n"), "use super::S;\npub struct T;\n");
    assert_eq!(circles_of(&[folder, ("a::base", child)]), ["a uses a::base", "a::base uses a"]);
    let user = ("b", "use crate::a::T;\n");
    let behind = ("a::base", "use crate::b::V;\npub struct T;\n");
    let found = circles_of(&[("a", "pub use base::T;\n"), behind, user]);
    assert_eq!(found, ["a uses a::base", "a::base uses b", "b uses a", "b uses a::base"]);
}
