//! Suite `corpora`: events under a policy of their own, through the configuration format of users.
//!
//! Kinds without a matching feature are not answered.

use std::io;
use std::sync::Arc;

use hooks::config::packs;
use hooks::team_rules::decisions::{Decisions, TeamDecisions};
use hooks_classic::PolicyConfig;
use hooks_context::TeamPlace;
use hooks_context::prompt::{PromptConfig, PromptLayer};
use hooks_core::beside::Here;
use hooks_core::event::{PostToolUse, PreToolUse, PromptKind, UserPromptSubmitted};
use hooks_core::fs::EntryKind;
use hooks_core::testing::{FakeDisk, FakeFileSystem};
use hooks_core::{Environment, FailureLayer, HookContext, Hooks, Judged, Platform, Settle};
use hooks_facts::calls::{CallReader, PathsConfig};
use hooks_policies::config::{CommandGuardConfig, GuardsSettings, OnUnknown, WriteGuardConfig};
use hooks_redaction::RedactionConfig;
use serde_json::{Value, json};
use tower_layer::Layer;

use super::session::Session;
use super::{effects, finish, question};

/// Answers an event.
pub(super) fn answer(event: &Value) -> Option<Value> {
    let id = event.get("id")?;
    let policy = question::field(event, "policy");
    match event.get("kind")?.as_str()? {
        "shell" => Some(json!({"id": id, "decision": shell(event, policy)})),
        "pack" => Some(json!({"id": id, "decision": of_packs(event, policy)})),
        "sequence" => Some(json!({"id": id, "decision": sequence(event, policy)})),
        "write" | "shell_write" => {
            Some(json!({"id": id, "decision": decision(event, writes(policy), context(policy))}))
        }
        "decision" => Some(json!({"id": id, "decision": of_decisions(event, policy)})),
        "scrub" => Some(json!({"id": id, "text": scrubbed(event)?})),
        "directive" => Some(json!({"id": id, "directives": directives(event)})),
        _ => None,
    }
}

/// Answers an event. Of decisions, only the rule blocks count that `hooks decisions` proposes for them.
pub(super) fn answer_by_blocks(event: &Value) -> Option<Value> {
    let mut event = event.clone();
    if let Some(text) = event.pointer_mut("/policy/decisions_md") {
        *text = json!(as_blocks(text.as_str().unwrap_or_default()));
    }
    answer(&event)
}

/// The rules of decisions in prose, as blocks in a file without prose.
fn as_blocks(text: &str) -> String {
    let decisions = Decisions::parse(text);
    let rules = decisions.all().iter().flat_map(|decision| &decision.rules).enumerate();
    rules.map(|(number, rule)| format!("### Decision {number}\n\n```rule\n{rule}```\n\n")).collect()
}

/// Judges a call by the blocked commands and the listed effects.
fn shell(event: &Value, policy: &Value) -> &'static str {
    let context = context(policy);
    if policy.get("first_rules").is_some() {
        return if effects::are_allowed_at_first(&call(event)) { "allow" } else { "block" };
    }
    match decision(event, commands(policy), context.clone()) {
        "allow" if effects::has_one(&call(event), policy, context) => "block",
        decision => decision,
    }
}

/// Judges a call by the packs that the policy names. A pack that does not exist denies.
fn of_packs(event: &Value, policy: &Value) -> &'static str {
    let packs: Option<Vec<_>> =
        question::texts(policy, "packs").iter().map(|name| packs::standard(name)).collect();
    let Some(packs) = packs else { return "block" };
    let settings = GuardsSettings { packs, ..GuardsSettings::default() };
    let Ok(hooks) = Hooks::from_policy(settings) else { return "block" };
    let outcome = finish(hooks.on(context(policy)).pre_tool_use(call(event)));
    if outcome.outcome.goes_ahead() { "allow" } else { "block" }
}

/// Judges the steps of a session in order. What a step writes is on the disk when the next one is judged.
fn sequence(event: &Value, policy: &Value) -> &'static str {
    let Some(session) = Session::new(commands(policy), &context(policy)) else { return "block" };
    for step in question::list(event, "steps") {
        let (call, context) = (call(step), session.context());
        if !session.goes_ahead(&call) || effects::has_one(&call, policy, context.clone()) {
            return "block";
        }
        session.carry_out(&call, context);
    }
    "allow"
}

fn commands(policy: &Value) -> PolicyConfig {
    let unresolvable = match question::text(policy, "unresolvable") {
        "allow" => OnUnknown::Allow,
        _ => OnUnknown::Deny,
    };
    let guard = CommandGuardConfig {
        block: question::texts(policy, "blocked_commands"),
        unresolvable,
        ..Default::default()
    };
    PolicyConfig { command_guard: Some(guard), ..PolicyConfig::default() }
}

