//! Connections of a command in the sandbox: what the model reads about those that were refused, and the record in the audit log.

use hooks::SystemClock;
use hooks::audit::append::Entry;
use hooks::audit::record::{Payload, Record};
use hooks::audit::{Ticket, Unwritten};
use hooks::redaction::Scrubber;
use hooks::sandbox::kernel::Connection;
use hooks::time::Clock;
use serde_json::json;

use crate::exec::Governed;
use crate::failure::Failure;
use crate::load;

/// Name of the record.
const EVENT: &str = "sandbox.connections";

/// Most refused destinations that are named.
const MOST_NAMED: usize = 5;

/// Scrubs the names of hosts: a command may send a secret as one.
pub(crate) fn scrub(connections: &mut [Connection], scrubber: &Scrubber) {
    for one in connections {
        one.host = scrubber.scrub(&one.host).into_owned();
        one.refused = one.refused.take().map(|why| scrubber.scrub(&why).into_owned());
    }
}

/// Prints each refused destination on one line.
pub(crate) fn tell(connections: &[Connection], say: &dyn Fn(&str)) {
    let refused: Vec<(String, &str)> =
        connections.iter().filter_map(|one| Some((named(one), one.refused.as_deref()?))).collect();
    for (name, why) in refused.iter().take(MOST_NAMED) {
        say(&format!("refused the connection to {name}: {why}"));
    }
    let rest = refused.len().saturating_sub(MOST_NAMED);
    if rest > 0 {
        say(&format!("refused the connections to {rest} more hosts"));
    }
}

fn named(connection: &Connection) -> String {
    match connection.host.is_empty() {
        true => "a host that cannot be read".to_owned(),
        false => format!("`{}:{}`", connection.host, connection.port),
    }
}

/// Records all connections in the audit log, if the rules have one, and waits until they are on the disk.
///
/// # Errors
/// Returns an error if the log cannot be written.
pub(crate) fn record(governed: &Governed, connections: &[Connection]) -> Result<(), Failure> {
    let Governed { config, folder, file, root, .. } = governed;
    if connections.is_empty() || config.audit_folder().is_none() {
        return Ok(());
    }
    // The rules were read for a command that may connect to nothing, without a log.
    let config = load::recording(file, root)?;
    let Some(audit) = config.recording() else { return Ok(()) };
    let record = Record::new(EVENT, SystemClock.now());
    let mut payload = Payload::new(json!({ "connections": connections }));
    payload.cwd = folder.display().to_string();
    let failed = |error: Unwritten| Failure::message(error.to_string());
    let log = audit.log().map_err(failed)?;
    let written = log.put_through(move || Entry { record, payload: Some(payload) }).and_then(Ticket::wait);
    written.map_err(failed)
}
