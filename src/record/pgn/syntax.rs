//! The differences between the forms that are like PGN, and the words that reader and writer share.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::notation;
use crate::types::Move;

/// The differences between the forms that share tags and numbered turns.
pub(in crate::record) struct PgnDialect {
    /// Splits a word into its moves; `None` if it is not a turn.
    pub(in crate::record) actions: fn(&str) -> Option<Vec<Move>>,
    /// An example of such a word, for error messages.
    pub(in crate::record) expected: &'static str,
    /// A word to skip, besides those of every form.
    pub(in crate::record) filler: &'static str,
}

/// The common form.
pub(in crate::record) const COMMON: PgnDialect = PgnDialect {
    actions: |word| notation::split_turn(word).map(notation::read).collect(),
    expected: "a turn such as d6, a1-a4, xb4 or d5-d6xg7",
    filler: "",
};

/// The marks that have a sign of their own, with their numbers. Longer signs come first.
pub(super) const SIGNS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// The tags that are written first, in this order.
pub(super) const ROSTER: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];

/// The tags that follow from other fields of a game. [`GameRecord::tags`](crate::GameRecord::tags) does not
/// hold them.
pub(super) const DERIVED: [&str; 6] = ["Result", "Variant", "Rules", "SetUp", "FEN", "PlyCount"];
