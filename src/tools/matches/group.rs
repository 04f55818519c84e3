//! A process together with everything it starts: a process group on Unix, a job object on Windows. The whole
//! group is killed together.
//!
//! A process may leave its group on purpose, by `setsid` or `setpgid`. On Linux it is found by a variable of
//! its environment, or as an orphan that this process has adopted; see `strays.rs`. Elsewhere it stays.

#[cfg(unix)]
use super::strays;
use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};

/// A running process and its descendants. Dropping it kills them all.
pub(super) struct Group {
    child: Child,
    status: Option<ExitStatus>,
    system: Handle,
}

/// Besides the first process, the mark of the processes that have left the group.
#[cfg(unix)]
type Handle = strays::Tag;

/// The job of the group. Closing it kills every process in it.
#[cfg(windows)]
type Handle = Option<win32job::Job>;

impl Group {
    /// Starts a process as the first of a new group.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        let (child, system) = system::spawn(command)?;
        Ok(Self { child, status: None, system })
    }

    /// Returns both ends of the pipes to the first process, once.
    pub(super) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    /// Returns the status of the first process if it has ended. The rest of the group is killed then.
    pub(super) fn try_end(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && system::has_ended(&mut self.child) {
            self.kill();
        }
        self.status
    }

    /// Kills the group and waits for the end of its first process.
    pub(super) fn kill(&mut self) {
        if self.status.is_none() {
            // This fails if all have ended.
            self.status = system::kill(&mut self.child, &mut self.system);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(unix)]
mod system {
    use super::{Handle, strays};
    use parking_lot::Mutex;
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, ExitStatus};

    /// The first processes of all groups. It is locked while one starts, so that none escapes `kill_all`.
    static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

    /// Returns the first process of the group.
    fn id(child: &Child) -> Option<Pid> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    }

    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Handle)> {
        let tag = strays::Tag::new();
        tag.put_on(command);
        let mut running = RUNNING.lock();
        let child = command.process_group(0).spawn()?;
        running.extend(id(&child));
        Ok((child, tag))
    }

    /// Returns true if a process has ended. It is not reaped, so that its number still names its group.
    pub(super) fn has_ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        id(child).is_some_and(|id| waitid(WaitId::Pid(id), options).is_ok_and(|status| status.is_some()))
    }

    pub(super) fn kill(child: &mut Child, tag: &mut Handle) -> Option<ExitStatus> {
        let id = id(child)?;
        let mut running = RUNNING.lock();
        // A process that is not reaped keeps its number, so this never names another group.
        let _ = kill_process_group(id, Signal::KILL);
        let status = child.wait().ok();
        running.retain(|&other| other != id);
        strays::kill(Some(tag), &running);
        if running.is_empty() {
            strays::kill(None, &[]);
        }
        status
    }

    /// Kills all groups. No process can be started afterwards.
    pub(super) fn kill_all() {
        let running = RUNNING.lock();
        for &id in running.iter() {
            let _ = kill_process_group(id, Signal::KILL);
        }
        // Its children become children of this process, and are found, only when it has ended.
        for &id in running.iter() {
            let _ = waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        }
        strays::kill(None, &running);
        std::mem::forget(running);
    }
}

#[cfg(windows)]
mod system {
    use super::Handle;
    use std::io;
    use std::os::windows::io::AsRawHandle as _;
    use std::process::{Child, Command, ExitStatus};
    use std::sync::OnceLock;
    use win32job::{ExtendedLimitInfo, Job, JobError};

    /// The job of this program, which Windows closes with it, however it ends. Processes that its processes
    /// start join it, even before they have a job of their own.
    static OWN: OnceLock<Option<Job>> = OnceLock::new();

    fn job() -> Result<Job, JobError> {
        Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())
    }

    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Handle)> {
        OWN.get_or_init(|| job().ok().filter(|job| job.assign_current_process().is_ok()));
        let mut child = command.spawn()?;
        let own = job().and_then(|job| job.assign_process(child.as_raw_handle() as isize).map(|()| job));
        match own {
            Ok(job) => Ok((child, Some(job))),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(io::Error::other(error))
            }
        }
    }

    pub(super) fn has_ended(child: &mut Child) -> bool {
        child.try_wait().is_ok_and(|status| status.is_some())
    }

    pub(super) fn kill(child: &mut Child, job: &mut Handle) -> Option<ExitStatus> {
        drop(job.take());
        let _ = child.kill();
        child.wait().ok()
    }
}

/// Returns true if SIGHUP is known to end this process: if it is not ignored, as it is under `nohup`.
#[cfg(unix)]
fn catches_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored =
        status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored & 1 << (signal_hook::consts::SIGHUP - 1) == 0)
}

/// Makes the signals that ask a program to end kill all groups and end this process.
///
/// The exit codes are those of shells: 130 after SIGINT, 131 after SIGQUIT, 143 after SIGTERM, and 129 after
/// SIGHUP, unless SIGHUP is ignored, as under `nohup`. From then on every child of this process counts as one
/// of an engine.
///
/// # Errors
/// If the signals cannot be caught.
#[cfg(unix)]
pub(crate) fn kill_all_on_signals() -> io::Result<()> {
    strays::adopt();
    use crate::platform::threads::{STACK_SIZE, spawn};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let seen = Arc::new(AtomicUsize::new(0));
    let (mut wake, waker) = UnixStream::pair()?;
    let hangup = if catches_hangup() { &[SIGHUP][..] } else { &[] };
    for &signal in [SIGINT, SIGQUIT, SIGTERM].iter().chain(hangup) {
        // The order matters: the thread reads the number after it is woken.
        signal_hook::flag::register_usize(signal, Arc::clone(&seen), signal as usize)?;
        signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
    }
    spawn("signals", STACK_SIZE, move || {
        // Nothing is written to the pipe before a signal.
        let _ = wake.read_exact(&mut [0]);
        system::kill_all();
        signal_hook::low_level::exit(128 + seen.load(Ordering::Relaxed) as i32);
    })?;
    Ok(())
}
