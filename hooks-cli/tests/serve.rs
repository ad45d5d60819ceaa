//! `hooks serve` as its clients use it: real processes, pipes and sockets.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const RULES: &str = "version: 1\ncommand_guard: { block: [rm -rf] }\nlimits: { calls: [{ tools: [bash], most: 10, of: team, per: month }] }\naudit: { folder: log }\n";

/// A folder with rules, and a state of its own.
fn folder(rules: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("hooks.yaml"), rules).unwrap();
    dir
}

#[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
fn hooks(dir: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(words).current_dir(dir).env("XDG_STATE_HOME", dir.join("state")).env("HOME", dir);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn call(id: u64, command: &str) -> Value {
    json!({
        "id": id, "event": "pre_tool_use", "at": {"session_id": "s", "agent_name": "a"}, "tool_name": "bash",
        "tool_args": {"command": command},
    })
}

/// Lines of a process for this input.
fn said(mut child: Child, input: &str) -> (Vec<Value>, bool) {
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), done.status.success())
}

/// The records of the log, by their event.
fn recorded(dir: &Path, event: &str) -> usize {
    let done = hooks(dir, &["audit", "--log", "log", "query", "--event", event]).output().unwrap();
    String::from_utf8(done.stdout).unwrap().lines().count()
}

#[test]
fn answers_are_those_of_eval_in_order_with_their_ids() {
    let dir = folder("version: 1\ncommand_guard: { block: [rm -rf] }\n");
    let commands = ["ls", "rm -rf /x", "cat a; rm -fr b", "echo 'rm -rf /'", "\u{1F980}", "$(x"];
    let events: Vec<Value> = (0..).zip(commands).map(|(id, command)| call(id, command)).collect();
    let line = |event: &Value| format!("{event}\n");
    let plain: String = events
        .iter()
        .map(|event| {
            let mut event = event.clone();
            event.as_object_mut().unwrap().remove("id");
            line(&event)
        })
        .collect();
    let (expected, _) = said(hooks(dir.path(), &["eval"]).spawn().unwrap(), &plain);
    let with_ids: String = events.iter().map(line).collect();
    let batch = line(&Value::Array(events.clone()));
    let (said, is_well) = said(hooks(dir.path(), &["serve"]).spawn().unwrap(), &(with_ids + &batch));
    assert!(is_well);
    assert_eq!(said[0]["hooks"]["protocol"], 1);
    assert_eq!(said[0]["hooks"]["rules"], expected[0]["rules"]);
    assert_eq!(said.last(), Some(&json!({"serve": "end"})));
    let mut expected = expected;
    for (id, answer) in expected.iter_mut().enumerate() {
        answer["id"] = json!(id);
    }
    assert_eq!(said[1..=6], expected);
    assert_eq!(said[7], Value::Array(expected));
}

#[test]
fn what_is_no_request_gets_an_error_and_the_rest_goes_on() {
    let dir = folder("version: 1\n");
    let many = Value::Array(vec![json!(1); 1_001]).to_string();
    let lines = [
        "garbage",
        "5",
        r#"{"id": true, "event": "stop"}"#,
        r#"{"id": 1, "id": 2, "event": "stop"}"#,
        r#"{"serve": "dance"}"#,
        r#"{"serve": "end", "event": "stop"}"#,
        r#"{"id": 7, "event": "nothing"}"#,
        &many,
        "[[1]]",
    ];
    let input = lines.join("\n")
        + "\n\n{\"id\":8,\"serve\":\"ping\"}\n{\"serve\":\"end\"}\n{\"id\":9,\"serve\":\"ping\"}\n";
    let (said, is_well) = said(hooks(dir.path(), &["serve"]).spawn().unwrap(), &input);
    assert!(!is_well);
    assert_eq!(said.len(), lines.len() + 3, "{said:?}");
    for answer in &said[1..=8] {
        assert!(answer["error"]["message"].is_string() && answer.get("decision").is_none(), "{answer}");
    }
    assert_eq!(said[7]["id"], 7);
    assert!(said[9][0]["error"].is_object());
    assert_eq!(said[10], json!({"id": 8, "serve": "ping"}));
}

