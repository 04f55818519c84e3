//! The options a client can set, as one table: `uci`, `setoption`, `help`, the README list and the tests walk it.
//!
//! Setting an option only records its value in [`Values`]; the returned [`After`] says what has to be redone
//! before the next position or search.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod assignment;
mod table;
mod values;

pub(crate) use assignment::shorten;
pub use assignment::{Assignment, OptionError};
pub use values::Values;

use crate::rules::{RULE_OPTIONS, RuleKind, RuleOption, Rules};
use std::fmt;
use table::{OPTIONS, opt};

/// The forms of output that the option `Protocol` chooses from.
pub const PROTOCOLS: [&str; 3] = ["standard", "sanmill7", "tgf"];

/// What the program says about itself.
pub const ABOUT: &str = concat!(
    "Millstone ",
    env!("CARGO_PKG_VERSION"),
    ", an engine for Mill (Nine Men's Morris) and its family. Free software under the MIT licence or the Apache licence 2.0."
);

/// What has to be redone after a value was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// Nothing: the next search reads the value.
    Nothing,
    /// The transposition table gets its new size.
    ResizeHash,
    /// The transposition table is emptied.
    ClearHash,
    /// The transposition table is emptied if the value is another one: what it holds was found otherwise.
    OutdateHash,
    /// Threads are started or ended.
    ResizePool,
    /// The initial position of the new rules is set up.
    NewRules,
    /// The tables of perfect play are opened anew.
    OpenTables,
    /// The file of experience is opened or closed.
    OpenExperience,
    /// The log is opened or closed.
    OpenLog,
    /// The dialect changes.
    SwitchProtocol,
}

/// The type, the range and the effect of an option.
#[derive(Clone, Copy)]
pub enum Kind {
    /// True or false.
    Check {
        /// Value at start.
        default: bool,
        /// Records a value.
        set: fn(&mut Values, bool) -> After,
    },
    /// A whole number.
    Spin {
        /// Value at start.
        default: i64,
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Records a value.
        set: fn(&mut Values, i64) -> After,
    },
    /// One of several words.
    Combo {
        /// Value at start.
        default: &'static str,
        /// The words.
        choices: fn() -> Vec<String>,
        /// Records a value; `None` if it is not one of them.
        set: fn(&mut Values, &str) -> Option<After>,
    },
    /// No value.
    Button {
        /// What pressing it does.
        press: After,
    },
    /// Free text.
    Text {
        /// Value at start.
        default: &'static str,
        /// What text is accepted, for people.
        expected: &'static str,
        /// Records a value; `None` if it is not accepted.
        set: fn(&mut Values, &str) -> Option<After>,
    },
    /// A rule.
    Rule(&'static RuleOption),
}

/// Where an option is announced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// In every dialect.
    Everywhere,
    /// In the dialects that begin with `uci`, among which it chooses.
    Uci,
    /// In the GBGP dialect only.
    Gbgp,
    /// Nowhere: a name of other engines that is accepted and does nothing.
    Never,
}

/// An option.
#[derive(Clone, Copy)]
pub struct Opt {
    /// The name, compared without regard to letter case and blanks.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Type, range and effect.
    pub kind: Kind,
    /// Where it is announced.
    pub shown: Shown,
}

/// Every option: those of the table, then one for each rule.
pub fn all() -> impl Iterator<Item = Opt> {
    let rules = RULE_OPTIONS.iter().map(|rule| opt(rule.name, rule.summary, Kind::Rule(rule)));
    OPTIONS.iter().copied().chain(rules)
}

/// The option with this name, letter case and blanks ignored.
pub fn find(name: &str) -> Option<Opt> {
    let squeeze = |text: &str| -> String {
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = match squeeze(name).as_str() {
        "rulevariant" => "uci_variant".to_owned(),
        "piececount" => "piecescount".to_owned(),
        other => other.to_owned(),
    };
    all().find(|option| squeeze(option.name) == wanted)
}

impl Opt {
    /// The value at start as the protocol writes it; empty for a button.
    pub fn default_text(&self) -> String {
        match self.kind {
            Kind::Check { default, .. } => default.to_string(),
            Kind::Spin { default, .. } => default.to_string(),
            Kind::Combo { default, .. } | Kind::Text { default, .. } => default.to_owned(),
            Kind::Button { .. } => String::new(),
            Kind::Rule(rule) => Rules::NINE.value_text(rule),
        }
    }

    /// The type as the protocol writes it.
    pub fn type_text(&self) -> &'static str {
        match self.kind {
            Kind::Check { .. } | Kind::Rule(RuleOption { kind: RuleKind::Check, .. }) => "check",
            Kind::Spin { .. } | Kind::Rule(RuleOption { kind: RuleKind::Spin { .. }, .. }) => "spin",
            Kind::Combo { .. } => "combo",
            Kind::Button { .. } => "button",
            Kind::Text { .. } => "string",
        }
    }

    /// Smallest and largest value of a number.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self.kind {
            Kind::Spin { min, max, .. } => Some((min, max)),
            Kind::Rule(RuleOption { kind: RuleKind::Spin { min, max }, .. }) => {
                Some((i64::from(*min), i64::from(*max)))
            }
            _ => None,
        }
    }

    /// The line that announces the option.
    pub fn announcement(&self) -> String {
        let mut line = format!("option name {} type {}", self.name, self.type_text());
        match self.kind {
            Kind::Button { .. } => {}
            Kind::Text { default: "", .. } => line.push_str(" default <empty>"),
            _ => line.push_str(&format!(" default {}", self.default_text())),
        }
        if let Some((min, max)) = self.range() {
            line.push_str(&format!(" min {min} max {max}"));
        }
        if let Kind::Combo { choices, .. } = self.kind {
            for choice in choices() {
                line.push_str(&format!(" var {choice}"));
            }
        }
        line
    }

    /// What values are accepted, for people.
    pub fn expected(&self) -> String {
        match self.kind {
            Kind::Combo { choices, .. } => format!("one of {}", choices().join(", ")),
            Kind::Button { .. } => "no value".to_owned(),
            Kind::Text { expected, .. } => expected.to_owned(),
            _ => match self.range() {
                Some((min, max)) => format!("a number from {min} to {max}"),
                None => "true or false".to_owned(),
            },
        }
    }
}

