use std::sync::Arc;

use hooks_core::event::{PreCompact, SessionEnd, SessionStart, SubagentStart, TurnStart};
use hooks_core::testing::{FakeDisk, FakeFileSystem, Probe, VirtualTime, world};
use hooks_core::{Environment, Event, HookContext, HookError, HookRequest, Settle, hook_fn};
use hooks_team::Team;
use tower::ServiceExt;
use tower_layer::Layer;
use tower_service::Service;

use crate::auto::{AutoContext, AutoContextLayer};
use crate::compaction::{Compacting, CompactionLayer, CompactionSettings};
use crate::session_end::{SessionEndLayer, SessionEnding};
use crate::source::{Here, team};

fn layers() -> (AutoContextLayer, CompactionLayer, SessionEndLayer, VirtualTime) {
    let time = VirtualTime::default();
    let disk = FakeDisk::default().with_file("/p/.squad/decisions.md", "### A\n");
    let team = Team::new(Arc::new(disk), "/p/.squad", &Environment::detached());
    let auto =
        AutoContext::new(Arc::new(time.clone())).with_team(team.clone(), Here, team::Limits::default());
    let compacting = Compacting::new(CompactionSettings::default(), Arc::new(time.clone()));
    (
        AutoContextLayer::new(auto),
        CompactionLayer::new(compacting),
        SessionEndLayer::new(SessionEnding::new(team, Here)),
        time,
    )
}

fn request<E: Event + Default>() -> HookRequest<E> {
    let (environment, _, _) = world(FakeFileSystem::default());
    HookRequest::new(HookContext::new("s", "a").with_environment(environment), E::default())
}

/// The instance that was made ready is called, exactly once; an error is passed on.
fn keeps_the_contract<E, L>(layer: &L, time: &VirtualTime)
where
    E: Event + Default,
    L: Layer<Probe<Settle>>,
    L::Service: Service<HookRequest<E>, Response = E::Outcome, Error = HookError> + Clone,
{
    let (probe, log) = Probe::new(Settle);
    let stack = layer.layer(probe.ready_after(2));
    let answers = time.block_on(async {
        let first = stack.clone().oneshot(request::<E>()).await.is_ok();
        (first, stack.oneshot(request::<E>()).await.is_ok())
    });
    assert_eq!(answers, Some((true, true)), "{}", E::KIND);
    assert_eq!((log.calls(), log.held()), (2, 0), "{}", E::KIND);
}

#[test]
fn every_layer_calls_what_it_made_ready() {
    let (auto, compaction, ending, time) = layers();
    keeps_the_contract::<SessionStart, _>(&auto, &time);
    keeps_the_contract::<TurnStart, _>(&auto, &time);
    keeps_the_contract::<SubagentStart, _>(&auto, &time);
    keeps_the_contract::<PreCompact, _>(&compaction, &time);
    keeps_the_contract::<SessionStart, _>(&compaction, &time);
    keeps_the_contract::<SessionStart, _>(&ending, &time);
    keeps_the_contract::<SessionEnd, _>(&ending, &time);
}

#[test]
fn an_error_of_the_inner_hook_is_the_answer() {
    let (auto, _, ending, time) = layers();
    let broken = || {
        hook_fn(async |_: HookRequest<SessionStart>| {
            Err::<hooks_core::ContextPatch, _>(HookError::unavailable("gone"))
        })
    };
    assert!(time.block_on(auto.layer(broken()).oneshot(request())).unwrap().is_err());
    assert!(time.block_on(ending.layer(broken()).oneshot(request())).unwrap().is_err());
}
