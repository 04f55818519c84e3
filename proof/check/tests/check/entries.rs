//! The parts of a certificate, to be changed and written again.

use crate::Tables;
use proof_check::board::Counts;
use proof_check::certificate::Certificate;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::collections::BTreeMap;
use std::io::Read;
use xxhash_rust::xxh3::xxh3_64;

/// The kinds of changes.
pub const KINDS: [&str; 9] =
    ["filter", "table", "seed", "width", "weight", "stated", "numbers", "removed", "added"];

/// The weights of a stage.
const WEIGHTS: usize = 12_600;

/// Random numbers with a fixed seed.
pub struct Random(pub u64);

impl Random {
    /// Returns a number below the bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// The filter of a sector: seeds, numbers of bits and bits of filter and table, and widths.
#[derive(Clone, PartialEq)]
pub struct Ribbons {
    pub counts: [u8; 4],
    pub seeds: [u8; 2],
    pub sizes: [u32; 2],
    pub bits: [Vec<u8>; 2],
    pub widths: [u8; 64],
}

/// The parts of a certificate, to be changed.
#[derive(Clone)]
pub struct Entries {
    /// The bytes from the version to the digest.
    pub head: Vec<u8>,
    /// The unpacked weights, with the marks.
    pub weights: Vec<u8>,
    pub lists: BTreeMap<Counts, Vec<u32>>,
    pub filters: Vec<Ribbons>,
}

impl Entries {
    /// Takes a file apart, with the lists that have been read from it.
    pub fn new(file: &[u8], certificate: &Certificate) -> Self {
        let number =
            |at: usize, size: usize| file[at..][..size].iter().rev().fold(0, |n, b| n << 8 | *b as usize);
        let (packed, listed, filtered) = (number(44, 4), number(48, 2), number(50, 2));
        let after_heads = 52 + 16 * listed + 48 * filtered;
        let mut weights = Vec::new();
        let mut decoder = StreamingDecoder::new(&file[after_heads..][..packed]).expect("a frame");
        decoder.read_to_end(&mut weights).expect("unpacks");
        let lists = certificate.lists.clone();
        let mut at = after_heads + packed + (0..listed).map(|list| number(64 + 16 * list, 4)).sum::<usize>();
        let filters = (0..filtered).map(|filter| {
            let head = 52 + 16 * listed + 48 * filter;
            let sizes = [number(head + 8, 4), number(head + 12, 4)];
            let bits = sizes.map(|size| {
                at += size.div_ceil(8);
                file[at - size.div_ceil(8)..at].to_vec()
            });
            Ribbons {
                counts: file[head..][..4].try_into().expect("four"),
                seeds: [file[head + 4], file[head + 5]],
                sizes: sizes.map(|size| size as u32),
                bits,
                widths: std::array::from_fn(|band| file[head + 16 + band / 2] >> (band % 2 * 4) & 15),
            }
        });
        let filters = filters.collect();
        Self { head: file[16..44].into(), weights, lists, filters }
    }

    /// Returns the file with these parts.
    pub fn file(&self) -> Vec<u8> {
        const PARAMETER: u32 = 6;
        let (mut head, mut codes) = (self.head.clone(), Vec::new());
        let packed = compress_to_vec(&self.weights[..], CompressionLevel::Uncompressed);
        head.extend((packed.len() as u32).to_le_bytes());
        head.extend((self.lists.len() as u16).to_le_bytes());
        head.extend((self.filters.len() as u16).to_le_bytes());
        for (counts, list) in &self.lists {
            let (mut bits, mut next) = (Vec::new(), 0);
            for &slot in list {
                let gap = slot - next;
                bits.extend((0..gap >> PARAMETER).map(|_| true));
                bits.push(false);
                bits.extend((0..PARAMETER).map(|bit| gap >> bit & 1 != 0));
                next = slot + 1;
            }
            let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
            let code: Vec<u8> = bits.chunks(8).map(byte).collect();
            head.extend(counts.map(|count| count as u8));
            head.extend([PARAMETER as u8, 0, 0, 0]);
            head.extend((list.len() as u32).to_le_bytes());
            head.extend((code.len() as u32).to_le_bytes());
            codes.extend(code);
        }
        for Ribbons { counts, seeds, sizes, bits, widths } in &self.filters {
            head.extend(counts);
            head.extend(seeds);
            head.extend([0, 0]);
            head.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
            head.extend(widths.chunks(2).map(|pair| pair[0] | pair[1] << 4));
            codes.extend(bits.iter().flatten());
        }
        head.extend(packed);
        head.extend(codes);
        sealed(&head)
    }

    /// Changes an entry. Returns false if there is none of this kind.
    pub fn change(&mut self, kind: usize, tables: &Tables, random: &mut Random) -> bool {
        let filters = self.filters.len();
        let filter = &mut self.filters[random.below(filters)];
        let full: Vec<usize> = (0..2).filter(|ribbon| filter.sizes[*ribbon] > 0).collect();
        let ribbon = full[random.below(full.len())];
        match kind {
            0 | 1 => {
                let sizes = self.filters.iter().map(|filter| filter.sizes[kind] as usize);
                let mut bit = random.below(sizes.sum());
                for filter in &mut self.filters {
                    let size = filter.sizes[kind] as usize;
                    if bit < size {
                        filter.bits[kind][bit / 8] ^= 1 << (bit % 8);
                        break;
                    }
                    bit -= size;
                }
            }
            2 => filter.seeds[ribbon] ^= 1 + random.below(255) as u8,
            3 => {
                let used: Vec<usize> = (0..64).filter(|band| filter.widths[*band] < 15).collect();
                let width = &mut filter.widths[used[random.below(used.len())]];
                *width = (*width + 1 + random.below(15) as u8) % 16;
            }
            4 => {
                // A weight of a stage that has some.
                let (mut at, mut places) = (0, Vec::new());
                while at < self.weights.len() {
                    places.extend((self.weights[at] == 1).then_some(at + 1));
                    at += 1 + WEIGHTS * usize::from(self.weights[at]);
                }
                let weight = places[random.below(places.len())] + random.below(WEIGHTS);
                self.weights[weight] ^= 0x40;
            }
            // The number of positions, the digest.
            5 => self.head[12 + random.below(16)] ^= 1 << random.below(8),
            // The slide weight, the limit.
            6 => self.head[2 + random.below(2)] ^= 1 << random.below(5),
            _ => {
                let has_some = |(_, list): &(&Counts, &Vec<u32>)| kind == 8 || !list.is_empty();
                let sectors: Vec<Counts> =
                    self.lists.iter().filter(has_some).map(|(counts, _)| *counts).collect();
                let Some(counts) = sectors.get(random.below(sectors.len().max(1))) else { return false };
                let list = self.lists.get_mut(counts).expect("listed");
                if kind == 7 {
                    list.remove(random.below(list.len()));
                } else {
                    let slot = random.below(tables.index.slots(counts[0], counts[1]) as usize) as u32;
                    let slot = tables.index.slot(tables.index.position(counts[0], counts[1], slot));
                    let Err(at) = list.binary_search(&slot) else { return false };
                    list.insert(at, slot);
                }
            }
        }
        true
    }
}

/// Returns a file with these bytes after its checksum.
pub fn sealed(rest: &[u8]) -> Vec<u8> {
    [b"MILLCERT", &xxh3_64(rest).to_le_bytes(), rest].concat()
}
