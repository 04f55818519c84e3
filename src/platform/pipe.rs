//! The pipe to the client.

/// Returns the number of bytes in the pipe of standard output that its reader has not read yet, if the system
/// tells.
pub(crate) fn unread_output() -> Option<u64> {
    #[cfg(unix)]
    return rustix::io::ioctl_fionread(std::io::stdout()).ok();
    #[cfg(not(unix))]
    None
}
