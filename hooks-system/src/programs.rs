//! Runs other programs with limits on their time and output, and ends them with everything they started.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use hooks_core::programs::{Finished, Program, Programs};

/// Longest wait for the end of a killed program.
const GRACE: Duration = Duration::from_millis(50);

/// Starts programs of this machine. Each has a process group of its own, which is killed at the time limit.
///
/// ```
/// # #[cfg(unix)] {
/// use std::time::Duration;
/// use hooks_core::programs::{Program, Programs};
/// use hooks_system::SystemPrograms;
///
/// let mut program = Program::new("echo", "/".into(), 5, Duration::from_secs(60));
/// program.arguments = vec!["hello world".into()];
/// let finished = SystemPrograms.run(&program)?;
/// assert_eq!((&*finished.output, finished.is_cut), (&b"hello"[..], true), "five bytes are the limit");
/// let missing = Program::new("no-such-program", "/".into(), 5, Duration::from_secs(60));
/// assert!(SystemPrograms.run(&missing).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemPrograms;

impl Programs for SystemPrograms {
    fn run(&self, program: &Program) -> io::Result<Finished> {
        let mut child = start(program)?;
        let Some(pipe) = child.stdout.take() else { return Err(io::Error::other("it has no output")) };
        let limit = program.limit;
        let (sender, printed) = mpsc::channel();
        // A thread of its own reads the pipe, so that a silent program can be abandoned.
        std::thread::Builder::new().name(program.name.to_owned()).spawn(move || {
            let mut output = Vec::new();
            let read = pipe.take(limit as u64 + 1).read_to_end(&mut output);
            let _nobody_waits = sender.send(read.map(|_| output));
        })?;
        let output = match printed.recv_timeout(program.patience) {
            Ok(output) => output,
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
            Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("its output could not be read")),
        };
        let is_cut = output.as_ref().is_ok_and(|output| output.len() > limit);
        if is_cut || output.is_err() {
            kill(&mut child);
        }
        let mut output = output.inspect_err(|_| {
            let _reaped = child.try_wait();
        })?;
        output.truncate(limit);
        // The program closed its output, so it ends by itself or is killed.
        let code = ended(&mut child, program.patience)?;
        Ok(Finished { code, output, is_cut })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where builtins start processes, with bounds on time and output"
)]
fn start(program: &Program) -> io::Result<Child> {
    let mut command = Command::new(program.name);
    command.args(&program.arguments).current_dir(&program.directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.env_clear();
    // Windows needs its root to start anything.
    for name in ["PATH", "SystemRoot", "PATHEXT", "TEMP", "TMP"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(program.variables.iter().map(|(name, value)| (name, value)));
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn()
}

/// Exit code of a program that is about to end. A program that does not end is killed.
fn ended(child: &mut Child, patience: Duration) -> io::Result<Option<i32>> {
    // The standard library cannot wait for a process with a time limit. Nearly always the process has ended
    // already.
    let (mut waited, mut pause) = (Duration::ZERO, Duration::from_micros(50));
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if waited >= patience {
            kill(child);
            return Err(io::ErrorKind::TimedOut.into());
        }
        rest(pause);
        waited += pause;
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

fn rest(pause: Duration) {
    #[expect(clippy::disallowed_methods, reason = "a process of the system takes real time")]
    std::thread::sleep(pause);
}

fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _gone_already = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _gone_already = child.kill();
    let (mut waited, pause) = (Duration::ZERO, Duration::from_millis(1));
    while waited < GRACE && matches!(child.try_wait(), Ok(None)) {
        rest(pause);
        waited += pause;
    }
}
