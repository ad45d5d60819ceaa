//! Events as JSON: the format that other processes write and read. If a field is parsed wrongly or skipped,
//! guards do not see it.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]

use hooks_core::event::*;
use hooks_core::testing::{Arbitrary, any_context, any_event};
use hooks_core::{HookContext, WireEvent};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Converts a name from snake case to camel case: `tool_use_id` to `toolUseId`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut letters = part.chars();
        name + &letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default()
            + letters.as_str()
    })
}

fn fields_in_camel_case(value: &Value) -> Value {
    let fields = value.as_object().expect("an event is an object");
    Value::Object(fields.iter().map(|(name, value)| (camel_case(name), value.clone())).collect::<Map<_, _>>())
}

/// Validates `value` against `schema`, with the parts of JSON Schema that our schemas use: types, properties,
/// required fields, no unknown fields.
fn validates(root: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return validates(root, &root["$defs"][name], value);
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[key].as_array()
            && !choices.iter().any(|choice| validates(root, choice, value).is_ok())
        {
            return Err(format!("{value} is none of {choices:?}"));
        }
    }
    if let Some(constant) = schema.get("const") {
        return if constant == value { Ok(()) } else { Err(format!("{value} is not {constant}")) };
    }
    if let Some(values) = schema["enum"].as_array() {
        return if values.contains(value) { Ok(()) } else { Err(format!("{value} is none of {values:?}")) };
    }
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => false,
    };
    let typed = match &schema["type"] {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    };
    if !typed {
        return Err(format!("{value} is not of type {}", schema["type"]));
    }
    for (name, field) in value.as_object().into_iter().flatten() {
        match (schema["properties"].get(name), &schema["additionalProperties"]) {
            (Some(schema), _) => validates(root, schema, field)?,
            (None, Value::Bool(false)) => return Err(format!("`{name}` is not in the schema")),
            (None, _) => {}
        }
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            return Err(format!("`{name}` is missing"));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        if let Some(items) = schema.get("items") {
            validates(root, items, item)?;
        }
    }
    Ok(())
}

/// Checks the properties of any event: its JSON can be read back in either spelling, and anything else is
/// refused.
fn round_trip<E: Arbitrary + Into<WireEvent>>(event: &E, context: &HookContext) -> Result<(), TestCaseError> {
    let wire: WireEvent = event.clone().into();
    prop_assert_eq!(wire.kind(), E::KIND);
    let mut written = serde_json::to_value(&wire).expect("an event is written");
    written["at"] = serde_json::to_value(context).expect("a context is written");
    let text = written.to_string();
    let (read_context, read) = WireEvent::read(serde_json::from_str(&text).expect("it is JSON"))
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&read, &wire);
    prop_assert_eq!(serde_json::to_value(&read_context).unwrap(), written["at"].clone());

    let (_, camel) = WireEvent::read(fields_in_camel_case(&written))
        .map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&camel, &wire);

    let fields = serde_json::to_value(event).unwrap();
    let schema = E::KIND.schema().to_value();
    validates(&schema, &schema, &fields).map_err(TestCaseError::fail)?;

    let mut more = written.clone();
    more["tool_nmae"] = json!("bash");
    prop_assert!(WireEvent::read(more).is_err(), "an unknown field");
    let mut more = written;
    more["at"]["sesion_id"] = json!("s");
    prop_assert!(WireEvent::read(more).is_err(), "an unknown field of the context");
    Ok(())
}

macro_rules! every_event {
    ($($name:ident: $Type:ident,)+) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(64))]
            $(
                #[test]
                fn $name(event in any_event::<$Type>(), context in any_context()) {
                    round_trip(&event, &context)?;
                }
            )+
        }

        #[test]
        fn no_event_is_left_out() {
            let mut here = vec![$( <$Type as Event>::KIND ),+];
            here.sort();
            let mut all = EventKind::ALL.to_vec();
            all.sort();
            assert_eq!(here, all);
            $( assert_eq!(<$Type as Event>::KIND.name(), stringify!($name)); )+
        }
    };
}

every_event! {
    user_prompt_submitted: UserPromptSubmitted,
    before_model_call: BeforeModelCall,
    after_model_call: AfterModelCall,
    pre_tool_use: PreToolUse,
    permission_request: PermissionRequest,
    post_tool_use: PostToolUse,
    pre_compact: PreCompact,
    subagent_start: SubagentStart,
    subagent_stop: SubagentStop,
    stop: Stop,
    max_iterations: MaxIterations,
    route: Route,
    worktree_created: WorktreeCreated,
    session_start: SessionStart,
    session_end: SessionEnd,
    turn_start: TurnStart,
    turn_end: TurnEnd,
    tool_decided: ToolDecided,
    user_input_requested: UserInputRequested,
    error_occurred: ErrorOccurred,
    post_compact: PostCompact,
    subagent_spawned: SubagentSpawned,
    spawn_failed: SpawnFailed,
    agent_switched: AgentSwitched,
    notification: Notification,
}

proptest! {
    #[test]
    fn no_json_makes_it_panic(value in hooks_core::testing::json(), kind in prop::sample::select(EventKind::ALL)) {
        let _ = WireEvent::read(value.clone()).is_ok();
        let _ = WireEvent::from_fields(kind, value.clone()).is_ok();
        let named = match value {
            Value::Object(mut fields) => {
                fields.insert("event".to_owned(), json!(kind.name()));
                Value::Object(fields)
            }
            other => json!({ "event": kind.name(), "at": other }),
        };
        let _ = WireEvent::read(named).is_ok();
    }
}

#[test]
fn a_field_given_in_both_spellings_is_refused() {
    let both = json!({ "event": "pre_tool_use", "tool_name": "read", "toolName": "bash" });
    assert!(WireEvent::read(both).is_err());
}

#[test]
fn an_unknown_field_inside_a_reason_is_refused() {
    let mut decided = json!({
        "event": "tool_decided", "tool_name": "bash", "verdict": "deny", "source": "hooks",
        "reasons": [{ "strength": "deny", "policy": "p", "rule": "r", "message": "m" }],
    });
    assert!(WireEvent::read(decided.clone()).is_ok());
    decided["reasons"][0]["polcy"] = json!("x");
    assert!(WireEvent::read(decided).is_err());
}

#[test]
fn errors_name_what_is_wrong_and_the_way_out() {
    let error = |value| WireEvent::read(value).unwrap_err().to_string();
    assert!(error(json!([])).contains("JSON object"));
    assert!(error(json!({})).contains("`event` is missing"));
    let unknown = error(json!({ "event": "before_tool" }));
    assert!(unknown.contains("`before_tool`") && unknown.contains("`pre_tool_use`"));
    let missing = error(json!({ "event": "pre_tool_use" }));
    assert!(missing.contains("`pre_tool_use`") && missing.contains("`tool_name`"));
    let extra = error(json!({ "event": "stop", "respnse": "x" }));
    assert!(extra.contains("`respnse`") && extra.contains("`response`"));
}
