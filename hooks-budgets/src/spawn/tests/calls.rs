//! Tools that start agents: counted once, whichever event comes first.

use hooks_core::event::{PostToolUse, PreToolUse, SpawnFailed, SubagentSpawned};
use serde_json::{Value, json};

use super::*;

fn call(id: &str) -> PreToolUse {
    let mut call = PreToolUse::new("Task", json!({"subagent_type": "backend", "prompt": "do it"}));
    call.tool_use_id = Some(id.to_owned());
    call
}

impl Desk {
    /// Calls a tool that starts agents; returns whether the call goes ahead.
    async fn call(&self, id: &str) -> bool {
        let mut decision = self.hooks.on(self.at("s")).pre_tool_use(call(id)).await;
        decision.outcome.take_holds().commit();
        decision.outcome.goes_ahead()
    }

    async fn returns(&self, id: &str) {
        let result = PostToolUse::after(&call(id), Value::Null, None, 1);
        self.hooks.on(self.at("s")).post_tool_use(result).await;
    }
}

#[tokio::test]
async fn a_call_is_bound_where_nobody_asks_before_a_child_starts() {
    let desk = Desk::new(SpawnConfig { total: Some(2), ..concurrent(1) });
    assert!(desk.call("t1").await);
    assert!(desk.call("t1").await, "told twice, counted once");
    assert!(!desk.call("t2").await);
    assert_eq!(desk.states("s").await, [ChildState::Waiting]);
    desk.returns("t1").await;
    assert_eq!(desk.states("s").await, [ChildState::Ended]);
    assert!(desk.call("t2").await);
    desk.returns("t2").await;
    assert!(!desk.call("t3").await, "two in all");
    let other = desk.hooks.on(desk.at("s")).pre_tool_use(PreToolUse::new("view", json!({}))).await;
    assert!(other.outcome.goes_ahead());
}

#[tokio::test]
async fn a_call_and_its_child_are_counted_once() {
    let desk = Desk::new(SpawnConfig { total: Some(2), ..concurrent(2) });
    // By the agent alone, as for clients whose children have ids that no call has.
    assert!(desk.call("t1").await && desk.start("s", "agent-1").await);
    assert_eq!(desk.states("s").await, [ChildState::Running]);
    // By the id of the call.
    assert!(desk.call("t2").await);
    let mut context = desk.at("s");
    context.call_id = Some("t2".into());
    assert_eq!(start(&desk.hooks, context, child("another name", "agent-2")).await, Ok(()));
    assert_eq!(desk.states("s").await, [ChildState::Running; 2]);
    // Its result does not end a child that reports its own end.
    desk.returns("t1").await;
    assert_eq!(desk.states("s").await, [ChildState::Running; 2]);
    desk.stop("s", "agent-1").await;
    desk.stop("s", "agent-2").await;
    assert_eq!(desk.states("s").await, [ChildState::Ended; 2]);
    assert!(!desk.call("t3").await);
}

#[tokio::test]
async fn two_children_of_one_call_are_two() {
    let desk = Desk::new(concurrent(2));
    assert!(desk.call("t1").await && desk.start("s", "a").await && desk.start("s", "b").await);
    assert!(!desk.start("s", "c").await);
}

#[tokio::test]
async fn a_child_by_name_alone_ends_one_of_that_name() {
    let desk = Desk::new(concurrent(2));
    let begin = async || start(&desk.hooks, desk.at("s"), SubagentStart::new("backend", "x")).await.is_ok();
    assert!(begin().await && begin().await && !begin().await);
    for left in [1, 0] {
        let mut event = SubagentStop::default();
        event.agent_name = "Backend".into();
        desk.hooks.on(desk.at("s")).subagent_stop(event).await;
        let running =
            desk.states("s").await.into_iter().filter(|state| *state == ChildState::Running).count();
        assert_eq!(running, left);
    }
    assert!(begin().await);
}

#[tokio::test]
async fn an_agent_below_the_root_of_a_shared_session_is_known_by_name() {
    let desk = Desk::new(SpawnConfig { depth: Some(1), ..SpawnConfig::default() });
    assert!(desk.call("t1").await);
    let mut context = desk.at("s");
    context.agent_name = "Backend".into();
    let decision = desk.hooks.on(context).pre_tool_use(call("t2")).await;
    assert_eq!(decision.outcome.shown_reason().map(|reason| &*reason.rule), Some("depth"));
    // A child is at least as deep as the call that started it.
    let desk = Desk::new(SpawnConfig::default());
    assert!(desk.call("t1").await && desk.start("s", "a").await);
    let mut context = desk.at("s");
    context.agent_name = "backend".into();
    desk.hooks.on(context.clone()).pre_tool_use(call("t2")).await.outcome.take_holds().commit();
    start(&desk.hooks, context, child("backend", "b")).await.unwrap();
    let depths: Vec<_> = desk.children("s").await.iter().map(|child| child.depth).collect();
    assert_eq!(depths, [1, 2]);
}

#[tokio::test]
async fn what_could_not_be_created_is_not_charged() {
    let desk = Desk::new(SpawnConfig { total: Some(1), ..SpawnConfig::default() });
    assert!(desk.call("t1").await);
    let failed = SpawnFailed::new("backend", "no room");
    desk.hooks.on(desk.at("s")).spawn_failed(failed).await;
    assert!(desk.states("s").await.is_empty());
    assert!(desk.call("t2").await);
}

#[tokio::test]
async fn a_child_that_nobody_asked_about_is_counted_when_it_exists() {
    let desk = Desk::new(concurrent(1));
    let spawned = SubagentSpawned::from_start(&child("backend", "a"));
    desk.hooks.on(desk.at("s")).subagent_spawned(spawned.clone()).await;
    desk.hooks.on(desk.at("s")).subagent_spawned(spawned).await;
    assert_eq!(desk.states("s").await, [ChildState::Running]);
    assert!(!desk.start("s", "b").await);
}

#[tokio::test]
async fn a_call_that_starts_several_is_refused() {
    let desk = Desk::new(SpawnConfig::default());
    let several = PreToolUse::new("Task", json!({"tasks": ["a", "b"]}));
    assert!(desk.hooks.on(desk.at("s")).pre_tool_use(several).await.outcome.is_denied());
}

#[tokio::test]
async fn who_ends_twice_ends_no_other() {
    let desk = Desk::new(concurrent(3));
    assert!(desk.call("t1").await && desk.start("s", "a").await && desk.call("t2").await);
    for _ in 0..3 {
        desk.stop("s", "a").await;
    }
    let mut failed = SpawnFailed::new("backend", "no room");
    failed.child_id = Some("b".into());
    desk.hooks.on(desk.at("s")).spawn_failed(failed).await;
    assert_eq!(desk.states("s").await, [ChildState::Ended, ChildState::Waiting]);
}
