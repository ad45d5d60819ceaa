//! Order of the hooks, the values they pass on, and their messages.

use std::sync::Mutex;

use serde_json::json;

use super::*;

fn pipeline(policy: Value) -> SquadPipeline {
    SquadPipeline::new(Some(&SquadPolicy::try_from(policy).unwrap())).unwrap()
}

fn judge(pipeline: &SquadPipeline, tool: &str, arguments: &Value) -> Result<SquadDecision, JsError> {
    pipeline.pre(&mut SquadCall::new(tool, arguments, "Backend", "s-1"))
}

fn scrub(pipeline: &SquadPipeline, result: Value) -> Result<Option<Value>, JsError> {
    pipeline.post(&mut SquadCall::new("view", &Value::Null, "Reader", "s-1"), Some(result))
}

fn reason(pipeline: &SquadPipeline, tool: &str, arguments: &Value) -> String {
    judge(pipeline, tool, arguments).unwrap().reason().unwrap_or_default().to_owned()
}

#[test]
fn without_a_policy_the_default_commands_are_blocked() {
    let pipeline = SquadPipeline::new(None).unwrap();
    assert!(judge(&pipeline, "edit", &json!({"path": "/etc/passwd"})).unwrap().is_allow());
    assert_eq!(
        reason(&pipeline, "bash", &json!({"cmd": "git rebase main"})),
        "Shell command blocked: Command contains prohibited pattern \"git rebase\". \
         Blocked commands: rm -rf, git push --force, git rebase, git reset --hard"
    );
}

#[test]
fn the_write_guard_comes_before_the_lockout() {
    let pipeline = pipeline(json!({"allowedWritePaths": ["src/**", "a"], "reviewerLockout": 1}));
    pipeline.lockouts().lockout("auth", "Backend");
    assert_eq!(
        reason(&pipeline, "edit", &json!({"path": "auth.ts"})),
        "File write blocked: \"auth.ts\" does not match allowed paths. Allowed patterns: src/**, a"
    );
    assert_eq!(
        reason(&pipeline, "create", &json!({"file_path": "src/auth.ts"})),
        "Reviewer lockout: Agent \"Backend\" is locked out of artifact \"auth\". \
         Another reviewer must handle this artifact."
    );
}

#[test]
fn null_arguments_fail_where_a_policy_reads_them() {
    let name = |policy, tool| match judge(&pipeline(policy), tool, &Value::Null) {
        Ok(decision) => decision.into_json().to_string(),
        Err(error) => error.message().to_owned(),
    };
    assert_eq!(name(json!({}), "edit"), r#"{"action":"allow"}"#);
    assert_eq!(name(json!({}), "bash"), "Cannot read properties of null (reading 'command')");
    assert_eq!(
        name(json!({"reviewerLockout": true}), "edit"),
        "Cannot read properties of null (reading 'path')"
    );
    assert_eq!(name(json!({"blockedCommands": []}), "bash"), r#"{"action":"allow"}"#);
}

#[test]
fn a_failing_pattern_fails_writes_only() {
    let pipeline = pipeline(json!({"allowedWritePaths": ["c++/*.h"]}));
    let error = judge(&pipeline, "edit", &json!({"path": "a.h"})).unwrap_err();
    assert_eq!(
        error.to_string(),
        r"SyntaxError: Invalid regular expression: /^c++/[^/]*\.h$/: Nothing to repeat"
    );
    assert!(judge(&pipeline, "view", &json!({"path": "a.h"})).unwrap().is_allow());
}

#[test]
fn replaced_arguments_reach_later_hooks_and_nobody_else() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut pipeline = pipeline(json!({"allowedWritePaths": ["docs/**"]}));
    pipeline.add_pre_hook(|call: &mut SquadCall<'_>| {
        call.arguments.to_mut()["mode"] = json!(1);
        Ok(PreResult::allow())
    });
    pipeline.add_pre_hook(|_: &mut SquadCall<'_>| Ok(PreResult::modify(json!({"path": "/etc/passwd"}))));
    let witness = Arc::clone(&seen);
    pipeline.add_pre_hook(move |call: &mut SquadCall<'_>| {
        witness.lock().unwrap().push(call.arguments.clone().into_owned());
        call.arguments.to_mut()["lost"] = json!(true);
        Ok(PreResult(json!({"action": "modify", "modifiedArguments": 0})))
    });
    let arguments = json!({"path": "docs/a.md"});
    let mut call = SquadCall::new("edit", &arguments, "a", "s");
    assert!(pipeline.pre(&mut call).unwrap().is_allow());
    assert_eq!(*seen.lock().unwrap(), [json!({"path": "/etc/passwd"})]);
    assert_eq!(*call.arguments, json!({"path": "docs/a.md", "mode": 1}));
}

