//! Notices about a budget, and their receivers.

use std::sync::Arc;

use hooks_core::event::{Level, Notification};
use hooks_core::{HookContext, HookFuture, HookRequest, Live};

use super::report::BudgetReport;

/// Notice about a budget.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SpendNotice {
    /// A counter reached the threshold `warn`; sent once for each counter and window.
    Warning(String),
    /// Another model was used, because a counter reached the threshold `cheaper`.
    Cheaper {
        /// The requested model.
        model: String,
        /// The model that was used instead.
        instead: String,
    },
    /// The spending of a session; sent at its end.
    Report(BudgetReport),
}

/// Receives the notices of a budget. Slow work belongs in the returned future.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use hooks_budgets::spend::{SpendNotice, SpendWatch};
/// use hooks_budgets::{Budgets, BudgetsSettings, SpendBudgetConfig};
/// use hooks_core::event::SessionEnd;
/// use hooks_core::{HookContext, HookFuture, Hooks};
///
/// /// Keeps the report of each session.
/// #[derive(Default)]
/// struct Reports(Mutex<Vec<String>>);
///
/// impl SpendWatch for Reports {
///     fn tell(&self, context: &Arc<HookContext>, notice: SpendNotice) -> HookFuture<'static, ()> {
///         if let SpendNotice::Report(report) = notice {
///             self.0.lock().expect("no thread panicked").push(format!("{}: {report}", context.session_id));
///         }
///         HookFuture::now(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_core::PolicyErrors> {
/// let reports = Arc::new(Reports::default());
/// let config = BudgetsSettings { budget: Some(SpendBudgetConfig::default()), ..BudgetsSettings::default() };
/// let hooks = Hooks::from_policy(Budgets::new(config).with_spend_watch(reports.clone()))?;
/// hooks.on(HookContext::new("session-1", "backend")).session_end(SessionEnd::default()).await;
/// assert_eq!(*reports.0.lock().expect("no thread panicked"), ["session-1: nothing was spent on models"]);
/// # Ok(())
/// # }
/// ```
pub trait SpendWatch: Send + Sync {
    /// Receives a notice.
    fn tell(&self, context: &Arc<HookContext>, notice: SpendNotice) -> HookFuture<'static, ()>;
}

/// Fires the `notification` event.
///
/// ```
/// use std::sync::Arc;
/// use hooks_budgets::spend::{NotifyHooks, SpendNotice, SpendWatch};
/// use hooks_core::testing::Recorder;
/// use hooks_core::{HookContext, Live, WireEvent};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let recorder = Recorder::default();
/// let watch = NotifyHooks::new(Live::new(recorder.clone()));
/// let context = Arc::new(HookContext::new("session-1", "backend"));
/// let notice = SpendNotice::Cheaper { model: "large".into(), instead: "small".into() };
/// watch.tell(&context, notice).await;
/// let message = "`small` is used in place of `large`, to spare the budget";
/// assert!(matches!(&recorder.seen()[0], WireEvent::Notification(event) if event.message == message));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct NotifyHooks {
    hooks: Live,
}

impl NotifyHooks {
    /// Creates a watch that fires the event on the current set of `hooks`.
    pub fn new(hooks: impl Into<Live>) -> Self {
        Self { hooks: hooks.into() }
    }
}

impl SpendWatch for NotifyHooks {
    fn tell(&self, context: &Arc<HookContext>, notice: SpendNotice) -> HookFuture<'static, ()> {
        let notification = match notice {
            SpendNotice::Warning(message) => Notification::new(Level::Warning, message),
            SpendNotice::Cheaper { model, instead } => {
                let message = format!("`{instead}` is used in place of `{model}`, to spare the budget");
                Notification::new(Level::Warning, message)
            }
            SpendNotice::Report(report) => Notification::new(Level::Info, report.to_string()),
        };
        let (hooks, context) = (self.hooks.clone(), Arc::clone(context));
        HookFuture::later(async move {
            hooks.tell(HookRequest::new(context, notification)).await;
        })
    }
}
