//! How an option is set: reading `name <id> value <x>`, and why it may be refused.

use super::{After, Kind, Opt, Values, find};
use crate::rules::{Rules, parse_bool};
use std::fmt;

impl Opt {
    /// Checks a value without recording it.
    ///
    /// # Errors
    /// When the value is missing, unreadable or out of range.
    pub fn read(self, value: Option<&str>) -> Result<Assignment, OptionError> {
        let trimmed = value.map(str::trim);
        let read = match (self.kind, trimmed) {
            (Kind::Button { .. }, _) => return Ok(Assignment { option: self, value: Value::Press }),
            (Kind::Text { .. }, Some("<empty>")) => Some(Value::Word(String::new())),
            (Kind::Text { .. }, Some(text)) => Some(Value::Word(text.to_owned())),
            (_, None | Some("")) => return Err(OptionError::NoValue(self)),
            (Kind::Check { .. }, Some(text)) => parse_bool(text).map(Value::Flag),
            (Kind::Spin { min, max, .. }, Some(text)) => {
                text.parse().ok().filter(|n| (min..=max).contains(n)).map(Value::Number)
            }
            (Kind::Combo { .. }, Some(text)) => Some(Value::Word(text.to_owned())),
            (Kind::Rule(rule), Some(text)) => {
                let is_good = Rules::NINE.clone().set_option(rule.name, text).is_ok();
                is_good.then(|| Value::Word(text.to_owned()))
            }
        };
        let bad = || OptionError::BadValue(self, trimmed.unwrap_or_default().to_owned());
        let assignment = Assignment { option: self, value: read.ok_or_else(bad)? };
        // Words are judged by the setter itself, tried on values nobody uses.
        assignment.apply(&mut Values::default()).map(|_| assignment)
    }
}

#[derive(Clone, Debug)]
enum Value {
    Flag(bool),
    Number(i64),
    Word(String),
    Press,
}

/// An option with a value that it accepts.
#[derive(Clone, Debug)]
pub struct Assignment {
    option: Opt,
    value: Value,
}

impl Assignment {
    /// Reads what follows the word `setoption`: `name <id> [value <x>]`.
    ///
    /// # Errors
    /// When the form is wrong, there is no such option, or it does not accept the value.
    pub fn read(text: &str) -> Result<Self, OptionError> {
        let text = text.trim();
        let rest = match text.split_once(char::is_whitespace) {
            Some((word, rest)) if word.eq_ignore_ascii_case("name") => rest.trim(),
            _ => return Err(OptionError::NoName(text.to_owned())),
        };
        // The value keeps the blanks inside it, so the word before it is looked for in the text itself.
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
            Some(at) => (&rest[..at], Some(&rest[at + "value".len()..])),
            None => (rest, None),
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(OptionError::NoName(text.to_owned()));
        }
        let option = find(name).ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
        option.read(value)
    }

    /// The option.
    pub fn option(&self) -> Opt {
        self.option
    }

    /// Records the value.
    ///
    /// # Errors
    /// When a text or word is not one that the option accepts; [`Opt::read`] has ruled that out.
    pub fn apply(&self, values: &mut Values) -> Result<After, OptionError> {
        let bad = || OptionError::BadValue(self.option, format!("{:?}", self.value));
        match (self.option.kind, &self.value) {
            (Kind::Check { set, .. }, Value::Flag(on)) => Ok(set(values, *on)),
            (Kind::Spin { set, .. }, Value::Number(n)) => Ok(set(values, *n)),
            (Kind::Combo { set, .. } | Kind::Text { set, .. }, Value::Word(text)) => {
                set(values, text).ok_or_else(|| OptionError::BadValue(self.option, text.clone()))
            }
            (Kind::Button { press }, Value::Press) => Ok(press),
            (Kind::Rule(rule), Value::Word(text)) => match values.rules.set_option(rule.name, text) {
                Ok(true) => Ok(After::NewRules),
                Ok(false) => Ok(After::Nothing),
                Err(_) => Err(OptionError::BadValue(self.option, text.clone())),
            },
            _ => Err(bad()),
        }
    }
}

/// Why an option was not set.
#[derive(Clone, Debug)]
pub enum OptionError {
    /// `setoption` was not followed by `name` and a name.
    NoName(String),
    /// There is no option of this name.
    Unknown(String),
    /// The option needs a value.
    NoValue(Opt),
    /// The value is unreadable or out of range.
    BadValue(Opt, String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoName(text) => {
                write!(f, "setoption: found '{}', expected name <option> [value <value>]", shorten(text))
            }
            Self::Unknown(name) => write!(f, "no such option: {}", shorten(name)),
            Self::NoValue(option) => {
                write!(f, "option {}: found no value, expected {}", option.name, option.expected())
            }
            Self::BadValue(option, value) => {
                write!(
                    f,
                    "option {}: found '{}', expected {}",
                    option.name,
                    shorten(value),
                    option.expected()
                )
            }
        }
    }
}

impl std::error::Error for OptionError {}

/// The first characters of a text that may be of any length.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
