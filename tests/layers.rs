//! A room (a module of `src/lib.rs`) uses only rooms declared above it: the order of `src/lib.rs` is the order of
//! the layers. And names are imported one by one: `use super::*` stands in tests only.

use std::fs;
use std::path::{Path, PathBuf};

/// All source files below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let list = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(list).filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

/// The identifier that `text` begins with.
fn identifier(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The rooms that `code` names behind `crate::`, whether one by one or as `crate::{a::b, c}`.
fn rooms_named(code: &str) -> Vec<&str> {
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            rooms.push(identifier(rest));
            continue;
        };
        let mut depth = 0;
        let mut item = 0;
        for (at, c) in group.char_indices() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if c == ',' && depth == 0 || depth < 0 {
                rooms.push(identifier(group[item..at].trim_start()));
                item = at + 1;
            }
            if depth < 0 {
                break;
            }
        }
    }
    rooms.retain(|room| !room.is_empty());
    rooms
}

#[test]
fn rooms_use_only_the_rooms_above_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(src.join("lib.rs")).expect("src/lib.rs");
    let rooms: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert!(rooms.len() > 10, "src/lib.rs declares the rooms {rooms:?}");
    let layer = |name: &str| rooms.iter().position(|&room| room == name);
    let mut faults = Vec::new();
    let mut uses = 0;
    for path in sources(&src) {
        let inside = path.strip_prefix(&src).expect("a path below src");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let room = first.trim_end_matches(".rs");
        // The binary and the list itself stand below all rooms.
        let own = if matches!(room, "main" | "lib") { Some(rooms.len()) } else { layer(room) };
        let Some(own) = own else {
            faults.push(format!("{} belongs to no room of src/lib.rs", inside.display()));
            continue;
        };
        if path.ends_with("tests.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable source");
        // Tests stand at the foot of a file, or in one of their own.
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        let code: Vec<&str> = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let code = code.join("\n");
        for used in rooms_named(&code) {
            uses += 1;
            // What is no room is an item or macro of the crate root.
            if layer(used).is_some_and(|layer| layer > own) {
                faults.push(format!("{} uses {used}, a room below its own", inside.display()));
            }
        }
        if code.contains("use super::*") {
            faults.push(format!("{} has `use super::*` outside tests", inside.display()));
        }
    }
    assert!(uses > 50, "found {uses} uses of rooms, so the search itself is broken");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn uses_are_found_in_every_form() {
    let code = "use crate::types::{Color, Move};\nuse crate::{bitboard, rules::{A, B}, sync::C};\nlet x = crate::tt::X;";
    assert_eq!(rooms_named(code), ["types", "bitboard", "rules", "sync", "tt"]);
}
