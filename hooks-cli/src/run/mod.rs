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
//! | check an event without a type of ours | [`checked`] |
//! | read and judge the files of slash commands and skills | [`expansion`], [`filled`] |
//! | count the answers in the client's transcript | [`transcripts`] |
//! | count a call once that several lines of the settings report | [`calls`] |
//! | call the hooks, record the answer | [`asking`] |
//! | write the answer, once | [`delivery`] |
//! | enforce the deadline | [`deadline`] |
//! | keep the files that a call writes, for `hooks undo` | `writes` |
//! | maintain the files of the log | [`keeping`] |
//! | log unsupported wishes and failures | [`notes`] |

#[cfg(test)]
#[cfg(unix)]
mod agreement;
mod asking;
mod caller;
mod calls;
mod checked;
mod deadline;
mod delivery;
mod expansion;
#[cfg(any(debug_assertions, feature = "faults"))]
mod faults;
mod filled;
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
#[cfg(target_os = "linux")]
mod writes;

use std::sync::Arc;

use hooks::audit::{Audit, DegradedEffect, RecordedAnswer};
use hooks::event::{VerdictSource, WireEvent};
use hooks::{EventKind, Reason};
use hooks_protocols::{Answer, Client, Decoded, EncodedAnswer, Instead, KnownEvent, encode, failure};

use self::asking::HeldAnswer;
use self::caller::{Caller, Known};
use self::calls::CallTurn;
use self::deadline::Deadline;
use self::delivery::Delivery;
use self::notes::Notes;
use self::panics::Panics;
use crate::approve;
use crate::cli::Run;
use crate::wrap::carrier;
use crate::wrap::refusal::Refusal;

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
        return Ok(encode(decoded, &checked::answer(options, decoded, deadline)?));
    };
    #[cfg(any(debug_assertions, feature = "faults"))]
    faults::strike();
    // Hooks and records are about the original. It stays as the client has it.
    let carried = carrier::unwrap(decoded);
    let unreported = expansion::open(decoded)?;
    let joined = subagents::join(decoded);
    let mut governing = governing::load(options, decoded, deadline)?;
    if let Err(reason) = joined {
        if governing.counts_answers() {
            return Err(reason);
        }
        notes.failed(&reason);
    }
    // The hooks after a call count while they decide, so the turn is taken before them.
    let turn = match kind {
        EventKind::PostToolUse => governing.turn(decoded, notes)?,
        _ => None,
    };
    if turn.as_ref().is_some_and(CallTurn::is_counted) {
        governing = governing.repeated(decoded)?;
    }
    let gaps = governing.recording().and_then(Audit::gaps).cloned();
    let HeldAnswer { mut answer, holds, source, waits_under, turn: later } =
        match unreported.ask(&governing, decoded, notes) {
            Ok(held) => held,
            Err(reason) => {
                governing.give_up();
                return Err(reason);
            }
        };
    if decoded.is_told_elsewhere() {
        // The answer to the other event has them too.
        answer.context.clear();
        answer.messages.clear();
    }
    match governing.refusal(decoded) {
        Some(Refusal::Call(why)) => answer.deny_too(&Reason::new("sandbox", "not_wrapped", why)),
        Some(Refusal::Session(why)) => answer.messages.push(why),
        None => {}
    }
    if let Err(why) = governing.wrap(decoded, &mut answer, carried.as_deref()) {
        answer.deny_too(&Reason::new("sandbox", "not_wrapped", why));
    }
    if let Some(code) = waits_under {
        let named = options.config.as_deref().filter(|named| !governing.is_found(named));
        answer.reason = Some(approve::offered(answer.reason.as_deref(), &code, named));
    }
    let mut encoded = encode(decoded, &answer);
    let is_recorded = later.as_ref().is_some_and(CallTurn::is_counted);
    let unrecorded = match is_recorded {
        true => Ok(None),
        false => asking::record(&governing, decoded, notes, &recorded(&encoded, source)),
    };
    match unrecorded {
        Ok(None) => {}
        Ok(Some(reason)) => {
            answer.deny_too(&reason);
            encoded = encode(decoded, &answer);
        }
        Err(reason) => {
            governing.end(holds, false);
            governing.give_up();
            return Err(reason);
        }
    }
    let goes_on = goes_on(&answer, &encoded);
    governing.keep_files(decoded, goes_on, notes);
    // The panics of hooks were handled there.
    notes.panicked(&panics.take());
    governing.end(holds, goes_on);
    let is_denied_by_client = !is_recorded && !goes_on && answer.strength != hooks::Strength::Deny;
    governing.keep_counts(decoded, is_denied_by_client, notes);
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
    // Everything that the call costs is stored.
    if let Some(turn) = turn.or(later).filter(|turn| goes_on || turn.is_denied()) {
        turn.keep();
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

/// The encoded answer, as it is recorded.
fn recorded(encoded: &EncodedAnswer, source: Option<VerdictSource>) -> RecordedAnswer {
    let degraded = encoded.degraded.iter();
    let degraded = degraded.map(|note| DegradedEffect::new(note.wish.to_string(), note.instead.name()));
    RecordedAnswer::new(encoded.answered.name(), degraded).decided_by(source)
}

/// Whether the client can go on, at once or after a question to the user. Then its reservations are spent.
fn goes_on(answer: &Answer, encoded: &EncodedAnswer) -> bool {
    let is_denied = |instead| matches!(instead, Instead::Denied | Instead::Stopped);
    answer.strength != hooks::Strength::Deny && !encoded.degraded.iter().any(|note| is_denied(note.instead))
}

/// Adds a text on standard error to an answer, unless the client would treat that as the answer.
fn remark(encoded: &mut EncodedAnswer, client: Client, what: &str) {
    // Gemini CLI and Qwen Code read standard error as the answer if standard output is empty.
    if !matches!(client, Client::Gemini | Client::Qwen) || !encoded.stdout.is_empty() {
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
