//! Values of many sectors of the moving phase in memory, packed as files hold them before compression, for
//! look-ups by the sets of both sides.

use super::header::{RESULT_BYTES, TbKind, result_at};
use super::index::Sector;
use super::value::TbValue;
use crate::platform::parallel::share;

/// The slots that a thread packs at a time; a multiple of four, so that parts end with a byte.
const PART: usize = 1 << 18;
/// More than the most men of a side.
const SIZES: usize = 16;

/// The packed values of sectors of the moving phase.
pub(in crate::tablebase) struct PackedSectors {
    kind: TbKind,
    /// For each number of men of the mover, and each of the opponent, the raw bytes; empty for other sectors.
    sectors: Vec<Vec<u8>>,
}

impl PackedSectors {
    /// Packs the values of `sectors`, which `load` gives.
    ///
    /// # Errors
    /// If `load` fails.
    pub(in crate::tablebase) fn new<E>(
        kind: TbKind,
        sectors: impl Iterator<Item = Sector>,
        threads: usize,
        mut load: impl FnMut(Sector) -> Result<Vec<u8>, E>,
    ) -> Result<Self, E> {
        let mut packed = vec![Vec::new(); SIZES * SIZES];
        for sector in sectors {
            packed[place(sector)] = pack(kind, &load(sector)?, threads);
        }
        Ok(Self { kind, sectors: packed })
    }

    /// The kind of the values.
    pub(in crate::tablebase) const fn kind(&self) -> TbKind {
        self.kind
    }

    /// Returns the value of a position.
    ///
    /// # Panics
    /// If its sector is not among these.
    #[inline]
    pub(in crate::tablebase) fn value(&self, own: u32, theirs: u32) -> TbValue {
        let sector = Sector::moving(own.count_ones() as u8, theirs.count_ones() as u8);
        self.value_at(sector, sector.slot(own, theirs))
    }

    /// Returns the value of a slot.
    ///
    /// # Panics
    /// If the sector is not among these.
    #[inline]
    pub(in crate::tablebase) fn value_at(&self, sector: Sector, slot: u64) -> TbValue {
        let (raw, slot) = (&self.sectors[place(sector)], slot as usize);
        match self.kind {
            TbKind::Distance => TbValue(raw[slot]),
            TbKind::Wdl => TbValue(RESULT_BYTES[usize::from(result_at(raw[slot / 4], slot))]),
        }
    }
}

const fn place(sector: Sector) -> usize {
    sector.own as usize * SIZES + sector.theirs as usize
}

fn pack(kind: TbKind, values: &[u8], threads: usize) -> Vec<u8> {
    let mut raw = vec![0; kind.raw_bytes(values.len())];
    let parts = values.chunks(PART).zip(raw.chunks_mut(kind.raw_bytes(PART)));
    share(threads, parts, Vec::new, |room, (values, raw)| {
        kind.encode(values, room);
        raw.copy_from_slice(room);
    });
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_values_are_found_by_the_sets() {
        let sectors = [Sector::moving(4, 3), Sector::moving(3, 4)];
        let of_slot = |slot: u64| TbValue::decided((slot * slot % 200) as u32);
        for kind in [TbKind::Wdl, TbKind::Distance] {
            let load =
                |sector: Sector| Ok::<_, ()>((0..sector.slots()).map(|slot| of_slot(slot).0).collect());
            let packed = PackedSectors::new(kind, sectors.into_iter(), 2, load).expect("packed");
            for sector in sectors {
                for slot in (0..sector.slots()).step_by(997) {
                    let (own, theirs) = sector.position(slot);
                    assert_eq!(packed.value(own, theirs), kind.simplify(of_slot(slot)), "{sector} {slot}");
                }
            }
        }
    }
}
