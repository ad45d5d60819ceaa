//! The sample of the hooks-provider design. It has one retry counter, which is never reset. The chain moves
//! on at every error of a model. After an error of the network it waits two to the power of the counter, in
//! seconds.

use std::time::Duration;

use hooks_core::time::Timer;
use hooks_resilience::ErrorKind;

use super::{ATTEMPT, Memory};
use crate::storm::sim::Sim;
use crate::storm::traffic::AgentCall;

/// Number of retries after network errors in a session.
const RETRIES: u32 = 3;

/// Makes a call.
pub(super) async fn ask(sim: &Sim, call: &AgentCall, memory: &mut Memory) -> Result<(), ErrorKind> {
    loop {
        let Err(fault) = sim.attempt(call.key, memory.place, ATTEMPT).await else { return Ok(()) };
        match fault.kind {
            ErrorKind::Network | ErrorKind::AttemptTimeout | ErrorKind::StreamBroken => {
                if memory.retries >= RETRIES {
                    return Err(fault.kind);
                }
                memory.retries += 1;
                sim.time.sleep(Duration::from_secs(1 << memory.retries)).await;
            }
            ErrorKind::InvalidRequest | ErrorKind::ContentFilter | ErrorKind::ContextOverflow => {
                return Err(fault.kind);
            }
            _ if memory.place + 1 < sim.params.models.len() => memory.place += 1,
            _ => return Err(fault.kind),
        }
    }
}
