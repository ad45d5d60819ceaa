use std::sync::Arc;

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::testing::FakeFileSystem;
use hooks_core::{Hooks, Judged, ReasonKind, Strength};
use serde_json::{Value, json};

use super::*;
use crate::squad::{JsError, PreResult, SquadCall, SquadPipeline, SquadPolicy};
use crate::testing::context;

async fn pre(hooks: &Hooks, tool: &str, args: Value) -> (Strength, Option<ReasonKind>, Value) {
    let context = context("Backend", FakeFileSystem::default());
    let mut decision = hooks.on(context).pre_tool_use(PreToolUse::new(tool, args)).await;
    decision.outcome.take_holds().commit();
    let kind = decision.outcome.shown_reason().map(|reason| reason.kind);
    (decision.outcome.strength(), kind, decision.request.event().tool_args.clone())
}

#[tokio::test]
async fn the_adapter_answers_as_the_pipeline() {
    let given = json!({"allowedWritePaths": ["docs/**"], "maxAskUserPerSession": 1, "scrubPii": true});
    let given: SquadPolicy = serde_json::from_value(given).unwrap();
    let mut pipeline = SquadPipeline::new(Some(&given)).unwrap();
    pipeline.add_pre_hook(|call: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
        match &*call.tool_name {
            "view" => call.arguments.to_mut()["seen"] = json!(true),
            "crash" => return Err(JsError::new("Error", "boom")),
            _ => {}
        }
        Ok(PreResult::allow())
    });
    let hooks = Hooks::from_policy(SquadCompat::new(Arc::new(pipeline))).unwrap();
    assert_eq!(pre(&hooks, "edit", json!({"path": "docs/../x"})).await.0, Strength::Allow);
    assert_eq!(pre(&hooks, "edit", json!({"path": "x"})).await.0, Strength::Deny);
    assert_eq!(pre(&hooks, "ask_user", json!({})).await.0, Strength::Allow);
    assert_eq!(pre(&hooks, "ask_user", json!({})).await.0, Strength::Deny);
    assert_eq!(pre(&hooks, "view", json!({})).await.2, json!({"seen": true}));
    assert_eq!(pre(&hooks, "crash", json!({})).await.1, Some(ReasonKind::Failure));
    let event = PostToolUse::after(&PreToolUse::new("view", json!({})), json!({"to": "a@b.org"}), None, 1);
    let decision = hooks.on(context("a", FakeFileSystem::default())).post_tool_use(event).await;
    assert_eq!(decision.request.event().tool_result, json!({"to": "[EMAIL_REDACTED]"}));
}
