//! Record of the parts of a session's transcripts that were read, so that every answer counts once.

use std::collections::{BTreeMap, BTreeSet};

use hooks_core::event::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{TranscriptAnswer, beyond, claude, codex, copilot, plus};
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
}

/// A file of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct File {
    /// Bytes that were read.
    offset: u64,
    /// Only for Codex CLI.
    seen: codex::Seen,
}

impl TranscriptLedger {
    /// Creates a ledger for a session of `client`; `None` if the form of its transcripts is not known, or if it
    /// has hooks for model calls.
    pub fn new(client: Client) -> Option<Self> {
        let form = match client {
            Client::Claude => Form::Claude,
            Client::Codex => Form::Codex,
            Client::Copilot => Form::Copilot,
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

    /// Starts `file` anew, because it became shorter. Answers that were found stay found.
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
    /// include them. A line that is no JSON, or of an unknown kind, has no answer.
    pub fn read(&mut self, file: &str, bytes: &[u8]) -> Vec<TranscriptAnswer> {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
        let whole = bytes.get(..=end).unwrap_or_default();
        let mut answers = Vec::new();
        for line in whole.split(|byte| *byte == b'\n') {
            if let Some(line) = candidate(line) {
                self.line(file, &line, &mut answers);
            }
        }
        let read = u64::try_from(whole.len()).unwrap_or(u64::MAX);
        let file = self.files.entry(file.to_owned()).or_default();
        file.offset = file.offset.saturating_add(read);
        answers
    }

    fn line(&mut self, file: &str, line: &Value, answers: &mut Vec<TranscriptAnswer>) {
        let answer = match self.form {
            Form::Claude => match claude::line(line) {
                Some(claude::Line::Message(answer)) => Some(answer),
                Some(claude::Line::Sums { began, by_model }) => {
                    let offset = self.offset(file);
                    answers.extend(self.unlisted(&format!("{file}/{offset}"), began, by_model));
                    None
                }
                None => None,
            },
            Form::Codex => codex::line(line, file, &mut self.files.entry(file.to_owned()).or_default().seen),
            Form::Copilot => copilot::line(line),
        };
        let Some(answer) = answer else { return };
        let is_inherited = self.inherited.found.contains(&answer.id);
        if self.found.insert(answer.id.clone()) && !is_inherited {
            if self.form == Form::Claude {
                let since = self.since.entry(answer.model.clone()).or_default();
                *since = plus(*since, answer.usage);
            }
            answers.push(answer);
        }
    }

    /// Returns the part of new sums that neither the earlier sums nor the answers found since include.
    fn unlisted(
        &mut self,
        place: &str,
        began: u64,
        by_model: BTreeMap<String, Usage>,
    ) -> Vec<TranscriptAnswer> {
        if began != self.began {
            self.sums = self.inherited.sums.get(&began).cloned().unwrap_or_default();
        }
        let since = std::mem::take(&mut self.since);
        let before = std::mem::replace(&mut self.sums, by_model);
        self.began = began;
        let usage_of = |of: &BTreeMap<String, Usage>, model: &str| of.get(model).copied().unwrap_or_default();
        let mut unlisted = Vec::new();
        for (model, sum) in &self.sums {
            let usage = beyond(beyond(*sum, usage_of(&before, model)), usage_of(&since, model));
            if usage.total() > 0 {
                let id = format!("cost-state/{place}/{}", sum.total());
                unlisted.push(TranscriptAnswer { id, model: model.clone(), agent_id: None, usage });
            }
        }
        unlisted
    }
}

/// A line that can have usage or name a model, as JSON. Most lines have neither, and some are long.
fn candidate(line: &[u8]) -> Option<Value> {
    let line = std::str::from_utf8(line).ok()?;
    let can = ["sage\"", "turn_context", "TokensUsed"].iter().any(|part| line.contains(part));
    can.then(|| serde_json::from_str(line).ok()).flatten()
}
