use std::sync::Mutex;

use hooks_core::drivers::NoApprover;
use hooks_core::event::PreToolUse;
use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};

use super::*;

/// Time for what happens at once.
const SOON: Duration = Duration::from_secs(20);

/// One end of a stream.
struct End {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl End {
    fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Self { reader: BufReader::new(reader), writer }
    }

    async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    async fn value(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }
}

/// A client and a server with a proxy between them, which denies the tool `shut`.
struct World {
    client: End,
    server: End,
    said: Arc<Mutex<Vec<String>>>,
    _running: tokio::task::JoinHandle<io::Result<()>>,
}

fn layer(settings: McpSettings) -> GovernMcpLayer<NoApprover> {
    let guard =
        policy_fn("guard", |request: &HookRequest<PreToolUse>| match request.event().tool_name.as_str() {
            "mcp__s__shut" => Verdict::deny(Reason::new("guard", "shut", "it is shut")),
            _ => Verdict::NO_OPINION,
        });
    GovernMcpLayer::new(
        Hooks::builder().policy(guard).build(),
        HookContext::new("session", "agent"),
        settings,
    )
}

impl World {
    fn new() -> Self {
        Self::within(Bounds { longest: 2_000, in_flight: 3, ..Bounds::default() })
    }

    fn within(bounds: Bounds) -> Self {
        let (client, near) = tokio::io::duplex(1 << 16);
        let (server, far) = tokio::io::duplex(1 << 16);
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let mut settings = McpSettings::new("s");
        let report = Arc::clone(&said);
        settings.report = Some(Arc::new(move |text| report.lock().unwrap().push(text.to_owned())));
        settings.scrub = Some(Arc::new(|value| {
            let clean: Value = serde_json::from_str(&value.to_string().replace("secret", "[X]")).unwrap();
            std::mem::replace(value, clean.clone()) != clean
        }));
        let ((client_in, client_out), (server_out, server_in)) = (split(near), split(far));
        let client_side = Side { reader: client_in, writer: client_out };
        let running =
            proxy(layer(settings), bounds, client_side, Side { reader: server_out, writer: server_in });
        let running = tokio::spawn(running);
        Self { client: End::new(client), server: End::new(server), said, _running: running }
    }

    /// Sends a line of the client that the proxy answers itself; nothing reaches the server.
    async fn refused(&mut self, line: &str) -> Value {
        self.client.send(line).await;
        let answer = self.client.value().await;
        self.is_quiet().await;
        answer
    }

    /// The next message that reaches the server is the one that is sent now.
    async fn is_quiet(&mut self) {
        let mark = r#"{"jsonrpc":"2.0","method":"notifications/mark"}"#;
        self.client.send(mark).await;
        assert_eq!(self.server.line().await, mark);
    }

    /// The same in the other direction.
    async fn client_is_quiet(&mut self) {
        let mark = r#"{"jsonrpc":"2.0","method":"notifications/mark"}"#;
        self.server.send(mark).await;
        assert_eq!(self.client.line().await, mark);
    }

    fn said(&self) -> String {
        std::mem::take(&mut *self.said.lock().unwrap()).join("; ")
    }
}

fn call(id: &str, tool: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}"}}}}"#)
}

