//! Who is told of what a budget does.

use std::sync::Arc;

use hooks_core::event::{Level, Notification};
use hooks_core::{HookContext, HookFuture, HookRequest, Live};

use super::report::BudgetReport;

/// Something that a budget tells.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SpendNotice {
    /// A counter reached the threshold `warn`; told once for each counter and window.
    Warning(String),
    /// Another model was used, because a counter reached the threshold `cheaper`.
    Cheaper {
        /// The model that was asked for.
        model: String,
        /// The model that was used.
        instead: String,
    },
    /// What a session spent; told at its end.
    Report(BudgetReport),
}

/// Hears of what a budget does. What takes time is done in the future that is answered.
pub trait SpendWatch: Send + Sync {
    /// Hears of it.
    fn tell(&self, context: &Arc<HookContext>, notice: SpendNotice) -> HookFuture<'static, ()>;
}

/// Fires the `notification` event.
#[derive(Clone, Debug)]
pub struct NotifyHooks {
    hooks: Live,
}

impl NotifyHooks {
    /// Tells `hooks`, as they are then.
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
