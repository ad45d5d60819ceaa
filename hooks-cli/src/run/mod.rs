//! `hooks run`: one event of an agent client on standard input, the client's own answer on standard output.
//!
//! It stands between a model and a machine, once per tool call, so it starts fast and fails closed: whatever goes wrong in here
//! (a bad payload, a broken configuration, a store that is locked, a panic, no time left) becomes a denial that this client
//! honours. Nothing else is written to standard output, and nothing to standard error beside a denial that has no other way and
//! what is missing from the audit log and could be kept nowhere.
//!
//! | step | where |
//! | --- | --- |
//! | who calls, about what | [`caller`] |
//! | the payload | [`input`] |
//! | which configuration governs it | [`project`], [`governing`], [`settled`] |
//! | what the hooks say | [`asking`] |
//! | the answer, once | [`delivery`] |
//! | in time | [`deadline`] |
//! | a moment for the files of the log | [`keeping`] |
//! | what the client could not be told, and what failed | [`notes`] |

mod asking;
mod caller;
mod deadline;
mod delivery;
#[cfg(feature = "faults")]
mod faults;
mod governing;
mod input;
mod keeping;
#[cfg(all(test, unix))]
mod mutants;
mod notes;
mod panics;
mod project;
mod settled;

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

/// Denies where the command line is one of `hooks run` that cannot be read: a slip in the settings of a client.
pub(crate) fn deny_if_called(error: &clap::Error) {
    let Some(caller) = Caller::of_line(std::env::args_os()) else { return };
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let reason =
        format!("`hooks run` was called wrongly: {}", first.strip_prefix("error: ").unwrap_or(first));
    Delivery::default().deliver(&failed(&caller, &Notes::default(), &reason))
}

/// Why there is no answer of the hooks.
type Failure = String;

/// What to answer where nobody got as far as an answer; that is written down.
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

/// What the client is told about a payload.
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

/// What the hooks that govern the event say to it.
fn hear(
    asked: &Run,
    decoded: &mut Decoded,
    deadline: Deadline,
    notes: &Notes,
    panics: &Panics,
) -> Result<Reply, Failure> {
    let Some(kind) = decoded.event.as_ref().map(WireEvent::kind) else {
        // Nobody decides about an event without a type, and nobody is told of it.
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
    // What a hook panicked with was dealt with there.
    notes.panicked(&panics.take());
    governing.end(holds, goes_on);
    let is_over = kind == EventKind::SessionEnd;
    let keeper = is_over.then(|| governing.keeper()).flatten();
    governing.finish(notes)?;
    if let Some(keeper) = keeper {
        keeping::keep(&keeper, notes);
    }
    // Behind the answer of the hooks nothing deals with a panic: what was counted may be wrong.
    if let Some(reason) = panics.first() {
        return Err(reason);
    }
    // The hooks are gone, and with them the log: what it could be told by now, it was.
    if let Some(missing) = gaps.and_then(|gaps| gaps.unkept()) {
        notes.failed(&missing.to_string());
        // A denial says so itself.
        if goes_on {
            remark(&mut reply, decoded.client, &missing.to_string());
        }
    }
    Ok(reply)
}

/// Whether the client may go on, at once or after a person was asked: what was counted for it is spent then.
fn goes_on(answer: &Answer, reply: &Reply) -> bool {
    let is_denied = |instead| matches!(instead, Instead::Denied | Instead::Stopped);
    answer.strength != hooks::Strength::Deny && !reply.degraded.iter().any(|note| is_denied(note.instead))
}

/// Says something on standard error beside an answer, where the client does not take that for the answer.
fn remark(reply: &mut Reply, client: Client, what: &str) {
    // Gemini reads it in place of an answer where there is none.
    if client != Client::Gemini || !reply.stdout.is_empty() {
        reply.stderr.push_str(&format!("hooks: {what}\n"));
    }
}

/// Who it is from, as far as that is known; see [`Caller`].
impl std::fmt::Display for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let client = self.client.map_or("unknown client", Client::name);
        match self.events.as_slice() {
            [] => write!(f, "{client} unknown event"),
            events => write!(f, "{client} {}", events.join(" or ")),
        }
    }
}
