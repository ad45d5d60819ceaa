//! What is noted of an event until it is worked up: one line of JSON.

use hooks_core::HookContext;
use hooks_core::event::{ChildStatus, EndReason};
use hooks_core::time::Timestamp;
use hooks_team::{Digest, Name, TeamError};
use serde::{Deserialize, Serialize};

/// The version of the format. Notes of another one are left for whoever knows it.
const VERSION: u32 = 1;

/// The most files that one note names.
const MOST_FILES: usize = 64;

/// The longest text that is noted, in characters.
const LONGEST: usize = 200;

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    version: u32,
    /// The same for all notes about one thing, however often it is told.
    pub(super) key: String,
    pub(super) at: Timestamp,
    pub(super) session: String,
    pub(super) agent: String,
    pub(super) what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum What {
    /// A tool is about to write.
    Begun { tool: String, files: Vec<String> },
    /// It ran.
    Done { tool: String, files: Vec<String>, failed: bool },
    /// A child is about to exist; the file says so that could not be written then.
    Spawned { name: String, title: String, text: String },
    /// It never came to exist.
    NotSpawned { child: String },
    /// A child ended.
    Ended { child: String, status: ChildStatus, duration_ms: u64, tokens: u64, calls: u64 },
    /// Another agent was told of files.
    Told { whom: Vec<String>, file: String },
    /// The session ended.
    Over { reason: EndReason, tokens: u64, calls: u64 },
}

impl Note {
    /// A note of now.
    pub(super) fn new(context: &HookContext, key: String, what: What) -> Self {
        Self {
            version: VERSION,
            key,
            at: context.timestamp,
            session: short(&context.session_id),
            agent: short(&context.agent_name),
            what,
        }
    }

    /// Reads what was left; `None` where it is not ours.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok().filter(|note: &Self| note.version == VERSION)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Text and numbers: there is nothing that JSON does not have.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A key that follows from what it is about.
pub(super) fn key(parts: &[&str]) -> String {
    Digest::of(parts.join("\0").as_bytes()).to_string().chars().take(16).collect()
}

/// As many files as are noted, on one line each.
pub(super) fn files(named: impl Iterator<Item = String>) -> Vec<String> {
    named.map(|file| short(&file)).take(MOST_FILES).collect()
}

/// `text` on one line, and no longer than anybody reads.
pub(crate) fn short(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.flat_map(|word| [" ", word]).skip(1).flat_map(str::chars).take(LONGEST).collect()
}

/// `text` as part of a file's name: letters and digits of ASCII, one dash for whatever is between them.
pub(super) fn stem(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let stem: String = words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(40).collect();
    if stem.is_empty() { "unnamed".to_owned() } else { stem }
}

/// A moment as file names have it on every system.
pub(super) fn time(at: Timestamp) -> String {
    let time: String = at.to_string().chars().take(19).collect();
    format!("{}Z", time.replace(':', "-"))
}

pub(super) fn name(text: &str) -> Result<Name, TeamError> {
    Name::new(text).map_err(|reason| TeamError::Name { name: text.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_read_again_and_fits_a_line() {
        let context = HookContext::new("s\n1", "a".repeat(900));
        let what = What::Begun { tool: "edit".into(), files: vec!["x".into()] };
        let note = Note::new(&context, key(&["s", "1"]), what);
        let bytes = note.to_bytes();
        assert!(!bytes.contains(&b'\n') && bytes.len() < 500);
        assert_eq!(Note::read(&bytes), Some(note));
        assert_eq!(Note::read(b"{\"version\": 2}"), None);
        assert_eq!((short(" a\u{0}\n b "), short(&"é ".repeat(300)).chars().count()), ("a b".into(), 200));
        assert_eq!((stem("Fact Checker!"), stem("🔧")), ("fact-checker".into(), "unnamed".into()));
        assert_ne!(key(&["a", "b"]), key(&["ab", ""]));
    }
}
