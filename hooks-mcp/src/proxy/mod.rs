//! A proxy between a client and a server, over two pairs of streams with a message a line.
//!
//! Ids stay as they are, and messages keep their bytes, unless a hook changed them. Nothing is forwarded that was not
//! parsed. The table shows what happens to the rest:
//!
//! | message | from the client | from the server |
//! | --- | --- | --- |
//! | not JSON, not a message, read differently by programs, too long | answered with an error | dropped; its request is answered with an error |
//! | a batch | each request in it is answered with an error | the same |
//! | the id of a request that is not answered yet | answered with an error that has no id | answered with an error |
//! | an answer to no request | dropped | dropped |
//! | a request that its receiver does not know from the specification | forwarded to the server | answered with an error |
//!
//! Each dropped message is reported.

pub(crate) mod lines;
#[cfg(test)]
mod tests;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::future::{pending, poll_fn};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use hooks_core::drivers::Approver;
use hooks_core::{HookError, HookFuture};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::AbortHandle;
use tower::ServiceExt;
use tower_layer::Layer;
use tower_service::Service;

use self::lines::{Line, Lines};
use crate::govern::{GovernMcpLayer, McpSettings};
use crate::message::{
    INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, McpReply, McpRequest, Message, Notice, PARSE_ERROR,
    Refused, RequestId,
};

/// Messages that wait to be written to one side. Then the other side is not read.
const QUEUED: usize = 16;

/// Most ids of cancelled requests that are remembered, so that a late answer is not taken for another one.
const MAX_CANCELLED: usize = 1_024;

/// Time to answer the requests of a server that ended.
const LAST: Duration = Duration::from_secs(1);

/// Requests of a server to a client, of all versions of MCP.
const QUESTIONS: [&str; 4] = ["elicitation/create", "ping", "roots/list", "sampling/createMessage"];

/// Bounds of a proxy.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bounds {
    /// Longest message in bytes.
    pub longest: usize,
    /// Most requests of the client that are not answered yet.
    pub in_flight: usize,
    /// Time in which a server may end by itself after the last message of the client was read.
    pub linger: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { longest: 32 << 20, in_flight: 1_024, linger: Duration::from_secs(10) }
    }
}

/// The streams of one side.
#[derive(Debug)]
pub struct Side<R, W> {
    /// Output of this side.
    pub reader: R,
    /// Input of this side.
    pub writer: W,
}

/// Forwards messages until one side has ended. If the client ends, the server's input is closed, and the server's
/// last answers are forwarded for a bounded time.
///
/// It needs a tokio runtime.
///
/// ```
/// use hooks_core::{HookContext, Hooks};
/// use hooks_mcp::{Bounds, GovernMcpLayer, McpSettings, Side, proxy};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let layer = GovernMcpLayer::new(Hooks::default(), HookContext::new("session-1", "agent"), McpSettings::new("files"));
/// let (client, mut answers) = (&b"[]\n"[..], Vec::new());
/// let server = Side { reader: &b""[..], writer: Vec::new() };
/// proxy(layer, Bounds::default(), Side { reader: client, writer: &mut answers }, server).await?;
/// assert!(String::from_utf8_lossy(&answers).contains("batches are not forwarded"));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns an error if a stream cannot be read, or the client's cannot be written.
pub async fn proxy<A>(
    layer: GovernMcpLayer<A>,
    bounds: Bounds,
    client: Side<impl AsyncRead + Unpin, impl AsyncWrite + Unpin>,
    server: Side<impl AsyncRead + Unpin, impl AsyncWrite + Unpin>,
) -> io::Result<()>
where
    A: Approver<Future: Send> + Clone + Send + Sync + 'static,
{
    let (to_client, client_queue) = mpsc::channel(QUEUED);
    let (to_server, server_queue) = mpsc::channel(QUEUED);
    let shared = Arc::new(Shared {
        settings: Arc::clone(layer.settings()),
        bounds,
        to_client,
        to_server,
        requests: Mutex::default(),
        questions: Mutex::default(),
        running: AtomicUsize::new(0),
        sent: Notify::new(),
    });
    let client_side = Client { shared: Arc::clone(&shared), layer };
    let writing_server = async {
        if write(server_queue, server.writer).await.is_err() {
            // A server that closed its input can still answer what it got. It did not get all.
            tokio::time::sleep(bounds.linger).await;
            shared.fail_all("the server takes no more messages");
        }
        pending().await
    };
    let client_ends = async {
        client_side.read(client.reader).await?;
        let closing = async {
            shared.all_sent().await;
            // The server sees the end of its input.
            drop(shared.to_server.send(None).await);
            pending::<()>().await;
        };
        // The server may read nothing any more.
        drop(tokio::time::timeout(bounds.linger, closing).await);
        Ok(())
    };
    let server_ends = async {
        let read = shared.read_server(server.reader).await;
        shared.fail_all("the server ended before it answered");
        // A request that still waits for a person, for example, is not answered any more.
        drop(tokio::time::timeout(LAST, shared.all_answered()).await);
        drop(shared.to_client.send(None).await);
        read
    };
    let ends = async { tokio::try_join!(server_ends, write(client_queue, client.writer)).map(drop) };
    tokio::select! {
        // What the client sent before the server ended is answered.
        biased;
        ended = client_ends => ended,
        ended = writing_server => ended,
        ended = ends => ended,
    }
}

