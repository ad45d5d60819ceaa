//! `cargo xtask soak sessions`: one process serves sessions by the million through one set of hooks, a third of them
//! abandoned; fails where its memory still grows in the last tenth. What is bounded fills first, so that takes some hundred
//! thousand sessions: CI has no short form of it.
//!
//! The hooks are built from a file with the sections that keep something in memory. The clock is one that is set: a session
//! begins every nine seconds, so a million of them take a hundred days.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use hooks::config::Config;
use hooks::drivers::{
    ModelCall, ModelRequest, SpawnRequest, Spawned, ToolCall, ToolOutcome, ToolRequest, ToolResult,
};
use hooks::event::{
    ChildStatus, EndReason, Message, ModelReply, PromptKind, Role, SessionStart, SubagentStart, TurnEndReason,
};
use hooks::{BoxError, HookContext, HookError, Hooks, Live, Session};
use hooks_core::testing::{FakeClock, FakeFileSystem, world};
use serde_json::json;
use tower::{ServiceExt, service_fn};

use super::log::Usage;
use super::number;
use crate::error::{Error, Result};

/// How long after the last one a session begins.
const EVERY: Duration = Duration::from_millis(8_640);
/// How much more memory there may be at the end than before the last tenth, in parts of that and in MiB.
const MOST: (f64, f64) = (0.05, 4.0);

const FILE: &str = r#"
version: 1
write_guard: { allow: [src/**] }
command_guard: {}
redaction: {}
reviewer_lockout: {}
ask_user: { max_per_session: 2 }
rules: [{ name: generated, paths: ["src/**/*.gen.rs"] }]
limits:
  calls:
    - { tools: [web_search], most: 3, of: session, per: session }
    - { tools: [web_search], most: 50, of: agent, per: session }
  loops: { rounds: 3, longest: 4, action: deny }
  iterations: { most: 100, per: prompt, resumes: 2 }
spawn: { concurrent: 3, total: 5, depth: 2 }
budget:
  limits: [{ of: session, per: session, tokens: 100000 }]
  thresholds: { warn: 50 }
cache: { tools: [{ tool: web_search, depends: outside, for: 10m }] }
"#;

/// Serves `--sessions`, 1,000,000 unless told.
///
/// # Errors
/// Memory grows, or a session is not answered as its limits say.
pub(super) fn run(arguments: &[&str]) -> Result {
    let sessions = match arguments {
        [] => 1_000_000,
        ["--sessions", count] => number(count)?,
        _ => return Err(Error::new("`soak sessions` takes `--sessions N`; see `cargo xtask help`")),
    };
    soak(sessions)
}

fn soak(sessions: u64) -> Result {
    if Usage::now().is_none() {
        println!("SKIPPED: this system does not say what a process uses");
        return Ok(());
    }
    let hooks = Config::parse(FILE, "hooks.yaml").map_err(|errors| Error::new(errors.to_string()))?.hooks();
    let (environment, clock, _) = world(FakeFileSystem::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    println!("{:>10} {:>10}", "sessions", "MiB");
    let mut steps = Vec::new();
    for step in 1..=10 {
        for session in sessions * (step - 1) / 10..sessions * step / 10 {
            let context = HookContext::new(format!("session-{session}"), format!("agent-{}", session % 20));
            let context = Arc::new(context.in_dir("/repo").with_environment(environment.clone()));
            let served = runtime.block_on(serve(hooks.clone(), context, session, &clock));
            served.map_err(|error| Error::new(format!("session {session}: {error}")))?;
            clock.advance(EVERY);
        }
        let memory = Usage::read()?.memory;
        println!("{:>10} {memory:>10.1}", sessions * step / 10);
        steps.push(memory);
    }
    is_flat(&steps)
}

/// The last tenth may be no larger than the ones before it: what there is room for fills first.
fn is_flat(steps: &[f64]) -> Result {
    let [.., before, last] = steps else { return Ok(()) };
    let grown = last - before;
    println!("the last tenth: {grown:+.1} MiB");
    if grown > MOST.1.max(before * MOST.0) {
        return Err(Error::new("memory grows with sessions"));
    }
    Ok(())
}

/// One session: a prompt, model calls, tools that are allowed, denied and asked about, and a child.
async fn serve(
    hooks: Hooks,
    context: Arc<HookContext>,
    number: u64,
    clock: &FakeClock,
) -> std::result::Result<(), BoxError> {
    let (session, _) = Session::start(Live::new(hooks), Arc::clone(&context), SessionStart::default()).await;
    drop(session.prompt("Where do the orders live?", PromptKind::Initial).await);
    let (turn, _) = session.turn().await;
    let answer = |_: ModelRequest| {
        let response = Message::text(Role::Assistant, "In Postgres.");
        ready(Ok::<_, HookError>(ModelReply { response, usage: hooks::event::Usage::default(), cost: None }))
    };
    let model = session.model(service_fn(answer));
    let request = ModelRequest { model: "opus".to_owned(), iteration: 1, messages: Vec::new() };
    drop(model.oneshot(ModelCall { context: Arc::clone(&context), request }).await?);
    let tools = session.tools(service_fn(|_: ToolCall| ready(Ok::<_, HookError>(ToolResult::ok("done")))));
    let call = |tool: &str, args| {
        let call = ToolRequest { context: Arc::clone(&context), call: ToolCall::new(tool, args) };
        tools.clone().oneshot(call)
    };
    for (tool, args, is_allowed) in [
        ("edit", json!({"path": "src/a.rs"}), true),
        ("edit", json!({"path": "src/a.gen.rs"}), false),
        ("edit", json!({"path": "other/a.rs"}), false),
        ("web_search", json!({"query": number.to_string()}), true),
        ("ask_user", json!({"question": "a"}), true),
        ("ask_user", json!({"question": "b"}), true),
        ("ask_user", json!({"question": "c"}), false),
    ] {
        let done = call(tool, args.clone()).await?;
        if matches!(done.outcome, ToolOutcome::Ran(..)) != is_allowed {
            return Err(format!("`{tool}` {args} ended in {done:?}").into());
        }
    }
    let spawner = session.spawner(service_fn(|_: SubagentStart| ready(Ok::<_, HookError>(1))));
    let start = SubagentStart::new("child", "search");
    let child = spawner.oneshot(SpawnRequest { context: Arc::clone(&context), start }).await?;
    clock.advance(Duration::from_millis(1));
    // A third is abandoned: nobody tells an end of the session, its turn or its child.
    if number.is_multiple_of(3) {
        drop((session, turn, child));
        return Ok(());
    }
    if let Spawned::Running(child, _) = child {
        drop(child.end(ChildStatus::Completed, None).await);
    }
    turn.end(TurnEndReason::Normal).await;
    session.end(EndReason::Complete, None).await;
    Ok(())
}
