//! Proofs about shell calls in the sandbox whose text the client judges: the command runs as the model wrote it, and destroyed work is
//! restored. The agent has no way around, and what the client allows by itself is the same as without us.
//!
//! The rows follow from what clients do with changed commands; decision 26 names the test of each.

use std::path::Path;

use hooks_protocols::Client;
use serde_json::Value;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{Outcome, PROJECT, Results, failed, furnish, init, says, shown};
use super::sandbox::Sandbox;
use super::wrapped::{allowed_wrapper, begun, run_with};
use crate::error::Result;

const STRICT: &str = "version: 1\nsandbox: { calls: wrapped }\n";

/// With lists, Codex CLI runs commands in its own sandbox, which has no mounts.
const RULES: &str = "version: 1\nsandbox: { calls: wrapped, unavailable: guards-only }\n";

/// The claims about a client whose commands can be wrapped.
const CLAIMS: [Claim; 5] =
    [Claim::WrappedText, Claim::WrappedUndone, Claim::WrappedSelf, Claim::WrappedFree, Claim::WrappedReads];

/// A command whose meaning each wrong layer of quotes would change, and what it writes.
const DOCUMENT: &str = "x=4; printf '%s|' \"it's ${x}2\" 'a \"b\" \\n $HOME' > text; cat >> text << 'END'\nü $HOME \"x\"\nEND\nprintf '\\n' >> text";
const WRITTEN: &str = "it's 42|a \"b\" \\n $HOME|ü $HOME \"x\"\n\n";

/// Work that was never committed, and a script that removes it by a name which no text has.
const WORK: &str = "the work of three days\n";
const DESTROYS: &str = "python3 -c \"import os; os.remove('no' + 'tes.txt')\"";

/// A text outside of the project, and one in it.
const BESIDE: &str = "beside-4712";
const INSIDE: &str = "inside-4711";

/// Commands that a client may allow without a list: two that read, one that reads outside, one that changes.
const UNASKED: [&str; 4] = ["cat readable", "git status --short", "cat ../beside.txt", "mv movable moved"];

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let Some(sandbox) = begun(client, hooks, STRICT, &CLAIMS, results)? else { return Ok(()) };
    carried(client, program, hooks, &sandbox, results)?;
    free(client, program, hooks, results)?;
    if client.client == Client::OpenCode {
        // It ends a headless run at the first question.
        results.claims.push((Claim::WrappedReads, Outcome::Untried));
        return Ok(());
    }
    unasked(client, program, hooks, results)
}

/// Shows that a command runs as the model wrote it, and that no other way leads out.
fn carried(
    client: &Runnable,
    program: &Path,
    hooks: &Path,
    sandbox: &Sandbox,
    results: &mut Results,
) -> Result {
    init(client, sandbox, hooks, PROJECT)?;
    sandbox.put(&sandbox.work().join("notes.txt"), WORK)?;
    let own = format!("{} exec -- touch by-itself", hooks.display());
    let commands = [DOCUMENT, DESTROYS, &own];
    let (run, requests) = run_with(client, program, sandbox, &commands, Trust::Given, &[])?;
    results.claim(Claim::WrappedText, sandbox.text("text") == WRITTEN);
    let is_restored = sandbox.text("notes.txt") == WORK;
    results.claim(
        Claim::WrappedUndone,
        is_restored && says(&requests, "all changes of the command were undone"),
    );
    let is_denied = !sandbox.has("by-itself") && says(&requests, "ask a person to run it");
    results.claim(Claim::WrappedSelf, is_denied);
    shown(client, &run, &requests, results);
    if without_hooks(client, program)? {
        return Ok(());
    }
    Err(failed(
        client,
        "without hooks, the command writes something else or destroys nothing",
        &run,
        &requests,
    ))
}

/// Whether the same commands do the same without hooks, and the work is lost.
fn without_hooks(client: &Runnable, program: &Path) -> Result<bool> {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("notes.txt"), WORK)?;
    run_with(client, program, &sandbox, &[DOCUMENT, DESTROYS], Trust::Given, &[])?;
    Ok(sandbox.text("text") == WRITTEN && !sandbox.has("notes.txt"))
}

/// Shows that its deny list decides also if no call needs an approval.
fn free(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let commands = ["touch listed", "echo text > unlisted"];
    for rules in [None, Some(RULES)] {
        let sandbox = Sandbox::new(client, Trust::Listed)?;
        furnish(client, &sandbox)?;
        wired(client, &sandbox, hooks, rules)?;
        let (run, requests) = run_with(client, program, &sandbox, &commands, Trust::Listed, &[])?;
        let is_so = !sandbox.has("listed") && sandbox.has("unlisted");
        if rules.is_some() {
            results.claim(Claim::WrappedFree, is_so);
            shown(client, &run, &requests, results);
        } else if !is_so {
            return Err(failed(client, "without hooks, its deny list decides otherwise", &run, &requests));
        }
    }
    Ok(())
}

/// Shows that it allows without a list what it allows without hooks.
fn unasked(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let mut all = Vec::new();
    for rules in [None, Some(RULES)] {
        let sandbox = Sandbox::new(client, Trust::Lists)?;
        furnish(client, &sandbox)?;
        sandbox.put(&sandbox.work().join("readable"), INSIDE)?;
        sandbox.put(&sandbox.work().join("movable"), "x")?;
        sandbox.put(&sandbox.beside().join("beside.txt"), BESIDE)?;
        wired(client, &sandbox, hooks, rules)?;
        let mut more = if rules.is_some() { allowed_wrapper(client, &sandbox, hooks)? } else { Vec::new() };
        more.extend(client.accepting_edits().iter().map(|&word| word.to_owned()));
        let (run, requests) = run_with(client, program, &sandbox, &UNASKED, Trust::Lists, &more)?;
        all.push(done(&sandbox, &requests));
        if rules.is_some() {
            println!("{}: of {UNASKED:?} were done without and with hooks: {all:?}", client.client);
            if all.first() == Some(&[false; 4]) {
                // It allows nothing by itself, so there is nothing to compare.
                results.claims.push((Claim::WrappedReads, Outcome::Untried));
            } else {
                results.claim(Claim::WrappedReads, all.first() == all.last());
            }
            shown(client, &run, &requests, results);
        }
    }
    Ok(())
}

/// Whether each of [`UNASKED`] was done.
fn done(sandbox: &Sandbox, requests: &[Value]) -> [bool; 4] {
    [says(requests, INSIDE), says(requests, "?? "), says(requests, BESIDE), sandbox.has("moved")]
}

/// Has `hooks init` wire the client, if there are rules.
fn wired(client: &Runnable, sandbox: &Sandbox, hooks: &Path, rules: Option<&str>) -> Result {
    let Some(rules) = rules else { return Ok(()) };
    sandbox.put(&sandbox.work().join("hooks.yaml"), rules)?;
    // The lists that allow the wrapper are the user's.
    init(client, sandbox, hooks, &[])
}
