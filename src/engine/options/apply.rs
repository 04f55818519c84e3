//! `setoption`: finds the option, checks the value and records it.

use super::super::error::EngineError;
use super::option::{EngineOption, OptionEffect, OptionKind};
use super::table::OPTIONS;
use super::values::OptionValues;
use crate::platform::text::parse_bool;
use crate::rules::{RULE_OPTIONS, RuleOption};

/// Returns every option: those of the table, then one for each rule.
///
/// With the feature `tune`, one for each tunable number follows.
pub fn all() -> impl Iterator<Item = EngineOption> {
    let options = OPTIONS.iter().copied().chain(RULE_OPTIONS.iter().map(super::option::rule));
    #[cfg(feature = "tune")]
    let options = options.chain(super::params::options());
    options
}

/// Returns the option with this name, or with another one that clients use.
///
/// Letter case and blanks do not matter.
pub fn find(name: &str) -> Option<EngineOption> {
    let squeeze = |text: &str| -> String {
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
    };
    let squeezed = squeeze(name);
    let wanted = if squeezed == "rulevariant" { "uci_variant" } else { &squeezed };
    let own = all().find(|option| squeeze(option.name) == wanted);
    own.or_else(|| RuleOption::find(name).map(super::option::rule))
}

impl OptionValues {
    /// Records the value of the option with this name. Returns the work that follows.
    ///
    /// # Errors
    /// If there is no such option, or the value is not accepted; the values stay as they are.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<OptionEffect, EngineError> {
        let option = find(name).ok_or_else(|| EngineError::NoOption(name.to_owned()))?;
        option.set(self, value)
    }
}

impl EngineOption {
    /// Records a value.
    ///
    /// Returns the work that follows: none for an unchanged value, because clients send all their options
    /// whenever one changes. But a button acts every time, and a log is opened every time. The engine also
    /// does the work again if it has refused the file that an option names.
    ///
    /// # Errors
    /// If the value is missing, unreadable or out of range; the values stay as they are.
    pub fn set(self, values: &mut OptionValues, value: Option<&str>) -> Result<OptionEffect, EngineError> {
        let before = values.clone();
        let value = match (self.kind, value.map(str::trim)) {
            (OptionKind::Text { .. }, Some(text)) if text.eq_ignore_ascii_case("<empty>") => Some(""),
            (_, value) => value,
        };
        let accepted = match (self.kind, value) {
            (OptionKind::Button, _) => return Ok(self.effect),
            (OptionKind::Text { set, .. }, Some(text)) => set(values, text),
            (_, None | Some("")) => return Err(EngineError::NoValue(self)),
            (OptionKind::Check { set, .. }, Some(text)) => parse_bool(text).map(|on| set(values, on)),
            (OptionKind::Spin { min, max, set, .. }, Some(text)) => {
                text.parse().ok().filter(|n| (min..=max).contains(n)).map(|n| set(values, n))
            }
            (OptionKind::Combo { set, .. }, Some(text)) => set(values, text),
            (OptionKind::Rule(rule), Some(text)) => values.rules.set_option(rule.name, text).ok().map(|_| ()),
        };
        match accepted {
            None => Err(EngineError::BadValue(self, value.unwrap_or_default().to_owned())),
            Some(()) if *values == before && self.effect != OptionEffect::OpenLog => {
                Ok(OptionEffect::Nothing)
            }
            Some(()) => Ok(self.effect),
        }
    }
}
