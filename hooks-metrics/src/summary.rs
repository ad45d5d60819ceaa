//! Summary of one session.

use std::fmt;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::{DefaultHashBuilder, HashTable};
use hooks_core::HookContext;
use hooks_core::event::{MicroUsd, Usage};
use hooks_core::time::Timestamp;

use super::family::Label;
use super::names::{NameId, Names};

/// Limit on the tools, and on the rules, of a session that are distinguished; the rest is summed up as one.
const MOST_PARTS: usize = 64;

/// Summary of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// Id of the session.
    pub session: String,
    /// Name of the agent in the first event.
    pub agent: String,
    /// Time of the first event.
    pub since: Timestamp,
    /// Model calls that were answered.
    pub model_calls: u64,
    /// Tokens of the model calls.
    pub usage: Usage,
    /// Cost of the model calls, as far as their answers state it.
    pub cost: MicroUsd,
    /// Denials of any event.
    pub denials: u64,
    /// Errors of models, tools, network and permissions.
    pub errors: u64,
    /// Tools, the one with the most calls first.
    pub tools: Vec<ToolSummary>,
    /// Rules that denied something, the one with the most denials first.
    pub rules: Vec<RuleSummary>,
}

/// Summary of the calls of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSummary {
    /// Name of the tool.
    pub tool: Arc<str>,
    /// Calls that ran.
    pub calls: u64,
    /// Calls that failed.
    pub errors: u64,
    /// Total duration in milliseconds.
    pub duration_ms: u64,
}

/// Denials of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleSummary {
    /// Name of the policy.
    pub policy: Arc<str>,
    /// Name of the rule.
    pub rule: Arc<str>,
    /// Number of denials.
    pub denials: u64,
}

impl fmt::Display for SessionSummary {
    /// Writes a few lines for display.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { session, agent, usage, cost, .. } = self;
        writeln!(f, "session {session} of {agent}, since {}", self.since)?;
        writeln!(
            f,
            "  {} model calls, {} tokens in ({} cached), {} out ({} reasoning), {cost}",
            self.model_calls,
            usage.input_tokens,
            usage.cached_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
        )?;
        writeln!(f, "  {} denials, {} errors", self.denials, self.errors)?;
        for tool in &self.tools {
            let ToolSummary { tool, calls, errors, duration_ms } = tool;
            writeln!(f, "  tool {tool}: {calls} calls, {errors} failed, {duration_ms} ms")?;
        }
        for RuleSummary { policy, rule, denials } in &self.rules {
            writeln!(f, "  rule {policy}/{rule}: {denials} denials")?;
        }
        Ok(())
    }
}

/// Sessions of a process.
pub(super) struct Summaries {
    most: usize,
    hasher: DefaultHashBuilder,
    sessions: Mutex<HashTable<Running>>,
}

/// A session, with tools and rules as numbers.
pub(super) struct Running {
    tenant: Option<String>,
    session: String,
    agent: String,
    since: Timestamp,
    /// Time of the last event.
    seen: Timestamp,
    pub(super) model_calls: u64,
    pub(super) usage: Usage,
    pub(super) cost: u64,
    pub(super) denials: u64,
    pub(super) errors: u64,
    tools: Vec<(NameId, [u64; 3])>,
    rules: Vec<((NameId, NameId), u64)>,
}

impl Summaries {
    pub(super) fn new(most: usize) -> Self {
        Self { most, hasher: DefaultHashBuilder::default(), sessions: Mutex::default() }
    }

    /// Adds to the session of `context`. If the limit is reached, the sessions without events for the longest
    /// time are removed.
    pub(super) fn add(&self, context: &HookContext, add: impl FnOnce(&mut Running)) {
        let hash = self.hash(&context.tenant, &context.session_id);
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = sessions.find_mut(hash, |running| running.is_of(context)) {
            running.seen = context.timestamp;
            return add(running);
        }
        if sessions.len() >= self.most {
            self.make_room(&mut sessions);
        }
        if sessions.len() < self.most {
            let hasher = |running: &Running| self.hash(&running.tenant, &running.session);
            let mut entry = sessions.insert_unique(hash, Running::new(context), hasher);
            add(entry.get_mut());
        }
    }

