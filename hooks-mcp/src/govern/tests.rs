use std::sync::Mutex;

use hooks_core::event::{PostToolUse, ResultRewrite};
use hooks_core::testing::{Recorder, ScriptedApprover};
use hooks_core::{
    Approval, BoxError, EventKind, HookContext, HookError, Hooks, HooksBuilder, Policy, Transform, Verdict,
    policy_fn,
};
use serde_json::json;
use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::message::{DENIED, McpReply, McpRequest};

/// Denies by the last part of the name.
fn guard() -> impl Policy<PreToolUse> {
    policy_fn("guard", |request: &HookRequest<PreToolUse>| {
        let event = request.event();
        let reason = |text: &str| Reason::new("guard", "rule", text);
        match event.tool_name.as_str() {
            "mcp__s__shut" => Verdict::deny(reason("it is shut")),
            "mcp__s__needs_path" if event.tool_args.get("path").is_none() => {
                Verdict::deny(reason("no path").instead("name a `path`"))
            }
            "mcp__s__write" if event.tool_args["path"] != "ok" => {
                Verdict::deny(reason("not there").on("/path"))
            }
            "mcp__s__unclear" => Verdict::deny(reason("it may be shut").uncertain()),
            // A text of a rule's author counts as any other.
            "mcp__s__told" => Verdict::deny(reason("no rule may apply: it is shut")),
            "mcp__s__ask" => Verdict::ask(reason("sure?")),
            "mcp__s__resources/read" if event.tool_args["path"] == "/etc/shadow" => {
                Verdict::deny(reason("no"))
            }
            _ => Verdict::NO_OPINION,
        }
    })
}

/// Replaces `secret` in results.
struct Redact;

impl Transform<PostToolUse> for Redact {
    fn name(&self) -> &'static str {
        "redact"
    }

    fn transform(&self, request: &HookRequest<PostToolUse>) -> Result<Option<ResultRewrite>, HookError> {
        let clean = |text: &str| text.replace("secret", "[X]");
        let event = request.event();
        let result = serde_json::from_str(&clean(&event.tool_result.to_string())).ok();
        Ok(Some(ResultRewrite {
            result,
            error: event.error.as_deref().map(clean),
            ..ResultRewrite::default()
        }))
    }
}

/// A governed server that answers with `reply`, and the requests that it received.
struct World {
    hooks: Hooks,
    settings: McpSettings,
    received: Arc<Mutex<Vec<(String, Value)>>>,
}

impl World {
    fn new() -> Self {
        Self::with(Hooks::builder().policy(guard()).transform(Redact))
    }

    fn with(hooks: HooksBuilder) -> Self {
        Self { hooks: hooks.build(), settings: McpSettings::new("s"), received: Arc::default() }
    }

    async fn ask(&self, method: &str, params: Value, reply: McpReply) -> McpReply {
        let received = Arc::clone(&self.received);
        let server = service_fn(move |request: McpRequest| {
            received.lock().unwrap().push((request.method().to_owned(), request.params().clone()));
            std::future::ready(Ok::<_, BoxError>(reply.clone()))
        });
        let context = HookContext::new("session", "agent");
        let layer = GovernMcpLayer::new(self.hooks.clone(), context, self.settings.clone());
        let layer = layer.with_approver(ScriptedApprover::new([Approval::Approved]));
        layer.layer(server).oneshot(McpRequest::new(method, params)).await.unwrap()
    }

    async fn call(&self, name: &str, arguments: Value, result: Value) -> McpReply {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}), McpReply::result(result)).await
    }

    fn received(&self) -> usize {
        self.received.lock().unwrap().len()
    }
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

