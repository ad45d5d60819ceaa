//! Records of what each session was given, so that the same entries are not given twice.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_conversation::text::head;
use hooks_core::state::{Key, Op, StateStore, StepResult};
use hooks_team::Digest;
use serde::{Deserialize, Serialize};

use crate::brief::{Loaded, Part};
use crate::source::{Ask, Moment};

/// Time that a record is kept after its last write. A session that resumes within it is still known.
const REMEMBERED: Duration = Duration::from_secs(14 * 24 * 3_600);

/// The most entries in a record; the oldest are dropped.
const MOST: usize = 4_096;

/// The longest task that is remembered, in bytes.
const LONGEST_TASK: usize = 4_096;

/// Store for the records. Without a store, nothing is remembered.
#[derive(Clone, Default)]
pub(super) struct Sent(Option<Arc<dyn StateStore>>);

/// Record of what one agent of a session was given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// Task that the session began with.
    pub(super) task: String,
    /// Name of the model that reads the context.
    pub(super) model: Option<String>,
    /// Digests of the entries that sources returned, both those that were given and those that were reported
    /// as left out.
    items: Vec<String>,
}

impl Sent {
    pub(super) fn in_store(store: Arc<dyn StateStore>) -> Self {
        Self(Some(store))
    }

    /// Returns the record, or `None` if it is missing, it cannot be parsed, or the store fails.
    pub(super) async fn get(&self, ask: &Ask) -> Option<Record> {
        let store = self.0.as_ref()?;
        match store.apply(Op::Get { key: key(ask) }).await {
            Ok(StepResult::Value(Some((value, _)))) => serde_json::from_str(&value).ok(),
            _ => None,
        }
    }

    pub(super) async fn put(&self, ask: &Ask, record: &Record) {
        if let Some(store) = &self.0 {
            let value = serde_json::to_string(record).unwrap_or_default().into();
            // If the store fails, the context is given all the same.
            let _done = store.apply(Op::Put { key: key(ask), value, ttl: Some(REMEMBERED) }).await;
        }
    }
}

impl Record {
    /// Adds the entries in `parts` to those of the record `before`.
    pub(super) fn with_parts(ask: &Ask, parts: &[Part], before: Option<&Self>) -> Self {
        let mut items: Vec<_> = before.map(|before| before.items.clone()).unwrap_or_default();
        let mut known: HashSet<_> = items.iter().cloned().collect();
        for part in parts {
            if let Loaded::Section(section) = &part.loaded {
                let new = section.items.iter().map(|item| item.digest.to_string());
                items.extend(new.filter(|digest| known.insert(digest.clone())));
            }
        }
        items.drain(..items.len().saturating_sub(MOST));
        Self {
            task: head(&ask.task, LONGEST_TASK).to_owned(),
            model: ask.model.clone().or_else(|| before.and_then(|before| before.model.clone())),
            items,
        }
    }

    pub(super) fn known(&self) -> HashSet<Digest> {
        self.items.iter().filter_map(|digest| Digest::parse(digest)).collect()
    }
}

/// Returns the key of the agent's record. The record of a child is kept under the child's session, if its id
/// is known.
fn key(ask: &Ask) -> Key {
    let session = match &ask.child {
        Some(child) if ask.moment == Moment::Child => child.as_str(),
        _ => ask.context.session_id.as_str(),
    };
    Key::new(ask.context.tenant.as_deref(), &["context", "sent", session, &ask.agent])
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sent").field(&self.0.is_some()).finish()
    }
}
