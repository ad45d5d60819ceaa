//! Tests of the alerts that are sent, and their rate.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::event::{Level, Notification};
use hooks_core::{Background, FailureLayer, HookError, HookFuture, HookRequest, Hooks, hook_fn};
use hooks_resilience::alert::{Alert, AlertKind, NotificationSink};
use hooks_resilience::{AlertConfig, AlertLayer, AlertSink, ErrorKind};
use tower::{Layer, ServiceExt};

use crate::rig::*;

/// Records the alerts that it receives.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<Alert>>>);

impl Told {
    fn sink(&self) -> impl AlertSink + use<> {
        let told = self.clone();
        move |alert: Alert| told.0.lock().unwrap().push(alert)
    }

    fn kinds(&self) -> Vec<AlertKind> {
        self.0.lock().unwrap().iter().map(|alert| alert.kind).collect()
    }
}

fn send(rig: &Rig, layer: &AlertLayer) -> Outcome {
    rig.time.block_on(layer.layer(rig.stack()).oneshot(rig.call())).unwrap()
}

fn told(rig: &Rig, settings: AlertConfig) -> (Told, AlertLayer) {
    let told = Told::default();
    let layer = AlertLayer::new(&rig.health, settings, told.sink()).unwrap();
    (told, layer)
}

#[test]
fn a_healthy_call_says_nothing() {
    let rig = Rig::new(three());
    let (told, layer) = told(&rig, AlertConfig::default());
    send(&rig, &layer).unwrap();
    assert_eq!(told.kinds(), []);
}

#[test]
fn credentials_that_are_refused_are_told_once_although_another_provider_answers() {
    let rig = Rig::new(three());
    let (told, layer) = told(&rig, AlertConfig::default());
    rig.client.always("one", Act::fail(ErrorKind::Authentication));
    for _ in 0..3 {
        send(&rig, &layer).unwrap();
    }
    // The breaker of the provider opens too.
    assert_eq!(told.kinds(), [AlertKind::BreakerOpened, AlertKind::Mend(ErrorKind::Authentication)]);
    let alert = told.0.lock().unwrap()[1].clone();
    assert_eq!(
        (alert.to_string().as_str(), alert.level()),
        ("`one`: authentication: it failed", Level::Error)
    );
    assert_eq!(alert.context.session_id, "s1");
}

#[test]
fn a_chain_at_its_end_is_told() {
    let rig = Rig::impatient(alone());
    let (told, layer) = told(&rig, AlertConfig::default());
    rig.client.plays("one", [Act::fail(ErrorKind::AttemptTimeout)]);
    send(&rig, &layer).unwrap_err();
    assert_eq!(told.kinds(), [AlertKind::ChainExhausted]);
}

#[test]
fn a_mistake_of_the_caller_is_no_end_of_a_chain() {
    let rig = Rig::new(alone());
    let (told, layer) = told(&rig, AlertConfig::default());
    rig.client.plays("one", [Act::fail(ErrorKind::InvalidRequest)]);
    send(&rig, &layer).unwrap_err();
    assert_eq!(told.kinds(), []);
}

#[test]
fn too_many_errors_within_a_window_are_told_and_the_same_over_a_longer_time_are_not() {
    for (pause, expected) in [(1, vec![AlertKind::TooManyErrors]), (61, vec![])] {
        let rig = Rig::new(three());
        let (told, layer) = told(&rig, AlertConfig::default().with_threshold(3, secs(60)));
        for _ in 0..3 {
            rig.client.plays("one", [Act::fail(ErrorKind::Server), Act::answer()]);
            send(&rig, &layer).unwrap();
            send(&rig, &layer).unwrap();
            rig.wait(secs(pause));
        }
        assert_eq!(told.kinds(), expected);
    }
}

