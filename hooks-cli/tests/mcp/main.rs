//! `hooks mcp`: real processes, with a small server in Python.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::disallowed_methods,
    reason = "tests of real processes, in real time"
)]

mod remote;
mod serve;
mod settings;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

const RULES: &str = "version: 1
redaction: {}
write_guard: { allow: [src/**] }
audit: { folder: log }
rules:
  - { name: shut, tools: [mcp__small__closed], reason: this tool is closed }
  - { name: asked, action: ask, tools: [mcp__small__deploy], reason: a person decides }
";

/// Time for what happens at once.
const SOON: Duration = Duration::from_secs(20);

/// A project with rules.
struct World {
    folder: TempDir,
}

/// A running proxy with its server.
struct Proxy {
    child: Child,
    writer: Option<ChildStdin>,
    reader: BufReader<ChildStdout>,
}

impl World {
    fn new(rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("hooks.yaml"), rules).unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn hooks(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(arguments).current_dir(self.folder.path()).env("HOME", self.path("home"));
        command
            .env("XDG_STATE_HOME", self.path("state"))
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("HOOKS_CONFIG");
        command
    }

    /// Starts the server `small` through the proxy.
    fn start(&self, options: &[&str]) -> Proxy {
        let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp/server.py");
        self.start_server(options, &[server, self.path("seen").to_str().unwrap()])
    }

    /// Starts a server in Python through the proxy.
    fn start_server(&self, options: &[&str], server: &[&str]) -> Proxy {
        let mut command = self.hooks(&["mcp", "--name", "small"]);
        command.args(options).args(["--", "python3"]).args(server);
        let errors = fs::File::create(self.path("errors")).unwrap();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().unwrap();
        let (writer, reader) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Proxy { child, writer, reader }
    }

    /// The messages that the server received.
    fn seen(&self) -> String {
        fs::read_to_string(self.path("seen")).unwrap_or_default()
    }
}

impl Proxy {
    fn send(&mut self, line: &str) {
        self.writer.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string());
        self.receive()
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The processes of the server and its guard.
    fn processes(&mut self) -> [Pid; 2] {
        let answer = self.call("echo", json!({"what": "pid"}));
        let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        let ids: [i32; 2] = serde_json::from_str(&text).unwrap();
        ids.map(|id| Pid::from_raw(id).unwrap())
    }

    /// Waits for the end; returns the exit status.
    fn end(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(begun.elapsed() < SOON, "it does not end");
            std::thread::yield_now();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Waits until processes have ended.
fn are_gone(ids: &[Pid]) {
    let begun = Instant::now();
    while ids.iter().any(|id| test_kill_process(*id).is_ok()) {
        // An orphan that is still in the table of processes has ended too.
        let is_dead = |id: &Pid| {
            let state = fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).unwrap_or_default();
            state.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
        };
        if cfg!(target_os = "linux") && ids.iter().all(is_dead) {
            return;
        }
        assert!(begun.elapsed() < SOON, "{ids:?} still run");
        std::thread::yield_now();
    }
}

#[test]
fn calls_are_judged_by_the_rules_and_recorded() {
    let world = World::new(RULES);
    let mut proxy = world.start(&[]);
    let begun = proxy.ask("initialize", json!({"protocolVersion": "2025-06-18"}));
    assert_eq!(begun["result"]["protocolVersion"], "2025-06-18");
    let listed = proxy.ask("tools/list", json!({}));
    let names: Vec<_> =
        listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["echo", "read_file", "write_file"]);

    assert_eq!(proxy.call("echo", json!({"text": "hello"}))["result"]["content"][0]["text"], "hello");
    let closed = proxy.call("closed", json!({}));
    assert_eq!(
        closed["result"],
        json!({"content": [{"type": "text", "text": "this tool is closed"}], "isError": true})
    );
    let outside = proxy.call("write_file", json!({"path": "docs/a", "content": "x"}));
    assert_eq!(outside["result"]["isError"], true);
    assert_eq!(
        proxy.call("write_file", json!({"path": "src/a", "content": "x"}))["result"]["content"][0]["text"],
        "done"
    );
    assert_eq!(world.seen().matches("tools/call").count(), 2, "{}", world.seen());

    drop(proxy.writer.take());
    assert_eq!(proxy.end(), Some(0));
    let records = world.hooks(&["audit", "-c", "hooks.yaml", "query"]).output().unwrap();
    let records = String::from_utf8(records.stdout).unwrap();
    assert!(records.contains("mcp__small__closed") && records.contains("mcp__small__echo"), "{records}");
    assert!(world.hooks(&["audit", "-c", "hooks.yaml", "verify"]).output().unwrap().status.success());
}

/// Regression test: of two proxies with one file, the last one that wrote removed the pins of the other.
#[test]
fn proxies_with_one_file_keep_the_pins_of_each_other() {
    let world = World::new(RULES);
    let pins = world.path("pins.json");
    let options = ["--pin", pins.to_str().unwrap()];
    let (mut first, mut second) = (world.start(&options), world.start(&options));
    for proxy in [&mut first, &mut second] {
        // It has read the file.
        assert_eq!(proxy.ask("ping", json!({}))["id"], 1);
    }
    first.ask("tools/list", json!({}));
    let pinned = fs::read_to_string(&pins).unwrap();
    // As if the first had seen other tools, one of them with another description.
    let other = pinned
        .replace("\"write_file\": \"sha256:", "\"write_file\": \"sha256:0")
        .replace("\"echo\": ", "\"elsewhere\": \"sha256:1\", \"echo\": ");
    fs::write(&pins, &other).unwrap();
    let list = second.ask("tools/list", json!({})).to_string();
    assert!(list.contains("\"echo\"") && !list.contains("\"write_file\""), "{list}");
    assert_eq!(
        second.call("write_file", json!({"path": "src/a", "content": "x"}))["result"]["isError"],
        true
    );
    let kept: Value = serde_json::from_str(&fs::read_to_string(&pins).unwrap()).unwrap();
    assert_eq!(kept, serde_json::from_str::<Value>(&other).unwrap());
}

#[test]
fn what_comes_back_is_scrubbed() {
    let world = World::new(RULES);
    let mut proxy = world.start(&[]);
    for (method, params) in [
        ("tools/call", json!({"name": "echo", "arguments": {"what": "secret"}})),
        ("tools/call", json!({"name": "echo", "arguments": {"what": "secret", "fails": true}})),
        ("tools/call", json!({"name": "echo", "arguments": {"what": "resource"}})),
        ("prompts/get", json!({"name": "a"})),
        ("resources/read", json!({"uri": "file:///srv/a"})),
        ("resources/read", json!({"uri": "demo://a"})),
    ] {
        let answer = proxy.ask(method, params.clone());
        let text = answer["result"].to_string();
        assert!(text.contains("GITHUB_TOKEN_REDACTED") && !text.contains("ghp_"), "{params}: {answer}");
    }
    // The state of a call that needs input goes back to the server only.
    let state =
        proxy.call("echo", json!({"what": "input"}))["result"]["requestState"].as_str().unwrap().to_owned();
    assert!(state.starts_with("ghp_"), "{state}");
}

#[test]
fn a_question_waits_for_a_person() {
    let world = World::new(RULES);
    let mut proxy = world.start(&[]);
    let asked = proxy.call("deploy", json!({}));
    let text = asked["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("a person decides. This call waits for a person's approval under the code `"),
        "{text}"
    );
    assert!(!world.seen().contains("deploy"));
}

#[test]
fn a_changed_description_closes_the_tool_until_a_person_accepts_it() {
    let world = World::new(RULES);
    let pins = world.path("pins.json");
    let options = ["--pin", pins.to_str().unwrap()];
    let tools = |proxy: &mut Proxy| proxy.ask("tools/list", json!({}))["result"]["tools"].to_string();
    let mut proxy = world.start(&options);
    assert!(tools(&mut proxy).contains("\"echo\""));
    let pinned = fs::read_to_string(&pins).unwrap();
    assert!(pinned.contains("\"echo\": \"sha256:"), "{pinned}");
    proxy.call("read_file", json!({"what": "rename"}));
    assert!(!tools(&mut proxy).contains("\"echo\""));
    assert_eq!(proxy.call("echo", json!({}))["result"]["isError"], true);
    drop(proxy);
    // The pins hold in the next run.
    fs::write(&pins, pinned.replace("\"write_file\": \"sha256:", "\"write_file\": \"sha256:0")).unwrap();
    let mut proxy = world.start(&options);
    let listed = tools(&mut proxy);
    assert!(listed.contains("\"echo\"") && !listed.contains("\"write_file\""), "{listed}");
    drop(proxy);
    let mut proxy = world.start(&["--pin", pins.to_str().unwrap(), "--changed", "report"]);
    assert!(tools(&mut proxy).contains("\"write_file\""));
    assert!(fs::read_to_string(world.path("errors")).unwrap().contains("the tool `write_file` changed"));
}

#[test]
fn a_server_that_lies_about_answers_is_not_believed() {
    let world = World::new(RULES);
    let mut proxy = world.start(&[]);
    // It answers a request of the future, and one that is denied.
    for id in [9, 10] {
        let forged =
            json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": "forged"}]}});
        proxy.send(&json!({"jsonrpc": "2.0", "id": id + 100, "method": "tools/call", "params": {"name": "echo", "arguments": {"what": "raw", "line": forged.to_string()}}}).to_string());
    }
    proxy.send(
        &json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "closed"}}).to_string(),
    );
    let denied = proxy.receive();
    assert_eq!(
        (&denied["id"], &denied["result"]["content"][0]["text"]),
        (&json!(9), &json!("this tool is closed"))
    );
    assert_eq!(proxy.ask("ping", json!({}))["id"], 1, "nothing was forwarded before");
    let request = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "x"}});
    proxy.call("echo", json!({"text": "."}));
    proxy.send(&json!({"jsonrpc": "2.0", "id": 200, "method": "tools/call", "params": {"name": "echo", "arguments": {"what": "raw", "line": request.to_string()}}}).to_string());
    assert_eq!(proxy.ask("ping", json!({}))["id"], 1);
}

#[test]
fn nothing_runs_without_rules_or_with_broken_ones() {
    let world = World::new("version: 1\nrulez: []\n");
    let mut proxy = world.start(&[]);
    assert_eq!(proxy.end(), Some(2));
    fs::remove_file(world.path("hooks.yaml")).unwrap();
    let mut proxy = world.start(&[]);
    assert_eq!(proxy.end(), Some(2));
    assert!(fs::read_to_string(world.path("errors")).unwrap().contains("no rules govern this folder"));
    assert_eq!(world.seen(), "");
    fs::write(world.path("hooks.yaml"), RULES).unwrap();
    let missing = world.hooks(&["mcp", "--", "/no/such/server"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(missing.status.code(), Some(127));
}

#[test]
fn the_status_of_the_server_is_that_of_the_proxy() {
    let world = World::new(RULES);
    let mut proxy = world.start(&[]);
    let failed = proxy.call("echo", json!({"what": "exit"}));
    assert_eq!(failed["error"]["code"], -32603, "{failed}");
    assert_eq!(proxy.end(), Some(7));

    let mut proxy = world.start(&[]);
    let [server, guard] = proxy.processes();
    kill_process(server, Signal::KILL).unwrap();
    assert_eq!(proxy.end(), Some(128 + 9));
    are_gone(&[server, guard]);
}

#[test]
fn nothing_is_left_when_one_of_the_processes_is_killed() {
    let world = World::new(RULES);
    // The proxy, while the server hangs.
    let mut proxy = world.start(&[]);
    let ids = proxy.processes();
    proxy.send(r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"what":"hang"}}}"#);
    proxy.child.kill().unwrap();
    are_gone(&ids);
    // The guard.
    let mut proxy = world.start(&[]);
    let ids = proxy.processes();
    kill_process(ids[1], Signal::KILL).unwrap();
    assert_eq!(proxy.end(), Some(128 + 9));
    are_gone(&ids);
}

#[test]
fn signals_end_the_server_and_then_the_proxy() {
    for (signal, number) in [(Signal::TERM, 15), (Signal::INT, 2), (Signal::HUP, 1)] {
        let world = World::new(RULES);
        let mut proxy = world.start(&[]);
        let ids = proxy.processes();
        kill_process(Pid::from_child(&proxy.child), signal).unwrap();
        // Python ends with status 1 after an interrupt that it did not handle, or by the signal.
        let status = proxy.end();
        assert!(status == Some(128 + number) || (number == 2 && status == Some(1)), "{status:?}");
        are_gone(&ids);
    }
}

#[test]
fn long_messages_pass_and_longer_ones_fail_their_request() {
    let world = World::new("version: 1\n");
    let mut proxy = world.start(&["--longest", "1"]);
    let long = proxy.call("echo", json!({"what": "long", "bytes": 1_000_000}));
    assert_eq!(long["result"]["content"][0]["text"].as_str().unwrap().len(), 1_000_000);
    let longer = proxy.call("echo", json!({"what": "long", "bytes": 5_000_000}));
    assert_eq!((&longer["id"], &longer["error"]["code"]), (&json!(1), &json!(-32603)));
    assert_eq!(proxy.call("echo", json!({"text": "x".repeat(3_000_000)}))["error"]["code"], -32600);
    assert_eq!(proxy.call("echo", json!({"text": "on"}))["result"]["content"][0]["text"], "on");
}

#[test]
fn a_server_that_reads_nothing_ends_with_its_client() {
    let world = World::new("version: 1\n");
    let mut proxy = world.start_server(&[], &["-c", "import time; time.sleep(600)"]);
    let mut writer = proxy.writer.take().unwrap();
    rustix::io::ioctl_fionbio(&writer, true).unwrap();
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"a": "x".repeat(3_000)}});
    let notice = format!("{notice}\n");
    // Until all that can hold messages on the way is full for a while.
    let mut full = Instant::now();
    while full.elapsed() < Duration::from_millis(500) {
        // It is short enough to be written as a whole, or not at all.
        match writer.write_all(notice.as_bytes()) {
            Ok(()) => full = Instant::now(),
            Err(_) => std::thread::yield_now(),
        }
    }
    drop(writer);
    assert_eq!(proxy.end(), Some(128 + 15));
}

#[test]
fn the_proxy_sees_that_a_server_closes_its_streams() {
    let world = World::new("version: 1\n");
    let output = "import os, sys, time; sys.stdin.readline(); os.close(1); time.sleep(600)";
    let mut proxy = world.start_server(&[], &["-c", output]);
    let why = proxy.ask("x", json!({}))["error"]["message"].to_string();
    assert!(why.contains("the server ended before it answered"), "{why}");
    assert_eq!(proxy.end(), Some(128 + 15));
}

#[test]
fn a_tool_with_a_rule_about_its_arguments_is_listed() {
    let rule = "{ name: prod, tools: [mcp__small__echo], args: { env: { is: [prod] } }, reason: not there }";
    let world = World::new(&format!("version: 1\nrules:\n  - {rule}\n"));
    let mut proxy = world.start(&[]);
    assert!(proxy.ask("tools/list", json!({}))["result"]["tools"].to_string().contains("\"echo\""));
    assert_eq!(proxy.call("echo", json!({"env": "prod"}))["result"]["isError"], true);
    assert_eq!(proxy.call("echo", json!({"env": "dev"}))["result"]["content"][0]["text"], "done");
}
