//! Reads a certificate file, as docs/certificates.md defines version 1. This need not be trusted: it decides
//! which turns are played and which positions are listed; `walk.rs` and `open.rs` show that this is enough.

use crate::board::{FEWEST, Game};
use crate::index::Index;
use crate::policy::Policy;
use ruzstd::decoding::StreamingDecoder;
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::atomic::AtomicBool;
use xxhash_rust::xxh3::xxh3_64;

/// The mover's and the opponent's men on the board, then in hand; the mover follows the certificate.
pub type Counts = [u32; 4];

/// The contents of a file.
pub struct Certificate {
    /// The sides that do not lose: Black is the true one.
    pub sides: &'static [bool],
    /// The order of turns.
    pub policy: Policy,
    /// The positions of each sector in which a later turn is played, by ascending slot.
    pub exceptions: BTreeMap<Counts, Vec<Exception>>,
    /// The open sectors, each with the slots that do not belong to the certificate.
    pub open: BTreeMap<Counts, Vec<u32>>,
}

/// A position in which a later turn is played.
pub struct Exception {
    /// The position.
    pub slot: u32,
    /// The place of the turn in the order: 1 is the second turn.
    pub place: usize,
    /// The walk has played it.
    pub played: AtomicBool,
}

/// Returns the fingerprint of the rules.
pub fn fingerprint(game: Game) -> u64 {
    let Game { men, fly_at } = game;
    let first = format!("diagonals=false fly_at={fly_at} least={FEWEST} mills_protect=true");
    xxh3_64(format!("{first} multiple=false blocked_draws=false men={men}").as_bytes())
}

fn ensure(holds: bool, fault: &str) -> Result<(), String> {
    holds.then_some(()).ok_or_else(|| fault.to_owned())
}

/// Cuts pieces off the bytes.
fn cut<'a>(bytes: &mut &'a [u8], count: usize) -> Result<&'a [u8], String> {
    let (first, rest) = bytes.split_at_checked(count).ok_or("the file is cut off")?;
    *bytes = rest;
    Ok(first)
}

fn number(bytes: &mut &[u8], size: usize) -> Result<u64, String> {
    Ok(cut(bytes, size)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

impl Certificate {
    /// Reads a file.
    pub fn read(mut file: &[u8], game: Game, index: &Index) -> Result<Self, String> {
        let file = &mut file;
        ensure(cut(file, 8)? == b"MILLCERT", "the file does not begin with MILLCERT")?;
        ensure(number(file, 8)? == xxh3_64(file), "the checksum is wrong: the file is damaged or cut off")?;
        ensure(number(file, 1)? == 1, "the version is not 1")?;
        let sides: [&[bool]; 3] = [&[false], &[true], &[false, true]];
        let sides = sides.get(number(file, 1)? as usize).ok_or("the sides are none of 0, 1 and 2")?;
        let (slide_weight, open) = (number(file, 1)? as i16, number(file, 1)?);
        ensure(number(file, 8)? == fingerprint(game), "the file is for other rules")?;
        let weights = number(file, 4)? as usize;
        let (not_open, mut heads) = (number(file, 4)?, Vec::new());
        for at in 0..not_open + open {
            let mut head = [1, 1, 1, 1, 1, 3, 4, 4];
            for size in &mut head {
                *size = number(file, *size)? as usize;
            }
            let ([own, theirs, own_hand, their_hand, parameter, zeros, ..], is_open) = (head, at >= not_open);
            let fits = (own + own_hand).max(theirs + their_hand) <= game.men as usize;
            let is_sound = fits && !(is_open && own_hand + their_hand > 0) && parameter < 32 && zeros == 0;
            ensure(is_sound, &format!("the entry of a sector is unsound: {head:?}"))?;
            heads.push((head, is_open));
        }
        let mut unpacked = Vec::new();
        let decoder = StreamingDecoder::new(cut(file, weights)?).map_err(|error| error.to_string())?;
        // Weights of all stages are smaller.
        decoder.take(1 << 24).read_to_end(&mut unpacked).map_err(|error| error.to_string())?;
        let policy = Policy::new(&unpacked, slide_weight, game).ok_or("the weights are unsound")?;
        let (mut exceptions, mut lost) = (BTreeMap::new(), BTreeMap::new());
        for ([own, theirs, own_hand, their_hand, parameter, _, count, length], is_open) in heads {
            let counts = [own, theirs, own_hand, their_hand].map(|count| count as u32);
            let list = decode(cut(file, length)?, parameter, count, index.slots(counts[0], counts[1]));
            let list = list.ok_or_else(|| format!("the positions of {counts:?} are unsound"))?;
            let is_second = exceptions.contains_key(&counts) || lost.contains_key(&counts);
            ensure(!is_second, &format!("the sector {counts:?} is listed twice"))?;
            if is_open {
                let is_plain = list.iter().all(|listed| listed.place == 1);
                ensure(is_plain, &format!("a position of the open sector {counts:?} has a turn"))?;
                lost.insert(counts, list.iter().map(|listed| listed.slot).collect());
            } else {
                exceptions.insert(counts, list);
            }
        }
        ensure(file.is_empty(), "more bytes follow the last position")?;
        Ok(Self { sides, policy, exceptions, open: lost })
    }
}

/// Decodes the positions of a sector, if the code fits exactly.
fn decode(code: &[u8], parameter: usize, count: usize, slots: u32) -> Option<Vec<Exception>> {
    let mut bits = code.iter().flat_map(|byte| (0..8).map(move |bit| u64::from(byte >> bit & 1)));
    let (mut next, mut list) = (0, Vec::new());
    for _ in 0..count {
        let ones = bits.by_ref().position(|bit| bit == 0)? as u64;
        let mut slot = next + (ones << parameter);
        for bit in 0..parameter {
            slot += bits.next()? << bit;
        }
        let place = 1 + bits.by_ref().position(|bit| bit == 0)?;
        next = slot + 1;
        let slot = u32::try_from(slot).ok().filter(|slot| *slot < slots)?;
        list.push(Exception { slot, place, played: AtomicBool::new(false) });
    }
    (bits.clone().count() < 8 && bits.all(|bit| bit == 0)).then_some(list)
}
