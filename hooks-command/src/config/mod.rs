//! A block of handlers: `hooks:` of a docker-agent agent, of a user's settings, or of a `hooks.yaml`.
//!
//! [`read`] parses a block from JSON, whatever format the file has. It reports all mistakes at once, each
//! with its path; the caller who read the file knows the line.

mod handler;
mod matcher;
mod pattern;
mod read;
mod sources;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::handler::{Handler, HandlerKind, OnError};
pub use self::matcher::Matcher;
pub use self::read::{Fault, Known, Level, Read, read};
pub use self::sources::{Source, from_flag, in_order};

use crate::event::{HookEvent, Lane};
use crate::rules::Profile;

/// Handlers by event, in order.
///
/// ```
/// use std::sync::Arc;
/// use hooks_command::config::{Block, Entry, Matcher};
/// use hooks_command::{Handler, HookEvent, Lane, Profile};
///
/// let event = HookEvent::named("pre_tool_use").ok_or("no such event")?;
/// let entry = |matcher, command| -> Result<Entry, String> {
///     let handlers = vec![Arc::new(Handler::command(command))];
///     Ok(Entry { matcher: Matcher::new(matcher)?, handlers, ..Entry::default() })
/// };
/// let (mut block, mut later) = (Block::default(), Block::default());
/// block.add(event, entry("shell", "./check.sh")?);
/// later.add(event, entry("*", "./log.sh")?);
/// later.add(event, entry("*", "./check.sh")?);
/// block.append(later);
/// let commands = |tool: &str| {
///     let handlers = block.handlers(event, Lane::Ordinary, &[tool], Profile::September);
///     handlers.into_iter().map(|handler| handler.command.clone()).collect::<Vec<_>>()
/// };
/// // Every handler runs once, in the order of the sources.
/// assert_eq!(commands("shell"), ["./check.sh", "./log.sh"]);
/// assert_eq!(commands("edit"), ["./log.sh", "./check.sh"]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Block {
    events: BTreeMap<&'static str, Vec<Entry>>,
}

/// Handlers that run for the same tools.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Tools for which the handlers run; at events without tools, it matches all of them.
    pub matcher: Matcher,
    /// Lane of `pre_tool_use`.
    pub lane: Lane,
    /// The handlers, in order.
    pub handlers: Vec<Arc<Handler>>,
}

impl Block {
    /// Adds an entry after the existing ones.
    pub fn add(&mut self, event: &'static HookEvent, entry: Entry) {
        self.events.entry(event.name).or_default().push(entry);
    }

    /// Adds all entries of `later` after the existing ones: no source replaces another.
    pub fn append(&mut self, later: Self) {
        for (event, entries) in later.events {
            self.events.entry(event).or_default().extend(entries);
        }
    }

    /// The entries of an event.
    pub fn entries(&self, event: &HookEvent) -> &[Entry] {
        self.events.get(event.name).map_or(&[], Vec::as_slice)
    }

    /// The events that have handlers, with the number of handlers.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.events.iter().filter_map(|(event, entries)| {
            let count: usize = entries.iter().map(|entry| entry.handlers.len()).sum();
            (count > 0).then_some((*event, count))
        })
    }

    /// Whether the block has no handlers.
    pub fn is_empty(&self) -> bool {
        self.counts().next().is_none()
    }

    /// Whether an event has handlers in a lane, for any tool.
    pub fn has(&self, event: &HookEvent, lane: Lane) -> bool {
        self.entries(event).iter().any(|entry| entry.lane == lane && !entry.handlers.is_empty())
    }

    /// The handlers for an event about a tool with any of these names, in order and without duplicates. The
    /// profile determines which handlers are duplicates.
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
