//! A fallback chain without shared knowledge: every call begins at the first model.

use hooks_resilience::ErrorKind;

use super::tries::Tries;
use crate::storm::sim::Sim;
use crate::storm::traffic::AgentCall;

/// Makes a call.
pub(super) async fn ask(sim: &Sim, call: &AgentCall) -> Result<(), ErrorKind> {
    let mut last = ErrorKind::NoModel;
    for (model, served) in sim.params.models.iter().enumerate() {
        if call.estimate + call.output > served.context_tokens {
            continue;
        }
        match Tries::CLASSIFIED.at_most(2).ask_of(sim, call, model).await {
            Ok(()) => return Ok(()),
            Err(ErrorKind::InvalidRequest) => return Err(ErrorKind::InvalidRequest),
            Err(kind) => last = kind,
        }
    }
    Err(last)
}
