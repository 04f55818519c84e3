//! `tb probe`, `line`, `plan` and samples: their output, and the input they refuse.

use super::{THREE_AGAINST_FOUR, THREE_AGAINST_THREE, refused, said, tablebase_files};
use crate::common::{Engine, Folder, json, millstone, plain, skip, stderr_text};
use millstone::internals::folder::file_name;
use millstone::internals::header::TbKind;
use millstone::tablebase::Sector;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn probe_shows_every_move_and_knows_no_counters() {
    let folder = tablebase_files("every-move", 7, &[]);
    let path = plain(folder.path());
    let probe = |fen: &str, more: &[&str]| {
        let output = millstone(&[&["tb", "probe", fen, "--path", path], more].concat());
        assert!(output.status.success(), "{}", stderr_text(&output));
        output
    };
    let whole = said(&probe(THREE_AGAINST_FOUR, &[]));
    assert!(!whole.contains('?'), "{whole}");
    // A move that draws the live game by the counter has its tablebase value.
    let late = THREE_AGAINST_FOUR.replace(" 0 0 20 ids", " 0 99 20 ids");
    assert_eq!(said(&probe(&late, &[])), whole);

    for kind in [TbKind::Wdl, TbKind::Distance] {
        fs::remove_file(folder.file(file_name(Sector::moving(3, 3), kind))).expect("removed");
    }
    let part = said(&probe(THREE_AGAINST_FOUR, &[]));
    assert_eq!(part.lines().count(), whole.lines().count());
    let unknown: Vec<&str> = part.lines().filter(|line| line.ends_with(" ?")).collect();
    assert_eq!(unknown, ["e4-d6    ?"], "{part}");
    assert!(part.ends_with(" ?\n"), "{part}");
    let start = json(&millstone(&["tb", "probe", "startpos", "--embedded", "--json"]));
    assert_eq!(start["fen"], "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
    let report = json(&probe(THREE_AGAINST_FOUR, &["--json"]));
    let moves = report["moves"].as_array().expect("a list");
    assert_eq!(moves.len() + 1, part.lines().count());
    assert!(moves.iter().all(|entry| entry["value"].is_null() == (entry["move"] == "e4-d6")), "{moves:?}");
}

#[test]
fn a_line_that_is_missing_says_why() {
    let folder = tablebase_files("no-line", 6, &["--distances", "none"]);
    // A win in seven plies: one that comes at once would have its distance from the turns.
    let distant = "**@*@O**/****O*@*/*******O w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
    let line = |more: &[&str]| {
        let output = millstone(&[&["tb", "line", distant, "--path", plain(folder.path())], more].concat());
        assert!(output.status.success(), "{}", stderr_text(&output));
        output
    };
    assert!(
        said(&line(&[])).contains("\nno line: the result is stored, but no distance"),
        "{}",
        said(&line(&[]))
    );
    assert!(json(&line(&["--json"]))["note"].as_str().expect("a note").contains("no distance"));

    // The first move may be one whose value is unknown.
    let folder = tablebase_files("no-line-part", 7, &[]);
    for kind in [TbKind::Wdl, TbKind::Distance] {
        fs::remove_file(folder.file(file_name(Sector::moving(3, 3), kind))).expect("removed");
    }
    let won = "********/@*****@*/O*@*@*OO w m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let line = json(&millstone(&["tb", "line", won, "--path", plain(folder.path()), "--json"]));
    assert_eq!(line["note"], "no line: the distances of some moves are not stored");
    assert!(line["moves"].as_array().is_some_and(Vec::is_empty), "{line}");
    assert!(line["plies"].is_u64() && line["plies_to_next_removal"].is_null(), "{line}");
}

#[test]
fn a_distance_that_only_the_turns_have_is_told() {
    // With men in hand only the results are stored. Built in, they are those of six men against three.
    let folder = tablebase_files("last-man", 7, &[]);
    let path = plain(folder.path());
    assert!(millstone(&["tb", "build", "--quiet", "--only", "3_3_1_0", "--path", path]).status.success());
    let last_man = ["--path", path];
    for (fen, value, plies, tables) in [
        ("O****OO*/OO@****O/***@@*** w m s 6 0 3 0 0 0 -1 -1 -1 -1 0 3 36 ids:nodes", "W", 1, &[][..]),
        ("OOOO**@*/*@***@**/*O*O**** w m s 6 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes", "W", 3, &[]),
        ("**@***@*/*O***OO*/*******@ b p p 3 0 3 1 0 0 -1 -1 -1 -1 0 0 20 ids:nodes", "L", 28, &last_man),
    ] {
        let told = |command: &str| json(&millstone(&[&["tb", command, fen, "--json"], tables].concat()));
        let report = told("probe");
        assert!(report["value"] == value && report["plies"] == plies, "{report}");
        assert_eq!(report["plies"], report["moves"][0]["plies"], "{fen}");
        let line = told("line");
        assert!(line["plies"] == plies && line["note"].is_null(), "{line}");
    }
}

#[test]
fn a_turn_that_is_left_out_is_a_ply_of_the_line() {
    let folder = Folder::new("left-out");
    let path = plain(folder.path());
    for unit in ["3-3", "4-3", "2_3_1_0"] {
        let rules = ["tb", "build", "--rules", "nerenchi", "--distances", "all", "--quiet"];
        let built = millstone(&[&rules[..], &["--path", path, "--only", unit]].concat());
        assert!(built.status.success(), "{}", stderr_text(&built));
    }
    // Black places its last man and opens the moving phase; White would have moved between.
    let fen = "****@***/@*O****O/*****O** b p p 3 0 2 1 0 0 -1 -1 -1 -1 0 0 11 ids:nodes";
    let line = millstone(&["tb", "line", "--rules", "nerenchi", "--path", path, "--json", fen]);
    let line = json(&line);
    assert_eq!((&line["plies"], &line["plies_to_next_removal"]), (&3.into(), &3.into()), "{line}");
    assert_eq!(line["moves"].as_array().map(Vec::len), Some(3), "{line}");
    assert!(line["note"].is_null(), "{line}");
}

#[test]
fn a_position_in_which_nothing_can_be_played_has_no_value() {
    let fen = THREE_AGAINST_THREE.replace(" m s ", " p p ");
    let error = refused(&["tb", "probe", "--embedded", &fen]);
    assert!(error.contains("nothing can be played in it"), "{error}");
}

#[test]
fn lines_that_are_no_text_are_answered_in_the_same_form() {
    let folder = tablebase_files("rubbish", 6, &[]);
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
    assert_eq!(output.status.code(), Some(2), "two lines are no positions");
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<Vec<&str>> = text.split_terminator('\n').map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().all(|fields| fields.len() == 3), "{lines:?}");
    assert_eq!((lines[0][1], lines[1][0], lines[1][1]), ("?", "a b c", "?"));
    assert_eq!((lines[2][0], lines[2][1]), (THREE_AGAINST_THREE, "W"));
}

