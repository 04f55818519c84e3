//! What a match is known by when it is resumed.

use crate::tools::resume::Job;
use serde::{Deserialize, Serialize};

/// What makes two runs the same match: the number of games is not part of it, so that a match can be prolonged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The players, as their engine files say.
    pub players: [String; 2],
    /// The limits of both.
    pub go: [String; 2],
    /// The rules.
    pub rules: String,
    /// The openings, by number and a checksum.
    pub openings: String,
    /// The seed of everything that is random.
    pub seed: u64,
    /// Whether games are ended by the tables.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adjudicate: bool,
}

impl Job for Identity {
    const NAME: &'static str = "match";

    fn traits(&self) -> Vec<(&'static str, String)> {
        let Self { players: [a, b], go: [a_go, b_go], rules, openings, seed, adjudicate } = self.clone();
        let end = if adjudicate { "by the tables" } else { "by the rules" };
        vec![
            ("player A", a),
            ("player B", b),
            ("the limits of A", a_go),
            ("the limits of B", b_go),
            ("the rules", rules),
            ("the openings", openings),
            ("the seed", seed.to_string()),
            ("the end of a game", end.to_owned()),
        ]
    }
}
