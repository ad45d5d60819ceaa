//! A conversation that is shortened without a model.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hooks_conversation::message::{Spot, places};
use hooks_conversation::summary::insert_kept;
use hooks_conversation::{Tokenizer, Tokenizers};
use hooks_core::event::{Message, Role};
use serde_json::{Map, Value};

use super::keep::Keep;

/// Tokenizers and exceptions of a compaction.
#[derive(Clone)]
pub(super) struct Rules {
    pub(super) tokenizers: Tokenizers,
    pub(super) keep: Arc<dyn Keep>,
}

impl Rules {
    /// Returns the number of tokens that `message` takes in a call of `model`.
    pub(super) fn count(&self, model: &str, message: &Message) -> u64 {
        self.tokenizers.for_model(Some(model)).message(message)
    }
}

/// A conversation that is being compacted.
pub(super) struct Conversation {
    entries: Vec<Entry>,
    tokens: u64,
    model: Arc<str>,
    rules: Rules,
}

struct Entry {
    message: Message,
    tokens: u64,
    stays: Stays,
}

/// The part of a message that must stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stays {
    /// The whole message, verbatim.
    Verbatim,
    /// All of it except its tool results.
    ButResults,
    /// Nothing.
    Free,
}

/// Messages that a summary may replace.
pub(super) struct Older {
    chosen: Vec<bool>,
    /// Tokens of the chosen messages.
    pub(super) tokens: u64,
    /// Tokens of the other messages.
    pub(super) rest: u64,
}

/// Contents up to this many bytes stay: a mark takes a third of that, and carries no information.
const SMALL: usize = 160;

impl Conversation {
    /// Creates the conversation of `messages` as sent to `model`. `notes` are inserted after the system
    /// messages at the front, and stay.
    pub(super) fn new(messages: &[Message], notes: &[String], model: Arc<str>, rules: Rules) -> Self {
        let mut stays = which_stay(messages, &*rules.keep);
        let mut messages = messages.to_vec();
        if let Some(index) = insert_kept(notes, &mut messages) {
            stays.insert(index, Stays::Verbatim);
        }
        let count = |message: &Message| rules.count(&model, message);
        let entries: Vec<Entry> = messages
            .into_iter()
            .zip(stays)
            .map(|(message, stays)| Entry { tokens: count(&message), message, stays })
            .collect();
        let tokens = entries.iter().fold(0, |sum: u64, entry| sum.saturating_add(entry.tokens));
        Self { entries, tokens, model, rules }
    }

    /// The number of tokens in the conversation.
    pub(super) const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The current messages.
    pub(super) fn messages(&self) -> Vec<Message> {
        self.entries.iter().map(|entry| entry.message.clone()).collect()
    }

    /// Drops tool results, the oldest first, until the size is `enough`; returns how many.
    pub(super) fn drop_results(&mut self, enough: impl Fn(u64) -> bool) -> usize {
        let mut dropped = 0;
        for index in 0..self.entries.len() {
            if enough(self.tokens) {
                break;
            }
            let Some(entry) = self.entries.get(index).filter(|entry| entry.stays != Stays::Verbatim) else {
                continue;
            };
            let marks: Vec<(Spot, String)> = large(places::results(&entry.message), &entry.message)
                .map(|(spot, bytes)| {
                    (spot, format!("[a tool result of {bytes} bytes was dropped to make room]"))
                })
                .collect();
            dropped += marks.len();
            self.mark(index, marks);
        }
        dropped
    }

    /// Keeps only the last of identical contents; returns how many others were removed.
    pub(super) fn deduplicate(&mut self) -> usize {
        let mut seen: HashSet<Cow<'_, str>> = HashSet::new();
        let mut repeats = Vec::new();
        for (index, Entry { message, stays, .. }) in self.entries.iter().enumerate().rev() {
            let mut spots = places::results(message);
            if message.role == Role::User {
                spots.extend(places::texts(message).into_iter().filter(|_| *stays != Stays::ButResults));
            }
            let mut marks = Vec::new();
            for (spot, bytes) in large(spots, message).collect::<Vec<_>>().into_iter().rev() {
                let Some(value) = spot.get(message) else { continue };
                if !seen.insert(plain(value)) && *stays != Stays::Verbatim {
                    marks.push((spot, format!("[these {bytes} bytes stand again further below]")));
                }
            }
            if !marks.is_empty() {
                repeats.push((index, marks));
            }
        }
        let replaced = repeats.iter().map(|(_, marks)| marks.len()).sum();
        for (index, marks) in repeats {
            self.mark(index, marks);
        }
        replaced
    }

    /// Chooses the messages that a summary may replace: all that need not stay, except the newest turns, as
    /// many as `fit` beside those that have to stay. A call and its results are chosen together.
    pub(super) fn older(&self, fit: impl Fn(u64) -> bool) -> Older {
        let units = units(self.entries.iter().map(|entry| &entry.message));
        let (mut stays, mut tokens) = (vec![false; units.len()], vec![0u64; units.len()]);
        for (entry, unit) in self.entries.iter().zip(&units) {
            if let (Some(stays), Some(tokens)) = (stays.get_mut(*unit), tokens.get_mut(*unit)) {
                *stays |= entry.stays != Stays::Free;
                *tokens = tokens.saturating_add(entry.tokens);
            }
        }
        let mut rest = stays.iter().zip(&tokens).filter(|(stays, _)| **stays).map(|(_, tokens)| tokens).sum();
        for unit in units.iter().rev() {
            let (Some(stays), Some(tokens)) = (stays.get_mut(*unit), tokens.get(*unit)) else { break };
            if !*stays && fit(tokens.saturating_add(rest)) {
                *stays = true;
                rest = tokens.saturating_add(rest);
            } else if !*stays {
                break;
            }
        }
        let chosen: Vec<bool> = units.iter().map(|unit| !stays.get(*unit).copied().unwrap_or(true)).collect();
        Older { chosen, tokens: self.tokens.saturating_sub(rest), rest }
    }

