//! Sections that a running host cannot change, and what it keeps from one configuration to the next.

use std::sync::Arc;

use hooks_audit::Audit;
use hooks_audit::config::AuditConfig;
use serde_json::Value;

use crate::error::Mistakes;
use crate::tree::Node;
use crate::{command, squad};

/// Keys of the sections: counters are in the store under the name of the tenant, and a host builds the layers around
/// models and tools, and the tasks that feed sinks, when it starts.
const KEYS: [&str; 5] = ["store", "tenant", "models", "cache", "sinks"];

/// The sections that a running host cannot change, as a configuration has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fixed(Arc<[(&'static str, Value)]>);

impl Fixed {
    /// The sections in `root`.
    pub(crate) fn in_tree(root: &Node) -> Self {
        if squad::is_meant(root) || command::is_meant(root) {
            return Self::default();
        }
        let sections = KEYS.iter().filter_map(|key| Some((*key, root.get(key)?.to_json())));
        Self(sections.collect())
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// State that a configuration which is read again has from the one before.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    fixed: Fixed,
    log: Option<(AuditConfig, Audit)>,
}

impl Earlier {
    pub(crate) const fn new(fixed: Fixed, log: Option<(AuditConfig, Audit)>) -> Self {
        Self { fixed, log }
    }

    /// Reports sections of `root` that differ from what they were.
    pub(crate) fn check(&self, now: &Fixed, root: &Node, mistakes: &mut Mistakes) {
        for key in KEYS {
            if self.fixed.get(key) != now.get(key) {
                let problem = format!("`{key}` cannot change while the host runs");
                mistakes.add_with_hint(
                    root.locate(key),
                    key,
                    problem,
                    "start the host again, or undo this change",
                );
            }
        }
    }

    /// The open log, if it was opened with the settings `config`.
    pub(crate) fn log_of(&self, config: &AuditConfig) -> Option<&Audit> {
        self.log.as_ref().filter(|(opened_with, _)| opened_with == config).map(|(_, audit)| audit)
    }
}
