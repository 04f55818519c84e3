//! The plain data of the library passes through `serde`.

use millstone::bitboard::Bitboard;
use millstone::position::{Action, Phase};
use millstone::record::{GameResult, ReadOptions, read};
use millstone::search::{Algorithm, PlayStyle};
use millstone::tablebase::{Found, RankedMove, Sector, TbValue, Wdl};
use millstone::types::{Color, MoveKind};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

/// Asserts that the JSON of a value is `text`, and that reading it gives the value again.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T, text: &str) {
    assert_eq!(serde_json::to_string(value).expect("JSON"), text);
    assert_eq!(serde_json::from_str::<T>(text).expect("the same value"), *value);
}

#[test]
fn small_types_are_written_by_name_and_read_back() {
    check(&Phase::Placing, r#""Placing""#);
    check(&Action::Take, r#""Take""#);
    check(&MoveKind::Slide, r#""Slide""#);
    check(&GameResult::Win(Color::Black), r#"{"Win":"black"}"#);
    check(&Algorithm::ALL, r#"["AlphaBeta","Pvs","Mtdf","Mcts","Random"]"#);
    check(&PlayStyle::default(), r#"{"mobility":true,"blocking":false}"#);
    check(&Sector::moving(4, 3), r#"{"own":4,"theirs":3,"own_hand":0,"their_hand":0}"#);
    check(&TbValue::DRAW, "128");
    check(&Bitboard(5), "5");
    assert!(serde_json::from_str::<Bitboard>("16777216").is_err(), "there are 24 points");
    let value = Found { wdl: Wdl::Loss, plies: Some(12) };
    check(&value, r#"{"wdl":"Loss","plies":12}"#);
    let ranked = RankedMove { m: "d6".parse().expect("a move"), value, drawing_replies: None, takes: false };
    let text = r#"{"m":"d6","value":{"wdl":"Loss","plies":12},"drawing_replies":null,"takes":false}"#;
    check(&ranked, text);
}

#[test]
fn a_game_with_variations_is_read_back() {
    let text = "[White \"A\"]\n\n1. d7 $1 a1 {here} (1... d6 2. f4) 2. g7 d1 3. a7xa1 f4 *\n";
    let reading = read("game", text, &ReadOptions::default());
    assert!(reading.errors.is_empty(), "{:?}", reading.errors);
    let [game] = reading.games.as_slice() else { panic!("{} games", reading.games.len()) };
    let json = serde_json::to_string(game).expect("JSON");
    assert!(json.starts_with(r#"{"rules":"nine","start":null,"tags":[["White","A"]],"lines":[{"#), "{json}");
    assert_eq!(serde_json::from_str::<millstone::GameRecord>(&json).expect("the same game"), *game);
}
