//! The sink of NATS JetStream against a real server.

use std::sync::Arc;

use hooks_audit::sink::nats::NatsSink;
use hooks_audit::sink::{NatsConfig, Sink, SinkError};
use hooks_core::time::SeededRandom;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::process::{Server, command, find, free_port};
use super::{records, records_elsewhere};

fn server(folder: &std::path::Path, port: u16) -> Option<Server> {
    let mut command = command(find("nats-server", &[])?);
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "--auth", "token", "-sd"]).arg(folder);
    Some(Server::start(command, port))
}

/// Sends a request to the server's own interface, on a separate connection.
async fn api(port: u16, subject: &str, body: Value) -> Value {
    let mut stream = BufReader::new(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
    let body = body.to_string();
    let request = format!(
        "CONNECT {{\"verbose\":false,\"auth_token\":\"token\"}}\r\nSUB answer 1\r\nPUB $JS.API.{subject} answer {}\r\n{body}\r\n",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        if let Some(length) = line.strip_prefix("MSG ").and_then(|line| line.split_whitespace().last()) {
            let mut answer = vec![0; length.parse().unwrap()];
            stream.read_exact(&mut answer).await.unwrap();
            return serde_json::from_slice(&answer).unwrap();
        }
    }
}

#[tokio::test]
async fn a_stream_has_each_record_once() {
    let (folder, port) = (tempfile::tempdir().unwrap(), free_port());
    let Some(running) = server(folder.path(), port) else { return };
    let config: NatsConfig =
        serde_json::from_value(json!({"server": format!("127.0.0.1:{port}"), "subject": "hooks.audit"}))
            .unwrap();
    let sink = |token: &str| {
        NatsSink::new(config.clone(), Some(token.to_owned()), Arc::new(SeededRandom::new(1))).unwrap()
    };
    let all = records(1, 200);
    let refused = sink("wrong").deliver(&all).await.unwrap_err();
    assert!(refused.to_string().contains("Authorization"), "{refused}");
    let sink = sink("token");
    let nobody = sink.deliver(&all).await.unwrap_err();
    assert!(
        matches!(&nobody, SinkError::Again { message, .. } if message.contains("no stream listens")),
        "{nobody}"
    );

    let stream =
        json!({"name": "AUDIT", "subjects": ["hooks.audit"], "storage": "file", "max_msg_size": 20_000});
    assert!(api(port, "STREAM.CREATE.AUDIT", stream).await["error"].is_null());
    for _ in 0..2 {
        sink.deliver(&all).await.unwrap();
    }
    let info = api(port, "STREAM.INFO.AUDIT", Value::Null).await;
    assert_eq!(info["state"]["messages"], 200);
    // Records of another log have other ids.
    sink.deliver(&records_elsewhere(1, 10)).await.unwrap();

    // Too large for the stream, and for the server.
    for length in [50_000, 2_000_000] {
        let mut large = records(201, 1);
        large[0].record.note = Some("x".repeat(length));
        assert!(matches!(sink.deliver(&large).await, Err(SinkError::Refused { .. })), "{length}");
    }
    // The server stops and starts again.
    drop(running);
    assert!(matches!(sink.deliver(&records(201, 5)).await, Err(SinkError::Again { .. })));
    let _running = server(folder.path(), port).unwrap();
    sink.deliver(&records(196, 10)).await.unwrap();
    let info = api(port, "STREAM.INFO.AUDIT", Value::Null).await;
    assert_eq!(info["state"]["messages"], 215);
}
