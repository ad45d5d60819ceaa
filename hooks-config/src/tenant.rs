//! Tenants of a configuration: the events that its hooks accept, and the state that they use.
//!
//! Events and state that name no tenant belong to the configuration's own. A policy refuses a call that names
//! another tenant, and the store of the configuration refuses such an operation.

use std::sync::Arc;

use hooks_core::event::*;
use hooks_core::state::{Key, Op, Scope, StateStore, StepResult, StoreError};
use hooks_core::{HookFuture, HookRequest, HooksBuilder, Policy, Reason, Verdict};

use super::error::Mistakes;
use super::tree::{Kind, Node};

/// Key of the tenant.
pub(super) const KEY: &str = "tenant";
/// Key of further tenants.
pub(super) const OTHERS: &str = "tenants";

const NAME: &str = "tenant";

/// The tenants of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tenancy {
    /// Tenant of events and state that name none.
    pub(super) own: String,
    /// Further tenants that events may name.
    pub(super) others: Vec<String>,
}

impl Tenancy {
    /// Reads the tenants; `None` if the configuration names none, so that every event keeps its own tenant.
    pub(super) fn read(root: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let mut name = |node: &Node, path: &str| match &node.kind {
            Kind::Text(name) if name.trim().is_empty() || name.trim() != name => {
                let problem = if name.trim().is_empty() { "it is empty" } else { "there is space around it" };
                let hint = "write whose state it is, or leave it out";
                mistakes.add_with_hint(&node.place, path, problem, hint);
                None
            }
            Kind::Text(name) => Some(name.clone()),
            _ => None,
        };
        let own = root.get(KEY).map(|node| name(node, KEY));
        let others: Vec<_> = match root.get(OTHERS).map(|node| &node.kind) {
            Some(Kind::List(names)) => names
                .iter()
                .enumerate()
                .filter_map(|(index, node)| name(node, &format!("{OTHERS}[{index}]")))
                .collect(),
            Some(Kind::Map(tenants)) => tenants
                .iter()
                .filter_map(|(key, _)| {
                    let node = Node { place: key.place.clone(), kind: Kind::Text(key.text.clone()) };
                    name(&node, &format!("{OTHERS}.{}", key.text))
                })
                .collect(),
            _ => Vec::new(),
        };
        match (own, root.get(OTHERS)) {
            (Some(own), _) => Some(Self { own: own?, others }),
            (None, None) => None,
            (None, Some(node)) => {
                let hint = "write `tenant` too: tenant of events that do not name one";
                mistakes.add_with_hint(&node.place, OTHERS, "`tenant` is missing", hint);
                None
            }
        }
    }

    /// Adds the policies that refuse events of other tenants.
    pub(super) fn add_to(&self, builder: &mut HooksBuilder) {
        let fence = Arc::new(self.clone());
        macro_rules! fence {
            (deciding { $($Event:ident)* } informing { $($Informing:ident)* }) => { $(
                // Only events for which a refusal prevents something. A refused stop would make the agent
                // continue.
                if $Event::KIND.on_failure() == OnFailure::Closes {
                    builder.add_policy::<$Event>(Fence(Arc::clone(&fence)));
                }
            )* };
        }
        hooks_core::for_each_event_type! { [fence] {} }
    }

    /// `store`, limited to the tenants of this configuration.
    pub(super) fn of_store(&self, store: Arc<dyn StateStore>) -> Arc<dyn StateStore> {
        let name = |tenant: &str| Key::new(Some(tenant), &[]).as_str().to_owned();
        let others = self.others.iter().map(|other| name(other)).collect();
        Arc::new(OfTenant { store, own: name(&self.own), others })
    }

    /// Whether events of `tenant` are accepted.
    pub(super) fn serves(&self, tenant: &str) -> bool {
        tenant == self.own || self.others.iter().any(|other| other == tenant)
    }

    fn refusal(&self, tenant: &str) -> Option<String> {
        (!self.serves(tenant))
            .then(|| format!("this is an event of `{tenant}`, and these hooks are of `{}`", self.own))
    }
}

/// Policy that refuses events of other tenants.
struct Fence(Arc<Tenancy>);

impl<E: Event> Policy<E> for Fence {
    fn name(&self) -> &str {
        NAME
    }

