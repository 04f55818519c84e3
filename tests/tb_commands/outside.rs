//! The commands of `tb` when paths are no regular files, the output is closed, or nothing can be written.

use super::{THREE_AGAINST_FOUR, THREE_AGAINST_THREE, refused, said, tablebase_files};
#[cfg(unix)]
use crate::common::end_of;
use crate::common::{Engine, Folder, millstone, plain, skip, stderr_text};
use millstone::internals::folder::MANIFEST;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// As [`millstone`], with a deadline.
#[cfg(unix)]
fn soon(arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    end_of(&mut child, |_| ());
    child.wait_with_output().expect("it has ended")
}

#[cfg(unix)]
fn put_pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_named_and_not_waited_for() {
    let folder = tablebase_files("pipes", 6, &[]);
    let to = Folder::new("pipes-to");
    let path = plain(folder.path());
    let commands: [&[&str]; 4] = [
        &["tb", "stats", "--path", path],
        &["tb", "verify", "--path", path],
        &["tb", "build", "--quiet", "--scope", "6-men", "--path", path],
        &["tb", "repack", "--to", plain(to.path()), "--from", path],
    ];
    let names = |output: &Output, name: &str| {
        let errors = stderr_text(output);
        assert!(errors.contains(&format!("{name}: it is not a regular file")), "{errors}");
    };
    let refuses = |command: &[&str], name: &str| {
        let output = soon(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {}", stderr_text(&output));
        names(&output, name);
    };
    let sets = |options: &[(&str, &str)], name: &str| {
        let mut engine = Engine::start();
        let (last, first) = options.split_last().expect("an option");
        let mut set =
            |(option, value): &(&str, &str)| engine.ask(&format!("setoption name {option} value {value}"));
        first.iter().for_each(|option| assert_eq!(set(option), [""; 0]));
        let notes = set(last);
        let is_named = |note: &String| note.contains(&format!("{name}: it is not a regular file"));
        assert!(notes.len() == 1 && notes.iter().all(is_named), "{notes:?}");
        assert!(!engine.best("nodes 100").is_empty());
        assert!(engine.quit().success());
    };

    // Commands that only probe continue without the file; the others end.
    let table = folder.file("3_3_0_0.dist");
    let kept = fs::read(&table).expect("a tablebase file");
    put_pipe(&table);
    let output = soon(&["tb", "probe", THREE_AGAINST_THREE, "--path", path]);
    let report = said(&output);
    // The win at once is one without any file; the moves that lose have no distance now.
    assert!(output.status.success() && report.starts_with("W 1\n"), "{report}");
    assert!(report.contains("d5-e5    L\n"), "{report}");
    names(&output, "3_3_0_0.dist");
    commands.iter().for_each(|command| refuses(command, "3_3_0_0.dist"));
    sets(&[("TablebasePath", path)], "3_3_0_0.dist");
    fs::remove_file(&table).and_then(|()| fs::write(&table, kept)).expect("as before");

    let manifest = folder.file(MANIFEST);
    fs::remove_file(&manifest).expect("removed");
    std::os::unix::fs::symlink("/dev/zero", &manifest).expect("a link");
    commands.iter().for_each(|command| refuses(command, MANIFEST));
    fs::remove_file(&manifest).expect("removed");
    let socket = std::os::unix::net::UnixListener::bind(&manifest).expect("a socket");
    commands.iter().for_each(|command| refuses(command, MANIFEST));
    drop(socket);
    fs::remove_file(&manifest).expect("removed");
    put_pipe(&folder.file("manifest.lock"));
    refuses(commands[2], "manifest.lock");
    // The name is that of a leftover, but it is no file.
    put_pipe(&folder.file("3_3_0_0.wdl.1-abcdefghijklmnop.tmp"));
    fs::remove_file(folder.file("manifest.lock")).expect("removed");
    assert!(soon(commands[2]).status.success());
    // Nothing is solved that could not be listed afterwards.
    let new = Folder::new("pipes-new");
    put_pipe(&new.file("manifest.lock"));
    refuses(&["tb", "build", "--quiet", "--scope", "6-men", "--path", plain(new.path())], "manifest.lock");
    assert_eq!(new.names(), ["manifest.lock"]);

    let malom = Folder::new("pipes-malom");
    let options = [
        ("TablebaseEmbedded", "false"),
        ("PerfectDatabasePath", plain(malom.path())),
        ("UsePerfectDatabase", "true"),
    ];
    put_pipe(&malom.file("std.secval"));
    sets(&options, "std.secval");

    let resume = to.file("resume");
    put_pipe(&resume);
    refuses(&["accuracy", "--sample", "1", "--nodes", "1", "--resume", plain(&resume)], "resume");
}

#[cfg(unix)]
#[test]
fn a_malom_file_that_cannot_be_read_is_named() {
    let malom = Folder::new("malom-files");
    let options = [
        ("TablebaseEmbedded", "false"),
        ("PerfectDatabasePath", plain(malom.path())),
        ("UsePerfectDatabase", "true"),
    ];
    malom.write("std.secval", "virt_loss_val: -299\nvirt_win_val: 299\n1\n3 3 0 0 0\n");
    let is_noted = |sign: &str| {
        let mut engine = Engine::start();
        for (option, value) in options {
            assert_eq!(engine.ask(&format!("setoption name {option} value {value}")), [""; 0]);
        }
        engine.send(&format!("position fen {THREE_AGAINST_THREE}"));
        let lines = engine.go("nodes 1000");
        let notes: Vec<_> = lines.iter().filter(|line| line.contains(sign)).collect();
        assert!(notes.len() == 1 && notes[0].contains("std_3_3_0_0.sec2"), "{lines:#?}");
        assert!(engine.quit().success());
    };
    put_pipe(&malom.file("std_3_3_0_0.sec2"));
    is_noted("not a regular file");
    fs::remove_file(malom.file("std_3_3_0_0.sec2")).expect("removed");
    malom.write("std_3_3_0_0.sec2", "shorter");
    is_noted("damaged: 7 bytes long, expected ");
}

/// Commands that write to standard output, a line at a time or at the end.
fn talkative<'a>(path: &'a str, to: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        vec!["tb", "verify", "--path", path],
        vec!["tb", "verify", "--json", "--path", path],
        vec!["tb", "stats", "--path", path],
        vec!["tb", "repack", "--from", path, "--to", to],
        vec!["tb", "probe", THREE_AGAINST_FOUR, "--path", path],
        vec!["tb", "probe", "--stdin", "--path", path],
        vec!["tb", "plan", "--scope", "all"],
        vec!["bench", "--depth", "3"],
        vec!["perft", "2", "--divide"],
    ]
}

