//! The standard streams: the pipe to the client, and those that were closed at the start.

use std::sync::atomic::{AtomicBool, Ordering};

/// True for standard input and standard output if they were closed when the program started.
static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// Notes which of standard input and standard output are closed.
///
/// To be called before `main`: the Rust runtime opens the null device in their place.
pub fn note_closed() {
    #[cfg(unix)]
    for (number, closed) in CLOSED.iter().enumerate() {
        let exists = |name: &str| std::fs::symlink_metadata(name).is_ok();
        // Without the folder nothing is known.
        let is_closed = exists("/dev/fd/.") && !exists(if number == 0 { "/dev/fd/0" } else { "/dev/fd/1" });
        closed.store(is_closed, Ordering::Relaxed);
    }
}

/// Returns true for standard input and standard output if they were closed at the start.
pub(crate) fn closed() -> [bool; 2] {
    CLOSED.each_ref().map(|closed| closed.load(Ordering::Relaxed))
}

/// Returns the number of bytes in the pipe of standard output that its reader has not read yet, if the system
/// tells.
pub(crate) fn unread_output() -> Option<u64> {
    #[cfg(unix)]
    return rustix::io::ioctl_fionread(std::io::stdout()).ok();
    #[cfg(not(unix))]
    None
}
