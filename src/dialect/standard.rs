//! The standard dialect: UCI as chess clients use it. All of it is the default of the trait.

use super::writer::Dialect;

/// The standard dialect.
pub(crate) struct Standard;

impl Dialect for Standard {
    fn name(&self) -> &'static str {
        "standard"
    }
}
