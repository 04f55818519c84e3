//! Reads and writes game records in the common form, which follows chess PGN. PlayOK's records share its
//! reader. Uses `notation`, `types`, and `model`, `build`, `reading`, `tags` and `words` of `record`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod read;
mod scan;
mod write;

pub(super) use read::read;
pub(super) use scan::read_tag;
pub(super) use write::write;

use crate::notation;
use crate::types::Move;

/// The differences between the forms that share tags and numbered turns.
pub(super) struct PgnDialect {
    /// Splits a word into its moves; `None` if it is not a turn.
    pub(super) actions: fn(&str) -> Option<Vec<Move>>,
    /// An example of such a word, for error messages.
    pub(super) expected: &'static str,
    /// True if a number without a dot is a move number.
    pub(super) plain_numbers: bool,
    /// A word to skip, besides those of every form.
    pub(super) filler: &'static str,
}

/// The common form.
pub(super) const COMMON: PgnDialect = PgnDialect {
    actions: |word| notation::split_turn(word).map(notation::read).collect(),
    expected: "a turn such as d6, a1-a4, xb4 or d5-d6xg7",
    plain_numbers: true,
    filler: "",
};

/// The marks that have a sign of their own, with their numbers. Longer signs come first.
const SIGNS: [(&str, u8); 6] = [("!!", 3), ("??", 4), ("!?", 5), ("?!", 6), ("!", 1), ("?", 2)];

/// The tags that are written first, in this order.
const ROSTER: [&str; 6] = ["Event", "Site", "Date", "Round", "White", "Black"];

/// The tags that follow from other fields of a game. [`super::GameRecord::tags`] does not hold them.
const DERIVED: [&str; 6] = ["Result", "Variant", "Rules", "SetUp", "FEN", "PlyCount"];
