//! Proofs about results of a client whose commands cannot be wrapped: those of a command that fails, that the client ends in
//! time, and that runs in the background.

use std::path::Path;

use serde_json::{Value, json};

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PROJECT, Results, failed, furnish, init, says, session, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use crate::error::Result;

const RULES: &str = "version: 1
redaction: { patterns: { TICKET: 'TICKET-\\d{6}' } }
rules: [{ name: r, commands: [touch], reason: files are made elsewhere }]
";

/// The words of the secrets are put together by the commands, so that they stand in no request.
const SECRETS: [&str; 3] = ["TICKET-123451", "TICKET-123452", "TICKET-123453"];

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    // The commands of the others can be wrapped.
    if client.client.can_wrap() {
        return Ok(());
    }
    let open = Sandbox::new(client, Trust::Given)?;
    furnish(client, &open)?;
    let (run, requests) = run(client, program, &open)?;
    let happens = SECRETS.iter().all(|secret| says(&requests, secret)) && open.has("in-background");
    if !happens {
        return Err(failed(client, "without hooks not everything happens", &run, &requests));
    }
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let (run, requests) = self::run(client, program, &sandbox)?;
    let [failing, late, behind] = SECRETS.map(|secret| !says(&requests, secret));
    let is_marked = says(&requests, "[TICKET_REDACTED]");
    results.claim(Claim::FailureScrubbed, is_marked && failing);
    results.claim(Claim::FailureExit, says(&requests, "Exit Code: 9"));
    results.claim(Claim::TimeoutScrubbed, is_marked && late && says(&requests, "timed out"));
    results.claim(Claim::BackgroundScrubbed, is_marked && behind);
    results.claim(Claim::BackgroundDenied, !sandbox.has("in-background"));
    shown(client, &run, &requests, results);
    Ok(())
}

fn run(client: &Runnable, program: &Path, sandbox: &Sandbox) -> Result<(Run, Vec<Value>)> {
    let with = |command: &str, more: (&str, Value)| {
        let (key, value) = more;
        Call::Other("run_shell_command", json!({"command": command, "description": "a step", key: value}))
    };
    let calls = vec![
        Call::Shell("printf 'TICKET-%s' 123451; exit 9".to_owned()),
        with("printf 'TICKET-%s' 123452; cat ../pipe", ("timeout", 2_000.into())),
        with("printf 'TICKET-%s\\n' 123453", ("is_background", true.into())),
        with("touch in-background", ("is_background", true.into())),
        Call::Shell("cat ~/.qwen/tmp/*/background-shells/*/*.output".to_owned()),
    ];
    make_pipe(&sandbox.beside().join("pipe"))?;
    session(client, program, sandbox, Script { calls, ..Script::default() }, Trust::Given)
}

/// A pipe that nothing writes into: a command that reads it ends by a timeout only.
#[cfg(unix)]
pub(super) fn make_pipe(path: &Path) -> Result {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    Ok(rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).map_err(std::io::Error::from)?)
}

#[cfg(not(unix))]
pub(super) fn make_pipe(_: &Path) -> Result {
    Ok(())
}
