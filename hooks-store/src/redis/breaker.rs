//! Leaves a server alone that does not answer, so that nobody waits for it in vain.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_core::time::Tick;

/// Counts failures in a row.
#[derive(Debug)]
pub(super) struct Breaker {
    failures: u32,
    rest: Duration,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    failed: u32,
    /// Until then the server is left alone, where it is; then one tries, and the others until it should know.
    until: Option<Tick>,
}

impl Breaker {
    /// Opens after `failures` in a row for `rest`. None at all is as one: it never opens before a failure.
    pub(super) fn new(failures: u32, rest: Duration) -> Self {
        Self { failures: failures.max(1), rest, state: Mutex::default() }
    }

    /// Whether the server is asked.
    pub(super) fn lets_pass(&self, now: Tick) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                // This one tries; should nobody hear of it again, the next does after another rest.
                state.until = Some(now.after(self.rest));
                true
            }
        }
    }

    /// It answered.
    pub(super) fn succeeded(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    /// It did not.
    pub(super) fn failed(&self, now: Tick) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.failed = state.failed.saturating_add(1);
        if state.failed >= self.failures {
            state.until = Some(now.after(self.rest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_failures_in_a_row_and_one_tries() {
        let second = Duration::from_secs(1);
        let at = |seconds| Tick(second * seconds);
        let breaker = Breaker::new(2, second);
        breaker.failed(at(0));
        breaker.succeeded();
        breaker.failed(at(0));
        assert!(breaker.lets_pass(at(0)));
        breaker.failed(at(0));
        assert!(!breaker.lets_pass(at(0)));
        assert!(breaker.lets_pass(at(1)));
        assert!(!breaker.lets_pass(at(1)), "one tries");
        assert!(breaker.lets_pass(at(2)), "and was never heard of again");
        breaker.succeeded();
        assert!(breaker.lets_pass(at(2)) && breaker.lets_pass(at(2)));
    }
}
