//! The errors of tablebases. Each names the file and the cause; the sentences are made here, by `Display`.

use super::game::{PlacingRefusal, UnsupportedRule, games_of};
use super::header::{HeaderFault, PackingFault, TbKind};
use super::index::Sector;
use super::value::TbValue;
use crate::platform::error::IoError;
use crate::platform::text::{counted, printable, printable_path};
use crate::position::{PositionError, Reason};
use crate::rules::Rules;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The remedy for a manifest that is damaged or missing.
pub(crate) const RELISTING: &str = "tb build checks and lists the files of its --scope and --distances";

/// A reason why tablebase files cannot be made, read or used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TablebaseError {
    /// The system refused an operation on a file or folder.
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        cause: IoError,
    },
    /// A file is not what it should be.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        damage: Damage,
    },
    /// A sound file of another game, sector or kind than requested.
    Foreign {
        /// The file.
        path: PathBuf,
        /// The difference.
        difference: FileDifference,
    },
    /// The same error for several files of a folder.
    Repeated {
        /// The error of the first file: [`Self::Io`] or [`Self::Foreign`].
        first: Box<Self>,
        /// The number of the other files.
        more: usize,
    },
    /// A rule set that tablebases cannot represent.
    Unsupported(Unsupported),
    /// A position for which there can be no value.
    NoValue(NoValue),
    /// A tablebase file that another one depends on is missing.
    Missing(PathBuf),
    /// A folder has no tablebase files.
    NoFiles(PathBuf),
    /// The Malom database is to be used, but no folder is named.
    NoMalomFolder,
    /// No such sector can be solved.
    NoSector(Sector),
    /// A text names no scope of a build.
    NoScope(String),
    /// The manifest of the folder does not list this file.
    Unlisted(PathBuf),
    /// The game has no unit of this name.
    NoUnit(String),
    /// A file cannot have this packing.
    Packing {
        /// Its sector.
        sector: Sector,
        /// Its kind.
        kind: TbKind,
        /// The setting at fault.
        fault: PackingFault,
    },
}

/// The damage of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Damage {
    /// The file has another length, in bytes.
    Length {
        /// The length.
        found: u64,
        /// The length that its head requires.
        expected: u64,
    },
    /// The file is shorter than any file, in bytes.
    Short {
        /// The length.
        found: u64,
        /// The least length.
        least: u64,
    },
    /// The header is wrong.
    Header(HeaderFault),
    /// The file ends within its block index.
    Index,
    /// The first block begins at this byte, within the block index; the end of the index comes second.
    Start(u64, u64),
    /// A checksum does not fit.
    Checksum {
        /// The part that it protects.
        part: FilePart,
        /// The checksum of the part.
        found: u64,
        /// The checksum that is stored.
        expected: u64,
    },
    /// A compressed part has another length, in bytes.
    Unpacked {
        /// The part.
        part: FilePart,
        /// The length after unpacking.
        found: usize,
        /// The length it must have.
        expected: usize,
    },
    /// A compressed part cannot be unpacked.
    Packed {
        /// The part.
        part: FilePart,
        /// The error of the compressor.
        cause: IoError,
    },
    /// A part has more bytes than what it holds can need, or less than its checksum.
    Size {
        /// The part.
        part: FilePart,
        /// The bytes of the part.
        found: u64,
        /// The most bytes it can need.
        most: u64,
    },
    /// The file has no model.
    NoModel,
    /// A block does not hold the parts that it lists.
    Parts(usize),
    /// A block has a value that is none.
    BlockValue(usize),
    /// A slot has a value that is none.
    SlotValue(u64),
    /// The hash of the file is not that of the manifest.
    FileHash {
        /// The hash of the file.
        found: u64,
        /// The hash in the manifest.
        expected: u64,
    },
    /// The file is another than the manifest describes; both as texts for people.
    Entry {
        /// The file.
        found: String,
        /// The entry of the manifest.
        listed: String,
    },
    /// The results are not those of the distances.
    Contradiction,
    /// A value is not that of the best turn.
    Value {
        /// The men of the mover, in the point numbers of the files.
        own: u32,
        /// The men of the opponent.
        theirs: u32,
        /// The kind of values compared.
        kind: TbKind,
        /// The stored value.
        found: TbValue,
        /// The value of the best turn.
        expected: TbValue,
    },
    /// The manifest is wrong.
    Manifest(ManifestFault),
    /// The built-in set is wrong.
    Container(ContainerFault),
    /// A file of the Malom database is wrong.
    Malom(MalomFault),
}

