//! Shutdown of a service: its events are on the record once `close` is awaited, whatever keeps the hooks
//! alive. Acknowledged records are kept, whatever ends the process.
// The helpers are tests as well: the lints exempt them.
#![cfg(test)]
#![cfg(all(unix, feature = "config"))]

mod logs;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::{Arc, OnceLock};

use hooks::audit::verify::{Condition, verify};
use hooks::config::Config;
use hooks::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
use hooks::event::{EndReason, SessionStart};
use hooks::{BoxError, HookContext, Hooks, Session, StdFileSystem};
use serde_json::json;
use tower::{ServiceExt, service_fn};

use self::logs::{process, project, read};

const SERVICE: &str = "HOOKS_CLOSING_SERVICE";

/// Number of rounds of calls that a service makes before it ends.
const CALLS: u64 = 20;

/// Hooks of the service, if they live as long as the process.
static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Runs one session: an allowed and a denied call, over and over. Prints on standard output which calls were
/// answered.
async fn serve(hooks: Hooks, folder: &Path, calls: u64) {
    let context = HookContext::new("s1", "backend").in_dir(folder).with_environment(hooks::system());
    let (session, _) = Session::start(hooks, context, SessionStart::default()).await;
    for number in 0..calls {
        for tool in ["read", "rm"] {
            let tools = service_fn(async |_: ToolCall| Ok::<_, BoxError>(ToolResult::ok("done")));
            let mut call = ToolCall::new(tool, json!({ "path": "src/a.rs" }));
            call.id = Some(format!("{tool}-{number}"));
            let request = ToolRequest { context: Arc::clone(session.context()), call };
            let outcome = session.tools(tools).oneshot(request).await.unwrap().outcome;
            let word = if matches!(outcome, ToolOutcome::Denied(_)) { "denied" } else { "allowed" };
            writeln!(std::io::stdout(), "\n{word} {tool}-{number}").unwrap();
        }
    }
    session.end(EndReason::Complete, None).await;
}

/// Not a test: the service that the other tests start. It ends as services do: its `main` returns.
#[test]
fn service_process() {
    let Some(how) = std::env::var_os(SERVICE) else { return };
    let how = how.into_string().unwrap();
    let [runtime, holder, end, folder] = how.splitn(4, ':').collect::<Vec<_>>()[..] else { panic!("{how}") };
    let mut runtime = match runtime {
        "one" => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let folder = PathBuf::from(folder);
    runtime.enable_all().build().unwrap().block_on(async {
        let config = Config::read(folder.join("hooks.yaml")).unwrap();
        let hooks = config.hooks();
        match holder {
            "static" => drop(HOOKS.get_or_init(|| hooks.clone())),
            "task" => {
                let hooks = hooks.clone();
                drop(tokio::spawn(async move {
                    std::future::pending::<()>().await;
                    drop(hooks);
                }));
            }
            _ => {}
        }
        let calls = if end == "kill" { u64::MAX } else { CALLS };
        serve(hooks.clone(), &folder, calls).await;
        if end == "close" {
            hooks.close().await.unwrap();
            hooks.close().await.unwrap();
        }
    });
}

/// Starts a service; returns its folder and the process.
fn start(how: &str) -> (tempfile::TempDir, Child) {
    let folder = project("version: 1\naudit: {}\nrules:\n  - {name: no-rm, action: deny, tools: [rm]}\n");
    let mut service = process("service_process", SERVICE, format!("{how}:{}", folder.path().display()));
    let child = service.stderr(Stdio::piped()).spawn().unwrap();
    (folder, child)
}

/// Calls with a record of this event.
fn calls(folder: &Path, event: &str) -> BTreeSet<String> {
    let all = read(&folder.join(".squad/orchestration-log")).into_iter();
    all.filter(|committed| committed.record.event == event)
        .filter_map(|committed| committed.record.call)
        .collect()
}

#[test]
fn a_service_that_closes_its_hooks_keeps_every_record() {
    for runtime in ["one", "many"] {
        for (holder, end) in [("local", "close"), ("static", "close"), ("task", "close"), ("local", "drop")] {
            let how = format!("{runtime}:{holder}:{end}");
            let (folder, child) = start(&how);
            let output = child.wait_with_output().unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(output.status.success(), "{how}: {errors}");
            let log = folder.path().join(".squad/orchestration-log");
            let records = read(&log);
            let of = |event: &str| records.iter().filter(|committed| committed.record.event == event).count();
            // Each call is decided, the allowed one has a result.
            let expected = (1, 2 * CALLS as usize, CALLS as usize, 1);
            let found = (of("session_start"), of("pre_tool_use"), of("post_tool_use"), of("session_end"));
            assert_eq!(found, expected, "{how}");
            let report = verify(&StdFileSystem, &log, &[]).unwrap();
            assert_eq!(report.condition(), Condition::Clean, "{how}");
            assert!(log.join("w0.end").exists(), "{how}: the file was not handed over");
            // A process that drops its hooks unclosed gets a warning; one that closed them gets none.
            let is_told = errors.contains("dropped before it was closed");
            assert_eq!(is_told, end == "drop", "{how}: {errors}");
        }
    }
}

#[test]
fn a_service_that_is_killed_loses_nothing_that_was_acknowledged() {
    for runtime in ["one", "many"] {
        let (folder, mut child) = start(&format!("{runtime}:static:kill"));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut answered: Vec<_> = lines.by_ref().take(100).collect();
        child.kill().unwrap();
        answered.extend(lines);
        child.wait().unwrap();
        let denied: BTreeSet<_> =
            answered.iter().filter_map(|line| Some(line.strip_prefix("denied ")?.to_owned())).collect();
        assert!(denied.len() > 10, "{answered:?}");
        // The next writer of the chain finishes it.
        let hooks = Config::read(folder.path().join("hooks.yaml")).unwrap().hooks();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            serve(hooks.clone(), folder.path(), 1).await;
            hooks.close().await.unwrap();
        });
        let kept = calls(folder.path(), "pre_tool_use");
        let lost: Vec<_> = denied.difference(&kept).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}

