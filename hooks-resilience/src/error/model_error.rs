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

/// The failure of a model call. Two words in size, so that successful answers stay small.
///
/// ```
/// use std::time::Duration;
/// use hooks_resilience::{ErrorKind, ModelError};
///
/// let error = ModelError::new(ErrorKind::RateLimited, "slow down")
///     .with_model("opus")
///     .with_status(429)
///     .with_retry_after(Duration::from_secs(20));
/// assert_eq!(error.to_string(), "`opus`: rate_limited: slow down");
/// assert_eq!((error.status(), error.retry_after()), (Some(429), Some(Duration::from_secs(20))));
/// assert!(error.failed().is_empty() && !error.is_exhausted());
/// ```
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
    /// Whether the error ends a chain.
    exhausted: bool,
    source: Option<BoxError>,
}

/// The most bytes of a provider's message that are kept.
const MESSAGE_BYTES: usize = 1_000;

impl ModelError {
    /// Creates an error of `kind` with the provider's or our message, which is cut at 1,000 bytes.
    ///
    /// ```
    /// use hooks_resilience::{ErrorKind, ModelError};
    ///
    /// let page = "<html>".repeat(1_000);
    /// assert_eq!(ModelError::new(ErrorKind::Server, page).message().len(), 1_000);
    /// ```
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some(end) =
            (0..=MESSAGE_BYTES.min(message.len())).rev().find(|end| message.is_char_boundary(*end))
        {
            message.truncate(end);
        }
        Self { kind, detail: Box::new(Detail { message, ..Detail::default() }) }
    }

    /// The error of a future that was polled after it had completed. It completes again instead of hanging,
    /// so that the caller's mistake shows.
    #[cold]
    pub(crate) fn polled_again() -> Self {
        Self::new(
            ErrorKind::Unknown,
            "it was polled again after it had answered; poll it until it answers, and no more",
        )
    }

    /// Sets the model.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<Arc<str>>) -> Self {
        self.detail.model = Some(model.into());
        self
    }

    /// Sets the model to that of `call`.
    #[must_use]
    pub(crate) fn with_model_of(self, call: &Call) -> Self {
        match &call.model {
            Some(model) => self.with_model(Arc::clone(&model.name)),
            None => self.with_model(call.model_name()),
        }
    }

    /// Replaces the kind.
    #[must_use]
    pub(crate) const fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the HTTP status.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.detail.status = Some(status);
        self
    }

    /// Sets the wait that the provider stated.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.detail.retry_after = Some(wait);
        self
    }

    /// Sets the time from which the same model may be called again.
    #[must_use]
    pub fn with_ready_at(mut self, tick: Tick) -> Self {
        self.detail.ready_at = Some(tick);
        self
    }

    /// Sets the rate limits that the provider reported with the error.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.detail.limits = Some(limits);
        self
    }

    /// Keeps the part of the answer that was received before it broke off.
    #[must_use]
    pub fn with_received(mut self, message: Message, usage: Usage) -> Self {
        self.detail.received = Some((message, usage));
        self
    }

    /// Sets the cause of the error.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.detail.source = Some(source.into());
        self
    }

    /// Adds earlier attempts, in order.
    #[must_use]
    pub fn with_failed(mut self, mut failed: Vec<FailedAttempt>) -> Self {
        failed.append(&mut self.detail.failed);
        self.detail.failed = failed;
        self
    }

    /// Keeps the recovery that hooks propose.
    #[must_use]
    pub fn with_proposal(mut self, recovery: Recovery) -> Self {
        self.detail.proposal = Some(recovery);
        self
    }

    /// Takes the earlier attempts out.
    pub(crate) fn take_failed(&mut self) -> Vec<FailedAttempt> {
        std::mem::take(&mut self.detail.failed)
    }

    /// Marks the error as the end of a chain.
    pub(crate) fn exhausted(mut self) -> Self {
        self.detail.exhausted = true;
        self
    }

    /// Whether the call ended because no model of its chain is left.
    pub fn is_exhausted(&self) -> bool {
        self.detail.exhausted
    }

    /// The kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.detail.message
    }

    /// The name of the model.
    pub fn model(&self) -> Option<&Arc<str>> {
        self.detail.model.as_ref()
    }

    /// The HTTP status.
    pub fn status(&self) -> Option<u16> {
        self.detail.status
    }

    /// The wait that the provider stated.
    pub fn retry_after(&self) -> Option<Duration> {
        self.detail.retry_after
    }

    /// The time from which the same model may be called again, as computed by a layer.
    pub fn ready_at(&self) -> Option<Tick> {
        self.detail.ready_at
    }

    /// The rate limits that the provider reported.
    pub fn limits(&self) -> Option<&Limits> {
        self.detail.limits.as_ref()
    }

    /// The part of the answer that was received before it broke off.
    pub fn received(&self) -> Option<&(Message, Usage)> {
        self.detail.received.as_ref()
    }

    /// The failed attempts, in order.
    pub fn failed(&self) -> &[FailedAttempt] {
        &self.detail.failed
    }

    /// The recovery that hooks propose. It narrows the treatment of the kind. If `retry` is false, the same
    /// model is not called again; `fallback_model` comes before the rest of the chain; `backoff_ms` is the
    /// shortest wait.
    pub fn proposal(&self) -> Option<&Recovery> {
        self.detail.proposal.as_ref()
    }

    /// Whether hooks forbid a retry.
    pub fn forbids_retry(&self) -> bool {
        self.proposal().is_some_and(|proposal| proposal.retry == Some(false))
    }

    /// Writes kind and attempts into the event if the error is a [`ModelError`]; other errors leave the event
    /// as it is. For [`GovernModel::describing`](hooks_core::drivers::GovernModel::describing), which does
    /// not know a host's own treatments: whether the error is recoverable is decided by [`Treatment::default_for`].
    ///
    /// ```
    /// use hooks_core::event::{ErrorOccurred, ErrorType};
    /// use hooks_resilience::{ErrorKind, ModelError};
    ///
    /// let mut event = ErrorOccurred::new("connection reset", ErrorType::Unknown);
    /// ModelError::describe(&ModelError::new(ErrorKind::Network, "connection reset"), &mut event);
    /// assert_eq!((event.error_type, event.recoverable), (ErrorType::Network, true));
    ///
    /// ModelError::describe(&ModelError::new(ErrorKind::InvalidRequest, "no messages"), &mut event);
    /// assert_eq!((event.error_type, event.recoverable), (ErrorType::Model, false));
    /// ```
    pub fn describe(error: &(dyn std::error::Error + 'static), event: &mut ErrorOccurred) {
        let Some(error) = error.downcast_ref::<Self>() else { return };
        error.enter(Treatment::default_for(error.kind), 0, event);
    }

    /// Writes kind and attempts into `event`, with `treatment` for this kind. `tried` is the number of
    /// earlier attempts that [`failed`](Self::failed) does not list.
    pub(crate) fn enter(&self, treatment: Treatment, tried: u32, event: &mut ErrorOccurred) {
        // A model that was skipped or not admitted was not tried.
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
