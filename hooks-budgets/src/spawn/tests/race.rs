//! Many callers and few places.

use hooks_core::Evidence;
use tokio::task::JoinSet;

use super::*;

#[tokio::test]
async fn of_two_hundred_that_race_five_get_a_place() {
    let desk = Desk::with(concurrent(5), |store| Arc::new(Slow(store)));
    let background = Arc::new(Kept::default());
    let mut race = JoinSet::new();
    for number in 0..200 {
        let (hooks, mut context) = (desk.hooks.clone(), desk.at("s"));
        context.environment.background = Some(background.clone());
        race.spawn(
            async move { start(&hooks, context, child("backend", &format!("c{number}"))).await.is_ok() },
        );
    }
    let started = race.join_all().await.into_iter().filter(|started| *started).count();
    assert_eq!(started, 5);
    background.finish().await;
    let states = desk.states("s").await;
    assert_eq!(states, [ChildState::Running; 5]);
}

#[test]
fn so_do_those_on_threads_of_their_own() {
    let desk = Desk::new(SpawnConfig { total: Some(100), ..concurrent(5) });
    let key = hooks_core::state::Key::new(None, &["spawn", "concurrent", "s"]);
    let used = &Op::Used { key, window: hooks_core::state::Window::Always };
    let started = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let desk = &desk;
                scope.spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    runtime.block_on(async {
                        let mut started = 0;
                        for number in 0..50 {
                            let id = format!("{thread}-{number}");
                            if desk.start("s", &id).await {
                                started += 1;
                                let used = desk.store.apply(used.clone()).await;
                                assert!(matches!(used, Ok(StepResult::Used { used: ..=5, .. })), "{used:?}");
                                desk.stop("s", &id).await;
                            }
                        }
                        started
                    })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>()
    });
    assert!((5..=100).contains(&started), "{started}");
}

#[tokio::test]
async fn two_processes_share_the_places_of_one_store() {
    let one = Desk::new(concurrent(2));
    let other = Desk {
        hooks: hooks(concurrent(2), &one.store),
        environment: one.environment.clone(),
        store: one.store.clone(),
        clock: one.clock.clone(),
    };
    assert!(one.start("s", "a").await && other.start("s", "b").await);
    assert!(!one.start("s", "c").await && !other.start("s", "d").await);
    other.stop("s", "a").await;
    assert!(one.start("s", "c").await);
    assert!(!other.start("s", "d").await);
    assert!(other.start("t", "d").await, "another session has places of its own");
}

#[tokio::test]
async fn what_is_charged_in_all_does_not_come_back() {
    let desk = Desk::new(SpawnConfig { total: Some(2), ..SpawnConfig::default() });
    for id in ["a", "b"] {
        assert!(desk.start("s", id).await);
        desk.stop("s", id).await;
    }
    assert!(!desk.start("s", "c").await);
}

#[tokio::test]
async fn zero_is_none_and_the_reason_counts() {
    for config in [
        concurrent(0),
        SpawnConfig { total: Some(0), ..SpawnConfig::default() },
        SpawnConfig { depth: Some(0), ..SpawnConfig::default() },
        SpawnConfig {
            rate: Some(super::super::config::SpawnRateConfig { children: 0, per: Duration::from_secs(60) }),
            ..SpawnConfig::default()
        },
    ] {
        let desk = Desk::new(config);
        let decision = desk.hooks.on(desk.at("s")).subagent_start(child("backend", "a")).await;
        let reason = decision.outcome.shown_reason().unwrap();
        assert!(matches!(reason.evidence[..], [Evidence::Count { limit: 0, .. }]), "{reason:?}");
        assert!(reason.remedy.is_some());
        assert!(desk.states("s").await.is_empty());
    }
}

#[tokio::test]
async fn so_many_in_so_long() {
    let rate = super::super::config::SpawnRateConfig { children: 2, per: Duration::from_secs(60) };
    let desk = Desk::new(SpawnConfig { rate: Some(rate), ..SpawnConfig::default() });
    assert!(desk.start("s", "a").await && desk.start("s", "b").await && !desk.start("s", "c").await);
    desk.clock.advance(Duration::from_secs(60));
    assert!(desk.start("s", "c").await);
}

#[tokio::test]
async fn a_refusal_by_one_limit_charges_no_other() {
    let reviewers = super::super::config::RoleLimitConfig {
        name: "reviewers".into(),
        agents: vec!["*review*".into()],
        concurrent: Some(1),
        ..Default::default()
    };
    let desk = Desk::new(SpawnConfig { roles: vec![reviewers], ..concurrent(2) });
    let begin = async |agent, id| start(&desk.hooks, desk.at("s"), child(agent, id)).await;
    assert_eq!(begin("Code-Reviewer", "a").await, Ok(()));
    assert_eq!(begin("reviewer", "b").await, Err("reviewers".to_owned()));
    assert_eq!(begin("backend", "c").await, Ok(()), "the refused one took no place");
    assert_eq!(begin("backend", "d").await, Err("concurrent".to_owned()));
}

#[tokio::test]
async fn a_store_that_fails_denies_whatever_it_is_asked() {
    for step in 0.. {
        let operations = std::sync::atomic::AtomicUsize::new(0);
        let fails = move |_: &Op| operations.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == step;
        let desk = Desk::with(concurrent(1), |store| Arc::new(Away(store, fails)));
        let mut decision = desk.hooks.on(desk.at("s")).subagent_start(child("backend", "a")).await;
        if decision.outcome.goes_ahead() {
            decision.outcome.take_holds().commit();
            assert!(step >= 4, "only {step} steps");
            return;
        }
        let kind = decision.outcome.shown_reason().map(|reason| reason.kind);
        assert_eq!(kind, Some(hooks_core::ReasonKind::Failure), "step {step}");
        drop(decision);
        assert!(desk.start("s", "a").await, "nothing is held after step {step}");
    }
}
