//! An option: its type, default and range, and its setter.

use super::values::OptionValues;
use crate::rules::{RuleKind, RuleOption, Rules};
use std::fmt;

/// The work that a new value requires before the next position or search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionEffect {
    /// None: the next search reads the value.
    Nothing,
    /// Reallocate the transposition table.
    ResizeHash,
    /// Clear the transposition table: the entries do not fit the new value.
    ClearHash,
    /// Start or end search threads.
    ResizePool,
    /// Compile the new rules and set up their initial position.
    SetRules,
    /// Open the tablebases again.
    OpenTablebase,
    /// Read the certificate of never losing.
    ReadCertificate,
    /// Read the network of the evaluation.
    ReadNetwork,
    /// Open or close the experience file.
    OpenExperience,
    /// Open or close the log.
    OpenLog,
    /// Change the dialect.
    SwitchProtocol,
}

/// The work that option values require before the next position or search.
#[derive(Clone, Copy, Default)]
pub(crate) struct PendingUpdates(u16);

impl PendingUpdates {
    /// Returns the work of one option.
    pub(crate) const fn of(effect: OptionEffect) -> Self {
        Self(1 << effect as u16)
    }

    /// Adds the work of an option.
    pub(crate) fn add(&mut self, effect: OptionEffect) {
        self.0 |= Self::of(effect).0;
    }

    /// Returns true if the work of an option is to be done.
    pub(crate) const fn has(self, effect: OptionEffect) -> bool {
        self.0 & Self::of(effect).0 != 0
    }

    /// Returns true if the work of an option was to be done, which the caller does now.
    pub(crate) fn take(&mut self, effect: OptionEffect) -> bool {
        let has = self.has(effect);
        self.0 &= !Self::of(effect).0;
        has
    }
}

/// The type, the range and the setter of an option.
#[derive(Clone, Copy)]
pub enum OptionKind {
    /// True or false.
    Check {
        /// The value at start.
        default: bool,
        /// Records a value.
        set: fn(&mut OptionValues, bool),
    },
    /// A whole number.
    Spin {
        /// The value at start.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// Records a value.
        set: fn(&mut OptionValues, i64),
    },
    /// One of several words.
    Combo {
        /// The value at start.
        default: &'static str,
        /// Returns the words.
        choices: fn() -> Vec<String>,
        /// Records a value; `None` if it is not one of the words.
        set: fn(&mut OptionValues, &str) -> Option<()>,
    },
    /// No value.
    Button,
    /// Free text.
    Text {
        /// The value at start.
        default: &'static str,
        /// The accepted text, as error messages name it.
        expected: &'static str,
        /// Records a value; `None` if it is not accepted.
        set: fn(&mut OptionValues, &str) -> Option<()>,
    },
    /// A rule.
    Rule(&'static RuleOption),
}

/// The dialects that announce an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shown {
    /// All dialects.
    Everywhere,
    /// The dialects that begin with `uci`.
    Uci,
    /// The GBGP dialect.
    Gbgp,
    /// No dialect: an option of other engines that is accepted and has no effect.
    Never,
}

/// An option of the engine.
#[derive(Clone, Copy)]
pub struct EngineOption {
    /// The name, compared without regard to letter case and blanks.
    pub name: &'static str,
    /// A description of one line.
    pub summary: &'static str,
    /// The type, the range and the setter.
    pub kind: OptionKind,
    /// The work that a new value requires.
    pub effect: OptionEffect,
    /// The dialects that announce it.
    pub shown: Shown,
}

/// Returns an option of true or false.
pub(super) const fn check(
    name: &'static str,
    default: bool,
    set: fn(&mut OptionValues, bool),
) -> EngineOption {
    EngineOption::new(name, OptionKind::Check { default, set })
}

