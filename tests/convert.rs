//! `convert` in scripts: messages about a broken record, the output of the other games, and the exit code.

use crate::common;

use common::{Folder, millstone, plain, skip, stderr_text};
use std::fs;

/// Three games. The second one places a man on an occupied point.
const RECORD: &str = "[Event \"one\"]\n\n1. d6 f4 2. d2 b4 *\n\n[Event \"two\"]\n\n1. d6 f4\n2. d6 b4 *\n\n\
                      [Event \"three\"]\n\n1. a1 g7 *\n";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_broken_game_is_named_the_others_are_written_and_the_status_is_two() {
    let folder = Folder::new("convert broken");
    let record = folder.write("games.pgn", RECORD);
    let sound = folder.write("more.txt", "b4 f4\n");
    let run = millstone(&["convert", plain(&record), plain(&sound), "--to", "tokens"]);
    assert_eq!(run.status.code(), Some(2));
    assert_eq!(text(&run.stdout), "d6 f4 d2 b4\na1 g7\nb4 f4\n");
    let errors = stderr_text(&run);
    let first = errors.lines().next().unwrap_or_default();
    let reason = "8: game 2: illegal move 'd6', expected one of d5 ";
    assert!(first.starts_with(&format!("error: {}:{reason}", plain(&record))), "{errors}");
    assert!(errors.contains("3 games written, 1 broken"), "{errors}");

    let kept = millstone(&["convert", plain(&record), "--to", "tokens", "--keep-partial"]);
    assert_eq!(kept.status.code(), Some(2));
    assert_eq!(text(&kept.stdout), "d6 f4 d2 b4\nd6 f4\na1 g7\n");

    let output = folder.file("out.txt");
    let run = millstone(&["convert", plain(&record), "--to", "tokens", "--json", "--output", plain(&output)]);
    assert_eq!(run.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&output).expect("it was written"), "d6 f4 d2 b4\na1 g7\n");
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(json["written"], 2);
    let [broken] = json["broken"].as_array().expect("a list").as_slice() else { panic!("{json}") };
    assert_eq!((&broken["file"], &broken["line"]), (&plain(&record).into(), &8.into()));
    assert_eq!((&broken["game"], &broken["token"]), (&2.into(), &"d6".into()));
    assert!(broken["reason"].as_str().is_some_and(|why| why.starts_with("illegal move")), "{json}");

    let run = millstone(&["convert", plain(&sound), "--to", "tokens"]);
    assert_eq!((run.status.code(), text(&run.stdout).as_str()), (Some(0), "b4 f4\n"));
}

#[test]
fn names_of_both_encodings_are_written_as_utf8() {
    let folder = Folder::new("convert encodings");
    let record = folder.file("games.pgn");
    let bytes =
        [&b"[White \"M\xFCller\"]\n[Black \""[..], "Łukasz\"]\n\n1. d6 {sch\u{f6}n} f4 *\n".as_bytes()]
            .concat();
    fs::write(&record, bytes).expect("written");
    let run = millstone(&["convert", plain(&record)]);
    assert_eq!((run.status.code(), stderr_text(&run).contains("error")), (Some(0), false));
    let written = String::from_utf8(run.stdout).expect("UTF-8");
    for name in ["[White \"Müller\"]", "[Black \"Łukasz\"]", "{schön}"] {
        assert!(written.contains(name), "{written}");
    }
}

#[test]
fn input_that_cannot_be_read_writes_nothing() {
    let folder = Folder::new("convert unreadable");
    let record = folder.write("games.pgn", RECORD);
    let old = folder.write("old.pgn", "what stood there before");
    let missing = folder.file("missing.pgn");
    for input in [missing.as_path(), folder.path()] {
        let run = millstone(&["convert", plain(&record), plain(input), "--output", plain(&old)]);
        assert_eq!(run.status.code(), Some(2));
        let last = stderr_text(&run).lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with(&format!("millstone: {}: ", plain(input))), "{last}");
        assert_eq!(fs::read_to_string(&old).expect("it is there"), "what stood there before");
    }
    assert_eq!(folder.names(), ["games.pgn", "old.pgn"]);
}

