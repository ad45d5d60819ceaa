//! Reservation for one call, from before the call until its real cost is known.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{MicroUsd, Usage};
use hooks_core::state::{Key, Op, OpId, Scope, StateStore, StepResult, StoreError};
use hooks_core::{Background, Hold, HookFuture, Reason, later};

use super::advice::bad;
use super::config::UnansweredCharge;
use super::limit::{Counter, SpendUnit};
use super::price::ModelPrice;
use super::refusal::{SpendRefusal, bad_answer, refused};
use crate::counting_store::beyond_limits;

/// Real usage of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Used {
    /// Tokens of the call.
    pub usage: Usage,
    /// Cost that the provider reports; if missing or zero, the price of the tokens.
    pub cost: Option<MicroUsd>,
}

impl Used {
    /// Creates a usage of tokens at their price.
    pub const fn tokens(usage: Usage) -> Self {
        Self { usage, cost: None }
    }

    /// Sets the reported cost, which replaces the tokens' price.
    #[must_use]
    pub const fn costing(mut self, cost: Option<MicroUsd>) -> Self {
        self.cost = cost;
        self
    }

    fn is_known(&self) -> bool {
        self.usage.total() > 0 || self.stated_cost().is_some()
    }

    fn stated_cost(&self) -> Option<MicroUsd> {
        self.cost.filter(|cost| cost.0 > 0)
    }
}

/// Reservation on the budgets of one call. It is settled by [`end`](Self::end) or on drop: with the usage
/// that was [reported](Self::used), with nothing if the call was not [`sent`](Self::sent), otherwise as the
/// budget's `unanswered` configures.
///
/// If it is dropped while its store answers later and there is no background, it stays and is charged whole
/// when it expires: a budget errs on the safe side.
pub struct SpendHold {
    pub(super) store: Arc<dyn StateStore>,
    pub(super) background: Option<Arc<dyn Background>>,
    pub(super) parts: Vec<Part>,
    pub(super) price: ModelPrice,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    /// Most tokens that the answer can have, if known.
    pub(super) most_output_tokens: Option<u64>,
    pub(super) expires: Duration,
    pub(super) unanswered: UnansweredCharge,
    /// Entry through which another process can settle the call at its end.
    pub(super) entry: Option<(Key, OpId)>,
    pub(super) charge: Charge,
    /// Whether the reservation still has to be ended.
    pub(super) open: bool,
}

/// Reservation in one unit.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) id: OpId,
    pub(super) unit: SpendUnit,
    pub(super) counters: Vec<Counter>,
    /// Scopes that it is taken from.
    pub(super) scopes: Arc<[Scope]>,
    pub(super) held: u64,
}

/// Operations on the store that end a reservation.
struct Ending {
    store: Arc<dyn StateStore>,
    /// Operation for each part, with the scopes of the part.
    parts: Vec<(Op, Arc<[Scope]>)>,
    /// Entry of the open call.
    entry: Option<(Key, OpId)>,
    expires: Duration,
}

/// Charge at the end of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    Nothing,
    Input,
    Held,
    /// Known tokens of unknown cost; for money, the whole reserved amount is charged.
    Tokens(u64),
    Used(Used),
}

/// Size to which a reservation has grown.
#[derive(Debug)]
pub(super) struct Grown {
    output_tokens: u64,
    /// Reserved amount of each part.
    held: Vec<u64>,
    /// Reason why it did not grow to the requested size.
    pub(super) refused: Option<Box<Reason>>,
}

impl SpendHold {
    /// Returns the tokens of an answer that are reserved.
    pub const fn output_tokens(&self) -> u64 {
        self.output_tokens
    }

    /// Returns whether the whole possible answer is reserved.
    pub(super) fn holds_all(&self) -> bool {
        self.most_output_tokens.is_some_and(|most| most <= self.output_tokens)
    }

    /// Returns the estimated tokens that are sent.
    pub const fn input_tokens(&self) -> u64 {
        self.input_tokens
    }

