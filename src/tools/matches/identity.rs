//! The identity of a match, by which a file to resume from is recognised.

use super::engine_file::describe;
use crate::tools::resume::{self, JobTraits, ResumeJob};
use serde::{Deserialize, Serialize};

/// The identity of a match. The number of games is not part of it, so that a match can be prolonged.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchIdentity {
    /// The engine files of the players.
    pub players: [String; 2],
    /// The limits of both.
    pub go: [String; 2],
    /// The rules.
    pub rules: String,
    /// The number of openings and their checksum.
    pub openings: String,
    /// The seed of everything that is random.
    pub seed: u64,
    /// True if the tablebase ends games.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adjudicate: bool,
    /// The time a player may use beyond its limit, in milliseconds.
    pub margin: u64,
}

impl ResumeJob for MatchIdentity {
    const NAME: &'static str = resume::MATCH;
    const PART: &'static str = "a game";

    fn traits(&self) -> JobTraits {
        let Self { players: [a, b], go: [a_go, b_go], rules, openings, seed, adjudicate, margin } =
            self.clone();
        let end = if adjudicate { "by the tablebase" } else { "by the rules" };
        vec![
            ("player A", describe(&a)),
            ("player B", describe(&b)),
            ("the limits of A", a_go),
            ("the limits of B", b_go),
            ("the rules", rules),
            // Their order follows from the seed.
            ("the seed", seed.to_string()),
            ("the openings", openings),
            ("the end of a game", end.to_owned()),
            ("the margin", format!("{margin} ms")),
        ]
    }
}
