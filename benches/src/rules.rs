//! What does a decision among many rules cost?

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Environment, HookContext, HookRequest, Hooks, decide};
use hooks_policies::config::{PolicyConfig, RuleAction, RuleConfig};
use serde_json::json;

use crate::call::finish;
use crate::{Bar, Case, SetupError};

/// Literal rules and globs, from ten to ten thousand; the call matches none of them. The request is new each
/// time, with nothing resolved yet.
///
/// # Errors
/// The rules are refused.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let ratio = Bar::Times(1.5, "rules/10 literal");
    Ok(vec![
        decided("rules/10 literal", (0..10).map(literal))?,
        decided("rules/100 literal", (0..100).map(literal))?.at_most(ratio),
        decided("rules/1,000 literal", (0..1_000).map(literal))?.at_most(ratio),
        decided("rules/10,000 literal", (0..10_000).map(literal))?.at_most(ratio),
        decided("rules/10 globs", (0..10).map(glob))?,
        decided("rules/100 globs", (0..100).map(glob))?,
        decided("rules/1,000 globs", (0..1_000).map(glob))?,
        decided("rules/10,000 globs", (0..10_000).map(glob))?,
    ])
}

/// A rule about one tool, one agent and one folder.
fn literal(place: usize) -> RuleConfig {
    RuleConfig {
        name: format!("literal-{place}"),
        action: RuleAction::Deny,
        tools: vec![
            ["edit", "create", "bash", "write_file"]
                .get(place % 4)
                .map_or_else(String::new, ToString::to_string),
        ],
        agents: vec![format!("agent-{}", place % 50)],
        paths: vec![format!("packages/package-{place}/**")],
        ..RuleConfig::default()
    }
}

/// A rule whose pattern has a wildcard in the first segment, so that no prefix tells it apart.
fn glob(place: usize) -> RuleConfig {
    RuleConfig {
        name: format!("glob-{place}"),
        action: RuleAction::Deny,
        paths: vec![format!("*/package-{place}/**/*.gen{place}.rs")],
        ..RuleConfig::default()
    }
}

fn decided(name: &'static str, rules: impl Iterator<Item = RuleConfig>) -> Result<Case, SetupError> {
    let hooks = Hooks::from_policy(PolicyConfig { rules: rules.collect(), ..PolicyConfig::default() })?;
    let environment = Environment { files: Arc::new(FakeFileSystem::default()), ..Environment::detached() };
    let context =
        Arc::new(HookContext::new("session-1", "agent-7").in_dir("/repo").with_environment(environment));
    let event =
        PreToolUse::new("edit", json!({"path": "src/parser/expression.rs", "old_str": "a", "new_str": "b"}));
    Ok(Case::new(name, move || finish(decide(&hooks, HookRequest::new(Arc::clone(&context), event.clone())))))
}