#[test]
fn a_line_that_is_too_long_is_refused_whatever_begins_it() {
    let blanks = " ".repeat(70_000);
    let long = [format!("{THREE_AGAINST_THREE}{blanks} b"), format!("{blanks}{THREE_AGAINST_THREE}")];
    let why = "found a line of more than 65536 bytes, expected a position text";
    let mut engine = Engine::start_with(&["tb", "probe", "--stdin", "--embedded"]);
    for line in &long {
        engine.send(line);
        let answer = engine.read();
        assert!(answer.ends_with(&format!("\t?\t{why}")), "{answer}");
    }
    assert_eq!(engine.close().0.code(), Some(2));
    let mut engine = Engine::start_with(&["tb", "probe", "--stdin", "--json", "--embedded"]);
    for line in &long {
        engine.send(line);
        let answer: Value = serde_json::from_str(&engine.read()).expect("an object a line");
        assert_eq!(answer["reason"], why);
    }
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
    assert_eq!(engine.close().0.code(), Some(2));
}

#[test]
fn make_gets_the_folder_of_a_plan_back_whatever_its_name() {
    if Command::new("make").arg("--version").output().is_err() {
        skip("there is no make");
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
        "-x",
    ] {
        let plan = millstone(&["tb", "plan", "--scope", "7-men", &format!("--path={name}")]);
        assert!(plan.status.success(), "{}", stderr_text(&plan));
        let file = folder.write("tables.mk", &plan.stdout);
        let made = Command::new("make")
            .args(["-s", "-f", plain(&file), "TB=printf '<%s>\\n'", "4-3"])
            // Variables of the environment are not those of the plan.
            .env("DIR", "/nowhere")
            .output()
            .expect("make runs");
        assert!(made.status.success(), "{name}: {}", stderr_text(&made));
        let text = said(&made);
        let calls: Vec<&str> = text.split("<--path=").skip(1).collect();
        let expected = ["3-3", "4-3"].map(|unit| format!("{name}>\n<--only>\n<{unit}>\n"));
        assert_eq!(calls, expected);
    }
    // As its first lines say, every unit can be built with other flags, and so much memory is enough.
    for (rules, most) in [("nine", 4300), ("mul-mulan", 5300)] {
        let text = said(&millstone(&["tb", "plan", "--scope", "all", "--rules", rules]));
        assert!(text.contains(&format!("--memory {most}'\n")), "{rules}");
        let plan = json(&millstone(&["tb", "plan", "--scope", "all", "--rules", rules, "--json"]));
        let units = plan.as_array().expect("units").iter();
        let needed = units.map(|unit| unit["memory"].as_u64().expect("bytes")).max().expect("a unit");
        assert!(needed <= most << 20 && needed > (most - 100) << 20, "{rules}: {needed}");
    }
    let exact = folder.file("exact");
    let plan = ["tb", "plan", "--scope", "6-men", "--path", plain(&exact), "--distances", "none"];
    let plan = millstone(&plan);
    let file = folder.write("exact.mk", &plan.stdout);
    let text = said(&plan);
    let advice = text.lines().find_map(|line| line.strip_prefix("#   make -f FILE -j N ")).expect("advice");
    let advice = advice.strip_prefix("TB='millstone ").and_then(|call| call.strip_suffix('\''));
    let call = advice.expect("a call");
    let made = Command::new("make")
        .args(["-s", "-f", plain(&file), &format!("TB='{}' {call}", env!("CARGO_BIN_EXE_millstone"))])
        .output()
        .expect("make runs");
    assert!(made.status.success(), "{}", stderr_text(&made));
    assert_eq!(fs::read_dir(&exact).expect("tables").count(), 3, "no distances");
    let format = millstone(&["tb", "plan", "--format", "json"]);
    assert_eq!(json(&format), json(&millstone(&["tb", "plan", "--json"])));
    assert!(refused(&["tb", "plan", "--json", "--format", "make"]).contains("cannot be used with"));
}

