//! `snapshot`: the files of a working copy as they are, kept to go back to.
//!
//! Snapshots are trees in a repository of their own ([`Shadow`]) below the host's store. The user's repository is only
//! asked where it begins: its index, its references and its configuration are never touched. What it ignores is not
//! kept, nor what is inside other repositories within it.

mod shadow;

use std::time::Duration;

use hooks_core::time::Timestamp;

pub use self::shadow::{Restored, Shadow, Snapshot, SnapshotError};
use super::{BuiltinError, Call, Output, World};

/// How long an event waits for a snapshot, all of its steps together: far less than a handler may take, which would
/// close what waits for it.
const BUDGET: Duration = Duration::from_secs(15);

/// How long snapshots are kept once their session is over.
const KEPT: u64 = 7 * 86_400_000;

/// Takes a snapshot at the beginning and the end of sessions, turns and tools; at the end of a session old ones are
/// dropped. Outside of a repository it does nothing; where it fails or takes too long, the user is told and the event
/// goes on.
pub(super) fn snapshot(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let (session, event) = (call.text("session_id"), call.event());
    let Some(cwd) = call.cwd.filter(|_| !session.is_empty()) else { return Ok(Output::default()) };
    let done = Shadow::open_within(world, cwd, BUDGET).and_then(|shadow| match (shadow, event) {
        (None, _) => Ok(()),
        (Some(shadow), "session_end") => shadow.prune(Timestamp(world.clock.now().0.saturating_sub(KEPT))),
        (Some(shadow), "pre_tool_use" | "post_tool_use") => {
            shadow.take(session, &format!("{event} {}", call.text("tool_name"))).map(drop)
        }
        (Some(shadow), _) => shadow.take(session, event).map(drop),
    });
    Ok(match done {
        Ok(()) => Output::default(),
        Err(error) => Output::default().telling(format!("no snapshot was taken: {error}")),
    })
}
