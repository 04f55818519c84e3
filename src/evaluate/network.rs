//! The evaluation: a small neural network, fitted to results. Its inputs are the [patterns](super::patterns)
//! of the board.
//!
//! Each state of a pattern has a row of [`CHANNELS`] weights. The first layer is the sum of the rows of a
//! board, clipped to 0 to 1. Two further layers, of [`HIDDEN`] numbers and of one, compute the logarithm of
//! the odds of winning. The rows are shared by all stages of the game; the other layers belong to a stage.
//! The design follows the efficiently updatable networks of shogi (Y. Nasu, "Efficiently Updatable
//! Neural-Network-based Evaluation Function for Computer Shogi", 2018). Nothing is updated incrementally,
//! since a board has few rows. Only boards with marked points add the rows of those.
//!
//! All arithmetic is on integers, so every machine computes the same value. `millstone tune` fits the
//! weights.

use super::packed::{self, NETWORKS, PackedNetwork};
use super::patterns::{
    BoardInputs, CLASS_COUNT, CLASSES, INPUTS, MARK_INPUTS, MoveCounts, PatternClasses, STAGES, UNIT,
    mark_classes, stage,
};
use crate::platform::packing;
use crate::rules::Rules;
use crate::types::Value;
use std::error::Error;
use std::{array, fmt, io};
use wide::{i16x16, i32x8};
use xxhash_rust::xxh3::xxh3_64;

/// The size of the first layer.
pub(crate) const CHANNELS: usize = 32;
/// The size of the second layer.
pub(crate) const HIDDEN: usize = 8;

/// The first bytes of a file that holds the numbers themselves; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"MILLNET\x05";

/// The networks to which others are packed as differences, each with the first bytes of such a file. A file
/// of differences cannot be read without its base: if `nine` or `nerenchi` gets a new network, keep the old
/// file as the base. Fits begin with one of them, so the differences take a fifth less than the numbers.
static BASES: [(&[u8; 8], &PackedNetwork); 2] =
    [(b"MILLNET\x06", &NETWORKS[packed::NINE]), (b"MILLNET\x07", &NETWORKS[packed::NERENCHI])];

/// The quantization of the first layer: the integer that stands for 1.
const ONE: i32 = 256;
/// The quantization of the second layer.
const HIDDEN_ONE: i32 = 1_024;
/// The quantization of the weights of both further layers.
const WEIGHT_ONE: i32 = 1_024;
/// The largest value of a board: all numbers of the second layer are one and have the largest weight.
pub(super) const VALUE_MAX: Value = HIDDEN as Value * (1 << 15) * UNIT as Value / WEIGHT_ONE;
/// The largest weight of a row: no sum of rows overflows 16 bits.
const ROW_MAX: f32 = (i16::MAX as usize / (INPUTS + MARK_INPUTS + 1)) as f32;

const LANES: usize = 16;
/// The pairs of channels in half a vector, and half the size of the second layer.
const QUARTER: usize = LANES / 4;
const _: () = assert!(HIDDEN == 2 * QUARTER);

/// A number per channel, in one cache line.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(64))]
struct ChannelRow([i16x16; CHANNELS / LANES]);

/// The layers of one stage of the game.
#[derive(Debug)]
#[repr(align(64))]
struct StageLayers {
    bias: ChannelRow,
    /// The weights of the second layer by vector of channels, pair of channels in half a vector, and half of
    /// the second layer.
    weights: [[[i16x16; 2]; QUARTER]; CHANNELS / LANES],
    hidden_bias: i32x8,
    output: i32x8,
}

/// The capacity of the rows: a power of two, so that a mask replaces the bounds check.
const ROWS: usize = 1 << 14;

/// A network, laid out for evaluation.
#[derive(Debug)]
pub(crate) struct Network {
    /// The [fingerprint](Rules::fingerprint) of the rules.
    pub(crate) game: u64,
    /// A hash of the file (XXH3, 64 bits), by which jobs with other networks are told apart.
    #[cfg(feature = "cli")]
    pub(crate) file_hash: u64,
    /// The index of the row of each pattern state.
    classes: &'static PatternClasses,
    rows: Box<[ChannelRow; ROWS]>,
    stages: Box<[StageLayers; STAGES]>,
}

