//! The games that the training positions come from.
//!
//! With a tablebase both sides play with random quality, and it knows the results. Without one the engine
//! plays against itself, and a position is worth the mean of two numbers: what a search says, and how the
//! game ended. In the moving phase the network of another game may count instead.

use super::finished::FinishedBatches;
use super::samples::{BATCH, LONGEST, PACKED, Sample, pack, unpack};
use super::settings::TuneSettings;
use crate::evaluate::network::Network;
use crate::evaluate::{EvalNetwork, Evaluator, evaluate_by, expected_points};
use crate::platform::files;
use crate::platform::memory::check_available;
use crate::platform::mixing::scatter;
use crate::platform::text::printable_path;
use crate::position::Position;
use crate::rules::{CompiledRules, Rules};
use crate::search::limits::Limits;
use crate::tablebase::{Found, Tablebase, Wdl};
use crate::tools::error::{Place, ToolError};
use crate::tools::exact_values;
use crate::tools::files::{check_writable, eprint_line, write_file};
use crate::tools::jobs::do_jobs;
use crate::tools::progress::Bar;
use crate::tools::searcher::Searcher;
use crate::types::{Color, Move, Value};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicBool;
use xxhash_rust::xxh3::xxh3_64;

/// The most men for which the distance of a win counts. With more it takes long to probe, and winning a man
/// is the aim.
const FEW_MEN: u32 = 13;
/// The result of an infinitely distant win.
const FAR_WIN: f32 = 0.7;
/// The distance in plies of a win that counts half-way between [`FAR_WIN`] and 1.
const HALF_WAY: f32 = 40.0;

/// The most random moves at the beginning of a game against itself, and the chance of one later. A network
/// that has seen good play alone cannot tell what bad moves cost.
const RANDOM_MOVES: usize = 20;
const RANDOM_LATER: f64 = 0.05;
/// A game of the engine against itself is a draw after so many plies, or after so many slides without a take.
const LONGEST_GAME: usize = 240;
const MOST_COUNTED: u32 = 40;
/// The size of the transposition table for these games in MiB.
const HASH: usize = 2;

/// Returns the training positions in batches of [`BATCH`]: those of the `--samples` file if it exists, else
/// new ones. Without a tablebase `player` plays the games, and positions of the moving phase are worth what
/// `moving` says.
///
/// # Errors
/// If a tablebase file is missing or damaged, the samples file is damaged or cannot be written, or there is
/// no memory for so many positions. Unless batches are finished, no new file is left.
pub(super) fn collect(
    args: &TuneSettings,
    player: &EvalNetwork,
    moving: Option<&Network>,
) -> Result<Vec<Sample>, ToolError> {
    if let Some(path) = &args.samples {
        match files::read_regular(path, LONGEST) {
            Ok(bytes) => {
                let samples = unpack(&bytes, &args.rules).map_err(ToolError::input(path))?;
                let (path, count) = (printable_path(path), samples.len());
                let idle = "--positions, --tablebase, --eval-file, --nodes and --threads have no effect";
                let kept = if moving.is_some() { ", --moving-phase none on their values" } else { "" };
                eprint_line(format_args!("{path}: its {count} positions are used; {idle}{kept}"));
                return Ok(samples);
            }
            Err(why) if why.kind() == io::ErrorKind::NotFound => check_writable(path)?,
            Err(why) => return Err(ToolError::io(path)(why)),
        }
    }
    check_memory(args.positions, args.samples.is_some())?;
    let exact = open_tablebase(args)?;
    let Some(path) = &args.samples else {
        return find(args, exact, player, moving, BTreeMap::new(), |_, _| Ok(()));
    };
    let (mut finished, batches) = FinishedBatches::open(path, identity(args, player, moving), &args.rules)?;
    let found = find(args, exact, player, moving, batches, |number, batch| finished.append(number, batch));
    if found.is_err() && finished.is_empty() {
        finished.remove()?;
        return found;
    }
    let samples = found?;
    write_file(path, &pack(&samples, &args.rules))?;
    finished.remove()?;
    Ok(samples)
}

/// Opens the tablebase; `None` if the engine plays against itself.
///
/// # Errors
/// If there is none for the standard game, or it cannot be opened.
fn open_tablebase(args: &TuneSettings) -> Result<Option<Tablebase>, ToolError> {
    let exact = exact_values::open_folders(&args.tablebases, &args.rules)?;
    if exact.is_none() && CompiledRules::new(&args.rules).standard {
        let option = "--tablebase with a folder of tablebase files; other --rules need none";
        return Err(ToolError::Needs { choice: "a fit for the standard game", option });
    }
    Ok(exact)
}

