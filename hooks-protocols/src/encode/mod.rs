//! Encodes the answer of hooks in the form that a client honours.
//!
//! One encoder writes the phrases of all clients. If a client does not support a wish, the nearest supported
//! effect that is not less strict replaces it, and the encoded answer notes that:
//!
//! | wish | effect if it is not supported |
//! | --- | --- |
//! | deny | the run ends; if that is not supported either, nothing is enforced, and the note states that |
//! | ask, rewrite, stop | denied |
//! | rewrite that only adds to a user's message | context, if that is supported; else denied |
//! | rewrite of a command that the client's own lists would not judge any more | denied |
//! | allow | no answer: if the client would ask the user, it does; the same for an allow beside a rewrite |
//! | all others | left out |

mod addition;
mod client_answer;
mod command_form;
mod commands;
mod draft;
mod encoded_answer;
mod reason;
mod shape;
mod value;

use hooks_core::{EventKind, Strength, WireEvent};

pub use self::client_answer::ClientAnswer;
pub(crate) use self::commands::command_key;
use self::draft::Draft;
pub use self::encoded_answer::EncodedAnswer;
use self::value::Source;
use crate::answer::{Answer, Rewrite};
use crate::client::Client;
use crate::decode::Decoded;
use crate::degraded::{Degraded, Instead, Wish};
use crate::table::{CheckedCall, Phrase, Row};

/// Encodes `answer` for the client that sent `decoded`.
///
/// `Answer::from(&outcome)` converts an outcome into an answer.
///
/// ```
/// use hooks_protocols::{Answer, Client, decode, encode};
///
/// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "PreToolUse",
///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1"}"#;
/// let decoded = decode(Client::Claude, None, bytes)?;
/// // No opinion: nothing is written, and the client goes on as it would without hooks.
/// let silent = encode(&decoded, &Answer::default());
/// assert_eq!((silent.stdout.as_str(), silent.exit), ("", 0));
/// let asked = encode(&decoded, &Answer::ask("run it?"));
/// assert!(asked.stdout.contains(r#""permissionDecision":"ask""#) && asked.degraded.is_empty());
/// # Ok::<(), hooks_protocols::DecodeError>(())
/// ```
pub fn encode(decoded: &Decoded, answer: &Answer) -> EncodedAnswer {
    let change = answer.rewrite.as_ref().filter(|rewrite| differs(decoded, rewrite));
    let voice = Voice::new(decoded.client, &decoded.event_name, decoded.row(), Some(decoded), answer, change);
    match addition::added(decoded, change) {
        Some(added) => voice.adding(added),
        None => voice.encoded(),
    }
}

/// Encodes a denial at an event whose payload cannot be decoded. The phrases of all `rows` are used; the last
/// row is the event.
pub(crate) fn encode_blindly(
    client: Client,
    event_name: &str,
    rows: &[&'static Row],
    denial: &Answer,
) -> EncodedAnswer {
    let reason = reason::text_of(denial.reason.as_deref());
    let mut draft = Draft::default();
    let mut voice = Voice::new(client, event_name, None, None, denial, None);
    for row in rows {
        voice = Voice::new(client, event_name, Some(row), None, denial, None);
        voice.source = Source { reason: &reason, event_name: row.name, ..voice.source };
        voice.deny(row, None, &mut draft);
    }
    draft.into_encoded(&voice)
}

/// A denial on stderr, for an unknown client or event.
pub(crate) fn exit_two(reason: &str) -> EncodedAnswer {
    EncodedAnswer::exit_two(&reason::text_of(Some(reason)))
}

/// A warning on stderr that does not stop anything.
pub(crate) fn warning(reason: &str) -> EncodedAnswer {
    EncodedAnswer::warning(&reason::text_of(Some(reason)))
}

/// The encoder of an answer to one event of one client.
#[derive(Clone, Copy)]
struct Voice<'a> {
    client: Client,
    row: Option<&'static Row>,
    source: Source<'a>,
}

