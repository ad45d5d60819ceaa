//! The proof of `hooks reload` for a client: after a change of the rules, a session does nothing until a person
//! confirms them.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PROJECT, REASON, Results, furnish, init, says, session, shown};
use super::sandbox::Sandbox;
use super::script::{Between, Call, Script};
use super::terminal::Person;
use crate::error::Result;

/// The rules that the session begins with.
const FIRST: &str = "version: 1\ncommand_guard: { block: [dd] }\n";

/// The rules after the change.
const CHANGED: &str = "version: 1
rules: [{ name: touching, commands: [touch], reason: 'files are made in the proper way, says rule 4711' }]
";

/// Text of the denial.
const CONFIRM: &str = "a person has to confirm them with `hooks reload`";

/// Changes the rules after the first call of a session. A person confirms them later in the same session.
pub(super) fn reloaded(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    let rules = sandbox.work().join("hooks.yaml");
    sandbox.put(&rules, FIRST)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let attempt = format!("#!/bin/sh\n'{}' reload --yes > attempt.txt 2>&1\n", hooks.display());
    sandbox.put(&sandbox.work().join("attempt.sh"), &attempt)?;
    let (person, shown_to_person) = (Person::new(&sandbox, hooks), Arc::new(Mutex::new(String::new())));
    let between = Between::new({
        let shown_to_person = Arc::clone(&shown_to_person);
        move |call| {
            let text = match call {
                1 => fs::write(&rules, CHANGED).err().map(|error| error.to_string()),
                3 => Some(person.calls(&["reload", "--yes"]).unwrap_or_else(|error| error.to_string())),
                _ => None,
            };
            shown_to_person.lock().unwrap_or_else(PoisonError::into_inner).extend(text);
        }
    });
    let commands = [
        "echo text > before",
        "echo text > changed",
        "sh attempt.sh",
        "echo text > confirmed",
        "touch touched",
    ];
    let calls = commands.map(|command| Call::Shell(command.to_owned())).to_vec();
    let script = Script { calls, between: Some(between), ..Script::default() };
    let (run, requests) = session(client, program, &sandbox, script, Trust::Given)?;
    results.claim(
        Claim::RulesChanged,
        sandbox.has("before")
            && !sandbox.has("changed")
            && !sandbox.has("attempt.txt")
            && says(&requests, CONFIRM),
    );
    let text = shown_to_person.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let goes_on = text.contains("confirmed") && sandbox.has("confirmed");
    results.claim(
        Claim::RulesConfirmed,
        goes_on && !sandbox.has("touched") && says(&requests, REASON),
    );
    if !goes_on {
        eprintln!("the person saw: {text}");
    }
    shown(client, &run, &requests, results);
    Ok(())
}
