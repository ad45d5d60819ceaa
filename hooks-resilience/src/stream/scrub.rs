//! Scrubs secrets and personal data from streamed answers, before a user, a log or a later turn sees them.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_util::Stream;
use hooks_core::inner_accessors;
use hooks_redaction::{Report, ScrubStream, Scrubber};
use pin_project::pin_project;
use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use super::{Chunk, ModelStream};
use crate::call::{Call, Replied};
use crate::error::ModelError;

/// Scrubs the text of streamed answers; with [`with_arguments`](Self::with_arguments), also the arguments of tool calls.
///
/// Put it outside of the `ResumeLayer`, which continues an answer from the text that the model wrote.
///
/// The scrubbed text does not depend on how the answer is cut into chunks. Text is released line by line: a line is held
/// back until it is complete, and at most 64 KiB are. Arguments are released as one chunk at the end of their call. The
/// received part in an error is scrubbed whole.
///
/// ```
/// use futures_util::stream;
/// use hooks_redaction::Scrubber;
/// use hooks_resilience::stream::{Chunk, ModelStream, ScrubLayer, collect};
/// use hooks_resilience::{Call, ModelError, Replied};
/// use tower::{Layer, ServiceExt, service_fn};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # time.clone().block_on(async {
/// # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
///
/// let stack = service_fn(async |call: Call| {
///     let texts = ["write to ja", "ne@exam", "ple.com\nor wait"].map(|text| Chunk::Text(text.to_owned()));
///     let chunks = texts.into_iter().chain([Chunk::Stop("end_turn".to_owned())]);
///     Ok::<_, ModelError>(Replied::new(call, ModelStream::new(stream::iter(chunks.map(Ok)))))
/// });
/// let answer = ScrubLayer::new(Scrubber::all()).layer(stack).oneshot(call).await?.reply;
/// assert_eq!(collect(answer).await?.response.content, "write to [EMAIL_REDACTED]\nor wait");
/// # Ok::<(), BoxError>(())
/// # }).ok_or("nothing is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScrubLayer {
    scrubber: Scrubber,
    arguments: bool,
}

impl ScrubLayer {
    /// Creates a layer that scrubs texts with `scrubber`.
    #[must_use]
    pub const fn new(scrubber: Scrubber) -> Self {
        Self { scrubber, arguments: false }
    }

    /// Also scrubs the arguments of tool calls. A tool then gets markers in place of values; a vault of the scrubber can
    /// give them back ([`Scrubber::restore`]).
    #[must_use]
    pub const fn with_arguments(mut self) -> Self {
        self.arguments = true;
        self
    }

    /// Scrubs one answer.
    ///
    /// ```
    /// use futures_util::stream;
    /// use hooks_redaction::Scrubber;
    /// use hooks_resilience::stream::{Chunk, ModelStream, ScrubLayer, collect};
    /// # use hooks_core::{BoxError, testing::VirtualTime};
    /// # VirtualTime::default().block_on(async {
    ///
    /// let chunks = [Chunk::Text("write to jane@example.com".to_owned()), Chunk::Stop("end_turn".to_owned())];
    /// let answer = ModelStream::new(stream::iter(chunks.map(Ok)));
    /// let scrubbed = ScrubLayer::new(Scrubber::all()).scrub(answer);
    /// assert_eq!(collect(scrubbed).await?.response.content, "write to [EMAIL_REDACTED]");
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("nothing is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    #[must_use]
    pub fn scrub(&self, answer: ModelStream) -> ModelStream {
        ModelStream::new(Scrubbed {
            layer: self.clone(),
            source: answer,
            text: self.scrubber.stream(),
            calls: Vec::new(),
            ready: VecDeque::new(),
            ended: false,
        })
    }
}

impl<S> Layer<S> for ScrubLayer {
    type Service = Scrub<S>;

