//! `schema/events/*.json`: the fields of every event, for those who send or read events as JSON; and
//! `schema/hooks.json`: the configuration, for editors.

use std::path::{Path, PathBuf};

use hooks_core::EventKind;
use serde::Serialize;

use super::Generated;
use crate::error::{Error, Result};

/// Where the schemas are.
pub(super) const FOLDER: &str = "schema/events";

/// One schema per event, and that of the configuration.
///
/// # Errors
/// A schema cannot be written as JSON.
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