fn run(arguments: &[&str], stdout: Stdio, close: bool) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(stdout)
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    if close {
        drop(child.stdout.take());
    }
    // More than a pipe holds, so that the answers cannot all be buffered. The output is not read to its end.
    let _ = child.stdin.take().expect("a pipe").write_all("rubbish\n".repeat(20_000).as_bytes());
    child.wait_with_output().expect("it ends")
}

#[test]
fn nobody_who_reads_is_no_failure() {
    let (folder, to) = (tablebase_files("closed", 7, &[]), Folder::new("closed-to"));
    for arguments in talkative(plain(folder.path()), plain(to.path())) {
        let output = run(&arguments, Stdio::piped(), true);
        assert!(
            output.status.success() && stderr_text(&output).is_empty(),
            "{arguments:?}: {}",
            stderr_text(&output)
        );
    }
}

#[test]
fn a_build_goes_on_when_nobody_reads_its_progress() {
    let (folder, whole) = (Folder::new("unheard"), tablebase_files("heard", 7, &[]));
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(["tb", "build", "--threads", "2", "--scope", "7-men", "--path", plain(folder.path())])
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stderr.take());
    assert!(child.wait().expect("it ends").success());
    assert_eq!(folder.names(), whole.names());
}

#[test]
fn a_full_disk_behind_standard_output_is_one() {
    let Ok(full) = fs::File::options().write(true).open("/dev/full") else {
        skip("there is no /dev/full");
        return;
    };
    let (folder, to) = (tablebase_files("full", 7, &[]), Folder::new("full-to"));
    for arguments in talkative(plain(folder.path()), plain(to.path())) {
        let output = run(&arguments, full.try_clone().expect("one more").into(), false);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = stderr_text(&output);
        assert!(error.contains("standard output: ") && error.lines().count() == 1, "{arguments:?}: {error}");
    }
}

/// Returns the files of a folder with their content.
#[cfg(unix)]
fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    folder
        .names()
        .into_iter()
        .map(|name| (name.clone(), fs::read(folder.file(name)).expect("a file")))
        .collect()
}

