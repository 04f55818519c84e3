//! The one place where locks, atomics, channels and threads come from, so that a model checker can stand in for
//! them.

pub use crossbeam_channel::Sender;
pub use parking_lot::{Condvar, Mutex};
pub use std::sync::Arc;
pub use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub use std::thread::{Builder, JoinHandle};
