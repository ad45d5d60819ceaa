//! docker-agent's agent files: for each agent, its `hooks:` and the options that stand for hooks.
//!
//! The rest of such a file (models, instructions, tools, permissions) belongs to the client and is ignored.

use hooks_command::config::{Entry, HandlerKind};
use hooks_command::{Block, Failures, Handler, HookEvent, Lane, Profile, config::Known};
use serde_json::Value;

use super::super::error::Mistakes;
use super::super::tree::{Kind, Node};
use super::super::words::join;
use super::builtins::SAFER_SHELL;
use super::{Handlers, Host, KEY, read_block};

/// Key of the map of agents.
const AGENTS: &str = "agents";
/// Name of the agent that a session starts with.
const ROOT: &str = "root";

/// Whether the tree is meant as an agent file: it has a map of agents. A `hooks.yaml` has no such key.
pub(in super::super) fn is_meant(root: &Node) -> bool {
    let agents = root.get(AGENTS).map(|node| &node.kind);
    matches!(agents, Some(Kind::Map(agents)) if agents.iter().all(|(_, agent)| matches!(agent.kind, Kind::Map(_))))
        && agents.is_some()
}

/// Reads the handlers of every agent.
pub(in super::super) fn read(root: &Node, host: &Host, mistakes: &mut Mistakes) -> Option<Handlers> {
    let profile = host.profile.unwrap_or_default();
    let known = Known { profile, builtins: Some(&host.builtins), our_events: false, exactly: false };
    let mut handlers = Handlers { profile, failures: Failures::Tell, ..Handlers::default() };
    let agents = root.get(AGENTS)?;
    for (name, agent) in agents.entries() {
        let path = join(AGENTS, &name.text);
        let mut block = match agent.get(KEY) {
            Some(block) => read_block(root, &join(&path, KEY), block, known, mistakes),
            None => Block::default(),
        };
        add_options(&mut block, agent, profile);
        handlers.by_agent.insert(name.text.clone(), block);
    }
    // An agent that is not named counts as the one that a session starts with.
    let first = agents.entries().first().map(|(name, _)| name.text.as_str()).unwrap_or_default();
    let start = handlers.by_agent.get(ROOT).or_else(|| handlers.by_agent.get(first));
    handlers.others = start.cloned().unwrap_or_default();
    Some(handlers)
}

/// Adds handlers for the agent's options that stand for hooks. They run after the agent's own handlers.
fn add_options(block: &mut Block, agent: &Node, profile: Profile) {
    let is_set = |name: &str| agent.get(name).is_some_and(|node| matches!(node.kind, Kind::Bool(true)));
    if is_set("add_environment_info") {
        add(block, "session_start", "add_environment_info", Vec::new());
    }
    if is_set("add_date") {
        add(block, "turn_start", "add_date", Vec::new());
    }
    if let Some(files) = agent.get("add_prompt_files") {
        let files = match files.to_json() {
            Value::Array(files) => files.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            Value::String(file) => vec![file],
            _ => Vec::new(),
        };
        if !files.is_empty() {
            add(block, "turn_start", "add_prompt_files", files);
        }
    }
    // The option of July, which no approval skips.
    if is_set("safer") && profile == Profile::July {
        add_in(Lane::Preempt, block, "pre_tool_use", SAFER_SHELL, Vec::new());
    }
    if is_set("redact_secrets") {
        let arguments = if profile == Profile::July { "pre_tool_use" } else { "tool_input_transform" };
        for event in [arguments, "before_llm_call", "tool_response_transform"] {
            add(block, event, "redact_secrets", Vec::new());
        }
    }
}

fn add(block: &mut Block, event: &str, builtin: &str, args: Vec<String>) {
    add_in(Lane::Ordinary, block, event, builtin, args);
}

fn add_in(lane: Lane, block: &mut Block, event: &str, builtin: &str, args: Vec<String>) {
    let Some(event) = HookEvent::named(event) else { return };
    let handler =
        Handler { kind: HandlerKind::Builtin, command: builtin.to_owned(), args, ..Handler::default() };
    block.add(event, Entry { handlers: vec![handler.into()], lane, ..Entry::default() });
}
