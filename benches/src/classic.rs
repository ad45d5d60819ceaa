//! Cost of the classic policies for typical calls of agents.

use std::sync::Arc;

use hooks_budgets::AskUserConfig;
use hooks_classic::PolicyConfig;
use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Environment, HookContext, HookRequest, Hooks, decide, reserve};
use hooks_policies::config::{CommandGuardConfig, LockoutConfig, WriteGuardConfig};
use hooks_redaction::RedactionConfig;
use serde_json::json;

use crate::call::{edit, finish};
use crate::{Bar, Case, SetupError};

/// All five policies, on a file system in memory. The request is new each time, so nothing is resolved yet.
///
/// # Errors
/// Returns an error if the configuration is refused.
pub fn cases() -> Result<Vec<Case>, SetupError> {
    let command = |text: &str| PreToolUse::new("bash", json!({ "command": text }));
    let denied =
        PreToolUse::new("edit", json!({"path": "src/../../etc/passwd", "old_str": "a", "new_str": "b"}));
    let result = |text: &str| PostToolUse::after(&edit(), json!(text), None, 3);
    let clean = "the build is green; nothing was written outside of src/parser";
    let personal = "by jane.doe@example.com, reviewed by max@mail.example.org on Tuesday";
    Ok(vec![
        made("classic/edit, request made and dropped", edit()),
        decision("classic/edit, allow", edit())?
            .at_most(Bar::Beyond(1_000.0, "classic/edit, request made and dropped")),
        decision("classic/edit, deny", denied)?,
        decision("classic/command, allow", command("npm run build -- --watch"))?,
        decision("classic/command, deny", command("cd build && sudo rm -fr ./out"))?,
        decision("classic/command of ten parts, allow", command(TEN_PARTS))?,
        changed("classic/result, nothing to scrub", result(clean))?,
        changed("classic/result, two addresses", result(personal))?,
    ])
}

const TEN_PARTS: &str = "set -e; cd app && npm ci && npm run lint -- --fix | tee log.txt; for f in src/*.ts; do wc -l \"$f\"; done; \
    git status --short && git add -A && git commit -m 'say \"rm -rf\" in a message'; echo done";

fn hooks() -> Result<Hooks, SetupError> {
    let locked = [("src/module1/file1.rs".to_owned(), vec!["backend".to_owned()])].into();
    Ok(Hooks::from_policy(PolicyConfig {
        write_guard: Some(WriteGuardConfig {
            allow: ["src/**", "test/**", "docs/**"].map(String::from).to_vec(),
            deny: vec!["**/*.pem".to_owned()],
            ..WriteGuardConfig::default()
        }),
        command_guard: Some(CommandGuardConfig::default()),
        ask_user: Some(AskUserConfig { max_per_session: 3, ..AskUserConfig::default() }),
        redaction: Some(RedactionConfig::default()),
        reviewer_lockout: Some(LockoutConfig { locked, ..LockoutConfig::default() }),
        ..PolicyConfig::default()
    })?)
}

fn context() -> Arc<HookContext> {
    let files =
        FakeFileSystem::default().with("/repo/src/parser/expression.rs", hooks_core::fs::EntryKind::File);
    let environment = Environment { files: Arc::new(files), ..Environment::detached() };
    Arc::new(HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment))
}

/// Cost of the request, which the other cases pay before it is judged.
fn made(name: &'static str, event: PreToolUse) -> Case {
    let context = context();
    Case::new(name, move || HookRequest::new(Arc::clone(&context), event.clone()))
}

fn decision(name: &'static str, event: PreToolUse) -> Result<Case, SetupError> {
    let (hooks, context) = (hooks()?, context());
    Ok(Case::new(name, move || {
        let mut decision = finish(decide(&hooks, HookRequest::new(Arc::clone(&context), event.clone())));
        finish(reserve(&hooks, &mut decision));
        decision
    }))
}

fn changed(name: &'static str, event: PostToolUse) -> Result<Case, SetupError> {
    let (hooks, context) = (hooks()?, context());
    Ok(Case::new(name, move || finish(decide(&hooks, HookRequest::new(Arc::clone(&context), event.clone())))))
}
