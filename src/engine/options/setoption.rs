//! `setoption`: reads `name <id> value <x>`, checks the value and records it.

use super::option::{EngineOption, OptionEffect, OptionKind};
use super::table::OPTIONS;
use super::values::OptionValues;
use crate::platform::text::printable;
use crate::rules::{RULE_OPTIONS, parse_bool};
use std::fmt;

/// Returns every option: those of the table, then one for each rule, then with the feature `tune` one for
/// each tunable number.
pub fn all() -> impl Iterator<Item = EngineOption> {
    let options = OPTIONS.iter().copied().chain(RULE_OPTIONS.iter().map(super::option::rule));
    #[cfg(feature = "tune")]
    let options = options.chain(super::params::options());
    options
}

/// Returns the option with this name; letter case and blanks do not matter.
pub fn find(name: &str) -> Option<EngineOption> {
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

/// Splits the rest of a `setoption` line, `name <id> [value <x>]`, into the option and the value.
///
/// # Errors
/// When the form is wrong or there is no such option.
pub fn parse(text: &str) -> Result<(EngineOption, Option<&str>), OptionError> {
    let text = text.trim();
    let rest = match text.split_once(char::is_whitespace) {
        Some((word, rest)) if word.eq_ignore_ascii_case("name") => rest.trim(),
        _ => return Err(OptionError::NoName(text.to_owned())),
    };
    // The value keeps its inner blanks, so the text itself is searched for the word before it.
    let mut at = 0;
    let mut value = None;
    for word in rest.split(char::is_whitespace) {
        if word.eq_ignore_ascii_case("value") {
            value = Some(at);
            break;
        }
        at += word.len() + rest[at + word.len()..].chars().next().map_or(0, char::len_utf8);
    }
    let (name, value) = match value {
        Some(at) => (&rest[..at], Some(rest[at + "value".len()..].trim())),
        None => (rest, None),
    };
    let name = name.trim();
    if name.is_empty() {
        return Err(OptionError::NoName(text.to_owned()));
    }
    let option = find(name).ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
    Ok((option, value))
}

impl OptionValues {
    /// Records an option, given the rest of a `setoption` line. Returns the work that follows.
    ///
    /// # Errors
    /// When the form is wrong, there is no such option, or the value is not accepted; the values stay as they
    /// are.
    pub fn set(&mut self, text: &str) -> Result<OptionEffect, OptionError> {
        let (option, value) = parse(text)?;
        option.set(self, value)
    }
}

impl EngineOption {
    /// Records a value. Returns the work that follows: none for a value that is in force already, because
    /// clients send all their options whenever one changes. A button acts each time, and a log is opened each
    /// time.
    ///
    /// # Errors
    /// When the value is missing, unreadable or out of range; the values stay as they are.
    pub fn set(self, values: &mut OptionValues, value: Option<&str>) -> Result<OptionEffect, OptionError> {
        let before = values.clone();
        let value = match (self.kind, value.map(str::trim)) {
            (OptionKind::Text { .. }, Some("<empty>")) => Some(""),
            (_, value) => value,
        };
        let accepted = match (self.kind, value) {
            (OptionKind::Button, _) => return Ok(self.effect),
            (OptionKind::Text { set, .. }, Some(text)) => set(values, text),
            (_, None | Some("")) => return Err(OptionError::NoValue(self)),
            (OptionKind::Check { set, .. }, Some(text)) => parse_bool(text).map(|on| set(values, on)),
            (OptionKind::Spin { min, max, set, .. }, Some(text)) => {
                text.parse().ok().filter(|n| (min..=max).contains(n)).map(|n| set(values, n))
            }
            (OptionKind::Combo { set, .. }, Some(text)) => set(values, text),
            (OptionKind::Rule(rule), Some(text)) => values.rules.set_option(rule.name, text).ok().map(|_| ()),
        };
        match accepted {
            None => Err(OptionError::BadValue(self, value.unwrap_or_default().to_owned())),
            Some(()) if *values == before && self.effect != OptionEffect::OpenLog => {
                Ok(OptionEffect::Nothing)
            }
            Some(()) => Ok(self.effect),
        }
    }
}

/// The reason why an option was not set.
#[derive(Clone, Debug)]
pub enum OptionError {
    /// `setoption` was not followed by `name` and a name.
    NoName(String),
    /// There is no option of this name.
    Unknown(String),
    /// The option needs a value.
    NoValue(EngineOption),
    /// The value is unreadable or out of range.
    BadValue(EngineOption, String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName(text) => {
                let found = printable(text, 60);
                write!(f, "setoption: found '{found}', expected name <option> [value <value>]")
            }
            Self::Unknown(name) => write!(f, "no such option: {}", printable(name, 60)),
            Self::NoValue(option) => {
                write!(f, "option {}: found no value, expected {}", option.name, option.expected())
            }
            Self::BadValue(option, value) => {
                let found = printable(value, 60);
                write!(f, "option {}: found '{found}', expected {}", option.name, option.expected())
            }
        }
    }
}

impl std::error::Error for OptionError {}