/// A denial with its reason.
struct Denial {
    /// The unsupported wish that the denial replaces; `None` if hooks denied the event.
    because: Option<Wish>,
    reason: String,
}

/// Reason of a denial in place of an unsupported rewrite.
const UNSAYABLE: &str = "hooks would have changed this first, and this client supports no such change";

impl<'a> Voice<'a> {
    fn new(
        client: Client,
        event_name: &'a str,
        row: Option<&'static Row>,
        decoded: Option<&'a Decoded>,
        answer: &'a Answer,
        rewrite: Option<&'a Rewrite>,
    ) -> Self {
        Self { client, row, source: Source { answer, event_name, reason: "", rewrite, decoded } }
    }

    /// Encodes an answer that adds a text to a user's message: as context, if the client takes that and cannot replace
    /// the message.
    fn adding(self, added: &str) -> EncodedAnswer {
        let Some(row) = self.row.filter(|row| !self.can(row, Wish::Rewrite, row.phrases.rewrite)) else {
            return self.encoded();
        };
        let answer = addition::as_context(self.source.answer, added);
        let source = Source { answer: &answer, rewrite: None, ..self.source };
        let voice = Voice { source, ..self };
        if !voice.can(row, Wish::Context, row.phrases.context) {
            return self.encoded();
        }
        let mut encoded = voice.encoded();
        let is_left_out = encoded.degraded.iter().any(|note| note.wish == Wish::Context);
        if !is_left_out {
            let (client, event) = (self.client, self.source.event_name.to_owned());
            encoded.degraded.push(Degraded {
                client,
                event,
                wish: Wish::Rewrite,
                instead: Instead::AsContext,
            });
        }
        encoded
    }

    fn encoded(self) -> EncodedAnswer {
        let denial = self.denial();
        let reason = match &denial {
            Some(denial) => denial.reason.clone(),
            None => reason::text_of(self.source.answer.reason.as_deref()),
        };
        let voice = Voice { source: Source { reason: &reason, ..self.source }, ..self };
        let mut draft = Draft::default();
        match (self.row, denial) {
            (Some(row), Some(denial)) => voice.deny(row, denial.because, &mut draft),
            (Some(row), None) => voice.go(row, &mut draft),
            (None, denial) => return voice.in_the_dark(denial.is_some()),
        }
        draft.into_encoded(&voice)
    }

    /// The denial to encode, whether hooks denied the event or have an unsupported wish that becomes a
    /// denial.
    fn denial(&self) -> Option<Denial> {
        let Source { answer, rewrite, .. } = self.source;
        let reason = answer.reason.as_deref();
        let can =
            |wish, phrase: fn(&Row) -> Phrase| self.row.is_some_and(|row| self.can(row, wish, phrase(row)));
        let (because, reason) = match answer.strength {
            Strength::Deny => (None, reason::text_of(reason)),
            Strength::Ask if !can(Wish::Ask, |row| row.phrases.ask) => {
                (Some(Wish::Ask), reason::text_of(reason))
            }
            _ if rewrite.is_some_and(|rewrite| !self.is_of_this_event(rewrite))
                || (rewrite.is_some() && !can(Wish::Rewrite, |row| row.phrases.rewrite)) =>
            {
                (Some(Wish::Rewrite), self.unsayable())
            }
            _ if let Some(changed) = commands::hidden(self.source.decoded, rewrite) => {
                (Some(Wish::Rewrite), reason::text_of(Some(&instead_of(&changed, self.client))))
            }
            _ if answer.stop.is_some() && !can(Wish::Stop, |row| row.phrases.stop) => {
                (Some(Wish::Stop), reason::text_of(answer.stop.as_deref()))
            }
            _ => return None,
        };
        Some(Denial { because, reason })
    }

