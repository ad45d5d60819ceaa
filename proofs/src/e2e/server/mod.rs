//! A scripted model server on loopback, which records its requests.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod plan;
mod responses;

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use self::http::{Reply, Request};
use self::plan::Tokens;
use super::script::{Script, Wanted};

/// Protocol between a client and its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speech {
    /// Anthropic's Messages, streamed.
    AnthropicMessages,
    /// OpenAI's Responses, streamed.
    OpenAiResponses,
    /// OpenAI's chat completions.
    OpenAiChat,
    /// OpenAI's chat completions, with the tools of OpenCode.
    OpenCodeChat,
    /// OpenAI's chat completions, with the tools of Qwen Code.
    QwenChat,
    /// Gemini's `generateContent`, streamed.
    GeminiGenerate,
}

/// Next step of the model.
#[derive(Debug)]
enum Turn {
    /// Calls a tool. The number distinguishes its calls.
    Call(usize, Wanted),
    /// Ends the session.
    Done,
}

/// Id and usage of an answer.
#[derive(Debug)]
struct Numbered {
    id: String,
    tokens: Tokens,
}

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Server {
    shared: Arc<Shared>,
    port: u16,
}

#[derive(Debug)]
struct Shared {
    speech: Speech,
    script: Script,
    port: u16,
    work: PathBuf,
    recorded: Mutex<Vec<Value>>,
    /// Tokens of all answers so far.
    answered: Mutex<Vec<Tokens>>,
    /// The next call of each plan, and the plan of the last call.
    steps: Mutex<plan::Steps>,
    /// Number of calls before which the script's changes were made.
    changed: Mutex<usize>,
    is_over: Mutex<bool>,
}

/// Longest silence of a connection.
const PATIENCE: Duration = Duration::from_secs(30);

impl Server {
    /// Starts a server for a client that works in `work`.
    pub(super) fn start(speech: Speech, script: Script, work: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            speech,
            script,
            port,
            work: work.to_path_buf(),
            recorded: Mutex::default(),
            answered: Mutex::default(),
            steps: Mutex::default(),
            changed: Mutex::default(),
            is_over: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        drop(thread::Builder::new().spawn(move || accept(&listener, &accepting))?);
        Ok(Self { shared, port })
    }

    /// The URL of the server.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The tokens of all answers so far, sent and received.
    pub(super) fn tokens(&self) -> u64 {
        self.answered().iter().map(Tokens::total).sum()
    }

    /// The tokens of each answer so far.
    pub(super) fn answered(&self) -> Vec<Tokens> {
        self.shared.answered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The request bodies so far, in order.
    pub(super) fn recorded(&self) -> Vec<Value> {
        self.shared.recorded.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        *self.shared.is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        // Wakes the thread that accepts connections.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if *shared.is_over.lock().unwrap_or_else(PoisonError::into_inner) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // If the client cannot be served, its run fails.
        drop(thread::Builder::new().spawn(move || serve(stream, &shared)));
    }
}

fn serve(mut stream: TcpStream, shared: &Shared) {
    let served = stream.set_read_timeout(Some(PATIENCE)).and_then(|()| {
        let request = Request::read(&mut stream)?;
        shared.answer(&request).write(&mut stream)
    });
    // A client that closed its connection gets no answer.
    drop(served.and_then(|()| stream.shutdown(Shutdown::Write)));
}

impl Shared {
    fn answer(&self, request: &Request) -> Reply {
        if request.method != "POST" {
            return Reply::json(&serde_json::json!({"object": "list", "data": []}));
        }
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let turn = |results: usize| match self.script.calls.get(results) {
            _ if !self.script.plans.is_empty() => self.planned(&body),
            Some(call) => {
                self.change(results);
                Turn::Call(results, call.wanted(self.speech, &self.work))
            }
            None => Turn::Done,
        };
        think(self.script.thinking);
        // Clients distinguish replies by their ids.
        let started = std::process::id();
        let next = || {
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            let number = answered.len();
            let tokens =
                if self.script.plans.is_empty() { Tokens::EQUAL } else { Tokens::of_answer(number as u64) };
            answered.push(tokens);
            Numbered { id: format!("{started}_{}_{number}", self.port), tokens }
        };
        let reply = match self.speech {
            Speech::AnthropicMessages => anthropic::answer(&request.path, &body, next, turn),
            Speech::OpenAiResponses => responses::answer(&body, &next(), turn),
            Speech::OpenAiChat | Speech::OpenCodeChat | Speech::QwenChat => {
                chat::answer(&body, &next(), turn)
            }
            Speech::GeminiGenerate => gemini::answer(&request.path, &body, next, turn),
        };
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner).push(body);
        reply
    }
}

impl Shared {
    /// Makes the changes of the script before a call, once: clients may ask again.
    fn change(&self, call: usize) {
        let Some(between) = &self.script.between else { return };
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        if call >= *changed {
            *changed = call.saturating_add(1);
            between.before(call);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a real client waits for this")]
fn think(time: Duration) {
    thread::sleep(time);
}

/// Number of objects anywhere in `value` that have this member.
fn count(value: &Value, key: &str, expected: &str) -> usize {
    let mut found = 0_usize;
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                if members.get(key).is_some_and(|value| value == expected) {
                    found = found.saturating_add(1);
                }
                left.extend(members.values());
            }
            _ => {}
        }
    }
    found
}

/// Whether a tool of this name is offered, in any form.
fn offers(body: &Value, tool: &str) -> bool {
    body.get("tools").is_some_and(|tools| count(tools, "name", tool) > 0)
}
