//! Our own deadline, below the client's timeout: in most clients, a hook without an answer at the timeout
//! allows the call.
//!
//! The hooks are cancelled a little before it, so that the processes that they started end with them and
//! reservations are returned. A system call that never returns cannot be cancelled; in that case, a thread of
//! its own writes the answer.

use std::io;
use std::sync::Arc;
use std::thread::{self, Builder};
use std::time::Duration;

use hooks::SystemClock;
use hooks::time::{Clock, Tick};
use hooks_protocols::Client;

use super::caller::{Caller, Known};
use super::delivery::Delivery;
use super::{Failure, Notes};

/// Stack size of a thread that writes one line.
const STACK: usize = 128 << 10;

/// Time to wait for the log after the deadline. Its disk can be the reason why the hooks hang.
const LOGGED_WITHIN: Duration = Duration::from_millis(100);

/// Maximum time between cancelling and the deadline, in which processes are ended and reservations returned.
const LONGEST_MARGIN: Duration = Duration::from_millis(500);

/// The time at which there has to be an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    limit: Duration,
    since: Tick,
}

impl Deadline {
    /// A deadline after this time from now on.
    pub(super) fn within(limit: Duration) -> Self {
        Self { limit, since: SystemClock.tick() }
    }

    /// Remaining time for the hooks.
    pub(super) fn patience(&self) -> Duration {
        self.rest().saturating_sub(self.margin())
    }

    /// Remaining time for cleaning up after them.
    pub(super) fn last_moment(&self) -> Duration {
        self.rest().min(self.margin()) / 2
    }

    /// The reason of a denial after the deadline.
    pub(super) fn passed(&self) -> Failure {
        format!("the hooks did not answer within {:?}", self.limit)
    }

    fn margin(&self) -> Duration {
        (self.limit / 10).min(LONGEST_MARGIN)
    }

    fn rest(&self) -> Duration {
        self.limit.saturating_sub(SystemClock.tick().0.saturating_sub(self.since.0))
    }
}

/// Starts a thread that writes a denial at the deadline, even if the rest of the process hangs.
pub(super) fn watch(caller: &Arc<Caller>, delivery: &Arc<Delivery>, notes: &Notes) -> io::Result<Deadline> {
    let limit = caller.limit().unwrap_or_else(|| default_deadline(&caller.known()));
    let deadline = Deadline::within(limit);
    let (caller, delivery, notes) = (Arc::clone(caller), Arc::clone(delivery), notes.clone());
    // The thread has no name, as setting it costs time at the start.
    let watch = Builder::new().stack_size(STACK).spawn(move || {
        wait(limit);
        let reason = deadline.passed();
        let encoded = caller.failure(&reason);
        notes.failed(&reason);
        notes.write_within(LOGGED_WITHIN, caller.known());
        delivery.deliver(&encoded);
    })?;
    drop(watch);
    Ok(deadline)
}

/// The default deadline for a client: five sixths of the timeout that `hooks init` writes into its settings.
/// The comments below name the client's own default timeout.
fn default_deadline(known: &Known) -> Duration {
    let ends = known.events.iter().any(|event| event == "SessionEnd");
    if known.client == Some(Client::Codex) && ends {
        return Duration::from_millis(2_500);
    }
    Duration::from_secs(match known.client {
        // The timeout is 600 s, and less (30 s) for a prompt.
        Some(Client::Claude) => 25,
        // The timeout is 600 s.
        Some(Client::Codex) => 50,
        // The timeout is 60 s.
        Some(
            Client::Gemini | Client::Cursor | Client::DockerAgent | Client::DockerAgentJuly | Client::Qwen,
        ) => 50,
        // The timeout is 30 s, or unknown.
        _ => 25,
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the time of the client, which no clock of ours can stop"
)]
fn wait(limit: Duration) {
    thread::sleep(limit);
}