    fn layer(&self, inner: S) -> Scrub<S> {
        Scrub { inner, layer: self.clone() }
    }
}

/// Scrubs streamed answers; see [`ScrubLayer`].
#[derive(Clone, Debug)]
pub struct Scrub<S> {
    inner: S,
    layer: ScrubLayer,
}

impl<S> Scrub<S> {
    inner_accessors!(inner: S, "The stack");
}

impl<S> Service<Call> for Scrub<S>
where
    S: Service<Call, Response = Replied<ModelStream>, Error = ModelError>,
{
    type Response = Replied<ModelStream>;
    type Error = ModelError;
    type Future = ScrubFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        ScrubFuture { calling: self.inner.call(call), layer: self.layer.clone() }
    }
}

/// The future of a [`Scrub`].
#[pin_project]
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct ScrubFuture<F> {
    #[pin]
    calling: F,
    layer: ScrubLayer,
}

impl<F> Future for ScrubFuture<F>
where
    F: Future<Output = Result<Replied<ModelStream>, ModelError>>,
{
    type Output = Result<Replied<ModelStream>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let layer = this.layer;
        Poll::Ready(match ready!(this.calling.poll(cx)) {
            Ok(replied) => Ok(replied.map(|answer| layer.scrub(answer))),
            Err(error) => Err(scrub_error(error, &layer.scrubber)),
        })
    }
}

/// Scrubs the part of the answer that an error carries.
fn scrub_error(error: ModelError, scrubber: &Scrubber) -> ModelError {
    let Some((message, usage)) = error.received().cloned() else { return error };
    let mut message = message;
    scrubber.scrub_value(&mut message.content);
    error.with_received(message, usage)
}

/// A scrubbed answer.
struct Scrubbed {
    layer: ScrubLayer,
    source: ModelStream,
    text: ScrubStream,
    /// Arguments of the calls that are open, by id.
    calls: Vec<(String, String)>,
    ready: VecDeque<Result<Chunk, ModelError>>,
    ended: bool,
}

impl Scrubbed {
    /// Takes a chunk of the model.
    fn take(&mut self, chunk: Chunk) {
        match chunk {
            Chunk::Text(text) => {
                let text = self.text.push(&text);
                self.release(text);
            }
            // The text goes on behind these.
            Chunk::Usage(_) | Chunk::Resumed(_) => self.ready.push_back(Ok(chunk)),
            Chunk::Restarted(_) => {
                self.text = self.layer.scrubber.stream();
                self.calls.clear();
                self.ready.push_back(Ok(chunk));
            }
            Chunk::ToolArgs { id, json } if self.layer.arguments => {
                match self.calls.iter_mut().find(|(open, _)| *open == id) {
                    Some((_, before)) => before.push_str(&json),
                    None => self.calls.push((id, json)),
                }
            }
            Chunk::ToolEnd { id } => {
                if let Some(place) = self.calls.iter().position(|(open, _)| *open == id) {
                    let (id, json) = self.calls.swap_remove(place);
                    let json = self.arguments(&json);
                    self.ready.push_back(Ok(Chunk::ToolArgs { id, json }));
                }
                self.ready.push_back(Ok(Chunk::ToolEnd { id }));
            }
            other => {
                self.flush();
                self.ready.push_back(Ok(other));
            }
        }
    }

    /// Scrubs complete arguments: as JSON, or as text if they are not JSON.
    fn arguments(&self, json: &str) -> String {
        let scrubber = &self.layer.scrubber;
        let Ok(mut arguments) = serde_json::from_str::<Value>(json) else {
            return scrubber.scrub(json).into_owned();
        };
        let changed = scrubber.scrub_value(&mut arguments) > 0;
        if changed { arguments.to_string() } else { json.to_owned() }
    }

    fn flush(&mut self) {
        let text = self.text.finish();
        self.release(text);
    }

    fn release(&mut self, text: String) {
        if !text.is_empty() {
            self.ready.push_back(Ok(Chunk::Text(text)));
        }
    }
}

impl Stream for Scrubbed {
    type Item = Result<Chunk, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(chunk) = this.ready.pop_front() {
                return Poll::Ready(Some(chunk));
            }
            if this.ended {
                return Poll::Ready(None);
            }
            match ready!(Pin::new(&mut this.source).poll_next(cx)) {
                Some(Ok(chunk)) => this.take(chunk),
                Some(Err(error)) => {
                    this.flush();
                    this.ready.push_back(Err(scrub_error(error, &this.layer.scrubber)));
                }
                None => {
                    this.ended = true;
                    this.flush();
                }
            }
        }
    }
}

