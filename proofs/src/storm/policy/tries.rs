//! Retries with one model, as in most programs.

use std::time::Duration;

use hooks_core::time::Timer;
use hooks_resilience::ErrorKind;

use super::ATTEMPT;
use crate::storm::dice::{Dice, Purpose};
use crate::storm::sim::Sim;
use crate::storm::traffic::AgentCall;

/// Number of attempts, and the pauses between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::storm) struct Tries {
    most: u32,
    pause: Pause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    Fixed(Duration),
    Doubling(Duration),
    /// Full jitter below a doubling bound, after the wait in Retry-After, and only for errors that may pass.
    Classified,
}

impl Tries {
    pub(super) const NONE: Self = Self { most: 1, pause: Pause::Fixed(Duration::ZERO) };
    pub(super) const THREE: Self = Self { most: 3, pause: Pause::Fixed(Duration::from_secs(2)) };
    pub(super) const TEN: Self = Self { most: 10, pause: Pause::Fixed(Duration::ZERO) };
    pub(super) const FIVE: Self = Self { most: 5, pause: Pause::Doubling(Duration::from_secs(1)) };
    pub(super) const CLASSIFIED: Self = Self { most: 5, pause: Pause::Classified };

    /// Sets the number of attempts.
    pub(super) const fn at_most(self, most: u32) -> Self {
        Self { most, ..self }
    }

    /// Makes a call.
    pub(super) async fn ask(self, sim: &Sim, call: &AgentCall) -> Result<(), ErrorKind> {
        self.ask_of(sim, call, 0).await
    }

    /// Makes a call of `model`.
    pub(super) async fn ask_of(self, sim: &Sim, call: &AgentCall, model: usize) -> Result<(), ErrorKind> {
        let mut tried = 1;
        loop {
            let Err(fault) = sim.attempt(call.key, model, ATTEMPT).await else { return Ok(()) };
            let doubled = |first: Duration| first * 2_u32.pow((tried - 1).min(5));
            let pause = match self.pause {
                Pause::Fixed(pause) => pause,
                Pause::Doubling(first) => doubled(first),
                Pause::Classified if !is_worth_a_retry(fault.kind) => return Err(fault.kind),
                Pause::Classified => {
                    let jitter = Dice::new(0, Purpose::Policy, [call.key, u64::from(tried)]).unit();
                    let told = fault.retry_after.unwrap_or_default();
                    told + doubled(Duration::from_secs(1)).mul_f64(jitter)
                }
            };
            // The call fails instead of pausing for more than a minute.
            if tried >= self.most || pause > Duration::from_secs(60) {
                return Err(fault.kind);
            }
            tried += 1;
            sim.time.sleep(pause).await;
        }
    }
}

/// Whether the same request may succeed at another time.
fn is_worth_a_retry(kind: ErrorKind) -> bool {
    !matches!(
        kind,
        ErrorKind::ContextOverflow
            | ErrorKind::ContentFilter
            | ErrorKind::InvalidRequest
            | ErrorKind::QuotaExhausted
    )
}
