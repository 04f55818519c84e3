use super::*;
use crate::rules::{NAMED, Rules};
use crate::types::Color;

const EXAMPLE: &str = r#"[Event "Example"]
[White "A"]
[Black "B"]
[Result "*"]
[Variant "Nine Men's Morris"]
[PlyCount "7"]

1. d7 a1 2. g7 d1 3. a7xa1 f4 *

"#;
const MOVES: &str = "d7 a1 g7 d1 a7 xa1 f4";

fn read_all(text: &str) -> Reading {
    read("test", text, &ReadOptions::default())
}

/// The only game of a text, which must have no error.
fn one(text: &str) -> GameRecord {
    let reading = read_all(text);
    assert!(reading.errors.is_empty(), "{:?}", reading.errors);
    let [game] = <[GameRecord; 1]>::try_from(reading.games).unwrap();
    game
}

/// The errors of a text as people see them, and the games besides.
fn broken(text: &str, keep_partial: bool) -> (Vec<String>, Vec<String>) {
    let reading = read("f", text, &ReadOptions { keep_partial, ..ReadOptions::default() });
    let games = reading.games.iter().map(|g| g.to_tokens().trim_end().to_owned()).collect();
    (reading.errors.iter().map(RecordError::to_string).collect(), games)
}

#[test]
fn the_example_reads_the_same_in_every_form() {
    let pgn = one(EXAMPLE);
    assert_eq!(pgn.to_pgn(), EXAMPLE);
    assert_eq!(pgn.to_tokens().trim_end(), MOVES);
    assert_eq!(pgn.main().turns.len(), 6);
    let playok = one("[Site \"PlayOK\"]\r\n1. 2 22 2. 3 23 3. 1x22 14\r\n");
    let bare = one("1. 2 22 2. 3 23 3. 1 x22 TXT 14");
    let unclosed = one("Hello :-{\n1\tPlace to d7\tPlace to a1\n2\tPlace to g7\tPlace to d1\n\
                        3\tPlace to a7, take a1\tPlace to f4");
    let gold =
        one("My games\nLogin 1\n1 new message\n1\tPlace to d7\tPlace to a1\n2\tPlace to g7\tPlace to d1\n\
            3\tPlace to a7, take a1\tPlace to f4\nQuick Jump: here\n9\tfoo");
    let tokens = one(&format!("# a comment\n\nstartpos moves {MOVES}\n"));
    let old = one("1 game\r1 place to d7\tPlace to a1\r2\tPlace to g7\tPlace to d1\r\
                   3\tPlace to a7, take a1\tPlace to f4\r");
    for game in [playok, bare, unclosed, gold, old, tokens] {
        assert_eq!(game.main(), pgn.main());
    }
}

#[test]
fn forms_are_told_apart() {
    for (text, format) in [
        (EXAMPLE, Format::Pgn),
        ("[Event \"x\"]\n*", Format::Pgn),
        ("1. d6 f4 (1... b4)", Format::Pgn),
        ("d6 f4 1-0", Format::Tokens),
        ("1. 5 14 2. 20 white win 1-0", Format::PlayOk),
        ("[Site \"PlayOK\"]\n\n*", Format::PlayOk),
        ("{Place to d7} 1. d6", Format::Pgn),
        ("1 d6 f4 2 d2 b4", Format::Pgn),
        ("1 \tPlace to d7", Format::GoldToken),
        ("18\ta1 -> a4\tb6 -> b4", Format::GoldToken),
        (MOVES, Format::Tokens),
        ("startpos", Format::Tokens),
        ("# 1. first\nd6 f4", Format::Tokens),
        (" # 1. first {\nd6 f4", Format::Tokens),
        (" [Site \"PlayOK\"]\n\n*", Format::PlayOk),
        ("1. 5 {\n#7 [Site]\n} 14", Format::PlayOk),
        ("1. d6 {\n1 Place to d6} *", Format::Pgn),
        ("a { b\n1\tPlace to d7", Format::GoldToken),
        ("[Event \"{\"]\n\n1. 5 {\n1\tPlace to d7", Format::PlayOk),
        ("", Format::Tokens),
        (
            "fen ********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes moves d6",
            Format::Tokens,
        ),
        (" ********/********/******** w p p 0 9 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes\n", Format::Position),
    ] {
        assert_eq!(detect(text), format, "{text}");
    }
    let alone = one("********/O*******/******** b p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes");
    assert_eq!(alone.moves().count(), 0);
    assert!(alone.start.is_some());
}

