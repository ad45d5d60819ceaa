//! Detection of a store that lost data.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use hooks_core::state::{Key, Op, OpId};

use super::client::Client;

/// Event: a store may have lost data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EpochChange {
    /// Kind of change.
    pub kind: EpochKind,
    /// Number of reservations and set members that this client sent again, including those that the store
    /// still had.
    pub restored: usize,
}

/// The kind of change of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpochKind {
    /// Another server process answers: the server was restarted or replaced. The last writes may be lost;
    /// this client sends its own again.
    Restarted,
    /// The store was empty: it was flushed, or its data was lost. Everything older than the memory of its
    /// clients is lost, and an operator has to know.
    Emptied,
}

impl fmt::Display for EpochChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            EpochKind::Restarted => "the state store is another server process than before",
            EpochKind::Emptied => "the state store was emptied: budgets and lockouts begin anew",
        })?;
        write!(f, "; told again: {}", self.restored)
    }
}

/// Receives changes of the epoch.
pub trait EpochSink: Send + Sync {
    /// The store may have lost data.
    fn changed(&self, change: EpochChange);
}

impl<F: Fn(EpochChange) + Send + Sync> EpochSink for F {
    fn changed(&self, change: EpochChange) {
        self(change);
    }
}

/// Records in the store itself that it was emptied, once for all clients that notice it.
pub(super) struct Recorder {
    pub(super) client: Weak<Client>,
}

impl EpochSink for Recorder {
    fn changed(&self, change: EpochChange) {
        let Some(client) = self.client.upgrade().filter(|_| change.kind == EpochKind::Emptied) else {
            return;
        };
        let name: Arc<str> = client.origin().unwrap_or_default();
        let id = OpId::from_parts(&["emptied", &name]);
        let set = Key::new(None, &["hooks", "losses"]);
        let insert = Op::Insert { id, set, name, note: change.to_string().into(), ttl: Some(RECORDED) };
        // The connection is only available after this call returns.
        let runtime = client.runtime.clone();
        drop(runtime.spawn(async move { drop(client.apply(insert).await) }));
    }
}

/// Time that the record is kept: more than a year.
const RECORDED: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// Epoch of a store.
#[derive(Clone, Debug)]
pub(super) struct Epoch {
    /// Epoch of the server process.
    pub(super) name: Arc<str>,
    /// First epoch since the store was empty.
    pub(super) origin: Arc<str>,
}

impl Epoch {
    /// Returns the change from `before` to this epoch.
    pub(super) fn since(&self, before: &Self) -> Option<EpochKind> {
        if self.origin != before.origin {
            Some(EpochKind::Emptied)
        } else if self.name != before.name {
            Some(EpochKind::Restarted)
        } else {
            None
        }
    }
}
