//! What is held for one call, from before it is made until it is known what it took.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{MicroUsd, Usage};
use hooks_core::state::{Answer, Key, Op, OpId, Scope, StateStore, StoreError};
use hooks_core::{Background, Hold, HookFuture, Reason};

use super::advice::bad;
use super::config::UnansweredCharge;
use super::limit::{Counter, SpendUnit};
use super::price::Price;
use super::refusal::{SpendRefusal, bad_answer, refused};
use crate::later;
use crate::store::beyond_limits;

/// What a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Used {
    /// Its tokens.
    pub usage: Usage,
    /// What the provider says that it cost; the price of its tokens where absent, or zero.
    pub cost: Option<MicroUsd>,
}

impl Used {
    /// So many tokens, at their price.
    pub const fn tokens(usage: Usage) -> Self {
        Self { usage, cost: None }
    }

    /// At this cost, whatever the tokens' price.
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

/// A hold on the budgets of one call. It is settled when it [`end`](Self::end)s, or when it is dropped: with what
/// was [`used`](Self::used), with nothing where the call was not [`sent`](Self::sent), else as the budget's
/// `unanswered` says.
///
/// Dropped where its store answers later and nothing runs in the background, it stays, and is charged whole when it
/// expires: a budget errs on its safe side.
pub struct SpendHold {
    pub(super) store: Arc<dyn StateStore>,
    pub(super) background: Option<Arc<dyn Background>>,
    pub(super) parts: Vec<Part>,
    pub(super) price: Price,
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    /// The most tokens that the answer can have, where that is known.
    pub(super) most_output_tokens: Option<u64>,
    pub(super) expires: Duration,
    pub(super) unanswered: UnansweredCharge,
    /// Where it is written down for whoever hears of the call's end.
    pub(super) entry: Option<(Key, OpId)>,
    pub(super) charge: Charge,
    /// Whether there is something to end.
    pub(super) open: bool,
}

/// What is held in one unit.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) id: OpId,
    pub(super) unit: SpendUnit,
    pub(super) counters: Vec<Counter>,
    /// What it is taken from.
    pub(super) scopes: Arc<[Scope]>,
    pub(super) held: u64,
}

/// How a hold ends: what its store is told.
struct Ending {
    store: Arc<dyn StateStore>,
    /// Of each part, with what it was taken from.
    parts: Vec<(Op, Arc<[Scope]>)>,
    /// The entry that is written down of it.
    entry: Option<(Key, OpId)>,
    expires: Duration,
}

/// What is charged when a hold ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charge {
    Nothing,
    Input,
    Held,
    /// So many tokens; what they cost is not known, and what is held of money is taken for it.
    Tokens(u64),
    Used(Used),
}

/// What a hold has grown to.
#[derive(Debug)]
pub(super) struct Grown {
    output_tokens: u64,
    /// By part.
    held: Vec<u64>,
    /// Why it did not grow as far as it should.
    pub(super) refused: Option<Box<Reason>>,
}

impl SpendHold {
    /// How many tokens of an answer are held.
    pub const fn output_tokens(&self) -> u64 {
        self.output_tokens
    }

    /// Whether it holds all that the answer can take.
    pub(super) fn holds_all(&self) -> bool {
        self.most_output_tokens.is_some_and(|most| most <= self.output_tokens)
    }

    /// How many tokens are taken to be sent.
    pub const fn input_tokens(&self) -> u64 {
        self.input_tokens
    }

    /// The call is made: from here on it may cost something, also when nobody hears of its end.
    pub fn sent(&mut self) {
        self.charge = match self.unanswered {
            UnansweredCharge::Nothing => Charge::Nothing,
            UnansweredCharge::Input => Charge::Input,
            UnansweredCharge::Held => Charge::Held,
        };
    }

    /// So much was used up to now. Where that says nothing, all that is held is taken for used.
    pub fn used(&mut self, used: Used) {
        self.charge = if used.is_known() { Charge::Used(used) } else { Charge::Held };
    }

    /// So much was used by an estimate: it counts where it is more than what is held.
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

