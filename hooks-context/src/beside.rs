//! Does something while an inner hook is asked, and enters what came of it into the answer.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::{Event, HookError, HookFuture, HookRequest};
use pin_project::pin_project;

/// The answer of an inner hook, to which is added what was done meanwhile. Both are under way before either is waited
/// for; the inner hook's error is the answer at once.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F, E: Event, T> {
    #[pin]
    inner: F,
    /// What the inner hook answered.
    answer: Option<E::Outcome>,
    beside: Option<HookFuture<'static, T>>,
    done: Option<T>,
    request: HookRequest<E>,
    add: fn(&HookRequest<E>, &mut E::Outcome, T),
}

impl<F, E: Event, T> ResponseFuture<F, E, T> {
    pub(crate) fn new(
        inner: F,
        beside: Option<HookFuture<'static, T>>,
        request: HookRequest<E>,
        add: fn(&HookRequest<E>, &mut E::Outcome, T),
    ) -> Self {
        Self { inner, answer: None, beside, done: None, request, add }
    }
}

impl<F, E, T> Future for ResponseFuture<F, E, T>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Some(Poll::Ready(done)) = this.beside.as_mut().map(|beside| Pin::new(beside).poll(cx)) {
            (*this.beside, *this.done) = (None, Some(done));
        }
        if this.answer.is_none() {
            *this.answer = Some(ready!(this.inner.poll(cx))?);
        }
        if this.beside.is_some() {
            return Poll::Pending;
        }
        let Some(mut outcome) = this.answer.take() else { return Poll::Pending };
        if let Some(done) = this.done.take() {
            (this.add)(this.request, &mut outcome, done);
        }
        Poll::Ready(Ok(outcome))
    }
}

impl<F, E: Event, T> std::fmt::Debug for ResponseFuture<F, E, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResponseFuture<{}>", E::KIND)
    }
}

#[cfg(test)]
mod tests {
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

    /// The instance that was made ready is the one that is called, once; an error is the answer.
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
}