#[test]
fn the_same_is_said_again_after_a_while_and_how_much_was_held_back() {
    let rig = Rig::new(alone());
    let (told, layer) = told(&rig, AlertConfig::default().with_quiet(secs(120)));
    for _ in 0..3 {
        rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
        send(&rig, &layer).unwrap_err();
    }
    rig.wait(secs(121));
    rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
    send(&rig, &layer).unwrap_err();
    let alerts = told.0.lock().unwrap().clone();
    assert_eq!(alerts.iter().map(|alert| alert.held_back).collect::<Vec<_>>(), [0, 2]);
    assert!(alerts[1].to_string().ends_with("(2 alerts were held back)"));
}

#[test]
fn no_more_is_said_in_a_minute_than_may() {
    let rig = Rig::new(three());
    let (told, layer) = told(&rig, AlertConfig::default().with_rate(1));
    rig.client.always("one", Act::fail(ErrorKind::Permission));
    rig.client.always("two", Act::fail(ErrorKind::Permission));
    send(&rig, &layer).unwrap();
    assert_eq!(told.kinds().len(), 1);
}

#[test]
fn a_sink_that_panics_is_counted_and_the_call_does_not_see_it() {
    let rig = Rig::impatient(alone());
    let panics = |_: Alert| panic!("a sink that panics");
    let layer = AlertLayer::new(&rig.health, AlertConfig::default(), panics).unwrap();
    rig.client.plays("one", [Act::fail(ErrorKind::AttemptTimeout)]);
    assert_eq!(send(&rig, &layer).unwrap_err().kind(), ErrorKind::AttemptTimeout);
    assert_eq!(layer.dropped(), 1);
}

/// A sink whose future never ends.
struct Stuck;

impl AlertSink for Stuck {
    fn send(&self, _alert: Alert) -> HookFuture<'static, ()> {
        HookFuture::later(std::future::pending())
    }
}

/// Records the work that it is given.
#[derive(Default)]
struct Later(Mutex<Vec<HookFuture<'static, ()>>>);

impl Background for Later {
    fn run(&self, work: HookFuture<'static, ()>) {
        self.0.lock().unwrap().push(work);
    }
}

#[test]
fn a_sink_that_is_stuck_fills_its_queue_and_nothing_else() {
    let rig = Rig::new(alone());
    let later = Arc::new(Later::default());
    let settings = AlertConfig::default().with_quiet(Duration::ZERO).with_rate(100).with_queue(2);
    let layer = AlertLayer::new(&rig.health, settings, Stuck).unwrap().in_background(later.clone());
    for _ in 0..5 {
        rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
        send(&rig, &layer).unwrap_err();
    }
    assert_eq!((later.0.lock().unwrap().len(), layer.dropped()), (1, 3));
    // Without a background, an alert whose sink waits is lost, and the next one is tried.
    let layer = AlertLayer::new(&rig.health, settings, Stuck).unwrap();
    for lost in 1..3 {
        rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
        send(&rig, &layer).unwrap_err();
        assert_eq!(layer.dropped(), lost);
    }
}

#[test]
fn the_notification_event_is_fired() {
    let rig = Rig::new(alone());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let hook = hook_fn(move |request: HookRequest<Notification>| {
        listener.lock().unwrap().push((request.event().level, request.event().message.clone()));
        async { Ok::<_, HookError>(()) }
    });
    let hooks = Hooks::builder().hook(&FailureLayer::new("pager"), hook).build();
    let layer = AlertLayer::new(&rig.health, AlertConfig::default(), NotificationSink::new(hooks)).unwrap();
    rig.client.plays("one", [Act::fail(ErrorKind::ContextOverflow)]);
    send(&rig, &layer).unwrap_err();
    let heard = heard.lock().unwrap();
    assert_eq!((heard.len(), heard[0].0), (1, Level::Error));
    assert!(heard[0].1.starts_with("no model is left: `one`: context_overflow"), "{}", heard[0].1);
}

#[test]
fn nonsense_is_refused() {
    let rig = Rig::new(alone());
    let settings = AlertConfig::default().with_threshold(0, secs(1));
    assert!(AlertLayer::new(&rig.health, settings, Stuck).is_err());
}
