//! `snapshot`: keeps the files of a working copy, so that they can be restored.
//!
//! Snapshots are trees in a separate repository ([`Shadow`]) below the host's store. The user's repository is
//! only asked for its root: its index, references and configuration are never changed. Files that it ignores,
//! and files of repositories nested in it, are not kept.

mod shadow;

use std::time::Duration;

use hooks_core::time::Timestamp;

pub use self::shadow::{Restored, Shadow, Snapshot, SnapshotError};
use super::{BuiltinError, Call, Output, World};

/// Time that an event waits for a snapshot, all steps together. It is far below the time limit of a handler,
/// because a handler that exceeds its limit can make the event fail closed.
const BUDGET: Duration = Duration::from_secs(15);

/// Time that snapshots are kept after the last one of their session, in milliseconds.
const KEPT: u64 = 7 * 86_400_000;

/// Takes a snapshot at the start and the end of sessions, turns and tool calls; at the end of a session,
/// deletes old ones. Outside a repository it does nothing. If it fails or takes too long, the user gets a
/// message and the event goes on.
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
