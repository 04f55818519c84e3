//! Tells the program which compiler built it, for the command `compiler`.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version =
        Command::new(rustc).arg("--version").output().ok().and_then(|o| String::from_utf8(o.stdout).ok());
    let version = version.unwrap_or_else(|| "rustc of unknown version".to_owned());
    println!("cargo::rustc-env=MILLSTONE_RUSTC={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}
