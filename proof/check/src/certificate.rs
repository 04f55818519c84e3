//! Reads a certificate file, as docs/certificates.md defines version 2. This need not be trusted: it decides
//! which turns are played and which positions are listed; `walk.rs` and `open.rs` show that this is enough.

use crate::board::{Counts, FEWEST, Game};
use crate::index::Index;
use crate::policy::Policy;
use crate::ribbon::{Filter, Ribbon};
use ruzstd::decoding::StreamingDecoder;
use std::collections::BTreeMap;
use std::io::Read;
use xxhash_rust::xxh3::xxh3_64;

/// The contents of a file.
pub struct Certificate {
    /// The sides that do not lose: Black is the true one.
    pub sides: &'static [bool],
    /// The scores of positions.
    pub policy: Policy,
    /// Deducted from the score for each slide.
    pub slide_weight: i32,
    /// If the first turn has a smaller score, the first four are put in a new order.
    pub limit: i32,
    /// The filters of sectors.
    pub filters: BTreeMap<Counts, Filter>,
    /// The listed slots: of open sectors, and after first turns of White.
    pub lists: BTreeMap<Counts, Vec<u32>>,
    /// The number of positions that can arise, and the digest of their turns.
    pub stated: [u64; 2],
}

/// Returns the fingerprint of the rules.
pub fn fingerprint(Game { men, fly_at }: Game) -> u64 {
    let first = format!("diagonals=false fly_at={fly_at} least={FEWEST} mills_protect=true");
    xxh3_64(format!("{first} multiple=false blocked_draws=false men={men}").as_bytes())
}

fn ensure(holds: bool, fault: &str) -> Result<(), String> {
    holds.then_some(()).ok_or_else(|| fault.to_owned())
}

/// Cuts a piece off the bytes.
fn cut<'a>(bytes: &mut &'a [u8], count: u64) -> Result<&'a [u8], String> {
    bytes.split_off(..count as usize).ok_or_else(|| "the file is cut off".to_owned())
}

/// Cuts numbers of these sizes off the bytes.
fn numbers<const N: usize>(bytes: &mut &[u8], sizes: [u64; N]) -> Result<[u64; N], String> {
    let mut numbers = [0; N];
    for (number, size) in numbers.iter_mut().zip(sizes) {
        *number = cut(bytes, size)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    }
    Ok(numbers)
}

type Entries<const N: usize> = Vec<(Counts, [u64; N])>;

/// Cuts the entries of sectors off: their counts and numbers of these sizes.
fn entries<const N: usize>(file: &mut &[u8], count: u64, sizes: [u64; N]) -> Result<Entries<N>, String> {
    let mut entry = || Ok((numbers(file, [1; 4])?.map(|count| count as u32), numbers(file, sizes)?));
    let entries = (0..count).map(|_| entry()).collect::<Result<Entries<N>, String>>()?;
    ensure(entries.is_sorted_by(|one, other| one.0 < other.0), "the sectors are not in ascending order")?;
    Ok(entries)
}

impl Certificate {
    /// Reads a file.
    pub fn read(mut file: &[u8], game: Game, index: &Index) -> Result<Self, String> {
        let file = &mut file;
        let [magic, checksum] = numbers(file, [8, 8])?;
        ensure(magic == u64::from_le_bytes(*b"MILLCERT"), "the file does not begin with MILLCERT")?;
        ensure(checksum == xxh3_64(file), "the checksum is wrong: the file is damaged or cut off")?;
        let [version, sides, slide_weight, limit, rules] = numbers(file, [1, 1, 1, 1, 8])?;
        ensure(version == 2, "the version is not 2")?;
        ensure(rules == fingerprint(game), "the file is for other rules")?;
        let known: [&[bool]; 3] = [&[false], &[true], &[false, true]];
        let sides = *known.get(sides as usize).ok_or("the sides are none of 0, 1 and 2")?;
        let [positions, digest, packed, listed, filtered] = numbers(file, [8, 8, 4, 2, 2])?;
        let listed = entries(file, listed, [1, 3, 4, 4])?;
        let filtered = entries(file, filtered, [1, 1, 2, 4, 4, 8, 8, 8, 8])?;
        let (mut packed, mut unpacked) = (cut(file, packed)?, Vec::new());
        let decoder = StreamingDecoder::new(&mut packed).map_err(|error| error.to_string())?;
        // Weights of all stages are smaller.
        decoder.take(1 << 24).read_to_end(&mut unpacked).map_err(|error| error.to_string())?;
        let policy = Policy::new(&unpacked).filter(|_| packed.is_empty()).ok_or("the weights are unsound")?;
        let mut lists = BTreeMap::new();
        for (counts, head) in listed {
            ensure(counts[0].max(counts[1]) <= game.men, "a sector with a list has too many men")?;
            lists
                .insert(counts, decode(cut(file, head[3])?, head, counts, index).ok_or("a list is unsound")?);
        }
        let mut filters = BTreeMap::new();
        for (here, [seed, table_seed, zeros, bits, table_bits, widths @ ..]) in filtered {
            let mut ribbon = |bits: u64, seed| Ribbon::new(cut(file, bits.div_ceil(8))?, bits, seed);
            let filter =
                Filter { filter: ribbon(bits, seed)?, table: ribbon(table_bits, table_seed)?, widths };
            let may_move = here[2].wrapping_sub(here[3]) <= 1;
            let fits = may_move && (here[0] + here[2]).max(here[1] + here[3]) <= game.men;
            ensure(fits && zeros == 0 && !lists.contains_key(&here), "the sector of a filter is unsound")?;
            filters.insert(here, filter);
        }
        ensure(file.is_empty(), "more bytes follow the last filter")?;
        let [slide_weight, limit] = [slide_weight, limit].map(|number| number as i32);
        Ok(Self { sides, policy, slide_weight, limit, filters, lists, stated: [positions, digest] })
    }
}

/// Decodes the positions of a sector, if the code fits exactly.
fn decode(code: &[u8], head: [u64; 4], [own, theirs, ..]: Counts, index: &Index) -> Option<Vec<u32>> {
    let [parameter, zeros, count, _] = head;
    let mut bits = code.iter().flat_map(|byte| (0..8).map(move |bit| u128::from(byte >> bit & 1)));
    let (mut next, mut list) = (0, Vec::new());
    for _ in 0..count {
        let ones = bits.by_ref().position(|bit| bit == 0)? as u128;
        let low = (0..parameter.min(31)).try_fold(0, |low, bit| Some(low | bits.next()? << bit))?;
        let slot = u32::try_from(next + (ones << parameter.min(31)) + low).ok()?;
        let is_known = slot < index.slots(own, theirs);
        list.push(Some(slot).filter(|_| is_known && index.slot(index.position(own, theirs, slot)) == slot)?);
        next = u128::from(slot) + 1;
    }
    let is_sound = parameter < 32 && zeros == 0 && bits.clone().count() < 8 && bits.all(|bit| bit == 0);
    is_sound.then_some(list)
}
