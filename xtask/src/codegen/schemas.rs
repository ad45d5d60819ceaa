//! `schema/events/*.json`: the fields of every event, for those who send or read events as JSON.

use std::path::Path;

use hooks_core::EventKind;

use super::Generated;
use crate::error::{Error, Result};

/// Where the schemas are.
pub(super) const FOLDER: &str = "schema/events";

/// One schema per event.
///
/// # Errors
/// A schema cannot be written as JSON.
pub(super) fn all() -> Result<Vec<Generated>> {
    EventKind::ALL.iter().map(|kind| schema(*kind)).collect()
}

fn schema(kind: EventKind) -> Result<Generated> {
    let text = serde_json::to_string_pretty(&kind.schema()).map_err(|cause| Error::doing(kind, cause))?;
    Ok(Generated { path: Path::new(FOLDER).join(format!("{kind}.json")), text: text + "\n" })
}