/// A rule of a Snakefile: its name, the files it reads and writes, and the flags of its command.
struct SnakemakeRule {
    name: String,
    inputs: Vec<String>,
    outputs: Vec<String>,
    flags: Vec<String>,
}

/// Returns the rules of a Snakefile, as far as `tb plan` writes any.
fn snakemake_rules(text: &str) -> Vec<SnakemakeRule> {
    let rules = text.split("\nrule ").skip(1);
    let parse = |rule: &str| {
        let list = |key: &str, separator: &str| {
            let line = rule.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
            let words = line.trim_end_matches(')').trim_matches('"').split(separator);
            words.map(|word| word.trim_matches('"').to_owned()).filter(|word| !word.is_empty()).collect()
        };
        let name = rule.split(':').next().expect("a name").to_owned();
        for resource in ["mem_mb=", "disk_mb=", "runtime=lambda wildcards, attempt: "] {
            let number = rule.split(resource).nth(1).expect("a resource");
            let number: String = number.chars().take_while(char::is_ascii_digit).collect();
            assert!(number.parse::<u32>().is_ok_and(|number| number > 0), "{rule}");
        }
        let (inputs, outputs) = (list("    input: files(", ", "), list("    output: files(", ", "));
        SnakemakeRule { name, inputs, outputs, flags: list("    shell: BUILD + ", " ") }
    };
    rules.map(parse).collect()
}