#[test]
fn what_was_answered_is_recorded_though_the_server_is_killed() {
    let dir = folder(RULES);
    let mut child = hooks(dir.path(), &["serve"]).spawn().unwrap();
    let (mut input, mut out) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    for id in 0..5 {
        writeln!(input, "{}", call(id, "rm -rf /x")).unwrap();
        line.clear();
        out.read_line(&mut line).unwrap();
        assert!(line.contains("deny"));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The next process takes the chain over, and thereby confirms its last record.
    said(hooks(dir.path(), &["serve"]).spawn().unwrap(), &format!("{}\n", call(5, "ls")));
    assert_eq!(recorded(dir.path(), "pre_tool_use"), 6);
}

/// A server on a socket.
struct Listening(Child);

impl Listening {
    #[expect(clippy::disallowed_methods, reason = "the program under test takes the system's time")]
    fn start(dir: &Path) -> Self {
        let child = hooks(dir, &["serve", "--socket", "own/serve.sock"]).spawn().unwrap();
        let start = Instant::now();
        while UnixStream::connect(dir.join("own/serve.sock")).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "no socket");
            thread::sleep(Duration::from_millis(5));
        }
        Self(child)
    }

    fn end(mut self) -> bool {
        let id = i32::try_from(self.0.id()).unwrap();
        nix::sys::signal::kill(nix::unistd::Pid::from_raw(id), nix::sys::signal::SIGTERM).unwrap();
        self.0.wait().unwrap().success()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop((self.0.kill(), self.0.wait()));
    }
}

fn connect(dir: &Path) -> (UnixStream, BufReader<UnixStream>) {
    let stream = UnixStream::connect(dir.join("own/serve.sock")).unwrap();
    let mut out = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.contains("protocol"), "{line}");
    (stream, out)
}

