//! `cargo xtask e2e otlp`: `hooks audit feed` sends traces to MLflow from PyPI, which takes OTLP with JSON.
//!
//! MLflow shows as a session, an agent, a tool and a model only that which has the attributes of OpenTelemetry's conventions for
//! generative AI. The spans are read back from its database by its API.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, from_str};

use super::sandbox::{self, Run};
use super::{build, install};
use crate::error::{Error, Result};

/// The receiver. It is the newest release that installs.
const RECEIVER: &str = "mlflow==3.17.2";

/// Time limit of an installation, and of each command.
const PATIENCE: Duration = Duration::from_secs(300);

/// Time limit of the server in seconds, if this program cannot end it.
const SERVED: &str = "300";

/// Rules with a sink. MLflow wants the experiment of traces in a header.
const RULES: &str = r#"version: 1
audit: {}
rules: [{ name: no-push, commands: [git push], reason: a person pushes }]
sinks:
  - name: mlflow
    otlp: { endpoint: "http://127.0.0.1:PORT", signals: [traces], headers_env: { x-mlflow-experiment-id: EXPERIMENT } }
"#;

/// A session with a tool call, a denied one and a model call.
const EVENTS: &str = r#"{"event":"session_start","at":AT}
{"event":"pre_tool_use","at":AT,"tool_name":"bash","tool_args":{"command":"ls"},"tool_use_id":"call-1"}
{"event":"post_tool_use","at":AT,"tool_name":"bash","tool_args":{"command":"ls"},"tool_use_id":"call-1","tool_result":"a.txt"}
{"event":"pre_tool_use","at":AT,"tool_name":"bash","tool_args":{"command":"git push"},"tool_use_id":"call-2"}
{"event":"after_model_call","at":AT,"model":"gpt-5-mini","response":{"role":"assistant","content":"done"},"usage":{"input_tokens":12,"output_tokens":3}}
{"event":"session_end","at":AT,"reason":"complete"}
"#;

const AT: &str = r#"{"session_id":"session-7","agent_name":"backend"}"#;

/// Records the events, and sends the records.
const SEND: &str = r#"set -e
cd "$1"
export XDG_STATE_HOME="$1/state" EXPERIMENT=0
"$2" eval -c hooks.yaml --record <events.jsonl
"$2" audit -c hooks.yaml feed --once
"#;

/// Spans that the receiver must have: name and attributes.
const SPANS: [(&str, &[(&str, &str)]); 4] = [
    ("invoke_agent backend", &[("gen_ai.operation.name", "invoke_agent"), ("mlflow.spanType", "AGENT")]),
    (
        "execute_tool bash",
        &[
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "bash"),
            ("gen_ai.tool.call.id", "call-1"),
            ("mlflow.spanType", "TOOL"),
        ],
    ),
    (
        "run_guardrail rules",
        &[
            ("gen_ai.operation.name", "run_guardrail"),
            ("gen_ai.security.verdict.type", "deny"),
            ("gen_ai.security.policy.rule.id", "no-push"),
            ("gen_ai.tool.call.id", "call-2"),
        ],
    ),
    (
        "chat gpt-5-mini",
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.request.model", "gpt-5-mini"),
            ("gen_ai.usage.input_tokens", "12"),
            ("gen_ai.usage.output_tokens", "3"),
        ],
    ),
];

/// Attributes of every span.
const ALL_SPANS: [(&str, &str); 2] =
    [("gen_ai.conversation.id", "session-7"), ("gen_ai.agent.name", "backend")];

/// Installs the receiver, starts it, and looks at what it received.
///
/// # Errors
/// Returns an error if the receiver cannot be installed or started, or has other spans.
pub(super) fn run() -> Result {
    let world = World::new(&build()?)?;
    let port = world.port.to_string();
    let folder = |name: &str| world.work.join(name).display().to_string();
    let (database, files) = (format!("sqlite:///{}", folder("traces.db")), folder("files"));
    let server = text(&world.venv.join("bin/mlflow"))?.to_owned();
    // The processes of jobs leave the group of the server.
    let settings =
        ["MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false", "MLFLOW_DISABLE_TELEMETRY=true", "DO_NOT_TRACK=true"];
    let bounds = ["timeout", SERVED];
    let command = [&*server, "server", "--host", "127.0.0.1", "--port", &port, "--workers", "1"];
    let stores = ["--backend-store-uri", &database, "--default-artifact-root", &files];
    let arguments: Vec<&str> = settings.into_iter().chain(bounds).chain(command).chain(stores).collect();
    sandbox::beside("env", &arguments, || world.sent_and_received())
}

struct World {
    hooks: PathBuf,
    venv: PathBuf,
    work: PathBuf,
    port: u16,
}

