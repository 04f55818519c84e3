//! Tests of the `tb` commands of the built program: output, refused input, and errors while writing. Uses
//! `common`, and the library to read the files that were written.

mod answers;
mod folders;
mod outside;

use crate::common::{self, Folder, millstone, stderr_text};
use serde_json::Value;
use std::process::Output;

/// White can close a mill on d6 and wins.
const THREE_AGAINST_THREE: &str = "O*O*****/*@******/O**@*@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
/// White can close a mill on d6, after which three men stand against three.
const THREE_AGAINST_FOUR: &str = "O*O*****/*@******/O**@*@@* w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

/// Makes tablebase files of at most `men` men, with further arguments.
fn tablebase_files(name: &str, men: u8, more: &[&str]) -> Folder {
    let scope = format!("{men}-men");
    common::tablebase_files(name, &[&["build", "--quiet", "--scope", &scope], more].concat())
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the message of a call that has to end with status 2.
fn refused(arguments: &[&str]) -> String {
    let output = millstone(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr_text(&output));
    stderr_text(&output)
}

/// Returns the JSON objects of the output, one for each line.
fn objects(output: &Output) -> Vec<Value> {
    said(output).lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}
