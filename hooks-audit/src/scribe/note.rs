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

/// How many digits a key has.
const KEY: usize = 16;

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

/// What all versions have.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
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
        Self::parse(bytes).ok().flatten()
    }

    /// Reads what was left; `None` where it is a note of another version.
    ///
    /// # Errors
    /// No Scribe leaves such a note: why, as a reason for people.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, String> {
        let unread = |error: serde_json::Error| format!("it is no note that can be read: {error}");
        let Versioned { version } = serde_json::from_slice(bytes).map_err(unread)?;
        if version != VERSION {
            return Ok(None);
        }
        let note: Self = serde_json::from_slice(bytes).map_err(unread)?;
        note.check().map(|()| Some(note))
    }

    /// Refuses what would be more than a line or a file of its own: others write in the folder too.
    fn check(&self) -> Result<(), String> {
        let is_key =
            |key: &str| key.len() == KEY && key.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_key(&self.key) {
            return Err(format!("its key is not {KEY} hexadecimal digits"));
        }
        let What::Spawned { name, .. } = &self.what else { return Ok(()) };
        let stem = name.strip_suffix(".md").filter(|stem| name.len() <= LONGEST && stem.ends_with(&self.key));
        let is_plain = |stem: &str| stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if stem.is_some_and(is_plain) {
            return Ok(());
        }
        Err(format!("`{}` is no name of a file that a child gets", short(name).replace('`', "'")))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Text and numbers: there is nothing that JSON does not have.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// A key that follows from what it is about.
pub(super) fn key(parts: &[&str]) -> String {
    Digest::of(parts.join("\0").as_bytes()).to_string().chars().take(KEY).collect()
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
        assert_eq!(Note::parse(b"{\"version\": 2}"), Ok(None));
        assert_eq!((short(" a\u{0}\n b "), short(&"é ".repeat(300)).chars().count()), ("a b".into(), 200));
        assert_eq!((stem("Fact Checker!"), stem("🔧")), ("fact-checker".into(), "unnamed".into()));
        assert_ne!(key(&["a", "b"]), key(&["ab", ""]));
    }

    #[test]
    fn only_notes_as_a_scribe_leaves_them_are_read() {
        let note = |key: &str, name: &str| {
            let what = What::Spawned { name: name.into(), title: "t".into(), text: "x".into() };
            Note::parse(&Note::new(&HookContext::new("s", "a"), key.into(), what).to_bytes())
        };
        let key = key(&["k"]);
        assert!(note(&key, &format!("2026-11-22T04-20-47Z-a-{key}.md")).unwrap().is_some());
        let long = format!("{}{key}.md", "a".repeat(200));
        for name in ["holds.json", "w1.00000001.jsonl", "../x.md", "a.md", "a.b.md", ".md", "x\n.md", &long] {
            let why = note(&key, name).unwrap_err();
            assert!(why.contains("is no name of a file"), "{why}");
            assert!(note(&key, &format!("{name}/{key}.md")).is_err());
        }
        for key in ["", "k", "0123456789abcdeF", "\n- forged 1234567"] {
            assert!(note(key, &format!("a-{key}.md")).is_err());
        }
        assert!(Note::parse(b"rubbish").is_err() && Note::parse(b"{\"version\": 1}").is_err());
    }
}