#[tokio::test]
async fn a_denied_call_is_an_error_of_the_tool_and_is_not_sent() {
    let world = World::new();
    let denied = world.call("shut", json!({}), text("ran")).await;
    assert_eq!(
        denied.body(),
        Ok(&json!({"content": [{"type": "text", "text": "it is shut"}], "isError": true}))
    );
    let params = json!({"name": "shut", "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    let stateless = world.ask("tools/call", params, McpReply::result(text("ran"))).await;
    assert_eq!(stateless.body().unwrap()["resultType"], "complete");
    assert_eq!(world.received(), 0);
    assert_eq!(world.call("write", json!({"path": "ok"}), text("ran")).await.body(), Ok(&text("ran")));
    assert_eq!(world.call("ask", json!({}), text("ran")).await.body(), Ok(&text("ran")));
    assert_eq!(world.received(), 2);
}

#[tokio::test]
async fn parameters_that_programs_read_differently_are_refused() {
    let world = World::new();
    for params in [
        json!({"name": "write", "Name": "shut"}),
        json!({"name": "write", "Arguments": {}}),
        json!({"name": "write\u{200b}"}),
        json!({"name": "wr\u{456}te"}),
        json!({"name": ["write"]}),
        json!({"name": "write", "arguments": [1]}),
        json!({"name": "write", "arguments": "{}"}),
        json!({}),
        Value::Null,
    ] {
        let refused = world.ask("tools/call", params.clone(), McpReply::result(text("ran"))).await;
        assert_eq!(refused.body().unwrap_err()["code"], -32602, "{params}");
    }
    for (method, params) in
        [("resources/read", json!({"Uri": "a", "uri": "b"})), ("prompts/get", json!({"name": 1}))]
    {
        assert!(world.ask(method, params, McpReply::result(json!({}))).await.body().is_err());
    }
    assert_eq!(world.received(), 0);
}

#[tokio::test]
async fn results_are_rewritten_wherever_the_text_is() {
    let world = World::new();
    let result = |word: &str| {
        json!({
            "content": [
                {"type": "text", "text": word},
                {"type": "image", "data": "aGk=", "mimeType": "image/png"},
                {"type": "resource", "resource": {"uri": "file:///a", "text": word}},
                {"type": "resource_link", "uri": "file:///a", "name": "a", "description": word},
            ],
            "structuredContent": {"a": [word]},
            "isError": true,
        })
    };
    assert_eq!(world.call("x", json!({}), result("a secret")).await.body(), Ok(&result("a [X]")));
    let failed = McpReply::error_object(json!({"code": -5, "message": "secret", "data": {"a": "secret"}}));
    let failed = world.ask("tools/call", json!({"name": "x"}), failed).await;
    assert_eq!(failed.body(), Err(&json!({"code": -5, "message": "[X]", "data": {"a": "[X]"}})));
    let prompt = world
        .ask("prompts/get", json!({"name": "x"}), McpReply::result(json!({"messages": ["secret"]})))
        .await;
    assert_eq!(prompt.body(), Ok(&json!({"messages": ["[X]"]})));
    let read = world.ask(
        "resources/read",
        json!({"uri": "file:///a"}),
        McpReply::result(json!({"contents": ["secret"]})),
    );
    assert_eq!(read.await.body(), Ok(&json!({"contents": ["[X]"]})));
}

#[tokio::test]
async fn the_state_of_a_call_that_needs_input_comes_back_as_it_was() {
    let result = |word: &str| json!({"resultType": "input_required", "inputRequests": {"a": word}, "requestState": "secret"});
    let asked = World::new().call("x", json!({}), result("secret")).await;
    assert_eq!(asked.body(), Ok(&result("[X]")));
}

#[tokio::test]
async fn a_denied_resource_is_an_error_of_the_protocol() {
    let world = World::new();
    for uri in ["file:///etc/shadow", "FILE:///etc/shadow", "file://localhost/etc/shadow"] {
        let denied = world.ask("resources/read", json!({"uri": uri}), McpReply::result(json!({}))).await;
        assert_eq!(denied.body().unwrap_err()["code"], DENIED, "{uri}");
    }
    assert_eq!(world.received(), 0);
}

#[tokio::test]
async fn tools_that_may_not_be_used_are_not_listed() {
    let tools = |names: &[&str]| json!({"tools": names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>(), "nextCursor": "c"});
    let all = tools(&["shut", "told", "needs_path", "write", "unclear", "ask", "wr\u{456}te", "other"]);
    // Whatever another policy misses in a call without arguments.
    let advises = policy_fn("advises", |_: &HookRequest<PreToolUse>| {
        Verdict::deny(Reason::new("advises", "missing", "no file is named").instead("name a file"))
    });
    let world = World::with(Hooks::builder().policy(advises).policy(guard()));
    let listed = world.ask("tools/list", json!({}), McpReply::result(all)).await;
    assert_eq!(listed.body(), Ok(&tools(&["needs_path", "write", "unclear", "ask", "other"])));
}

#[tokio::test]
async fn a_changed_description_closes_a_tool_or_is_reported() {
    let list = |text: &str| McpReply::result(json!({"tools": [{"name": "x", "description": text}]}));
    let mut world = World::new();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let (said, kept) = (Arc::clone(&reports), Arc::new(Mutex::new(0)));
    world.settings.report = Some(Arc::new(move |text: &str| said.lock().unwrap().push(text.to_owned())));
    let keeps = Arc::clone(&kept);
    world.settings.keep_pins = Some(Arc::new(move |pins| {
        assert_eq!(pins.digests().len(), 1);
        *keeps.lock().unwrap() += 1;
    }));
    assert_eq!(world.ask("tools/list", json!({}), list("a")).await, list("a"));
    assert_eq!(world.ask("tools/list", json!({}), list("b")).await.body(), Ok(&json!({"tools": []})));
    let denied = world.call("x", json!({}), text("ran")).await;
    assert_eq!(denied.body().unwrap()["isError"], true);
    assert_eq!(world.received(), 2, "the call is not sent");
    assert_eq!((reports.lock().unwrap().len(), *kept.lock().unwrap()), (1, 1));

    world.settings.on_change = OnChange::Report;
    assert_eq!(world.ask("tools/list", json!({}), list("b")).await, list("b"));
    assert_eq!(world.call("x", json!({}), text("ran")).await.body(), Ok(&text("ran")));
}

/// Limits commands.
struct Limited;

impl Transform<PreToolUse> for Limited {
    fn name(&self) -> &'static str {
        "limited"
    }

    fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
        let mut args = request.event().tool_args.clone();
        args["limit"] = 3.into();
        Ok(Some(args))
    }
}

