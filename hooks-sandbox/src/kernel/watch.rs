//! Waits for a process, and forwards signals to it.

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// Signals that end or steer a command, and the one that reports the end of a child.
const WATCHED: [Signal; 7] = [
    Signal::SIGCHLD,
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
];

/// The child that a process waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    pub(super) child: Pid,
    /// Whether the child leads a process group of its own, which gets the signals.
    pub(super) leads_group: bool,
    /// Whether a terminal sends its signals to the child too.
    pub(super) shares_terminal: bool,
    /// Whether children that others left are waited for.
    pub(super) reaps_all: bool,
}

fn watched() -> SigSet {
    WATCHED.into_iter().collect()
}

/// Holds back the signals that [`Watch::wait`] forwards.
pub(super) fn hold_signals() -> Result<(), Errno> {
    watched().thread_block()
}

/// Waits for one of these signals, but for that of a child.
pub(super) fn next_signal() -> Result<Signal, Errno> {
    loop {
        match watched().wait()? {
            Signal::SIGCHLD => {}
            signal => return Ok(signal),
        }
    }
}

/// Lets all signals through.
pub(super) fn release_signals() -> Result<(), Errno> {
    SigSet::empty().thread_set_mask()
}

impl Watch {
    /// Waits until the child has ended; returns its exit status as a shell reports it.
    pub(super) fn wait(&self) -> Result<u8, Errno> {
        loop {
            // It may have ended before the signals were held back.
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            match watched().wait()? {
                Signal::SIGCHLD => {}
                Signal::SIGINT | Signal::SIGQUIT if self.shares_terminal => {}
                signal => self.forward(signal),
            }
        }
    }

    fn forward(&self, signal: Signal) {
        let target = if self.leads_group { Pid::from_raw(-self.child.as_raw()) } else { self.child };
        // A child that has ended gets none.
        _ = kill(target, signal);
    }

    fn ended(&self) -> Result<Option<u8>, Errno> {
        let who = if self.reaps_all { Pid::from_raw(-1) } else { self.child };
        let mut status = None;
        loop {
            let (pid, code) = match waitpid(who, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::Exited(pid, code)) => (pid, u8::try_from(code & 0xff).unwrap_or(u8::MAX)),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    (pid, u8::try_from(128 + signal as i32).unwrap_or(u8::MAX))
                }
                Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) => return Ok(status),
                Ok(_) => continue,
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error),
            };
            if pid == self.child {
                status = Some(code);
            }
            if !self.reaps_all {
                return Ok(status);
            }
        }
    }
}

/// Ends all children, and those that they have left, of a process that gets them.
pub(super) fn end_children() {
    // Each round ends one generation.
    for _ in 0..1_000 {
        let text = std::fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
        let children: Vec<Pid> =
            text.split_whitespace().filter_map(|pid| pid.parse().ok()).map(Pid::from_raw).collect();
        if children.is_empty() {
            return;
        }
        for child in children {
            _ = kill(child, Signal::SIGKILL);
            _ = waitpid(child, None);
        }
    }
}
