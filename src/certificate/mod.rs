//! Certificates of never losing: a rule that gives one side a turn in every position that can arise when it
//! follows the rule from the start, whatever the other side does. `docs/certificates.md` describes the
//! files. Uses `tablebase` for board and index, `position`, `types`, `rules` and `platform`.
//!
//! The rule is a policy with exceptions: the policy orders the turns of a position, and the side plays the
//! first one, unless the position is listed with the place of another one. In open sectors it is every turn
//! that stays inside.

mod error;
mod exceptions;
mod file;
mod follow;
pub(crate) mod policy;
mod sides;
pub(crate) mod turns;

pub use error::CertificateError;
pub use exceptions::Exception;
pub use file::Certificate;
pub(crate) use file::turn_rules;
#[cfg(feature = "cli")]
pub(crate) use file::{seen_by_mover, write};
pub use follow::Followed;
pub use sides::Sides;
pub use turns::TurnNode;
