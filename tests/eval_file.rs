//! `EvalFile`: the network that evaluates the standard game comes from a file of `millstone tune`.

use crate::common;

use common::{Engine, Folder, field, millstone, plain, stderr_text};
use std::fs;
use xxhash_rust::xxh3::xxh3_64;

const BUILT_IN: &[u8] = include_bytes!("../src/evaluate/networks/nine.bin");
/// The lengths of the magic number, and of the checksum and the fingerprint of the rules after it.
const HEAD: [usize; 3] = [8, 8, 8];

/// Returns the file of a network of the standard game with these weights.
fn file(weights: &[u8]) -> Vec<u8> {
    let packed = zstd::encode_all(weights, 3).expect("packed");
    let rest = [&BUILT_IN[HEAD[0] + HEAD[1]..][..HEAD[2]], &packed].concat();
    [&BUILT_IN[..HEAD[0]], &xxh3_64(&rest).to_le_bytes(), &rest].concat()
}

/// Returns the file of a network whose weights are all 0, so that every position is worth 0.
fn blind() -> Vec<u8> {
    let start = HEAD.iter().sum::<usize>();
    let weights = zstd::decode_all(&BUILT_IN[start..]).expect("the built-in network");
    file(&vec![0; weights.len()])
}

/// One man ahead.
const AHEAD: &str = "position fen O*@O*O@O/*@**@*OO/**@**@O* b m s 7 0 6 0 0 0 -1 -1 -1 -1 0 50 47 ids:nodes";

fn eval(engine: &mut Engine) -> String {
    engine.send("eval");
    engine.until("total").pop().expect("a line")
}

/// Returns the counts of a `bench` in the loop.
fn bench(engine: &mut Engine) -> String {
    engine.send("bench 3");
    // The speed comes last, after the count.
    let lines = engine.until(" nps");
    lines.into_iter().rfind(|line| line.starts_with("Nodes: ")).expect("a count")
}

#[test]
fn a_network_from_a_file_evaluates_for_eval_bench_and_all_threads() {
    let folder = Folder::new("eval file");
    let [blind, same] = [("no weights.bin", blind()), ("same.bin", BUILT_IN.to_vec())]
        .map(|(name, bytes)| folder.write(name, bytes));
    let mut engine = Engine::start();
    engine.send(AHEAD);
    let (usual, count) = (eval(&mut engine), bench(&mut engine));
    assert!(engine.ask(&format!("setoption name EvalFile value {}", plain(&blind))).is_empty());
    let without = eval(&mut engine);
    assert!(without != usual && without.split_whitespace().any(|word| word == "0"), "{without}");
    assert_ne!(bench(&mut engine), count);
    for threads in ["1", "4"] {
        engine.send(&format!("setoption name Threads value {threads}"));
        engine.send("position startpos");
        let lines = engine.go("depth 7");
        let scores: Vec<&str> = lines.iter().filter_map(|line| field(line, "cp")).collect();
        assert!(!scores.is_empty() && scores.iter().all(|&score| score == "0"), "{lines:#?}");
    }
    engine.send("setoption name Threads value 1");
    engine.send(AHEAD);
    for file in [plain(&same), "<empty>"] {
        assert!(engine.ask(&format!("setoption name EvalFile value {}", plain(&blind))).is_empty());
        assert!(engine.ask(&format!("setoption name EvalFile value {file}")).is_empty());
        assert_eq!((eval(&mut engine), bench(&mut engine)), (usual.clone(), count.clone()), "{file}");
    }

    let run = |arguments: &[&str]| millstone(&[&["bench", "--depth", "3"][..], arguments].concat());
    let nodes = |arguments: &[&str]| {
        let text = String::from_utf8_lossy(&run(arguments).stdout).into_owned();
        text.lines().find(|line| line.starts_with("Nodes: ")).expect("a count").to_owned()
    };
    assert_eq!((nodes(&[]), nodes(&["--eval-file", plain(&same)])), (count.clone(), count.clone()));
    assert_ne!(nodes(&["--eval-file", plain(&blind)]), count);
}

#[test]
fn a_file_that_is_no_network_is_refused_and_the_network_in_use_stays() {
    let folder = Folder::new("eval file faults");
    let mut damaged = BUILT_IN.to_vec();
    damaged[BUILT_IN.len() / 2] ^= 1;
    let few = file(&[0; 100]);
    let faults = [
        ("text.bin", b"[White \"A\"]\n".to_vec(), "another kind"),
        ("empty.bin", Vec::new(), "another kind"),
        ("damaged.bin", damaged, "checksum"),
        ("short.bin", BUILT_IN[..BUILT_IN.len() - 9].to_vec(), "checksum"),
        ("few.bin", few, "found 100 bytes of weights, expected "),
        ("long.bin", [BUILT_IN, &vec![0; 5 << 20]].concat(), "found more than "),
    ];
    let good = folder.write("good.bin", blind());
    let mut engine = Engine::start();
    engine.send(AHEAD);
    assert!(engine.ask(&format!("setoption name EvalFile value {}", plain(&good))).is_empty());
    let before = eval(&mut engine);
    let mut refused = |path: &str, reason: &str| {
        let notes = engine.ask(&format!("setoption name EvalFile value {path}"));
        let [note] = notes.as_slice() else { panic!("{path}: {notes:?}") };
        assert!(note.starts_with(&format!("info string EvalFile {path}: ")), "{note}");
        assert!(note.contains(reason) && note.ends_with("; the network in use stays"), "{note}");
        assert_eq!(eval(&mut engine), before, "{path}");
        assert!(engine.ask("setoption name Ponder value false").is_empty(), "it is reported once");

        let run = millstone(&["bench", "--depth", "1", "--eval-file", path]);
        assert_eq!(run.status.code(), Some(2), "{path}");
        assert!(stderr_text(&run).contains(reason) && run.stdout.is_empty(), "{}", stderr_text(&run));
    };
    for (name, bytes, reason) in faults {
        let path = folder.write(name, bytes);
        refused(plain(&path), reason);
        fs::remove_file(path).expect("removed");
    }
    refused(plain(&folder.file("missing.bin")), "");
    refused(plain(folder.path()), "regular file");
    // In a session it waits until its rules are set. A command has no use for it.
    let run = millstone(&["bench", "--rules", "lasker", "--depth", "1", "--eval-file", plain(&good)]);
    assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0));
    let why = stderr_text(&run);
    assert!(why.contains("found a network of other rules, expected lasker"), "{why}");
}