#[tokio::test]
async fn the_server_gets_the_arguments_that_were_judged() {
    let world = World::with(Hooks::builder().transform(Limited));
    let params = json!({"name": "x", "arguments": {"a": 1}, "_meta": {"progressToken": 7}});
    world.ask("tools/call", params, McpReply::result(text("ran"))).await;
    let sent = json!({"name": "x", "arguments": {"a": 1, "limit": 3}, "_meta": {"progressToken": 7}});
    assert_eq!(*world.received.lock().unwrap(), [("tools/call".to_owned(), sent)]);
    let read = world.ask("resources/read", json!({"uri": "a"}), McpReply::result(json!({}))).await;
    assert_eq!(read.body().unwrap_err()["code"], DENIED);
}

#[tokio::test]
async fn guards_judge_what_the_host_knows_and_the_server_does_not_get_it() {
    let file = |path: &'static str| -> Option<Arc<KnownArguments>> {
        Some(Arc::new(move |tool, _| match tool {
            "write" => Map::from_iter([("path".to_owned(), path.into())]),
            _ => Map::new(),
        }))
    };
    let mut world = World::with(Hooks::builder().policy(guard()).transform(Limited));
    world.settings.known_arguments = file("ok");
    // The path of the host counts, and not that of the model.
    let written = world.call("write", json!({"text": "a", "path": "no"}), text("ran")).await;
    assert_eq!(written.body(), Ok(&text("ran")));
    let sent = json!({"name": "write", "arguments": {"text": "a", "limit": 3}});
    assert_eq!(*world.received.lock().unwrap(), [("tools/call".to_owned(), sent)]);
    world.settings.known_arguments = file("elsewhere");
    let denied = world.call("write", json!({"text": "a", "path": "ok"}), text("ran")).await;
    assert_eq!(denied.body().unwrap()["content"][0]["text"], "not there");
    assert_eq!(world.received(), 1);
}

