//! Whatever is dropped, and whenever: no place stays reserved.

use std::task::{Context, Poll, Waker};

use hooks_core::drivers::{SpawnRequest, Spawned};
use hooks_core::event::ChildStatus;
use hooks_core::{GovernSpawn, HookError};
use tower::{ServiceExt, service_fn};

use super::*;

/// Polls `polls` times and drops the future; returns the answer, if there is one.
fn drop_after<F: Future>(polls: usize, future: F) -> Option<F::Output> {
    let mut future = Box::pin(future);
    let mut context = Context::from_waker(Waker::noop());
    (0..polls).find_map(|_| match future.as_mut().poll(&mut context) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    })
}

fn slow() -> (Desk, Arc<Kept>) {
    let mut desk = Desk::with(concurrent(1), |store| Arc::new(Slow(store)));
    let background = Arc::new(Kept::default());
    desk.environment.background = Some(background.clone());
    (desk, background)
}

#[tokio::test]
async fn a_start_that_is_dropped_at_any_point_holds_nothing() {
    let mut points = 0;
    loop {
        let (desk, background) = slow();
        let decision = drop_after(points, async {
            desk.hooks.on(desk.at("s")).subagent_start(child("backend", "a")).await
        });
        let is_through = decision.is_some();
        // Decided but not gone ahead, or not even decided.
        drop(decision);
        background.finish().await;
        assert!(desk.states("s").await.is_empty(), "after {points} polls");
        assert!(desk.start("s", "b").await, "after {points} polls");
        background.finish().await;
        desk.stop("s", "b").await;
        background.finish().await;
        assert!(desk.start("s", "a").await, "the same child again, after {points} polls");
        if is_through {
            break;
        }
        points += 1;
    }
    assert!(points > 8, "{points}");
}

#[tokio::test]
async fn a_creation_that_is_dropped_at_any_point_holds_nothing() {
    for points in 0.. {
        let (desk, background) = slow();
        let spawner = service_fn(|_: SubagentStart| async {
            tokio::task::yield_now().await;
            Ok::<_, HookError>(())
        });
        let spawner = GovernSpawn::new(desk.hooks.clone(), spawner);
        let request =
            SpawnRequest { context: Arc::new(desk.at("s")), start: SubagentStart::new("backend", "do it") };
        // A child that was created is dropped too, which ends it.
        let created = drop_after(points, spawner.oneshot(request));
        let is_through = created.is_some();
        drop(created);
        background.finish().await;
        let open = desk.states("s").await.into_iter().filter(|state| *state != ChildState::Ended).count();
        assert_eq!(open, 0, "after {points} polls");
        assert!(desk.start("s", "b").await, "after {points} polls");
        if is_through {
            return;
        }
    }
}

#[tokio::test]
async fn the_driver_gives_places_back_on_every_way_out() {
    let desk = Desk::new(SpawnConfig { total: Some(3), ..concurrent(1) });
    let spawner = GovernSpawn::new(
        desk.hooks.clone(),
        service_fn(|start: SubagentStart| async move {
            if start.task == "bad" { Err(HookError::unavailable("no room")) } else { Ok(()) }
        }),
    );
    let spawn = async |task: &str| {
        let request =
            SpawnRequest { context: Arc::new(desk.at("s")), start: SubagentStart::new("backend", task) };
        spawner.clone().oneshot(request).await.unwrap()
    };
    assert!(matches!(spawn("bad").await, Spawned::Failed(..)));
    assert!(desk.states("s").await.is_empty(), "what could not be created is not charged");
    let Spawned::Running(child, _) = spawn("good").await else { panic!("there is room") };
    assert!(matches!(spawn("good").await, Spawned::Denied(..)));
    drop(child.end(ChildStatus::Completed, None).await);
    let Spawned::Running(child, _) = spawn("good").await else { panic!("there is room again") };
    drop(child);
    let Spawned::Running(..) = spawn("good").await else { panic!("there is room for a third") };
    assert!(matches!(spawn("good").await, Spawned::Denied(..)), "three in all");
    let statuses: Vec<_> = desk.children("s").await.into_iter().map(|child| child.status).collect();
    assert_eq!(statuses, [Some(ChildStatus::Completed), Some(ChildStatus::Error), Some(ChildStatus::Error)]);
}
