//! Budget engine: reserves before a call, reports the counters, and settles after the call.

use std::fmt;
use std::sync::Arc;

use hooks_core::state::{Lineage, Op, OpId, StateStore, StepResult, StoreError};
use hooks_core::time::Timestamp;
use hooks_core::{HookContext, HookFuture, PolicyErrors, Reason};

use super::advice::Advice;
use super::compile::compile;
use super::config::SpendBudgetConfig;
use super::hold::{Charge, Part, SpendHold};
use super::limit::{Counter, FOLDER, SpendLimit, SpendUnit, Who, counters, meter, scopes};
use super::open_calls::{OpenCall, part_id};
use super::price::{Listed, ModelPrice};
use super::refusal::{SpendRefusal, bad_answer, refused, unknown_price, unknown_size};
use super::report::BudgetReport;
use super::rules::Rules;
use super::watch::SpendWatch;
use crate::counting_store::CountingStore;
use crate::place::{again, fresh_id};

/// Most times that one call may be retried under its id: each time costs one more request to the store.
pub(super) const MOST_TAKEN_UP: usize = 32;

/// Budget for models; see the [module](super) for an example. A clone is the same budget.
#[derive(Clone)]
pub struct SpendBudget {
    pub(super) rules: Arc<Rules>,
    pub(super) store: CountingStore,
    pub(super) watch: Option<Arc<dyn SpendWatch>>,
}

/// Estimated size of a call to a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CallSize {
    /// Context of the call.
    pub context: Arc<HookContext>,
    /// Name of the model.
    pub model: String,
    /// Tokens that are sent; rather too many than too few.
    pub input_tokens: u64,
    /// Limit of the answer in tokens, if the request has one.
    pub most_output_tokens: Option<u64>,
}

impl CallSize {
    /// Creates a call of `model` that sends `input_tokens`.
    pub fn new(context: Arc<HookContext>, model: impl Into<String>, input_tokens: u64) -> Self {
        Self { context, model: model.into(), input_tokens, most_output_tokens: None }
    }

    /// Sets the limit of the answer in tokens.
    #[must_use]
    pub const fn replying_at_most(mut self, tokens: Option<u64>) -> Self {
        self.most_output_tokens = tokens;
        self
    }
}

/// Mechanism that keeps an answer within the reserved amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyBound {
    /// The answer is streamed, and is cut if no more can be reserved.
    Cut,
    /// The request limits the answer to the reserved amount.
    Told,
    /// None: the whole possible answer is reserved. If its size is unknown and a limit applies, the call is
    /// denied.
    Nothing,
}

/// Processes that may settle a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeldFor {
    /// This process, which may take the reservation from a local lease.
    Here,
    /// Every process that receives the end of the call.
    All,
}

/// Amounts to reserve for a call.
struct Plan {
    price: ModelPrice,
    most_output_tokens: Option<u64>,
    amounts: Vec<RequestedAmount>,
}

/// Amount to reserve in one unit.
struct RequestedAmount {
    unit: SpendUnit,
    counters: Vec<Counter>,
    least: u64,
    most: u64,
}

impl SpendBudget {
    /// Creates a budget that is counted in `store`.
    ///
    /// # Errors
    /// Returns all errors of `config`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::spend::{SpendBudget, SpendBudgetConfig};
    /// use hooks_core::{state::Memory, time::StoppedClock};
    /// use serde_json::json;
    ///
    /// let config: SpendBudgetConfig = serde_json::from_value(json!({
    ///     "limits": [{"of": "role", "named": ["interns"], "per": "month", "usd": 25}],
    ///     "prices": [{"model": "small", "from": "2026-13-01", "input": 3, "output": 15}],
    ///     "thresholds": {"warn": 150},
    /// }))?;
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let errors = SpendBudget::new(&config, store).expect_err("three fields are invalid");
    /// assert_eq!(
    ///     errors.to_string(),
    ///     "`budget.limits[0].named[0]`: there is no role `interns`; list its agents in `budget.roles`\n\
    ///      `budget.prices[0].from`: `2026-13-01` is not a day; write it as `2026-01-31`\n\
    ///      `budget.thresholds.warn`: 150 is more than 100 percent; write 100 to switch it off",
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(config: &SpendBudgetConfig, store: Arc<dyn StateStore>) -> Result<Self, PolicyErrors> {
        let mut errors = PolicyErrors::default();
        let budget = Self::compile(config, CountingStore::Given(store), &mut errors);
        errors.or(budget)
    }