#[test]
fn a_result_ends_a_line_and_joins_no_lines() {
    for (text, games, errors) in [
        ("d6 f4\nd7 a1 1-0\n", &["d6 f4 *", "d7 a1 1-0"][..], 0),
        ("startpos moves d6 0-1\nd7 white win 1/2-1/2\nd7 *", &["d6 0-1", "d7 1/2-1/2", "d7 *"], 0),
        ("d6 1-0 f4\n1-0\nstartpos 1-0\nd7\nstartpos moves *", &["d7 *", "startpos *"], 3),
    ] {
        let reading = read_all(text);
        let shown = |game: &GameRecord| format!("{} {}", game.to_tokens().trim_end(), game.result);
        assert_eq!(reading.games.iter().map(shown).collect::<Vec<_>>(), games, "{text}");
        assert_eq!(reading.errors.len(), errors, "{text}");
    }
}

#[test]
fn moves_behind_a_position_need_the_word_before_them() {
    let fen = "********/O*******/******** b p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    assert_eq!(one(&format!("fen {fen} unknown:1 moves f4 d2")).moves().count(), 2);
    for begin in ["fen ", ""] {
        for (end, found) in [("f4 d2", "f4"), ("s:1 D2 moves", "D2"), ("g1-g4/xa1", "g1-g4/xa1")] {
            let options = ReadOptions {
                format: begin.is_empty().then_some(Format::Position),
                keep_partial: true,
                ..ReadOptions::default()
            };
            let reading = read("f", &format!("{begin}{fen} {end}"), &options);
            let errors: Vec<String> = reading.errors.iter().map(RecordError::to_string).collect();
            let expected = "'fen', a position and the word 'moves' before it";
            assert_eq!(errors, [format!("f:1: game 1: found '{found}', expected {expected}")]);
            assert!(reading.games.is_empty(), "{end}");
        }
    }
}

#[test]
fn comments_marks_and_variations_survive() {
    let text = r#"[Result "1-0"]
[Variant "Nine Men's Morris"]
[PlyCount "5"]
[Annotator "a \"quoted\" \\ name"]

{Before the first move.} 1. d6! {why not [%eval 0.35]} ({another} 1. f4?! $10 b4
(1... d2 2. b4) (1... g4)) (1. e4) 1... f4 $7 2. d2 (2. b4 g4) 2... b4?? {two}
{comments} 3. a1 1-0

"#;
    let game = one(text);
    assert_eq!(game.to_pgn(), text);
    assert_eq!(game.lines.len(), 6);
    let first = &game.main().turns[0];
    assert_eq!((first.marks.as_slice(), first.variations.as_slice()), (&[1][..], &[1, 4][..]));
    assert_eq!(commands(&first.comments[0]).collect::<Vec<_>>(), [("eval", "0.35")]);
    assert_eq!(game.tag("Annotator"), Some("a \"quoted\" \\ name"));
}

#[test]
fn marks_and_comments_may_stand_inside_a_turn() {
    let game = one("1. d7 a1 2. g7 d1 3. a7! {first} xa1? ; second\n f4");
    let turn = &game.main().turns[4];
    assert_eq!((turn.marks.as_slice(), turn.moves.len()), (&[1, 2][..], 2));
    assert_eq!(turn.comments, ["first", "second"]);
    assert!(game.to_pgn().contains("3. a7xa1! $2 {first} {second} f4"), "{}", game.to_pgn());
}

