//! Proofs about shell calls in the sandbox (`sandbox.calls: wrapped`): the model reads no secret, also when a command fails; the
//! kernel holds what the rules promise; and the client's own lists decide as before.

use std::path::Path;

use hooks_protocols::Client;
use serde_json::{Value, json};

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::lists::{self, LISTED};
use super::proof::{Outcome, PATIENCE, PROJECT, Results, failed, furnish, init, says, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Call, Script};
use super::server::Server;
use crate::error::{Error, Result};

const RULES: &str = "version: 1
sandbox: { calls: wrapped }
redaction: { patterns: { TICKET: 'TICKET-\\d{6}' } }
";

/// A secret of the user, which the rules hide by default.
const SECRET: &str = "secret of the user 4711";

/// Commands of the session. The words of a secret are put together by the command, so that they stand in no request.
const COMMANDS: [&str; 7] = [
    "printf 'TICKET-%s' 123456; printf 'TICKET-%s' 654321 >&2; exit 9",
    "cat; printf 'after-%s' input",
    "cat ~/.ssh/id_rsa",
    "touch ../outside",
    "touch inside",
    "cd open",
    "touch in-folder",
];

/// The claims about a client whose commands can be wrapped.
const CLAIMS: [Claim; 5] =
    [Claim::WrappedFailure, Claim::WrappedExit, Claim::WrappedHeld, Claim::WrappedInput, Claim::WrappedLists];

/// The texts by which clients show the exit code of the first command.
const EXITS: [&str; 4] = ["Exit code 9", "exited with code 9", "Exit Code: 9", "exit code 9"];

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let Some(sandbox) = begun(client, hooks, RULES, &CLAIMS, results)? else { return Ok(()) };
    held(client, program, hooks, &sandbox, results)?;
    if client.client == Client::Claude {
        without_shell(client, program, hooks, results)?;
    }
    listed(client, program, hooks, results)
}

/// A sandbox with rules under which calls are wrapped. `None` if this client's calls cannot be, or the kernel holds no sandbox.
pub(super) fn begun(
    client: &Runnable,
    hooks: &Path,
    rules: &str,
    claims: &[Claim],
    results: &mut Results,
) -> Result<Option<Sandbox>> {
    if !client.client.can_wrap() {
        results.claims.extend(claims.iter().map(|claim| (*claim, Outcome::Cannot)));
        return Ok(None);
    }
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), rules)?;
    Ok(holds(&sandbox, hooks, results)?.then_some(sandbox))
}

/// Set where the sandbox has to be held, as in CI.
const REQUIRED: &str = "HOOKS_SANDBOX_REQUIRED";

/// Whether the kernel of this machine holds a sandbox.
///
/// # Errors
/// Returns an error if `hooks exec` fails for another reason, or the sandbox has to be held here.
pub(super) fn holds(sandbox: &Sandbox, hooks: &Path, results: &mut Results) -> Result<bool> {
    let words = ["exec", "--", "true"].map(str::to_owned);
    let Run { succeeded, stderr, .. } = sandbox.run(hooks, &words, &[], PATIENCE)?;
    if succeeded {
        return Ok(true);
    }
    let is_required = std::env::var_os(REQUIRED).is_some_and(|value| !value.is_empty());
    if is_required || !stderr.contains("the command was not run: not held:") {
        return Err(Error::new(format!("`hooks exec -- true` failed: {stderr}")));
    }
    println!("SKIPPED: the kernel of this machine holds no sandbox, so no call is wrapped");
    results.is_whole = false;
    Ok(false)
}

/// Results that the model reads, and limits of a command.
fn held(client: &Runnable, program: &Path, hooks: &Path, sandbox: &Sandbox, results: &mut Results) -> Result {
    sandbox.put(&sandbox.home().join(".ssh/id_rsa"), SECRET)?;
    within_reach(client, program)?;
    init(client, sandbox, hooks, PROJECT)?;
    let (run, requests) = run(client, program, sandbox, &COMMANDS, Trust::Given)?;
    let is_scrubbed = !says(&requests, "TICKET-123456") && !says(&requests, "TICKET-654321");
    results.claim(Claim::WrappedFailure, is_scrubbed && says(&requests, "[TICKET_REDACTED]"));
    // OpenCode sends its model no exit codes, with hooks or without.
    let shows_exit = client.client != Client::OpenCode;
    results.ability(Claim::WrappedExit, shows_exit, EXITS.iter().any(|text| says(&requests, text)));
    let is_held = !says(&requests, SECRET) && !sandbox.beside().join("outside").exists();
    results.claim(Claim::WrappedHeld, is_held && sandbox.has("inside"));
    results.claim(Claim::WrappedInput, says(&requests, "after-input"));
    if client.client == Client::Claude {
        // The others start each command in the folder of the project.
        results.claim(Claim::WrappedFolder, sandbox.has("open/in-folder"));
    }
    shown(client, &run, &requests, results);
    Ok(())
}

