//! Compactions of a conversation.

use std::sync::Arc;

use super::moment::Moment;
use super::refusal;
use crate::context::HookContext;
use crate::event::{PostCompact, PreCompact};
use crate::outcome::{CompactNotes, CompactOutcome, Judged};
use crate::set::Live;

/// Drives compactions, for a [`Session`](super::Session) and for a layer that compacts on its own:
/// `pre_compact` before, where hooks may veto it, `post_compact` once it is done.
#[derive(Clone, Debug)]
pub struct Compactor {
    hooks: Live,
}

/// What hooks made of a compaction.
#[derive(Debug)]
#[non_exhaustive]
pub enum Compaction {
    /// Compact: keep what the notes hold, and use their summary where there is one. Report it with
    /// [`Compactor::done`] or [`Session::compacted`](super::Session::compacted).
    Proceed(CompactOutcome),
    /// Do not, for this reason.
    Vetoed(String, CompactOutcome),
}

impl Compaction {
    /// What the hooks want kept, and their summary.
    pub fn notes(&self) -> Option<&CompactNotes> {
        match self {
            Self::Proceed(outcome) | Self::Vetoed(_, outcome) => outcome.notes(),
        }
    }
}

impl Compactor {
    /// Compactions that `hooks` hear of.
    pub fn new(hooks: impl Into<Live>) -> Self {
        Self { hooks: hooks.into() }
    }

    /// A conversation is about to be compacted.
    pub async fn ask(&self, context: &Arc<HookContext>, asked: PreCompact) -> Compaction {
        let outcome = self.moment(context).gate(asked).await.outcome;
        if outcome.goes_ahead() {
            Compaction::Proceed(outcome)
        } else {
            Compaction::Vetoed(refusal(outcome.shown_reason()), outcome)
        }
    }

    /// It was compacted.
    pub async fn done(&self, context: &Arc<HookContext>, done: PostCompact) {
        self.moment(context).tell(done).await;
    }

    fn moment(&self, context: &Arc<HookContext>) -> Moment {
        Moment::new(self.hooks.snapshot(), context.for_call(None))
    }
}
