//! The proof of `hooks approve` for a client: a person approves a call, and its agent cannot. The agent also tries the
//! other commands of a person.

use std::path::Path;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PROJECT, Results, furnish, init, says, session, shown};
use super::sandbox::Sandbox;
use super::script::{Call, Script};
use super::terminal::Person;
use crate::error::{Error, Result};

/// A question about each use of `tee`.
const RULES: &str = "version: 1
rules:
  - { name: copies, action: ask, commands: [tee], reason: 'a person agrees first, says rule 4712' }
";

/// The call that needs an approval. It adds a line each time.
const CALL: &str = "echo line | tee -a approved.txt";

/// Shows that an approved call passes once, and that the agent approves nothing: neither by a command, nor by a
/// script that was there before, with a terminal of its own.
pub(super) fn approved(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    sandbox.put(&sandbox.work().join("hooks.yaml"), RULES)?;
    init(client, &sandbox, hooks, PROJECT)?;
    let lines = |sandbox: &Sandbox| sandbox.text("approved.txt").lines().count();
    let run = |calls: &[String]| {
        let calls = calls.iter().cloned().map(Call::Shell).collect();
        session(client, program, &sandbox, Script { calls, ..Script::default() }, Trust::Given)
    };
    let (first, requests) = run(&[CALL.to_owned()])?;
    results.claim(Claim::ApprovalNeeded, lines(&sandbox) == 0);
    let person = Person::new(&sandbox, hooks);
    let listed = person.calls(&["approve"])?;
    let Some(code) = listed.split_whitespace().find(|word| is_code(word)).map(str::to_owned) else {
        return Err(Error::new(format!("{}: no call waits: {listed}\n{}", client.client, first.stderr)));
    };
    results.claim(Claim::CodeRead, says(&requests, &format!("hooks approve {code}")));
    shown(client, &first, &requests, results);
    sandbox.put(&sandbox.work().join("attempt.sh"), &attempt(hooks, &code))?;
    let settings = sandbox.text(client.settings);
    let mut tries: Vec<String> = for_people(&code)
        .iter()
        .map(|words| format!("'{}' {words} > direct.txt 2>&1", hooks.display()))
        .collect();
    tries.extend(["sh attempt.sh".to_owned(), CALL.to_owned()]);
    let (second, requests) = run(&tries)?;
    let attempts = sandbox.text("attempts.txt");
    let refused: Vec<&str> = attempts.lines().filter(|line| line.contains("is for a person")).collect();
    // One line of the script for each command, without and with a terminal.
    let is_refused = |command: &str| {
        refused.iter().filter(|line| line.contains(&format!("`hooks {command}"))).count() == 2
    };
    let direct = !sandbox.has("direct.txt");
    results.claim(Claim::SelfApproval, direct && is_refused("approve") && lines(&sandbox) == 0);
    results.claim(
        Claim::SelfTrust,
        direct
            && is_refused("reload")
            && is_refused("init")
            && refused.len() == attempts.lines().count()
            && sandbox.text(client.settings) == settings,
    );
    if results.failures().next().is_some() {
        eprintln!("{attempts}{}", sandbox.text("direct.txt"));
    }
    shown(client, &second, &requests, results);
    let answer = person.calls(&["approve", "--yes", &code])?;
    let (third, requests) = run(&[CALL.to_owned(), CALL.to_owned()])?;
    let is_once = answer.contains("passes once") && lines(&sandbox) == 1;
    results.claim(Claim::Approved, is_once);
    if !is_once {
        eprintln!("{answer}\n{attempts}");
    }
    shown(client, &third, &requests, results);
    Ok(())
}

/// The commands of a person that an agent tries.
fn for_people(code: &str) -> [String; 3] {
    [format!("approve --yes {code}"), "reload --yes".to_owned(), "init codex --trust".to_owned()]
}

/// A script that tries each of them, also with a terminal of its own.
fn attempt(hooks: &Path, code: &str) -> String {
    let hooks = hooks.display();
    let tries = for_people(code).map(|words| {
        format!(
            "'{hooks}' {words} >> attempts.txt 2>&1\n\
             script -qec \"'{hooks}' {words}\" /dev/null >> attempts.txt 2>&1 < /dev/null\n"
        )
    });
    format!("#!/bin/sh\n{}exit 0\n", tries.concat())
}

fn is_code(word: &str) -> bool {
    word.len() == 9
        && word.as_bytes().get(4) == Some(&b'-')
        && word.bytes().all(|byte| !byte.is_ascii_lowercase())
}