#[test]
fn clients_of_one_socket_share_the_limits() {
    let dir = folder(RULES);
    let server = Listening::start(dir.path());
    let allowed: usize = thread::scope(|scope| {
        let ask = |of: u64| {
            let (mut stream, mut out) = connect(dir.path());
            let mut allowed = 0;
            for id in 0..5 {
                writeln!(stream, "{}", call(of * 5 + id, "ls")).unwrap();
                let mut line = String::new();
                out.read_line(&mut line).unwrap();
                let answer: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(answer["id"], of * 5 + id);
                allowed += usize::from(answer["decision"] != "deny");
            }
            allowed
        };
        let threads: Vec<_> = (0..8).map(|of| scope.spawn(move || ask(of))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(allowed, 10);
    assert!(server.end());
    assert!(!dir.path().join("own/serve.sock").exists());
    assert_eq!(recorded(dir.path(), "pre_tool_use"), 40);
}

/// A batch that is in work when the server ends is answered whole.
#[test]
#[expect(clippy::disallowed_methods, reason = "the program under test takes the system's time")]
fn the_end_waits_for_the_answers_in_work() {
    let dir = folder("version: 1\ncommand_guard: { block: [rm -rf] }\naudit: { folder: log }\n");
    let server = Listening::start(dir.path());
    let (mut stream, mut out) = connect(dir.path());
    let batch = Value::Array((0..200).map(|id| call(id, "rm -rf /x")).collect());
    writeln!(stream, "{batch}").unwrap();
    // Once there is a record, the batch is in work.
    let start = Instant::now();
    while fs::read_dir(dir.path().join("log")).map_or(0, Iterator::count) == 0 {
        assert!(start.elapsed() < Duration::from_secs(60), "no record");
        thread::sleep(Duration::from_millis(1));
    }
    assert!(server.end());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    let answers: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(answers.as_array().unwrap().len(), 200);
    assert!(answers.as_array().unwrap().iter().all(|one| one["decision"] == "deny"));
}

#[test]
fn another_servers_socket_stays() {
    let dir = folder("version: 1\n");
    let first = Listening::start(dir.path());
    fs::remove_file(dir.path().join("own/serve.sock")).unwrap();
    let second = Listening::start(dir.path());
    assert!(first.end());
    connect(dir.path());
    assert!(second.end());
}

#[test]
fn a_connection_ends_alone_and_too_many_are_refused() {
    let dir = folder("version: 1\n");
    let server = Listening::start(dir.path());
    let (mut stream, out) = connect(dir.path());
    writeln!(stream, "{{\"serve\":\"end\"}}").unwrap();
    let rest: Vec<String> = out.lines().map(Result::unwrap).collect();
    assert_eq!(rest, [r#"{"serve":"end"}"#]);
    let held: Vec<_> = (0..64).map(|_| connect(dir.path())).collect();
    let mut line = String::new();
    BufReader::new(UnixStream::connect(dir.path().join("own/serve.sock")).unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.contains("64 connections"), "{line}");
    drop(held);
    assert!(server.end());
}

#[test]
fn the_socket_is_in_a_folder_of_its_own_and_has_one_server() {
    let dir = folder("version: 1\n");
    let refused = |path: &str| {
        let done = hooks(dir.path(), &["serve", "--socket", path]).output().unwrap();
        assert!(!done.status.success());
        String::from_utf8(done.stderr).unwrap()
    };
    fs::create_dir(dir.path().join("open")).unwrap();
    fs::set_permissions(dir.path().join("open"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(refused("open/serve.sock").contains("chmod 700"));
    let mut server = Listening::start(dir.path());
    assert!(refused("own/serve.sock").contains("another `hooks serve`"));
    // A killed server leaves its socket, which the next one replaces.
    server.0.kill().unwrap();
    server.0.wait().unwrap();
    assert!(dir.path().join("own/serve.sock").exists());
    assert!(Listening::start(dir.path()).end());
    fs::write(dir.path().join("own/serve.sock"), "notes").unwrap();
    assert!(refused("own/serve.sock").contains("no socket"));
    assert_eq!(fs::read_to_string(dir.path().join("own/serve.sock")).unwrap(), "notes");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "it waits for a process, and at most for 30 s")]
fn sinks_get_the_record_while_it_runs() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let sinks = format!(
        "sinks: [{{ name: ops, webhook: {{ url: 'http://{}/' }} }}]\n",
        listener.local_addr().unwrap()
    );
    let dir = folder(&format!("{RULES}{sinks}"));
    let mut server = hooks(dir.path(), &["serve"]).spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    writeln!(input, "{}", call(1, "rm -rf /x")).unwrap();
    listener.set_nonblocking(true).unwrap();
    let begun = Instant::now();
    let mut stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(_) => assert!(begun.elapsed() < Duration::from_secs(30), "nothing was sent"),
        }
        thread::sleep(Duration::from_millis(10));
    };
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut taken = Vec::new();
    let mut part = [0; 4096];
    while !String::from_utf8_lossy(&taken).contains("\"deny\"") {
        let read = std::io::Read::read(&mut stream, &mut part).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&taken));
        taken.extend_from_slice(&part[..read]);
    }
    stream.write_all(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").unwrap();
    drop(input);
    assert!(server.wait_with_output().unwrap().status.success());
}

#[test]
fn a_sink_that_is_behind_is_reported_and_the_end_is_as_ever() {
    // Nothing listens there any more.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sinks = format!("sinks: [{{ name: ops, webhook: {{ url: 'http://127.0.0.1:{port}/' }} }}]\n");
    let dir = folder(&format!("{RULES}{sinks}"));
    let mut server = hooks(dir.path(), &["serve"]).spawn().unwrap();
    writeln!(server.stdin.take().unwrap(), "{}", call(1, "rm -rf /x")).unwrap();
    let done = server.wait_with_output().unwrap();
    let text = String::from_utf8(done.stdout).unwrap();
    assert_eq!(text.lines().last(), Some("{\"serve\":\"end\"}"), "{text}");
    let errors = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && errors.contains("the next feed continues there"), "{errors}");
    assert_eq!(recorded(dir.path(), "pre_tool_use"), 1);
}