/// A part of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilePart {
    /// Header and block index.
    Head,
    /// The model of a coded file.
    Model,
    /// A block.
    Block(usize),
    /// All values, before compression.
    Values,
}

/// The fault of a manifest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ManifestFault {
    /// It is no manifest.
    Json(IoError),
    /// It lists a file that cannot be one of a tablebase.
    Name(String),
    /// Its checksum does not fit.
    Checksum {
        /// The checksum of the content.
        found: String,
        /// The checksum that is stored.
        expected: String,
    },
}

/// The fault of the built-in set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContainerFault {
    /// It does not begin as a set.
    Start,
    /// It ends within its list of files.
    List,
    /// It ends within a file.
    File,
}

/// The fault of a file of the Malom database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MalomFault {
    /// The list of sector values ends too early; it holds the text that should follow.
    End(&'static str),
    /// A line of the list is wrong.
    Line {
        /// Its number, from 1.
        line: usize,
        /// Its text.
        found: String,
        /// The text that was expected.
        expected: &'static str,
    },
    /// The values of loss and win are not opposite.
    Limits {
        /// The value of a loss.
        loss: i32,
        /// The value of a win.
        win: i32,
    },
    /// Version, entry bytes, field bits and flag.
    Head {
        /// The numbers of the file.
        found: [u32; 4],
        /// The numbers of a sound file.
        expected: [u32; 4],
    },
    /// The number of long values is impossible; the most that the sector can have comes second.
    LongValues(i32, u64),
    /// The long value of a slot is missing.
    LongValue(u64),
    /// A slot leads to another one by a wrong symmetry.
    Symmetry {
        /// The slot.
        slot: u64,
        /// The symmetry.
        symmetry: usize,
    },
    /// The list of sector values does not name the sector.
    NoSectorValue,
    /// A slot is decided in a negative number of plies.
    Plies {
        /// The slot.
        slot: u64,
        /// The plies.
        plies: i32,
    },
}

/// The difference between a file and the one that was requested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileDifference {
    /// The fingerprint of the rules.
    Fingerprint {
        /// The fingerprint of the file.
        found: u64,
        /// The fingerprint of the game.
        expected: u64,
    },
    /// The name; it holds the right one.
    Name(String),
    /// The rules, by the manifest.
    Rules {
        /// The rules of the command.
        expected: Box<Rules>,
        /// The rules in the manifest.
        listed: String,
    },
}

/// The reason why tablebases of a kind cannot represent a rule set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// A rule of the moving phase.
    Rule(UnsupportedRule),
    /// A rule of the placing phase.
    Placing {
        /// The rule.
        why: PlacingRefusal,
        /// The choice of the moving phase that is possible.
        expected: &'static str,
    },
    /// The Malom database has no files for these rules.
    Malom(Box<Rules>),
    /// Distances are too long.
    Distances(TooLong),
}

/// The distances of a sector are too long for a tablebase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The sector.
    pub sector: Sector,
}

/// The reason why a position has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// The text is no position.
    Text(PositionError),
    /// The game is over.
    Over(Reason),
    /// Positions of this kind have none.
    Refused(ProbeRefusal),
    /// No file holds it.
    NotHeld,
}

/// The reason why positions of a kind have no value in tablebases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProbeRefusal {
    /// The game is over.
    Over,
    /// It is more than men and side to move.
    Extras,
    /// Nothing can be played in it.
    Stuck,
    /// Tablebases cannot represent the placing phase of the rules.
    Placing(PlacingRefusal),
    /// It cannot arise by placing in strict turn.
    OutOfTurn,
    /// It has more men than the game.
    TooManyMen,
    /// A side has too few men.
    TooFewMen,
}

impl TablebaseError {
    /// Wraps an error of the system.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { doing, path: path.to_owned(), cause: cause.into() }
    }

    /// Returns the error of a file with wrong content.
    pub fn damaged(path: &Path, damage: impl Into<Damage>) -> Self {
        Self::Damaged { path: path.to_owned(), damage: damage.into() }
    }
}

impl From<UnsupportedRule> for TablebaseError {
    fn from(rule: UnsupportedRule) -> Self {
        Self::Unsupported(Unsupported::Rule(rule))
    }
}

