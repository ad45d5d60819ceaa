//! Proofs about files that a prompt names (`@notes.md`), which clients read themselves, without a tool call.

use std::path::Path;

use serde_json::Value;

use super::claims::Claim;
use super::clients::{PROMPT, Runnable, Trust};
use super::proof::{PATIENCE, PROJECT, Results, furnish, init, prints, says, shown};
use super::sandbox::{Run, Sandbox};
use super::script::Script;
use super::server::Server;
use crate::error::Result;

const RULES: &str = "version: 1\nread_guard: { deny: [keys/**] }\n";

/// Files, with texts that stand nowhere else.
const NOTES: (&str, &str) = ("notes.md", "the number of the notes is 6120");
const KEY: (&str, &str) = ("keys/a.md", "the number of the key is 6121");

/// Clients add the content of files to a prompt if they know `@`. A prompt with a file that may not be read is denied.
pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    for (name, text) in [NOTES, KEY] {
        sandbox.put(&sandbox.work().join(name), text)?;
    }
    let (_, unguarded) = ask(client, program, &sandbox, "what is in @keys/a.md?")?;
    if !says(&unguarded, KEY.1) {
        // It sends the name alone; the model would read the file by a tool.
        return Ok(());
    }
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let (_, allowed) = ask(client, program, &sandbox, "what is in @notes.md?")?;
    let (run, denied) = ask(client, program, &sandbox, "what is in @keys/a.md?")?;
    // Qwen Code prints no reason.
    let is_denied = !says(&denied, KEY.1) && (denied.is_empty() || prints(&run, KEY.0));
    results.claim(Claim::PromptFile, says(&allowed, NOTES.1) && is_denied);
    shown(client, &run, &denied, results);
    Ok(())
}

/// Starts a session with a prompt, and returns what the model was sent.
fn ask(client: &Runnable, program: &Path, sandbox: &Sandbox, prompt: &str) -> Result<(Run, Vec<Value>)> {
    let server = Server::start(client.speech, Script::default(), &sandbox.work())?;
    let url = server.url();
    let mut arguments = client.arguments(&url, Trust::Given);
    for word in arguments.iter_mut().filter(|word| *word == PROMPT) {
        prompt.clone_into(word);
    }
    let run = sandbox.run(program, &arguments, &client.variables(&url, Trust::Given), PATIENCE)?;
    Ok((run, server.recorded()))
}
