//! Summaries, written by a service of the host.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use hooks_core::event::Message;
use hooks_core::{BoxError, HookContext, HookFuture};
use tower::ServiceExt;
use tower_service::Service;

/// Request for a summary of a conversation, or of its older part.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SummaryRequest {
    /// Context of the session or call.
    pub context: Arc<HookContext>,
    /// Model that the conversation is with.
    pub model: Arc<str>,
    /// Messages to summarise, in order. Tool results in them may be hostile: the summary must report them, not
    /// obey them.
    pub messages: Vec<Message>,
    /// Texts that are kept verbatim beside the summary.
    pub keep: Vec<String>,
    /// Most tokens of the summary; a longer one is not used.
    pub max_tokens: u64,
}

impl SummaryRequest {
    /// Creates a request for a summary of at most `max_tokens`.
    pub fn new(
        context: Arc<HookContext>,
        model: impl Into<Arc<str>>,
        messages: Vec<Message>,
        max_tokens: u64,
    ) -> Self {
        Self { context, model: model.into(), messages, keep: Vec::new(), max_tokens }
    }

    /// Sets the texts that are kept verbatim beside the summary.
    #[must_use]
    pub fn keeping(mut self, texts: Vec<String>) -> Self {
        self.keep = texts;
        self
    }
}

/// A service that writes summaries, of any type. The service belongs to the host, which must govern and limit
/// its calls. Cheap to clone.
#[derive(Clone)]
pub struct Summariser(Arc<dyn Summarise>);

impl Summariser {
    /// Creates a summariser that asks a clone of `service` for each summary.
    pub fn new<S>(service: S) -> Self
    where
        S: Service<SummaryRequest, Response = String, Error: Into<BoxError>, Future: Send>
            + Clone
            + Send
            + Sync
            + 'static,
    {
        Self(Arc::new(ByService(service)))
    }

    /// Asks for a summary. The future returns the error of the service; a panic of the service is an error
    /// too. The caller limits the time.
    pub fn summarise(&self, request: SummaryRequest) -> HookFuture<'static, Result<String, BoxError>> {
        self.0.summarise(request)
    }
}

impl fmt::Debug for Summariser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Summariser")
    }
}

/// A service that summarises, with its type erased.
trait Summarise: Send + Sync {
    fn summarise(&self, request: SummaryRequest) -> HookFuture<'static, Result<String, BoxError>>;
}

struct ByService<S>(S);

impl<S> Summarise for ByService<S>
where
    S: Service<SummaryRequest, Response = String, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    fn summarise(&self, request: SummaryRequest) -> HookFuture<'static, Result<String, BoxError>> {
        let service = self.0.clone();
        let response = AssertUnwindSafe(async move { service.oneshot(request).await.map_err(Into::into) });
        HookFuture::later(async move {
            response.catch_unwind().await.unwrap_or_else(|_| Err("the summariser panicked".into()))
        })
    }
}

#[cfg(test)]
mod tests {
    use tower::service_fn;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error() {
        async fn panics(_: SummaryRequest) -> Result<String, BoxError> {
            panic!("in the service")
        }
        let request = SummaryRequest::new(Arc::default(), "m", Vec::new(), 10);
        let answer = Summariser::new(service_fn(panics)).summarise(request).await;
        assert_eq!(answer.unwrap_err().to_string(), "the summariser panicked");
    }
}
