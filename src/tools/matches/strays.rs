//! The processes of an engine that have left its process group, on Linux.
//!
//! An engine and all that it starts carry a variable in their environment. What has dropped the variable and
//! lost its parent becomes a child of this process, if that has asked for it by [`adopt`], and is killed when
//! no engine is left.

use rustix::process::Pid;
use std::process::Command;

/// The variable in the environment of an engine.
const VARIABLE: &str = "MILLSTONE_MATCH_ENGINE";

/// The mark of an engine and all its processes: the value of the variable.
pub(super) struct Tag(String);

impl Tag {
    /// Returns a new mark.
    pub(super) fn new() -> Self {
        Self(format!("{:032x}", rand::random::<u128>()))
    }

    /// Marks a process to be started.
    pub(super) fn put_on(&self, command: &mut Command) {
        command.env(VARIABLE, &self.0);
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use super::{Pid, Tag, VARIABLE};
    use rustix::process::{Signal, WaitId, WaitIdOptions, getpid, kill_process, set_child_subreaper, waitid};
    use std::fs;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    /// True once orphans become children of this process, and all its children belong to engines.
    static ADOPTS: AtomicBool = AtomicBool::new(false);

    /// The longest time to kill processes that start others meanwhile.
    const PATIENCE: Duration = Duration::from_secs(5);

    pub(super) fn adopt() {
        // Without it, orphans are found by their mark alone.
        ADOPTS.store(set_child_subreaper(Some(getpid())).is_ok(), Ordering::Relaxed);
    }

    pub(super) fn kill(tag: Option<&Tag>, kept: &[Pid]) {
        let deadline = Instant::now() + PATIENCE;
        // What a killed process has started last is found in the next round.
        while Instant::now() < deadline {
            let found: Vec<Pid> =
                processes().filter(|&id| !kept.contains(&id) && is_stray(id, tag)).collect();
            let killed = found.iter().filter(|&&id| end(id)).count();
            if killed == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns all processes.
    fn processes() -> impl Iterator<Item = Pid> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw))
    }

    /// Returns true for a process with this mark, or without one for a child of this process.
    fn is_stray(id: Pid, tag: Option<&Tag>) -> bool {
        let id = id.as_raw_nonzero();
        match tag {
            Some(tag) => {
                let wanted = format!("{VARIABLE}={}", tag.0);
                let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
                environment.split(|&byte| byte == 0).any(|entry| entry == wanted.as_bytes())
            }
            None => {
                let own = getpid().as_raw_nonzero().get();
                ADOPTS.load(Ordering::Relaxed) && parent(id.get()) == Some(own)
            }
        }
    }

    /// Returns the parent of a process.
    fn parent(id: i32) -> Option<i32> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name of the program, in parentheses, may hold anything.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    }

    /// Kills a process and reaps it if it is a child of this one. Returns false if it had ended before.
    fn end(id: Pid) -> bool {
        let is_killed = kill_process(id, Signal::KILL).is_ok();
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        let _ = waitid(WaitId::Pid(id), options);
        is_killed
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod system {
    use super::{Pid, Tag};

    pub(super) fn adopt() {}

    pub(super) fn kill(_: Option<&Tag>, _: &[Pid]) {}
}

/// Makes this process the parent of orphans among its descendants, and each of its children one of an engine.
/// The program calls it before a match; a library does not own all children of its process.
pub(super) fn adopt() {
    system::adopt();
}

/// Kills the processes with a mark, or without one all children of this process, except for `kept`; and waits
/// until they have ended.
pub(super) fn kill(tag: Option<&Tag>, kept: &[Pid]) {
    system::kill(tag, kept);
}