    /// Reason of a denial in place of an unsupported rewrite.
    fn unsayable(&self) -> String {
        match self.source.rewrite {
            Some(Rewrite::Prompt(_))
                if self.row.is_some_and(|row| row.kind == Some(EventKind::UserPromptSubmitted)) =>
            {
                format!(
                    "hooks would have changed this message, for example to remove a secret, and {} cannot replace a message; \
                 send it again without that",
                    self.client
                )
            }
            _ => UNSAYABLE.to_owned(),
        }
    }

    fn is_of_this_event(&self, rewrite: &Rewrite) -> bool {
        self.row.and_then(|row| row.kind).is_some_and(|kind| rewrite.is_of(kind))
    }

    /// Encodes a denial, without context and messages.
    fn deny(&self, row: &Row, because: Option<Wish>, draft: &mut Draft) {
        let wish = because.unwrap_or(Wish::Deny);
        self.always(row, draft);
        if self.say(row, Wish::Deny, row.phrases.deny, draft) {
            // Some clients have no word for it: the reason is in the place of the result.
            if draft.answered < ClientAnswer::Deny {
                draft.answered = ClientAnswer::Block;
            }
            if because.is_some() {
                self.note(wish, Instead::Denied, draft);
            }
        } else if self.say(row, Wish::Stop, row.phrases.stop, draft) {
            self.note(wish, Instead::Stopped, draft);
        } else {
            self.note(wish, Instead::NotEnforced, draft);
            draft.warns = true;
        }
        let Source { answer, .. } = self.source;
        for (wish, texts) in [(Wish::Context, &answer.context), (Wish::Message, &answer.messages)] {
            if !texts.is_empty() {
                self.note(wish, Instead::LeftOut, draft);
            }
        }
    }

    /// Encodes the wishes for an event that is not denied.
    fn go(&self, row: &Row, draft: &mut Draft) {
        let Source { answer, rewrite, .. } = self.source;
        let phrases = &row.phrases;
        self.always(row, draft);
        self.wish(row, answer.strength == Strength::Ask, Wish::Ask, phrases.ask, draft);
        let allows = answer.strength == Strength::Allow;
        // The client's lists have not judged the changed call yet, and an allow would skip some of them.
        let is_changed = rewrite.is_some_and(|rewrite| matches!(rewrite, Rewrite::Arguments(_)));
        if allows && is_changed && commands::judges_changed_text(self.client, self.source.event_name) {
            self.note(Wish::Allow, Instead::LeftOut, draft);
        } else {
            self.wish(row, allows, Wish::Allow, phrases.allow, draft);
        }
        self.wish(row, rewrite.is_some(), Wish::Rewrite, phrases.rewrite, draft);
        self.wish(row, answer.stop.is_some(), Wish::Stop, phrases.stop, draft);
        self.wish(row, !answer.context.is_empty(), Wish::Context, phrases.context, draft);
        self.wish(row, !answer.messages.is_empty(), Wish::Message, phrases.message, draft);
        self.wish(row, answer.quiet, Wish::Quiet, phrases.quiet, draft);
        self.wish(row, answer.summary.is_some(), Wish::Summary, phrases.summary, draft);
        self.wish(row, answer.model.is_some(), Wish::Model, phrases.model, draft);
        self.wish(row, answer.retry.is_some(), Wish::Retry, phrases.retry, draft);
        self.wish(row, answer.first_prompt.is_some(), Wish::FirstPrompt, Phrase::Cannot, draft);
    }

    fn wish(&self, row: &Row, is_wished: bool, wish: Wish, phrase: Phrase, draft: &mut Draft) {
        if is_wished && !self.say(row, wish, phrase, draft) {
            self.note(wish, Instead::LeftOut, draft);
        }
    }

    fn always(&self, row: &Row, draft: &mut Draft) {
        draft.put(row.phrases.always, &self.source);
    }

