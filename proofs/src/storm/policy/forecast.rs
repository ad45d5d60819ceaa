//! Policy that knows the weather and the quotas, but not the luck of an attempt. No policy can reach a better
//! result if all it knows is the share of attempts that every model answers at each moment. With a model that
//! answers one attempt in ten, the oracle needs only the lucky attempt, and this policy needs ten.

use std::time::Duration;

use hooks_core::time::Timer;
use hooks_resilience::ErrorKind;

use super::ATTEMPT;
use crate::storm::sim::Sim;
use crate::storm::traffic::AgentCall;
use crate::storm::weather::HOPELESS;

/// The pause after an attempt that failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Makes a call.
pub(super) async fn ask(sim: &Sim, call: &AgentCall) -> Result<(), ErrorKind> {
    let deadline = sim.deadline();
    let mut refused = 0_u64;
    let mut last = ErrorKind::DeadlineExceeded;
    while sim.now() < deadline {
        let now = sim.now();
        let left = deadline.since(now);
        let models = 0..sim.params.models.len();
        let able = models.filter(|model| refused >> model & 1 == 0 && sim.providers.is_able(call, *model));
        let best = able.map(|model| (sim.providers.weather.answered_share(model, now), model));
        // The model with the highest share is chosen; among equal ones, the one whose quota has room first.
        let best = best.max_by(|(share, model), (other, rival)| {
            share.total_cmp(other).then_with(|| sim.next_slot(*rival, now).cmp(&sim.next_slot(*model, now)))
        });
        let Some((share, model)) = best else { return Err(last) };
        if share < HOPELESS {
            sim.time.sleep(PAUSE.min(left)).await;
            continue;
        }
        let slot = sim.next_slot(model, now);
        if slot > now {
            sim.time.sleep(slot.since(now).min(left)).await;
            continue;
        }
        match sim.attempt(call.key, model, ATTEMPT.min(left)).await {
            Ok(()) => return Ok(()),
            Err(fault) => last = fault.kind,
        }
        match last {
            ErrorKind::InvalidRequest => return Err(last),
            ErrorKind::ContentFilter | ErrorKind::ContextOverflow => refused |= 1 << model,
            _ => sim.time.sleep(PAUSE.min(deadline.since(sim.now()))).await,
        }
    }
    Err(last)
}
