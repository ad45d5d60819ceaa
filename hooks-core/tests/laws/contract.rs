//! Tower's contract, checked for every layer and driver. Calling another clone than the ready one, or holding
//! a permit during a wait, goes unnoticed until the inner service is a `ConcurrencyLimit`, a `Buffer` or a
//! `LoadShed`.
//!
//! | | drives what it made ready | a clone starts unready | no permit over a wait | backpressure | cancelled anywhere, nothing kept | wakes |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | `PolicyLayer` | yes | yes | does not wait | forwarded | yes | yes |
//! | `TransformLayer` | yes | yes | does not wait | forwarded | yes | yes |
//! | `ObserverLayer` | yes | yes | does not wait | forwarded | yes | yes |
//! | `ReserveLayer` | yes | yes | waits after the inner answer | forwarded | yes | yes |
//! | `FailureLayer` | yes | yes | does not wait | forwarded | yes | yes |
//! | `ShadowLayer` | yes | yes | does not wait | forwarded | yes | yes |
//! | `DecideLayer` | a clone, after the decider | yes | yes | within the answer | yes | yes |
//! | `BoxHook` (a slot's stack) | a clone | yes | does not wait | within the answer, under the deadline | yes | yes |
//! | `Govern` | a clone, after the decision | yes | yes | within the answer | yes | yes |
//! | `GovernModel` | a clone, after the hooks before it | yes | yes | within the answer | yes | yes |
//! | `GovernSpawn` | a clone, after the decision | yes | yes | within the answer | yes | yes |
//! | `Router` | a clone, after the decision | yes | yes | within the answer | yes | yes |

use std::future::ready;
use std::sync::Arc;
use std::task::Poll;

use hooks_core::drivers::{
    ModelCall, ModelRequest, RouteRequest, SpawnRequest, ToolCall, ToolRequest, ToolResult,
};
use hooks_core::event::*;
use hooks_core::testing::{PendingOnce, Probe};
use hooks_core::time::Timestamp;
use hooks_core::{
    BoxHook, DecideLayer, DeciderOutcome, DecidingEvent, FailureLayer, Govern, GovernModel, GovernSpawn,
    HookContext, HookError, HookFuture, HookRequest, Hooks, Judge, Judged, ObserverLayer, PolicyLayer,
    Reservation, Reserve, ReserveLayer, Router, Settle, Shadow, ShadowLayer, Strength, TransformLayer,
    Verdict,
};
use tokio::sync::Semaphore;
use tokio_test::task;
use tower::buffer::Buffer;
use tower::limit::ConcurrencyLimit;
use tower::load_shed::LoadShed;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::common::{Forbids, Says, asking, drop_after, guard, pend, run};

/// Waits, and then makes no reservation.
#[derive(Clone, Copy, Debug)]
struct Waits;

impl Reserve<PreToolUse> for Waits {
    fn name(&self) -> &'static str {
        "waits"
    }

    fn reserve(
        &self,
        _request: &HookRequest<PreToolUse>,
    ) -> HookFuture<'static, Result<Reservation, HookError>> {
        HookFuture::later(async {
            pend(2).await;
            Ok(Reservation::NotNeeded)
        })
    }
}

/// Rewrites the event to the same value.
#[derive(Clone, Copy, Debug)]
struct Leaves;

impl hooks_core::Transform<PreToolUse> for Leaves {
    fn name(&self) -> &'static str {
        "leaves"
    }

    fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<serde_json::Value>, HookError> {
        Ok(Some(request.event().tool_args.clone()))
    }
}

/// Receives the event and does nothing.
#[derive(Clone, Copy, Debug)]
struct Looks;

impl hooks_core::Observer<PreToolUse> for Looks {
    fn name(&self) -> &'static str {
        "looks"
    }

    fn observe(&self, _request: &HookRequest<PreToolUse>, _outcome: &hooks_core::Decision<PreToolUse>) {}
}

