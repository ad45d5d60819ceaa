//! Moves the fields of a payload to the destinations that their row defines.

use hooks_core::HookContext;
use serde_json::{Map, Value};

use super::{DecodeError, Limits, json, time};
use crate::table::{Field, How, Path, Protocol, Row, To};

/// The fields of a payload at their destinations.
pub(super) struct Placed {
    pub(super) context: HookContext,
    /// The fields of our event.
    pub(super) event: Map<String, Value>,
    /// The fields without another destination.
    pub(super) extra: Map<String, Value>,
    /// The payload fields whose complete value is in the context or the event.
    pub(super) taken: Vec<&'static Field>,
}

/// Moves every field to its destination. A field whose complete value is stored there is removed from the
/// payload. All others stay in `extra`, even if a value was read from them.
pub(super) fn place(
    protocol: &'static Protocol,
    row: Option<&'static Row>,
    mut fields: Map<String, Value>,
    limits: Limits,
) -> Result<Placed, DecodeError> {
    let mut placed =
        Placed { context: HookContext::default(), event: Map::new(), extra: Map::new(), taken: Vec::new() };
    let own = row.map_or(&[][..], |row| row.fields);
    let mut refused = None;
    fields.retain(|key, value| {
        let of_this_key = own
            .iter()
            .copied()
            .chain([protocol.common])
            .flatten()
            .filter_map(|field| Some((field, below(field, key)?)));
        for (field, below) in of_this_key {
            match placed.field(field, below, value, limits) {
                Ok(true) => return false,
                Ok(false) => {}
                Err(error) => refused = Some(error),
            }
        }
        true
    });
    if let Some(error) = refused {
        return Err(error);
    }
    placed.extra = fields;
    for preset in row.map_or(&[][..], |row| row.presets) {
        if at(&placed.event, preset.to).is_none() {
            put(&mut placed.event, preset.to, preset.value.into());
        }
    }
    if let (true, Some(root)) = (placed.context.cwd.as_os_str().is_empty(), &placed.context.team_root) {
        placed.context.cwd = root.clone();
    }
    // A client that names a child by its session may leave out the session of the parent.
    if let (true, Some(Value::String(id))) =
        (placed.context.session_id.is_empty(), placed.event.get("child_id"))
    {
        placed.context.session_id.clone_from(id);
    }
    if let Some(Value::String(id)) = placed.event.get("tool_use_id") {
        placed.context.call_id = Some(id.clone());
    }
    Ok(placed)
}

impl Placed {
    /// Moves one field to its destination. Returns whether the complete value was taken.
    fn field(
        &mut self,
        field: &'static Field,
        below: Path,
        value: &mut Value,
        limits: Limits,
    ) -> Result<bool, DecodeError> {
        if self.is_set(field.to) {
            return Ok(false);
        }
        if matches!(field.how, How::JsonText) {
            return self.json_text(field, value, limits);
        }
        Ok(self.plain(field, below, value))
    }

    /// Parses a string that contains JSON, with the same limits as the payload. A string that is not JSON
    /// stays a string.
    fn json_text(
        &mut self,
        field: &'static Field,
        value: &Value,
        limits: Limits,
    ) -> Result<bool, DecodeError> {
        let Some(text) = value.as_str() else { return Ok(false) };
        let read = match json::value(text, limits) {
            Ok(read) => read,
            Err(DecodeError::NotJson { .. }) => return Ok(false),
            Err(error) => return Err(error),
        };
        let is_whole = json::is_written_as(&read, text);
        if is_whole {
            self.taken.push(field);
        }
        self.set(field.to, read);
        Ok(is_whole)
    }

    /// Moves one field that needs no limits for parsing. Returns whether the complete value was taken.
    fn plain(&mut self, field: &'static Field, below: Path, value: &mut Value) -> bool {
        if let Some((last, above)) = below.split_last() {
            let Some(holder) = above.iter().try_fold(value, |value, key| value.get_mut(*key)) else {
                return false;
            };
            let Some(inner) = holder.get_mut(*last) else { return false };
            if field.how.takes(inner) {
                let inner = holder.as_object_mut().and_then(|holder| holder.shift_remove(*last));
                self.take(field, inner.unwrap_or_default());
            } else if let Some(read) = field.how.read(inner) {
                self.set(field.to, read);
            }
            // The object around the field remains in the payload.
            return false;
        }
        if field.to == To::Time {
            self.context.timestamp = time::read(value).unwrap_or_default();
            return false;
        }
        // An empty string in a context field carries no information; it stays in the payload.
        let says_nothing = !matches!(field.to, To::Event(_)) && value.as_str() == Some("");
        if field.how.takes(value) && !says_nothing {
            let value = value.take();
            self.take(field, value);
            return true;
        }
        if let Some(read) = field.how.read(value) {
            self.set(field.to, read);
        }
        false
    }

    /// Stores a complete value at its destination.
    fn take(&mut self, field: &'static Field, value: Value) {
        self.taken.push(field);
        match field.how {
            How::Any | How::Text | How::Count => self.set(field.to, value),
            How::Words(_) | How::Both(..) | How::JsonText => {
                if let Some(read) = field.how.read(&value) {
                    self.set(field.to, read);
                }
            }
        }
    }

    fn set(&mut self, to: To, value: Value) {
        match (to, value) {
            (To::Event(path), value) => put(&mut self.event, path, value),
            (To::Session, Value::String(text)) => self.context.session_id = text,
            (To::Parent, Value::String(text)) => self.context.parent_session_id = Some(text),
            (To::Agent, Value::String(text)) => self.context.agent_name = text,
            (To::Folder, Value::String(text)) => self.context.cwd = text.into(),
            (To::Root, Value::String(text)) => self.context.team_root = Some(text.into()),
            _ => {}
        }
    }

    fn is_set(&self, to: To) -> bool {
        match to {
            To::Event(path) => at(&self.event, path).is_some(),
            To::Session => !self.context.session_id.is_empty(),
            To::Parent => self.context.parent_session_id.is_some(),
            To::Agent => !self.context.agent_name.is_empty(),
            To::Folder => !self.context.cwd.as_os_str().is_empty(),
            To::Root => self.context.team_root.is_some(),
            To::Time => self.context.timestamp.0 > 0,
        }
    }
}

/// The rest of a field's path, if the path begins with this key.
fn below(field: &'static Field, key: &str) -> Option<Path> {
    let (first, below) = field.from.split_first()?;
    (*first == key).then_some(below)
}

/// The value at a path.
pub(crate) fn at<'a>(map: &'a Map<String, Value>, path: &[&str]) -> Option<&'a Value> {
    let (first, below) = path.split_first()?;
    below.iter().try_fold(map.get(*first)?, |value, key| value.get(*key))
}

/// Sets the value at a path. If a value that is not an object is in the way, nothing changes.
pub(crate) fn put(map: &mut Map<String, Value>, path: &[&str], value: Value) {
    let Some((last, above)) = path.split_last() else { return };
    let mut inner = map;
    for key in above {
        let below = inner.entry(*key).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(below) = below else { return };
        inner = below;
    }
    inner.insert((*last).to_owned(), value);
}