#[test]
fn comments_and_skipped_words_between_games_are_no_games() {
    for (text, comments) in [
        ("[Event \"x\"]\n\n1. d6 f4 1-0\n{the end}\n", &["the end"][..]),
        ("1. d6 f4 1-0 {the end} ; really\nwhite win\n", &["the end really"]),
        ("{first}\n[Event \"x\"]\n{too} [Round \"1\"] draw\n\n{three} 1. d6 *", &["first too three"]),
        ("{first} 1. d6 * {behind}\n; the next\n[Event \"x\"]\n\n1. f4 *", &["first behind", "the next"]),
        ("* {behind}\n{before} 1. f4 *\n\n{end}", &["behind", "before end"]),
        ("{nothing} black *", &["nothing"]),
        ("{nothing} black", &[]),
        ("1. d9 * {lost}\n\n1. d6 *\n\n1. d9 *\n{lost}", &[""]),
        ("[Event \"x\"]\n[Event \"y\"]\n{lost}\n[Round \"1\"]\n\n1. d6 *", &[]),
    ] {
        let reading = read("f", text, &ReadOptions { format: Some(Format::Pgn), ..ReadOptions::default() });
        let shown = |game: &GameRecord| {
            let turns = game.main().turns.iter().flat_map(|turn| &turn.comments);
            game.main().comments.iter().chain(turns).map(String::as_str).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(reading.games.iter().map(shown).collect::<Vec<_>>(), comments, "{text}");
    }
    let kept = broken("1. d6 d9 * {lost}\n\n1. f4 *", true);
    assert_eq!((kept.0.len(), kept.1), (1, vec!["d6".to_owned(), "f4".to_owned()]));
}

#[test]
fn tags_behind_an_empty_line_are_those_of_the_next_game() {
    let next = "[Event \"2\"]\n[Black \"B\"]\n\n1. d6 f4 *\n";
    for (before, error, players) in [
        ("[White \"A\"]\n[Result \"1-0\"]\n\n", "", &["A? 1-0", "?B *"][..]),
        ("[Event \"1\"]\r\n\t\r\n", "", &["?? *", "?B *"]),
        ("[Event \"1\"]\n\n{a comment}\n", "", &["?? *", "?B *"]),
        ("[Event \"1\"]\n{a comment}\nwhite\n\n", "", &["?? *", "?B *"]),
        ("{a comment}\n\n[White \"A\"]\n", "", &["AB *"]),
        ("[Event \"0\"]\n[Event \"1\"]\n\n", "f:2: game 1: found '[Event'", &["?B *"]),
        ("[Event \"1\n\n{a comment}\n", "f:1: game 1: found '[Event \"1'", &["?B *"]),
        ("[FEN \"nonsense\"]\n\n", "f:1: game 1: bad position", &["?B *"]),
    ] {
        let reading = read("f", &format!("{before}{next}"), &ReadOptions::default());
        let errors: Vec<String> = reading.errors.iter().map(RecordError::to_string).collect();
        assert_eq!(errors.len(), usize::from(!error.is_empty()), "{before}: {errors:?}");
        assert!(errors.iter().all(|found| found.starts_with(error)), "{before}: {errors:?}");
        let player = |game: &GameRecord, name| game.tag(name).unwrap_or("?").to_owned();
        let shown = |game| format!("{}{} {}", player(game, "White"), player(game, "Black"), game.result);
        assert_eq!(reading.games.iter().map(shown).collect::<Vec<_>>(), players, "{before}");
        assert_eq!(reading.numbers.last(), Some(&(players.len() + errors.len())), "{before}");
        assert_eq!(reading.games.last().map(|game| game.moves().count()), Some(2), "{before}");
    }
    // The rules of a game end with it.
    let lasker = "[Variant \"Lasker Morris\"]\n\n[Event \"2\"]\n\n1. d6 f4 2. d6-d7 *\n";
    let (errors, games) = broken(lasker, false);
    assert!(errors.len() == 1 && errors[0].starts_with("f:5: game 2: illegal move 'd6-d7'"), "{errors:?}");
    assert_eq!(games, ["startpos"]);
}

#[test]
fn files_with_byte_order_marks_may_be_joined() {
    for text in
        ["\u{feff}d6 f4\n\u{feff}# a\n\u{feff}d6\n", "\u{feff}1. d6 f4 *\u{feff}[Event \"x\"]\n\n1. d6 *"]
    {
        let (errors, games) = broken(text, false);
        assert_eq!((errors.len(), games), (0, vec!["d6 f4".to_owned(), "d6".to_owned()]), "{text}");
    }
    assert_eq!(one("1. d6 {a\u{feff}b} *").main().turns[0].comments, ["a\u{feff}b"]);
}

#[test]
fn backslashes_and_lone_carriage_returns_are_read_as_they_are_meant() {
    let game = one("[Event \"C:\\games\\mill \\\"x\\\" \\\\\"]\n\n1. d7 ; good\rd6 2. g7 *");
    assert_eq!(game.tag("Event"), Some("C:\\games\\mill \"x\" \\"));
    assert_eq!(game.moves().count(), 3);
    assert_eq!(one(&game.to_pgn()), game);
    let (errors, games) = broken("d6 f4\r# 1. a\rd6 d6\r\nb4\r", true);
    assert_eq!(games, ["d6 f4", "d6", "b4"]);
    assert!(errors.len() == 1 && errors[0].starts_with("f:3: game 2: illegal move 'd6'"), "{errors:?}");
    let (errors, _) = broken("1. d6 f4\r2. d2\r\nd6\r", false);
    assert!(errors[0].starts_with("f:3: game 1: illegal move 'd6'"), "{errors:?}");
    // A tag ends on its line.
    let pgn = ReadOptions { format: Some(Format::Pgn), ..ReadOptions::default() };
    for text in ["[Event\n\"x\"]\n\n*", "[Event \"x\ny\"]\n\n*", "[Event \"x\"\n]\n\n*"] {
        for text in [text.to_owned(), text.replace('\n', "\r")] {
            assert_eq!(read("f", &text, &pgn).errors.len(), 1, "{text:?}");
        }
    }
    let text = "1. d6 *\n\n[Event \"x\n\n1. d6 f4 *\n\n[Event \"y\"]\n\n1. f4 *\n";
    for text in [text.to_owned(), text.replace('\n', "\r")] {
        let (errors, games) = broken(&text, false);
        assert!(errors.len() == 1 && errors[0].starts_with("f:3: game 2: found '[Event \"x'"), "{errors:?}");
        assert_eq!(games, ["d6", "f4"], "{text:?}");
    }
    // So many on one line are read in a moment.
    let long = "[A \"x\"] ".repeat(200_000) + "d6 *";
    assert_eq!(read("f", &long, &ReadOptions::default()).games.len(), 1);
}

#[test]
fn each_game_of_a_file_may_have_its_own_form() {
    let playok = "[Site \"PlayOK\"]\n\n1. 2 22 2. 3 23 *\n\n";
    let common = "[Event \"x\"]\n\n1. d6 f4 *\n\n";
    for (text, moves, error) in [
        (format!("{playok}{common}"), &["d7 a1 g7 d1", "d6 f4"][..], ""),
        (format!("{common}{playok}"), &["d6 f4", "d7 a1 g7 d1"], ""),
        (format!("{common}1. 5 14 TXT 1-0 1. D6 1-0"), &["d6 f4", "d6 f4", "d6"], ""),
        ("[site \"playok\"]\n\n2 22 3 *".to_owned(), &["d7 a1 g7"], ""),
        (format!("{playok}1. 2 22 timeout 1-0"), &["d7 a1 g7 d1", "d7 a1"], "game 2: found 'timeout'"),
        (
            "[Site \"PlayOK\"]\n\n1. 2 d6 *".to_owned(),
            &["d7"],
            "game 1: found 'd6', expected a turn such as 14",
        ),
        ("[Site \"PlayOK\"]\n\nhuh *".to_owned(), &[""], "game 1: found 'huh', expected a turn such as 14"),
        ("1. d6 f4 2. 20 *".to_owned(), &["d6 f4"], "game 1: found '20', expected a turn such as d6"),
        // Which of these are numbers cannot be told.
        ("1 2 22 *".to_owned(), &[""], "game 1: found '1', expected a move such as d6"),
    ] {
        let (errors, games) = broken(&text, true);
        assert_eq!(errors.len(), usize::from(!error.is_empty()), "{text}: {errors:?}");
        assert!(errors.iter().all(|e| e.contains(error)), "{text}: {errors:?}");
        let games: Vec<&str> = games.iter().map(|g| g.strip_prefix("startpos").unwrap_or(g)).collect();
        assert_eq!(games, moves, "{text}");
    }
}

#[test]
fn lines_of_a_comment_are_no_signs_of_a_form() {
    let comment = "A fine game by two strong players of the server, who met for the first time, #7";
    let game = one(&format!("[Site \"PlayOK\"]\n\n{{{comment}}}\n1. 2 22 2. 3 23 3. 1x22 14 *\n"));
    let written = game.to_pgn();
    assert!(written.contains("\n#7}"), "{written}");
    assert_eq!(one(&written), game);
    assert_eq!(game.to_tokens().trim_end(), MOVES);
}

#[test]
fn loosely_written_games_are_read() {
    for text in [
        "1.D7 A1 2.G7 D1 3.A7-/XA1 F4",
        "1. d7 a1\n2 .. g7 d1 3. a7/xa1 f4 white win 1-0",
        " 1.    d7    a1\n 2.    g7    d1\n 3.    a7    xa1 p f4 *",
        "1. d7 1... a1 2. g7 2. ... d1 black resign 3. a7xa1 3...f4",
        "1 d7 a1 2 . g7 d1 3a7xa1 .. f4 *",
        "1 .d7 1 . .. a1 2\n. g7 d1 3 a7 4 xa1 f4 *",
        "1. 2 22 2. 3 23 3. 1x22 14 *",
        "1 . 2 1 ... 22 2 .3 2. . .23 3.\n1x22 14 *",
        "\u{feff}1. d7 a1 2. g7 d1 3. a7xa1 f4\r\n",
    ] {
        assert_eq!(one(text).to_tokens().trim_end(), MOVES, "{text}");
    }
}

#[test]
fn a_token_may_hold_actions_of_both_sides() {
    // El Filja: the last placing is followed by the settlement, in which both sides take a man.
    let rules = Rules::by_name("el-filja").unwrap();
    let mut builder = Builder::new(rules, None).unwrap();
    let mut seed = 5_u64;
    while !(builder.position().is_take_due() && builder.position().moves_played() > 20) {
        let list = builder.position().playable_moves();
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        builder.push(list[(seed >> 33) as usize % list.len()]).unwrap();
    }
    let mut takes = String::new();
    let mut sides = Vec::new();
    while builder.position().is_take_due() {
        let m = builder.position().playable_moves()[0];
        sides.push(builder.position().side_to_move());
        takes += &m.to_string();
        builder.push(m).unwrap();
    }
    let (game, _) = builder.finish();
    assert!(sides.contains(&Color::White) && sides.contains(&Color::Black), "{sides:?}");
    let written = game.to_pgn();
    assert_eq!(one(&written), game);
    let glued: String = game.to_tokens().replace(" x", "x");
    assert!(glued.trim_end().ends_with(&takes));
    let options = ReadOptions { rules: Some(rules), ..ReadOptions::default() };
    assert_eq!(read("test", &glued, &options).games[0].main(), game.main());
    let text = format!("[Variant \"El Filja\"]\n\n1. {glued}");
    assert_eq!(one(&text).main(), game.main());
}

#[test]
fn rules_come_from_the_tags_or_from_outside() {
    let custom = Rules { may_fly: false, n_move_rule: 60, ..Rules::TWELVE };
    let game = GameRecord::new(custom);
    assert!(
        game.to_pgn().contains("[Rules \"PiecesCount=12 HasDiagonalLines=true MayFly=false NMoveRule=60\"]")
    );
    assert_eq!(one(&game.to_pgn()), game);
    for row in &NAMED {
        assert_eq!(one(&GameRecord::new(row.rules).to_pgn()).rules, row.rules);
    }
    let (errors, games) = broken("[Variant \"Chess\"]\n\n1. d6 *\n\n[Event \"x\"]\n\n1. d6 *", false);
    assert!(errors[0].starts_with("f:1: game 1: unknown Variant 'Chess', expected one of Nine Men's Morris"));
    assert_eq!((errors.len(), games.len()), (1, 1));
    let options = ReadOptions { rules: Some(custom), ..ReadOptions::default() };
    for text in ["[Variant \"Custom\"]\n\n*", "[Variant \"Chess\"]\n\n*", "[Event \"x\"]\n\n*"] {
        let reading = read("f", text, &options);
        assert_eq!(reading.games[0].rules, custom, "{text}");
        assert_eq!(reading.notes.is_empty(), !text.contains("Variant"), "{text}");
    }
    let options = ReadOptions { rules: Some(Rules::NINE), ..ReadOptions::default() };
    let reading = read("f", "[Event \"x\"]\n[Variant \"Chess\"]\n\n*", &options);
    assert_eq!(reading.notes[0].to_string(), "f:2: game 1: unknown Variant 'Chess': read as nine");
    let reading = read("f", "[Variant \"custom\"]\n\n*", &options);
    assert_eq!(
        reading.notes[0].to_string(),
        "f:1: game 1: Variant 'custom': found no Rules tag: read as nine"
    );
    let unflown = "nine,MayFly=false".parse().unwrap();
    assert_eq!(one("[Variant \"nine,MayFly=false\"]\n\n*").rules, unflown);
    assert_eq!(
        broken("[Variant \"Custom\"]\n\n*", false).0,
        ["f:1: game 1: Variant 'Custom': found no Rules tag, expected one that names the rules"]
    );
    assert_eq!(
        broken("[Variant \"Custom\"]\n[Rules \"MayFly=false mayfly=true\"]\n\n*", false).0,
        ["f:2: game 1: bad Rules tag 'MayFly=false mayfly=true': option MayFly: found twice, expected once"]
    );
    let (errors, _) = broken("[Variant \"Custom\"]\n[Rules \"MayFly=perhaps\"]\n\n*", false);
    assert_eq!(
        errors,
        ["f:2: game 1: bad Rules tag 'MayFly=perhaps': option MayFly: found 'perhaps', expected true or \
                false"]
    );
}

#[test]
fn a_game_from_a_position_keeps_its_numbers() {
    let text = r#"[Result "*"]
[Variant "Nine Men's Morris"]
[SetUp "1"]
[FEN "********/**@**@**/O**O@@*O b m s 3 0 4 0 0 0 -1 -1 -1 -1 0 0 12 ids:nodes"]
[PlyCount "2"]

12... f4-e4 13. g1-g4 *

"#;
    assert_eq!(one(text).to_pgn(), text);
    let due = "***@****/********/OO**@@*O w p r 3 6 3 6 1 0 -1 -1 -1 -1 0 0 3 ids:nodes";
    let game = one(&format!("[FEN \"{due}\"]\n\n3. xa1 d6"));
    assert!(game.to_pgn().contains("3. xa1 d6 *"), "{}", game.to_pgn());
    assert_eq!(one(&format!("fen {due} moves xa1 d6")).main(), game.main());
    let (errors, _) = broken("[FEN \"nonsense\"]\n\n1. d6", false);
    let start = "f:1: game 1: bad position 'nonsense': position text: found 'nonsense', expected";
    assert!(errors[0].starts_with(start), "{}", errors[0]);
}

#[test]
fn any_record_is_written_so_that_it_can_be_read() {
    let mut game = one(EXAMPLE);
    for (name, value) in [("white", "C"), ("Result", "1-0"), ("two words", "a"), ("", "b"), ("eco", "c")] {
        game.set_tag(name, value);
    }
    let again = one(&game.to_pgn());
    let tags = [("Event", "Example"), ("White", "C"), ("Black", "B"), ("eco", "c")];
    assert_eq!(again.tags, tags.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!((again.tag("WHITE"), again.result), (Some("C"), GameResult::Unknown));
    // Variations that lead back to lines above.
    for variations in [vec![0], vec![1, 1, 7]] {
        let mut game = one("1. d7 a1 (1... d6 2. f4) 2. g7 *\n");
        game.lines.iter_mut().for_each(|line| line.turns[0].variations.clone_from(&variations));
        assert_eq!(one(&game.to_pgn()).main().turns.len(), 3);
    }
}

#[test]
fn a_side_that_moves_twice_in_a_row_gets_a_new_number() {
    let rules = Rules { is_defender_move_first: true, pieces_count: 3, ..Rules::NINE };
    let text = "1. d7 a7 2. d5 g1 3. b4 f2 4... a7-a4 5. b4-c4 f2-f4 *";
    let reading = read("t", text, &ReadOptions { rules: Some(rules), ..ReadOptions::default() });
    let written = reading.games[0].to_pgn();
    assert!(written.ends_with(&format!("\n{text}\n\n")), "{written}");
}

#[test]
fn control_characters_in_positions_and_tags_are_blanks() {
    let fen = "********/O*******/******** b p p 1 8 0 9 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    for text in [format!("{fen} \0"), format!("[Event \"a\0b\"]\n[FEN \"{fen}\u{1}\0\"]\n\n*")] {
        let game = one(&text);
        assert_eq!(game.start.as_deref(), Some(fen), "{text:?}");
        assert_eq!(one(&game.to_pgn()), game, "{text:?}");
    }
    assert_eq!(one("[Event \"a\0b\\\u{1}\"]\n\n*").tag("Event"), Some("a b\\ "));
}

#[test]
fn the_tag_decides_a_disputed_result() {
    let reading = read_all("[Result \"1-0\"]\n\n1. d6 0-1");
    assert_eq!(reading.games[0].result, GameResult::Win(Color::White));
    let notes: Vec<String> = reading.notes.iter().map(RecordError::to_string).collect();
    assert_eq!(notes, ["test:3: game 1: the moves end with 0-1, the tag says 1-0: kept the tag"]);
    assert_eq!(one("1. d6 1/2-1/2").result, GameResult::Draw);
}

#[test]
fn broken_games_are_named_and_the_rest_is_read() {
    let good = "[Event \"good\"]\n\n1. d6 f4 *\n\n";
    for (bad, line, what) in [
        ("[Event \"x\"]\n\n1. d6 f4\n2. d6 b4 *\n", 4, "illegal move 'd6', expected one of d5"),
        ("1. d6 f4\n2. d9 *\n", 2, "found 'd9', expected a turn such as d6"),
        ("[Event \"x\n\n1. d6 *\n", 1, "found '[Event \"x', expected a tag such as"),
        ("[Event \"x\"]\n[Event \"y\"]\n\n1. d6 *\n", 2, "found '[Event', expected each tag once"),
        ("1. d6 {never ends\nf4 *\n\n", 1, "found '{', expected a '}' that ends the comment"),
        ("1. d6 (1. f4\n\n", 3, "found the end of the game, expected a ')'"),
        ("1. d6 (1. f4 (1... d6 (1... d6)) *\n\n", 3, "found the end of the game, expected a ')'"),
        ("1. d6) f4 *\n", 1, "found ')', expected a turn; no variation is open"),
        ("(1. f4) 1. d6 *\n", 1, "found '(', expected a turn that the variation replaces"),
        ("! 1. d6 *\n", 1, "found '$1', expected a turn before its mark"),
        ("1. d6!!! *\n", 1, "found '!!!', expected one of the marks"),
        ("1. d6 $300 *\n", 1, "found '$300', expected a mark from $0 to $255"),
        ("1. d6 ] f4 *\n", 1, "found ']', expected a turn, a comment or the result"),
        ("1. d6 f4 2. d5-d6 *\n", 1, "illegal move 'd5-d6', expected one of d5"),
        ("1. d6 (1. d6-d5) f4 *\n", 1, "illegal move 'd6-d5', expected one of d5"),
        ("1/2 d6 *\n", 1, "found '1/2', expected a turn such as d6"),
        ("1. 2 22 *\n", 1, "found '2', expected a turn such as d6"),
        ("1. d6 14 2. d2 *\n", 1, "found '14', expected a turn such as d6"),
        ("1. 2 d6 *\n", 1, "found '2', expected a turn such as d6"),
        ("1. d6 f4 20 *\n", 1, "found '20', expected a turn such as d6"),
        ("1. d6xd5 f4 *\n", 1, "illegal move 'd6xd5 (xd5)', expected one of d5"),
    ] {
        let text = format!("{bad}{good}");
        let format = Some(Format::Pgn);
        let reading = read("f", &text, &ReadOptions { format, ..ReadOptions::default() });
        let errors: Vec<String> = reading.errors.iter().map(RecordError::to_string).collect();
        assert_eq!(errors.len(), 1, "{bad}: {errors:?}");
        assert!(errors[0].starts_with(&format!("f:{line}: game 1: {what}")), "{bad}: {}", errors[0]);
        assert_eq!(reading.games.len(), 1, "{bad}");
        assert_eq!(reading.games[0].tag("Event"), Some("good"), "{bad}");
    }
}

#[test]
fn a_broken_game_can_be_kept_up_to_its_last_good_turn() {
    let bad = "[White \"A\"]\n[Result \"1-0\"]\n\n1. d7 a1 2. g7 d1 3. a7 (3. f4) (3. b4) xd2 1-0\n\n1. d6 *";
    let (errors, games) = broken(bad, true);
    assert!(errors[0].contains(":4: game 1: illegal move 'xd2', expected one of xd1 xa1"), "{errors:?}");
    assert_eq!(games, ["d7 a1 g7 d1", "d6"], "the mill without its take is no whole turn");
    let kept = read("f", bad, &ReadOptions { keep_partial: true, ..ReadOptions::default() });
    assert_eq!((kept.games[0].lines.len(), kept.games[0].result), (1, GameResult::Win(Color::White)));
    for inside in ["c3 zz", "zz", "c3 (3. b4 (3. f4 zz", "c3 f4) (3. b4 zz"] {
        let (errors, games) = broken(&format!("1. d7 a1 2. g7 d1 3. a7 (3. {inside}) xa1 f4 *"), true);
        assert_eq!((errors.len(), games), (1, vec!["d7 a1 g7 d1".to_owned()]), "{inside}");
    }
    let (errors, games) = broken("1. d7 a1 (1... d1 2. g9) 2. g7 1-0", true);
    assert_eq!((errors.len(), games), (1, vec!["d7 a1".to_owned()]));
    // A word is a whole turn: the move before a take that earns none is no good turn.
    for text in ["1. d6 f4 2. d2xa1 b4 *", "1. d6 f4 2. d2xg9 *", "d6 f4 d2xa1 b4", "d6 f4 d2xg9"] {
        let (errors, games) = broken(text, true);
        assert_eq!((errors.len(), games), (1, vec!["d6 f4".to_owned()]), "{text}");
    }
    let (errors, _) = broken("d6 f4 d2xa1", true);
    assert!(errors[0].contains("illegal move 'd2xa1 (xa1)', expected one of d5 "), "{errors:?}");
    let (errors, games) = broken("d6 p f4 White Win\n\nblack resign\nstartpos moves d6 draw\nwhite d9", true);
    assert_eq!((errors.len(), games), (1, ["d6 f4", "d6", "startpos"].map(str::to_owned).to_vec()));
    let (errors, games) = broken("d6 f4\nd6 d6\nfen what\nstartpos d6\nb4", true);
    assert_eq!(games, ["d6 f4", "d6", "b4"]);
    let lines: Vec<&str> = errors.iter().map(|e| &e[..13]).collect();
    assert_eq!(lines, ["f:2: game 2: ", "f:3: game 3: ", "f:4: game 4: "]);
}

#[test]
fn broken_texts_of_servers_are_named() {
    let (errors, games) = broken("1. 2 22 2. 2 23 1-0", true);
    assert!(errors[0].starts_with("f:1: game 1: illegal move '2 (d7)', expected one of d5"), "{errors:?}");
    assert_eq!(games, ["d7 a1"]);
    let (errors, _) = broken("1. 2 22 2. 25 23 1-0", true);
    assert!(errors[0].contains("found '25', expected a turn such as 14"), "{errors:?}");
    let (errors, games) = broken("1\tPlace to d7\tPlace to d7\n", true);
    assert!(errors[0].starts_with("f:1: game 1: illegal move 'Place to d7 (d7)'"), "{errors:?}");
    assert_eq!(games, ["d7"]);
    for take in ["take a1", ", take a1"] {
        let (errors, _) = broken(&format!("1\tPlace to d7\tPlace to b4\n2\t{take}\tPlace to g7\n"), true);
        assert!(errors[0].starts_with("f:2: game 1: illegal move 'take a1 (xa1)', expected"), "{errors:?}");
    }
    // A wrong take leaves no placing behind, whether the placing closes a mill or not.
    let mill = "1\tPlace to d7\tPlace to b4\n2\tPlace to g7\tPlace to a1\n3\tPlace to a7";
    for (text, expected, kept) in [
        ("1\tPlace to d7\tPlace to b4, take d7\n".to_owned(), "illegal move 'take d7 (xd7)'", "d7"),
        ("1\tPlace to d7\tPlace to b4, take z9\n".to_owned(), "found ', take z9'", "d7"),
        (format!("{mill}, take d7\n"), "illegal move 'take d7 (xd7)'", "d7 b4 g7 a1"),
        (format!("{mill}, take a1, take b4\n"), "illegal move 'take b4 (xb4)'", "d7 b4 g7 a1"),
    ] {
        let (errors, games) = broken(&text, true);
        assert!(errors.len() == 1 && errors[0].contains(expected), "{errors:?}");
        assert_eq!(games, [kept], "{text}");
    }
    let (errors, _) = broken("1\tPlace to d7\tJump to d7\n", false);
    assert!(errors[0].contains("found 'Jump to d7', expected a move such as 'Place to c3'"), "{errors:?}");
    let gold = ReadOptions { format: Some(Format::GoldToken), ..ReadOptions::default() };
    let errors = read("f", "nothing here\r1 message", &gold).errors;
    let errors: Vec<String> = errors.iter().map(RecordError::to_string).collect();
    assert!(errors.len() == 1 && errors[0].starts_with("f:2: game 1: "), "{errors:?}");
    assert!(errors[0].ends_with("expected a line that begins with '1 Place to'"), "{errors:?}");
}

#[test]
fn nesting_has_no_limit() {
    let depth = 100_000;
    let text = format!("1. d6 {} {} *", "(1. f4 ".repeat(depth), ")".repeat(depth));
    let game = one(&text);
    assert_eq!(game.lines.len(), depth + 1);
    assert_eq!(one(&game.to_pgn()), game);
}

#[test]
fn games_may_go_on_past_claimable_draws() {
    let start = "********/**@**@*O/O**O@@*O w m s 4 0 4 0 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    let text = format!("fen {start} moves {}", "g1-g4 f4-f2 g4-g1 f2-f4 ".repeat(4));
    assert_eq!(one(&text).moves().count(), 16);
}