#[test]
fn output_that_cannot_be_written_damages_nothing() {
    let folder = Folder::new("convert unwritable");
    let record = folder.write("games.txt", "d6 f4\n");
    let refused = |output: &std::path::Path| {
        let run = millstone(&["convert", plain(&record), "--output", plain(output)]);
        assert_eq!(run.status.code(), Some(2), "{}", stderr_text(&run));
        assert!(run.stdout.is_empty());
        assert!(
            stderr_text(&run).contains(&format!("millstone: {}: ", plain(output))),
            "{}",
            stderr_text(&run)
        );
    };
    refused(&folder.file("missing").join("out.pgn"));
    refused(&record.join("out.pgn"));
    // The output is a folder, so only the final rename fails, and the temporary file has to be removed.
    let taken = folder.file("taken");
    fs::create_dir(&taken).expect("a folder");
    refused(&taken);
    assert_eq!(folder.names(), ["games.txt", "taken"]);
    assert_eq!(fs::read_to_string(&record).expect("it is there"), "d6 f4\n");
}

/// A device must not be replaced by a file: with write permission on `/dev` that would destroy `/dev/null`.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt as _;

    let folder = Folder::new("convert special");
    let (record, socket) = (folder.write("games.txt", "d6 f4\n"), folder.file("socket"));
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let run = millstone(&["convert", plain(&record), "--output", plain(&socket)]);
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr_text(&run).contains("socket: it is not a regular file"), "{}", stderr_text(&run));
    assert!(fs::metadata(&socket).expect("it is there").file_type().is_socket());
    assert_eq!(folder.names(), ["games.txt", "socket"]);
}

#[cfg(unix)]
#[test]
fn a_folder_without_write_permission_stays_as_it_is() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::new("convert read only");
    let record = folder.write("games.txt", "d6 f4\n");
    let locked = folder.file("locked");
    fs::create_dir(&locked).expect("a folder");
    let old = locked.join("old.pgn");
    fs::write(&old, "what stood there before").expect("a file");
    let allow = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).expect("own folder");
    allow(0o555);
    let is_root = fs::write(locked.join("probe"), "").is_ok();
    if is_root {
        skip("this user may write to every folder");
    } else {
        for name in ["old.pgn", "new.pgn"] {
            let output = locked.join(name);
            let run = millstone(&["convert", plain(&record), "--output", plain(&output)]);
            assert_eq!(run.status.code(), Some(2), "{}", stderr_text(&run));
            assert!(
                stderr_text(&run).contains(&format!("millstone: {}: ", plain(&output))),
                "{}",
                stderr_text(&run)
            );
        }
        assert_eq!(fs::read_dir(&locked).expect("it can be read").count(), 1);
        assert_eq!(fs::read_to_string(&old).expect("it is there"), "what stood there before");
    }
    allow(0o755);
}

#[test]
fn nothing_is_written_if_no_game_can_be_read() {
    let folder = Folder::new("convert nothing");
    let old = folder.write("old.pgn", "what stood there before");
    for (name, text) in [("broken.pgn", "1. d6 d6 *\n"), ("empty.pgn", ""), ("binary", "\0\u{1}\0\n")] {
        let record = folder.write(name, text);
        for command in ["convert", "annotate"] {
            let run = millstone(&[command, plain(&record), "--output", plain(&old)]);
            assert_eq!(run.status.code(), Some(2), "{command} {name}");
            assert!(stderr_text(&run).contains("no game could be read: nothing is written"));
            assert_eq!(fs::read_to_string(&old).expect("it is there"), "what stood there before");
        }
        let page = folder.file("page.html");
        let run = millstone(&["annotate", plain(&record), "--html", plain(&page)]);
        assert_eq!((run.status.code(), page.exists()), (Some(2), false), "{name}");
    }
    let broken = folder.file("broken.pgn");
    let run = millstone(&["convert", plain(&broken), "--json", "--output", plain(&old)]);
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!((&json["written"], json["broken"].as_array().map(Vec::len)), (&0.into(), Some(1)));
}

