//! Denied because we failed: what to answer where there is no outcome.
//!
//! A hook process that crashes, hangs or writes rubbish lets the call through in most clients. Whatever goes wrong inside
//! has to become one of these.

use hooks_core::OnFailure;

use crate::answer::Answer;
use crate::client::Client;
use crate::decode::Decoded;
use crate::encode::{Reply, encode, encode_blindly, exit_two, warning};
use crate::table::Row;

/// How much was known when it went wrong.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Place<'a> {
    /// The payload was read.
    Decoded(&'a Decoded),
    /// The client and the event, in the client's words.
    Event(Client, &'a str),
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
        Place::Event(client, event) => match client.protocol().row(event) {
            Some(row) if !closes(row) => warning(reason),
            Some(row) => encode_blindly(client, row.name, row, &Answer::deny(message)),
            None => unnamed(client, message),
        },
        Place::Client(client) => unnamed(client, message),
        Place::Nowhere => exit_two(&message),
    }
}

/// A client whose event is not known. Where answers are objects that only their fields tell apart, a tool call is denied
/// in each way that counts beside exit code 2.
fn unnamed(client: Client, message: String) -> Reply {
    let answer = Answer::deny(message);
    match client.protocol().unnamed.and_then(|name| Some((name, client.protocol().row(name)?))) {
        Some((name, row)) => encode_blindly(client, name, row, &answer),
        None => exit_two(answer.reason.as_deref().unwrap_or_default()),
    }
}

/// Whether a failure at this event is a denial. Events that we have no type for are passed on, and nobody decides about
/// them.
pub(crate) fn closes(row: &Row) -> bool {
    row.kind.is_some_and(|kind| kind.on_failure() == OnFailure::Closes)
}
