//! Proof about the tool `write_stdin` of Codex CLI, which fires no event: a shell that waits for it is denied, and other commands
//! are not.

use std::path::Path;

use hooks_protocols::Client;
use serde_json::{Value, json};

use super::claims::Claim;
use super::clients::{PROMPT, Runnable, Trust};
use super::proof::{PATIENCE, PROJECT, Results, furnish, init, says, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Plan, Script};
use super::server::Server;
use crate::error::Result;

const RULES: &str = "version: 1\ncommand_guard: { block: [touch] }\n";

/// Commands that run what is typed into them, with what the agent types. The name of the file is that of the place here.
const OPENERS: [(&str, &str); 4] = [
    ("bash", "touch typed-0; exit\n"),
    ("bash <(cat)", "touch typed-1\n\u{4}\u{4}"),
    ("awk '{print | \"sh\"}'", "touch typed-2\n\u{4}"),
    ("sed e", "touch typed-3\n\u{4}"),
];

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    if client.client != Client::Codex {
        return Ok(());
    }
    let open = Sandbox::new(client, Trust::Given)?;
    furnish(client, &open)?;
    run(client, program, &open)?;
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let (session, requests) = run(client, program, &sandbox)?;
    let typed = |sandbox: &Sandbox| {
        (0..OPENERS.len()).map(|at| sandbox.has(&format!("typed-{at}"))).collect::<Vec<_>>()
    };
    let happens_without = typed(&open).iter().all(|has| *has) && open.has("by-script");
    let is_denied = !typed(&sandbox).contains(&true) && says(&requests, "is not known before running");
    results.claim(Claim::LiveInput, happens_without && is_denied && sandbox.has("by-script"));
    if !happens_without {
        eprintln!("without hooks, these ran: {:?}", typed(&open));
    }
    shown(client, &session, &requests, results);
    Ok(())
}

/// A shell that gets a command later, and a shell with a script.
fn run(client: &Runnable, program: &Path, sandbox: &Sandbox) -> Result<(Run, Vec<Value>)> {
    sandbox.put(&sandbox.work().join("script.sh"), "mkdir by-script\n")?;
    let typed = OPENERS.iter().flat_map(|(opener, chars)| {
        let opener = json!({"cmd": opener, "tty": true, "yield_time_ms": 500});
        let typed = json!({"session_id": "{session}", "chars": chars, "yield_time_ms": 2_000});
        [Call::Other("exec_command", opener), Call::Other("write_stdin", typed)]
    });
    let calls = typed.chain([Call::Shell("bash script.sh".to_owned())]).collect();
    let script = Script { plans: vec![Plan { mark: PROMPT, calls }], ..Script::default() };
    let server = Server::start(client.speech, script, &sandbox.work())?;
    let url = server.url();
    let run = sandbox.run(
        program,
        &client.arguments(&url, Trust::Given),
        &client.variables(&url, Trust::Given),
        PATIENCE,
    )?;
    Ok((run, server.recorded()))
}
