//! Events that have no type of ours, and that hooks check all the same.
//!
//! | event of Claude Code | checked | if the check fails |
//! | --- | --- | --- |
//! | `ConfigChange` | changed settings still call the hooks, and switch none off | the session keeps the old settings |
//! | `PostToolBatch` | no result that the model reads next has data that is redacted | the run ends before the model reads it |
//!
//! The second one finds what no hook can change: results of calls that failed.

use std::path::{Path, PathBuf};

use hooks::config::places::Places;
use hooks_protocols::{Ability, Answer, Checked, Decoded, Wish, capabilities};
use serde_json::Value;

use super::deadline::Deadline;
use super::{Failure, governing, project};
use crate::cli::Run;
use crate::doctor::traps;
use crate::init::place::Base;
use crate::init::settings::{self, Form};
use crate::init::{Scope, files, wiring};

/// The answer to an event without a type of ours.
pub(super) fn answer(options: &Run, decoded: &Decoded, deadline: Deadline) -> Result<Answer, Failure> {
    match capabilities(decoded.client, &decoded.event_name).and_then(|row| row.checked()) {
        Some(Checked::Settings) => Ok(changed(decoded).map_or_else(Answer::default, Answer::deny)),
        Some(Checked::Results) => batch(options, decoded, deadline),
        // Hooks neither decide another one nor receive it.
        _ => Ok(Answer::default()),
    }
}

/// The answer to the results of several calls. Those that hooks have changed are in the payload as they are now.
fn batch(options: &Run, decoded: &Decoded, deadline: Deadline) -> Result<Answer, Failure> {
    let governing = governing::load(options, decoded, deadline)?;
    let calls = decoded.extra.get("tool_calls").and_then(Value::as_array);
    let calls = calls.ok_or("the payload has no list `tool_calls`")?;
    let Some(scrubber) = governing.scrubber() else { return Ok(Answer::default()) };
    let is_redacted = |call: &&Value| {
        let mut result = call.get("tool_response").cloned().unwrap_or_default();
        scrubber.scrub_value(&mut result) > 0
    };
    let Some(call) = calls.iter().find(is_redacted) else { return Ok(Answer::default()) };
    let tool = call.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let mut answer = Answer::default();
    answer.stop = Some(format!(
        "the result of `{tool}` has data that the rules redact, and {} cannot change the result of a call that failed; \
         the run ends before the model reads it",
        decoded.client
    ));
    Ok(answer)
}

/// The reason to deny changed settings.
fn changed(decoded: &Decoded) -> Option<String> {
    let client = decoded.client;
    let path = decoded.extra.get("file_path").and_then(Value::as_str).map(PathBuf::from);
    let name = path.as_deref().unwrap_or(Path::new("settings")).display();
    let text = match path.as_deref().map(files::read).transpose() {
        Ok(text) => text.flatten().unwrap_or_default(),
        Err(_) => {
            return Some(format!("`{name}` cannot be read as settings; this session keeps its settings"));
        }
    };
    if traps::is_off(client, &text) == Some(true) {
        return Some(format!("`{name}` now switches all hooks off; this session keeps its settings"));
    }
    if disables_plugin(&text) {
        return Some(format!(
            "`{name}` now disables the plugin that calls `hooks`; this session keeps its settings"
        ));
    }
    if let Some(variable) = variable_of_hooks(&text) {
        return Some(format!(
            "`{name}` now sets `{variable}`, which chooses other rules; this session keeps its settings"
        ));
    }
    let called = called(decoded, path.clone());
    let is_called = |event: &&str| called.iter().any(|one| one == event);
    let can_deny = |event: &&str| {
        capabilities(client, event)
            .is_some_and(|row| row.can(Wish::Deny) != Ability::No || row.can(Wish::Stop) != Ability::No)
    };
    let missing: Vec<_> =
        settings::events(client).into_iter().filter(can_deny).filter(|event| !is_called(event)).collect();
    let first = missing.first()?;
    Some(format!(
        "after a change of `{name}`, no settings call `hooks` at `{first}` as `hooks init {}` has them; this session keeps its settings",
        client.name()
    ))
}

/// The events at which any settings of the session call us as `hooks init` wrote it.
fn called(decoded: &Decoded, changed: Option<PathBuf>) -> Vec<String> {
    let client = decoded.client;
    let folder = project::project_of(client).unwrap_or_else(|| decoded.context.cwd.clone());
    let mut paths = traps::of_machine(client, Path::new("/"));
    paths.extend(changed);
    paths.extend([".claude/settings.json", ".claude/settings.local.json"].map(|path| folder.join(path)));
    // Claude Code names the folder of the plugin whose hook it runs. Its agents cannot change this process.
    paths.extend(Places::here().named_by("CLAUDE_PLUGIN_ROOT").map(|root| root.join("hooks/hooks.json")));
    let of_user = Base::find(Scope::User).ok().and_then(|base| settings::locate(client, &base, None).ok());
    paths.extend(of_user.map(|settings| settings.path));
    let texts = paths.iter().filter_map(|path| files::read(path).ok().flatten());
    let lines = texts.flat_map(|text| wiring::read(&text, client, Form::Grouped).unwrap_or_default());
    let lines = lines.filter(|one| one.changed.is_empty() && one.event == one.ours.event);
    lines.map(|one| one.event).collect()
}

/// Whether settings disable our plugin, `tower-hooks@MARKETPLACE`.
fn disables_plugin(text: &str) -> bool {
    let settings: Value = serde_json::from_str(text).unwrap_or_default();
    let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
    let is_ours = |name: &str| name.split('@').next() == Some("tower-hooks");
    plugins.into_iter().flatten().any(|(name, is_on)| is_ours(name) && *is_on == Value::Bool(false))
}

/// A variable that settings set for `hooks`.
fn variable_of_hooks(text: &str) -> Option<String> {
    let settings: Value = serde_json::from_str(text).ok()?;
    settings.get("env")?.as_object()?.keys().find(|name| name.starts_with("HOOKS_")).cloned()
}
