//! `hooks run`: one event of an agent client on standard input, the client's own answer on standard output.
//!
//! A process runs for every tool call, between a model and a machine, so it starts fast and fails closed.
//! Every failure (such as an invalid payload, a broken configuration, a locked store, a panic, or a timeout)
//! becomes a denial that this client honours. Standard output contains nothing else. Standard error contains
//! only a denial that has no other form, and reports of records that are missing from the audit log and could
//! not be stored elsewhere.
//!
//! | step | module |
//! | --- | --- |
//! | find the client and the event | [`caller`] |
//! | read the payload | [`input`] |
//! | find and load the configuration | [`project`], [`governing`], [`settled`] |
//! | count the answers in the client's transcript | [`transcripts`] |
//! | call the hooks | [`asking`] |
//! | write the answer, once | [`delivery`] |
//! | enforce the deadline | [`deadline`] |
//! | maintain the files of the log | [`keeping`] |
//! | log unsupported wishes and failures | [`notes`] |

#[cfg(test)]
#[cfg(unix)]
mod agreement;
mod asking;
mod caller;
mod deadline;
mod delivery;
#[cfg(feature = "faults")]
mod faults;
mod governing;
mod input;
mod keeping;
#[cfg(test)]
#[cfg(unix)]
mod mutants;
mod notes;
mod panics;
mod project;
mod settled;
mod transcripts;

use std::sync::Arc;

use hooks::EventKind;
use hooks::audit::Audit;
use hooks::event::WireEvent;
use hooks_protocols::{Answer, Client, Decoded, Instead, Place, Reply, encode, failure};

use self::asking::Asked;
use self::caller::{Caller, Known};
use self::deadline::Deadline;
use self::delivery::Delivery;
use self::notes::Notes;
use self::panics::Panics;
use crate::cli::Run;

/// Answers one event and ends the process.
pub(crate) fn run(asked: &Run) -> ! {
    let caller = Arc::new(Caller::new(asked));
    let (delivery, notes, panics) = (Arc::new(Delivery::default()), Notes::default(), Panics::default());
    panics.watch({
        let (caller, delivery, notes) = (Arc::clone(&caller), Arc::clone(&delivery), notes.clone());
        move |reason| delivery.deliver(&failed(&caller, &notes, &reason))
    });
    let reply = panics.caught(|| match deadline::watch(&caller, &delivery, &notes) {
        Ok(deadline) => answer(asked, &caller, deadline, &notes, &panics),
        Err(error) => failed(&caller, &notes, &format!("no time can be kept: {error}")),
    });
    let reply = reply.or_else(|panic| panics.caught(|| failed(&caller, &notes, &panic)));
    delivery.deliver(&reply.unwrap_or_else(|panic| failure(Place::Nowhere, &panic)))
}

/// Denies if the command line is one of `hooks run` that cannot be parsed, because of a mistake in the
/// settings of a client.
pub(crate) fn deny_if_called(error: &clap::Error) {
    let Some(caller) = Caller::of_line(std::env::args_os()) else { return };
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let reason =
        format!("`hooks run` was called wrongly: {}", first.strip_prefix("error: ").unwrap_or(first));
    Delivery::default().deliver(&failed(&caller, &Notes::default(), &reason))
}

/// The reason why the hooks gave no answer.
type Failure = String;

/// The reply if an error prevented an answer; the error is logged.
fn failed(caller: &Caller, notes: &Notes, reason: &str) -> Reply {
    notes.failed(reason);
    notes.write(&caller.known());
    caller.failure(reason)
}

fn answer(asked: &Run, caller: &Caller, deadline: Deadline, notes: &Notes, panics: &Panics) -> Reply {
    let payload = input::read().map_err(|error| format!("the payload cannot be read: {error}"));
    let reply = reply(asked, caller, payload, deadline, notes, panics);
    notes.panicked(&panics.take());
    notes.write(&caller.known());
    reply
}

/// The reply to a payload.
fn reply(
    asked: &Run,
    caller: &Caller,
    payload: Result<Vec<u8>, Failure>,
    deadline: Deadline,
    notes: &Notes,
    panics: &Panics,
) -> Reply {
    let decoded = caller.refused().and(payload).and_then(|payload| caller.decode(payload));
    let reply = match decoded {
        Ok(mut decoded) => hear(asked, &mut decoded, deadline, notes, panics).unwrap_or_else(|reason| {
            notes.failed(&reason);
            failure(Place::Decoded(&decoded), &reason)
        }),
        Err(reason) => {
            notes.failed(&reason);
            caller.failure(&reason)
        }
    };
    notes.degraded(&reply.degraded);
    reply
}

/// The reply with the answer of the hooks that govern the event.
fn hear(
    asked: &Run,
    decoded: &mut Decoded,
    deadline: Deadline,
    notes: &Notes,
    panics: &Panics,
) -> Result<Reply, Failure> {
    let Some(kind) = decoded.event.as_ref().map(WireEvent::kind) else {
        // Hooks neither decide an event without a type nor receive it.
        return Ok(encode(decoded, &Answer::default()));
    };
    #[cfg(feature = "faults")]
    faults::strike();
    let governing = governing::of(asked, decoded, deadline)?;
    let gaps = governing.recording().and_then(Audit::gaps).cloned();
    let Asked { answer, holds } = match asking::ask(&governing, decoded, notes) {
        Ok(asked) => asked,
        Err(reason) => {
            governing.give_up();
            return Err(reason);
        }
    };
    let mut reply = encode(decoded, &answer);
    let goes_on = goes_on(&answer, &reply);
    // The panics of hooks were handled there.
    notes.panicked(&panics.take());
    governing.end(holds, goes_on);
    let is_over = kind == EventKind::SessionEnd;
    let keeper = is_over.then(|| governing.keeper()).flatten();
    governing.finish(notes)?;
    if let Some(keeper) = keeper {
        keeping::keep(&keeper, notes);
    }
    // After the answer of the hooks, panics are not handled, so the counts can be wrong.
    if let Some(reason) = panics.first() {
        return Err(reason);
    }
    // The hooks and their log are closed, so the log has recorded all that it could.
    if let Some(missing) = gaps.and_then(|gaps| gaps.unkept()) {
        notes.failed(&missing.to_string());
        // A denial contains the message itself.
        if goes_on {
            remark(&mut reply, decoded.client, &missing.to_string());
        }
    }
    Ok(reply)
}

/// Whether the client can go on, at once or after a question to the user. Then its reservations are spent.
fn goes_on(answer: &Answer, reply: &Reply) -> bool {
    let is_denied = |instead| matches!(instead, Instead::Denied | Instead::Stopped);
    answer.strength != hooks::Strength::Deny && !reply.degraded.iter().any(|note| is_denied(note.instead))
}

/// Adds a text on standard error to an answer, unless the client would treat that as the answer.
fn remark(reply: &mut Reply, client: Client, what: &str) {
    // Gemini reads standard error as the answer if standard output is empty.
    if client != Client::Gemini || !reply.stdout.is_empty() {
        reply.stderr.push_str(&format!("hooks: {what}\n"));
    }
}

/// Formats the client and the events, as far as they are known; see [`Caller`].
impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let client = self.client.map_or("unknown client", Client::name);
        match self.events.as_slice() {
            [] => write!(f, "{client} unknown event"),
            events => write!(f, "{client} {}", events.join(" or ")),
        }
    }
}
