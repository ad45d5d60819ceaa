//! Rules that forbid a compaction.

use hooks_core::HookContext;
use hooks_core::event::{CompactionSource, PreCompact};

/// Decides whether a compaction may happen. A closure over context and event is a veto.
///
/// A rule about the size of the conversation. A veto is ignored if the conversation fills the window:
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::compaction::{Compacting, CompactionSettings, Veto};
/// use hooks_core::event::PreCompact;
/// use hooks_core::testing::VirtualTime;
/// use hooks_core::{HookContext, Hooks, Judged};
///
/// /// No compaction below a percentage of the window.
/// struct NotBelow(u64);
///
/// impl Veto for NotBelow {
///     fn veto(&self, _context: &HookContext, asked: &PreCompact) -> Option<String> {
///         let least = asked.max_tokens * self.0 / 100;
///         (asked.current_token_count < least).then(|| format!("the window is less than {} % full", self.0))
///     }
/// }
///
/// let time = VirtualTime::default();
/// let compacting = Compacting::new(CompactionSettings::default(), Arc::new(time.clone())).unless(NotBelow(80));
/// let hooks = compacting.add_to(Hooks::builder()).build();
/// # time.block_on(async {
/// for (tokens, is_denied) in [(60, true), (80, false), (100, false)] {
///     let mut asked = PreCompact::default();
///     (asked.current_token_count, asked.max_tokens) = (tokens, 100);
///     let outcome = hooks.on(HookContext::new("session-1", "backend")).pre_compact(asked).await.outcome;
///     assert_eq!(outcome.is_denied(), is_denied);
/// }
/// # }).expect("nothing waits");
/// ```
pub trait Veto: Send + Sync {
    /// Returns the reason against the compaction, or `None` if it may happen.
    fn veto(&self, context: &HookContext, compaction: &PreCompact) -> Option<String>;
}

impl<F: Fn(&HookContext, &PreCompact) -> Option<String> + Send + Sync> Veto for F {
    fn veto(&self, context: &HookContext, compaction: &PreCompact) -> Option<String> {
        self(context, compaction)
    }
}

/// Whether a compaction is the only way to go on: the model refused the conversation, or it fills its window.
pub(super) fn is_dead_end(compaction: &PreCompact) -> bool {
    let is_full = compaction.max_tokens > 0 && compaction.current_token_count >= compaction.max_tokens;
    is_full || matches!(compaction.source, CompactionSource::Overflow | CompactionSource::ToolOverflow)
}
