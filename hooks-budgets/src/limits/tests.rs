//! The limits as hooks: across processes, agents and time windows.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{
    BeforeModelCall, MaxIterations, PostToolUse, PreToolUse, PromptKind, SubagentSpawned, SubagentStart,
    UserPromptSubmitted,
};
use hooks_core::state::{Memory, Op, StateStore, StepResult, StoreError};
use hooks_core::testing::FakeClock;
use hooks_core::{HookContext, HookFuture, Hooks, Judged, ReasonKind, Strength};
use serde_json::{Value, json};

use super::*;
use crate::{Budgets, BudgetsSettings};

fn hooks_of(limits: Value, store: Arc<dyn StateStore>) -> Hooks {
    let limits = Some(serde_json::from_value(limits).unwrap());
    let config = BudgetsSettings { limits, ..BudgetsSettings::default() };
    Hooks::from_policy(Budgets::new(config).with_store(store)).unwrap()
}

fn memory() -> (Arc<Memory>, Arc<FakeClock>) {
    let clock = Arc::new(FakeClock::default());
    (Arc::new(Memory::new(clock.clone())), clock)
}

/// Calls a tool and, if the call goes ahead, reports its result.
async fn call(hooks: &Hooks, session: &str, agent: &str, tool: &str, result: &str) -> bool {
    let event = PreToolUse::new(tool, json!({}));
    let at = hooks.on(HookContext::new(session, agent));
    let mut decision = at.pre_tool_use(event.clone()).await;
    decision.outcome.take_holds().commit();
    if decision.outcome.goes_ahead() {
        let after = PostToolUse::after(&event, json!(result), None, 1);
        assert!(at.post_tool_use(after).await.outcome.goes_ahead());
    }
    decision.outcome.goes_ahead()
}

async fn iterates(hooks: &Hooks, agent: &str) -> bool {
    let event = BeforeModelCall::new("m", 1, Vec::new());
    let mut decision = hooks.on(HookContext::new("s", agent)).before_model_call(event).await;
    decision.outcome.take_holds().commit();
    decision.outcome.goes_ahead()
}

#[tokio::test]
async fn calls_are_counted_by_tool_agent_and_window_over_processes() {
    let (store, clock) = memory();
    let limits = json!({ "calls": [
        { "tools": ["Deploy", "mcp__prod*"], "most": 2, "of": "team", "per": "day" },
        { "agents": ["intern"], "most": 1, "of": "agent", "per": "hour" },
    ] });
    // Each call in a process of its own.
    let calls = async |session, agent, tool| {
        call(&hooks_of(limits.clone(), store.clone()), session, agent, tool, "").await
    };
    assert!(calls("s", "lead", "deploy").await);
    assert!(calls("t", "Ash", "MCP__prod_push").await);
    assert!(!calls("s", "lead", "deploy").await);
    assert!(calls("s", "lead", "mcp__test").await);
    assert!(calls("s", "Intern", "view").await);
    assert!(!calls("t", "INTERN", "ls").await);
    clock.advance(Duration::from_secs(3_600));
    assert!(calls("s", "intern", "view").await);
    assert!(!calls("s", "lead", "deploy").await);
    clock.advance(Duration::from_secs(24 * 3_600));
    assert!(calls("s", "lead", "deploy").await);
}

#[tokio::test]
async fn a_call_that_is_refused_takes_no_place_anywhere() {
    let (store, _) = memory();
    let limits = json!({ "calls": [
        { "tools": ["a", "b"], "most": 2, "of": "session", "per": "session" },
        { "tools": ["a"], "most": 1, "of": "session", "per": "session" },
    ] });
    let hooks = hooks_of(limits, store);
    assert!(call(&hooks, "s", "x", "a", "").await);
    assert!(!call(&hooks, "s", "x", "a", "").await);
    assert!(call(&hooks, "s", "x", "b", "").await, "the refused call took no place of both");
    assert!(!call(&hooks, "s", "x", "b", "").await);
    // A call that is judged but not made takes no place either.
    let event = PreToolUse::new("a", json!({}));
    drop(hooks.on(HookContext::new("t", "x")).pre_tool_use(event).await);
    assert!(call(&hooks, "t", "x", "a", "").await);
    let none = json!({ "calls": [{ "most": 0, "of": "team", "per": "always" }] });
    assert!(!call(&hooks_of(none, memory().0), "s", "x", "a", "").await);
}