    /// Encodes a phrase. Returns whether the client supports it here.
    fn say(&self, row: &Row, wish: Wish, phrase: Phrase, draft: &mut Draft) -> bool {
        if !self.can(row, wish, phrase) {
            return false;
        }
        match phrase {
            Phrase::Cannot | Phrase::Silence => {}
            Phrase::Words(words) => draft.put(words, &self.source),
            Phrase::Near(words, instead) => {
                draft.put(words, &self.source);
                self.note(wish, instead, draft);
            }
            Phrase::Exit => draft.exits = true,
        }
        true
    }

    /// Whether the phrase has an encoding, and each of its fields has a value here.
    fn can(&self, row: &Row, wish: Wish, phrase: Phrase) -> bool {
        let has_words = match phrase {
            Phrase::Cannot => false,
            Phrase::Silence | Phrase::Exit => true,
            Phrase::Words(words) | Phrase::Near(words, _) => {
                words.iter().all(|word| self.source.value(word.says).is_some())
            }
        };
        let Source { decoded, rewrite, .. } = self.source;
        has_words && row.leaves_room(wish, &CheckedCall { decoded, rewrite })
    }

    fn note(&self, wish: Wish, instead: Instead, draft: &mut Draft) {
        let event = self.source.event_name.to_owned();
        draft.degraded.push(Degraded { client: self.client, event, wish, instead });
    }

    /// Encodes an answer to an unknown event of this client: a denial in the form that most clients honour,
    /// and nothing else.
    fn in_the_dark(&self, is_denied: bool) -> EncodedAnswer {
        let Source { answer, rewrite, .. } = self.source;
        let mut draft = Draft::default();
        if is_denied {
            self.note(Wish::Deny, Instead::NotEnforced, &mut draft);
            return EncodedAnswer { degraded: draft.degraded, ..EncodedAnswer::exit_two(self.source.reason) };
        }
        for (is_wished, wish) in [
            (rewrite.is_some(), Wish::Rewrite),
            (!answer.context.is_empty(), Wish::Context),
            (!answer.messages.is_empty(), Wish::Message),
        ] {
            if is_wished {
                self.note(wish, Instead::LeftOut, &mut draft);
            }
        }
        EncodedAnswer { degraded: draft.degraded, ..EncodedAnswer::default() }
    }
}

/// Reason of a denial in place of a rewrite that hides the original command from the client's lists.
fn instead_of(changed: &str, client: Client) -> String {
    format!(
        "hooks would have changed this command, and {client} would check its own rules against the changed text only; \
         run this command instead: {changed}"
    )
}

/// Whether a rewrite changes anything in the event that the client sent.
fn differs(decoded: &Decoded, rewrite: &Rewrite) -> bool {
    match (&decoded.event, rewrite) {
        (Some(WireEvent::PreToolUse(call)), Rewrite::Arguments(arguments)) => call.tool_args != *arguments,
        (Some(WireEvent::PostToolUse(done)), Rewrite::Result(rewrite)) => {
            rewrite.result.as_ref().is_some_and(|result| done.tool_result != *result)
                || (rewrite.error.is_some() && done.error != rewrite.error)
        }
        (Some(WireEvent::UserPromptSubmitted(message)), Rewrite::Prompt(prompt)) => message.prompt != *prompt,
        (Some(WireEvent::BeforeModelCall(call)), Rewrite::Model(rewrite)) => {
            rewrite.model.as_ref().is_some_and(|model| call.model != *model)
                || rewrite.messages.as_ref().is_some_and(|messages| call.messages != *messages)
        }
        (Some(WireEvent::AfterModelCall(reply)), Rewrite::Reply(message)) => reply.response != *message,
        (Some(WireEvent::SubagentStart(start)), Rewrite::Spawn(rewrite)) => {
            (rewrite.model.is_some() && start.model != rewrite.model)
                || rewrite.task.as_ref().is_some_and(|task| start.task != *task)
        }
        (Some(WireEvent::Route(route)), Rewrite::Target(target)) => route.target_agent != *target,
        _ => true,
    }
}
