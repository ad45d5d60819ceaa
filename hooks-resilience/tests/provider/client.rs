//! A small client for the shapes of two vendors, over hyper, as a host provides it to a stack.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use hooks_core::BoxError;
use hooks_core::event::{Message, ModelReply, Role, Usage};
use hooks_core::{HookFuture, event::Message as ChatMessage};
use hooks_resilience::classify::{Headers, Phase, Quota, in_answer};
use hooks_resilience::{
    Call, Chunk, Classifiers, ErrorKind, Health, HttpError, ModelError, ModelStream, TransportError,
};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tower::Service;

/// Vendor whose shape a provider uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendor {
    Anthropic,
    OpenAi,
}

/// Addresses and vendors of the providers, by name.
pub(crate) type Addresses = HashMap<&'static str, (SocketAddr, Vendor)>;

/// A client for whole answers.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) addresses: Arc<Addresses>,
    pub(crate) classifiers: Classifiers,
    /// Record that receives the rate limits of successful answers.
    pub(crate) health: Health,
}

/// A client for streamed answers.
#[derive(Clone)]
pub(crate) struct Streaming(pub(crate) Client);

impl Service<Call> for Client {
    type Response = ModelReply;
    type Error = BoxError;
    type Future = HookFuture<'static, Result<ModelReply, BoxError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let client = self.clone();
        HookFuture::later(async move {
            let (vendor, answer) = client.ask(&call, false).await?;
            let bytes = answer.into_body().collect().await;
            let bytes =
                bytes.map_err(|error| TransportError::broke(Phase::Body).with_source(error))?.to_bytes();
            let body: Value = serde_json::from_slice(&bytes)?;
            if let Some(kind) = in_answer(&body) {
                return Err(ModelError::new(kind, "the answer is no whole one").into());
            }
            reply(vendor, &body).ok_or_else(|| HttpError::new(200, Headers::default(), bytes).into())
        })
    }
}

impl Service<Call> for Streaming {
    type Response = ModelStream;
    type Error = BoxError;
    type Future = HookFuture<'static, Result<ModelStream, BoxError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let client = self.0.clone();
        HookFuture::later(async move {
            let (vendor, answer) = client.ask(&call, true).await?;
            let events = Events { body: answer.into_body(), buffer: Vec::new(), ended: false };
            let chunks =
                stream::unfold((events, client.classifiers), move |(mut events, classifiers)| async move {
                    let event = events.next().await?;
                    let chunks = match event {
                        Err(error) => vec![Err(ModelError::new(ErrorKind::StreamBroken, error.to_string()))],
                        Ok((name, data)) => match classifiers.event(name.as_deref(), data.as_bytes()) {
                            Some(error) => vec![Err(error)],
                            None => chunks(vendor, &data).into_iter().map(Ok).collect(),
                        },
                    };
                    Some((stream::iter(chunks), (events, classifiers)))
                });
            Ok(ModelStream::new(chunks.flatten()))
        })
    }
}

impl Client {
    async fn ask(&self, call: &Call, stream: bool) -> Result<(Vendor, hyper::Response<Incoming>), BoxError> {
        const PATIENCE: Duration = Duration::from_secs(5);
        let provider = call.model.as_ref().map_or("", |model| &*model.provider);
        let &(address, vendor) = self.addresses.get(provider).ok_or("nobody provides this model")?;
        let connect = tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await;
        let connection = connect
            .map_err(|_| TransportError::timed_out(Phase::Connect))?
            .map_err(|error| TransportError::broke(Phase::Connect).with_source(error))?;
        let broke = |error| TransportError::broke(Phase::FirstByte).with_source(error);
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(connection)).await.map_err(broke)?;
        tokio::spawn(connection);
        let to_json = |message: &ChatMessage| json!({ "role": message.role, "content": message.content });
        let messages: Vec<_> = call.messages().iter().map(to_json).collect();
        let body = json!({ "model": call.model_name(), "stream": stream, "messages": messages }).to_string();
        let request = hyper::Request::post(match vendor {
            Vendor::Anthropic => "/v1/messages",
            Vendor::OpenAi => "/v1/chat/completions",
        });
        let request = request.header("host", address.to_string()).header("content-type", "application/json");
        let answer = sender.send_request(request.body(Full::new(Bytes::from(body)))?).await.map_err(broke)?;
        let status = answer.status();
        let headers: Headers = answer.headers().iter().map(|(name, value)| (name.as_str(), value)).collect();
        if status.is_success() {
            let quota = Quota::from_headers(&headers, self.health.world().clock.now());
            if let (Some(quota), Some(model)) = (quota, &call.model) {
                self.health.learn_quota(model, quota.limits());
            }
            return Ok((vendor, answer));
        }
        let body =
            answer.into_body().collect().await.map(|body| body.to_bytes().to_vec()).unwrap_or_default();
        Err(HttpError::new(status.as_u16(), headers, body).into())
    }
}