    /// The chosen messages.
    pub(super) fn chosen(&self, older: &Older) -> Vec<Message> {
        let chosen = self.entries.iter().zip(&older.chosen).filter(|(_, chosen)| **chosen);
        chosen.map(|(entry, _)| entry.message.clone()).collect()
    }

    /// Replaces the chosen messages with one message, at the place of the first.
    pub(super) fn replace(&mut self, older: &Older, with: Message) {
        let tokens = self.rules.count(&self.model, &with);
        let mut with = Some(Entry { message: with, tokens, stays: Stays::Free });
        let mut chosen = older.chosen.iter().copied();
        let mut left = Vec::with_capacity(self.entries.len());
        for entry in self.entries.drain(..) {
            match chosen.next() {
                Some(true) => left.extend(with.take()),
                _ => left.push(entry),
            }
        }
        self.entries = left;
        self.tokens = self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.tokens));
    }

    /// Puts marks into a message, and counts it again.
    fn mark(&mut self, index: usize, marks: Vec<(Spot, String)>) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        for (spot, mark) in marks {
            spot.put(&mut entry.message, mark);
        }
        let before = std::mem::replace(&mut entry.tokens, self.rules.count(&self.model, &entry.message));
        self.tokens = self.tokens.saturating_sub(before).saturating_add(entry.tokens);
    }
}

/// The part of each message that must stay.
fn which_stay(messages: &[Message], keep: &dyn Keep) -> Vec<Stays> {
    let asks = |message: &Message| message.role == Role::User && places::holds_more_than_results(message);
    // A host may write reminders beside the results of tools. The last message that is the user's alone is
    // the request; text beside later results may be one too.
    let alone = messages.iter().rposition(|message| asks(message) && !places::holds_results(message));
    let beside = messages.iter().rposition(asks);
    let of = |(index, message): (usize, &Message)| {
        if message.role == Role::System || Some(index) == alone || keep.keeps(message) {
            Stays::Verbatim
        } else if Some(index) == beside {
            Stays::ButResults
        } else {
            Stays::Free
        }
    };
    messages.iter().enumerate().map(of).collect()
}

/// Groups of messages that belong together, each named by its first message. A result belongs to the message
/// with its call, by id, and also to the message directly before it.
fn units<'a>(messages: impl Iterator<Item = &'a Message>) -> Vec<usize> {
    let mut parents: Vec<usize> = Vec::new();
    let mut callers: HashMap<&str, usize> = HashMap::new();
    for (index, message) in messages.enumerate() {
        parents.push(index);
        callers.extend(places::called(message).into_iter().map(|id| (id, index)));
        if message.role == Role::Tool || places::holds_results(message) {
            let of_ids: Vec<usize> =
                places::answered(message).filter_map(|id| callers.get(id).copied()).collect();
            for other in of_ids.into_iter().chain(index.checked_sub(1)) {
                let (mine, theirs) = (root(&mut parents, index), root(&mut parents, other));
                if let Some(parent) = parents.get_mut(mine.max(theirs)) {
                    *parent = mine.min(theirs);
                }
            }
        }
    }
    (0..parents.len()).map(|index| root(&mut parents, index)).collect()
}

/// The first message of the group of `at`; shortens the path to it.
fn root(parents: &mut [usize], mut at: usize) -> usize {
    while let Some(parent) = parents.get(at).copied().filter(|parent| *parent != at) {
        let next = parents.get(parent).copied().unwrap_or(parent);
        if let Some(slot) = parents.get_mut(at) {
            *slot = next;
        }
        at = next;
    }
    at
}

/// The places in `spots` whose content is large enough for a mark, with its size in bytes.
fn large(spots: Vec<Spot>, message: &Message) -> impl Iterator<Item = (Spot, usize)> {
    spots.into_iter().filter_map(|spot| {
        let bytes = bytes(spot.get(message)?);
        (bytes >= SMALL).then_some((spot, bytes))
    })
}

/// The number of bytes of text in a value.
fn bytes(value: &Value) -> usize {
    let (mut sum, mut open) = (0, vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => sum += text.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => sum += 4,
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                sum += fields.keys().map(String::len).sum::<usize>();
                open.extend(fields.values());
            }
        }
    }
    sum
}

/// The text of a value; a list with a single text block counts as that text.
fn plain(value: &Value) -> Cow<'_, str> {
    let block = match value {
        Value::Array(blocks) if blocks.len() == 1 => blocks.first().unwrap_or(value),
        _ => value,
    };
    let is_text = |block: &Map<String, Value>| match block.get("type") {
        Some(kind) => kind == "text" && block.len() == 2,
        None => block.len() == 1,
    };
    let text = || block.as_object().filter(|block| is_text(block))?.get("text")?.as_str();
    match value.as_str().or_else(text) {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(value.to_string()),
    }
}
