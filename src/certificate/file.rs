//! The file of a certificate.

use super::error::CertificateError;
use super::listed;
use super::policy::{POLICY_CLASSES, Policy, RankedTurn, SETS, STAGES};
use super::refusals::{BANDS, Refusals};
use super::ribbon::Ribbon;
use super::sides::Sides;
use super::turns::{TurnNode, TurnRules};
use crate::platform::files::read_regular;
use crate::platform::packing;
use crate::rules::Rules;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::Sector;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"MILLCERT";
const VERSION: u8 = 2;
/// The largest file that is read.
const LARGEST_FILE: u64 = 64 << 20;
/// Bytes before the checksummed part: magic and checksum.
const START: usize = 16;
/// Bytes of the checksummed part before the lists of sectors: version, sides, slide weight, limit,
/// fingerprint of the rules, claims, length of the packed weights, numbers of sectors.
const HEADER: usize = 36;
/// Bytes of a listed sector: the sector, the parameter of the code, three zeros, the number of positions, the
/// length of their code.
const LISTED: usize = 16;
/// Bytes of a sector with refusals: the sector, the seeds, two zeros, the lengths of the ribbons, widths.
const REFUSING: usize = 16 + BANDS / 2;

/// A certificate that a side never loses, or that neither does.
#[derive(Debug)]
pub struct Certificate {
    sides: Sides,
    rules: TurnRules,
    policy: Policy,
    claims: Claims,
    /// The refused turns of the sectors outside the open ones.
    refusals: BTreeMap<Sector, Refusals>,
    /// The positions after first turns that lose, and the lost positions of the open sectors.
    listed: BTreeMap<Sector, Stored>,
    path: PathBuf,
}

/// The claims of a certificate about the positions that can arise outside open sectors. A checker compares
/// them with what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// The number of positions with the side to move; symmetric ones count once.
    pub positions: u64,
    /// The sum of words made from each position and its turn.
    pub digest: u64,
}

impl Claims {
    /// Adds the claims about other positions.
    pub(crate) fn add(&mut self, other: Self) {
        self.positions += other.positions;
        self.digest = self.digest.wrapping_add(other.digest);
    }
}

/// The listed positions of a sector. They are decoded when they are first needed.
#[derive(Debug)]
struct Stored {
    parameter: u8,
    count: usize,
    bytes: Vec<u8>,
    decoded: OnceLock<Option<Vec<u64>>>,
}

/// Returns a number that only symmetric positions share.
pub(crate) fn position_number(sector: Sector, slot: u64) -> u64 {
    let code = sector.to_bytes().iter().rev().fold(0, |code, &count| 16 * code + u64::from(count));
    slot + (code << 40)
}

/// The refused turns of each sector.
pub(crate) type Refusing = BTreeMap<Sector, Refusals>;
/// The slots of the listed positions of each sector.
pub(crate) type Listed = BTreeMap<Sector, Vec<u64>>;

/// Returns the game of the rules.
///
/// # Errors
/// If certificates cannot represent it.
pub(crate) fn turn_rules(rules: &Rules) -> Result<TurnRules, CertificateError> {
    let game = SolvedGame::new(rules)?;
    let has_other_turns = game.multiple
        || game.bans_returns
        || game.settles
        || game.black_opens
        || game.intervention.any()
        || !game.places_in_turn()
        || game.placing_refused.is_some();
    // A full board ends the game in the middle of the placing phase.
    if has_other_turns || game.men > 11 || game.blocked_draws {
        return Err(CertificateError::Turns);
    }
    Ok(TurnRules::new(game))
}

/// Returns the fingerprint of the rules, placing phase included.
fn fingerprint(game: &SolvedGame) -> u64 {
    xxh3_64(game.describe(true).as_bytes())
}

/// Returns the fingerprint of rules that certificates can represent.
pub(super) fn fingerprint_of(rules: &Rules) -> Option<u64> {
    turn_rules(rules).ok().map(|rules| fingerprint(&rules.game))
}

