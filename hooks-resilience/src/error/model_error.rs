//! The error of a model call.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{ErrorOccurred, Message, Usage};
use hooks_core::time::Tick;
use hooks_core::{BoxError, Recovery};

use super::{ErrorKind, NextModel, SameModel, Treatment};
use crate::call::{Call, FailedAttempt};
use crate::catalog::Limits;

/// Why a model call failed. Two words wide, so that it costs a healthy answer nothing.
pub struct ModelError {
    kind: ErrorKind,
    detail: Box<Detail>,
}

#[derive(Default)]
struct Detail {
    message: String,
    model: Option<Arc<str>>,
    status: Option<u16>,
    retry_after: Option<Duration>,
    ready_at: Option<Tick>,
    limits: Option<Limits>,
    received: Option<(Message, Usage)>,
    failed: Vec<FailedAttempt>,
    proposal: Option<Recovery>,
    /// Whether it ends a chain.
    exhausted: bool,
    source: Option<BoxError>,
}

/// How much of a provider's text is kept.
const MESSAGE_BYTES: usize = 1_000;

impl ModelError {
    /// An error of `kind`, in the provider's or our words; what is beyond 1,000 bytes is cut off.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some(end) =
            (0..=MESSAGE_BYTES.min(message.len())).rev().find(|end| message.is_char_boundary(*end))
        {
            message.truncate(end);
        }
        Self { kind, detail: Box::new(Detail { message, ..Detail::default() }) }
    }

    /// A future was polled after it had answered. Said once more rather than never: a mistake of the caller shows.
    #[cold]
    pub(crate) fn polled_again() -> Self {
        Self::new(
            ErrorKind::Unknown,
            "it was polled again after it had answered; poll it until it answers, and no more",
        )
    }

    /// Says which model it was.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<Arc<str>>) -> Self {
        self.detail.model = Some(model.into());
        self
    }

    /// Says that it was the model that `call` goes to.
    #[must_use]
    pub(crate) fn with_model_of(self, call: &Call) -> Self {
        match &call.model {
            Some(model) => self.with_model(Arc::clone(&model.name)),
            None => self.with_model(call.model_name()),
        }
    }

    /// The same, taken for one of `kind`.
    #[must_use]
    pub(crate) const fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Says which HTTP status it had.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.detail.status = Some(status);
        self
    }

    /// Says how long the provider wants to be left alone.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.detail.retry_after = Some(wait);
        self
    }

    /// Says when the same model may be asked again.
    #[must_use]
    pub fn with_ready_at(mut self, tick: Tick) -> Self {
        self.detail.ready_at = Some(tick);
        self
    }

    /// Says what the provider lets through, as it told with the error.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.detail.limits = Some(limits);
        self
    }

    /// Keeps what had been received when it broke.
    #[must_use]
    pub fn with_received(mut self, message: Message, usage: Usage) -> Self {
        self.detail.received = Some((message, usage));
        self
    }

    /// Keeps the error it comes from.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.detail.source = Some(source.into());
        self
    }

    /// Adds what was tried before, in order.
    #[must_use]
    pub fn with_failed(mut self, mut failed: Vec<FailedAttempt>) -> Self {
        failed.append(&mut self.detail.failed);
        self.detail.failed = failed;
        self
    }

    /// Keeps what hooks propose to do about it.
    #[must_use]
    pub fn with_proposal(mut self, recovery: Recovery) -> Self {
        self.detail.proposal = Some(recovery);
        self
    }

    /// Takes out what was tried before.
    pub(crate) fn take_failed(&mut self) -> Vec<FailedAttempt> {
        std::mem::take(&mut self.detail.failed)
    }

    /// Says that nothing was left to try.
    pub(crate) fn exhausted(mut self) -> Self {
        self.detail.exhausted = true;
        self
    }

    /// Whether it ends a call because no model of its chain is left.
    pub fn is_exhausted(&self) -> bool {
        self.detail.exhausted
    }

    /// What kind it is.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// In words.
    pub fn message(&self) -> &str {
        &self.detail.message
    }

    /// Which model it was.
    pub fn model(&self) -> Option<&Arc<str>> {
        self.detail.model.as_ref()
    }

    /// Which HTTP status it had.
    pub fn status(&self) -> Option<u16> {
        self.detail.status
    }

    /// How long the provider wants to be left alone, as it told us.
    pub fn retry_after(&self) -> Option<Duration> {
        self.detail.retry_after
    }

    /// When the same model may be asked again, as a layer worked it out.
    pub fn ready_at(&self) -> Option<Tick> {
        self.detail.ready_at
    }

    /// What the provider lets through, where it told.
    pub fn limits(&self) -> Option<&Limits> {
        self.detail.limits.as_ref()
    }

    /// What had been received when it broke.
    pub fn received(&self) -> Option<&(Message, Usage)> {
        self.detail.received.as_ref()
    }

    /// What was tried, in order.
    pub fn failed(&self) -> &[FailedAttempt] {
        &self.detail.failed
    }

    /// What hooks propose to do about it. It narrows what the treatment of the kind allows: a `retry` of false
    /// forbids to ask the same model again, a `fallback_model` goes before the rest of the chain, `backoff_ms` is
    /// the least there is waited.
    pub fn proposal(&self) -> Option<&Recovery> {
        self.detail.proposal.as_ref()
    }

    /// Whether hooks said that it is not to be tried again.
    pub fn forbids_retry(&self) -> bool {
        self.proposal().is_some_and(|proposal| proposal.retry == Some(false))
    }

    /// Enters kind and attempts into the event of an error that is one of these; others it leaves as they are. For
    /// [`GovernModel::describing`](hooks_core::drivers::GovernModel::describing), which has no place for a host's own
    /// treatments: whether it is recoverable is what [`Treatment::of`] says.
    pub fn describe(error: &(dyn std::error::Error + 'static), event: &mut ErrorOccurred) {
        let Some(error) = error.downcast_ref::<Self>() else { return };
        error.enter(Treatment::of(error.kind), 0, event);
    }

    /// Enters kind and attempts into `event`: it is treated like this, and `tried` attempts came before that are not
    /// among what it says [`failed`](Self::failed).
    pub(crate) fn enter(&self, treatment: Treatment, tried: u32, event: &mut ErrorOccurred) {
        // What was passed over, or let nobody in, was not tried.
        let before = self.failed().iter().filter(|failed| failed.kind != ErrorKind::NotAdmitted).count();
        event.error_type = self.kind.error_type();
        event.attempt = u32::try_from(before).unwrap_or(u32::MAX).saturating_add(tried).saturating_add(1);
        event.recoverable = treatment.same_model != SameModel::No || treatment.next_model != NextModel::No;
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail.model {
            Some(model) => write!(f, "`{model}`: {}: {}", self.kind, self.detail.message),
            None => write!(f, "{}: {}", self.kind, self.detail.message),
        }
    }
}

impl fmt::Debug for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelError")
            .field("kind", &self.kind)
            .field("message", &self.detail.message)
            .field("model", &self.detail.model)
            .field("status", &self.detail.status)
            .field("failed", &self.detail.failed)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for ModelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.detail.source.as_deref().map(|source| source as _)
    }
}