#[test]
fn closed_hooks_refuse_what_they_cannot_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.yaml");
    fs::write(&file, "version: 1\naudit: {}\n").unwrap();
    let config = Config::read(&file).unwrap();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime().block_on(config.close()).unwrap();
    assert!(!folder.path().join("audit-log").exists(), "what was not needed is not opened to be closed");
    let hooks = config.clone().hooks();
    let context =
        || HookContext::new("s1", "backend").in_dir(folder.path()).with_environment(hooks::system());
    let write = || hooks::event::PreToolUse::new("write", json!({ "path": "a", "content": "" }));
    runtime().block_on(async {
        use hooks::Judged as _;
        assert!(!hooks.on(context()).pre_tool_use(write()).await.outcome.is_denied());
        let (one, other) = tokio::join!(hooks.close(), config.close());
        assert!(one.is_ok() && other.is_ok());
        assert!(hooks.on(context()).pre_tool_use(write()).await.outcome.is_denied());
    });
    let events: Vec<_> =
        read(&folder.path().join("audit-log")).into_iter().map(|it| it.record.event).collect();
    assert_eq!(events, ["pre_tool_use"]);
}

/// Answers requests with success until the end of a session has come, or a minute has passed, and returns the kinds of events.
#[cfg(feature = "sinks-http")]
#[expect(clippy::disallowed_methods, reason = "a thread of its own waits for a connection")]
fn receiver() -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let receiving = std::thread::spawn(move || {
        let mut events: Vec<String> = Vec::new();
        for _ in 0..6_000 {
            if events.iter().any(|event| event == "session_end") {
                break;
            }
            let Ok((stream, _)) = listener.accept() else {
                std::thread::sleep(std::time::Duration::from_millis(10));
                continue;
            };
            stream.set_nonblocking(false).unwrap();
            let mut reader = BufReader::new(&stream);
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if line.trim().is_empty() {
                    break;
                }
                if let Some((_, value)) = line.to_lowercase().split_once("content-length:") {
                    length = value.trim().parse().unwrap();
                }
            }
            let mut body = vec![0; length];
            std::io::Read::read_exact(&mut reader, &mut body).unwrap();
            let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
            let records = body["records"].as_array().unwrap().iter();
            events.extend(records.map(|one| one["record"]["event"].as_str().unwrap().to_owned()));
            (&stream)
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
                .unwrap();
        }
        events
    });
    (address, receiving)
}

#[cfg(feature = "sinks-http")]
#[tokio::test]
async fn a_service_feeds_its_sinks_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (url, receiving) = receiver();
    let file = folder.path().join("hooks.yaml");
    let rules = format!(
        "version: 1\nrules: [{{ name: no-rm, tools: [rm], action: deny, reason: kept }}]\naudit: {{}}\n\
         sinks: [{{ name: ops, webhook: {{ url: '{url}' }} }}]\n"
    );
    fs::write(&file, rules).unwrap();
    let hooks = Config::read(&file).unwrap().hooks();
    serve(hooks.clone(), folder.path(), 1).await;
    // While it runs: nothing was closed.
    let events = tokio::task::spawn_blocking(move || receiving.join().unwrap()).await.unwrap();
    assert!(events.iter().filter(|event| *event == "pre_tool_use").count() == 2, "{events:?}");
    hooks.close().await.unwrap();
}

#[cfg(feature = "sinks-http")]
#[tokio::test]
async fn a_sink_that_cannot_be_opened_is_reported_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.yaml");
    let sink = "{ name: ops, webhook: { url: 'http://127.0.0.1:9/', secret_env: NO_SUCH_VARIABLE_HERE } }";
    fs::write(&file, format!("version: 1\naudit: {{}}\nsinks: [{sink}]\n")).unwrap();
    let hooks = Config::read(&file).unwrap().hooks();
    let problem = hooks.close().await.unwrap_err().to_string();
    assert!(problem.contains("no sink was fed") && problem.contains("NO_SUCH_VARIABLE_HERE"), "{problem}");
}
