//! Runs a command, with limits on time and output. The command has a process group of its own, which is
//! killed at the timeout.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// Maximum time of a command.
const LONGEST: Duration = Duration::from_secs(10);
/// Maximum bytes that are kept of each output stream; a command that writes more is stopped.
const MOST_OUTPUT: u64 = 64 << 10;

/// The result of a command.
#[derive(Debug)]
pub(super) struct Done {
    /// Standard output, then standard error.
    pub(super) output: String,
    /// Reason why the command failed; `None` if it succeeded.
    pub(super) error: Option<String>,
}

/// Runs `program` with `args` in `dir`, with `home` as its home folder. Of this process's environment, the
/// command inherits only the search path.
pub(super) async fn run(program: &str, args: &[&str], dir: &Path, home: &Path) -> io::Result<Done> {
    let mut command = Command::new(program);
    command.args(args).current_dir(dir).env_clear().env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let group = Group(child.id());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let work = async {
        let (stdout, stderr) = tokio::join!(bounded(stdout), bounded(stderr));
        let (mut output, cut) = stdout?;
        let (errors, errors_cut) = stderr?;
        output.push_str(&errors);
        if cut || errors_cut {
            group.kill();
        }
        let status = child.wait().await?;
        let error = if cut || errors_cut {
            Some(format!("stopped: it wrote more than {} KiB", MOST_OUTPUT >> 10))
        } else {
            (!status.success()).then(|| status.to_string())
        };
        Ok(Done { output, error })
    };
    let done = tokio::time::timeout(LONGEST, work).await;
    // Processes that the command left running in its group are killed.
    group.kill();
    done.unwrap_or_else(|_| {
        let error = Some(format!("stopped after {} seconds", LONGEST.as_secs()));
        Ok(Done { output: String::new(), error })
    })
}

/// Reads up to the limit; also returns whether there was more.
async fn bounded(stream: Option<impl AsyncRead + Unpin>) -> io::Result<(String, bool)> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        stream.take(MOST_OUTPUT.saturating_add(1)).read_to_end(&mut bytes).await?;
    }
    let cut = u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_OUTPUT;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), cut))
}

/// A process group, identified by its first process.
struct Group(Option<u32>);

impl Group {
    #[cfg(unix)]
    fn kill(&self) {
        use rustix::process::{Pid, Signal, kill_process_group};

        let id = self.0.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(id) = id {
            // The group has usually ended already, so an error is ignored.
            let _gone = kill_process_group(id, Signal::KILL);
        }
    }

    /// Without process groups, only the process itself is killed, when it is dropped.
    #[cfg(not(unix))]
    fn kill(&self) {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    async fn shell(command: &str) -> io::Result<Done> {
        let dir = std::env::temp_dir();
        run("sh", &["-c", command], &dir, &dir).await
    }

    #[tokio::test]
    async fn output_and_status_come_back() {
        let done = shell("echo out; echo err >&2; exit 3").await.unwrap();
        assert_eq!(done.output, "out\nerr\n");
        assert!(done.error.unwrap().contains('3'));
    }

    #[tokio::test]
    async fn too_much_output_stops_it() {
        let done = shell("yes").await.unwrap();
        assert!(done.error.unwrap().contains("64 KiB"));
    }

    #[tokio::test]
    async fn what_it_leaves_behind_ends_with_it() {
        let done = shell("sleep 1000 >/dev/null 2>&1 & echo $!").await.unwrap();
        let left = done.output.trim().to_owned();
        // Killing takes time, and a killed process stays in the table until its parent waits for it.
        let runs = || {
            let state = std::fs::read_to_string(format!("/proc/{left}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        for _ in 0..100 {
            if !runs() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(!runs(), "{left} goes on");
    }
}