/// The reason why bytes are not a network.
#[derive(Debug)]
pub enum NetworkError {
    /// The file cannot be read.
    File(io::Error),
    /// There is no memory to decode it.
    Memory,
    /// The first bytes are not those of a network.
    Kind,
    /// The network has a version that is not read.
    Version(u8),
    /// The file is larger than any network.
    TooLarge,
    /// The checksum is not that of the rest, or the rest cannot be decompressed.
    Damaged,
    /// The network has another number of weights.
    Size {
        /// The bytes of the weights, or a larger number than expected if they were not all read.
        found: usize,
        /// The bytes of the weights of this version.
        expected: usize,
    },
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => write!(f, "{error}"),
            Self::Memory => f.write_str("no memory to decode the network"),
            Self::Kind => f.write_str("found a file of another kind, expected one that millstone tune wrote"),
            Self::Version(found) => {
                let [first, last] = [MAGIC, BASES[BASES.len() - 1].0].map(|magic| magic[7]);
                write!(f, "found a network of version {found}, expected one from {first} to {last}")
            }
            Self::TooLarge => {
                write!(
                    f,
                    "found more than {} bytes, expected a file that millstone tune wrote",
                    Network::LARGEST_FILE
                )
            }
            Self::Damaged => f.write_str("found a wrong checksum: the file is damaged"),
            Self::Size { found, expected } => {
                let found = if found > expected { "more".to_owned() } else { found.to_string() };
                write!(f, "found {found} bytes of weights, expected {expected}: another version wrote it")
            }
        }
    }
}

impl Error for NetworkError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}

impl Network {
    /// The largest file that may hold a network; a sound one has about half a megabyte.
    pub(crate) const LARGEST_FILE: u64 = 4 << 20;

    /// Reads the bytes of [`Parameters::pack`].
    ///
    /// # Errors
    /// If they are something else, or damaged.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (game, numbers) = unpacked(bytes)?;
        let (in_rows, in_stages) = numbers.split_at(CLASS_COUNT * CHANNELS);
        let mut rows = vec![ChannelRow::default(); ROWS];
        for (row, numbers) in rows.iter_mut().zip(in_rows.chunks(CHANNELS)) {
            *row = row_of(numbers);
        }
        let stages: Vec<StageLayers> = in_stages.chunks(STAGE_NUMBERS).map(StageLayers::read).collect();
        Ok(Self {
            game,
            #[cfg(feature = "cli")]
            file_hash: xxh3_64(bytes),
            classes: &CLASSES,
            rows: rows.try_into().map_err(|_| NetworkError::Damaged)?,
            stages: stages.try_into().map_err(|_| NetworkError::Damaged)?,
        })
    }

    /// Returns the value of a board for the side to move, in hundredths of a man, and what its patterns
    /// say about moves.
    #[inline(always)]
    pub(crate) fn value(&self, board: &BoardInputs) -> (Value, MoveCounts) {
        let stage = &self.stages[stage(board)];
        let mut sums = stage.bias.0;
        let (classes, moves) = self.classes.of(board);
        for class in classes {
            self.add_row(&mut sums, class);
        }
        if let Some(classes) = mark_classes(board) {
            for class in classes {
                self.add_row(&mut sums, class);
            }
        }
        let first = sums.map(|sum| sum.max(i16x16::splat(0)).min(i16x16::splat(ONE as i16)));
        // Two channels share a lane, for multiply-and-add. Each half of a vector takes one pair of its own
        // half, since moving numbers across the middle is slow.
        let mut sums = [i32x8::splat(0); 2];
        for (vector, weights) in first.into_iter().zip(&stage.weights) {
            let pairs: [i32; 2 * QUARTER] = bytemuck::cast(vector);
            for (n, weights) in weights.iter().enumerate() {
                let (low, high) = (pairs[n], pairs[QUARTER + n]);
                let spread: i16x16 = bytemuck::cast([low, low, low, low, high, high, high, high]);
                sums[0] += spread.dot(weights[0]);
                sums[1] += spread.dot(weights[1]);
            }
        }
        let [[a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]] = sums.map(i32x8::to_array);
        let sum = i32x8::new([a, b, c, d, i, j, k, l]) + i32x8::new([e, f, g, h, m, n, o, p]);
        let hidden: i32x8 = (stage.hidden_bias + sum) >> (ONE * WEIGHT_ONE / HIDDEN_ONE).ilog2();
        let second = hidden.max(i32x8::splat(0)).min(i32x8::splat(HIDDEN_ONE));
        ((second * stage.output).reduce_add() / (HIDDEN_ONE * WEIGHT_ONE / UNIT as i32), moves)
    }

    /// Adds the row of a class to the sums of the first layer.
    #[inline(always)]
    fn add_row(&self, sums: &mut [i16x16; CHANNELS / LANES], class: u16) {
        let row = &self.rows[usize::from(class) % ROWS];
        for (sum, number) in sums.iter_mut().zip(row.0) {
            *sum += number;
        }
    }
}

