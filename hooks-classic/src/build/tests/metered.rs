//! Answers of the limits and the spending budget to a session.

use std::sync::Arc;
use std::time::Duration;

use hooks_budgets::spend::{CallSize, ReplyBound};
use hooks_core::event::{
    AfterModelCall, BeforeModelCall, ErrorOccurred, ErrorType, MaxIterations, Message, ModelReply,
    PostToolUse, PreToolUse, Role, SubagentStart, Usage,
};
use hooks_core::state::Memory;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, Hooks, Judged};
use serde_json::{Value, json};

use crate::config::PolicyConfig;
use crate::{PolicyHooks, StrictPolicies};

/// Returns limits and a budget in which every option has an effect.
pub(super) fn base() -> [(&'static str, Value); 2] {
    let limits = json!({
        "calls": [{"tools": ["lint"], "agents": ["Ash"], "most": 1, "of": "agent", "per": "session"}],
        "loops": {"rounds": 2, "longest": 2, "action": "deny"},
        "iterations": {"most": 12, "per": "session", "resumes": 0},
    });
    let budget = json!({
        "limits": [
            {"of": "agent", "named": ["ash"], "per": "day", "usd": 0.1, "tokens": 90_000},
            {"of": "role", "named": ["crew"], "per": "day", "tokens": 1_000_000},
        ],
        "roles": {"crew": ["Ash"]},
        "prices": [
            {"model": "m", "from": "1970-01-01", "input": 1, "output": 2, "cached": 0.5, "reasoning": 3, "most_output_tokens": 100},
        ],
        "price_ceiling": {"input": 5, "output": 6},
        "cheaper": {"z": "m"},
        "thresholds": {"warn": 60, "cheaper": 5, "ask": 100, "pause_spawns": 100},
        "hold": {"output_tokens": 500, "most_output_tokens": 1_000, "worst_case": false, "expires_seconds": 600, "unanswered": "nothing"},
        "enforce": "events",
    });
    [("limits", limits), ("budget", budget)]
}

/// Lists for each option its JSON pointer and another value.
pub(super) fn changes() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("limits.calls.tools", "/limits/calls/0/tools", json!(["other"])),
        ("limits.calls.agents", "/limits/calls/0/agents", json!(["Lead"])),
        ("limits.calls.most", "/limits/calls/0/most", json!(2)),
        ("limits.calls.of", "/limits/calls/0/of", json!("team")),
        ("limits.calls.per", "/limits/calls/0/per", json!("hour")),
        ("limits.loops.rounds", "/limits/loops/rounds", json!(3)),
        ("limits.loops.longest", "/limits/loops/longest", json!(1)),
        ("limits.loops.action", "/limits/loops/action", json!("ask")),
        ("limits.iterations.most", "/limits/iterations/most", json!(11)),
        ("limits.iterations.per", "/limits/iterations/per", json!("prompt")),
        ("limits.iterations.resumes", "/limits/iterations/resumes", json!(1)),
        ("budget.limits.of", "/budget/limits/0/of", json!("session")),
        ("budget.limits.named", "/budget/limits/0/named", json!(["x"])),
        ("budget.limits.per", "/budget/limits/0/per", json!("hour")),
        ("budget.limits.usd", "/budget/limits/0/usd", json!(0)),
        ("budget.limits.tokens", "/budget/limits/0/tokens", json!(0)),
        ("budget.roles", "/budget/roles", json!({"crew": []})),
        ("budget.prices.model", "/budget/prices/0/model", json!("x")),
        ("budget.prices.from", "/budget/prices/0/from", json!("1971-01-01")),
        ("budget.prices.input", "/budget/prices/0/input", json!(1.5)),
        ("budget.prices.output", "/budget/prices/0/output", json!(2.5)),
        ("budget.prices.cached", "/budget/prices/0/cached", json!(0)),
        ("budget.prices.reasoning", "/budget/prices/0/reasoning", json!(4)),
        ("budget.prices.most_output_tokens", "/budget/prices/0/most_output_tokens", json!(200)),
        ("budget.price_ceiling.input", "/budget/price_ceiling/input", json!(7)),
        ("budget.price_ceiling.output", "/budget/price_ceiling/output", json!(7)),
        ("budget.cheaper", "/budget/cheaper", json!({"y": "m"})),
        ("budget.thresholds.warn", "/budget/thresholds/warn", json!(1)),
        ("budget.thresholds.cheaper", "/budget/thresholds/cheaper", json!(100)),
        ("budget.thresholds.ask", "/budget/thresholds/ask", json!(0)),
        ("budget.thresholds.pause_spawns", "/budget/thresholds/pause_spawns", json!(0)),
        ("budget.hold.output_tokens", "/budget/hold/output_tokens", json!(2_000)),
        ("budget.hold.most_output_tokens", "/budget/hold/most_output_tokens", json!(900)),
        ("budget.hold.worst_case", "/budget/hold/worst_case", json!(true)),
        ("budget.hold.expires_seconds", "/budget/hold/expires_seconds", json!(5)),
        ("budget.hold.unanswered", "/budget/hold/unanswered", json!("held")),
        ("budget.enforce", "/budget/enforce", json!("layer")),
    ]
}