/// Returns a hash of all that the games depend on, but for their number.
fn identity(args: &TuneSettings, player: &EvalNetwork, moving: Option<&Network>) -> u64 {
    let exact = !args.tablebases.is_empty();
    let [version, game] = [env!("CARGO_PKG_VERSION"), &args.rules.fingerprint().to_string()];
    let [player, moving] = [player.file_hash(), moving.map(|network| network.file_hash)];
    let text = format!("{version} {game} {} {exact} {} {player:?} {moving:?}", args.seed, args.nodes);
    xxh3_64(text.as_bytes())
}

/// Checks that there is memory for the positions, before hours of games. Later all samples are copied to be
/// split; if they are written before, their file is made in memory beside them, from a copy.
fn check_memory(positions: u64, is_written: bool) -> Result<(), ToolError> {
    let copies = if is_written { 2 * PACKED } else { size_of::<Sample>() };
    let needed = positions * (size_of::<Sample>() + copies) as u64;
    check_available(needed, 0).map_err(|why| {
        let text = format!("{} MiB of memory cannot be had: {why}", needed >> 20);
        ToolError::io(Place::Argument("--positions"))(io::Error::new(io::ErrorKind::OutOfMemory, text))
    })
}

/// Plays games in several threads and returns at least as many positions as the settings ask for, with those
/// of batches that are finished. `keep` gets each new one.
///
/// # Errors
/// If a position is not in the tablebase, or there is no memory for a search; and the first error of `keep`.
fn find(
    args: &TuneSettings,
    exact: Option<Tablebase>,
    player: &EvalNetwork,
    moving: Option<&Network>,
    finished: BTreeMap<u64, Vec<Sample>>,
    keep: impl FnMut(u64, &[Sample]) -> Result<(), ToolError>,
) -> Result<Vec<Sample>, ToolError> {
    let compiled = CompiledRules::new(&args.rules);
    match exact {
        Some(exact) => {
            let network = EvalNetwork::default().load(&compiled);
            let evaluator = network.map_err(ToolError::input(Place::Job))?;
            play_all(args, finished, keep, |seed| play_exact(&args.rules, &exact, &evaluator, seed))
        }
        None => play_all(args, finished, keep, |seed| {
            let mut samples = play_itself(args, player, seed)?;
            if let Some(network) = moving {
                for sample in samples.iter_mut().filter(|sample| sample.hands == [0, 0]) {
                    let (value, _) = network.value(&sample.board(&compiled));
                    sample.points = expected_points(value) as f32;
                }
            }
            Ok(samples)
        }),
    }
}

/// Plays the batches of games that are not finished in several threads.
fn play_all(
    args: &TuneSettings,
    mut finished: BTreeMap<u64, Vec<Sample>>,
    mut keep: impl FnMut(u64, &[Sample]) -> Result<(), ToolError>,
    play: impl Fn(u64) -> Result<Vec<Sample>, ToolError> + Sync,
) -> Result<Vec<Sample>, ToolError> {
    let count = args.positions.div_ceil(BATCH as u64);
    // The run before may have wanted more.
    finished.retain(|&batch, _| batch < count);
    if !finished.is_empty() {
        eprint_line(format_args!("{} of {count} batches are finished already", finished.len()));
    }
    let batches: Vec<u64> = (0..count).filter(|batch| !finished.contains_key(batch)).collect();
    let new_worker = || |&batch: &u64| (batch, play(scatter(args.seed).wrapping_add(batch)));
    let (before, bar) = (finished.len(), Bar::new(batches.len()));
    // By batch, so that the samples do not depend on the number of threads.
    do_jobs(&batches, args.threads, &AtomicBool::new(false), new_worker, |(batch, samples)| {
        let samples = samples?;
        keep(batch, &samples)?;
        finished.insert(batch, samples);
        let done = finished.len();
        bar.show_every(Bar::INTERVAL, done - before, || {
            format!("{} of {} positions", done * BATCH, count as usize * BATCH)
        });
        Ok(())
    })?;
    let mut samples = Vec::with_capacity(count as usize * BATCH);
    finished.into_values().for_each(|batch| samples.extend(batch));
    Ok(samples)
}

/// Returns true if a position can be worth this by its result alone: a draw, or a win or loss at any
/// distance.
pub(super) fn is_result(points: f32) -> bool {
    points == 0.5 || (points - 0.5).abs() >= FAR_WIN - 0.5
}

/// Returns the result of a win in this many plies.
fn win_in(plies: usize) -> f32 {
    FAR_WIN + (1.0 - FAR_WIN) * (-(plies as f32) / HALF_WAY).exp2()
}

/// A position of a game against itself.
struct Searched {
    sample: Sample,
    mover: Color,
    ply: usize,
}

