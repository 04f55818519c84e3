//! The training positions: from games of random quality, with their exact results.

use super::settings::TuneSettings;
use crate::bitboard::{Bitboard, Closers, Pair, SYMMETRIES};
use crate::evaluate::{evaluate, patterns};
use crate::platform::files;
use crate::platform::sync::Mutex;
use crate::platform::threads::spawn_crew;
use crate::position::{Phase, Position};
use crate::rules::Rules;
use crate::tablebase::{Found, Wdl};
use crate::tools::error::{Place, SamplesFault, ToolError};
use crate::tools::exact::Exact;
use crate::tools::files::{check_writable, eprint_line, write_file};
use crate::tools::progress::Bar;
use crate::types::{Color, Move, Value};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng as _, SeedableRng as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{io, thread};
use xxhash_rust::xxh3::xxh3_64;

/// A training position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample {
    /// Men of the side to move.
    pub own: u32,
    /// Men of the other side.
    pub other: u32,
    /// Men of both sides in hand.
    pub in_hand: u8,
    /// The result for the mover, from 0 to 1; see [`points`].
    pub points: f32,
}

impl Sample {
    /// Returns the sample of a position of the standard game.
    pub(super) fn new(pos: &Position, points: f32) -> Self {
        let us = pos.side_to_move();
        let in_hand = (pos.hand(us) + pos.hand(!us)) as u8;
        Self { own: pos.men(us).0, other: pos.men(!us).0, in_hand, points }
    }

    /// Returns the input of the evaluation: the men, the mover's first, and the points where mills can be
    /// closed.
    pub(super) fn board(&self) -> (Pair, Closers) {
        let men = Pair::new(Bitboard(self.own), Bitboard(self.other));
        (men, men.closers(Bitboard::FULL - men.first() - men.second(), Bitboard::MIDPOINTS))
    }

    /// The stage of the game.
    pub(super) fn stage(&self) -> usize {
        patterns::stage(self.in_hand.into(), self.own.count_ones(), self.other.count_ones())
    }

    /// Returns a key that only the symmetric images of this position share.
    pub(super) fn key(&self) -> u64 {
        let image = |symmetry: usize| {
            let [own, other] = [self.own, self.other].map(|men| Bitboard(men).transform(symmetry));
            u64::from(own.0) << 24 | u64::from(other.0)
        };
        let smallest = (0..SYMMETRIES).map(image).min().unwrap_or_default();
        smallest | u64::from(self.in_hand) << 48
    }
}

/// The number of positions of a batch. Each batch has its own seed, so the result does not depend on the
/// number of threads.
pub(crate) const BATCH: usize = 20_000;
/// The maximum length of a file of samples in bytes: 80 million samples.
const LONGEST: u64 = 1 << 30;
/// The most men for which the distance of a win counts. With more it takes long to probe, and winning a man
/// is the aim.
const FEW_MEN: u32 = 13;
/// The result of an infinitely distant win.
const FAR_WIN: f32 = 0.7;
/// The distance in plies of a win that counts half-way between [`FAR_WIN`] and 1.
const HALF_WAY: f32 = 40.0;

/// Returns the training positions in batches of [`BATCH`]: those of the `--samples` file if it exists, else
/// new ones.
///
/// # Errors
/// When a tablebase file is missing or damaged, or the samples file is damaged or cannot be written.
pub(super) fn collect(args: &TuneSettings) -> Result<Vec<Sample>, ToolError> {
    if let Some(path) = &args.samples {
        match files::read_regular(path, LONGEST) {
            Ok(bytes) => {
                let samples = unpack(&bytes).map_err(ToolError::input(path))?;
                let (path, count) = (path.display(), samples.len());
                eprint_line(format_args!(
                    "{path}: its {count} positions are used, whatever --positions says"
                ));
                return Ok(samples);
            }
            Err(why) if why.kind() == io::ErrorKind::NotFound => check_writable(path)?,
            Err(why) => return Err(ToolError::io(path)(why)),
        }
    }
    let exact = Exact::open(&args.tablebases, &Rules::NINE)?;
    let option = "--tablebase with a folder of tablebase files";
    let exact = exact.ok_or(ToolError::Needs { choice: "tune", option })?;
    let samples = find(args, &exact)?;
    if let Some(path) = &args.samples {
        write_file(path, &pack(&samples))?;
    }
    Ok(samples)
}