#[test]
fn broken_games_are_not_lost_in_place() {
    let folder = Folder::new("convert in place");
    let other = folder.write("other.txt", "b4 f4\n");
    let record = folder.write("games.pgn", RECORD);
    let read = || fs::read_to_string(&record).expect("it is there");
    let indirect =
        folder.path().join("..").join(folder.path().file_name().expect("a name")).join("games.pgn");
    for output in [&record, &indirect] {
        for words in [
            &["convert", plain(&record), "--output", plain(output)][..],
            &["convert", plain(&other), plain(&record), "--output", plain(output), "--keep-partial"],
            &["annotate", plain(&record), "--output", plain(output), "--nodes", "1"],
            &["annotate", plain(&record), "--html", plain(output), "--nodes", "1"],
        ] {
            let run = millstone(words);
            assert_eq!(run.status.code(), Some(2), "{words:?}");
            assert_eq!(read(), RECORD, "{words:?}");
        }
    }
    let run = millstone(&["convert", plain(&record), "--output", plain(&record)]);
    assert!(
        stderr_text(&run).contains("games.pgn: found 1 broken game, which the output would not have whole")
    );
    #[cfg(unix)]
    {
        let link = folder.file("link.pgn");
        std::os::unix::fs::symlink(&record, &link).expect("a link");
        assert_eq!(millstone(&["convert", plain(&record), "--output", plain(&link)]).status.code(), Some(2));
        assert_eq!(read(), RECORD);
    }
    // Standard input is the same file.
    #[cfg(unix)]
    {
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_millstone"))
            .args(["convert", "-", "--output", plain(&record)])
            .stdin(fs::File::open(&record).expect("the record"))
            .output()
            .expect("it runs");
        assert_eq!(run.status.code(), Some(2));
        assert!(stderr_text(&run).contains("1 broken game,"), "{}", stderr_text(&run));
        assert_eq!(read(), RECORD);
    }
    // Sound games may replace their file; broken ones need another file.
    let run = millstone(&["convert", plain(&other), "--to", "tokens", "--output", plain(&other)]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr_text(&run));
    let new = folder.file("new.pgn");
    millstone(&["convert", plain(&record), "--output", plain(&new)]);
    assert!(new.exists());
    let run = millstone(&["convert", plain(&record), "--output", plain(&record), "--force"]);
    assert_eq!(run.status.code(), Some(2), "one game is broken");
    assert!(read().contains("three") && !read().contains("\"two\""), "{}", read());
    fs::write(&record, RECORD).expect("written");
    millstone(&["annotate", plain(&record), "--output", plain(&record), "--force", "--nodes", "1"]);
    assert!(read().contains("Annotator") && !read().contains("\"two\""), "{}", read());
}

#[test]
fn rules_that_a_list_of_moves_does_not_name_are_told() {
    let folder = Folder::new("convert rules");
    let output = folder.file("out.txt");
    let run = |record: &str, more: &[&str]| {
        let record = folder.write("games.pgn", record);
        let words = ["convert", plain(&record), "--to", "tokens"];
        let run = millstone(&[&words[..], more].concat());
        (run.status.code(), stderr_text(&run))
    };
    let (nine, lasker) = ("1. d6 f4 *\n\n", "[Variant \"lasker\"]\n\n1. d6 f4 2. d6-d5 *\n");
    let elsewhere = ["--output", plain(&output)];
    let (status, notes) = run(nine, &elsewhere);
    assert_eq!((status, notes.contains("note")), (Some(0), false), "{notes}");
    let (status, notes) = run(lasker, &elsewhere);
    assert!(status == Some(0) && notes.contains("read these with --rules lasker"), "{notes}");
    let (status, notes) = run(lasker, &["--output", plain(&output), "--rules", "lasker"]);
    assert_eq!((status, notes.contains("note")), (Some(0), false), "{notes}");
    let mixed = format!("{nine}{lasker}");
    let (status, notes) = run(&mixed, &elsewhere);
    assert!(status == Some(0) && notes.contains("these games have nine and lasker"), "{notes}");
    let record = folder.file("games.pgn");
    let in_place = ["--output", plain(&record), "--force"];
    let (status, why) = run(&mixed, &in_place[..2]);
    assert!(status == Some(2) && why.contains("found inputs with games of nine and lasker"), "{why}");
    assert_eq!(fs::read_to_string(&record).expect("it is there"), mixed);
    assert_eq!(run(&mixed, &in_place).0, Some(0));
    assert_eq!(fs::read_to_string(&record).expect("it was written"), "d6 f4\nd6 f4 d6-d5\n");
}
