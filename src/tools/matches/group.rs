//! A process together with everything it starts: a process group on Unix, a job object on Windows. The whole
//! group is killed together.
//!
//! In the program the first process of a Unix group is the guard of the engine, see `guard.rs`. It ends the
//! engine with the match, even if the match is killed. On Linux it also ends processes that have left the
//! group by `setsid` or `setpgid`; see `strays.rs`. Elsewhere they stay. A library has no guards, because its
//! program is not this one.

use crate::tools::own_program::path_to_start;
use std::io;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// A running process and its descendants. Dropping it kills them all.
pub(super) struct Group {
    child: Child,
    status: Option<ExitStatus>,
    system: Handle,
}

/// The first process is enough.
#[cfg(unix)]
type Handle = ();

/// The job of the group. Closing it kills every process in it.
#[cfg(windows)]
type Handle = Option<win32job::Job>;

impl Group {
    /// Starts a program in a new group, with pipes for its input and output.
    ///
    /// # Errors
    /// If it cannot be started.
    pub(super) fn spawn(program: &str, arguments: &[String]) -> io::Result<Self> {
        system::spawn(path_to_start(Path::new(program)), arguments)
    }

    fn new(child: Child, system: Handle) -> Self {
        Self { child, status: None, system }
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

/// Gives a program pipes for its input and output. Nobody reads its errors.
fn piped(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::piped()).stdout(Stdio::piped())
}

#[cfg(unix)]
mod system {
    use super::{Group, Handle, piped};
    use crate::tools::matches::{guard, strays};
    use parking_lot::Mutex;
    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
    use std::io;
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    /// A group.
    struct Running {
        /// Its first process.
        id: Pid,
        /// The socket that ends its guard when it is shut down.
        guard: Option<UnixStream>,
    }

    /// All groups. It is locked while one starts, so that none escapes `kill_all`.
    static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());

    /// The program that guards engines, set by `protect`.
    pub(super) static GUARD: OnceLock<PathBuf> = OnceLock::new();

    /// The longest wait for a guard to kill what it guards.
    const TIME_TO_KILL: Duration = Duration::from_secs(6);

    /// Returns the first process of the group.
    fn id(child: &Child) -> Option<Pid> {
        i32::try_from(child.id()).ok().and_then(Pid::from_raw)
    }

    pub(super) fn spawn(program: &Path, arguments: &[String]) -> io::Result<Group> {
        let (mut command, guard) = match GUARD.get() {
            Some(guard) => {
                let (command, socket) = guard::command(guard, program, arguments)?;
                (command, Some(socket))
            }
            None => {
                let mut command = Command::new(program);
                command.args(arguments).stderr(Stdio::null());
                (command, None)
            }
        };
        let kept = guard.as_ref().map(UnixStream::try_clone).transpose()?;
        let group = {
            let mut running = RUNNING.lock();
            let child = piped(&mut command).process_group(0).spawn()?;
            running.extend(id(&child).map(|id| Running { id, guard: kept }));
            Group::new(child, ())
        };
        // It holds the guard's end of the socket, which would hide the end of a guard that dies.
        drop(command);
        guard.as_ref().map_or(Ok(()), guard::started)?;
        Ok(group)
    }