/// Plays games in several threads and returns their positions.
fn find(args: &TuneSettings, exact: &Exact) -> Result<Vec<Sample>, ToolError> {
    let batches = (args.positions as usize).div_ceil(BATCH);
    let found: Vec<Mutex<Result<Vec<Sample>, ToolError>>> =
        (0..batches).map(|_| Mutex::new(Ok(Vec::new()))).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let bar = Bar::new(batches);
    thread::scope(|scope| {
        let work = || {
            loop {
                let batch = next.fetch_add(1, Ordering::Relaxed);
                if batch >= batches {
                    break;
                }
                let seed = args.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(batch as u64);
                *found[batch].lock() = play(exact, seed);
                let done = 1 + done.fetch_add(1, Ordering::Relaxed);
                bar.show(done, done.is_multiple_of(50), || {
                    format!("{} of {} positions", done * BATCH, batches * BATCH)
                });
            }
        };
        spawn_crew(scope, args.threads as usize, || work)
    })
    .map_err(ToolError::io(Place::Job))?;
    let mut samples = Vec::with_capacity(batches * BATCH);
    for batch in found {
        samples.extend(batch.into_inner()?);
    }
    Ok(samples)
}

/// The first bytes of a samples file; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"MILLSAM\x01";
/// The bytes of a sample: the men of the mover with the number in hand above them, the other men, the points.
const PACKED: usize = 12;

/// Returns the bytes of a samples file: magic, checksum of the rest (XXH3, 64 bits), the samples.
fn pack(samples: &[Sample]) -> Vec<u8> {
    let words = samples.iter().flat_map(|sample| {
        [sample.own | u32::from(sample.in_hand) << 24, sample.other, sample.points.to_bits()]
    });
    let rest: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    [MAGIC, &xxh3_64(&rest).to_le_bytes()[..], &rest].concat()
}

/// Reads the bytes that [`pack`] returns.
fn unpack(bytes: &[u8]) -> Result<Vec<Sample>, SamplesFault> {
    const BOARD: u32 = Bitboard::FULL.0;
    let rest = bytes.strip_prefix(MAGIC).ok_or(SamplesFault::Version)?;
    let (sum, rest) = rest.split_first_chunk().ok_or(SamplesFault::Short)?;
    if u64::from_le_bytes(*sum) != xxh3_64(rest) || !rest.len().is_multiple_of(PACKED) {
        return Err(SamplesFault::Checksum);
    }
    let samples = rest.as_chunks::<PACKED>().0.iter().map(|packed| {
        let word = |n: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| packed[4 * n + byte]));
        let (own, other, in_hand) = (word(0) & BOARD, word(1), (word(0) >> 24) as u8);
        let points = f32::from_bits(word(2));
        let is_position = other & !BOARD == 0 && own & other == 0 && in_hand <= 18;
        (is_position && (0.0..=1.0).contains(&points)).then_some(Sample { own, other, in_hand, points })
    });
    samples.collect::<Option<_>>().ok_or(SamplesFault::Sample)
}

