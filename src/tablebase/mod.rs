//! Tablebases of perfect play: index, solver, files, probing. `docs/tables-format.md` describes the files.
//! Uses `movegen`, `position` and the modules above them.
//!
//! Tablebases have a mover and an opponent, no colours. They hold the values of the rules without the draws
//! by repetition and by move count; a ply is a whole turn with its takes.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub(crate) mod format;
pub(crate) mod probe;
pub(crate) mod solve;

pub use crate::platform::error::IoError;
pub use format::error::{
    ContainerFault, Damage, FileDifference, FilePart, MalomFault, ManifestFault, NoValue, ProbeRefusal,
    TablebaseError, TooLong, Unsupported,
};
pub(crate) use format::game::SolvedGame;
pub use format::game::{PlacingRefusal, UnsupportedRule};
pub use format::header::{HeaderFault, PackingFault, SectorCounts, TbKind};
pub use format::index::Sector;
pub use format::value::{TbValue, Wdl};
pub(crate) use probe::despite_damage;
#[cfg(target_arch = "wasm32")]
pub(crate) use probe::embedded::provide_tables;
#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use probe::explore::Exploration;
#[cfg(target_arch = "wasm32")]
pub(crate) use probe::fetched::tables_for;
#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use probe::remote::{MissingRange, RemoteFiles};
#[cfg(all(feature = "wasm", target_arch = "wasm32"))]
pub(crate) use probe::source::AnswerPart;
pub use probe::source::Found;
pub use probe::{RankedMove, Tablebase};
