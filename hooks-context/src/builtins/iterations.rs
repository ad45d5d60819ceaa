//! `max_iterations`: stops a session after a number of model calls.

use serde_json::Value;

use super::{BuiltinError, Call, Output, World};

/// Blocks model calls beyond the limit. Without a valid limit it does nothing.
pub(super) fn max_iterations(call: &Call<'_>, _world: &World) -> Result<Output, BuiltinError> {
    let limit = call.args.first().and_then(|limit| limit.parse::<u64>().ok()).filter(|limit| *limit > 0);
    let iteration = call.input.get("iteration").and_then(Value::as_u64).unwrap_or_default();
    let Some(limit) = limit.filter(|limit| iteration > *limit) else { return Ok(Output::default()) };
    let reason =
        format!("Agent terminated: max_iterations builtin reached its limit of {limit} model call(s).");
    Ok(Output { decision: Some("block"), reason: Some(reason), ..Output::default() })
}
