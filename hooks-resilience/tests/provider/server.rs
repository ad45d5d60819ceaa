//! A scripted provider on loopback: real sockets, real HTTP, every byte under control.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The answer of a provider to one request.
#[derive(Clone, Debug)]
pub(crate) struct ProviderReply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// Parts that are sent separately, each as a chunk of the transfer.
    pub(crate) body: Vec<String>,
    pub(crate) fault: Option<Fault>,
}

/// Faults of the connection. Byte counts refer to the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Resets the connection before it answers.
    Reset,
    /// Never answers.
    Silence,
    /// Sends nothing more after so many bytes.
    Stall(usize),
    /// Closes the connection after so many bytes.
    Cut(usize),
    /// Resets the connection after so many bytes.
    CutHard(usize),
}

impl ProviderReply {
    /// An answer of `body` with this status.
    pub(crate) fn new(status: u16, body: impl Into<String>) -> Self {
        Self { status, headers: Vec::new(), body: vec![body.into()], fault: None }
    }

    /// An answer of server-sent events, each in its own part.
    pub(crate) fn events<E: Into<String>>(events: impl IntoIterator<Item = E>) -> Self {
        let body = events.into_iter().map(Into::into).collect();
        Self { body, ..Self::new(200, "") }.with("content-type", "text/event-stream")
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn failing(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    fn head(&self) -> String {
        let mut head = format!(
            "HTTP/1.1 {} Scripted\r\ntransfer-encoding: chunked\r\nconnection: close\r\n",
            self.status
        );
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head + "\r\n"
    }
}

/// A provider. It ends when it is dropped, and after a minute at the latest.
pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Value>>>,
    accepting: JoinHandle<()>,
}

/// The longest lifetime of a provider.
const LIFETIME: Duration = Duration::from_secs(60);

impl Provider {
    /// Starts a provider that sends `answers`, one for each request; the last one is repeated for ever.
    pub(crate) async fn start(answers: impl IntoIterator<Item = ProviderReply>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let answers = Arc::new(Mutex::new(answers.into_iter().collect::<VecDeque<_>>()));
        let requests = Arc::<Mutex<Vec<Value>>>::default();
        let seen = Arc::clone(&requests);
        let accepting = tokio::spawn(async move {
            let accept = async {
                while let Ok((connection, _)) = listener.accept().await {
                    let (answers, seen) = (Arc::clone(&answers), Arc::clone(&seen));
                    let serve = async move { serve(connection, &answers, &seen).await };
                    tokio::spawn(tokio::time::timeout(LIFETIME, serve));
                }
            };
            drop(tokio::time::timeout(LIFETIME, accept).await);
        });
        Ok(Self { address, requests, accepting })
    }

    /// An address without a listener.
    pub(crate) async fn nowhere() -> io::Result<SocketAddr> {
        TcpListener::bind(("127.0.0.1", 0)).await?.local_addr()
    }

    /// The bodies of the requests, in order.
    pub(crate) fn requests(&self) -> Vec<Value> {
        lock(&self.requests).clone()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Serves one request by the script. Errors are those of a client that closed its connection.
async fn serve(
    mut connection: TcpStream,
    answers: &Mutex<VecDeque<ProviderReply>>,
    seen: &Mutex<Vec<Value>>,
) -> io::Result<()> {
    let request = read_request(&mut connection).await?;
    lock(seen).push(request);
    let answer = {
        let mut answers = lock(answers);
        if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
    };
    let Some(answer) = answer else { return Ok(()) };
    match answer.fault {
        Some(Fault::Reset) => return connection.set_zero_linger(),
        Some(Fault::Silence) => return stall().await,
        _ => connection.write_all(answer.head().as_bytes()).await?,
    }
    let limit = match answer.fault {
        Some(Fault::Stall(bytes) | Fault::Cut(bytes) | Fault::CutHard(bytes)) => bytes,
        _ => usize::MAX,
    };
    let mut left = limit;
    for part in answer.body.iter().filter(|part| !part.is_empty()) {
        let part = part.as_bytes().get(..left).unwrap_or(part.as_bytes());
        left -= part.len();
        if !part.is_empty() {
            let size = format!("{:x}\r\n", part.len());
            connection.write_all(&[size.as_bytes(), part, b"\r\n"].concat()).await?;
            connection.flush().await?;
        }
    }
    match answer.fault {
        Some(Fault::Stall(_)) => stall().await,
        Some(Fault::CutHard(_)) => {
            // The sent bytes have to arrive before the reset overtakes them.
            tokio::time::sleep(Duration::from_millis(50)).await;
            connection.set_zero_linger()
        }
        Some(Fault::Cut(_)) => connection.shutdown().await,
        _ => {
            connection.write_all(b"0\r\n\r\n").await?;
            connection.shutdown().await
        }
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn stall() -> io::Result<()> {
    tokio::time::sleep(LIFETIME).await;
    Ok(())
}

/// The body of a request with a length, as JSON.
async fn read_request(connection: &mut TcpStream) -> io::Result<Value> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4_096]);
    loop {
        let read = connection.read(&mut buffer).await?;
        bytes.extend(buffer.iter().take(read));
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            if body.len() >= length.unwrap_or_default() {
                return Ok(serde_json::from_str(body).unwrap_or_default());
            }
        }
        if read == 0 {
            return Ok(Value::Null);
        }
    }
}
