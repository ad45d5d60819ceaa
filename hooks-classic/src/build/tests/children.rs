//! Answers of the budget of child agents to a session.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{SubagentStart, SubagentStop, TurnStart};
use hooks_core::state::Memory;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{Background, EventDecision, HookContext, HookFuture, Hooks, Judged};
use serde_json::{Value, json};

use crate::config::PolicyConfig;
use crate::{PolicyHooks, StrictPolicies};

/// Returns a budget in which every option has an effect.
pub(super) fn base() -> Value {
    json!({
        "concurrent": 4,
        "total": 24,
        "depth": 2,
        "rate": {"children": 8, "per": "1m"},
        "per_parent": {"concurrent": 3, "total": 20},
        "roles": [{"name": "r", "agents": ["rev*"], "task_types": ["sec*"], "concurrent": 1, "total": 2}],
        "agents": ["backend", "rev*"],
        "require": ["task"],
        "known_models": ["opus", "opus-2", "haiku"],
        "tiers": {"premium": ["opus"]},
        "models": [
            {
                "name": "m", "agents": ["rev*"], "task_types": ["sec*"], "allow": ["opus-2"], "tiers": ["premium"],
                "replace_by": "opus",
            },
            {"name": "n", "task_types": ["docs"], "allow": ["opus"]},
        ],
        "variants": [{"name": "t", "agents": ["backend"], "split": [
            {"name": "old", "share": 50},
            {"name": "new", "share": 50, "model": "haiku", "instructions": "be brief"},
        ]}],
        "lease": "10m",
        "waiting": "1m",
        "notices": true,
    })
}

/// Lists for each option its JSON pointer and another value.
pub(super) fn changes() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("spawn.concurrent", "/spawn/concurrent", json!(3)),
        ("spawn.total", "/spawn/total", json!(23)),
        ("spawn.depth", "/spawn/depth", json!(1)),
        ("spawn.rate.children", "/spawn/rate/children", json!(7)),
        ("spawn.rate.per", "/spawn/rate/per", json!("1h")),
        ("spawn.per_parent.concurrent", "/spawn/per_parent/concurrent", json!(2)),
        ("spawn.per_parent.total", "/spawn/per_parent/total", json!(19)),
        ("spawn.roles.name", "/spawn/roles/0/name", json!("q")),
        ("spawn.roles.agents", "/spawn/roles/0/agents", json!(["x"])),
        ("spawn.roles.task_types", "/spawn/roles/0/task_types", json!(["docs"])),
        ("spawn.roles.concurrent", "/spawn/roles/0/concurrent", json!(2)),
        ("spawn.roles.total", "/spawn/roles/0/total", json!(1)),
        ("spawn.agents", "/spawn/agents", json!(["rev*"])),
        ("spawn.require", "/spawn/require", json!(["task", "task_type"])),
        ("spawn.known_models", "/spawn/known_models", json!(["*"])),
        ("spawn.tiers", "/spawn/tiers", json!({"premium": ["opus", "haiku"]})),
        ("spawn.models.name", "/spawn/models/1/name", json!("o")),
        ("spawn.models.agents", "/spawn/models/0/agents", json!(["x"])),
        ("spawn.models.task_types", "/spawn/models/0/task_types", json!(["docs"])),
        ("spawn.models.allow", "/spawn/models/0/allow", json!(["haiku"])),
        ("spawn.models.tiers", "/spawn/models/0/tiers", json!([])),
        ("spawn.models.replace_by", "/spawn/models/0/replace_by", json!("opus-2")),
        ("spawn.variants.name", "/spawn/variants/0/name", json!("u")),
        ("spawn.variants.agents", "/spawn/variants/0/agents", json!(["x"])),
        ("spawn.variants.split.name", "/spawn/variants/0/split/1/name", json!("newer")),
        ("spawn.variants.split.share", "/spawn/variants/0/split/1/share", json!(49)),
        ("spawn.variants.split.model", "/spawn/variants/0/split/1/model", json!("opus")),
        ("spawn.variants.split.instructions", "/spawn/variants/0/split/1/instructions", json!("be long")),
        ("spawn.lease", "/spawn/lease", json!("20m")),
        ("spawn.waiting", "/spawn/waiting", json!("5m")),
        ("spawn.notices", "/spawn/notices", json!(false)),
    ]
}

