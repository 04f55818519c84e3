//! Certificates of never losing: a rule that gives one side a turn in every position that can arise when it
//! follows the rule from the start, whatever the other side does. `docs/certificates.md` describes the
//! files. Uses `tablebase` for board and index, `position`, `rules`, `bitboard`, `types` and `platform`.
//!
//! The rule is a policy with refusals: the policy orders the turns of a position, and the side plays the
//! first one that is not refused. In open sectors it is every turn that stays inside.

mod built_in;
mod error;
mod file;
mod follow;
mod listed;
pub(crate) mod policy;
pub(crate) mod refusals;
mod ribbon;
mod sides;
pub(crate) mod turns;

#[cfg(target_arch = "wasm32")]
pub(crate) use built_in::{missing, provide};
pub use error::CertificateError;
pub use file::Certificate;
pub(crate) use file::{Claims, Listed, Refusing, position_number, seen_by_mover, turn_rules, write};
pub(crate) use follow::Expected;
pub use follow::Followed;
pub use sides::Sides;
pub use turns::TurnNode;
