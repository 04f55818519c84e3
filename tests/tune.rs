//! `tune`: errors in its arguments end it before any long work.

use crate::common;

use common::{Engine, Folder, millstone, plain, stderr_text};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn samples_that_cannot_be_used_are_refused_and_stay() {
    let folder = Folder::new("tune");
    let [samples, output] = ["samples.bin", "network.bin"].map(|name| folder.file(name));
    let refused = |samples: &str, output: &str| {
        let answer = millstone(&["tune", "--samples", samples, "--output", output]);
        assert_eq!(answer.status.code(), Some(2), "{}", stderr_text(&answer));
        stderr_text(&answer)
    };
    fs::write(&samples, "no samples").expect("a file for the test");
    assert!(refused(plain(&samples), plain(&output)).contains("samples.bin"));
    assert!(refused(plain(&samples), plain(&samples)).contains("found the file of --samples"));
    let crooked = folder.path().join(".").join("samples.bin");
    assert!(refused(plain(&crooked), plain(&samples)).contains("another file for --output"));
    assert_eq!(fs::read(&samples).expect("it is still there"), b"no samples");
    assert!(refused("/dev/null", plain(&output)).contains("regular file"));
    let fresh = folder.file("fresh.bin");
    let bare = millstone(&["tune", "--samples", plain(&fresh), "--output", plain(&output)]);
    let expected = "millstone: a fit for the standard game needs --tablebase with a folder of tablebase \
        files; other --rules need none\n";
    assert_eq!(stderr_text(&bare), expected);
    assert!(!folder.file("fresh.bin.batches").exists());
    let few = millstone(&["tune", "--positions", "1000", "--output", plain(&output)]);
    assert!(stderr_text(&few).contains("number from 40000 to 1000000000"), "{}", stderr_text(&few));
    assert!(!output.exists());
}

#[test]
fn a_network_is_not_replaced_by_the_one_that_is_fitted_with_it() {
    let folder = Folder::new("tune inputs");
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/networks/nerenchi.bin");
    let network = folder.write("network.bin", fs::read(network).expect("a network"));
    for input in ["--eval-file", "--moving-phase"] {
        let words = ["tune", "--rules", "nerenchi", "--positions", "40000", "--nodes", "1", "--epochs", "1"];
        let answer =
            millstone(&[&words[..], &[input, plain(&network), "--output", plain(&network)]].concat());
        assert_eq!(answer.status.code(), Some(2), "{}", stderr_text(&answer));
        let expected = format!("network.bin: found the file of {input}, expected another file for --output");
        assert!(stderr_text(&answer).contains(&expected), "{}", stderr_text(&answer));
    }
}

#[test]
fn tablebases_of_a_part_of_the_game_are_refused() {
    for rules in ["nine", "el-filja"] {
        let folder = Folder::new("tune tables");
        let [tables, output] = ["tables", "network.bin"].map(|name| folder.file(name));
        let tables = plain(&tables);
        let built =
            millstone(&["tb", "build", "--quiet", "--rules", rules, "--scope", "6-men", "--path", tables]);
        assert!(built.status.success(), "{}", stderr_text(&built));
        let positions = ["--positions", "40000", "--tablebase", tables, "--output", plain(&output)];
        let samples = folder.file("samples.bin");
        let files = ["--rules", rules, "--samples", plain(&samples)];
        let answer = millstone(&[&["tune"], &files[..], &positions].concat());
        assert_eq!(answer.status.code(), Some(2), "{}", stderr_text(&answer));
        let text = stderr_text(&answer);
        assert!(text.contains("found no ") && text.contains("expected the whole game"), "{text}");
        assert!(!output.exists() && !folder.file("samples.bin.batches").exists());
    }
}

