//! Names of the counters, sets and values of a budget.

use hooks_core::state::{Key, OpId};

/// Names of one budget's state, for one tenant.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    tenant: Option<String>,
    budget: String,
}

impl Keys {
    /// Returns the names of `budget`; the budget of the configuration has no name of its own.
    pub(super) fn new(tenant: Option<&str>, budget: Option<&str>) -> Self {
        let budget = budget.map_or_else(|| "spawn".to_owned(), |name| format!("spawn:{name}"));
        Self { tenant: tenant.map(str::to_owned), budget }
    }

    pub(super) fn counter(&self, kind: &str, of: &[&str]) -> Key {
        self.key(kind, of)
    }

    /// Returns the key of the children of a tree.
    pub(super) fn children(&self, root: &str) -> Key {
        self.key("children", &[root])
    }

    /// Returns the tenant.
    pub(super) fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// Returns the key of the process that did `what` to an entry first; only that one does it.
    pub(super) fn first(&self, what: &str, entry: OpId) -> Key {
        self.key(what, &[&hex(entry)])
    }

    /// Returns the key of the notices that an agent received.
    pub(super) fn told(&self, session: &str, agent: &str) -> Key {
        self.key("told", &[session, agent])
    }

    /// Returns an id derived from these parts, for this budget and tenant.
    pub(super) fn id(&self, parts: &[&str]) -> OpId {
        let mut all = vec![self.tenant.as_deref().unwrap_or_default(), &self.budget];
        all.extend(parts);
        OpId::from_parts(&all)
    }

    fn key(&self, kind: &str, of: &[&str]) -> Key {
        let mut parts = vec![self.budget.as_str(), kind];
        parts.extend(of);
        Key::new(self.tenant.as_deref(), &parts)
    }
}

/// Formats an id as text.
pub(super) fn hex(id: OpId) -> String {
    format!("{:032x}", id.0)
}