impl From<TooLong> for TablebaseError {
    fn from(cause: TooLong) -> Self {
        Self::Unsupported(Unsupported::Distances(cause))
    }
}

/// Implements `From` for the faults that are a kind of damage.
macro_rules! wrap {
    ($($variant:ident($fault:ty)),*) => {
        $(impl From<$fault> for Damage {
            fn from(fault: $fault) -> Self {
                Self::$variant(fault)
            }
        })*
    };
}

wrap!(Header(HeaderFault), Manifest(ManifestFault), Container(ContainerFault), Malom(MalomFault));

impl fmt::Display for TablebaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { doing, path, cause } => write!(f, "cannot {doing} {}: {cause}", printable_path(path)),
            Self::Damaged { path, damage } => write!(f, "{} is damaged: {damage}", printable_path(path)),
            Self::Foreign { path, difference } => {
                write!(f, "{} does not fit: {difference}", printable_path(path))
            }
            Self::Repeated { first, more } => {
                write!(f, "{first}; the same for {} there", counted(*more, "more file"))
            }
            Self::Unsupported(why @ Unsupported::Malom(_)) => write!(f, "{why}"),
            Self::Unsupported(why) => write!(f, "no tablebase for these rules: {why}"),
            Self::NoValue(why) => write!(f, "no value for this position: {why}"),
            Self::Missing(path) => write!(f, "the tablebase file {} is missing", printable_path(path)),
            Self::NoFiles(folder) => write!(f, "{} holds no tablebase files", printable_path(folder)),
            Self::NoMalomFolder => {
                f.write_str("PerfectDatabasePath is empty, expected the folder of the Malom database")
            }
            Self::Unlisted(path) => write!(f, "{} is not in the manifest", printable_path(path)),
            Self::NoSector(sector) => write!(f, "there is no sector {sector}"),
            Self::NoUnit(name) => {
                let expected = "a pair such as 4-3 or a placing sector such as 3_4_6_5";
                write!(f, "'{}' is no unit of this game, expected {expected}", printable(name, 60))
            }
            Self::NoScope(name) => {
                let men = "6-men to 24-men (two sides of three or more)";
                write!(f, "'{}' is no scope, expected 'moving', 'all' or {men}", printable(name, 60))
            }
            Self::Packing { sector, kind, fault } => write!(f, "{sector}.{}: {fault}", kind.extension()),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found, expected } => {
                write!(f, "{} long, expected {expected}", counted(*found, "byte"))
            }
            Self::Short { found, least } => {
                write!(f, "{} long, expected at least {least}", counted(*found, "byte"))
            }
            Self::Header(fault) => write!(f, "{fault}"),
            Self::Index => f.write_str("ends within its block index"),
            Self::Start(at, least) => write!(f, "block 0 begins at byte {at}, expected at least {least}"),
            Self::Checksum { part, found, expected } => match part {
                FilePart::Head | FilePart::Values => {
                    write!(f, "{part} have checksum {found:016x}, expected {expected:016x}")
                }
                _ => write!(f, "{part} has checksum {found:08x}, expected {expected:08x}"),
            },
            Self::Unpacked { part, found, expected } => {
                write!(f, "{part} holds {}, expected {expected}", counted(*found, "byte"))
            }
            Self::Packed { part, cause } => write!(f, "{part} cannot be unpacked: {cause}"),
            Self::Size { part, found, most: 0 } => write!(f, "{part} has {found} bytes, expected none"),
            Self::Size { part, found, most } => write!(f, "{part} has {found} bytes, expected 4 to {most}"),
            Self::NoModel => f.write_str("has no model"),
            Self::Parts(block) => write!(f, "block {block} does not hold the parts it lists"),
            Self::BlockValue(block) => write!(f, "block {block} holds a value that is none"),
            Self::SlotValue(slot) => write!(f, "no value in slot {slot}"),
            Self::FileHash { found, expected } => write!(f, "hash {found:016x}, expected {expected:016x}"),
            Self::Entry { found, listed } => write!(f, "holds {found}, the manifest says {listed}"),
            Self::Contradiction => f.write_str("contradicts the distances"),
            Self::Value { own, theirs, kind, found, expected } => {
                let text = |value: &TbValue| match value.plies() {
                    Some(plies) if *kind == TbKind::Distance => format!("{}{plies}", value.wdl().letter()),
                    _ => value.wdl().letter().to_string(),
                };
                let (found, expected) = (text(found), text(expected));
                let men = format!("men {own:06x} against {theirs:06x}");
                write!(f, "{men} have value {found}, their best turn {expected}")
            }
            Self::Manifest(fault) => write!(f, "{fault}; without it, {RELISTING}"),
            Self::Container(fault) => f.write_str(match fault {
                ContainerFault::Start => "does not begin as such a set",
                ContainerFault::List => "ends within its list of files",
                ContainerFault::File => "ends within a file",
            }),
            Self::Malom(fault) => write!(f, "{fault}"),
        }
    }
}

