//! When a store is no longer the one that was known.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use hooks_core::state::{Key, Op, OpId};

use super::client::Client;

/// A store may have forgotten something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EpochChange {
    /// What happened.
    pub kind: EpochKind,
    /// How many reservations and entries this client told the store again. Those that it still had are among them.
    pub restored: usize,
}

/// What happened to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpochKind {
    /// Another server process answers: the server was restarted, or another took its place. The last that was written
    /// may be lost; what this client did is told again.
    Restarted,
    /// The store was empty: it was flushed, or its data were lost. All that is older than what its clients remember is
    /// gone, and somebody has to know.
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

/// Hears of it.
pub trait EpochSink: Send + Sync {
    /// The store may have forgotten something.
    fn changed(&self, change: EpochChange);
}

impl<F: Fn(EpochChange) + Send + Sync> EpochSink for F {
    fn changed(&self, change: EpochChange) {
        self(change);
    }
}

/// Writes down in the store itself that it was emptied, once for all who notice it.
pub(super) struct Recorder {
    pub(super) client: Weak<Client>,
}

impl EpochSink for Recorder {
    fn changed(&self, change: EpochChange) {
        let Some(client) = self.client.upgrade().filter(|_| change.kind == EpochKind::Emptied) else {
            return;
        };
        let name: Arc<str> = client.origin().unwrap_or_default();
        let id = OpId::of(&["emptied", &name]);
        let set = Key::new(None, &["hooks", "losses"]);
        let insert = Op::Insert { id, set, name, note: change.to_string().into(), ttl: Some(RECORDED) };
        // The connection is there when this is done.
        let runtime = client.runtime.clone();
        drop(runtime.spawn(async move { drop(client.apply(insert).await) }));
    }
}

/// How long it is known that a store was emptied: more than a year.
const RECORDED: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// The epoch that is known.
#[derive(Clone, Debug)]
pub(super) struct Epoch {
    /// Of the server process.
    pub(super) name: Arc<str>,
    /// The first epoch since the store was empty.
    pub(super) origin: Arc<str>,
}

impl Epoch {
    /// What has happened between `before` and this.
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
