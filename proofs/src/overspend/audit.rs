//! What was really spent, beside what there was and what the books say.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Answer, Charged, Key, Op, StateStore};

use super::fleet::pause;
use super::ledger::Spent;
use super::plan::{Plan, TTL, WORKERS};
use crate::error::{Error, Result};

/// What came of a run.
#[derive(Debug)]
pub(super) struct Audit {
    operations: u64,
    kills: u64,
    /// What was spent beyond a budget, summed over all.
    pub(super) overspent: u64,
    /// The most by which one budget was overspent, as a share of it.
    worst: f64,
    /// What was spent of the budget of which least was, as a share of it.
    pub(super) usable: f64,
    /// What is still held after every holder is gone.
    pub(super) held: u64,
    /// What was spent and is not in the books.
    pub(super) lost: u64,
}

impl Audit {
    /// Looks at the ledgers of all workers, and at the store once whoever was killed is taken for lost.
    ///
    /// # Errors
    /// A ledger cannot be read, or the store does not answer.
    pub(super) fn of(store: &Arc<dyn StateStore>, plan: &Plan, folder: &Path, kills: u64) -> Result<Self> {
        let mut spent = Spent::nothing(plan.all_sessions());
        for worker in 0..WORKERS {
            spent.add(folder, worker)?;
        }
        let books = recovered(store, plan)?;
        let mut audit = Self {
            operations: spent.operations,
            kills,
            overspent: 0,
            worst: 0.0,
            usable: f64::INFINITY,
            held: books.values().map(|charged| charged.held).sum(),
            lost: 0,
        };
        let mut of_tenants = BTreeMap::new();
        for (session, spent) in (0..).zip(&spent.spent) {
            audit.add(&books, &plan.session_key(session), *spent, plan.limit);
            *of_tenants.entry(plan.tenant_key(session)).or_default() += spent;
        }
        for (key, spent) in of_tenants {
            audit.add(&books, &key, spent, plan.limit * plan.sessions);
        }
        Ok(audit)
    }

    fn add(&mut self, books: &BTreeMap<Key, Charged>, key: &Key, spent: u64, limit: u64) {
        let over = spent.saturating_sub(limit);
        self.overspent += over;
        self.worst = self.worst.max(over as f64 / limit as f64);
        self.usable = self.usable.min(spent as f64 / limit as f64);
        self.lost += spent.saturating_sub(books.get(key).map_or(0, |charged| charged.used));
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "overspent {} ({:.1} % of a budget at worst), usable {:.2} %, held {}, not in the books {}; \
             {} operations, {} processes killed,",
            self.overspent,
            self.worst * 100.0,
            self.usable.min(1.0) * 100.0,
            self.held,
            self.lost,
            self.operations,
            self.kills,
        )
    }
}

/// The books, once nothing is held any more or it has been waited for long enough.
fn recovered(store: &Arc<dyn StateStore>, plan: &Plan) -> Result<BTreeMap<Key, Charged>> {
    let mut waited = Duration::ZERO;
    loop {
        let books = books(store, plan)?;
        if waited > TTL * 3 || books.values().all(|charged| charged.held == 0) {
            return Ok(books);
        }
        pause(TTL / 10);
        waited += TTL / 10;
    }
}

fn books(store: &Arc<dyn StateStore>, plan: &Plan) -> Result<BTreeMap<Key, Charged>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut books = BTreeMap::new();
    for tenant in 0..plan.tenants {
        let below = Plan::folder(tenant);
        match runtime.block_on(store.apply(Op::Counters { below })) {
            Ok(Answer::Counters(counters)) => {
                books.extend(counters.into_iter().map(|charged| (charged.key.clone(), charged)));
            }
            other => return Err(Error::new(format!("the store tells no counters: {other:?}"))),
        }
    }
    Ok(books)
}
