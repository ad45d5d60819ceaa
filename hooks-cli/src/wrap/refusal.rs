//! The reason to deny a shell call that the rules want in the sandbox, and that would run outside of it.

use std::env;
use std::path::{Path, PathBuf};

use hooks::EventKind;
use hooks::config::Config;
use hooks::event::WireEvent;
use hooks::facts::tools::{ToolKind, ToolTable};
use hooks_protocols::{Client, Decoded};

use super::shell;
use super::shell_file::{ShellFile, VARIABLE};
use super::started;

/// The answer to an event whose session does not run its commands as the rules want.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The call is denied.
    Call(String),
    /// The user reads it at the start of the session.
    Session(String),
}

/// What has to be said at an event under the rules in `file`.
pub(crate) fn of_event(decoded: &Decoded, config: &Config, file: &Path) -> Option<Refusal> {
    if !super::is_wanted(config) || decoded.client != Client::Claude {
        return None;
    }
    let is_start = decoded.event.as_ref().map(WireEvent::kind) == Some(EventKind::SessionStart);
    let kind = match &decoded.event {
        Some(WireEvent::PreToolUse(call)) => Some(ToolTable::default().kind(&call.tool_name)),
        _ => None,
    };
    let why = match kind {
        Some(ToolKind::WindowsShell) => Err("commands of PowerShell cannot run in the sandbox".to_owned()),
        Some(ToolKind::Shell) => fault(decoded, file).and_then(|()| match started::has_our_shell() {
            true => Ok(()),
            false => Err("this session started before its shell was there".to_owned()),
        }),
        _ if is_start => fault(decoded, file),
        _ => return None,
    };
    let why = why.err()?;
    let text = format!(
        "the rules want shell calls in the sandbox (`sandbox.calls`), and {why}; a person has to run `hooks init claude` \
         and start Claude Code again"
    );
    Some(if is_start { Refusal::Session(text) } else { Refusal::Call(text) })
}

/// Returns the reason why the shell of the client would not run a command in the sandbox of the rules in `file`.
fn fault(decoded: &Decoded, file: &Path) -> Result<(), String> {
    let Some(path) = env::var_os(VARIABLE).map(PathBuf::from) else {
        return Err(format!("the settings of Claude Code name no shell (`env.{VARIABLE}`)"));
    };
    let shell = ShellFile::read(&path)?;
    let named = shell.config.as_deref().map(Path::new);
    let found = shell::rules(named, &decoded.context.session_id, &decoded.context.cwd);
    let real = |path: &Path| path.canonicalize().ok();
    match found.and_then(|(config, _)| real(&config)) {
        Some(found) if Some(&found) == real(file).as_ref() => Ok(()),
        Some(found) => {
            Err(format!("its shell `{}` goes by other rules (`{}`)", path.display(), found.display()))
        }
        None => Err(format!("its shell `{}` finds no rules", path.display())),
    }
}
