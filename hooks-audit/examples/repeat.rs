//! Writes a long log from a short one, for measurements: `cargo xtask bench replay`.
//!
//! `cargo run --example repeat -- FROM INTO COPIES`. Each copy is a day later, and has sessions, calls and files of its own:
//! `file_` in an argument becomes `file_N_`. Each record is a group of its own, as processes write them.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hooks_audit::{AppendSettings, Appender, Committed, Entry, LogReader, Positions};
use hooks_system::{StdFileSystem, SystemClock};
use serde_json::Value;

/// Time between two copies.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "usage: repeat FROM INTO COPIES";
    if arguments.is_empty() {
        // All examples are run without arguments.
        println!("{usage}");
        return Ok(());
    }
    let [from, into, copies] = &arguments[..] else { return Err(usage.into()) };
    let disk = Arc::new(StdFileSystem);
    let mut reader = LogReader::new(disk.clone(), from, Positions::default());
    let mut records = Vec::new();
    loop {
        let more = reader.read(4_096)?;
        if more.is_empty() {
            break;
        }
        records.extend(more.into_iter().filter(|committed| !committed.record.is_note()));
    }
    let (mut appender, _) = Appender::open(disk, into, AppendSettings::new([7; 32]), Arc::new(SystemClock))?;
    for number in 0..copies.parse()? {
        for committed in &records {
            appender.append(&mut [copy(committed, number)])?;
        }
    }
    appender.close()?;
    Ok(())
}

fn copy(committed: &Committed, number: u32) -> Entry {
    let mut record = committed.record.clone();
    record.at = record.at.after(DAY * number);
    record.session = format!("{}-{number}", record.session);
    record.call = record.call.map(|call| format!("{call}-{number}"));
    let mut payload = committed.payload().cloned();
    if let Some(payload) = &mut payload {
        rename(&mut payload.event, record.call.as_deref(), number);
    }
    Entry { record, payload }
}

/// Gives the call of an event its id, and other files.
fn rename(event: &mut Value, id: Option<&str>, number: u32) {
    if let (Some(field), Some(id)) = (event.get_mut("tool_use_id"), id) {
        *field = id.into();
    }
    let arguments = event.get_mut("tool_args").and_then(Value::as_object_mut);
    for argument in arguments.into_iter().flat_map(|arguments| arguments.values_mut()) {
        if let Value::String(text) = argument {
            *text = text.replace("file_", &format!("file_{number}_"));
        }
    }
}
