//! The file of a certificate.

use super::error::CertificateError;
use super::exceptions::{self, Exception};
use super::policy::{POLICY_CLASSES, Policy, RankedTurn, STAGES};
use super::turns::{TurnNode, TurnRules};
use crate::platform::files::open_regular;
use crate::platform::packing;
use crate::rules::Rules;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::Sector;
use crate::types::Color;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"MILLCERT";
const VERSION: u8 = 1;
/// The largest file that is read.
const LARGEST_FILE: u64 = 64 << 20;
/// Bytes before the checksummed part: magic and checksum.
const START: usize = 16;
/// Bytes of the checksummed part before the list of sectors: version, side, weight of a slide, zero,
/// fingerprint of the rules, length of the packed weights, number of sectors.
const HEADER: usize = 20;
/// Bytes of a sector in the list: the sector, the parameter of the code, three zeros, the number of
/// exceptions, the length of their code.
const ENTRY: usize = 16;

/// A certificate that one side never loses.
#[derive(Debug)]
pub struct Certificate {
    side: Color,
    rules: TurnRules,
    policy: Policy,
    sectors: BTreeMap<Sector, Stored>,
    path: PathBuf,
}

/// The exceptions of a sector, which are decoded when they are first needed.
#[derive(Debug)]
struct Stored {
    parameter: u8,
    count: usize,
    bytes: Vec<u8>,
    decoded: OnceLock<Option<Vec<Exception>>>,
}

/// Returns the game of the rules.
///
/// # Errors
/// If certificates cannot represent it.
pub(crate) fn turn_rules(rules: &Rules) -> Result<TurnRules, CertificateError> {
    let game = SolvedGame::new(rules)?;
    let is_plain = !game.multiple && !game.settles && !game.black_opens && game.placing_refused.is_none();
    // A full board ends the game in the middle of the placing phase.
    if !is_plain || game.men > 11 || game.blocked_draws {
        return Err(CertificateError::Turns);
    }
    Ok(TurnRules::new(game))
}

/// Returns the fingerprint of the rules, placing phase included.
fn fingerprint(game: &SolvedGame) -> u64 {
    xxh3_64(game.describe(true).as_bytes())
}

/// Makes the bytes of a certificate. `sectors` has the exceptions of each sector, their slots ascending.
///
/// # Errors
/// If the weights cannot be packed.
pub(crate) fn write(
    side: Color,
    rules: &TurnRules,
    policy: &Policy,
    sectors: &BTreeMap<Sector, Vec<Exception>>,
) -> std::io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    for weights in &policy.weights {
        plain.push(u8::from(!weights.is_empty()));
        plain.extend(weights.iter().map(|&weight| weight as u8));
    }
    let packed = packing::pack_stream(&plain, 19)?;
    let mut list = Vec::new();
    let mut codes = Vec::new();
    let filled = sectors.iter().filter(|(_, exceptions)| !exceptions.is_empty());
    for (&sector, exceptions) in filled.clone() {
        let parameter = exceptions::parameter(sector.slots(), exceptions.len());
        let code = exceptions::encode(exceptions, parameter);
        list.extend([sector.own, sector.theirs, sector.own_hand, sector.their_hand, parameter, 0, 0, 0]);
        list.extend((exceptions.len() as u32).to_le_bytes());
        list.extend((code.len() as u32).to_le_bytes());
        codes.extend(code);
    }
    let mut bytes = vec![VERSION, u8::from(side == Color::Black), policy.slide, 0];
    bytes.extend(fingerprint(&rules.game).to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend((filled.count() as u32).to_le_bytes());
    bytes.extend(list);
    bytes.extend(packed);
    bytes.extend(codes);
    Ok([&MAGIC[..], &xxh3_64(&bytes).to_le_bytes(), &bytes].concat())
}

impl Certificate {
    /// Opens a certificate for a game.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or is for other rules.
    pub fn open(path: &Path, rules: &Rules) -> Result<Self, CertificateError> {
        let io = |cause: std::io::Error| CertificateError::Io { path: path.to_owned(), cause: cause.into() };
        let mut bytes = Vec::new();
        open_regular(path)
            .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
            .map_err(io)?;
        Self::read(path, &bytes, rules)
    }

