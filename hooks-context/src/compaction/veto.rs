//! Rules about when a conversation is not to be compacted.

use hooks_core::HookContext;
use hooks_core::event::{CompactionSource, PreCompact};

/// Says whether a compaction may be. A closure of context and event is one.
pub trait Veto: Send + Sync {
    /// Why not; nothing where it may.
    fn veto(&self, context: &HookContext, asked: &PreCompact) -> Option<String>;
}

impl<F: Fn(&HookContext, &PreCompact) -> Option<String> + Send + Sync> Veto for F {
    fn veto(&self, context: &HookContext, asked: &PreCompact) -> Option<String> {
        self(context, asked)
    }
}

/// Whether there is no way but to compact: the model refused the conversation, or it fills its window.
pub(super) fn is_dead_end(asked: &PreCompact) -> bool {
    let is_full = asked.max_tokens > 0 && asked.current_token_count >= asked.max_tokens;
    is_full || matches!(asked.source, CompactionSource::Overflow | CompactionSource::ToolOverflow)
}