/// Plays games of the engine against itself for one batch and returns their positions.
///
/// If a random move follows later in the game, a position is worth what the search says: the result would be
/// that of the random move.
fn play_itself(args: &TuneSettings, player: &EvalNetwork, seed: u64) -> Result<Vec<Sample>, ToolError> {
    let mut searcher = Searcher::new(1, HASH)?;
    searcher.set_network(player.clone());
    let mut random = StdRng::seed_from_u64(seed);
    let mut samples = Vec::with_capacity(BATCH);
    let limits = Limits { nodes: Some(args.nodes), reproducible: true, ..Limits::default() };
    while samples.len() < BATCH {
        searcher.clear();
        let mut pos = Position::new(&args.rules);
        let first_searched = random.random_range(0..=RANDOM_MOVES);
        let mut game: Vec<Searched> = Vec::new();
        let mut ply = 0;
        while ply < LONGEST_GAME && pos.move_counter() < MOST_COUNTED && !pos.outcome().is_over() {
            let is_random = ply < first_searched || random.random_bool(RANDOM_LATER);
            let m = if is_random {
                samples.extend(game.drain(..).map(|searched| searched.sample));
                pos.legal_moves().choose(&mut random).copied()
            } else {
                let (found, _) = searcher.search(&pos, limits.clone())?;
                if !pos.is_take_due() {
                    let sample = Sample::new(&pos, expected_points(found.score) as f32);
                    game.push(Searched { sample, mover: pos.side_to_move(), ply });
                }
                found.best
            };
            let Some(m) = m else { break };
            pos.do_move(m);
            ply += 1;
        }
        let winner = pos.outcome().winner;
        samples.extend(game.into_iter().map(|Searched { sample, mover, ply: at }| {
            let result = match winner {
                Some(winner) if winner == mover => win_in(ply - at),
                Some(_) => 1.0 - win_in(ply - at),
                None => 0.5,
            };
            Sample { points: (sample.points + result) / 2.0, ..sample }
        }));
    }
    samples.truncate(BATCH);
    Ok(samples)
}

/// Plays games of random quality for one batch and returns their positions with exact results.
fn play_exact(
    rules: &Rules,
    exact: &Tablebase,
    evaluator: &Evaluator,
    seed: u64,
) -> Result<Vec<Sample>, ToolError> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut samples = Vec::with_capacity(BATCH);
    while samples.len() < BATCH {
        let mut pos = if random.random_bool(0.85) {
            Position::new(rules)
        } else {
            random_position(exact, rules, &mut random)
        };
        // The quality of each side's play: the loss of value that makes a move e times less likely.
        let temperatures =
            [0, 1].map(|_| *[5.0_f32, 15.0, 40.0, 100.0, 1e9].choose(&mut random).unwrap_or(&1e9));
        for _ in 0..80 {
            if pos.outcome().is_over() {
                break;
            }
            if !pos.is_take_due() && random.random_bool(0.7) {
                samples.push(Sample::new(&pos, exact_points(exact, &pos)?));
            }
            let values = values_of_moves(evaluator, &mut pos);
            let best = values.iter().map(|&(_, value)| value).max().unwrap_or_default();
            let temperature = temperatures[pos.side_to_move().index()];
            let chosen = values
                .choose_weighted(&mut random, |&(_, value)| ((value - best) as f32 / temperature).exp());
            let Ok(&(m, _)) = chosen else { break };
            pos.do_move(m);
        }
    }
    samples.truncate(BATCH);
    Ok(samples)
}

/// Returns the exact result of a position for the mover: 1 for a win, 0.5 for a draw, 0 for a loss. With few
/// men on the board distant wins are less than 1 and distant losses more than 0.
///
/// # Errors
/// If a tablebase file is damaged or missing: learning from the rest alone would bias the network.
fn exact_points(exact: &Tablebase, pos: &Position) -> Result<f32, ToolError> {
    let men = pos.men(Color::White).count() + pos.men(Color::Black).count();
    let hands_are_empty = pos.men_in_hand() == 0;
    let wants_distance = hands_are_empty && men <= FEW_MEN;
    let found = if wants_distance {
        exact.probe_distance(pos)?
    } else {
        exact.probe(pos)?.map(|wdl| Found { wdl, plies: None })
    };
    let is_enough = |found: &Found| !wants_distance || found.wdl == Wdl::Draw || found.plies.is_some();
    let Some(Found { wdl, plies }) = found.filter(is_enough) else {
        return Err(ToolError::NotHeld { distance: wants_distance, fen: pos.fen() });
    };
    let win = plies.map_or(1.0, |plies| win_in(plies as usize));
    Ok(match wdl {
        Wdl::Win => win,
        Wdl::Draw => 0.5,
        Wdl::Loss => 1.0 - win,
    })
}

