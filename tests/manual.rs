//! `completions` and `man` know every command that `--help` lists, and a shell can use what they print.

use std::fs;
use std::process::Command;

use crate::common::{Folder, millstone, plain, skip};

const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// Runs the program and returns what it printed.
fn printed(arguments: &[&str]) -> String {
    let output = millstone(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the subcommands that `--help` lists for a command.
fn commands(path: &[&str]) -> Vec<String> {
    let help = printed(&[path, &["--help"]].concat());
    let Some((_, list)) = help.split_once("\nCommands:\n") else { return Vec::new() };
    let rows = list.lines().take_while(|line| line.starts_with("  "));
    // A row begins after two spaces; lines with a deeper indent continue it.
    let names = rows.filter_map(|row| row[2..].split(' ').next()).filter(|name| !name.is_empty());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_shell_completes_every_command() {
    let commands = commands(&[]);
    assert!(commands.len() > 12, "{commands:?}");
    for shell in SHELLS {
        let text = printed(&["completions", shell]);
        for word in commands.iter().map(String::as_str).chain(["protocol", "sanmill7"]) {
            // The completions of PowerShell do not know the values of options.
            let is_known = text.contains(word) || (shell == "powershell" && word == "sanmill7");
            assert!(is_known, "{shell}: no {word}");
        }
        let hidden = ["guard", "Start an engine of a match", "the same, for programs"];
        assert!(!hidden.iter().any(|hidden| text.to_lowercase().contains(&hidden.to_lowercase())), "{shell}");
    }
}

#[test]
fn bash_completes_with_what_is_printed() {
    let folder = Folder::new("completions");
    let file = folder.file("millstone.bash");
    printed(&["completions", "bash", "--output", plain(&file)]);
    // Bash passes the command, the word to complete and the one before it.
    let complete = |words: &[&str]| {
        let script = "source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1))
            _millstone \"$1\" \"${@: -1}\" \"${@: -2:1}\"; echo \"${COMPREPLY[@]}\"";
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", script, plain(&file), "millstone"]).args(words);
        bash.output().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match complete(&["pl"]) {
        Ok(found) => assert_eq!(found, "play"),
        Err(why) => {
            skip(format_args!("bash does not start: {why}"));
            return;
        }
    }
    assert_eq!(complete(&["tb", "ver"]).expect("bash starts"), "verify");
    assert_eq!(complete(&["--protocol", "san"]).expect("bash starts"), "sanmill7");
}

#[test]
fn an_unknown_shell_is_refused_with_the_known_ones() {
    let output = millstone(&["completions", "tcsh"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("'tcsh'") && SHELLS.iter().all(|shell| text.contains(shell)), "{text}");
}

#[test]
fn man_writes_a_page_for_every_command() {
    let folder = Folder::new("man");
    printed(&["man", "--output", plain(folder.path())]);
    let mut expected = vec!["millstone.1".to_owned()];
    for command in commands(&[]) {
        expected.push(format!("millstone-{command}.1"));
        expected.extend(commands(&[&command]).iter().map(|sub| format!("millstone-{command}-{sub}.1")));
    }
    expected.sort();
    assert_eq!(folder.names(), expected);
    for name in &expected {
        let page = fs::read_to_string(folder.file(name)).expect("a page");
        assert!(page.contains(&format!(".TH {} 1", name.trim_end_matches(".1"))), "{name}: {page}");
        assert!(page.contains(&format!("\"millstone {}\"", env!("CARGO_PKG_VERSION"))), "{name}: {page}");
        // Both show the same usage.
        let path: Vec<&str> = name.trim_end_matches(".1").split('-').skip(1).collect();
        let help = printed(&[&path[..], &["--help"]].concat());
        let usage = help.lines().find_map(|line| line.strip_prefix("Usage: ")).expect("a usage");
        let (_, synopsis) = page.split_once("\n.SH SYNOPSIS\n").expect("a synopsis");
        let synopsis =
            synopsis.lines().next().expect("a line").replace('\\', "").replace("fB", "").replace("fR", "");
        assert_eq!(synopsis, usage, "{name}");
        // The pages that a page refers to.
        for word in page.split_whitespace().filter(|word| word.ends_with("(1)")) {
            let target = word.replace("\\-", "-").replace("\\fB", "").replace("(1)", ".1");
            assert!(expected.contains(&target), "{name} names {word}");
        }
    }
    let main = fs::read_to_string(folder.file("millstone.1")).expect("a page");
    assert_eq!(printed(&["man"]), main);
    assert!(main.contains("\\-\\-protocol") && main.contains("position startpos moves"), "{main}");
}

#[test]
fn man_names_a_folder_that_is_missing() {
    let folder = Folder::new("man missing");
    let output = millstone(&["man", "--output", plain(&folder.file("none"))]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none"), "{output:?}");
}
