//! A whole game in each dialect, as a client and the engine talked it, played again.

use crate::common;

const GAMES: [(&str, &str); 5] = [
    ("standard", include_str!("data/dialects/standard.txt")),
    ("sanmill7", include_str!("data/dialects/sanmill7.txt")),
    ("tgf", include_str!("data/dialects/tgf.txt")),
    ("gbgp", include_str!("data/dialects/gbgp.txt")),
    ("ugi", include_str!("data/dialects/ugi.txt")),
];

#[test]
fn a_recorded_game_of_each_dialect_is_talked_again() {
    for (name, log) in GAMES {
        assert!(log.matches("\n< ").count() > 20, "{name} is a whole game");
        common::replay_session(log);
    }
}
