//! Reasons for denied calls, with advice.

use std::fmt;

use hooks_core::state::StoreError;
use hooks_core::{Evidence, HookError, Reason};

use super::limit::{Counter, SpendUnit};

/// Name of the policy in reasons.
pub(super) const NAME: &str = "spend-budget";

/// Refusal to spend.
///
/// ```
/// use hooks_budgets::spend::SpendRefusal;
/// use hooks_core::ReasonKind;
/// use hooks_core::state::StoreError;
///
/// let refusal = SpendRefusal::from(StoreError::Unavailable("connection refused".to_owned()));
/// assert!(refusal.to_string().starts_with("the budget cannot be asked: "));
/// assert_eq!(refusal.into_reason().kind, ReasonKind::Failure); // the call is denied
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum SpendRefusal {
    /// The budget does not allow the call.
    Refused(Box<Reason>),
    /// The store failed: an amount that cannot be counted is not spent.
    Store(StoreError),
}

impl SpendRefusal {
    /// Converts the refusal to a reason; a failed store is a failure.
    pub fn into_reason(self) -> Reason {
        match self {
            Self::Refused(reason) => *reason,
            Self::Store(error) => Reason::failure(NAME, &error),
        }
    }
}

impl fmt::Display for SpendRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(reason) => f.write_str(&reason.message),
            Self::Store(error) => write!(f, "the budget cannot be asked: {error}"),
        }
    }
}

impl std::error::Error for SpendRefusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

impl From<StoreError> for SpendRefusal {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<SpendRefusal> for HookError {
    fn from(refusal: SpendRefusal) -> Self {
        Self::other(refusal)
    }
}

/// Creates the refusal for an unexpected answer of the store.
pub(super) fn bad_answer(what: &str) -> SpendRefusal {
    SpendRefusal::Store(StoreError::Unavailable(what.to_owned()))
}

/// Creates the reason for a counter without room for `needed`.
pub(super) fn refused(counters: &[Counter], place: usize, unit: SpendUnit, needed: u64, used: u64) -> Reason {
    let needed = unit.show(needed);
    let Some(counter) = counters.get(place) else {
        let message = format!("{needed} is more than can be counted");
        return Reason::new(NAME, "amount", message).instead("give the number of tokens that the call needs");
    };
    let limit = counter.scope.limit;
    let message = format!(
        "{counter} is used up: {} of {} are charged, and this needs {needed} more",
        unit.show(used),
        unit.show(limit)
    );
    let reason = Reason::new(NAME, unit.name(), message).because(Evidence::Count { used, limit });
    counter.window.advise(reason.unless(format!("raise `{}`", counter.field())))
}

/// Creates the reason for a counter with nothing left.
pub(super) fn used_up(counter: &Counter, spent: u64) -> Reason {
    let limit = counter.scope.limit;
    let (spent_shown, limit_shown) = (counter.unit.show(spent), counter.unit.show(limit));
    let message = format!("{counter} is used up: {spent_shown} of {limit_shown} are spent");
    let reason =
        Reason::new(NAME, counter.unit.name(), message).because(Evidence::Count { used: spent, limit });
    counter.window.advise(reason.unless(format!("raise `{}`", counter.field())))
}

/// Creates the reason for a model without a known price.
pub(super) fn unknown_price(model: &str, begins: Option<String>) -> Reason {
    let message = match begins {
        None => format!("the price of `{model}` is unknown"),
        Some(begins) => {
            format!("the price of `{model}` is known from {begins} on, and that is later than now")
        }
    };
    Reason::new(NAME, "unknown-price", message)
        .unless("list it in `budget.prices`, or give a `budget.price_ceiling`")
}

/// Creates the reason for an answer of unknown length.
pub(super) fn unknown_size(model: &str) -> Reason {
    let message = format!("the most tokens in an answer of `{model}` is unknown");
    Reason::new(NAME, "unknown-size", message)
        .unless("give its price a `most_output_tokens`, or state one for all models in `budget.hold`")
}

/// Creates the question to the user.
pub(super) fn question(counter: &Counter, used: u64) -> Reason {
    let limit = counter.scope.limit;
    let message =
        format!("{counter} is nearly used up: {} of {}", counter.unit.show(used), counter.unit.show(limit));
    Reason::new(NAME, "ask", message)
        .because(Evidence::Count { used, limit })
        .unless("have a person approve it (`hooks approve budget`), or raise `budget.thresholds.ask`")
}

/// Creates the reason to start no further agents.
pub(super) fn paused(counter: &Counter, used: u64) -> Reason {
    let limit = counter.scope.limit;
    let message = format!(
        "no further agents are started: of {counter}, {} of {} are charged",
        counter.unit.show(used),
        counter.unit.show(limit)
    );
    let reason = Reason::new(NAME, "pause-spawns", message).because(Evidence::Count { used, limit });
    counter.window.advise(reason.unless(format!("raise `{}`", counter.field())))
}

/// Creates the warning at a threshold.
pub(super) fn warning(counter: &Counter, used: u64) -> String {
    let limit = counter.scope.limit;
    let percent = u128::from(used) * 100 / u128::from(limit.max(1));
    format!("{counter} is used to {percent} %: {} of {}", counter.unit.show(used), counter.unit.show(limit))
}