/// Returns the answers of hooks to tool calls, model calls, child agents and errors.
pub(super) async fn answers(config: PolicyConfig) -> Vec<String> {
    let mut answers = Vec::new();
    let (environment, clock, _) = world(FakeFileSystem::default());
    let store = Arc::new(Memory::new(clock.clone()));
    let hooks = Hooks::from_policy(StrictPolicies::new(config).with_store(store)).unwrap();
    let at = |agent: &str, call: &str| {
        let mut context = HookContext::new("metered", agent).with_environment(environment.clone());
        context.call_id = (!call.is_empty()).then(|| call.to_owned());
        context
    };

    for tool in ["lint", "lint", "poll", "poll", "poll", "x", "y", "x", "y", "x"] {
        let event = PreToolUse::new(tool, json!({}));
        let mut decision = hooks.on(at("Ash", "")).pre_tool_use(event.clone()).await;
        decision.outcome.take_holds().commit();
        answers.push(format!("{tool} {} {:?}", decision.outcome.strength(), decision.outcome.reasons()));
        let after = PostToolUse::after(&event, json!("the same"), None, 1);
        let _kept = hooks.on(at("Ash", "")).post_tool_use(after).await;
    }

    let usage = Usage { input_tokens: 1_000, output_tokens: 90, cached_tokens: 200, reasoning_tokens: 30 };
    let reply = ModelReply { response: Message::text(Role::Assistant, "x"), usage, cost: None };
    for (call, model) in [("1", "m"), ("2", "other"), ("3", "m"), ("4", "m"), ("5", "other"), ("6", "z")] {
        let decision =
            hooks.on(at("Ash", call)).before_model_call(BeforeModelCall::new(model, 1, Vec::new())).await;
        let mut outcome = decision.outcome;
        outcome.take_holds().commit();
        answers.push(format!(
            "{} {} {:?}",
            decision.request.event().model,
            outcome.strength(),
            outcome.reasons()
        ));
        match call {
            // The third call stays open, the fourth fails.
            "3" | "5" | "6" => clock.advance(Duration::from_secs(6)),
            "4" => {
                let mut failed = ErrorOccurred::new("busy", ErrorType::Model);
                failed.current_model = Some(model.to_owned());
                hooks.on(at("Ash", call)).error_occurred(failed).await;
            }
            _ => {
                let after = AfterModelCall::new(model, 1, &reply);
                let _gate = hooks.on(at("Ash", call)).after_model_call(after).await;
            }
        }
        let child = hooks.on(at("Ash", "")).subagent_start(SubagentStart::new("Bishop", "x")).await;
        answers.push(format!("{:?}", child.outcome.reasons()));
        if let Some(budget) = hooks.spend_budget() {
            answers.push(budget.report(&at("Ash", "")).await.unwrap().to_string());
            // The size of a stream that is never sent.
            let size = CallSize::new(Arc::new(at("Ash", "")), "other", 10);
            let held = budget.hold(&size, ReplyBound::Cut).await;
            answers.push(
                held.map_or_else(|refusal| refusal.to_string(), |held| held.output_tokens().to_string()),
            );
        }
    }

    for call in 0..13 {
        let event = BeforeModelCall::new("m", 1, Vec::new());
        let mut decision = hooks.on(at("Loop", &format!("loop-{call}"))).before_model_call(event).await;
        decision.outcome.take_holds().commit();
        answers.push(format!("{:?}", decision.outcome.reasons()));
    }
    let gate = hooks.on(at("Loop", "")).max_iterations(MaxIterations::resumed(12)).await;
    answers.push(format!("{:?}", gate.outcome.reasons()));
    answers
}
