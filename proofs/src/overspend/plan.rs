//! The budgets, and the number of operations on them.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, Scope, Window};

/// A plan: tenants, the sessions of each, and their limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// Number of operations in all.
    pub(super) operations: u64,
    pub(super) tenants: u64,
    pub(super) sessions: u64,
    /// Limit of each session; the limit of a tenant is the sum of its sessions'.
    pub(super) limit: u64,
}

/// Number of concurrent workers; [`IN_FLIGHT`] is the number of concurrent calls of each.
pub(super) const WORKERS: u64 = 8;
pub(super) const IN_FLIGHT: usize = 8;
/// The largest reservation of a call.
pub(super) const LARGEST: u64 = 100;
/// Lifetime of a reservation, after which its holder counts as lost.
pub(super) const TTL: Duration = Duration::from_secs(3);

impl Plan {
    /// A plan whose budgets so many operations use up, with some operations left that are refused.
    pub(super) fn for_operations(operations: u64) -> Self {
        let (tenants, sessions) = if operations < 200_000 { (1, 1) } else { (4, 4) };
        // An operation spends about 16 with a reservation, and about 11 without; a tenth of the calls is
        // cancelled.
        let limit = operations * 8 / (tenants * sessions);
        Self { operations, tenants, sessions, limit }
    }

    /// The scopes of a session's reservations; `unlimited` is for amounts that are already spent.
    pub(super) fn scopes(&self, session: u64, unlimited: bool) -> Arc<[Scope]> {
        let limit = |limit: u64| if unlimited { u64::MAX } else { limit };
        let of_tenant = Scope::spent(self.tenant_key(session), limit(self.limit * self.sessions));
        let of_session = Scope::spent(self.session_key(session), limit(self.limit)).per(Window::SESSION);
        [of_tenant, of_session].into()
    }

    /// The counter of a session's tenant.
    pub(super) fn tenant_key(&self, session: u64) -> Key {
        Key::new(Some(&self.tenant(session)), &["spend", "tenant"])
    }

    /// The counter of a session.
    pub(super) fn session_key(&self, session: u64) -> Key {
        Key::new(Some(&self.tenant(session)), &["spend", "session", &session.to_string()])
    }

    /// The prefix of all counters of a tenant, by its number.
    pub(super) fn folder(tenant: u64) -> Key {
        Key::new(Some(&tenant.to_string()), &[])
    }

    /// The number of sessions in all.
    pub(super) fn all_sessions(&self) -> u64 {
        self.tenants * self.sessions
    }

    fn tenant(&self, session: u64) -> String {
        (session / self.sessions).to_string()
    }
}