/// Returns the legal moves with the static evaluations of the positions after them.
fn values_of_moves(evaluator: &Evaluator, pos: &mut Position) -> Vec<(Move, Value)> {
    let us = pos.side_to_move();
    let list = pos.legal_moves();
    let value = |&m: &Move| {
        pos.do_move(m);
        let value = evaluate_by(evaluator, pos);
        let value = if pos.side_to_move() == us { value } else { -value };
        pos.undo_move();
        (m, value)
    };
    list.iter().map(value).collect()
}

/// Returns a random position after placing. All numbers of men that can be left then are equally likely.
fn random_position(exact: &Tablebase, rules: &Rules, random: &mut StdRng) -> Position {
    let settled = u8::from(exact.game().settles);
    let [least, most] = [rules.pieces_at_least_count, rules.pieces_count - settled].map(usize::from);
    loop {
        let counts = [0, 1].map(|_| random.random_range(least..=most));
        let mut squares: Vec<usize> = (0..24).collect();
        squares.shuffle(random);
        let mut letters = [b'*'; 24];
        squares[..counts[0]].iter().for_each(|&square| letters[square] = b'O');
        squares[counts[0]..counts[0] + counts[1]].iter().for_each(|&square| letters[square] = b'@');
        let board = letters.map(char::from);
        let rings: Vec<String> = board.chunks(8).map(|ring| ring.iter().collect()).collect();
        let side = if random.random_bool(0.5) { Color::White } else { Color::Black };
        let letter = if side == Color::White { 'w' } else { 'b' };
        let fen = format!(
            "{} {letter} m s {} 0 {} 0 0 0 -1 -1 -1 -1 0 0 20 ids:nodes",
            rings.join("/"),
            counts[0],
            counts[1]
        );
        if let Ok(pos) = Position::from_fen(rules, &fen)
            // On a full board nothing can be played, and the game need not be over.
            && !pos.legal_moves().is_empty()
        {
            return pos;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::arguments::defaults;
    use crate::tools::tb::build::BuildJob;
    use crate::tools::tb::scope::Scope;

    #[test]
    fn more_positions_than_fit_into_memory_are_refused_before_the_games() {
        check_memory(40_000, true).expect("room for some");
        if crate::platform::memory::available_bytes().is_some() {
            let error = check_memory(1 << 50, false).expect_err("more than any machine has").to_string();
            assert!(error.starts_with("--positions: ") && error.contains("MiB of memory"), "{error}");
        }
    }

    #[test]
    fn games_are_told_apart_by_the_networks_that_were_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("network.bin");
        let open = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            EvalNetwork::open(&path).expect("a network")
        };
        let [one, other] = [
            &include_bytes!("../../evaluate/networks/nine.bin")[..],
            &include_bytes!("../../evaluate/networks/dooz.bin")[..],
        ];
        let [player, same, another] = [one, one, other].map(open);
        let job = |player, moving| identity(&defaults(), player, moving);
        // The file is another one meanwhile.
        assert_eq!(job(&player, None), job(&same, None));
        let moving = Network::read(other).expect("a network");
        let jobs = [
            job(&EvalNetwork::default(), None),
            job(&player, None),
            job(&another, None),
            job(&EvalNetwork::default(), Some(&moving)),
        ];
        assert_eq!(std::collections::HashSet::from(jobs).len(), jobs.len());
    }

    #[test]
    fn wins_and_losses_at_any_distance_are_results_and_means_are_not() {
        for plies in [0, 1, 50, 10_000] {
            assert!(is_result(win_in(plies)) && is_result(1.0 - win_in(plies)));
        }
        assert!(is_result(0.5) && !is_result((0.5 + win_in(50)) / 2.0));
    }

    /// In this game a side that has no men in hand slides while the other still places.
    #[test]
    fn distances_count_only_where_both_hands_are_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_owned();
        let rules = Rules { pieces_count: 4, ..Rules::LASKER };
        BuildJob::silent(rules, Scope::All, path.clone()).run().expect("built");
        let exact = exact_values::open_folders(&[path], &rules).expect("opened").expect("a folder");
        let points = |men: &str| {
            let fen = format!("*OOO****/@@******/*@****** w m s {men} 0 0 -1 -1 -1 -1 0 0 9 ids:nodes");
            exact_points(&exact, &Position::from_fen(&rules, &fen).expect("a position")).expect("a value")
        };
        // White closes a mill, which wins in the second case.
        assert!([0.0, 0.5, 1.0].contains(&points("3 0 3 1")));
        assert!((0.7..1.0).contains(&points("3 0 3 0")));
    }
}