impl World {
    fn new(hooks: &Path) -> Result<Self> {
        let folder = install::folder()?.join("otlp");
        let (venv, work) = (folder.join("python"), folder.join("work"));
        if work.exists() {
            fs::remove_dir_all(&work)?;
        }
        fs::create_dir_all(&work)?;
        succeeded(sandbox::with_our_environment("python3", &["-m", "venv", text(&venv)?], PATIENCE)?)?;
        let install = ["install", "--quiet", "--no-compile", "--disable-pip-version-check", RECEIVER];
        succeeded(sandbox::with_our_environment(text(&venv.join("bin/pip"))?, &install, PATIENCE)?)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        fs::write(work.join("hooks.yaml"), RULES.replace("PORT", &port.to_string()))?;
        fs::write(work.join("events.jsonl"), EVENTS.replace("AT", AT))?;
        fs::write(work.join("send.sh"), SEND)?;
        fs::write(work.join("ask.py"), ASK)?;
        Ok(Self { hooks: hooks.canonicalize()?, venv, work: work.canonicalize()?, port })
    }

    /// Sends the records, and compares the traces.
    fn sent_and_received(&self) -> Result {
        self.ask("ready")?;
        let script = self.work.join("send.sh");
        let arguments = [text(&script)?, text(&self.work)?, text(&self.hooks)?];
        let sent = succeeded(sandbox::with_our_environment("sh", &arguments, PATIENCE)?)?;
        for expected in ["\"decision\":\"deny\"", "mlflow: has everything; 6 delivered"] {
            expect(&sent.stdout, expected)?;
        }
        let found = self.ask("search")?;
        let [trace] = list(&found, "/traces") else {
            return Err(Error::new(format!("expected one trace: {found}")));
        };
        expect(string(trace, "/trace_metadata/mlflow.trace.session"), "session-7")?;
        expect(string(trace, "/trace_metadata/mlflow.trace.tokenUsage"), "\"input_tokens\": 12")?;
        let whole = self.ask(string(trace, "/trace_id"))?;
        compare(list(&whole, "/trace/spans"))?;
        println!("MLflow: a session with its agent, its tool call, its model call and their attributes");
        Ok(())
    }

    /// An answer of the receiver's API.
    fn ask(&self, what: &str) -> Result<Value> {
        let script = self.work.join("ask.py");
        let url = format!("http://127.0.0.1:{}", self.port);
        let python = self.venv.join("bin/python");
        let arguments = [text(&script)?, &url, what];
        let run = succeeded(sandbox::with_our_environment(text(&python)?, &arguments, PATIENCE)?)?;
        from_str(&run.stdout).map_err(|cause| Error::doing(format!("`{}`", run.stdout), cause))
    }
}

/// Compares spans with those that the receiver must have: these, and no others.
fn compare(spans: &[Value]) -> Result {
    if spans.len() != SPANS.len() {
        return Err(Error::new(format!("expected {} spans, found {}", SPANS.len(), spans.len())));
    }
    for (name, attributes) in SPANS {
        let span = spans.iter().find(|span| string(span, "/name") == name);
        let span = span.ok_or_else(|| Error::new(format!("there is no span `{name}`")))?;
        let found = attributes_of(span);
        for (key, value) in attributes.iter().chain(&ALL_SPANS) {
            if found.get(*key).map(String::as_str) != Some(*value) {
                return Err(Error::new(format!("`{name}`: expected `{key}` = `{value}`: {found:?}")));
            }
        }
    }
    Ok(())
}

/// The attributes of a span; numbers as they are written.
fn attributes_of(span: &Value) -> BTreeMap<String, String> {
    let pair = |attribute: &Value| {
        let value = attribute.get("value")?.as_object()?.values().next()?;
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        Some((string(attribute, "/key").to_owned(), text))
    };
    list(span, "/attributes").iter().filter_map(pair).collect()
}

fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn string<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn expect(printed: &str, expected: &str) -> Result {
    match printed.contains(expected) {
        true => Ok(()),
        false => Err(Error::new(format!("expected `{expected}`:\n{printed}"))),
    }
}

fn succeeded(run: Run) -> Result<Run> {
    match run.succeeded {
        true => Ok(run),
        false => Err(Error::new(format!("it failed:\n{}{}", run.stdout, run.stderr))),
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::new(format!("`{}` is not a string", path.display())))
}

/// Asks the server whether it is ready, for the traces of the first experiment, or for the trace with an id.
const ASK: &str = r#"
import json
import sys
import time
import urllib.request

url, what = sys.argv[1:]


def ask(path, body=None):
    body = body and json.dumps(body).encode()
    request = urllib.request.Request(url + path, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read().decode()


if what == "ready":
    end = time.monotonic() + 200
    while True:
        try:
            ask("/health")
            print("{}")
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.5)
elif what == "search":
    place = {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": "0"}}
    print(ask("/api/3.0/mlflow/traces/search", {"locations": [place], "max_results": 10}))
else:
    print(ask(f"/api/3.0/mlflow/traces/get?trace_id={what}&allow_partial=true"))
"#;
