//! The protocol: a greeting, then an answer for each line.

use std::io::{self, BufRead, Write};

use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use super::Server;
use crate::eval;
use crate::unfinished::Unfinished;

/// Version of the protocol. It changes if a client of the version before would misunderstand an answer.
const PROTOCOL: u32 = 1;

/// Most events in a batch.
const LARGEST_BATCH: usize = 1_000;

/// Longest text as an id, in bytes.
const LONGEST_ID: usize = 256;

/// End of a conversation.
pub(super) struct Ended {
    /// Whether every request was answered with a decision.
    pub(super) is_well: bool,
}

/// Greets, and answers each line until the input ends or a request ends the conversation.
pub(super) fn converse(server: &Server, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<Ended> {
    let runtime = eval::runtime()?;
    say(out, &greeting(server))?;
    let unfinished = Unfinished::default();
    let mut conversation =
        Conversation { server, runtime: &runtime, unfinished, is_open: true, is_well: true };
    let mut line = Vec::new();
    while eval::next_line(input, &mut line)? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        // Held until the answer is written, so that the end of the server waits for it.
        let open = server.open();
        conversation.is_open = open.is_some();
        match conversation.reply(&line) {
            Some(reply) => say(out, &reply)?,
            None => break,
        }
    }
    Ok(Ended { is_well: conversation.is_well })
}

/// The line after the last answer.
pub(super) fn end() -> Value {
    json!({"serve": "end"})
}

fn greeting(server: &Server) -> Value {
    json!({"hooks": {
        "protocol": PROTOCOL,
        "version": env!("CARGO_PKG_VERSION"),
        "config": server.path,
        "rules": server.rules.current().rules_version(),
    }})
}

pub(super) fn say(out: &mut impl Write, value: &Value) -> io::Result<()> {
    // In one write: an answer is whole, or not there.
    let mut line = value.to_string();
    line.push('\n');
    out.write_all(line.as_bytes())?;
    out.flush()
}

struct Conversation<'s> {
    server: &'s Server,
    runtime: &'s Runtime,
    unfinished: Unfinished,
    /// Whether the rules answer.
    is_open: bool,
    is_well: bool,
}

impl Conversation<'_> {
    /// The answer to a line; `None` if the line ends the conversation.
    fn reply(&mut self, line: &[u8]) -> Option<Value> {
        match eval::value(line) {
            Err(message) => Some(self.failed(None, &message)),
            Ok(Value::Array(batch)) if batch.len() > LARGEST_BATCH => {
                let message =
                    format!("a batch has at most {LARGEST_BATCH} events; this one has {}", batch.len());
                Some(self.failed(None, &message))
            }
            Ok(Value::Array(batch)) => {
                Some(Value::Array(batch.into_iter().map(|one| self.answer(one)).collect()))
            }
            Ok(Value::Object(fields)) if fields.contains_key("serve") => self.control(fields),
            Ok(one) => Some(self.answer(one)),
        }
    }

    /// The answer to a request to the server itself.
    fn control(&mut self, mut fields: Map<String, Value>) -> Option<Value> {
        let id = match take_id(&mut fields) {
            Ok(id) => id,
            Err(message) => return Some(self.failed(None, &message)),
        };
        let wanted = fields.remove("serve");
        match wanted.as_ref().and_then(Value::as_str) {
            Some("ping") if fields.is_empty() => Some(with_id(id, json!({"serve": "ping"}))),
            Some("end") if fields.is_empty() => None,
            _ => Some(self.failed(id, "`serve` is `ping` or `end`, and stands alone or with an `id`")),
        }
    }

    /// The answer to an event.
    fn answer(&mut self, request: Value) -> Value {
        let Value::Object(mut fields) = request else {
            return self.failed(None, "a request is an object, or a list of objects");
        };
        let id = match take_id(&mut fields) {
            Ok(id) => id,
            Err(message) => return self.failed(None, &message),
        };
        let (context, event) = match eval::event(Value::Object(fields)) {
            Ok(read) => read,
            Err(message) => return self.failed(id, &message),
        };
        if !self.is_open {
            return self.failed(id, "the server ends");
        }
        let answer = eval::judged(&self.server.rules, &self.unfinished, context, event);
        let answer = self.runtime.block_on(answer);
        self.is_well &= answer.get("error").is_none();
        with_id(id, answer)
    }

    fn failed(&mut self, id: Option<Value>, message: &str) -> Value {
        self.is_well = false;
        with_id(id, json!({"error": {"message": message}}))
    }
}

/// Takes the id out of a request, as it is no part of the event.
fn take_id(fields: &mut Map<String, Value>) -> Result<Option<Value>, String> {
    match fields.remove("id") {
        None => Ok(None),
        Some(id @ Value::Number(_)) => Ok(Some(id)),
        Some(Value::String(id)) if id.len() <= LONGEST_ID => Ok(Some(Value::String(id))),
        Some(_) => Err(format!("`id` is a number, or a text of at most {LONGEST_ID} bytes")),
    }
}

fn with_id(id: Option<Value>, mut answer: Value) -> Value {
    if let (Some(id), Some(fields)) = (id, answer.as_object_mut()) {
        fields.insert("id".to_owned(), id);
    }
    answer
}
