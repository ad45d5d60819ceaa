//! Our own deadline, below the client's: who is still silent when the client's passes has allowed the call, in most clients.
//!
//! The hooks are given up a little before it, so that what they started ends with them and what they held is given back. Who
//! cannot even be given up, as a call of the system never returns, is answered for by a thread of its own.

use std::io;
use std::sync::Arc;
use std::thread::{self, Builder};
use std::time::Duration;

use hooks::SystemClock;
use hooks::time::{Clock, Tick};
use hooks_protocols::Client;

use super::caller::Caller;
use super::delivery::Delivery;
use super::{Failure, Notes};

/// Of a thread that writes one line.
const STACK: usize = 128 << 10;

/// How long the log is waited for once the time is over: what hung the hooks may be its disk.
const LOGGED_WITHIN: Duration = Duration::from_millis(100);

/// The most that is left between giving up and the end: to end what runs, and to give back what was held.
const LONGEST_MARGIN: Duration = Duration::from_millis(500);

/// When there has to be an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    limit: Duration,
    since: Tick,
}

impl Deadline {
    /// So much time from now on.
    pub(super) fn within(limit: Duration) -> Self {
        Self { limit, since: SystemClock.tick() }
    }

    /// For how long hooks may still be asked.
    pub(super) fn patience(&self) -> Duration {
        self.rest().saturating_sub(self.margin())
    }

    /// For how long what they left may be tidied up.
    pub(super) fn last_moment(&self) -> Duration {
        self.rest().min(self.margin()) / 2
    }

    /// What to say when it has passed.
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

/// Starts the watch: a denial goes out when the time is over, whatever the rest of the process waits for.
pub(super) fn watch(caller: &Arc<Caller>, delivery: &Arc<Delivery>, notes: &Notes) -> io::Result<Deadline> {
    let limit = caller.limit().unwrap_or_else(|| of(caller.known().client));
    let deadline = Deadline::within(limit);
    let (caller, delivery, notes) = (Arc::clone(caller), Arc::clone(delivery), notes.clone());
    // Without a name, which would be one more thing to do at the start.
    let watch = Builder::new().stack_size(STACK).spawn(move || {
        wait(limit);
        let reason = deadline.passed();
        let reply = caller.failure(&reason);
        notes.failed(&reason);
        notes.write_within(LOGGED_WITHIN, caller.known());
        delivery.deliver(&reply);
    })?;
    drop(watch);
    Ok(deadline)
}

/// How long a client may be kept waiting: five sixths of what it waits for when its settings say nothing.
const fn of(client: Option<Client>) -> Duration {
    Duration::from_secs(match client {
        // 600 s, and less (30 s) for a prompt.
        Some(Client::Claude) => 25,
        // 600 s.
        Some(Client::Codex) => 50,
        // 60 s.
        Some(Client::Gemini | Client::Cursor | Client::DockerAgent | Client::DockerAgentJuly) => 50,
        // 30 s, or not known.
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
