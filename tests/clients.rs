//! The example clients are run as they stand, where their interpreter is installed.

use std::process::Command;

#[test]
fn the_python_client_plays_a_game_to_its_end() {
    let Ok(version) = Command::new("python3").arg("--version").output() else {
        eprintln!("SKIPPED: there is no python3");
        return;
    };
    assert!(version.status.success());
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/client.py");
    let output = Command::new("python3").args([client, env!("CARGO_BIN_EXE_millstone")]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(" moves: ") && text.contains("the end: ") && text.contains(" o "), "{text}");
}
