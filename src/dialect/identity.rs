//! Digests that identify rules, referee and history of a game in `statejson`. `docs/protocol.md` says what
//! each is the digest of.

use crate::engine::{PositionHistory, PositionOrigin};
use crate::rules::{RULE_OPTIONS, RepetitionProfile, Rules};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a text as 64 hexadecimal digits.
fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns one line `name=value` for each rule option.
fn rule_lines(rules: &Rules) -> String {
    RULE_OPTIONS.iter().map(|option| format!("{}={}\n", option.name, rules.value_text(option))).collect()
}

/// Returns the digest of all rule options.
pub(crate) fn rules(rules: &Rules) -> String {
    format!("sha256:{}", sha256(&rule_lines(rules)))
}

/// Returns the identity of the referee: the way it counts repetitions, and a digest of that and the rules.
pub(crate) fn referee(rules: &Rules, profile: RepetitionProfile) -> Value {
    let (observation, is_origin_counted) = match profile {
        RepetitionProfile::AfterSlides => ("post-move-only-v1", false),
        RepetitionProfile::StableMoving => ("stable-moving-v1", true),
    };
    let text = format!(
        "profile={}\nrepetitionObservation={observation}\noriginCounted={is_origin_counted}\n{}",
        profile.name(),
        rule_lines(rules)
    );
    json!({
        "format": "strict-referee-identity-v1",
        "profile": profile.name(),
        "repetitionObservation": observation,
        "originCounted": is_origin_counted,
        "semanticDigest": format!("sha256:{}", sha256(&text)),
    })
}

/// Returns the digest of a `position` command: the origin, and the moves in lower case.
pub(crate) fn history(history: &PositionHistory) -> String {
    let mut text = match &history.origin {
        PositionOrigin::Start => "position startpos".to_owned(),
        PositionOrigin::Text(text) => format!("position fen {text}"),
    };
    if !history.moves.is_empty() {
        text.push_str(" moves");
    }
    history.moves.iter().for_each(|m| text.push_str(&format!(" {m}")));
    sha256(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_other_programs() {
        // printf abc | sha256sum
        assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert!(rule_lines(&Rules::NINE).starts_with("PiecesCount=9\nflyPieceCount=3\n"));
    }
}
