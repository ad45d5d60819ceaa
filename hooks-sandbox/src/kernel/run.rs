//! The caller's side: starts the first stage, forwards signals, scrubs output, and reports what was held.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};

use hooks_facts::hosts::HostList;
use hooks_redaction::Scrubber;
use nix::sys::prctl;
use nix::unistd::Pid;
use rustix::fs::{MemfdFlags, fstat, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::hand_out;
use super::stage::{CLOSED_STAY, NAMESPACES, Order, command, pid_of};
use super::stream;
use super::watch::{Watch, end_children, hold_signals};
use crate::config::Unavailable;
use crate::egress::{self, Connection, Proxy};
use crate::enforced::Enforced;
use crate::plan::Plan;

/// The program that runs, whatever has become of its file.
pub(super) const THIS_PROGRAM: &str = "/proc/self/exe";

/// A command that is to run in the sandbox.
///
/// The program that calls this has to call [`stage`](super::stage) first of all in its `main`, because it is started again. Signals that
/// end a command are held back in the calling thread from then on and forwarded. Processes that a command has left behind come to this
/// process, and without namespaces all its children are killed when the command has ended. So it is for a program whose work this is.
#[derive(Debug)]
pub struct Sandbox {
    plan: Plan,
    command: Vec<OsString>,
    shares_terminal: bool,
    scrubber: Option<Scrubber>,
    captured: bool,
    /// Ends when the command has to.
    limit: Option<OwnedFd>,
}

/// A command that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finished {
    /// Mechanisms and promises that were held.
    pub enforced: Enforced,
    /// The exit status, as a shell reports it: 128 and the number of a signal that ended the command.
    pub status: u8,
    /// Output of the command, if it was captured.
    pub output: Vec<u8>,
    /// Connections through the proxy, if the profile has a list of hosts.
    pub connections: Vec<Connection>,
}

/// A command that did not run.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotRun {
    /// The promises of the profile cannot be held here.
    NotHeld(Enforced),
    /// The sandbox could not be started.
    Failed(String),
}

impl fmt::Display for NotRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotHeld(enforced) => f.write_str(&enforced.missing()),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for NotRun {}

impl From<io::Error> for NotRun {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<rustix::io::Errno> for NotRun {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Failed(error.to_string())
    }
}

impl Sandbox {
    /// A command, without standard input, in a process group of its own.
    pub fn new(plan: Plan, command: impl IntoIterator<Item = OsString>) -> Self {
        let command = command.into_iter().collect();
        Self { plan, command, shares_terminal: false, scrubber: None, captured: false, limit: None }
    }

    /// Gives the command the standard input and the terminal of the caller.
    #[must_use]
    pub const fn with_input(mut self) -> Self {
        self.shares_terminal = true;
        self
    }

    /// Scrubs what the command writes.
    #[must_use]
    pub fn scrubbing(mut self, scrubber: Scrubber) -> Self {
        self.scrubber = Some(scrubber);
        self
    }

    /// Keeps what the command writes, in place of passing it on.
    #[must_use]
    pub const fn capturing(mut self) -> Self {
        self.captured = true;
        self
    }

