//! Limits, and the counters that calls draw on.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::event::MicroUsd;
use hooks_core::state::{Key, MAX_AMOUNT, Scope, Window};
use hooks_facts::names::folded;
use serde::{Deserialize, Serialize};

use super::config::SpendLevel;
use crate::window::LimitWindow;

/// Unit that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpendUnit {
    /// Money, in millionths of a US dollar.
    Usd,
    /// Tokens, sent and received together.
    Tokens,
}

impl SpendUnit {
    pub(super) const ALL: [Self; 2] = [Self::Usd, Self::Tokens];

    /// Returns the name of the unit in keys and in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usd => "usd",
            Self::Tokens => "tokens",
        }
    }

    /// Formats an amount for messages.
    pub(super) fn show(self, amount: u64) -> String {
        match self {
            Self::Usd => MicroUsd(amount).to_string(),
            Self::Tokens => format!("{amount} tokens"),
        }
    }
}

/// Compiled limit on spending.
#[derive(Clone, Debug)]
pub(super) struct SpendLimit {
    /// Index in the configuration.
    pub(super) index: usize,
    pub(super) level: SpendLevel,
    pub(super) window: LimitWindow,
    /// Names to which the limit applies, in lower case; if empty, all.
    pub(super) named: Vec<String>,
    /// Millionths of a US dollar.
    pub(super) usd: Option<u64>,
    pub(super) tokens: Option<u64>,
}

impl SpendLimit {
    /// Returns whether it is counted by sessions, so that the tree of the session matters.
    pub(super) fn is_of_sessions(&self) -> bool {
        self.level == SpendLevel::Session || self.window == LimitWindow::Session
    }

    pub(super) fn amount(&self, unit: SpendUnit) -> Option<u64> {
        match unit {
            SpendUnit::Usd => self.usd,
            SpendUnit::Tokens => self.tokens,
        }
    }

    /// Returns the names of the counters that a call of `who` draws on.
    fn names(&self, who: &Who<'_>) -> Vec<String> {
        let mut names = match self.level {
            SpendLevel::Team => vec![String::new()],
            SpendLevel::Agent => vec![folded(who.agent).into_owned()],
            SpendLevel::Role => who.roles.get(&*folded(who.agent)).cloned().unwrap_or_default(),
            SpendLevel::Session => {
                let (own, parent) = (&*who.context.session_id, who.context.parent_session_id.as_deref());
                let mut sessions = vec![own];
                for above in parent.into_iter().chain([who.root]) {
                    if !sessions.contains(&above) {
                        sessions.push(above);
                    }
                }
                sessions.into_iter().map(str::to_owned).collect()
            }
            SpendLevel::Model => who.model.map(|model| folded(model).into_owned()).into_iter().collect(),
        };
        names.retain(|name| self.named.is_empty() || self.named.iter().any(|named| *named == *folded(name)));
        names.dedup();
        names
    }
}

/// Caller and model of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who<'a> {
    pub(super) context: &'a HookContext,
    /// Session at the root of the tree.
    pub(super) root: &'a str,
    pub(super) agent: &'a str,
    /// `None` if the event is not a model call.
    pub(super) model: Option<&'a str>,
    pub(super) roles: &'a HashMap<String, Vec<String>>,
}

/// Counter that a call draws on, in one unit.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    pub(super) scope: Scope,
    pub(super) unit: SpendUnit,
    pub(super) level: SpendLevel,
    pub(super) window: LimitWindow,
    pub(super) name: String,
    /// Index of its limit in the configuration.
    pub(super) index: usize,
}

impl Counter {
    /// Returns whether `used` is at least `percent` of the limit; for a limit of 0, always.
    pub(super) fn is_at(&self, percent: u64, used: u64) -> bool {
        percent < 100 && u128::from(used) * 100 >= u128::from(self.scope.limit) * u128::from(percent)
    }

    /// Returns the path of its limit in the configuration.
    pub(super) fn field(&self) -> String {
        format!("budget.limits[{}].{}", self.index, self.unit.name())
    }
}

/// Describes the budget of the counter.
impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match self.level {
            SpendLevel::Team => write!(f, "the team's budget"),
            SpendLevel::Agent => write!(f, "the budget of agent `{name}`"),
            SpendLevel::Role => write!(f, "the budget of role `{name}`"),
            SpendLevel::Session => write!(f, "the budget of session `{name}`"),
            SpendLevel::Model => write!(f, "the budget of model `{name}`"),
        }?;
        match (self.level, self.window) {
            (SpendLevel::Session, LimitWindow::Session) => Ok(()),
            (_, window) => f.write_str(window.in_words()),
        }
    }
}

/// Returns the counters of `limits` in `unit` that a call of `who` draws on, each once: if several limits
/// share a counter, the narrowest applies.
pub(super) fn counters(limits: &[SpendLimit], unit: SpendUnit, who: &Who<'_>) -> Vec<Counter> {
    let mut counters: Vec<Counter> = Vec::new();
    for limit in limits {
        let Some(amount) = limit.amount(unit) else { continue };
        for name in limit.names(who) {
            let counter = counter(limit, unit, amount, name, who);
            let same = |other: &&mut Counter| {
                other.scope.key == counter.scope.key && other.scope.window == counter.scope.window
            };
            match counters.iter_mut().find(same) {
                Some(other) if other.scope.limit <= amount => {}
                Some(other) => *other = counter,
                None => counters.push(counter),
            }
        }
    }
    counters
}

fn counter(limit: &SpendLimit, unit: SpendUnit, amount: u64, name: String, who: &Who<'_>) -> Counter {
    let level = match limit.level {
        SpendLevel::Team => "team",
        SpendLevel::Agent => "agent",
        SpendLevel::Role => "role",
        SpendLevel::Session => "session",
        SpendLevel::Model => "model",
    };
    let mut parts = vec![FOLDER, "of", level, &name, unit.name()];
    // One counter for each tree of sessions; a session limit has the session in its name already.
    if limit.window == LimitWindow::Session && limit.level != SpendLevel::Session {
        parts.push(who.root);
    }
    let scope =
        Scope::spent(Key::new(who.context.tenant.as_deref(), &parts), amount).per(limit.window.window());
    Counter { scope, unit, level: limit.level, window: limit.window, name, index: limit.index }
}

/// First part of all keys of a budget, below the tenant.
pub(super) const FOLDER: &str = "spend";

/// Returns the key under which a session's spending is counted by model.
pub(super) fn meters(context: &HookContext) -> Key {
    Key::new(context.tenant.as_deref(), &[FOLDER, "by-model", &context.session_id])
}

/// Returns the counter of a session's spending on a model in `unit`, which limits nothing.
pub(super) fn meter(context: &HookContext, model: &str, unit: SpendUnit) -> Scope {
    let parts = [FOLDER, "by-model", &context.session_id, unit.name(), model];
    Scope::spent(Key::new(context.tenant.as_deref(), &parts), MAX_AMOUNT).per(Window::SESSION)
}

/// Returns the key of a session's open calls.
pub(super) fn open_calls(context: &HookContext) -> Key {
    Key::new(context.tenant.as_deref(), &[FOLDER, "open", &context.session_id])
}

/// Returns the scopes of the counters, followed by the meter.
pub(super) fn scopes(counters: &[Counter], meter: Scope) -> Arc<[Scope]> {
    counters.iter().map(|counter| counter.scope.clone()).chain([meter]).collect()
}
