//! Starts other programs, always from the root of the workspace.

use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::error::{Error, Result};
use crate::workspace;

/// A program to start, with its arguments.
#[derive(Debug)]
pub struct Program {
    command: Command,
    line: String,
}

impl Program {
    /// `name` with `arguments`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the developers' commands start processes"
    )]
    pub fn new<'a>(name: &str, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut command = Command::new(name);
        let mut line = name.to_owned();
        for argument in arguments {
            command.arg(argument);
            line.push(' ');
            line.push_str(argument);
        }
        command.current_dir(workspace::root());
        Self { command, line }
    }

    /// Cargo, with `arguments`.
    pub fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new("cargo", arguments)
    }

    /// Starts the program in the caller's folder instead of the root of the workspace.
    pub fn here(mut self) -> Self {
        self.command.current_dir(".");
        self
    }

    /// Sets an environment variable.
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes an environment variable.
    pub fn without_variable(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Runs the program with the output streams of this process.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started, or does not succeed.
    pub fn run(mut self) -> Result {
        self.command.stdin(Stdio::null());
        self.finish()
    }

    /// Runs the program as [`run`](Self::run) does, and with the input of this process.
    ///
    /// # Errors
    /// Returns an error if [`run`](Self::run) would.
    pub fn run_with_input(self) -> Result {
        self.finish()
    }

    /// Runs the program as [`run`](Self::run) does, and gives each line that it writes to its error stream to
    /// `look`.
    ///
    /// # Errors
    /// Returns an error if [`run`](Self::run) would, or if what it writes is not UTF-8.
    pub fn run_with_errors(mut self, mut look: impl FnMut(&str)) -> Result {
        let started = self.command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child =
            started.map_err(|cause| Error::doing(format!("`{}` cannot be started", self.line), cause))?;
        for line in child.stderr.take().into_iter().flat_map(|errors| BufReader::new(errors).lines()) {
            let line = line?;
            eprintln!("{line}");
            look(&line);
        }
        self.judge(child.wait())
    }

    fn finish(mut self) -> Result {
        let status = self.command.status();
        self.judge(status)
    }

    fn judge(&self, status: std::io::Result<ExitStatus>) -> Result {
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(Error::new(format!("`{}` failed ({status})", self.line))),
            Err(cause) => Err(Error::doing(format!("`{}` cannot be started", self.line), cause)),
        }
    }

    /// Runs the program and returns its output.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started, does not succeed, or prints text that is not UTF-8.
    pub fn output(mut self) -> Result<String> {
        let output = self.command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
        let output =
            output.map_err(|cause| Error::doing(format!("`{}` cannot be started", self.line), cause))?;
        if !output.status.success() {
            return Err(Error::new(format!("`{}` failed ({})", self.line, output.status)));
        }
        String::from_utf8(output.stdout).map_err(|cause| Error::doing(&self.line, cause))
    }

    /// Runs the program and returns what it writes to both output streams.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started, or does not succeed; the error then holds the output.
    pub fn both_outputs(mut self) -> Result<String> {
        // A file, because a process that is left behind would hold a pipe open.
        let mut written = tempfile::tempfile()?;
        self.command.stdin(Stdio::null()).stdout(written.try_clone()?).stderr(written.try_clone()?);
        let ended = self.finish();
        let mut bytes = Vec::new();
        written.rewind()?;
        written.read_to_end(&mut bytes)?;
        let output = String::from_utf8_lossy(&bytes).into_owned();
        match ended {
            Ok(()) => Ok(output),
            Err(cause) => Err(Error::new(format!("{cause}\n{output}"))),
        }
    }

    /// Runs the program with `input`, and returns its status and output.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub fn answer(mut self, input: &[u8]) -> Result<Output> {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = self.command.spawn();
        let mut child =
            started.map_err(|cause| Error::doing(format!("`{}` cannot be started", self.line), cause))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that has read enough may close its input early.
            drop(stdin.write_all(input));
        }
        Ok(child.wait_with_output()?)
    }
}

/// Whether `name` can be started.
pub fn is_installed(name: &str) -> bool {
    let mut program = Program::new(name, ["--version"]);
    program.command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    program.command.status().is_ok_and(|status| status.success())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn both_outputs_are_kept_in_order_also_after_a_failure() {
        let script = |code: &str| format!("echo one; echo two >&2; echo three; exit {code}");
        let run = |code| Program::new("sh", ["-c", &*script(code)]).both_outputs();
        assert_eq!(run("0").unwrap(), "one\ntwo\nthree\n");
        let error = run("3").unwrap_err().to_string();
        assert!(error.ends_with("\none\ntwo\nthree\n"), "{error}");
    }
}
