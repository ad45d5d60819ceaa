//! The stages as the caller has started them: they wait for their plan.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::net::TcpListener;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Stdio};
use std::thread::{self, JoinHandle};

use nix::sys::prctl;
use nix::unistd::Pid;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use super::hand_out;
use super::run::{NotRun, Sandbox};
use super::stage::{Order, command, pid_of};
use crate::config::EgressConfig;
use crate::plan::Plan;
use crate::profile::Profile;

/// The program that runs, whatever has become of its file.
pub(super) const THIS_PROGRAM: &str = "/proc/self/exe";

/// The network of a command, which the first stage makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Network {
    /// Whether the command may connect as it likes.
    pub(super) is_connected: bool,
    /// Whether it may connect to some hosts, through the proxy.
    pub(super) has_hosts: bool,
    /// Whether these were found on this machine, and not listed by the rules.
    pub(super) has_found_hosts: bool,
}

impl Network {
    pub(super) const fn from_plan(plan: &Plan) -> Self {
        Self {
            is_connected: plan.is_connected,
            has_hosts: !plan.hosts.is_empty(),
            has_found_hosts: plan.has_found_hosts,
        }
    }

    /// The network before there is a plan; `None` if it depends on what the plan finds.
    pub(super) fn from_profile(profile: &Profile) -> Option<Self> {
        let (is_connected, has_hosts) = match &profile.egress {
            EgressConfig::Packages => return None,
            EgressConfig::None => (false, false),
            EgressConfig::All => (true, false),
            EgressConfig::Hosts(hosts) => (false, !hosts.is_empty()),
        };
        Some(Self { is_connected, has_hosts, has_found_hosts: false })
    }

    /// As a word of a command line.
    pub(super) fn word(self) -> String {
        [(self.is_connected, 'c'), (self.has_hosts, 'h'), (self.has_found_hosts, 'f')]
            .into_iter()
            .filter_map(|(is_set, letter)| is_set.then_some(letter))
            .collect()
    }

    pub(super) fn parse(word: &str) -> Self {
        let has = |letter| word.contains(letter);
        Self { is_connected: has('c'), has_hosts: has('h'), has_found_hosts: has('f') }
    }
}

/// The first stage of a sandbox, and this process' ends of what connects them. It is killed if it gets no plan.
#[derive(Debug)]
pub(super) struct Stages {
    child: Child,
    /// Whether something else waits for it.
    is_left: bool,
    pub(super) network: Network,
    /// Until it is handed over.
    plan: Option<PipeWriter>,
    report: PipeReader,
    copies_made: PipeWriter,
    listener: Option<UnixStream>,
    /// The threads that read the output of the command.
    copying: Vec<JoinHandle<Vec<u8>>>,
}

impl Stages {
    pub(super) fn start(sandbox: &mut Sandbox, network: Network) -> Result<Self, NotRun> {
        let (planned, plan) = io::pipe()?;
        let (report, reporter) = io::pipe()?;
        let (copied, copies_made) = io::pipe()?;
        for inherited in [planned.as_fd(), reporter.as_fd(), copied.as_fd()] {
            fcntl_setfd(inherited, FdFlags::empty())?;
        }
        let (listener, theirs) = if network.has_hosts { Some(hand_out::pair()?) } else { None }.unzip();
        let order = Order {
            plan: planned.as_raw_fd(),
            report: reporter.as_raw_fd(),
            copied: copied.as_raw_fd(),
            shares_terminal: sandbox.shares_terminal,
            network,
            reached: None,
            listener: theirs.as_ref().map(AsRawFd::as_raw_fd),
            proxy: None,
            command: std::mem::take(&mut sandbox.command),
        };
        let mut first = command(THIS_PROGRAM);
        first.arg0("hooks").args(order.words());
        if !sandbox.shares_terminal {
            first.stdin(Stdio::null()).process_group(0);
        }
        let copying = sandbox.wire(&mut first)?;
        // What a stage leaves that is killed comes to this process.
        prctl::set_child_subreaper(true).map_err(|error| NotRun::Failed(error.to_string()))?;
        let child = first.spawn()?;
        let id = pid_of(&child);
        // The other ends are closed here with their owners.
        let stages =
            Self { child, is_left: false, network, plan: Some(plan), report, copies_made, listener, copying };
        if let Some(limit) = sandbox.limit.take() {
            kill_at_end(limit, id)?;
        }
        Ok(stages)
    }

    /// Hands the plan over. A stage that has ended reads none, and its report has the reason.
    pub(super) fn hand_over(&mut self, plan: &Plan) -> Result<(), NotRun> {
        let text = serde_json::to_vec(plan)
            .map_err(|error| NotRun::Failed(format!("the plan cannot be written: {error}")))?;
        if let Some(mut plan) = self.plan.take() {
            drop(plan.write_all(&text));
        }
        Ok(())
    }

    /// The listener of the proxy. Without one, the report has the reason.
    pub(super) fn take_listener(&mut self) -> Option<TcpListener> {
        hand_out::take(&self.listener.take()?)
    }

    /// The report of the last stage, when it has everything set up.
    pub(super) fn take_report(&mut self) -> io::Result<String> {
        let mut text = String::new();
        self.report.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Lets the last stage go on, when what no mount holds was copied. One that has ended waits for nothing.
    pub(super) fn confirm_copies(&mut self) {
        drop(self.copies_made.write_all(b"c"));
    }

    /// Leaves the first stage to what waits for it.
    pub(super) fn leave(&mut self) -> Pid {
        self.is_left = true;
        pid_of(&self.child)
    }

    /// The output of the command, if it is kept. It ends with the last process that writes.
    pub(super) fn output(mut self) -> Vec<u8> {
        let copying = std::mem::take(&mut self.copying);
        copying.into_iter().flat_map(|one| one.join().unwrap_or_default()).collect()
    }
}

impl Drop for Stages {
    fn drop(&mut self) {
        if !self.is_left {
            // One that has ended needs no signal.
            drop(self.child.kill());
            drop(self.child.wait());
        }
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
