//! The processes below this one: those that an engine has started, and their orphans, on Linux.
//!
//! A process that has lost its parent becomes a child of the nearest process above it that has asked for that
//! by [`adopt`]. So whatever an engine starts stays below its guard, or below the match if the guard was
//! killed, even if it has left its process group and its session.

use rustix::process::Pid;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use super::Pid;
    use rustix::process::{Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};
    use std::collections::HashMap;
    use std::fs;
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    /// The processes that were below this one when it began to adopt orphans: those of a shell that has
    /// become this process, which may read its output. Its own children among them are never reaped, so that
    /// their numbers stay theirs.
    static OTHERS: OnceLock<Vec<Pid>> = OnceLock::new();

    /// The longest time to kill processes that start others meanwhile.
    const PATIENCE: Duration = Duration::from_secs(5);

    pub(super) fn adopt() {
        if set_child_subreaper(Some(getpid())).is_ok() {
            OTHERS.get_or_init(|| below(getpid(), &[]));
        }
    }

    pub(super) fn kill(kept: &[Pid]) {
        let Some(others) = OTHERS.get() else { return };
        let kept = [kept, others.as_slice()].concat();
        let deadline = Instant::now() + PATIENCE;
        // The next round finds what a killed process has started last, and reaps its orphans.
        while Instant::now() < deadline {
            let found = below(getpid(), &kept);
            if found.is_empty() {
                return;
            }
            for &id in &found {
                // It may have ended meanwhile.
                let _ = kill_process(id, Signal::KILL);
            }
            for &id in &found {
                // Only a child can be waited for.
                let _ = waitpid(Some(id), WaitOptions::NOHANG);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the processes below one, but neither those of `kept` nor what is below them.
    fn below(id: Pid, kept: &[Pid]) -> Vec<Pid> {
        let mut children: HashMap<Pid, Vec<Pid>> = HashMap::new();
        for process in processes() {
            if let Some(parent) = parent(process) {
                children.entry(parent).or_default().push(process);
            }
        }
        let mut found = vec![id];
        let mut next = 0;
        while let Some(&parent) = found.get(next) {
            next += 1;
            let own = children.remove(&parent).unwrap_or_default();
            found.extend(own.into_iter().filter(|child| !kept.contains(child)));
        }
        found.split_off(1)
    }

    /// Returns all processes.
    fn processes() -> impl Iterator<Item = Pid> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
    }

    /// Returns the parent of a process.
    fn parent(id: Pid) -> Option<Pid> {
        // The name of the program may hold any bytes.
        let stat = fs::read(format!("/proc/{}/stat", id.as_raw_nonzero())).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // It stands in parentheses.
        Pid::from_raw(stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod system {
    use super::Pid;

    pub(super) fn adopt() {}

    pub(super) fn kill(_: &[Pid]) {}
}

/// Makes this process the parent of orphans among its descendants.
///
/// All its later children have to belong to engines: a library does not own all children of its process.
pub(super) fn adopt() {
    system::adopt();
}

/// Kills and reaps all processes below this one, but neither those of `kept` nor those that were there before
/// [`adopt`], nor what is below them. Does nothing without [`adopt`].
pub(super) fn kill(kept: &[Pid]) {
    system::kill(kept);
}
