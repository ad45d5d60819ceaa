//! The JSON schema of the section, made from the table of events.

use hooks_command::config::{HandlerKind, OnError};
use hooks_command::event::{EVENTS, Lane};
use hooks_command::{HookEvent, Profile};
use hooks_core::EventKind;
use serde_json::{Map, Value, json};

use super::KEY;

/// Schema of a block.
pub(in super::super) fn schema() -> Value {
    let mut events = Map::new();
    for event in EVENTS {
        events.insert(event.name.to_owned(), of_event(event, event.kind));
    }
    for kind in EventKind::ALL {
        // An event name of Hooks stands for all docker-agent events of that kind.
        if let Some(event) = HookEvent::meant_by(kind.name()).first()
            && !events.contains_key(kind.name())
        {
            events.insert(kind.name().to_owned(), of_event(event, *kind));
        }
    }
    json!({
        "type": "object",
        "description": "Commands, builtins and models that are asked about events, as in a docker-agent agent file.",
        "properties": events,
        "additionalProperties": false,
        // Defined once, below the section, because every event uses them.
        "$defs": { "handler": handler(), "entry": entry(false), "preempting": entry(true) },
    })
}

/// Reference to a definition of the section.
fn defined(name: &str) -> Value {
    json!({ "$ref": format!("#/properties/{KEY}/$defs/{name}") })
}

fn of_event(event: &HookEvent, kind: EventKind) -> Value {
    let powers = event.powers(Profile::September, Lane::Ordinary);
    let item = defined(match event.name {
        "pre_tool_use" => "preempting",
        _ if powers.on_tools => "entry",
        _ => "handler",
    });
    let can = [
        (powers.closes, "a failure denies"),
        (powers.blocks && !powers.closes, "can block"),
        (powers.guards && powers.blocks, "a failure blocks unless `on_error` is set"),
        (powers.guards && !powers.blocks, "a failure withholds the result unless `on_error` is set"),
        (powers.decides || powers.approves, "gives verdicts"),
        (powers.in_turn, "rewrites, one after the other"),
        (powers.context, "adds context"),
        (powers.summary, "gives a summary"),
    ];
    let can: Vec<_> = can.iter().filter(|(can, _)| *can).map(|(_, what)| *what).collect();
    let fires = kind.fires();
    let description =
        if can.is_empty() { format!("{fires}; observes") } else { format!("{fires}; {}", can.join(", ")) };
    json!({ "description": description, "anyOf": [{ "type": "array", "items": item }, item] })
}

fn entry(can_preempt: bool) -> Value {
    let handler = defined("handler");
    let mut properties = Map::new();
    properties.insert(
        "matcher".to_owned(),
        json!({"type": "string", "description": "A regular expression over the whole name of the tool; all where absent."}),
    );
    if can_preempt {
        properties.insert(
            "preempt_yolo".to_owned(),
            json!({"type": "boolean", "description": "Whether no approval skips these hooks."}),
        );
    }
    properties.insert("hooks".to_owned(), json!({"anyOf": [{"type": "array", "items": handler}, handler]}));
    json!({"type": "object", "properties": properties, "required": ["hooks"], "additionalProperties": false})
}

fn handler() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    json!({
        "type": "object",
        "properties": {
            "type": {"enum": HandlerKind::WORDS.map(|(word, _)| word)},
            "name": text("What messages call it."),
            "command": text("The line that the shell runs, or the name of the builtin."),
            "args": {"type": "array", "items": {"type": "string"}, "description": "The parameters of a builtin."},
            "timeout": {"type": "integer", "minimum": 0, "description": "In seconds; 60 where absent."},
            "env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Added to the environment; `${env.NAME}` is replaced."},
            "working_dir": text("Where it runs, from the folder of the event on."),
            "on_error": {"enum": OnError::WORDS.map(|(word, _)| word), "description": "What a failure means where the event does not deny by itself."},
            "strict_output": {"type": "boolean", "description": "Whether output that the event has no use for is a failure."},
            "model": text("The model, as `provider/name`."),
            "prompt": text("What the model is asked: a template over the payload."),
            "schema": text("The shape of the model's reply: `pre_tool_use_decision`, or free text."),
        },
        "required": ["type"],
        "additionalProperties": false,
    })
}
