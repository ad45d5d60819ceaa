//! Effects of the contract, answered by the facts and by the read guard of the first rules.

use std::sync::OnceLock;

use hooks::config::Config;
use hooks_core::event::PreToolUse;
use hooks_core::{Environment, HookContext, HookRequest, Hooks, HooksProvider, Judged, Policy, Strength};
use hooks_facts::calls::{Call, CallReader};
use hooks_facts::globs::Gap;
use hooks_policies::config::ReadGuardConfig;
use hooks_policies::{OwnState, ProtectedFiles, ReadGuard};
use serde_json::Value;

use super::question;

/// The first rules, which name the secret places.
const STARTER: &str = include_str!("../../../hooks-cli/src/init/starter.yaml");

/// Files that govern an agent.
const OWN: &[&str] = &[
    "hooks.yaml",
    ".hooks",
    ".squad/policies",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex",
    ".gemini",
    ".cursor/hooks.json",
    ".github/hooks",
    ".vscode/settings.json",
    "/home/user/.claude/settings.json",
    "/home/user/.codex",
    "/home/user/.gemini",
    "/home/user/.local/state/hooks",
    "/home/user/.config/hooks",
    "/home/user/.cursor/hooks.json",
    "/home/user/.copilot",
];

/// Returns whether a call has an effect that its policy lists.
pub(super) fn has_one(call: &PreToolUse, policy: &Value, context: HookContext) -> bool {
    let effects = question::texts(policy, "effects");
    if effects.is_empty() {
        return false;
    }
    let context = if context.cwd.as_os_str().is_empty() { context.in_dir("/repo") } else { context };
    let request = HookRequest::new(context, call.clone());
    let reader = CallReader::default();
    let found: Vec<_> = reader
        .read(&request)
        .commands()
        .found
        .iter()
        .flat_map(|command| command.analysis.effects())
        .collect();
    effects.iter().any(|effect| {
        found.iter().any(|found| found.effect.name() == effect)
            || match effect.as_str() {
                "secret-read" => reads_secret(&request),
                "secret-exfil" => reads_secret(&request) && is_sent(CallReader::default().read(&request)),
                "own-state" => denies(own_state(), &request) || denies(protected(OWN), &request),
                "git-dir-write" => denies(protected(&[".git", "**/.git"]), &request),
                _ => false,
            }
    })
}

/// Returns whether the first rules deny a call of a project on the disk; a question to a person is not a denial.
pub(super) fn are_allowed_at_first(call: &PreToolUse) -> bool {
    static FIRST: OnceLock<Option<(Hooks, tempfile::TempDir)>> = OnceLock::new();
    let first = FIRST.get_or_init(|| {
        let project = tempfile::tempdir().ok()?;
        let config = Config::parse(STARTER, "hooks.yaml").ok()?;
        let hooks = Hooks::from_policy(config.policy().clone()).ok()?;
        Some((hooks, project))
    });
    let Some((hooks, project)) = first else { return false };
    let environment = Environment { home: Some("/home/user".into()), ..hooks::system() };
    let context = HookContext::new("session", "agent").in_dir(project.path()).with_environment(environment);
    hooks.judge_pre_tool_use(&HookRequest::new(context, call.clone())).strength() != Strength::Deny
}

fn reads_secret(request: &HookRequest<PreToolUse>) -> bool {
    static GUARD: OnceLock<Option<ReadGuard>> = OnceLock::new();
    let guard = GUARD.get_or_init(|| {
        let config = Config::parse(STARTER, "hooks.yaml").ok()?;
        let guard: ReadGuardConfig = config.policy().read_guard.clone()?;
        ReadGuard::new(&guard, &CallReader::default()).ok()
    });
    denies(guard.clone(), request)
}

/// Returns whether a call connects to another machine. A host that is only partly known may be one.
fn is_sent(call: Call<'_>) -> bool {
    let mut targets = call.commands().found.iter().flat_map(|command| command.analysis.network());
    targets.any(|target| {
        let host = target.host.outline();
        let is_known = !host.contains(|c| Gap::from_char(c).is_some());
        !(is_known && matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1" | "0.0.0.0"))
    })
}

fn own_state() -> Option<OwnState> {
    OwnState::new(OWN, &CallReader::default()).ok()
}

fn protected(patterns: &[&str]) -> Option<ProtectedFiles> {
    ProtectedFiles::new(patterns, &CallReader::default()).ok()
}

/// A policy that cannot be built denies everything that it should judge (law 4).
fn denies<P: Policy<PreToolUse>>(policy: Option<P>, request: &HookRequest<PreToolUse>) -> bool {
    policy.is_none_or(|policy| policy.judge(request).strength() >= Strength::Ask)
}