/// Plays games for one batch and returns their positions with results.
fn play(exact: &Exact, seed: u64) -> Result<Vec<Sample>, ToolError> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut samples = Vec::with_capacity(BATCH);
    while samples.len() < BATCH {
        let mut pos =
            if random.random_bool(0.85) { Position::new(&Rules::NINE) } else { random_position(&mut random) };
        // The quality of each side's play: the loss of value that makes a move e times less likely.
        let temperatures =
            [0, 1].map(|_| *[5.0_f32, 15.0, 40.0, 100.0, 1e9].choose(&mut random).unwrap_or(&1e9));
        for _ in 0..80 {
            if pos.outcome().is_over() {
                break;
            }
            if !pos.is_take_due() && random.random_bool(0.7) {
                samples.push(Sample::new(&pos, points(exact, &pos)?));
            }
            let values = values_of_moves(&mut pos);
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

/// Returns the result of a position for the mover: 1 for a win, 0.5 for a draw, 0 for a loss. With few men on
/// the board distant wins are less than 1 and distant losses more than 0.
///
/// # Errors
/// When a tablebase file is damaged or missing: learning from the rest alone would bias the network.
fn points(exact: &Exact, pos: &Position) -> Result<f32, ToolError> {
    let men = pos.men(Color::White).count() + pos.men(Color::Black).count();
    let wants_distance = pos.phase() == Phase::Moving && men <= FEW_MEN;
    let found = if wants_distance {
        exact.tablebase().probe_distance(pos)?
    } else {
        exact.value(pos)?.map(|wdl| Found { wdl, plies: None })
    };
    let is_enough = |found: &Found| !wants_distance || found.wdl == Wdl::Draw || found.plies.is_some();
    let Some(Found { wdl, plies }) = found.filter(is_enough) else {
        return Err(ToolError::NoSample { distance: wants_distance, fen: pos.fen() });
    };
    let win = plies.map_or(1.0, |plies| FAR_WIN + (1.0 - FAR_WIN) * (-(plies as f32) / HALF_WAY).exp2());
    Ok(match wdl {
        Wdl::Win => win,
        Wdl::Draw => 0.5,
        Wdl::Loss => 1.0 - win,
    })
}

/// Returns the legal moves with the static evaluations of the positions after them.
fn values_of_moves(pos: &mut Position) -> Vec<(Move, Value)> {
    let us = pos.side_to_move();
    let list = pos.legal_moves();
    let value = |&m: &Move| {
        pos.do_move(m);
        let value = evaluate(pos);
        let value = if pos.side_to_move() == us { value } else { -value };
        pos.undo_move();
        (m, value)
    };
    list.iter().map(value).collect()
}

/// Returns a random position after placing, with three to nine men a side, all numbers equally likely.
fn random_position(random: &mut StdRng) -> Position {
    loop {
        let counts = [0, 1].map(|_| random.random_range(3..=9_usize));
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
        if let Ok(pos) = Position::from_fen(&Rules::NINE, &fen)
            && !pos.outcome().is_over()
        {
            return pos;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_share_a_key_and_other_positions_have_another() {
        let sample = |own: u32, other: u32, in_hand: u8| Sample { own, other, in_hand, points: 0.5 };
        for symmetry in 0..SYMMETRIES {
            let [own, other] = [0x8141, 0x10_0022].map(|men| Bitboard(men).transform(symmetry).0);
            assert_eq!(sample(own, other, 3).key(), sample(0x8141, 0x10_0022, 3).key());
        }
        assert_ne!(sample(0x8141, 0x10_0022, 4).key(), sample(0x8141, 0x10_0022, 3).key());
        assert_ne!(sample(0x10_0022, 0x8141, 3).key(), sample(0x8141, 0x10_0022, 3).key());
    }

    #[test]
    fn samples_are_read_as_they_were_written_and_damage_is_refused() {
        let samples = [
            Sample { own: 0x007f_ffff, other: 0, in_hand: 18, points: 0.5 },
            Sample { own: 1, other: 0x0080_0000, in_hand: 0, points: 0.85 },
        ];
        let bytes = pack(&samples);
        assert_eq!(unpack(&bytes).as_deref(), Ok(&samples[..]));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(unpack(&damaged).is_err(), "byte {at}");
            assert!(unpack(&bytes[..at]).is_err(), "{at} bytes");
        }
        for wrong in [
            Sample { other: 1, ..samples[1] },
            Sample { other: 1 << 24, ..samples[1] },
            Sample { in_hand: 19, ..samples[1] },
            Sample { points: f32::NAN, ..samples[1] },
            Sample { points: 1.5, ..samples[1] },
        ] {
            assert!(unpack(&pack(&[samples[0], wrong])).is_err(), "{wrong:?}");
        }
    }
}
