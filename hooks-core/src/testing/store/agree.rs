//! Compares an engine with the specification.

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use super::history::{Message, any_history};
use super::operations;
use crate::state::{Op, State, StateStore, StepResult, StoreError};
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

/// Sends the same messages at the same times to `engine` and to [`State::step`], and compares the answers. If the
/// engine takes several messages at once, some messages of one time are sent together. At the end, both are asked
/// for everything that is left. `engine` has to be empty and must read its time from `clock`.
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
    let messages: Vec<Message> = history.iter().cloned().chain(questions).collect();
    let mut rest = messages.as_slice();
    let mut most = (1..=MOST_TOGETHER).cycle();
    while let Some(Message { at, .. }) = rest.first() {
        clock.set(*at);
        let now = rest.iter().take_while(|message| message.at == *at).take(most.next().unwrap_or(1)).count();
        let (sent, later) = rest.split_at_checked(now).unwrap_or((rest, &[]));
        let place = messages.len() - rest.len();
        let failed = |error| format!("message {place}, {sent:?}: {error}");
        for ((op, answer), place) in answers(engine, sent).await.map_err(failed)?.into_iter().zip(place..) {
            let expected = state.step(op, *at);
            if answer != expected {
                return Err(format!(
                    "message {place}, {op:?} at {}: the engine answers {answer:?}, the specification {expected:?}",
                    at.0
                ));
            }
        }
        rest = later;
    }
    Ok(())
}

/// So many messages are sent together at most.
const MOST_TOGETHER: usize = 3;

/// The answers to messages of one time.
async fn answers<'m, S: StateStore + ?Sized>(
    engine: &S,
    messages: &'m [Message],
) -> Result<Vec<(&'m Op, StepResult)>, StoreError> {
    let ops: Vec<Op> = messages.iter().map(|message| message.op.clone()).collect();
    let mut answers = Vec::new();
    match if ops.len() > 1 { engine.together(&ops) } else { None } {
        Some(all) => answers = all.await?,
        None => {
            for op in ops {
                answers.push(engine.apply(op).await?);
            }
        }
    }
    Ok(messages.iter().map(|message| &message.op).zip(answers).collect())
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