    pub(crate) fn compile(
        config: &SpendBudgetConfig,
        store: CountingStore,
        errors: &mut PolicyErrors,
    ) -> Self {
        Self { rules: Arc::new(compile(config, errors)), store, watch: None }
    }

    /// Reports warnings, replaced models and the spending of each session to `watch`.
    #[must_use]
    pub fn with_watch(mut self, watch: Arc<dyn SpendWatch>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Reserves the possible cost of a call. If `bound` keeps the answer within the reserved amount, less
    /// than the whole possible answer may be reserved: see [`SpendHold::output_tokens`].
    ///
    /// A host without tower reserves before the call and settles after it:
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::spend::{ReplyBound, CallSize, SpendBudget, Used};
    /// use hooks_core::event::Usage;
    /// use hooks_core::{HookContext, state::Memory, time::StoppedClock};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = serde_json::json!({"limits": [{"of": "session", "per": "session", "tokens": 5000}]});
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let budget = SpendBudget::new(&serde_json::from_value(config)?, store)?;
    /// let context = Arc::new(HookContext::new("session-1", "backend"));
    ///
    /// let size = CallSize::new(context.clone(), "large", 1_000).replying_at_most(Some(2_000));
    /// let mut hold = budget.hold(&size, ReplyBound::Nothing).await?;
    /// assert_eq!(budget.report(&context).await?.budgets[0].held, 3_000);
    /// hold.sent();
    /// hold.used(Used::tokens(Usage { input_tokens: 900, output_tokens: 100, ..Usage::default() }));
    /// hold.end().await?;
    ///
    /// let report = budget.report(&context).await?;
    /// assert_eq!((report.budgets[0].spent, report.budgets[0].left), (1_000, 4_000));
    /// let endless = CallSize::new(context, "large", 1_000);
    /// let refused = budget.hold(&endless, ReplyBound::Nothing).await.expect_err("its size is unknown");
    /// assert_eq!(refused.to_string(), "the most tokens in an answer of `large` is unknown");
    /// # Ok(())
    /// # }
    /// ```
    pub fn hold(
        &self,
        size: &CallSize,
        bound: ReplyBound,
    ) -> HookFuture<'static, Result<SpendHold, SpendRefusal>> {
        let (budget, size, id) = (self.clone(), size.clone(), fresh_id(FOLDER, &size.context));
        HookFuture::later(async move {
            let root = budget.root(&size.context).await?;
            let plan = budget.plan(&size, &root, bound).map_err(SpendRefusal::Refused)?;
            let mut hold = budget.nothing_held(&size, &plan);
            let is_new = budget.take(&mut hold, &size, plan, id, HeldFor::Here).await?;
            is_new.then_some(hold).ok_or_else(|| bad_answer("it knows an id that is new"))
        })
    }