/// A line to write; `None` closes the stream.
type Queue = mpsc::Receiver<Option<Arc<[u8]>>>;

async fn write(mut queue: Queue, mut writer: impl AsyncWrite + Unpin) -> io::Result<()> {
    let mut batch = Vec::new();
    while let Some(Some(line)) = queue.recv().await {
        batch.clear();
        batch.extend_from_slice(&line);
        batch.push(b'\n');
        let mut is_over = false;
        while batch.len() < (64 << 10) {
            match queue.try_recv() {
                Ok(Some(line)) => {
                    batch.extend_from_slice(&line);
                    batch.push(b'\n');
                }
                Ok(None) => {
                    is_over = true;
                    break;
                }
                Err(_) => break,
            }
        }
        writer.write_all(&batch).await?;
        writer.flush().await?;
        if is_over {
            break;
        }
    }
    writer.shutdown().await
}

/// The state of both directions.
struct Shared {
    settings: Arc<McpSettings>,
    bounds: Bounds,
    to_client: mpsc::Sender<Option<Arc<[u8]>>>,
    to_server: mpsc::Sender<Option<Arc<[u8]>>>,
    requests: Mutex<Requests>,
    /// Ids of the server's requests that the client did not answer yet.
    questions: Mutex<HashSet<RequestId>>,
    /// Number of requests whose answer is not written yet.
    running: AtomicUsize,
    /// Notified if a request was sent or ended.
    sent: Notify,
}

/// A request until its answer is written, or it is cancelled.
struct Running(Arc<Shared>);

impl Running {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.running.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(shared))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
        self.0.sent.notify_waiters();
    }
}

/// Requests of the client.
#[derive(Default)]
struct Requests {
    in_flight: HashMap<RequestId, InFlight>,
    cancelled: VecDeque<RequestId>,
}

/// A request that is not answered yet.
#[derive(Default)]
struct InFlight {
    /// The task of a request that waits.
    task: Option<AbortHandle>,
    /// Receives the answer of the server; `None` until the request is sent, and after the answer.
    answer: Option<oneshot::Sender<McpReply>>,
    is_sent: bool,
}

