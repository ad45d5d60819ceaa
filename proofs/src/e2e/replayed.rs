//! Proofs about `hooks replay`: it finds each call in the client's transcripts and no other, and decides as the hooks did live.

use std::path::Path;

use hooks_protocols::TranscriptCalls;
use serde_json::Value;

use super::claims::Claim;
use super::clients::{Runnable, Trust};
use super::proof::{PATIENCE, PROJECT, Results, furnish, init, session, shown};
use super::sandbox::Sandbox;
use super::script::{Call, Script};
use crate::error::{Error, Result};

const RULES: &str = "version: 1
audit: { folder: log }
write_guard: { allow: [\"**\"], deny: [locked/**] }
rules: [{ name: r, commands: [touch], reason: files are made elsewhere }]
";

/// Rules that deny nothing, and rules that deny every call: between them, each call changes under one.
const OTHERS: [(&str, &str); 2] = [
    ("loose.yaml", "version: 1\n"),
    ("strict.yaml", "version: 1\nrules: [{ name: all, tools: ['*'], reason: no call runs }]\n"),
];

pub(super) fn prove(client: &Runnable, program: &Path, hooks: &Path, results: &mut Results) -> Result {
    let Some(transcripts) = TranscriptCalls::folder(client.client) else { return Ok(()) };
    let sandbox = Sandbox::new(client, Trust::Given)?;
    furnish(client, &sandbox)?;
    for (name, rules) in [("hooks.yaml", RULES)].into_iter().chain(OTHERS) {
        sandbox.put(&sandbox.work().join(name), rules)?;
    }
    init(client, &sandbox, hooks, PROJECT)?;
    let shell = |command: &str| Call::Shell(command.to_owned());
    let calls = vec![
        shell("touch denied"),
        shell("echo text > allowed"),
        Call::Write("locked/a.txt", "text"),
        Call::Write("open/a.txt", "text"),
        shell("cat allowed && touch also-denied"),
        shell("false"),
    ];
    let count = calls.len();
    let script = Script { calls, ..Script::default() };
    let (run, requests) = session(client, program, &sandbox, script, Trust::Given)?;
    let folder = sandbox.home().join(transcripts).to_string_lossy().into_owned();
    let work = sandbox.work().to_string_lossy().into_owned();
    let written = ["--transcripts", &folder, "--cwd", &work];
    let logged = ["--log", "log", "--client", client.client.name()];
    let same = |from: &[&str]| -> Result<(usize, u64, u64)> {
        let (changed, summary) = replay(&sandbox, hooks, "hooks.yaml", from)?;
        let number = |name| summary.get(name).and_then(Value::as_u64).unwrap_or_default();
        Ok((changed.len(), number("decisions"), number("same")))
    };
    let (in_transcripts, in_log) = (same(&written)?, same(&logged)?);
    let is_same = in_transcripts == (0, count as u64, count as u64) && in_log.0 == 0 && in_log.1 == in_log.2;
    let mut is_found = true;
    let mut all = 0;
    for (rules, _) in OTHERS {
        let (found, live) =
            (replay(&sandbox, hooks, rules, &written)?.0, replay(&sandbox, hooks, rules, &logged)?.0);
        all += found.len();
        if found != live {
            eprintln!("{}: {rules}: in transcripts {found:?}, in the log {live:?}", results.title);
            is_found = false;
        }
    }
    if !(is_same && is_found && all == count) {
        eprintln!(
            "{}: {in_transcripts:?} in transcripts, {in_log:?} in the log, {all} changes",
            results.title
        );
    }
    results.claim(Claim::Replayed, is_same && is_found && all == count);
    shown(client, &run, &requests, results);
    Ok(())
}

/// Replays `from`; returns tool and subject of each call that one side denies, and the summary.
fn replay(sandbox: &Sandbox, hooks: &Path, rules: &str, from: &[&str]) -> Result<(Vec<String>, Value)> {
    let words = ["replay", "-c", rules, "--format", "json"];
    let words: Vec<String> = words.iter().chain(from).map(|word| (*word).to_owned()).collect();
    let run = sandbox.run(hooks, &words, &[], PATIENCE)?;
    let mut lines = Vec::new();
    for line in run.stdout.lines() {
        let line = serde_json::from_str::<Value>(line);
        lines.push(line.map_err(|cause| Error::doing(format!("a replay printed {}", run.stdout), cause))?);
    }
    let Some(mut summary) = lines.pop() else {
        return Err(Error::new(format!("a replay printed nothing: {}", run.stderr)));
    };
    let text =
        |line: &Value, name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    // A record has the decision, and a transcript whether the call was denied.
    let denies = |line: &Value, side: &str| {
        line.get(side).is_some_and(|side| ["deny", "denied"].contains(&text(side, "decision").as_str()))
    };
    // Which rules allowed a call is not in a transcript.
    lines.retain(|line| {
        text(line, "event") == "pre_tool_use" && denies(line, "before") != denies(line, "after")
    });
    let mut calls: Vec<String> =
        lines.iter().map(|line| format!("{} {}", text(line, "tool"), text(line, "subject"))).collect();
    calls.sort();
    Ok((calls, summary.get_mut("summary").map(Value::take).unwrap_or_default()))
}
