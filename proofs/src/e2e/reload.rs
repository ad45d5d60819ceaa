//! The proof of `hooks reload` for a client: after a change of the rules, a session does nothing until a person
//! confirms them.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_protocols::Client;
use serde_json::Value;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PATIENCE, PROJECT, REASON, Results, furnish, init, says, shown};
use super::sandbox::{Run, Sandbox};
use super::script::{Between, Call, Script};
use super::server::Server;
use super::terminal::Person;
use crate::error::Result;

/// The rules that the session begins with.
const FIRST: &str = "version: 1\ncommand_guard: { block: [dd] }\n";

/// The rules after the change.
const CHANGED: &str = "version: 1
rules: [{ name: touching, commands: [touch], reason: 'files are made in the proper way, see rule 4711' }]
";

/// Text of the denial.
const CONFIRM: &str = "a person has to confirm them with `hooks reload`";

/// A session in which the rules change after the first call.
struct Changed {
    sandbox: Sandbox,
    run: Run,
    requests: Vec<Value>,
    /// The text that the person saw who confirmed the rules.
    person_saw: String,
}

/// Changes the rules after the first call of a session. A person confirms them later in the same session. Behind a
/// client that reports its model calls, these are denied too, so that session ends; in another one, the person
/// confirms the rules at once.
pub(super) fn reloaded(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let ends = client.client == Client::Gemini;
    let denied = ["echo text > before", "echo text > changed", "sh attempt.sh"];
    let goes_on = ["echo text > confirmed", "touch touched"];
    let (first, second) = if ends {
        let first = change(client, program, hooks, &denied, usize::MAX)?;
        let before = ["echo text > before"];
        let second = change(client, program, hooks, &[&before[..], &goes_on].concat(), 1)?;
        (first, Some(second))
    } else {
        (change(client, program, hooks, &[&denied[..], &goes_on].concat(), 3)?, None)
    };
    let Changed { sandbox, run, requests, .. } = &first;
    // The user reads it where the model is not asked any more.
    let is_said = match ends {
        true => run.stdout.contains(CONFIRM) || run.stderr.contains(CONFIRM),
        false => says(requests, CONFIRM) && requests.len() > denied.len(),
    };
    results.claim(
        Claim::RulesChanged,
        sandbox.has("before") && !sandbox.has("changed") && !sandbox.has("attempt.txt") && is_said,
    );
    shown(client, run, requests, results);
    let Changed { sandbox, run, requests, person_saw } = second.as_ref().unwrap_or(&first);
    let goes_on = person_saw.contains("confirmed") && sandbox.has("confirmed");
    results.claim(Claim::RulesConfirmed, goes_on && !sandbox.has("touched") && says(requests, REASON));
    if !goes_on {
        eprintln!("the person saw: {person_saw}");
    }
    shown(client, run, requests, results);
    Ok(())
}

/// Runs a session with `commands`. The rules change after the first, and a person confirms them after `confirmed_after`
/// commands.
fn change(
    client: &Runnable,
    program: &Path,
    hooks: &Path,
    commands: &[&str],
    confirmed_after: usize,
) -> Result<Changed> {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    let rules = sandbox.work().join("hooks.yaml");
    sandbox.put(&rules, FIRST)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let attempt = format!("#!/bin/sh\n'{}' reload --yes > attempt.txt 2>&1\n", hooks.display());
    sandbox.put(&sandbox.work().join("attempt.sh"), &attempt)?;
    let (person, person_saw) = (Person::new(&sandbox, hooks), Arc::new(Mutex::new(String::new())));
    let between = Between::new({
        let person_saw = Arc::clone(&person_saw);
        move |call| {
            let mut text = String::new();
            if call == 1 {
                text.extend(fs::write(&rules, CHANGED).err().map(|error| error.to_string()));
            }
            if call == confirmed_after {
                text += &person.calls(&["reload", "--yes"]).unwrap_or_else(|error| error.to_string());
            }
            person_saw.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
        }
    });
    let calls = commands.iter().map(|command| Call::Shell((*command).to_owned())).collect();
    let script = Script { calls, between: Some(between), ..Script::default() };
    let server = Server::start(client.speech, script, &sandbox.work())?;
    let url = server.url();
    let (arguments, variables) = (client.arguments(&url, Trust::Given), client.variables(&url, Trust::Given));
    let run = sandbox.run(program, &arguments, &variables, PATIENCE)?;
    let person_saw = person_saw.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Changed { run, requests: server.recorded(), sandbox, person_saw })
}
