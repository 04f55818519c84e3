//! `annotate` as a user runs it: marks by exact value, a summary of each player, a page that loads nothing.

use crate::common;

use common::{Folder, millstone, plain, stderr_text, tablebase_files};
use std::fs;

/// A game in which White misses the mill a7-d7-g7 and loses, and a game that cannot be read.
const RECORDS: &str = r#"[White "A & <B>"]
[Black "C"]
[FEN "*@***@**/***@****/O*****OO w m s 3 0 3 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes"]
[SetUp "1"]

1. a7-d1 *

[Event "broken"]

1. d6 d6 *
"#;

#[test]
fn a_move_that_loses_by_exact_value_is_marked_with_a_better_one() {
    let folder = Folder::new("annotate");
    let record = folder.write("games.pgn", RECORDS);
    let [output, page] = ["out.pgn", "out.html"].map(|name| folder.file(name));
    let words = ["annotate", plain(&record), "--output", plain(&output), "--html", plain(&page), "--json"];
    let run = millstone(&words);
    let errors = stderr_text(&run);
    assert_eq!(run.status.code(), Some(2), "one game is broken: {errors}");
    assert!(errors.contains(&format!("error: {}:10: game 2: illegal move 'd6'", plain(&record))), "{errors}");
    assert!(errors.contains("White: 0 of 1 move kept the value (0 %); 1 judged by exact value"), "{errors}");
    assert!(errors.contains("Black: no move"), "{errors}");

    let json: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    assert_eq!(json[0]["white"], serde_json::json!({ "kept": 0, "moves": 1, "exact": 1 }));
    assert_eq!(json[0]["players"], serde_json::json!(["A & <B>", "C"]));
    assert_eq!(json[0]["white_points"], serde_json::json!([0.0]));
    assert_eq!(json.as_array().map(Vec::len), Some(1));

    let text = fs::read_to_string(&output).expect("it was written").replace('\n', " ");
    assert!(text.contains("1. a7-d1?? {[%wdl L]} {better "), "{text}");
    assert!(text.contains("White: 0 of 1 move kept"), "{text}");

    let page = fs::read_to_string(&page).expect("it was written");
    assert!(page.contains("A &amp; &lt;B&gt; – C") && page.contains("1. a7-d1??"), "{page}");
    assert_eq!(page.matches("<svg ").count(), 3, "the replay, the curve and the mistake");
    assert!(page.contains("data-value=\"0\"") && page.contains("ArrowRight"), "values and keys");
    // The only address is the name of the SVG format, which is not loaded.
    assert_eq!(page.matches("://").count(), page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count());
    for word in [
        "<script ", "fetch(", "import(", "XMLHttp", "<link", "<img", "<iframe", "src=", "href=", "url(",
        "@import",
    ] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn unknown_players_have_no_name() {
    let folder = Folder::new("annotate unknown");
    let record = folder.write("games.pgn", "[White \"?\"]\n[Black \"\"]\n\n1. d6 f4 *\n");
    let page = folder.file("out.html");
    let run = millstone(&["annotate", plain(&record), "--nodes", "10", "--html", plain(&page), "--json"]);
    assert_eq!(common::json(&run)[0]["players"], serde_json::json!([null, null]));
    let page = fs::read_to_string(&page).expect("it was written");
    assert!(page.contains("<h1>? – ? <small>"), "{page}");
}

#[test]
fn long_names_are_whole_in_json_and_cut_on_the_page() {
    let folder = Folder::new("annotate names");
    let [white, black] = ["A", "B"].map(|end| "n".repeat(200) + end);
    let record =
        folder.write("games.pgn", format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. d6 f4 *\n"));
    let page = folder.file("out.html");
    let run = millstone(&["annotate", plain(&record), "--nodes", "10", "--html", plain(&page), "--json"]);
    assert_eq!(common::json(&run)[0]["players"], serde_json::json!([white, black]));
    let cut = "n".repeat(200) + "…";
    let page = fs::read_to_string(&page).expect("it was written");
    assert!(page.contains(&format!("<h1>{cut} – {cut} <small>")), "{page}");
}

#[test]
fn games_that_the_folder_does_not_hold_are_judged_without_it() {
    let tables = tablebase_files("annotate tablebase", &["build", "--quiet", "--scope", "6-men"]);
    let folder = Folder::new("annotate rules");
    let run = |record: &str| {
        let record = folder.write("games.pgn", record);
        millstone(&["annotate", plain(&record), "--nodes", "50", "--tablebase", plain(tables.path())])
    };
    let nine = RECORDS.split("[Event").next().expect("a game");
    // No tablebase can hold the games of the second.
    let others = "[Variant \"twelve\"]\n\n1. d6 *\n\n\
                  [Variant \"Custom\"]\n[Rules \"OneTimeUseMill=true\"]\n\n1. d6 *\n";
    let mixed = run(&format!("{nine}{others}"));
    let notes = stderr_text(&mixed);
    assert!(mixed.status.success(), "{notes}");
    assert!(notes.contains("holds no tablebase files for rules twelve; "), "{notes}");
    assert_eq!(notes.matches("; such games get built-in values, or are searched").count(), 2, "{notes}");
    let text = String::from_utf8(mixed.stdout).expect("text");
    assert!(text.contains("a7-d1?? {[%wdl L]}") && text.matches("[%eval ").count() == 1, "{text}");
    // Where it holds none, it is the wrong folder.
    let refused = run(others);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refused.stdout.is_empty(), "nothing is written");
}