    /// Kills the command when an open file ends, such as the reading end of a pipe.
    #[must_use]
    pub fn ending_with(mut self, limit: OwnedFd) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Runs the command to its end. Everything that it has started ends with it.
    ///
    /// # Errors
    /// Returns an error if the sandbox cannot be started, or cannot hold what the profile promises and may not run without.
    pub fn run(mut self) -> Result<Finished, NotRun> {
        hold_signals().map_err(|error| NotRun::Failed(error.to_string()))?;
        let plan = self.handed_over()?;
        let (report, reporter) = pipe_with(PipeFlags::CLOEXEC)?;
        let (copied, copies_made) = pipe_with(PipeFlags::CLOEXEC)?;
        fcntl_setfd(&reporter, FdFlags::empty())?;
        fcntl_setfd(&copied, FdFlags::empty())?;
        let hosts = HostList::new(&self.plan.hosts).map_err(|error| NotRun::Failed(error.to_string()))?;
        let listener = if hosts.is_empty() { None } else { Some(hand_out::pair()?) };
        let order = Order {
            plan: plan.as_raw_fd(),
            report: reporter.as_raw_fd(),
            copied: copied.as_raw_fd(),
            shares_terminal: self.shares_terminal,
            reached: None,
            listener: listener.as_ref().map(|(_, theirs)| theirs.as_raw_fd()),
            proxy: None,
            command: self.command.clone(),
        };
        let mut first = command(THIS_PROGRAM);
        first.arg0("hooks").args(order.words());
        if !self.shares_terminal {
            first.stdin(Stdio::null()).process_group(0);
        }
        let copying = self.wire(&mut first)?;
        // What a stage leaves that is killed comes to this process.
        prctl::set_child_subreaper(true).map_err(|error| NotRun::Failed(error.to_string()))?;
        let limit = self.limit.take();
        let mut child = first.spawn()?;
        if let Some(Err(error)) = limit.map(|limit| kill_at_end(limit, pid_of(&child))) {
            child.kill()?;
            child.wait()?;
            return Err(error.into());
        }
        // Its ends of the pipes are this process's own otherwise.
        drop((first, reporter, copied, plan));
        let proxy = match listener {
            None => None,
            Some((ours, theirs)) => {
                drop(theirs);
                // Without a listener, the report has the reason.
                let listener = hand_out::take(&ours);
                listener.map(|listener| Proxy::start(listener, hosts, egress::of_machine)).transpose()?
            }
        };
        let mut text = String::new();
        File::from(report).read_to_string(&mut text)?;
        let enforced = serde_json::from_str::<Enforced>(&text);
        let may_run =
            |enforced: &Enforced| enforced.is_whole() || self.plan.unavailable == Unavailable::GuardsOnly;
        if enforced.as_ref().is_ok_and(|enforced| may_run(enforced) && !enforced.holds(CLOSED_STAY)) {
            self.plan.keep_copies();
            // A stage that has ended waits for none.
            drop(File::from(copies_made).write_all(b"c"));
        }
        let watch = Watch {
            child: pid_of(&child),
            leads_group: false,
            shares_terminal: self.shares_terminal,
            reaps_all: false,
        };
        let status = watch.wait();
        // In a namespace of processes, they have ended.
        if !enforced.as_ref().is_ok_and(|enforced| enforced.has(NAMESPACES)) {
            end_children();
        }
        let connections = proxy.map(Proxy::end).unwrap_or_default();
        let status = status.map_err(|error| NotRun::Failed(error.to_string()))?;
        let mut output = Vec::new();
        for one in copying {
            output.extend(one.join().unwrap_or_default());
        }
        let Ok(enforced) = enforced else {
            return Err(NotRun::Failed("the sandbox ended before it reported what it holds".to_owned()));
        };
        if !may_run(&enforced) {
            return Err(NotRun::NotHeld(enforced));
        }
        Ok(Finished { enforced, status, output, connections })
    }

    /// The plan in a file that has no name and that the first stage inherits.
    fn handed_over(&self) -> Result<OwnedFd, NotRun> {
        let text = serde_json::to_vec(&self.plan)
            .map_err(|error| NotRun::Failed(format!("the plan cannot be written: {error}")))?;
        let mut file = File::from(memfd_create("plan", MemfdFlags::empty())?);
        file.write_all(&text)?;
        Ok(file.into())
    }

    /// Puts pipes between the command and the caller's output, if the output is changed or kept.
    fn wire(&self, first: &mut Command) -> Result<Vec<JoinHandle<Vec<u8>>>, NotRun> {
        if self.captured {
            let (reader, writer) = io::pipe()?;
            first.stdout(writer.try_clone()?).stderr(writer);
            let mut reader = reader;
            return Ok(vec![thread::spawn(move || {
                let mut output = Vec::new();
                // What could be read is kept.
                drop(reader.read_to_end(&mut output));
                output
            })]);
        }
        let Some(scrubber) = &self.scrubber else { return Ok(Vec::new()) };
        let (reader, writer) = io::pipe()?;
        let mut all = Vec::new();
        if is_one_file(io::stdout().as_fd(), io::stderr().as_fd()) {
            // One pipe keeps the order of both.
            first.stdout(writer.try_clone()?).stderr(writer);
        } else {
            let (errors, error_writer) = io::pipe()?;
            first.stdout(writer).stderr(error_writer);
            let scrubber = scrubber.clone();
            all.push(thread::spawn(move || {
                drop(stream::copy(errors, &mut io::stderr(), &scrubber));
                Vec::new()
            }));
        }
        let scrubber = scrubber.clone();
        all.push(thread::spawn(move || {
            // If the reader has closed its end, the command gets a broken pipe.
            drop(stream::copy(reader, &mut io::stdout(), &scrubber));
            Vec::new()
        }));
        Ok(all)
    }
}

/// Kills a child of this process when an open file ends.
fn kill_at_end(limit: OwnedFd, child: Pid) -> Result<(), rustix::io::Errno> {
    let child = rustix::process::Pid::from_raw(child.as_raw()).ok_or(rustix::io::Errno::SRCH)?;
    // By a handle, as another process may have the number later.
    let child = pidfd_open(child, PidfdFlags::empty())?;
    thread::spawn(move || {
        let mut file = File::from(limit);
        let mut byte = [0];
        while matches!(file.read(&mut byte), Ok(1)) {}
        // One that has ended needs no signal.
        _ = pidfd_send_signal(child, Signal::KILL);
    });
    Ok(())
}

/// Whether two open files are one.
fn is_one_file(one: std::os::fd::BorrowedFd<'_>, other: std::os::fd::BorrowedFd<'_>) -> bool {
    match (fstat(one), fstat(other)) {
        (Ok(one), Ok(other)) => {
            (one.st_dev, one.st_ino, one.st_rdev) == (other.st_dev, other.st_ino, other.st_rdev)
        }
        _ => false,
    }
}
