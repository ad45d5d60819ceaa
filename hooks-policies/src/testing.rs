//! Calls for tests.

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, Strength};
use serde_json::Value;

/// Returns a context of an agent in `/repo`.
pub(crate) fn context(agent: &str, files: FakeFileSystem) -> HookContext {
    HookContext::new("session", agent).in_dir("/repo").with_environment(world(files).0)
}

/// Returns a call by an agent on an empty disk.
pub(crate) fn call_by(agent: &str, tool: &str, args: Value) -> HookRequest<PreToolUse> {
    HookRequest::new(context(agent, FakeFileSystem::default()), PreToolUse::new(tool, args))
}

/// Returns a call on an empty disk.
pub(crate) fn call(tool: &str, args: Value) -> HookRequest<PreToolUse> {
    call_by("Backend", tool, args)
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
        assert!(
            (reason.remedy.is_some() || reason.advice.is_some())
                && !reason.message.is_empty()
                && !reason.message.ends_with('.'),
            "{reason:?}"
        );
    }
    (verdict.strength(), reason.map(|reason| reason.rule.clone().into_owned()).unwrap_or_default())
}
