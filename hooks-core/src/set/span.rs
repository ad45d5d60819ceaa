//! A span for each question about an event, if the `tracing` feature is enabled.

use crate::context::HookContext;
use crate::event::EventKind;
use crate::future::HookFuture;

/// The span in which the hooks are asked about one event.
pub(super) struct EventSpan {
    #[cfg(feature = "tracing")]
    span: tracing::Span,
}

impl EventSpan {
    #[cfg(feature = "tracing")]
    pub(super) fn new(kind: EventKind, context: &HookContext) -> Self {
        let span = tracing::info_span!(
            "hook_event",
            event = kind.name(),
            session = context.session_id,
            agent = context.agent_name,
        );
        Self { span }
    }

    /// Asks within the span. If the span is enabled, a future that waits is boxed; otherwise there is no
    /// cost.
    #[cfg(feature = "tracing")]
    pub(super) fn ask<'a, T: 'a>(self, ask: impl FnOnce() -> HookFuture<'a, T>) -> HookFuture<'a, T> {
        if self.span.is_disabled() {
            return ask();
        }
        match self.span.in_scope(ask) {
            HookFuture::Later(future) => {
                HookFuture::later(tracing::Instrument::instrument(future, self.span))
            }
            now @ HookFuture::Now(_) => now,
        }
    }
}

#[cfg(not(feature = "tracing"))]
impl EventSpan {
    pub(super) fn new(_kind: EventKind, _context: &HookContext) -> Self {
        Self {}
    }

    pub(super) fn ask<'a, T: 'a>(self, ask: impl FnOnce() -> HookFuture<'a, T>) -> HookFuture<'a, T> {
        ask()
    }
}
