//! Record of the parts of a session's transcripts that were read, so that every answer counts once.

use std::collections::{BTreeMap, BTreeSet};

use hooks_core::event::Usage;
use hooks_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TranscriptAnswer, Unreadable, beyond, claude, codex, copilot, least, most_of, plus, qwen, time};
use crate::Client;

/// The transcripts of one session: how far each file was read, and which answers were found. It is kept as
/// JSON between processes.
///
/// Its size grows with the number of answers, by the length of their ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptLedger {
    form: Form,
    files: BTreeMap<String, File>,
    /// Ids of the answers that were found here, or in a session that this one is a copy of.
    found: BTreeSet<String>,
    /// Claude Code: what the answers found since its last sums used, by model; those sums, and the start of the
    /// session that they name.
    since: BTreeMap<String, Usage>,
    sums: BTreeMap<String, Usage>,
    began: u64,
    /// Answers that other sessions found; only needed for the first read of a copy.
    #[serde(skip)]
    inherited: Inherited,
}

/// Ids and sums of other sessions of the same project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Inherited {
    found: BTreeSet<String>,
    /// Largest sums by the start of the session.
    sums: BTreeMap<u64, BTreeMap<String, Usage>>,
}

/// The forms of transcripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    Claude,
    Codex,
    Copilot,
    Qwen,
}

/// A file of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct File {
    /// Bytes that were read.
    offset: u64,
    /// Only for Codex CLI.
    seen: codex::Seen,
    /// Time of the last line that named one.
    at: Option<Timestamp>,
    /// The bytes before the offset.
    end: Option<End>,
    /// Start of the first line that could not be read.
    unreadable: Option<u64>,
}

/// The last line that was read of a file, or its last bytes, by which a file in its place is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct End {
    length: u64,
    sum: u64,
}

/// Most bytes of [`End`].
const END: usize = 256;

impl End {
    /// The end of bytes that are not empty.
    fn take(bytes: &[u8]) -> Option<Self> {
        let end = bytes.get(bytes.len().saturating_sub(END)..).filter(|end| !end.is_empty())?;
        // FNV-1a.
        let sum = end.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Some(Self { length: u64::try_from(end.len()).unwrap_or_default(), sum })
    }
}

impl TranscriptLedger {
    /// Creates a ledger for a session of `client`; `None` if the form of its transcripts is not known, or if it
    /// has hooks for model calls.
    pub fn new(client: Client) -> Option<Self> {
        let form = match client {
            Client::Claude => Form::Claude,
            Client::Codex => Form::Codex,
            Client::Copilot => Form::Copilot,
            Client::Qwen => Form::Qwen,
            _ => return None,
        };
        Some(Self {
            form,
            files: BTreeMap::new(),
            found: BTreeSet::new(),
            since: BTreeMap::new(),
            sums: BTreeMap::new(),
            began: 0,
            inherited: Inherited::default(),
        })
    }

    /// The number of bytes of `file` that were read: [`read`](Self::read) continues there.
    pub fn offset(&self, file: &str) -> u64 {
        self.files.get(file).map_or(0, |file| file.offset)
    }

    /// The files that were read before, in alphabetical order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The number of bytes before the [`offset`](Self::offset) of `file` that [`continues`](Self::continues)
    /// compares: at most 256.
    pub fn compared(&self, file: &str) -> u64 {
        self.files.get(file).and_then(|file| file.end).map_or(0, |end| end.length)
    }

    /// Whether `file` is still the one that was read before, by the bytes before its [`offset`](Self::offset), as
    /// many as are [`compared`](Self::compared).
    pub fn continues(&self, file: &str, before: &[u8]) -> bool {
        self.files.get(file).and_then(|file| file.end).is_none_or(|end| End::take(before) == Some(end))
    }

    /// The first file with a line that could not be read, and the byte at which the line starts. The line should
    /// state the usage of an answer, so an answer may not have been counted.
    pub fn unreadable(&self) -> Option<(&str, u64)> {
        self.files.iter().find_map(|(name, file)| Some((&**name, file.unreadable?)))
    }

    /// Starts `file` anew, because it became shorter or is another file. Answers that were found stay found.
    pub fn start_over(&mut self, file: &str) {
        self.files.remove(file);
    }

    /// Takes over what another session of the same project found, in case this one is a copy of it. A copy has
    /// the lines of the original, with their ids. Do this before the first [`read`](Self::read).
    pub fn beside(&mut self, other: &Self) {
        // The other clients copy no lines.
        if self.form != Form::Claude || other.form != Form::Claude {
            return;
        }
        self.inherited.found.extend(other.found.iter().cloned());
        // Sums of a copy include the past of the original, which it names by its start.
        let sums = self.inherited.sums.entry(other.began).or_default();
        for (model, sum) in &other.sums {
            let most = sums.entry(model.clone()).or_default();
            if sum.total() > most.total() {
                *most = *sum;
            }
        }
    }