async fn slow_allow(_request: HookRequest<PreToolUse>) -> Result<DeciderOutcome<PreToolUse>, HookError> {
    pend(3).await;
    Ok(DeciderOutcome::new(Verdict::ALLOW))
}

/// A service whose calls count against `permits`, and whose answer is pending once.
fn limited(permits: &Arc<Semaphore>) -> ConcurrencyLimit<PendingOnce<Judge<Forbids>>> {
    ConcurrencyLimit::with_semaphore(PendingOnce(Judge::new(Forbids("no"))), Arc::clone(permits))
}

macro_rules! contract {
    ($($module:ident: $layer:expr, forwards $forwards:literal;)+) => { $(
        mod $module {
            use super::*;

            #[test]
            fn drives_what_it_made_ready() {
                let (probe, log) = Probe::new(PendingOnce(Judge::new(Forbids("no"))));
                let mut stack = $layer.layer(probe.ready_after(2));
                for calls in 1..4 {
                    let outcome = run(async { stack.ready().await.unwrap().call(asking("a")).await }).unwrap();
                    assert!(!outcome.is_denied());
                    assert_eq!((log.calls(), log.held()), (calls, 0));
                }
            }

            #[test]
            fn a_clone_starts_unready() {
                let (probe, log) = Probe::new(Judge::new(Forbids("no")));
                let mut stack = $layer.layer(probe);
                run(async { stack.ready().await.map(drop) }).unwrap();
                let clone = stack.clone();
                assert_eq!(log.held(), usize::from($forwards));
                assert!(!run(clone.oneshot(asking("a"))).unwrap().is_denied());
                drop(stack);
                assert_eq!((log.calls(), log.held()), (1, 0));
            }

            #[test]
            fn backpressure_reaches_the_caller_and_wakes_it() {
                let permits = Arc::new(Semaphore::new(1));
                let busy = permits.clone().try_acquire_owned().unwrap();
                let mut stack = $layer.layer(limited(&permits));
                if $forwards {
                    let mut ready = task::spawn(stack.ready());
                    assert!(ready.poll().is_pending());
                    drop(busy);
                    assert!(ready.is_woken() && ready.poll().is_ready());
                    return;
                }
                let mut call = task::spawn(stack.oneshot(asking("a")));
                while call.poll().is_pending() && call.is_woken() {}
                drop(busy);
                assert!(call.is_woken());
                let denied = loop {
                    if let Poll::Ready(outcome) = call.poll() {
                        break outcome.unwrap().is_denied();
                    }
                    assert!(call.is_woken());
                };
                assert!(!denied);
            }

            #[test]
            fn cancelled_anywhere_it_keeps_nothing() {
                let mut ended = false;
                for polls in 0..16 {
                    let permits = Arc::new(Semaphore::new(1));
                    let stack = $layer.layer(limited(&permits));
                    ended |= drop_after(polls, stack.oneshot(asking("a"))).is_some();
                    assert_eq!(permits.available_permits(), 1, "after {polls} polls");
                }
                assert!(ended);
            }

            #[tokio::test]
            async fn goes_around_a_concurrency_limit_a_buffer_and_load_shed() {
                let inner = PendingOnce(Judge::new(Forbids("no")));
                let buffer = Buffer::new(inner, 1).map_err(HookError::other as fn(_) -> _);
                let shed = LoadShed::new(limited(&Arc::new(Semaphore::new(1))));
                let shed = shed.map_err(HookError::other as fn(_) -> _);
                let mut limited = $layer.layer(limited(&Arc::new(Semaphore::new(1))));
                let (mut buffered, mut shedding) = ($layer.layer(buffer), $layer.layer(shed));
                for path in ["a", "no", "a"] {
                    let denied = path == "no";
                    let request = || asking(path);
                    assert_eq!(limited.ready().await.unwrap().call(request()).await.unwrap().is_denied(), denied);
                    assert_eq!(buffered.ready().await.unwrap().call(request()).await.unwrap().is_denied(), denied);
                    assert_eq!(shedding.ready().await.unwrap().call(request()).await.unwrap().is_denied(), denied);
                }
            }
        }
    )+ };
}

