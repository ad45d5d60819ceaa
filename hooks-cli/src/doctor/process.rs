//! Runs the programs that settings name, with limits on time and output, and kills all processes that they
//! leave.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::runtime::Builder;

/// Maximum output in bytes.
const LONGEST: u64 = 1 << 20;

/// The output of a program.
#[derive(Debug)]
pub(super) struct Output {
    /// Standard output of the program.
    pub(super) stdout: String,
    /// Standard error of the program.
    pub(super) stderr: String,
    /// Exit code of the program; `None` if a signal killed it.
    pub(super) code: Option<i32>,
}

/// Runs a command line in a shell, as clients do.
pub(super) fn line(line: &str, input: &[u8], patience: Duration) -> io::Result<Output> {
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
    run(shell, &[flag, line], input, patience)
}

/// Runs a program.
pub(super) fn run(program: &str, arguments: &[&str], input: &[u8], patience: Duration) -> io::Result<Output> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut child = command.spawn()?;
        let id = child.id();
        let outcome = tokio::time::timeout(patience, async {
            if let Some(mut stdin) = child.stdin.take() {
                // The program may close its input early.
                drop(stdin.write_all(input).await);
            }
            let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
            let (stdout, stderr) = tokio::join!(all(stdout), all(stderr));
            let status = child.wait().await?;
            Ok(Output { stdout: stdout?, stderr: stderr?, code: status.code() })
        })
        .await;
        end_group(id);
        outcome.unwrap_or_else(|_| {
            Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {patience:?}")))
        })
    })
}

/// Starts a program, sends it `questions`, and returns the first line of its output that `is_answer` accepts. Its
/// input stays open until then, and its processes are killed afterwards.
pub(crate) fn ask<T>(
    program: &str,
    arguments: &[&str],
    questions: &[u8],
    patience: Duration,
    is_answer: impl Fn(&str) -> Option<T>,
) -> io::Result<T> {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut child = command.spawn()?;
        let id = child.id();
        let outcome = tokio::time::timeout(patience, async {
            let (mut stdin, stdout) = (child.stdin.take(), child.stdout.take());
            if let Some(stdin) = &mut stdin {
                // A program that does not know the question may end before it reads all of it.
                drop(stdin.write_all(questions).await);
            }
            let Some(stdout) = stdout else { return Err(io::Error::other("it has no output")) };
            let mut lines = BufReader::new(stdout.take(LONGEST.saturating_mul(8))).lines();
            while let Some(line) = lines.next_line().await? {
                if let Some(answer) = is_answer(&line) {
                    return Ok(answer);
                }
            }
            Err(io::Error::other("it ended without an answer"))
        })
        .await;
        end_group(id);
        outcome.unwrap_or_else(|_| {
            Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer within {patience:?}")))
        })
    })
}

async fn all(pipe: Option<impl AsyncReadExt + Unpin>) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        pipe.take(LONGEST).read_to_end(&mut bytes).await?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn end_group(id: Option<u32>) {
    #[cfg(unix)]
    {
        let group = id.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(group) = group {
            // Usually no process is left.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
    #[cfg(not(unix))]
    drop(id);
}
