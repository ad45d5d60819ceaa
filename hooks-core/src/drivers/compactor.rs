//! The driver of compactions.

use std::sync::Arc;

use super::moment::Moment;
use super::refusal;
use crate::context::HookContext;
use crate::event::{PostCompact, PreCompact};
use crate::outcome::{CompactNotes, CompactOutcome, Judged};
use crate::set::Live;

/// Drives compactions, for a [`Session`](super::Session) or for a layer that compacts on its own. It fires
/// `pre_compact` before, which hooks may veto, and `post_compact` afterwards.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::drivers::{Compaction, Compactor};
/// use hooks_core::event::PreCompact;
/// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
///
/// let early = policy_fn("early", |request: &HookRequest<PreCompact>| match request.event().current_token_count {
///     ..50_000 => Verdict::deny(Reason::new("early", "tokens", "there is room left")),
///     _ => Verdict::NO_OPINION,
/// });
/// let compactor = Compactor::new(Hooks::builder().policy(early).build());
/// let context = Arc::new(HookContext::new("session-1", "backend"));
/// # futures_util::FutureExt::now_or_never(async {
/// let mut compaction = PreCompact::default();
/// compaction.current_token_count = 40_000;
/// let vetoed = compactor.ask(&context, compaction.clone()).await;
/// assert!(matches!(vetoed, Compaction::Vetoed(why, _) if why == "there is room left"));
/// compaction.current_token_count = 150_000;
/// assert!(matches!(compactor.ask(&context, compaction).await, Compaction::Proceed(_)));
/// # }).expect("no hook waits");
/// ```
#[derive(Clone, Debug)]
pub struct Compactor {
    hooks: Live,
}

/// Decision of the hooks about a compaction.
#[derive(Debug)]
#[non_exhaustive]
pub enum Compaction {
    /// Compact: keep the context of the notes, and use their summary if there is one. Report the result with
    /// [`Compactor::done`] or [`Session::compacted`](super::Session::compacted).
    Proceed(CompactOutcome),
    /// Do not compact, for this reason.
    Vetoed(String, CompactOutcome),
}

impl Compaction {
    /// Notes of the hooks: context to keep, and their summary.
    pub fn notes(&self) -> Option<&CompactNotes> {
        match self {
            Self::Proceed(outcome) | Self::Vetoed(_, outcome) => outcome.notes(),
        }
    }
}

impl Compactor {
    /// A driver that asks `hooks`.
    pub fn new(hooks: impl Into<Live>) -> Self {
        Self { hooks: hooks.into() }
    }

    /// Asks the hooks before a conversation is compacted.
    pub async fn ask(&self, context: &Arc<HookContext>, compaction: PreCompact) -> Compaction {
        let outcome = self.moment(context).gate(compaction).await.outcome;
        if outcome.goes_ahead() {
            Compaction::Proceed(outcome)
        } else {
            Compaction::Vetoed(refusal(outcome.text_for_agent()), outcome)
        }
    }

    /// Reports a finished compaction to the hooks.
    pub async fn done(&self, context: &Arc<HookContext>, done: PostCompact) {
        self.moment(context).tell(done).await;
    }

    fn moment(&self, context: &Arc<HookContext>) -> Moment {
        Moment::new(self.hooks.snapshot(), context.for_call(None))
    }
}
