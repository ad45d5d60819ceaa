//! Proofs about wrapped commands that still run when the model reads of them: commands whose time is over, and commands in the
//! background.

use std::path::Path;

use hooks_protocols::Client;
use serde_json::{Value, json};

use super::claims::Claim;
use super::clients::{PROMPT, Runnable, Trust};
use super::proof::{Outcome, PROJECT, Results, failed, furnish, init, says, session, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Plan, Script};
use super::wrapped;
use crate::error::Result;

const RULES: &str = "version: 1
sandbox: { calls: wrapped }
redaction: { patterns: { TICKET: 'TICKET-\\d{6}' } }
rules: [{ name: r, commands: [touch], reason: files are made elsewhere }]
";

/// The words of the secrets are put together by the commands, so that they stand in no request.
const LATE: &str = "printf 'late TICKET-%s\\n' 123452; sleep 20";
const BEHIND: &str = "sleep 1; printf 'behind TICKET-%s\\n' 123453; sleep 20";

const DENIED: &str = "touch in-background";

/// Gemini CLI has no time limit of a call, and one of silence.
const SILENCE: &str = r#"{"tools": {"shell": {"inactivityTimeout": 3}}}"#;

/// The claims about a client whose commands can be wrapped.
const CLAIMS: [Claim; 2] = [Claim::WrappedTimeout, Claim::WrappedBackground];

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    if !client.client.can_wrap() {
        results.claims.extend(CLAIMS.map(|claim| (claim, Outcome::Cannot)));
        return Ok(());
    }
    let has_background = client.client != Client::OpenCode;
    let open = Sandbox::new(client, Trust::Given)?;
    furnish(client, &open)?;
    silence(client, &open)?;
    let (run, requests) = run(client, program, &open)?;
    let texts = if has_background {
        vec!["late TICKET-123452", "behind TICKET-123453"]
    } else {
        vec!["late TICKET-123452"]
    };
    if !texts.iter().all(|text| says(&requests, text)) || open.has("in-background") != has_background {
        return Err(failed(client, "without hooks not everything happens", &run, &requests));
    }
    let sandbox = Sandbox::new(client, Trust::Given)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    if !wrapped::holds(&sandbox, hooks, results)? {
        return Ok(());
    }
    furnish(client, &sandbox)?;
    silence(client, &sandbox)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let (run, requests) = self::run(client, program, &sandbox)?;
    let is_scrubbed = |word: &str, secret: &str| {
        says(&requests, &format!("{word} [TICKET_REDACTED]")) && !says(&requests, secret)
    };
    results.claim(Claim::WrappedTimeout, is_scrubbed("late", "TICKET-123452"));
    if has_background {
        results.claim(Claim::WrappedBackground, is_scrubbed("behind", "TICKET-123453"));
        let is_denied = !sandbox.has("in-background") && says(&requests, "files are made elsewhere");
        results.claim(Claim::BackgroundDenied, is_denied);
    } else {
        let background = [Claim::WrappedBackground, Claim::BackgroundDenied];
        results.claims.extend(background.map(|claim| (claim, Outcome::Cannot)));
    }
    shown(client, &run, &requests, results);
    Ok(())
}

fn silence(client: &Runnable, sandbox: &Sandbox) -> Result {
    match client.client {
        Client::Gemini => sandbox.put(&sandbox.work().join(client.settings), SILENCE),
        _ => Ok(()),
    }
}

fn run(client: &Runnable, program: &Path, sandbox: &Sandbox) -> Result<(Run, Vec<Value>)> {
    let plans = vec![Plan { mark: PROMPT, calls: calls(client.client) }];
    session(client, program, sandbox, Script { plans, ..Script::default() }, Trust::Given)
}

/// A command whose time is over, one in the background whose output is read later, and a denied one in the background.
fn calls(client: Client) -> Vec<Call> {
    let shell = |tool: &'static str, command: &str, more: Value| {
        let mut arguments = json!({"command": command, "description": "a step"});
        if let (Some(arguments), Value::Object(more)) = (arguments.as_object_mut(), more) {
            arguments.extend(more);
        }
        Call::Other(tool, arguments)
    };
    let step = Call::Shell("sleep 2".to_owned());
    match client {
        Client::Codex => vec![
            Call::Other("exec_command", json!({"cmd": LATE, "yield_time_ms": 2_000})),
            Call::Other("exec_command", json!({"cmd": BEHIND, "yield_time_ms": 250})),
            Call::Other(
                "write_stdin",
                json!({"session_id": "{session}", "chars": "", "yield_time_ms": 5_000}),
            ),
            Call::Other("exec_command", json!({"cmd": DENIED, "yield_time_ms": 250})),
            step,
        ],
        Client::Gemini => vec![
            shell("run_shell_command", LATE, json!({})),
            shell("run_shell_command", BEHIND, json!({"is_background": true, "delay_ms": 500})),
            Call::Other("read_background_output", json!({"pid": "{session}", "delay_ms": 3_000})),
            shell("run_shell_command", DENIED, json!({"is_background": true})),
            step,
        ],
        Client::Copilot => vec![
            shell("bash", LATE, json!({"initial_wait": 2})),
            shell("bash", BEHIND, json!({"mode": "async", "shellId": "behind"})),
            Call::Other("read_bash", json!({"shellId": "behind", "delay": 4})),
            shell("bash", DENIED, json!({"mode": "async", "shellId": "denied"})),
            step,
        ],
        Client::OpenCode => vec![shell("bash", LATE, json!({"timeout": 2_000}))],
        _ => vec![
            shell("Bash", LATE, json!({"timeout": 2_000})),
            shell("Bash", BEHIND, json!({"run_in_background": true})),
            step.clone(),
            Call::Other("Read", json!({"file_path": "{output}"})),
            shell("Bash", DENIED, json!({"run_in_background": true})),
            step,
        ],
    }
}
