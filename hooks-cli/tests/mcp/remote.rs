//! `hooks mcp --url`: a server behind streamable HTTP.

use super::*;

/// A running server.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(world: &World) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/remote.py");
        let mut command = Command::new("python3");
        command.args([script, world.path("seen").to_str().unwrap()]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, port: line.trim().parse().unwrap() }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl World {
    fn start_remote(&self, server: &Server, options: &[&str]) -> Proxy {
        let mut command = self.hooks(&["mcp", "--name", "small", "--longest", "1", "--url", &server.url()]);
        command.args(options).env("TOKEN", "t0ken");
        let errors = fs::File::create(self.path("errors")).unwrap();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors).spawn().unwrap();
        let (writer, reader) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Proxy { child, writer, reader }
    }

    /// The requests that the server received.
    fn requests(&self) -> Vec<Value> {
        self.seen().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Proxy {
    fn initialize(&mut self) {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let answer = self.ask("initialize", params);
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        // The stream of the server's own messages.
        let notice = self.receive();
        assert_eq!(notice["method"], "notifications/message", "{notice}");
        assert!(!notice.to_string().contains("q7Lw2ZxV9b"), "{notice}");
    }
}

#[test]
fn a_server_behind_a_url_is_governed() {
    let world = World::new(RULES);
    let server = Server::start(&world);
    let mut proxy = world.start_remote(&server, &["--header", "X-Team: a b", "--bearer-env", "TOKEN"]);
    proxy.initialize();
    let list = proxy.ask("tools/list", json!({}));
    assert_eq!(list["result"]["tools"], json!([{"name": "echo"}]), "{list}");
    let closed = proxy.call("closed", json!({}));
    assert_eq!(closed["result"]["isError"], true, "{closed}");

    proxy.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": {}}}).to_string());
    assert_eq!(proxy.receive()["method"], "notifications/progress");
    let echo = proxy.receive();
    let text = echo["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("secret ") && !text.contains("q7Lw2ZxV9b"), "{echo}");
    // The answer comes over the connection that continues the first.
    assert_eq!(proxy.call("continued", json!({}))["result"]["content"][0]["text"], "continued");

    proxy.writer = None;
    assert_eq!(proxy.end(), Some(0));
    let requests = world.requests();
    assert!(!requests.iter().any(|request| request["body"]["params"]["name"] == "closed"), "{requests:#?}");
    let (first, others) = requests.split_first().unwrap();
    assert_eq!(
        (&first["headers"]["mcp-session-id"], &first["headers"]["mcp-protocol-version"]),
        (&Value::Null, &Value::Null)
    );
    for request in others {
        let headers = &request["headers"];
        assert_eq!(headers["mcp-session-id"], "session-1", "{request}");
        assert_eq!(headers["mcp-protocol-version"], "2025-11-25", "{request}");
        assert_eq!((&headers["x-team"], &headers["authorization"]), (&json!("a b"), &json!("Bearer t0ken")));
        assert!(headers["accept"].as_str().unwrap().contains("text/event-stream"), "{request}");
    }
    assert_eq!(others.last().unwrap()["method"], "DELETE", "the session is not ended");
}

/// Each failure is an error for its own request, and the proxy goes on.
#[test]
fn what_is_no_answer_is_an_error() {
    let world = World::new(RULES);
    let server = Server::start(&world);
    let mut proxy = world.start_remote(&server, &[]);
    // Without a session, the server refuses.
    assert_eq!(proxy.call("echo", json!({}))["error"]["message"], "no session");
    proxy.initialize();
    for tool in ["other_id", "moved", "page", "accepted", "half", "long", "long_event"] {
        let answer = proxy.call(tool, json!({}));
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(1), &json!(-32603)),
            "{tool}: {answer}"
        );
    }
    let refused = proxy.call("refused", json!({}));
    assert_eq!(refused["error"]["code"], -32001, "{refused}");
    assert!(!refused.to_string().contains("q7Lw2ZxV9b"), "{refused}");
    proxy.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "cut", "arguments": {}}}).to_string());
    assert_eq!(proxy.receive()["method"], "notifications/progress");
    assert_eq!(proxy.receive()["error"]["code"], -32603);
    assert!(proxy.call("fine", json!({}))["result"]["isError"] != true);

    drop(server);
    let lost = proxy.call("fine", json!({}));
    assert!(lost["error"]["message"].as_str().unwrap().contains("cannot be reached"), "{lost}");
    proxy.writer = None;
    assert_eq!(proxy.end(), Some(0));
}

/// A client has to begin anew, which it does when its server has ended.
#[test]
fn a_lost_session_ends_the_server() {
    let world = World::new(RULES);
    let server = Server::start(&world);
    let mut proxy = world.start_remote(&server, &[]);
    proxy.initialize();
    let lost = proxy.call("forgotten", json!({}));
    assert!(lost["error"]["message"].as_str().unwrap().contains("ended the session"), "{lost}");
    assert_eq!(proxy.end(), Some(0));
}

/// The version without sessions repeats the method and the name, as they were judged.
#[test]
fn headers_repeat_what_was_judged() {
    let world = World::new(RULES);
    let server = Server::start(&world);
    let mut proxy = world.start_remote(&server, &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    let answer = proxy.ask("tools/call", json!({"name": "fine", "arguments": {}, "_meta": meta}));
    assert!(answer["result"]["isError"] != true, "{answer}");
    let denied = proxy.ask("tools/call", json!({"name": "closed", "arguments": {}, "_meta": meta}));
    assert_eq!(denied["result"]["isError"], true, "{denied}");
    let requests = world.requests();
    assert_eq!(requests.len(), 1, "{requests:#?}");
    let headers = &requests[0]["headers"];
    assert_eq!(
        (&headers["mcp-protocol-version"], &headers["mcp-method"], &headers["mcp-name"]),
        (&json!("2026-07-28"), &json!("tools/call"), &json!("fine"))
    );
    assert_eq!(headers["mcp-session-id"], Value::Null);
}

#[test]
fn a_signal_ends_the_proxy_and_the_session() {
    let world = World::new(RULES);
    let server = Server::start(&world);
    let mut proxy = world.start_remote(&server, &[]);
    proxy.initialize();
    let id = Pid::from_raw(i32::try_from(proxy.child.id()).unwrap()).unwrap();
    kill_process(id, Signal::TERM).unwrap();
    assert_eq!(proxy.end(), Some(143));
    assert_eq!(world.requests().last().unwrap()["method"], "DELETE");
}

#[test]
fn urls_and_headers_that_cannot_be_used_are_refused() {
    let world = World::new(RULES);
    for options in [
        &["--url", "https://example.com/mcp"][..],
        &["--url", "file:///etc/passwd"],
        &["--url", "nonsense"],
        &["--url", "http://user:word@127.0.0.1/mcp"],
        &["--url", "http://127.0.0.1:9/mcp", "--header", "Mcp-Session-Id: x"],
        &["--url", "http://127.0.0.1:9/mcp", "--header", "none"],
        &["--url", "http://127.0.0.1:9/mcp", "--bearer-env", "NO_SUCH_VARIABLE"],
        &["--url", "http://127.0.0.1:9/mcp", "--", "true"],
        &["--header", "A: b", "--", "true"],
    ] {
        let output = world.hooks(&["mcp"]).args(options).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(!output.stderr.is_empty(), "{options:?}");
    }
}
