//! Whole matches of the built program: adjudication by tablebase, and the content of results.

use crate::common;

use common::{Folder, json, millstone, own_engine, plain, stderr_text, tablebase_files};
use millstone::record::{GameRecord, GameResult, read};
use millstone::types::Color;
use serde_json::json;

/// White closes g7 or a1 at once.
const WON: &str = "*@***@**/***@****/O*****OO w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
/// Black has the same two threats; White can stop only one of them.
const LOST: &str = "*O***O**/***O****/@*****@@ w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
/// Four men against four, drawn by exact value.
const DRAWN: &str = "***@****/@**O***O/*O*@O*@* w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";

/// Plays two games from each of these positions and returns them.
fn games(folder: &Folder, starts: &[&str], more: &[&str]) -> Vec<GameRecord> {
    let engine = own_engine(folder, json!({}));
    let openings =
        folder.write("openings.txt", starts.iter().map(|fen| format!("fen {fen}\n")).collect::<String>());
    let records = folder.file("games.pgn");
    let count = (2 * starts.len()).to_string();
    let words =
        ["match", "--a", plain(&engine), "--b", plain(&engine), "--go", "nodes 2000", "--games", &count];
    let paths = ["--openings", plain(&openings), "--records", plain(&records), "--json"];
    let result = json(&millstone(&[&words[..], &paths, more].concat()));
    assert_eq!((&result["games"], &result["failures"]), (&(2 * starts.len()).into(), &json!([])));
    let reading = read("games.pgn", &std::fs::read_to_string(records).expect("records"), &Default::default());
    assert!(reading.errors.is_empty(), "{:?}", reading.errors);
    assert_eq!(reading.games.len(), 2 * starts.len(), "each game has its record");
    reading.games
}

#[test]
fn a_position_that_the_tablebase_knows_as_won_ends_the_game_only_if_asked_to() {
    let folder = Folder::new("match adjudicated");
    let winner = |game: &GameRecord| {
        let won = game.start.as_deref() == Some(WON);
        GameResult::Win(if won { Color::White } else { Color::Black })
    };
    let tables = tablebase_files("match adjudicated tables", &["build", "--quiet", "--scope", "6-men"]);
    let tables = plain(tables.path());
    for source in [&["--adjudicate"][..], &["--adjudicate", "--tablebase", tables]] {
        for game in games(&folder, &[WON, LOST], source) {
            assert_eq!((game.tag("Termination"), game.moves().count()), (Some("won by the tablebase"), 0));
            assert_eq!(game.result, winner(&game), "{:?}", game.start);
        }
    }
    // Tablebases that only judge the moves do not end a game.
    for source in [&[][..], &["--tablebase", tables]] {
        for game in games(&folder, &[WON, LOST], source) {
            assert_eq!(game.tag("Termination"), Some("loseFewerThanThree"));
            assert!(game.moves().count() > 0);
            assert_eq!(game.result, winner(&game), "{:?}", game.start);
        }
    }
}

#[test]
fn a_tablebase_that_lacks_a_position_ends_the_match_and_not_a_game() {
    let tables = tablebase_files("match without the game", &["build", "--quiet", "--only", "3-3"]);
    let tables = plain(tables.path());
    for style in ["perfect", "perfect-tricky", "perfect-hunter"] {
        let words = ["match", "--opponent", style, "--tablebase", tables, "--go", "nodes 5"];
        let output = millstone(&[&words[..], &["--openings", "startpos"]].concat());
        let why = stderr_text(&output);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{why}");
        assert!(why.contains("found no result of '"), "{why}");
        assert!(why.contains("expected the whole game as `tb build --scope all` makes it"), "{why}");
    }
}

#[test]
fn a_drawn_position_is_played_on() {
    let folder = Folder::new("match drawn");
    for game in games(&folder, &[DRAWN], &["--adjudicate"]) {
        assert!(game.moves().count() > 0, "{:?}", game.tag("Termination"));
    }
}

#[test]
fn adjudication_without_any_tablebase_is_refused() {
    let folder = Folder::new("match without tablebases");
    let engine = own_engine(&folder, json!({}));
    // The files that are built in for `twelve` are of the placing phase.
    for rules in ["morabaraba", "twelve"] {
        let player = ["match", "--a", plain(&engine), "--opponent", "random"];
        let run = millstone(&[&player[..], &["--adjudicate", "--rules", rules]].concat());
        assert_eq!(run.status.code(), Some(2));
        let expected = format!(
            "no tablebase of the moving phase is built in for the rules {rules}; expected --tablebase"
        );
        assert!(stderr_text(&run).contains(&expected), "{}", stderr_text(&run));
    }
}

#[test]
fn results_tell_the_limits_that_were_played_under() {
    let folder = Folder::new("match limits");
    let engine = |name: &str, go: &str| own_engine(&folder, json!({ "name": name, "go": go }));
    let (quick, slow) = (engine("quick", "nodes 20"), engine("slow", "nodes 30"));
    let go = |more: &[&str]| {
        let words = [&["match", "--a", plain(&quick), "--games", "1", "--json"], more].concat();
        json(&millstone(&words))["go"].clone()
    };
    assert_eq!(go(&["--b", plain(&slow)]), "nodes 20 against nodes 30");
    assert_eq!(go(&["--b", plain(&quick), "--go", "nodes 40"]), "nodes 20");
    assert_eq!(go(&["--opponent", "random"]), "nodes 20");
}

#[test]
fn openings_that_name_unknown_rules_are_noted() {
    let folder = Folder::new("match noted openings");
    let openings = folder.write("openings.pgn", "[Variant \"Chess\"]\n\n1. d6 f4 *\n");
    let words = ["match", "--opponent", "random", "--games", "1", "--go", "nodes 5", "--openings"];
    let run = millstone(&[&words[..], &[plain(&openings)]].concat());
    assert!(run.status.success(), "{}", stderr_text(&run));
    let note = "openings.pgn:1: game 1: unknown Variant 'Chess': read as nine";
    let err = stderr_text(&run);
    assert!(err.starts_with("note: ") && err.contains(note), "{err}");
}

#[test]
fn records_that_cannot_be_written_are_told_before_the_first_game() {
    let folder = Folder::new("match unwritable");
    let (engine, log) = (own_engine(&folder, json!({})), folder.file("log.jsonl"));
    let records = folder.file("missing").join("games.pgn");
    let words = ["match", "--a", plain(&engine), "--opponent", "random", "--games", "1", "--go", "nodes 1"];
    let run = millstone(&[&words[..], &["--records", plain(&records), "--resume", plain(&log)]].concat());
    assert_eq!(run.status.code(), Some(2));
    assert!(
        stderr_text(&run).starts_with(&format!("millstone: {}: ", plain(&records))),
        "{}",
        stderr_text(&run)
    );
    assert!(!log.exists(), "nothing was played");
}
