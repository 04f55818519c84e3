//! `tb` as people call it: what it says, what it refuses, and what becomes of its work where it cannot write.

use crate::common;

use common::{Engine, Folder, json, millstone, plain, told};
use millstone::tablebase::Sector;
use millstone::tablebase::file::TableFile;
use millstone::tablebase::folder::file_name;
use millstone::tablebase::header::Kind;
use millstone::tablebase::manifest::MANIFEST;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

/// Tables of at most so many men, with what else is asked for.
fn tables(name: &str, men: u8, more: &[&str]) -> Folder {
    let folder = Folder::new(name);
    let scope = format!("{men}-men");
    let first =
        ["tb", "build", "--quiet", "--threads", "2", "--scope", &scope, "--path", plain(folder.path())];
    let built = millstone(&[&first, more].concat());
    assert!(built.status.success(), "{}", told(&built));
    folder
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The message of a call that has to end with status 2.
fn refused(arguments: &[&str]) -> String {
    let output = millstone(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", told(&output));
    told(&output)
}

/// Every JSON object of the output, a line each.
fn objects(output: &Output) -> Vec<Value> {
    said(output).lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

/// Turns over the bits of the last byte, which belongs to the last block.
fn spoil(path: &Path) {
    let mut bytes = fs::read(path).expect("a table");
    *bytes.last_mut().expect("bytes") ^= 0xFF;
    fs::write(path, bytes).expect("written");
}

#[test]
fn verify_lists_every_fault_and_goes_on() {
    let folder = tables("faults", 7, &[]);
    spoil(&folder.file("3_3_0_0.wdl"));
    fs::remove_file(folder.file("4_3_0_0.dist")).expect("removed");
    fs::copy(folder.file("3_4_0_0.wdl"), folder.file("5_5_0_0.wdl")).expect("copied");
    let path = plain(folder.path());

    let output = millstone(&["tb", "verify", "--path", path, "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let objects = objects(&output);
    let (verdict, sectors) = objects.split_last().expect("a verdict");
    assert_eq!(sectors.len(), 3, "each sector is told of");
    assert!(sectors.iter().all(|sector| sector["faults"].is_array()), "{sectors:?}");
    let faults: Vec<&str> =
        verdict["faults"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    // That of 4-3 is missed when 3-4 is checked as well, and told once.
    assert_eq!(faults.len(), 3, "{faults:?}");
    for (fault, named) in
        faults.iter().zip(["5_5_0_0.wdl is not in the manifest", "3_3_0_0.wdl", "4_3_0_0.dist is missing"])
    {
        assert!(fault.contains(named), "{fault}");
        assert!(told(&output).contains(fault), "on standard error as well");
    }
    assert_eq!(verdict["proved"]["sectors"], 0);

    let output = millstone(&["tb", "verify", "--path", "/nowhere", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(self::objects(&output)[0]["faults"][0].as_str().expect("a text").contains("/nowhere"));
}

#[test]
fn verify_says_what_is_proved_and_what_is_not() {
    let exact = tables("proved", 7, &[]);
    let verify = |folder: &Folder, more: &[&str]| {
        let output = millstone(&[&["tb", "verify", "--path", plain(folder.path())], more].concat());
        assert!(output.status.success(), "{}", told(&output));
        said(&output)
    };
    let verdict = |folder: &Folder, more: &[&str]| {
        verify(folder, more)
            .lines()
            .filter(|line| line.contains(" sectors, "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let [proved] = verdict(&exact, &[]).try_into().expect("one line");
    assert!(proved.starts_with("proved: 3 sectors, "), "{proved}");
    // Of each sector as many as it has slots, also where the two of a pair differ.
    let positions = |line: &Value| (line["sector"].clone(), line["positions"].as_u64());
    let json = verify(&exact, &["--json"]);
    let checked = json.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).expect("an object");
        (!line["sector"].is_null()).then(|| positions(&line))
    });
    let slots = [Sector::moving(3, 3), Sector::moving(4, 3), Sector::moving(3, 4)];
    let slots = slots.map(|sector| (sector.to_string().into(), Some(sector.slots())));
    assert_eq!(checked.collect::<Vec<(Value, _)>>(), slots);
    let [sampled] = verdict(&exact, &["--sample", "100"]).try_into().expect("one line");
    assert!(sampled.starts_with("sampled, not proved: 3 sectors, "), "{sampled}");
    // A unit apart from what it leads to stands on nothing that this run has seen.
    let [apart] = verdict(&exact, &["--only", "4-3"]).try_into().expect("one line");
    assert!(apart.starts_with("consistent, not proved: 2 sectors, "), "{apart}");

    // A placing sector is as good as what it leads to.
    let results = tables("consistent", 6, &["--distances", "none"]);
    for (folder, distances, expected) in
        [(&exact, "moving", "proved: 4 sectors"), (&results, "none", "consistent, not proved: 2 sectors")]
    {
        let path = plain(folder.path());
        let built = millstone(&[
            "tb",
            "build",
            "--quiet",
            "--distances",
            distances,
            "--only",
            "2_3_1_0",
            "--path",
            path,
        ]);
        assert!(built.status.success(), "{}", told(&built));
        let [verdict] = verdict(folder, &[]).try_into().expect("one line");
        assert!(verdict.starts_with(expected), "{verdict}");
    }
    let text = verify(&results, &[]);
    assert!(!text.contains("right") && !text.contains("\nproved"), "{text}");
}

#[test]
fn a_manifest_that_names_what_cannot_be_is_refused_with_advice() {
    let folder = tables("impossible", 6, &[]);
    let path = plain(folder.path());
    let manifest = fs::read_to_string(folder.file(MANIFEST)).expect("a manifest");
    let to = Folder::new("impossible-to");
    for text in [manifest.replace("3_3_0_0.wdl", "13_13_0_0.wdl"), "{".to_owned()] {
        folder.write(MANIFEST, &text);
        for command in [
            &["tb", "repack", "--to", plain(to.path()), "--from", path] as &[&str],
            &["tb", "stats", "--path", path],
            &["tb", "verify", "--path", path],
            &["tb", "build", "--scope", "6-men", "--path", path],
        ] {
            let error = refused(command);
            assert!(
                error.contains("manifest.json is damaged: ") && error.contains("without it, tb build"),
                "{error}"
            );
        }
    }
    // One that names nothing is no proof of anything.
    let empty = manifest.split("\"files\"").next().expect("a head").to_owned() + "\"files\": {}}";
    folder.write(MANIFEST, empty);
    assert!(refused(&["tb", "verify", "--path", path]).contains("holds no tables"));
    // As the advice says.
    fs::remove_file(folder.file(MANIFEST)).expect("removed");
    assert!(millstone(&["tb", "build", "--quiet", "--scope", "6-men", "--path", path]).status.success());
    assert_eq!(fs::read_to_string(folder.file(MANIFEST)).expect("a manifest"), manifest);
}

#[test]
fn a_table_under_the_name_of_another_stays_until_it_is_removed_as_the_message_says() {
    let folder = tables("swapped", 7, &[]);
    let path = plain(folder.path());
    let build = ["tb", "build", "--quiet", "--scope", "7-men", "--path", path];
    let table = folder.file("3_3_0_0.dist");
    let right = fs::read(&table).expect("a table");
    fs::copy(folder.file("3_4_0_0.dist"), &table).expect("copied");
    let swapped = fs::read(&table).expect("a table");
    let error = refused(&build);
    let advice = "holds what should be named 3_4_0_0.dist; tb build makes the right one once it is removed";
    assert!(error.contains("3_3_0_0.dist does not fit: ") && error.contains(advice), "{error}");
    assert_eq!(fs::read(&table).expect("a table"), swapped);
    fs::remove_file(&table).expect("removed");
    assert!(millstone(&build).status.success());
    assert_eq!(fs::read(&table).expect("a table"), right);
}

#[test]
fn repack_redoes_files_of_another_packing_and_keeps_the_others() {
    let from = tables("levels", 8, &[]);
    let to = Folder::new("levels-to");
    let sector = Sector::moving(4, 4);
    let header = || TableFile::open(&to.file(file_name(sector, Kind::Distance))).expect("a table").header;
    let repack = |more: &[&str]| {
        let first = ["tb", "repack", "--from", plain(from.path()), "--to", plain(to.path())];
        millstone(&[&first, more].concat())
    };
    assert!(repack(&["--level", "3"]).status.success());
    assert_eq!(header().level, 3);
    let written = || fs::metadata(to.file("4_4_0_0.dist")).and_then(|data| data.modified()).expect("a time");
    let before = written();
    assert!(repack(&["--level", "3"]).status.success());
    assert_eq!(written(), before, "the same again is left alone");
    assert!(repack(&["--level", "9"]).status.success());
    assert_eq!(header().level, 9);
    assert!(repack(&["--level", "9", "--block", "1000"]).status.success());
    assert_eq!(header().block_slots, 1000);
    let verified = millstone(&["tb", "verify", "--path", plain(to.path())]);
    assert!(verified.status.success(), "{}", told(&verified));

    // Nothing is begun that some file would refuse: 4-4 is large enough for a model.
    let other = Folder::new("levels-other");
    let error = refused(&[
        "tb",
        "repack",
        "--block",
        "1000",
        "--from",
        plain(from.path()),
        "--to",
        plain(other.path()),
    ]);
    assert!(error.contains("4_4_0_0.wdl: blocks of 1000 slots, expected a multiple of 1024"), "{error}");
    assert!(other.names().is_empty(), "{:?}", other.names());
    let same = from.file("../").join(from.path().file_name().expect("a name"));
    let error = refused(&["tb", "repack", "--from", plain(from.path()), "--to", plain(&same)]);
    assert!(error.contains("same folder"), "{error}");
}

/// White can close a mill on d6 and wins.
const THREE_AGAINST_THREE: &str = "O*O*****/*@******/O**@*@** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
/// White can close a mill on d6, after which three men stand against three.
const THREE_AGAINST_FOUR: &str = "O*O*****/*@******/O**@*@@* w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";

#[test]
fn probe_shows_every_move_and_knows_no_counters() {
    let folder = tables("every-move", 7, &[]);
    let path = plain(folder.path());
    let probe = |fen: &str, more: &[&str]| {
        let output = millstone(&[&["tb", "probe", fen, "--path", path], more].concat());
        assert!(output.status.success(), "{}", told(&output));
        output
    };
    let whole = said(&probe(THREE_AGAINST_FOUR, &[]));
    assert!(!whole.contains('?'), "{whole}");
    // A move that draws the live game by the counter has the value that it has in the tables.
    let late = THREE_AGAINST_FOUR.replace(" 0 0 20 ids", " 0 99 20 ids");
    assert_eq!(said(&probe(&late, &[])), whole);

    for kind in [Kind::Wdl, Kind::Distance] {
        fs::remove_file(folder.file(file_name(Sector::moving(3, 3), kind))).expect("removed");
    }
    let part = said(&probe(THREE_AGAINST_FOUR, &[]));
    assert_eq!(part.lines().count(), whole.lines().count());
    let unknown: Vec<&str> = part.lines().filter(|line| line.ends_with(" ?")).collect();
    assert_eq!(unknown, ["e4-d6    ?"], "{part}");
    assert!(part.ends_with(" ?\n"), "{part}");
    let report = json(&probe(THREE_AGAINST_FOUR, &["--json"]));
    let moves = report["moves"].as_array().expect("a list");
    assert_eq!(moves.len() + 1, part.lines().count());
    assert!(moves.iter().all(|entry| entry["value"].is_null() == (entry["move"] == "e4-d6")), "{moves:?}");
}

#[test]
fn a_line_that_is_missing_says_why() {
    let folder = tables("no-line", 6, &["--distances", "none"]);
    let line = |more: &[&str]| {
        let output =
            millstone(&[&["tb", "line", THREE_AGAINST_THREE, "--path", plain(folder.path())], more].concat());
        assert!(output.status.success(), "{}", told(&output));
        output
    };
    assert!(
        said(&line(&[])).contains("\nno line: the result is stored, but no distance"),
        "{}",
        said(&line(&[]))
    );
    assert!(json(&line(&["--json"]))["note"].as_str().expect("a note").contains("no distance"));
}

#[test]
fn lines_that_are_no_text_are_answered_in_the_same_form() {
    let folder = tables("rubbish", 6, &[]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(["tb", "probe", "--stdin", "--path", plain(folder.path())])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = Vec::new();
    for line in [b"\xFF\xFE\tno\rtext\x00" as &[u8], b"a\tb\tc", THREE_AGAINST_THREE.as_bytes()] {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    child.stdin.take().expect("a pipe").write_all(&input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<Vec<&str>> = text.split_terminator('\n').map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|fields| fields.len() == 3), "{lines:?}");
    assert_eq!((lines[0][1], lines[1][0], lines[1][1]), ("?", "a b c", "?"));
    assert_eq!((lines[2][0], lines[2][1]), (THREE_AGAINST_THREE, "W"));
}

#[test]
fn a_line_is_answered_before_the_next_is_sent() {
    let mut engine = Engine::start_with(&["tb", "probe", "--stdin", "--embedded"]);
    for _ in 0..3 {
        engine.send(THREE_AGAINST_THREE);
        assert!(engine.read().starts_with(&format!("{THREE_AGAINST_THREE}\tW\t")));
    }
    assert!(engine.close().0.success());
}

#[test]
fn lines_are_answered_as_json_with_what_a_single_probe_says() {
    let mut engine = Engine::start_with(&["tb", "probe", "--stdin", "--json", "--embedded"]);
    let mut ask = |line: &[u8]| -> Value {
        engine.send_bytes(&[line, b"\n"].concat());
        serde_json::from_str(&engine.read()).expect("an object a line")
    };
    for fen in [THREE_AGAINST_THREE, THREE_AGAINST_FOUR] {
        let single = json(&millstone(&["tb", "probe", fen, "--json", "--embedded"]));
        assert!(single["moves"].as_array().is_some_and(|moves| !moves.is_empty()), "{single}");
        assert_eq!(ask(fen.as_bytes()), single);
    }
    let over = THREE_AGAINST_THREE.replace(" w m s 3 0 3 ", " w m s 3 0 2 ").replacen('@', "*", 1);
    let answer = ask(over.as_bytes());
    assert_eq!(answer["fen"], over.as_str());
    assert_eq!(answer["reason"], "the game is over: loseFewerThanThree");
    assert_eq!(answer.as_object().expect("an object").len(), 2);
    let rubbish = ask(b"\xFF\tno\"text\x00");
    assert_eq!(rubbish["fen"], "\u{FFFD}\tno\"text\0");
    assert!(rubbish["reason"].as_str().is_some_and(|why| !why.is_empty()), "{rubbish}");
    assert!(engine.close().0.success());
}

#[test]
fn make_gets_the_folder_of_a_plan_back_whatever_its_name() {
    if Command::new("make").arg("--version").output().is_err() {
        eprintln!("SKIPPED: there is no make");
        return;
    }
    let folder = Folder::new("plan");
    for name in [
        "tables",
        "two  words",
        "$HOME and $(x) for $$1",
        "a#b",
        r"a\#b\\#c",
        "it's \"so\"",
        r"a\b\",
        " first, last",
        "`ls`; ls & *",
    ] {
        let plan = millstone(&["tb", "plan", "--scope", "7-men", "--path", name]);
        assert!(plan.status.success(), "{}", told(&plan));
        let file = folder.write("tables.mk", &plan.stdout);
        let made = Command::new("make")
            .args(["-s", "-f", plain(&file), "TB=printf '<%s>\\n'", "4-3"])
            .env_remove("DIR")
            .output()
            .expect("make runs");
        assert!(made.status.success(), "{name}: {}", told(&made));
        let text = said(&made);
        let calls: Vec<&str> = text.split("<--path>\n").skip(1).collect();
        let expected = ["3-3", "4-3"].map(|unit| format!("<{name}>\n<--only>\n<{unit}>\n"));
        assert_eq!(calls, expected);
    }
    // As its first lines say, the distances of all units can be asked for.
    let plan = millstone(&["tb", "plan", "--scope", "6-men", "--path", plain(&folder.file("exact"))]);
    let file = folder.write("exact.mk", &plan.stdout);
    let text = said(&plan);
    let advice = text.lines().find_map(|line| line.strip_prefix("#   make -f FILE -j N ")).expect("advice");
    let advice = advice.strip_prefix("TB='millstone ").and_then(|call| call.strip_suffix('\''));
    let call = advice.expect("a call").replace(" all", " none");
    let made = Command::new("make")
        .args(["-s", "-f", plain(&file), &format!("TB='{}' {call}", env!("CARGO_BIN_EXE_millstone"))])
        .output()
        .expect("make runs");
    assert!(made.status.success(), "{}", told(&made));
    assert_eq!(fs::read_dir(folder.file("exact")).expect("tables").count(), 3, "no distances");
    let format = millstone(&["tb", "plan", "--format", "json"]);
    assert_eq!(json(&format), json(&millstone(&["tb", "plan", "--json"])));
    assert!(refused(&["tb", "plan", "--json", "--format", "make"]).contains("cannot be used with"));
}

#[test]
fn a_sample_of_nothing_is_refused() {
    let error = refused(&["tb", "verify", "--sample", "0"]);
    assert!(error.contains("--sample") && error.contains("0 is not in 1.."), "{error}");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tables("missing", 6, &["--distances", "none"]);
    let path = plain(folder.path());
    let error = refused(&["tb", "build", "--only", "4-3", "--path", path]);
    assert!(error.contains("3_3_0_0.dist is missing"), "{error}");
    let error =
        refused(&["tb", "build", "--scope", "6-men", "--rules", "nine,PiecesAtLeastCount=4", "--path", path]);
    assert!(error.contains("scope 6-men holds nothing") && error.contains("at least 8-men"), "{error}");
    let error = refused(&["tb", "verify", "--path", "/nowhere"]);
    assert!(error.contains("/nowhere holds no tables: there is no such folder"), "{error}");
    let again = millstone(&["tb", "build", "--scope", "6-men", "--distances", "none", "--path", path]);
    assert!(
        again.status.success() && told(&again).contains("nothing to build: all 1 units"),
        "{}",
        told(&again)
    );
}

/// As [`millstone`], but not for longer than people wait.
#[cfg(unix)]
fn soon(arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_millstone"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let begin = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if begin.elapsed() > Duration::from_secs(30) {
            child.kill().expect("killed");
            panic!("{arguments:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
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
    let folder = tables("pipes", 6, &[]);
    let to = Folder::new("pipes-to");
    let path = plain(folder.path());
    let commands: [&[&str]; 4] = [
        &["tb", "stats", "--path", path],
        &["tb", "verify", "--path", path],
        &["tb", "build", "--quiet", "--scope", "6-men", "--path", path],
        &["tb", "repack", "--to", plain(to.path()), "--from", path],
    ];
    let names = |output: &Output, name: &str| {
        let told = told(output);
        assert!(told.contains(&format!("{name}: it is not a regular file")), "{told}");
    };
    let refuses = |command: &[&str], name: &str| {
        let output = soon(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {}", told(&output));
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

    // Those who use tables do without; those who make or check them end.
    let table = folder.file("3_3_0_0.dist");
    let kept = fs::read(&table).expect("a table");
    put_pipe(&table);
    let output = soon(&["tb", "probe", THREE_AGAINST_THREE, "--path", path]);
    assert!(output.status.success() && said(&output).starts_with("W\n"), "{}", said(&output));
    names(&output, "3_3_0_0.dist");
    commands[1..].iter().for_each(|command| refuses(command, "3_3_0_0.dist"));
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
    // A leftover, if it were a file.
    put_pipe(&folder.file("3_3_0_0.wdl.1-abcdefghijklmnop.tmp"));
    fs::remove_file(folder.file("manifest.lock")).expect("removed");
    assert!(soon(commands[2]).status.success());

    let malom = Folder::new("pipes-malom");
    let options = [
        ("TablebaseEmbedded", "false"),
        ("PerfectDatabasePath", plain(malom.path())),
        ("UsePerfectDatabase", "true"),
    ];
    put_pipe(&malom.file("std.secval"));
    sets(&options, "std.secval");
    fs::remove_file(malom.file("std.secval")).expect("removed");
    malom.write("std.secval", "virt_loss_val: -299\nvirt_win_val: 299\n1\n3 3 0 0 0\n");
    put_pipe(&malom.file("std_3_3_0_0.sec2"));
    let mut engine = Engine::start();
    for (option, value) in options {
        assert_eq!(engine.ask(&format!("setoption name {option} value {value}")), [""; 0]);
    }
    engine.send(&format!("position fen {THREE_AGAINST_THREE}"));
    let lines = engine.go("nodes 1000");
    let notes: Vec<_> = lines.iter().filter(|line| line.contains("not a regular file")).collect();
    assert!(notes.len() == 1 && notes[0].contains("std_3_3_0_0.sec2"), "{lines:#?}");
    assert!(engine.quit().success());

    let resume = to.file("resume");
    put_pipe(&resume);
    refuses(&["accuracy", "--sample", "1", "--nodes", "1", "--resume", plain(&resume)], "resume");
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
    // More than a pipe holds, so that the answers do not just wait in one. It need not be read to its end.
    let _ = child.stdin.take().expect("a pipe").write_all("rubbish\n".repeat(20_000).as_bytes());
    child.wait_with_output().expect("it ends")
}

#[test]
fn nobody_who_reads_is_no_failure() {
    let (folder, to) = (tables("closed", 7, &[]), Folder::new("closed-to"));
    for arguments in talkative(plain(folder.path()), plain(to.path())) {
        let output = run(&arguments, Stdio::piped(), true);
        assert!(output.status.success() && told(&output).is_empty(), "{arguments:?}: {}", told(&output));
    }
}

#[test]
fn a_build_goes_on_when_nobody_reads_its_progress() {
    let (folder, whole) = (Folder::new("unheard"), tables("heard", 7, &[]));
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
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    };
    let (folder, to) = (tables("full", 7, &[]), Folder::new("full-to"));
    for arguments in talkative(plain(folder.path()), plain(to.path())) {
        let output = run(&arguments, full.try_clone().expect("one more").into(), false);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = told(&output);
        assert!(error.contains("standard output: ") && error.lines().count() == 1, "{arguments:?}: {error}");
    }
}

/// The files of a folder with what is in them.
#[cfg(unix)]
fn contents(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    folder
        .names()
        .into_iter()
        .map(|name| (name.clone(), fs::read(folder.file(name)).expect("a file")))
        .collect()
}

/// Limits the size of files, which fails in the same place as a full disk does: in the middle of writing.
#[cfg(unix)]
#[test]
fn a_full_disk_stops_the_work_and_leaves_what_is_there() {
    // 45 or 90 KiB, depending on the shell: less than the distances of 3-4 in any case.
    let full = |arguments: &[&str]| {
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 90; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_millstone")])
            .args(arguments)
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        let error = told(&output);
        assert!(error.contains("cannot write ") && error.contains("_0_0."), "{error}");
    };
    let whole = tables("space", 7, &[]);
    let folder = Folder::new("no-space");
    let path = plain(folder.path());
    let build = ["tb", "build", "--quiet", "--threads", "2", "--scope", "7-men", "--path", path];
    // What was finished before stays; the unit in the middle of which the disk was full leaves no half a file.
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
    assert!(!told(&verified).contains("damaged"), "{}", told(&verified));
    assert!(contents(&folder) == contents(&whole), "what is read stays");
}

#[cfg(unix)]
#[test]
fn a_folder_that_must_not_be_written_to_is_left_alone() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let folder = tables("read-only", 6, &[]);
    let from = tables("read-only-from", 7, &[]);
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
            // Modes do not hold for root: some other user has to try.
            command.uid(65_534);
        }
        match command.output() {
            Ok(output) => {
                let error = told(&output);
                assert_eq!(output.status.code(), Some(2), "{error}");
                assert!(error.contains("cannot create ") && error.contains(path), "{error}");
            }
            Err(why) => eprintln!("SKIPPED: nobody but root can run the program here: {why}"),
        }
    }
    mode(0o755);
    assert!(contents(&folder) == before);
    // A folder that cannot be made.
    let below = folder.file("3_3_0_0.wdl").join("tables");
    let error = refused(&["tb", "repack", "--from", plain(from.path()), "--to", plain(&below)]);
    assert!(error.contains("cannot create ") && error.contains("3_3_0_0.wdl"), "{error}");
}
