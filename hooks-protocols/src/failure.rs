//! Answers for failures of hooks themselves, if there is no outcome.
//!
//! If a hook process crashes, hangs or writes invalid output, most clients let the call run. So every
//! internal failure has to become one of these answers.

use hooks_core::OnFailure;

use crate::answer::Answer;
use crate::capabilities::Checked;
use crate::client::Client;
use crate::decode::Decoded;
use crate::degraded::Degraded;
use crate::encode::{EncodedAnswer, encode, encode_blindly, exit_two, warning};
use crate::table::{Phrase, Row};

/// The facts about the event that were known when the failure occurred.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum KnownEvent<'a> {
    /// The payload was decoded.
    Decoded(&'a Decoded),
    /// The client and the event, as the client calls it.
    Event(Client, &'a str),
    /// The client and several possible events, as the client calls them: the settings name one and the
    /// payload another. The last is the most likely.
    Events(Client, &'a [&'a str]),
    /// The client only.
    Client(Client),
    /// Neither the client nor the event.
    Nowhere,
}

/// The answer to a client if hooks failed for this reason.
///
/// - If the event can be denied and its failures close (law 3), the answer is a denial in the form that this
///   client honours.
/// - If its failures open, the answer is a warning that does not stop anything.
/// - If the event is unknown, the answer is the denial that most clients honour: exit code 2, the reason on
///   stderr, nothing on stdout.
///
/// ```
/// use hooks_protocols::{Client, KnownEvent, failure};
///
/// // A tool call is denied, in the words of the client.
/// let denied = failure(KnownEvent::Event(Client::Claude, "PreToolUse"), "no configuration");
/// assert!(denied.stdout.contains(r#""permissionDecision":"deny""#));
/// assert!(denied.stdout.contains("hooks failed, so this is denied: no configuration"));
///
/// // The end of a session goes on, with a warning.
/// let warned = failure(KnownEvent::Event(Client::Claude, "SessionEnd"), "no configuration");
/// assert_eq!((warned.exit, warned.stderr.as_str()), (1, "hooks: no configuration\n"));
///
/// // If nothing is known, exit code 2 denies in most clients.
/// assert_eq!(failure(KnownEvent::Nowhere, "the payload is empty").exit, 2);
/// ```
///
/// If the settings name one event and the payload another, the answer denies as far as either of them can be denied:
///
/// ```
/// use hooks_protocols::{Client, KnownEvent, failure};
///
/// let names = ["SessionEnd", "PreToolUse"];
/// let denied = failure(KnownEvent::Events(Client::Claude, &names), "the events differ");
/// assert!(denied.stdout.contains(r#""permissionDecision":"deny""#) || denied.exit == 2);
/// ```
pub fn failure(place: KnownEvent<'_>, reason: &str) -> EncodedAnswer {
    let message = format!("hooks failed, so this is denied: {reason}");
    match place {
        KnownEvent::Decoded(decoded) => match decoded.row() {
            Some(row) if !closes(row) => warning(reason),
            Some(_) => encode(decoded, &Answer::deny(message)),
            // The payload is of an event without a type here, which hooks do not decide.
            None => warning(reason),
        },
        KnownEvent::Event(client, event) => one_of(client, &[event], reason, message),
        KnownEvent::Events(client, events) => one_of(client, events, reason, message),
        KnownEvent::Client(client) => unnamed(client, message),
        KnownEvent::Nowhere => exit_two(&message),
    }
}

/// A denial for any of these possible events, if hooks decide at least one of them.
///
/// The denial uses the phrase of the last event at which the client supports one. If answers are flat, the
/// phrases of the other events are added. Otherwise exit code 2 is added, which leaves the phrase in force.
fn one_of(client: Client, events: &[&str], reason: &str, message: String) -> EncodedAnswer {
    let protocol = client.protocol();
    let rows: Vec<&'static Row> = events.iter().filter_map(|event| protocol.row(event)).collect();
    let is_known = rows.len() == events.len();
    let answer = Answer::deny(message);
    let blindly = |row: &'static Row| encode_blindly(client, row.name, &[row], &answer);
    let is_enforced =
        |row: &&'static Row| closes(row) && !blindly(row).degraded.iter().any(Degraded::is_unsafe);
    let enforced: Vec<&'static Row> = rows.iter().copied().filter(is_enforced).collect();
    let Some(last) = enforced.last() else {
        return match rows.iter().rev().find(|row| closes(row)) {
            _ if !is_known => unnamed(client, answer.reason.unwrap_or_default()),
            Some(row) => blindly(row),
            None => warning(reason),
        };
    };
    let encoded = blindly(last);
    if is_known && enforced.iter().all(|row| blindly(row) == encoded) {
        return encoded;
    }
    if protocol.is_flat {
        return encode_blindly(client, last.name, &enforced, &answer);
    }
    let exit_two = exit_two(answer.reason.as_deref().unwrap_or_default());
    EncodedAnswer { stdout: encoded.stdout, degraded: encoded.degraded, ..exit_two }
}

/// A denial for a client whose event is unknown: that of the event that `Protocol::unnamed` names, or exit
/// code 2 if the client has none.
fn unnamed(client: Client, message: String) -> EncodedAnswer {
    let answer = Answer::deny(message);
    match client.protocol().unnamed.and_then(|name| Some((name, client.protocol().row(name)?))) {
        Some((name, row)) => encode_blindly(client, name, &[row], &answer),
        None => exit_two(answer.reason.as_deref().unwrap_or_default()),
    }
}

/// Whether a failure at this event is a denial that the client supports.
pub(crate) fn is_deniable(row: &Row) -> bool {
    let is_said = |phrase| !matches!(phrase, Phrase::Cannot);
    closes(row) && (is_said(row.phrases.deny) || is_said(row.phrases.stop))
}

/// Whether a failure at this event is a denial. Events without a type here are passed on, and hooks do not
/// decide them, except for a change of settings. A batch of results goes on: the next calls are denied by the same failure, and
/// the model reads how a person confirms changed rules.
pub(crate) fn closes(row: &Row) -> bool {
    row.checked == Some(Checked::Settings)
        || row.kind.is_some_and(|kind| kind.on_failure() == OnFailure::Closes)
}