    pub(super) fn summary_for(&self, context: &HookContext, names: &Names) -> Option<SessionSummary> {
        let hash = self.hash(&context.tenant, &context.session_id);
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        Some(sessions.find(hash, |running| running.is_of(context))?.summary(names))
    }

    /// Removes a quarter at once, so that a flood of sessions does not search for the oldest one each time.
    fn make_room(&self, sessions: &mut HashTable<Running>) {
        let mut seen: Vec<_> = sessions.iter().map(|running| running.seen).collect();
        let quarter = seen.len() / 4;
        if quarter < seen.len() {
            let (_, limit, _) = seen.select_nth_unstable(quarter);
            let (limit, mut left) = (*limit, quarter + 1);
            sessions.retain(|running| {
                let goes = left > 0 && running.seen <= limit;
                left -= usize::from(goes);
                !goes
            });
        }
    }

    fn hash(&self, tenant: &Option<String>, session: &str) -> u64 {
        self.hasher.hash_one((tenant, session))
    }
}

impl Running {
    fn new(context: &HookContext) -> Self {
        Self {
            tenant: context.tenant.clone(),
            session: context.session_id.clone(),
            agent: context.agent_name.clone(),
            since: context.timestamp,
            seen: context.timestamp,
            model_calls: 0,
            usage: Usage::default(),
            cost: 0,
            denials: 0,
            errors: 0,
            tools: Vec::new(),
            rules: Vec::new(),
        }
    }

    fn is_of(&self, context: &HookContext) -> bool {
        self.session == context.session_id && self.tenant == context.tenant
    }

    pub(super) fn ran(&mut self, tool: NameId, failed: bool, duration_ms: u64) {
        add_to(&mut self.tools, tool, NameId::OTHER, |counts| {
            for (count, more) in counts.iter_mut().zip([1, u64::from(failed), duration_ms]) {
                *count = count.saturating_add(more);
            }
        });
    }

    pub(super) fn denied(&mut self, policy: NameId, rule: NameId) {
        self.denials += 1;
        add_to(&mut self.rules, (policy, rule), (NameId::OTHER, NameId::OTHER), |denials| *denials += 1);
    }

    fn summary(&self, names: &Names) -> SessionSummary {
        let mut tools: Vec<_> = self
            .tools
            .iter()
            .map(|(tool, [calls, errors, duration_ms])| ToolSummary {
                tool: names.text(Label::Tool, *tool),
                calls: *calls,
                errors: *errors,
                duration_ms: *duration_ms,
            })
            .collect();
        tools.sort_by_key(|tool| std::cmp::Reverse(tool.calls));
        let mut rules: Vec<_> = self
            .rules
            .iter()
            .map(|((policy, rule), denials)| RuleSummary {
                policy: names.text(Label::Policy, *policy),
                rule: names.text(Label::Rule, *rule),
                denials: *denials,
            })
            .collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.denials));
        SessionSummary {
            session: self.session.clone(),
            agent: self.agent.clone(),
            since: self.since,
            model_calls: self.model_calls,
            usage: self.usage,
            cost: MicroUsd(self.cost),
            denials: self.denials,
            errors: self.errors,
            tools,
            rules,
        }
    }
}

/// Adds to the counts of a part, or to those of `other` if the limit is reached.
fn add_to<K: PartialEq, V: Default>(parts: &mut Vec<(K, V)>, key: K, other: K, add: impl FnOnce(&mut V)) {
    let is_known = parts.iter().any(|(known, _)| *known == key);
    let key = if is_known || parts.len() < MOST_PARTS { key } else { other };
    match parts.iter_mut().find(|(known, _)| *known == key) {
        Some((_, counts)) => add(counts),
        None => {
            let mut counts = V::default();
            add(&mut counts);
            parts.push((key, counts));
        }
    }
}