    /// Marks the call as sent: from here on it may cost something, even if its end is never reported.
    pub fn sent(&mut self) {
        self.charge = match self.unanswered {
            UnansweredCharge::Nothing => Charge::Nothing,
            UnansweredCharge::Input => Charge::Input,
            UnansweredCharge::Held => Charge::Held,
        };
    }

    /// Reports the usage up to now. If `used` is empty, the whole reserved amount counts as used.
    pub fn used(&mut self, used: Used) {
        self.charge = if used.is_known() { Charge::Used(used) } else { Charge::Held };
    }

    /// Reports an estimated usage, which counts if it is more than the reserved amount.
    pub(super) fn used_or_held(&mut self, estimate: Used) {
        self.charge = Charge::Used(estimate);
        let is_more = |part: &Part| match self.settling(part) {
            Op::Settle { actual, .. } => actual > part.held,
            _ => false,
        };
        if !self.parts.iter().any(is_more) {
            self.charge = Charge::Held;
        }
    }

    /// Ends the reservation. If the store fails, the reserved amount stays until it expires, and is charged
    /// whole.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub fn end(self) -> HookFuture<'static, Result<(), StoreError>> {
        if !self.open {
            return HookFuture::now(Ok(()));
        }
        let mut hold = self;
        HookFuture::later(async move {
            hold.ending().tell().await?;
            // Up to here, dropping the hold ends it all the same.
            hold.open = false;
            drop(hold);
            Ok(())
        })
    }

    /// Grows the reservation to `output_tokens` in total, or to the remaining amount.
    pub(super) fn grow(&self, output_tokens: u64) -> HookFuture<'static, Result<Grown, SpendRefusal>> {
        let store = Arc::clone(&self.store);
        let parts = self.parts.clone();
        let (price, input_tokens, expires) = (self.price, self.input_tokens, self.expires);
        HookFuture::later(async move {
            let mut grown = Grown { output_tokens, held: Vec::new(), refused: None };
            for part in &parts {
                let mut to = part.unit.amount(&price, input_tokens, grown.output_tokens).max(part.held);
                // A refusal reports the remaining amount. It may be taken before the second request; there is
                // no third.
                for attempt in 0..2 {
                    match store.apply(Op::Extend { id: part.id, to, ttl: expires }).await? {
                        StepResult::Done => break,
                        StepResult::Refused { scope, used, limit } => {
                            let left = limit.saturating_sub(used);
                            let needed = to.saturating_sub(part.held);
                            let reason = refused(&part.counters, scope, part.unit, needed, used);
                            grown.refused = Some(reason.into());
                            to = if attempt == 0 { part.held.saturating_add(left) } else { part.held };
                        }
                        StepResult::Unknown => return Err(bad_answer("it forgot what was held")),
                        other => {
                            return Err(bad_answer(&format!("it answered {other:?} to a hold that grows")));
                        }
                    }
                }
                let affordable = part.unit.output_for(&price, to, input_tokens);
                grown.output_tokens = grown.output_tokens.min(affordable);
                grown.held.push(to);
            }
            Ok(grown)
        })
    }

    /// Records the size to which the reservation has grown.
    pub(super) fn grown(&mut self, grown: &Grown) {
        self.output_tokens = self.output_tokens.max(grown.output_tokens);
        for (part, held) in self.parts.iter_mut().zip(&grown.held) {
            part.held = *held;
        }
    }

    /// Returns the operations that end the reservation.
    fn ending(&self) -> Ending {
        let parts = self.parts.iter().map(|part| (self.settling(part), Arc::clone(&part.scopes)));
        Ending {
            store: Arc::clone(&self.store),
            parts: parts.collect(),
            entry: self.entry.clone(),
            expires: self.expires,
        }
    }

    fn settling(&self, part: &Part) -> Op {
        let id = part.id;
        match self.charge {
            Charge::Nothing => Op::Release { id },
            Charge::Input => Op::Settle { id, actual: part.unit.amount(&self.price, self.input_tokens, 0) },
            Charge::Tokens(tokens) if part.unit == SpendUnit::Tokens => Op::Settle { id, actual: tokens },
            Charge::Held | Charge::Tokens(_) => Op::Settle { id, actual: part.held },
            Charge::Used(used) => {
                let actual = match part.unit {
                    SpendUnit::Usd => used.stated_cost().unwrap_or_else(|| self.price.cost_of(&used.usage)).0,
                    SpendUnit::Tokens if used.usage.total() == 0 => part.held,
                    SpendUnit::Tokens => used.usage.total(),
                };
                Op::Settle { id, actual }
            }
        }
    }
}

