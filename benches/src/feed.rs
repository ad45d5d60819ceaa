//! Cost of metrics and the result cache for each call.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_cache::{CacheConfig, CacheLayer, CacheTool, Depends, ResultCache};
use hooks_core::drivers::{ToolCall, ToolResult};
use hooks_core::event::PostToolUse;
use hooks_core::{HookContext, HookError, HookRequest, Observer, ResultPatch, Settle};
use hooks_metrics::{Metrics, MetricsLayer};
use serde_json::{Value, json};
use tower::Layer;
use tower_service::Service;

use crate::call::{edit, finish, request};
use crate::{Bar, Case};

/// An event that is counted, a stack that is counted around, a reused result, a call that passes through.
pub fn cases() -> Vec<Case> {
    vec![counted(), around(), hit(), passed()]
}

fn counted() -> Case {
    let metrics = Metrics::default();
    let mut context = HookContext::new("session-1", "backend").in_dir("/repo").for_tenant("acme");
    context.team_root = Some("/repo".into());
    context.repo = Some("acme/app".to_owned());
    let request = HookRequest::new(context, PostToolUse::after(&edit(), Value::Null, None, 12));
    Case::new("feed/metrics of a tool call", move || metrics.observe(&request, &ResultPatch::default()))
        .at_most(Bar::Nanoseconds(1_000.0))
        .allocating(0)
}

fn around() -> Case {
    let mut stack = MetricsLayer::new(Metrics::default()).layer(Settle);
    let request = request();
    Case::new("feed/metrics around a stack", move || finish(stack.call(request.clone())))
        .at_most(Bar::Nanoseconds(1_000.0))
        .allocating(0)
}

fn hit() -> Case {
    called("feed/cache, a hit", ToolCall::new("web_search", json!({"query": "tower layers", "limit": 5})))
}

fn passed() -> Case {
    called("feed/cache, a call that changes nothing", ToolCall::new("read", json!({"path": "src/lib.rs"})))
}

fn called(name: &'static str, call: ToolCall) -> Case {
    let tool = CacheTool::new("web_search", Depends::Outside).lasting(std::time::Duration::from_secs(60));
    let cache = ResultCache::new(CacheConfig::new().with_tool(tool));
    let context = Arc::new(HookContext::new("session-1", "backend").in_dir("/repo"));
    let mut tools = cache.ok().map(|cache| CacheLayer::new(cache, context).layer(NoWork));
    Case::new(name, move || tools.as_mut().map(|tools| finish(tools.call(call.clone()))))
}

/// A tool that does nothing.
#[derive(Clone, Copy, Debug)]
struct NoWork;

impl Service<ToolCall> for NoWork {
    type Response = ToolResult;
    type Error = HookError;
    type Future = Ready<Result<ToolResult, HookError>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _call: ToolCall) -> Self::Future {
        ready(Ok(ToolResult::ok(Value::Null)))
    }
}