/// The numbers of the layers of a stage.
const STAGE_NUMBERS: usize = CHANNELS + (CHANNELS + 2) * HIDDEN;

/// Returns the network to which these bytes are packed as differences, if they are.
pub(super) fn base_of(bytes: &[u8]) -> Option<&'static PackedNetwork> {
    let is_base = |(magic, _): &&(&[u8; 8], _)| bytes.starts_with(*magic);
    BASES.iter().find(is_base).map(|(_, base)| *base)
}

/// Returns the fingerprint of the rules and the numbers in the bytes of [`Parameters::pack`]. They may be
/// differences to those of the base.
///
/// # Errors
/// If they are something else, or damaged.
pub(super) fn stored(bytes: &[u8]) -> Result<(u64, Vec<i16>), NetworkError> {
    let (magic, rest) = bytes.split_first_chunk::<8>().ok_or(NetworkError::Kind)?;
    match magic {
        MAGIC => {}
        _ if base_of(bytes).is_some() => {}
        _ if magic[..7] == MAGIC[..7] => return Err(NetworkError::Version(magic[7])),
        _ => return Err(NetworkError::Kind),
    }
    if bytes.len() as u64 > Network::LARGEST_FILE {
        return Err(NetworkError::TooLarge);
    }
    let (sum, rest) = rest.split_first_chunk().ok_or(NetworkError::Damaged)?;
    if u64::from_le_bytes(*sum) != xxh3_64(rest) {
        return Err(NetworkError::Damaged);
    }
    let (game, packed) = rest.split_first_chunk().ok_or(NetworkError::Damaged)?;
    let expected = 2 * (CLASS_COUNT * CHANNELS + STAGES * STAGE_NUMBERS);
    let plain = packing::unpack_start(packed, expected + 1).map_err(|_| NetworkError::Damaged)?;
    if plain.len() != expected {
        return Err(NetworkError::Size { found: plain.len(), expected });
    }
    Ok((u64::from_le_bytes(*game), joined(&plain)))
}

/// Returns the fingerprint of the rules and the numbers of a network, differences added to their base.
///
/// # Errors
/// As [`stored`].
fn unpacked(bytes: &[u8]) -> Result<(u64, Vec<i16>), NetworkError> {
    let (game, mut numbers) = stored(bytes)?;
    if let Some(base) = base_of(bytes) {
        let base = numbers_of(base)?;
        numbers.iter_mut().zip(base).for_each(|(number, base)| *number = number.wrapping_add(base));
    }
    Ok((game, numbers))
}

/// Returns the numbers of a network that comes with the engine, and has arrived where it is fetched.
fn numbers_of(network: &'static PackedNetwork) -> Result<Vec<i16>, NetworkError> {
    unpacked(network.bytes().ok_or(NetworkError::Damaged)?).map(|(_, numbers)| numbers)
}

impl StageLayers {
    /// Reads the numbers of one stage: bias of the first layer, weights and bias of the second, weights of
    /// the output.
    fn read(numbers: &[i16]) -> Self {
        let (bias, rest) = numbers.split_at(CHANNELS);
        let (weights, rest) = rest.split_at(CHANNELS * HIDDEN);
        let (hidden_bias, output) = rest.split_at(HIDDEN);
        // The half `half` of the second layer, multiplied by the pairs `n` of both halves of `vector`.
        let weight = |vector: usize, n: usize, half: usize| {
            i16x16::new(array::from_fn(|lane| {
                let (upper, hidden, side) = (lane / (LANES / 2), lane / 2 % QUARTER, lane % 2);
                let channel = LANES * vector + 2 * (QUARTER * upper + n) + side;
                weights[(QUARTER * half + hidden) * CHANNELS + channel]
            }))
        };
        Self {
            bias: row_of(bias),
            weights: array::from_fn(|vector| {
                array::from_fn(|n| array::from_fn(|half| weight(vector, n, half)))
            }),
            hidden_bias: i32x8::new(array::from_fn(|n| ONE * i32::from(hidden_bias[n]))),
            output: i32x8::new(array::from_fn(|n| i32::from(output[n]))),
        }
    }
}