#[tokio::test]
async fn a_tool_that_is_judged_by_name_fires_no_event() {
    let recorder = Recorder::default();
    let server = service_fn(async |_: McpRequest| Ok::<_, BoxError>(McpReply::result(text("a secret"))));
    let mut settings = McpSettings::new("s");
    settings.judged_by_name = vec!["explain".to_owned()];
    settings.scrub = Some(Arc::new(|value| {
        *value = text("scrubbed");
        true
    }));
    let layer = GovernMcpLayer::new(recorder.clone(), HookContext::new("session", "agent"), settings.clone());
    let call = |name: &str| McpRequest::new("tools/call", json!({"name": name, "arguments": {"path": "x"}}));
    let answer = layer.layer(server).oneshot(call("explain")).await.unwrap();
    assert_eq!(answer.body(), Ok(&text("scrubbed")));
    assert!(!recorder.kinds().contains(&EventKind::ToolDecided), "{:?}", recorder.kinds());
    assert!(!recorder.kinds().contains(&EventKind::PostToolUse), "{:?}", recorder.kinds());

    settings.judged_by_name = vec!["shut".to_owned(), "ask".to_owned(), "write".to_owned()];
    let mut world = World::new();
    world.settings = settings;
    for (name, reason) in [("shut", "it is shut"), ("ask", "sure?"), ("write", "not there")] {
        let denied = world.call(name, json!({"path": "ok"}), text("ran")).await;
        assert_eq!(denied.body().unwrap()["content"][0]["text"], reason, "{name}");
    }
    assert_eq!(world.received(), 0);
}

#[tokio::test]
async fn a_call_that_may_not_be_sent_yet_is_denied() {
    let mut world = World::new();
    world.settings.before_call =
        Some(Arc::new(|_| HookFuture::now(Some(Reason::new("log", "full", "the log is full")))));
    let denied = world.call("x", json!({}), text("ran")).await;
    assert_eq!(denied.body().unwrap()["content"][0]["text"], "the log is full");
    assert_eq!(world.received(), 0);
}

#[tokio::test]
async fn each_call_fires_its_events() {
    let recorder = Recorder::default();
    let server = service_fn(async |_: McpRequest| Ok::<_, BoxError>(McpReply::result(text("ran"))));
    let layer =
        GovernMcpLayer::new(recorder.clone(), HookContext::new("session", "agent"), McpSettings::new("s"));
    layer.layer(server).oneshot(McpRequest::new("tools/call", json!({"name": "x"}))).await.unwrap();
    assert_eq!(recorder.kinds(), [EventKind::PreToolUse, EventKind::ToolDecided, EventKind::PostToolUse]);
}

#[tokio::test]
async fn only_the_lists_of_the_specification_are_not_scrubbed() {
    let mut world = World::new();
    world.settings.scrub = Some(Arc::new(|value| {
        *value = json!({});
        true
    }));
    let reply = || McpReply::result(json!({"a": "secret"}));
    for (method, is_scrubbed) in [
        ("initialize", false),
        ("prompts/list", false),
        ("resources/templates/list", false),
        ("ping", true),
        ("tasks/list", true),
        ("own/list", true),
    ] {
        let answer = world.ask(method, json!({}), reply()).await;
        assert_eq!(answer != reply(), is_scrubbed, "{method}");
    }
}
