//! `hooks schema`: JSON schemas, for editors and for whoever writes events.

use std::io::Write;

use hooks::EventKind;
use serde_json::{Value, json};

use crate::cli::Schema;
use crate::failure::{Failure, Status};

/// Writes the schema that was asked for.
pub(crate) fn run(asked: &Schema) -> Result<Status, Failure> {
    let schema = match asked.of.as_str() {
        "config" => hooks::config::schema(),
        name => event(EventKind::from_name(name).ok_or_else(|| unknown(name))?)?,
    };
    let mut out = anstream::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &schema)?;
    writeln!(out)?;
    Ok(Status::Well)
}

/// The schema of an event as it stands on a line: its name, its context, its fields.
fn event(kind: EventKind) -> Result<Value, Failure> {
    let mut schema = kind.schema().to_value();
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        properties.insert("event".to_owned(), json!({"const": kind.name()}));
        properties.insert(
            "at".to_owned(),
            json!({"type": "object", "description": "Where it happens: session, agent, folder."}),
        );
    } else {
        return Err(Failure::said(format!("`{kind}` has no fields")));
    }
    if let Some(object) = schema.as_object_mut() {
        let required = object.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.insert(0, json!("event"));
        }
    }
    Ok(schema)
}

fn unknown(name: &str) -> Failure {
    let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
    Failure::said(format!(
        "there is no schema of `{name}`; there are `config` and the events {}",
        names.join(", ")
    ))
}