/// For hooks that receive a call and its end separately: after the call goes ahead, its reservation waits for
/// the end.
impl Hold for SpendHold {
    fn commit(mut self: Box<Self>) {
        self.open = false;
    }
}

impl Drop for SpendHold {
    fn drop(&mut self) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let ending = self.ending();
        later::run(self.background.as_ref(), async move {
            // If the store fails, the reserved amount stays until it expires, and is charged whole.
            let _told = ending.tell().await;
        });
    }
}

impl Ending {
    /// Sends all operations to the store. If the store does not know a reservation, or has settled it with
    /// less, the difference was spent all the same and is charged now.
    async fn tell(self) -> Result<(), StoreError> {
        let mut told = Ok(());
        for (op, scopes) in self.parts {
            told = told.and(settle(&*self.store, op, &scopes, self.expires).await);
        }
        // The entry stays as long as some part may still have to be ended.
        if let (Some((set, id)), Ok(())) = (self.entry, &told) {
            self.store.apply(Op::Remove { id, set }).await?;
        }
        told
    }
}

async fn settle(
    store: &dyn StateStore,
    op: Op,
    scopes: &[Scope],
    expires: Duration,
) -> Result<(), StoreError> {
    let Op::Settle { id, actual } = op else { return store.apply(op).await.map(drop) };
    let before = match store.apply(op).await? {
        StepResult::Unknown => 0,
        StepResult::Ended { actual } => actual,
        _ => return Ok(()),
    };
    if before < actual {
        let id = OpId::from_parts(&[&id.0.to_string(), "late"]);
        charge(store, id, scopes, actual - before, expires).await?;
    }
    Ok(())
}

/// Charges an amount that was spent, regardless of limits, once for each id. Returns the amount that was
/// charged under the id before.
pub(super) async fn charge(
    store: &dyn StateStore,
    id: OpId,
    scopes: &[Scope],
    actual: u64,
    expires: Duration,
) -> Result<Option<u64>, StoreError> {
    match store.apply(Op::reserve_for_all(id, beyond_limits(scopes), actual, expires)).await? {
        StepResult::Granted(_) => store.apply(Op::Settle { id, actual }).await.map(|_| None),
        StepResult::Ended { actual } => Ok(Some(actual)),
        // More than can be counted: no further call is allowed from then on.
        StepResult::Refused { .. } => Ok(Some(actual)),
        other => Err(bad(&other)),
    }
}

impl fmt::Debug for SpendHold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpendHold")
            .field("input_tokens", &self.input_tokens)
            .field("output_tokens", &self.output_tokens)
            .field("charge", &self.charge)
            .finish_non_exhaustive()
    }
}

impl SpendUnit {
    /// Returns the most that these tokens can cost or count.
    pub(super) fn amount(self, price: &ModelPrice, input_tokens: u64, output_tokens: u64) -> u64 {
        match self {
            Self::Usd => price.at_most(input_tokens, output_tokens).0,
            Self::Tokens => input_tokens.saturating_add(output_tokens),
        }
    }

    /// Returns the tokens of an answer that `amount` pays for in addition to the input.
    pub(super) fn output_for(self, price: &ModelPrice, amount: u64, input_tokens: u64) -> u64 {
        match self {
            Self::Usd => price.output_for(MicroUsd(amount), input_tokens),
            Self::Tokens => amount.saturating_sub(input_tokens),
        }
    }
}
