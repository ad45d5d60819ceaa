//! Our own deadline, below the client's: who is still silent when the client's passes has allowed the call, in most clients.

use std::io;
use std::sync::Arc;
use std::thread::{self, Builder};
use std::time::Duration;

use hooks_protocols::Client;

use super::caller::Caller;
use super::delivery::Delivery;

/// Of a thread that writes one line.
const STACK: usize = 128 << 10;

/// Starts the watch: a denial goes out when the time is over, whatever the rest of the process waits for.
pub(super) fn watch(caller: &Arc<Caller>, delivery: &Arc<Delivery>) -> io::Result<()> {
    let limit = caller.limit().unwrap_or_else(|| of(caller.known().client));
    let (caller, delivery) = (Arc::clone(caller), Arc::clone(delivery));
    // Without a name, which would be one more thing to do at the start.
    let watch = Builder::new().stack_size(STACK).spawn(move || {
        wait(limit);
        delivery.deliver(&caller.failure(&format!("the hooks did not answer within {limit:?}")));
    })?;
    drop(watch);
    Ok(())
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
