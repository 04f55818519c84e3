//! The `Variant` and `Rules` tags.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::reading::{Problem, is_custom};
use crate::rules::{NAMED, Rules};

/// Returns the title of the first named rule set with these rules.
pub fn variant_title(rules: &Rules) -> Option<&'static str> {
    NAMED.iter().find(|row| row.rules == *rules).map(|row| row.title)
}

/// Returns the value of the `Rules` tag: the options that differ from the defaults.
pub(super) fn rules_tag(rules: &Rules) -> String {
    rules.differing_settings().collect::<Vec<_>>().join(" ")
}

/// Returns the rules of a `Variant` and a `Rules` tag, and true if the variant is known or absent.
///
/// An unknown one is read as `outside`. Beside titles, rules as [`Rules::parse`] reads them are known.
///
/// # Errors
/// If the variant is unknown or custom without settings, and `outside` names no rules; or if a setting is
/// malformed, refused or repeated.
pub(super) fn rules_of_tags(
    variant: Option<&str>,
    settings: Option<&str>,
    outside: Option<Rules>,
) -> Result<(Rules, bool), Problem> {
    let custom = variant.is_some_and(is_custom);
    let (mut rules, is_known) = match variant {
        None => (outside.unwrap_or_default(), true),
        // A custom game without the `Rules` tag does not name its rules.
        Some(_) if custom && settings.is_some() => (Rules::NINE, true),
        Some(title) => match (Rules::parse(title.trim()), outside) {
            (Ok(rules), _) => (rules, true),
            (Err(_), Some(rules)) => (rules, false),
            (Err(_), None) if custom => return Err(Problem::NoRules),
            (Err(_), None) => return Err(Problem::UnknownVariant),
        },
    };
    let pairs = settings
        .unwrap_or_default()
        .split_whitespace()
        .map(|setting| setting.split_once('=').ok_or_else(|| Problem::NoSetting(setting.to_owned())));
    rules.set_options(pairs.collect::<Result<Vec<_>, _>>()?).map_err(Problem::BadRules)?;
    Ok((rules, is_known))
}