fn row_of(numbers: &[i16]) -> ChannelRow {
    ChannelRow(array::from_fn(|part| i16x16::new(array::from_fn(|lane| numbers[LANES * part + lane]))))
}

/// A network in floating point, as it is fitted.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    /// The row of each class of pattern states.
    pub rows: Vec<[f32; CHANNELS]>,
    /// The layers of each stage.
    pub stages: Vec<Layers>,
}

/// The layers of one stage.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    /// The bias of the first layer.
    pub bias: [f32; CHANNELS],
    /// The weights of the second layer.
    pub weights: [[f32; CHANNELS]; HIDDEN],
    /// The bias of the second layer.
    pub hidden_bias: [f32; HIDDEN],
    /// The weights of the output.
    pub output: [f32; HIDDEN],
}

impl Parameters {
    /// Reads the bytes of [`Parameters::pack`].
    ///
    /// # Errors
    /// If they are something else, or damaged.
    #[cfg(feature = "cli")]
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (_, numbers) = unpacked(bytes)?;
        let (in_rows, in_stages) = numbers.split_at(CLASS_COUNT * CHANNELS);
        let layers = |numbers: &[i16]| {
            let mut rest = numbers.iter();
            let mut next = |one: i32| f32::from(*rest.next().unwrap_or(&0)) / one as f32;
            Layers {
                bias: array::from_fn(|_| next(ONE)),
                weights: array::from_fn(|_| array::from_fn(|_| next(WEIGHT_ONE))),
                hidden_bias: array::from_fn(|_| next(WEIGHT_ONE)),
                output: array::from_fn(|_| next(WEIGHT_ONE)),
            }
        };
        let row = |numbers: &[i16]| array::from_fn(|n| f32::from(numbers[n]) / ONE as f32);
        Ok(Self {
            rows: in_rows.chunks(CHANNELS).map(row).collect(),
            stages: in_stages.chunks(STAGE_NUMBERS).map(layers).collect(),
        })
    }

    /// Returns the network of the standard game that comes with the engine.
    ///
    /// # Errors
    /// If it is damaged, which a test rules out.
    #[cfg(feature = "cli")]
    pub(crate) fn standard() -> Result<Self, NetworkError> {
        Self::read(NETWORKS[packed::NINE].bytes().ok_or(NetworkError::Damaged)?)
    }

    /// Quantizes and packs the network: magic, checksum of the rest (XXH3, 64 bits), fingerprint of the
    /// rules, the numbers compressed by zstd. These are, as [`halves`] of 16 bits, the rows of all classes,
    /// then for each stage the bias of the first layer, the weights and the bias of the second, and the
    /// weights of the output. For rules other than those of the standard game they are differences to the
    /// base that makes the file the shortest.
    ///
    /// # Errors
    /// If the compression fails.
    pub(crate) fn pack(&self, rules: &Rules) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        let mut put = |numbers: &[f32], one: i32, limit: f32| {
            for number in numbers {
                all.push((number * one as f32).round().clamp(-limit, limit) as i16);
            }
        };
        let limit = f32::from(i16::MAX);
        self.rows.iter().for_each(|row| put(row, ONE, ROW_MAX));
        for Layers { bias, weights, hidden_bias, output } in &self.stages {
            put(bias, ONE, ROW_MAX);
            weights.iter().for_each(|weights| put(weights, WEIGHT_ONE, limit));
            put(hidden_bias, WEIGHT_ONE, limit);
            put(output, WEIGHT_ONE, limit);
        }
        let file = |magic: &[u8; 8], numbers: &[i16]| {
            let packed = packing::pack_stream(&halves(numbers), 19)?;
            let rest = [&rules.fingerprint().to_le_bytes()[..], &packed].concat();
            Ok([magic, &xxh3_64(&rest).to_le_bytes()[..], &rest].concat())
        };
        if rules.with_standard_counters() == Rules::NINE {
            return file(MAGIC, &all);
        }
        let files = BASES.iter().map(|&(magic, base)| {
            let base = numbers_of(base).map_err(io::Error::other)?;
            let differences = all.iter().zip(base).map(|(all, base)| to_even(all.wrapping_sub(base)));
            file(magic, &differences.collect::<Vec<_>>())
        });
        let files = files.collect::<io::Result<Vec<_>>>()?;
        Ok(files.into_iter().min_by_key(Vec::len).unwrap_or_default())
    }
}

