//! Rules in the settings of a client that allow the wrapper. The client still judges the command below the wrapper by its other rules.

use hooks_protocols::Client;

use super::Scope;
use super::files::{self, Change};
use super::place::Base;
use crate::failure::Failure;
use crate::wrap::carrier;

/// First line of a file of ours.
const MARK: &str = "# `hooks init` wrote this file; it is removed with `--remove`. It allows the wrapper that runs commands in the sandbox.\n";

/// The change that writes the rules of a client in the user's settings; `None` where there is no file for them.
pub(super) fn written(client: Client, base: &Base) -> Result<Option<Change>, Failure> {
    let Some((path, form)) = place(client, base) else { return Ok(None) };
    let program = carrier::program().map_err(|why| {
        Failure::message(format!("`sandbox.calls: wrapped` cannot be used: {why}; nothing was changed"))
    })?;
    let rules = match form {
        Form::Codex => format!(
            "prefix_rule(pattern=[\"{program}\", \"exec\", \"--call\"], decision=\"allow\")\n\
             prefix_rule(pattern=[\"exit\"], decision=\"allow\")\n"
        ),
        Form::Gemini => format!(
            "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"{program} exec --call\", \"exit\"]\n\
             decision = \"allow\"\npriority = 900\n"
        ),
    };
    let was = files::read(&path)?;
    if was.as_ref().is_some_and(|text| !text.starts_with(MARK)) {
        let path = path.display();
        return Err(Failure::message(format!(
            "`{path}` is not a file that `hooks init` wrote, and the rules that allow the wrapper belong there; rename it; nothing was changed"
        )));
    }
    Ok(Some(Change { path, was, will: Some(format!("{MARK}{rules}")), is_private: false }))
}

/// The change that removes them.
pub(super) fn removed(client: Client, base: &Base) -> Result<Option<Change>, Failure> {
    let Some((path, _)) = place(client, base) else { return Ok(None) };
    let was = files::read(&path)?.filter(|text| text.starts_with(MARK));
    Ok(was.map(|was| Change { path, was: Some(was), will: None, is_private: false }))
}

/// Form of such rules.
#[derive(Clone, Copy)]
enum Form {
    Codex,
    Gemini,
}

fn place(client: Client, base: &Base) -> Option<(std::path::PathBuf, Form)> {
    match client {
        _ if base.scope != Scope::User => None,
        Client::Codex => Some((base.in_folder(".codex", "rules/hooks.rules"), Form::Codex)),
        Client::Gemini => Some((base.join(".gemini/policies/hooks.toml"), Form::Gemini)),
        _ => None,
    }
}

/// Returns the step that is left to a person, for clients without a file for such rules.
pub(super) fn note(client: Client, base: &Base) -> Option<String> {
    match client {
        Client::Copilot => Some(carrier::program().map_or_else(
            |why| format!("its commands cannot run in the sandbox and are denied: {why}"),
            |program| format!(
            "it asks about each command unless it is started with `--allow-tool 'shell({program}:*)' --allow-tool 'shell(exit)' \
             --allow-tool 'shell(exit:*)'`, as it gets commands below a wrapper; its other lists decide as before"
        ))),
        Client::OpenCode => Some(carrier::program().map_or_else(
            |why| format!("its commands cannot run in the sandbox and are denied: {why}"),
            |program| format!(
            "if `permission.bash` in its settings does not allow every command, add `\"{program} exec --call *\": \"allow\"` and `\"exit\": \"allow\"` \
             to it, as it gets commands below a wrapper; its other rules decide as before"
        ))),
        Client::Codex | Client::Gemini if base.scope != Scope::User => Some(format!(
            "its own lists have to allow the wrapper that runs commands in the sandbox: run `hooks init {}` without `--scope` as well",
            client.name()
        )),
        _ => None,
    }
}
