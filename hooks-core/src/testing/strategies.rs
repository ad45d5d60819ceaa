//! Proptest strategies for events and contexts.

use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop, prop_oneof};
use serde_json::{Map, Value};

use crate::context::HookContext;
use crate::event::*;
use crate::time::Timestamp;
use crate::verdict::Strength;

/// An event that can be generated at random.
pub trait Arbitrary: Event {
    /// Any event of this type, including unusual ones.
    fn any() -> BoxedStrategy<Self>;
}

/// Any event of type `E`.
pub fn any_event<E: Arbitrary>() -> BoxedStrategy<E> {
    E::any()
}

/// Any text: words, paths, commands, and characters that trip parsers.
pub fn text() -> BoxedStrategy<String> {
    prop_oneof![
        4 => "[a-z]{0,8}",
        2 => "[a-zA-Z0-9_./~$ -]{0,24}",
        1 => any::<String>(),
        1 => prop_oneof![
            Just("../../etc/passwd".to_owned()),
            Just("rm -rf /".to_owned()),
            Just("a\0b\u{202e}c\n".to_owned()),
            Just("e\u{301}\u{ff20}".to_owned()),
        ],
    ]
    .boxed()
}

/// Any JSON value, a few levels deep.
pub fn json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
    .boxed()
}

/// A tool call; more often than not with a known tool and its usual arguments.
pub fn tool_call() -> BoxedStrategy<(String, Value)> {
    let file = (prop::sample::select(&["edit", "create", "write_file", "Write", "apply_patch"][..]), text())
        .prop_map(|(tool, path)| (tool.to_owned(), serde_json::json!({ "path": path, "content": "x" })));
    let shell = (prop::sample::select(&["bash", "shell", "Bash"][..]), text())
        .prop_map(|(tool, command)| (tool.to_owned(), serde_json::json!({ "command": command })));
    prop_oneof![3 => file, 3 => shell, 2 => (text(), json())].boxed()
}

/// Any context.
pub fn any_context() -> BoxedStrategy<HookContext> {
    (text(), text(), prop::option::of(text()), any::<u64>(), prop::option::of(text()))
        .prop_map(|(session_id, agent_name, tenant, timestamp, call_id)| HookContext {
            session_id,
            agent_name,
            tenant,
            timestamp: Timestamp(timestamp),
            cwd: "/repo".into(),
            call_id,
            ..HookContext::default()
        })
        .boxed()
}

fn maybe() -> BoxedStrategy<Option<String>> {
    prop::option::of(text()).boxed()
}

fn one_of<T: Clone + std::fmt::Debug + 'static>(values: Vec<T>) -> BoxedStrategy<T> {
    prop::sample::select(values).boxed()
}

fn message() -> BoxedStrategy<Message> {
    let role = one_of(vec![Role::System, Role::User, Role::Assistant, Role::Tool]);
    (role, json()).prop_map(|(role, content)| Message { role, content }).boxed()
}

fn usage() -> BoxedStrategy<Usage> {
    (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>())
        .prop_map(|(input_tokens, output_tokens, cached_tokens, reasoning_tokens)| Usage {
            input_tokens,
            output_tokens,
            cached_tokens,
            reasoning_tokens,
        })
        .boxed()
}

fn error_type() -> BoxedStrategy<ErrorType> {
    use ErrorType::{ContextOverflow, Model, Network, Permission, Tool, Unknown};
    one_of(vec![Model, Tool, Network, Permission, ContextOverflow, Unknown])
}

macro_rules! arbitrary {
    ($($Type:ident: ($($strategy:expr),+ $(,)?) => |$pattern:pat_param| $make:expr;)+) => { $(
        impl Arbitrary for $Type {
            fn any() -> BoxedStrategy<Self> {
                ($($strategy,)+).prop_map(|$pattern| $make).boxed()
            }
        }
    )+ };
}

