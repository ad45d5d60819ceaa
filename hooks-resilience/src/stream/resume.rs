//! A stream that is continued if it breaks.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use hooks_core::HookFuture;
use hooks_core::event::{Message, Role, Usage};
use hooks_core::time::Tick;
use serde_json::Value;
use tower_service::Service;

use super::assemble::Assembly;
use super::layer::Shared;
use super::overlap::Differs;
use super::parts::Parts;
use super::watch::Watch;
use super::{AfterText, Chunk, ModelStream};
use crate::attempt::future::panicked;
use crate::breaker::Outstanding;
use crate::call::{Call, FailedAttempt, Replied};
use crate::catalog::Model;
use crate::error::{ErrorKind, ModelError, NextModel, SameModel};

/// A stream, and the state needed to continue it.
pub(super) struct ResumeStream<S: Service<Call>> {
    state: State<S::Future>,
    service: S,
    shared: Arc<Shared>,
    /// The original call; every further call is made from it.
    call: Call,
    watch: Watch,
    /// Model of the current stream.
    model: Option<Arc<Model>>,
    /// Receiver of the stream's result.
    outstanding: Option<Outstanding>,
    /// Chunks to release next, followed by the error.
    queue: VecDeque<Chunk>,
    failure: Option<ModelError>,
    assembly: Assembly,
    parts: Parts,
    failed: Vec<FailedAttempt>,
    /// Models that broke off before, each with the time from which it may be called again.
    let_down: Vec<(usize, Tick)>,
    stopped: bool,
}

enum State<F> {
    Streaming(ModelStream),
    Pausing(HookFuture<'static, ()>, Call, Onward),
    Readying(Call, Onward),
    Asking(Pin<Box<F>>, Onward),
    Ended,
}

/// Relation of the next stream to the received parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onward {
    /// Nothing was released: the next stream is the whole answer.
    Afresh,
    /// Continues the released text.
    Behind,
    /// Starts again; the received parts do not count.
    Anew,
}

