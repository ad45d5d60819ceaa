//! Children whose end is not reported.

use hooks_core::event::{Notification, SessionEnd};
use hooks_core::testing::Recorder;
use hooks_core::{Composite, Live};

use super::*;

#[tokio::test]
async fn the_place_of_a_child_that_is_lost_comes_back() {
    let desk = Desk::new(SpawnConfig { total: Some(3), ..concurrent(1) });
    assert!(desk.start("s", "a").await && !desk.start("s", "b").await);
    desk.clock.advance(LEASE);
    assert_eq!(desk.states("s").await, [ChildState::Silent]);
    assert!(desk.start("s", "b").await);
    // A late report of the end takes no place from other children, and a late sign of life finds none free.
    let children = desk.hooks.extension::<SpawnBudget>().unwrap().children();
    children.heartbeat(&desk.at("s"), "a").await.unwrap();
    assert_eq!(
        desk.states("s").await,
        [ChildState::Running, ChildState::Running],
        "it lives, and is known to"
    );
    desk.stop("s", "a").await;
    assert!(!desk.start("s", "c").await, "the place is that of the second");
    desk.stop("s", "b").await;
    assert!(desk.start("s", "c").await);
    desk.stop("s", "c").await;
    assert!(!desk.start("s", "d").await, "three were charged in all");
}

#[tokio::test]
async fn a_sign_of_life_keeps_the_place() {
    let desk = Desk::new(concurrent(1));
    assert!(desk.start("s", "own-session").await);
    for _ in 0..8 {
        desk.clock.advance(LEASE / 3);
        // Any event in the child's session is a sign of life.
        let context = HookContext::new("own-session", "backend").with_environment(desk.environment.clone());
        desk.hooks
            .on(context)
            .pre_tool_use(hooks_core::event::PreToolUse::new("view", serde_json::json!({})))
            .await;
    }
    assert!(!desk.start("s", "b").await);
    assert_eq!(desk.states("s").await, [ChildState::Running]);
}

#[tokio::test]
async fn a_child_whose_session_ends_has_ended() {
    let desk = Desk::new(concurrent(1));
    assert!(desk.start("s", "own-session").await);
    desk.hooks.on(desk.at("own-session")).session_end(SessionEnd::default()).await;
    assert_eq!(desk.states("s").await, [ChildState::Ended]);
    assert!(desk.start("s", "b").await);
}

#[tokio::test]
async fn a_child_that_is_lost_and_begins_anew_needs_a_place() {
    let desk = Desk::new(concurrent(1));
    assert!(desk.start("s", "a").await);
    desk.clock.advance(LEASE);
    assert!(desk.start("s", "b").await);
    assert!(!desk.start("s", "a").await);
    desk.stop("s", "b").await;
    assert!(desk.start("s", "a").await);
    assert!(!desk.start("s", "c").await);
}

#[tokio::test]
async fn a_silence_is_told_once() {
    let desk = Desk::new(concurrent(2));
    let recorder = Recorder::default();
    let live = Live::new(Composite::default().and(desk.hooks.clone()).and(recorder.clone()));
    let (children, context) =
        (desk.hooks.extension::<SpawnBudget>().unwrap().children(), Arc::new(desk.at("s")));
    assert!(desk.start("s", "a").await && desk.start("s", "b").await);
    assert!(children.report_silent(&live, &context).await.unwrap().is_empty());
    desk.clock.advance(LEASE / 2);
    children.heartbeat(&context, "b").await.unwrap();
    desk.clock.advance(LEASE / 2);
    let told = children.report_silent(&live, &context).await.unwrap();
    assert_eq!(told.iter().map(|child| child.id.as_deref()).collect::<Vec<_>>(), [Some("a")]);
    assert!(children.report_silent(&live, &context).await.unwrap().is_empty());
    let seen = recorder.seen();
    let [hooks_core::WireEvent::Notification(Notification { message, .. })] = &seen[..] else {
        panic!("{seen:?}")
    };
    assert!(message.contains("`backend`") && message.contains("silent"), "{message}");
    // The child returned and fell silent again.
    children.heartbeat(&context, "a").await.unwrap();
    desk.clock.advance(LEASE);
    assert_eq!(children.report_silent(&live, &context).await.unwrap().len(), 2);
}

#[test]
fn while_it_runs_it_lives() {
    let time = hooks_core::testing::VirtualTime::default();
    let mut environment = Environment::detached();
    environment.clock = Arc::new(time.clone());
    let store: Arc<dyn StateStore> = Arc::new(Memory::new(Arc::new(time.clone())));
    let hooks = hooks(concurrent(1), &store);
    let context = HookContext::new("s", "lead").with_environment(environment);
    let done = time.block_on(async {
        start(&hooks, context.clone(), child("backend", "a")).await.unwrap();
        let children = hooks.extension::<SpawnBudget>().unwrap().children();
        let work = hooks_core::time::Timer::sleep(&time, LEASE * 5);
        children.while_running(&context, "a", &time, work).await;
        children.started_by(&context).await.unwrap()[0].state
    });
    assert_eq!(done, Some(ChildState::Running));
}
