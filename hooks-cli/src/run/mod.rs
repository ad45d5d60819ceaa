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
//! | find the session of a subagent | [`subagents`] |
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
pub(crate) mod project;
mod settled;
mod subagents;
mod transcripts;

use std::sync::Arc;

use hooks::EventKind;
use hooks::audit::Audit;
use hooks::event::WireEvent;
use hooks_protocols::{Answer, Client, Decoded, EncodedAnswer, Instead, KnownEvent, encode, failure};

use self::asking::HeldAnswer;
use self::caller::{Caller, Known};
use self::deadline::Deadline;
use self::delivery::Delivery;
use self::notes::Notes;
use self::panics::Panics;
use crate::cli::Run;

/// Answers one event and ends the process.
pub(crate) fn run(options: &Run) -> ! {
    let caller = Arc::new(Caller::new(options));
    let (delivery, notes, panics) = (Arc::new(Delivery::default()), Notes::default(), Panics::default());
    panics.watch({
        let (caller, delivery, notes) = (Arc::clone(&caller), Arc::clone(&delivery), notes.clone());
        move |reason| delivery.deliver(&failed(&caller, &notes, &reason))
    });
    let encoded = panics.caught(|| match deadline::watch(&caller, &delivery, &notes) {
        Ok(deadline) => answer(options, &caller, deadline, &notes, &panics),
        Err(error) => failed(&caller, &notes, &format!("no time can be kept: {error}")),
    });
    let encoded = encoded.or_else(|panic| panics.caught(|| failed(&caller, &notes, &panic)));
    delivery.deliver(&encoded.unwrap_or_else(|panic| failure(KnownEvent::Nowhere, &panic)))
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

/// The encoded answer if an error prevented one; the error is logged.
fn failed(caller: &Caller, notes: &Notes, reason: &str) -> EncodedAnswer {
    notes.failed(reason);
    notes.write(&caller.known());
    caller.failure(reason)
}

fn answer(
    options: &Run,
    caller: &Caller,
    deadline: Deadline,
    notes: &Notes,
    panics: &Panics,
) -> EncodedAnswer {
    let payload = input::read().map_err(|error| format!("the payload cannot be read: {error}"));
    let encoded = encoded(options, caller, payload, deadline, notes, panics);
    notes.panicked(&panics.take());
    notes.write(&caller.known());
    encoded
}

/// The answer to a payload.
fn encoded(
    options: &Run,
    caller: &Caller,
    payload: Result<Vec<u8>, Failure>,
    deadline: Deadline,
    notes: &Notes,
    panics: &Panics,
) -> EncodedAnswer {
    let decoded = caller.refused().and(payload).and_then(|payload| caller.decode(payload));
    let encoded = match decoded {
        Ok(mut decoded) => hear(options, &mut decoded, deadline, notes, panics).unwrap_or_else(|reason| {
            notes.failed(&reason);
            failure(KnownEvent::Decoded(&decoded), &reason)
        }),
        Err(reason) => {
            notes.failed(&reason);
            caller.failure(&reason)
        }
    };
    notes.degraded(&encoded.degraded);
    encoded
}

/// The encoded answer of the hooks that govern the event.
fn hear(
    options: &Run,
    decoded: &mut Decoded,
    deadline: Deadline,
    notes: &Notes,
    panics: &Panics,
) -> Result<EncodedAnswer, Failure> {
    let Some(kind) = decoded.event.as_ref().map(WireEvent::kind) else {
        // Hooks neither decide an event without a type nor receive it.
        return Ok(encode(decoded, &Answer::default()));
    };
    #[cfg(feature = "faults")]
    faults::strike();
    let joined = subagents::join(decoded);
    let governing = governing::load(options, decoded, deadline)?;
    if let Err(reason) = joined {
        if governing.counts_answers() {
            return Err(reason);
        }
        notes.failed(&reason);
    }
    let gaps = governing.recording().and_then(Audit::gaps).cloned();
    let HeldAnswer { answer, holds } = match asking::ask(&governing, decoded, notes) {
        Ok(options) => options,
        Err(reason) => {
            governing.give_up();
            return Err(reason);
        }
    };
    let mut encoded = encode(decoded, &answer);
    let goes_on = goes_on(&answer, &encoded);
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
            remark(&mut encoded, decoded.client, &missing.to_string());
        }
    }
    Ok(encoded)
}

/// Whether the client can go on, at once or after a question to the user. Then its reservations are spent.
fn goes_on(answer: &Answer, encoded: &EncodedAnswer) -> bool {
    let is_denied = |instead| matches!(instead, Instead::Denied | Instead::Stopped);
    answer.strength != hooks::Strength::Deny && !encoded.degraded.iter().any(|note| is_denied(note.instead))
}

/// Adds a text on standard error to an answer, unless the client would treat that as the answer.
fn remark(encoded: &mut EncodedAnswer, client: Client, what: &str) {
    // Gemini reads standard error as the answer if standard output is empty.
    if client != Client::Gemini || !encoded.stdout.is_empty() {
        encoded.stderr.push_str(&format!("hooks: {what}\n"));
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
