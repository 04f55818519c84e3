//! The training positions and their files.

use crate::bitboard::{Bitboard, Pair, SYMMETRIES};
use crate::evaluate::patterns::BoardInputs;
use crate::position::Position;
use crate::rules::{CompiledRules, Rules};
use crate::tools::error::SamplesFault;
use xxhash_rust::xxh3::xxh3_64;

/// A training position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Sample {
    /// Men of the side to move.
    pub own: u32,
    /// Men of the other side.
    pub other: u32,
    /// Points where nobody may place a man.
    pub marked: u32,
    /// Men in hand, the mover's first.
    pub hands: [u8; 2],
    /// The result for the mover, from 0 to 1.
    pub points: f32,
}

impl Sample {
    /// Returns the sample of a position.
    pub(super) fn new(pos: &Position, points: f32) -> Self {
        let us = pos.side_to_move();
        let marked = pos.occupied() - pos.men(us) - pos.men(!us);
        let hands = [us, !us].map(|color| pos.hand(color) as u8);
        Self { own: pos.men(us).0, other: pos.men(!us).0, marked: marked.0, hands, points }
    }

    /// Returns the input of the evaluation.
    pub(super) fn board(&self, compiled: &CompiledRules) -> BoardInputs {
        let men = Pair::new(Bitboard(self.own), Bitboard(self.other));
        let empty = men.empty() - Bitboard(self.marked);
        BoardInputs::new(compiled, men, empty, self.hands.map(u32::from))
    }

    /// Returns a key that only the symmetric images of this position share.
    pub(super) fn key(&self) -> [u64; 2] {
        let image = |symmetry: usize| {
            let sets = [self.own, self.other, self.marked];
            let [own, other, marked] = sets.map(|set| u64::from(Bitboard(set).transform(symmetry).0));
            [own << 24 | other, marked]
        };
        let [men, marked] = (0..SYMMETRIES).map(image).min().unwrap_or_default();
        let [own, other] = self.hands.map(u64::from);
        [men, marked << 16 | own << 8 | other]
    }
}

/// The number of positions of a batch. Each batch has its own seed, so the result does not depend on the
/// number of threads.
pub(crate) const BATCH: usize = 20_000;
/// The maximum length of a file of samples in bytes. It holds the most positions that `tune` takes.
pub(super) const LONGEST: u64 = 16 << 30;

/// The first bytes of a samples file; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"MILLSAM\x02";
/// The bytes of a sample: three sets of points, each of the first two with a hand in its upper bits, and the
/// points.
pub(super) const PACKED: usize = 16;

/// Returns the bytes of a samples file: magic, checksum of the rest (XXH3, 64 bits), fingerprint of the
/// rules, the samples.
pub(super) fn pack(samples: &[Sample], rules: &Rules) -> Vec<u8> {
    let rest = [&rules.fingerprint().to_le_bytes()[..], &pack_samples(samples)].concat();
    [MAGIC, &xxh3_64(&rest).to_le_bytes()[..], &rest].concat()
}

/// Returns the bytes of samples.
pub(super) fn pack_samples(samples: &[Sample]) -> Vec<u8> {
    let words = samples.iter().flat_map(|sample| {
        let [own, other] = sample.hands.map(|hand| u32::from(hand) << 24);
        [sample.own | own, sample.other | other, sample.marked, sample.points.to_bits()]
    });
    words.flat_map(u32::to_le_bytes).collect()
}

/// Reads the bytes that [`pack`] returns.
pub(super) fn unpack(bytes: &[u8], rules: &Rules) -> Result<Vec<Sample>, SamplesFault> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(SamplesFault::Version)?;
    let (sum, rest) = rest.split_first_chunk().ok_or(SamplesFault::Short)?;
    if u64::from_le_bytes(*sum) != xxh3_64(rest) {
        return Err(SamplesFault::Checksum);
    }
    let (game, samples) = rest.split_first_chunk().ok_or(SamplesFault::Short)?;
    if u64::from_le_bytes(*game) != rules.fingerprint() {
        return Err(SamplesFault::Rules);
    }
    unpack_samples(samples, rules)
}