impl<S> ResumeStream<S>
where
    S: Service<Call, Response = Replied<ModelStream>, Error = ModelError>,
{
    pub(super) fn new(
        stream: ModelStream,
        model: Option<Arc<Model>>,
        outstanding: Option<Outstanding>,
        service: S,
        call: Call,
        shared: Arc<Shared>,
    ) -> Self {
        let watch = Watch::new(shared.health.world().tick());
        Self {
            state: State::Streaming(stream),
            service,
            shared,
            call,
            watch,
            model,
            outstanding,
            queue: VecDeque::new(),
            failure: None,
            assembly: Assembly::default(),
            parts: Parts::default(),
            failed: Vec::new(),
            let_down: Vec::new(),
            stopped: false,
        }
    }

    /// Takes a chunk, and queues the parts that may be released.
    fn take(&mut self, chunk: Chunk) {
        self.watch.came(self.shared.health.world().tick());
        let stops = matches!(chunk, Chunk::Stop(_));
        let chunk = match chunk {
            Chunk::Usage(usage) => {
                self.parts.report(usage);
                Chunk::Usage(self.parts.total())
            }
            chunk => chunk,
        };
        if let Chunk::Text(piece) | Chunk::ToolArgs { json: piece, .. } = &chunk {
            self.parts.brought(piece);
        }
        let taken = self.assembly.take(chunk, &mut self.queue);
        if self.assembly.received().has_tools() {
            // From here on the call is never made again, because the receiver of a tool call may run it.
            self.call.mark_effects();
        }
        match taken {
            Ok(()) if stops => {
                self.stopped = true;
                self.outstanding.take().into_iter().for_each(Outstanding::ended);
            }
            Ok(()) => {}
            Err(Differs) => self.broke(another_answer()),
        }
    }

    /// Continues after a break, or fails.
    fn broke(&mut self, error: ModelError) {
        self.state = State::Ended;
        if self.stopped {
            return;
        }
        let health = &self.shared.health;
        let now = health.world().tick();
        match (self.outstanding.take(), &self.model) {
            (Some(outstanding), _) => outstanding.broke(&error),
            // No breaker below has counted the break.
            (None, Some(model)) => {
                if let Ok(permit) = health.admit(model, now) {
                    permit.failed(&error, now, now.since(self.watch.began()));
                }
            }
            (None, None) => {}
        }
        let name =
            self.model.as_ref().map_or_else(|| self.call.model_name().into(), |it| Arc::clone(&it.name));
        self.failed.push(FailedAttempt::new(name, &error, now));
        self.assembly.broke();
        self.parts.broke(self.call.needs().input_tokens);
        match self.onward(&error) {
            Some(onward) => self.go_on(onward, now, error),
            None => self.fail(error),
        }
    }

    /// The way to continue; `None` if the call must not be made again.
    fn onward(&self, error: &ModelError) -> Option<Onward> {
        let settings = &self.shared.settings;
        let used_up = u32::try_from(self.failed.len()).unwrap_or(u32::MAX) > settings.breaks;
        if used_up || !self.may_pass(error) || self.assembly.received().has_tools() || self.call.has_effects()
        {
            return None;
        }
        if self.assembly.received().is_empty() {
            return Some(Onward::Afresh);
        }
        match settings.after_text {
            AfterText::Resume => Some(Onward::Behind),
            AfterText::Restart => Some(Onward::Anew),
            AfterText::Fail => None,
        }
    }

    /// Whether the treatment of the error allows another attempt, with the same or any other model.
    fn may_pass(&self, error: &ModelError) -> bool {
        if error.forbids_retry() {
            return false;
        }
        let treatment = self.shared.health.treatments().for_kind(error.kind());
        let model = self.failed.last().map(|failed| &failed.model);
        let same = |failed: &&FailedAttempt| failed.kind == error.kind() && Some(&failed.model) == model;
        let broke = || self.failed.iter().filter(same).count();
        let same_model = match treatment.same_model {
            SameModel::Backoff(more) => broke() <= usize::try_from(more).unwrap_or(usize::MAX),
            SameModel::AsTold(longest) => error.retry_after().is_none_or(|told| told <= longest),
            SameModel::No | SameModel::Compacted => false,
        };
        // The chain below chooses among all models, so a call that only some of them may receive is not made
        // again.
        same_model || treatment.next_model == NextModel::Any
    }

    fn go_on(&mut self, onward: Onward, now: Tick, error: ModelError) {
        let world = self.shared.health.world();
        let attempt = u32::try_from(self.failed.len()).unwrap_or(u32::MAX);
        let pause = self.shared.settings.backoff.pause(attempt, world);
        let proposed = error.proposal().and_then(|proposal| proposal.backoff_ms).map(Duration::from_millis);
        let again =
            now.after(pause.max(proposed.unwrap_or_default()).max(error.retry_after().unwrap_or_default()));
        // Another model may be called at once: the stack knows that this one has to wait.
        let until = match &self.model {
            Some(model) => {
                self.let_down.retain(|(index, _)| *index != model.index());
                self.let_down.push((model.index(), again));
                now
            }
            None => again,
        };
        if self.call.deadline.is_some_and(|deadline| deadline <= until) {
            return self.fail(error);
        }
        let mut call = match onward {
            Onward::Behind => behind(&self.call, self.assembly.received().text()),
            Onward::Afresh | Onward::Anew => self.call.clone(),
        };
        (call.now, call.elsewhere) = (None, None);
        call.set_let_down(&self.let_down);
        if self.parts.total() != Usage::default() {
            self.queue.push_back(Chunk::Usage(self.parts.total()));
        }
        self.state = if until > now {
            State::Pausing(world.sleep_until(until), call, onward)
        } else {
            State::Readying(call, onward)
        };
    }

    /// Begins with another stream.
    fn begin(&mut self, replied: Replied<ModelStream>, onward: Onward) {
        let Replied { reply, model, mut failed, outstanding, .. } = replied;
        self.failed.append(&mut failed);
        self.watch = Watch::new(self.shared.health.world().tick());
        self.model.clone_from(&model);
        self.outstanding = outstanding;
        if onward == Onward::Behind {
            if model.as_ref().is_some_and(|model| !model.prefill) {
                let message = "the model that answered cannot go on behind the beginning of an answer";
                return self.fail(ModelError::new(ErrorKind::NoModel, message));
            }
            self.assembly.goes_on();
        }
        self.queue.push_back(match onward {
            Onward::Anew => {
                self.assembly = Assembly::default();
                Chunk::Restarted(model)
            }
            Onward::Afresh | Onward::Behind => Chunk::Resumed(model),
        });
        self.state = State::Streaming(reply);
    }

    /// Ends with `error` and the received parts.
    fn fail(&mut self, error: ModelError) {
        self.state = State::Ended;
        let usage = self.parts.total();
        let mut failed = std::mem::take(&mut self.failed);
        let mut error = if self.assembly.received().is_empty() {
            error
        } else {
            failed.extend(error.failed().iter().cloned());
            // The kind must not allow a layer above to make the call again as if nothing had been released.
            let keeps = matches!(error.kind(), ErrorKind::DeadlineExceeded | ErrorKind::ContentFilter);
            let kind = if keeps { error.kind() } else { ErrorKind::StreamBroken };
            let message = format!("the answer broke off: {}", error.message());
            let broken = match error.model() {
                Some(model) => ModelError::new(kind, message).with_model(Arc::clone(model)),
                None => ModelError::new(kind, message),
            };
            broken
                .with_source(error)
                .with_received(std::mem::take(&mut self.assembly).into_received().into_message(), usage)
        };
        if let (Some(model), None) = (&self.model, error.model()) {
            error = error.with_model(Arc::clone(&model.name));
        }
        self.failure = Some(error.with_failed(failed));
    }
}