/// Boxes the inner service, as a slot does.
#[derive(Clone, Copy, Debug)]
struct Boxes;

impl<S> Layer<S> for Boxes
where
    S: hooks_core::Hook<PreToolUse, Future: Send> + Clone + Send + Sync + 'static,
{
    type Service = BoxHook<PreToolUse>;

    fn layer(&self, inner: S) -> Self::Service {
        BoxHook::new(inner, &guard())
    }
}

contract! {
    policy_layer: PolicyLayer::new(Says::new("allows", Strength::Allow)), forwards true;
    transform_layer: TransformLayer::new(Arc::new(Leaves)), forwards true;
    observer_layer: ObserverLayer::new(Arc::new(Looks)), forwards true;
    reserve_layer: ReserveLayer::new(Arc::new(Waits)), forwards true;
    failure_layer: FailureLayer::new("guard"), forwards true;
    shadow_layer: ShadowLayer::new(Shadow::until(Timestamp(0))), forwards true;
    decide_layer: DecideLayer::new(service_fn(slow_allow)), forwards false;
    box_hook: Boxes, forwards false;
}

#[test]
fn no_permit_is_held_while_a_decider_thinks() {
    let (probe, log) = Probe::new(Settle);
    let mut call = task::spawn(DecideLayer::new(service_fn(slow_allow)).layer(probe).oneshot(asking("a")));
    for _ in 0..3 {
        assert!(call.poll().is_pending());
        assert_eq!((log.held(), log.calls()), (0, 0));
    }
    assert!(call.poll().is_ready());
    assert_eq!((log.held(), log.calls()), (0, 1));
}

#[test]
fn what_a_layer_waits_for_wakes_it() {
    let (sender, receiver) = tokio::sync::watch::channel(false);
    let decider = service_fn(move |_: HookRequest<PreToolUse>| {
        let mut receiver = receiver.clone();
        async move {
            receiver.wait_for(|told| *told).await.map_err(HookError::other)?;
            Ok::<_, HookError>(DeciderOutcome::new(Verdict::ALLOW))
        }
    });
    let mut call = task::spawn(DecideLayer::new(decider).layer(Settle).oneshot(asking("a")));
    assert!(call.poll().is_pending() && !call.is_woken());
    sender.send(true).unwrap();
    assert!(call.is_woken() && call.poll().is_ready());
}

fn context() -> Arc<HookContext> {
    Arc::new(HookContext::new("s1", "agent"))
}

/// Hooks whose decider on `E` waits.
fn slow_hooks<E: DecidingEvent>() -> Hooks {
    let decider = service_fn(|_: HookRequest<E>| async {
        pend(3).await;
        Ok::<_, HookError>(DeciderOutcome::new(Verdict::ALLOW))
    });
    Hooks::builder().stack::<E, _>(&guard(), DecideLayer::new(decider).layer(Settle)).build()
}

