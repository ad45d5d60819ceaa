//! A hook in place of `hooks`: it gives answers that no rule gives yet, through the same encoder, and fails
//! on demand.
//!
//! The file name in a tool call selects the behaviour. It is a program of its own, so that it can crash.

use std::io::{Read, Write};
use std::path::Path;

use hooks_core::WireEvent;
use hooks_core::event::ResultRewrite;
use hooks_protocols::{Answer, Client, Decoded, Rewrite, decode, encode};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::process::Program;

/// A command with this text makes its hook end by a signal.
pub(super) const CRASH: &str = "fault-crash";
/// Output of a tool after which its hook ends by a signal.
pub(super) const KILLED: &str = "result-killed";
/// A command that makes its hook fail like a missing program in a shell.
pub(super) const GONE: &str = "fault-gone";
/// A command that runs the real hook with invalid rules.
pub(super) const BROKEN: &str = "fault-broken";
/// A command that runs the real hook with rules that never arrive.
pub(super) const HANG: &str = "fault-hang";
/// A command that makes its hook ask the user, who is absent.
pub(super) const ASK: &str = "ask-me";
/// A command whose call is rewritten to write another file.
pub(super) const REWRITE: &str = "rewrite-me";
/// Name of the file after the rewrite.
pub(super) const REWRITTEN: &str = "was-rewritten";
/// A command whose hook sends notes to the model.
pub(super) const NOTE: &str = "note-please";
/// Notes before a call, after a call, and with a prompt.
pub(super) const NOTES: [&str; 3] = ["NOTE-BEFORE-7301", "NOTE-AFTER-7302", "NOTE-PROMPT-7303"];
/// Output of a tool that the model must not see.
pub(super) const SECRET: &str = "result-secret";
/// Text that the model sees in its place.
pub(super) const MASKED: &str = "result-masked";

/// Runs `proofs stand-in HOOKS BESIDE run --client C --event E …`.
///
/// # Errors
/// Returns an error if the arguments are not those of `hooks`, or the answer cannot be written.
pub(crate) fn run(arguments: &[&str]) -> Result {
    let [hooks, beside, rest @ ..] = arguments else {
        return Err(Error::new("a program and a folder are missing"));
    };
    let option = |name: &str| {
        let at = rest.iter().position(|word| *word == name)?;
        rest.get(at.checked_add(1)?).copied()
    };
    let (Some(client), Some(event)) = (option("--client"), option("--event")) else {
        return Err(Error::new("`--client` and `--event` are missing"));
    };
    let client: Client = client.parse().map_err(|error| Error::new(format!("{error}")))?;
    let mut payload = Vec::new();
    std::io::stdin().lock().read_to_end(&mut payload)?;
    let decoded = decode(client, Some(event), &payload).map_err(|error| Error::new(format!("{error}")))?;
    let command = decoded.call().map(|(_, arguments)| arguments.to_string()).unwrap_or_default();
    let before = matches!(decoded.event, Some(WireEvent::PreToolUse(_)));
    let fault = [CRASH, GONE, BROKEN, HANG].into_iter().find(|fault| before && command.contains(fault));
    let after = matches!(&decoded.event, Some(WireEvent::PostToolUse(done)) if done.tool_result.to_string().contains(KILLED));
    if after {
        return crash();
    }
    let rules = |name: &str| Path::new(beside).join(name).to_string_lossy().into_owned();
    match fault {
        Some(CRASH) => crash(),
        Some(GONE) => {
            eprintln!("sh: 1: {hooks}: not found");
            leave(127)
        }
        Some(BROKEN) => real(hooks, client, event, &rules("broken.yaml"), &payload),
        Some(HANG) => real(hooks, client, event, &rules("hang.yaml"), &payload),
        _ => {
            let reply = encode(&decoded, &answer(&decoded, &command));
            std::io::stdout().write_all(reply.stdout.as_bytes())?;
            std::io::stderr().write_all(reply.stderr.as_bytes())?;
            leave(reply.exit.into())
        }
    }
}

/// The answer that a call selects.
fn answer(decoded: &Decoded, command: &str) -> Answer {
    let [before, after, prompt] = NOTES;
    match &decoded.event {
        Some(WireEvent::PreToolUse(call)) if command.contains(REWRITE) => {
            let arguments = call.tool_args.to_string().replace(REWRITE, REWRITTEN);
            let arguments = serde_json::from_str(&arguments).unwrap_or_default();
            Answer::default().rewritten(Rewrite::Arguments(arguments))
        }
        Some(WireEvent::PreToolUse(_)) if command.contains(ASK) => Answer::ask("a person has to agree"),
        Some(WireEvent::PreToolUse(_)) if command.contains(NOTE) => Answer::context(before),
        Some(WireEvent::PostToolUse(_)) if command.contains(NOTE) => Answer::context(after),
        Some(WireEvent::PostToolUse(done)) if done.tool_result.to_string().contains(SECRET) => {
            let result: Value = serde_json::from_str(&done.tool_result.to_string().replace(SECRET, MASKED))
                .unwrap_or_default();
            let rewrite = ResultRewrite::from(result);
            Answer::default().rewritten(Rewrite::Result(rewrite))
        }
        Some(WireEvent::UserPromptSubmitted(_)) => Answer::context(prompt),
        _ => Answer::default(),
    }
}

/// Runs the real hook with other rules and a shorter deadline.
fn real(hooks: &str, client: Client, event: &str, rules: &str, payload: &[u8]) -> Result {
    let arguments =
        ["run", "--client", client.name(), "--event", event, "--config", rules, "--deadline", "2s"];
    let output = Program::new(hooks, arguments).answer(payload)?;
    std::io::stdout().write_all(&output.stdout)?;
    std::io::stderr().write_all(&output.stderr)?;
    output.status.code().map_or_else(crash, leave)
}

/// Ends the process like a killed program.
fn crash() -> Result {
    #[cfg(unix)]
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    Err(Error::new("there is no crashing here"))
}

#[expect(clippy::exit, reason = "a hook answers with its exit code")]
fn leave(code: i32) -> Result {
    std::process::exit(code)
}
