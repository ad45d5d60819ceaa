//! A worker: a process apart from the caller, which cleans up after a command also if the caller is killed.
//!
//! A client that gives a call up kills the process that it started and all that descend from it, and an agent can make it do so. What
//! the command has created by then would stay. So the caller has the work done by a process of another parent and another process
//! group. It ends the command when the caller has ended.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::thread;

use nix::sys::signal::kill;
use nix::unistd::Pid;
use rustix::io::{FdFlags, fcntl_setfd};

use super::FAILED;
use super::stage::{self, command};
use super::stages::THIS_PROGRAM;
use super::watch::{hold_signals, next_signal};

/// The words after that of a stage: for the process that starts the worker and ends, and for the worker.
pub(super) const STARTER: &str = "starter";
const WORKER: &str = "worker";

/// A process apart from the caller, which does its work.
#[derive(Debug)]
pub struct Worker {
    /// The command line of the caller.
    words: Vec<OsString>,
    /// Ends when the caller does.
    caller: OwnedFd,
    /// Takes the process of the worker, and the exit status.
    answer: File,
}

/// Has the rest of this process' work done by a [`Worker`], which is started with the same command line, and forwards signals to it.
/// Returns the exit status of the work.
///
/// # Errors
/// Returns an error if the worker cannot be started, or is killed.
pub fn apart(words: impl IntoIterator<Item = OsString>) -> io::Result<u8> {
    hold_signals()?;
    let (mut answer, answering) = io::pipe()?;
    let (living, alive) = io::pipe()?;
    let mut starter = command(THIS_PROGRAM);
    starter.arg0("hooks").args(line(STARTER, &living, &answering)).args(words).stdin(Stdio::null());
    for inherited in [answering.as_fd(), living.as_fd()] {
        fcntl_setfd(inherited, FdFlags::empty())?;
    }
    let started = starter.status()?;
    drop((answering, living));
    let ended = |_| io::Error::new(ErrorKind::BrokenPipe, "the process that runs the command has ended");
    if !started.success() {
        return Err(ended(ErrorKind::BrokenPipe.into()));
    }
    let mut process = [0; 4];
    answer.read_exact(&mut process).map_err(ended)?;
    let process = Pid::from_raw(i32::from_ne_bytes(process));
    thread::spawn(move || {
        while let Ok(signal) = next_signal() {
            // A worker that has ended gets none.
            _ = kill(process, signal);
        }
    });
    let mut status = [FAILED];
    answer.read_exact(&mut status).map_err(ended)?;
    drop(alive);
    let [status] = status;
    Ok(status)
}

fn line(role: &str, living: &PipeReader, answering: &PipeWriter) -> [OsString; 4] {
    [stage::WORD, role, &living.as_raw_fd().to_string(), &answering.as_raw_fd().to_string()].map(Into::into)
}

/// Starts the worker. It has another parent when this process has ended.
pub(super) fn starter(words: impl Iterator<Item = OsString>) -> Result<u8, String> {
    let failed = |error: io::Error| format!("the worker cannot be started: {error}");
    let mut worker = command(THIS_PROGRAM);
    worker.arg0("hooks").args([stage::WORD, WORKER]).args(words).process_group(0);
    worker.spawn().map(|_| 0).map_err(failed)
}

impl Worker {
    /// This process as a worker, if its command line is that of one.
    pub fn new(words: impl IntoIterator<Item = OsString>) -> Option<io::Result<Self>> {
        let mut words = words.into_iter().skip(1);
        (words.next()? == stage::WORD && words.next()? == WORKER).then(|| Self::begin(words))
    }

    fn begin(mut words: impl Iterator<Item = OsString>) -> io::Result<Self> {
        let mut open = |options: &mut std::fs::OpenOptions| {
            let number = words.next().and_then(|word| word.into_string().ok()?.parse::<i32>().ok());
            let number =
                number.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it is not started by hand"))?;
            let opened = options.open(format!("/proc/self/fd/{number}"))?;
            // The new one is not inherited.
            nix::unistd::close(number)?;
            Ok::<_, io::Error>(opened)
        };
        let caller = open(File::options().read(true))?.into();
        let mut answer = open(File::options().write(true))?;
        let process = std::process::id();
        answer.write_all(&process.to_ne_bytes())?;
        Ok(Self { words: words.collect(), caller, answer })
    }

    /// The command line of the caller, without the name of the program.
    pub fn words(&self) -> &[OsString] {
        &self.words
    }

    /// An open file that ends when the caller does, for [`Sandbox::ending_with`](super::Sandbox::ending_with).
    ///
    /// # Errors
    /// Returns an error if there are too many open files.
    pub fn caller(&self) -> io::Result<OwnedFd> {
        self.caller.try_clone()
    }

    /// Hands the exit status to the caller, if it still waits.
    pub fn finish(mut self, status: u8) {
        drop(self.answer.write_all(&[status]));
    }
}
