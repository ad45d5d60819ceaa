//! A circuit breaker: it stops requests to a server that does not answer, so that callers do not wait in
//! vain.

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
    /// End of the pause in which no request is sent; `None` while the breaker is closed. After the pause one
    /// request tries, and a new pause begins for all others.
    until: Option<Tick>,
}

impl Breaker {
    /// Opens for `rest` after `failures` in a row. Zero counts as one, so that the breaker never opens
    /// without a failure.
    pub(super) fn new(failures: u32, rest: Duration) -> Self {
        Self { failures: failures.max(1), rest, state: Mutex::default() }
    }

    /// Returns whether a request may be sent.
    pub(super) fn lets_pass(&self, now: Tick) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                // This request tries. If its result is never reported, the next one tries after another
                // pause.
                state.until = Some(now.after(self.rest));
                true
            }
        }
    }

    /// Records an answer.
    pub(super) fn succeeded(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::default();
    }

    /// Records a failure.
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