    /// Reads the bytes of `file` that follow its [`offset`](Self::offset), up to the last whole line, and
    /// returns the answers that are new. Read the files of subagents before that of their session, whose sums
    /// include them. A line of an unknown kind has no answer; one that cannot be read is
    /// [`unreadable`](Self::unreadable).
    pub fn read(&mut self, file: &str, bytes: &[u8]) -> Vec<TranscriptAnswer> {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
        let whole = bytes.get(..=end).unwrap_or_default();
        let mut answers = Vec::new();
        let mut at = self.offset(file);
        for line in whole.split(|byte| *byte == b'\n') {
            let read = match candidate(line) {
                Ok(Some(line)) => self.line(file, &line, &mut answers),
                Ok(None) => Ok(()),
                Err(unreadable) => Err(unreadable),
            };
            if read.is_err() {
                self.files.entry(file.to_owned()).or_default().unreadable.get_or_insert(at);
            }
            at = at.saturating_add(length(line)).saturating_add(1);
        }
        let file = self.files.entry(file.to_owned()).or_default();
        file.offset = file.offset.saturating_add(length(whole));
        file.end = End::take(last_line(whole));
        answers
    }

    fn line(
        &mut self,
        file: &str,
        line: &Value,
        answers: &mut Vec<TranscriptAnswer>,
    ) -> Result<(), Unreadable> {
        let kept = self.files.entry(file.to_owned()).or_default();
        kept.at = time(line).or(kept.at);
        let answer = match self.form {
            Form::Claude => match claude::line(line)? {
                Some(claude::Line::Message(answer)) => Some(answer),
                Some(claude::Line::Sums { began, by_model }) => {
                    answers.extend(self.unlisted(file, began, by_model));
                    None
                }
                None => None,
            },
            Form::Codex => codex::line(line, file, &mut kept.seen)?,
            Form::Copilot => copilot::line(line)?,
            Form::Qwen => qwen::line(line)?,
        };
        let Some(answer) = answer else { return Ok(()) };
        let is_inherited = self.inherited.found.contains(&answer.id);
        if self.found.insert(answer.id.clone()) && !is_inherited {
            if self.form == Form::Claude {
                let since = self.since.entry(answer.model.clone()).or_default();
                *since = plus(*since, answer.usage);
            }
            answers.push(answer);
        }
        Ok(())
    }

    /// Returns the part of new sums that neither the earlier sums nor the answers found since include. The sums can
    /// name a model in another way than its answers, so all models together decide how much is missing.
    fn unlisted(
        &mut self,
        file: &str,
        began: u64,
        by_model: BTreeMap<String, Usage>,
    ) -> Vec<TranscriptAnswer> {
        if began != self.began {
            self.sums = self.inherited.sums.get(&began).cloned().unwrap_or_default();
        }
        let since = std::mem::take(&mut self.since);
        let before = self.sums.clone();
        self.began = began;
        // Sums that are read again are smaller than those that were read last.
        for (model, sum) in by_model {
            let most = self.sums.entry(model).or_default();
            *most = most_of(*most, sum);
        }
        let at = self.files.get(file).and_then(|file| file.at);
        let all =
            |of: &BTreeMap<String, Usage>| of.values().fold(Usage::default(), |all, one| plus(all, *one));
        let usage_of = |of: &BTreeMap<String, Usage>, model: &str| of.get(model).copied().unwrap_or_default();
        let mut left = beyond(beyond(all(&self.sums), all(&before)), all(&since));
        let mut unlisted = Vec::new();
        for (model, sum) in &self.sums {
            let grown = beyond(*sum, usage_of(&before, model));
            let usage = least(beyond(grown, usage_of(&since, model)), left);
            left = beyond(left, usage);
            if usage.total() > 0 {
                let id = format!("cost-state/{began}/{model}/{}", sum.total());
                unlisted.push(TranscriptAnswer { id, model: model.clone(), agent_id: None, usage, at });
            }
        }
        unlisted
    }
}

/// The last line of whole lines.
fn last_line(whole: &[u8]) -> &[u8] {
    let before = whole.get(..whole.len().saturating_sub(1)).unwrap_or_default();
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at.saturating_add(1));
    whole.get(start..).unwrap_or_default()
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

/// Parts of lines that can have usage or name a model.
const PARTS: &[&str] =
    &["sage\"", "turn_context", "TokensUsed", "usage_record", "cost-state", "api_response"];

/// A line that can have usage or name a model, as JSON. Most lines have neither, and some are long.
fn candidate(line: &[u8]) -> Result<Option<Value>, Unreadable> {
    let text = String::from_utf8_lossy(line);
    if !PARTS.iter().any(|part| text.contains(part)) {
        return Ok(None);
    }
    serde_json::from_slice(line).map(Some).map_err(|_| Unreadable)
}
