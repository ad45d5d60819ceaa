//! Proofs about the events of Claude Code that have no type of ours, and about slash commands. Each is first run without hooks.

use std::fs;
use std::path::Path;

use hooks_protocols::Client;
use serde_json::{Value, json};

use super::claims::Claim;
use super::clients::{PROMPT, Runnable, Trust};
use super::proof::{PATIENCE, PROJECT, Results, failed, furnish, init, prints, says, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Between, Call, Script};
use super::server::Server;
use crate::error::Result;

const RULES: &str = "version: 1
read_guard: { deny: [keys/**] }
command_guard: { block: [mkdir] }
redaction: { labels: [], patterns: { TICKET: 'TICKET-\\d{6}' } }
";

/// A file that a slash command names, with a text that stands nowhere else.
const KEY: (&str, &str) = ("keys/a.md", "the number of the key is 6131");

/// The slash command.
const COMMAND: (&str, &str) = (".claude/commands/leak.md", "what is in @keys/a.md?\n");

/// Slash commands whose files run a command: one that may run, and one that may not. The model may call them too.
const RUNS: [(&str, &str); 2] = [
    (".claude/commands/runs.md", "---\nallowed-tools: Bash(*)\n---\nit printed !`echo six''teen`\n"),
    (".claude/commands/makes.md", "---\nallowed-tools: Bash(*)\n---\nit printed !`mkdir made`\n"),
];

/// Output of the first of them.
const PRINTED: &str = "it printed sixteen";

/// One that may be read.
const OPEN: (&str, &str) = (".claude/commands/open.md", "what is six times seven?");

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    if client.client != Client::Claude {
        return Ok(());
    }
    failing(client, program, hooks, results)?;
    expanded(client, program, hooks, results)?;
    runs(client, program, hooks, results)?;
    switched_off(client, program, hooks, results)
}

/// A session in a sandbox.
struct Session {
    sandbox: Sandbox,
    run: Run,
    requests: Vec<Value>,
}

/// Starts a session with a prompt, with hooks or without.
fn start(
    client: &Runnable,
    program: &Path,
    hooks: Option<&Path>,
    prompt: &str,
    script: impl Fn(&Sandbox) -> Script,
) -> Result<Session> {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    for (name, text) in [KEY, COMMAND, OPEN].into_iter().chain(RUNS) {
        sandbox.put(&sandbox.work().join(name), text)?;
    }
    if let Some(hooks) = hooks {
        sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
        init(client, &sandbox, hooks, PROJECT)?;
    }
    let server = Server::start(client.speech, script(&sandbox), &sandbox.work())?;
    let url = server.url();
    let mut arguments = client.arguments(&url, Trust::Given);
    for word in arguments.iter_mut().filter(|word| *word == PROMPT) {
        prompt.clone_into(word);
    }
    let run = sandbox.run(program, &arguments, &client.variables(&url, Trust::Given), PATIENCE)?;
    Ok(Session { sandbox, run, requests: server.recorded() })
}

/// The result of a failing command with a secret: no hook can change it, so the run ends.
fn failing(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let script = |_: &Sandbox| {
        let calls = ["touch ran; printf 'TICKET-%s' 123456; exit 3", "echo text > next"];
        Script { calls: calls.map(|call| Call::Shell(call.to_owned())).to_vec(), ..Script::default() }
    };
    let without = start(client, program, None, PROMPT, script)?;
    if !says(&without.requests, "TICKET-123456") || !without.sandbox.has("next") {
        return Err(failed(
            client,
            "without hooks, no failing result reached the model",
            &without.run,
            &without.requests,
        ));
    }
    let with = start(client, program, Some(hooks), PROMPT, script)?;
    let is_kept = !says(&with.requests, "TICKET-123456") && !with.sandbox.has("next");
    results.claim(Claim::FailureEnds, is_kept && with.sandbox.has("ran") && !with.requests.is_empty());
    shown(client, &with.run, &with.requests, results);
    Ok(())
}

/// A slash command whose file names another one.
fn expanded(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let script = |_: &Sandbox| Script::default();
    let without = start(client, program, None, "/leak", script)?;
    if !says(&without.requests, KEY.1) {
        return Err(failed(client, "without hooks, the file was not sent", &without.run, &without.requests));
    }
    let open = start(client, program, Some(hooks), "/open", script)?;
    let with = start(client, program, Some(hooks), "/leak", script)?;
    let is_denied = !says(&with.requests, KEY.1) && prints(&with.run, KEY.0);
    results.claim(Claim::CommandFile, is_denied && says(&open.requests, OPEN.1));
    shown(client, &with.run, &with.requests, results);
    Ok(())
}

/// A slash command whose file runs a command, typed by the user and called by the model.
fn runs(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    for (claim, is_typed) in [(Claim::CommandRuns, true), (Claim::SkillRuns, false)] {
        let session = |hooks: Option<&Path>, name: &str| {
            let prompt = if is_typed { format!("/{name}") } else { PROMPT.to_owned() };
            let call = Call::Other("Skill", json!({ "skill": name }));
            let calls = if is_typed { Vec::new() } else { vec![call] };
            start(client, program, hooks, &prompt, |_| Script { calls: calls.clone(), ..Script::default() })
        };
        let without = session(None, "makes")?;
        if !without.sandbox.has("made") {
            return Err(failed(client, "without hooks, nothing ran", &without.run, &without.requests));
        }
        let allowed = session(Some(hooks), "runs")?;
        let denied = session(Some(hooks), "makes")?;
        results.claim(claim, says(&allowed.requests, PRINTED) && !denied.sandbox.has("made"));
        shown(client, &denied.run, &denied.requests, results);
    }
    Ok(())
}

/// Settings that switch all hooks off while the session runs. The control has hooks, and not at this event.
fn switched_off(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let settings = |sandbox: &Sandbox| sandbox.work().join(client.settings);
    let script = |keeps: bool| {
        move |sandbox: &Sandbox| {
            let path = settings(sandbox);
            let text = fs::read_to_string(&path).unwrap_or_default();
            let wired = if keeps { text } else { text.replace("\"ConfigChange\"", "\"FileChanged\"") };
            let off = wired.replacen('{', "{\"disableAllHooks\": true,", 1);
            // A failure here fails the control.
            drop(fs::write(&path, wired));
            let calls = ["true", "sleep 5", "mkdir denied"];
            Script {
                calls: calls.map(|call| Call::Shell(call.to_owned())).to_vec(),
                between: Some(Between::new(move |call| {
                    if call == 1 {
                        drop(fs::write(&path, &off));
                    }
                })),
                ..Script::default()
            }
        }
    };
    let without = start(client, program, Some(hooks), PROMPT, script(false))?;
    if !without.sandbox.has("denied") {
        return Err(failed(client, "settings did not switch the hooks off", &without.run, &without.requests));
    }
    let with = start(client, program, Some(hooks), PROMPT, script(true))?;
    let is_off = with.sandbox.text(client.settings).contains("disableAllHooks");
    results.claim(Claim::SwitchedOff, is_off && !with.sandbox.has("denied") && with.requests.len() > 3);
    shown(client, &with.run, &with.requests, results);
    Ok(())
}
