//! Proofs about the MCP servers in a client's settings, behind the proxy that `hooks init CLIENT --mcp` puts before them.

use std::path::Path;

use hooks_protocols::Client;
use serde_json::{Value, json};

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PATIENCE, Results, failed, init_in, says, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use super::server::Server;
use crate::error::{Error, Result};

/// Rules that deny one tool of the server, and remove a word from results.
const RULES: &str = "version: 1
redaction: { patterns: { TICKET: 'TICKET-\\d{6}' } }
rules: [{ name: r, action: deny, tools: [mcp__probe__change], reason: nothing is changed here }]
";

/// A server with two tools. A tool that runs makes a file, and answers with a secret.
const SERVER: &str = r#"import json, os, sys
TOOLS = [{"name": n, "description": n, "inputSchema": {"type": "object", "properties": {}}} for n in ("look", "change")]
for line in sys.stdin:
    message = json.loads(line)
    method, params = message.get("method"), message.get("params") or {}
    if "id" not in message or method is None:
        continue
    answer = {"result": {}}
    if method == "initialize":
        about = {"name": "probe", "version": "1"}
        answer = {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}}
    elif method == "tools/list":
        answer = {"result": {"tools": TOOLS}}
    elif method == "tools/call":
        open(os.path.join(sys.argv[1], "did-" + params["name"]), "w").close()
        answer = {"result": {"content": [{"type": "text", "text": "TICKET-" + "12345" + "6"}]}}
    elif method != "ping":
        answer = {"error": {"code": -32601, "message": "unknown method"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"#;

/// Runs the proofs for a client. Nothing but the proxy governs it: it has no hooks.
pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let Some(tools) = tools(client.client) else { return Ok(()) };
    let open = Sandbox::new(client, Trust::Given)?;
    furnish(client.client, &open)?;
    let (run, requests) = call(client, program, &open, tools)?;
    let happened = [open.has("did-look"), open.has("did-change"), says(&requests, "TICKET-123456")];
    if happened.contains(&false) {
        let what = format!("without the proxy not everything happens: {happened:?}");
        return Err(failed(client, &what, &run, &requests));
    }
    let sandbox = Sandbox::new(client, Trust::Given)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    furnish(client.client, &sandbox)?;
    init_in(&sandbox.work(), client.client.name(), &sandbox, hooks, &["--mcp"])?;
    let (run, requests) = call(client, program, &sandbox, tools)?;
    results.claim(Claim::ServerDenied, sandbox.has("did-look") && !sandbox.has("did-change"));
    let is_scrubbed = says(&requests, "[TICKET_REDACTED]") && !says(&requests, "TICKET-123456");
    results.claim(Claim::ServerScrubbed, is_scrubbed);
    shown(client, &run, &requests, results);
    Ok(())
}

/// The names by which the model calls both tools; `None` for a client that is not tried. `hooks init --mcp` does not know the
/// settings of OpenCode, and Codex CLI offers such tools only to a model that has searched for them.
const fn tools(client: Client) -> Option<[&'static str; 2]> {
    match client {
        Client::Claude => Some(["mcp__probe__look", "mcp__probe__change"]),
        Client::Gemini => Some(["mcp_probe_look", "mcp_probe_change"]),
        Client::Copilot => Some(["probe-look", "probe-change"]),
        _ => None,
    }
}

/// Writes the server, and the settings of the user that name it.
fn furnish(client: Client, sandbox: &Sandbox) -> Result {
    let server = sandbox.beside().join("server.py");
    sandbox.put(&server, SERVER)?;
    let words = [server.to_string_lossy(), sandbox.work().to_string_lossy()].map(String::from);
    let (path, more) = match client {
        Client::Claude => (".claude.json", json!({})),
        Client::Copilot => (".copilot/mcp-config.json", json!({"type": "local", "tools": ["*"]})),
        _ => (".gemini/settings.json", json!({"trust": true})),
    };
    let path = sandbox.home().join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
    let mut settings: Value =
        serde_json::from_str(&text).map_err(|error| Error::doing(path.display(), error))?;
    let mut probe = json!({"command": "python3", "args": words});
    if let (Some(probe), Value::Object(more)) = (probe.as_object_mut(), more) {
        probe.extend(more);
    }
    if let Some(settings) = settings.as_object_mut() {
        settings.insert("mcpServers".to_owned(), json!({"probe": probe}));
    }
    sandbox.put(&path, &format!("{settings:#}\n"))
}

/// Runs a session. The proxy hides a tool that may never run, so some clients do not even try it.
fn call(
    client: &Runnable,
    program: &Path,
    sandbox: &Sandbox,
    tools: [&'static str; 2],
) -> Result<(Run, Vec<Value>)> {
    let calls = tools.map(|tool| Call::Other(tool, json!({}))).into();
    let server = Server::start(client.speech, Script { calls, ..Script::default() }, &sandbox.work())?;
    let url = server.url();
    let mut variables = client.variables(&url, Trust::Given);
    // Claude Code waits for its servers, and offers their tools at once.
    let at_once = [("ENABLE_TOOL_SEARCH", "false"), ("MCP_CONNECTION_NONBLOCKING", "false")];
    variables.extend(at_once.map(|(name, value)| (name, value.to_owned())));
    let run = sandbox.run(program, &client.arguments(&url, Trust::Given), &variables, PATIENCE)?;
    Ok((run, server.recorded()))
}
