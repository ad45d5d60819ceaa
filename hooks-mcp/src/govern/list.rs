//! The list of tools, as far as they may be used.

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::{
    DecidingEvent, Evaluation, HookContext, HookRequest, Judged, Live, Reason, ReasonKind, Strength,
};
use serde_json::{Map, Value};

use super::McpSettings;
use crate::names;
use crate::pins::OnChange;

/// Leaves out tools that may not be used; returns whether it changed the list.
pub(super) fn filter(
    result: &mut Value,
    hooks: &Live,
    context: &Arc<HookContext>,
    settings: &McpSettings,
) -> bool {
    let Some(tools) = result.get_mut("tools").and_then(Value::as_array_mut) else { return false };
    let before = tools.len();
    let named = tools.iter().filter_map(|tool| Some((plain_name(tool)?, tool)));
    if settings.pins.pin_new(named)
        && let Some(keep) = &settings.keep_pins
    {
        // Another process may have pinned another description meanwhile, so this comes before the comparison.
        keep(&settings.pins);
    }
    tools.retain(|tool| {
        let Some(name) = plain_name(tool) else {
            settings.say("a tool is not listed: its name is not one of visible characters of ASCII");
            return false;
        };
        if !settings.pins.is_unchanged(name, tool) {
            settings.say(&format!("the description of the tool `{name}` changed after it was pinned"));
            if settings.on_change == OnChange::Deny {
                return false;
            }
        }
        !is_closed(&settings.tool_name(name), hooks, context)
    });
    tools.len() != before
}

fn plain_name(tool: &Value) -> Option<&str> {
    tool.get("name").and_then(Value::as_str).filter(|name| names::is_plain(name))
}

/// Returns whether each call of a tool is denied, whatever its arguments.
///
/// Only policies are asked, and about a call without arguments. A policy denies such a call also because an argument is
/// missing; then its reason names the argument, has evidence, advises how to call the tool, or is uncertain. A tool that is listed in doubt is still denied when it is called.
fn is_closed(tool: &str, hooks: &Live, context: &Arc<HookContext>) -> bool {
    let call = PreToolUse::new(tool, Value::Object(Map::new()));
    // Of all policies, one may deny the name.
    let request = HookRequest::new(Arc::clone(context), call).evaluated(Evaluation::Everyone);
    let outcome = hooks.with(|hooks| PreToolUse::judge(hooks, &request));
    let is_about_name = |reason: &Reason| {
        reason.strength == Strength::Deny
            && reason.kind == ReasonKind::Policy
            && reason.argument.is_none()
            && reason.evidence.is_empty()
            && reason.advice.is_none()
    };
    outcome.is_denied() && outcome.reasons().iter().any(is_about_name)
}