/// Limits the size of files, which fails where a full disk does: in the middle of writing.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_the_work_and_leaves_what_is_there() {
    // 45 or 90 KiB, depending on the shell: less than the distances of 3-4 in any case.
    let full = |arguments: &[&str]| {
        let output = Command::new("sh")
            .args(["-c", "ulimit -f 90; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_millstone")])
            .args(arguments)
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{}", stderr_text(&output));
        let error = stderr_text(&output);
        assert!(error.contains("cannot write ") && error.contains("_0_0."), "{error}");
    };
    let whole = tablebase_files("space", 7, &[]);
    let folder = Folder::new("no-space");
    let path = plain(folder.path());
    let build = ["tb", "build", "--quiet", "--threads", "2", "--scope", "7-men", "--path", path];
    // Finished files stay; the unit that filled the disk leaves no partial file.
    for name in ["3_3_0_0.wdl", "3_3_0_0.dist"] {
        fs::copy(whole.file(name), folder.file(name)).expect("copied");
    }
    full(&build);
    let left = contents(&folder);
    assert!(left.iter().all(|(name, _)| !name.ends_with(".tmp")), "{:?}", folder.names());
    let there: Vec<_> = contents(&whole).into_iter().filter(|(name, _)| folder.file(name).exists()).collect();
    for ((name, found), (_, expected)) in left.iter().zip(&there) {
        assert!(found == expected || name == MANIFEST, "{name}");
    }
    assert!(left.len() < contents(&whole).len());
    assert!(millstone(&build).status.success());
    assert!(contents(&folder) == contents(&whole), "with room it goes on to the same files");

    let to = Folder::new("no-space-to");
    full(&[
        "tb",
        "repack",
        "--distances",
        "none",
        "--level",
        "1",
        "--block",
        "256",
        "--from",
        path,
        "--to",
        plain(to.path()),
    ]);
    assert!(to.names().iter().all(|name| !name.ends_with(".tmp")), "{:?}", to.names());
    let verified = millstone(&["tb", "verify", "--path", plain(to.path())]);
    assert!(!stderr_text(&verified).contains("damaged"), "{}", stderr_text(&verified));
    assert!(contents(&folder) == contents(&whole), "what is read stays");
}

#[cfg(unix)]
#[test]
fn a_folder_that_must_not_be_written_to_is_left_alone() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let folder = tablebase_files("read-only", 6, &[]);
    let from = tablebase_files("read-only-from", 7, &[]);
    let before = contents(&folder);
    let mode = |mode: u32| {
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).expect("its mode can be set");
    };
    mode(0o555);
    let is_root = fs::metadata(from.path()).expect("a folder").uid() == 0;
    let path = plain(folder.path());
    for arguments in [
        &["tb", "build", "--quiet", "--threads", "2", "--scope", "7-men", "--path", path] as &[&str],
        &["tb", "repack", "--level", "3", "--from", plain(from.path()), "--to", path],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_millstone"));
        command.args(arguments);
        if is_root {
            // Root ignores permissions, so another user has to try.
            command.uid(65_534);
        }
        match command.output() {
            Ok(output) => {
                let error = stderr_text(&output);
                assert_eq!(output.status.code(), Some(2), "{error}");
                assert!(error.contains("cannot create ") && error.contains(path), "{error}");
            }
            Err(why) => skip(format_args!("nobody but root can run the program here: {why}")),
        }
    }
    mode(0o755);
    assert!(contents(&folder) == before);
    // A manifest that cannot be replaced stops the work before the first file of a unit.
    let manifest = folder.file(MANIFEST);
    let set = |mode: u32| fs::set_permissions(&manifest, fs::Permissions::from_mode(mode));
    set(0o444).expect("its mode can be set");
    for arguments in [
        &["tb", "build", "--quiet", "--threads", "2", "--scope", "7-men", "--path", path] as &[&str],
        &["tb", "repack", "--level", "3", "--from", plain(from.path()), "--to", path],
    ] {
        let error = refused(arguments);
        assert!(error.contains("cannot create ") && error.contains("it is read-only"), "{error}");
        assert!(contents(&folder) == before);
    }
    // A folder that cannot be created.
    let below = folder.file("3_3_0_0.wdl").join("tables");
    let error = refused(&["tb", "repack", "--from", plain(from.path()), "--to", plain(&below)]);
    assert!(error.contains("cannot create ") && error.contains("3_3_0_0.wdl"), "{error}");
}
