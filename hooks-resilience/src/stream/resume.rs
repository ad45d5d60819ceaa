//! A stream that is gone on with when it breaks.

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
use crate::call::{Answered, Call, FailedAttempt};
use crate::catalog::Model;
use crate::error::{ErrorKind, ModelError, NextModel, SameModel};

/// A stream, and what it takes to go on with it.
pub(super) struct ResumeStream<S: Service<Call>> {
    state: State<S::Future>,
    service: S,
    shared: Arc<Shared>,
    /// The call as it was made; every further one is made from it.
    call: Call,
    watch: Watch,
    /// Which model streams.
    model: Option<Arc<Model>>,
    /// Who is told how it ended.
    outstanding: Option<Outstanding>,
    /// What goes out next, and the error behind it.
    queue: VecDeque<Chunk>,
    failure: Option<ModelError>,
    assembly: Assembly,
    parts: Parts,
    failed: Vec<FailedAttempt>,
    /// Models that broke before, and from when on each may be asked again.
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

/// What the next stream is to what was received.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onward {
    /// Nothing was released: it is the answer.
    Afresh,
    /// It goes on behind the text.
    Behind,
    /// It begins anew, and what was received does not count.
    Anew,
}

impl<S> ResumeStream<S>
where
    S: Service<Call, Response = Answered<ModelStream>, Error = ModelError>,
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

    /// Takes a piece: what may go out goes into the queue.
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
            // From here on the call is never made again: whoever receives a tool call may run it.
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

    /// The stream broke: goes on, or fails.
    fn broke(&mut self, error: ModelError) {
        self.state = State::Ended;
        if self.stopped {
            return;
        }
        let health = &self.shared.health;
        let now = health.world().tick();
        match (self.outstanding.take(), &self.model) {
            (Some(outstanding), _) => outstanding.broke(&error),
            // No breaker below keeps count of it.
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

    /// How to go on; `None` where it must not, or may not any more.
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

    /// Whether the error may pass by itself, or with another model, as the one table of treatments has it.
    fn may_pass(&self, error: &ModelError) -> bool {
        if error.forbids_retry() {
            return false;
        }
        let treatment = self.shared.health.treatments().of(error.kind());
        let model = self.failed.last().map(|failed| &failed.model);
        let same = |failed: &&FailedAttempt| failed.kind == error.kind() && Some(&failed.model) == model;
        let broke = || self.failed.iter().filter(same).count();
        let same_model = match treatment.same_model {
            SameModel::Backoff(more) => broke() <= usize::try_from(more).unwrap_or(usize::MAX),
            SameModel::AsTold(longest) => error.retry_after().is_none_or(|told| told <= longest),
            SameModel::No | SameModel::Compacted => false,
        };
        // The chain below chooses among all models: what may go to some of them only is not made again.
        same_model || treatment.next_model == NextModel::Any
    }

    fn go_on(&mut self, onward: Onward, now: Tick, error: ModelError) {
        let world = self.shared.health.world();
        let attempt = u32::try_from(self.failed.len()).unwrap_or(u32::MAX);
        let pause = self.shared.settings.backoff.pause(attempt, world);
        let proposed = error.proposal().and_then(|proposal| proposal.backoff_ms).map(Duration::from_millis);
        let again =
            now.after(pause.max(proposed.unwrap_or_default()).max(error.retry_after().unwrap_or_default()));
        // Another model may be asked at once: the stack knows of a known one that it has to wait.
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

    /// Another stream began.
    fn begin(&mut self, answered: Answered<ModelStream>, onward: Onward) {
        let Answered { reply, model, mut failed, outstanding, .. } = answered;
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

    /// Ends with `error`, and what was received.
    fn fail(&mut self, error: ModelError) {
        self.state = State::Ended;
        let usage = self.parts.total();
        let mut failed = std::mem::take(&mut self.failed);
        let mut error = if self.assembly.received().is_empty() {
            error
        } else {
            failed.extend(error.failed().iter().cloned());
            // Nobody above may make the call again as if nothing had been released.
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
    S: Service<Call, Response = Answered<ModelStream>, Error = ModelError>,
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
                        let asked = Box::pin(this.service.call(call.clone()));
                        this.state = State::Asking(asked, *onward);
                    }
                    Poll::Ready(Err(error)) => this.fail(error),
                    Poll::Pending => return Poll::Pending,
                },
                State::Asking(asked, onward) => match asked.as_mut().poll(cx) {
                    Poll::Ready(Ok(answered)) => {
                        let onward = *onward;
                        this.begin(answered, onward);
                    }
                    Poll::Ready(Err(error)) => this.fail(error),
                    Poll::Pending => return Poll::Pending,
                },
            }
        }
    }
}

// Nothing in it is pinned in place: what has to be is boxed.
impl<S: Service<Call>> Unpin for ResumeStream<S> {}

/// The next of `stream`; one that panics has broken.
fn polled(stream: &mut ModelStream, cx: &mut Context<'_>) -> Poll<Option<Result<Chunk, ModelError>>> {
    catch_unwind(AssertUnwindSafe(|| Pin::new(stream).poll_next(cx)))
        .unwrap_or_else(|panic| Poll::Ready(Some(Err(panicked(&*panic)))))
}

/// The same call, of a model that can go on behind `text`, with `text` as what the model said already.
fn behind(call: &Call, text: &str) -> Call {
    // No provider takes a beginning that ends in white space.
    let text = text.trim_end();
    if text.is_empty() {
        return call.clone();
    }
    let mut request = call.request().clone();
    match request.messages.last_mut() {
        Some(Message { role: Role::Assistant, content: Value::String(said) }) => said.push_str(text),
        _ => request.messages.push(Message::text(Role::Assistant, text)),
    }
    let needs = crate::call::Needs { prefill: true, ..*call.needs() };
    call.clone().with_request(request).needing(needs)
}

fn another_answer() -> ModelError {
    let message = "the answer was to be gone on with, and another one was begun";
    ModelError::new(ErrorKind::InvalidRequest, message)
}