    /// Returns true if a process has ended. It is not reaped, so that its number still names its group.
    fn is_ended(id: Pid) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(id), options).is_ok_and(|status| status.is_some())
    }

    pub(super) fn has_ended(child: &mut Child) -> bool {
        id(child).is_some_and(is_ended)
    }

    impl Running {
        /// Asks the guard to kill all that it guards. Returns false without one.
        fn ask_guard(&self) -> bool {
            let Some(guard) = &self.guard else { return false };
            // The engine may have stopped it.
            let _ = kill_process(self.id, Signal::CONT);
            guard.shutdown(Shutdown::Both).is_ok()
        }
    }

    /// Waits for the end of a guard that was asked.
    fn await_guard(id: Pid, deadline: Instant) {
        while !is_ended(id) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    pub(super) fn kill(child: &mut Child, (): &mut Handle) -> Option<ExitStatus> {
        let id = id(child)?;
        let is_asked = RUNNING.lock().iter().any(|group| group.id == id && group.ask_guard());
        if is_asked {
            await_guard(id, Instant::now() + TIME_TO_KILL);
        }
        let mut running = RUNNING.lock();
        // A process that is not reaped keeps its number, so this never names another group. It fails if all
        // have ended.
        let _ = kill_process_group(id, Signal::KILL);
        let status = child.wait().ok();
        running.retain(|group| group.id != id);
        // The orphans of a guard that was killed.
        strays::kill(&running.iter().map(|group| group.id).collect::<Vec<_>>());
        status
    }

    /// Kills all groups. No process can be started afterwards.
    pub(super) fn kill_all() {
        let running = RUNNING.lock();
        let asked: Vec<bool> = running.iter().map(Running::ask_guard).collect();
        let deadline = Instant::now() + TIME_TO_KILL;
        for (group, _) in running.iter().zip(asked).filter(|&(_, is_asked)| is_asked) {
            await_guard(group.id, deadline);
        }
        for group in running.iter() {
            let _ = kill_process_group(group.id, Signal::KILL);
        }
        // Its children become children of this process, and are found, only when it has ended.
        for group in running.iter() {
            let _ = waitid(WaitId::Pid(group.id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        }
        strays::kill(&running.iter().map(|group| group.id).collect::<Vec<_>>());
        std::mem::forget(running);
    }
}

#[cfg(windows)]
mod system {
    use super::{Group, Handle, piped};
    use std::io;
    use std::os::windows::io::AsRawHandle as _;
    use std::path::Path;
    use std::process::{Child, Command, ExitStatus, Stdio};
    use std::sync::OnceLock;
    use win32job::{ExtendedLimitInfo, Job, JobError};

    /// The job of this program, which Windows closes with it, however it ends. Processes that its processes
    /// start join it, even before they have a job of their own.
    static OWN: OnceLock<Option<Job>> = OnceLock::new();

    fn job() -> Result<Job, JobError> {
        Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())
    }

    pub(super) fn spawn(program: &Path, arguments: &[String]) -> io::Result<Group> {
        let mut command = Command::new(program);
        command.args(arguments).stderr(Stdio::null());
        OWN.get_or_init(|| job().ok().filter(|job| job.assign_current_process().is_ok()));
        let mut child = piped(&mut command).spawn()?;
        let own = job().and_then(|job| job.assign_process(child.as_raw_handle() as isize).map(|()| job));
        match own {
            Ok(job) => Ok(Group::new(child, Some(job))),
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

/// A function that a signal calls before it ends this process. It has to call its argument, which kills the
/// engines.
#[cfg(unix)]
pub(super) type SignalHook = Box<dyn FnOnce(&dyn Fn()) + Send>;

#[cfg(unix)]
static SIGNAL_HOOK: parking_lot::Mutex<Option<SignalHook>> = parking_lot::Mutex::new(None);

/// Makes the signals of `protect` call a function before they end this process.
#[cfg(unix)]
pub(super) fn before_signal_ends(hook: SignalHook) {
    *SIGNAL_HOOK.lock() = Some(hook);
}

/// Makes engines end with this process, however it ends, and lets as many run as the system allows.
///
/// Each engine that starts from then on has a guard. The signals that end a program kill all groups and end
/// this process with the exit code of shells, 128 and the number of the signal. Once the engines are killed,
/// another SIGINT, SIGQUIT or SIGTERM ends the process at once, even if the function of `before_signal_ends`
/// still runs. Every later child of this process counts as one of an engine.
///
/// # Errors
/// If the signals cannot be caught.
#[cfg(unix)]
pub(crate) fn protect() -> io::Result<()> {
    use crate::platform::threads::{STACK_SIZE, spawn};
    use std::io::Read as _;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    // Each engine takes four files: its pipes, and the socket of its guard twice.
    crate::platform::files::raise_limit();
    super::strays::adopt();
    // Without it, engines run without guards.
    if let Some(program) = super::guard::program() {
        system::GUARD.get_or_init(|| program);
    }
    let seen = Arc::new(AtomicUsize::new(0));
    let (mut wake, waker) = UnixStream::pair()?;
    for signal in super::signals::ending() {
        // The order matters: the thread reads the number after it is woken.
        signal_hook::flag::register_usize(signal, Arc::clone(&seen), signal as usize)?;
        signal_hook::low_level::pipe::register(signal, waker.try_clone()?)?;
    }
    let are_engines_dead = Arc::new(AtomicBool::new(false));
    // A terminal that closes may send SIGHUP twice.
    for signal in super::signals::ALWAYS {
        let condition = Arc::clone(&are_engines_dead);
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, condition)?;
    }
    spawn("signals", STACK_SIZE, move || {
        // Nothing is written to the pipe before a signal.
        let _ = wake.read_exact(&mut [0]);
        let signal = seen.load(Ordering::Relaxed) as i32;
        let kill_engines = || {
            system::kill_all();
            are_engines_dead.store(true, Ordering::Relaxed);
        };
        let hook = SIGNAL_HOOK.lock().take();
        match hook {
            Some(hook) => hook(&kill_engines),
            None => kill_engines(),
        }
        signal_hook::low_level::exit(128 + signal);
    })?;
    Ok(())
}
