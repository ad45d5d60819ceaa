//! The registry of children, and its notices.

use hooks_core::event::TurnStart;

use super::*;

impl Desk {
    /// Returns the notices of an agent at its next turn.
    async fn told(&self, session: &str, agent: &str) -> Vec<String> {
        let mut context = self.at(session);
        context.agent_name = agent.to_owned();
        let patch = self.hooks.on(context).turn_start(TurnStart::new(1)).await;
        patch.additional_context.into_iter().map(|note| note.text).collect()
    }
}

#[tokio::test]
async fn the_others_are_told_once() {
    let desk = Desk::new(SpawnConfig::default());
    assert!(desk.told("s", "lead").await.is_empty());
    assert!(desk.start("s", "a").await);
    let told = desk.told("s", "lead").await;
    assert!(told.len() == 1 && told[0].contains("backend started, for lead"), "{told:?}");
    assert!(!told[0].contains("do it"), "the words of one agent are no instructions to another");
    assert!(desk.told("s", "lead").await.is_empty());
    assert!(desk.told("a", "backend").await.is_empty(), "it knows of itself");
    desk.stop("s", "a").await;
    let told = desk.told("s", "lead").await;
    assert!(told.len() == 1 && told[0].contains("is done"), "{told:?}");
    assert!(desk.told("s", "who comes anew").await.is_empty());
    assert!(desk.start("s", "b").await);
    desk.clock.advance(LEASE);
    assert!(desk.told("s", "lead").await[0].contains("fell silent"));
}

#[tokio::test]
async fn what_is_known_is_scrubbed() {
    let desk = Desk::new(SpawnConfig::default());
    let mut event = child("backend", "a");
    event.task = format!("mail jane@example.com {}", "x".repeat(5_000));
    event.model = Some("opus".into());
    start(&desk.hooks, desk.at("s"), event).await.unwrap();
    let children = desk.children("s").await;
    let [child] = &children[..] else { panic!("{children:?}") };
    assert!(child.task.starts_with("mail [EMAIL_REDACTED] xxx") && child.task.chars().count() == 120);
    assert_eq!((child.model.as_deref(), &*child.parent_agent, child.depth), (Some("opus"), "lead", 1));
}

#[tokio::test]
async fn those_that_ended_are_told_for_a_while_and_then_taken_out() {
    let desk = Desk::new(concurrent(1));
    for number in 0..100 {
        let id = format!("c{number}");
        assert!(desk.start("s", &id).await);
        desk.stop("s", &id).await;
    }
    assert_eq!(desk.states("s").await.len(), 100);
    desk.clock.advance(Duration::from_secs(600));
    assert!(desk.states("s").await.is_empty());
    for number in 0..4 {
        assert!(desk.start("s", &format!("d{number}")).await);
        desk.stop("s", &format!("d{number}")).await;
    }
    let set = hooks_core::state::Key::new(None, &["spawn", "children", "s"]);
    let Ok(StepResult::Members { members, .. }) = desk.store.apply(Op::Members { set }).await else {
        panic!("it is a set")
    };
    assert_eq!(members.len(), 4);
}
