//! Rules that forbid a compaction.

use hooks_core::HookContext;
use hooks_core::event::{CompactionSource, PreCompact};

/// Decides whether a compaction may happen. A closure over context and event is a veto.
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
