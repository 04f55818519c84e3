//! The signals that end a program, on Unix.

use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM,
    SIGXCPU,
};

/// The signals that end a program if it does nothing about them.
///
/// SIGKILL cannot be caught. SIGABRT and the signals of a broken program are left to the system, so that they
/// leave a core file. SIGXFSZ ends nothing, see `cli`.
const ENDING: [i32; 13] = [
    SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM,
    SIGXCPU,
];

/// The signals that end a match even if they were ignored when it started: background jobs of scripts start
/// with the first two ignored.
pub(super) const ALWAYS: [i32; 3] = [SIGINT, SIGQUIT, SIGTERM];

/// Returns the signals that end a program, except for those that this process was told to ignore, such as
/// SIGHUP under `nohup`.
pub(super) fn ending() -> impl Iterator<Item = i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored =
        status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    // Where the system does not tell, any of them may be ignored.
    let ignored = ignored.unwrap_or(u64::MAX);
    ENDING.into_iter().filter(move |signal| ALWAYS.contains(signal) || ignored & 1 << (signal - 1) == 0)
}
