//! Properties of the readers of positions, moves and options. For positions and moves, the first line of the
//! input names the rules, and the rest is the text to read. If the line names no rules, they are those of
//! Nine Men's Morris.

use super::chance::Dice;
use millstone::engine::options::{self, OptionValues};
use millstone::internals::check;
use millstone::notation;
use millstone::position::Position;
use millstone::rules::Rules;

fn rules_and_rest(data: &[u8]) -> (Rules, String) {
    let text = String::from_utf8_lossy(data).into_owned();
    let (first, rest) = text.split_once('\n').unwrap_or(("", &text));
    let rules = Rules::parse(first).unwrap_or(Rules::NINE);
    (rules, rest.to_owned())
}

/// A position text is refused with a message, or it gives a consistent position. The text of that position
/// can be read, and the text of the position that this gives stays the same from then on. Moves can be played
/// and undone.
pub fn position_text(data: &[u8]) {
    let (rules, text) = rules_and_rest(data);
    for read in [Position::from_fen, Position::from_fen_repaired] {
        let mut pos = match read(&rules, &text) {
            Ok(pos) => pos,
            Err(error) => {
                assert!(error.to_string().contains("expected"), "{error}");
                continue;
            }
        };
        let sound = |pos: &Position| check(pos).unwrap_or_else(|why| panic!("{why} at {}", pos.fen()));
        sound(&pos);
        let again =
            |text: &str| Position::from_fen(&rules, text).unwrap_or_else(|e| panic!("{text}: {e}")).fen();
        let settled = again(&pos.fen());
        assert_eq!(again(&settled), settled, "of {}", pos.fen());
        let mut dice = Dice(data.len() as u64);
        let mut before = Vec::new();
        while before.len() < 12 && !pos.playable_moves().is_empty() {
            let list = pos.playable_moves();
            before.push((pos.fen(), pos.key()));
            pos.do_move(list[dice.below(list.len())]);
            sound(&pos);
        }
        while let Some(expected) = before.pop() {
            pos.undo_move();
            assert_eq!((pos.fen(), pos.key()), expected);
        }
    }
}

/// A text is read as a move if and only if the list of moves contains it. Splitting a turn into moves loses
/// no letter. Every legal move can be played.
pub fn move_text(data: &[u8]) {
    let (rules, text) = rules_and_rest(data);
    let mut pos = Position::new(&rules);
    for word in text.split_whitespace() {
        assert_eq!(notation::split_turn(word).collect::<String>(), word);
        for part in notation::split_turn(word) {
            let list = pos.playable_moves();
            let listed = list.iter().find(|m| m.to_string().eq_ignore_ascii_case(part));
            match notation::parse(&pos, part) {
                Ok(m) => {
                    assert_eq!(listed, Some(&m), "{part} at {}", pos.fen());
                    pos.do_move(m);
                    check(&pos).unwrap_or_else(|why| panic!("{why} after {part}: {}", pos.fen()));
                }
                Err(error) => {
                    assert_eq!(listed, None, "{part} at {}: {error}", pos.fen());
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
}

/// Each line is refused with a message and changes nothing, or it sets an option. The same line a second time
/// changes nothing.
pub fn option_lines(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut values = OptionValues::default();
    for line in text.lines() {
        let line = line.strip_prefix("name ").unwrap_or(line);
        let (name, value) =
            line.split_once(" value ").map_or((line, None), |(name, value)| (name, Some(value)));
        let before = values.clone();
        match values.set(name, value) {
            Ok(_) => {
                let once = values.clone();
                values.set(name, value).unwrap_or_else(|error| panic!("{line}: {error}"));
                assert_eq!(values, once, "{line}");
                assert!(options::find(name).is_some(), "{line}: no option");
            }
            Err(error) => {
                let sentence = error.to_string();
                assert!(sentence.contains("expected"), "{line}: {sentence}");
                assert_eq!(values, before, "{line}");
            }
        }
    }
    // Any values of the options give rules that can be played.
    let pos = Position::new(&values.rules);
    assert_eq!(check(&pos), Ok(()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzzed::chance::{fresh, nonsense};

    /// Checks a property on texts that mix parts of valid texts with nonsense.
    fn with_texts(property: fn(&[u8]), heads: &[&str], parts: &[&str]) {
        let names: Vec<String> = Rules::names().collect();
        for seed in 0..4_000 {
            let mut dice = Dice(fresh(seed));
            let mut text = format!("{}\n", names[dice.below(names.len())]).into_bytes();
            text.extend_from_slice(dice.choose(heads).as_bytes());
            for _ in 0..dice.below(24) {
                if dice.below(9) == 0 {
                    text.extend(nonsense(&mut dice));
                } else {
                    text.extend_from_slice(dice.choose(parts).as_bytes());
                }
            }
            if dice.below(3) == 0 {
                let at = dice.below(text.len());
                text[at] ^= 1 << dice.below(8);
            }
            property(&text);
        }
    }

    #[test]
    fn any_position_text_is_refused_or_sound() {
        let boards = [
            "********/********/******** ",
            "O@******/@*OO*@**/**XO@*** ",
            "OOO@@@**/********/@@@OOO** ",
            "OOOOOOOO/@@@@@@@@/O@O@O@O@ ",
        ];
        let words = ["w ", "b ", "p ", "m ", "r ", "s ", "o ", "0 ", "0 ", "0 ", "1 ", "3 ", "-1 ", "-1 "];
        let tokens = ["ids:nodes ", "c:w-1-3|b-0- ", "i:b-2-4.5|w-0- ", "p:3 ", "s:1 ", "16777215 ", "\n"];
        with_texts(position_text, &boards, &[&words[..], &tokens].concat());
        // Random fields seldom make a valid text. A valid text with one changed field often is one.
        for seed in 0..4_000 {
            let mut dice = Dice(fresh(seed));
            let mut fields: Vec<&str> =
                "w p p 2 7 2 7 0 0 -1 -1 -1 -1 0 0 3 ids:nodes".split_whitespace().collect();
            let at = dice.below(fields.len());
            fields[at] = dice.choose(&words);
            let hands = ["0", "1", "7", "9"];
            fields[4] = dice.choose(&hands);
            fields[6] = dice.choose(&hands);
            let board = dice.choose(&["@*******/O*******/O**@****", "********/OO*@@***/********"]);
            position_text(format!("{}\n{board} {}", names(&mut dice), fields.join(" ")).as_bytes());
        }
    }

    fn names(dice: &mut Dice) -> String {
        let names: Vec<String> = Rules::names().collect();
        names[dice.below(names.len())].clone()
    }

    #[test]
    fn any_move_text_is_refused_or_in_the_list() {
        let squares = ["d6 ", "f4 ", "D2 ", "a1 ", "g7 ", "d7 ", "b4 ", "e4", "c3", "d1", "g1 "];
        let rest = ["x", "xd6 ", "xf4 ", "-", " ", "a1-a4 ", "X", "é", "d1xd2 ", "\t"];
        with_texts(move_text, &squares, &[&squares[..], &rest].concat());
    }

    #[test]
    fn any_option_line_is_refused_or_sets_an_option() {
        let options: Vec<String> = millstone::engine::options::all()
            .map(|option| format!("name {} value {}\n", option.name, option.default_text()))
            .collect();
        let mut parts: Vec<&str> = options.iter().map(String::as_str).collect();
        parts.extend(["name ", " value ", "true\n", "Hash", "\n", "-1\n", "MayFly ", "12\n", "uci variant "]);
        with_texts(option_lines, &["", "name ", "setoption "], &parts);
    }
}
