//! The one shape in which every client's protocol is written down.
//!
//! A [`Protocol`] has a [`Row`] for each event. A row says which of our events it is, where each field of the payload
//! goes ([`Field`]), and with which words the client is told each [`Wish`] ([`Phrases`]). Decoder, encoder, failure
//! answers, capabilities and recognition all read the same rows; a client has no code of its own beyond them, save for
//! what it cannot be told ([`Row::limit`]).

mod field;
mod phrase;

pub(crate) use self::field::{Field, How, Path, Preset, To, flag, number, text};
pub(crate) use self::phrase::{Phrase, Phrases, SILENT, Says, Word, word};
use hooks_core::{EventKind, WireEvent};
use serde_json::Value;

use crate::answer::Rewrite;
use crate::decode::Decoded;
use crate::degraded::Wish;

/// How a client talks with its hooks.
pub(crate) struct Protocol {
    /// Under which keys a payload names its event; the first is the one to write.
    pub(crate) named_by: &'static [&'static str],
    /// Fields that payloads of all events have.
    pub(crate) common: &'static [Field],
    /// Its events.
    pub(crate) rows: &'static [Row],
    /// Whether payload and answer come in an envelope.
    pub(crate) envelope: Option<Envelope>,
    /// The event in whose words a failure is told where the event is not known; `None`: by the exit code.
    pub(crate) unnamed: Option<&'static str>,
    /// Whether it leaves out what is empty, zero or false.
    pub(crate) omits_empty: bool,
    /// Whether its tools take arguments whose names differ in case for one, as programs in Go do.
    pub(crate) folds_names: bool,
    /// Whether the denials of several events can stand in one answer. Where they cannot, exit code 2 denies beside one.
    pub(crate) is_flat: bool,
}

/// What stands around a payload and its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    /// The key of the payload in the message.
    pub(crate) input: &'static str,
    /// The key of the answer in the reply.
    pub(crate) output: &'static str,
}

/// One event of one client.
pub(crate) struct Row {
    /// What the client calls it.
    pub(crate) name: &'static str,
    /// Which of our events it is; `None` for one that is only passed on.
    pub(crate) kind: Option<EventKind>,
    /// Its own fields.
    pub(crate) fields: &'static [&'static [Field]],
    /// What our event needs and this payload never says.
    pub(crate) presets: &'static [Preset],
    /// Keys that only this event's payload has together, where payloads do not name their event.
    pub(crate) shape: &'static [&'static str],
    /// How each wish is said.
    pub(crate) phrases: Phrases,
    /// Which wishes can be said about some calls only.
    pub(crate) limit: Option<Limit>,
    /// Whether the same call fires another row as well, which is the one to count.
    pub(crate) is_told_elsewhere: bool,
}

/// A limit of what can be said.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// The wishes that it is about.
    pub(crate) wishes: &'static [Wish],
    /// Whether they can be said about this one.
    pub(crate) leaves_room: fn(&Asked<'_>) -> bool,
}

/// What is asked about, for a [`Limit`].
pub(crate) struct Asked<'a> {
    /// The payload, where it could be read.
    pub(crate) decoded: Option<&'a Decoded>,
    /// What it would be changed to.
    pub(crate) rewrite: Option<&'a Rewrite>,
}

impl<'a> Asked<'a> {
    /// The event.
    pub(crate) fn event(&self) -> Option<&'a WireEvent> {
        self.decoded?.event.as_ref()
    }

    /// The tool, its arguments and what they would be changed to, where a call would be changed.
    pub(crate) fn changed_call(&self) -> Option<(&'a str, &'a Value, &'a Value)> {
        let Some(Rewrite::Arguments(after)) = self.rewrite else { return None };
        let (tool, before) = self.decoded?.call()?;
        Some((tool, before, after))
    }
}

impl Row {
    /// An event that is only passed on, and at which nothing can be said.
    pub(crate) const fn other(name: &'static str) -> Self {
        Self {
            name,
            kind: None,
            fields: &[],
            presets: &[],
            shape: &[],
            phrases: SILENT,
            limit: None,
            is_told_elsewhere: false,
        }
    }

    /// An event of ours.
    pub(crate) const fn of(name: &'static str, kind: EventKind, fields: &'static [&'static [Field]]) -> Self {
        Self { kind: Some(kind), fields, ..Self::other(name) }
    }

    /// How wishes are said.
    pub(crate) const fn saying(mut self, phrases: Phrases) -> Self {
        self.phrases = phrases;
        self
    }

    /// What the payload never says.
    pub(crate) const fn with(mut self, presets: &'static [Preset]) -> Self {
        self.presets = presets;
        self
    }

    /// The keys that tell it.
    pub(crate) const fn shaped(mut self, keys: &'static [&'static str]) -> Self {
        self.shape = keys;
        self
    }

    /// The limit of what can be said.
    pub(crate) const fn within(
        mut self,
        wishes: &'static [Wish],
        leaves_room: fn(&Asked<'_>) -> bool,
    ) -> Self {
        self.limit = Some(Limit { wishes, leaves_room });
        self
    }

    /// The same call fires another row as well.
    pub(crate) const fn told_elsewhere(mut self) -> Self {
        self.is_told_elsewhere = true;
        self
    }

    /// The same under another name.
    pub(crate) const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Whether a wish can be said about some calls only.
    pub(crate) fn limits(&self, wish: Wish) -> bool {
        self.limit.is_some_and(|limit| limit.wishes.contains(&wish))
    }

    /// Whether the limit leaves room for a wish.
    pub(crate) fn leaves_room(&self, wish: Wish, asked: &Asked<'_>) -> bool {
        !self.limits(wish) || self.limit.is_none_or(|limit| (limit.leaves_room)(asked))
    }
}

impl Protocol {
    /// The row of an event. Case does not count where that leaves one.
    pub(crate) fn row(&self, name: &str) -> Option<&'static Row> {
        let rows: &'static [Row] = self.rows;
        rows.iter().find(|row| row.name == name).or_else(|| {
            let mut alike = rows.iter().filter(|row| row.name.eq_ignore_ascii_case(name));
            let first = alike.next()?;
            alike.next().is_none().then_some(first)
        })
    }
}