/// Reads the bytes that [`pack_samples`] returns.
pub(super) fn unpack_samples(bytes: &[u8], rules: &Rules) -> Result<Vec<Sample>, SamplesFault> {
    const BOARD: u32 = Bitboard::FULL.0;
    let (samples, []) = bytes.as_chunks::<PACKED>() else { return Err(SamplesFault::Checksum) };
    let samples = samples.iter().map(|packed| {
        let word = |n: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| packed[4 * n + byte]));
        let [own, other, marked] = [word(0) & BOARD, word(1) & BOARD, word(2)];
        let hands = [word(0), word(1)].map(|word| (word >> 24) as u8);
        let points = f32::from_bits(word(3));
        let are_apart = own & other == 0 && (own | other) & marked == 0 && marked & !BOARD == 0;
        let is_position = are_apart && hands.iter().all(|&hand| hand <= rules.pieces_count);
        let is_sample = is_position && (0.0..=1.0).contains(&points);
        is_sample.then_some(Sample { own, other, marked, hands, points })
    });
    samples.collect::<Option<_>>().ok_or(SamplesFault::Sample)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::patterns::mark_classes;
    use crate::types::Color;

    const SAMPLE: Sample = Sample { own: 0x8141, other: 0x10_0022, marked: 8, hands: [3, 2], points: 0.5 };

    #[test]
    fn a_sample_knows_the_marked_points_of_its_position() {
        let fen = "********/X@@*****/OOO****O w p p 4 5 2 6 0 0 -1 -1 -1 -1 0 0 5 ids:nodes";
        let pos = Position::from_fen(&Rules::CHENG_SAN_QI, fen).unwrap();
        let sample = Sample::new(&pos, 1.0);
        assert_eq!([sample.own, sample.other], Color::ALL.map(|color| pos.men(color).0));
        assert_eq!(sample.marked, (pos.occupied() - pos.men(Color::White) - pos.men(Color::Black)).0);
        assert_eq!(Bitboard(sample.marked).count(), 1);
        let board = sample.board(pos.compiled());
        assert!(mark_classes(&board).is_some());
    }

    #[test]
    fn images_share_a_key_and_other_positions_have_another() {
        for symmetry in 0..SYMMETRIES {
            let image = |set: u32| Bitboard(set).transform(symmetry).0;
            let [own, other, marked] = [SAMPLE.own, SAMPLE.other, SAMPLE.marked].map(image);
            assert_eq!(Sample { own, other, marked, ..SAMPLE }.key(), SAMPLE.key());
        }
        let others = [
            Sample { hands: [2, 3], ..SAMPLE },
            Sample { marked: 0, ..SAMPLE },
            Sample { own: SAMPLE.other, other: SAMPLE.own, ..SAMPLE },
        ];
        assert!(others.iter().all(|other| other.key() != SAMPLE.key()));
    }

    #[test]
    fn samples_are_read_as_they_were_written_and_damage_is_refused() {
        let samples = [
            Sample { own: 0x007f_ffff, other: 0, hands: [9, 8], ..SAMPLE },
            Sample { own: 1, other: 0x0080_0000, marked: 0, hands: [0, 0], points: 0.85 },
        ];
        let samples = [Sample { own: 0x007f_fff7, ..samples[0] }, samples[1]];
        let packed = |samples: &[Sample]| pack(samples, &Rules::NINE);
        let read = |bytes: &[u8]| unpack(bytes, &Rules::NINE);
        let bytes = packed(&samples);
        assert_eq!(read(&bytes).as_deref(), Ok(&samples[..]));
        assert_eq!(unpack(&bytes, &Rules::TWELVE), Err(SamplesFault::Rules));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(read(&damaged).is_err(), "byte {at}");
            assert!(read(&bytes[..at]).is_err(), "{at} bytes");
        }
        for wrong in [
            Sample { other: 1, ..samples[1] },
            Sample { marked: 1, ..samples[1] },
            Sample { marked: 1 << 24, ..samples[1] },
            Sample { hands: [10, 0], ..samples[1] },
            Sample { points: f32::NAN, ..samples[1] },
            Sample { points: 1.5, ..samples[1] },
        ] {
            assert_eq!(read(&packed(&[samples[0], wrong])), Err(SamplesFault::Sample), "{wrong:?}");
        }
    }
}
