//! Hands work to workers and returns the result.

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use crate::error::BoxError;
use crate::future::HookFuture;

use super::{Workers, lock};

/// Lets `workers` do `work`, and returns its result. A panic is an error, and so is work that the workers
/// drop.
pub fn offload<T: Send + 'static>(
    workers: &dyn Workers,
    work: impl FnOnce() -> Result<T, BoxError> + Send + 'static,
) -> HookFuture<'static, Result<T, BoxError>> {
    let slot = Arc::new(Mutex::new(Slot { answer: None, waker: None }));
    let theirs = Arc::clone(&slot);
    offload_then(workers, work, move |answer| {
        let waker = {
            let mut slot = lock(&theirs);
            slot.answer = Some(answer);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    });
    if let Some(answer) = lock(&slot).answer.take() {
        return HookFuture::now(answer);
    }
    HookFuture::later(std::future::poll_fn(move |cx| {
        let mut slot = lock(&slot);
        match slot.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }))
}

/// Lets `workers` do `work` without waiting. `then` gets the result, on the thread of the worker. If the work
/// panics or is dropped, `then` gets an error.
pub fn offload_then<T: 'static>(
    workers: &dyn Workers,
    work: impl FnOnce() -> Result<T, BoxError> + Send + 'static,
    then: impl FnOnce(Result<T, BoxError>) + Send + 'static,
) {
    let mut then = Then(Some(then), PhantomData);
    workers.start(Box::new(move || {
        then.tell(catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("it panicked".into())));
    }));
}

struct Slot<T> {
    answer: Option<Result<T, BoxError>>,
    waker: Option<Waker>,
}

/// Calls the callback exactly once; if the work is dropped, the callback gets an error.
struct Then<T, F: FnOnce(Result<T, BoxError>)>(Option<F>, PhantomData<fn(T)>);

impl<T, F: FnOnce(Result<T, BoxError>)> Then<T, F> {
    fn tell(&mut self, answer: Result<T, BoxError>) {
        if let Some(then) = self.0.take() {
            then(answer);
        }
    }
}

impl<T, F: FnOnce(Result<T, BoxError>)> Drop for Then<T, F> {
    fn drop(&mut self) {
        self.tell(Err("not done: too much work is in flight".into()));
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::beside::{Here, Threads, Work};

    /// Workers that never do anything.
    struct Idle;

    impl Workers for Idle {
        fn start(&self, _work: Work) {}
    }

    #[tokio::test]
    async fn what_is_done_elsewhere_comes_back() {
        assert_eq!(offload(&Threads, || Ok(1)).await.unwrap(), 1);
        assert_eq!(offload(&Here, || Ok(1)).now_or_never().unwrap().unwrap(), 1);
    }

    #[tokio::test]
    async fn work_that_is_not_done_is_an_error() {
        let error = offload::<()>(&Threads, || panic!("no")).await.unwrap_err();
        assert_eq!(error.to_string(), "it panicked");
        let error = offload(&Idle, || Ok(1)).now_or_never().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "not done: too much work is in flight");
    }

    #[test]
    fn what_nobody_waits_for_is_told_once() {
        let (tell, told) = std::sync::mpsc::channel();
        let told_of = |workers: &dyn Workers, work: fn() -> Result<i32, BoxError>| {
            let tell = tell.clone();
            offload_then(workers, work, move |done| {
                tell.send(done.map_err(|error| error.to_string())).unwrap();
            });
            let told: Vec<_> = told.try_iter().collect();
            told
        };
        assert_eq!(told_of(&Here, || Ok(1)), [Ok(1)]);
        assert_eq!(told_of(&Here, || panic!("no")), [Err("it panicked".to_owned())]);
        assert_eq!(told_of(&Idle, || Ok(1)), [Err("not done: too much work is in flight".to_owned())]);
    }
}
