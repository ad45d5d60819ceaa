//! Descriptions of events and their outcomes as records.
//!
//! The thread of the hook takes only the necessary parts (a counter, the strength, the reasons); the thread
//! of the log makes the record from them.
//!
//! The record names the actor and the action. The arguments, which may be personal, are in the payload:
//!
//! ```
//! use hooks_audit::describe::Describe;
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest};
//! use serde_json::json;
//!
//! let call = PreToolUse::new("bash", json!({"command": "make"}));
//! let request = HookRequest::new(HookContext::new("session-1", "backend").in_dir("/work"), call);
//! let entry = Describe::default().entry(&request, Default::default());
//! assert_eq!((&*entry.record.event, &*entry.record.agent), ("pre_tool_use", "backend"));
//! assert_eq!(entry.record.tool.as_deref(), Some("bash"));
//!
//! let payload = entry.payload.ok_or("every event has a payload")?;
//! assert_eq!(payload.event["tool_args"], json!({"command": "make"}));
//! assert_eq!(payload.cwd, "/work");
//! # Ok::<(), &str>(())
//! ```

pub(crate) mod events;
mod recorded_outcome;

use std::borrow::Cow;
use std::mem;
use std::sync::Arc;

use hooks_core::cache::CacheHistory;
use hooks_core::event::{MicroUsd, PostToolUse, Usage};
use hooks_core::{Event, EventKind, HookContext, HookRequest};
use serde_json::Value;

pub use self::recorded_outcome::RecordedOutcome;
use crate::append::Entry;
use crate::record::{Limits, Payload, Record, kept_name};

/// An event that can be recorded. All events of the table can.
pub trait Described: Event {
    /// Fills in the fields of the record that come from the event.
    fn describe(&self, record: &mut Record);

    /// Parts of an outcome that are recorded.
    fn recorded(outcome: &Self::Outcome) -> RecordedOutcome;

    /// Whether the event has lasting effects if it goes ahead unrecorded: a tool that may change something.
    fn changes_something(&self) -> bool {
        false
    }

    /// The result of a tool, if the event is one.
    fn result(&self) -> Option<&PostToolUse> {
        None
    }

    /// Name of the tool that is about to run.
    fn tool_to_run(&self) -> Option<&str> {
        None
    }
}

/// Removes from a payload, and from the names in its record, what must not be stored: for example in the text
/// of an error, a task, a first prompt. Redaction has already changed the event itself (law 7).
pub trait Scrub: Send + Sync {
    /// Scrubs every text in `value`.
    fn scrub(&self, value: &mut Value);
}

/// Returns the cost of a call of a model with this usage, by the prices of an operator; `None` if it has no price.
pub type CostOf = dyn Fn(&HookContext, &str, &Usage) -> Option<MicroUsd> + Send + Sync;

/// Settings for all records of a set of hooks.
///
/// Customised: mail addresses are not stored, and each record has the version of the rules.
///
/// ```
/// use std::sync::Arc;
/// use hooks_audit::describe::{Describe, Scrub};
/// use hooks_core::event::{PromptKind, UserPromptSubmitted};
/// use hooks_core::{HookContext, HookRequest};
/// use serde_json::Value;
///
/// struct NoAddresses;
///
/// impl Scrub for NoAddresses {
///     fn scrub(&self, value: &mut Value) {
///         match value {
///             Value::String(text) if text.contains('@') => *text = "[address]".to_owned(),
///             Value::Array(items) => items.iter_mut().for_each(|item| self.scrub(item)),
///             Value::Object(fields) => fields.values_mut().for_each(|field| self.scrub(field)),
///             _ => {}
///         }
///     }
/// }
///
/// let describe =
///     Describe { rules: Some("v7".into()), scrub: Some(Arc::new(NoAddresses)), ..Describe::default() };
/// let prompt = UserPromptSubmitted::new("ask ada@example.com", PromptKind::Initial);
/// let request = HookRequest::new(HookContext::default(), prompt);
/// let entry = describe.entry(&request, Default::default());
/// assert_eq!(entry.record.rules.as_deref(), Some("v7"));
/// assert_eq!(entry.payload.ok_or("every event has a payload")?.event["prompt"], "[address]");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Default)]
pub struct Describe {
    /// Limits on recorded text.
    pub limits: Limits,
    /// Version of the rules in force.
    pub rules: Option<Arc<str>>,
    /// Removes from payloads and names what must not be stored.
    pub scrub: Option<Arc<dyn Scrub>>,
    /// Hits and misses of the result cache, which are recorded with the results of tools.
    pub cache: Option<Arc<dyn CacheHistory>>,
    /// Cost of model calls whose events have no cost of their own.
    pub cost_of: Option<Arc<CostOf>>,
}

impl Describe {
    /// Returns the record of `request` and its outcome.
    pub fn entry<E: Described>(&self, request: &HookRequest<E>, recorded: RecordedOutcome) -> Entry {
        let context = request.context();
        let mut record = self.record(E::KIND.name(), context);
        request.event().describe(&mut record);
        if let Some(cost_of) = &self.cost_of {
            price(&mut record, context, E::KIND, &**cost_of);
        }
        record.rewritten = request.revision() > 0;
        let result = request.event().result();
        record.cache = self.cache.as_ref().and_then(|cache| cache.take_answer(context, result?));
        let reasons = recorded.describe(&mut record);
        self.keep_names(&mut record);
        let event = serde_json::to_value(request.event()).unwrap_or_default();
        let mut payload = Payload { reasons, ..Payload::new(event) };
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

    /// Scrubs and shortens the names in `record`. Agents and clients choose most of these names, so they are
    /// scrubbed. Names from the configuration are not scrubbed, because queries by tenant have to find them.
    fn keep_names(&self, record: &mut Record) {
        let Record { session, agent, parent, repo, call, tool, model, child, child_id, .. } = record;
        let chosen = [parent, repo, call, tool, model, child, child_id].into_iter().flatten();
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

    /// Creates a record of `event` in `context`.
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

/// Sets the cost of a model call that names none.
fn price(record: &mut Record, context: &HookContext, kind: EventKind, cost_of: &CostOf) {
    let is_unpriced = kind == EventKind::AfterModelCall && record.cost_micro_usd.is_none();
    let used = record.tokens.filter(|used| is_unpriced && used.total() > 0);
    if let Some((used, model)) = used.zip(record.model.as_deref()) {
        record.cost_micro_usd = cost_of(context, model, &used).map(|cost| cost.0);
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
