//! The argument by which a person knows a call, such as its command or file.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// Arguments that hold the subject of a call. The first one counts.
const KEYS: [&str; 7] = ["command", "cmd", "file_path", "filePath", "notebook_path", "path", "url"];
/// Most characters that are kept of an argument.
const MOST: usize = 600;

/// The subject of a call, read from its arguments as JSON. Other arguments, such as contents of files, are passed over.
#[derive(Default)]
pub(crate) struct Subject {
    texts: [Option<String>; KEYS.len()],
    /// First text of an argument that is not in the table.
    other: Option<String>,
}

impl Subject {
    /// The argument that is known to hold the subject.
    pub(crate) fn known(self) -> Option<String> {
        self.texts.into_iter().flatten().next()
    }

    /// The argument that is known to hold the subject, or else the first text.
    pub(crate) fn any(mut self) -> Option<String> {
        let other = self.other.take();
        self.known().or(other)
    }
}

/// The argument of a call that is known to hold its subject, or else the first text, as [`Subject::any`].
pub(crate) fn find_subject(arguments: &Value) -> Option<&str> {
    let arguments = arguments.as_object()?;
    let known = KEYS.iter().find_map(|key| arguments.get(*key)?.as_str());
    let mut other = arguments.iter().filter(|(name, _)| !KEYS.contains(&name.as_str()));
    known.or_else(|| other.find_map(|(_, value)| value.as_str()))
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(arguments: D) -> Result<Self, D::Error> {
        arguments.deserialize_map(Arguments)
    }
}

struct Arguments;

impl<'de> Visitor<'de> for Arguments {
    type Value = Subject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the arguments of a call")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut arguments: A) -> Result<Subject, A::Error> {
        let mut subject = Subject::default();
        while let Some(name) = arguments.next_key::<String>()? {
            let known = KEYS.iter().zip(&mut subject.texts).find(|(key, _)| **key == name);
            let place = known.map_or(&mut subject.other, |(_, place)| place);
            if place.is_some() {
                arguments.next_value::<IgnoredAny>()?;
            } else {
                let value: Value = arguments.next_value()?;
                *place = value.as_str().map(|text| text.chars().take(MOST).collect());
            }
        }
        Ok(subject)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn subject(arguments: &Value) -> Subject {
        Subject::deserialize(arguments).unwrap_or_default()
    }

    #[test]
    fn the_subject_is_the_first_known_text() {
        let edit =
            json!({"old": "a", "path": "b", "file_path": "src/a.rs", "command": 7, "nested": {"cmd": "no"}});
        assert_eq!(
            (subject(&edit).any().as_deref(), find_subject(&edit)),
            (Some("src/a.rs"), Some("src/a.rs"))
        );
        let shell = json!({"path": "b", "command": "x".repeat(1_000)});
        assert_eq!(subject(&shell).known(), Some("x".repeat(MOST)));
        let other = json!({"count": 1, "query": "hooks", "more": "text"});
        assert_eq!((subject(&other).any().as_deref(), find_subject(&other)), (Some("hooks"), Some("hooks")));
        assert_eq!(subject(&other).known(), None);
        assert_eq!((subject(&json!("text")).any(), find_subject(&json!("text"))), (None, None));
    }
}