/// Makes the bytes of a certificate.
///
/// `listed` has the slots of the listed positions of each sector in ascending order.
///
/// # Errors
/// If the weights cannot be packed.
pub(crate) fn write(
    sides: Sides,
    rules: &TurnRules,
    policy: &Policy,
    claims: Claims,
    refusals: &Refusing,
    listed: &Listed,
) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    for weights in policy.weights.iter().flatten() {
        plain.push(u8::from(!weights.is_empty()));
        plain.extend(weights.iter().map(|&weight| weight as u8));
    }
    let packed = packing::pack_stream(&plain, 19)?;
    let (mut lists, mut codes) = (Vec::new(), Vec::new());
    for (sector, listed) in listed {
        let parameter = listed::parameter(sector.slots(), listed.len());
        let code = listed::encode(listed, parameter);
        lists.extend(sector.to_bytes());
        lists.extend([parameter, 0, 0, 0]);
        lists.extend((listed.len() as u32).to_le_bytes());
        lists.extend((code.len() as u32).to_le_bytes());
        codes.extend(code);
    }
    for (sector, Refusals { widths, filter, table }) in refusals {
        lists.extend(sector.to_bytes());
        lists.extend([filter.seed, table.seed, 0, 0]);
        lists.extend(filter.length.to_le_bytes());
        lists.extend(table.length.to_le_bytes());
        lists.extend(widths.as_chunks().0.iter().map(|[low, high]| low | high << 4));
        codes.extend(filter.bytes());
        codes.extend(table.bytes());
    }
    let mut bytes = vec![VERSION, sides as u8, policy.slide, policy.limit];
    for word in [fingerprint(&rules.game), claims.positions, claims.digest] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend((listed.len() as u16).to_le_bytes());
    bytes.extend((refusals.len() as u16).to_le_bytes());
    bytes.extend(lists);
    bytes.extend(packed);
    bytes.extend(codes);
    Ok([&MAGIC[..], &xxh3_64(&bytes).to_le_bytes(), &bytes].concat())
}

impl Certificate {
    /// Opens a certificate for a game.
    ///
    /// # Errors
    /// If the file cannot be read, is too large or damaged, or is for other rules.
    pub fn open(path: &Path, rules: &Rules) -> Result<Self, CertificateError> {
        let io = |cause: std::io::Error| CertificateError::Io { path: path.to_owned(), cause: cause.into() };
        let bytes = read_regular(path, LARGEST_FILE).map_err(io)?;
        Self::read(path, &bytes, rules)
    }

