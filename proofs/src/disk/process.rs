//! A process that calls tools until its input is closed, and prints the result of each call.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use super::Policy;
use super::trace::Trace;
use super::writer::WRITES;
use crate::error::{Error, Result};

/// Longest wait for a call.
const PATIENCE: Duration = Duration::from_secs(20);
/// Most calls that are read while waiting for a state.
const MOST: usize = 20_000;

/// A call, as reported by the process that made it.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// Token that identifies the record of the call.
    pub(super) token: String,
    /// Whether the tool may change something.
    pub(super) writes: bool,
    /// Whether the tool ran.
    pub(super) ran: bool,
}

/// The process; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// Closed to end the process.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    calls: Vec<Call>,
    errors: PathBuf,
}

impl Call {
    pub(super) fn is_refused(&self) -> bool {
        !self.ran
    }

    /// Whether the record of the call must exist.
    pub(super) fn is_acknowledged(&self, policy: Policy) -> bool {
        self.ran
            && match policy {
                Policy::Deny => self.writes,
                Policy::Warn => false,
                Policy::Spill => true,
            }
    }
}

impl Process {
    /// Starts this command as `disk` with `words`, under `trace` if there is one. Its standard error goes to
    /// a file in `folder`.
    ///
    /// # Errors
    /// Returns an error if the process cannot be started.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is talked to while it runs, which no other command does"
    )]
    pub(super) fn start(words: &[&str], folder: &Path, trace: Option<&Trace>) -> Result<Self> {
        let errors = folder.join("errors");
        let mut command = match trace {
            Some(trace) => {
                let mut command = Command::new(Trace::PROGRAM);
                command.args(trace.options()).arg(std::env::current_exe()?);
                command
            }
            None => Command::new(std::env::current_exe()?),
        };
        command.arg("disk").args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::options().append(true).create(true).open(&errors)?);
        let mut child = command.spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (sender, lines) = channel();
        thread::spawn(move || {
            let lines = stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines());
            lines.map_while(std::io::Result::ok).try_for_each(|line| sender.send(line))
        });
        Ok(Self { child, stdin, lines, calls: Vec::new(), errors })
    }

    /// Waits for `count` calls from here on.
    ///
    /// # Errors
    /// Returns an error if the calls do not come.
    pub(super) fn calls(&mut self, count: usize) -> Result {
        self.calls_until(count, |_| true)
    }

    /// Waits for `count` calls from here on, and until `has` holds for them.
    ///
    /// # Errors
    /// Returns an error if the calls do not come.
    pub(super) fn calls_until(&mut self, count: usize, has: impl Fn(&[Call]) -> bool) -> Result {
        let from = self.calls.len();
        loop {
            let new = self.calls.get(from..).unwrap_or_default();
            if new.len() >= count && has(new) {
                return Ok(());
            }
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.map_err(|_| Error::new(format!("the process is silent; {}", self.output())))?;
            self.calls.extend(call(&line));
            if self.calls.len() > from + MOST {
                return Err(Error::new(format!(
                    "{MOST} calls did not bring what they should; {}",
                    self.output()
                )));
            }
        }
    }

    /// Ends the process and waits for it; returns all of its calls.
    ///
    /// # Errors
    /// Returns an error if the process fails or panics.
    pub(super) fn end(mut self) -> Result<Vec<Call>> {
        drop(self.stdin.take());
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            self.calls.extend(call(&line));
        }
        // The process has closed its output, or hangs.
        if !self.child.try_wait()?.is_some_and(|status| status.success()) {
            pause(Duration::from_millis(500));
        }
        let status = self.child.try_wait()?;
        let output = self.output();
        match status {
            Some(status) if status.success() && !output.contains("panicked") => {
                Ok(std::mem::take(&mut self.calls))
            }
            Some(status) => Err(Error::new(format!("the process failed ({status}): {output}"))),
            None => Err(Error::new(format!("the process does not end: {output}"))),
        }
    }

    /// Kills the process, which must not be traced; returns all of its calls.
    ///
    /// # Errors
    /// Returns an error if the process cannot be killed.
    pub(super) fn kill(mut self) -> Result<Vec<Call>> {
        self.child.kill()?;
        self.child.wait()?;
        self.calls.extend(self.lines.iter().filter_map(|line| call(&line)));
        Ok(std::mem::take(&mut self.calls))
    }

    /// The text on the standard error of the process.
    fn output(&self) -> String {
        fs::read_to_string(&self.errors).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process must not outlive a failed command. It ends when its input is closed, also if `child` is
        // only its tracer.
        drop(self.stdin.take());
        if !self.child.try_wait().is_ok_and(|status| status.is_some()) {
            pause(Duration::from_millis(500));
        }
        // A process that has ended cannot be killed any more.
        let _ended = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn call(line: &str) -> Option<Call> {
    let mut words = line.split(' ');
    match (words.next(), words.next(), words.next()) {
        (Some(token), Some(tool), Some(what)) => {
            Some(Call { token: token.to_owned(), writes: tool == WRITES, ran: what == "ran" })
        }
        _ => None,
    }
}

/// Repeats `step` until standard input is closed: the counterpart of [`Process`].
///
/// # Errors
/// Returns the error of the first step that fails.
pub(super) fn until_told(mut step: impl FnMut() -> Result) -> Result {
    let is_over = Arc::new(AtomicBool::new(false));
    let tells = Arc::clone(&is_over);
    thread::spawn(move || {
        // No data is ever sent.
        drop(std::io::stdin().read(&mut [0]));
        tells.store(true, Ordering::Relaxed);
    });
    while !is_over.load(Ordering::Relaxed) {
        step()?;
        pause(Duration::from_millis(1));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "real processes take real time")]
fn pause(time: Duration) {
    thread::sleep(time);
}
