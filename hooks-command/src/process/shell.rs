//! Runs commands in a shell, each in a process group of its own.
//!
//! A command ends when its shell has ended and its output is closed. Whatever ends it earlier (its timeout,
//! too much output, a cancelled caller) kills the whole group. A process that left the group cannot be
//! killed. It is not waited for either: our ends of its pipes are closed.

use std::env;
use std::ffi::OsString;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::future::{Either, select};
use hooks_core::HookFuture;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};

use crate::engine::Runner;
use crate::output::{End, Finished};
use crate::process::{Start, Variables};

/// Limits on the output of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum standard output in bytes; more is a failure.
    pub stdout: usize,
    /// Maximum standard error in bytes; the rest is read and discarded.
    pub stderr: usize,
    /// Time to wait for output after the shell has ended, if no decision can come from processes that it left
    /// behind.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stdout: 16 << 20, stderr: 1 << 20, grace: Duration::from_millis(250) }
    }
}

/// Starts real processes on a tokio runtime. Also provides the variables of this process.
#[derive(Clone, Debug)]
pub struct Processes {
    shell: OsString,
    limits: Limits,
    /// Variables that override the environment of this process.
    variables: Vec<(OsString, OsString)>,
}

impl Default for Processes {
    /// Uses `$SHELL`, or `/bin/sh` if it is unset.
    fn default() -> Self {
        let shell = env::var_os("SHELL").filter(|shell| !shell.is_empty());
        Self::with_shell(shell.unwrap_or_else(|| DEFAULT_SHELL.into()))
    }
}

const DEFAULT_SHELL: &str = if cfg!(windows) { "powershell" } else { "/bin/sh" };
const RUN_A_LINE: &str = if cfg!(windows) { "-Command" } else { "-c" };

impl Processes {
    /// Uses this shell to run lines.
    pub fn with_shell(shell: impl Into<OsString>) -> Self {
        Self { shell: shell.into(), limits: Limits::default(), variables: Vec::new() }
    }

    /// Limits the output of commands.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets a variable in the environment that commands inherit.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use hooks_command::process::{Processes, Variables, expand_variables};
    ///
    /// let processes = Processes::with_shell("/bin/sh").with_variable("HOOKS_STAGE", "test");
    /// assert_eq!(processes.get("HOOKS_STAGE").as_deref(), Some("test"));
    /// // Options of handlers can use it too.
    /// let env = BTreeMap::from([("TARGET".to_owned(), "${env.HOOKS_STAGE}-cluster".to_owned())]);
    /// assert_eq!(expand_variables(&env, &processes)["TARGET"], "test-cluster");
    /// ```
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where hooks start processes, with bounds on both"
    )]
    fn command(&self, start: &Start) -> Command {
        let mut command = std::process::Command::new(&self.shell);
        command.arg(RUN_A_LINE).arg(&start.handler.command);
        command.envs(self.variables.iter().map(|(name, value)| (name, value))).envs(&start.env);
        if !start.folder.as_os_str().is_empty() {
            command.current_dir(&start.folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut command = Command::from(command);
        command.kill_on_drop(true);
        command
    }
}

impl Variables for Processes {
    fn get(&self, name: &str) -> Option<String> {
        let own =
            self.variables.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        own.or_else(|| env::var_os(name)).map(|value| value.to_string_lossy().into_owned())
    }
}

impl Runner for Processes {
    fn run(&self, start: Start) -> HookFuture<'static, Finished> {
        let mut command = self.command(&start);
        let limits = self.limits;
        HookFuture::later(async move {
            match command.spawn() {
                Ok(child) => run(child, &start, limits).await,
                Err(error) => Finished::failed(not_started(&start, &error)),
            }
        })
    }
}

/// The message about a command that did not start. The error of the system is the same for a missing folder
/// and a missing shell, so the folder is checked.
fn not_started(start: &Start, error: &io::Error) -> String {
    if !start.folder.as_os_str().is_empty() && !start.folder.is_dir() {
        return format!("could not be started: its working_dir {} is not there", start.folder.display());
    }
    format!("could not be started: {error}")
}

async fn run(mut child: Child, start: &Start, limits: Limits) -> Finished {
    let group = Group::from_child(&child);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = serde_json::to_vec(&*start.input).unwrap_or_default();
    let (mut written, mut errors) = (Vec::new(), Vec::new());
    let reading = Box::pin(async {
        let output = read_up_to(stdout, &mut written, limits.stdout);
        let rest = read_and_drop(stderr, &mut errors, limits.stderr);
        futures_util::future::join(output, rest).await.0
    });
    // If the command does not read its input, writing blocks; the shell can end all the same.
    let ending = Box::pin(async {
        let feeding = Box::pin(feed(stdin, input));
        match select(Box::pin(child.wait()), feeding).await {
            Either::Left((status, _)) => status,
            Either::Right(((), waiting)) => waiting.await,
        }
    });
    let (status, fits) = match select(ending, reading).await {
        // The output is closed, or too long; the shell can still run.
        Either::Right((fits, ending)) => {
            if !fits {
                group.end();
            }
            (ending.await, fits)
        }
        Either::Left((status, reading)) if start.is_awaited => (status, reading.await),
        Either::Left((status, reading)) => {
            let waited = tokio::time::timeout(limits.grace, reading).await;
            (status, waited.unwrap_or(true))
        }
    };
    group.is_over();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let end = match status {
        _ if !fits => End::Failed(format!("wrote more than {} bytes to its standard output", limits.stdout)),
        Ok(status) => end_of(status),
        Err(error) => End::Failed(format!("could not be waited for: {error}")),
    };
    Finished { end, stdout: text(written), stderr: text(errors) }
}

fn end_of(status: ExitStatus) -> End {
    status.code().map_or(End::Killed, End::Exited)
}

async fn feed(stdin: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut stdin) = stdin {
        // A command that closes its input early has read enough.
        drop(stdin.write_all(&input).await);
    }
}

/// Reads to the end. Returns false if there is more than `most` bytes.
async fn read_up_to(source: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>, most: usize) -> bool {
    let Some(source) = source else { return true };
    let one_more = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    // A pipe that cannot be read any more has ended.
    drop(source.take(one_more).read_to_end(into).await);
    into.len() <= most
}

/// Reads to the end, and keeps at most the first `most` bytes.
async fn read_and_drop(source: Option<impl AsyncRead + Unpin>, into: &mut Vec<u8>, most: usize) {
    let Some(mut source) = source else { return };
    let limit = u64::try_from(most).unwrap_or(u64::MAX);
    drop((&mut source).take(limit).read_to_end(into).await);
    drop(tokio::io::copy(&mut source, &mut tokio::io::sink()).await);
}

/// A process group, which is killed if this is dropped before its command has ended.
struct Group {
    #[cfg(unix)]
    leader: std::cell::Cell<Option<rustix::process::Pid>>,
}

impl Group {
    fn from_child(child: &Child) -> Self {
        #[cfg(unix)]
        {
            let id = child.id().and_then(|id| i32::try_from(id).ok());
            Self { leader: std::cell::Cell::new(id.and_then(rustix::process::Pid::from_raw)) }
        }
        #[cfg(not(unix))]
        {
            let _ = child;
            Self {}
        }
    }

    /// Kills all processes of the group.
    fn end(&self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader.get() {
            // An error means that no process is left.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    /// Marks the command as ended: processes that it left behind on purpose can continue.
    fn is_over(&self) {
        #[cfg(unix)]
        self.leader.set(None);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}
