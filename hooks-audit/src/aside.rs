//! Work on a disk that is done beside what an agent waits for.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use hooks_core::{BoxError, HookContext, HookError, HookFuture};
use hooks_team::Team;
use pin_project::pin_project;

/// Something to do.
pub type Work = Box<dyn FnOnce() + Send>;

/// Who does what blocks. Cheap to clone.
#[derive(Clone)]
pub struct Workers(Arc<dyn Fn(Work) + Send + Sync>);

/// Where the team of a session is. Cheap to clone.
#[derive(Clone)]
pub struct Teams(Arc<Find>);

type Find = dyn Fn(&HookContext) -> Option<Team> + Send + Sync;

impl Workers {
    /// `start` does the work it is given, now or later, on whatever thread it likes.
    pub fn new(start: impl Fn(Work) + Send + Sync + 'static) -> Self {
        Self(Arc::new(start))
    }

    /// Does it here and now: for tests, and for processes that end when they have answered.
    pub fn here() -> Self {
        Self::new(|work| work())
    }

    /// Does each on a thread of its own; here and now where there can be no more threads.
    pub fn threads() -> Self {
        Self::new(|work| {
            let shared = Arc::new(Mutex::new(Some(work)));
            let run = |shared: &Mutex<Option<Work>>| {
                let work = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
                if let Some(work) = work {
                    work();
                }
            };
            let theirs = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("hooks-audit".to_owned());
            if thread.spawn(move || run(&theirs)).is_err() {
                run(&shared);
            }
        })
    }

    /// Has `work` done, whose end nobody waits for.
    pub(crate) fn start(&self, work: impl FnOnce() + Send + 'static) {
        (self.0)(Box::new(work));
    }

    /// What `work` gives, once it is done. A panic is an error.
    pub(crate) fn offload<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, BoxError> + Send + 'static,
    ) -> HookFuture<'static, Result<T, BoxError>> {
        let promise = Promise(Arc::new(Mutex::new(Slot { answer: None, waker: None })));
        let theirs = Promise(Arc::clone(&promise.0));
        self.start(move || {
            let answer = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("it panicked".into()));
            theirs.keep(answer);
        });
        if let Some(answer) = promise.slot().answer.take() {
            return HookFuture::now(answer);
        }
        HookFuture::later(std::future::poll_fn(move |cx| {
            let mut slot = promise.slot();
            match slot.answer.take() {
                Some(answer) => Poll::Ready(answer),
                None => {
                    slot.waker = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        }))
    }
}

impl Teams {
    /// `find` knows the team of a session, where it has one. It may wait for the disk: it is asked by workers only.
    pub fn found_by(find: impl Fn(&HookContext) -> Option<Team> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    /// The same of sessions of these tenants only; of everybody's, where none is named.
    #[must_use]
    pub fn of_tenants(self, tenants: impl IntoIterator<Item = String>) -> Self {
        let tenants: Vec<String> = tenants.into_iter().collect();
        if tenants.is_empty() {
            return self;
        }
        Self::found_by(move |context| {
            let is_meant = context.tenant.as_ref().is_some_and(|tenant| tenants.contains(tenant));
            if is_meant { self.of(context) } else { None }
        })
    }

    /// The team of a session.
    pub(crate) fn of(&self, context: &HookContext) -> Option<Team> {
        (self.0)(context)
    }
}

impl From<Team> for Teams {
    fn from(team: Team) -> Self {
        Self::found_by(move |_| Some(team.clone()))
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Workers")
    }
}

impl fmt::Debug for Teams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Teams")
    }
}

/// An answer that is still to come.
struct Promise<T>(Arc<Mutex<Slot<T>>>);

struct Slot<T> {
    answer: Option<Result<T, BoxError>>,
    waker: Option<Waker>,
}

impl<T> Promise<T> {
    fn slot(&self) -> std::sync::MutexGuard<'_, Slot<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(self, answer: Result<T, BoxError>) {
        let mut slot = self.slot();
        slot.answer = Some(answer);
        let waker = slot.waker.take();
        drop(slot);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The answer of an inner hook, to which is added what was done meanwhile. Both are under way before either is waited
/// for; an error of the inner hook is the answer at once.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F, O, T> {
    #[pin]
    inner: F,
    answer: Option<O>,
    beside: Option<HookFuture<'static, T>>,
    done: Option<T>,
    add: fn(&mut O, T),
}

impl<F, O, T> ResponseFuture<F, O, T> {
    pub(crate) fn new(inner: F, beside: Option<HookFuture<'static, T>>, add: fn(&mut O, T)) -> Self {
        Self { inner, answer: None, beside, done: None, add }
    }
}

impl<F, O, T> Future for ResponseFuture<F, O, T>
where
    F: Future<Output = Result<O, HookError>>,
{
    type Output = Result<O, HookError>;

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
        let Some(mut answer) = this.answer.take() else { return Poll::Pending };
        if let Some(done) = this.done.take() {
            (this.add)(&mut answer, done);
        }
        Poll::Ready(Ok(answer))
    }
}

impl<F, O, T> fmt::Debug for ResponseFuture<F, O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseFuture")
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use hooks_core::Environment;

    use super::*;
    use crate::sim::SimDisk;

    #[test]
    fn sessions_of_other_tenants_have_no_team() {
        let team = Team::new(Arc::new(SimDisk::new(1)), "/app/.squad", &Environment::detached());
        let of = |tenants: &[&str], tenant: Option<&str>| {
            let teams = Teams::from(team.clone()).of_tenants(tenants.iter().map(|name| (*name).to_owned()));
            let mut context = HookContext::new("s", "a");
            context.tenant = tenant.map(str::to_owned);
            teams.of(&context).is_some()
        };
        assert!(of(&[], None) && of(&[], Some("acme")) && of(&["acme"], Some("acme")));
        assert!(!of(&["acme"], None) && !of(&["acme"], Some("initech")));
    }

    #[tokio::test]
    async fn what_is_done_elsewhere_comes_back_and_a_panic_is_an_error() {
        for workers in [Workers::here(), Workers::threads()] {
            assert_eq!(workers.offload(|| Ok(1)).await.unwrap(), 1);
            let error = workers.offload::<()>(|| panic!("no")).await.unwrap_err();
            assert_eq!(error.to_string(), "it panicked");
        }
        assert!(Workers::here().offload(|| Ok(1)).now_or_never().is_some());
    }
}
