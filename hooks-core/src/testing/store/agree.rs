//! Compares an engine with the specification.

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::history::{Message, any_history};
use super::operations;
use crate::state::{Op, State, StateStore};
use crate::time::{Clock, Timestamp};

/// A clock that tests set, forwards or backwards; its ticks follow the calendar.
#[derive(Debug, Default)]
pub struct HandClock(AtomicU64);

impl HandClock {
    /// Sets the time.
    pub fn set(&self, now: Timestamp) {
        self.0.store(now.0, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// Sends the same messages at the same times to `engine` and to [`State::step`], and compares the answers. At
/// the end, both are asked for everything that is left. `engine` has to be empty and must read its time from
/// `clock`.
///
/// # Errors
/// Returns a text with the first message that was answered differently and both answers, or with the message
/// on which the engine failed.
pub async fn agree<S: StateStore + ?Sized>(
    engine: &S,
    clock: &HandClock,
    history: &[Message],
) -> Result<(), String> {
    let mut state = State::default();
    let end = history.iter().map(|message| message.at).max().unwrap_or_default();
    let questions = operations::questions().into_iter().map(|op| Message { at: end, op });
    for (place, Message { at, op }) in history.iter().cloned().chain(questions).enumerate() {
        clock.set(at);
        let expected = state.step(&op, at);
        let answer = engine
            .apply(Op::clone(&op))
            .await
            .map_err(|error| format!("message {place}, {op:?} at {}: {error}", at.0))?;
        if answer != expected {
            return Err(format!(
                "message {place}, {op:?} at {}: the engine answers {answer:?}, the specification {expected:?}",
                at.0
            ));
        }
    }
    Ok(())
}

/// Runs `check` on random histories, the same ones in each run, and shrinks the first that fails.
#[track_caller]
#[expect(clippy::panic, reason = "an assertion for tests")]
pub fn on_random_histories(cases: u32, check: impl Fn(Vec<Message>) -> Result<(), String>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&any_history(), |history| check(history).map_err(TestCaseError::fail)) {
        panic!("{error}");
    }
}