/// Regression test: what stood beside `params`, `result` and `error` was forwarded with its secrets.
#[tokio::test]
async fn all_fields_from_the_server_are_scrubbed() {
    let mut world = World::new();
    for (sent, got) in [
        (
            r#"{"jsonrpc":"2.0","method":"notifications/x","note":{"a":"a secret"}}"#,
            json!({"jsonrpc": "2.0", "method": "notifications/x", "note": {"a": "a [X]"}}),
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","secret":1}"#,
            json!({"jsonrpc": "2.0", "id": 7, "method": "ping", "[X]": 1}),
        ),
    ] {
        world.server.send(sent).await;
        assert_eq!(world.client.value().await, got);
    }
    world.client.send(&call("1", "open")).await;
    world.server.line().await;
    world.server.send(r#"{"jsonrpc":"2.0","id":1,"result":{},"debug":["a secret"],"n":1}"#).await;
    let answer = world.client.value().await;
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": 1, "result": {}, "debug": ["a [X]"], "n": 1}));
}

/// Regression test: a request with such an id was refused, and a message with the mark of UTF-8 was not JSON.
#[tokio::test]
async fn whole_floats_are_ids_and_a_mark_of_utf_8_is_left_out() {
    let mut world = World::new();
    let marked = |text: &str| format!("\u{feff}{text}");
    world.client.send(&marked(&call("1.0", "open"))).await;
    assert_eq!(world.server.line().await, call("1.0", "open"));
    assert_eq!(world.refused(&call("1", "open")).await["error"]["code"], INVALID_REQUEST);
    world.server.send(&marked(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)).await;
    assert_eq!(world.client.line().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    world.client.send(&call("2", "open")).await;
    world.server.line().await;
    world.server.send(r#"{"jsonrpc":"2.0","id":2e0,"result":{}}"#).await;
    assert_eq!(world.client.line().await, r#"{"jsonrpc":"2.0","id":2e0,"result":{}}"#);
    for id in ["1.5", "9007199254740993.0", "1e300"] {
        assert!(world.refused(&call(id, "open")).await.get("id").is_none(), "{id}");
    }
}

#[tokio::test]
async fn messages_keep_their_bytes_and_ids() {
    let mut world = World::new();
    for (request, answer) in [
        (
            r#"{ "method" : "x/custom", "jsonrpc":"2.0", "id":"a b", "more": [1.50, 1e3], "params": {"é": "\u00e9"} }"#,
            r#"{"id":"a b","jsonrpc":"2.0" , "result":{"x":1.0}, "more":true}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"open","arguments":{"n":9007199254740993,"f":1.10}}}"#,
            r#"{"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[ ],"n":9007199254740993}}"#,
        ),
    ] {
        world.client.send(request).await;
        assert_eq!(world.server.line().await, request);
        world.server.send(answer).await;
        assert_eq!(world.client.line().await, answer);
    }
}

#[tokio::test]
async fn what_was_not_judged_is_not_forwarded() {
    let mut world = World::new();
    let denied = world.refused(&call("1", "shut")).await;
    assert_eq!(
        denied,
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "it is shut"}], "isError": true}})
    );
    let in_batch = world.refused(&format!("[{},{}]", call("2", "shut"), call("\"b\"", "open"))).await;
    assert_eq!((&in_batch[0]["id"], &in_batch[1]["id"]), (&json!(2), &json!("b")));
    assert_eq!(in_batch[0]["error"]["code"], INVALID_REQUEST);
    for (line, code, id) in [
        ("nonsense", -32700, None),
        (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"\ud83d"}}"#, -32700, Some(3)),
        ("[]", INVALID_REQUEST, None),
        ("7", INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/call"}"#, INVALID_REQUEST, Some(3)),
        (r#"{"jsonrpc":"2.0","id":3,"id":4,"method":"ping"}"#, INVALID_REQUEST, None),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"Tools/Call","params":{"name":"shut"}}"#,
            INVALID_REQUEST,
            Some(3),
        ),
        (r#"{"jsonrpc":"2.0","id":3,"method":"ping","Method":"tools/call"}"#, INVALID_REQUEST, Some(3)),
        (r#"{"jsonrpc":"2.0","id":3,"method":"ping","result":{}}"#, INVALID_REQUEST, Some(3)),
        (r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#, INVALID_REQUEST, Some(3)),
        (r#"{"id":3,"method":"ping"}"#, INVALID_REQUEST, Some(3)),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"open"}}"#, INVALID_REQUEST, None),
        (r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":[1]}"#, INVALID_REQUEST, Some(3)),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"open","arguments":{"n":123456789012345678901234567890}}}"#,
            INVALID_REQUEST,
            Some(3),
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"open","Name":"shut"}}"#,
            -32602,
            Some(3),
        ),
    ] {
        let refused = world.refused(line).await;
        assert_eq!((&refused["error"]["code"], refused["id"].as_i64()), (&json!(code), id), "{line}");
    }
    let long = call("5", &"x".repeat(3_000));
    assert_eq!(world.refused(&long).await["id"], 5);
    assert!(world.said().contains("batches are not forwarded"));
}

#[tokio::test]
async fn a_line_is_one_line_for_every_server() {
    let mut world = World::new();
    // Python ends a line at a carriage return, and Node's `readline` at U+2028.
    let hidden = call("2", "shut");
    let sent = format!(
        "{{\"jsonrpc\":\"2.0\",\r\"id\":1,\"method\":\"x\",\"params\":{{\"a\":\"b\u{2028}\u{85}c\",\r\"m\":{hidden}\r}}}}\r"
    );
    world.client.send(&sent).await;
    let received = world.server.line().await;
    assert!(!received.contains(['\r', '\u{2028}', '\u{85}']), "{received:?}");
    let value: Value = serde_json::from_str(&received).unwrap();
    assert_eq!(value, serde_json::from_str::<Value>(&sent).unwrap());
}

#[tokio::test]
async fn an_id_is_used_for_one_request_at_a_time() {
    let mut world = World::new();
    world.client.send(&call("1", "open")).await;
    assert_eq!(world.server.value().await["id"], 1);
    let twice = world.refused(&call("1", "open")).await;
    assert_eq!((&twice["id"], &twice["error"]["code"]), (&Value::Null, &json!(INVALID_REQUEST)));
    // `"1"` is another id.
    world.client.send(&call("\"1\"", "open")).await;
    assert_eq!(world.server.value().await["id"], "1");
    world.client.send(&call("2", "open")).await;
    world.server.line().await;
    let too_many = world.refused(&call("3", "open")).await;
    assert_eq!((&too_many["id"], &too_many["error"]["code"]), (&json!(3), &json!(INTERNAL_ERROR)));
    world.server.send(r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#).await;
    assert_eq!(world.client.value().await["result"], json!({"a": 1}));
    world.client.send(&call("1", "open")).await;
    assert_eq!(world.server.value().await["id"], 1, "the id is free again");
}

#[tokio::test]
async fn an_answer_to_no_request_is_not_forwarded() {
    let mut world = World::new();
    world.refused(&call("1", "shut")).await;
    // The server was not asked, and answers.
    for answer in [
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"1","error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        "log line",
    ] {
        world.server.send(answer).await;
        world.client_is_quiet().await;
        assert!(world.said().contains("not forwarded"), "{answer}");
    }
    // The client answers what was not asked.
    world.client.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    world.is_quiet().await;
}

#[tokio::test]
async fn a_late_answer_to_a_cancelled_request_is_not_taken_for_another() {
    let mut world = World::new();
    world.client.send(&call("1", "open")).await;
    world.server.line().await;
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    world.client.send(cancelled).await;
    assert_eq!(world.server.line().await, cancelled);
    assert_eq!(world.refused(&call("1", "open")).await["error"]["code"], INVALID_REQUEST);
    world.server.send(r#"{"jsonrpc":"2.0","id":1,"result":{"late":true}}"#).await;
    world.client_is_quiet().await;
    // What the server never had is not cancelled there.
    world
        .client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#)
        .await;
    world.is_quiet().await;
}

#[tokio::test]
async fn unreadable_answers_fail_their_request() {
    let mut world = World::new();
    for answer in [
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"result":[1]}"#.to_owned(),
        r#"{"result":{"a":"\ud83d"},"jsonrpc":"2.0","id":1}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#.to_owned(),
        r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#.to_owned(),
        format!(r#"{{"result":{{"a":"{}"}},"jsonrpc":"2.0","id":1}}"#, "x".repeat(3_000)),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"a":"{}"}}}}"#, "x".repeat(3_000)),
    ] {
        world.client.send(&call("1", "open")).await;
        world.server.line().await;
        world.server.send(&answer).await;
        let failed = world.client.value().await;
        assert_eq!(
            (&failed["id"], &failed["error"]["code"]),
            (&json!(1), &json!(INTERNAL_ERROR)),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_server_asks_only_what_servers_ask() {
    let mut world = World::new();
    world.server.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open"}}"#).await;
    assert_eq!(world.server.value().await["error"]["code"], METHOD_NOT_FOUND);
    world.server.send(r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":["a secret"]}}"#).await;
    let asked = world.client.value().await;
    assert_eq!((&asked["id"], &asked["params"]["messages"]), (&json!(1), &json!(["a [X]"])));
    world.server.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    assert_eq!(world.server.value().await["error"]["code"], INVALID_REQUEST);
    let answer = r#"{"jsonrpc": "2.0","id":1,"result":{"role":"assistant"}}"#;
    world.client.send(answer).await;
    assert_eq!(world.server.line().await, answer);
    world.client.send(answer).await;
    world.is_quiet().await;
    world
        .server
        .send(r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"a secret"}}"#)
        .await;
    assert_eq!(world.client.value().await["params"]["data"], "a [X]");
}

#[tokio::test]
async fn the_end_of_the_server_answers_all_requests() {
    let World { mut client, mut server, _running: running, .. } = World::new();
    client.send(&call("1", "open")).await;
    server.line().await;
    drop(server);
    assert_eq!(client.value().await["error"]["message"], "the server ended before it answered");
    assert_eq!(client.line().await, "");
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_end_of_the_client_closes_the_server_after_its_last_requests() {
    let World { mut client, mut server, _running: running, .. } = World::new();
    client.send(&call("1", "open")).await;
    client.writer.shutdown().await.unwrap();
    assert_eq!(server.value().await["id"], 1);
    assert_eq!(server.line().await, "", "its input is closed");
    server.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert_eq!(client.value().await["id"], 1);
    drop(server);
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_end_of_the_client_ends_a_server_that_does_not_read() {
    let bounds = Bounds { linger: Duration::from_millis(20), ..Bounds::default() };
    let World { mut client, server, _running: running, .. } = World::within(bounds);
    // More than the stream holds.
    client.send(&call("1", &"x".repeat(1 << 18))).await;
    client.send(&call("2", "open")).await;
    client.writer.shutdown().await.unwrap();
    tokio::time::timeout(SOON, running).await.unwrap().unwrap().unwrap();
    drop(server);
}

#[tokio::test]
async fn refusals_do_not_stop_the_reading_of_a_server_that_does_not_read() {
    let mut world = World::new();
    for _ in 0..2_000 {
        world.server.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"open"}}"#).await;
    }
    tokio::time::timeout(SOON, world.client_is_quiet()).await.unwrap();
    assert!(world.said().contains("the server does not read"));
}

#[tokio::test]
async fn many_refusals_reach_a_server_that_reads() {
    let mut world = World::new();
    let asked = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#;
    world.server.send(&vec![asked; 200].join("\n")).await;
    for _ in 0..200 {
        assert_eq!(world.server.value().await["error"]["code"], METHOD_NOT_FOUND);
    }
}

#[tokio::test]
async fn a_request_that_the_server_cannot_get_any_more_fails() {
    let bounds = Bounds { linger: Duration::from_millis(20), ..Bounds::default() };
    let ((mut client, near), (output, _kept)) = (tokio::io::duplex(1 << 16), tokio::io::duplex(1 << 16));
    // Its input is closed, and its output open.
    let (input, _) = tokio::io::duplex(1 << 16);
    let (reader, writer) = split(near);
    let server = Side { reader: output, writer: input };
    tokio::spawn(proxy(layer(McpSettings::new("s")), bounds, Side { reader, writer }, server));
    client.write_all(format!("{}\n", call("1", "open")).as_bytes()).await.unwrap();
    let mut lines = BufReader::new(client).lines();
    let line = tokio::time::timeout(SOON, lines.next_line()).await.unwrap().unwrap().unwrap();
    assert!(line.contains("the server takes no more messages"), "{line}");
}
