//! Policy that knows the weather, the quotas and the luck of every attempt. It asks the model that answers
//! first, and makes no attempt in vain, except one for its error if no model can answer. No policy can reach
//! a better result.

use std::time::Duration;

use hooks_core::time::{Tick, Timer};
use hooks_resilience::ErrorKind;

use super::ATTEMPT;
use crate::storm::sim::Sim;
use crate::storm::traffic::AgentCall;

/// Number of changes of the weather that it looks ahead: far more than there are within a deadline.
const FAR: usize = 64;

/// Number of moments that it looks at in one weather, a second apart. With a model that answers one attempt
/// in ten, it finds the lucky one in all but one of 150 cases.
const LUCK: u64 = 48;

/// Makes a call.
pub(super) async fn ask(sim: &Sim, call: &AgentCall) -> Result<(), ErrorKind> {
    let deadline = sim.deadline();
    loop {
        let now = sim.now();
        let best = (0..sim.params.models.len())
            .filter_map(|model| first_answer(sim, call, model, now, deadline).map(|answer| (answer, model)))
            .min_by_key(|(answer, _)| answer.done);
        let Some((answer, model)) = best else { break };
        if answer.start > now && answer.is_later_weather {
            // Quota is booked only for attempts in the current weather.
            sim.time.sleep(answer.start.since(now)).await;
            continue;
        }
        sim.book(model, answer.start);
        sim.time.sleep(answer.start.since(now)).await;
        if sim.attempt_booked(call.key, model, answer.luck).await.is_ok() {
            return Ok(());
        }
    }
    // No model would answer in time: one attempt, for its error.
    let fault = sim.attempt(call.key, 0, Duration::from_secs(60).min(deadline.since(sim.now()))).await;
    Err(fault.err().map_or(ErrorKind::DeadlineExceeded, |fault| fault.kind))
}

/// Whether any model would have answered `call` at some moment from `from` on, by `deadline`, had there been room in its quota.
pub(in crate::storm) fn could_answer(sim: &Sim, call: &AgentCall, from: Tick, deadline: Tick) -> bool {
    let mut models = 0..sim.params.models.len();
    models.any(|model| answer_from(sim, call, model, from, from, deadline).is_some())
}

/// The first answer of one model.
struct FirstReply {
    start: Tick,
    done: Tick,
    /// Index of the lucky attempt among the moments looked at.
    luck: u64,
    is_later_weather: bool,
}

fn first_answer(sim: &Sim, call: &AgentCall, model: usize, now: Tick, deadline: Tick) -> Option<FirstReply> {
    answer_from(sim, call, model, now, sim.next_slot(model, now), deadline)
}

fn answer_from(
    sim: &Sim,
    call: &AgentCall,
    model: usize,
    now: Tick,
    mut from: Tick,
    deadline: Tick,
) -> Option<FirstReply> {
    let first_change = sim.providers.weather.at(model, now).1.unwrap_or(Tick(Duration::MAX));
    for _ in 0..FAR {
        let until = sim.providers.weather.at(model, from).1.unwrap_or(Tick(Duration::MAX));
        for luck in 0..LUCK {
            let start = from.after(Duration::from_secs(luck));
            if start >= until.min(deadline) {
                break;
            }
            let fate = sim.providers.fate(call, model, luck, start);
            let takes = fate.takes.filter(|takes| *takes <= ATTEMPT);
            if let (Some(takes), Ok(())) = (takes, fate.result) {
                let done = start.after(takes);
                let is_later_weather = start >= first_change;
                return (done <= deadline).then_some(FirstReply { start, done, luck, is_later_weather });
            }
        }
        from = until;
        if from >= deadline {
            return None;
        }
    }
    None
}
