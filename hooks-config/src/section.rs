//! A section that another crate than `hooks-classic` reads: its schema, and its values, with every mistake
//! at its place.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use super::document::without_null;
use super::error::Mistakes;
use super::prune::Pruned;

/// Most values of a section (such as invalid durations) that are reported one by one.
const MOST: usize = 100;

/// Schema of a section. Its definitions are added to those of `root`.
pub(super) fn schema<T: JsonSchema>(root: &mut Map<String, Value>) -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    without_null(&mut schema);
    let Some(object) = schema.as_object_mut() else { return schema };
    object.remove("$schema");
    object.remove("title");
    if let (Some(Value::Object(own)), Some(Value::Object(all))) =
        (object.remove("$defs"), root.get_mut("$defs"))
    {
        all.extend(own);
    }
    schema
}

/// Removes the section `key` from `sections` and reads it.
pub(super) fn taken<T: DeserializeOwned>(
    key: &str,
    sections: &mut Map<String, Value>,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> Option<T> {
    read(key, sections.shift_remove(key)?, tree, mistakes)
}

/// Reads a value that fits the schema. An invalid value, such as a text that is not a duration, is reported
/// at its place and left out, so that one mistake hides no other.
pub(super) fn read<T: DeserializeOwned>(
    key: &str,
    mut value: Value,
    tree: &Pruned,
    mistakes: &mut Mistakes,
) -> Option<T> {
    for _ in 0..MOST {
        let error = match serde_path_to_error::deserialize(&value) {
            Ok(config) => return Some(config),
            Err(error) => error,
        };
        let is_left_out = remove(&mut value, error.path());
        let path = match error.path().to_string().as_str() {
            "." => key.to_owned(),
            within => format!("{key}.{within}"),
        };
        // A mistake left out before may be reported as missing now; it has a report already.
        let is_told = mistakes
            .paths()
            .any(|known| known.strip_prefix(&*path).is_some_and(|rest| rest.starts_with('.')));
        if !is_told && (is_left_out || mistakes.is_empty()) {
            report(&path, error.inner().to_string(), tree, mistakes);
        }
        if !is_left_out {
            return None;
        }
    }
    None
}

/// Reports `text`. A hint may follow a semicolon.
fn report(path: &str, text: String, tree: &Pruned, mistakes: &mut Mistakes) {
    let (place, path) = (tree.root.locate(path), tree.path_before(path));
    match text.split_once("; ") {
        Some((problem, hint)) => mistakes.add_with_hint(place, path, problem, hint),
        None => mistakes.add(place, path, text),
    }
}

/// Removes the value at `path` if it is the entry of a map, and returns whether it did.
fn remove(value: &mut Value, path: &Path) -> bool {
    let segments: Vec<_> = path.iter().collect();
    let Some((Segment::Map { key }, parents)) = segments.split_last() else { return false };
    let parent = parents.iter().try_fold(value, |value, segment| match segment {
        Segment::Map { key } => value.get_mut(key),
        Segment::Seq { index } => value.get_mut(*index),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    parent.and_then(Value::as_object_mut).is_some_and(|map| map.shift_remove(key).is_some())
}
