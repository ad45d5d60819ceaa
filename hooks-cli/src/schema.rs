//! `hooks schema`: prints JSON schemas, for editors and for programs that write events, and the schema of Cedar.

use std::io::Write;

use hooks::facts::tools::Dialect;
use hooks::{EventKind, HookContext};
use serde_json::{Map, Value, json};

use crate::cli::Schema;
use crate::failure::{Failure, Status};

/// Prints the requested schema.
pub(crate) fn run(options: &Schema) -> Result<Status, Failure> {
    if options.of == "cedar" {
        return of_cedar(&options.tools);
    }
    if let Some(tool) = options.tools.first() {
        return Err(Failure::message(format!("`{tool}`: tools are named for `hooks schema cedar` only")));
    }
    let schema = match options.of.as_str() {
        "config" => hooks::config::schema(),
        name => event(EventKind::from_name(name).ok_or_else(|| unknown(name))?)?,
    };
    let mut out = anstream::stdout().lock();
    serde_json::to_writer_pretty(&mut out, &schema)?;
    writeln!(out)?;
    Ok(Status::Well)
}

/// Prints the schema of Cedar for the tools that clients have, and for `further` ones.
fn of_cedar(further: &[String]) -> Result<Status, Failure> {
    let known: Vec<_> = Dialect::ALL.iter().flat_map(|dialect| dialect.names()).collect();
    let mut tools: Vec<&str> =
        known.iter().map(|name| &**name).chain(further.iter().map(String::as_str)).collect();
    tools.sort_unstable();
    tools.dedup();
    let schema = hooks::config::cedar_schema(&tools).ok_or_else(|| {
        Failure::message("this program is built without Cedar; build it with the feature `cedar`")
    })?;
    write!(anstream::stdout().lock(), "{schema}")?;
    Ok(Status::Well)
}

/// The schema of an event on a line: its name, its context, its fields.
fn event(kind: EventKind) -> Result<Value, Failure> {
    let mut schema = kind.schema().to_value();
    let (context, definitions) = context();
    if let Some(properties) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
        properties.insert("event".to_owned(), json!({"const": kind.name()}));
        properties.insert("at".to_owned(), context);
    } else {
        return Err(Failure::message(format!("`{kind}` has no fields")));
    }
    if let Some(object) = schema.as_object_mut() {
        let required = object.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.insert(0, json!("event"));
        }
        let all = object.entry("$defs").or_insert_with(|| json!({}));
        if let Some(all) = all.as_object_mut() {
            all.extend(definitions);
        }
    }
    Ok(schema)
}

/// The schema of the context, and the definitions that it uses.
fn context() -> (Value, Map<String, Value>) {
    let mut schema = schemars::schema_for!(HookContext).to_value();
    let mut definitions = Map::new();
    if let Some(object) = schema.as_object_mut() {
        object.shift_remove("$schema");
        if let Some(Value::Object(own)) = object.shift_remove("$defs") {
            definitions = own;
        }
    }
    (schema, definitions)
}

fn unknown(name: &str) -> Failure {
    let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
    Failure::message(format!(
        "there is no schema of `{name}`; there are `config`, `cedar` and the events {}",
        names.join(", ")
    ))
}