/// Reports a call of `deploy` as its client does; returns whether it is allowed, and its reservations.
async fn told(hooks: &Hooks, id: &str) -> (bool, hooks_core::Holds) {
    let mut event = PreToolUse::new("deploy", json!({}));
    event.tool_use_id = Some(id.to_owned());
    let mut outcome = hooks.on(HookContext::new("s", "a")).pre_tool_use(event).await.outcome;
    (outcome.goes_ahead(), outcome.take_holds())
}

#[tokio::test]
async fn a_call_that_is_told_twice_is_the_first_ones_to_give_back() {
    let limits = json!({ "calls": [{ "most": 1, "of": "team", "per": "always" }] });
    // Each report in a process of its own.
    let (store, _) = memory();
    let tell = async |id| told(&hooks_of(limits.clone(), store.clone()), id).await;
    let (first, second) = (tell("1").await, tell("1").await);
    assert!(first.0 && second.0);
    drop(second);
    assert!(!tell("2").await.0, "the place is still the first one's");
    drop(first);
    let (goes_ahead, hold) = tell("2").await;
    assert!(goes_ahead, "it was given back");
    hold.commit();
    assert!(!tell("3").await.0);
    assert!(tell("2").await.0, "it went ahead before");
    assert!(!tell("3").await.0, "and counts once");
    let set = hooks_core::state::Key::new(None, &["places", "s"]);
    let StepResult::Members { members, .. } = store.apply(Op::Members { set }).await.unwrap() else {
        panic!()
    };
    assert!(members.is_empty(), "nothing is left of what is over");
}

#[tokio::test]
async fn a_call_that_goes_ahead_counts_also_where_its_place_was_given_back() {
    let limits = json!({ "calls": [{ "most": 1, "of": "team", "per": "always" }] });
    for first_goes_ahead in [false, true] {
        let (store, _) = memory();
        let tell = async |id| told(&hooks_of(limits.clone(), store.clone()), id).await;
        let (first, second) = (tell("1").await.1, tell("1").await.1);
        if first_goes_ahead {
            first.commit();
            drop(second);
        } else {
            drop(first);
            second.commit();
        }
        assert!(!tell("2").await.0, "{first_goes_ahead}");
    }
}

#[tokio::test]
async fn circles_are_stopped_over_processes_and_other_agents_are_none_of_it() {
    let (store, _) = memory();
    let calls = async |agent, tool, result| {
        call(&hooks_of(json!({ "loops": {} }), store.clone()), "s", agent, tool, result).await
    };
    for _ in 0..3 {
        assert!(calls("a", "poll", "pending").await);
        assert!(calls("b", "poll", "pending").await);
    }
    assert!(!calls("a", "poll", "pending").await);
    assert!(!calls("a", "poll", "pending").await, "a call that was refused is none");
    assert!(calls("a", "view", "x").await);
    assert!(calls("a", "poll", "done").await);
    for _ in 0..3 {
        assert!(calls("c", "edit", "ok").await);
        assert!(calls("c", "test", "failed").await);
    }
    assert!(!calls("c", "edit", "ok").await);
    // A result that differs is progress.
    for result in ["0 %", "10 %", "20 %", "30 %", "40 %", "50 %"] {
        assert!(calls("d", "poll", result).await);
    }
}

#[tokio::test]
async fn a_person_can_be_asked_about_a_circle() {
    let (store, _) = memory();
    let hooks = hooks_of(json!({ "loops": { "rounds": 1, "action": "ask" } }), store);
    assert!(call(&hooks, "s", "a", "poll", "").await);
    let event = PreToolUse::new("poll", json!({}));
    let outcome = hooks.on(HookContext::new("s", "a")).pre_tool_use(event).await.outcome;
    assert_eq!(outcome.strength(), Strength::Ask);
}

