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
pub trait SpendWatch: Send + Sync {
    /// Receives a notice.
    fn tell(&self, context: &Arc<HookContext>, notice: SpendNotice) -> HookFuture<'static, ()>;
}

/// Fires the `notification` event.
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