impl Shared {
    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn questions(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until each request was sent to the server, or answered without it.
    async fn all_sent(&self) {
        loop {
            let notified = self.sent.notified();
            if self.requests().in_flight.values().all(|request| request.is_sent) {
                return;
            }
            notified.await;
        }
    }

    /// Waits until each request was answered.
    async fn all_answered(&self) {
        loop {
            let notified = self.sent.notified();
            if self.running.load(Ordering::Relaxed) == 0 {
                return;
            }
            notified.await;
        }
    }

    async fn tell_client(&self, line: impl Into<Arc<[u8]>>) {
        // If the client's stream is closed, the proxy ends.
        drop(self.to_client.send(Some(line.into())).await);
    }

    async fn tell_server(&self, line: impl Into<Arc<[u8]>>) {
        // If the server's input is closed, its output ends, and with it the proxy.
        drop(self.to_server.send(Some(line.into())).await);
    }

    /// Answers a request of the server. A server that reads nothing gets no answer, so that what it writes is still read.
    async fn refuse_server(&self, refused: &Refused) {
        let mut line = Some(refused.to_line().into());
        for _ in 0..2 {
            match self.to_server.try_send(line) {
                Err(TrySendError::Full(unsent)) => line = unsent,
                // If the server's input is closed, its output ends, and with it the proxy.
                Ok(()) | Err(TrySendError::Closed(_)) => return,
            }
            // The queue is written meanwhile.
            tokio::task::yield_now().await;
        }
        self.settings.say("the server does not read the answer to a request that was not forwarded");
    }

    /// Hands an answer to the request that waits for it; returns false without one.
    fn answered(&self, id: &RequestId, reply: McpReply) -> bool {
        let sender = self.requests().in_flight.get_mut(id).and_then(|request| request.answer.take());
        sender.is_some_and(|sender| sender.send(reply).is_ok())
    }

    /// Answers all requests that wait for the server with an error.
    fn fail_all(&self, why: &str) {
        let senders: Vec<_> =
            self.requests().in_flight.values_mut().filter_map(|request| request.answer.take()).collect();
        for sender in senders {
            drop(sender.send(McpReply::error(INTERNAL_ERROR, why)));
        }
    }

    async fn read_server(&self, reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut lines = Lines::new(reader, self.bounds.longest);
        while let Some(line) = lines.next().await? {
            match line {
                Line::Whole(line) => self.on_server_line(&line).await,
                Line::TooLong(id) => {
                    let refused = Refused { answers: id.into_iter().collect(), ..self.too_long(None) };
                    self.refused_from_server(&refused).await;
                }
            }
        }
        Ok(())
    }

    fn too_long(&self, id: Option<RequestId>) -> Refused {
        let reason = format!("the message is longer than {} bytes", self.bounds.longest);
        Refused::new(INVALID_REQUEST, id, reason)
    }

    async fn on_server_line(&self, line: &[u8]) {
        match Message::parse(line) {
            Err(mut refused) => {
                refused.answers.extend(guessed(&refused, line));
                self.refused_from_server(&refused).await;
            }
            Ok(Message::Request(id, request)) => self.question(id, request).await,
            Ok(Message::Notice(mut notice)) => {
                notice.scrub(|value| self.settings.scrub(value));
                self.tell_client(notice.to_line()).await;
            }
            Ok(Message::Reply(Some(id), mut reply)) => {
                reply.scrub_others(|fields| self.settings.scrub(fields));
                if !self.answered(&id, reply) {
                    self.settings.say(&format!(
                        "an answer of the server is not forwarded: no request has the id {id}"
                    ));
                }
            }
            Ok(Message::Reply(None, mut reply)) => {
                reply.change(|error| self.settings.scrub(error));
                let error =
                    serde_json::json!({"jsonrpc": "2.0", "error": reply.into_body().unwrap_or_else(|it| it)});
                self.tell_client(crate::message::to_line(&error)).await;
            }
        }
    }

    async fn refused_from_server(&self, refused: &Refused) {
        self.settings.say(&format!("a message of the server is not forwarded: {refused}"));
        for id in &refused.answers {
            let why = format!("the answer of the server is not forwarded: {refused}");
            self.answered(id, McpReply::error(INTERNAL_ERROR, why));
        }
        if !refused.ids.is_empty() {
            self.refuse_server(refused).await;
        }
    }

    /// Forwards a request of the server.
    async fn question(&self, id: RequestId, request: McpRequest) {
        let method = request.method();
        let refused = |code, why: String| Refused::new(code, [id.clone()], why);
        if !QUESTIONS.contains(&method) && !method.starts_with("tasks/") {
            let why = format!("a server does not send `{method}`");
            self.settings.say(&format!("a message of the server is not forwarded: {why}"));
            return self.refuse_server(&refused(METHOD_NOT_FOUND, why)).await;
        }
        let is_new = {
            let mut questions = self.questions();
            questions.len() < self.bounds.in_flight && questions.insert(id.clone())
        };
        if !is_new {
            let why = format!("a request with the id {id} is not answered yet, or too many are not");
            return self.refuse_server(&refused(INVALID_REQUEST, why)).await;
        }
        let mut request = request;
        request.scrub(|value| self.settings.scrub(value));
        self.tell_client(request.to_line(&id)).await;
    }
}

/// The id of a message that is not JSON for us, such as one with half a surrogate pair, which other programs write.
fn guessed(refused: &Refused, line: &[u8]) -> Option<RequestId> {
    (refused.code == PARSE_ERROR).then(|| lines::id_of(line)).flatten()
}

/// The direction from the client to the server.
struct Client<A> {
    shared: Arc<Shared>,
    layer: GovernMcpLayer<A>,
}

impl<A> Client<A>
where
    A: Approver<Future: Send> + Clone + Send + Sync + 'static,
{
    async fn read(&self, reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut lines = Lines::new(reader, self.shared.bounds.longest);
        while let Some(line) = lines.next().await? {
            match line {
                Line::Whole(line) => self.on_line(&line).await,
                Line::TooLong(id) => {
                    let id = id.filter(|id| !self.shared.requests().in_flight.contains_key(id));
                    self.refused(&self.shared.too_long(id)).await;
                }
            }
        }
        Ok(())
    }

    async fn refused(&self, refused: &Refused) {
        self.shared.settings.say(&format!("a message of the client is not forwarded: {refused}"));
        self.shared.tell_client(refused.to_line()).await;
    }

    async fn on_line(&self, line: &[u8]) {
        match Message::parse(line) {
            Err(mut refused) => {
                refused.ids.extend(guessed(&refused, line));
                let is_taken = |id: &RequestId| self.shared.requests().in_flight.contains_key(id);
                let ids = refused.ids.iter().filter(|id| !is_taken(id)).cloned().collect();
                self.refused(&Refused { ids, ..refused }).await;
            }
            Ok(Message::Request(id, request)) => self.start(id, request).await,
            Ok(Message::Notice(notice)) => {
                if notice.method() != "notifications/cancelled" || self.cancel(&notice) {
                    self.shared.tell_server(notice.to_line()).await;
                }
            }
            Ok(Message::Reply(id, reply)) => {
                let is_known = id.as_ref().is_none_or(|id| self.shared.questions().remove(id));
                if is_known {
                    let id = id.unwrap_or(RequestId::Number(0));
                    return self.shared.tell_server(reply.to_line(&id)).await;
                }
                self.shared
                    .settings
                    .say("an answer of the client is not forwarded: the server asked nothing under its id");
            }
        }
    }

    /// Runs a request: as far as possible at once, so that messages keep their order, and the rest beside the others.
    async fn start(&self, id: RequestId, request: McpRequest) {
        if let Err(refused) = self.take_id(&id) {
            return self.refused(&refused).await;
        }
        let server = Server { shared: Arc::clone(&self.shared), id: id.clone() };
        let service = self.layer.layer(server);
        let shared = Arc::clone(&self.shared);
        let (of, counted) = (id.clone(), Running::new(&shared));
        let mut running = Box::pin(async move {
            let reply = AssertUnwindSafe(service.oneshot(request)).catch_unwind().await;
            let reply = match reply {
                Ok(Ok(reply)) => reply,
                Ok(Err(error)) => McpReply::error(INTERNAL_ERROR, error.to_string()),
                Err(_) => McpReply::error(INTERNAL_ERROR, "a part of the proxy panicked"),
            };
            let is_wanted = shared.requests().in_flight.remove(&of).is_some();
            if is_wanted {
                shared.tell_client(reply.to_line(&of)).await;
            }
            drop(counted);
        });
        let waits = poll_fn(|cx| Poll::Ready(running.as_mut().poll(cx).is_pending())).await;
        if waits {
            let task = tokio::spawn(running).abort_handle();
            if let Some(request) = self.shared.requests().in_flight.get_mut(&id) {
                request.task = Some(task);
            }
        }
    }

    fn take_id(&self, id: &RequestId) -> Result<(), Refused> {
        let mut requests = self.shared.requests();
        if requests.cancelled.contains(id) {
            let why = format!("the id {id} is that of a cancelled request");
            return Err(Refused::new(INVALID_REQUEST, [id.clone()], why));
        }
        let count = requests.in_flight.len();
        match requests.in_flight.entry(id.clone()) {
            // With the id, it would be taken for the answer to the first request.
            Entry::Occupied(_) => Err(Refused::new(
                INVALID_REQUEST,
                None,
                format!("a request with the id {id} is not answered yet"),
            )),
            Entry::Vacant(_) if count >= self.shared.bounds.in_flight => {
                let why = format!("{count} requests are not answered yet");
                Err(Refused::new(INTERNAL_ERROR, [id.clone()], why))
            }
            Entry::Vacant(new) => {
                new.insert(InFlight::default());
                Ok(())
            }
        }
    }

    /// Drops a cancelled request; returns whether the server has it.
    fn cancel(&self, notice: &Notice) -> bool {
        let id = notice.value.pointer("/params/requestId").and_then(RequestId::from_value);
        let mut requests = self.shared.requests();
        let Some((id, request)) = id.and_then(|id| requests.in_flight.remove_entry(&id)) else {
            return false;
        };
        if let Some(task) = request.task {
            task.abort();
        }
        if request.is_sent {
            requests.cancelled.push_back(id);
            while requests.cancelled.len() > MAX_CANCELLED {
                requests.cancelled.pop_front();
            }
        }
        drop(requests);
        self.shared.sent.notify_waiters();
        request.is_sent
    }
}

/// The server, for one request.
#[derive(Clone)]
struct Server {
    shared: Arc<Shared>,
    id: RequestId,
}

impl Service<McpRequest> for Server {
    type Response = McpReply;
    type Error = HookError;
    type Future = HookFuture<'static, Result<McpReply, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: McpRequest) -> Self::Future {
        let Self { shared, id } = self.clone();
        HookFuture::later(async move {
            let (sender, answer) = oneshot::channel();
            {
                let mut requests = shared.requests();
                let Some(request) = requests.in_flight.get_mut(&id) else {
                    return Err(HookError::unavailable("the request was cancelled"));
                };
                request.answer = Some(sender);
                request.is_sent = true;
            }
            let sent = shared.to_server.send(Some(request.to_line(&id))).await;
            shared.sent.notify_waiters();
            sent.map_err(|_| HookError::unavailable("the server takes no more messages"))?;
            answer.await.map_err(|_| HookError::unavailable("the server gave no answer"))
        })
    }
}