#[test]
fn a_custom_block_is_returned_as_it_is() {
    for result in [json!({"action": "block"}), json!({"action": "block", "reason": 5, "more": [1]})] {
        let mut pipeline = pipeline(json!({}));
        let returned = result.clone();
        pipeline.add_pre_hook(|_: &mut SquadCall<'_>| Ok(PreResult(json!({"action": "deny"}))));
        pipeline.add_pre_hook(move |_: &mut SquadCall<'_>| Ok(PreResult(returned.clone())));
        pipeline.add_pre_hook(|_: &mut SquadCall<'_>| Err(JsError::new("Error", "never reached")));
        let SquadDecision::Block(block) = judge(&pipeline, "any", &json!({})).unwrap() else {
            panic!("allowed")
        };
        assert_eq!((block.by, SquadDecision::Block(block).into_json()), (Blocker::Custom(1), result));
    }
}

#[test]
fn a_hook_that_returns_nothing_fails_the_run() {
    let mut pipeline = pipeline(json!({}));
    pipeline.add_pre_hook(|_: &mut SquadCall<'_>| Ok(PreResult(json!("block"))));
    assert!(judge(&pipeline, "any", &json!({})).unwrap().is_allow());
    pipeline.add_pre_hook(|_: &mut SquadCall<'_>| Ok(PreResult(Value::Null)));
    let error = judge(&pipeline, "any", &json!({})).unwrap_err();
    assert_eq!(error.message(), "Cannot read properties of null (reading 'action')");
}

#[test]
fn post_hooks_follow_the_scrubber() {
    let mut pipeline = pipeline(json!({"scrubPii": "no"}));
    assert_eq!(scrub(&pipeline, json!("a@b.org")).unwrap(), Some(json!("[EMAIL_REDACTED]")));
    assert_eq!(scrub(&pipeline, json!(42)).unwrap(), Some(json!(42)));
    pipeline.add_post_hook(|call: &mut SquadCall<'_>, result: Option<Value>| {
        call.tool_name = "renamed".into();
        *call.arguments.to_mut() = json!({"seen": true});
        Ok(result.map(|result| json!({"out": result, "late": "a@b.org"})))
    });
    let mut call = SquadCall::new("view", &Value::Null, "a", "s");
    let want = json!({"out": "[EMAIL_REDACTED]", "late": "a@b.org"});
    assert_eq!(pipeline.post(&mut call, Some(json!("a@b.org"))).unwrap(), Some(want));
    assert_eq!((&*call.tool_name, &*call.arguments), ("view", &json!({"seen": true})));
    pipeline.add_post_hook(|_: &mut SquadCall<'_>, _| Ok(None));
    assert_eq!(scrub(&pipeline, json!("x")).unwrap(), None);
}

#[test]
fn warnings_are_those_of_the_console() {
    let written = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&written);
    let policy = json!({"allowedWritePaths": ["docs/**"], "blockedCommands": [7], "maxAskUserPerSession": "1",
        "scrubPii": true, "reviewerLockout": true});
    let pipeline = pipeline(policy).with_warnings(move |warning| sink.lock().unwrap().push(warning));
    pipeline.lockouts().lockout("docs", "Backend");
    for (tool, arguments) in [
        ("edit", json!({"path": "a"})),
        ("edit", json!({"path": "docs/a"})),
        ("bash", json!({"command": "echo 7"})),
        ("ask_user", json!({})),
        ("ask_user", json!({})),
    ] {
        judge(&pipeline, tool, &arguments).unwrap();
    }
    scrub(&pipeline, json!("a@b.org")).unwrap();
    scrub(&pipeline, json!(["a@b.org"])).unwrap();
    let written: Vec<_> =
        written.lock().unwrap().iter().map(|w| (w.message, Value::Object(w.fields.clone()))).collect();
    assert_eq!(
        written,
        [
            (
                "[HookPipeline] File write blocked",
                json!({"agent": "Backend", "tool": "edit", "path": "a", "allowedPaths": ["docs/**"]})
            ),
            (
                "[HookPipeline] Reviewer lockout triggered",
                json!({"agent": "Backend", "artifactId": "docs", "filePath": "docs/a"})
            ),
            (
                "[HookPipeline] Shell command blocked",
                json!({"agent": "Backend", "tool": "bash", "command": "echo 7", "blockedPattern": 7})
            ),
            (
                "[HookPipeline] ask_user rate limit exceeded",
                json!({"agent": "Backend", "sessionId": "s-1", "currentCount": 1, "maxCalls": "1"})
            ),
            (
                "[HookPipeline] PII scrubbed from tool output",
                json!({"tool": "view", "agent": "Reader", "sessionId": "s-1"})
            ),
        ]
    );
}

#[test]
fn it_is_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&SquadPipeline::new(None).unwrap());
}
