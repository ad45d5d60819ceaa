//! Sums of records, and tables of them of a bounded size: what `hooks top` and `hooks report` count by session and agent.

use std::collections::HashMap;

use hooks::audit::Record;
use hooks::{EventKind, Strength};

/// Most rows that are kept of a table; the rest counts in the sums only.
const MOST_ROWS: usize = 1_000;

/// Sums of a session, an agent, or the log.
#[derive(Clone, Default)]
pub(crate) struct Sums {
    pub(crate) agent: String,
    pub(crate) calls: u64,
    pub(crate) asked: u64,
    pub(crate) denied: u64,
    pub(crate) cost: u64,
    /// Calls of models that used tokens and have no cost.
    pub(crate) unpriced: u64,
    pub(crate) first: Option<u64>,
    pub(crate) last: u64,
    /// Sessions of an agent, if they are counted.
    pub(crate) sessions: u64,
}

impl Sums {
    pub(crate) fn add(&mut self, record: &Record) {
        self.calls += u64::from(record.event == EventKind::PreToolUse.name());
        if decides(record) {
            self.asked += u64::from(record.outcome == Some(Strength::Ask));
            self.denied += u64::from(record.outcome == Some(Strength::Deny));
        }
        self.cost = self.cost.saturating_add(record.cost_micro_usd.unwrap_or(0));
        self.unpriced += u64::from(is_unpriced(record));
        self.first = Some(self.first.map_or(record.at.0, |first| first.min(record.at.0)));
        self.last = self.last.max(record.at.0);
        if !record.agent.is_empty() && self.agent != record.agent {
            self.agent.clone_from(&record.agent);
        }
    }
}

pub(crate) fn decides(record: &Record) -> bool {
    EventKind::from_name(&record.event).is_some_and(EventKind::decides)
}

/// Whether the record is of a model call that used tokens and has no cost.
pub(crate) fn is_unpriced(record: &Record) -> bool {
    record.event == EventKind::AfterModelCall.name()
        && record.cost_micro_usd.is_none()
        && record.tokens.is_some_and(|used| used.total() > 0)
}

/// The last rows of a table, by name.
#[derive(Default)]
pub(crate) struct Table {
    rows: HashMap<String, Sums>,
    is_cut: bool,
}

impl Table {
    pub(crate) fn add(&mut self, name: &str, record: &Record) {
        if name.is_empty() {
            return;
        }
        if let Some(row) = self.rows.get_mut(name) {
            row.add(record);
            return;
        }
        if self.rows.len() >= MOST_ROWS {
            self.forget();
        }
        self.rows.entry(name.to_owned()).or_default().add(record);
    }

    /// Counts a session of an agent that has a row.
    pub(crate) fn add_session(&mut self, agent: &str) {
        if let Some(row) = self.rows.get_mut(agent) {
            row.sessions += 1;
        }
    }

    /// Forgets the older half, so that a new row costs little.
    fn forget(&mut self) {
        let mut times: Vec<u64> = self.rows.values().map(|row| row.last).collect();
        times.sort_unstable();
        let Some(middle) = times.get(MOST_ROWS / 2).copied() else { return };
        self.is_cut = true;
        self.rows.retain(|_, row| row.last > middle);
    }

    /// The last rows, the latest first.
    pub(crate) fn latest(&self, most: usize) -> Vec<(&String, &Sums)> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(name, row)| (std::cmp::Reverse(row.last), *name));
        rows.truncate(most);
        rows
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether rows were forgotten.
    pub(crate) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Names the table, with the number of its rows and those shown.
    pub(super) fn heading(&self, name: &str, shown: usize) -> String {
        let more = if self.is_cut { ", and more" } else { "" };
        format!("{} {name}, the last {shown}{more}", self.rows.len())
    }
}
