//! A position with its rules as one text, and what follows from the text: equality, hashing, serialisation.

use super::board::Position;
use super::error::PositionError;
use crate::rules::Rules;
use crate::types::{Color, serde_as_text};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

impl fmt::Display for Position {
    /// Writes the position text of [`Position::fen`], with the rules in front unless they are nine men's
    /// morris: `lasker ********/********/******** w p p 0 10 …`. With `{:#}` the board is drawn instead.
    ///
    /// The text of a lost game does not say which side has lost; see [`Position::fen`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.write_str(&self.drawing());
        }
        if *self.rules() != Rules::NINE {
            write!(f, "{} ", self.rules())?;
        }
        f.write_str(&self.fen())
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fen())
    }
}

impl FromStr for Position {
    type Err = PositionError;

    /// Reads a position text, with the rules in front unless they are Nine Men's Morris.
    ///
    /// A lost game does not return from its text; see [`Position::fen`].
    ///
    /// ```
    /// use millstone::Position;
    ///
    /// let fen = "********/********/******** w p p 0 10 0 10 0 0 -1 -1 -1 -1 0 0 1 ids:nodes";
    /// let pos: Position = format!("lasker {fen}").parse()?;
    /// assert_eq!(pos.rules().name(), "lasker");
    /// assert_eq!(pos.to_string().parse::<Position>()?, pos);
    /// # Ok::<(), millstone::position::PositionError>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, PositionError> {
        let text = text.trim_start();
        // The first field of a position text has slashes between the rings; no rules have.
        let (rules, fen) = match text.split_once(char::is_whitespace) {
            Some((first, rest)) if !first.contains('/') => {
                (first.parse().map_err(PositionError::Rules)?, rest)
            }
            _ => (Rules::NINE, text),
        };
        Self::from_fen(&rules, fen)
    }
}

/// Positions are equal if their rules and position texts are. The moves that led to them do not count.
impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        let men = |pos: &Self| Color::ALL.map(|color| pos.men(color));
        men(self) == men(other) && self.rules() == other.rules() && self.fen() == other.fen()
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for color in Color::ALL {
            (self.men(color), self.hand(color)).hash(state);
        }
    }
}

serde_as_text!(Position);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;

    #[test]
    fn positions_of_all_rules_return_from_their_text() {
        let custom = Rules { may_fly: false, ..Rules::TWELVE };
        for rules in Rules::PRESETS.into_iter().chain([custom]) {
            let mut pos = Position::new(&rules);
            for text in ["d6", "f4", "d2"] {
                pos.do_move(notation::parse(&pos, text).expect("an empty point"));
                let again: Position = pos.to_string().parse().expect("its own text");
                assert_eq!(again, pos);
                let json = serde_json::to_string(&pos).expect("a string");
                assert_eq!(serde_json::from_str::<Position>(&json).expect("the same"), pos);
            }
        }
        let names =
            [("ten ********", "no such rule set 'ten'"), ("nine x/y", "17 fields"), ("x/y", "17 fields")];
        for (bad, why) in names {
            let error = bad.parse::<Position>().expect_err("no position").to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn the_way_to_a_position_does_not_matter_for_equality_but_rules_and_counters_do() {
        let play = |rules: &Rules, moves: &str| {
            let mut pos = Position::new(rules);
            moves.split(' ').for_each(|text| pos.do_move(notation::parse(&pos, text).expect("legal")));
            pos
        };
        let hash = |pos: &Position| {
            let mut state = std::hash::DefaultHasher::new();
            pos.hash(&mut state);
            state.finish()
        };
        let (a, b) = (play(&Rules::NINE, "d6 f4 d2 b4"), play(&Rules::NINE, "d2 b4 d6 f4"));
        assert_eq!((&a, hash(&a)), (&b, hash(&b)));
        assert_ne!(a, play(&Rules { may_fly: false, ..Rules::NINE }, "d6 f4 d2 b4"));
        assert_ne!(a, play(&Rules::NINE, "d6 f4 d2"));
    }
}
