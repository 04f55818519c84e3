//! Certificates of never losing: a rule that gives one side a turn in every position that can arise when it
//! follows the rule from the start, whatever the other side does. `docs/certificates.md` describes the
//! files. Uses `tablebase` for board and index, `types`, `rules` and `platform`.
//!
//! The rule is a policy with exceptions: the policy orders the turns of a position, and the
//! side plays the first one, unless the position is listed with the place of another one.

mod error;
mod exceptions;
mod file;
pub(crate) mod policy;
pub(crate) mod turns;

pub use error::CertificateError;
pub use exceptions::Exception;
pub use file::Certificate;
pub(crate) use file::turn_rules;
#[cfg(feature = "cli")]
pub(crate) use file::write;
pub use turns::TurnNode;