    /// Reads the bytes of a certificate; `path` names them in messages.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(path: &Path, bytes: &[u8], rules: &Rules) -> Result<Self, CertificateError> {
        let asked = *rules;
        let other_rules =
            || CertificateError::OtherRules { path: path.to_owned(), expected: Box::new(asked) };
        let damaged = |part: &'static str| CertificateError::Damaged { path: path.to_owned(), part };
        let kind = || CertificateError::Kind(path.to_owned());
        let start = bytes.get(..START).ok_or_else(kind)?;
        if !start.starts_with(MAGIC) {
            return Err(kind());
        }
        let body = &bytes[START..];
        if start[8..] != xxh3_64(body).to_le_bytes() {
            return Err(damaged("the checksum"));
        }
        let mut rest = body;
        let mut part = |length: usize, name: &'static str| {
            let (part, after) = rest.split_at_checked(length).ok_or_else(|| damaged(name))?;
            rest = after;
            Ok::<&[u8], CertificateError>(part)
        };
        let header = part(HEADER, "the header")?;
        if header[0] != VERSION {
            let (path, found) = (path.to_owned(), header[0]);
            return Err(CertificateError::Version { path, found, expected: VERSION });
        }
        let sides = Sides::ALL.get(usize::from(header[1])).copied().ok_or_else(|| damaged("the sides"))?;
        let rules = turn_rules(rules).map_err(|_| other_rules())?;
        if header[4..12] != fingerprint(&rules.game).to_le_bytes() {
            return Err(other_rules());
        }
        let number = |bytes: &[u8], at: usize, length: usize| {
            bytes[at..at + length].iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte))
        };
        let size = |bytes: &[u8], at: usize, length: usize| number(bytes, at, length) as usize;
        let claims = Claims { positions: number(header, 12, 8), digest: number(header, 20, 8) };
        let lists = part(size(header, 32, 2) * LISTED, "the list of sectors")?;
        let refusing = part(size(header, 34, 2) * REFUSING, "the list of sectors")?;
        let packed = part(size(header, 28, 4), "the weights")?;
        let policy = unpack(packed, header[2], header[3]).ok_or_else(|| damaged("the weights"))?;
        let sector = |entry: &[u8]| {
            let sector = Sector::from_bytes([entry[0], entry[1], entry[2], entry[3]]);
            sector.is_possible().then_some(sector).ok_or_else(|| damaged("the list of sectors"))
        };
        let (mut listed, mut refusals) = (BTreeMap::new(), BTreeMap::new());
        for entry in lists.chunks_exact(LISTED) {
            let bytes = part(size(entry, 12, 4), "the listed positions")?.to_vec();
            let (parameter, count) = (entry[4], size(entry, 8, 4));
            listed.insert(sector(entry)?, Stored { parameter, count, bytes, decoded: OnceLock::new() });
        }
        for entry in refusing.chunks_exact(REFUSING) {
            let mut ribbon = |seed: usize, length: usize| {
                let length = number(entry, length, 4) as u32;
                let bytes = part(length.div_ceil(8) as usize, "the refused turns")?;
                Ribbon::new(bytes, length, entry[seed]).ok_or_else(|| damaged("the refused turns"))
            };
            let (filter, table) = (ribbon(4, 8)?, ribbon(5, 12)?);
            let widths = std::array::from_fn(|band| entry[16 + band / 2] >> (4 * (band % 2)) & 15);
            refusals.insert(sector(entry)?, Refusals { widths, filter, table });
        }
        if !rest.is_empty() {
            return Err(damaged("the end"));
        }
        Ok(Self { sides, rules, policy, claims, refusals, listed, path: path.to_owned() })
    }

    /// The policy.
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The claims.
    pub(crate) fn claims(&self) -> Claims {
        self.claims
    }

    /// Returns the refused turns and the listed positions of all sectors.
    ///
    /// # Errors
    /// If those of a sector are damaged.
    pub(crate) fn into_sectors(self) -> Result<(Refusing, Listed), CertificateError> {
        let decode = |(&sector, stored): (&Sector, &Stored)| {
            let listed = stored.decoded(sector).ok_or_else(|| self.damaged())?;
            Ok((sector, listed.to_vec()))
        };
        let listed = self.listed.iter().map(decode).collect::<Result<_, CertificateError>>()?;
        Ok((self.refusals, listed))
    }

    fn damaged(&self) -> CertificateError {
        CertificateError::Damaged { path: self.path.clone(), part: "the listed positions" }
    }

    /// Returns true if the turns of the game are those of these rules.
    pub fn is_for(&self, rules: &Rules) -> bool {
        fingerprint_of(rules) == Some(fingerprint(&self.rules.game))
    }

    /// The sides that never lose.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// The initial position of the game.
    pub(super) fn initial(&self) -> TurnNode {
        let men = self.rules.game.men;
        TurnNode { own: 0, theirs: 0, own_hand: men, their_hand: men }
    }

    /// Returns true if White has played its first turn and Black has not.
    pub(super) fn is_first_of_black(&self, node: TurnNode) -> bool {
        let men = self.rules.game.men;
        node.sector() == Sector { own: 0, theirs: 1, own_hand: men, their_hand: men - 1 }
    }

    /// Calls `found` with the position after each reply to a turn.
    pub(super) fn each_reply(&self, after: TurnNode, found: impl FnMut(TurnNode)) {
        self.rules.for_each(after, found);
    }

    /// Returns true if a position lies in an open sector and is not lost.
    ///
    /// Such a position belongs to the certificate however it arises.
    ///
    /// # Errors
    /// If the listed positions of the sector are damaged.
    pub fn holds(&self, node: TurnNode) -> Result<bool, CertificateError> {
        Ok(node.sector().is_moving() && self.is_listed(node)? == Some(false))
    }

    /// Returns the positions after the turns that the certificate allows the side to move.
    ///
    /// The opponent is to move in them. There may be many in the initial position, in open sectors, and where
    /// a turn leads to open sectors; elsewhere there is one. Positions outside the certificate may have such
    /// turns too.
    ///
    /// # Errors
    /// If the listed positions of a sector are damaged.
    pub fn turns(&self, node: TurnNode) -> Result<Vec<TurnNode>, CertificateError> {
        let mut turns = Vec::new();
        self.policy.rank(&self.rules, node, &mut turns);
        let sector = node.sector();
        if node == self.initial() {
            return self.first_turns(turns.iter().map(|turn| turn.after));
        }
        let is_open = sector.is_moving() && self.listed.contains_key(&sector);
        let played = if is_open { None } else { self.played(node, &turns) };
        let mut allowed = Vec::new();
        for RankedTurn { after, .. } in turns {
            if played == Some(after) || self.is_safe(after)? {
                allowed.push(after);
            }
        }
        Ok(allowed)
    }

    /// Returns the position after the first of the turns that is not refused.
    fn played(&self, node: TurnNode, turns: &[RankedTurn]) -> Option<TurnNode> {
        let first = turns.first()?.after;
        let refusals = self.refusals.get(&node.sector());
        // A turn that wins is never refused.
        let refusals = refusals.filter(|_| !self.rules.has_too_few(first.own, first.own_hand));
        let Some(refusals) = refusals else { return Some(first) };
        let slot = node.slot();
        let is_allowed = |&(place, turn): &(u16, &RankedTurn)| {
            !refusals.refuses(slot, place, self.policy.band(place, turn))
        };
        (0..).zip(turns).find(is_allowed).map(|(_, turn)| turn.after)
    }

    /// Returns the first turns of White but those that lose.
    fn first_turns(&self, all: impl Iterator<Item = TurnNode>) -> Result<Vec<TurnNode>, CertificateError> {
        let mut allowed = Vec::new();
        for after in all {
            if self.is_listed(seen_by_mover(after))? != Some(true) {
                allowed.push(after);
            }
        }
        Ok(allowed)
    }

    /// Returns true if a turn ends the game, or if each reply to it leads to a position that
    /// [`holds`](Self::holds).
    pub(super) fn is_safe(&self, after: TurnNode) -> Result<bool, CertificateError> {
        if self.rules.has_too_few(after.own, after.own_hand) {
            return Ok(true);
        }
        let mut is_safe = Ok(true);
        self.rules.for_each(after, |next| {
            if matches!(is_safe, Ok(true)) {
                is_safe = self.holds(next);
            }
        });
        is_safe
    }

    /// Returns true if a position is listed; `None` if its sector is not.
    fn is_listed(&self, node: TurnNode) -> Result<Option<bool>, CertificateError> {
        let sector = node.sector();
        let Some(stored) = self.listed.get(&sector) else { return Ok(None) };
        let listed = stored.decoded(sector).ok_or_else(|| self.damaged())?;
        Ok(Some(listed.binary_search(&node.slot()).is_ok()))
    }
}

