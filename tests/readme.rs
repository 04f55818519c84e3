//! The README agrees with the program: rule sets, Rust version, picture.

use std::process::Command;

use millstone::rules::NAMED;

const README: &str = include_str!("../README.md");

#[test]
fn the_readme_has_a_line_for_every_rule_set_and_no_other() {
    let table = README.split("\n## Variants\n").nth(1).and_then(|rest| rest.split("\n## ").next());
    let rows: Vec<&str> = table.expect("a section").lines().filter(|line| line.starts_with("| `")).collect();
    let expected: Vec<String> =
        NAMED.iter().map(|row| format!("| `{}` | {} | {} |", row.name, row.title, row.summary)).collect();
    assert_eq!(rows, expected);
}

#[test]
fn the_readme_states_the_rust_version_of_the_manifest() {
    let stated = concat!("(", env!("CARGO_PKG_RUST_VERSION"), " or newer)");
    assert!(README.contains(stated), "README.md does not say `{stated}`");
}

#[test]
fn the_board_of_the_readme_is_what_its_command_draws() {
    let command = README.lines().find(|line| line.starts_with("millstone diagram ")).expect("a command");
    let mut words = Vec::new();
    for (number, part) in command.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part);
        } else {
            words.extend(part.split_whitespace());
        }
    }
    let end = words.iter().position(|word| *word == "--output").expect("an output file");
    assert_eq!(words[end + 1], "docs/board.svg");
    let output = Command::new(env!("CARGO_BIN_EXE_millstone")).args(&words[1..end]).output();
    let drawn = String::from_utf8(output.expect("a program that starts").stdout).expect("text");
    assert_eq!(drawn.trim_end(), include_str!("../docs/board.svg").trim_end());
}
