//! Recorded games of all rule sets, written and read again in every format.

use crate::fuzzed::chance::{Dice, fresh};
use crate::invariants::check;
use millstone::record::{Builder, Format, GameRecord, GameResult, ReadOptions, Reading, read};
use millstone::rules::{NAMED, Rules};
use millstone::types::{Color, Move, MoveKind, Square};
use proptest::prelude::*;

/// All named rule sets and presets, and one with every rare capture.
fn all_rules() -> Vec<Rules> {
    let captures = "nine,CustodianCaptureEnabled=true,InterventionCaptureEnabled=true,\
                    LeapCaptureEnabled=true,StalemateAction=5,MayRemoveMultiple=true";
    let named = NAMED.iter().map(|row| row.rules);
    named.chain(Rules::PRESETS).chain([Rules::parse(captures).expect("known options")]).collect()
}

/// A random game, with comments, marks and variations if `notes` is true.
fn random_game(rules: Rules, dice: &mut Dice, notes: bool) -> GameRecord {
    let mut builder = Builder::new(rules, None).expect("the initial position");
    let length = 10 + dice.below(120);
    for n in 0..length {
        if notes && dice.below(12) == 0 {
            builder.comment(
                ["a comment", "with { and ; and \"", "[%eval -0.35]  two", "é – ok (1. d6) $3"][n % 4],
            );
        }
        if notes && dice.below(12) == 0 {
            builder.mark(dice.below(12) as u8);
        }
        if notes && dice.below(10) == 0 {
            builder.open();
        }
        if notes && dice.below(8) == 0 {
            builder.close();
        }
        let legal = builder.position().legal_moves();
        if legal.is_empty() {
            break;
        }
        builder.push(legal[dice.below(legal.len())]).expect("a legal move");
    }
    let (mut game, end) = builder.finish();
    game.result = end.outcome().into();
    game
}

fn games(notes: bool) -> impl Iterator<Item = GameRecord> {
    let rules = all_rules();
    let mut dice = Dice(fresh(0x5eed));
    (0..1_000).map(move |n| random_game(rules[n % rules.len()], &mut dice, notes))
}

fn read_one(text: &str, format: Option<Format>, rules: Option<Rules>) -> GameRecord {
    let Reading { mut games, errors, notes, .. } =
        read("test", text, &ReadOptions { format, rules, keep_partial: false });
    assert!(errors.is_empty() && notes.is_empty(), "{errors:?} {notes:?}\n{text}");
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0)
}

#[test]
fn a_thousand_games_return_from_the_common_form() {
    let mut all = String::new();
    let mut written = Vec::new();
    for (n, mut game) in games(true).enumerate() {
        game.set_tag("White", &format!("player \"{n}\" \\ é"));
        game.set_tag("X-Unknown", "kept");
        let text = game.to_pgn();
        assert!(text.lines().all(|line| line.starts_with('[') || line.chars().count() <= 80), "{text}");
        assert_eq!(read_one(&text, None, None), game, "game {n}\n{text}");
        all += &text;
        written.push(game);
    }
    let reading = read("test", &all.replace('\n', "\r\n"), &ReadOptions::default());
    assert!(reading.errors.is_empty());
    assert_eq!(reading.games, written, "all games in one file");
}

#[test]
fn a_thousand_games_return_from_token_lists() {
    for (n, game) in games(false).enumerate() {
        let text = game.to_tokens();
        assert_eq!(read_one(&text, None, Some(game.rules)), game, "game {n}\n{text}");
    }
}

/// The game in two columns: for each number a turn of each side, in order.
fn columns(game: &GameRecord) -> impl Iterator<Item = &[millstone::record::Turn]> {
    game.main().turns.chunks(2)
}

