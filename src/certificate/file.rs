//! The file of a certificate.

use super::error::CertificateError;
use super::exceptions::{self, Exception};
use super::policy::{POLICY_CLASSES, Policy, RankedTurn, STAGES};
use super::sides::Sides;
use super::turns::{TurnNode, TurnRules};
use crate::platform::files::open_regular;
use crate::platform::packing;
use crate::rules::Rules;
use crate::tablebase::format::game::SolvedGame;
use crate::tablebase::format::index::Sector;
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
/// Bytes of the checksummed part before the list of sectors: version, sides, slide weight, number of open
/// sectors, fingerprint of the rules, length of the packed weights, number of sectors.
const HEADER: usize = 20;
/// Bytes of a sector in the list: the sector, the parameter of the code, three zeros, the number of
/// exceptions, the length of their code.
const ENTRY: usize = 16;

/// A certificate that a side never loses, or that neither does.
#[derive(Debug)]
pub struct Certificate {
    sides: Sides,
    rules: TurnRules,
    policy: Policy,
    sectors: BTreeMap<Sector, Stored>,
    /// The lost positions of the open sectors.
    open: BTreeMap<Sector, Stored>,
    path: PathBuf,
}

/// The exceptions of a sector, or the lost positions of an open one. They are decoded when they are first
/// needed.
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

