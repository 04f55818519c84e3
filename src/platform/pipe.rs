//! The standard streams: the pipe to the client, and those that were closed at the start.

use std::io::{self, Stdin, Stdout};
use std::sync::atomic::{AtomicBool, Ordering};

/// True for standard input and standard output if they were closed when the program started.
static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// Notes which of standard input and standard output are closed.
///
/// To be called before `main`: the Rust runtime of Unix opens the null device in their place, that of Windows
/// drops what is written to them.
pub fn note_closed() {
    #[cfg(windows)]
    {
        use std::os::windows::io::AsRawHandle as _;
        let handles = [io::stdin().as_raw_handle(), io::stdout().as_raw_handle()];
        handles.iter().zip(&CLOSED).for_each(|(handle, closed)| {
            closed.store(handle.is_null(), Ordering::Relaxed);
        });
    }
    #[cfg(unix)]
    for (number, closed) in CLOSED.iter().enumerate() {
        let exists = |name: &str| std::fs::symlink_metadata(name).is_ok();
        // Without the folder nothing is known.
        let is_closed = exists("/dev/fd/.") && !exists(if number == 0 { "/dev/fd/0" } else { "/dev/fd/1" });
        closed.store(is_closed, Ordering::Relaxed);
    }
}

/// Returns standard input.
///
/// # Errors
/// If it was closed at the start, or cannot be read.
pub(crate) fn input() -> io::Result<Stdin> {
    check(0).map(|()| io::stdin())
}

/// Returns standard output.
///
/// # Errors
/// If it was closed at the start, or cannot be written.
pub(crate) fn output() -> io::Result<Stdout> {
    check(1).map(|()| io::stdout())
}

/// Checks that the stream with this number was open at the start, for what it is for.
fn check(number: usize) -> io::Result<()> {
    if CLOSED[number].load(Ordering::Relaxed) {
        return Err(io::Error::other("it is closed"));
    }
    // The standard library takes the error of the wrong direction for the end of the input, and drops what is
    // written.
    #[cfg(unix)]
    {
        use rustix::fs::{OFlags, fcntl_getfl};
        let (flags, wrong, why) = match number {
            0 => (fcntl_getfl(io::stdin()), OFlags::WRONLY, "it is open for writing only"),
            _ => (fcntl_getfl(io::stdout()), OFlags::RDONLY, "it is open for reading only"),
        };
        if flags.is_ok_and(|flags| flags & OFlags::RWMODE == wrong) {
            return Err(io::Error::other(why));
        }
    }
    Ok(())
}

/// Returns the number of bytes in the pipe of standard output that its reader has not read yet, if the system
/// tells.
pub(crate) fn unread_output() -> Option<u64> {
    #[cfg(unix)]
    return rustix::io::ioctl_fionread(io::stdout()).ok();
    #[cfg(not(unix))]
    None
}

/// Returns true if the system tells that standard output can take more bytes at once.
pub(crate) fn output_has_room() -> bool {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let out = io::stdout();
        let mut watched = [PollFd::new(&out, PollFlags::OUT)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut watched, Some(&at_once)).is_ok() && watched[0].revents().contains(PollFlags::OUT)
    }
    #[cfg(not(unix))]
    false
}
