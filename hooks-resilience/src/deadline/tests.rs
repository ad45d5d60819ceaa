use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Timer};
use tower_layer::Layer;

use super::{Deadline, DeadlineLayer};
use crate::attempt::{Attempt, AttemptConfig, AttemptLayer};
use crate::fixture::{Client, Does, ask, at, call, catalog, poll, secs, world};
use crate::{Classified, ErrorKind, World};

/// Counts the timers that are armed.
struct Counting(VirtualTime, std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Timer for Counting {
    fn sleep(&self, duration: std::time::Duration) -> hooks_core::HookFuture<'static, ()> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.0.sleep(duration)
    }
}

type Stack = Deadline<Attempt<Client, Classified>>;

fn stack(world: &World, client: Client) -> Stack {
    let settings = AttemptConfig::default().with_timeout(secs(600));
    let attempt = AttemptLayer::new(world.clone(), settings, Classified).unwrap();
    DeadlineLayer::new(world.clone(), secs(30)).unwrap().layer(attempt.layer(client))
}

#[test]
fn a_call_has_a_deadline_and_keeps_an_earlier_one() {
    for (given, expected) in [(None, 30), (Some(10), 10), (Some(90), 30)] {
        let time = VirtualTime::default();
        let mut stack = stack(&world(&time), Client::new(&time, [Does::Hangs]));
        let mut call = call(&catalog(|_| {}));
        call.deadline = given.map(at);
        let error = time.block_on(ask(&mut stack, call)).unwrap().unwrap_err();
        assert_eq!((error.kind(), time.tick()), (ErrorKind::DeadlineExceeded, at(expected)));
    }
}

#[test]
fn a_call_whose_deadline_has_passed_is_refused_at_once() {
    let time = VirtualTime::default();
    let client = Client::new(&time, []);
    let mut stack = stack(&world(&time), client.clone());
    let call = call(&catalog(|_| {})).until(at(0));
    let error = time.block_on(ask(&mut stack, call)).unwrap().unwrap_err();
    assert_eq!((error.kind(), client.calls()), (ErrorKind::DeadlineExceeded, 0));
}

#[test]
fn one_timer_is_armed_for_an_attempt_and_none_for_an_answer_that_is_there() {
    for (does, expected) in [(Does::Answers, 0), (Does::AnswersIn(secs(1)), 1)] {
        let (time, count) = (VirtualTime::default(), std::sync::Arc::default());
        let mut world = world(&time);
        world.timer = std::sync::Arc::new(Counting(time.clone(), std::sync::Arc::clone(&count)));
        let mut stack = stack(&world, Client::new(&time, [does]));
        time.block_on(ask(&mut stack, call(&catalog(|_| {})))).unwrap().unwrap();
        assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), expected);
    }
}

#[test]
fn an_inner_service_without_a_timer_is_ended_at_the_deadline() {
    /// Never answers, and makes no attempt.
    #[derive(Clone)]
    struct Forever;
    impl tower_service::Service<crate::Call> for Forever {
        type Response = crate::Replied<()>;
        type Error = crate::ModelError;
        type Future = std::future::Pending<Result<Self::Response, Self::Error>>;
        fn poll_ready(
            &mut self,
            _cx: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Result<(), Self::Error>> {
            std::task::Poll::Ready(Ok(()))
        }
        fn call(&mut self, _call: crate::Call) -> Self::Future {
            std::future::pending()
        }
    }
    let time = VirtualTime::default();
    let mut stack = DeadlineLayer::new(world(&time), secs(30)).unwrap().layer(Forever);
    let error = time.block_on(ask(&mut stack, call(&catalog(|_| {})))).unwrap().unwrap_err();
    assert_eq!((error.kind(), time.tick()), (ErrorKind::DeadlineExceeded, at(30)));
}

#[test]
fn a_dropped_call_drops_its_attempt() {
    let time = VirtualTime::default();
    let client = Client::new(&time, [Does::Hangs]);
    let mut stack = stack(&world(&time), client.clone());
    let mut future = ask(&mut stack, call(&catalog(|_| {})));
    assert!(poll(&mut future).is_pending());
    drop(future);
    assert_eq!(client.busy.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn no_time_at_all_is_refused() {
    assert!(DeadlineLayer::new(world(&VirtualTime::default()), secs(0)).is_err());
}