#[tokio::test]
async fn iterations_begin_anew_with_the_user_and_go_on_with_a_person() {
    let (store, _) = memory();
    let hooks = hooks_of(json!({ "iterations": { "most": 2, "resumes": 1 } }), store);
    let at = hooks.on(HookContext::new("s", "a"));
    let twice =
        async || (iterates(&hooks, "a").await, iterates(&hooks, "a").await, iterates(&hooks, "a").await);
    assert_eq!(twice().await, (true, true, false));
    assert!(iterates(&hooks, "b").await, "another agent has its own");
    assert!(
        at.user_prompt_submitted(UserPromptSubmitted::new("go on", PromptKind::FollowUp))
            .await
            .outcome
            .goes_ahead()
    );
    assert_eq!(twice().await, (true, true, false));
    assert!(at.max_iterations(MaxIterations::new(2)).await.outcome.goes_ahead());
    assert_eq!(twice().await, (false, false, false), "that the cap is reached lets nobody go on");
    assert!(at.max_iterations(MaxIterations::resumed(2)).await.outcome.goes_ahead());
    assert_eq!(twice().await, (true, true, false));
    let refused = at.max_iterations(MaxIterations::resumed(2)).await.outcome;
    assert_eq!(refused.shown_reason().unwrap().rule, "resumes");
    assert_eq!(twice().await, (false, false, false));
    at.subagent_spawned(SubagentSpawned::from_start(&SubagentStart::new("A", "x"))).await;
    assert_eq!(twice().await, (true, true, false), "a child of that name begins");
}

#[tokio::test]
async fn subagents_with_ids_have_their_own_iterations() {
    let (store, _) = memory();
    let hooks = hooks_of(json!({ "iterations": { "most": 1 } }), store);
    let of = |id: Option<&str>| {
        let mut context = HookContext::new("s", "worker");
        context.agent_id = id.map(str::to_owned);
        context
    };
    let iterates = async |id: Option<&str>| {
        let mut decision = hooks.on(of(id)).before_model_call(BeforeModelCall::new("m", 1, Vec::new())).await;
        decision.outcome.take_holds().commit();
        decision.outcome.goes_ahead()
    };
    // The agent of the session can have the name of its subagents.
    for id in [Some("a-1"), Some("a-2"), None] {
        assert!(iterates(id).await, "{id:?}");
        assert!(!iterates(id).await, "{id:?}");
    }
    // The start of a further one is nothing to the others.
    let mut start = SubagentStart::new("worker", "x");
    start.child_id = Some("a-3".to_owned());
    hooks.on(of(Some("a-3"))).subagent_spawned(SubagentSpawned::from_start(&start)).await;
    for (id, goes_ahead) in [(Some("a-1"), false), (None, false), (Some("a-3"), true)] {
        assert_eq!(iterates(id).await, goes_ahead, "{id:?}");
    }
}

#[tokio::test]
async fn iterations_of_a_session_begin_anew_with_nobody() {
    let (store, _) = memory();
    let hooks = hooks_of(json!({ "iterations": { "most": 1, "per": "session" } }), store);
    assert!(iterates(&hooks, "a").await);
    let at = hooks.on(HookContext::new("s", "a"));
    let _kept = at.user_prompt_submitted(UserPromptSubmitted::new("go on", PromptKind::FollowUp)).await;
    assert!(!iterates(&hooks, "a").await);
}

/// Store that is not available.
struct Away;

impl StateStore for Away {
    fn apply(&self, _op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        HookFuture::now(Err(StoreError::Unavailable("down".to_owned())))
    }
}

#[tokio::test]
async fn a_store_that_is_away_is_a_denial_and_withholds_no_results() {
    for limits in [json!({ "calls": [{ "most": 9, "of": "team", "per": "always" }] }), json!({ "loops": {} })]
    {
        let hooks = hooks_of(limits, Arc::new(Away));
        let at = hooks.on(HookContext::new("s", "a"));
        let event = PreToolUse::new("x", json!({}));
        let refused = at.pre_tool_use(event.clone()).await.outcome;
        assert_eq!(refused.shown_reason().map(|reason| reason.kind), Some(ReasonKind::Failure));
        let after = PostToolUse::after(&event, json!("x"), None, 1);
        assert!(at.post_tool_use(after).await.outcome.goes_ahead());
    }
    assert!(!iterates(&hooks_of(json!({ "iterations": { "most": 9 } }), Arc::new(Away)), "a").await);
}