/// Runs the program until `is_due`, and kills it.
fn kill_once(arguments: &[&str], is_due: impl Fn() -> bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millstone"));
    let mut child = command.args(arguments).stderr(Stdio::null()).spawn().expect("it starts");
    let begun = Instant::now();
    while !is_due() {
        assert!(child.try_wait().expect("it can be waited for").is_none(), "it has ended");
        assert!(begun.elapsed() < Duration::from_secs(300), "no progress");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("killed");
    child.wait().expect("it can be waited for");
}

#[test]
fn a_network_of_other_rules_is_fitted_to_games_and_counts_under_these_rules() {
    let folder = Folder::new("tune rules");
    let job = ["tune", "--positions", "40000", "--nodes", "20", "--epochs", "1", "--output"];
    let fit = |name: &str, more: &[&str]| {
        let output = folder.file(name);
        let answer = millstone(&[&job[..], &[plain(&output)], more].concat());
        (output, answer)
    };
    let [samples, batches] = ["samples.bin", "samples.bin.batches"].map(|name| folder.file(name));
    let kept = ["--rules", "zhi-qi", "--samples", plain(&samples)];
    // Killed between its two batches, it continues with the second.
    let output = folder.file("a.bin");
    let killed = [&job[..], &[plain(&output)], &kept].concat();
    kill_once(&killed, || fs::metadata(&batches).is_ok_and(|file| file.len() > 320_000));
    assert!(!samples.exists());
    let (first, answer) = fit("a.bin", &[&kept[..], &["--threads", "2"]].concat());
    assert!(answer.status.success(), "{}", stderr_text(&answer));
    assert!(stderr_text(&answer).contains("1 of 2 batches are finished already"), "{answer:?}");
    assert!(!batches.exists());
    assert!(stderr_text(&answer).contains("20000 positions to learn from"), "{}", stderr_text(&answer));
    let (second, answer) = fit("b.bin", &["--rules", "zhi-qi"]);
    assert!(answer.status.success(), "{}", stderr_text(&answer));
    assert_eq!(fs::read(&first).expect("a network"), fs::read(second).expect("the same network"));
    // The same again from the file, without games.
    let (third, answer) =
        fit("c.bin", &["--rules", "zhi-qi", "--eval-file", plain(&first), "--samples", plain(&samples)]);
    assert!(answer.status.success(), "{}", stderr_text(&answer));
    let note = "samples.bin: its 40000 positions are used; --positions, --tablebase, ";
    assert!(stderr_text(&answer).contains(note), "{}", stderr_text(&answer));
    assert_eq!(fs::read(&first).expect("a network"), fs::read(third).expect("the same network"));
    let (_, answer) = fit("t.bin", &["--rules", "zhi-qi", "--tablebase", "tables"]);
    assert!(stderr_text(&answer).contains("cannot be used with"), "{}", stderr_text(&answer));
    // The network of another game counts in the moving phase, and the fit begins with it.
    let moving = ["--rules", "dooz", "--moving-phase"];
    let (_, answer) = fit("m.bin", &[&moving[..], &[plain(&samples)]].concat());
    assert!(stderr_text(&answer).contains("samples.bin: found a file of another kind"), "{answer:?}");
    let nerenchi = concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/networks/nerenchi.bin");
    let (fourth, answer) = fit("m.bin", &[&moving[..], &[nerenchi]].concat());
    assert!(answer.status.success(), "{}", stderr_text(&answer));
    // So its differences to that one are the shorter ones.
    let head = |path: &Path| fs::read(path).expect("a network")[..8].to_vec();
    assert_eq!([head(&first), head(&fourth)], [b"MILLNET\x06", b"MILLNET\x07"]);
    let (_, answer) = fit("d.bin", &["--rules", "dooz", "--samples", plain(&samples)]);
    assert_eq!(answer.status.code(), Some(2), "{}", stderr_text(&answer));
    assert!(stderr_text(&answer).contains("found positions of another game"), "{}", stderr_text(&answer));

    let mut engine = Engine::start();
    let mut eval = |rules: &str, file: &Path| {
        engine.send(&format!("setoption name UCI_Variant value {rules}"));
        let notes = engine.ask(&format!("setoption name EvalFile value {}", plain(file)));
        assert!(notes.is_empty(), "{notes:?}");
        engine.send("position startpos moves d6 f4 d2 b4 d7 a1 g7");
        engine.send("eval");
        engine.until("total").pop().expect("a line")
    };
    let none = Path::new("<empty>");
    assert_ne!(eval("zhi-qi", &first), eval("zhi-qi", none));
    assert_eq!(eval("nine", &first), eval("nine", none));
}

#[cfg(not(feature = "tune"))]
#[test]
fn a_program_without_parameters_as_options_refuses_to_tune_them() {
    let folder = Folder::new("tune spsa");
    let state = folder.file("state.json");
    let run = ["tune", "--spsa", "--state", plain(&state)];
    assert!(stderr_text(&millstone(&run)).contains("--params <NAMES>"));
    let answer = millstone(&[&run[..], &["--params", "futility_margin"]].concat());
    assert_eq!(answer.status.code(), Some(2), "{}", stderr_text(&answer));
    assert!(
        stderr_text(&answer).contains("expected one built with --features tune"),
        "{}",
        stderr_text(&answer)
    );
    assert!(!state.exists());
}

#[cfg(feature = "tune")]
#[test]
fn a_tuning_run_plays_matches_goes_on_from_its_file_and_prints_the_parameters() {
    let folder = Folder::new("tune spsa");
    let state = folder.file("state.json");
    let run = ["tune", "--spsa", "--state", plain(&state), "--params", "futility_margin,LATE_MOVE_COUNT"];
    let short = ["--iterations", "2", "--pairs", "1", "--go", "depth 1"];
    let first = millstone(&[&run[..], &short].concat());
    assert!(first.status.success(), "{}", stderr_text(&first));
    let table = String::from_utf8_lossy(&first.stdout).into_owned();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("futility_margin = "), "{table}");
    assert!(lines[1].starts_with("late_move_count = "), "{table}");
    assert!(stderr_text(&first).contains("iteration 2 of 2: "), "{}", stderr_text(&first));
    let again = millstone(&[&run[..], &short].concat());
    assert!(stderr_text(&again).contains("2 of 2 iterations finished before"), "{}", stderr_text(&again));
    assert_eq!(String::from_utf8_lossy(&again.stdout), table);
    let other = millstone(&[&run[..], &short, &["--seed", "2"]].concat());
    assert_eq!(other.status.code(), Some(2), "{}", stderr_text(&other));
}