    /// Reads the bytes of a certificate; `path` names them in messages.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn read(path: &Path, bytes: &[u8], rules: &Rules) -> Result<Self, CertificateError> {
        let rules = turn_rules(rules)?;
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
        if header[0] != VERSION || header[1] > 1 {
            return Err(kind());
        }
        let side = if header[1] == 0 { Color::White } else { Color::Black };
        if header[4..12] != fingerprint(&rules.game).to_le_bytes() {
            return Err(CertificateError::OtherRules(path.to_owned()));
        }
        let word = |bytes: &[u8], at: usize| {
            bytes[at..at + 4].iter().rev().fold(0usize, |word, &byte| word << 8 | usize::from(byte))
        };
        let (packed, sectors) = (word(header, 12), word(header, 16));
        let list = part(sectors.saturating_mul(ENTRY), "the list of sectors")?;
        let policy = unpack(part(packed, "the weights")?, header[2]).ok_or_else(|| damaged("the weights"))?;
        let mut found = BTreeMap::new();
        for entry in list.chunks_exact(ENTRY) {
            let &[own, theirs, own_hand, their_hand, parameter, ..] = entry else { break };
            let sector = Sector { own, theirs, own_hand, their_hand };
            if !sector.is_possible() {
                return Err(damaged("the list of sectors"));
            }
            let bytes = part(word(entry, 12), "the exceptions")?.to_vec();
            let stored = Stored { parameter, count: word(entry, 8), bytes, decoded: OnceLock::new() };
            found.insert(sector, stored);
        }
        if !rest.is_empty() {
            return Err(damaged("the end"));
        }
        Ok(Self { side, rules, policy, sectors: found, path: path.to_owned() })
    }

    /// The policy.
    #[cfg(feature = "cli")]
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the exceptions of all sectors.
    ///
    /// # Errors
    /// If those of a sector are damaged.
    pub(crate) fn into_exceptions(self) -> Result<BTreeMap<Sector, Vec<Exception>>, CertificateError> {
        let damaged = || CertificateError::Damaged { path: self.path.clone(), part: "the exceptions" };
        let decode = |(&sector, stored): (&Sector, &Stored)| {
            let slots = sector.slots();
            let decoded = exceptions::decode(&stored.bytes, stored.parameter, stored.count, slots);
            Ok((sector, decoded.ok_or_else(damaged)?))
        };
        self.sectors.iter().map(decode).collect()
    }

    /// The side that never loses.
    pub fn side(&self) -> Color {
        self.side
    }

    /// Returns the position after the turn that the certificate gives the side to move.
    ///
    /// The opponent is to move in it. `None` if there is no such turn. Positions outside the certificate may
    /// have one too.
    ///
    /// # Errors
    /// If the exceptions of the sector are damaged.
    pub fn turn(&self, node: TurnNode) -> Result<Option<TurnNode>, CertificateError> {
        let mut turns = Vec::new();
        self.policy.rank(&self.rules, node, &mut turns);
        Ok(turns.get(self.place(node)?).map(|turn: &RankedTurn| turn.after))
    }

    /// Returns the place of the turn in the order of the policy.
    fn place(&self, node: TurnNode) -> Result<usize, CertificateError> {
        let sector = node.sector();
        let Some(stored) = self.sectors.get(&sector) else { return Ok(0) };
        let decoded = stored.decoded.get_or_init(|| {
            exceptions::decode(&stored.bytes, stored.parameter, stored.count, sector.slots())
        });
        let damaged = || CertificateError::Damaged { path: self.path.clone(), part: "the exceptions" };
        let exceptions = decoded.as_ref().ok_or_else(damaged)?;
        let found = exceptions.binary_search_by_key(&node.slot(), |&(slot, _)| slot);
        Ok(found.map_or(0, |at| usize::from(exceptions[at].1)))
    }
}

/// Unpacks the weights; `None` if the bytes are something else.
fn unpack(packed: &[u8], slide: u8) -> Option<Policy> {
    let classes = POLICY_CLASSES.count;
    let most = STAGES * (classes + 1);
    let plain = packing::unpack_start(packed, most + 1).ok()?;
    let mut rest = &plain[..];
    let mut policy = Policy::empty(slide);
    for weights in &mut policy.weights {
        let (&is_filled, after) = rest.split_first()?;
        let (filled, after) = after.split_at_checked(if is_filled == 0 { 0 } else { classes })?;
        *weights = filled.iter().map(|&weight| weight as i8).collect();
        rest = after;
    }
    rest.is_empty().then_some(policy)
}
