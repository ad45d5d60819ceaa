//! What was spent, what is held, what is left.

use std::collections::BTreeMap;
use std::fmt;

use hooks_core::HookContext;
use hooks_core::state::{Answer, Op, StoreError};
use serde::{Deserialize, Serialize};

use super::advice::{bad, used};
use super::budget::SpendBudget;
use super::limit::{SpendUnit, counters, meters};

/// What a session spent, and how its budgets stand.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetReport {
    /// By model, in the order of their names; what is held is not among it.
    pub spent: BTreeMap<String, Spent>,
    /// What calls hold that are not over.
    pub held: Spent,
    /// The budgets that the session draws on.
    pub budgets: Vec<BudgetLine>,
}

/// What was spent, as far as it is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spent {
    /// Millionths of a US dollar.
    pub usd: Option<u64>,
    /// Tokens, sent and received together.
    pub tokens: Option<u64>,
}

/// How a budget stands in its present window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BudgetLine {
    /// Which one, in words.
    pub budget: String,
    /// In which unit the amounts are: millionths of a dollar, or tokens.
    pub unit: SpendUnit,
    /// What it allows.
    pub limit: u64,
    /// What is spent.
    pub spent: u64,
    /// What is held by calls that are not over.
    pub held: u64,
    /// What is left.
    pub left: u64,
}

impl BudgetReport {
    pub(super) async fn of(budget: &SpendBudget, context: &HookContext) -> Result<Self, StoreError> {
        let store = budget.store.of(context);
        let mut report = Self::default();
        let counted = match store.apply(Op::Counters { below: meters(context) }).await? {
            Answer::Counters(counted) => counted,
            other => return Err(bad(&other)),
        };
        for charged in counted {
            let mut parts = charged.key.parts().skip(4);
            let (Some(unit), Some(model)) = (parts.next(), parts.next()) else { continue };
            report.spent.entry(model).or_default().add(&unit, charged.used.saturating_sub(charged.held));
            report.held.add(&unit, charged.held);
        }
        let root = budget.root(context).await?;
        let models: Vec<_> = report.spent.keys().cloned().collect();
        for unit in SpendUnit::ALL {
            let mut seen = Vec::new();
            // A session that called no model yet draws on all budgets but those of models.
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

impl Spent {
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

/// As text, a line each.
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
