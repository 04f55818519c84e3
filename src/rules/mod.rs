//! Rule sets: [`Rules`] as a rule book states them, by name and by option, and `CompiledRules` as position
//! and search read them. Uses `bitboard`, `types` and `platform`.
//!
//! `rule_set.rs` declares [`Rules`], `named.rs` is the rule book of all variants in code, `options.rs` the
//! list of rule options, `compiled.rs` the form that the search reads. `docs/rules.md` explains the rules to
//! players.

mod compiled;
mod named;
mod options;
mod rule_set;

pub use compiled::RepetitionProfile;
pub(crate) use compiled::{CompiledCaptures, CompiledRules};
pub use named::{NAMED, NamedRules};
pub use options::{RULE_OPTIONS, RuleError, RuleKind, RuleOption};
pub use rule_set::{CaptureRule, Rules, blocked, full_board, placing_mill};
