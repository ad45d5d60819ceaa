//! A server behind streamable HTTP, as a pair of streams with a message a line, for [`proxy()`](crate::proxy()).
//!
//! Each message of the client is sent as a POST. What the server answers, as JSON or as events, is a line for the proxy, which
//! governs it as it does the output of a process. Each failure is an error for the request that it belongs to.
//!
//! | failure | what happens |
//! | --- | --- |
//! | no connection, a status of an error, a redirect, another type of content, an answer that is too long | the request is answered with an error |
//! | a stream of events that ends before the answer | it is continued behind its last event, if that had an id; otherwise an error |
//! | the session is unknown (404) | the request is answered with an error, and the server has ended |

mod events;
mod outgoing;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use hooks_core::time::Timer;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};

use self::events::EventParser;
use self::outgoing::{Outgoing, SESSION, VERSION};
use crate::govern::Report;
use crate::message::{INTERNAL_ERROR, RequestId, to_line};
use crate::proxy::Side;
use crate::proxy::lines::{Line, Lines};

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Time to connect.
const CONNECTING: Duration = Duration::from_secs(10);

/// Time to answer a notice or the end of a session, which have no result.
const ACCEPTING: Duration = Duration::from_secs(5);

/// Time to answer requests after the end of the client, as the proxy has.
const LINGER: Duration = Duration::from_secs(10);

/// Servers close connections that are idle for longer, often after 5 seconds. A request on such a connection would fail.
const IDLE: Duration = Duration::from_secs(2);

/// Time before a stream is continued, if the server names none, and the shortest and longest that it may name.
const PAUSE: Duration = Duration::from_secs(1);
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Attempts in a row to continue a stream.
const ATTEMPTS: u32 = 3;

/// Bytes between the proxy and the connections.
const BUFFER: usize = 64 << 10;

/// A server that is reached by a URL.
///
/// ```
/// use hooks_mcp::HttpServer;
///
/// assert!(HttpServer::new("http://127.0.0.1:8000/mcp").is_ok());
/// assert!(HttpServer::new("https://example.com/mcp").is_err());
/// ```
#[derive(Clone)]
pub struct HttpServer {
    url: Uri,
    headers: HeaderMap,
    /// Longest answer in bytes.
    pub longest: usize,
    /// Receives messages for the operator.
    pub report: Option<Arc<Report>>,
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Headers may have a secret.
        f.debug_struct("HttpServer").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A server cannot be reached as it is named.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpServerError {
    /// The URL cannot be used.
    #[error("`{url}` is not a URL with `http://` and a host: {why}")]
    Url {
        /// The URL.
        url: String,
        /// The problem.
        why: String,
    },
    /// A header cannot be sent.
    #[error(
        "the header `{0}` cannot be sent; write it as `Name: value`, in visible ASCII, and leave those of MCP out"
    )]
    Header(String),
}

impl HttpServer {
    /// A server with this URL.
    ///
    /// # Errors
    /// Returns [`HttpServerError::Url`] if the URL has no host, or another scheme than `http`.
    pub fn new(url: &str) -> Result<Self, HttpServerError> {
        let wrong = |why: &str| HttpServerError::Url { url: url.to_owned(), why: why.to_owned() };
        let parsed: Uri = url.parse().map_err(|error: http::uri::InvalidUri| wrong(&error.to_string()))?;
        match parsed.scheme_str() {
            Some("http") => {}
            Some("https") => {
                return Err(wrong(
                    "TLS is not supported; start a proxy for it on this machine, and name that",
                ));
            }
            _ => return Err(wrong("it has another scheme")),
        }
        let authority = parsed.authority().ok_or_else(|| wrong("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("it has a user; send a header in its place"));
        }
        Ok(Self { url: parsed, headers: HeaderMap::new(), longest: 32 << 20, report: None })
    }

    /// The host of the URL.
    ///
    /// ```
    /// let server = hooks_mcp::HttpServer::new("http://[::1]:8000/mcp").unwrap();
    /// assert_eq!(server.host(), "[::1]");
    /// ```
    pub fn host(&self) -> &str {
        self.url.host().unwrap_or_default()
    }

    /// Sends a header with each request. Its value is not printed.
    ///
    /// ```
    /// # fn main() -> Result<(), hooks_mcp::HttpServerError> {
    /// use hooks_mcp::HttpServer;
    ///
    /// let server = HttpServer::new("http://127.0.0.1:8000/mcp")?.with_header("Authorization", "Bearer t0ken")?;
    /// assert!(!format!("{server:?}").contains("t0ken"));
    /// assert!(server.with_header("Mcp-Session-Id", "x").is_err(), "the session is the proxy's own");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns [`HttpServerError::Header`] for a header that is malformed or that MCP defines.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, HttpServerError> {
        let wrong = || HttpServerError::Header(name.to_owned());
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let is_ours =
            [ACCEPT, CONTENT_TYPE, LAST_EVENT].contains(&header) || header.as_str().starts_with("mcp-");
        let of_connection =
            ["connection", "content-length", "host", "transfer-encoding"].contains(&header.as_str());
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        if is_ours || of_connection {
            return Err(wrong());
        }
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(self)
    }

