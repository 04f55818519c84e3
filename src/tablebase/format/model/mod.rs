//! The model that predicts the results of a part of a sector. It predicts them from the men on the board
//! (`contexts`), from the results of similar positions earlier in the part, and from its own errors so far
//! (`shares`). The range coder then stores only what the model did not predict. The model is part of the file
//! format, which `docs/tables-format.md` describes. Uses `tablebase::format` and `platform`.

mod contexts;
mod shares;
#[cfg(test)]
mod tests;
mod train;

pub(crate) use contexts::{Geometry, PART_SLOTS};
pub(super) use {contexts::Features, contexts::MODEL_BYTES, contexts::RowSteps, train::train};

use super::index::Sector;
use super::range_coder::{Decoder, Encoder, Shares};
use contexts::Decoded;
use shares::{Corrections, SHARES};

/// The weights of one sector.
pub(super) struct Model {
    /// For each context the weight of a win plus 2^16 times that of a loss.
    weights: Vec<i32>,
}

impl Model {
    /// Reads a model from [`MODEL_BYTES`] bytes: for each context the weights of loss and win.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let pack = |pair: &[u8; 2]| (i32::from(pair[0] as i8) << 16) + i32::from(pair[1] as i8);
        Self { weights: bytes.as_chunks().0.iter().map(pack).collect() }
    }

    /// Goes through the slots of a part in order. `next` receives the place and the shares of each slot and
    /// returns its result. `features` is memory to be used again.
    #[inline(always)]
    fn follow(
        &self,
        features: &mut Features<'_>,
        sector: Sector,
        geometry: Geometry,
        first: u64,
        count: usize,
        mut next: impl FnMut(usize, Shares) -> u8,
    ) {
        features.compute(sector, geometry, first, count);
        let mut decoded = Decoded::new();
        let mut corrections = Corrections::new();
        let shares = &**SHARES;
        for place in 0..count.min(PART_SLOTS) {
            let contexts = features.contexts(place, &decoded);
            let sum: i32 = contexts.iter().map(|&context| self.weights[context]).sum();
            let win = i32::from(sum as i16);
            let tactics = features.tactics[place];
            let shares = shares[corrections.level(tactics, [(sum - win) >> 16, win])];
            let result = next(place, shares);
            decoded.set(place, result);
            corrections.update(tactics, shares, result);
        }
    }

    /// Codes the results of the slots from `first` on. `features` is memory to be used again.
    pub(super) fn encode(
        &self,
        features: &mut Features<'_>,
        sector: Sector,
        geometry: Geometry,
        first: u64,
        results: &[u8],
    ) -> Vec<u8> {
        let mut encoder = Encoder::new();
        self.follow(features, sector, geometry, first, results.len(), |place, shares| {
            encoder.put(shares, results[place]);
            results[place]
        });
        encoder.finish()
    }

    /// The inverse of [`encode`](Self::encode): decodes as many results as `results` is long.
    pub(super) fn decode(
        &self,
        features: &mut Features<'_>,
        sector: Sector,
        geometry: Geometry,
        first: u64,
        digits: &[u8],
        results: &mut [u8],
    ) {
        let mut decoder = Decoder::new(digits);
        self.follow(features, sector, geometry, first, results.len(), |place, shares| {
            results[place] = decoder.get(shares);
            results[place]
        });
    }
}
