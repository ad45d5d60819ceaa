//! Calls for tests.

use std::sync::Arc;

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeDisk, FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, Strength};
use hooks_team::TeamPlace;
use serde_json::Value;

/// Returns a call by an agent in `/repo`.
pub(crate) fn call_on(
    files: FakeFileSystem,
    agent: &str,
    tool: &str,
    args: Value,
) -> HookRequest<PreToolUse> {
    let context = HookContext::new("session", agent).in_dir("/repo").with_environment(world(files).0);
    HookRequest::new(context, PreToolUse::new(tool, args))
}

/// Returns a call by an agent on an empty disk.
pub(crate) fn call(agent: &str, tool: &str, args: Value) -> HookRequest<PreToolUse> {
    call_on(FakeFileSystem::default(), agent, tool, args)
}

/// Returns the place of a team folder on a disk.
pub(crate) fn team(disk: &FakeDisk) -> TeamPlace {
    TeamPlace::below(Arc::new(disk.clone()), ".squad")
}

/// Returns a policy's judgement: the strength, and the rule that decided.
pub(crate) fn verdict_on(
    policy: &impl Policy<PreToolUse>,
    request: &HookRequest<PreToolUse>,
) -> (Strength, String) {
    let verdict = policy.judge(request);
    let reason = verdict.reasons().iter().find(|reason| reason.strength == verdict.strength());
    if verdict.strength() >= Strength::Ask {
        let reason = reason.unwrap();
        let has_way_out = reason.remedy.is_some() || reason.advice.is_some();
        assert!(has_way_out && !reason.message.is_empty() && !reason.message.ends_with('.'), "{reason:?}");
    }
    (verdict.strength(), reason.map(|reason| reason.rule.clone().into_owned()).unwrap_or_default())
}
