//! Compares the real spending with the budgets and with the store's records.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Charged, Key, Op, StateStore, StepResult};

use super::fleet::pause;
use super::ledger::Spent;
use super::plan::{Plan, TTL, WORKERS};
use crate::error::{Error, Result};

/// The results of a run.
#[derive(Debug)]
pub(super) struct Audit {
    operations: u64,
    kills: u64,
    /// Amount spent beyond the budgets, summed over all.
    pub(super) overspent: u64,
    /// The largest overspending of one budget, as a share of it.
    worst: f64,
    /// Spending of the least used budget, as a share of it.
    pub(super) usable: f64,
    /// Amount that is still reserved after the end of every process.
    pub(super) held: u64,
    /// Amount that was spent and is not in the store's records.
    pub(super) lost: u64,
}

impl Audit {
    /// Reads the ledgers of all workers, and the store once the reservations of killed workers have expired.
    ///
    /// # Errors
    /// Returns an error if a ledger cannot be read, or the store does not answer.
    pub(super) fn read(store: &Arc<dyn StateStore>, plan: &Plan, folder: &Path, kills: u64) -> Result<Self> {
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

/// Reads the store's records, once nothing is reserved any more or the longest wait is over.
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
            Ok(StepResult::Counters(counters)) => {
                books.extend(counters.into_iter().map(|charged| (charged.key.clone(), charged)));
            }
            other => return Err(Error::new(format!("the store lists no counters: {other:?}"))),
        }
    }
    Ok(books)
}
