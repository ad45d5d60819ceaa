//! Converts our event to the payload of a handler, and the answer back to the client's names.

use hooks_core::{Event, HookContext, HookError, HookRequest, WireEvent};
use hooks_protocols::{Client, Decoded, payload};
use serde_json::{Map, Value};

use super::words::Words;
use crate::engine::{Ask, Engine};
use crate::event::{HookEvent, Lane};
use crate::merge::Merged;

/// Calls the handlers of `event` for `request`, whose tool names are those of `words`.
pub(super) async fn ask<E>(
    engine: &Engine,
    event: &'static HookEvent,
    lane: Lane,
    words: Words,
    request: &HookRequest<E>,
) -> Result<Merged, HookError>
where
    E: Event + Into<WireEvent>,
{
    let context = request.context();
    let mut input = fields(event, context, request.event().clone().into())?;
    let name = input.get("tool_name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let told = words.translated(&name, input.get("tool_input").unwrap_or(&Value::Null));
    if let Some(told) = &told {
        input.insert("tool_name".to_owned(), told.name.into());
        input.insert("tool_input".to_owned(), told.arguments());
    }
    let ask = Ask { event, lane, input, folder: &context.cwd, also_called: Some(&name), cancelled: None };
    let mut merged = engine.ask(ask).await;
    if let Some(told) = &told {
        merged.updated_input = merged.updated_input.map(|arguments| told.back(arguments));
    }
    Ok(merged)
}

/// The fields of the payload, with docker-agent's names if it has the event.
fn fields(
    event: &HookEvent,
    context: &HookContext,
    fired: WireEvent,
) -> Result<Map<String, Value>, HookError> {
    if !event.is_theirs {
        return ours(context, &fired);
    }
    match Decoded::from_event(Client::DockerAgent, event.name, context.clone(), fired) {
        Some(decoded) => Ok(payload(&decoded)),
        None => Err(HookError::unavailable(format!("the event cannot be written as `{event}`"))),
    }
}

fn ours(context: &HookContext, fired: &WireEvent) -> Result<Map<String, Value>, HookError> {
    let Value::Object(mut fields) = serde_json::to_value(fired).map_err(HookError::other)? else {
        return Err(HookError::unavailable("the event cannot be written"));
    };
    fields.remove("event");
    fields.remove("at");
    // The agent that acts. An agent that the event is about has its own field in the event.
    fields.entry("agent_name").or_insert_with(|| context.agent_name.as_str().into());
    fields.insert("session_id".to_owned(), context.session_id.as_str().into());
    fields.insert("cwd".to_owned(), context.cwd.to_string_lossy().into_owned().into());
    Ok(fields)
}
