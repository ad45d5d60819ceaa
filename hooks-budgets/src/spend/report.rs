//! Report of a session's spending: amounts spent, reserved and remaining.

use std::collections::BTreeMap;
use std::fmt;

use hooks_core::HookContext;
use hooks_core::state::{Op, StateStore, StepResult, StoreError};
use serde::{Deserialize, Serialize};

use super::advice::{bad, used};
use super::budget::SpendBudget;
use super::limit::{SpendUnit, counters, meters};

/// Spending of a session, and the state of its budgets.
///
/// ```
/// use std::sync::Arc;
/// use hooks_budgets::spend::{ReplyBound, CallSize, SpendBudget, Used};
/// use hooks_core::event::Usage;
/// use hooks_core::{HookContext, state::Memory, time::StoppedClock};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = serde_json::json!({
///     "limits": [{"of": "agent", "per": "day", "usd": 1}],
///     "prices": [{"model": "small", "input": 3, "output": 15}],
/// });
/// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
/// let budget = SpendBudget::new(&serde_json::from_value(config)?, store)?;
/// let context = Arc::new(HookContext::new("session-1", "backend"));
/// assert!(budget.report(&context).await?.to_string().starts_with("nothing was spent on models"));
///
/// let size = CallSize::new(context.clone(), "small", 10_000).replying_at_most(Some(2_000));
/// let mut hold = budget.hold(&size, ReplyBound::Nothing).await?;
/// hold.used(Used::tokens(Usage { input_tokens: 10_000, output_tokens: 1_000, ..Usage::default() }));
/// hold.end().await?;
/// assert_eq!(
///     budget.report(&context).await?.to_string(),
///     "small: $0.045000\nthe budget of agent `backend` on this day: $0.045000 of $1.000000, $0.955000 left",
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetReport {
    /// Amounts spent by model, in the order of their names, without reserved amounts.
    pub spent: BTreeMap<String, Spent>,
    /// Amounts reserved by calls that have not ended.
    pub held: Spent,
    /// Budgets that the session draws on.
    pub budgets: Vec<BudgetLine>,
}

/// Amounts that are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spent {
    /// Millionths of a US dollar.
    pub usd: Option<u64>,
    /// Tokens, sent and received together.
    pub tokens: Option<u64>,
}

/// State of a budget in the current window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetLine {
    /// Description of the budget.
    pub budget: String,
    /// Unit of the amounts: millionths of a dollar, or tokens.
    pub unit: SpendUnit,
    /// Limit of the budget.
    pub limit: u64,
    /// Amount spent.
    pub spent: u64,
    /// Amount reserved by calls that have not ended.
    pub held: u64,
    /// Remaining amount.
    pub left: u64,
}

impl BudgetReport {
    pub(super) async fn read(budget: &SpendBudget, context: &HookContext) -> Result<Self, StoreError> {
        let store = budget.store.for_context(context);
        let mut report = Self::default();
        for (model, (spent, held)) in metered(&*store, context).await? {
            report.held.add_all(held);
            report.spent.insert(model, spent);
        }
        let root = budget.root(context).await?;
        let models: Vec<_> = report.spent.keys().cloned().collect();
        for unit in SpendUnit::ALL {
            let mut seen = Vec::new();
            // A session without model calls draws on all budgets except those of models.
            for model in models.iter().map(|model| Some(model.as_str())).chain([None]) {
                let who = budget.rules.who(context, &root, model);
                for counter in counters(&budget.rules.limits, unit, &who) {
                    if seen.contains(&counter.scope) {
                        continue;
                    }
                    let (used, held) = used(&*store, &counter.scope).await?;
                    report.budgets.push(BudgetLine {
                        budget: counter.to_string(),
                        unit,
                        limit: counter.scope.limit,
                        spent: used.saturating_sub(held),
                        held,
                        left: counter.scope.limit.saturating_sub(used),
                    });
                    seen.push(counter.scope);
                }
            }
        }
        Ok(report)
    }
}

/// Returns what a session spent on each model, and what its open calls hold.
pub(super) async fn metered(
    store: &dyn StateStore,
    context: &HookContext,
) -> Result<BTreeMap<String, (Spent, Spent)>, StoreError> {
    let counted = match store.apply(Op::Counters { below: meters(context) }).await? {
        StepResult::Counters(counted) => counted,
        other => return Err(bad(&other)),
    };
    let mut metered: BTreeMap<String, (Spent, Spent)> = BTreeMap::new();
    for charged in counted {
        let mut parts = charged.key.parts().skip(4);
        let (Some(unit), Some(model)) = (parts.next(), parts.next()) else { continue };
        let (spent, held) = metered.entry(model.clone()).or_default();
        spent.add(&unit, charged.used.saturating_sub(charged.held));
        held.add(&unit, charged.held);
    }
    Ok(metered)
}

impl Spent {
    fn add_all(&mut self, other: Self) {
        for (unit, amount) in [("usd", other.usd), ("tokens", other.tokens)] {
            if let Some(amount) = amount {
                self.add(unit, amount);
            }
        }
    }

    fn add(&mut self, unit: &str, amount: u64) {
        let sum = match unit {
            "usd" => &mut self.usd,
            _ => &mut self.tokens,
        };
        *sum = Some(sum.unwrap_or_default().saturating_add(amount));
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.usd, self.tokens) {
            (Some(usd), Some(tokens)) => {
                write!(f, "{}, {}", SpendUnit::Usd.show(usd), SpendUnit::Tokens.show(tokens))
            }
            (Some(usd), None) => f.write_str(&SpendUnit::Usd.show(usd)),
            (None, Some(tokens)) => f.write_str(&SpendUnit::Tokens.show(tokens)),
            (None, None) => f.write_str("nothing"),
        }
    }
}

/// Formats the report as text with one line for each model and budget.
impl fmt::Display for BudgetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.spent.is_empty() {
            write!(f, "nothing was spent on models")?;
        }
        for (place, (model, spent)) in self.spent.iter().enumerate() {
            write!(f, "{}{model}: {spent}", if place == 0 { "" } else { "\n" })?;
        }
        if self.held.usd.max(self.held.tokens) > Some(0) {
            write!(f, "\nheld by calls that are not over: {}", self.held)?;
        }
        for line in &self.budgets {
            let BudgetLine { budget, unit, limit, spent, held, left } = line;
            let show = |amount: &u64| unit.show(*amount);
            write!(f, "\n{budget}: {} of {}", show(spent), show(limit))?;
            if *held > 0 {
                write!(f, ", {} held", show(held))?;
            }
            write!(f, ", {} left", show(left))?;
        }
        Ok(())
    }
}
