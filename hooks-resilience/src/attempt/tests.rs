use std::time::Duration;

use hooks_core::testing::VirtualTime;
use hooks_core::time::{Clock, Timer, Timestamp};
use tower_layer::Layer;

use super::{Attempt, AttemptConfig, AttemptLayer};
use crate::fixture::{Client, Does, ask, at, call, catalog, poll, secs, world};
use crate::{Classified, ErrorKind, ModelError, Replied};

fn attempts(time: &VirtualTime, does: Does) -> (Attempt<Client, Classified>, Client) {
    let client = Client::new(time, [does]);
    let settings = AttemptConfig::default().with_timeout(secs(60));
    let layer = AttemptLayer::new(world(time), settings, Classified).unwrap();
    (layer.layer(client.clone()), client)
}

/// The result of one call, after `change`.
fn one(
    time: &VirtualTime,
    does: Does,
    change: impl FnOnce(&mut crate::Call),
) -> Result<Replied<&'static str>, ModelError> {
    let mut call = call(&catalog(|_| {}));
    change(&mut call);
    time.block_on(ask(&mut attempts(time, does).0, call)).unwrap()
}

#[test]
fn an_answer_says_which_model_gave_it() {
    let replied = one(&VirtualTime::default(), Does::AnswersIn(secs(59)), |_| {}).unwrap();
    assert_eq!((replied.reply, &*replied.model.unwrap().name), ("answer", "a"));
}

#[test]
fn an_error_says_which_model_it_is_of() {
    let error = one(&VirtualTime::default(), Does::Fails(ErrorKind::Server), |_| {}).unwrap_err();
    assert_eq!((error.kind(), &**error.model().unwrap()), (ErrorKind::Server, "a"));
}

#[test]
fn an_attempt_ends_at_its_own_limit() {
    let time = VirtualTime::default();
    let error = one(&time, Does::Hangs, |call| call.deadline = Some(at(100))).unwrap_err();
    assert_eq!((error.kind(), time.tick()), (ErrorKind::AttemptTimeout, at(60)));
}

#[test]
fn an_attempt_ends_at_the_deadline_of_its_call() {
    let time = VirtualTime::default();
    let error = one(&time, Does::Hangs, |call| call.deadline = Some(at(10))).unwrap_err();
    assert_eq!((error.kind(), time.tick()), (ErrorKind::DeadlineExceeded, at(10)));
}

#[test]
fn a_first_attempt_leaves_two_thirds_of_the_time_where_another_model_could_answer_in_them() {
    for (elsewhere, ends, kind) in [
        (Some(0), 14, ErrorKind::AttemptTimeout),
        (Some(14), 14, ErrorKind::AttemptTimeout),
        (Some(15), 42, ErrorKind::DeadlineExceeded),
        (None, 42, ErrorKind::DeadlineExceeded),
    ] {
        let time = VirtualTime::default();
        let error = one(&time, Does::Hangs, |call| {
            (call.deadline, call.elsewhere) = (Some(at(42)), elsewhere.map(at));
        });
        assert_eq!((error.unwrap_err().kind(), time.tick()), (kind, at(ends)), "{elsewhere:?}");
    }
}

#[test]
fn an_attempt_that_begins_later_has_a_third_of_the_time_too_and_no_more_than_is_left() {
    for (began, ends, kind) in [
        (0, 14, ErrorKind::AttemptTimeout),
        (13, 27, ErrorKind::AttemptTimeout),
        (14, 28, ErrorKind::AttemptTimeout),
        (21, 35, ErrorKind::AttemptTimeout),
        (27, 41, ErrorKind::AttemptTimeout),
        (28, 42, ErrorKind::DeadlineExceeded),
        (33, 42, ErrorKind::DeadlineExceeded),
    ] {
        let time = VirtualTime::default();
        time.block_on(time.sleep(at(began).since(time.tick()))).unwrap();
        let error = one(&time, Does::Hangs, |call| {
            (call.deadline, call.elsewhere) = (Some(at(42)), Some(at(began)));
            call.set_began(Some(at(0)));
        });
        assert_eq!((error.unwrap_err().kind(), time.tick()), (kind, at(ends)), "{began}");
    }
}

#[test]
fn a_model_may_have_a_limit_of_its_own() {
    let time = VirtualTime::default();
    let (mut service, _) = attempts(&time, Does::Hangs);
    let catalog = catalog(|model| model.attempt_timeout = Some(Duration::from_millis(1_500)));
    let error = time.block_on(ask(&mut service, call(&catalog))).unwrap().unwrap_err();
    assert_eq!((error.kind(), time.tick().0), (ErrorKind::AttemptTimeout, Duration::from_millis(1_500)));
}

#[test]
fn a_stream_that_does_not_begin_is_late_with_its_first_byte() {
    let time = VirtualTime::default();
    let layer = AttemptLayer::new(world(&time), AttemptConfig::default().streaming(), Classified).unwrap();
    let mut service = layer.layer(Client::new(&time, [Does::Hangs]));
    let error = time.block_on(ask(&mut service, call(&catalog(|_| {})))).unwrap().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FirstByteTimeout);
}

#[test]
fn after_the_deadline_nobody_is_asked() {
    let time = VirtualTime::default();
    let (mut service, client) = attempts(&time, Does::Answers);
    let call = call(&catalog(|_| {})).until(at(0));
    let error = time.block_on(ask(&mut service, call)).unwrap().unwrap_err();
    assert_eq!((error.kind(), client.calls()), (ErrorKind::DeadlineExceeded, 0));
}

#[test]
fn a_panic_is_an_error_whenever_it_comes() {
    for does in [Does::Panics, Does::PanicsLater] {
        let error = one(&VirtualTime::default(), does, |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unknown);
        assert_eq!(error.message(), "the client panicked: scripted");
    }
}

#[test]
fn a_call_without_a_model_names_the_one_of_its_request() {
    let error = one(&VirtualTime::default(), Does::Fails(ErrorKind::Server), |call| call.model = None);
    assert_eq!(&**error.unwrap_err().model().unwrap(), "a");
}

#[test]
fn a_calendar_that_is_set_changes_no_limit() {
    for calendar in [0, 86_400_000_000] {
        let time = VirtualTime::at(Timestamp(1_000_000));
        let (mut service, _) = attempts(&time, Does::Hangs);
        let mut future = ask(&mut service, call(&catalog(|_| {})));
        assert!(poll(&mut future).is_pending());
        time.set_calendar(Timestamp(calendar));
        let error = time.block_on(future).unwrap().unwrap_err();
        assert_eq!((error.kind(), time.tick()), (ErrorKind::AttemptTimeout, at(60)));
    }
}

#[test]
fn a_dropped_attempt_drops_its_client_and_says_that_its_timer_is_gone() {
    let time = VirtualTime::default();
    let (mut service, client) = attempts(&time, Does::Hangs);
    let call = call(&catalog(|_| {}));
    let mut future = ask(&mut service, call.clone());
    assert!(!call.timing().is_timed(), "armed before anybody waited");
    assert!(poll(&mut future).is_pending());
    assert!(call.timing().is_timed());
    drop(future);
    assert!(!call.timing().is_timed());
    assert_eq!(client.busy.load(std::sync::atomic::Ordering::Relaxed), 0);
}

#[test]
fn no_time_at_all_is_refused() {
    let settings = AttemptConfig::default().with_timeout(Duration::ZERO);
    let error = AttemptLayer::new(world(&VirtualTime::default()), settings, Classified).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`attempt_timeout` is zero; give a count of at least 1, or a time such as `30s`"
    );
}