arbitrary! {
    SessionStart: (maybe(), maybe(), one_of(vec![StartSource::Startup, StartSource::Resume, StartSource::Clear, StartSource::Compact]), maybe())
        => |(model, charter_content, source, initial_prompt)| SessionStart { model, charter_content, source, initial_prompt };
    SessionEnd: (any::<u64>(), any::<u64>(), prop::collection::vec(text(), 0..3), any::<u64>(),
        one_of(vec![EndReason::Complete, EndReason::Error, EndReason::Abort, EndReason::Timeout, EndReason::UserExit]), maybe())
        => |(tokens_used, tool_call_count, files_modified, duration_ms, reason, error)|
            SessionEnd { tokens_used, tool_call_count, files_modified, duration_ms, reason, error };
    UserPromptSubmitted: (text(), one_of(vec![PromptKind::Initial, PromptKind::Steering, PromptKind::FollowUp]))
        => |(prompt, kind)| UserPromptSubmitted { prompt, kind };
    TurnStart: (any::<u64>(),) => |(iteration,)| TurnStart { iteration };
    TurnEnd: (any::<u64>(), one_of(vec![TurnEndReason::Normal, TurnEndReason::Error, TurnEndReason::LoopDetected]))
        => |(iteration, reason)| TurnEnd { iteration, reason };
    BeforeModelCall: (text(), any::<u64>(), prop::collection::vec(message(), 0..3))
        => |(model, iteration, messages)| BeforeModelCall { model, iteration, messages };
    AfterModelCall: (text(), any::<u64>(), message(), usage(), prop::option::of(any::<u64>().prop_map(MicroUsd)))
        => |(model, iteration, response, usage, cost)| AfterModelCall { model, iteration, response, usage, cost, unannounced: false };
    PreToolUse: (tool_call(), maybe(), maybe(), any::<Option<bool>>())
        => |((tool_name, tool_args), tool_use_id, category, read_only)|
            PreToolUse { tool_name, tool_args, tool_use_id, category, read_only };
    PermissionRequest: (any_event::<PreToolUse>(),) => |(call,)| PermissionRequest::about(&call);
    ToolDecided: (any_event::<PreToolUse>(), one_of(vec![Strength::Allow, Strength::Deny]),
        one_of(vec![VerdictSource::Hooks, VerdictSource::Approver, VerdictSource::Settled]))
        => |(call, verdict, source)| ToolDecided::about(&call, verdict, source, &[]);
    PostToolUse: (any_event::<PreToolUse>(), json(), maybe(), any::<u64>())
        => |(call, result, error, duration)| PostToolUse::after(&call, result, error, duration);
    UserInputRequested: (text(),) => |(question,)| UserInputRequested { question };
    ErrorOccurred: (text(), error_type(), maybe(), any::<u32>(), any::<bool>())
        => |(error, error_type, current_model, attempt, recoverable)|
            ErrorOccurred { error, error_type, current_model, attempt, recoverable };
    SpawnFailed: (text(), text(), error_type(), maybe(), any::<u32>(), any::<bool>(), maybe())
        => |(agent_name, error, error_type, current_model, attempt, recoverable, child_id)|
            SpawnFailed { agent_name, error, error_type, current_model, attempt, recoverable, child_id };
    PreCompact: (any::<u64>(), any::<u64>(), any::<u64>(), maybe(),
        one_of(vec![CompactionSource::Manual, CompactionSource::Auto, CompactionSource::Overflow, CompactionSource::ToolOverflow]), maybe())
        => |(current_token_count, output_token_count, max_tokens, compaction_strategy, source, reason)|
            PreCompact { current_token_count, output_token_count, max_tokens, compaction_strategy, source, reason };
    PostCompact: (any_event::<PreCompact>(), text(), any::<u64>())
        => |(compaction, summary, tokens)| PostCompact::after(&compaction, summary, tokens);
    SubagentStart: (text(), maybe(), maybe(), maybe(), text(), any::<u32>(), maybe())
        => |(agent_name, model, task_type, charter_path, task, depth, child_id)|
            SubagentStart { agent_name, model, task_type, charter_path, task, depth, child_id };
    SubagentSpawned: (any_event::<SubagentStart>(),) => |(start,)| SubagentSpawned::from_start(&start);
    SubagentStop: (text(), maybe(), any::<u64>(), any::<u64>(), any::<u64>(),
        one_of(vec![ChildStatus::Completed, ChildStatus::Error, ChildStatus::Timeout]), maybe(), maybe(), any::<bool>())
        => |(agent_name, model, duration_ms, tokens_used, tool_call_count, status, response, child_id, stop_hook_active)| SubagentStop {
            agent_name, model, duration_ms, tokens_used, tool_call_count, status, response, child_id, stop_hook_active,
            files_modified: Vec::new(),
        };
    AgentSwitched: (text(), text(), maybe()) => |(from, to, reason)| AgentSwitched { from, to, reason };
    Stop: (text(), maybe(), any::<bool>())
        => |(response, last_user_message, stop_hook_active)| Stop { response, last_user_message, stop_hook_active };
    MaxIterations: (any::<u64>(), any::<bool>(), any::<Option<u64>>(), maybe())
        => |(limit, resumed, previous_limit, message)| MaxIterations { limit, resumed, previous_limit, message };
    Notification: (one_of(vec![Level::Info, Level::Warning, Level::Error]), text())
        => |(level, message)| Notification { level, message };
    Route: (text(), text(), one_of(vec![Priority::Low, Priority::Normal, Priority::High, Priority::Critical]), maybe())
        => |(target_agent, task, priority, context)| Route { target_agent, task, priority, context };
    WorktreeCreated: (text(), maybe()) => |(path, branch)| WorktreeCreated { path: path.into(), branch };
}
