//! The guard of an engine: a process between the match and the engine, which ends with the engine and kills
//! what the engine has left behind.
//!
//! It is this program with the hidden command `guard`. The engine has its standard input and output. Its
//! standard error is one end of a socket: when the match ends, however that happens, the other end is closed,
//! and the guard kills everything below it. The guard ends with the status of the engine.

use super::strays;
use crate::tools::own_program::{own_program, path_to_start};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus, wait};
use signal_hook::consts::SIGCHLD;
use signal_hook::{flag, low_level};
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The longest wait for a guard to start its engine.
const TIME_TO_START: Duration = Duration::from_secs(30);

/// Returns the program that runs as a guard, if the system tells.
pub(super) fn program() -> Option<PathBuf> {
    own_program().ok().map(|own| path_to_start(own).to_owned())
}

/// Returns the command that starts an engine below a guard, and the end of the socket that the match keeps.
///
/// # Errors
/// If there is no socket.
pub(super) fn command(
    guard: &Path,
    program: &Path,
    arguments: &[String],
) -> io::Result<(Command, UnixStream)> {
    let (kept, given) = UnixStream::pair()?;
    let mut command = Command::new(guard);
    command.arg0("millstone").args(["guard", "--"]).arg(program).args(arguments);
    command.stderr(OwnedFd::from(given));
    Ok((command, kept))
}

/// Waits until a guard has started its engine.
///
/// # Errors
/// If the engine or the guard does not start.
pub(super) fn started(mut kept: &UnixStream) -> io::Result<()> {
    let mut number = [0; 4];
    kept.set_read_timeout(Some(TIME_TO_START))?;
    let failed = |why: io::Error| io::Error::new(why.kind(), format!("its guard does not start: {why}"));
    kept.read_exact(&mut number).map_err(failed)?;
    match i32::from_le_bytes(number) {
        0 => Ok(()),
        number => Err(io::Error::from_raw_os_error(number)),
    }
}

/// Runs an engine and ends with its status; returns only if it cannot be run.
///
/// # Errors
/// If standard error is no socket, or the signals cannot be caught.
pub(crate) fn run(command: &[OsString]) -> io::Result<()> {
    let mut control = UnixStream::from(io::stderr().as_fd().try_clone_to_owned()?);
    control
        .peer_addr()
        .map_err(|_| io::Error::other("only a command that runs engines can start a guard"))?;
    let (mut wake, waker) = UnixStream::pair()?;
    wake.set_nonblocking(true)?;
    low_level::pipe::register(SIGCHLD, waker)?;
    // An engine may send a signal to its whole group, to which the guard belongs.
    for signal in super::signals::ending() {
        flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    strays::adopt();
    let (program, arguments) = command.split_first().ok_or_else(|| io::Error::other("no program"))?;
    let child = match Command::new(program).args(arguments).stderr(Stdio::null()).spawn() {
        Ok(child) => child,
        Err(why) => {
            let number = why.raw_os_error().unwrap_or_else(|| Errno::IO.raw_os_error());
            control.write_all(&number.to_le_bytes())?;
            low_level::exit(127);
        }
    };
    control.write_all(&0_i32.to_le_bytes())?;
    // From now on the pipes close with the engine.
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    let engine = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    loop {
        let mut ends = [PollFd::new(&control, PollFlags::IN), PollFd::new(&wake, PollFlags::IN)];
        match poll(&mut ends, None) {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        if !ends[0].revents().is_empty() {
            kill_all();
            low_level::exit(0);
        }
        // One of the engine's orphans may have ended too.
        while wake.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
        while let Ok(Some((id, status))) = wait(WaitOptions::NOHANG) {
            if Some(id) == engine {
                strays::kill(&[]);
                end_as(status);
            }
        }
    }
}

/// Kills all that the engine has started. Where orphans cannot be found, this is the process group, and the
/// guard ends with it.
fn kill_all() {
    strays::kill(&[]);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        use rustix::process::{Signal, getpgrp, kill_process_group};
        let _ = kill_process_group(getpgrp(), Signal::KILL);
    }
}

/// Ends this process as another one has ended.
fn end_as(status: WaitStatus) -> ! {
    if let Some(signal) = status.terminating_signal() {
        // The engine has left its own core file, if any.
        let _ = rlimit::setrlimit(rlimit::Resource::CORE, 0, 0);
        let _ = low_level::emulate_default_handler(signal);
        low_level::exit(128 + signal);
    }
    low_level::exit(status.exit_status().unwrap_or(1));
}
