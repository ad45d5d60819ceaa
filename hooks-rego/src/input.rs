//! The document `input` of a call.

use hooks_core::event::PreToolUse;
use hooks_core::{HookRequest, WireEvent};
use hooks_facts::calls::{CallReader, PlainFacts};
use serde_json::{Value, json};

use crate::text::asks_for_unknown;

/// Lists of facts.
const LISTS: [&str; 3] = ["writes", "reads", "runs"];

/// The lists that a module asks for, and that have to be known.
#[derive(Clone, Debug)]
pub(crate) struct NeededLists(Vec<&'static str>);

impl NeededLists {
    /// Finds the lists in the text of a module. One that looks for facts by a computed name asks for all.
    pub(crate) fn in_text(text: &str) -> Self {
        if !mentions(text, "facts") || asks_for_unknown(text) {
            return Self(Vec::new());
        }
        let named: Vec<_> = LISTS.into_iter().filter(|list| mentions(text, list)).collect();
        Self(if named.is_empty() { LISTS.to_vec() } else { named })
    }

    /// The first list that is asked for and not known.
    pub(crate) fn missing(&self, facts: &PlainFacts) -> Option<&'static str> {
        self.0.iter().copied().find(|list| list_of(facts, list).is_none())
    }
}

/// Whether a text has a word.
fn mentions(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
}

fn list_of<'a>(facts: &'a PlainFacts, list: &str) -> &'a Option<Vec<String>> {
    match list {
        "writes" => &facts.writes,
        "reads" => &facts.reads,
        _ => &facts.runs,
    }
}

/// Facts about the call of a request.
pub(crate) fn facts(request: &HookRequest<PreToolUse>, reader: &CallReader) -> PlainFacts {
    PlainFacts::of_call(reader.read(request))
}

/// The event as `hooks eval` reads it, with facts.
pub(crate) fn input(
    request: &HookRequest<PreToolUse>,
    facts: &PlainFacts,
) -> Result<Value, serde_json::Error> {
    let mut input = serde_json::to_value(WireEvent::from(request.event().clone()))?;
    let mut known = json!({"unknown": []});
    for list in LISTS {
        match (list_of(facts, list), known.get_mut("unknown").and_then(Value::as_array_mut)) {
            (None, Some(unknown)) => unknown.push(json!(list)),
            (names, _) => {
                if let Some(known) = known.as_object_mut() {
                    known.insert(list.to_owned(), json!(names));
                }
            }
        }
    }
    if let Some(fields) = input.as_object_mut() {
        fields.insert("at".to_owned(), serde_json::to_value(&**request.context())?);
        fields.insert("facts".to_owned(), known);
    }
    Ok(input)
}
