use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Hooks, Judged, ReasonKind, Strength};
use hooks_policies::profile::{SquadHook, SquadResultHook};
use hooks_policies::squad::{JsError, PreResult, SquadCall};
use serde_json::{Value, json};

use super::*;
use crate::testing::context;

fn policy(policy: Value) -> SquadPolicy {
    serde_json::from_value(policy).unwrap()
}

fn strict(policy: Value) -> Hooks {
    Hooks::from_policy(squad_policy_to_strict(&self::policy(policy)).unwrap()).unwrap()
}

async fn pre(hooks: &Hooks, tool: &str, args: Value) -> (Strength, Option<ReasonKind>, Value) {
    let context = context("Backend", FakeFileSystem::default());
    let mut decision = hooks.on(context).pre_tool_use(PreToolUse::new(tool, args)).await;
    decision.outcome.take_holds().commit();
    let kind = decision.outcome.shown_reason().map(|reason| reason.kind);
    (decision.outcome.strength(), kind, decision.request.event().tool_args.clone())
}

#[test]
fn a_policy_is_read_as_squad_means_it() {
    let all = json!({
        "allowedWritePaths": ["src/**"], "blockedCommands": ["rm -rf", "| sh", "rm.*", ""],
        "maxAskUser": 1.5, "scrubPii": true, "reviewerLockout": true,
    });
    let config = squad_policy_to_strict(&policy(all)).unwrap();
    assert_eq!(config.paths.dialect, PatternDialect::Squad);
    assert_eq!(config.write_guard.unwrap().missing_path, OnUnknown::Allow);
    let commands = config.command_guard.unwrap();
    assert_eq!(
        (commands.block, commands.fragments),
        (vec!["rm -rf".into()], vec!["| sh".into(), "rm.*".into(), "".into()])
    );
    assert_eq!(config.ask_user.unwrap().max_per_session, 2);
    assert!(config.redaction.is_some() && config.reviewer_lockout.is_some());

    let empty = squad_policy_to_strict(&policy(json!({}))).unwrap();
    assert!(empty.write_guard.is_none() && empty.ask_user.is_none() && empty.redaction.is_none());
    assert_eq!(empty.command_guard.unwrap().block.len(), 4);
    let off =
        json!({"allowedWritePaths": [], "blockedCommands": [], "maxAskUserPerSession": -1, "maxAskUser": -1});
    let off = squad_policy_to_strict(&policy(off)).unwrap();
    assert!(off.write_guard.is_none() && off.command_guard.is_none() && off.ask_user.is_none());
    let none = squad_policy_to_strict(&policy(json!({"maxAskUserPerSession": 0}))).unwrap();
    assert_eq!(none.ask_user.unwrap().max_per_session, 0);
}

#[test]
fn what_squad_lets_pass_is_an_error_here() {
    let bad = json!({
        "allowedWritePaths": "src", "blockedCommands": ["a", 1], "maxAskUser": "3", "scrubPii": 1,
        "reviewer_lockout": true, "fileGuards": [],
    });
    let errors = squad_policy_to_strict(&policy(bad)).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    let wanted = [
        "allowedWritePaths",
        "blockedCommands[1]",
        "maxAskUser",
        "scrubPii",
        "reviewer_lockout",
        "fileGuards",
    ];
    assert_eq!(fields, wanted);
    assert_eq!(errors.as_slice()[4].hint, "did you mean `reviewerLockout`?");
    let two = json!({"maxAskUser": 1, "maxAskUserPerSession": 2});
    assert!(squad_policy_to_strict(&policy(two)).is_err());
}

#[tokio::test]
async fn strict_hooks_judge_what_custom_hooks_made_of_a_call() {
    let config = || squad_policy_to_strict(&policy(json!({"allowedWritePaths": ["docs/**"]}))).unwrap();
    let with = |answer: Value| {
        let hook =
            move |_: &mut SquadCall<'_>| -> Result<PreResult, JsError> { Ok(PreResult(answer.clone())) };
        SquadHook::new("custom", hook).add_to(Hooks::builder()).config(config()).unwrap().build()
    };
    let modify = |path: &str| json!({"action": "modify", "modifiedArguments": {"path": path}});
    for (answer, wanted, path) in [
        (json!({"action": "allow"}), Strength::Allow, "docs/a"),
        (modify("docs/b"), Strength::Allow, "docs/b"),
        (modify("/etc/passwd"), Strength::Deny, "/etc/passwd"),
        (json!({"action": "modify"}), Strength::Allow, "docs/a"),
        (json!({"action": "allow", "modifiedArguments": {"path": "x"}}), Strength::Allow, "docs/a"),
        (json!({"action": "block"}), Strength::Deny, "docs/a"),
        (json!({"action": "deny"}), Strength::Deny, "docs/a"),
        (Value::Null, Strength::Deny, "docs/a"),
    ] {
        let (strength, _, args) = pre(&with(answer.clone()), "edit", json!({"path": "docs/a"})).await;
        assert_eq!((strength, args["path"].as_str()), (wanted, Some(path)), "{answer}");
    }
    let fails = |_: &mut SquadCall<'_>| -> Result<PreResult, JsError> { Err(JsError::new("Error", "boom")) };
    let hooks = SquadHook::new("custom", fails).add_to(Hooks::builder()).config(config()).unwrap().build();
    let (strength, kind, _) = pre(&hooks, "edit", json!({"path": "docs/a"})).await;
    assert_eq!((strength, kind), (Strength::Deny, Some(ReasonKind::Failure)));
}

#[tokio::test]
async fn the_scrubber_sees_what_custom_hooks_added() {
    let late = |_: &mut SquadCall<'_>, result: Option<Value>| -> Result<Option<Value>, JsError> {
        Ok(result.map(|result| json!(format!("{} late@example.com", result.as_str().unwrap_or_default()))))
    };
    let config = squad_policy_to_strict(&policy(json!({"scrubPii": true}))).unwrap();
    let builder = Hooks::builder().transform(SquadResultHook::new("late", late));
    let hooks = builder.config(config).unwrap().build();
    let event = PostToolUse::after(&PreToolUse::new("view", json!({})), json!("clean"), None, 1);
    let decision = hooks.on(context("a", FakeFileSystem::default())).post_tool_use(event).await;
    assert_eq!(decision.request.event().tool_result, json!("clean [EMAIL_REDACTED]"));
}

#[tokio::test]
async fn strict_is_strict() {
    let hooks = strict(json!({"allowedWritePaths": ["src/**"], "reviewerLockout": true}));
    for (tool, args) in [
        ("Edit", json!({"path": "src/../../etc/passwd"})),
        ("apply_patch", json!({"path": "x"})),
        ("bash", json!({"command": "rm -r -f x"})),
    ] {
        assert_eq!(pre(&hooks, tool, args.clone()).await.0, Strength::Deny, "{tool} {args}");
    }
    assert_eq!(pre(&hooks, "edit", json!({"path": "./src/a"})).await.0, Strength::Allow);
}
