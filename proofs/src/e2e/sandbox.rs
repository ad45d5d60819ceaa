//! Runs a program in isolation: an empty environment, a home and a project of its own, no access to the
//! network, a time limit, and a cleanup of everything it leaves behind.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

use super::clients::{Runnable, Trust};
use super::install;
use crate::error::{Error, Result};
use crate::workspace;

/// A proxy address without a listener: every request beyond loopback fails at once.
const NOWHERE: &str = "http://127.0.0.1:9";

/// Time limit for creating a repository.
const PATIENCE: Duration = Duration::from_secs(30);

/// Time in which a client ends after an interrupt.
#[cfg(unix)]
const INTERRUPTED: Duration = Duration::from_secs(20);

/// A home and a project.
#[derive(Debug)]
pub(super) struct Sandbox {
    folder: TempDir,
}

/// The result of a program.
#[derive(Debug)]
pub(super) struct Run {
    /// Whether the program succeeded in time.
    pub(super) succeeded: bool,
    /// Standard output of the program.
    pub(super) stdout: String,
    /// Standard error of the program.
    pub(super) stderr: String,
}

impl Sandbox {
    /// Creates a sandbox for a client, in a folder that is trusted or not.
    pub(super) fn new(client: &Runnable, trust: Trust) -> Result<Self> {
        let runs = install::folder()?.join("runs");
        fs::create_dir_all(&runs)?;
        let sandbox =
            Self { folder: tempfile::Builder::new().prefix(client.client.name()).tempdir_in(&runs)? };
        for folder in [sandbox.home(), sandbox.work()] {
            fs::create_dir_all(folder)?;
        }
        // A repository of its own; otherwise the project would be the repository that contains `target`.
        let run = sandbox.run(Path::new("git"), &["init".to_owned(), "--quiet".to_owned()], &[], PATIENCE)?;
        if !run.succeeded {
            return Err(Error::new(format!("`git init` failed: {}", run.stderr)));
        }
        for (path, text) in client.home(trust) {
            sandbox.put(
                &sandbox.home().join(path),
                &text.replace("{work}", &sandbox.work().to_string_lossy()),
            )?;
        }
        Ok(sandbox)
    }

    /// The user's home folder.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The project folder.
    pub(super) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// A folder beside both, which agents do not use.
    pub(super) fn beside(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, with its parent folders.
    #[expect(clippy::unused_self, reason = "files are written into a sandbox only")]
    pub(super) fn put(&self, path: &Path, text: &str) -> Result {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        Ok(fs::write(path, text)?)
    }

    /// Runs git in a folder.
    pub(super) fn git(&self, folder: &Path, arguments: &[&str]) -> Result {
        let who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
        let arguments: Vec<String> = who.iter().chain(arguments).map(|word| (*word).to_owned()).collect();
        let run = self.run_in(folder, Path::new("git"), &arguments, &[], PATIENCE)?;
        if run.succeeded { Ok(()) } else { Err(Error::new(format!("`git` failed: {}", run.stderr))) }
    }

    /// Whether a file exists in the project.
    pub(super) fn has(&self, name: &str) -> bool {
        self.work().join(name).exists()
    }

    /// The text of a file in the project; empty if the file does not exist.
    pub(super) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap_or_default()
    }

