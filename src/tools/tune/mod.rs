//! `tune`: fits the evaluation to the positions of games. With `--spsa` it adjusts the parameters of the
//! search by matches.
//!
//! For the evaluation, [games] are played. The [network](crate::evaluate::network) is fitted so that the
//! logistic function of its value predicts the result of their positions. A draw is half a win, and a distant
//! win is a little less than a near one. The fit of other rules begins with the network of the standard game,
//! or with that of a game with the same moving phase.
//! The same arguments and tablebase give the same network, with any number of threads.
//!
//! Uses `search` and the modules above it, the shared files of `tools`, `bench`, `matches` and `suite`.

mod finished;
mod games;
mod samples;
mod score;
mod settings;
pub(crate) mod spsa;
mod train;

use super::bench;
use super::error::{Place, ToolError};
use super::files::{check_other, check_stdout, check_writable, eprint_line, write_file, write_out};
use super::suite::{self, Suite, SuitePosition};
use crate::evaluate::network::{Network, Parameters};
use crate::evaluate::patterns::{STAGES, stage};
use crate::platform::files;
use crate::platform::text::counted;
use crate::position::Position;
use crate::rules::{CompiledRules, Rules};
use crate::tablebase::format::game::SolvedGame;
use samples::{BATCH, Sample};
use score::FitScore;
pub(crate) use settings::TuneSettings;
pub(crate) use spsa::SpsaSettings;
use std::collections::HashSet;
use std::path::Path;
use train::Trainer;

/// One batch of this many is held out for measuring the error.
const HELD_OUT: usize = 20;

/// Fits the network and writes it to a file.
///
/// # Errors
/// If a tablebase file is missing or damaged, or another file is damaged or cannot be written.
pub(crate) fn run(args: &TuneSettings, output: &Path) -> Result<(), ToolError> {
    let player = bench::network(args.eval_file.as_deref(), &args.rules)?;
    check_writable(output)?;
    check_stdout()?;
    for (input, found) in [
        (&args.samples, "the file of --samples"),
        (&args.eval_file, "the file of --eval-file"),
        (&args.moving_phase, "the file of --moving-phase"),
    ] {
        check_other(output, input.as_deref(), found, "another file for --output")?;
    }
    let compiled = CompiledRules::new(&args.rules);
    let suite = suite_keys(&args.rules)?;
    let moving_phase =
        args.moving_phase.as_deref().map(|path| read_network(path, &args.rules)).transpose()?;
    let network = moving_phase.as_ref().map(|(network, _)| network);
    let (mut train, held_out) = split(&games::collect(args, &player, network)?, &suite);
    let apart = if suite.is_empty() { "" } else { ", none of them in the accuracy suite" };
    let parts = format!("{} to learn from, {} held out", counted(train.len(), "position"), held_out.len());
    if train.is_empty() || held_out.is_empty() {
        return Err(ToolError::unexpected(Place::Job, parts, "some of both"));
    }
    eprint_line(format_args!("{parts}{apart}"));
    let known = moving_phase.map(|(_, parameters)| parameters);
    let mut trainer = Trainer::new(&compiled, known, args.seed);
    let mut packed = Vec::new();
    let mut scores = Vec::new();
    for epoch in 1..=args.epochs {
        let learned = trainer.learn(&mut train);
        packed = trainer.parameters().pack(&args.rules).map_err(ToolError::io(Place::Job))?;
        scores = scores_by_stage(&packed, &compiled, &held_out)?;
        let unseen = FitScore::total(&scores).error();
        eprint_line(format_args!(
            "round {epoch} of {}: error {learned:.4}, of those held out {unseen:.4}",
            args.epochs
        ));
    }
    write_file(output, &packed)?;
    // Games of the engine against itself give means, which are neither won nor lost.
    let are_results = train.iter().all(|sample| games::is_result(sample.points));
    write_out(None, &score::summary(&scores, are_results))?;
    eprint_line(format_args!("{} bytes", packed.len()));
    Ok(())
}

/// Returns the samples to learn from and those held out, without positions of the suite. None that is held
/// out is learned too, nor is a symmetric image of it.
fn split(samples: &[Sample], suite: &HashSet<[u64; 2]>) -> (Vec<Sample>, Vec<Sample>) {
    let (mut train, mut held_out) = (Vec::new(), Vec::new());
    let batches = samples.chunks(BATCH);
    // With fewer batches, the last one is held out.
    let every = batches.len().min(HELD_OUT);
    for (number, batch) in batches.enumerate() {
        let batch = batch.iter().filter(|sample| !suite.contains(&sample.key()));
        if number % every == every - 1 { &mut held_out } else { &mut train }.extend(batch.copied());
    }
    let mut unseen: HashSet<[u64; 2]> = held_out.iter().map(Sample::key).collect();
    for sample in &train {
        unseen.remove(&sample.key());
    }
    held_out.retain(|sample| unseen.contains(&sample.key()));
    (train, held_out)
}

