//! Properties of every game under every combination of the rule options: undoing a move restores the
//! position, the key depends on the position alone, position texts are read back, the symmetries of the board
//! are symmetries of the game, `is_legal` agrees with the list of moves, and the naive model agrees at every
//! ply.
//!
//! Seeds are fixed, so that every run checks the same games. `PROPTEST_RNG_SEED` chooses others and
//! `PROPTEST_CASES` (256 if unset) scales their number. A failure prints rules, position text and moves of
//! the shortest game found. Uses the library, `subject` and `naive`.

mod drawn;
mod model;
mod position;
mod symmetry;

use drawn::pick;
use millstone::position::Position;
use millstone::rules::Rules;
use millstone::types::Move;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// The default seed.
const SEED: u64 = 0x004d_696c_6c73_746f;

/// Runs `property` on values of `strategy`, `share` for each 256 cases of the configuration.
pub(crate) fn check<S: Strategy>(
    share: u32,
    strategy: &S,
    property: impl Fn(S::Value) -> Result<(), String>,
) -> Result<(), String> {
    let mut config = Config { failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    config.cases = (config.cases.saturating_mul(share) / 256).max(1);
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    TestRunner::new(config).run(strategy, |value| property(value).map_err(TestCaseError::fail)).map_err(
        |error| match error {
            // The message has the game. The values that generated it are long and add nothing.
            TestError::Fail(why, _) => why.to_string(),
            TestError::Abort(why) => why.to_string(),
        },
    )
}

/// Fails with both answers if they differ.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}\n  found    {found:?}\n  expected {expected:?}"))
    }
}

/// The text of a game for messages.
fn replay_text(rules: &Rules, start: &str, played: &[Move]) -> String {
    let moves: Vec<String> = played.iter().map(ToString::to_string).collect();
    format!("\nrules {}\nstart {start}\nmoves {}", rules.describe(), moves.join(" "))
}

/// Plays a game by `pick`, calling `visit` before the first move and after each one.
fn walk(
    start: &Position,
    choices: &[u16],
    mut visit: impl FnMut(&mut Position, &[Move]) -> Result<(), String>,
) -> Result<(), String> {
    let mut pos = start.clone();
    let mut played = Vec::new();
    let rules = *start.rules();
    let fail = |error: String, played: &[Move]| error + &replay_text(&rules, &start.fen(), played);
    visit(&mut pos, &played).map_err(|error| fail(error, &played))?;
    for &choice in choices {
        let Some(m) = pick(&pos, &played, choice) else { break };
        pos.do_move(m);
        played.push(m);
        let sound = millstone::internals::check(&pos).map_err(|error| error.to_string());
        sound.and_then(|()| visit(&mut pos, &played)).map_err(|error| fail(error, &played))?;
    }
    Ok(())
}
