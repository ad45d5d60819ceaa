//! A connection to a NATS server.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::protocol::{Frame, LONGEST, Message, parse, publish};
use crate::sink::SinkError;

/// A connection with a subscription to answers.
pub(super) struct Connection {
    stream: TcpStream,
    /// Bytes that were received and not parsed.
    received: Vec<u8>,
    /// Prefix of the subjects for answers.
    inbox: String,
    /// Counter of requests.
    next: u64,
    most_bytes: usize,
}

/// Information that a server sends about itself.
#[derive(Deserialize)]
struct Info {
    #[serde(default)]
    headers: bool,
    #[serde(default = "default_payload")]
    max_payload: usize,
    #[serde(default)]
    tls_required: bool,
}

fn default_payload() -> usize {
    LONGEST
}

impl Connection {
    pub(super) async fn open(server: &str, token: Option<&str>, inbox: u64) -> Result<Self, SinkError> {
        let failed = |error: std::io::Error| SinkError::again(format!("`{server}`: {error}"));
        let stream = TcpStream::connect(server).await.map_err(failed)?;
        let inbox = format!("_INBOX.{inbox:016x}");
        let mut connection = Self { stream, received: Vec::new(), inbox, next: 0, most_bytes: 0 };
        let Frame::Info(info) = connection.frame().await? else {
            return Err(SinkError::again(format!("`{server}` did not answer as a NATS server")));
        };
        let info: Info = serde_json::from_slice(&info).map_err(|error| {
            SinkError::again(format!(
                "the description that `{server}` sent of itself cannot be parsed: {error}"
            ))
        })?;
        if info.tls_required || !info.headers {
            let lacks =
                if info.tls_required { "wants TLS, which is not spoken here" } else { "knows no headers" };
            return Err(SinkError::again(format!(
                "`{server}` {lacks}; connect to a leaf node beside this process"
            )));
        }
        connection.most_bytes = info.max_payload;
        let hello = json!({
            "verbose": false, "pedantic": false, "headers": true, "no_responders": true, "protocol": 1,
            "lang": "rust", "name": "hooks-audit", "version": env!("CARGO_PKG_VERSION"), "auth_token": token,
        });
        let hello = format!("CONNECT {hello}\r\nSUB {}.* 1\r\nPING\r\n", connection.inbox);
        connection.write(hello.as_bytes()).await?;
        // A server that refuses the connection sends an error before it answers.
        loop {
            match connection.frame().await? {
                Frame::Pong => return Ok(connection),
                frame => connection.attend(frame).await?,
            };
        }
    }

    /// Publishes all messages (an id and a body each) and waits for an answer to each. The answers are in the
    /// order of the messages.
    pub(super) async fn request_all(
        &mut self,
        subject: &str,
        messages: &[(String, Vec<u8>)],
    ) -> Result<Vec<Message>, SinkError> {
        let (mut wanted, mut out) = (HashMap::new(), Vec::new());
        for (at, (id, body)) in messages.iter().enumerate() {
            if body.len() + id.len() + 64 > self.most_bytes {
                let message =
                    format!("`{id}` has more bytes than the {} that the server takes", self.most_bytes);
                return Err(SinkError::refused(message));
            }
            self.next += 1;
            let answer_to = format!("{}.{}", self.inbox, self.next);
            publish(subject, &answer_to, id, body, &mut out);
            wanted.insert(answer_to, at);
        }
        self.write(&out).await?;
        let mut answers: Vec<_> = messages.iter().map(|_| None).collect();
        while !wanted.is_empty() {
            let frame = self.frame().await?;
            if let Some(message) = self.attend(frame).await?
                && let Some(at) = wanted.remove(&message.subject)
                && let Some(answer) = answers.get_mut(at)
            {
                *answer = Some(message);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// Handles a frame; returns it if it is a message.
    async fn attend(&mut self, frame: Frame) -> Result<Option<Message>, SinkError> {
        match frame {
            Frame::Message(message) => return Ok(Some(message)),
            Frame::Ping => self.write(b"PONG\r\n").await?,
            Frame::Err(message) => return Err(SinkError::again(format!("the server reports {message}"))),
            Frame::Info(_) | Frame::Pong | Frame::Ok => {}
        }
        Ok(None)
    }

    async fn frame(&mut self) -> Result<Frame, SinkError> {
        loop {
            match parse(&self.received) {
                Ok(Some((frame, length))) => {
                    self.received.drain(..length);
                    return Ok(frame);
                }
                Ok(None) if self.received.len() <= 2 * LONGEST => {}
                Ok(None) | Err(_) => {
                    return Err(SinkError::again(
                        "the server sent a line that is not part of the NATS protocol",
                    ));
                }
            }
            let read = self.stream.read_buf(&mut self.received).await;
            match read {
                Ok(0) => return Err(SinkError::again("the server closed the connection")),
                Ok(_) => {}
                Err(error) => return Err(SinkError::again(format!("the connection broke: {error}"))),
            }
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), SinkError> {
        let written = self.stream.write_all(bytes).await;
        written.map_err(|error| SinkError::again(format!("the connection broke: {error}")))
    }
}