/// Rounds a difference to an even number, an odd one to the nearest multiple of four. A file then takes a
/// seventh less, and the network predicts results as well.
fn to_even(difference: i16) -> i16 {
    difference.wrapping_add(difference >> 1 & 1) & !1
}

/// Returns the low bytes of all numbers, then the high ones, with the sign in the lowest bit. Small numbers
/// then have the same high byte, and zstd packs them a sixth smaller than whole ones.
fn halves(numbers: &[i16]) -> Vec<u8> {
    let folded = || numbers.iter().map(|number| ((number << 1) ^ (number >> 15)).to_le_bytes());
    folded().map(|[low, _]| low).chain(folded().map(|[_, high]| high)).collect()
}

/// Returns the numbers of [`halves`].
fn joined(halves: &[u8]) -> Vec<i16> {
    let (low, high) = halves.split_at(halves.len() / 2);
    let unfolded = |folded: u16| (folded >> 1) as i16 ^ -((folded & 1) as i16);
    low.iter().zip(high).map(|(&low, &high)| unfolded(u16::from_le_bytes([low, high]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitboard::{Bitboard, Pair};
    use crate::rules::CompiledRules;
    use rand::rngs::StdRng;
    use rand::{Rng as _, SeedableRng as _};

    #[test]
    fn the_network_of_the_program_is_sound_and_damage_is_refused() {
        let nine = NETWORKS[packed::NINE].bytes().unwrap();
        assert!(Network::read(nine).is_ok());
        for at in [0, 9, 20, nine.len() / 2, nine.len() - 1] {
            let mut bytes = nine.to_vec();
            bytes[at] ^= 4;
            let is_expected = match Network::read(&bytes) {
                Err(NetworkError::Kind) => at == 0,
                Err(NetworkError::Damaged) => at > 0,
                _ => false,
            };
            assert!(is_expected, "byte {at}");
        }
        let error = Network::read(b"MILLNET\x04").expect_err("another version").to_string();
        assert!(error.starts_with("found a network of version 4, expected one from 5 to "), "{error}");
        assert!(Network::read(&nine[..nine.len() - 1]).is_err());
        assert!(matches!(Network::read(b""), Err(NetworkError::Kind)));
        assert!(matches!(Network::read(MAGIC), Err(NetworkError::Damaged)));
    }

    /// Files of differences that users have fitted need the numbers of the bases, whatever games these play.
    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn the_bases_of_differences_stay_as_they_are() {
        let sums = BASES.iter().map(|(_, base)| xxh3_64(&halves(&numbers_of(base).unwrap())));
        assert_eq!(sums.collect::<Vec<_>>(), [0x8456_f42a_a611_c62b, 0xb9ac_e711_dd82_f063]);
    }

    #[test]
    fn every_number_comes_back_from_its_halves() {
        let numbers: Vec<i16> = (i16::MIN..=i16::MAX).collect();
        assert_eq!(joined(&halves(&numbers)), numbers);
        let small: Vec<i16> = (-128..128).collect();
        assert!(halves(&small)[256..].iter().all(|&high| high == 0));
    }

    #[test]
    fn differences_become_the_nearest_even_numbers_up_and_down_alike() {
        let error = |number: i16| i32::from(to_even(number).wrapping_sub(number));
        let errors: Vec<i32> = (i16::MIN..=i16::MAX).map(error).collect();
        assert!((i16::MIN..=i16::MAX).all(|number| to_even(number) % 2 == 0));
        assert!(errors.iter().all(|error| error.abs() <= 1));
        assert_eq!(errors.iter().sum::<i32>(), 0);
    }

    #[cfg(feature = "cli")]
    #[test]
    fn a_network_of_other_rules_is_packed_as_differences_and_comes_back() {
        for (magic, base) in BASES {
            let mut fitted = Parameters::read(base.bytes().unwrap()).unwrap();
            let plain = fitted.pack(&Rules::NINE).unwrap();
            assert_eq!(fitted.pack(&Rules { n_move_rule: 50, ..Rules::NINE }).unwrap()[..8], *MAGIC);
            let none = fitted.pack(&Rules::TWELVE).unwrap();
            assert!(none.starts_with(magic) && none.len() < plain.len() / 100);
            assert_eq!(unpacked(&none).unwrap().1, unpacked(&plain).unwrap().1);
            fitted.rows[7][3] += 1.0;
            let (mut numbers, changed) = (unpacked(&plain).unwrap().1, fitted.pack(&Rules::TWELVE).unwrap());
            numbers[7 * CHANNELS + 3] += ONE as i16;
            assert_eq!(unpacked(&changed).unwrap(), (Rules::TWELVE.fingerprint(), numbers));
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn weights_of_another_number_are_refused_before_they_fill_the_memory() {
        for size in [0, 1_000, 1 << 26] {
            let packed = packing::pack_stream(&vec![0; size], 1).unwrap();
            let rest = [&[0; 8][..], &packed].concat();
            let bytes = [MAGIC, &xxh3_64(&rest).to_le_bytes()[..], &rest].concat();
            let error = Network::read(&bytes).expect_err("another size");
            let NetworkError::Size { found, expected } = error else { panic!("{error:?}") };
            assert!(found <= expected + 1 && found != expected);
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    #[test]
    fn whole_numbers_say_what_the_fitted_ones_say() {
        let mut random = StdRng::seed_from_u64(3);
        let mut numbers = |limit: f32| array::from_fn(|_| random.random_range(-limit..limit));
        let layers = Layers {
            bias: [0.5; CHANNELS],
            weights: array::from_fn(|_| numbers(0.5)),
            hidden_bias: [0.3; HIDDEN],
            output: [3.0, -2.0, 5.0, -4.0, 1.0, -1.0, 2.0, -3.0],
        };
        let rows = (0..CLASS_COUNT).map(|_| numbers(0.2)).collect();
        let fitted = Parameters { rows, stages: vec![layers; STAGES] };
        let network = Network::read(&fitted.pack(&Rules::NINE).unwrap()).unwrap();
        let marking = CompiledRules::new(&Rules::ZHI_QI);
        let mut values = Vec::new();
        for n in 0..1_000 {
            let own = Bitboard(random.random::<u32>() & random.random::<u32>()) & Bitboard::FULL;
            let other = Bitboard(random.random::<u32>() & random.random::<u32>()) & Bitboard::FULL;
            let other = other - own;
            let men = Pair::new(own, other);
            let marked = Bitboard(random.random::<u32>() & random.random::<u32>());
            let board = match n % 2 {
                0 => BoardInputs::standard(men, 0),
                _ => BoardInputs::new(&marking, men, men.empty() - marked, [2, 1]),
            };
            let mut sums = fitted.stages[0].bias;
            let marks = mark_classes(&board).into_iter().flatten();
            for class in CLASSES.of(&board).0.into_iter().chain(marks) {
                let row = &fitted.rows[usize::from(class)];
                sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
            }
            let layers = &fitted.stages[0];
            let odds: f32 = (0..HIDDEN)
                .map(|n| {
                    let shares = sums.iter().zip(&layers.weights[n]);
                    let hidden = shares.map(|(sum, weight)| sum.clamp(0.0, 1.0) * weight).sum::<f32>();
                    (hidden + layers.hidden_bias[n]).clamp(0.0, 1.0) * layers.output[n]
                })
                .sum();
            let (value, _) = network.value(&board);
            assert!((value as f32 - odds * UNIT).abs() < 12.0, "{value} {}", odds * UNIT);
            values.push(value);
        }
        values.sort_unstable();
        assert!(values[10] < -20 && values[990] > 20, "they differ: {values:?}");
    }
}
