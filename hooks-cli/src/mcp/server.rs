//! The server: a process group that ends with this process, even if this process is killed.
//!
//! A guard stands between: it leads the group, starts the server and waits for it. It has no work while the server runs.
//! If the guard or the server ends, this process ends the group; if this process ends, the guard does.

use std::convert::Infallible;
use std::ffi::OsStr;
use std::future::pending;
use std::io::{self, Write};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, getpgrp, getppid, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use crate::cli::Mcp;
use crate::failure::Failure;

/// Time for the server to end after its input was closed or a signal was forwarded.
const GRACE: Duration = Duration::from_secs(5);

/// Time to forward the last answers of a server that ended.
const LAST: Duration = Duration::from_secs(1);

/// The running server.
pub(super) struct Server {
    guard: Child,
    group: Option<Pid>,
}

/// Starts the server, with its output and its input.
pub(super) fn start(options: &Mcp) -> Result<(Server, ChildStdout, ChildStdin), Failure> {
    let mut command = std_command(std::env::current_exe()?);
    command.args(["mcp", "--guard-for", &std::process::id().to_string(), "--"]).args(&options.command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut guard = Command::from(command).kill_on_drop(true).spawn()?;
    let group = guard.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let (Some(reader), Some(writer)) = (guard.stdout.take(), guard.stdin.take()) else {
        return Err(Failure::message("the server has no standard streams"));
    };
    Ok((Server { guard, group }, reader, writer))
}

#[expect(clippy::disallowed_methods, reason = "the server runs as long as its client wants")]
fn std_command(program: impl AsRef<OsStr>) -> std::process::Command {
    std::process::Command::new(program)
}

impl Server {
    /// Forwards messages and signals until the server or the client ends; returns the exit status. `client_gone` ends
    /// also a server whose input is full, so that the end of the client's messages is not read.
    pub(super) async fn until_end(
        &mut self,
        mut proxying: impl Future<Output = io::Result<()>> + Unpin,
        client_gone: impl Future<Output = ()>,
    ) -> Result<u8, Failure> {
        let mut signals = Signals::new()?;
        tokio::select! {
            // The server closed its output, or the client ended.
            proxied = &mut proxying => {
                let status = self.finish(None, pending()).await?;
                proxied?;
                Ok(status)
            }
            status = self.guard.wait() => {
                self.end(Signal::KILL);
                // What it wrote before its end.
                drop(timeout(LAST, proxying).await);
                Ok(status_of(status?))
            }
            () = client_gone => {
                drop(proxying);
                self.finish(None, pending()).await
            }
            signal = signals.next() => self.finish(Some(signal), forwarded(proxying)).await,
        }
    }

    /// Waits until the server has ended: by itself, or after the signal, or after stronger ones.
    async fn finish(
        &mut self,
        signal: Option<Signal>,
        meanwhile: impl Future<Output = Infallible>,
    ) -> Result<u8, Failure> {
        let ended = async {
            if let Some(signal) = signal {
                self.end(signal);
            } else if let Ok(status) = timeout(LAST, self.guard.wait()).await {
                return status;
            } else {
                self.end(Signal::TERM);
            }
            if let Ok(status) = timeout(GRACE, self.guard.wait()).await {
                return status;
            }
            self.end(Signal::KILL);
            self.guard.wait().await
        };
        let status = tokio::select! {
            status = ended => status_of(status?),
            never = meanwhile => match never {},
        };
        self.end(Signal::KILL);
        Ok(status)
    }

    /// Sends a signal to all processes of the group.
    fn end(&self, signal: Signal) {
        if let Some(group) = self.group {
            // An error means that no process is left.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end(Signal::KILL);
    }
}

async fn forwarded(proxying: impl Future<Output = io::Result<()>>) -> Infallible {
    drop(proxying.await);
    pending().await
}

fn status_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| signal.saturating_add(128)));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// The signals that end a program.
pub(super) struct Signals([tokio::signal::unix::Signal; 3]);

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let of = |kind| signal(kind);
        Ok(Self([of(SignalKind::terminate())?, of(SignalKind::interrupt())?, of(SignalKind::hangup())?]))
    }

    pub(super) async fn next(&mut self) -> Signal {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => Signal::TERM,
            _ = interrupt.recv() => Signal::INT,
            _ = hangup.recv() => Signal::HUP,
        }
    }
}

/// Runs the server for the process with the id `parent`, and ends the whole group with that.
pub(super) async fn guard(options: &Mcp, parent: u32) -> Result<u8, Failure> {
    // The group gets the signals of the proxy; this process goes on until the server has ended.
    let _signals = Signals::new()?;
    Parent::new(parent)?.watch();
    let Some((program, arguments)) = options.command.split_first() else {
        return Err(Failure::message("no server is named"));
    };
    let mut server = match Command::from(std_command(program)).args(arguments).spawn() {
        Ok(server) => server,
        Err(error) => {
            let name = program.to_string_lossy();
            drop(writeln!(anstream::stderr(), "hooks mcp: `{name}` cannot be started: {error}"));
            return Ok(if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 });
        }
    };
    // The proxy sees when the server closes them.
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null).map_err(io::Error::from)?;
    rustix::stdio::dup2_stdout(&null).map_err(io::Error::from)?;
    let status = server.wait().await?;
    Ok(status_of(status))
}

/// The process that a guard works for.
#[derive(Clone, Copy)]
struct Parent(Pid);

impl Parent {
    fn new(id: u32) -> Result<Self, Failure> {
        let id = i32::try_from(id).ok().and_then(Pid::from_raw);
        let parent = id.map(Self).filter(|parent| !parent.is_gone());
        parent.ok_or_else(|| Failure::message("`--guard-for` is for `hooks mcp` itself; leave it out"))
    }

    fn is_gone(self) -> bool {
        getppid() != Some(self.0)
    }

    /// Ends the group of this process when the parent has ended.
    fn watch(self) {
        std::thread::spawn(move || {
            self.wait();
            let _ = kill_process_group(getpgrp(), Signal::KILL);
        });
    }

    #[cfg(target_os = "linux")]
    fn wait(self) {
        use rustix::event::{PollFd, PollFlags, poll};
        use rustix::process::{PidfdFlags, pidfd_open};
        let Ok(process) = pidfd_open(self.0, PidfdFlags::empty()) else { return self.look() };
        // The id may have become that of another process before it was opened.
        while !self.is_gone() {
            let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], None);
            if ended.is_err_and(|error| error != rustix::io::Errno::INTR) {
                return self.look();
            }
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn wait(self) {
        self.look();
    }

    /// Looks every second.
    #[expect(clippy::disallowed_methods, reason = "another process is waited for, in real time")]
    fn look(self) {
        while !self.is_gone() {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
}