/// Returns a position after White's first turn with White as the mover, as a list names it.
pub(crate) const fn seen_by_mover(after: TurnNode) -> TurnNode {
    let TurnNode { own, theirs, own_hand, their_hand } = after;
    TurnNode { own: theirs, theirs: own, own_hand: their_hand, their_hand: own_hand }
}

impl Stored {
    /// Returns the slots; `None` if the bytes are something else.
    fn decoded(&self, sector: Sector) -> Option<&[u64]> {
        let decode = || listed::decode(&self.bytes, self.parameter, self.count, sector.slots());
        self.decoded.get_or_init(decode).as_deref()
    }
}

/// Unpacks the weights; `None` if the bytes are something else.
fn unpack(packed: &[u8], slide: u8, limit: u8) -> Option<Policy> {
    let classes = POLICY_CLASSES.count;
    let most = SETS * STAGES * (classes + 1);
    let plain = packing::unpack_start(packed, most + 1).ok()?;
    let mut rest = &plain[..];
    let mut policy = Policy::empty(slide, limit);
    for weights in policy.weights.iter_mut().flatten() {
        let (&is_filled, after) = rest.split_first()?;
        let (filled, after) = after.split_at_checked(if is_filled == 0 { 0 } else { classes })?;
        *weights = filled.iter().map(|&weight| weight as i8).collect();
        rest = after;
    }
    rest.is_empty().then_some(policy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::NAMED;

    #[test]
    fn of_the_named_games_the_standard_game_alone_has_certificates() {
        let accepted = NAMED.iter().filter(|row| turn_rules(&row.rules).is_ok());
        assert_eq!(accepted.map(|row| row.name).collect::<Vec<_>>(), ["nine"]);
        let why = turn_rules(&Rules::parse("russian").unwrap()).map(drop).unwrap_err().to_string();
        assert!(why.starts_with("no tablebase for these rules: the index cannot represent mills"), "{why}");
    }
}
