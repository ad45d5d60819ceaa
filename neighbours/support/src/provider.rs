//! A provider of models on loopback, which answers as OpenAI's chat completions do, whole or streamed.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// A provider. It answers each request with the next of its answers, the last one again and again, and keeps the requests.
#[derive(Clone, Debug)]
pub struct Provider {
    /// Base URL, for the settings of a client.
    pub url: String,
    requests: Requests,
}

/// An answer: a status and a body.
pub type Answer = (StatusCode, Value);

type Requests = Arc<Mutex<Vec<Value>>>;

impl Provider {
    /// Starts a provider with these answers.
    ///
    /// # Panics
    /// Panics if it cannot listen, or has no answer.
    pub async fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers: Arc<[Answer]> = answers.into_iter().collect();
        assert!(!answers.is_empty(), "a provider answers");
        let requests = Requests::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("it listens"));
        let router = Router::new().fallback(answer).with_state((answers, Arc::clone(&requests)));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, requests }
    }

    /// The bodies of the requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn answer(
    State((answers, requests)): State<(Arc<[Answer]>, Requests)>,
    Json(request): Json<Value>,
) -> Response {
    let mut requests = requests.lock().unwrap_or_else(PoisonError::into_inner);
    let is_stream = request.get("stream").is_some_and(|stream| *stream == Value::Bool(true));
    requests.push(request);
    let next = answers.get(requests.len() - 1).or(answers.last()).cloned();
    let next = next
        .map(|(status, body)| if is_stream { streamed(&body) } else { (status, Json(body)).into_response() });
    next.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
}

/// A completion as a stream of one piece.
fn streamed(body: &Value) -> Response {
    let mut body = body.clone();
    body["object"] = "chat.completion.chunk".into();
    for choice in body["choices"].as_array_mut().into_iter().flatten() {
        let mut message = choice["message"].take();
        if let Some(call) = message.pointer_mut("/tool_calls/0") {
            call["index"] = 0.into();
        }
        choice["delta"] = message;
    }
    let text = format!("data: {body}\n\ndata: [DONE]\n\n");
    ([(CONTENT_TYPE, "text/event-stream")], text).into_response()
}

/// An answer of text, which used this many tokens.
pub fn says(text: &str, input: u64, output: u64) -> Answer {
    completion(json!({"role": "assistant", "content": text, "refusal": null}), "stop", input, output)
}

/// An answer that calls a tool.
pub fn calls(tool: &str, args: &Value) -> Answer {
    let function = json!({"name": tool, "arguments": args.to_string()});
    let call = json!({"id": "call_1", "type": "function", "function": function});
    completion(json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls", 40, 10)
}

fn completion(message: Value, finish: &str, input: u64, output: u64) -> Answer {
    let body = json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": "gpt-5-mini",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": null}],
        "usage": {"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output},
    });
    (StatusCode::OK, body)
}

/// An error of the provider. A client does not try again after it.
pub fn fails(message: &str) -> Answer {
    let error = json!({"message": message, "type": "invalid_request_error", "param": null, "code": null});
    (StatusCode::BAD_REQUEST, json!({"error": error}))
}
