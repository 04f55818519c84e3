//! The lines of a handshake that announce the options.

use super::command;
use crate::engine::options::{self, EngineOption, OptionKind, Shown};

/// Returns the options that the dialects with this greeting announce, with their defaults. `protocol` is the
/// value that `Protocol` has at start, which the command line sets.
pub(crate) fn announced(hello: &str, protocol: &str) -> impl Iterator<Item = (EngineOption, String)> {
    let is_shown = move |option: &EngineOption| match option.shown {
        Shown::Everywhere => true,
        Shown::Uci => hello == command::UCI.hello,
        Shown::Gbgp => hello == "gbgp",
        Shown::Never => false,
    };
    options::all().filter(is_shown).map(move |option| match option.name {
        "Protocol" => (option, protocol.to_owned()),
        _ => (option, option.default_text()),
    })
}

/// Returns a line for each option that [`announced`] returns.
pub(crate) fn announcements(hello: &str, protocol: &str) -> impl Iterator<Item = String> {
    announced(hello, protocol).map(|(option, default)| announcement(&option, &default))
}

fn announcement(option: &EngineOption, default: &str) -> String {
    let mut line = format!("option name {} type {}", option.name, option.type_text());
    match option.kind {
        OptionKind::Button => {}
        OptionKind::Text { default: "", .. } => line.push_str(" default <empty>"),
        _ => line.push_str(&format!(" default {default}")),
    }
    if let Some((min, max)) = option.range() {
        line.push_str(&format!(" min {min} max {max}"));
    }
    if let OptionKind::Combo { choices, .. } = option.kind {
        for choice in choices() {
            line.push_str(&format!(" var {choice}"));
        }
    }
    line
}
