//! The interface of `allocator.rs` where the program is no process of its own: there is no reserve.

/// Does nothing.
pub(crate) fn renew_reserve() {}