    /// Runs a program in the project.
    pub(super) fn run(
        &self,
        program: &Path,
        arguments: &[String],
        variables: &[(&'static str, String)],
        patience: Duration,
    ) -> Result<Run> {
        self.run_in(&self.work(), program, arguments, variables, patience)
    }

    /// Runs a program in a folder.
    pub(super) fn run_in(
        &self,
        folder: &Path,
        program: &Path,
        arguments: &[String],
        variables: &[(&'static str, String)],
        patience: Duration,
    ) -> Result<Run> {
        let command = self.isolated(folder, program, arguments, variables);
        watched(command, self.beside(), patience)
    }

    /// The command that runs a program in a folder, isolated.
    fn isolated(
        &self,
        folder: &Path,
        program: &Path,
        arguments: &[String],
        variables: &[(&'static str, String)],
    ) -> Command {
        let home = self.home();
        let mut command = command(program);
        command.env_clear().args(arguments).current_dir(folder);
        command.env("HOME", &home).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("XDG_CONFIG_HOME", home.join(".config")).env("XDG_STATE_HOME", home.join(".state"));
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
            command.env(name, NOWHERE);
        }
        command.env("NO_PROXY", "127.0.0.1,localhost").env("no_proxy", "127.0.0.1,localhost");
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

#[cfg(unix)]
impl Sandbox {
    /// Runs a program in the project, and interrupts it with all processes of its group, as a terminal does, once
    /// `begun` returns. A second interrupt follows if the first one does not end it. `is_over` looks at what it left behind,
    /// before that is killed.
    pub(super) fn interrupted<T>(
        &self,
        program: &Path,
        arguments: &[String],
        variables: &[(&'static str, String)],
        begun: impl FnOnce() -> Result<T>,
        is_over: impl FnOnce(T) -> bool,
    ) -> Result<(Run, bool)> {
        let command = self.isolated(&self.work(), program, arguments, variables);
        let running = Running::start(command, self.beside())?;
        let begun = begun();
        let mut status = Err(mpsc::RecvTimeoutError::Timeout);
        for _ in 0..2 {
            signal_group(running.id, rustix::process::Signal::INT);
            status = running.ended.recv_timeout(INTERRUPTED);
            if status.is_ok() {
                break;
            }
        }
        let begun = begun.inspect_err(|_| signal_group(running.id, rustix::process::Signal::KILL))?;
        let is_over = is_over(begun);
        Ok((running.finish(status, INTERRUPTED)?, is_over))
    }
}

/// Runs a program of the developer, with the developer's environment.
pub(super) fn with_our_environment(program: &str, arguments: &[&str], patience: Duration) -> Result<Run> {
    let folder = tempfile::tempdir()?;
    let mut command = command(Path::new(program));
    command.args(arguments).current_dir(workspace::root());
    watched(command, folder.path(), patience)
}

/// Runs a program of the developer while `work` runs, then kills all processes that it started. An error of `work` gets the
/// program's output.
pub(super) fn beside(program: &str, arguments: &[&str], work: impl FnOnce() -> Result) -> Result {
    let folder = tempfile::tempdir()?;
    let mut command = command(Path::new(program));
    command.args(arguments).current_dir(workspace::root());
    let running = Running::start(command, folder.path())?;
    let done = work();
    let run = running.finish(Err(mpsc::RecvTimeoutError::Timeout), Duration::ZERO)?;
    done.map_err(|cause| Error::new(format!("{cause}\n`{program}` wrote:\n{}{}", run.stdout, run.stderr)))
}

#[expect(clippy::disallowed_methods, reason = "clients are watched in a way of their own")]
fn command(program: &Path) -> Command {
    Command::new(program)
}

/// Runs a program to its end or its time limit, and kills all processes that it started.
fn watched(command: Command, folder: &Path, patience: Duration) -> Result<Run> {
    let running = Running::start(command, folder)?;
    let status = running.ended.recv_timeout(patience);
    running.finish(status, patience)
}

/// A program that runs. Its output goes to files, because processes that it leaves behind would hold a pipe open.
struct Running {
    id: u32,
    ended: mpsc::Receiver<io::Result<ExitStatus>>,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
    fn start(mut command: Command, folder: &Path) -> Result<Self> {
        let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
        command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child =
            command.spawn().map_err(|cause| Error::doing(format!("`{name}` cannot be started"), cause))?;
        let id = child.id();
        let (sender, ended) = mpsc::channel();
        drop(thread::Builder::new().spawn(move || sender.send(child.wait()))?);
        Ok(Self { id, ended, stdout, stderr })
    }

    /// Kills everything that still runs, and reads the output.
    fn finish(
        self,
        status: std::result::Result<io::Result<ExitStatus>, mpsc::RecvTimeoutError>,
        patience: Duration,
    ) -> Result<Run> {
        end_group(self.id);
        let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let mut run = Run { succeeded: false, stdout: text(&self.stdout)?, stderr: text(&self.stderr)? };
        match status {
            Ok(status) => run.succeeded = status?.success(),
            Err(_) => run.stderr.push_str(&format!("\n(ended by us after {patience:?})")),
        }
        Ok(run)
    }
}

/// Kills a process and all processes that it started.
fn end_group(id: u32) {
    #[cfg(unix)]
    signal_group(id, rustix::process::Signal::KILL);
    #[cfg(not(unix))]
    drop(id);
}

#[cfg(unix)]
fn signal_group(id: u32, signal: rustix::process::Signal) {
    if let Some(group) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
        // In most cases all of them have ended.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}