impl fmt::Display for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Head => f.write_str("header and block index"),
            Self::Model => f.write_str("the model"),
            Self::Block(block) => write!(f, "block {block}"),
            Self::Values => f.write_str("the values"),
        }
    }
}

impl fmt::Display for ManifestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(cause) => write!(f, "{cause}"),
            Self::Name(name) => write!(f, "it lists '{name}', expected files such as 3_3_0_0.wdl"),
            Self::Checksum { found, expected } => write!(f, "it has checksum {found}, expected {expected}"),
        }
    }
}

impl fmt::Display for MalomFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End(expected) => write!(f, "ends where {expected} was expected"),
            Self::Line { line, found, expected } => {
                write!(f, "line {line} reads '{found}', expected {expected}")
            }
            Self::Limits { loss, win } => {
                write!(f, "values of loss and win are {loss} and {win}, expected opposite numbers")
            }
            Self::LongValues(found, most) => write!(f, "counts {found} long values, expected 0 to {most}"),
            Self::Head { found, expected } => {
                let what = "version, entry bytes, field bits and flag";
                write!(f, "{what} are {found:?}, expected {expected:?}")
            }
            Self::LongValue(slot) => write!(f, "slot {slot} lacks its long value"),
            Self::Symmetry { slot, symmetry } => write!(f, "slot {slot} redirects by symmetry {symmetry}"),
            Self::NoSectorValue => f.write_str("the list of sector values does not name its sector"),
            Self::Plies { slot, plies } => write!(f, "slot {slot} is decided in {plies} plies"),
        }
    }
}

impl fmt::Display for FileDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fingerprint { found, expected } => {
                let [found, expected] = [found, expected].map(|&number| {
                    games_of(number).unwrap_or_else(|| format!("rules with fingerprint {number:016x}"))
                });
                write!(f, "made for {found}, expected {expected}")
            }
            Self::Name(name) => {
                let help = "tb build makes the right one once it is removed";
                write!(f, "holds what should be named {name}; {help}")
            }
            Self::Rules { expected, listed } => {
                write!(f, "made for other rules than {}: {}", expected.describe(), printable(listed, 400))
            }
        }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(rule) => write!(f, "{rule}"),
            Self::Placing { why, expected } => {
                write!(f, "in the placing phase {why}; expected {expected}")
            }
            Self::Malom(rules) => {
                write!(f, "the Malom database has no files for rules {}", rules.describe())
            }
            Self::Distances(cause) => write!(f, "{cause}"),
        }
    }
}

impl fmt::Display for NoValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(cause) => write!(f, "{cause}"),
            Self::Over(reason) => write!(f, "the game is over: {}", reason.name()),
            Self::Refused(why) => write!(f, "{why}"),
            Self::NotHeld => f.write_str("no tablebase file holds it"),
        }
    }
}

impl fmt::Display for ProbeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Over => "the game is over",
            Self::Extras => "it is more than men and side to move",
            Self::Stuck => "nothing can be played in it",
            Self::Placing(why) => return write!(f, "{why}"),
            Self::OutOfTurn => "it cannot arise by placing in strict turn",
            Self::TooManyMen => "it has more men than the game",
            Self::TooFewMen => "a side has too few men",
        })
    }
}

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "sector {} holds positions decided in more than {} plies, which a tablebase file cannot store",
            self.sector,
            TbValue::MAX_PLIES
        )
    }
}

impl std::error::Error for TablebaseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { cause, .. }
            | Self::Damaged {
                damage: Damage::Packed { cause, .. } | Damage::Manifest(ManifestFault::Json(cause)),
                ..
            } => Some(&**cause),
            Self::Repeated { first, .. } => Some(first.as_ref()),
            Self::NoValue(NoValue::Text(cause)) => Some(cause),
            _ => None,
        }
    }
}
