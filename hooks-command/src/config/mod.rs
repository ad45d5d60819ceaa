//! A block of handlers: `hooks:` of a docker-agent agent, of a user's settings, of a `hooks.yaml`.
//!
//! [`read`] takes a block as JSON, whatever it was written in, and reports everything that is wrong with it at once,
//! each mistake with its path; who read the file knows the line.

mod handler;
mod matcher;
mod read;
mod sources;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::handler::{Handler, HandlerKind, OnError};
pub use self::matcher::Matcher;
pub use self::read::{Fault, Known, Level, Read, read};
pub use self::sources::{COMMAND_LINE_FLAGS, Source, from_flag, in_order};

use crate::event::{HookEvent, Lane};
use crate::rules::Profile;

/// Handlers by event, in order.
#[derive(Clone, Debug, Default)]
pub struct Block {
    events: BTreeMap<&'static str, Vec<Entry>>,
}

/// Handlers that run for the same tools.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// For which tools; all of them on events that are not about tools.
    pub matcher: Matcher,
    /// Which lane of `pre_tool_use` they are in.
    pub lane: Lane,
    /// The handlers, in order.
    pub handlers: Vec<Arc<Handler>>,
}

impl Block {
    /// Adds an entry behind those that are there.
    pub fn add(&mut self, event: &'static HookEvent, entry: Entry) {
        self.events.entry(event.name).or_default().push(entry);
    }

    /// Adds all of `later` behind what is there: no source replaces another.
    pub fn append(&mut self, later: Self) {
        for (event, entries) in later.events {
            self.events.entry(event).or_default().extend(entries);
        }
    }

    /// The entries of an event.
    pub fn entries(&self, event: &HookEvent) -> &[Entry] {
        self.events.get(event.name).map_or(&[], Vec::as_slice)
    }

    /// The events that have handlers, and how many.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.events.iter().filter_map(|(event, entries)| {
            let count: usize = entries.iter().map(|entry| entry.handlers.len()).sum();
            (count > 0).then_some((*event, count))
        })
    }

    /// Whether there is no handler at all.
    pub fn is_empty(&self) -> bool {
        self.counts().next().is_none()
    }

    /// Whether an event has handlers in a lane, for whatever tool.
    pub fn has(&self, event: &HookEvent, lane: Lane) -> bool {
        self.entries(event).iter().any(|entry| entry.lane == lane && !entry.handlers.is_empty())
    }

    /// The handlers for an event about a tool of any of these names, in order; what stands there twice is there once.
    /// What counts as twice depends on the generation.
    pub fn handlers(
        &self,
        event: &HookEvent,
        lane: Lane,
        names: &[&str],
        profile: Profile,
    ) -> Vec<&Arc<Handler>> {
        let mut chosen: Vec<&Arc<Handler>> = Vec::new();
        let entries = self.entries(event).iter().filter(|entry| entry.lane == lane);
        let fitting = entries.filter(|entry| names.iter().any(|name| entry.matcher.matches(name)));
        for handler in fitting.flat_map(|entry| &entry.handlers) {
            if !chosen.iter().any(|known| known.is_same(handler, profile)) {
                chosen.push(handler);
            }
        }
        chosen
    }
}
