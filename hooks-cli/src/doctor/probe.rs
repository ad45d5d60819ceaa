//! Runs the exact command line of the settings with a payload of that client, and parses its answer as the
//! client would.
//!
//! Each run is a session of its own, since a session keeps to the rules that it began with. Its pin is removed
//! afterwards.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hooks::event::PreToolUse;
use hooks::time::Random;
use hooks::{EventKind, HookContext, SystemRandom, WireEvent};
use hooks_protocols::{Client, Decoded, capabilities, payload};
use serde_json::{Value, json};

use super::Finding;
use super::process::{self, Output};
use crate::init::Scope;
use crate::init::place::Base;
use crate::init::wiring::WiredLine;
use crate::pin::{self, Pins};

/// Maximum time of a hook.
const PATIENCE: Duration = Duration::from_secs(35);

/// Tests the hook that the client calls before every tool call.
pub(super) fn check(client: Client, found: &[WiredLine]) -> Option<Finding> {
    let is_before_tool = |one: &&WiredLine| {
        capabilities(client, &one.event).and_then(|row| row.event()) == Some(EventKind::PreToolUse)
    };
    found.iter().find(is_before_tool).map(|one| denies(client, one))
}

/// Tests whether a call is denied that no rules can allow: a write to the settings with the command line
/// itself, which are protected from every agent.
fn denies(client: Client, one: &WiredLine) -> Finding {
    let event = &one.event;
    let session = format!("doctor-{:016x}", SystemRandom.next_u64());
    let Some(payload) = question(client, event, &session) else {
        return Finding::doubtful(format!("`{event}` cannot be tried out"), "try a denial yourself");
    };
    let output = process::line(&one.line, payload.as_bytes(), PATIENCE);
    forget(client, one, &session);
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            let what = format!("the hook at `{event}` gives no answer: {error}");
            return Finding::bad(what, format!("run it yourself: {}", one.line));
        }
    };
    match reason(client, &output) {
        Some(reason) if reason.starts_with("hooks failed") => {
            Finding::bad(format!("at `{event}` everything is denied: {reason}"), "mend what the reason names")
        }
        Some(reason) => Finding::good(format!("at `{event}` a denial denies: {reason}")),
        // The line denies in place of a program that is missing or was killed.
        None if output.code == Some(2) && !output.stderr.trim().is_empty() => {
            let reason = one_line(output.stderr.trim());
            Finding::bad(format!("at `{event}` everything is denied: {reason}"), "mend what the reason names")
        }
        None => {
            let Output { stdout, stderr, code } = output;
            let code = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            let shown: String = stdout.chars().chain(stderr.chars()).take(200).collect();
            let what =
                format!("at `{event}` a call that must be denied is not ({code}, `{}`)", shown.trim_end());
            Finding::bad(what, "`hooks explain` shows the reason; `self_protection` has to be on")
        }
    }
}

/// Removes the pin of the session. A pin that stays is forgotten like those of other sessions.
fn forget(client: Client, one: &WiredLine, session: &str) {
    let named = one.ours.config.as_deref().map(Path::new);
    if let Some(pins) = Pins::of_user() {
        drop(pins.remove(client.name(), &pin::name(session, named)));
    }
}

/// The payload that the client would send for such a call in the folder of the project.
fn question(client: Client, event: &str, session: &str) -> Option<String> {
    let project = Base::find(Scope::Project).map(|base| base.folder().to_path_buf());
    let here = project.unwrap_or_else(|_| PathBuf::from("/"));
    let settings = here.join(".claude").join("settings.json");
    let (tool, arguments) = match client {
        // Codex has no other tool for files.
        Client::Codex => {
            let patch = "*** Begin Patch\n*** Add File: .claude/settings.json\n+{}\n*** End Patch\n";
            ("apply_patch".to_owned(), json!({"command": patch}))
        }
        _ => {
            let dialect = client.dialect(event);
            let tool = dialect.spelling("write").unwrap_or("write");
            let canonical = dialect.to_canonical(tool, json!({}));
            (tool.to_owned(), canonical.back(json!({"path": settings, "content": "{}"})))
        }
    };
    let mut context = HookContext::new(session, "doctor");
    context.cwd = here;
    let call = PreToolUse::new(tool, arguments);
    let decoded = Decoded::from_event(client, event, context, WireEvent::PreToolUse(call))?;
    Some(Value::Object(payload(&decoded)).to_string())
}

/// The reason of a denial; `None` if the answer is not a denial.
fn reason(client: Client, output: &Output) -> Option<String> {
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_default();
    let denial = match client {
        // Exit code 2 denies, and the reason is on standard error.
        Client::Windsurf => {
            let reason = output.stderr.trim().trim_start_matches("hooks: ");
            return (output.code == Some(2) && !reason.is_empty()).then(|| one_line(reason));
        }
        Client::Goose => says(&answer, "decision", "reason"),
        Client::Claude | Client::Codex | Client::VsCode | Client::Qwen | Client::Kimi | Client::Droid => {
            let inner = answer.get("hookSpecificOutput")?;
            says(inner, "permissionDecision", "permissionDecisionReason")
        }
        Client::DockerAgent | Client::DockerAgentJuly => {
            let inner = answer.get("hook_specific_output")?;
            says(inner, "permission_decision", "permission_decision_reason")
        }
        Client::Gemini | Client::OpenCode => says(&answer, "decision", "reason"),
        Client::Cursor => says(&answer, "permission", "agent_message"),
        _ => says(&answer, "permissionDecision", "permissionDecisionReason"),
    };
    denial.filter(|_| output.code == Some(0)).map(|reason| one_line(&reason))
}

fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(160).collect()
}

fn says(answer: &Value, decision: &str, reason: &str) -> Option<String> {
    let denies = matches!(answer.get(decision).and_then(Value::as_str), Some("deny" | "block"));
    let reason = answer.get(reason).and_then(Value::as_str).filter(|reason| !reason.trim().is_empty());
    denies.then_some(reason?.to_owned())
}
