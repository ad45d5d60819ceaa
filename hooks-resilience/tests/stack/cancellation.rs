//! Calls that are dropped at any await release everything they held.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hooks_core::time::Timer;
use hooks_resilience::{ErrorKind, FallbackConfig, HealthSettings, HedgeConfig, HedgeLayer, Model};
use tower::{Layer, Service, ServiceExt};

use crate::rig::*;

/// Polls `future` up to `polls` times, with time for other tasks between the polls, then drops it. Returns
/// whether it completed before.
fn drop_after<F: Future>(rig: &Rig, future: F, polls: usize) -> bool {
    let mut future = pin!(future);
    let mut left = polls;
    let end = rig.time.block_on(std::future::poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(true),
            Poll::Pending => Poll::Pending,
        }
    }));
    end.unwrap_or(false)
}

/// A rig in which nothing that a call holds is released by itself: a probe counts as lost only after a day,
/// and each model has one place.
fn rig(models: impl IntoIterator<Item = Model>, settings: FallbackConfig) -> Rig {
    let mut health = HealthSettings::default();
    health.breaker.probe = secs(24 * 60 * 60);
    let models = models.into_iter().map(|mut model| {
        (model.limits.concurrent, model.limits.requests_per_minute) = (Some(1), Some(600));
        model
    });
    Rig::with(models, health, settings)
}

fn patient(models: impl IntoIterator<Item = Model>) -> Rig {
    rig(models, FallbackConfig::default())
}

/// Checks that the call released everything it can hold: a place among the parked, a probe of a breaker, a
/// place of a provider.
fn nothing_is_held(rig: &Rig, polls: usize) {
    assert_eq!(rig.fallback.parking().parked(), 0, "a place is held after {polls} polls");
    // The next call probes every open breaker in time, which shows that no probe is in flight.
    rig.wait(secs(1_000));
    rig.client.always("one", Act::answer());
    assert!(rig.send(rig.call()).is_ok(), "a probe or a place is held after {polls} polls");
    assert_eq!(rig.client.calls().last().unwrap(), "one");
}

#[test]
fn at_every_await_of_a_call_that_fails_over_pauses_and_is_parked() {
    let mut ended = false;
    for polls in 1..60 {
        let rig = patient(three());
        // The call fails over, pauses, is parked until a breaker admits a probe, and is answered.
        rig.client.plays("one", [Act::fail(ErrorKind::RateLimited).told(secs(30))]);
        rig.client.plays("two", [Act::fail(ErrorKind::Overloaded); 2]);
        rig.client.plays("three", [Act::fail(ErrorKind::Network); 2]);
        ended = drop_after(&rig, rig.stack().oneshot(rig.call()), polls);
        nothing_is_held(&rig, polls);
        if ended {
            break;
        }
    }
    assert!(ended, "the call took more polls than were tried");
}

#[test]
fn at_every_await_of_a_probe() {
    for polls in 1..8 {
        let rig = rig(alone(), FallbackConfig::default().with_max_park(secs(20)));
        rig.client.plays("one", [Act::fail(ErrorKind::Network); 3]);
        assert!(rig.send(rig.call()).is_err());
        rig.wait(secs(60));
        // The breaker is due for a probe: this call is the probe.
        drop_after(&rig, rig.stack().oneshot(rig.call()), polls);
        nothing_is_held(&rig, polls);
    }
}

#[test]
fn at_every_await_of_a_hedged_call() {
    let mut ended = false;
    for polls in 1..20 {
        let rig = patient(three());
        rig.client.plays("one", [Act::answer().taking(secs(60))]);
        let layer = HedgeLayer::new(rig.chains.clone(), rig.health.clone(), HedgeConfig::after(secs(5)));
        let mut call = call("one");
        call.model = rig.chains.catalog().get("one").cloned();
        let hedged = layer.unwrap().layer(rig.layers.bulkhead.layer(rig.attempts()));
        ended = drop_after(&rig, hedged.oneshot(call), polls);
        nothing_is_held(&rig, polls);
        if ended {
            break;
        }
    }
    assert!(ended);
}

#[test]
fn at_every_await_for_a_place() {
    for polls in 1..8 {
        let rig = patient(alone());
        rig.client.plays("one", [Act::answer().taking(secs(30))]);
        let mut first = Box::pin(rig.stack().oneshot(rig.call()));
        assert!(first.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let ended = drop_after(&rig, rig.stack().oneshot(rig.call()), polls);
        drop(first);
        nothing_is_held(&rig, polls);
        if ended {
            break;
        }
    }
}

#[test]
fn before_it_is_polled_at_all() {
    let rig = patient(alone());
    let mut stack = rig.stack();
    assert!(stack.poll_ready(&mut Context::from_waker(Waker::noop())).is_ready());
    drop(stack.call(rig.call()));
    rig.time.block_on(rig.time.sleep(secs(1)));
    nothing_is_held(&rig, 0);
}

#[test]
fn at_every_await_for_a_slot_of_a_rate() {
    let mut ended = false;
    for polls in 1..20 {
        // One request in ten seconds. A chain parks a call until there is room; the retry below it waits for
        // a slot.
        let [mut model] = alone();
        model.limits.requests_per_minute = Some(6);
        let rig = Rig::new([model]);
        rig.client.plays("one", [Act::fail(ErrorKind::Overloaded)]);
        ended = drop_after(&rig, rig.stack().oneshot(rig.call()), polls);
        let sent = rig.client.calls().len() as u64;
        assert!(rig.send(rig.call()).is_ok());
        // A slot of an attempt that was not sent goes to the next one; a slot of one that was sent is used.
        let next = *rig.client.times().last().unwrap();
        assert!(
            next >= secs(10 * sent) && next < secs(10 * sent + 2),
            "{polls} polls, {sent} sent: {next:?}"
        );
        if ended {
            assert_eq!(sent, 2);
            break;
        }
    }
    assert!(ended);
}