/// Shows that without hooks the secret and the folder outside are within reach.
fn within_reach(client: &Runnable, program: &Path) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.home().join(".ssh/id_rsa"), SECRET)?;
    let (run, requests) =
        run(client, program, &sandbox, &["cat ~/.ssh/id_rsa", "touch ../outside"], Trust::Given)?;
    if says(&requests, SECRET) && sandbox.beside().join("outside").exists() {
        return Ok(());
    }
    Err(failed(client, "without hooks, the secret or the folder outside is out of reach", &run, &requests))
}

/// A client that finds no shell of ours when it starts has the usual one until it ends.
fn without_shell(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    init(client, &sandbox, hooks, PROJECT)?;
    std::fs::remove_dir_all(sandbox.home().join(".state/hooks/shell"))?;
    let (run, requests) = run(client, program, &sandbox, &["touch unwrapped"], Trust::Given)?;
    results.claim(
        Claim::WrappedMissing,
        !sandbox.has("unwrapped") && says(&requests, "a person has to run `hooks init claude`"),
    );
    shown(client, &run, &requests, results);
    Ok(())
}

/// The lists of the client decide as without hooks.
fn listed(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let mut ran = Vec::new();
    for rules in [None, Some(RULES)] {
        let sandbox = Sandbox::new(client, Trust::Lists)?;
        let mut more = Vec::new();
        furnish(client, &sandbox)?;
        sandbox.put(&sandbox.work().join("wrap"), lists::WRAP)?;
        if let Some(rules) = rules {
            sandbox.put(&sandbox.work().join("hooks.yaml"), rules)?;
            // The lists that allow the wrapper are the user's.
            init(client, &sandbox, hooks, &[])?;
            more = allowed_wrapper(client, &sandbox, hooks)?;
        }
        let commands = LISTED.map(|(_, command)| command);
        let (run, requests) = run_with(client, program, &sandbox, &commands, Trust::Lists, &more)?;
        let names = LISTED.iter().map(|(name, _)| *name);
        ran.push(names.filter(|name| sandbox.has(&format!("original-{name}"))).collect::<Vec<_>>());
        if rules.is_some() {
            results.claim(Claim::WrappedLists, ran == [["allowed"], ["allowed"]]);
            shown(client, &run, &requests, results);
        }
    }
    Ok(())
}

/// Has the lists of a client allow the wrapper, if it has no file for such rules: by options, which are returned, or by its settings.
/// `hooks init` prints both.
pub(super) fn allowed_wrapper(client: &Runnable, sandbox: &Sandbox, hooks: &Path) -> Result<Vec<String>> {
    if client.client == Client::OpenCode {
        sandbox.put(&sandbox.home().join(".config/opencode/opencode.json"), &allowing_rules(hooks))?;
    }
    let tools =
        [format!("shell({}:*)", hooks.display()), "shell(exit)".to_owned(), "shell(exit:*)".to_owned()];
    let options = tools.into_iter().flat_map(|tool| ["--allow-tool".to_owned(), tool]);
    Ok(if client.client == Client::Copilot { options.collect() } else { Vec::new() })
}

/// The lists of OpenCode with the rules for the wrapper that `hooks init` prints.
fn allowing_rules(hooks: &Path) -> String {
    let wrapper = format!("{} exec --call *", hooks.display());
    let rules = [("*", "deny"), ("touch *", "allow"), (wrapper.as_str(), "allow"), ("exit", "allow")];
    let rules: serde_json::Map<_, _> =
        rules.into_iter().map(|(command, action)| (command.to_owned(), action.into())).collect();
    json!({ "permission": { "bash": rules } }).to_string()
}

fn run(
    client: &Runnable,
    program: &Path,
    sandbox: &Sandbox,
    commands: &[&str],
    trust: Trust,
) -> Result<(Run, Vec<Value>)> {
    run_with(client, program, sandbox, commands, trust, &[])
}

/// Runs a session with further arguments.
pub(super) fn run_with(
    client: &Runnable,
    program: &Path,
    sandbox: &Sandbox,
    commands: &[&str],
    trust: Trust,
    more: &[String],
) -> Result<(Run, Vec<Value>)> {
    let calls = commands.iter().map(|command| Call::Shell((*command).to_owned())).collect();
    let script = Script { calls, ..Script::default() };
    let server = Server::start(client.speech, script, &sandbox.work())?;
    let url = server.url();
    let mut arguments = client.arguments(&url, trust);
    arguments.extend_from_slice(more);
    let run = sandbox.run(program, &arguments, &client.variables(&url, trust), PATIENCE)?;
    let requests = server.recorded();
    if requests.len() <= commands.len() {
        return Err(failed(client, "not every command was tried", &run, &requests));
    }
    Ok((run, requests))
}