/// Makes the bytes of a certificate.
///
/// `sectors` has the exceptions of each sector, `open` the lost positions of each open sector with place 1,
/// all by ascending slots.
///
/// # Errors
/// If the weights cannot be packed.
pub(crate) fn write(
    sides: Sides,
    rules: &TurnRules,
    policy: &Policy,
    sectors: &BTreeMap<Sector, Vec<Exception>>,
    open: &BTreeMap<Sector, Vec<Exception>>,
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
    for (&sector, exceptions) in filled.clone().chain(open) {
        let parameter = exceptions::parameter(sector.slots(), exceptions.len());
        let code = exceptions::encode(exceptions, parameter);
        list.extend([sector.own, sector.theirs, sector.own_hand, sector.their_hand, parameter, 0, 0, 0]);
        list.extend((exceptions.len() as u32).to_le_bytes());
        list.extend((code.len() as u32).to_le_bytes());
        codes.extend(code);
    }
    let mut bytes = vec![VERSION, sides as u8, policy.slide, open.len() as u8];
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
        let sides = Sides::ALL.get(usize::from(header[1])).copied().filter(|_| header[0] == VERSION);
        let sides = sides.ok_or_else(kind)?;
        if header[4..12] != fingerprint(&rules.game).to_le_bytes() {
            return Err(CertificateError::OtherRules(path.to_owned()));
        }
        let word = |bytes: &[u8], at: usize| {
            bytes[at..at + 4].iter().rev().fold(0usize, |word, &byte| word << 8 | usize::from(byte))
        };
        let (packed, sectors, open) = (word(header, 12), word(header, 16), usize::from(header[3]));
        let list = part(sectors.saturating_add(open).saturating_mul(ENTRY), "the list of sectors")?;
        let policy = unpack(part(packed, "the weights")?, header[2]).ok_or_else(|| damaged("the weights"))?;
        let mut found = [BTreeMap::new(), BTreeMap::new()];
        for (number, entry) in list.chunks_exact(ENTRY).enumerate() {
            let &[own, theirs, own_hand, their_hand, parameter, ..] = entry else { break };
            let sector = Sector { own, theirs, own_hand, their_hand };
            let is_open = number >= sectors;
            if !sector.is_possible() || is_open && !sector.is_moving() {
                return Err(damaged("the list of sectors"));
            }
            let bytes = part(word(entry, 12), "the exceptions")?.to_vec();
            let stored = Stored { parameter, count: word(entry, 8), bytes, decoded: OnceLock::new() };
            found[usize::from(is_open)].insert(sector, stored);
        }
        if !rest.is_empty() {
            return Err(damaged("the end"));
        }
        let [sectors, open] = found;
        Ok(Self { sides, rules, policy, sectors, open, path: path.to_owned() })
    }

    /// The policy.
    #[cfg(feature = "cli")]
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the exceptions of all sectors, and the lost positions of the open ones.
    ///
    /// # Errors
    /// If those of a sector are damaged.
    pub(crate) fn into_exceptions(self) -> Result<[BTreeMap<Sector, Vec<Exception>>; 2], CertificateError> {
        let decode = |sectors: &BTreeMap<Sector, Stored>| {
            let exceptions = |(&sector, stored): (&Sector, &Stored)| {
                let decoded = stored.decoded(sector).ok_or_else(|| self.damaged())?;
                Ok::<_, CertificateError>((sector, decoded.to_vec()))
            };
            sectors.iter().map(exceptions).collect::<Result<_, _>>()
        };
        Ok([decode(&self.sectors)?, decode(&self.open)?])
    }

    fn damaged(&self) -> CertificateError {
        CertificateError::Damaged { path: self.path.clone(), part: "the exceptions" }
    }

    /// Returns true if the turns of the game are those of these rules.
    pub fn is_for(&self, rules: &Rules) -> bool {
        turn_rules(rules).is_ok_and(|rules| fingerprint(&rules.game) == fingerprint(&self.rules.game))
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

    /// Returns true if a position lies in an open sector and is not lost.
    ///
    /// Such a position belongs to the certificate however it arises.
    ///
    /// # Errors
    /// If the exceptions of the sector are damaged.
    pub fn holds(&self, node: TurnNode) -> Result<bool, CertificateError> {
        Ok(match self.open.get(&node.sector()) {
            Some(stored) => self.place(stored, node)? == 0,
            None => false,
        })
    }

    /// Returns the positions after the turns that the certificate allows the side to move.
    ///
    /// The opponent is to move in them. In an open sector and in the initial position there may be many,
    /// elsewhere there is one. Positions outside the certificate may have such turns too.
    ///
    /// # Errors
    /// If the exceptions of a sector are damaged.
    pub fn turns(&self, node: TurnNode) -> Result<Vec<TurnNode>, CertificateError> {
        let mut turns = Vec::new();
        self.policy.rank(&self.rules, node, &mut turns);
        let sector = node.sector();
        let after = turns.iter().map(|turn: &RankedTurn| turn.after);
        if node == self.initial() {
            return self.first_turns(after);
        }
        if self.open.contains_key(&sector) {
            let mut allowed = Vec::new();
            for after in after {
                if self.is_safe(after)? {
                    allowed.push(after);
                }
            }
            return Ok(allowed);
        }
        let place = self.sectors.get(&sector).map_or(Ok(0), |stored| self.place(stored, node))?;
        Ok(after.skip(place).take(1).collect())
    }

    /// Returns the first turns of White but those that lose.
    fn first_turns(&self, all: impl Iterator<Item = TurnNode>) -> Result<Vec<TurnNode>, CertificateError> {
        let mut allowed = Vec::new();
        for after in all {
            let listed = seen_by_mover(after);
            let stored = self.sectors.get(&listed.sector());
            if stored.map_or(Ok(0), |stored| self.place(stored, listed))? == 0 {
                allowed.push(after);
            }
        }
        Ok(allowed)
    }

    /// Returns true if a turn ends the game, or if each reply to it leads to a position that
    /// [`holds`](Self::holds).
    fn is_safe(&self, after: TurnNode) -> Result<bool, CertificateError> {
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

    /// Returns the place of the turn in the order of the policy, from the exceptions of its sector.
    fn place(&self, stored: &Stored, node: TurnNode) -> Result<usize, CertificateError> {
        let exceptions = stored.decoded(node.sector()).ok_or_else(|| self.damaged())?;
        let found = exceptions.binary_search_by_key(&node.slot(), |&(slot, _)| slot);
        Ok(found.map_or(0, |at| usize::from(exceptions[at].1)))
    }
}

/// Returns a position after White's first turn with White as the mover, as the exceptions list it.
pub(crate) const fn seen_by_mover(after: TurnNode) -> TurnNode {
    let TurnNode { own, theirs, own_hand, their_hand } = after;
    TurnNode { own: theirs, theirs: own, own_hand: their_hand, their_hand: own_hand }
}

impl Stored {
    /// Returns the exceptions; `None` if the bytes are something else.
    fn decoded(&self, sector: Sector) -> Option<&[Exception]> {
        let decode = || exceptions::decode(&self.bytes, self.parameter, self.count, sector.slots());
        self.decoded.get_or_init(decode).as_deref()
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
