//! Denied because we failed: what to answer where there is no outcome.
//!
//! A hook process that crashes, hangs or writes rubbish lets the call through in most clients. Whatever goes wrong inside
//! has to become one of these.

use hooks_core::OnFailure;

use crate::answer::Answer;
use crate::client::Client;
use crate::decode::Decoded;
use crate::degraded::Degraded;
use crate::encode::{Reply, encode, encode_blindly, exit_two, warning};
use crate::table::{Phrase, Row};

/// How much was known when it went wrong.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Place<'a> {
    /// The payload was read.
    Decoded(&'a Decoded),
    /// The client and the event, in the client's words.
    Event(Client, &'a str),
    /// The client, and events of which one is meant, in the client's words: the settings name one and the payload another.
    /// The client is most likely at the last.
    Events(Client, &'a [&'a str]),
    /// The client only.
    Client(Client),
    /// Nothing.
    Nowhere,
}

/// What to answer where hooks failed, for this reason.
///
/// Where the event is decided about and a failure closes (law 3), a denial in the form that this client honours; where it
/// opens, a warning that stops nothing. Where the event is not known, the denial that works in the most clients: exit code
/// 2, the reason on stderr, nothing on stdout.
pub fn failure(place: Place<'_>, reason: &str) -> Reply {
    let message = format!("hooks failed, so this is denied: {reason}");
    match place {
        Place::Decoded(decoded) => match decoded.row() {
            Some(row) if !closes(row) => warning(reason),
            Some(_) => encode(decoded, &Answer::deny(message)),
            // Read, and no event we know: nobody was to decide about it.
            None => warning(reason),
        },
        Place::Event(client, event) => one_of(client, &[event], reason, message),
        Place::Events(client, events) => one_of(client, events, reason, message),
        Place::Client(client) => unnamed(client, message),
        Place::Nowhere => exit_two(&message),
    }
}

/// A denial at whichever of these events the client is, if something is decided at one of them.
///
/// In the words of the last at which the client can be told. If another is possible, the words for that one stand beside them
/// where answers are flat; elsewhere exit code 2 does, which leaves the words in force.
fn one_of(client: Client, events: &[&str], reason: &str, message: String) -> Reply {
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
    let reply = blindly(last);
    if is_known && enforced.iter().all(|row| blindly(row) == reply) {
        return reply;
    }
    if protocol.is_flat {
        return encode_blindly(client, last.name, &enforced, &answer);
    }
    let exit_two = exit_two(answer.reason.as_deref().unwrap_or_default());
    Reply { stdout: reply.stdout, degraded: reply.degraded, ..exit_two }
}

/// A client whose event is not known. Where answers are objects that only their fields tell apart, a tool call is denied
/// in each way that counts beside exit code 2.
fn unnamed(client: Client, message: String) -> Reply {
    let answer = Answer::deny(message);
    match client.protocol().unnamed.and_then(|name| Some((name, client.protocol().row(name)?))) {
        Some((name, row)) => encode_blindly(client, name, &[row], &answer),
        None => exit_two(answer.reason.as_deref().unwrap_or_default()),
    }
}

/// Whether a failure at this event is a denial that the client can be told.
pub(crate) fn is_deniable(row: &Row) -> bool {
    let is_said = |phrase| !matches!(phrase, Phrase::Cannot);
    closes(row) && (is_said(row.phrases.deny) || is_said(row.phrases.stop))
}

/// Whether a failure at this event is a denial. Events that we have no type for are passed on, and nobody decides about
/// them.
pub(crate) fn closes(row: &Row) -> bool {
    row.kind.is_some_and(|kind| kind.on_failure() == OnFailure::Closes)
}