/// Prints the report only: text that is held back was not scrubbed yet.
impl fmt::Debug for Scrubbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report: &Report = self.text.report();
        f.debug_struct("Scrubbed").field("report", report).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt, stream};
    use hooks_core::event::{Message, Role, Usage};
    use hooks_core::testing::VirtualTime;

    use super::*;
    use crate::error::ErrorKind;

    fn text(text: &str) -> Result<Chunk, ModelError> {
        Ok(Chunk::Text(text.to_owned()))
    }

    fn args(json: &str) -> Result<Chunk, ModelError> {
        Ok(Chunk::ToolArgs { id: "t".to_owned(), json: json.to_owned() })
    }

    fn scrubbed(
        layer: &ScrubLayer,
        chunks: Vec<Result<Chunk, ModelError>>,
    ) -> Vec<Result<Chunk, ModelError>> {
        let answer = layer.scrub(ModelStream::new(stream::iter(chunks)));
        VirtualTime::default().block_on(answer.collect::<Vec<_>>()).unwrap()
    }

    fn chunks(all: Vec<Result<Chunk, ModelError>>) -> Vec<Chunk> {
        all.into_iter().map(|chunk| chunk.unwrap()).collect()
    }

    #[test]
    fn text_is_released_in_order_with_what_follows_it() {
        let start = Chunk::ToolStart { id: "t".to_owned(), name: "ls".to_owned() };
        let layer = ScrubLayer::new(Scrubber::all());
        let out = chunks(scrubbed(
            &layer,
            vec![
                text("a\nmail ja"),
                Ok(Chunk::Resumed(None)),
                text("ne@example.com"),
                Ok(start.clone()),
                args("{\"to\":\"a@b.org\"}"),
            ],
        ));
        let wanted = [
            Chunk::Text("a\n".to_owned()),
            Chunk::Resumed(None),
            Chunk::Text("mail [EMAIL_REDACTED]".to_owned()),
            start,
            args("{\"to\":\"a@b.org\"}").unwrap(),
        ];
        assert_eq!(out, wanted);
    }

    #[test]
    fn text_that_does_not_count_is_dropped() {
        let layer = ScrubLayer::new(Scrubber::all());
        let out =
            chunks(scrubbed(&layer, vec![text("half a li"), Ok(Chunk::Restarted(None)), text("whole")]));
        assert_eq!(out, [Chunk::Restarted(None), Chunk::Text("whole".to_owned())]);
    }

    #[test]
    fn arguments_are_scrubbed_whole() {
        let layer = ScrubLayer::new(Scrubber::all()).with_arguments();
        let end = || Ok(Chunk::ToolEnd { id: "t".to_owned() });
        for (parts, wanted) in [
            (["{\"to\":\"jane@exa", "mple.com\"}"], "{\"to\":\"[EMAIL_REDACTED]\"}"),
            (["{\"n\": ", "1.50}"], "{\"n\": 1.50}"),
            (["{\"to\":\"a@b.org", ""], "{\"to\":\"[EMAIL_REDACTED]"),
        ] {
            let out = chunks(scrubbed(&layer, vec![args(parts[0]), args(parts[1]), end()]));
            assert_eq!(out, [args(wanted).unwrap(), end().unwrap()]);
        }
    }

    #[test]
    fn an_error_carries_scrubbed_text() {
        let received = Message::text(Role::Assistant, "mail jane@example.com".to_owned());
        let error =
            ModelError::new(ErrorKind::StreamBroken, "reset").with_received(received, Usage::default());
        let mut out =
            scrubbed(&ScrubLayer::new(Scrubber::all()), vec![text("mail jane@example.com"), Err(error)]);
        let error = out.pop().unwrap().unwrap_err();
        assert_eq!(error.received().unwrap().0.content, "mail [EMAIL_REDACTED]");
        assert_eq!(chunks(out), [Chunk::Text("mail [EMAIL_REDACTED]".to_owned())]);
    }
}
