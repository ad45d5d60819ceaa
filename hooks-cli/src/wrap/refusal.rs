//! The reason to deny a shell call that the rules want in the sandbox, and that would run outside of it.

use std::env;
use std::path::{Path, PathBuf};

use hooks::EventKind;
use hooks::config::Config;
use hooks::event::WireEvent;
use hooks::facts::tools::{ToolKind, ToolTable};
use hooks_protocols::{Client, Decoded};
use serde_json::Value;

use super::shell;
use super::shell_file::{ShellFile, VARIABLE};
use super::started::{self, Shell};

/// The answer to an event whose session does not run its commands as the rules want.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The call is denied.
    Call(String),
    /// The user reads it at the start of the session.
    Session(String),
}

/// The denial or the message at an event under the rules in `file`; `None` if commands run as the rules want.
pub(crate) fn of_event(decoded: &Decoded, config: &Config, file: &Path) -> Option<Refusal> {
    if !super::is_wanted(config) || decoded.client != Client::Claude {
        return None;
    }
    let kind = |tool: &str| ToolTable::default().kind(tool);
    match decoded.event.as_ref()? {
        WireEvent::PreToolUse(call) if super::is_of_client(&call.tool_name) => {
            let why = match kind(&call.tool_name) {
                ToolKind::WindowsShell => "commands of PowerShell cannot run in the sandbox".to_owned(),
                kind if kind == ToolKind::Shell || is_command(kind, &call.tool_args) => {
                    fault(decoded, file).and_then(|()| of_shell(started::shell())).err()?
                }
                _ => return None,
            };
            Some(Refusal::Call(text(&why)))
        }
        WireEvent::PostToolUse(done)
            if super::is_of_client(&done.tool_name)
                && kind(&done.tool_name) == ToolKind::Shell
                && came_to_a_shell(done.error.as_deref())
                && started::shell() == Shell::NotChosen =>
        {
            // Without it, the next command is judged like this one.
            drop(started::remember_other());
            of_shell(Shell::Other).err().map(|why| Refusal::Session(text(&why)))
        }
        event if event.kind() == EventKind::SessionStart => {
            fault(decoded, file).err().map(|why| Refusal::Session(text(&why)))
        }
        _ => None,
    }
}

/// Whether a shell ran the command of a call: a call that failed otherwise may not have come to one. Observed: Claude Code
/// reports a failed command as `Exit code N`, with its output behind it.
fn came_to_a_shell(error: Option<&str>) -> bool {
    error.is_none_or(|error| error.starts_with("Exit code "))
}

/// Whether a tool that no table lists runs a command, such as `Monitor`.
fn is_command(kind: ToolKind, arguments: &Value) -> bool {
    matches!(kind, ToolKind::Other | ToolKind::Unknown)
        && arguments.get("command").is_some_and(Value::is_string)
}

fn text(why: &str) -> String {
    format!(
        "the rules want shell calls in the sandbox (`sandbox.calls`), and {why}; a person has to run `hooks init claude` and \
         start Claude Code again"
    )
}

fn of_shell(shell: Shell) -> Result<(), String> {
    match shell {
        Shell::Ours | Shell::NotChosen => Ok(()),
        Shell::Other => Err("this Claude Code took another shell before ours was there".to_owned()),
        Shell::Unknown => Err("this Claude Code does not name its process (`CLAUDE_PID`)".to_owned()),
    }
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