/// Each rule runs in a folder with nothing but its inputs, as it does with a storage.
#[test]
fn a_rule_for_snakemake_reads_and_writes_the_files_that_it_names() {
    let whole = tablebase_files("snakemake-whole", 7, &[]);
    let plan = ["tb", "plan", "--scope", "7-men", "--format", "snakemake"];
    let text = said(&millstone(&plan));
    assert!(text.contains("millstone tb build --rules nine --quiet\""), "{text}");
    let rules = snakemake_rules(&text);
    let names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
    assert_eq!(names, ["unit_3_3", "unit_4_3", "manifest"]);
    let done = Folder::new("snakemake-done");
    for rule in &rules {
        let folder = Folder::new("snakemake-job");
        for name in &rule.inputs {
            fs::copy(done.file(name), folder.file(name)).expect("an input that an earlier rule has made");
        }
        let mut call = vec!["tb", "build", "--quiet", "--rules", "nine", "--path", plain(folder.path())];
        call.extend(rule.flags.iter().map(String::as_str));
        let built = millstone(&call);
        assert!(built.status.success(), "{}", stderr_text(&built));
        let mut expected = [rule.inputs.as_slice(), &rule.outputs].concat();
        expected.extend((rule.name == "manifest").then(|| "manifest.lock".to_owned()));
        expected.sort();
        assert_eq!(folder.names(), expected, "{}", rule.name);
        for name in &rule.outputs {
            fs::copy(folder.file(name), done.file(name)).expect("copied");
        }
    }
    for name in done.names() {
        let (found, expected) = (fs::read(done.file(&name)), fs::read(whole.file(&name)));
        assert!(found.expect("a file") == expected.expect("the same file"), "{name}");
    }
    assert_eq!(done.names().len() + 1, whole.names().len(), "all but the lock");

    // The last placement leads to the settlement, and that to sectors with fewer men on both sides.
    let text =
        said(&millstone(&[&plan[..3], &["all", "--rules", "el-filja", "--format", "snakemake"]].concat()));
    let rules = snakemake_rules(&text);
    let last = rules.iter().find(|rule| rule.name == "unit_11_12_1_0").expect("the last placement");
    let widest = ["11_11_0_0.wdl", "10_11_0_0.wdl", "11_10_0_0.wdl", "10_10_0_0.wdl"].map(str::to_owned);
    assert!(widest.iter().all(|name| last.inputs.contains(name)), "{:?}", last.inputs);
    assert!(!text.contains("12_0_0"), "nobody keeps twelve men");

    let plain_results = said(&millstone(&[&plan[..], &["--distances", "none"]].concat()));
    assert!(plain_results.contains("--quiet --distances none\"") && !plain_results.contains(".dist"));
}

/// The moving phase of the standard game has 9.19 G slots, of which 0.6 G are read in a minute.
#[test]
fn the_last_job_for_snakemake_has_time_to_read_results_and_distances() {
    for (distances, minutes) in [("none", 5 + 15), ("moving", 5 + 30)] {
        let plan = ["tb", "plan", "--scope", "moving", "--format", "snakemake", "--distances", distances];
        let text = said(&millstone(&plan));
        let (_, last) = text.split_once("\nrule manifest:").expect("the last rule");
        let runtime = format!("runtime=lambda wildcards, attempt: {minutes} * attempt,");
        assert!(last.contains(&runtime), "{last}");
    }
}