/// The events of a body.
struct Events {
    body: Incoming,
    buffer: Vec<u8>,
    ended: bool,
}

type Event = (Option<String>, String);

impl Events {
    async fn next(&mut self) -> Option<Result<Event, hyper::Error>> {
        loop {
            if let Some(at) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.buffer.drain(..at + 2).collect();
                let text = String::from_utf8_lossy(&event);
                let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
                let data = field("data:").unwrap_or_default().trim().to_owned();
                return Some(Ok((field("event:").map(|name| name.trim().to_owned()), data)));
            }
            if self.ended {
                return None;
            }
            match self.body.frame().await {
                Some(Ok(frame)) => self.buffer.extend(frame.into_data().unwrap_or_default()),
                Some(Err(error)) => {
                    self.ended = true;
                    return Some(Err(error));
                }
                None => self.ended = true,
            }
        }
    }
}

/// A whole answer.
fn reply(vendor: Vendor, body: &Value) -> Option<ModelReply> {
    let (text, input, output) = match vendor {
        Vendor::Anthropic => ("/content/0/text", "/usage/input_tokens", "/usage/output_tokens"),
        Vendor::OpenAi => ("/choices/0/message/content", "/usage/prompt_tokens", "/usage/completion_tokens"),
    };
    let usage = usage_at(body, input, output);
    let text = body.pointer(text)?.as_str()?;
    Some(ModelReply { response: Message::text(Role::Assistant, text), usage, cost: None })
}

fn usage_at(body: &Value, input: &str, output: &str) -> Usage {
    let tokens = |place| body.pointer(place).and_then(Value::as_u64).unwrap_or_default();
    Usage { input_tokens: tokens(input), output_tokens: tokens(output), ..Usage::default() }
}

/// The chunks in an event.
fn chunks(vendor: Vendor, data: &str) -> Vec<Chunk> {
    let Ok(event) = serde_json::from_str::<Value>(data) else { return Vec::new() };
    let text = |place: &str| event.pointer(place).and_then(Value::as_str).map(ToOwned::to_owned);
    let id = || event.get("index").map(Value::to_string).unwrap_or_default();
    let chunk = match vendor {
        Vendor::OpenAi => text("/choices/0/finish_reason")
            .map(Chunk::Stop)
            .or_else(|| text("/choices/0/delta/content").map(Chunk::Text)),
        Vendor::Anthropic => match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let (input, output) = ("/message/usage/input_tokens", "/message/usage/output_tokens");
                Some(Chunk::Usage(usage_at(&event, input, output)))
            }
            "content_block_start" => {
                text("/content_block/name").map(|name| Chunk::ToolStart { id: id(), name })
            }
            "content_block_delta" => text("/delta/text")
                .map(Chunk::Text)
                .or_else(|| text("/delta/partial_json").map(|json| Chunk::ToolArgs { id: id(), json })),
            "content_block_stop" => Some(Chunk::ToolEnd { id: id() }),
            "message_delta" => text("/delta/stop_reason").map(Chunk::Stop),
            _ => None,
        },
    };
    chunk.into_iter().collect()
}