macro_rules! driver_contract {
    ($($module:ident: $Event:ty, $Input:ty => $output:expr, $request:expr, |$hooks:ident, $inner:ident| $driver:expr;)+) => { $(
        mod $module {
            use super::*;

            macro_rules! driver {
                ($permits:expr) => {{
                    let inner = service_fn(|_: $Input| async {
                        pend(1).await;
                        Ok::<_, HookError>($output)
                    });
                    let ($hooks, $inner) =
                        (slow_hooks::<$Event>(), ConcurrencyLimit::with_semaphore(inner, Arc::clone($permits)));
                    $driver
                }};
            }

            #[test]
            fn makes_ready_what_it_calls_and_holds_no_permit_while_hooks_think() {
                let permits = Arc::new(Semaphore::new(1));
                let mut driver = driver!(&permits);
                run(async { driver.ready().await.map(drop) }).unwrap();
                assert_eq!(permits.available_permits(), 1);
                for _ in 0..2 {
                    let mut call = task::spawn(driver.call($request));
                    for _ in 0..3 {
                        assert!(call.poll().is_pending());
                        assert_eq!(permits.available_permits(), 1);
                    }
                    assert!(call.poll().is_pending());
                    assert_eq!(permits.available_permits(), 0, "now it is called");
                    assert!(matches!(call.poll(), Poll::Ready(Ok(_))));
                }
                assert_eq!(permits.available_permits(), 1);
            }

            #[test]
            fn waits_for_a_busy_service_and_is_woken() {
                let permits = Arc::new(Semaphore::new(1));
                let busy = permits.clone().try_acquire_owned().unwrap();
                let mut call = task::spawn(driver!(&permits).oneshot($request));
                for _ in 0..4 {
                    assert!(call.poll().is_pending());
                }
                assert!(!call.is_woken());
                drop(busy);
                assert!(call.is_woken() && call.poll().is_pending() && call.poll().is_ready());
            }

            #[test]
            fn cancelled_anywhere_it_keeps_nothing() {
                let mut ended = false;
                for polls in 0..16 {
                    let permits = Arc::new(Semaphore::new(1));
                    ended |= drop_after(polls, driver!(&permits).oneshot($request)).is_some();
                    assert_eq!(permits.available_permits(), 1, "after {polls} polls");
                }
                assert!(ended);
            }
        }
    )+ };
}

driver_contract! {
    govern: PreToolUse, ToolCall => ToolResult::default(),
        ToolRequest { context: context(), call: ToolCall::default() }, |hooks, inner| Govern::new(hooks, inner);
    govern_model: BeforeModelCall,
        ModelRequest => ModelReply {
            response: Message::text(Role::Assistant, ""),
            usage: Usage::default(),
            cost: None,
        },
        ModelCall { context: context(), request: ModelRequest::default() },
        |hooks, inner| GovernModel::new(hooks, inner);
    govern_spawn: SubagentStart, SubagentStart => (),
        SpawnRequest { context: context(), start: SubagentStart::new("a", "b") },
        |hooks, inner| GovernSpawn::new(hooks, inner);
    router: Route, Route => (),
        RouteRequest { context: context(), route: Route::new("a", "b") },
        |hooks, inner| Router::new(hooks, inner);
}

#[test]
fn no_permit_is_held_while_a_person_thinks() {
    let permits = Arc::new(Semaphore::new(1));
    let tools = service_fn(|_: ToolCall| ready(Ok::<_, HookError>(ToolResult::default())));
    let tools = ConcurrencyLimit::with_semaphore(tools, Arc::clone(&permits));
    let approver = service_fn(|_: hooks_core::ApprovalRequest| async {
        pend(2).await;
        Ok::<_, HookError>(hooks_core::Approval::Approved)
    });
    let hooks = Hooks::builder().policy::<PreToolUse>(Says::new("asks", Strength::Ask)).build();
    let govern = Govern::new(hooks, tools).with_approver(approver);
    let request = ToolRequest { context: context(), call: ToolCall::default() };
    let mut call = task::spawn(govern.oneshot(request));
    for _ in 0..2 {
        assert!(call.poll().is_pending());
        assert_eq!(permits.available_permits(), 1);
    }
    assert!(call.poll().is_ready());
}

#[test]
fn an_executor_that_is_gone_is_a_tool_that_failed() {
    let tools = ConcurrencyLimit::with_semaphore(
        service_fn(|_: ToolCall| ready(Ok::<_, HookError>(ToolResult::default()))),
        Arc::new(Semaphore::new(0)),
    );
    let shed = LoadShed::new(tools);
    let request = ToolRequest { context: context(), call: ToolCall::default() };
    let governed = run(Govern::new(Hooks::default(), shed).oneshot(request)).unwrap();
    assert!(matches!(governed.outcome, hooks_core::drivers::ToolOutcome::Failed(..)));
}