#[test]
fn a_plan_refuses_formats_and_folders_that_it_cannot_write() {
    let error = refused(&["tb", "plan", "--format", "ninja"]);
    assert!(error.contains("'ninja'") && error.contains("make, snakemake, json"), "{error}");
    for (format, path) in [("snakemake", "a{b}"), ("snakemake", "a\nb"), ("make", "a\nb")] {
        let error = refused(&["tb", "plan", "--format", format, "--path", path]);
        assert!(error.contains("--path: found ") && error.contains("expected a folder in UTF-8"), "{error}");
    }
    let error = refused(&["tb", "plan", "--scope", "6-men", "--rules", "nine,PiecesAtLeastCount=4"]);
    assert!(error.contains("6-men"), "{error}");
    // Python and the shell get other names back: a string of Python, and a file name that Snakemake quotes.
    let plan = ["tb", "plan", "--scope", "6-men", "--format", "snakemake", "--path"];
    let text = said(&millstone(&[&plan[..], &["it's \"so\" \\ $x ü"]].concat()));
    let folder = r#"FOLDER = str(config.get("folder", "it's \"so\" \\ $x \U000000fc"))"#;
    assert!(text.contains(folder), "{text}");
}

#[test]
fn a_sample_of_nothing_is_refused() {
    let error = refused(&["tb", "verify", "--sample", "0"]);
    assert!(error.contains("--sample") && error.contains("expected a whole number from 1 to "), "{error}");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tablebase_files("missing", 6, &["--distances", "none"]);
    let path = plain(folder.path());
    let error = refused(&["tb", "build", "--only", "4-3", "--path", path]);
    assert!(error.ends_with("3_3_0_0.dist is missing, expected unit 3-3 before 4-3\n"), "{error}");
    let new = folder.file("new");
    let error = refused(&["tb", "build", "--only", "4-4", "--path", plain(&new)]);
    assert!(error.ends_with("3_4_0_0.dist is missing, expected unit 4-3 before 4-4\n"), "{error}");
    assert!(!new.exists());
    let error =
        refused(&["tb", "build", "--scope", "6-men", "--rules", "nine,PiecesAtLeastCount=4", "--path", path]);
    assert!(error.contains("scope 6-men holds nothing") && error.contains("at least 8-men"), "{error}");
    let error = refused(&["tb", "verify", "--path", "/nowhere"]);
    assert!(error.contains("/nowhere holds no tablebase files: there is no such folder"), "{error}");
    let again = millstone(&["tb", "build", "--scope", "6-men", "--distances", "none", "--path", path]);
    assert!(
        again.status.success() && stderr_text(&again).contains("already holds 1 unit\n"),
        "{}",
        stderr_text(&again)
    );
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    let folder = tablebase_files("bad-arguments", 6, &[]);
    let path = plain(folder.path());
    let rules = "lasker,MillFormationActionInPlacingPhase=1";
    let placing = refused(&["tb", "build", "--rules", rules, "--scope", "all", "--path", path]);
    assert!(placing.contains("MayMoveInPlacing"), "{placing}");
    assert!(placing.ends_with("; expected --scope moving\n"), "{placing}");
    let unit = refused(&["tb", "build", "--rules", rules, "--only", "3_3_1_0", "--path", path]);
    assert!(unit.ends_with("; expected a pair such as 4-3\n"), "{unit}");
    let file = folder.file("3_3_0_0.wdl");
    let below = file.join("tables");
    let cases: [(&[&str], &str); 8] = [
        (&["build", "--scope", "some"], "'some' is no scope"),
        (&["build", "--scope", "5-men"], "expected 'moving', 'all' or 6-men to 24-men"),
        (&["build", "--memory", "1", "--path", path], "MiB of memory"),
        (&["build", "--memory", "0", "--path", path], "invalid value '0'"),
        (&["build", "--rules", "preset6", "--scope", "6-men", "--path", path], "does not fit"),
        (&["build", "--scope", "6-men", "--path", plain(&below)], "3_3_0_0.wdl"),
        (&["verify", "--rules", "preset6", "--path", path], "does not fit"),
        (&["probe", "rubbish", "--path", path], "expected 17 fields"),
    ];
    for (arguments, why) in cases {
        let error = refused(&[&["tb"], arguments].concat());
        assert!(error.contains(why), "{arguments:?}: {error}");
    }
}
