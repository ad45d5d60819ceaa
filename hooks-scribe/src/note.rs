//! Notes of events until they are delivered: one line of JSON each.

use hooks_core::HookContext;
use hooks_core::event::{ChildStatus, EndReason};
use hooks_core::time::Timestamp;
use hooks_team::{Digest, Name, TeamError};
use serde::{Deserialize, Serialize};

/// Version of the format. Notes of another version stay in the queue for programs that know it.
const VERSION: u32 = 1;

/// Limit on the files in one note.
const MOST_FILES: usize = 64;

/// Length of a key, in hexadecimal digits.
const KEY: usize = 16;

/// Limit on the length of a noted text, in characters.
const LONGEST: usize = 200;

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Note {
    version: u32,
    /// Key shared by all notes about one event, however often it is reported.
    pub(super) key: String,
    pub(super) at: Timestamp,
    pub(super) session: String,
    pub(super) agent: String,
    pub(super) what: What,
}

/// Fields that all versions have.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Content of a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum What {
    /// A tool is about to write.
    Begun { tool: String, files: Vec<String> },
    /// The tool ran.
    Done { tool: String, files: Vec<String>, failed: bool },
    /// A child is about to start; has the content of its file, which could not be written before.
    Spawned { name: String, title: String, text: String },
    /// The child was not started.
    NotSpawned { child: String },
    /// A child ended.
    Ended { child: String, status: ChildStatus, duration_ms: u64, tokens: u64, calls: u64 },
    /// Other agents get a notice about a file.
    Told { whom: Vec<String>, file: String },
    /// The session ended.
    Over { reason: EndReason, tokens: u64, calls: u64 },
}

impl Note {
    /// Creates a note with the time of `context`.
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

    /// Parses a note; `None` if it is not valid or of another version.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        Self::parse(bytes).ok().flatten()
    }

    /// Parses a note; `None` if it is of another version.
    ///
    /// # Errors
    /// Returns the reason, as text for display, if the note is not valid.
    pub(super) fn parse(bytes: &[u8]) -> Result<Option<Self>, String> {
        let unread = |error: serde_json::Error| format!("it is not a note that can be read: {error}");
        let Versioned { version } = serde_json::from_slice(bytes).map_err(unread)?;
        if version != VERSION {
            return Ok(None);
        }
        let note: Self = serde_json::from_slice(bytes).map_err(unread)?;
        note.check().map(|()| Some(note))
    }

    /// Refuses notes that would write more than a line or their own file, because other programs write to the
    /// folder too.
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
        Err(format!("`{}` is not a name of a file that a child gets", short(name).replace('`', "'")))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Encoding cannot fail: there are only texts and numbers.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

/// Derives a key from `parts`.
pub(super) fn key(parts: &[&str]) -> String {
    Digest::hash(parts.join("\0").as_bytes()).to_string().chars().take(KEY).collect()
}

/// Shortens the list of files to the limit of a note, each on one line.
pub(super) fn files(named: impl Iterator<Item = String>) -> Vec<String> {
    named.map(|file| short(&file)).take(MOST_FILES).collect()
}

/// Puts `text` on one line and cuts it to the limit of a note.
pub(crate) fn short(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.flat_map(|word| [" ", word]).skip(1).flat_map(str::chars).take(LONGEST).collect()
}

/// Converts `text` to a part of a file name: ASCII letters and digits, with one dash for everything between
/// them.
pub(super) fn stem(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let stem: String = words.collect::<Vec<_>>().join("-").to_lowercase().chars().take(40).collect();
    if stem.is_empty() { "unnamed".to_owned() } else { stem }
}

/// Formats a time for file names on every system.
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
            assert!(why.contains("is not a name of a file"), "{why}");
            assert!(note(&key, &format!("{name}/{key}.md")).is_err());
        }
        for key in ["", "k", "0123456789abcdeF", "\n- forged 1234567"] {
            assert!(note(key, &format!("a-{key}.md")).is_err());
        }
        assert!(Note::parse(b"rubbish").is_err() && Note::parse(b"{\"version\": 1}").is_err());
    }
}