/// Reads a network of a game with the moving phase of these rules, and its numbers.
fn read_network(path: &Path, rules: &Rules) -> Result<(Network, Parameters), ToolError> {
    let bytes = files::read_regular(path, Network::LARGEST_FILE).map_err(ToolError::io(path))?;
    let read = Network::read(&bytes).and_then(|network| Ok((network, Parameters::read(&bytes)?)));
    let (network, parameters) = read.map_err(ToolError::input(path))?;
    // Its file has a fingerprint of the rules. Of rules without a name nothing more is known.
    let mut named = Rules::names().filter_map(|name| Rules::by_name(&name));
    if let Some(other) = named.find(|named| named.fingerprint() == network.game) {
        let moving = |rules| SolvedGame::new(rules).map(|game| game.describe(false));
        // Of a game that cannot be solved nothing is known either.
        if let (Ok(found), Ok(expected)) = (moving(&other), moving(rules))
            && found != expected
        {
            let found = format!("the network of {}", other.describe());
            let expected = format!("one of a game with the moving phase of {}", rules.describe());
            return Err(ToolError::unexpected(path, found, expected));
        }
    }
    Ok((network, parameters))
}

/// Returns the keys of the positions of the accuracy suite of this game. They are left out of the fit, since
/// the suite measures the result.
fn suite_keys(rules: &Rules) -> Result<HashSet<[u64; 2]>, ToolError> {
    let Some(bytes) = suite::built_in_of_game(rules) else { return Ok(HashSet::new()) };
    let suite = Suite::read("built-in suite", bytes)?;
    let key = |entry: &SuitePosition| match Position::from_fen(&suite.rules, &entry.fen) {
        Ok(pos) => Ok(Sample::new(&pos, 0.5).key()),
        Err(why) => Err(why.into()),
    };
    suite.entries.iter().map(key).collect()
}

/// Returns the fit of a packed network in each stage of the game.
fn scores_by_stage(
    packed: &[u8],
    compiled: &CompiledRules,
    samples: &[Sample],
) -> Result<Vec<FitScore>, ToolError> {
    let network = Network::read(packed).map_err(ToolError::input(Place::Job))?;
    let mut scores = vec![FitScore::default(); STAGES];
    for sample in samples {
        let board = sample.board(compiled);
        scores[stage(&board)].add(network.value(&board).0, sample.points);
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_of_a_game_is_left_out_with_other_draw_counters_too() {
        let suite = suite_keys(&Rules::NINE).expect("sound");
        assert!(suite.len() > 1_000);
        assert_eq!(suite_keys(&Rules { n_move_rule: 50, ..Rules::NINE }).expect("sound"), suite);
        assert!(suite_keys(&Rules::ZHI_QI).expect("none").is_empty());
    }

    #[test]
    fn a_network_of_a_game_with_another_moving_phase_is_refused() {
        let nine = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/networks/nine.bin"));
        read_network(nine, &Rules::LASKER)
            .expect("the men of Lasker Morris move as those of the standard game");
        let error = read_network(nine, &Rules::DOOZ).map(|_| ()).expect_err("no diagonals").to_string();
        let end = "nine.bin: found the network of nine, expected one of a game with the moving phase of dooz";
        assert!(error.ends_with(end), "{error}");
    }

    #[test]
    fn the_last_batch_is_held_out_without_what_is_learned_and_the_suite_is_in_no_part() {
        let sample = |own: u32| Sample { own, other: 0, marked: 0, hands: [5, 5], points: 0.5 };
        let [learned, image, held, of_suite] = [1, 4, 3, 7].map(sample);
        assert_eq!(image.key(), learned.key());
        let mut samples = vec![learned; BATCH];
        samples[5] = of_suite;
        samples.extend([of_suite, image, held]);
        let suite = HashSet::from([of_suite.key()]);
        assert_eq!(split(&samples, &suite), (vec![learned; BATCH - 1], vec![held]));
        // One batch leaves nothing to learn.
        assert_eq!(split(&samples[..BATCH], &suite), (Vec::new(), vec![learned; BATCH - 1]));
    }
}