#[test]
fn a_thousand_games_return_from_playok() {
    // Numbers from left to right and top to bottom.
    let number = |square: Square| {
        let mut points: Vec<Square> = Square::all().collect();
        points.sort_by_key(|s| (std::cmp::Reverse(s.coordinates().1), s.coordinates().0));
        1 + points.iter().position(|&s| s == square).expect("all points are there")
    };
    let action = |m: &Move| match m.kind() {
        MoveKind::Take => format!("x{}", number(m.to())),
        MoveKind::Slide => format!("{}-{}", number(m.from()), number(m.to())),
        _ => number(m.to()).to_string(),
    };
    for (n, game) in games(false).enumerate() {
        let mut text =
            format!("[Event \"?\"]\n[Site \"PlayOK\"]\n[Result \"{}\"]\n\nTXT\n", game.result.text());
        for (number, turns) in columns(&game).enumerate() {
            let words: Vec<String> =
                turns.iter().map(|turn| turn.moves.iter().map(action).collect::<String>()).collect();
            text += &format!("{}. {} ", number + 1, words.join(" "));
        }
        text += game.result.text();
        let back = read_one(&text, None, Some(game.rules));
        assert_eq!((back.main(), back.result), (game.main(), game.result), "game {n}\n{text}");
    }
}

#[test]
fn a_thousand_games_return_from_goldtoken() {
    let action = |m: &Move| match m.kind() {
        MoveKind::Take => format!("take {}", m.to()),
        MoveKind::Slide => format!("{} -> {}", m.from(), m.to()),
        _ => format!("Place to {}", m.to()),
    };
    for (n, game) in games(false).enumerate() {
        let mut text = "Some player vs. another\n12 new messages\n\n".to_owned();
        for (number, turns) in columns(&game).enumerate() {
            let cells: Vec<String> =
                turns.iter().map(|t| t.moves.iter().map(action).collect::<Vec<_>>().join(", ")).collect();
            text += &format!("{}\t{}\n", number + 1, cells.join("\t"));
        }
        text += "\nQuick Jump: main page\nPlace to nowhere\n";
        let back = read_one(&text, None, Some(game.rules));
        assert_eq!((back.main(), back.result), (game.main(), game.result), "game {n}\n{text}");
    }
}

#[test]
fn results_follow_from_the_position_where_nothing_tells_them() {
    let won = games(false).filter(|game| game.result != GameResult::Unknown).count();
    assert!(won > 20, "random games that end: {won}");
    let ended = games(false).find(|game| game.result == GameResult::Win(Color::Black)).expect("one of them");
    assert_eq!(read_one(&ended.to_tokens(), None, Some(ended.rules)).result, ended.result);
}

/// Fragments of which broken records are made.
fn fragments() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "[",
        "]",
        "[Event \"x\"]\n",
        "[FEN \"",
        "[Variant \"Custom\"]\n",
        "[Site \"PlayOK\"]\n",
        "\"",
        "\\",
        "{",
        "}",
        "(",
        ")",
        ";",
        "$",
        "$7",
        "!",
        "?!",
        "1.",
        "1...",
        "...",
        "d6",
        "f4",
        "xd6",
        "d6-d7",
        "a7xa1",
        "x",
        "-",
        "14",
        "5-4",
        "1x2",
        "1-0",
        "*",
        "1/2-1/2",
        "Place to d7",
        ", take a1",
        " -> ",
        "\n",
        "\r\n",
        " ",
        "\t",
        "Quick Jump",
        "startpos",
        "moves",
        "fen",
        "#",
        "\u{feff}",
        "é",
        "\0",
        "1\t",
        "********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes",
    ]);
    let any = "\\PC{0,3}";
    prop::collection::vec(prop_oneof![9 => pieces.prop_map(str::to_owned), 1 => any], 0..60)
        .prop_map(|list| list.concat())
}

/// Cases of the test below for each 256 that `PROPTEST_CASES` asks for.
const TEXTS: u32 = 2_000;

#[test]
fn no_text_makes_a_reader_panic() -> Result<(), String> {
    check(TEXTS, &(fragments(), 0_usize..5, any::<bool>()), |(text, format, keep_partial)| {
        let format = Format::NAMES.get(format).map(|&(_, format)| format);
        let reading = read("fuzz", &text, &ReadOptions { format, rules: None, keep_partial });
        for game in reading.games {
            let written = game.to_pgn();
            for format in [Some(Format::Pgn), None] {
                let again = read("again", &written, &ReadOptions { format, ..ReadOptions::default() });
                if !again.errors.is_empty() || again.games != [game.clone()] {
                    let (errors, games) = (again.errors, again.games);
                    return Err(format!(
                        "{text:?} is written as\n{written}and read as {games:?}, {errors:?}"
                    ));
                }
            }
        }
        Ok(())
    })
}
