//! The common form in which the protocol of every client is defined.
//!
//! A [`Protocol`] has a [`Row`] for each event. A row defines the matching event of ours, the destination of
//! each payload field ([`Field`]), and the encoding of each [`Wish`] in an answer ([`Phrases`]). Decoder,
//! encoder, failure answers, capabilities and recognition all read the same rows. A client has no other code,
//! except for wishes that it supports for some calls only ([`Row::limit`]).

mod field;
mod phrase;

pub(crate) use self::field::{Field, How, Path, Preset, To, flag, number, text};
pub(crate) use self::phrase::{Phrase, Phrases, SILENT, Says, Word, word};
use hooks_core::{EventKind, WireEvent};
use serde_json::{Map, Value};

use crate::answer::Rewrite;
use crate::capabilities::Checked;
use crate::decode::Decoded;
use crate::degraded::Wish;

/// The protocol between a client and its hooks.
pub(crate) struct Protocol {
    /// Keys under which a payload can name its event; the first is the one to write.
    pub(crate) named_by: &'static [&'static str],
    /// Fields that payloads of all events have.
    pub(crate) common: &'static [Field],
    /// The client's events.
    pub(crate) rows: &'static [Row],
    /// Whether payload and answer come in an envelope.
    pub(crate) envelope: Option<Envelope>,
    /// The event whose phrase encodes a failure if the event is unknown; if `None`, an exit code does.
    pub(crate) unnamed: Option<&'static str>,
    /// Whether the client omits fields that are empty, zero or false.
    pub(crate) omits_empty: bool,
    /// Whether the client's tools ignore the case of argument names, as programs in Go do.
    pub(crate) folds_names: bool,
    /// Whether one answer can hold the denials of several events. If not, a denial can still be combined with
    /// exit code 2.
    pub(crate) is_flat: bool,
}

/// The envelope around a payload and its answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Envelope {
    /// The key of the payload in the message.
    pub(crate) input: &'static str,
    /// The key of the answer in the output.
    pub(crate) output: &'static str,
}

/// One event of one client.
pub(crate) struct Row {
    /// Name of the event in the client's protocol.
    pub(crate) name: &'static str,
    /// Kind of our matching event; `None` if the event is only passed on.
    pub(crate) kind: Option<EventKind>,
    /// Fields of this event's payload.
    pub(crate) fields: &'static [&'static [Field]],
    /// Values for fields that our event needs and this payload never has.
    pub(crate) presets: &'static [Preset],
    /// Keys that together only this event's payload has, for payloads that do not name their event.
    pub(crate) shape: &'static [&'static str],
    /// Encoding of each wish.
    pub(crate) phrases: Phrases,
    /// Wishes that the client supports for some calls only.
    pub(crate) limit: Option<Limit>,
    /// Whether the same call or prompt also fires another row, which is the one to count.
    pub(crate) is_told_elsewhere: bool,
    /// The check of hooks at an event that has no type of ours.
    pub(crate) checked: Option<Checked>,
    /// Whether a payload reports the event of ours; others of the same name are only passed on.
    pub(crate) reports: Option<Reports>,
}

/// Whether a payload reports the event of its row.
pub(crate) type Reports = fn(&Map<String, Value>) -> bool;

/// A restriction of wishes to some calls.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// The restricted wishes.
    pub(crate) wishes: &'static [Wish],
    /// Whether the client supports these wishes for the given call.
    pub(crate) leaves_room: fn(&CheckedCall<'_>) -> bool,
}

/// The call that a [`Limit`] checks.
pub(crate) struct CheckedCall<'a> {
    /// The payload, if it could be decoded.
    pub(crate) decoded: Option<&'a Decoded>,
    /// The change that hooks made.
    pub(crate) rewrite: Option<&'a Rewrite>,
}

impl<'a> CheckedCall<'a> {
    /// The event.
    pub(crate) fn event(&self) -> Option<&'a WireEvent> {
        self.decoded?.event.as_ref()
    }

    /// The tool, its original arguments and its changed arguments, if hooks changed the arguments of a call.
    pub(crate) fn changed_call(&self) -> Option<(&'a str, &'a Value, &'a Value)> {
        let Some(Rewrite::Arguments(after)) = self.rewrite else { return None };
        let (tool, before) = self.decoded?.call()?;
        Some((tool, before, after))
    }
}

impl Row {
    /// An event that is only passed on, and whose answer has no effect.
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
            checked: None,
            reports: None,
        }
    }

    /// An event with a type of ours.
    pub(crate) const fn new(
        name: &'static str,
        kind: EventKind,
        fields: &'static [&'static [Field]],
    ) -> Self {
        Self { kind: Some(kind), fields, ..Self::other(name) }
    }

    /// Sets the encoding of wishes.
    pub(crate) const fn saying(mut self, phrases: Phrases) -> Self {
        self.phrases = phrases;
        self
    }

    /// Sets values for fields that the payload never has.
    pub(crate) const fn with(mut self, presets: &'static [Preset]) -> Self {
        self.presets = presets;
        self
    }

    /// Sets the keys that distinguish the event's payloads.
    pub(crate) const fn shaped(mut self, keys: &'static [&'static str]) -> Self {
        self.shape = keys;
        self
    }

    /// Restricts wishes to some calls.
    pub(crate) const fn within(
        mut self,
        wishes: &'static [Wish],
        leaves_room: fn(&CheckedCall<'_>) -> bool,
    ) -> Self {
        self.limit = Some(Limit { wishes, leaves_room });
        self
    }

    /// Has hooks check an event that has no type of ours.
    pub(crate) const fn checking(mut self, checked: Checked) -> Self {
        self.checked = Some(checked);
        self
    }

    /// Marks an event whose calls or prompts also fire another row.
    pub(crate) const fn told_elsewhere(mut self) -> Self {
        self.is_told_elsewhere = true;
        self
    }

    /// Restricts the event of ours to the payloads for which `reports` holds.
    pub(crate) const fn only_if(mut self, reports: fn(&Map<String, Value>) -> bool) -> Self {
        self.reports = Some(reports);
        self
    }

    /// A copy of the row for an event of another name.
    pub(crate) const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Whether the client supports a wish for some calls only.
    pub(crate) fn limits(&self, wish: Wish) -> bool {
        self.limit.is_some_and(|limit| limit.wishes.contains(&wish))
    }

    /// Whether the limit permits a wish for this call.
    pub(crate) fn leaves_room(&self, wish: Wish, call: &CheckedCall<'_>) -> bool {
        !self.limits(wish) || self.limit.is_none_or(|limit| (limit.leaves_room)(call))
    }
}

impl Protocol {
    /// The row of an event. If no name matches exactly, case is ignored, provided that only one row matches
    /// then.
    pub(crate) fn row(&self, name: &str) -> Option<&'static Row> {
        let rows: &'static [Row] = self.rows;
        rows.iter().find(|row| row.name == name).or_else(|| {
            let mut alike = rows.iter().filter(|row| row.name.eq_ignore_ascii_case(name));
            let first = alike.next()?;
            alike.next().is_none().then_some(first)
        })
    }
}