    /// Starts the connections on this runtime of tokio. They end with the streams; the task ends after the session. `timer`
    /// bounds what waits for the server; only the time to connect, and that of unused connections, is tokio's own.
    #[must_use]
    pub fn connect(
        self,
        timer: Arc<dyn Timer>,
    ) -> (Side<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>, JoinHandle<()>) {
        let (near, far) = duplex(BUFFER);
        let (reader, writer) = split(near);
        let (input, output) = split(far);
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECTING));
        connector.set_nodelay(true);
        let (answers, queue) = mpsc::channel(16);
        let mut client = Client::builder(TokioExecutor::new());
        client.pool_timer(TokioTimer::new()).pool_idle_timeout(IDLE);
        let client = client.build(connector);
        let connection =
            Arc::new(Connection { server: self, client, answers, timer, session: Mutex::default() });
        let task = tokio::spawn(async move {
            let writing = tokio::spawn(write(queue, output));
            run(&connection, input).await;
            drop(connection.answers.send(None).await);
            drop(writing.await);
        });
        (Side { reader, writer }, task)
    }
}

/// Writes lines to the proxy. `None` is the end of the server.
async fn write(mut queue: mpsc::Receiver<Option<Vec<u8>>>, mut output: WriteHalf<DuplexStream>) {
    while let Some(Some(mut line)) = queue.recv().await {
        // A line break between two tokens means the same as a blank.
        line.iter_mut().filter(|byte| matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        line.push(b'\n');
        if output.write_all(&line).await.is_err() {
            break;
        }
    }
    // The proxy may have ended.
    drop(output.shutdown().await);
}

/// Sends the messages of the client until it has ended, and ends the session.
async fn run(connection: &Arc<Connection>, input: ReadHalf<DuplexStream>) {
    // The proxy has bounded them.
    let mut lines = Lines::new(input, usize::MAX);
    let mut requests = JoinSet::new();
    let mut running: HashMap<RequestId, AbortHandle> = HashMap::new();
    let mut listening: Option<AbortHandle> = None;
    while let Ok(Some(Line::Whole(line))) = lines.next().await {
        while requests.try_join_next().is_some() {}
        running.retain(|_, task| !task.is_finished());
        let message = Outgoing::new(line);
        if let Some(id) = message.id.as_ref().and_then(RequestId::from_value) {
            let connection = Arc::clone(connection);
            running.insert(id, requests.spawn(async move { connection.request(message).await }));
            continue;
        }
        let cancels = message.cancels.as_ref().and_then(RequestId::from_value);
        let cancelled = cancels.and_then(|id| running.remove(&id));
        if let Some(task) = cancelled.filter(|_| connection.session().version.is_none()) {
            // Without a session, a request is cancelled by the end of its connection.
            task.abort();
            continue;
        }
        let is_ready = message.method == "notifications/initialized";
        connection.tell(&message).await;
        if is_ready && listening.is_none() {
            let connection = Arc::clone(connection);
            listening = Some(tokio::spawn(async move { connection.listen().await }).abort_handle());
        }
    }
    let answered = async { while requests.join_next().await.is_some() {} };
    connection.within(LINGER, answered).await;
    if let Some(task) = listening {
        task.abort();
    }
    connection.end().await;
}

/// Headers from the answer to `initialize`.
#[derive(Clone, Default)]
struct Session {
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
}

struct Connection {
    server: HttpServer,
    client: Client<HttpConnector, Full<Bytes>>,
    answers: mpsc::Sender<Option<Vec<u8>>>,
    timer: Arc<dyn Timer>,
    session: Mutex<Session>,
}

/// Whether a stream of events had the answer.
enum Streamed {
    Answered,
    Ended,
}

impl Connection {
    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for `work`; returns `None` if the time is over first.
    async fn within<T>(&self, time: Duration, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.timer.sleep(time) => None,
        }
    }

    fn say(&self, message: &str) {
        if let Some(report) = &self.server.report {
            report(message);
        }
    }

    /// A request of HTTP with the headers of the session and of a message.
    async fn send(
        &self,
        method: Method,
        message: Option<&Outgoing>,
        last_event: Option<&[u8]>,
    ) -> Result<Response<Incoming>, String> {
        let body = message.map(|message| message.bytes.clone()).unwrap_or_default();
        let mut request = Request::new(Full::new(Bytes::from(body)));
        let accepted =
            if method == Method::GET { "text/event-stream" } else { "application/json, text/event-stream" };
        *request.method_mut() = method;
        *request.uri_mut() = self.server.url.clone();
        let headers = request.headers_mut();
        headers.clone_from(&self.server.headers);
        headers.insert(ACCEPT, HeaderValue::from_static(accepted));
        let session = self.session().clone();
        let version = message.and_then(|message| message.version.clone()).or(session.version);
        for (name, value) in [(SESSION, session.id), (VERSION, version)] {
            if let Some(value) = value {
                headers.insert(name, value);
            }
        }
        if let Some(message) = message {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            message.add_headers(headers);
        }
        if let Some(id) = last_event.and_then(|id| HeaderValue::from_bytes(id).ok()) {
            headers.insert(LAST_EVENT, id);
        }
        self.client.request(request).await.map_err(|error| {
            let cause =
                std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            format!("the server cannot be reached: {error}{cause}")
        })
    }

    async fn forward(&self, line: Vec<u8>) {
        // If the stream is closed, the proxy has ended.
        drop(self.answers.send(Some(line)).await);
    }

    /// Sends a request, and forwards its answer, or an error.
    async fn request(&self, message: Outgoing) {
        if message.method == "initialize" {
            *self.session() = Session::default();
        }
        let Err(why) = self.exchange(&message).await else { return };
        self.say(&format!("`{}` failed: {why}", message.method));
        let error = json!({"code": INTERNAL_ERROR, "message": why});
        self.forward(to_line(&json!({"jsonrpc": "2.0", "id": message.id, "error": error}))).await;
    }

    async fn exchange(&self, message: &Outgoing) -> Result<(), String> {
        let response = self.send(Method::POST, Some(message), None).await?;
        if !response.status().is_success() {
            return self.failed(message, response).await;
        }
        if message.method == "initialize" {
            self.session().id = response.headers().get(SESSION).cloned();
        }
        match kind(&response) {
            Kind::Json => {
                let body = self.body(response).await?;
                if !self.is_answer(message, &body) {
                    return Err("the server gave no answer to this request".to_owned());
                }
                self.forward(body).await;
                Ok(())
            }
            Kind::Events => self.stream(message, response).await,
            Kind::Other => Err("the answer of the server is neither JSON nor events".to_owned()),
        }
    }

    async fn body(&self, response: Response<Incoming>) -> Result<Vec<u8>, String> {
        let body = Limited::new(response.into_body(), self.server.longest).collect().await;
        Ok(body
            .map_err(|error| format!("the answer of the server cannot be read: {error}"))?
            .to_bytes()
            .to_vec())
    }

    /// Handles the status of a failure.
    async fn failed(&self, message: &Outgoing, response: Response<Incoming>) -> Result<(), String> {
        let status = response.status();
        let has_session = self.session().id.is_some();
        let is_json = kind(&response) == Kind::Json;
        let body = if is_json { self.body(response).await.unwrap_or_default() } else { Vec::new() };
        if status == StatusCode::NOT_FOUND && has_session {
            self.say("the server has ended the session");
            let error = json!({"code": INTERNAL_ERROR, "message": "the server has ended the session"});
            self.forward(to_line(&json!({"jsonrpc": "2.0", "id": message.id, "error": error}))).await;
            drop(self.answers.send(None).await);
            return Ok(());
        }
        // Some servers do not know the id of a request that they refuse.
        let error = serde_json::from_slice(&body).ok().and_then(|body: Value| body.get("error").cloned());
        if let Some(error) = error.filter(Value::is_object) {
            self.forward(to_line(&json!({"jsonrpc": "2.0", "id": message.id, "error": error}))).await;
            return Ok(());
        }
        let hint = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                "; it may need another header for its authorization"
            }
            status if status.is_redirection() => {
                "; redirects are not followed, so name the URL that is meant"
            }
            _ => "",
        };
        Err(format!("the server answered with the status {status}{hint}"))
    }

    /// Forwards events until the answer, over several connections if the server wants that.
    async fn stream(&self, message: &Outgoing, response: Response<Incoming>) -> Result<(), String> {
        let mut parser = EventParser::default();
        let mut response = Some(response);
        let mut failures = 0;
        loop {
            if let Some(response) = response.take() {
                let (streamed, why) = self.events(Some(message), response, &mut parser).await;
                if matches!(streamed, Streamed::Answered) {
                    return Ok(());
                }
                let is_lost = parser.last_id.is_none() || failures >= ATTEMPTS;
                if let Some(why) =
                    why.or_else(|| is_lost.then(|| "the server ended before it answered".to_owned()))
                {
                    return Err(why);
                }
            }
            self.timer.sleep(pause(&parser)).await;
            parser = parser.next();
            match self.send(Method::GET, None, parser.last_id.as_deref()).await {
                Ok(next) if next.status().is_success() && kind(&next) == Kind::Events => {
                    failures = 0;
                    response = Some(next);
                }
                other => {
                    failures += 1;
                    if failures >= ATTEMPTS {
                        let why =
                            other.map_or_else(|why| why, |response| format!("status {}", response.status()));
                        return Err(format!(
                            "the server ended before it answered, and does not continue: {why}"
                        ));
                    }
                }
            }
        }
    }

    /// Forwards the events of a connection. An error is one that the next connection would have too.
    async fn events(
        &self,
        message: Option<&Outgoing>,
        response: Response<Incoming>,
        parser: &mut EventParser,
    ) -> (Streamed, Option<String>) {
        let mut body = response.into_body();
        let mut events = Vec::new();
        while let Some(Ok(frame)) = body.frame().await {
            let bytes = frame.into_data().unwrap_or_default();
            let fed = parser.feed(&bytes, self.server.longest, &mut events);
            for event in events.drain(..).filter(|event| event.is_message && !event.data.is_empty()) {
                let is_answer = message.is_some_and(|message| self.is_answer(message, &event.data));
                self.forward(event.data).await;
                if is_answer {
                    return (Streamed::Answered, None);
                }
            }
            if fed.is_err() {
                let why = format!("an event of the server is longer than {} bytes", self.server.longest);
                return (Streamed::Ended, Some(why));
            }
        }
        (Streamed::Ended, None)
    }

    /// Whether a message of the server answers the request. Keeps the version that the server chose.
    fn is_answer(&self, request: &Outgoing, bytes: &[u8]) -> bool {
        let Ok(message) = serde_json::from_slice::<Value>(bytes) else { return false };
        let id = |id: Option<&Value>| id.and_then(RequestId::from_value);
        let is_answer = message.get("method").is_none() && id(message.get("id")) == id(request.id.as_ref());
        if is_answer && request.method == "initialize" {
            let version = message.pointer("/result/protocolVersion").and_then(Value::as_str);
            self.session().version = version.and_then(|version| HeaderValue::from_str(version).ok());
        }
        is_answer
    }

    /// Sends a message that has no answer.
    async fn tell(&self, message: &Outgoing) {
        let sent = self.within(ACCEPTING, self.send(Method::POST, Some(message), None)).await;
        let why = match sent {
            Some(Ok(response)) if response.status().is_success() => return,
            Some(Ok(response)) => format!("status {}", response.status()),
            Some(Err(why)) => why,
            None => "it did not answer in time".to_owned(),
        };
        self.say(&format!("the server did not accept `{}`: {why}", message.method));
    }

    /// Forwards messages that the server sends by itself, as long as it does.
    async fn listen(&self) {
        let (mut parser, mut failures) = (EventParser::default(), 0);
        while failures < ATTEMPTS {
            parser = parser.next();
            match self.send(Method::GET, None, parser.last_id.as_deref()).await {
                Ok(response) if response.status().is_success() && kind(&response) == Kind::Events => {
                    failures = 0;
                    if let (_, Some(why)) = self.events(None, response, &mut parser).await {
                        self.say(&why);
                    }
                }
                // It sends none.
                Ok(_) => return,
                Err(_) => failures += 1,
            }
            self.timer.sleep(pause(&parser)).await;
        }
    }

    /// Ends the session.
    async fn end(&self) {
        if self.session().id.is_some() {
            // A server without this request forgets the session later.
            drop(self.within(ACCEPTING, self.send(Method::DELETE, None, None)).await);
        }
    }
}

fn pause(parser: &EventParser) -> Duration {
    parser.retry.map_or(PAUSE, Duration::from_millis).clamp(SHORTEST_PAUSE, LONGEST_PAUSE)
}

/// Type of a body.
#[derive(PartialEq, Eq)]
enum Kind {
    Json,
    Events,
    Other,
}

fn kind(response: &Response<Incoming>) -> Kind {
    let text = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = text.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        Kind::Json
    } else if kind.eq_ignore_ascii_case("text/event-stream") {
        Kind::Events
    } else {
        Kind::Other
    }
}