    /// Ends it. Where the store fails, what is held stays until it expires, and is charged whole.
    ///
    /// # Errors
    /// Those of the store.
    pub fn end(self) -> HookFuture<'static, Result<(), StoreError>> {
        if !self.open {
            return HookFuture::now(Ok(()));
        }
        let mut hold = self;
        HookFuture::later(async move {
            hold.ending().tell().await?;
            // Up to here, dropping it ends it all the same.
            hold.open = false;
            drop(hold);
            Ok(())
        })
    }

    /// Holds `output_tokens` in all, or as much as there is.
    pub(super) fn grow(&self, output_tokens: u64) -> HookFuture<'static, Result<Grown, SpendRefusal>> {
        let store = Arc::clone(&self.store);
        let parts = self.parts.clone();
        let (price, input_tokens, expires) = (self.price, self.input_tokens, self.expires);
        HookFuture::later(async move {
            let mut grown = Grown { output_tokens, held: Vec::new(), refused: None };
            for part in &parts {
                let mut to = part.unit.amount(&price, input_tokens, grown.output_tokens).max(part.held);
                // What is left is told with the refusal. Asked for once, it may be gone; twice is enough.
                for attempt in 0..2 {
                    match store.apply(Op::Extend { id: part.id, to, ttl: expires }).await? {
                        Answer::Done => break,
                        Answer::Refused { scope, used, limit } => {
                            let left = limit.saturating_sub(used);
                            let needed = to.saturating_sub(part.held);
                            let reason = refused(&part.counters, scope, part.unit, needed, used);
                            grown.refused = Some(reason.into());
                            to = if attempt == 0 { part.held.saturating_add(left) } else { part.held };
                        }
                        Answer::Unknown => return Err(bad_answer("it forgot what was held")),
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

    /// Enters what it has grown to.
    pub(super) fn grown(&mut self, grown: &Grown) {
        self.output_tokens = self.output_tokens.max(grown.output_tokens);
        for (part, held) in self.parts.iter_mut().zip(&grown.held) {
            part.held = *held;
        }
    }

    /// What ends it.
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
                    SpendUnit::Usd => used.stated_cost().unwrap_or_else(|| self.price.of(&used.usage)).0,
                    SpendUnit::Tokens if used.usage.total() == 0 => part.held,
                    SpendUnit::Tokens => used.usage.total(),
                };
                Op::Settle { id, actual }
            }
        }
    }
}

/// For hooks that hear of a call and of its end apart: once the call goes ahead, its hold waits for the end.
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
            // Where the store fails, what is held stays until it expires, and is charged whole.
            let _told = ending.tell().await;
        });
    }
}

impl Ending {
    /// Tells all of it. What the store does not know, or knows to have ended with less, was spent all the same, and is
    /// charged now.
    async fn tell(self) -> Result<(), StoreError> {
        let mut told = Ok(());
        for (op, scopes) in self.parts {
            told = told.and(settle(&*self.store, op, &scopes, self.expires).await);
        }
        // It stays for as long as something may still have to be ended.
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
        Answer::Unknown => 0,
        Answer::Ended { actual } => actual,
        _ => return Ok(()),
    };
    if before < actual {
        let id = OpId::of(&[&id.0.to_string(), "late"]);
        charge(store, id, scopes, actual - before, expires).await?;
    }
    Ok(())
}

/// Charges what was spent, whatever the limits say: once under an id. What was charged under it before.
pub(super) async fn charge(
    store: &dyn StateStore,
    id: OpId,
    scopes: &[Scope],
    actual: u64,
    expires: Duration,
) -> Result<Option<u64>, StoreError> {
    match store.apply(Op::reserve_for_all(id, beyond_limits(scopes), actual, expires)).await? {
        Answer::Granted(_) => store.apply(Op::Settle { id, actual }).await.map(|_| None),
        Answer::Ended { actual } => Ok(Some(actual)),
        // More than can be counted: then nothing more is let through.
        Answer::Refused { .. } => Ok(Some(actual)),
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
    /// The most that so many tokens take.
    pub(super) fn amount(self, price: &Price, input_tokens: u64, output_tokens: u64) -> u64 {
        match self {
            Self::Usd => price.at_most(input_tokens, output_tokens).0,
            Self::Tokens => input_tokens.saturating_add(output_tokens),
        }
    }

    /// How many tokens of an answer `amount` pays for beside the input.
    pub(super) fn output_for(self, price: &Price, amount: u64, input_tokens: u64) -> u64 {
        match self {
            Self::Usd => price.output_for(MicroUsd(amount), input_tokens),
            Self::Tokens => amount.saturating_sub(input_tokens),
        }
    }
}
