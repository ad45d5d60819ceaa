//! One call that spends: its operations before and after, also if it is dropped in between.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Op, OpId, StateStore, StepResult, StoreError, Window};
use hooks_core::time::{Random as _, SeededRandom};

use super::ledger::Ledger;
use super::plan::{LARGEST, Plan, TTL};
use crate::error::{Error, Result};

/// Pause of a call while the store is unavailable.
const REST: Duration = Duration::from_millis(20);

/// Accounting of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    /// Checks the budget, calls, and counts, as published budgets do.
    CheckThenCount,
    /// Reserves, calls, and settles.
    Reserve,
}

impl Policy {
    /// The display name of the policy.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::CheckThenCount => "check, then count",
            Self::Reserve => "reserve, then settle",
        }
    }

    /// The name of the policy on the command line.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::CheckThenCount => "check",
            Self::Reserve => "reserve",
        }
    }

    /// The policy with this name on the command line.
    ///
    /// # Errors
    /// Returns an error if the name is unknown.
    pub(super) fn from_key(key: &str) -> Result<Self> {
        [Self::CheckThenCount, Self::Reserve]
            .into_iter()
            .find(|policy| policy.key() == key)
            .ok_or_else(|| Error::new(format!("unknown policy `{key}`")))
    }
}

/// State shared by the calls of one worker.
pub(super) struct Desk {
    pub(super) store: Arc<dyn StateStore>,
    pub(super) plan: Plan,
    pub(super) policy: Policy,
    pub(super) ledger: Ledger,
    pub(super) random: SeededRandom,
    /// Upper bits of all ids of this worker.
    pub(super) ids: u128,
    pub(super) operations: Cell<u64>,
    /// Operations that end dropped calls, still to be awaited.
    pub(super) farewells: RefCell<Vec<StepInFlight>>,
}

/// An operation in flight.
pub(super) type StepInFlight = HookFuture<'static, std::result::Result<StepResult, StoreError>>;

impl Desk {
    /// A random number below `end`.
    pub(super) fn roll(&self, end: u64) -> u64 {
        self.random.next_u64() % end.max(1)
    }

    fn send(&self, op: Op) -> StepInFlight {
        self.operations.set(self.operations.get() + 1);
        self.store.apply(op)
    }

    /// Sends an operation; at random it is sent twice, as if the first answer had been lost.
    async fn ask(&self, op: Op) -> std::result::Result<StepResult, StoreError> {
        if self.roll(16) == 0 {
            self.answered(op.clone()).await?;
        }
        self.answered(op).await
    }

    /// Counts only answered operations, and pauses after a failure. Without the pause, the worker would
    /// finish its share before the store is back.
    async fn answered(&self, op: Op) -> std::result::Result<StepResult, StoreError> {
        let answer = self.send(op).await;
        if answer.is_err() {
            self.operations.set(self.operations.get() - 1);
            tokio::time::sleep(REST).await;
        }
        answer
    }

    /// Repeats the operation after failures, because spending must be recorded.
    async fn insist(&self, op: Op) {
        for _ in 0..5 {
            if self.ask(op.clone()).await.is_ok() {
                return;
            }
        }
    }
}

/// A call in progress. If it is dropped, its end is sent to the store.
struct Call<'d> {
    desk: &'d Desk,
    id: OpId,
    session: u64,
    /// Amount really spent; `None` before.
    spent: Option<u64>,
    is_told: bool,
}

/// Makes the call with this number.
///
/// # Errors
/// Returns an error if the ledger cannot be written.
pub(super) async fn make(desk: &Desk, number: u64) -> Result {
    let session = desk.roll(desk.plan.all_sessions());
    let id = OpId(desk.ids | u128::from(number));
    let mut amount = 1 + desk.roll(LARGEST);
    let mut call = Call { desk, id, session, spent: None, is_told: false };
    if !call.may_spend(amount).await {
        // The rest of the budget may be enough for a small amount.
        amount = 1;
        call.id = OpId(id.0 | 1 << 63);
        if !call.may_spend(amount).await {
            call.is_told = true;
            return Ok(());
        }
    }
    pause(desk).await;
    let actual = amount - desk.roll(amount / 2 + 1);
    call.spent = Some(actual);
    desk.ledger.spend(session, actual)?;
    pause(desk).await;
    for op in call.ending() {
        desk.insist(op).await;
    }
    call.is_told = true;
    Ok(())
}

impl Call<'_> {
    async fn may_spend(&self, amount: u64) -> bool {
        let Desk { plan, policy, .. } = self.desk;
        match policy {
            Policy::Reserve => {
                let scopes = plan.scopes(self.session, false);
                let reserve = Op::Reserve { id: self.id, scopes, amount, ttl: TTL };
                matches!(self.desk.ask(reserve).await, Ok(StepResult::Done))
            }
            Policy::CheckThenCount => {
                let (key, window) = (plan.session_key(self.session), Window::SESSION);
                let answer = self.desk.ask(Op::Used { key, window }).await;
                matches!(answer, Ok(StepResult::Used { used, .. }) if used + amount <= plan.limit)
            }
        }
    }

    /// The operations that end the call in the store.
    fn ending(&self) -> Vec<Op> {
        let id = self.id;
        match (self.desk.policy, self.spent) {
            (Policy::Reserve, None) => vec![Op::Release { id }],
            (Policy::Reserve, Some(actual)) => vec![Op::Settle { id, actual }],
            (Policy::CheckThenCount, None) => Vec::new(),
            (Policy::CheckThenCount, Some(actual)) => {
                let scopes = self.desk.plan.scopes(self.session, true);
                let ttl = Duration::from_secs(60);
                vec![Op::Reserve { id, scopes, amount: actual, ttl }, Op::Settle { id, actual }]
            }
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if !self.is_told {
            let told = self.ending().into_iter().map(|op| self.desk.send(op));
            self.desk.farewells.borrow_mut().extend(told);
        }
    }
}

/// Lets other calls continue.
async fn pause(desk: &Desk) {
    for _ in 0..desk.roll(4) {
        tokio::task::yield_now().await;
    }
}
