//! Whether what a client is told stops it.

use hooks::event::EventKind;
use hooks_protocols::{Client, Degraded, Place, Reply, decode, failure};
use serde_json::Value;

use super::cases::Case;
use super::clients::{Effect, honoured};
use super::program::Told;

/// What the client makes of it.
pub(super) enum Verdict {
    /// It does not go on.
    Denied,
    /// Nothing can be stopped any more, as when the result of a tool cannot be taken back; it is told why.
    Told,
}

/// What every denial for a failure begins with.
const BEGINNING: &str = "hooks failed, so this is denied: ";

/// What the client makes of it, where it is told `reason`; else what is wrong with it.
pub(super) fn of(case: &Case, told: &Told, reason: &str) -> Result<Verdict, String> {
    let Some(exit) = told.exit.and_then(|exit| u8::try_from(exit).ok()) else {
        return Err("the shell itself was ended".to_owned());
    };
    if !format!("{}{}", told.stdout, told.stderr).contains(reason) {
        return Err(format!("the reason is not told: {reason}"));
    }
    // What was recorded of the clients themselves.
    let was_run = matches!(case.client, Client::Claude | Client::Codex | Client::Gemini | Client::Copilot);
    if was_run && case.kind == EventKind::PreToolUse {
        let effect = honoured(case.client, case.event, exit, &told.stderr, &told.stdout);
        return if effect == Effect::Denied { Ok(Verdict::Denied) } else { Err(format!("{effect:?}")) };
    }
    // In most clients exit code 2 with a text denies; where a phrase of their own does, that is what is said.
    if exit == 2 && told.stdout.is_empty() && !told.stderr.trim().is_empty() {
        return Ok(Verdict::Denied);
    }
    let decoded =
        decode(case.client, Some(case.event), case.payload.as_bytes()).map_err(|error| error.to_string())?;
    let expected =
        [Place::Decoded(&decoded), Place::Event(case.client, case.event)].map(|place| failure(place, "x"));
    let said = expected.iter().find(|reply| says(reply, exit, told, reason));
    match said {
        Some(reply) if reply.degraded.iter().any(Degraded::is_unsafe) => Ok(Verdict::Told),
        Some(_) => Ok(Verdict::Denied),
        None => Err(format!("no denial: {:?}", expected[0])),
    }
}

/// Whether this was said, for whatever reason.
fn says(reply: &Reply, exit: u8, told: &Told, reason: &str) -> bool {
    let parsed =
        |text: &str| serde_json::from_str::<Value>(text).ok().map(|said| without_reason(said, reason));
    let same_text =
        parsed(&reply.stdout) == parsed(&told.stdout) && reply.stdout.is_empty() == told.stdout.is_empty();
    reply.exit == exit && same_text && reply.stderr.is_empty() == told.stderr.is_empty()
}

/// What is said without why: by a failure of the program, or of a hook, or by the rule that denies everything.
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
