//! Ours: rules of a configuration, asked through a set of hooks.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::event::PreToolUse;
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Environment, HookContext, HookRequest, Hooks, Judged, decide};
use hooks_classic::PolicyConfig;
use hooks_policies::config::{RuleAction, RuleConfig};
use serde_json::json;

use crate::{Engine, Error};

/// One rule per folder.
pub fn engine(rules: usize) -> Result<Engine, Error> {
    let rules = (0..rules).map(|place| RuleConfig {
        name: format!("rule-{place}"),
        action: RuleAction::Deny,
        tools: vec!["edit".to_owned()],
        paths: vec![format!("packages/package-{place}/**")],
        ..RuleConfig::default()
    });
    let hooks = Hooks::from_policy(PolicyConfig { rules: rules.collect(), ..PolicyConfig::default() })?;
    let environment = Environment { files: Arc::new(FakeFileSystem::default()), ..Environment::detached() };
    let context =
        Arc::new(HookContext::new("session", "agent").in_dir("/repo").with_environment(environment));
    Ok(Box::new(move |path| {
        let request =
            HookRequest::new(Arc::clone(&context), PreToolUse::new("edit", json!({ "path": path })));
        let mut decision = std::pin::pin!(decide(&hooks, request));
        match decision.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(decision) => decision.outcome.goes_ahead(),
            Poll::Pending => false,
        }
    }))
}
