//! The differences between the formats that are like PGN, and the words that reader and writer share.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::notation;
use crate::record::reading::Format;
use crate::record::words::{is_filler, normal};
use crate::types::Move;

/// The differences between the formats that share tags and numbered turns.
pub(in crate::record) struct PgnDialect {
    pub(in crate::record) format: Format,
    /// Splits a word into its moves; `None` if it is not a turn.
    pub(in crate::record) moves: fn(&str) -> Option<Vec<Move>>,
    /// An example of such a word, for error messages.
    pub(in crate::record) expected: &'static str,
    /// The `Site` tag of games in this format. Games without the tag need numbered turns.
    pub(in crate::record) site: Option<&'static str>,
    /// A word to skip, besides those of every format.
    pub(in crate::record) filler: &'static str,
}

/// The common format.
pub(in crate::record) const COMMON: PgnDialect = PgnDialect {
    format: Format::Pgn,
    moves: |word| notation::split_turn(word).map(|text| text.parse().ok()).collect(),
    expected: "a turn such as d6, a1-a4, xb4 or d5-d6xg7",
    site: None,
    filler: "",
};

impl PgnDialect {
    /// Returns the dialect of a game, one of `dialects`: the first in which `turn`, the first of the game, is
    /// one, else that of its `Site` tag.
    ///
    /// The tag does not come first, as a converted game of PlayOK still has it.
    pub(in crate::record) fn of_game<'a>(
        dialects: &[&'a Self],
        site: Option<&str>,
        is_numbered: bool,
        turn: &str,
    ) -> &'a Self {
        let turn = normal(turn);
        let is_named =
            |d: &Self| d.site.is_some_and(|name| site.is_some_and(|site| site.eq_ignore_ascii_case(name)));
        let fits = |d: &Self| d.site.is_none() || is_named(d) || is_numbered;
        let find = |of: &dyn Fn(&Self) -> bool| dialects.iter().copied().find(|d| of(d));
        let read = find(&|d| fits(d) && (d.moves)(&turn).is_some());
        read.or_else(|| find(&is_named)).or_else(|| find(&|_| true)).unwrap_or(&COMMON)
    }

    /// Returns true for a word that one of `dialects` skips.
    pub(in crate::record) fn is_skipped(dialects: &[&Self], word: &str) -> bool {
        is_filler(word) || dialects.iter().any(|d| word.eq_ignore_ascii_case(d.filler))
    }
}

/// Returns true for the characters of names of tags.
pub(super) fn is_in_tag_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Returns true for a name that a tag can have.
pub(crate) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_in_tag_name)
}

/// The marks that have a sign of their own, with their numbers. Longer signs come first.
pub(super) const SIGNS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// The tags that are written first, in this order.
pub(super) const ROSTER: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];

/// The tags that follow from other fields of a game. [`GameRecord::tags`](crate::GameRecord::tags) does not
/// hold them.
pub(super) const DERIVED: [&str; 6] = ["Result", "Variant", "Rules", "SetUp", "FEN", "PlyCount"];

/// Returns true for the name of a tag that follows from other fields of a game.
pub(crate) fn is_derived_tag(name: &str) -> bool {
    DERIVED.iter().any(|derived| derived.eq_ignore_ascii_case(name))
}
