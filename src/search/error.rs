//! The error of a pool that does not start.

use crate::platform::memory::MemoryError;
use crate::platform::text::counted;
use std::{fmt, io};

/// The reason why there are no search threads.
#[derive(Debug)]
pub enum PoolError {
    /// The system refused to start a thread.
    Spawn {
        /// The number of the thread, from 1.
        thread: usize,
        /// The number of threads of the pool.
        threads: usize,
        /// The error of the system.
        error: io::Error,
    },
    /// There is no memory for the stacks of the threads.
    Memory {
        /// The number of threads of the pool.
        threads: usize,
        /// The bytes that they need.
        needed: usize,
        /// The error.
        cause: MemoryError,
    },
    /// There is no memory for the tables of a thread that searches, which may be that of the caller.
    OwnMemory(MemoryError),
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn { thread, threads, error } => {
                write!(f, "thread {thread} of {threads} cannot be started: {error}")
            }
            Self::Memory { threads, needed, cause } => {
                let threads = counted(*threads, "thread");
                write!(f, "{} MiB of memory for {threads} cannot be had: {cause}", needed >> 20)
            }
            Self::OwnMemory(cause) => write!(f, "no memory for the search: {cause}"),
        }
    }
}

impl std::error::Error for PoolError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Spawn { error, .. } => Some(error),
            Self::Memory { cause, .. } | Self::OwnMemory(cause) => Some(cause),
        }
    }
}
