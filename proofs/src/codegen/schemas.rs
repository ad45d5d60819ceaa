//! `schema/events/*.json`: the fields of every event, for programs that send or read events as JSON; and
//! `schema/hooks.json`: the configuration, for editors.

use std::path::{Path, PathBuf};

use hooks_core::EventKind;
use serde::Serialize;

use super::Generated;
use crate::error::{Error, Result};

/// Folder of the schemas.
pub(super) const FOLDER: &str = "schema/events";

/// The schema of each event, and that of the configuration.
///
/// # Errors
/// Returns an error if a schema cannot be written as JSON.
pub(super) fn all() -> Result<Vec<Generated>> {
    let events = EventKind::ALL.iter();
    let events = events.map(|kind| written(Path::new(FOLDER).join(format!("{kind}.json")), &kind.schema()));
    let config = written("schema/hooks.json".into(), &hooks::config::schema());
    events.chain([config]).collect()
}

fn written(path: PathBuf, schema: &impl Serialize) -> Result<Generated> {
    let text = serde_json::to_string_pretty(schema).map_err(|cause| Error::doing(path.display(), cause))?;
    Ok(Generated { path, text: text + "\n" })
}
