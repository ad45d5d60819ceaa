//! What sessions were given, so that it is not given again.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Answer, Key, Op, StateStore};
use hooks_team::Digest;
use serde::{Deserialize, Serialize};

use crate::brief::{Loaded, Part};
use crate::source::{Ask, Moment};
use crate::text::head;

/// How long a session that is silent may be resumed and still be known.
const REMEMBERED: Duration = Duration::from_secs(14 * 24 * 3_600);

/// The most entries that are remembered of a session, the newest.
const MOST: usize = 4_096;

/// The longest task that is remembered, in bytes.
const LONGEST_TASK: usize = 4_096;

/// Where it is remembered; nowhere where there is no store.
#[derive(Clone, Default)]
pub(super) struct Sent(Option<Arc<dyn StateStore>>);

/// What one agent of a session knows of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// What it began with, in words.
    pub(super) task: String,
    /// Who reads it.
    pub(super) model: Option<String>,
    /// The entries that sources had: given, or left out and said so.
    items: Vec<String>,
}

impl Sent {
    pub(super) fn in_store(store: Arc<dyn StateStore>) -> Self {
        Self(Some(store))
    }

    /// What is remembered; nothing where that cannot be told.
    pub(super) async fn get(&self, ask: &Ask) -> Option<Record> {
        let store = self.0.as_ref()?;
        match store.apply(Op::Get { key: key(ask) }).await {
            Ok(Answer::Value(Some((value, _)))) => serde_json::from_str(&value).ok(),
            _ => None,
        }
    }

    pub(super) async fn put(&self, ask: &Ask, record: &Record) {
        if let Some(store) = &self.0 {
            let value = serde_json::to_string(record).unwrap_or_default().into();
            // A store that fails is no reason to give nothing.
            let _done = store.apply(Op::Put { key: key(ask), value, ttl: Some(REMEMBERED) }).await;
        }
    }
}

impl Record {
    /// What the agent knows of after `parts`: that, and what it knew before.
    pub(super) fn of(ask: &Ask, parts: &[Part], before: Option<&Self>) -> Self {
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

/// Whose it is: a child's is kept under the session that it will have.
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
