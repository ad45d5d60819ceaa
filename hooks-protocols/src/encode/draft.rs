//! An answer that is being encoded.

use serde_json::{Map, Value, json};

use super::Voice;
use super::client_answer::ClientAnswer;
use super::encoded_answer::EncodedAnswer;
use super::value::Source;
use crate::decode::place::put;
use crate::degraded::Degraded;
use crate::table::Word;

/// The fields of the answer so far.
#[derive(Default)]
pub(super) struct Draft {
    fields: Map<String, Value>,
    /// The answer is an exit code with a text on stderr.
    pub(super) exits: bool,
    /// The user gets the reason as a warning, as there is no better way.
    pub(super) warns: bool,
    pub(super) degraded: Vec<Degraded>,
    /// The strongest answer that the fields state.
    pub(super) answered: ClientAnswer,
}

impl Draft {
    /// Adds fields. The caller has made sure that each has a value.
    pub(super) fn put(&mut self, words: &[Word], source: &Source<'_>) {
        for word in words {
            if let Some(value) = source.value(word.says) {
                put(&mut self.fields, word.to, value);
                self.answered = self.answered.max(ClientAnswer::from_word(word));
            }
        }
    }

    pub(super) fn into_encoded(self, voice: &Voice<'_>) -> EncodedAnswer {
        let encoded = if self.exits {
            EncodedAnswer::exit_two(voice.source.reason)
        } else if self.warns && self.fields.is_empty() {
            EncodedAnswer::warning(voice.source.reason)
        } else {
            let answered = self.answered;
            EncodedAnswer { stdout: written(self.fields, voice), answered, ..EncodedAnswer::default() }
        };
        EncodedAnswer { degraded: self.degraded, ..encoded }
    }
}

/// Serializes the answer, in its envelope if the client uses one. An answer without fields is the empty
/// string.
fn written(fields: Map<String, Value>, voice: &Voice<'_>) -> String {
    let Some(envelope) = voice.client.protocol().envelope else {
        return if fields.is_empty() { String::new() } else { Value::Object(fields).to_string() };
    };
    let outside = match voice.source.decoded {
        Some(decoded) => match &decoded.envelope {
            Some(outside) => Some(outside),
            // The payload came without an envelope.
            None => return Value::Object(fields).to_string(),
        },
        None => None,
    };
    let encoded = json!({ envelope.output: fields });
    match outside.and_then(|outside| Some((outside.get("jsonrpc")?, outside.get("id")?))) {
        Some((version, id)) => json!({"jsonrpc": version, "id": id, "result": encoded}).to_string(),
        None => encoded.to_string(),
    }
}