fn writes(policy: &Value) -> PolicyConfig {
    let paths = PathsConfig {
        root: policy.get("root").and_then(Value::as_str).map(Into::into),
        case_insensitive: policy.get("case_insensitive").and_then(Value::as_bool),
        ..PathsConfig::default()
    };
    let guard = WriteGuardConfig {
        allow: question::texts(policy, "allowed_write_globs"),
        deny: question::texts(policy, "denied_write_globs"),
        ..WriteGuardConfig::default()
    };
    PolicyConfig { paths, write_guard: Some(guard), ..PolicyConfig::default() }
}

/// If the configuration cannot be built, every event it should judge is denied (law 4).
fn decision(event: &Value, config: PolicyConfig, context: HookContext) -> &'static str {
    let Ok(hooks) = Hooks::from_policy(config) else { return "block" };
    let outcome = finish(hooks.on(context).pre_tool_use(call(event)));
    if outcome.outcome.goes_ahead() { "allow" } else { "block" }
}

/// Judges an event by the decisions of a team, in the files of the team folder.
fn of_decisions(event: &Value, policy: &Value) -> &'static str {
    let root = Some(question::text(policy, "root")).filter(|root| !root.is_empty()).unwrap_or("/repo");
    let file = format!("{root}/.squad/decisions.md");
    let disk = FakeDisk::default().with_file(file, question::text(policy, "decisions_md"));
    let place = TeamPlace::below(Arc::new(disk), format!("{root}/.squad"));
    let decisions = TeamDecisions::new(place, Arc::new(Here), &CallReader::default());
    let hooks = decisions.add_to(Hooks::builder()).build();
    let outcome = finish(hooks.on(context(policy)).pre_tool_use(call(event)));
    if outcome.outcome.goes_ahead() { "allow" } else { "block" }
}

/// The text after redaction; `None`, which is no answer, if the hooks withhold it.
fn scrubbed(event: &Value) -> Option<String> {
    let config = PolicyConfig { redaction: Some(RedactionConfig::default()), ..PolicyConfig::default() };
    let hooks = Hooks::from_policy(config).ok()?;
    let ran = PostToolUse::after(&call(event), event.get("text")?.clone(), None, 0);
    let outcome = finish(hooks.on(HookContext::new("session", "agent")).post_tool_use(ran));
    let passed = outcome.outcome.goes_ahead().then_some(&outcome.request.event().tool_result)?;
    passed.as_str().map(str::to_owned)
}

/// The standing wishes that the hooks find in a user's message.
fn directives(event: &Value) -> Vec<Value> {
    let layer =
        PromptLayer::new(PromptConfig::default(), TeamPlace::below(Arc::new(FakeDisk::default()), ".squad"));
    let hooks = Hooks::builder().stack(&FailureLayer::new("prompts"), layer.layer(Settle)).build();
    let prompt = UserPromptSubmitted::new(question::text(event, "text"), PromptKind::Initial);
    let outcome = finish(hooks.on(HookContext::new("session", "agent")).user_prompt_submitted(prompt));
    let heard = outcome.outcome.notes().map_or(&[][..], |notes| &notes.directives);
    heard.iter().map(|wish| json!({"text": wish.text, "mode": wish.mode})).collect()
}

fn call(event: &Value) -> PreToolUse {
    PreToolUse::new(question::text(event, "tool"), question::field(event, "arguments").clone())
}

/// The context that the policy describes.
fn context(policy: &Value) -> HookContext {
    let platform = match question::text(policy, "platform") {
        "windows" => Platform::Windows,
        "macos" => Platform::Macos,
        _ => Platform::Posix,
    };
    let files = Arc::new(files(policy));
    let home = question::text(policy, "home");
    let home = Some(if home.is_empty() { "/home/user" } else { home }.into());
    let environment = Environment { files, platform, home, ..Environment::detached() };
    let cwd = question::text(policy, "cwd");
    HookContext::new("session", "agent").in_dir(cwd).with_environment(environment)
}

/// The files on disk, besides plain files and folders.
fn files(policy: &Value) -> FakeFileSystem {
    question::list(policy, "fs").iter().fold(FakeFileSystem::default(), |files, entry| {
        let path = question::text(entry, "path");
        match question::text(entry, "type") {
            "symlink" => files.with_link(path, question::text(entry, "target")),
            "hardlink" => files.with_names(path, 2),
            "dir" => files.with(path, EntryKind::Directory),
            "fifo" | "socket" | "device" => files.with(path, EntryKind::Special),
            // An unknown type of file cannot be inspected.
            _ => files.with_broken(path, io::ErrorKind::Unsupported),
        }
    })
}
