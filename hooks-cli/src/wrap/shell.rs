//! `hooks exec --shell`: the shell of an agent client. It runs each command in the sandbox of the rules of its session.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hooks_protocols::Client;

use super::ending_folder::EndingFolder;
use super::started;
use crate::cli::Exec;
use crate::exec::{Governed, Wanted, Worker, apart, run_in};
use crate::failure::Failure;
use crate::load;
use crate::pin::{self, Pins};
use crate::run::project;

/// Variable with the session, which Claude Code sets for commands of its agents.
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// Beginning of the text by which Claude Code stores the functions of its user's shell. The text of an agent's command begins
/// otherwise: it stands quoted behind `eval`.
const SNAPSHOT: &str = "SNAPSHOT_FILE=";

/// Runs the command; the exit status is the command's.
pub(crate) fn run(options: &Exec, worker: Option<&Worker>) -> Result<u8, Failure> {
    let command = &options.command;
    let arguments = command.get(1..).unwrap_or_default();
    if worker.is_none() {
        // Without it, `hooks run` denies later commands.
        drop(started::remember());
    }
    if env::var_os(SESSION).is_none() && is_start_of_client(arguments) {
        return plainly(command);
    }
    let folder = env::current_dir()?;
    let session = env::var(SESSION).unwrap_or_default();
    let Some((file, root)) = rules(options.config.as_deref(), &session, &folder) else {
        return Err(Failure::message(
            "the command was not run: no rules govern this folder; `hooks init claude` writes some",
        ));
    };
    let config = load::in_session(&file, &root)?;
    if !super::is_wanted(&config) {
        return plainly(command);
    }
    if worker.is_none() {
        return apart();
    }
    let governed = Governed::new(config, root, folder, file);
    let (command, ending) = with_our_file(command);
    let ran = run_in(&governed, &Wanted { command, worker, ..Wanted::default() })?;
    if let (Some(ending), Some(temporary)) = (ending, &ran.temporary) {
        // Without it the next command starts where this one did.
        drop(ending.hand_on(temporary.path()));
    }
    Ok(ran.status)
}

/// The rules of a session and the folder of its project: those that its first event pinned, or else those that govern the folder.
pub(super) fn rules(named: Option<&Path>, session: &str, folder: &Path) -> Option<(PathBuf, PathBuf)> {
    if !session.is_empty()
        && let Some(pins) = Pins::of_user()
        && let Some(pin) = pins.of_session(Client::Claude.name(), &pin::name(session, named))
    {
        return Some((pin.config, pin.root));
    }
    let found = project::find_from(named, folder)?;
    Some((found.config, found.root))
}

/// Whether the client starts its shell for itself, before it has an agent: to read the environment, and to store the functions of
/// its user.
fn is_start_of_client(arguments: &[OsString]) -> bool {
    let words: Vec<Option<&str>> = arguments.iter().map(|word| word.to_str()).collect();
    match words.as_slice() {
        [Some("-c"), Some("env")] => true,
        [Some("-c"), Some("-l"), Some(text)] => text.starts_with(SNAPSHOT),
        _ => false,
    }
}

/// The command line with our file for the folder that it ends in.
fn with_our_file(command: &[OsString]) -> (Vec<OsString>, Option<EndingFolder>) {
    let mut command = command.to_vec();
    let moved = command.last().and_then(|text| text.to_str()).and_then(EndingFolder::moved);
    let Some((text, ending)) = moved else { return (command, None) };
    if let Some(last) = command.last_mut() {
        *last = text.into();
    }
    (command, Some(ending))
}

/// Becomes the shell, outside of the sandbox.
#[cfg(unix)]
fn plainly(command: &[OsString]) -> Result<u8, Failure> {
    use std::os::unix::process::CommandExt;
    let (shell, arguments) = parts(command)?;
    #[expect(clippy::disallowed_methods, reason = "this process becomes the shell")]
    let error = std::process::Command::new(shell).args(arguments).exec();
    Err(Failure::message(format!("`{}` cannot be started: {error}", shell.display())))
}

#[cfg(not(unix))]
fn plainly(command: &[OsString]) -> Result<u8, Failure> {
    let (shell, _) = parts(command)?;
    Err(Failure::message(format!("`{}` is not started: there is no sandbox on this system", shell.display())))
}

fn parts(command: &[OsString]) -> Result<(&OsStr, &[OsString]), Failure> {
    let (shell, arguments) = command.split_first().ok_or_else(|| Failure::message("no shell is named"))?;
    Ok((shell, arguments))
}

#[cfg(test)]
mod tests {
    use super::is_start_of_client;

    #[test]
    fn a_command_of_an_agent_is_no_start_of_the_client() {
        let is_start = |words: &[&str]| is_start_of_client(&words.iter().map(Into::into).collect::<Vec<_>>());
        assert!(is_start(&["-c", "env"]));
        assert!(is_start(&["-c", "-l", "SNAPSHOT_FILE=/home/me/.claude/x\necho"]));
        for words in [
            &["-c", "source x && eval 'env' < /dev/null && pwd -P >| /tmp/x"][..],
            &["-c", "-l", "eval 'SNAPSHOT_FILE=x; env' < /dev/null"],
            &["-c", "SNAPSHOT_FILE=x"],
            &["-c", "env", "x"],
            &["-l"],
            &[],
        ] {
            assert!(!is_start(words), "{words:?}");
        }
    }
}
