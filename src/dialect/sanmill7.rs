//! The dialect of Sanmill 7: one result line, and scores from White's point of view.

use super::error::DialectError;
use super::writer::{Answer, Dialect, View, for_white, join, points};
use crate::position::Position;
use crate::types::{Color, Value};

/// The dialect of Sanmill 7.
pub(crate) struct Sanmill7;

impl Dialect for Sanmill7 {
    fn name(&self) -> &'static str {
        "sanmill7"
    }

    fn is_sanmill(&self) -> bool {
        true
    }

    fn text_for_engine(&self, text: &str, _: &Position) -> Result<String, DialectError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        // Sanmill 7 has no extensions; `ids:nodes` only means that points count from 0.
        let mut extensions = words.iter().skip(17);
        if !extensions.all(|word| word.eq_ignore_ascii_case("ids:nodes")) {
            return Err(DialectError::Inexpressible(text.to_owned()));
        }
        let fields = words[..words.len().min(17)].join(" ");
        Ok(if words.len() > 17 { old_numbers(&fields) } else { fields })
    }

    fn fen(&self, pos: &Position) -> String {
        old_numbers(&pos.fen())
    }

    fn score(&self, value: Value, mover: Color) -> String {
        format!("cp {}", points(for_white(value, mover)))
    }

    fn answer(&self, answer: &Answer, view: &View<'_>) -> String {
        let score = points(for_white(answer.score, view.side()));
        format!("info score {score} bestmove {}", join(&answer.turn))
    }

    fn no_move(&self, is_drawn: bool) -> String {
        format!("info score 0 bestmove {}", if is_drawn { "draw" } else { "none" })
    }

    fn eval(&self, value: Value, _: &[(&'static str, Value)], mover: Color) -> Vec<String> {
        vec![format!("info eval score {}", self.score(value, mover))]
    }
}

/// Returns a position text with the point numbers of Sanmill 7, which counts points from 8 and writes 0 for
/// none.
fn old_numbers(fen: &str) -> String {
    let mut words = Vec::new();
    for (index, word) in fen.split(' ').enumerate() {
        words.push(match index {
            10..=13 => old_point(word),
            14 => {
                let used: u64 = word.parse().unwrap_or(0);
                ((used >> 32) << 40 | (used & 0xffff_ffff) << 8).to_string()
            }
            17.. if word == "ids:nodes" => continue,
            17.. => old_token(word),
            _ => word.to_owned(),
        });
    }
    words.join(" ")
}

fn old_point(number: &str) -> String {
    match number.parse::<i64>() {
        Ok(point) if point >= 0 => (point + 8).to_string(),
        _ => "0".to_owned(),
    }
}

/// Renumbers the points in `c:w-1-16.17|b-0-` and `p:3`; `s:1` has none.
fn old_token(token: &str) -> String {
    match token.split_once(':') {
        Some(("p", point)) => format!("p:{}", old_point(point)),
        Some((kind @ ("c" | "i" | "l"), records)) => {
            let records = records.split('|').map(|record| match record.rsplit_once('-') {
                Some((head, points)) => {
                    let points = points.split('.').filter(|p| !p.is_empty()).map(old_point);
                    format!("{head}-{}", points.collect::<Vec<_>>().join("."))
                }
                None => record.to_owned(),
            });
            format!("{kind}:{}", records.collect::<Vec<_>>().join("|"))
        }
        _ => token.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use crate::rules::{CaptureRule, Rules};

    #[test]
    fn texts_with_old_numbers_are_read_back_as_the_same_position() {
        let start = Position::new(&Rules::NINE);
        assert_eq!(Sanmill7.fen(&start), "********/********/******** w p p 0 9 0 9 0 0 0 0 0 0 0 0 1");
        let rules = Rules {
            restrict_repeated_mills_formation: true,
            one_time_use_mill: true,
            custodian: CaptureRule { enabled: true, ..CaptureRule::OFF },
            ..Rules::NINE
        };
        for fen in [
            "********/OO*****O/OO*@@*@O b m s 6 0 3 0 0 0 8 16 -1 -1 12884901889 1 2 ids:nodes",
            "********/********/@O*****O w p r 2 7 1 8 1 0 -1 -1 -1 -1 0 0 2 ids:nodes c:w-1-16|b-0-",
        ] {
            let pos = Position::from_fen(&rules, fen).unwrap();
            let old = Sanmill7.fen(&pos);
            assert!(!old.contains("ids:nodes") && old != pos.fen());
            assert_eq!(Position::from_fen(&rules, &old).unwrap().fen(), fen);
        }
    }

    #[test]
    fn texts_for_older_engines_have_no_extensions() {
        let text = "********/***O**@*/**@****O b p p 2 7 2 7 0 0 -1 -1 9 8 4251872 0 3 ids:nodes";
        let start = Position::new(&Rules::NINE);
        assert_eq!(
            Sanmill7.text_for_engine(text, &start).unwrap(),
            "********/***O**@*/**@****O b p p 2 7 2 7 0 0 0 0 17 16 1088479232 0 3"
        );
        assert!(Sanmill7.text_for_engine(&format!("{text} s:1"), &start).is_err());
    }
}