#[test]
fn nonsense_is_refused() {
    for (limits, wanted) in [
        (
            json!({ "calls": [{ "tools": ["a*b"], "most": 1, "of": "team", "per": "day" }] }),
            "limits.calls[0].tools[0]",
        ),
        (
            json!({ "calls": [{ "agents": ["a*"], "most": 1, "of": "team", "per": "day" }] }),
            "limits.calls[0].agents[0]",
        ),
        (json!({ "calls": [{ "most": u64::MAX, "of": "team", "per": "day" }] }), "limits.calls[0].most"),
        (
            json!({ "calls": [
                { "tools": ["A"], "most": 1, "of": "team", "per": "day" },
                { "tools": ["a"], "most": 2, "of": "team", "per": "day" },
            ] }),
            "limits.calls[1]",
        ),
        (json!({ "loops": { "rounds": 0 } }), "limits.loops.rounds"),
        (json!({ "loops": { "longest": 0 } }), "limits.loops.longest"),
        (json!({ "loops": { "rounds": 100, "longest": 3 } }), "limits.loops"),
        (json!({ "loops": { "rounds": u64::MAX, "longest": 2 } }), "limits.loops"),
        (json!({ "iterations": { "most": u64::MAX } }), "limits.iterations.most"),
        (json!({ "iterations": { "most": 1, "resumes": u64::MAX } }), "limits.iterations.resumes"),
    ] {
        let config: LimitsConfig = serde_json::from_value(limits).unwrap();
        let errors =
            Hooks::from_policy(BudgetsSettings { limits: Some(config), ..BudgetsSettings::default() });
        let errors = errors.unwrap_err().into_iter().map(|error| error.field).collect::<Vec<_>>();
        assert_eq!(errors, [wanted]);
    }
}

#[tokio::test]
async fn a_tree_of_sessions_shares_the_calls_of_its_root() {
    let (store, _) = memory();
    let limits = json!({ "calls": [{ "tools": ["deploy"], "most": 2, "of": "tree", "per": "session" }] });
    let hooks = hooks_of(limits, store);
    let deploys = async |session: &str, parent: Option<&str>| {
        let mut context = HookContext::new(session, "a");
        context.parent_session_id = parent.map(str::to_owned);
        let mut decision = hooks.on(context).pre_tool_use(PreToolUse::new("deploy", json!({}))).await;
        decision.outcome.take_holds().commit();
        decision.outcome.goes_ahead()
    };
    assert!(deploys("child", Some("root")).await);
    assert!(deploys("grandchild", Some("child")).await);
    for (session, parent) in [("root", None), ("child", None), ("great", Some("grandchild"))] {
        assert!(!deploys(session, parent).await, "{session}");
    }
    assert!(deploys("other", None).await);
}

#[tokio::test]
async fn a_number_that_comes_back_is_another_iteration() {
    let (store, _) = memory();
    let hooks = hooks_of(json!({ "iterations": { "most": 3, "per": "session" } }), store);
    let calls = async |text: Option<&str>| {
        let messages = text.map(|text| hooks_core::event::Message::text(hooks_core::event::Role::User, text));
        let mut context = HookContext::new("s", "a");
        context.call_id = Some("call_0".to_owned());
        let event = BeforeModelCall::new("m", 1, messages.into_iter().collect());
        let mut decision = hooks.on(context).before_model_call(event).await;
        decision.outcome.take_holds().commit();
        decision.outcome.goes_ahead()
    };
    // Reported twice it is one call. A call with other messages is another one, and a call without messages
    // counts each time.
    assert!(calls(Some("a")).await && calls(Some("a")).await);
    assert!(calls(Some("b")).await && calls(None).await);
    assert!(!calls(None).await && !calls(Some("c")).await);
}