    /// Returns advice on the next call in `context`: another model, a question, or nothing.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_budgets::spend::{ReplyBound, CallSize, SpendBudget};
    /// use hooks_core::{HookContext, state::Memory, time::StoppedClock};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = serde_json::json!({
    ///     "limits": [{"of": "team", "per": "day", "tokens": 100}],
    ///     "cheaper": {"large": "small"},
    ///     "thresholds": {"warn": 50, "cheaper": 70, "ask": 80},
    /// });
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// let budget = SpendBudget::new(&serde_json::from_value(config)?, store)?;
    /// let context = Arc::new(HookContext::new("session-1", "backend"));
    /// let size = CallSize::new(context.clone(), "large", 85).replying_at_most(Some(0));
    /// let _held = budget.hold(&size, ReplyBound::Nothing).await?;
    ///
    /// let advice = budget.advice(&context, "large").await?;
    /// assert_eq!(advice.warnings, ["the team's budget on this day is used to 85 %: 85 tokens of 100 tokens"]);
    /// assert_eq!(advice.cheaper.as_deref(), Some("small"));
    /// assert!(advice.ask.is_some());
    /// // The user approves it for this day, and a warning is given once.
    /// assert_eq!(budget.approve(&context, "large").await?, ["the team's budget on this day"]);
    /// let later = budget.advice(&context, "large").await?;
    /// assert!(later.ask.is_none() && later.warnings.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn advice(&self, context: &Arc<HookContext>, model: &str) -> Result<Advice, StoreError> {
        Advice::for_call(self, context, model).await
    }

    /// Stores that the user approved spending beyond the threshold `ask` from the budgets of `context`; this
    /// holds until the window of each ends. Returns descriptions of the budgets for which that is new.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn approve(&self, context: &Arc<HookContext>, model: &str) -> Result<Vec<String>, StoreError> {
        super::advice::approve(self, context, model).await
    }

    /// Returns the spending of the session by model, and the charged, reserved and remaining amounts of its
    /// budgets.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn report(&self, context: &HookContext) -> Result<BudgetReport, StoreError> {
        BudgetReport::read(self, context).await
    }

    /// Reserves the possible cost of a call under `id`; if that reservation has ended, under an id derived
    /// from it. Stores an entry, so that this or another process can settle the call at its end. If the call
    /// was reported before, the reservation belongs to the earlier report, and dropping this hold ends
    /// nothing.
    pub(super) async fn hold_told(
        &self,
        size: &CallSize,
        iteration: u64,
        id: OpId,
    ) -> Result<SpendHold, SpendRefusal> {
        let root = self.root(&size.context).await?;
        let mut id = id;
        for _ in 0..MOST_TAKEN_UP {
            let plan = self.plan(size, &root, ReplyBound::Nothing).map_err(SpendRefusal::Refused)?;
            let mut hold = self.nothing_held(size, &plan);
            let held = plan.amounts.iter().map(|amounts| (amounts.unit, amounts.most)).collect();
            OpenCall::new(id, size, iteration, held).write(&size.context, &mut hold).await?;
            let taken = self.take(&mut hold, size, plan, id, HeldFor::All).await;
            if let Ok(true) = taken {
                return Ok(hold);
            }
            hold.end().await?;
            taken?;
            id = again(id);
        }
        let message = format!("a call of this id was made {MOST_TAKEN_UP} times");
        let reason = Reason::new(super::refusal::NAME, "call", message);
        Err(SpendRefusal::Refused(reason.unless("give each call an id of its own").into()))
    }

    fn nothing_held(&self, size: &CallSize, plan: &Plan) -> SpendHold {
        let rules = self.rules.hold;
        SpendHold {
            store: self.store.for_context(&size.context),
            background: size.context.environment.background.clone(),
            parts: Vec::new(),
            price: plan.price,
            input_tokens: size.input_tokens,
            output_tokens: u64::MAX,
            most_output_tokens: plan.most_output_tokens,
            expires: rules.expires,
            unanswered: rules.unanswered,
            entry: None,
            charge: Charge::Nothing,
            open: true,
        }
    }

    /// Reserves the planned amounts under `id`; returns false if the reservation under it has ended.
    async fn take(
        &self,
        hold: &mut SpendHold,
        size: &CallSize,
        plan: Plan,
        id: OpId,
        held_for: HeldFor,
    ) -> Result<bool, SpendRefusal> {
        let ttl = hold.expires;
        for RequestedAmount { unit, counters, least, most } in plan.amounts {
            let scopes = scopes(&counters, meter(&size.context, &size.model, unit));
            let id = part_id(id, unit);
            let op = match held_for {
                HeldFor::All => Op::reserve_for_all(id, Arc::clone(&scopes), most, ttl),
                HeldFor::Here if least == most => {
                    Op::Reserve { id, scopes: Arc::clone(&scopes), amount: most, ttl }
                }
                HeldFor::Here => {
                    Op::Lease { id, scopes: Arc::clone(&scopes), least, most, share: 1_000, ttl }
                }
            };
            // Added before the request: if this future is dropped, the store may have the reservation
            // already.
            hold.parts.push(Part { id, unit, counters, scopes, held: 0 });
            let answer = hold.store.apply(op).await?;
            let Some(part) = hold.parts.last_mut() else { break };
            part.held = match answer {
                StepResult::Done => most,
                StepResult::Granted(granted) => granted,
                StepResult::Refused { scope, used, .. } => {
                    let reason = refused(&part.counters, scope, unit, least, used);
                    return Err(SpendRefusal::Refused(reason.into()));
                }
                StepResult::Ended { .. } => {
                    hold.parts.pop();
                    return Ok(false);
                }
                other => return Err(bad_answer(&format!("it answered {other:?} to a reservation"))),
            };
            let affordable = unit.output_for(&hold.price, part.held, size.input_tokens);
            hold.output_tokens = hold.output_tokens.min(affordable);
        }
        Ok(true)
    }

    /// Returns the amounts to reserve for a call, by unit.
    fn plan(&self, size: &CallSize, root: &str, bound: ReplyBound) -> Result<Plan, Box<Reason>> {
        let context = &*size.context;
        let rules = &*self.rules;
        let who = rules.who(context, root, Some(&size.model));
        let listed = rules.prices.get(&size.model, self.now(context));
        let price = listed.map_or(ModelPrice::default(), |listed: Listed| listed.price);
        let stated_most =
            size.most_output_tokens.or_else(|| listed.and_then(|listed| listed.most_output_tokens));
        // The default of the budget does not limit a stream: a longer stream is cut.
        let stated = stated_most.or(rules.hold.most);
        let is_limited = |unit: &SpendUnit| {
            !counters(&rules.limits, *unit, &who).is_empty() && unit.amount(&price, 0, u64::MAX) > 0
        };
        let is_open = bound == ReplyBound::Nothing && SpendUnit::ALL.iter().any(is_limited);
        if stated.is_none() && (rules.hold.worst_case || is_open) {
            return Err(unknown_size(&size.model).into());
        }
        let most = stated_most.unwrap_or(rules.hold.step);
        let (least, most) = match bound {
            _ if rules.hold.worst_case => (stated.unwrap_or(most), stated.unwrap_or(most)),
            ReplyBound::Cut => {
                let step = rules.hold.step.min(most);
                // Near the limit, a stream starts with less than a step, so that the rest of the budget can
                // be used.
                ((step / 8).max(1).min(step), step)
            }
            ReplyBound::Told => (rules.hold.step.min(most), most),
            ReplyBound::Nothing => (stated.unwrap_or(most), stated.unwrap_or(most)),
        };
        let mut amounts = Vec::new();
        for unit in SpendUnit::ALL {
            let counters = counters(&rules.limits, unit, &who);
            if unit == SpendUnit::Usd && listed.is_none() {
                if counters.is_empty() {
                    continue;
                }
                let begins = rules.prices.begins(&size.model).map(|begins| begins.to_string());
                return Err(unknown_price(&size.model, begins).into());
            }
            if counters.is_empty() && !rules.counts(unit) {
                continue;
            }
            let amount = |output_tokens| unit.amount(&price, size.input_tokens, output_tokens);
            amounts.push(RequestedAmount { unit, counters, least: amount(least), most: amount(most) });
        }
        Ok(Plan { price, most_output_tokens: stated_most, amounts })
    }

    /// Returns the session at the root of the tree of `context` if a limit depends on it; otherwise the
    /// session itself.
    pub(super) async fn root(&self, context: &HookContext) -> Result<String, StoreError> {
        if self.rules.limits.iter().any(SpendLimit::is_of_sessions) {
            return Ok(Lineage::resolve(&*self.store.for_context(context), context).await?.root);
        }
        Ok(context.session_id.clone())
    }

    pub(super) fn now(&self, context: &HookContext) -> Timestamp {
        context.environment.clock.now()
    }
}

impl Rules {
    pub(super) fn who<'a>(
        &'a self,
        context: &'a HookContext,
        root: &'a str,
        model: Option<&'a str>,
    ) -> Who<'a> {
        Who { context, root, agent: &context.agent_name, model, roles: &self.roles }
    }

    /// Returns whether `unit` is counted for the report also without a limit.
    pub(super) fn counts(&self, unit: SpendUnit) -> bool {
        match unit {
            SpendUnit::Usd => true,
            SpendUnit::Tokens => self.prices.is_empty(),
        }
    }
}

impl fmt::Debug for SpendBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpendBudget").field("rules", &self.rules).finish_non_exhaustive()
    }
}