/// Runs no background work: the store is in memory, so nothing waits.
struct Nothing;

impl Background for Nothing {
    fn run(&self, _work: HookFuture<'static, ()>) {}
}

/// Returns the answers of configured hooks to agents that start children.
pub(super) async fn answers(config: PolicyConfig) -> Vec<String> {
    let (mut environment, clock, _) = world(FakeFileSystem::default());
    environment.background = Some(Arc::new(Nothing));
    let store = Arc::new(Memory::new(clock.clone()));
    // The other sections have tests of their own.
    let config = PolicyConfig { spawn: config.spawn, ..PolicyConfig::default() };
    let hooks = Hooks::from_policy(StrictPolicies::new(config).with_store(store)).unwrap();
    let at = |session: &str| HookContext::new(session, "lead").with_environment(environment.clone());
    let begin =
        async |session: &str, agent: &str, id: &str, kind: Option<&str>, model: Option<&str>, task: &str| {
            let mut start = SubagentStart::new(agent, task);
            start.child_id = Some(id.to_owned());
            (start.task_type, start.model) = (kind.map(str::to_owned), model.map(str::to_owned));
            hooks.on(at(session)).subagent_start(start).await
        };
    let shown = |decision: &EventDecision<SubagentStart>| {
        format!(
            "{} {:?} {:?}",
            decision.outcome.strength(),
            decision.outcome.shown_reason(),
            decision.request.event()
        )
    };
    let end = async |session: &str, id: &str| {
        let mut stop = SubagentStop::default();
        stop.child_id = Some(id.to_owned());
        hooks.on(at(session)).subagent_stop(stop).await;
    };
    let known = async || match hooks.spawn_budget() {
        Some(budget) => format!("{:?}", budget.children().tree(&at("s")).await),
        None => "nobody counts".to_owned(),
    };
    let mut answers = Vec::new();

    // A tree with as many children as may live at the same time.
    for (session, id) in [("s", "a"), ("s", "b"), ("s", "c"), ("s", "d"), ("a", "e"), ("a", "f"), ("e", "g")]
    {
        let mut decision = begin(session, "backend", id, None, None, "do it").await;
        answers.push(shown(&decision));
        decision.outcome.take_holds().commit();
    }
    answers.push(known().await);
    let turn = hooks.on(at("s")).turn_start(TurnStart::new(1)).await;
    answers.push(format!("{turn:?}"));
    for (session, id) in [("s", "a"), ("s", "b"), ("s", "c"), ("a", "e")] {
        end(session, id).await;
    }
    // The rules for children.
    for (agent, id, kind, model, task) in [
        ("stranger", "h", None, None, "do it"),
        ("backend", "i", None, Some("gpt"), "do it"),
        ("backend", "j", None, None, " "),
        ("backend", "n", Some("docs"), Some("haiku"), "do it"),
        ("reviewer", "k", Some("security"), Some("haiku"), "do it"),
        ("reviewer", "l", Some("security"), Some("opus"), "do it"),
    ] {
        let mut decision = begin("s", agent, id, kind, model, task).await;
        answers.push(shown(&decision));
        decision.outcome.take_holds().commit();
    }
    // A child that is awaited, and one that is silent.
    let waited = begin("s", "backend", "m", None, None, "do it").await;
    clock.advance(Duration::from_secs(90));
    answers.push(known().await);
    drop(waited);
    clock.advance(Duration::from_secs(9 * 60));
    answers.push(known().await);
    for id in ["k", "l"] {
        end("s", id).await;
    }
    // As many children, and as fast, as the limits allow.
    for window in 0..3 {
        for number in 0..12 {
            let id = format!("{window}-{number}");
            let (agent, kind) = if number == 0 { ("reviewer", Some("security")) } else { ("backend", None) };
            // The first agent uses up its own limit before the limit of the tree is used up.
            let session = if window < 2 { "s" } else { "a" };
            let mut decision = begin(session, agent, &id, kind, Some("opus"), "do it").await;
            answers.push(shown(&decision));
            decision.outcome.take_holds().commit();
            end(session, &id).await;
        }
        clock.advance(Duration::from_secs(60));
    }
    answers
}
