//! The caller's side: starts the first stage, forwards signals, scrubs output, and reports what was held.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::process::Command;
use std::thread::{self, JoinHandle};

use hooks_facts::hosts::HostList;
use hooks_redaction::Scrubber;
use rustix::fs::fstat;

use super::stage::{CLOSED_STAY, NAMESPACES};
use super::stages::{Network, Stages};
use super::stream;
use super::watch::{Watch, end_children, hold_signals};
use crate::config::Unavailable;
use crate::egress::{self, Connection, Proxy};
use crate::enforced::Enforced;
use crate::plan::Plan;
use crate::profile::Profile;

/// A command that is to run in the sandbox.
///
/// The program that calls this has to call [`stage`](super::stage) first of all in its `main`, because it is started again. Signals that
/// end a command are held back in the calling thread from then on and forwarded. Processes that a command has left behind come to this
/// process, and without namespaces all its children are killed when the command has ended. So it is for a program whose work this is.
#[derive(Debug)]
pub struct Sandbox {
    pub(super) command: Vec<OsString>,
    pub(super) shares_terminal: bool,
    scrubber: Option<Scrubber>,
    captured: bool,
    /// Ends when the command has to.
    pub(super) limit: Option<OwnedFd>,
    /// If they are started already.
    stages: Option<Stages>,
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
    pub fn new(command: impl IntoIterator<Item = OsString>) -> Self {
        let command = command.into_iter().collect();
        Self { command, shares_terminal: false, scrubber: None, captured: false, limit: None, stages: None }
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

    /// Starts the stages now, so that they are there when there is a plan of this profile. If what they need depends on the plan, they are
    /// started with it.
    ///
    /// # Errors
    /// Returns an error if the sandbox cannot be started.
    pub fn ahead(mut self, profile: &Profile) -> Result<Self, NotRun> {
        if let Some(network) = Network::from_profile(profile) {
            self.stages = Some(Stages::start(&mut self, network)?);
        }
        Ok(self)
    }

    /// Runs the command to its end. Everything that it has started ends with it.
    ///
    /// # Errors
    /// Returns an error if the sandbox cannot be started, or cannot hold what the plan promises and may not run without.
    pub fn run(mut self, plan: &Plan) -> Result<Finished, NotRun> {
        hold_signals().map_err(|error| NotRun::Failed(error.to_string()))?;
        let hosts = HostList::new(&plan.hosts).map_err(|error| NotRun::Failed(error.to_string()))?;
        let network = Network::from_plan(plan);
        let mut stages = match self.stages.take() {
            Some(stages) if stages.network == network => stages,
            Some(_) => return Err(NotRun::Failed("the plan is not that of the profile".to_owned())),
            None => Stages::start(&mut self, network)?,
        };
        stages.hand_over(plan)?;
        let listener = stages.take_listener();
        let proxy = listener.map(|listener| Proxy::start(listener, hosts, egress::of_machine)).transpose()?;
        let enforced = serde_json::from_str::<Enforced>(&stages.take_report()?);
        let may_run =
            |enforced: &Enforced| enforced.is_whole() || plan.unavailable == Unavailable::GuardsOnly;
        if enforced.as_ref().is_ok_and(|enforced| may_run(enforced) && !enforced.holds(CLOSED_STAY)) {
            plan.keep_copies();
            stages.confirm_copies();
        }
        let watch = Watch {
            child: stages.leave(),
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
        let output = stages.output();
        let Ok(enforced) = enforced else {
            return Err(NotRun::Failed("the sandbox ended before it reported what it holds".to_owned()));
        };
        if !may_run(&enforced) {
            return Err(NotRun::NotHeld(enforced));
        }
        Ok(Finished { enforced, status, output, connections })
    }

    /// Puts pipes between the command and the caller's output, if the output is changed or kept.
    pub(super) fn wire(&self, first: &mut Command) -> Result<Vec<JoinHandle<Vec<u8>>>, NotRun> {
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

/// Whether two open files are one.
fn is_one_file(one: std::os::fd::BorrowedFd<'_>, other: std::os::fd::BorrowedFd<'_>) -> bool {
    match (fstat(one), fstat(other)) {
        (Ok(one), Ok(other)) => {
            (one.st_dev, one.st_ino, one.st_rdev) == (other.st_dev, other.st_ino, other.st_rdev)
        }
        _ => false,
    }
}
