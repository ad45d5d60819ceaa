//! Judges whether a reply stops the client.

use hooks::event::EventKind;
use hooks_protocols::{Client, Degraded, EncodedAnswer, KnownEvent, decode, failure};
use serde_json::Value;

use super::cases::Case;
use super::clients::{Effect, honoured};
use super::program::Told;

/// The effect of a reply on the client.
pub(super) enum Verdict {
    /// The client does not go on.
    Denied,
    /// The client receives the reason, but nothing can be stopped any more, as when the result of a tool
    /// cannot be withdrawn.
    Told,
}

/// Beginning of every denial for a failure.
const BEGINNING: &str = "hooks failed, so this is denied: ";

/// The effect of a reply that contains `reason`; an error describes an invalid reply.
pub(super) fn classify(case: &Case, told: &Told, reason: &str) -> Result<Verdict, String> {
    let Some(exit) = told.exit.and_then(|exit| u8::try_from(exit).ok()) else {
        return Err("the shell itself was ended".to_owned());
    };
    // Windsurf gets its answer on standard error, so a standard output that cannot be written changes nothing.
    let is_answered =
        case.client == Client::Windsurf && reason == "the answer cannot be written" && exit == 2;
    if !is_answered && !format!("{}{}", told.stdout, told.stderr).contains(reason) {
        return Err(format!("the reason is not told: {reason}"));
    }
    // These clients have recordings of tool calls.
    let was_run = matches!(case.client, Client::Claude | Client::Codex | Client::Gemini | Client::Copilot);
    if was_run && case.kind == EventKind::PreToolUse {
        let effect = honoured(case.client, case.event, exit, &told.stderr, &told.stdout);
        return if effect == Effect::Denied { Ok(Verdict::Denied) } else { Err(format!("{effect:?}")) };
    }
    // In most clients, exit code 2 with a text denies; in the others, their own fields do.
    if exit == 2 && told.stdout.is_empty() && !told.stderr.trim().is_empty() {
        return Ok(Verdict::Denied);
    }
    // Our plugin for OpenCode denies with each exit code but 0, whatever is printed.
    if case.client == Client::OpenCode && exit == 2 {
        return Ok(Verdict::Denied);
    }
    let decoded =
        decode(case.client, Some(case.event), case.payload.as_bytes()).map_err(|error| error.to_string())?;
    let expected = [KnownEvent::Decoded(&decoded), KnownEvent::Event(case.client, case.event)]
        .map(|place| failure(place, "x"));
    let matching = expected.iter().find(|encoded| says(encoded, exit, told, reason));
    match matching {
        Some(encoded) if encoded.degraded.iter().any(Degraded::is_unsafe) => Ok(Verdict::Told),
        Some(_) => Ok(Verdict::Denied),
        None => Err(format!("no denial: {:?}", expected[0])),
    }
}

/// Whether the output is this reply, with any reason.
fn says(encoded: &EncodedAnswer, exit: u8, told: &Told, reason: &str) -> bool {
    let parsed =
        |text: &str| serde_json::from_str::<Value>(text).ok().map(|output| without_reason(output, reason));
    let same_text = parsed(&encoded.stdout) == parsed(&told.stdout)
        && encoded.stdout.is_empty() == told.stdout.is_empty();
    // With exit code 0, clients read the standard output alone; a shell writes to the other that a program was killed.
    let same_errors = exit == 0 || encoded.stderr.is_empty() == told.stderr.is_empty();
    encoded.exit == exit && same_text && same_errors
}

/// The reply without the reason: that of a failure of the program or of a hook, or of the rule that denies
/// everything.
fn without_reason(value: Value, reason: &str) -> Value {
    let is_why = |text: &str| {
        text.contains(BEGINNING)
            || text.starts_with("nothing")
            || (!reason.is_empty() && text.contains(reason))
    };
    match value {
        Value::String(text) if is_why(&text) => "why".into(),
        Value::Array(items) => items.into_iter().map(|item| without_reason(item, reason)).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(key, value)| (key, without_reason(value, reason))).collect()
        }
        other => other,
    }
}