impl<S> Stream for ResumeStream<S>
where
    S: Service<Call, Response = Replied<ModelStream>, Error = ModelError>,
    Self: Unpin,
{
    type Item = Result<Chunk, ModelError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(chunk) = this.queue.pop_front() {
                return Poll::Ready(Some(Ok(chunk)));
            }
            if let Some(error) = this.failure.take() {
                return Poll::Ready(Some(Err(error)));
            }
            match &mut this.state {
                State::Ended => return Poll::Ready(None),
                State::Streaming(stream) => match polled(stream, cx) {
                    Poll::Ready(Some(Ok(chunk))) => this.take(chunk),
                    Poll::Ready(Some(Err(error))) => this.broke(error),
                    Poll::Ready(None) => {
                        let message = "the answer ended without saying that it was done";
                        this.broke(ModelError::new(ErrorKind::StreamBroken, message));
                    }
                    Poll::Pending => match this.watch.poll_late(cx, &this.shared, this.call.deadline) {
                        Poll::Ready(error) => this.broke(error),
                        Poll::Pending => return Poll::Pending,
                    },
                },
                State::Pausing(sleep, call, onward) => match Pin::new(sleep).poll(cx) {
                    Poll::Ready(()) => this.state = State::Readying(call.clone(), *onward),
                    Poll::Pending => return Poll::Pending,
                },
                State::Readying(call, onward) => match this.service.poll_ready(cx) {
                    Poll::Ready(Ok(())) => {
                        let calling = Box::pin(this.service.call(call.clone()));
                        this.state = State::Asking(calling, *onward);
                    }
                    Poll::Ready(Err(error)) => this.fail(error),
                    Poll::Pending => return Poll::Pending,
                },
                State::Asking(calling, onward) => match calling.as_mut().poll(cx) {
                    Poll::Ready(Ok(replied)) => {
                        let onward = *onward;
                        this.begin(replied, onward);
                    }
                    Poll::Ready(Err(error)) => this.fail(error),
                    Poll::Pending => return Poll::Pending,
                },
            }
        }
    }
}

// No field is pinned in place; futures and streams are boxed.
impl<S: Service<Call>> Unpin for ResumeStream<S> {}

/// Polls `stream`; a panic counts as a break.
fn polled(stream: &mut ModelStream, cx: &mut Context<'_>) -> Poll<Option<Result<Chunk, ModelError>>> {
    catch_unwind(AssertUnwindSafe(|| Pin::new(stream).poll_next(cx)))
        .unwrap_or_else(|panic| Poll::Ready(Some(Err(panicked(&*panic)))))
}

/// The call for a model that can continue a partial answer, with `text` as the model's message.
fn behind(call: &Call, text: &str) -> Call {
    // No provider accepts a beginning that ends in white space.
    let text = text.trim_end();
    if text.is_empty() {
        return call.clone();
    }
    let mut request = call.request().clone();
    match request.messages.last_mut() {
        Some(Message { role: Role::Assistant, content: Value::String(earlier) }) => earlier.push_str(text),
        _ => request.messages.push(Message::text(Role::Assistant, text)),
    }
    let needs = crate::call::Needs { prefill: true, ..*call.needs() };
    call.clone().with_request(request).needing(needs)
}

fn another_answer() -> ModelError {
    let message = "the answer was to be gone on with, and another one was begun";
    ModelError::new(ErrorKind::InvalidRequest, message)
}
