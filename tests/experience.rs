//! Learning: a session uses the results of earlier sessions, and a damaged file is neither used nor
//! overwritten.

use crate::common;

use ::millstone::{Limits, Position, Rules};
use common::{Engine, Folder, largest, millstone, plain};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

const POSITION: &str = "position startpos moves d6 f4 d2 b4 e4 d5";

/// Starts a session that learns. Returns it with the notes about its file.
fn session(file: &Path) -> (Engine, Vec<String>) {
    let mut engine = Engine::start();
    engine.send("setoption name Shuffling value false");
    engine.send("setoption name LearnEndgame value true");
    // Only searches over all moves are learned from.
    engine.send("setoption name NeverLose value false");
    let notes = engine.ask(&format!("setoption name ExperienceFile value {}", file.display()));
    (engine, notes)
}

fn nodes(lines: &[String]) -> u64 {
    largest(lines, "nodes")
}

fn experience(arguments: &[&str]) -> Output {
    millstone(&[&["experience"], arguments].concat())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

#[test]
fn a_later_session_knows_what_an_earlier_one_found() {
    let folder = Folder::new("experience sessions");
    let file = folder.file("known.mex");
    let (mut engine, notes) = session(&file);
    assert!(notes.is_empty(), "{notes:?}");
    engine.send(POSITION);
    let lines = engine.go("depth 11");
    let first = nodes(&lines);
    assert!(!file.exists(), "nothing is written before the game ends");
    engine.ask("ucinewgame");
    assert!(file.exists());
    assert!(engine.quit().success());
    let (mut engine, _) = session(&file);
    engine.send(POSITION);
    let lines = engine.go("depth 11");
    assert!(nodes(&lines) < first * 3 / 4, "{} after {first}", nodes(&lines));
    // The same position, rotated by half a turn.
    engine.send("ucinewgame");
    engine.send("position startpos moves d2 b4 d6 f4 c4 d3");
    assert!(nodes(&engine.go("depth 11")) < first * 3 / 4);
    // A session without learning has no entries.
    engine.send("setoption name LearnEndgame value false");
    assert_eq!(
        engine.ask_one("experience stat"),
        "info string experience: found LearnEndgame off, expected it on"
    );
    let stat = engine.ask_one(&format!("experience stat {}", file.display()));
    assert!(stat.contains(" positions"), "a file needs no learning: {stat}");
    engine.send("ucinewgame");
    engine.send(POSITION);
    assert_eq!(nodes(&engine.go("depth 11")), first);
}

#[test]
fn weak_and_shallow_searches_teach_nothing() {
    let folder = Folder::new("experience weak");
    let file = folder.file("known.mex");
    let (mut engine, _) = session(&file);
    engine.go("depth 4");
    engine.go("depth 9 searchmoves a1");
    // A level plays below full strength, contempt gives draws a price, the tree search counts other depths.
    for (name, value, usual) in [("SkillLevel", 29, 30), ("Contempt", 50, 0), ("Algorithm", 3, 2)] {
        engine.send(&format!("setoption name {name} value {value}"));
        engine.go("depth 9 nodes 50000");
        engine.send(&format!("setoption name {name} value {usual}"));
    }
    assert!(engine.ask_one("experience stat").starts_with("info string experience: 0 positions"));
    assert!(engine.quit().success());
    assert!(!file.exists());
}

#[test]
fn a_damaged_file_is_refused_and_stays_as_it_is() {
    let folder = Folder::new("experience damaged");
    let file = folder.file("known.mex");
    fs::write(&file, b"MILLEXP\x01 and nonsense").expect("a file for the test");
    let before = fs::read(&file).expect("it was just written");
    let (mut engine, notes) = session(&file);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("known.mex") && notes[0].contains("expected"), "{notes:?}");
    engine.go("depth 9");
    assert!(engine.ask_one("experience save elsewhere").contains("ExperienceFile was refused"));
    assert!(engine.quit().success());
    assert_eq!(fs::read(&file).expect("it is still there"), before);
    // Once the file is gone, its name can be set again.
    let (mut engine, _) = session(&file);
    fs::remove_file(&file).expect("it is still there");
    assert!(engine.ask(&format!("setoption name ExperienceFile value {}", file.display())).is_empty());
    assert!(engine.ask_one("experience stat").contains("0 positions"));
    assert!(engine.quit().success());
    fs::write(&file, before).expect("a file for the test");
    let output = experience(&["stat", &file.display().to_string()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("known.mex") && text(&output).contains("expected"), "{}", text(&output));
    assert_eq!(experience(&["stat", "/no/such/file"]).status.code(), Some(2));
}

#[test]
fn files_are_made_from_records_merged_and_looked_into() {
    let folder = Folder::new("experience files");
    let [one, two, all, record] =
        ["one.mex", "two.mex", "all.mex", "games.txt"].map(|name| folder.file(name));
    let name = |path: &Path| path.display().to_string();
    fs::write(&record, "d6 f4 d2 b4 d7 g4\n").expect("a record for the test");
    let made = experience(&["save", &name(&one), &name(&record), "--depth", "8"]);
    assert!(made.status.success() && text(&made).contains("6 positions searched"), "{}", text(&made));
    let written = || fs::metadata(&one).expect("the file").modified().expect("a time");
    let before = written();
    let again = experience(&["save", &name(&one), &name(&record), "--depth", "8"]);
    assert!(text(&again).contains("0 positions searched") && written() == before, "{}", text(&again));
    let output = experience(&["load", &name(&one)]);
    assert!(text(&output).starts_with("position: depth 8, cp "), "{}", text(&output));
    let half =
        folder.write("half.pgn", "[Variant \"nine\"]\n\n1. d6 f4 *\n\n[Variant \"nine\"]\n\n1. d6 d6 *\n");
    let broken = experience(&["save", &name(&one), &name(&half), "--depth", "8"]);
    assert!(text(&broken).contains("1 broken game left out"), "{}", text(&broken));
    assert_eq!(broken.status.code(), Some(2), "{}", text(&broken));

    let (mut engine, _) = session(&two);
    engine.send("setoption name UCI_Variant value lasker");
    engine.go("depth 9");
    // The entries of the file are kept.
    fs::copy(&one, &all).expect("a copy for the test");
    assert!(engine.ask_one(&format!("experience save {}", name(&all))).contains(" positions written"));
    assert!(engine.ask_one(&format!("experience load {}", name(&one))).contains(" positions read"));
    // A file of another kind is not overwritten.
    let refused = engine.ask_one(&format!("experience save {}", name(&record)));
    assert!(refused.contains("found a file of another kind, expected an experience file"), "{refused}");
    assert_eq!(fs::read(&record).expect("it is still there"), b"d6 f4 d2 b4 d7 g4\n");
    assert!(engine.ask_one("experience").contains("expected save <file>"));
    assert!(engine.ask_one("experience load nowhere").contains("nowhere"));
    assert!(engine.quit().success());
    // The second session has read the first file, and has searched under other rules.
    assert!(positions(&one) < positions(&two) && positions(&two) == positions(&all));
    let merged = experience(&["merge", &name(&one), &name(&two)]);
    assert!(merged.status.success() && positions(&one) == positions(&two), "{}", text(&merged));
}

#[test]
fn a_win_that_the_game_had_repeated_away_is_kept_as_a_win() {
    let folder = Folder::new("experience repetition");
    let file = folder.file("known.mex");
    // White wins by g1-f6, but in the game this is the third occurrence.
    let record = folder.write(
        "game.pgn",
        "[FEN \"@O******/O**O****/@***@*** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes\"]\n\n\
         e5-f6 d1-e4 f6-e5 e4-d1 e5-f6 d1-e4 f6-g1 e4-d1 g1-f6 *\n",
    );
    let run = experience(&["save", plain(&file), plain(&record), "--depth", "8"]);
    assert!(run.status.success(), "{}", text(&run));
    let won = "@*******/O**O****/@**O@*** w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes";
    let known = text(&experience(&["load", plain(&file), won]));
    assert!(known.starts_with("position: depth 8, mate 2 for white, best g1-f6"), "{known}");
}

/// Returns the number of positions in a session or a file.
fn count(answer: &str) -> usize {
    let words = answer.trim_start_matches("info string experience: ");
    words.split(' ').next().and_then(|number| number.parse().ok()).expect("a number of positions")
}

fn positions(file: &Path) -> usize {
    count(&text(&experience(&["stat", &file.display().to_string()])))
}

#[test]
fn what_could_not_be_kept_is_kept_later() {
    let folder = Folder::new("experience later");
    let file = folder.path().join("later").join("known.mex");
    let (mut engine, notes) = session(&file);
    assert!(notes.len() == 1 && notes[0].contains("is not kept"), "{notes:?}");
    engine.send(POSITION);
    engine.go("depth 9");
    assert!(engine.ask_one("ucinewgame").contains("is not kept"));
    fs::create_dir(folder.path().join("later")).expect("a folder");
    assert!(engine.ask("ucinewgame").is_empty());
    assert_eq!(positions(&file), 2);
    // Another file is chosen before the first one can be written.
    let (mut engine, _) = session(&folder.path().join("missing").join("known.mex"));
    engine.send(POSITION);
    engine.go("depth 9");
    let other = folder.file("other.mex");
    let answer = engine.ask_one(&format!("setoption name ExperienceFile value {}", other.display()));
    assert!(answer.contains("is not kept"), "{answer}");
    assert!(engine.quit().success());
    assert_eq!(positions(&other), 2);
}

/// Starts a session that has learned something without a file. Returns it with the number of positions.
fn taught() -> (Engine, usize) {
    let mut engine = Engine::start();
    engine.send("setoption name LearnEndgame value true");
    engine.send("setoption name NeverLose value false");
    engine.send(POSITION);
    engine.go("depth 9");
    let learned = count(&engine.ask_one("experience stat"));
    assert!(learned > 0);
    (engine, learned)
}

#[test]
fn what_was_learned_without_a_file_goes_into_the_first_one() {
    let folder = Folder::new("experience first file");
    let file = folder.file("known.mex");
    let (mut engine, learned) = taught();
    engine.send(&format!("setoption name ExperienceFile value {}", file.display()));
    assert_eq!(count(&engine.ask_one("experience stat")), learned);
    assert!(engine.quit().success());
    assert_eq!(positions(&file), learned);
}

#[test]
fn what_was_learned_without_a_file_outlasts_a_pause() {
    let folder = Folder::new("experience pause");
    let file = folder.file("known.mex");
    let (mut engine, learned) = taught();
    engine.send("setoption name LearnEndgame value false");
    assert_eq!(
        engine.ask_one("experience stat"),
        "info string experience: found LearnEndgame off, expected it on"
    );
    engine.send(&format!("setoption name ExperienceFile value {}", file.display()));
    engine.send("setoption name LearnEndgame value true");
    assert_eq!(count(&engine.ask_one("experience stat")), learned);
    assert!(engine.quit().success());
    assert_eq!(positions(&file), learned);
}

/// Returns an engine of the library that has learned something for a file.
fn learner(file: &Path) -> ::millstone::Engine {
    let mut engine = ::millstone::Engine::new().expect("an engine");
    for (name, value) in [("LearnEndgame", "true"), ("NeverLose", "false"), ("ExperienceFile", plain(file))] {
        engine.set_option(name, Some(value)).expect("taken");
    }
    let mut pos = Position::new(&Rules::NINE);
    for m in POSITION.split(' ').skip(3) {
        pos.play(m.parse().expect("a move")).expect("a legal move");
    }
    engine.search(&pos, Limits { depth: Some(9), ..Limits::default() }).expect("a result");
    engine
}

#[test]
fn the_library_learns_from_its_searches() {
    let folder = Folder::new("experience library");
    let file = folder.file("known.mex");
    learner(&file).save_experience().expect("saved");
    assert!(positions(&file) > 0);
}

#[test]
fn a_file_that_cannot_be_written_and_one_that_cannot_be_read_are_both_named() {
    let folder = Folder::new("experience faults");
    let (gone, damaged) = (folder.file("gone"), folder.file("damaged.mex"));
    fs::create_dir(&gone).expect("a folder");
    fs::write(&damaged, "no experience").expect("a file");
    let mut engine = learner(&gone.join("known.mex"));
    fs::remove_dir_all(&gone).expect("removed");
    engine.set_option("ExperienceFile", Some(plain(&damaged))).expect("taken");
    let error = engine.save_experience().expect_err("two faults").to_string();
    assert!(error.contains("known.mex") && error.contains("damaged.mex"), "{error}");
}

#[test]
fn a_file_that_is_named_last_gets_what_was_learned() {
    let folder = Folder::new("experience last");
    let file = folder.file("last.mex");
    // Without a file before, and with one that cannot be written.
    for first in [PathBuf::new(), folder.file("missing/known.mex")] {
        let (mut engine, _) = session(&first);
        engine.send(POSITION);
        engine.go("depth 11");
        engine.send(&format!("setoption name ExperienceFile value {}", file.display()));
        assert!(engine.quit().success());
        assert!(positions(&file) > 0);
        fs::remove_file(&file).expect("removed");
    }
}

#[test]
fn what_is_read_in_a_session_is_kept_with_the_rest() {
    let folder = Folder::new("experience read");
    let [one, two, other] = ["one.mex", "two.mex", "other.mex"].map(|name| folder.file(name));
    let (mut engine, _) = session(&one);
    engine.send(POSITION);
    engine.go("depth 9");
    assert!(engine.quit().success());
    let (mut engine, _) = session(&two);
    assert_eq!(count(&engine.ask_one(&format!("experience load {}", one.display()))), 2);
    engine.go("depth 9");
    assert_eq!(count(&engine.ask_one(&format!("experience merge {}", other.display()))), 4);
    assert_eq!(count(&engine.ask_one(&format!("experience merge {}", other.display()))), 4);
    assert!(engine.quit().success());
    assert_eq!([positions(&one), positions(&two), positions(&other)], [2, 4, 4]);
}

#[test]
fn sessions_that_write_together_lose_nothing() {
    let folder = Folder::new("experience together");
    let file = folder.file("known.mex");
    let mut engines = ["d6", "a7", "d7", "b6"].map(|m| {
        let (mut engine, _) = session(&file);
        engine.send(&format!("position startpos moves {m}"));
        engine.go("depth 8");
        assert_eq!(count(&engine.ask_one("experience stat")), 1);
        engine
    });
    engines.iter_mut().for_each(|engine| engine.send("ucinewgame"));
    for engine in engines {
        assert!(engine.quit().success());
    }
    assert_eq!(positions(&file), 4);
}

#[test]
fn records_without_a_game_are_refused() {
    let folder = Folder::new("experience nothing");
    let [file, record] = ["known.mex", "games.txt"].map(|name| folder.file(name));
    for content in ["garbage\n", ""] {
        fs::write(&record, content).expect("a record for the test");
        let output = experience(&["save", &file.display().to_string(), &record.display().to_string()]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains("no game"), "{}", text(&output));
        assert!(!file.exists());
    }
}
