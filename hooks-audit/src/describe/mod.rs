//! How each event and its outcome are put down.
//!
//! The hook's own thread takes what it must (a counter, the strength, the reasons); the record is made from that in the
//! thread of the log.

pub(crate) mod events;
mod said;

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use hooks_core::event::PostToolUse;
use hooks_core::{Event, HookContext, HookRequest};
use serde_json::Value;

pub use self::said::Said;
use crate::append::Entry;
use crate::cache::ResultCache;
use crate::record::{Limits, Payload, Record, kept_name};

/// An event that can be put down. All events of the table can.
pub trait Described: Event {
    /// Fills in what the record has a field for.
    fn describe(&self, record: &mut Record);

    /// What was answered.
    fn said(outcome: &Self::Outcome) -> Said;

    /// Whether the event goes wrong for good if it may not be put down: a tool that may change something.
    fn changes_something(&self) -> bool {
        false
    }

    /// The result of a tool, where it is one.
    fn result(&self) -> Option<&PostToolUse> {
        None
    }

    /// The tool that is about to run.
    fn tool_to_run(&self) -> Option<&str> {
        None
    }
}

/// Takes out of a payload, and out of the names in its record, what nobody may keep, beyond what redaction took out of the
/// event itself (law 7): an error's text, a task, a first prompt.
pub trait Scrub: Send + Sync {
    /// Scrubs every text in `value`.
    fn scrub(&self, value: &mut Value);
}

/// What is the same for all records of a set of hooks.
#[derive(Clone, Default)]
pub struct Describe {
    /// How much is kept.
    pub limits: Limits,
    /// The version of the rules that are in force.
    pub rules: Option<Arc<str>>,
    /// Takes out of payloads and names what nobody may keep.
    pub scrub: Option<Arc<dyn Scrub>>,
    /// The cache whose hits and misses are put down with the results of tools.
    pub cache: Option<ResultCache>,
}

impl Describe {
    /// The record of `request` and what was answered to it.
    pub fn entry<E: Described>(&self, request: &HookRequest<E>, said: Said) -> Entry {
        let context = request.context();
        let mut record = self.record(E::KIND.name(), context);
        request.event().describe(&mut record);
        record.rewritten = request.revision() > 0;
        let result = request.event().result();
        record.cache = self.cache.as_ref().and_then(|cache| cache.answer_of(context, result?));
        let reasons = said.describe(&mut record);
        self.keep_names(&mut record);
        let event = serde_json::to_value(request.event()).unwrap_or_default();
        let mut payload = Payload { reasons, ..Payload::of(event) };
        payload.cwd = context.cwd.to_string_lossy().into_owned();
        let root = context.team_root.as_ref().map(|root| root.to_string_lossy().into_owned());
        payload.team_root = root.filter(|root| *root != payload.cwd);
        if let Some(scrub) = &self.scrub {
            scrub.scrub(&mut payload.event);
            payload.reasons.iter_mut().for_each(|reason| scrub.scrub(reason));
        }
        self.limits.apply(&mut payload);
        Entry { record, payload: Some(payload) }
    }

    /// Makes the names in `record` such as are kept. Agents and clients choose most of them, and may put into them what they
    /// like: these are scrubbed. Those out of the configuration are not: what is said there by tenant has to find them.
    fn keep_names(&self, record: &mut Record) {
        let Record { session, agent, parent, repo, call, tool, model, child, .. } = record;
        let chosen = [parent, repo, call, tool, model, child].into_iter().flatten();
        for name in chosen.chain([session, agent]) {
            if let Some(scrub) = &self.scrub {
                let mut value = Value::String(mem::take(name));
                scrub.scrub(&mut value);
                *name = if let Value::String(scrubbed) = value { scrubbed } else { value.to_string() };
            }
            shorten(name);
        }
        let Record { tenant, policy, rule, .. } = record;
        [tenant, policy, rule].into_iter().flatten().for_each(shorten);
    }

    /// A record of `event` in `context`.
    fn record(&self, event: &str, context: &HookContext) -> Record {
        Record {
            tenant: context.tenant.clone(),
            session: context.session_id.clone(),
            parent: context.parent_session_id.clone(),
            agent: context.agent_name.clone(),
            repo: context.repo.clone(),
            call: context.call_id.clone(),
            rules: self.rules.as_deref().map(str::to_owned),
            ..Record::new(event, context.timestamp)
        }
    }
}

fn shorten(name: &mut String) {
    if let Cow::Owned(kept) = kept_name(name) {
        *name = kept;
    }
}

impl std::fmt::Debug for Describe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Describe")
            .field("limits", &self.limits)
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