    fn judge(&self, request: &HookRequest<E>) -> Verdict {
        let tenant = request.context().tenant.as_deref();
        match tenant.and_then(|tenant| self.0.refusal(tenant)) {
            None => Verdict::NO_OPINION,
            Some(message) => Verdict::deny(
                Reason::new(NAME, "other", message)
                    .unless("have its own hooks judge it, or list it in `tenants`"),
            ),
        }
    }
}

/// A store in which keys without a tenant belong to the configuration's own, and keys of other tenants are
/// refused.
struct OfTenant {
    store: Arc<dyn StateStore>,
    /// First part of the tenant's keys.
    own: String,
    others: Vec<String>,
}

impl OfTenant {
    fn key(&self, key: Key) -> Result<Key, StoreError> {
        let tenant = key.as_str().split('/').next().unwrap_or_default();
        if tenant.is_empty() {
            return Ok(Key::from(format!("{}{}", self.own, key.as_str())));
        }
        if tenant == self.own || self.others.iter().any(|other| other == tenant) {
            return Ok(key);
        }
        let of = |key: &str| Key::from(key.to_owned()).parts().next().unwrap_or_default();
        let (named, own) = (of(tenant), of(&self.own));
        Err(StoreError::Closed(format!("state of `{named}` is asked for, and these hooks are of `{own}`")))
    }

    fn scopes(&self, scopes: Arc<[Scope]>) -> Result<Arc<[Scope]>, StoreError> {
        let is_own = |scope: &Scope| scope.key.as_str().split('/').next() == Some(&*self.own);
        if scopes.iter().all(is_own) {
            return Ok(scopes);
        }
        let scopes = scopes.iter().cloned();
        scopes.map(|scope| Ok(Scope { key: self.key(scope.key)?, ..scope })).collect()
    }

    /// `op` with its keys moved into the tenant's state.
    fn within(&self, op: Op) -> Result<Op, StoreError> {
        Ok(match op {
            Op::Reserve { id, scopes, amount, ttl } => {
                Op::Reserve { id, scopes: self.scopes(scopes)?, amount, ttl }
            }
            Op::Lease { id, scopes, least, most, share, ttl } => {
                Op::Lease { id, scopes: self.scopes(scopes)?, least, most, share, ttl }
            }
            Op::Used { key, window } => Op::Used { key: self.key(key)?, window },
            Op::Correct { id, key, window, spent } => Op::Correct { id, key: self.key(key)?, window, spent },
            Op::Pace { key, cost, interval, burst } => {
                Op::Pace { key: self.key(key)?, cost, interval, burst }
            }
            Op::Put { key, value, ttl } => Op::Put { key: self.key(key)?, value, ttl },
            Op::CompareAndSet { id, key, revision, value, ttl } => {
                Op::CompareAndSet { id, key: self.key(key)?, revision, value, ttl }
            }
            Op::Get { key } => Op::Get { key: self.key(key)? },
            Op::Insert { id, set, name, note, ttl } => {
                Op::Insert { id, set: self.key(set)?, name, note, ttl }
            }
            Op::Update { id, set, note, ttl } => Op::Update { id, set: self.key(set)?, note, ttl },
            Op::Remove { id, set } => Op::Remove { id, set: self.key(set)? },
            Op::Members { set } => Op::Members { set: self.key(set)? },
            Op::Changes { below, after } => Op::Changes { below: self.key(below)?, after },
            Op::Counters { below } => Op::Counters { below: self.key(below)? },
            // These operations name only reservations that an earlier operation made, or nothing.
            op @ (Op::Extend { .. } | Op::Settle { .. } | Op::Release { .. } | Op::Now) => op,
            // An operation added later may name any key.
            _ => return Err(StoreError::Unsupported),
        })
    }
}

impl StateStore for OfTenant {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        match self.within(op) {
            Ok(op) => self.store.apply(op),
            Err(error) => HookFuture::now(Err(error)),
        }
    }

    fn together(&self, ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<StepResult>, StoreError>>> {
        match ops.iter().map(|op| self.within(op.clone())).collect::<Result<Vec<_>, _>>() {
            Ok(ops) => self.store.together(&ops),
            Err(error) => Some(HookFuture::now(Err(error))),
        }
    }

    fn is_untouched(&self) -> bool {
        self.store.is_untouched()
    }

    fn session_ended(&self, tenant: Option<&str>, session: &str) {
        let own = Key::from(self.own.clone()).parts().next();
        self.store.session_ended(tenant.or(own.as_deref()), session);
    }

    fn close(&self) -> HookFuture<'static, Result<(), StoreError>> {
        self.store.close()
    }
}