impl fmt::Debug for Opt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_default_is_accepted_and_is_the_value_at_start() {
        let mut values = Values::default();
        for option in all() {
            let assignment = option.read(Some(&option.default_text())).unwrap();
            assignment.apply(&mut values).unwrap();
        }
        assert_eq!(values, Values::default());
    }

    #[test]
    fn every_neighbour_of_a_range_is_refused() {
        for option in all() {
            if let Some((min, max)) = option.range() {
                for bad in [min - 1, max + 1, i64::MIN, i64::MAX] {
                    assert!(option.read(Some(&bad.to_string())).is_err(), "{} {bad}", option.name);
                }
                for good in [min, max] {
                    assert!(option.read(Some(&good.to_string())).is_ok(), "{} {good}", option.name);
                }
            }
            if option.type_text() == "check" {
                assert!(option.read(Some("OFF")).is_ok() && option.read(Some("perhaps")).is_err());
            }
            if let Kind::Combo { choices, .. } = option.kind {
                for choice in choices() {
                    assert!(option.read(Some(&choice)).is_ok(), "{} {choice}", option.name);
                }
                assert!(option.read(Some("no such choice")).is_err());
            }
            let needs = !matches!(option.kind, Kind::Button { .. });
            assert_eq!(option.read(None).is_err(), needs, "{}", option.name);
        }
    }

    #[test]
    fn names_are_found_in_any_case_with_and_without_blanks() {
        for option in all() {
            assert_eq!(find(&option.name.to_uppercase()).map(|o| o.name), Some(option.name));
            let spread: String = option.name.chars().flat_map(|c| [c, ' ']).collect();
            assert_eq!(find(&spread).map(|o| o.name), Some(option.name));
        }
        assert_eq!(find("piece count").map(|o| o.name), Some("PiecesCount"));
        assert!(find("").is_none() && find("Hash2").is_none());
    }

    #[test]
    fn names_and_values_may_contain_blanks() {
        let mut values = Values::default();
        let set = |text: &str, values: &mut Values| Assignment::read(text)?.apply(values);
        set("name  Debug  Log File value  /tmp/a  b.log ", &mut values).unwrap();
        assert_eq!(values.log_file, "/tmp/a  b.log");
        set("name debug log file value <empty>", &mut values).unwrap();
        assert_eq!(values.log_file, "");
        set("name Debug Log File value", &mut values).unwrap();
        assert_eq!(set("NAME may fly VALUE no", &mut values).unwrap(), After::NewRules);
        assert_eq!(set("name MayFly value false", &mut values).unwrap(), After::Nothing);
        assert_eq!(set("name UCI_Variant value Twelve Men's Morris", &mut values).unwrap(), After::NewRules);
        assert_eq!(values.rules, Rules::TWELVE);
        assert_eq!(set("name SearchShuffleSeed value 0xff", &mut values).unwrap(), After::Nothing);
        assert_eq!(values.play.seed, Some(255));
        for bad in [
            "",
            "name",
            "name value 3",
            "Hash value 3",
            "name Hash",
            "name Hash value",
            "name Hash value 1.5",
            "name Hash value 99999999999999999999",
            "name SearchShuffleSeed value soon",
            "name Foo value 1",
        ] {
            let before = values.clone();
            assert!(set(bad, &mut values).is_err(), "{bad}");
            assert_eq!(values, before);
        }
    }

    #[test]
    fn the_later_of_the_two_move_times_counts() {
        let mut values = Values::default();
        for (text, ms) in [("name MoveTime value 1", 1000), ("name MoveTimeMs value 50", 50)] {
            Assignment::read(text).unwrap().apply(&mut values).unwrap();
            assert_eq!(values.move_time, Duration::from_millis(ms));
        }
    }
}
