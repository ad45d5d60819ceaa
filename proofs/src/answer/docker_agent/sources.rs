//! Level `sources`: hooks from several places, in the order in which they run.

use hooks::config::parse_hooks;
use hooks_command::config::{Source, from_flag, in_order};
use hooks_command::{Block, Builtins, HookEvent, Lane, Profile};
use serde_json::{Map, Value, json};

use super::{block, question};

pub(super) fn answer(question: &Value, profile: Profile) -> Value {
    let sources = question::field(question, "sources");
    let mut warned = Vec::new();
    let mut parts: Vec<(Source, Block)> = Vec::new();
    match read(question::field(sources, "agent"), profile) {
        Ok(agent) => parts.push((Source::Agent, agent)),
        Err(error) => return json!({ "config_error": error }),
    }
    // Invalid settings are ignored as a whole.
    parts.extend(
        read(question::field(sources, "settings"), profile).ok().map(|block| (Source::Settings, block)),
    );
    for (name, content) in question::field(sources, "drop_ins").as_object().into_iter().flatten() {
        let Some(source) = Source::drop_in(name) else { continue };
        match read(content, profile) {
            Ok(block) => parts.push((source, block)),
            Err(_) => warned.push(name.as_str()),
        }
    }
    for (flag, commands) in question::field(sources, "cli").as_object().into_iter().flatten() {
        let commands: Vec<_> =
            commands.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        match from_flag(flag, &commands).map(|hooks| block(&hooks, profile)) {
            Some(Ok(block)) => parts.push((Source::CommandLine, block)),
            Some(Err(error)) => return json!({ "config_error": error }),
            None => return json!({ "config_error": format!("there is no flag `{flag}`") }),
        }
    }
    let mut whole = Block::default();
    for (_, part) in in_order(parts) {
        whole.append(part);
    }
    let Some(event) = HookEvent::named(question::text(question, "event")) else { return Value::Null };
    let handlers = whole.handlers(event, Lane::Ordinary, &[""], profile);
    let order: Vec<_> = handlers.iter().map(|handler| handler.command.as_str()).collect();
    json!({"order": order, "warned": warned})
}

/// Reads a source: a text, a block, or commands by event.
fn read(source: &Value, profile: Profile) -> Result<Block, String> {
    match source {
        Value::String(text) => {
            let read = parse_hooks(text, "hooks", profile, &Builtins::default());
            read.map(|(block, _)| block).map_err(|errors| errors.to_string())
        }
        Value::Object(events) => {
            let events = events.iter().map(|(event, value)| (event.clone(), expanded(event, value)));
            block(&Value::Object(events.collect::<Map<_, _>>()), profile)
        }
        Value::Null => Ok(Block::default()),
        other => Err(format!("{other} is not a block")),
    }
}

/// Converts commands to handlers; handlers stay as they are.
fn expanded(event: &str, value: &Value) -> Value {
    let Some(items) = value.as_array().filter(|items| items.iter().all(Value::is_string)) else {
        return value.clone();
    };
    let handlers: Vec<_> = items.iter().map(|item| json!({"type": "command", "command": item})).collect();
    let is_about_tools = HookEvent::named(event)
        .is_some_and(|event| event.powers(Profile::September, Lane::Ordinary).on_tools);
    if is_about_tools { json!([{ "hooks": handlers }]) } else { json!(handlers) }
}