/// Returns an option that is a number from `min` to `max`.
pub(super) const fn spin(
    name: &'static str,
    default: i64,
    [min, max]: [i64; 2],
    set: fn(&mut OptionValues, i64),
) -> EngineOption {
    EngineOption::new(name, OptionKind::Spin { default, min, max, set })
}

/// Returns an option that is one of several words.
pub(super) const fn combo(
    name: &'static str,
    default: &'static str,
    choices: fn() -> Vec<String>,
    set: fn(&mut OptionValues, &str) -> Option<()>,
) -> EngineOption {
    EngineOption::new(name, OptionKind::Combo { default, choices, set })
}

/// Returns an option that is free text.
pub(super) const fn text(
    name: &'static str,
    default: &'static str,
    expected: &'static str,
    set: fn(&mut OptionValues, &str) -> Option<()>,
) -> EngineOption {
    EngineOption::new(name, OptionKind::Text { default, expected, set })
}

/// Returns an option without a value.
pub(super) const fn button(name: &'static str) -> EngineOption {
    EngineOption::new(name, OptionKind::Button)
}

/// Returns the option of a rule.
pub(super) const fn rule(rule: &'static RuleOption) -> EngineOption {
    let option = EngineOption::new(rule.name, OptionKind::Rule(rule));
    EngineOption { summary: rule.summary, effect: OptionEffect::SetRules, ..option }
}

impl EngineOption {
    const fn new(name: &'static str, kind: OptionKind) -> Self {
        Self { name, summary: "", kind, effect: OptionEffect::Nothing, shown: Shown::Everywhere }
    }

    /// Adds the description.
    pub(super) const fn summary(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// Adds the work that a new value requires.
    pub(super) const fn then(self, effect: OptionEffect) -> Self {
        Self { effect, ..self }
    }

    /// Announces the option in some dialects only.
    pub(super) const fn shown(self, shown: Shown) -> Self {
        Self { shown, ..self }
    }

    /// Makes it an option of other engines: the value is checked and dropped.
    pub(super) const fn ignored(self) -> Self {
        self.summary("accepted without effect").shown(Shown::Never)
    }

    /// Returns the value at start as the protocol writes it; empty for a button.
    pub fn default_text(&self) -> String {
        match self.kind {
            OptionKind::Check { default, .. } => default.to_string(),
            OptionKind::Spin { default, .. } => default.to_string(),
            OptionKind::Combo { default, .. } | OptionKind::Text { default, .. } => default.to_owned(),
            OptionKind::Button => String::new(),
            OptionKind::Rule(rule) => Rules::NINE.value_text(rule),
        }
    }

    /// Returns the type as the protocol writes it.
    pub fn type_text(&self) -> &'static str {
        match self.kind {
            OptionKind::Check { .. } | OptionKind::Rule(RuleOption { kind: RuleKind::Check, .. }) => "check",
            OptionKind::Spin { .. } | OptionKind::Rule(RuleOption { kind: RuleKind::Spin { .. }, .. }) => {
                "spin"
            }
            OptionKind::Combo { .. } => "combo",
            OptionKind::Button => "button",
            OptionKind::Text { .. } => "string",
        }
    }

    /// Returns the smallest and the largest value of a number.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self.kind {
            OptionKind::Spin { min, max, .. } => Some((min, max)),
            OptionKind::Rule(RuleOption { kind: RuleKind::Spin { min, max }, .. }) => {
                Some((i64::from(*min), i64::from(*max)))
            }
            _ => None,
        }
    }

    /// Returns the accepted values as error messages name them.
    pub fn expected(&self) -> String {
        match self.kind {
            OptionKind::Combo { choices, .. } => format!("one of {}", choices().join(", ")),
            OptionKind::Button => "no value".to_owned(),
            OptionKind::Text { expected, .. } => expected.to_owned(),
            _ => match self.range() {
                Some((min, max)) => format!("a number from {min} to {max}"),
                None => "true or false".to_owned(),
            },
        }
    }
}

impl fmt::Debug for EngineOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
