//! What the README says about rule sets is what the program has.

use millstone::rules::NAMED;

const README: &str = include_str!("../README.md");

#[test]
fn the_readme_has_a_line_for_every_rule_set_and_no_other() {
    let table = README.split("\n## Rule sets\n").nth(1).and_then(|rest| rest.split("\n## ").next());
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
